import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { aRow, type FakeBackend } from "../backend/fake";
import { aWorld, expectAccessible, openDialogs, openWindow, rowOf, settle } from "../test/window";

afterEach(() => vi.restoreAllMocks());

function aGroupedWorld(): FakeBackend {
  const fake = aWorld();
  fake.groups = [
    { id: "g1", name: "Release", parent: null },
    { id: "g2", name: "Later", parent: null },
  ];
  const row = fake.rows.get("b");
  if (row !== undefined) fake.rows.set("b", { ...row, group: "g1", position: 0 });
  return fake;
}

function place(name: string): HTMLElement {
  return screen.getByTestId(`place-${name}`);
}

/** Drags something onto something else, as a pointer does; `over` is looked at before it is let go. */
async function drag(from: Element, onto: Element, over: () => Promise<unknown> | void = () => {}, end: "drop" | "escape" = "drop") {
  // What lies over a row to be dropped on is there only once something is dragged.
  vi.spyOn(document, "elementFromPoint").mockImplementation(() => onto.querySelector("[data-drop]") ?? onto);
  fireEvent.mouseDown(from, { button: 0, clientX: 10, clientY: 10 });
  fireEvent.mouseMove(document, { clientX: 30, clientY: 30 });
  await settle(() => {});
  fireEvent.mouseMove(document, { clientX: 60, clientY: 60 });
  await screen.findByTestId("dragged");
  fireEvent.mouseMove(document, { clientX: 62, clientY: 62 });
  await over();
  if (end === "drop") fireEvent.mouseUp(document, { clientX: 62, clientY: 62 });
  else fireEvent.keyDown(document, { key: "Escape", code: "Escape" });
  await waitFor(() => expect(screen.queryByTestId("dragged")).toBeNull());
}

// jsdom has no such function at all; nothing lies under any point of it.
Object.defineProperty(document, "elementFromPoint", { configurable: true, writable: true, value: () => null });

describe("a drag", () => {
  it("puts marked rows into a group, says what it would do, and is undone", async () => {
    const fake = aGroupedWorld();
    const { user } = await openWindow(fake);
    rowOf("atlas").focus();
    await user.keyboard("{Control>}{/Control}");
    await user.click(rowOf("atlas"));
    await user.keyboard("{Control>}");
    await user.click(rowOf("atlas-zoom"));
    await user.keyboard("{/Control}");
    await drag(rowOf("atlas-zoom"), place("Later"), async () => {
      expect(screen.getByTestId("dragged")).toHaveTextContent("2 workspaces");
      await waitFor(() => expect(screen.getByTestId("dragged")).toHaveTextContent("Goes into Later"));
      // Those who do not see it hear it.
      expect(screen.getAllByRole("status").some((each) => each.textContent?.includes("Goes into Later"))).toBe(true);
    });
    await waitFor(() => expect([fake.rows.get("a")?.group, fake.rows.get("c")?.group]).toEqual(["g2", "g2"]));
    expect(fake.rows.get("b")?.group).toBe("g1");
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect([fake.rows.get("a")?.group, fake.rows.get("c")?.group]).toEqual([null, null]));
  });

  it("is cancelled by Escape, and changes nothing", async () => {
    const fake = aGroupedWorld();
    await openWindow(fake);
    await drag(rowOf("atlas"), place("Later"), () => {}, "escape");
    expect(fake.count("regroup")).toBe(0);
    expect(fake.rows.get("a")?.group).toBeNull();
  });

  it("says why nothing comes of it, and then does nothing", async () => {
    const fake = aGroupedWorld();
    await openWindow(fake);
    await drag(rowOf("atlas-tiles"), place("Release"), () =>
      waitFor(() => expect(screen.getByTestId("dragged")).toHaveTextContent("In Release already")),
    );
    expect(fake.count("regroup")).toBe(0);
  });

  it.each([
    ["Pinned", () => place("Pinned"), "annotateAll"],
    ["a tag", () => place("maps"), "annotateAll"],
  ])("goes onto %s", async (_, onto, method) => {
    const fake = aGroupedWorld();
    await openWindow(fake);
    await drag(rowOf("atlas"), onto());
    await waitFor(() => expect(fake.calls.some((call) => call.method === method)).toBe(true));
  });

  it("onto Trash asks before anything is deleted", async () => {
    const fake = aGroupedWorld();
    const { stores } = await openWindow(fake);
    await drag(rowOf("atlas-zoom"), place("Trash"));
    expect(stores.view.get().dialog).toEqual({ is: "delete", ids: ["c"], again: null });
    expect(fake.count("delete")).toBe(0);
  });

  it("onto another host offers what can be made there, and makes what is chosen", async () => {
    const fake = aGroupedWorld();
    fake.counterpart = { of: "d", branch: "feature/tiles", words: "" };
    fake.branches = [{ id: "refs/remotes/origin/feature/tiles", name: "origin/feature/tiles", remote: true, committedAt: null, checkedOut: false }];
    const { user } = await openWindow(fake);
    await drag(rowOf("atlas-tiles"), screen.getByTestId("host-build-box"));
    const dialog = await screen.findByRole("dialog", { name: "Make on build-box" });
    await user.click(await within(dialog).findByRole("button", { name: "Make" }));
    expect(await within(dialog).findByText("It is there.")).toBeVisible();
    expect(fake.calls.find((call) => call.method === "createWorktree")?.args).toEqual([
      { of: "d", path: "/srv/tide-feature-tiles", checkout: { is: "remote", branch: "feature/tiles", follows: "refs/remotes/origin/feature/tiles" } },
    ]);
    await expectAccessible();
  });

  it("onto another host says of each why it cannot be made there", async () => {
    const fake = aGroupedWorld();
    await openWindow(fake);
    await drag(rowOf("atlas-tiles"), screen.getByTestId("host-build-box"));
    const dialog = await screen.findByRole("dialog", { name: "Make on build-box" });
    expect(await within(dialog).findByText("No repository there has the same origin.")).toBeVisible();
    expect(within(dialog).getByRole("button", { name: "Make" })).toBeDisabled();
  });

  it("orders the rows of a group, and keys do the same", async () => {
    const fake = aGroupedWorld();
    fake.rows.set("e", aRow({ id: "e", host: "h1", root: "r1", name: "second", group: "g1", position: 1 }));
    const { user } = await openWindow(fake);
    await user.click(within(place("Release")).getByRole("button", { name: /^Release/ }));
    await drag(rowOf("second"), rowOf("atlas-tiles"));
    await waitFor(() => expect(fake.rows.get("e")?.position).toBe(0));
    expect(screen.getAllByTestId("workspace").map((each) => each.dataset["name"])).toEqual(["second", "atlas-tiles"]);
    rowOf("second").focus();
    await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await waitFor(() => expect(fake.rows.get("e")?.position).toBe(1));
  });
});

describe("groups", () => {
  it("are made with what goes into them, by keyboard", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    rowOf("atlas").focus();
    await user.keyboard("{Shift>}{ArrowDown}{/Shift}m");
    await screen.findByRole("combobox", { name: "Into which group?" });
    await user.keyboard("Rel{Enter}");
    const dialog = await screen.findByRole("dialog", { name: "New group" });
    expect(dialog).toHaveTextContent("2 workspaces go into it.");
    // What was looked for and is not there is what it is called, unless something else is typed.
    expect(within(dialog).getByRole("textbox", { name: "Name" })).toHaveValue("Rel");
    await user.type(within(dialog).getByRole("textbox", { name: "Name" }), "ease{Enter}");
    await screen.findAllByText("2 workspaces moved into Release");
    expect(within(place("Release")).getByRole("button", { name: /^Release/ })).toHaveTextContent("2");
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(fake.rows.get("a")?.group).toBeNull());
  });

  it("are renamed, put below each other, and dissolved, each with a way back", async () => {
    const fake = aGroupedWorld();
    const { user } = await openWindow(fake);
    const menu = async (group: string, item: string | RegExp) => {
      await user.click(screen.getByRole("button", { name: `Actions for the group ${group}` }));
      await user.click(await screen.findByRole("menuitem", { name: item }));
    };
    await menu("Later", "Move up");
    await waitFor(() => expect(fake.groups.map((group) => group.name)).toEqual(["Later", "Release"]));
    await menu("Later", "Rename…");
    const field = await screen.findByRole("textbox", { name: "Name" });
    await user.clear(field);
    await user.type(field, "Some day{Enter}");
    await waitFor(() => expect(place("Some day")).toBeVisible());
    await menu("Release", "Dissolve…");
    const dialog = await screen.findByRole("alertdialog");
    expect(dialog).toHaveTextContent("1 workspace is in no group then.");
    await user.click(within(dialog).getByRole("button", { name: "Dissolve" }));
    await waitFor(() => expect(fake.rows.get("b")?.group).toBeNull());
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(fake.groups.find((group) => group.id === fake.rows.get("b")?.group)?.name).toBe("Release"));
  });

  it("say what to do while there are none, and one that is empty does too", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    expect(screen.getByText(/^Put together what belongs together/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "New group" }));
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Release{Enter}");
    expect(await screen.findByText(/^Nothing is in this group/)).toBeVisible();
    await expectAccessible();
  });
});

describe("saved views", () => {
  it("keep the place, the search and the layout, and say when they were changed", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(within(place("Unpushed")).getByRole("button"));
    await user.type(screen.getByRole("searchbox"), "atlas");
    await user.click(await screen.findByRole("button", { name: "Save view…" }));
    await user.type(await screen.findByRole("textbox", { name: "Name" }), "Mine{Enter}");
    await waitFor(() => expect(place("Mine")).toBeVisible());
    await user.click(within(place("All")).getByRole("button"));
    expect(screen.getByRole("searchbox")).toHaveValue("");
    await user.click(within(place("Mine")).getByRole("button", { name: "Mine" }));
    expect(screen.getByRole("searchbox")).toHaveValue("atlas");
    expect(screen.getAllByTestId("workspace")).toHaveLength(1);
    expect(screen.getByRole("heading", { level: 1, name: "Mine" })).toBeVisible();
    expect(screen.queryByRole("button", { name: /^Save/ })).toBeNull();
    await user.type(screen.getByRole("searchbox"), " tiles");
    await user.click(await screen.findByRole("button", { name: "Save changes…" }));
    await user.click(await screen.findByRole("button", { name: "Save" }));
    await waitFor(() => expect(fake.views[0]?.definition).toContain("atlas tiles"));
    expect(fake.views).toHaveLength(1);
  });

  it("are removed with a way back", async () => {
    const fake = aWorld();
    fake.views = [{ id: "v", name: "Mine", definition: "{}" }];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Actions for the view Mine" }));
    await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
    await waitFor(() => expect(fake.views).toEqual([]));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(fake.views.map((view) => view.name)).toEqual(["Mine"]));
  });

  it("that cannot be read show everything", async () => {
    const fake = aWorld();
    fake.views = [{ id: "v", name: "Odd", definition: '{"place":{"is":"moon"},"query":7}' }];
    const { user } = await openWindow(fake);
    await user.click(within(place("Odd")).getByRole("button", { name: "Odd" }));
    expect(screen.getAllByTestId("workspace")).toHaveLength(4);
  });
});

describe("the command palette", () => {
  it("runs an action by a few letters", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.keyboard("{Control>}k{/Control}");
    await user.keyboard("sync n{Enter}");
    await waitFor(() => expect(fake.count("syncNow")).toBe(1));
    expect(openDialogs()).toHaveLength(0);
  });

  it("goes to any workspace, wherever the list is", async () => {
    const { user, stores } = await openWindow(aWorld());
    await user.click(within(place("Dirty")).getByRole("button"));
    await user.keyboard("{Control>}k{/Control}");
    await user.keyboard("tid{Enter}");
    await waitFor(() => expect(stores.view.get().selected).toBe("d"));
    expect(rowOf("tide")).toHaveAttribute("aria-selected", "true");
  });

  it("offers what can be done with the marked row, with its keys", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(rowOf("atlas-zoom"));
    await user.keyboard("{Control>}k{/Control}");
    const list = await screen.findByRole("listbox");
    expect(within(list).getByText("With atlas-zoom")).toBeVisible();
    expect(within(list).getByRole("option", { name: /^Delete…/ })).toBeVisible();
    await expectAccessible();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(openDialogs()).toHaveLength(0));
  });

  it("says so when nothing is called like that", async () => {
    const { user } = await openWindow(aWorld());
    await user.keyboard("{Control>}k{/Control}");
    await user.keyboard("qqqqzzzz");
    expect(await screen.findByText("Nothing is called like that.")).toBeVisible();
  });

  it("takes a new tag as it is typed", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    rowOf("atlas").focus();
    await user.keyboard("t");
    await screen.findByRole("combobox", { name: "Which tag?" });
    await user.keyboard("fresh{Enter}");
    await waitFor(() => expect(fake.rows.get("a")?.tags).toEqual(["fresh"]));
  });
});
