import { describe, expect, it } from "vitest";
import { aHost, aRow } from "../backend/fake";
import type { WorkspaceRow } from "../backend/backend";
import { outcomeOf, type Dragged, type Target } from "./drag";

const GROUPS = [
  { id: "g1", name: "Release", parent: null },
  { id: "g2", name: "Later", parent: null },
  { id: "g3", name: "Now", parent: "g1" },
];
const ROWS: WorkspaceRow[] = [
  aRow({ id: "a", host: "h1", root: "r1", group: "g1", position: 0, tags: ["maps"], pinned: true }),
  aRow({ id: "b", host: "h1", root: "r1", group: "g1", position: 1 }),
  aRow({ id: "c", host: "h1", root: "r1" }),
  aRow({ id: "f", host: "h1", root: "r1", kind: "directory" }),
  aRow({ id: "gone", host: "h1", root: "r1", presence: "missing" }),
];
const STATE = {
  rows: new Map(ROWS.map((row) => [row.id, row])),
  groups: GROUPS,
  groupById: new Map(GROUPS.map((group) => [group.id, group])),
  hostById: new Map([
    ["h1", aHost({ id: "h1", label: "laptop", local: true })],
    ["h2", aHost({ id: "h2", label: "build-box" })],
  ]),
};

const rows = (...ids: string[]): Dragged => ({ is: "rows", ids });
const group = (id: string): Dragged => ({ is: "group", id });

describe("a drop", () => {
  it.each<[string, Dragged, Target, object]>([
    ["rows onto a group", rows("c", "b"), { is: "group", group: "g2" }, { is: "group", ids: ["c", "b"], group: "g2" }],
    ["rows onto no group", rows("a"), { is: "group", group: null }, { is: "group", ids: ["a"], group: null }],
    ["rows before a row of a group", rows("c"), { is: "row", id: "b" }, { is: "group", ids: ["c"], group: "g1", before: "b" }],
    ["rows onto a tag", rows("a", "b"), { is: "tag", tag: "maps" }, { is: "tag", ids: ["a", "b"], tag: "maps", on: true }],
    ["rows onto Pinned", rows("b"), { is: "pinned" }, { is: "pin", ids: ["b"], on: true }],
    ["rows onto Trash", rows("b", "gone"), { is: "trash" }, { is: "delete", ids: ["b"] }],
    ["rows onto another host", rows("b"), { is: "host", host: "h2" }, { is: "host", ids: ["b"], host: "h2" }],
    ["a group before another", group("g2"), { is: "beforeGroup", group: "g1" }, { is: "groups", parent: null, order: ["g2", "g1"] }],
    ["a group out of another", group("g3"), { is: "beforeGroup", group: "g2" }, { is: "groups", parent: null, order: ["g1", "g3", "g2"] }],
    ["a group below another", group("g2"), { is: "group", group: "g1" }, { is: "groups", parent: "g1", order: ["g3", "g2"] }],
  ])("of %s is an operation", (_, dragged, target, operation) => {
    expect(outcomeOf(dragged, target, STATE)).toMatchObject({ is: "does", operation });
  });

  it.each<[string, Dragged, Target]>([
    ["rows onto the group they are in", rows("a", "b"), { is: "group", group: "g1" }],
    ["rows onto a host they are on", rows("a"), { is: "host", host: "h1" }],
    ["what is not in git onto another host", rows("f"), { is: "host", host: "h2" }],
    ["rows onto a tag they have", rows("a"), { is: "tag", tag: "maps" }],
    ["pinned rows onto Pinned", rows("a"), { is: "pinned" }],
    ["what is gone onto Trash", rows("gone"), { is: "trash" }],
    ["rows before one that is in no group", rows("a"), { is: "row", id: "c" }],
    ["a row before itself", rows("a"), { is: "row", id: "a" }],
    ["a group onto itself", group("g1"), { is: "group", group: "g1" }],
    ["a group below one that is below another", group("g2"), { is: "group", group: "g3" }],
    ["a group that has others below it, below another", group("g1"), { is: "group", group: "g2" }],
    ["a group onto a tag", group("g1"), { is: "tag", tag: "maps" }],
    ["rows that are gone from the list", rows("x"), { is: "pinned" }],
  ])("of %s does nothing and says why", (_, dragged, target) => {
    const outcome = outcomeOf(dragged, target, STATE);
    expect(outcome.is).toBe("refused");
    expect(outcome.words).not.toBe("");
  });
});
