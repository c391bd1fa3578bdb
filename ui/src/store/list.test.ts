import { describe, expect, it } from "vitest";
import { aHost, aRoot, aRow } from "../backend/fake";
import type { WorkspaceRow } from "../backend/backend";
import { attention, factsAge, isClean, isDirty, isUnpushed, pathTail } from "./facts";
import { countPlaces, EVERYTHING, listLines, rowIds, type Filter } from "./list";
import type { RegistryState } from "./registry";
import { ago, span, until } from "./time";

function row(part: Partial<WorkspaceRow> = {}): WorkspaceRow {
  return aRow({ id: "w", host: "h1", root: "r1", ...part });
}

function state(rows: WorkspaceRow[]): RegistryState {
  const hosts = [aHost({ id: "h1", label: "laptop", local: true }), aHost({ id: "h2", label: "build-box" })];
  const roots = [
    aRoot({ id: "r2", host: "h2", path: "/srv/a" }),
    aRoot({ id: "r1", host: "h1", path: "/home/me/z" }),
  ];
  return {
    phase: "ready",
    error: null,
    trash: 0,
    revision: 1,
    hosts,
    roots,
    hostById: new Map(hosts.map((host) => [host.id, host])),
    rootById: new Map(roots.map((root) => [root.id, root])),
    rows: new Map(rows.map((each) => [each.id, each])),
  };
}

function idsIn(rows: WorkspaceRow[], filter: Filter, query = "") {
  return rowIds(listLines(state(rows), { is: "filter", filter }, query, new Set())).toSorted();
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
    const counts = countPlaces(rows);
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
    const lines = listLines(
      state([row({ id: "b", name: "b10" }), row({ id: "c", name: "b9" }), row({ id: "a", name: "z", kind: "repository" })]),
      EVERYTHING,
      "",
      new Set(),
    );
    expect(lines.map((line) => (line.is === "root" ? line.root.id : line.row.id))).toEqual(["r1", "a", "c", "b", "r2"]);
    expect(lines[0]).toMatchObject({ shown: 3, position: 1, of: 2 });
    expect(lines[2]).toMatchObject({ position: 2, of: 3 });
  });

  it("a closed root keeps its header only", () => {
    expect(listLines(state(rows), EVERYTHING, "", new Set(["r1", "r2"])).map((line) => line.is)).toEqual(["root", "root"]);
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
