import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useEffect } from "react";
import { describe, expect, it } from "vitest";
import type { WorkspaceRef } from "../../backend/backend";
import { useEntry, useStores } from "../../store/context";
import { openPiece } from "../../test/piece";
import { aWorld, expectAccessible } from "../../test/window";
import { Note } from "./Note";

function Shown({ id }: { id: WorkspaceRef }) {
  const { annotations } = useStores();
  const { detail, unsaved } = useEntry(id);
  useEffect(() => void annotations.load(id), [annotations, id]);
  if (detail === null) return null;
  return (
    <>
      <Note id={id} note={unsaved.note ?? detail.note} />
      <button type="button">elsewhere</button>
    </>
  );
}

async function opened(note: string) {
  const fake = aWorld();
  fake.notes.set("c", note);
  const piece = await openPiece(fake, <Shown id="c" />);
  const field = await screen.findByRole("textbox", { name: "Note" });
  return { ...piece, fake, field };
}

const reading = () => screen.queryByRole("group", { name: "The note as it reads" });

describe("a note", () => {
  it("that is empty waits to be written, and reads as Markdown once it is left", async () => {
    const { user, field, fake } = await opened("");
    expect(reading()).toBeNull();
    expect(field).not.toHaveClass("sr-only");
    await user.type(field, "ask **Noor**");
    expect(reading()).toBeNull();
    await user.click(screen.getByRole("button", { name: "elsewhere" }));
    await waitFor(() => expect(reading()).not.toBeNull());
    expect(within(reading() ?? document.body).getByText("Noor").tagName).toBe("STRONG");
    expect(fake.notes.get("c")).toBe("ask **Noor**");
    // The same field as before: whatever writes into it finds it.
    expect(screen.getByRole("textbox", { name: "Note" })).toBe(field);
    await expectAccessible();
  });

  it("is written as soon as its field has the focus", async () => {
    const { user, field } = await opened("one");
    expect(reading()).toHaveTextContent("one");
    expect(field).toHaveAttribute("tabindex", "-1");
    act(() => field.focus());
    expect(reading()).toBeNull();
    expect(field).not.toHaveClass("sr-only");
    await user.keyboard("two ");
    expect(field).toHaveFocus();
    await expectAccessible();
  });

  it("is edited by its button, by a double click, and by Enter on it; Escape leaves", async () => {
    const { user, field } = await opened("one [link](https://example.org)");
    await user.click(screen.getByRole("button", { name: "Edit the note" }));
    expect(field).toHaveFocus();
    expect((field as HTMLTextAreaElement).selectionStart).toBe(31);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(reading()).toHaveFocus());
    await user.keyboard("{Enter}");
    expect(field).toHaveFocus();
    expect(field).toHaveValue("one [link](https://example.org)");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(reading()).not.toBeNull());
    await user.dblClick(screen.getByRole("link", { name: "link" }));
    expect(field).not.toHaveFocus();
    await user.dblClick(within(reading() ?? document.body).getByText("one", { exact: false }));
    expect(field).toHaveFocus();
  });

  it("does not move what is being pressed before the press is over", async () => {
    const { field } = await opened("one");
    act(() => field.focus());
    fireEvent.pointerDown(screen.getByRole("button", { name: "elsewhere" }));
    act(() => field.blur());
    expect(reading()).toBeNull();
    fireEvent.pointerUp(screen.getByRole("button", { name: "elsewhere" }));
    await waitFor(() => expect(reading()).not.toBeNull());
  });

  it("stays open while only the window loses the focus", async () => {
    const { field } = await opened("one");
    act(() => field.focus());
    // The field stays the active element then.
    fireEvent.blur(field);
    expect(reading()).toBeNull();
    expect(field).toHaveFocus();
  });

  it("without words is left by Escape and stays to be written", async () => {
    const { user, field } = await opened("");
    await user.click(field);
    await user.keyboard("{Escape}");
    expect(field).not.toHaveFocus();
    expect(field).not.toHaveClass("sr-only");
  });
});
