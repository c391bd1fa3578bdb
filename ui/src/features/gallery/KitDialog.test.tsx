import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FakeBackend } from "../../backend/fake";
import { openPiece } from "../../test/piece";
import { expectAccessible, openDialogs, settle } from "../../test/window";
import { KitDialog } from "./KitDialog";

// One dialog is tested here, not the window around it.
vi.mock("../../app/App", () => ({ App: () => null }));

const close = vi.fn<() => void>();

async function opened() {
  const { user } = await openPiece(new FakeBackend(), <KitDialog onClose={close} />);
  return { user, dialog: await screen.findByRole("dialog", { name: "Design system" }) };
}

afterEach(() => document.documentElement.removeAttribute("style"));

describe("the design system", () => {
  it("shows every part of the kit on one page", async () => {
    const { dialog } = await opened();
    const parts = within(dialog).getAllByRole("heading", { level: 3 });
    expect(parts.map((each) => each.textContent)).toEqual([
      "Type",
      "Spacing",
      "Buttons",
      "Fields",
      "Menus, dialogs and messages",
      "Places, choices, keys and notes",
      "Facts",
      "Marks",
      "Colours",
    ]);
    expect(within(dialog).getByRole("list", { name: "States of hosts" })).toHaveTextContent("calling");
    expect(within(dialog).getByRole("list", { name: "Colours of workspaces" })).toHaveTextContent("redcircleorangetriangle");
    await expectAccessible();
  });

  it("gives each colour of a workspace a shape of its own", async () => {
    const { dialog } = await opened();
    const marks = within(within(dialog).getByRole("list", { name: "Colours of workspaces" })).getAllByRole("listitem");
    expect(new Set(marks.map((each) => each.querySelector("svg")?.innerHTML)).size).toBe(7);
  });

  it("works out each contrast from the palette that is in use, and again when that changes", async () => {
    const { dialog } = await opened();
    const line = () => {
      const found = within(dialog)
        .getAllByRole("listitem")
        .find((each) => each.textContent?.startsWith("Aatext on page"));
      if (found === undefined) throw new Error("text on page is not shown");
      return found;
    };
    expect(line()).toHaveTextContent("unknown");
    await settle(() => document.documentElement.setAttribute("style", "--c-text: #000000; --c-page: #ffffff"));
    await waitFor(() => expect(line()).toHaveTextContent("21.0 : 1enough"));
    await settle(() => document.documentElement.setAttribute("style", "--c-text: #bbbbbb; --c-page: #ffffff"));
    await waitFor(() => expect(line()).toHaveTextContent("1.9 : 1not enough: needs 4.5"));
  });

  it("opens a dialog, asks a question and says something when it is asked to", async () => {
    const { user, dialog } = await opened();
    await user.click(within(dialog).getByRole("button", { name: "Dialog…" }));
    const inner = await screen.findByRole("dialog", { name: "A dialog" });
    await user.click(within(inner).getByRole("button", { name: "Done" }));
    await waitFor(() => expect(openDialogs()).toHaveLength(1));
    await user.click(within(dialog).getByRole("button", { name: "Question…" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Cancel" }));
    await user.click(within(dialog).getByRole("button", { name: "Complain" }));
    expect(await screen.findAllByText("The disk is full.")).not.toHaveLength(0);
    expect(close).not.toHaveBeenCalled();
  });
});
