// Saved views: a place, a search and a layout under a name.

import type { ViewRow } from "../backend/backend";
import { layoutOf, type Layout } from "./layout";
import { EVERYTHING, FILTERS, type Place } from "./list";
import type { ViewState, ViewStore } from "./view";

interface Definition {
  readonly place: Place;
  readonly query: string;
  readonly layout: Partial<Layout>;
}

function placeOf(written: unknown): Place {
  if (typeof written !== "object" || written === null) return EVERYTHING;
  const { is, filter, host, group, tag } = written as Record<string, unknown>;
  if (is === "filter" && FILTERS.some((each) => each === filter)) return written as Place;
  if (is === "host" && typeof host === "string") return { is, host };
  if (is === "group" && typeof group === "string") return { is, group };
  if (is === "tag" && typeof tag === "string") return { is, tag };
  return EVERYTHING;
}

/** What a saved view says; what this version does not know of it is left out. */
export function readDefinition(view: ViewRow): Definition {
  try {
    const written: unknown = JSON.parse(view.definition);
    const { place, query, layout } = (typeof written === "object" && written !== null ? written : {}) as Record<string, unknown>;
    return { place: placeOf(place), query: typeof query === "string" ? query : "", layout: layoutOf(layout) };
  } catch {
    return { place: EVERYTHING, query: "", layout: {} };
  }
}

/** What is shown now, to be kept under a name. */
export function definitionOf({ place, query }: Pick<ViewState, "place" | "query">, layout: Layout): string {
  return JSON.stringify({ place, query: query.trim(), layout });
}

/** Whether what is shown is what the view was saved as. */
export function isAsSaved(view: ViewRow, state: Pick<ViewState, "place" | "query">, layout: Layout): boolean {
  const saved = readDefinition(view);
  return definitionOf(state, layout) === definitionOf(saved, { ...layout, ...saved.layout });
}

/** Shows a saved view. */
export function goToView(store: ViewStore, view: ViewRow): void {
  const { place, query, layout } = readDefinition(view);
  store.go(place);
  store.set({ saved: view.id, query, layout });
}
