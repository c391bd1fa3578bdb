// What the list shows for a place in the side bar and a search: a flat sequence of root headers and rows.

import type { HostRef, RootRef, RootRow, WorkspaceRef, WorkspaceRow } from "../backend/backend";
import { attention, isDirty, isSafe, isUnpushed, type Known } from "./facts";
import type { RegistryState } from "./registry";

export const FILTERS = ["all", "attention", "unpushed", "dirty", "missing", "pinned", "safe", "hidden"] as const;
export type Filter = (typeof FILTERS)[number];

/** A place in the side bar. */
export type Place = { is: "filter"; filter: Filter } | { is: "host"; host: HostRef } | { is: "tag"; tag: string };

export const EVERYTHING: Place = { is: "filter", filter: "all" };

const WORDS: Record<Filter, string> = {
  all: "All",
  attention: "Needs attention",
  unpushed: "Unpushed",
  dirty: "Dirty",
  missing: "Missing",
  pinned: "Pinned",
  safe: "Safe to delete",
  hidden: "Hidden",
};

export function filterWord(filter: Filter): string {
  return WORDS[filter];
}

function matchesFilter(row: WorkspaceRow, filter: Filter): Known {
  if (filter === "hidden") return row.untracked ? "yes" : "no";
  if (row.untracked) return "no";
  switch (filter) {
    case "all":
      return "yes";
    case "attention":
      return attention(row).length > 0 ? "yes" : "no";
    case "unpushed":
      return isUnpushed(row);
    case "dirty":
      return isDirty(row);
    case "missing":
      return row.presence === "missing" ? "yes" : "no";
    case "pinned":
      return row.pinned ? "yes" : "no";
    case "safe":
      return row.deleting ? "no" : isSafe(row);
  }
}

function isIn(row: WorkspaceRow, place: Place): boolean {
  switch (place.is) {
    case "filter":
      return matchesFilter(row, place.filter) === "yes";
    case "host":
      return !row.untracked && row.host === place.host;
    case "tag":
      return !row.untracked && row.tags.includes(place.tag);
  }
}

/** How many rows a place holds, and of how many nobody can tell. */
export interface Count {
  readonly count: number;
  readonly unknown: number;
}

export interface Counts {
  readonly filters: Readonly<Record<Filter, Count>>;
  readonly hosts: ReadonlyMap<HostRef, number>;
  /** In alphabetical order. */
  readonly tags: readonly (readonly [string, number])[];
}

export function countPlaces(rows: Iterable<WorkspaceRow>): Counts {
  const filters = Object.fromEntries(FILTERS.map((filter) => [filter, { count: 0, unknown: 0 }])) as Record<
    Filter,
    { count: number; unknown: number }
  >;
  const hosts = new Map<HostRef, number>();
  const tags = new Map<string, number>();
  for (const row of rows) {
    for (const filter of FILTERS) {
      const known = matchesFilter(row, filter);
      if (known === "yes") filters[filter].count += 1;
      if (known === "unknown") filters[filter].unknown += 1;
    }
    if (row.untracked) continue;
    hosts.set(row.host, (hosts.get(row.host) ?? 0) + 1);
    for (const tag of row.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  }
  return { filters, hosts, tags: [...tags].toSorted(([a], [b]) => NAMES.compare(a, b)) };
}

/** One line of the list. */
export type Line =
  | {
      readonly is: "root";
      readonly key: string;
      readonly root: RootRow;
      readonly shown: number;
      readonly open: boolean;
      readonly position: number;
      readonly of: number;
    }
  | {
      readonly is: "row";
      readonly key: string;
      readonly row: WorkspaceRow;
      readonly root: RootRow | undefined;
      readonly position: number;
      readonly of: number;
    };

function found(row: WorkspaceRow, words: readonly string[], host: string, root: RootRow | undefined): boolean {
  if (words.length === 0) return true;
  const text = [row.name, row.branch ?? "", row.path, row.tags.join(" "), host, root?.name ?? ""]
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** One collator for all comparisons: making one per comparison is what makes sorting names slow. */
const NAMES = new Intl.Collator(undefined, { numeric: true });

const KIND_ORDER = { repository: 0, bare: 0, directory: 0, worktree: 1 } as const;

function byStanding(a: WorkspaceRow, b: WorkspaceRow): number {
  return (
    KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
    Number(b.pinned) - Number(a.pinned) ||
    NAMES.compare(a.name, b.name) ||
    NAMES.compare(a.path, b.path)
  );
}

export function rootKey(root: RootRef): string {
  return `root:${root}`;
}

/** The lines for a place and a search, grouped by root in the order of hosts and names. */
export function listLines(
  state: Pick<RegistryState, "rows" | "roots" | "hosts" | "rootById" | "hostById">,
  place: Place,
  query: string,
  closed: ReadonlySet<RootRef>,
): readonly Line[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<RootRef, WorkspaceRow[]>();
  for (const row of state.rows.values()) {
    if (!isIn(row, place)) continue;
    const host = state.hostById.get(row.host)?.label ?? "";
    if (!found(row, words, host, state.rootById.get(row.root))) continue;
    const group = groups.get(row.root);
    if (group === undefined) groups.set(row.root, [row]);
    else group.push(row);
  }

  const whole = (root: RootRow) =>
    words.length === 0 &&
    ((place.is === "filter" && place.filter === "all") || (place.is === "host" && place.host === root.host));
  const hostOrder = new Map(state.hosts.map((host, index) => [host.id, index]));
  const roots = state.roots
    .filter((root) => groups.has(root.id) || whole(root))
    .toSorted(
      (a, b) =>
        (hostOrder.get(a.host) ?? 0) - (hostOrder.get(b.host) ?? 0) ||
        NAMES.compare(a.name, b.name) ||
        NAMES.compare(a.path, b.path),
    );

  const lines: Line[] = [];
  for (const [index, root] of roots.entries()) {
    const rows = (groups.get(root.id) ?? []).toSorted(byStanding);
    const open = !closed.has(root.id);
    lines.push({
      is: "root",
      key: rootKey(root.id),
      root,
      shown: rows.length,
      open,
      position: index + 1,
      of: roots.length,
    });
    if (!open) continue;
    for (const [at, row] of rows.entries()) {
      lines.push({ is: "row", key: row.id, row, root, position: at + 1, of: rows.length });
    }
  }
  // Rows whose root the overview does not name yet would otherwise be invisible until it does.
  for (const [root, rows] of groups) {
    if (state.rootById.has(root)) continue;
    for (const [at, row] of rows.toSorted(byStanding).entries()) {
      lines.push({ is: "row", key: row.id, row, root: undefined, position: at + 1, of: rows.length });
    }
  }
  return lines;
}

/** The ids of the rows among `lines`, in order. */
export function rowIds(lines: readonly Line[]): WorkspaceRef[] {
  return lines.flatMap((line) => (line.is === "row" ? [line.row.id] : []));
}
