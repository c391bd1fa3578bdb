import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { aRow, type FakeBackend } from "../backend/fake";
import { aWorld, expectAccessible, openWindow, rowOf } from "../test/window";

afterEach(() => vi.restoreAllMocks());

function marked(): string[] {
  return screen
    .getAllByTestId("workspace")
    .filter((each) => each.getAttribute("aria-selected") === "true")
    .map((each) => each.dataset["name"] ?? "");
}

function names(): string[] {
  return screen.getAllByTestId("workspace").map((each) => each.dataset["name"] ?? "");
}

function calls(fake: FakeBackend, method: string): unknown[][] {
  return fake.calls.filter((call) => call.method === method).map((call) => call.args);
}

describe("marking rows", () => {
  it("goes by press, by Ctrl and a press, and by Shift and a press", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(rowOf("atlas"));
    expect(marked()).toEqual(["atlas"]);
    await user.keyboard("{Control>}");
    await user.click(rowOf("tide"));
    await user.click(rowOf("atlas-zoom"));
    await user.click(rowOf("tide"));
    await user.keyboard("{/Control}");
    expect(marked()).toEqual(["atlas", "atlas-zoom"]);
    await user.click(rowOf("atlas"));
    await user.keyboard("{Shift>}");
    await user.click(rowOf("atlas-zoom"));
    await user.keyboard("{/Shift}");
    expect(marked()).toEqual(["atlas", "atlas-tiles", "atlas-zoom"]);
    expect(screen.getByRole("heading", { name: "3 workspaces" })).toBeVisible();
    await user.click(rowOf("tide"));
    expect(marked()).toEqual(["tide"]);
  });

  it("goes by keyboard alone: a range, one more, all, none", async () => {
    const { user } = await openWindow(aWorld());
    rowOf("atlas").focus();
    await user.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
    expect(marked()).toEqual(["atlas", "atlas-tiles", "atlas-zoom"]);
    await user.keyboard("{Shift>}{ArrowUp}{/Shift}");
    expect(marked()).toEqual(["atlas", "atlas-tiles"]);
    await user.keyboard(" ");
    expect(marked()).toEqual(["atlas"]);
    await user.keyboard("{Control>}a{/Control}");
    expect(marked()).toHaveLength(4);
    expect(screen.getByTestId("announcements")).toHaveTextContent("4 marked.");
    await user.keyboard("{Escape}");
    expect(marked()).toEqual(["atlas-tiles"]);
  });

  it("never acts on what a search hides", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    rowOf("atlas").focus();
    await user.keyboard("{Control>}a{/Control}");
    await user.type(screen.getByRole("searchbox"), "host:build");
    await waitFor(() => expect(names()).toEqual(["tide"]));
    rowOf("tide").focus();
    await user.keyboard("p");
    await waitFor(() => expect(calls(fake, "annotateAll")).toEqual([[[{ id: "d", patch: { pinned: true } }]]]));
  });
});

describe("what is done to several rows", () => {
  it("pins, is said, and is undone by button and by key, and done again", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    rowOf("atlas").focus();
    await user.keyboard("{Shift>}{ArrowDown}{/Shift}p");
    await screen.findAllByText("2 workspaces pinned");
    expect([fake.rows.get("a")?.pinned, fake.rows.get("b")?.pinned]).toEqual([true, true]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(fake.rows.get("a")?.pinned).toBe(false));
    rowOf("atlas").focus();
    await user.keyboard("{Control>}{Shift>}z{/Shift}{/Control}");
    await waitFor(() => expect(fake.rows.get("b")?.pinned).toBe(true));
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(fake.rows.get("b")?.pinned).toBe(false));
    await user.keyboard("{Control>}z{/Control}");
    expect(await screen.findAllByText("There is nothing to undo.")).not.toHaveLength(0);
  });

  it("leaves undo to the field where something is typed", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    rowOf("atlas").focus();
    await user.keyboard("p");
    await waitFor(() => expect(fake.rows.get("a")?.pinned).toBe(true));
    screen.getByRole("searchbox").focus();
    await user.keyboard("{Control>}z{/Control}");
    expect(fake.rows.get("a")?.pinned).toBe(true);
  });

  it("opens the deletion of exactly those that can go", async () => {
    const fake = aWorld();
    fake.rows.set("e", aRow({ id: "e", host: "h1", root: "r1", name: "gone", presence: "missing" }));
    const { user, stores } = await openWindow(fake);
    rowOf("atlas").focus();
    await user.keyboard("{Control>}a{/Control}{Delete}");
    expect(stores.view.get().dialog).toMatchObject({ is: "delete", ids: ["a", "b", "c", "d"] });
  });

  it("is in a menu under the pointer, about the row that was pressed if that is not marked", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas"));
    fireEvent.contextMenu(rowOf("atlas-zoom"));
    await user.click(await screen.findByRole("menuitem", { name: /^Pin/ }));
    await waitFor(() => expect(fake.rows.get("c")?.pinned).toBe(true));
    expect(fake.rows.get("a")?.pinned).toBe(false);
  });

  it("is in the same menu by key", async () => {
    const { user } = await openWindow(aWorld());
    rowOf("atlas").focus();
    await user.keyboard("{Shift>}{F10}{/Shift}");
    expect(await screen.findByRole("menuitem", { name: /^Delete…/ })).toBeVisible();
    await expectAccessible();
  });
});

describe("the list", () => {
  it("sorts by a column, the other way, and then as rows stand", async () => {
    const fake = aWorld();
    fake.preferences = { ...fake.preferences, layout: JSON.stringify({ grouping: "none", columns: ["name", "size"] }) };
    for (const [id, size] of [["a", 30], ["b", 10], ["c", 20]] as const) {
      const row = fake.rows.get(id);
      if (row !== undefined) fake.rows.set(id, { ...row, size });
    }
    const { user } = await openWindow(fake);
    const header = screen.getByRole("columnheader", { name: "Size" });
    await user.click(within(header).getByRole("button"));
    expect(names()).toEqual(["atlas-tiles", "atlas-zoom", "atlas", "tide"]);
    expect(header).toHaveAttribute("aria-sort", "ascending");
    await user.click(within(header).getByRole("button"));
    expect(names()).toEqual(["atlas", "atlas-zoom", "atlas-tiles", "tide"]);
    await user.click(within(header).getByRole("button"));
    expect(header).toHaveAttribute("aria-sort", "none");
    expect(names()).toEqual(["atlas", "tide", "atlas-tiles", "atlas-zoom"]);
  });

  it("keeps which columns are shown and what rows are put together by", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Columns and grouping" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Host" }));
    await waitFor(() => expect(screen.getByRole("columnheader", { name: "Host" })).toBeVisible());
    await user.click(screen.getByRole("menuitemradio", { name: "Host" }));
    await waitFor(() => expect(screen.getAllByRole("row", { expanded: true })).toHaveLength(2));
    const layout = JSON.parse(fake.preferences.layout) as unknown;
    expect(layout).toEqual({
      columns: ["name", "branch", "host", "only", "upstream", "commit", "tags"],
      grouping: "host",
      order: null,
    });
  });

  it("takes a layout of another version for as far as it knows it", async () => {
    const fake = aWorld();
    fake.preferences = { ...fake.preferences, layout: '{"columns":["aura","size","size"],"grouping":"moon","order":{"by":"aura"}}' };
    await openWindow(fake);
    expect(screen.getAllByRole("columnheader").map((each) => each.textContent)).toEqual(["Workspace", "Size"]);
    expect(screen.getAllByRole("row", { expanded: true })).toHaveLength(2);
  });

  it("says what is wrong with a search beside what it finds", async () => {
    const { user } = await openWindow(aWorld());
    await user.type(screen.getByRole("searchbox"), "is:shiny atlas");
    expect(await screen.findByText(/^Nothing can be “shiny”/)).toBeVisible();
    expect(names()).toHaveLength(3);
  });

  it("finds words of notes, which only the registry has", async () => {
    const fake = aWorld();
    fake.notes.set("d", "Ask Noor about the INDEX format");
    const { user } = await openWindow(fake);
    await user.type(screen.getByRole("searchbox"), "noor index");
    await waitFor(() => expect(names()).toEqual(["tide"]));
  });

  it("offers tokens while nothing is typed, and goes down to the rows", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(screen.getByRole("searchbox"));
    await user.click(within(screen.getByRole("group", { name: "Search by" })).getByRole("button", { name: /^host:/ }));
    expect(screen.getByRole("searchbox")).toHaveValue("host:");
    await user.type(screen.getByRole("searchbox"), "build");
    await waitFor(() => expect(names()).toEqual(["tide"]));
    await user.keyboard("{ArrowDown}");
    expect(document.activeElement).toHaveAttribute("role", "row");
  });

  it("goes from part to part of the window by F6", async () => {
    const { user } = await openWindow(aWorld());
    const parts: (string | undefined)[] = [];
    for (let at = 0; at < 4; at += 1) {
      // eslint-disable-next-line no-await-in-loop -- one key after another
      await user.keyboard("{F6}");
      parts.push(document.activeElement?.closest<HTMLElement>("[data-part]")?.dataset["part"]);
    }
    expect(parts).toEqual(["places", "actions", "workspaces", "inspector"]);
    await user.keyboard("{Shift>}{F6}{/Shift}");
    expect(document.activeElement?.closest<HTMLElement>("[data-part]")?.dataset["part"]).toBe("workspaces");
  });
});
