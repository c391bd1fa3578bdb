import { describe, expect, it } from "vitest";
import { aHost, aRoot, aRow, FakeBackend } from "../backend/fake";
import { makeStores } from "./context";
import { groupTree, membersOf } from "./list";
import type { Operation } from "./operations";

async function aWorld() {
  const fake = new FakeBackend();
  fake.hosts = [aHost({ id: "h1", local: true }), aHost({ id: "h2" })];
  fake.roots = [aRoot({ id: "r1", host: "h1" })];
  fake.groups = [
    { id: "g1", name: "Release", parent: null },
    { id: "g2", name: "Later", parent: null },
    { id: "g3", name: "Now", parent: "g1" },
  ];
  for (const [id, part] of Object.entries({
    a: { group: "g1", position: 0, tags: ["x"] },
    b: { group: "g1", position: 1, colour: "red" as const },
    c: { group: "g1", position: 2 },
    d: { group: "g2", position: null },
    e: { pinned: true },
  })) {
    fake.rows.set(id, aRow({ id, host: "h1", root: "r1", ...part }));
  }
  const stores = makeStores(fake);
  await stores.registry.start();
  return { fake, ...stores };
}

const order = (fake: FakeBackend, group: string) => membersOf(fake.rows.values(), group).map((row) => row.id);
const snapshot = (fake: FakeBackend) =>
  JSON.stringify([
    [...fake.rows.values()].map(({ id, group, tags, pinned, colour, untracked }) => ({ id, group, tags, pinned, colour, untracked })),
    groupTree(fake.groups).map(({ group, level }) => [group, level, order(fake, group.id)]),
  ]);

describe("an operation", () => {
  it.each<[string, Operation]>([
    ["into a group", { is: "group", ids: ["e", "b"], group: "g2" }],
    ["into an ordered group", { is: "group", ids: ["e"], group: "g1" }],
    ["before a member", { is: "group", ids: ["e", "d"], group: "g1", before: "b" }],
    ["within its group", { is: "group", ids: ["c"], group: "g1", before: "a" }],
    ["out of any group", { is: "group", ids: ["a", "c"], group: null }],
    ["a tag on", { is: "tag", ids: ["a", "b"], tag: "y", on: true }],
    ["a tag off", { is: "tag", ids: ["a", "b"], tag: "x", on: false }],
    ["pinned", { is: "pin", ids: ["a", "e"], on: true }],
    ["a colour", { is: "colour", ids: ["a", "b"], colour: "blue" }],
    ["no colour", { is: "colour", ids: ["b"], colour: "none" }],
    ["untracked", { is: "untrack", ids: ["a", "b"], on: true }],
    ["groups in another order", { is: "groups", parent: null, order: ["g2", "g1"] }],
    ["a group below another", { is: "groups", parent: "g1", order: ["g3", "g2"] }],
  ])("%s is undone to what was before, and done again", async (_, operation) => {
    const { fake, operations } = await aWorld();
    const before = snapshot(fake);
    await operations.perform(operation);
    const after = snapshot(fake);
    expect(operations.get().trouble).toBeNull();
    expect(after).not.toBe(before);
    await operations.undo();
    expect(snapshot(fake)).toBe(before);
    await operations.redo();
    expect(snapshot(fake)).toBe(after);
    await operations.undo();
    expect(snapshot(fake)).toBe(before);
  });

  it("puts rows where they were dropped in the order of their group", async () => {
    const { fake, operations } = await aWorld();
    await operations.perform({ is: "group", ids: ["e"], group: "g1", before: "b" });
    expect(order(fake, "g1")).toEqual(["a", "e", "b", "c"]);
    await operations.step(["c"], -1);
    expect(order(fake, "g1")).toEqual(["a", "e", "c", "b"]);
    await operations.step(["a", "e"], 1);
    expect(order(fake, "g1")).toEqual(["c", "a", "e", "b"]);
    await operations.step(["c"], -1);
    expect(order(fake, "g1")).toEqual(["c", "a", "e", "b"]);
  });

  it("begins no order in a group that has none because something came in", async () => {
    const { fake, operations } = await aWorld();
    await operations.perform({ is: "group", ids: ["e"], group: "g2" });
    expect(fake.calls.at(-1)).toEqual({ method: "regroup", args: [[{ id: "e", group: "g2" }], []] });
  });

  it("writes nothing where everything is so already", async () => {
    const { fake, operations } = await aWorld();
    const calls = fake.calls.length;
    await operations.perform({ is: "pin", ids: ["e"], on: true });
    await operations.perform({ is: "tag", ids: ["a"], tag: "x", on: true });
    await operations.perform({ is: "group", ids: ["d"], group: "g2" });
    await operations.perform({ is: "colour", ids: ["b"], colour: "red" });
    expect(fake.calls).toHaveLength(calls);
    expect(operations.get().done).toEqual([]);
  });

  it("writes about many rows at once, and all or nothing", async () => {
    const { fake, operations } = await aWorld();
    const error = { code: "registry" as const, message: "The registry could not be written.", hints: [], retry: true };
    fake.failNext("annotateAll", { ...error, code: "internal" });
    const before = snapshot(fake);
    await operations.perform({ is: "pin", ids: ["a", "b", "c"], on: true });
    expect(snapshot(fake)).toBe(before);
    expect(operations.get().trouble?.error.message).toBe(error.message);
    expect(operations.get().done).toEqual([]);
    await operations.perform({ is: "pin", ids: ["a", "b", "c"], on: true });
    expect(fake.count("annotateAll")).toBe(2);
    expect(operations.get().said?.words).toBe("3 workspaces pinned");
  });

  it("that needs to be agreed to only asks", async () => {
    const { fake, operations, view } = await aWorld();
    await operations.perform({ is: "delete", ids: ["a"] });
    expect(view.get().dialog).toEqual({ is: "delete", ids: ["a"], again: null });
    await operations.perform({ is: "host", ids: ["a"], host: "h2" });
    expect(view.get().dialog).toEqual({ is: "elsewhere", ids: ["a"], host: "h2" });
    expect(fake.count("delete")).toBe(0);
    expect(operations.get().done).toEqual([]);
  });
});
