// What every screen shares: the backend, the window's copy of the registry, the view, and what is being written.

import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from "react";
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
}

export function makeStores(backend: Backend): Stores {
  return {
    backend,
    registry: new RegistryStore(backend),
    view: new ViewStore(),
    annotations: new AnnotationStore(backend),
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
  return useMemo(() => countPlaces(rows.values()), [rows]);
}

/** What the list shows now. */
export function useLines(): readonly Line[] {
  const registry = useRegistry();
  const { place, query, closed } = useView();
  return useMemo(() => listLines(registry, place, query, closed), [registry, place, query, closed]);
}
