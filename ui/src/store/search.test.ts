import { describe, expect, it } from "vitest";
import { aHost, aRoot, aRow } from "../backend/fake";
import type { WorkspaceRow } from "../backend/backend";
import { found, parseQuery } from "./search";

const NOW = Date.parse("2026-12-03T12:00:00Z");
const NAMES = {
  hostById: new Map([["h1", aHost({ id: "h1", label: "build-box" })]]),
  rootById: new Map([["r1", aRoot({ id: "r1", host: "h1", path: "/srv/atlas" })]]),
  groupById: new Map([["g1", { id: "g1", name: "Release", parent: null }]]),
};

function finds(query: string, part: Partial<WorkspaceRow>, texts: Record<string, string[]> = {}): boolean {
  const row = aRow({ id: "w", host: "h1", root: "r1", name: "tiles", branch: "tiles", path: "/srv/tiles", ...part });
  const notes = new Map(Object.entries(texts).map(([word, ids]) => [word, new Set(ids)]));
  return found([row], parseQuery(query), NAMES, notes, NOW).length === 1;
}

const EDITS = { staged: 0, unstaged: 1, untracked: 0, conflicted: 0 };
const daysAgo = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

describe("a search", () => {
  it.each([
    ["is:dirty", { changes: EDITS }, {}],
    ["IS:Dirty", { changes: EDITS }, {}],
    ["is:unpushed", { unpushed: { is: "commits", count: 2 } }, {}],
    ["is:merged", { merged: "yes" }, { merged: "no" }],
    ["is:locked", { locked: true }, {}],
    ["is:missing", { presence: "missing" }, {}],
    ["is:bare", { kind: "bare" }, {}],
    ["-is:worktree", { kind: "repository" }, {}],
    ["host:build", {}, { host: "h2" }],
    ["tag:maps", { tags: ["Maps"] }, { tags: [] }],
    ['tag:"to review"', { tags: ["to review"] }, { tags: ["to"] }],
    ["group:rel", { group: "g1" }, { group: null }],
    ["branch:feature", { branch: "feature/x" }, { branch: null }],
    ["path:/srv", {}, { path: "/opt/x" }],
    ["older:30d", { activeAt: daysAgo(31) }, { activeAt: daysAgo(29) }],
    ["newer:2w", { activeAt: daysAgo(13) }, { activeAt: daysAgo(15) }],
    ["size:>1g", { size: 1_048_576 }, { size: 1_048_575 }],
    ["size:<200m", { size: 204_799 }, { size: 204_800 }],
  ] as const)("asks by %s", (query, yes, no) => {
    expect(finds(query, yes as Partial<WorkspaceRow>)).toBe(true);
    expect(finds(query, { presence: "present", ...(no as Partial<WorkspaceRow>) })).toBe(false);
  });

  it.each([
    ["is:dirty", { changes: null }],
    ["is:unpushed", { unpushed: { is: "unknown" } }],
    ["is:merged", { merged: "unknown" }],
    ["size:>1g", { size: null }],
    ["older:30d", { activeAt: null, lastCommitAt: null }],
  ] as const)("i13_what_is_unknown_is_found_neither_by_%s_nor_by_its_opposite", (query, part) => {
    expect(finds(query, part as Partial<WorkspaceRow>)).toBe(false);
    expect(finds(`-${query}`, part as Partial<WorkspaceRow>)).toBe(false);
  });

  it("finds words with a mistake in them, in any order and in any script", () => {
    expect(finds("tlies", {})).toBe(true);
    expect(finds("tilex", {})).toBe(true);
    expect(finds("atlas tiles", {})).toBe(true);
    expect(finds("straße", { name: "Hauptstraße" })).toBe(true);
    expect(finds("плитки", { name: "Плитки" })).toBe(true);
    expect(finds("kachel", {})).toBe(false);
  });

  it("forgives no mistake in a short word, where it would be another", () => {
    expect(finds("zom", { name: "zoom", branch: "x", path: "/p" })).toBe(false);
    expect(finds("ines", {})).toBe(false);
  });

  it("finds a word of a note, each word wherever it is", () => {
    const texts = { later: ["w"], tiles: [] };
    expect(finds("later", {}, texts)).toBe(true);
    expect(finds("tiles later", {}, texts)).toBe(true);
    expect(finds("later", {}, { later: ["other"] })).toBe(false);
  });

  it("says what is wrong with a token and asks for the rest", () => {
    expect(parseQuery("is:shiny tiles")).toMatchObject({ words: ["tiles"], tokens: [] });
    expect(parseQuery("is:shiny").trouble).toMatch(/^Nothing can be “shiny”/);
    expect(parseQuery("older:soon").trouble).toMatch(/no length of time/);
    expect(parseQuery("size:big").trouble).toMatch(/no size/);
    // Half a token is still being typed.
    expect(parseQuery("is:")).toEqual({ words: [], tokens: [], trouble: null });
  });

  it("takes what is no token for a word, whatever is typed", () => {
    expect(parseQuery("http://x:80 \\ [ ( * 'a").words).toEqual(["http://x:80", "\\", "[", "(", "*", "'a"]);
    for (const odd of ['"', '""', "-", ":", "is:is:", "((((", "\\p{L}", "^$", "a".repeat(5_000)]) {
      expect(() => finds(odd, {})).not.toThrow();
    }
  });
});
