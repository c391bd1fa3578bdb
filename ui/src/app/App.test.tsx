import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { aHost, aRoot, aRow, apiErrorOf, FakeBackend } from "../backend/fake";
import type { HostState, Reason, RegisterOutcome } from "../backend/backend";
import { aWorld, expectAccessible, openDialogs, openWindow, rowOf, settle } from "../test/window";

const T0 = new Date().toISOString();

function reason(part: Partial<Reason>): Reason {
  return { code: "timed_out", message: "build-box did not answer within 10 s.", hints: ["Is it on?"], key: null, openssh: false, ...part };
}

const KEY = { algorithm: "ssh-ed25519", fingerprint: "SHA256:shown", known: [] as string[], hop: null };

describe("the list", () => {
  it("is a tree grid that tells how many rows there are, at which level and where", async () => {
    await openWindow(aWorld());
    const grid = screen.getByRole("treegrid", { name: "Workspaces" });
    // A header, two roots, four workspaces.
    expect(grid).toHaveAttribute("aria-rowcount", "7");
    const rows = within(grid).getAllByRole("row");
    expect(rows.map((row) => row.getAttribute("aria-rowindex"))).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    expect(rows.map((row) => row.getAttribute("aria-level"))).toEqual([null, "1", "2", "2", "2", "1", "2"]);
    expect(rowOf("atlas-tiles")).toHaveAttribute("aria-posinset", "2");
    expect(rowOf("atlas-tiles")).toHaveAttribute("aria-setsize", "3");
  });

  it("mounts fewer than 150 of 10,000 rows and reaches the last by one key", async () => {
    const fake = aWorld();
    for (let index = 0; index < 10_000; index += 1) {
      const id = `x${String(index).padStart(5, "0")}`;
      fake.rows.set(id, aRow({ id, host: "h1", root: "r1", name: `wt-${String(index).padStart(5, "0")}` }));
    }
    const { user } = await openWindow(fake);
    const grid = screen.getByRole("treegrid");
    expect(grid).toHaveAttribute("aria-rowcount", "10007");
    expect(within(grid).getAllByRole("row").length).toBeLessThan(150);
    await user.click(rowOf("atlas"));
    await user.keyboard("{End}");
    await waitFor(() => expect(document.activeElement).toBe(rowOf("tide")));
    expect(within(grid).getAllByRole("row").length).toBeLessThan(150);
  });

  it("goes by arrows, Home, End, and closes and opens roots", async () => {
    const { user } = await openWindow(aWorld());
    const focused = () => (document.activeElement as HTMLElement).dataset["key"];
    await user.click(rowOf("atlas"));
    expect(focused()).toBe("a");
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(focused()).toBe("b"));
    expect(rowOf("atlas-tiles")).toHaveAttribute("aria-selected", "true");
    await user.keyboard("{ArrowLeft}");
    await waitFor(() => expect(focused()).toBe("root:r1"));
    await user.keyboard("{ArrowLeft}");
    expect(document.activeElement).toHaveAttribute("aria-expanded", "false");
    expect(screen.getAllByTestId("workspace")).toHaveLength(1);
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toHaveAttribute("aria-expanded", "true");
    await user.keyboard("{End}");
    await waitFor(() => expect(focused()).toBe("d"));
    await user.keyboard("{PageUp}");
    await waitFor(() => expect(focused()).toBe("root:r1"));
    await user.keyboard("{PageDown}");
    await waitFor(() => expect(focused()).toBe("d"));
    await user.keyboard("{Home}");
    await waitFor(() => expect(focused()).toBe("root:r1"));
  });

  it("has one stop for the Tab key", async () => {
    await openWindow(aWorld());
    const stops = within(screen.getByRole("treegrid"))
      .getAllByRole("row")
      .filter((row) => row.tabIndex === 0);
    expect(stops).toHaveLength(1);
  });

  it("says what exists only here", async () => {
    await openWindow(aWorld());
    const row = rowOf("atlas-tiles");
    for (const words of ["1 staged.", "2 changed and not staged.", "3 untracked.", "4 commits on no remote."]) {
      expect(within(row).getByText(words)).toBeInTheDocument();
    }
    expect(within(rowOf("atlas-zoom")).getByText("clean")).toBeInTheDocument();
  });

  it("looks into a workspace when that is wanted and says what would be lost", async () => {
    const fake = aWorld();
    fake.look = [
      { name: "Merged", words: "into main, as one commit", names: [], known: true, matters: false },
      { name: "Ignored and precious", words: "1", names: [".env"], known: true, matters: true },
      { name: "In use by", words: "this host has no way to tell", names: [], known: false, matters: false },
    ];
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-tiles"));
    const part = await screen.findByRole("region", { name: "In depth" });
    await user.click(within(part).getByRole("button", { name: "Look closer" }));
    expect(await within(part).findByText("into main, as one commit")).toBeInTheDocument();
    expect(within(part).getByText(".env")).toBeInTheDocument();
    expect(within(part).getByText("unknown: this host has no way to tell")).toBeInTheDocument();
    await expectAccessible();
    // Another workspace has not been looked at.
    await user.click(rowOf("atlas-zoom"));
    const other = await screen.findByRole("region", { name: "In depth" });
    expect(within(other).queryByText(".env")).toBeNull();
  });

  it("shows what was seen in depth the last time, and its age", async () => {
    const fake = aWorld();
    const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const items = [{ name: "Merged", words: "into main, as one commit", names: [], known: true, matters: false }];
    fake.inspected.set("b", { depth: { at, items }, size: { at, words: "5 GiB" }, merged: "into main, as one commit" });
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-tiles"));
    const part = await screen.findByRole("region", { name: "In depth" });
    expect(within(part).getByText("looked 3 h ago")).toBeInTheDocument();
    expect(within(part).getByText(/5 GiB/)).toBeInTheDocument();
    expect(within(part).getByRole("button", { name: "Look again" })).toBeEnabled();
    const facts = screen.getByRole("region", { name: "Facts" });
    expect(within(facts).getByText("Merged").nextElementSibling).toHaveTextContent("into main, as one commit");
  });

  it("measures with words about how far it is, and gives up when that is wanted", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-tiles"));
    const part = await screen.findByRole("region", { name: "In depth" });
    const release = fake.hold("measure");
    await user.click(within(part).getByRole("button", { name: "Measure" }));
    const job = fake.calls.at(-1)?.args[0] as string;
    act(() => fake.emit("jobProgress", { job: "another", first: 1, second: 999 }));
    expect(within(part).getByRole("status")).toHaveTextContent("Measuring…");
    act(() => fake.emit("jobProgress", { job, first: 20_480, second: 254 }));
    expect(within(part).getByRole("status")).toHaveTextContent("25 %, 20 MiB so far");
    await expectAccessible();
    await user.click(within(part).getByRole("button", { name: "Cancel" }));
    expect(fake.calls.at(-1)).toEqual({ method: "endJob", args: [job] });
    release();
    expect(within(part).queryByText("12 MiB")).toBeNull();
    await user.click(within(part).getByRole("button", { name: "Measure" }));
    expect(await within(part).findByText(/12 MiB/)).toBeInTheDocument();
  });

  it("shows what is in a workspace, and what of that is unknown", async () => {
    const fake = aWorld();
    const at = new Date(Date.now() - 86_400_000).toISOString();
    fake.contents = {
      heading: "Atlas",
      parts: [
        {
          name: "Changed files",
          lines: [{ mark: "renamed", text: "new name", note: "from old name, staged", at: null }],
          more: true,
          unknown: null,
        },
        { name: "On no remote", lines: [{ mark: "9f2c1ab4", text: "Tiles", note: "Ada", at }], more: false, unknown: null },
        { name: "Last commits", lines: [], more: false, unknown: "bad object HEAD" },
      ],
    };
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-tiles"));
    const part = await screen.findByRole("region", { name: "Contents" });
    await user.click(within(part).getByRole("button", { name: "Show" }));
    expect(await within(part).findByText("Atlas")).toBeInTheDocument();
    const changed = within(part).getByRole("list", { name: "Changed files" });
    expect(changed).toHaveTextContent("new namerenamed, from old name, stagedand more");
    expect(within(part).getByRole("list", { name: "On no remote" })).toHaveTextContent("Tiles9f2c1ab4, Ada, 1 d ago");
    expect(within(part).getByText("unknown: bad object HEAD")).toBeInTheDocument();
    await expectAccessible();
  });

  it("searches a folder and registers only what is chosen", async () => {
    const fake = aWorld();
    fake.found = {
      found: [
        { path: "/home/me/code/one", kind: "repository", listed: false },
        { path: "/home/me/code/tree", kind: "worktree", listed: false },
        { path: "/home/me/code/old", kind: "repository", listed: true },
        { path: "/home/me/code/two", kind: "bare", listed: false },
      ],
      unreadable: ["/home/me/code/secret"],
      lookedAt: 37,
    };
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Register…" }));
    await user.type(await screen.findByLabelText("Path"), "~/code");
    await user.click(screen.getByRole("button", { name: "Search in it…" }));
    const dialog = await screen.findByRole("dialog", { name: "Search for repositories" });
    const release = fake.hold("search");
    await user.click(within(dialog).getByRole("button", { name: "Search" }));
    const { args } = fake.calls.at(-1) ?? { args: [] };
    expect(args[1]).toEqual({ host: "h1", folder: "~/code", depth: 4, hidden: false });
    act(() => fake.emit("jobProgress", { job: args[0] as string, first: 12, second: 1 }));
    expect(within(dialog).getByRole("status")).toHaveTextContent("12 folders looked at, 1 repository found");
    release();
    const list = await within(dialog).findByRole("list", { name: "What was found" });
    const boxes = within(list).getAllByRole("checkbox");
    expect(boxes.map((box) => (box as HTMLInputElement).checked)).toEqual([true, false, true]);
    expect(within(dialog).getByText("4 repositories in 37 folders, 1 of them listed already.")).toBeInTheDocument();
    expect(within(dialog).getByText("/home/me/code/secret")).toBeInTheDocument();
    await expectAccessible();
    await user.click(within(list).getByRole("checkbox", { name: /two/ }));
    await user.click(within(dialog).getByRole("button", { name: "Register 1" }));
    expect(await screen.findByText("Registered as a repository.")).toBeInTheDocument();
    const registered = fake.calls.find((call) => call.method === "registerFound");
    expect(registered?.args).toEqual([args[0], [0]]);
  });

  it("gives a search up, and does so when its dialog is closed", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Register…" }));
    await user.type(await screen.findByLabelText("Path"), "/srv");
    await user.click(screen.getByRole("button", { name: "Search in it…" }));
    const dialog = await screen.findByRole("dialog", { name: "Search for repositories" });
    fake.hold("search");
    await user.click(within(dialog).getByRole("button", { name: "Search" }));
    const job = fake.calls.at(-1)?.args[0];
    await user.click(within(dialog).getByRole("button", { name: "Cancel search" }));
    expect(fake.calls.at(-1)).toEqual({ method: "endJob", args: [job] });
    await user.click(within(dialog).getByRole("button", { name: "Search" }));
    const second = fake.calls.at(-1)?.args[0];
    await user.keyboard("{Escape}");
    await waitFor(() => expect(fake.calls.at(-1)).toEqual({ method: "endJob", args: [second] }));
  });

  it("says which branch others are merged into, or leaves that to the repository", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    const open = async () => {
      await user.click(screen.getByRole("button", { name: "Actions for atlas" }));
      await user.click(await screen.findByRole("menuitem", { name: "Base branch…" }));
      return screen.findByRole("dialog", { name: "Base branch" });
    };
    let dialog = await open();
    await user.type(within(dialog).getByLabelText("Branch"), "release/2");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(fake.calls.findLast((call) => call.method === "chooseBase")?.args[1]).toBe("release/2");
    dialog = await open();
    expect(within(dialog).getByLabelText("Branch")).toHaveValue("release/2");
    await user.clear(within(dialog).getByLabelText("Branch"));
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(fake.calls.findLast((call) => call.method === "chooseBase")?.args[1]).toBeNull();
  });

  it("i13_unknown_is_drawn_as_unknown_and_never_as_clean_or_none", async () => {
    const fake = aWorld();
    const unknown = { changes: null, unpushed: { is: "unknown" }, upstream: "unknown", lastCommitAt: null } as const;
    fake.rows.set("u", aRow({ id: "u", host: "h1", root: "r1", name: "dark", ...unknown }));
    fake.rows.set("v", aRow({ id: "v", host: "h1", root: "r1", name: "half", changes: null }));
    const { user } = await openWindow(fake);
    for (const name of ["dark", "half"]) {
      expect(rowOf(name)).not.toHaveTextContent("clean");
      expect(rowOf(name)).toHaveTextContent(/unknown/i);
    }
    expect(within(rowOf("dark")).getByTitle("Unknown what its branch follows")).toHaveTextContent("?");
    await user.click(rowOf("dark"));
    const facts = await screen.findByRole("region", { name: "Facts" });
    for (const name of ["Changes", "Unpushed", "Upstream"]) {
      expect(within(facts).getByText(name).nextElementSibling).toHaveTextContent("unknown");
    }
  });

  it("says presence by word, and the age of facts that are older than they should be", async () => {
    const fake = aWorld();
    for (const [id, presence] of [
      ["p1", "missing"],
      ["p2", "away"],
      ["p3", "prunable"],
      ["p4", "notAsserted"],
    ] as const) {
      fake.rows.set(id, aRow({ id, host: "h1", root: "r1", presence, factsAsOf: new Date(Date.now() - 3 * 86_400_000).toISOString() }));
    }
    await openWindow(fake);
    expect(rowOf("p1")).toHaveTextContent("missing");
    expect(rowOf("p2")).toHaveTextContent("away");
    expect(rowOf("p3")).toHaveTextContent("stale record");
    expect(rowOf("p4")).toHaveTextContent("not asserted");
    expect(rowOf("p1")).toHaveTextContent("3 d");
  });

  it("shows a detached and an unborn HEAD as what they are", async () => {
    const fake = aWorld();
    fake.rows.set("p", aRow({ id: "p", host: "h1", root: "r1", head: "detached", branch: "9f2c1ab4d" }));
    fake.rows.set("q", aRow({ id: "q", host: "h1", root: "r1", head: "unborn", branch: "next" }));
    await openWindow(fake);
    expect(rowOf("p")).toHaveTextContent("detached");
    expect(rowOf("q")).toHaveTextContent("no commits");
  });

  it("shows a root that failed, one that is missing and one not called yet, with or without rows", async () => {
    const fake = aWorld();
    fake.roots = [
      aRoot({ id: "r1", host: "h1", condition: { is: "failed", reason: reason({ message: "git refuses atlas." }) } }),
      aRoot({ id: "r2", host: "h2", condition: { is: "missing", since: T0 } }),
      aRoot({ id: "r3", host: "h2", name: "fresh", condition: { is: "new" }, notes: ["a", "b"] }),
    ];
    await openWindow(fake);
    expect(screen.getByText("git refuses atlas.")).toBeInTheDocument();
    expect(screen.getByRole("row", { name: /r2 on build-box/ })).toHaveTextContent("missing");
    expect(screen.getByRole("row", { name: /fresh on build-box/ })).toHaveTextContent("not called yet");
    expect(screen.getByText("2 unreadable records")).toBeInTheDocument();
  });

  it("filters by place, and finds by search", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(screen.getByRole("button", { name: /^Dirty/ }));
    expect(screen.getAllByTestId("workspace")).toHaveLength(1);
    expect(rowOf("atlas-tiles")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    expect(rowOf("tide")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: /^maps/ }));
    expect(screen.getAllByTestId("workspace")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: /^All/ }));
    await user.keyboard("/zoom");
    expect(screen.getByRole("searchbox", { name: "Search" })).toHaveValue("zoom");
    expect(screen.getAllByTestId("workspace")).toHaveLength(1);
    await user.keyboard("{Escape}");
    expect(screen.getAllByTestId("workspace")).toHaveLength(4);
    await user.keyboard("nothing-like-this");
    await user.click(screen.getByRole("button", { name: "Clear search" }));
    expect(screen.getAllByTestId("workspace")).toHaveLength(4);
  });

  it("follows what roll calls change while it is looked at", async () => {
    const fake = aWorld();
    await openWindow(fake);
    await settle(() => fake.change([aRow({ id: "n", host: "h1", root: "r1", name: "newcomer" })], ["c"]));
    expect(rowOf("newcomer")).toBeInTheDocument();
    expect(screen.queryByText("atlas-zoom")).toBeNull();
  });
});

describe("hosts", () => {
  const states: [string, HostState, RegExp][] = [
    ["answered", { is: "idle" }, /answered 2 min ago/],
    ["calling", { is: "calling", since: T0 }, /calling…/],
    ["unreachable", { is: "waiting", since: T0, until: T0, reason: reason({}) }, /unreachable.*2 min ago.*did not answer/],
    ["in need of a person", { is: "needsYou", since: T0, reason: reason({ message: "Key unknown." }) }, /needs you.*Key unknown/],
    ["suspended", { is: "suspended" }, /suspended/],
  ];
  it.each(states)("says in words that a host is %s", async (_, state, words) => {
    const fake = aWorld();
    fake.hosts = [fake.hosts[0] ?? aHost({ id: "h1" }), aHost({ id: "h2", label: "build-box", state })];
    await openWindow(fake);
    expect(screen.getByRole("button", { name: /^build-box/ })).toHaveTextContent(words);
    await expectAccessible();
  });

  it("that do not answer keep every row, and say why and what to try", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await settle(() =>
      fake.setState("h2", { is: "waiting", since: T0, until: new Date(Date.now() + 90_000).toISOString(), reason: reason({}) }),
    );
    expect(rowOf("tide")).toBeInTheDocument();
    expect(screen.getByTestId("announcements")).toHaveTextContent("build-box is unreachable");
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    const banner = screen.getByRole("region", { name: "State of build-box" });
    expect(banner).toHaveTextContent("Is it on?");
    expect(banner).toHaveTextContent(/Next try in 1 min|Next try in \d+ s/);
    await user.click(within(banner).getByRole("button", { name: "Try again" }));
    expect(fake.calls.at(-1)).toEqual({ method: "syncNow", args: ["h2"] });
  });

  it("are called by button, Ctrl+R and F5, each or all", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Sync now" }));
    await user.keyboard("{F5}");
    await user.keyboard("{Control>}r{/Control}");
    expect(fake.calls.filter((call) => call.method === "syncNow").map((call) => call.args)).toEqual([[null], [null], [null]]);
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "Sync now" }));
    expect(fake.calls.at(-1)).toEqual({ method: "syncNow", args: ["h2"] });
  });

  it("are suspended and resumed", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "Suspend" }));
    await waitFor(() => expect(screen.getByRole("button", { name: /^build-box/ })).toHaveTextContent("suspended"));
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "Resume" }));
    expect(fake.calls.at(-1)).toEqual({ method: "setSuspended", args: ["h2", false] });
  });

  it("are trusted only on consent", async () => {
    const fake = aWorld();
    fake.hosts = [
      aHost({ id: "h1", label: "laptop", local: true }),
      aHost({ id: "h2", label: "build-box", state: { is: "needsYou", since: T0, reason: reason({ code: "host_key_unknown", key: KEY }) } }),
    ];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    await user.click(screen.getByRole("button", { name: "Trust this key…" }));
    const dialog = await screen.findByRole("dialog", { name: "Trust the key of build-box?" });
    expect(dialog).toHaveTextContent("ssh-ed25519");
    expect(dialog).toHaveTextContent("SHA256:shown");
    const trust = within(dialog).getByRole("button", { name: "Trust this key" });
    expect(trust).toBeDisabled();
    await user.click(trust);
    await user.keyboard("{Enter}");
    expect(fake.count("trustHostKey")).toBe(0);
    await expectAccessible();
    await user.click(within(dialog).getByRole("checkbox"));
    await user.click(trust);
    expect(fake.calls.findLast((call) => call.method === "trustHostKey")?.args).toEqual(["h2", "SHA256:shown"]);
    await waitFor(() => expect(openDialogs()).toEqual([]));
  });

  it("i19_a_changed_key_shows_both_fingerprints_and_is_replaced_only_by_name", async () => {
    const fake = aWorld();
    const key = { ...KEY, known: ["SHA256:known"], hop: null };
    fake.hosts = [
      aHost({ id: "h1", label: "laptop", local: true }),
      aHost({ id: "h2", label: "build-box", state: { is: "needsYou", since: T0, reason: reason({ code: "host_key_changed", key }) } }),
    ];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    await user.click(screen.getByRole("button", { name: "Compare keys…" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog).toHaveTextContent("SHA256:known");
    expect(dialog).toHaveTextContent("SHA256:shown");
    expect(within(dialog).queryByRole("button", { name: /trust/i })).toBeNull();
    await expectAccessible();
    // Replacing it is a page of its own, on which the host is named by hand.
    await user.click(within(dialog).getByRole("button", { name: "It was replaced…" }));
    const page = await screen.findByRole("dialog", { name: "Replace the key of build-box" });
    const replace = within(page).getByRole("button", { name: "Replace the key" });
    await user.type(within(page).getByRole("textbox", { name: "Type build-box to go on" }), "build");
    expect(replace).toBeDisabled();
    await user.keyboard("{Enter}");
    expect(fake.count("replaceHostKey")).toBe(0);
    await expectAccessible();
    await user.keyboard("-box{Enter}");
    expect(fake.calls.findLast((call) => call.method === "replaceHostKey")?.args).toEqual([
      "h2",
      "SHA256:shown",
      "build-box",
    ]);
    await waitFor(() => expect(openDialogs()).toEqual([]));
  });

  it("i19_a_revoked_key_cannot_be_replaced", async () => {
    const fake = aWorld();
    fake.hosts = [
      aHost({ id: "h1", label: "laptop", local: true }),
      aHost({ id: "h2", label: "build-box", state: { is: "needsYou", since: T0, reason: reason({ code: "host_key_changed", key: KEY }) } }),
    ];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    await user.click(screen.getByRole("button", { name: "Compare keys…" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog).toHaveTextContent("marked as revoked");
    expect(within(dialog).queryByRole("button", { name: "It was replaced…" })).toBeNull();
    await expectAccessible();
  });

  it("are forgotten only after saying what goes", async () => {
    const fake = aWorld();
    fake.rows.set("d", aRow({ id: "d", host: "h2", root: "r2", name: "tide", noted: true }));
    fake.hosts = fake.hosts.map((host) => (host.id === "h2" ? { ...host, pending: 2 } : host));
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "Forget…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Forget build-box?" });
    expect(dialog).toHaveTextContent("1 root and 1 workspace");
    expect(dialog).toHaveTextContent("1 of them with notes, tags or pins");
    expect(dialog).toHaveTextContent("2 deletions are pending there and will not be carried out");
    expect(dialog).toHaveTextContent("within 90 days");
    await expectAccessible();
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    expect(fake.count("forgetHost")).toBe(0);
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "Forget…" }));
    await user.click(await screen.findByRole("button", { name: "Forget this host" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: /^build-box/ })).toBeNull());
  });

  it("the local one cannot be forgotten", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(screen.getByRole("button", { name: "Actions for laptop" }));
    await screen.findByRole("menuitem", { name: "Sync now" });
    expect(screen.queryByRole("menuitem", { name: "Forget…" })).toBeNull();
  });
});

describe("adding a host", () => {
  const alias = (name: string, added = false) => ({ alias: name, hostName: `${name}.lan`, user: "me", port: null, added });

  it("takes one of the ssh configuration by one press", async () => {
    const fake = aWorld();
    fake.aliases = [alias("build-box", true), alias("pi"), alias("nas")];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Add host…" }));
    const dialog = await screen.findByRole("dialog", { name: "Add a host" });
    const list = await within(dialog).findByRole("list", { name: "Hosts of the ssh configuration" });
    expect(within(list).getByText("Added")).toBeInTheDocument();
    await expectAccessible();
    await user.type(within(dialog).getByRole("textbox", { name: /Filter/ }), "na");
    expect(within(list).queryByText("pi")).toBeNull();
    await user.click(within(list).getByRole("button", { name: "Add nas" }));
    expect(fake.calls.findLast((call) => call.method === "addHost")?.args).toEqual([
      { label: "nas", destination: "nas", user: null, port: null, identityFile: null, transport: "automatic", every: null },
    ]);
    await waitFor(() => expect(openDialogs()).toEqual([]));
    expect(screen.getByRole("button", { name: /^nas/ })).toHaveTextContent("calling");
    expect(screen.getByText("Nothing on nas is under roll call yet.")).toBeInTheDocument();
  });

  it("by hand keeps what was entered when it is refused, with the reason beside it", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Add host…" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(await within(dialog).findByRole("textbox", { name: "Destination" }), "10.0.0.7");
    await user.type(within(dialog).getByRole("textbox", { name: "Label" }), "build-box");
    await user.type(within(dialog).getByRole("textbox", { name: "Port" }), "99999");
    expect(within(dialog).getByRole("alert")).toHaveTextContent("99999 is no port");
    expect(within(dialog).getByRole("button", { name: "Add host" })).toBeDisabled();
    await user.clear(within(dialog).getByRole("textbox", { name: "Port" }));
    await user.type(within(dialog).getByRole("textbox", { name: "Port" }), "2222");
    await user.click(within(dialog).getByRole("button", { name: "Add host" }));
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("There is a host called build-box already.");
    expect(within(dialog).getByRole("textbox", { name: "Destination" })).toHaveValue("10.0.0.7");
    expect(within(dialog).getByRole("textbox", { name: "Label" })).toBeInvalid();
    await expectAccessible();
    await user.clear(within(dialog).getByRole("textbox", { name: "Label" }));
    await user.type(within(dialog).getByRole("textbox", { name: "Label" }), "ci");
    await user.click(within(dialog).getByRole("button", { name: "Add host" }));
    expect(fake.calls.findLast((call) => call.method === "addHost")?.args).toEqual([
      { label: "ci", destination: "10.0.0.7", user: null, port: 2222, identityFile: null, transport: "automatic", every: null },
    ]);
  });
});

describe("registering", () => {
  async function open(fake: FakeBackend) {
    const opened = await openWindow(fake);
    await opened.user.click(screen.getByRole("button", { name: "Register…" }));
    const dialog = await screen.findByRole("dialog", { name: "Register a folder" });
    return { ...opened, dialog, path: within(dialog).getByRole("textbox", { name: "Path" }) };
  }

  it("says what is wrong at the field and keeps what was typed", async () => {
    const fake = aWorld();
    fake.failNext("register", apiErrorOf("path_not_found", "/srv/nowhere does not exist on build-box.", ["Check the spelling."]));
    const { user, dialog, path } = await open(fake);
    await user.selectOptions(within(dialog).getByRole("combobox", { name: "Host" }), "build-box");
    expect(within(dialog).queryByRole("button", { name: "Choose folder…" })).toBeNull();
    await user.type(path, "/srv/nowhere{Enter}");
    const alert = await within(dialog).findByRole("alert");
    expect(alert).toHaveTextContent("/srv/nowhere does not exist on build-box.");
    expect(alert).toHaveTextContent("Check the spelling.");
    expect(path).toHaveValue("/srv/nowhere");
    expect(path).toBeInvalid();
    expect(path).toHaveAccessibleDescription(/does not exist/);
    await expectAccessible();
    await user.type(path, "2");
    await user.click(within(dialog).getByRole("button", { name: "Register" }));
    await waitFor(() => expect(openDialogs()).toEqual([]));
    expect(fake.calls.findLast((call) => call.method === "register")?.args).toEqual(["h2", "/srv/nowhere2"]);
    expect(rowOf("nowhere2")).toBeInTheDocument();
  });

  it("says plainly that a folder is registered already, and shows it", async () => {
    const fake = aWorld();
    const { user, path, stores } = await open(fake);
    await user.type(path, "/home/me/src/atlas{Enter}");
    expect(await screen.findByRole("dialog", { name: "Already registered" })).toHaveTextContent("atlas is under roll call already");
    expect(stores.view.get()).toMatchObject({ place: { is: "host", host: "h1" }, focus: "root:r1" });
    await expectAccessible();
  });

  it("offers the repository when the folder lies inside one", async () => {
    const fake = aWorld();
    const standard = fake.onRegister;
    fake.onRegister = (host, path) => {
      const outcome = standard(host, path);
      return path.endsWith("/docs") && !("code" in outcome) ? { ...outcome, inside: "/srv/big" } : outcome;
    };
    const { user, path } = await open(fake);
    await user.type(path, "/srv/big/docs{Enter}");
    const dialog = await screen.findByRole("dialog", { name: "Registered as a plain directory" });
    expect(dialog).toHaveTextContent("It is a folder inside the repository /srv/big.");
    await user.click(within(dialog).getByRole("button", { name: "Register the repository instead" }));
    await waitFor(() => expect(openDialogs()).toEqual([]));
    expect(fake.roots.map((root) => root.path)).toContain("/srv/big");
    expect(fake.roots.map((root) => root.path)).not.toContain("/srv/big/docs");
  });

  it("takes folders of the chooser, and nothing when it was cancelled", async () => {
    const fake = aWorld();
    const { user, dialog } = await open(fake);
    await user.click(within(dialog).getByRole("button", { name: "Choose folder…" }));
    expect(screen.getByRole("dialog", { name: "Register a folder" })).toBeInTheDocument();
    fake.chosen = [
      { path: "/a", registered: { root: aRoot({ id: "n", host: "h1", path: "/a" }), already: false, inside: null }, error: null },
      { path: "/b", registered: null, error: apiErrorOf("permission_denied", "/b may not be read.") },
    ];
    await user.click(within(dialog).getByRole("button", { name: "Choose folder…" }));
    expect(await screen.findByRole("list", { name: "What came of each folder" })).toHaveTextContent("/b may not be read.");
  });

  const outcome = (path: string, error: string | null): RegisterOutcome => ({
    path,
    registered: error === null ? { root: aRoot({ id: path, host: "h1", path }), already: false, inside: null } : null,
    error: error === null ? null : apiErrorOf("not_a_folder", error),
  });

  it("invites drops while folders hover, and answers each that was dropped", async () => {
    const fake = aWorld();
    await openWindow(fake);
    await settle(() => fake.emit("dragHover", true));
    expect(screen.getByText("Drop folders to register them")).toBeInTheDocument();
    await expectAccessible();
    await settle(() =>
      fake.emit("notice", { is: "dropped", about: [outcome("/a", null), outcome("/b.txt", "/b.txt is a file."), outcome("/c", null)] }),
    );
    expect(screen.queryByText("Drop folders to register them")).toBeNull();
    const list = await screen.findByRole("list", { name: "What came of each folder" });
    expect(within(list).getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "/aRegistered as a repository.",
      "/b.txt/b.txt is a file.",
      "/cRegistered as a repository.",
    ]);
    await expectAccessible();
  });

  it("answers a drop that worked in passing", async () => {
    const fake = aWorld();
    await openWindow(fake);
    await settle(() => fake.emit("notice", { is: "dropped", about: [outcome("/x/one", null)] }));
    expect(await screen.findByText("one is registered")).toBeInTheDocument();
    expect(screen.queryByRole("dialog", { name: /Folders|Nothing|Some/ })).toBeNull();
  });

  it("ends with a release, which asks once more before notes go", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Actions for atlas" }));
    await user.click(await screen.findByRole("menuitem", { name: "Release…" }));
    expect(await screen.findByRole("alertdialog", { name: "Release atlas?" })).toHaveTextContent("its 3 workspaces");
    await user.click(screen.getByRole("button", { name: "Release" }));
    const again = await screen.findByRole("alertdialog", { name: "Lose what you wrote?" });
    expect(again).toHaveTextContent("1 of its workspaces carry notes, tags or pins.");
    expect(fake.roots).toHaveLength(2);
    await expectAccessible();
    await user.click(within(again).getByRole("button", { name: "Release and discard notes" }));
    await waitFor(() => expect(fake.roots).toHaveLength(1));
    expect(fake.calls.filter((call) => call.method === "releaseRoot").map((call) => call.args)).toEqual([
      ["r1", false],
      ["r1", true],
    ]);
  });
});

describe("the inspector", () => {
  it("saves a note when the field is left", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    await user.type(await screen.findByRole("textbox", { name: "Note" }), "ask Noor");
    await user.click(screen.getByRole("searchbox"));
    expect(fake.notes.get("c")).toBe("ask Noor");
    expect(await screen.findByText("Saved")).toBeInTheDocument();
    await waitFor(() => expect(within(rowOf("atlas-zoom")).getByTitle("Has a note")).toBeInTheDocument());
  });

  it("loses nothing typed when another row is chosen at once", async () => {
    const fake = aWorld();
    const { user, stores } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    await user.type(await screen.findByRole("textbox", { name: "Note" }), "first");
    // As an event may do it: no field is left, the row just changes.
    act(() => stores.view.set({ selected: "b" }));
    // At once: waiting for the pause would let a window that closes now lose it.
    expect(fake.calls.findLast((call) => call.method === "annotate")?.args).toEqual(["c", { note: "first" }]);
    await user.type(await screen.findByRole("textbox", { name: "Note" }), "second");
    act(() => stores.view.set({ inspector: false }));
    expect(fake.calls.findLast((call) => call.method === "annotate")?.args).toEqual(["b", { note: "second" }]);
    await waitFor(() => expect(fake.notes.get("b")).toBe("second"));
    expect(fake.notes.get("c")).toBe("first");
  });

  it("loses nothing typed when the window goes away", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    await user.type(await screen.findByRole("textbox", { name: "Note" }), "going");
    window.dispatchEvent(new Event("pagehide"));
    expect(fake.calls.findLast((call) => call.method === "annotate")?.args).toEqual(["c", { note: "going" }]);
  });

  it("keeps a note that could not be saved, and saves it on request", async () => {
    const fake = aWorld();
    fake.failNext("annotate", apiErrorOf("registry_unavailable", "The disk is full."));
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    await user.type(await screen.findByRole("textbox", { name: "Note" }), "precious");
    await user.tab();
    expect(await screen.findByText("Not saved")).toBeInTheDocument();
    await user.click(rowOf("atlas-tiles"));
    await user.click(rowOf("atlas-zoom"));
    expect(await screen.findByRole("textbox", { name: "Note" })).toHaveValue("precious");
    await waitFor(() => expect(fake.notes.get("c")).toBe("precious"));
  });

  it("is not disturbed while typing by what roll calls change", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    const note = await screen.findByRole("textbox", { name: "Note" });
    await user.type(note, "half a thou");
    await settle(() => fake.change([aRow({ id: "c", host: "h1", root: "r1", name: "atlas-zoom", ahead: 3 })]));
    expect(note).toHaveFocus();
    expect(note).toHaveValue("half a thou");
    await user.type(note, "ght");
    await user.tab();
    expect(fake.notes.get("c")).toBe("half a thought");
  });

  it("adds and removes tags, and takes a half-typed one when left", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-tiles"));
    const field = await screen.findByRole("combobox", { name: "Add a tag" });
    await user.type(field, "review{Enter}maps{Enter}wip,");
    expect(fake.rows.get("b")?.tags).toEqual(["maps", "review", "wip"]);
    await user.click(screen.getByRole("button", { name: "Remove tag maps" }));
    await waitFor(() => expect(fake.rows.get("b")?.tags).toEqual(["review", "wip"]));
    await user.type(field, "half");
    await user.click(screen.getByRole("searchbox"));
    await waitFor(() => expect(fake.rows.get("b")?.tags).toEqual(["review", "wip", "half"]));
    await user.type(field, "{Backspace}");
    await waitFor(() => expect(fake.rows.get("b")?.tags).toEqual(["review", "wip"]));
  });

  it("pins and names", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    await user.click(await screen.findByRole("button", { name: "Pin" }));
    expect(await screen.findByRole("button", { name: "Unpin" })).toHaveAttribute("aria-pressed", "true");
    expect(fake.rows.get("c")?.pinned).toBe(true);
    await user.type(await screen.findByRole("textbox", { name: "Display name" }), "Zoom fix{Enter}");
    await waitFor(() => expect(rowOf("Zoom fix")).toBeInTheDocument());
  });

  it("untracks with a way back", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    await user.click(await screen.findByRole("button", { name: "Untrack" }));
    await waitFor(() => expect(screen.getAllByTestId("workspace")).toHaveLength(3));
    expect(screen.getByRole("button", { name: /^Hidden/ })).toHaveTextContent("1");
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(screen.getAllByTestId("workspace")).toHaveLength(4));
    expect(fake.calls.filter((call) => call.method === "retrackAll").map((call) => call.args)).toEqual([[["c"]]]);
  });

  it("shows a hidden workspace again from its place", async () => {
    const fake = aWorld();
    fake.rows.set("c", aRow({ id: "c", host: "h1", root: "r1", name: "atlas-zoom", untracked: true }));
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^Hidden/ }));
    await user.click(rowOf("atlas-zoom"));
    await user.click(await screen.findByRole("button", { name: "Show again" }));
    await waitFor(() => expect(fake.rows.get("c")?.untracked).toBe(false));
  });

  it("tells why facts are unknown, why it is locked and what happened to it", async () => {
    const fake = aWorld();
    fake.rows.set("c", aRow({ id: "c", host: "h1", root: "r1", name: "atlas-zoom", presence: "missing", locked: true }));
    fake.inspected.set("c", { unknown: ["Changes: a filter would run"], lockReason: "on the field drive", missingSince: T0, recreated: true });
    fake.note("rollCall", "atlas-zoom went missing.", "h1", "c");
    fake.note("person", "build-box was added.", "h2", null);
    const { user } = await openWindow(fake);
    await user.click(rowOf("atlas-zoom"));
    const inspector = screen.getByRole("complementary", { name: "Inspector" });
    for (const words of ["Changes: a filter would run", "on the field drive", "says it is gone", "made anew", "atlas-zoom went missing."]) {
      await waitFor(() => expect(inspector).toHaveTextContent(words));
    }
    expect(inspector).not.toHaveTextContent("build-box was added.");
    await expectAccessible();
  });

  it("is reached from the list by Enter", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(rowOf("atlas-zoom"));
    await screen.findByRole("textbox", { name: "Note" });
    await user.keyboard("{Enter}");
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Note" })).toHaveFocus());
  });
});

describe("the window", () => {
  it("welcomes on the first run and offers the hosts of the ssh configuration", async () => {
    const fake = new FakeBackend();
    fake.hosts = [aHost({ id: "h1", label: "laptop", local: true })];
    fake.aliases = [{ alias: "pi", hostName: "pi.lan", user: null, port: null, added: false }];
    const { user } = await openWindow(fake);
    const welcome = screen.getByRole("main", { name: "Welcome" });
    expect(welcome).toHaveTextContent("laptop");
    expect(welcome).toHaveTextContent("drop folders");
    await user.click(await within(welcome).findByRole("button", { name: "Add pi" }));
    expect(fake.count("addHost")).toBe(1);
    await expectAccessible();
    await user.click(within(within(welcome).getByRole("region", { name: "This machine" })).getByRole("button", { name: "Register a folder…" }));
    await user.type(await screen.findByRole("textbox", { name: "Path" }), "~/src/one{Enter}");
    await waitFor(() => expect(rowOf("one")).toBeInTheDocument());
  });

  it("says why nothing can be shown, and tries again", async () => {
    const fake = aWorld();
    fake.failNext("overview", apiErrorOf("registry_newer", "The registry was made by a newer version.", ["Start the newer one."]));
    const { user } = await openWindow(fake);
    expect(screen.getByRole("alert")).toHaveTextContent("The registry was made by a newer version.");
    expect(screen.getByRole("alert")).toHaveTextContent("Start the newer one.");
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("treegrid")).toBeInTheDocument();
  });

  it("tells of trouble that nobody asked about", async () => {
    const fake = aWorld();
    await openWindow(fake);
    await settle(() => fake.emit("notice", { is: "trouble", about: apiErrorOf("registry_unavailable", "The disk is full.", ["Free some space."]) }));
    expect(await screen.findAllByText("The disk is full.")).not.toHaveLength(0);
  });

  it("announces that a host answered, and what a search found", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await settle(() => fake.setState("h2", { is: "calling", since: T0 }));
    await settle(() => fake.setState("h2", { is: "idle" }));
    expect(screen.getByTestId("announcements")).toHaveTextContent("build-box answered.");
    await user.type(screen.getByRole("searchbox"), "atlas");
    await waitFor(() => expect(screen.getByTestId("announcements")).toHaveTextContent("3 workspaces found."));
  });

  it("has nothing that axe finds wrong, with a row chosen and with a menu open", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(rowOf("atlas-tiles"));
    await screen.findByRole("region", { name: "Facts" });
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Actions for laptop" }));
    expect(await screen.findByRole("menuitem", { name: "Suspend" })).toBeInTheDocument();
    await expectAccessible();
  });

  it("keeps keys to itself that the web view would take for reload or find", async () => {
    const { user } = await openWindow(aWorld());
    const passed = vi.fn<(event: KeyboardEvent) => boolean>((event) => event.defaultPrevented);
    window.addEventListener("keydown", passed);
    await user.keyboard("{F5}{Control>}r{/Control}{Control>}f{/Control}");
    window.removeEventListener("keydown", passed);
    const results = passed.mock.results.filter((_, index) => passed.mock.calls[index]?.[0].key !== "Control");
    expect(results.map((result) => result.value)).toEqual([true, true, true]);
    expect(screen.getByRole("searchbox")).toHaveFocus();
  });
});

describe("what is typed", () => {
  it("in an open dialog outlives a drop", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Register…" }));
    await user.type(await screen.findByRole("textbox", { name: "Path" }), "~/half");
    await settle(() =>
      fake.emit("notice", { is: "dropped", about: [{ path: "/f", registered: null, error: apiErrorOf("not_a_folder", "/f is a file.") }] }),
    );
    expect(screen.getByRole("textbox", { name: "Path" })).toHaveValue("~/half");
    expect(await screen.findByText("Some dropped folders need a look")).toBeInTheDocument();
  });
});
