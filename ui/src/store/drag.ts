// What a drag comes to. A drop is never anything but an operation that a key or a menu could have asked for, too.

import type { GroupRef, HostRef, WorkspaceRef, WorkspaceRow } from "../backend/backend";
import type { Operation } from "./operations";
import type { RegistryState } from "./registry";
import { many } from "./words";

/** What is being dragged. */
export type Dragged =
  | { readonly is: "rows"; readonly ids: readonly WorkspaceRef[] }
  | { readonly is: "group"; readonly id: GroupRef };

/** What it is held over. */
export type Target =
  | { readonly is: "group"; readonly group: GroupRef | null }
  /** The gap before a group in the side bar. */
  | { readonly is: "beforeGroup"; readonly group: GroupRef }
  | { readonly is: "tag"; readonly tag: string }
  | { readonly is: "pinned" }
  | { readonly is: "trash" }
  | { readonly is: "host"; readonly host: HostRef }
  /** The gap before a row, in the order of its group. */
  | { readonly is: "row"; readonly id: WorkspaceRef };

/** What a drop would do, in words, or why it would do nothing. */
export type Outcome =
  | { readonly is: "does"; readonly operation: Operation; readonly words: string }
  | { readonly is: "refused"; readonly words: string };

type State = Pick<RegistryState, "rows" | "groups" | "groupById" | "hostById">;

const does = (operation: Operation, words: string): Outcome => ({ is: "does", operation, words });
const refused = (words: string): Outcome => ({ is: "refused", words });

/** What is dragged, as it is called. */
export function draggedWord(dragged: Dragged, state: State): string {
  if (dragged.is === "group") return `the group ${state.groupById.get(dragged.id)?.name ?? ""}`;
  const [only] = dragged.ids;
  if (dragged.ids.length === 1 && only !== undefined) return state.rows.get(only)?.name ?? "a workspace";
  return many(dragged.ids.length, "workspace", "workspaces");
}

function dropGroup(id: GroupRef, target: Target, { groups, groupById }: State): Outcome {
  const moved = groupById.get(id);
  if (moved === undefined) return refused("This group is gone");
  const parent = groups.some((group) => group.parent === id);
  const below = (under: GroupRef | null) => groups.filter((group) => group.parent === under && group.id !== id).map((group) => group.id);
  if (target.is === "group" && target.group !== null) {
    const onto = groupById.get(target.group);
    if (onto === undefined || onto.id === id) return refused("It stays where it is");
    if (onto.parent !== null) return refused("Groups nest only once");
    if (parent) return refused("It has groups below it, and groups nest only once");
    return does({ is: "groups", parent: onto.id, order: [...below(onto.id), id] }, `Goes below ${onto.name}`);
  }
  if (target.is === "beforeGroup") {
    const next = groupById.get(target.group);
    if (next === undefined || next.id === id) return refused("It stays where it is");
    if (next.parent !== null && parent) return refused("It has groups below it, and groups nest only once");
    const order = below(next.parent);
    order.splice(order.indexOf(next.id), 0, id);
    return does({ is: "groups", parent: next.parent, order }, `Goes before ${next.name}`);
  }
  return refused("A group goes only among groups");
}

function dropRows(ids: readonly WorkspaceRef[], target: Target, { rows: all, groupById, hostById }: State): Outcome {
  const rows: WorkspaceRow[] = ids.flatMap((id) => all.get(id) ?? []);
  if (rows.length === 0) return refused("It is gone");
  switch (target.is) {
    case "group": {
      if (target.group === null) {
        if (rows.every((row) => row.group === null)) return refused("In no group already");
        return does({ is: "group", ids, group: null }, "Leaves its group");
      }
      const group = groupById.get(target.group);
      if (group === undefined) return refused("This group is gone");
      if (rows.every((row) => row.group === group.id)) return refused(`In ${group.name} already`);
      return does({ is: "group", ids, group: group.id }, `Goes into ${group.name}`);
    }
    case "row": {
      const before = all.get(target.id);
      if (before === undefined || before.group === null) return refused("Only the workspaces of a group have an order");
      if (ids.includes(before.id)) return refused("It stays where it is");
      return does({ is: "group", ids, group: before.group, before: before.id }, `Goes before ${before.name}`);
    }
    case "tag":
      if (rows.every((row) => row.tags.includes(target.tag))) return refused(`Tagged ${target.tag} already`);
      return does({ is: "tag", ids, tag: target.tag, on: true }, `Gets the tag ${target.tag}`);
    case "pinned":
      if (rows.every((row) => row.pinned)) return refused("Pinned already");
      return does({ is: "pin", ids, on: true }, "Is pinned");
    case "trash": {
      const deletable = rows.filter((row) => !row.deleting && row.presence !== "missing");
      if (deletable.length === 0) return refused("Nothing of it can be deleted");
      return does({ is: "delete", ids: deletable.map((row) => row.id) }, "Asks before it is deleted");
    }
    case "host": {
      const host = hostById.get(target.host);
      if (host === undefined) return refused("This host is gone");
      if (rows.every((row) => row.host === host.id)) return refused(`On ${host.label} already`);
      if (rows.every((row) => row.kind === "directory")) return refused("Only what is in git can be made on another host");
      return does({ is: "host", ids, host: host.id }, `Asks how to make it on ${host.label}`);
    }
    case "beforeGroup":
      return refused("Drop it onto a group");
  }
}

/** What dropping something comes to. */
export function outcomeOf(dragged: Dragged, target: Target, state: State): Outcome {
  return dragged.is === "group" ? dropGroup(dragged.id, target, state) : dropRows(dragged.ids, target, state);
}
