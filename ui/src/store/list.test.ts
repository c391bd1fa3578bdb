import { describe, expect, it } from "vitest";
import { aHost, aRoot, aRow } from "../backend/fake";
import type { GroupRow, WorkspaceRow } from "../backend/backend";
import { attention, factsAge, isClean, isDirty, isUnpushed, pathTail } from "./facts";
import { STANDARD, type Layout } from "./layout";
import { countPlaces, EVERYTHING, listLines, ordered, rowIds, type Filter, type Line, type Place } from "./list";
import type { RegistryState } from "./registry";
import { parseQuery } from "./search";
import { ago, span, until } from "./time";

function row(part: Partial<WorkspaceRow> = {}): WorkspaceRow {
  return aRow({ id: "w", host: "h1", root: "r1", ...part });
}

function state(rows: WorkspaceRow[], groups: GroupRow[] = []): RegistryState {
  const hosts = [aHost({ id: "h1", label: "laptop", local: true }), aHost({ id: "h2", label: "build-box" })];
  const roots = [
    aRoot({ id: "r2", host: "h2", path: "/srv/a" }),
    aRoot({ id: "r1", host: "h1", path: "/home/me/z" }),
  ];
  return {
    phase: "ready",
    error: null,
    partial: false,
    trash: 0,
    groups,
    views: [],
    unseen: 0,
    seen: 0,
    preferences: { theme: "system", guardDays: 7, worktreeFolder: "", looks: true, layout: "" },
    groupById: new Map(groups.map((group) => [group.id, group])),
    revision: 1,
    hosts,
    roots,
    hostById: new Map(hosts.map((host) => [host.id, host])),
    rootById: new Map(roots.map((root) => [root.id, root])),
    rows: new Map(rows.map((each) => [each.id, each])),
  };
}

const NOW = Date.parse("2026-12-03T12:00:00Z");

function linesOf(
  all: RegistryState,
  part: { place?: Place; query?: string; closed?: string[]; layout?: Partial<Layout>; texts?: Record<string, string[]> } = {},
): readonly Line[] {
  const layout = { ...STANDARD, ...part.layout };
  const texts = new Map(Object.entries(part.texts ?? {}).map(([word, ids]) => [word, new Set(ids)]));
  const search = { query: parseQuery(part.query ?? ""), texts, now: NOW };
  const rows = ordered([...all.rows.values()], layout.order, all);
  return listLines(rows, all, part.place ?? EVERYTHING, search, layout, new Set(part.closed));
}

function idsIn(rows: WorkspaceRow[], filter: Filter, query = "") {
  return rowIds(linesOf(state(rows), { place: { is: "filter", filter }, query })).toSorted();
}

/** What the lines are, in words: headings by their names, rows by their ids, each with its level. */
function outline(lines: readonly Line[]): string[] {
  return lines.map((line) => {
    if (line.is === "row") return `${line.level} ${line.row.id}`;
    const { heading } = line;
    const name = heading.is === "root" ? heading.root.name : heading.is === "host" ? heading.host.label : (heading.group?.name ?? "none");
    return `${line.level} # ${name} ${line.shown}`;
  });
}

const EDITS = { staged: 0, unstaged: 1, untracked: 0, conflicted: 0 };

describe("facts", () => {
  it("i13_unknown_changes_are_neither_dirty_nor_clean", () => {
    const unknown = row({ changes: null });
    expect(isDirty(unknown)).toBe("unknown");
    expect(isClean(unknown)).toBe(false);
  });

  it("i13_unknown_commits_are_neither_unpushed_nor_clean", () => {
    const unknown = row({ unpushed: { is: "unknown" } });
    expect(isUnpushed(unknown)).toBe("unknown");
    expect(isClean(unknown)).toBe(false);
  });

  it("i13_facts_that_could_not_be_told_again_are_not_clean", () => {
    expect(isClean(row())).toBe(true);
    expect(isClean(row({ factsUnknown: true }))).toBe(false);
    expect(isClean(row({ presence: "missing" }))).toBe(false);
  });

  it("a repository without a remote is unpushed, unless it has no commit", () => {
    expect(isUnpushed(row({ unpushed: { is: "noRemote" } }))).toBe("yes");
    expect(isUnpushed(row({ unpushed: { is: "noRemote" }, head: "unborn" }))).toBe("no");
    expect(isClean(row({ unpushed: { is: "noRemote" } }))).toBe(false);
  });

  it("attention is asked for what only a person can settle", () => {
    expect(attention(row())).toEqual([]);
    expect(attention(row({ changes: EDITS, unpushed: { is: "commits", count: 9 } }))).toEqual([]);
    expect(attention(row({ presence: "away", locked: true }))).toEqual([]);
    expect(attention(row({ presence: "missing", operation: "cherryPick" }))).toEqual(["missing", "cherry-pick"]);
  });

  it("facts are stale when their row lags, their root failed or their host does not answer", () => {
    const root = aRoot({ id: "r1", host: "h1" });
    const host = aHost({ id: "h1" });
    expect(factsAge(row(), root, host)).toEqual({ at: root.factsAt, stale: false });
    expect(factsAge(row({ factsAsOf: "2026-01-01T00:00:00Z" }), root, host)).toEqual({
      at: "2026-01-01T00:00:00Z",
      stale: true,
    });
    expect(factsAge(row(), root, { ...host, state: { is: "suspended" } }).stale).toBe(true);
    expect(factsAge(row(), undefined, undefined)).toEqual({ at: null, stale: true });
  });

  it("the tail of a path says what its root does not", () => {
    const root = aRoot({ id: "r1", host: "h1", path: "/src/atlas" });
    expect(pathTail(row({ path: "/src/atlas" }), root)).toBe("");
    expect(pathTail(row({ path: "/src/atlas/wt/x" }), root)).toBe("wt/x");
    expect(pathTail(row({ path: "/src/atlas-x" }), root)).toBe("atlas-x");
    expect(pathTail(row({ path: "/elsewhere/x" }), root)).toBe("/elsewhere/x");
  });
});

describe("places", () => {
  const rows = [
    row({ id: "clean" }),
    row({ id: "dirty", changes: EDITS }),
    row({ id: "ahead", unpushed: { is: "commits", count: 2 } }),
    row({ id: "dark", changes: null, unpushed: { is: "unknown" } }),
    row({ id: "gone", presence: "missing", pinned: true }),
    row({ id: "hidden", untracked: true, changes: EDITS, pinned: true, tags: ["t"] }),
    row({ id: "far", host: "h2", root: "r2", tags: ["t", "u"] }),
  ];

  it("each filter shows what it says and nothing that is hidden", () => {
    expect(idsIn(rows, "all")).toEqual(["ahead", "clean", "dark", "dirty", "far", "gone"]);
    expect(idsIn(rows, "dirty")).toEqual(["dirty"]);
    expect(idsIn(rows, "unpushed")).toEqual(["ahead"]);
    expect(idsIn(rows, "missing")).toEqual(["gone"]);
    expect(idsIn(rows, "attention")).toEqual(["gone"]);
    expect(idsIn(rows, "pinned")).toEqual(["gone"]);
    expect(idsIn(rows, "hidden")).toEqual(["hidden"]);
  });

  it("i13_counts_say_of_how_many_nobody_can_tell", () => {
    const counts = countPlaces(rows, new Map());
    expect(counts.filters.dirty).toEqual({ count: 1, unknown: 1 });
    expect(counts.filters.unpushed).toEqual({ count: 1, unknown: 1 });
    expect(counts.filters.all).toEqual({ count: 6, unknown: 0 });
    expect(counts.hosts.get("h1")).toBe(5);
    expect(counts.tags).toEqual([
      ["t", 1],
      ["u", 1],
    ]);
  });

  it("a search looks at names, branches, paths, tags and host labels, each word anywhere", () => {
    const searched = [row({ id: "x", name: "Alpha", branch: "fix/Zoom", path: "/p/q", tags: ["maps"] }), row({ id: "y", host: "h2", root: "r2" })];
    expect(idsIn(searched, "all", "alpha zoom")).toEqual(["x"]);
    expect(idsIn(searched, "all", "MAPS")).toEqual(["x"]);
    expect(idsIn(searched, "all", "p/q")).toEqual(["x"]);
    expect(idsIn(searched, "all", "build-box")).toEqual(["y"]);
    expect(idsIn(searched, "all", "alpha build")).toEqual([]);
  });

  it("roots come in the order of hosts, each with its rows counted and its repository first", () => {
    const lines = linesOf(
      state([row({ id: "b", name: "b10" }), row({ id: "c", name: "b9" }), row({ id: "a", name: "z", kind: "repository" })]),
    );
    expect(outline(lines)).toEqual(["1 # z 3", "2 a", "2 c", "2 b", "1 # a 0"]);
    expect(lines[0]).toMatchObject({ shown: 3, position: 1, of: 2 });
    expect(lines[2]).toMatchObject({ position: 2, of: 3 });
  });

  it("a closed heading keeps its line only", () => {
    expect(linesOf(state(rows), { closed: ["root:r1", "root:r2"] }).map((line) => line.is)).toEqual(["heading", "heading"]);
  });

  it("rows are put together by host, by group or not at all", () => {
    const groups = [
      { id: "g1", name: "Release", parent: null },
      { id: "g2", name: "Later", parent: null },
      { id: "g3", name: "Now", parent: "g1" },
    ];
    const all = state(
      [
        row({ id: "a", group: "g3", position: 1 }),
        row({ id: "b", group: "g3", position: 0 }),
        row({ id: "c", host: "h2", root: "r2", group: "g1" }),
        row({ id: "d" }),
      ],
      groups,
    );
    expect(outline(linesOf(all, { layout: { grouping: "host" } }))).toEqual(["1 # laptop 3", "2 a", "2 b", "2 d", "1 # build-box 1", "2 c"]);
    expect(outline(linesOf(all, { layout: { grouping: "none" } }))).toEqual(["1 a", "1 b", "1 c", "1 d"]);
    // Within a group rows stand as they were put; a group below one comes after its own; what is empty has no line.
    expect(outline(linesOf(all, { layout: { grouping: "group" } }))).toEqual([
      "1 # Release 1",
      "2 c",
      "2 # Now 2",
      "3 b",
      "3 a",
      "1 # none 1",
      "2 d",
    ]);
    expect(outline(linesOf(all, { layout: { grouping: "group" }, closed: ["group:g1"] }))).toEqual(["1 # Release 1", "1 # none 1", "2 d"]);
  });

  it("a group shows its own without a heading, then what is below it", () => {
    const groups = [
      { id: "g1", name: "Release", parent: null },
      { id: "g3", name: "Now", parent: "g1" },
    ];
    const all = state([row({ id: "a", group: "g3" }), row({ id: "c", group: "g1" }), row({ id: "d" })], groups);
    expect(outline(linesOf(all, { place: { is: "group", group: "g1" } }))).toEqual(["1 c", "1 # Now 1", "2 a"]);
    expect(outline(linesOf(all, { place: { is: "group", group: "g3" } }))).toEqual(["1 a"]);
    expect(countPlaces(all.rows.values(), all.groupById).groups).toEqual(
      new Map([
        ["g3", 1],
        ["g1", 2],
      ]),
    );
  });

  it("i13_what_a_column_does_not_know_comes_last_in_either_direction", () => {
    const all = state([row({ id: "a", size: 10 }), row({ id: "b", size: null }), row({ id: "c", size: 900 })]);
    const by = (descending: boolean) =>
      rowIds(linesOf(all, { layout: { grouping: "none", order: { by: "size", descending } } }));
    expect(by(false)).toEqual(["a", "c", "b"]);
    expect(by(true)).toEqual(["c", "a", "b"]);
  });

  it("rows whose root is not known yet are shown all the same", () => {
    expect(idsIn([row({ id: "early", root: "unheard-of" })], "all")).toEqual(["early"]);
  });
});

describe("ages", () => {
  const now = Date.parse("2026-05-01T12:00:00Z");
  it("are told in their largest unit", () => {
    expect(ago("2026-05-01T11:59:55Z", now)).toBe("just now");
    expect(ago("2026-05-01T11:58:00Z", now)).toBe("2 min ago");
    expect(ago("2026-05-01T09:00:00Z", now)).toBe("3 h ago");
    expect(ago("2026-04-20T12:00:00Z", now)).toBe("11 d ago");
    expect(span(100 * 86_400)).toBe("3 mo");
    expect(span(900 * 86_400)).toBe("2 y");
  });
  it("never lie in the future", () => {
    expect(ago("2026-05-01T13:00:00Z", now)).toBe("just now");
    expect(until("2026-05-01T11:00:00Z", now)).toBe("now");
    expect(until("2026-05-01T12:00:30Z", now)).toBe("in 30 s");
  });
});
