// The window's copy of the mirror: one normalised store, patched by events. Its rule: it is at one revision,
// and whenever it cannot be sure to have heard everything since, it asks.

import {
  apiError,
  type ApiError,
  type Backend,
  type GroupRef,
  type GroupRow,
  type HostRef,
  type HostRow,
  type Overview,
  type Preferences,
  type RootRef,
  type RootRow,
  type RowChanges,
  type RowsChanged,
  type Unlisten,
  type ViewRow,
  type WorkspacePage,
  type WorkspaceRef,
  type WorkspaceRow,
} from "../backend/backend";

/** What the window knows. Objects of things that did not change stay the same objects. */
export interface RegistryState {
  readonly phase: "loading" | "ready" | "failed";
  /** Why it could not be loaded, when `failed`. */
  readonly error: ApiError | null;
  /** Whether more rows are on their way, so that what is not there may only not be there yet. */
  readonly partial: boolean;
  readonly revision: number;
  readonly hosts: readonly HostRow[];
  readonly roots: readonly RootRow[];
  /** How many things rest in the trash of hosts. */
  readonly trash: number;
  readonly groups: readonly GroupRow[];
  readonly views: readonly ViewRow[];
  /** Lines of the journal that no person wrote, since the one that was looked at last. */
  readonly unseen: number;
  readonly seen: number;
  readonly preferences: Preferences;
  readonly hostById: ReadonlyMap<HostRef, HostRow>;
  readonly rootById: ReadonlyMap<RootRef, RootRow>;
  readonly groupById: ReadonlyMap<GroupRef, GroupRow>;
  readonly rows: ReadonlyMap<WorkspaceRef, WorkspaceRow>;
}

const EMPTY: RegistryState = {
  phase: "loading",
  error: null,
  partial: false,
  revision: 0,
  hosts: [],
  roots: [],
  trash: 0,
  groups: [],
  views: [],
  unseen: 0,
  seen: 0,
  preferences: { theme: "system", guardDays: 7, worktreeFolder: "", looks: true, layout: "" },
  hostById: new Map(),
  rootById: new Map(),
  groupById: new Map(),
  rows: new Map(),
};

/** Milliseconds to wait before asking again after a failed catch-up. */
const RETRY = [500, 2_000, 10_000] as const;

export class RegistryStore {
  #state: RegistryState = EMPTY;
  #listeners = new Set<() => void>();
  #backend: Backend;
  #listening: Promise<Unlisten[]> | null = null;
  #loading: Promise<void> | null = null;
  #behind = false;
  #catching = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #overviewHeard = false;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  readonly get = (): RegistryState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Listens and loads. Listening comes first, so that nothing falls between the two. */
  async start(): Promise<void> {
    try {
      this.#listening ??= Promise.all([
        this.#backend.listen("rowsChanged", (changed) => this.#rowsChanged(changed)),
        this.#backend.listen("overviewChanged", (overview) => {
          this.#overviewHeard = true;
          this.#takeOverview(overview);
        }),
      ]);
      await this.#listening;
      await this.reload();
    } catch (thrown) {
      this.#listening = null;
      this.#set({ phase: "failed", error: apiError(thrown) });
    }
  }

  /** Stops listening. */
  stop(): void {
    const listening = this.#listening;
    this.#listening = null;
    listening?.then(
      (all) => all.forEach((unlisten) => unlisten()),
      // What never listened has nothing to end.
      () => {},
    );
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
  }

  /** Loads everything anew. */
  reload(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
      if (this.#behind && this.#state.phase === "ready") void this.#catchUp();
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    if (this.#state.phase === "failed") this.#set({ phase: "loading", error: null });
    try {
      this.#overviewHeard = false;
      const overview = await this.#backend.overview();
      // One that was announced meanwhile is the later one.
      if (!this.#overviewHeard) this.#takeOverview(overview);
      const rows = new Map<WorkspaceRef, WorkspaceRow>();
      let revision = Number.POSITIVE_INFINITY;
      let after: WorkspaceRef | null = null;
      do {
        const page: WorkspacePage = await this.#backend.workspaces(after);
        revision = Math.min(revision, page.revision);
        for (const row of page.rows) rows.set(row.id, row);
        // The first page can be looked at while the others are on their way.
        if (after === null && page.next !== null && this.#state.phase === "loading") {
          this.#set({ phase: "ready", error: null, partial: true, rows: new Map(rows), revision });
          mark("first");
        }
        after = page.next;
      } while (after !== null);
      // Pages are read one after another: what changed between them is in the changes since the oldest.
      const changes = await this.#backend.changesSince(revision);
      this.#set({ phase: "ready", error: null, partial: false, ...patched({ ...this.#state, rows }, changes) });
      mark("all");
    } catch (thrown) {
      this.#set({ phase: "failed", error: apiError(thrown) });
    }
  }

  #rowsChanged(changed: RowsChanged): void {
    if (this.#state.phase !== "ready" || this.#catching || this.#loading !== null) {
      this.#behind = true;
      return;
    }
    if (changed.changes.revision <= this.#state.revision) return;
    if (changed.partial || changed.since !== this.#state.revision) void this.#catchUp();
    else this.#set(patched(this.#state, changed.changes));
  }

  /** Asks what changed, for when the window cannot be sure to have heard everything. */
  verify(): void {
    if (this.#state.phase === "ready") void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    if (this.#catching || this.#loading !== null) {
      this.#behind = true;
      return;
    }
    this.#catching = true;
    try {
      do {
        this.#behind = false;
        const changes = await this.#backend.changesSince(this.#state.revision);
        this.#set(patched(this.#state, changes));
        this.#failures = 0;
      } while (this.#behind);
    } catch {
      // The rows stay as they are; asking again is all there is to do.
      const wait = RETRY[Math.min(this.#failures, RETRY.length - 1)];
      this.#failures += 1;
      if (this.#retry !== null) clearTimeout(this.#retry);
      this.#retry = setTimeout(() => void this.#catchUp(), wait);
    } finally {
      this.#catching = false;
    }
  }

  #takeOverview(overview: Overview): void {
    const before = this.#state;
    const hosts = shared(before.hosts, overview.hosts);
    const roots = shared(before.roots, overview.roots);
    const groups = shared(before.groups, overview.groups);
    const views = shared(before.views, overview.views);
    const { trash, unseen, seen } = overview;
    const preferences = same(before.preferences, overview.preferences) ? before.preferences : overview.preferences;
    const next = { hosts, roots, groups, views, trash, unseen, seen, preferences };
    if (Object.entries(next).every(([key, value]) => before[key as keyof typeof next] === value)) return;
    this.#set({
      ...next,
      ...(hosts === before.hosts ? {} : { hostById: new Map(hosts.map((host) => [host.id, host])) }),
      ...(roots === before.roots ? {} : { rootById: new Map(roots.map((root) => [root.id, root])) }),
      ...(groups === before.groups ? {} : { groupById: new Map(groups.map((group) => [group.id, group])) }),
    });
  }

  #set(part: Partial<RegistryState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

function patched(state: RegistryState, changes: RowChanges): Pick<RegistryState, "revision" | "rows"> {
  if (changes.upserted.length === 0 && changes.removed.length === 0) {
    return { revision: changes.revision, rows: state.rows };
  }
  const rows = new Map(state.rows);
  for (const id of changes.removed) rows.delete(id);
  for (const row of changes.upserted) rows.set(row.id, row);
  return { revision: changes.revision, rows };
}

/** Tells whoever measures how far the start is. */
function mark(point: "first" | "all"): void {
  performance.mark(`rollcall:${point}`);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** `next`, with every item that equals one before it replaced by that one. */
function shared<T extends { id: string }>(before: readonly T[], next: readonly T[]): readonly T[] {
  const old = new Map(before.map((item) => [item.id, item]));
  const items = next.map((item) => {
    const known = old.get(item.id);
    return known !== undefined && same(known, item) ? known : item;
  });
  const unchanged = items.length === before.length && items.every((item, index) => item === before[index]);
  return unchanged ? before : items;
}
