// What people do to workspaces with a drag, a key or a menu: one kind of thing whichever way it was asked for.
// Each says what it did, and most can be undone.

import {
  apiError,
  type ApiError,
  type Backend,
  type ColourChoice,
  type GroupRef,
  type HostRef,
  type MemberForm,
  type OrderForm,
  type WorkspaceRef,
  type WorkspaceRow,
} from "../backend/backend";
import { membersOf } from "./list";
import type { RegistryStore } from "./registry";
import type { ViewStore } from "./view";
import { many } from "./words";

/** Something to do. */
export type Operation =
  /** Into a group, before one of its members or as its last; `null` takes out of any. */
  | { readonly is: "group"; readonly ids: readonly WorkspaceRef[]; readonly group: GroupRef | null; readonly before?: WorkspaceRef | null }
  | { readonly is: "tag"; readonly ids: readonly WorkspaceRef[]; readonly tag: string; readonly on: boolean }
  | { readonly is: "pin"; readonly ids: readonly WorkspaceRef[]; readonly on: boolean }
  | { readonly is: "colour"; readonly ids: readonly WorkspaceRef[]; readonly colour: ColourChoice }
  | { readonly is: "untrack"; readonly ids: readonly WorkspaceRef[]; readonly on: boolean }
  /** Groups below a group or at the top, in an order. */
  | { readonly is: "groups"; readonly parent: GroupRef | null; readonly order: readonly GroupRef[] }
  /** These two only ask; what they come to is agreed to in a dialog. */
  | { readonly is: "delete"; readonly ids: readonly WorkspaceRef[] }
  | { readonly is: "host"; readonly ids: readonly WorkspaceRef[]; readonly host: HostRef };

/** Something that was done, and how to take it back. */
export interface Done {
  readonly words: string;
  readonly undo: () => Promise<void>;
  /** `null` for what has to be agreed to anew. */
  readonly redo: (() => Promise<void>) | null;
}

export interface OperationState {
  /** What undo would take back, newest last. */
  readonly done: readonly Done[];
  readonly undone: readonly Done[];
  /** What was said last; a new object each time, so that the same words are heard again. */
  readonly said: { readonly words: string; readonly undo: (() => void) | null; readonly quiet: boolean } | null;
  readonly trouble: { readonly error: ApiError } | null;
}

/** As many things can be undone. */
const KEPT = 50;

export class Operations {
  #state: OperationState = { done: [], undone: [], said: null, trouble: null };
  #listeners = new Set<() => void>();
  #backend: Backend;
  #registry: RegistryStore;
  #view: ViewStore;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(backend: Backend, registry: RegistryStore, view: ViewStore) {
    this.#backend = backend;
    this.#registry = registry;
    this.#view = view;
  }

  readonly get = (): OperationState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Does it, says so, and keeps how to take it back. */
  perform(operation: Operation): Promise<void> {
    return this.#next(async () => {
      if (operation.is === "delete") {
        this.#view.open({ is: "delete", ids: operation.ids, again: null });
        return;
      }
      if (operation.is === "host") {
        this.#view.open({ is: "elsewhere", ids: operation.ids, host: operation.host });
        return;
      }
      const step = this.#plan(operation);
      if (step === null) return;
      await step.redo?.();
      this.#did(step);
    });
  }

  /** Moves rows of one group up or down in its order by one place. */
  step(ids: readonly WorkspaceRef[], by: -1 | 1): Promise<void> {
    const [first] = this.#rows(ids);
    const group = first?.group ?? null;
    if (first === undefined || group === null) {
      this.announce("Only the workspaces of a group have an order of your own.");
      return Promise.resolve();
    }
    const members = membersOf(this.#registry.get().rows.values(), group);
    const moved = members.filter((row) => ids.includes(row.id));
    const rest = members.filter((row) => !ids.includes(row.id));
    const edge = by < 0 ? moved[0] : moved.at(-1);
    const at = edge === undefined ? 0 : rest.filter((row) => members.indexOf(row) < members.indexOf(edge)).length + by;
    if (at < 0 || at > rest.length) return Promise.resolve();
    const before = rest[at]?.id ?? null;
    return this.perform({ is: "group", ids: moved.map((row) => row.id), group, before });
  }

  /** Keeps something that was done elsewhere among what can be undone, and says so. */
  did(step: Done): void {
    this.#did(step);
  }

  /** Keeps something that was done elsewhere, and is to be seen there, among what can be undone. */
  kept(step: Done): void {
    this.#set({ done: [...this.#state.done, step].slice(-KEPT), undone: [] });
  }

  /** Says something to those who do not see the screen, and shows nothing. */
  announce(words: string): void {
    this.#set({ said: { words, undo: null, quiet: true } });
  }

  undo(): Promise<void> {
    return this.#next(async () => {
      const step = this.#state.done.at(-1);
      if (step === undefined) {
        this.#set({ said: { words: "There is nothing to undo.", undo: null, quiet: false } });
        return;
      }
      await step.undo();
      this.#set({
        done: this.#state.done.slice(0, -1),
        undone: [...this.#state.undone, step],
        said: { words: `Undone: ${step.words}`, undo: null, quiet: false },
      });
    });
  }

  redo(): Promise<void> {
    return this.#next(async () => {
      const step = this.#state.undone.at(-1);
      if (step === undefined) return;
      this.#set({ undone: this.#state.undone.slice(0, -1) });
      if (step.redo === null) {
        this.#set({ said: { words: "This has to be agreed to anew.", undo: null, quiet: false } });
        return;
      }
      try {
        await step.redo();
      } catch (thrown) {
        this.#set({ undone: [...this.#state.undone, step] });
        throw thrown;
      }
      this.#did(step, this.#state.undone);
    });
  }

  #did(step: Done, undone: readonly Done[] = []): void {
    const undo = () => {
      // Only what was done last can be taken back from where it was said.
      if (this.#state.done.at(-1) === step) void this.undo();
    };
    this.#set({ done: [...this.#state.done, step].slice(-KEPT), undone, said: { words: step.words, undo, quiet: false } });
  }

  /** One after another, so that each begins with what the one before came to. */
  #next(work: () => Promise<void>): Promise<void> {
    const run = this.#busy.then(work).catch((thrown: unknown) => {
      this.#set({ trouble: { error: apiError(thrown) } });
    });
    this.#busy = run;
    return run;
  }

  #rows(ids: readonly WorkspaceRef[]): WorkspaceRow[] {
    const { rows } = this.#registry.get();
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  /** What to do and how to take it back, by what the registry says now; `null` if there is nothing to do. */
  #plan(operation: Exclude<Operation, { is: "delete" } | { is: "host" }>): Done | null {
    const backend = this.#backend;
    switch (operation.is) {
      case "groups": {
        const { groups } = this.#registry.get();
        const before = groups.filter((group) => operation.order.includes(group.id));
        const parents = [...new Set(before.map((group) => group.parent))];
        const orders = [...new Set([...parents, operation.parent])].map((parent) => ({
          parent,
          order: groups.filter((group) => group.parent === parent).map((group) => group.id),
        }));
        return {
          words: "The groups are in another order",
          redo: () => backend.arrangeGroups(operation.parent, [...operation.order]),
          undo: async () => {
            for (const { parent, order } of orders) await backend.arrangeGroups(parent, order);
          },
        };
      }
      case "group":
        return this.#planGroup(operation.ids, operation.group, operation.before);
      case "tag": {
        const { tag, on } = operation;
        const rows = this.#rows(operation.ids).filter((row) => row.tags.includes(tag) !== on);
        const forms = (tagged: boolean) =>
          rows.map((row) => ({
            id: row.id,
            patch: { tags: tagged ? [...row.tags.filter((each) => each !== tag), tag] : row.tags.filter((each) => each !== tag) },
          }));
        if (rows.length === 0) return null;
        return {
          words: on ? `${those(rows)} tagged ${tag}` : `The tag ${tag} is off ${those(rows)}`,
          redo: () => backend.annotateAll(forms(on)),
          undo: () => backend.annotateAll(rows.map((row) => ({ id: row.id, patch: { tags: [...row.tags] } }))),
        };
      }
      case "pin": {
        const rows = this.#rows(operation.ids).filter((row) => row.pinned !== operation.on);
        const forms = (pinned: boolean) => rows.map((row) => ({ id: row.id, patch: { pinned } }));
        if (rows.length === 0) return null;
        return {
          words: `${those(rows)} ${operation.on ? "pinned" : "not pinned any more"}`,
          redo: () => backend.annotateAll(forms(operation.on)),
          undo: () => backend.annotateAll(forms(!operation.on)),
        };
      }
      case "colour": {
        const wanted = operation.colour === "none" ? null : operation.colour;
        const rows = this.#rows(operation.ids).filter((row) => row.colour !== wanted);
        if (rows.length === 0) return null;
        return {
          words: wanted === null ? `The colour is off ${those(rows)}` : `${those(rows)} marked ${wanted}`,
          redo: () => backend.annotateAll(rows.map((row) => ({ id: row.id, patch: { colour: operation.colour } }))),
          undo: () => backend.annotateAll(rows.map((row) => ({ id: row.id, patch: { colour: row.colour ?? "none" } }))),
        };
      }
      case "untrack": {
        const rows = this.#rows(operation.ids).filter((row) => row.untracked !== operation.on);
        const ids = rows.map((row) => row.id);
        if (rows.length === 0) return null;
        const hide = () => backend.untrackAll(ids);
        const show = () => backend.retrackAll(ids);
        return {
          words: operation.on ? `${those(rows)} no longer shown` : `${those(rows)} shown again`,
          redo: operation.on ? hide : show,
          undo: operation.on ? show : hide,
        };
      }
    }
  }

  #planGroup(ids: readonly WorkspaceRef[], group: GroupRef | null, before: WorkspaceRef | null | undefined): Done | null {
    const { rows: all, groupById } = this.#registry.get();
    const rows = this.#rows(ids);
    const moving = rows.filter((row) => row.group !== group);
    const members = (wanted: (row: WorkspaceRow) => GroupRef | null): MemberForm[] =>
      moving.map((row) => ({ id: row.id, group: wanted(row) }));
    const orders: OrderForm[] = [];
    if (group !== null) {
      const there = membersOf(all.values(), group).filter((row) => !ids.includes(row.id));
      const placed = there.some((row) => row.position !== null);
      // Where nobody ever gave an order, none begins only because something came in.
      if (before !== undefined || placed) {
        const at = before == null ? -1 : there.findIndex((row) => row.id === before);
        const order = there.map((row) => row.id);
        order.splice(at < 0 ? order.length : at, 0, ...rows.map((row) => row.id));
        orders.push({ group, ids: order });
      }
    }
    if (moving.length === 0 && orders.length === 0) return null;
    const left = new Set(rows.flatMap((row) => row.group ?? []));
    if (group !== null) left.add(group);
    const old = [...left]
      .map((each) => ({ group: each, rows: membersOf(all.values(), each) }))
      .filter((each) => each.rows.some((row) => row.position !== null))
      .map((each): OrderForm => ({ group: each.group, ids: each.rows.map((row) => row.id) }));
    if (moving.length === 0) {
      const same = old.find((each) => each.group === group);
      if (same !== undefined && JSON.stringify(same.ids) === JSON.stringify(orders[0]?.ids)) return null;
      if (same === undefined && group !== null) {
        // There was no order before; the one they stood in is put back in so many words.
        old.push({ group, ids: membersOf(all.values(), group).map((row) => row.id) });
      }
    }
    const name = group === null ? null : (groupById.get(group)?.name ?? "the group");
    const words =
      moving.length === 0
        ? `${those(rows)} moved within ${name ?? "the list"}`
        : name === null
          ? `${those(moving)} in no group any more`
          : `${those(moving)} moved into ${name}`;
    return {
      words,
      redo: () => this.#backend.regroup(members(() => group), orders),
      undo: () => this.#backend.regroup(members((row) => row.group), old),
    };
  }

  #set(part: Partial<OperationState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

function those(rows: readonly WorkspaceRow[]): string {
  const [only] = rows;
  return rows.length === 1 && only !== undefined ? only.name : many(rows.length, "workspace", "workspaces");
}
