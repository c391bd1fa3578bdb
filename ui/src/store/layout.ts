// How the list is laid out: its columns, their order of rows, and what rows are put together by.

import type { Preferences } from "../backend/backend";

export const COLUMNS = [
  "name",
  "branch",
  "host",
  "path",
  "only",
  "stashes",
  "upstream",
  "merged",
  "commit",
  "active",
  "size",
  "group",
  "tags",
] as const;
export type Column = (typeof COLUMNS)[number];

export const GROUPINGS = ["repository", "host", "group", "none"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The order of rows: by a column, or as they stand, which is by kind, pin and name. */
export interface Order {
  readonly by: Column;
  readonly descending: boolean;
}

export interface Layout {
  /** In the order in which they are shown; the name is always the first. */
  readonly columns: readonly Column[];
  readonly grouping: Grouping;
  readonly order: Order | null;
}

export const STANDARD: Layout = {
  columns: ["name", "branch", "only", "upstream", "commit", "tags"],
  grouping: "repository",
  order: null,
};

function isOneOf<T extends string>(all: readonly T[], value: unknown): value is T {
  return typeof value === "string" && (all as readonly string[]).includes(value);
}

/** A layout as it was written down; what this version does not know of it is left out. */
export function layoutOf(written: unknown): Partial<Layout> {
  if (typeof written !== "object" || written === null) return {};
  const { columns, grouping, order } = written as { columns?: unknown; grouping?: unknown; order?: unknown };
  const layout: { -readonly [K in keyof Layout]?: Layout[K] } = {};
  if (Array.isArray(columns)) {
    const known = columns.filter((each, at): each is Column => isOneOf(COLUMNS, each) && columns.indexOf(each) === at);
    layout.columns = ["name", ...known.filter((each) => each !== "name")];
  }
  if (isOneOf(GROUPINGS, grouping)) layout.grouping = grouping;
  if (order === null) layout.order = null;
  else if (typeof order === "object") {
    const { by, descending } = order as { by?: unknown; descending?: unknown };
    if (isOneOf(COLUMNS, by)) layout.order = { by, descending: descending === true };
  }
  return layout;
}

/** The layout a person chose for all places. */
export function keptLayout(preferences: Preferences): Layout {
  if (preferences.layout === "") return STANDARD;
  try {
    return { ...STANDARD, ...layoutOf(JSON.parse(preferences.layout)) };
  } catch {
    return STANDARD;
  }
}
