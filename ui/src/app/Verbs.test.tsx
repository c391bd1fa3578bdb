import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { BranchRow, OnlyHereRow, PlanRow, WorkspaceRef } from "../backend/backend";
import { apiErrorOf, type FakeBackend } from "../backend/fake";
import { aWorld, expectAccessible, openDialogs, openWindow, rowOf } from "../test/window";

function called(fake: FakeBackend, method: string): unknown[][] {
  return fake.calls.filter((call) => call.method === method).map((call) => call.args);
}

const branch = (id: string, part: Partial<BranchRow> = {}): BranchRow => ({
  id,
  name: id.replace(/^refs\/(heads|remotes)\//, ""),
  remote: id.startsWith("refs/remotes/"),
  committedAt: null,
  checkedOut: false,
  ...part,
});

async function chosen(fake: FakeBackend, row: string, menu: string, item: string) {
  const opened = await openWindow(fake);
  await opened.user.click(rowOf(row));
  await opened.user.click(await screen.findByRole("button", { name: menu }));
  await opened.user.click(await screen.findByRole("menuitem", { name: item }));
  return opened;
}

describe("a new worktree", () => {
  function withBranches(): FakeBackend {
    const fake = aWorld();
    fake.branches = [
      branch("refs/remotes/origin/main"),
      branch("refs/remotes/origin/theirs"),
      branch("refs/heads/main", { checkedOut: true }),
      branch("refs/heads/idle"),
    ];
    return fake;
  }

  it("begins at the base and lies beside its repository unless something else is said", async () => {
    const fake = withBranches();
    const { user } = await chosen(fake, "atlas", "Worktree", "New worktree…");
    const dialog = await screen.findByRole("dialog", { name: "New worktree of atlas" });
    const create = within(dialog).getByRole("button", { name: "Create" });
    expect(create).toBeDisabled();
    await user.type(within(dialog).getByLabelText("Branch"), "feature/wind");
    const path = within(dialog).getByLabelText("Path");
    await waitFor(() => expect(path).toHaveValue("/home/me/src/atlas-feature-wind"));
    await expectAccessible();
    await user.click(create);
    await waitFor(() => expect(openDialogs()).toHaveLength(0));
    expect(called(fake, "createWorktree")).toEqual([
      [
        {
          of: "a",
          path: "/home/me/src/atlas-feature-wind",
          checkout: { is: "new", branch: "feature/wind", start: "refs/remotes/origin/main" },
        },
      ],
    ]);
    expect(rowOf("atlas-feature-wind")).toBeInTheDocument();
  });

  it("offers only branches that are free, and remote ones that are not here yet", async () => {
    const fake = withBranches();
    const { user } = await chosen(fake, "atlas", "Worktree", "New worktree…");
    const dialog = await screen.findByRole("dialog", { name: "New worktree of atlas" });
    await user.selectOptions(await within(dialog).findByLabelText("Check out"), "existing");
    const options = () => within(within(dialog).getByLabelText("Branch")).getAllByRole("option").map((each) => each.textContent);
    expect(options()).toEqual(["idle"]);
    await user.selectOptions(within(dialog).getByLabelText("Check out"), "remote");
    expect(options()).toEqual(["origin/theirs"]);
    await user.selectOptions(within(dialog).getByLabelText("Place"), "folder");
    await user.type(within(dialog).getByLabelText("Folder"), "/trees");
    await waitFor(() => expect(within(dialog).getByLabelText("Path")).toHaveValue("/trees/atlas-theirs"));
    await user.click(within(dialog).getByRole("button", { name: "Create" }));
    await waitFor(() => expect(called(fake, "createWorktree")).toHaveLength(1));
    expect(called(fake, "createWorktree")[0]).toEqual([
      { of: "a", path: "/trees/atlas-theirs", checkout: { is: "remote", branch: "theirs", follows: "refs/remotes/origin/theirs" } },
    ]);
  });

  it("does not take a name that a branch has, and shows why its host made none", async () => {
    const fake = withBranches();
    const { user } = await chosen(fake, "atlas", "Worktree", "New worktree…");
    const dialog = await screen.findByRole("dialog", { name: "New worktree of atlas" });
    const name = await within(dialog).findByLabelText("Branch");
    await user.type(name, "idle");
    expect(dialog).toHaveTextContent("There is such a branch already.");
    expect(within(dialog).getByRole("button", { name: "Create" })).toBeDisabled();
    await user.type(name, "2");
    fake.failNext("createWorktree", apiErrorOf("deletion_pending", "What is there is to be deleted.", ["Take it back."]));
    await waitFor(() => expect(within(dialog).getByRole("button", { name: "Create" })).toBeEnabled());
    await user.click(within(dialog).getByRole("button", { name: "Create" }));
    expect(await within(dialog).findByText("What is there is to be deleted.")).toBeInTheDocument();
    expect(openDialogs()).toHaveLength(1);
  });
});

describe("one worktree", () => {
  it("is locked with a reason, moved, and unlocked", async () => {
    const fake = aWorld();
    const { user } = await chosen(fake, "atlas-zoom", "Worktree", "Lock…");
    const dialog = await screen.findByRole("dialog", { name: "Lock atlas-zoom" });
    await user.type(within(dialog).getByLabelText("Reason"), "on a stick");
    await expectAccessible();
    await user.click(within(dialog).getByRole("button", { name: "Lock" }));
    await waitFor(() => expect(called(fake, "lock")).toEqual([["c", "on a stick"]]));
    await user.click(screen.getByRole("button", { name: "Worktree" }));
    expect(await screen.findByRole("menuitem", { name: "Move…" })).toHaveAttribute("aria-disabled", "true");
    await user.click(screen.getByRole("menuitem", { name: "Unlock" }));
    await waitFor(() => expect(called(fake, "unlock")).toEqual([["c"]]));
    await user.click(screen.getByRole("button", { name: "Worktree" }));
    await user.click(await screen.findByRole("menuitem", { name: "Move…" }));
    const move = await screen.findByRole("dialog", { name: "Move atlas-zoom" });
    const path = within(move).getByLabelText("New path on laptop");
    expect(within(move).getByRole("button", { name: "Move" })).toBeDisabled();
    await user.clear(path);
    await user.type(path, "/elsewhere");
    await user.click(within(move).getByRole("button", { name: "Move" }));
    await waitFor(() => expect(called(fake, "moveWorkspace")).toEqual([["c", "/elsewhere"]]));
  });

  it("ra38_whose_folder_is_gone_is_repaired_or_its_record_removed", async () => {
    const fake = aWorld();
    const row = fake.rows.get("c");
    if (row !== undefined) fake.rows.set("c", { ...row, presence: "prunable" });
    const { user } = await chosen(fake, "atlas-zoom", "Worktree", "Prune this record…");
    const dialog = await screen.findByRole("alertdialog", { name: "Remove git's record of atlas-zoom?" });
    expect(dialog).toHaveTextContent("repair it instead");
    await user.click(within(dialog).getByRole("button", { name: "Remove the record" }));
    await waitFor(() => expect(called(fake, "prune")).toEqual([["c"]]));
    await user.click(screen.getByRole("button", { name: "Worktree" }));
    await user.click(await screen.findByRole("menuitem", { name: "Repair…" }));
    const repair = await screen.findByRole("dialog", { name: "Repair atlas-zoom" });
    await user.click(within(repair).getByRole("button", { name: "Repair" }));
    await waitFor(() => expect(called(fake, "repair")).toHaveLength(1));
  });

  it("is opened with what is there, and its path is copied as a shell takes it", async () => {
    const fake = aWorld();
    fake.offered = {
      openers: [{ id: "code", label: "VS Code" }],
      path: "'/srv/a b'",
      ssh: "ssh -t -- box 'cd …'",
      branch: "fix/zoom",
      page: "https://example.org/atlas",
    };
    const { user } = await chosen(fake, "atlas-zoom", "Open", "VS Code");
    expect(called(fake, "openWith")).toEqual([["c", "code"]]);
    await user.click(screen.getByRole("button", { name: "Open" }));
    await user.click(await screen.findByRole("menuitem", { name: "Copy path" }));
    expect(await navigator.clipboard.readText()).toBe("'/srv/a b'");
    await user.click(screen.getByRole("button", { name: "Open" }));
    await user.click(await screen.findByRole("menuitem", { name: "Web page" }));
    expect(called(fake, "openPage")).toEqual([["c"]]);
  });

  it("has its repository fetch, and what did not work comes first", async () => {
    const fake = aWorld();
    fake.fetched = [
      { id: "a", name: "atlas", hostLabel: "laptop", error: null },
      { id: "d", name: "tide", hostLabel: "build-box", error: apiErrorOf("command_failed", "The remote does not answer.") },
    ];
    await chosen(fake, "atlas-zoom", "Worktree", "Fetch");
    const dialog = await screen.findByRole("dialog", { name: "Fetch" });
    expect(await within(dialog).findByText("1 of 2 fetched; 1 did not work.")).toBeInTheDocument();
    expect(within(dialog).getAllByRole("listitem").map((each) => each.textContent)).toEqual([
      "tide on build-boxThe remote does not answer.",
      "atlas on laptop",
    ]);
    await expectAccessible();
  });
});

describe("cleaning up", () => {
  function planned(): FakeBackend {
    const fake = aWorld();
    const row = (id: WorkspaceRef, part: Partial<PlanRow>): FakeBackend["planned"][number] => ({
      id,
      standing: "safe",
      reason: "Clean, and every commit is on a remote.",
      usedAt: new Date(Date.now() - 30 * 86_400_000).toISOString(),
      kilobytes: null,
      ...part,
    });
    fake.planned = [
      row("b", { standing: "suggested", reason: "Merged into `main` as one commit.", kilobytes: 20_480 }),
      row("d", {}),
      row("c", { standing: "nearly", reason: "1 file or folder that git does not know." }),
    ];
    fake.plan = { young: 2, unchecked: ["c"] };
    return fake;
  }

  async function opened(fake: FakeBackend) {
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: "Clean up…" }));
    return { user, dialog: await screen.findByRole("dialog", { name: "Clean up" }) };
  }

  it("c18_ticks_only_what_is_suggested_and_says_what_is_left_out", async () => {
    const fake = planned();
    const { user, dialog } = await opened(fake);
    const remove = await within(dialog).findByRole("button", { name: "Delete 1, 20 MiB" });
    expect(dialog).toHaveTextContent("2 workspaces used since, or of unknown age, left out.");
    expect(within(dialog).getAllByRole("checkbox").map((each) => (each as HTMLInputElement).checked)).toEqual([true, false]);
    expect(within(dialog).getByTestId("plan-atlas-zoom")).toHaveTextContent("1 file or folder that git does not know.");
    await expectAccessible();
    await waitFor(() => expect(called(fake, "measureAll")).toHaveLength(1));
    expect(called(fake, "checkDeletions")[0]?.[1]).toEqual(["c"]);
    expect(called(fake, "measureAll")[0]?.[1]).toEqual(["d", "c"]);
    await user.click(remove);
    await waitFor(() => expect(openDialogs()).toHaveLength(0));
    expect(called(fake, "delete")).toEqual([[[{ id: "b", shown: "b unknown", mode: "trash", branch: "keep", unseen: false }]]]);
  });

  it("asks anew for another age, and keeps what was ticked", async () => {
    const fake = planned();
    const { user, dialog } = await opened(fake);
    await user.click(await within(dialog).findByRole("checkbox", { name: /tide/ }));
    await user.selectOptions(within(dialog).getByLabelText("Not used for"), "30");
    await waitFor(() => expect(called(fake, "cleanUp").at(-1)).toEqual([30]));
    expect(await within(dialog).findByRole("button", { name: "Delete 2, 20 MiB" })).toBeEnabled();
  });

  it("says of each that does not answer that it goes later", async () => {
    const fake = planned();
    fake.hosts = fake.hosts.map((host) => (host.id === "h2" ? { ...host, state: { is: "suspended" } } : host));
    const { dialog } = await opened(fake);
    expect(await within(dialog).findByTestId("plan-tide")).toHaveTextContent("goes when build-box is back");
  });
});

describe("only here", () => {
  it("names what is only on a host, looks closer, and is written into a file", async () => {
    const fake = aWorld();
    const row: OnlyHereRow = {
      id: "d",
      kind: "repository",
      name: "tide",
      path: "/srv/tide",
      branch: "trunk",
      items: [{ kind: "loss", words: "2 stashes", names: [] }],
      factsAt: null,
      checkedAt: null,
    };
    fake.only = { rows: [row], elsewhere: 3, unchecked: ["d"], failedRoots: ["/srv/away: its disk is not mounted."] };
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "Only here…" }));
    const dialog = await screen.findByRole("dialog", { name: "Only on build-box" });
    expect(await within(dialog).findByTestId("only-tide")).toHaveTextContent("2 stashes");
    expect(dialog).toHaveTextContent("1 workspace has something, or may have; 3 have nothing.");
    expect(dialog).toHaveTextContent("/srv/away: its disk is not mounted.");
    await expectAccessible();
    await user.click(within(dialog).getByRole("button", { name: "Look closer at all" }));
    await waitFor(() => expect(called(fake, "checkDeletions")[0]?.[1]).toEqual(["d"]));
    await user.click(within(dialog).getByRole("button", { name: "Write to file" }));
    await waitFor(() => expect(called(fake, "exportOnlyHere")).toEqual([["h2", "~/only-on-build-box.md", false]]));
    fake.failNext("exportOnlyHere", apiErrorOf("file_exists", "There is such a file already."));
    await user.click(within(dialog).getByRole("button", { name: "Write to file" }));
    await user.click(await within(dialog).findByRole("button", { name: "Replace it" }));
    await waitFor(() => expect(called(fake, "exportOnlyHere").at(-1)).toEqual(["h2", "~/only-on-build-box.md", true]));
  });
});
