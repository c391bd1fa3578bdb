// What every screen shares: the backend, the window's copy of the registry, the view, and what is being written.

import { createContext, useContext, useSyncExternalStore, type ReactNode } from "react";
import type { Backend, WorkspaceRef } from "../backend/backend";
import { AnnotationStore, type Entry } from "./annotations";
import { countPlaces, listLines, type Counts, type Line } from "./list";
import { RegistryStore, type RegistryState } from "./registry";
import { ViewStore, type ViewState } from "./view";

export interface Stores {
  readonly backend: Backend;
  readonly registry: RegistryStore;
  readonly view: ViewStore;
  readonly annotations: AnnotationStore;
  /** Derived once per change, however many screens ask. */
  readonly lines: typeof listLines;
  readonly counts: (rows: RegistryState["rows"]) => Counts;
}

function once<A extends readonly unknown[], R>(derive: (...args: A) => R): (...args: A) => R {
  let last: { args: A; result: R } | null = null;
  return (...args) => {
    if (last === null || args.some((arg, index) => arg !== last?.args[index])) last = { args, result: derive(...args) };
    return last.result;
  };
}

export function makeStores(backend: Backend): Stores {
  return {
    backend,
    registry: new RegistryStore(backend),
    view: new ViewStore(),
    annotations: new AnnotationStore(backend),
    lines: once(listLines),
    counts: once((rows) => countPlaces(rows.values())),
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

export function useEntry(id: WorkspaceRef): Entry {
  const { annotations } = useStores();
  return useSyncExternalStore(annotations.subscribe, () => annotations.entry(id));
}

/** How much each place of the side bar holds. */
export function useCounts(): Counts {
  const { rows } = useRegistry();
  return useStores().counts(rows);
}

/** What the list shows now. */
export function useLines(): readonly Line[] {
  const registry = useRegistry();
  const { place, query, closed } = useView();
  return useStores().lines(registry, place, query, closed);
}
