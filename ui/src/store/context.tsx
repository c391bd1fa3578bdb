// What every screen shares: the backend, the window's copy of the registry, the view, and what is being written.

import { createContext, useContext, useEffect, useMemo, useSyncExternalStore, type ReactNode } from "react";
import type { Backend, WorkspaceRef, WorkspaceRow } from "../backend/backend";
import { AnnotationStore, type Entry } from "./annotations";
import { keptLayout, type Layout } from "./layout";
import { countPlaces, listLines, ordered, type Counts, type Line } from "./list";
import { Operations, type OperationState } from "./operations";
import { RegistryStore, type RegistryState } from "./registry";
import { parseQuery } from "./search";
import { TextStore } from "./texts";
import { useNow } from "./time";
import { ViewStore, type ViewState } from "./view";

export interface Stores {
  readonly backend: Backend;
  readonly registry: RegistryStore;
  readonly view: ViewStore;
  readonly annotations: AnnotationStore;
  readonly texts: TextStore;
  readonly operations: Operations;
  /** Derived once per change, however many screens ask. */
  readonly derived: Derived;
}

interface Derived {
  readonly layout: (kept: RegistryState["preferences"], own: Partial<Layout>) => Layout;
  readonly query: typeof parseQuery;
  readonly values: (rows: RegistryState["rows"]) => readonly WorkspaceRow[];
  readonly ordered: typeof ordered;
  readonly lines: typeof listLines;
  readonly marked: (selected: WorkspaceRef | null, marked: ReadonlySet<WorkspaceRef>) => ReadonlySet<WorkspaceRef>;
  readonly counts: (rows: RegistryState["rows"], groups: RegistryState["groupById"]) => Counts;
}

function once<A extends readonly unknown[], R>(derive: (...args: A) => R): (...args: A) => R {
  let last: { args: A; result: R } | null = null;
  return (...args) => {
    if (last === null || args.some((arg, index) => !alike(arg, last?.args[index]))) last = { args, result: derive(...args) };
    return last.result;
  };
}

/** Whether two arguments lead to the same: they are the same, or are plain objects of the same parts. */
function alike(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isPlain(one) || !isPlain(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.is(one[key], other[key]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function makeStores(backend: Backend): Stores {
  const registry = new RegistryStore(backend);
  const view = new ViewStore();
  return {
    backend,
    registry,
    view,
    annotations: new AnnotationStore(backend),
    texts: new TextStore(backend),
    operations: new Operations(backend, registry, view),
    derived: {
      layout: once((kept, own) => ({ ...keptLayout(kept), ...own })),
      query: once(parseQuery),
      values: once((rows) => [...rows.values()]),
      ordered: once(ordered),
      lines: once(listLines),
      marked: once((selected, marked) => {
        if (selected === null || marked.has(selected)) return marked;
        return new Set([selected]);
      }),
      counts: once((rows, groups) => countPlaces(rows.values(), groups)),
    },
  };
}

const Shared = createContext<Stores | null>(null);

export function StoresProvider({ stores, children }: { stores: Stores; children: ReactNode }) {
  return <Shared.Provider value={stores}>{children}</Shared.Provider>;
}

export function useStores(): Stores {
  const stores = useContext(Shared);
  if (stores === null) throw new Error("a screen outside its StoresProvider");
  return stores;
}

export function useBackend(): Backend {
  return useStores().backend;
}

export function useRegistry(): RegistryState {
  const { registry } = useStores();
  return useSyncExternalStore(registry.subscribe, registry.get);
}

export function useViewStore(): ViewStore {
  return useStores().view;
}

export function useView(): ViewState {
  const { view } = useStores();
  return useSyncExternalStore(view.subscribe, view.get);
}

/** Some of what the window shows; a screen that asks for these is not drawn anew for the rest. `keys` stay the same list. */
export function useViewParts<K extends keyof ViewState>(keys: readonly K[]): Pick<ViewState, K> {
  const { view } = useStores();
  const get = useMemo(() => partsOf(view, keys), [view, keys]);
  return useSyncExternalStore(view.subscribe, get);
}

function partsOf<K extends keyof ViewState>(view: ViewStore, keys: readonly K[]): () => Pick<ViewState, K> {
  let last: ViewState | null = null;
  return () => {
    const now = view.get();
    if (last === null || keys.some((key) => last?.[key] !== now[key])) last = now;
    return last;
  };
}

export function useEntry(id: WorkspaceRef): Entry {
  const { annotations } = useStores();
  return useSyncExternalStore(annotations.subscribe, () => annotations.entry(id));
}

/** What was done last and can be undone, and what is being dragged. */
export function useOperations(): OperationState {
  const { operations } = useStores();
  return useSyncExternalStore(operations.subscribe, operations.get);
}

/** How much each place of the side bar holds. */
export function useCounts(): Counts {
  const { rows, groupById } = useRegistry();
  return useStores().derived.counts(rows, groupById);
}

/** How the list is laid out now. */
export function useLayout(): Layout {
  const { preferences } = useRegistry();
  const { layout } = useView();
  return useStores().derived.layout(preferences, layout);
}

/** What the search field says, taken apart. */
export function useQuery() {
  const { query } = useView();
  return useStores().derived.query(query);
}

const UNNAMED: Pick<RegistryState, "hostById" | "groupById"> = { hostById: new Map(), groupById: new Map() };

/** Milliseconds within which ages in a search are the same. */
const MOMENT = 60_000;

/** What the list shows now. */
export function useLines(): readonly Line[] {
  const { derived, texts } = useStores();
  const { rows, hosts, roots, groups, hostById, rootById, groupById, revision } = useRegistry();
  const { place, closed } = useView();
  const { grouping, order } = useLayout();
  const query = useQuery();
  const noted = useSyncExternalStore(texts.subscribe, texts.get);
  useEffect(() => texts.want(query.words, revision), [texts, query, revision]);
  // Most orders need no names; with them every word of a host would sort the rows anew.
  const names = order?.by === "host" || order?.by === "group" ? { hostById, groupById } : UNNAMED;
  const standing = derived.ordered(derived.values(rows), order, names);
  const state = { hosts, roots, groups, hostById, rootById, groupById };
  const now = Math.floor(useNow() / MOMENT) * MOMENT;
  return derived.lines(standing, state, place, { query, texts: noted, now }, { grouping, order }, closed);
}

/** The rows that are marked and shown, in the order of the list: what is done next is done to them. */
export function useMarkedRows(): readonly WorkspaceRow[] {
  const lines = useLines();
  const marked = useMarked();
  return lines.flatMap((line) => (line.is === "row" && marked.has(line.row.id) ? [line.row] : []));
}

/** The rows that are marked; one that was chosen from elsewhere is marked alone. */
export function useMarked(): ReadonlySet<WorkspaceRef> {
  const { selected, marked } = useView();
  return useStores().derived.marked(selected, marked);
}
