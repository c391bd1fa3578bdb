// What the list shows for a place in the side bar and a search: a flat sequence of headings and rows.

import type { GroupRef, GroupRow, HostRef, HostRow, RootRef, RootRow, WorkspaceRef, WorkspaceRow } from "../backend/backend";
import { attention, isDirty, isSafe, isUnpushed, type Known } from "./facts";
import type { Column, Layout, Order } from "./layout";
import type { RegistryState } from "./registry";
import { found, type Query } from "./search";
import type { FoundTexts } from "./texts";

export const FILTERS = ["all", "attention", "unpushed", "dirty", "missing", "pinned", "safe", "hidden"] as const;
export type Filter = (typeof FILTERS)[number];

/** A place in the side bar. */
export type Place =
  | { is: "filter"; filter: Filter }
  | { is: "host"; host: HostRef }
  | { is: "group"; group: GroupRef }
  | { is: "tag"; tag: string }
  | { is: "journal" };

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

/** Whether one group is another or lies in it. */
function within(group: GroupRef | null, other: GroupRef, groups: RegistryState["groupById"]): boolean {
  return group !== null && (group === other || groups.get(group)?.parent === other);
}

function isIn(row: WorkspaceRow, place: Place, groups: RegistryState["groupById"]): boolean {
  switch (place.is) {
    case "filter":
      return matchesFilter(row, place.filter) === "yes";
    case "host":
      return !row.untracked && row.host === place.host;
    case "group":
      return !row.untracked && within(row.group, place.group, groups);
    case "tag":
      return !row.untracked && row.tags.includes(place.tag);
    case "journal":
      return false;
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
  /** Those in groups below a group count for it as well. */
  readonly groups: ReadonlyMap<GroupRef, number>;
  readonly deleting: number;
  /** In alphabetical order. */
  readonly tags: readonly (readonly [string, number])[];
}

export function countPlaces(rows: Iterable<WorkspaceRow>, groupById: RegistryState["groupById"]): Counts {
  const filters = Object.fromEntries(FILTERS.map((filter) => [filter, { count: 0, unknown: 0 }])) as Record<
    Filter,
    { count: number; unknown: number }
  >;
  const hosts = new Map<HostRef, number>();
  const groups = new Map<GroupRef, number>();
  const tags = new Map<string, number>();
  let deleting = 0;
  for (const row of rows) {
    if (row.deleting) deleting += 1;
    for (const filter of FILTERS) {
      const known = matchesFilter(row, filter);
      if (known === "yes") filters[filter].count += 1;
      if (known === "unknown") filters[filter].unknown += 1;
    }
    if (row.untracked) continue;
    hosts.set(row.host, (hosts.get(row.host) ?? 0) + 1);
    for (const tag of row.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    for (const group of [row.group, row.group === null ? null : (groupById.get(row.group)?.parent ?? null)]) {
      if (group !== null) groups.set(group, (groups.get(group) ?? 0) + 1);
    }
  }
  return { filters, hosts, groups, deleting, tags: [...tags].toSorted(([a], [b]) => NAMES.compare(a, b)) };
}

/** What rows are put together under. */
export type Heading =
  | { readonly is: "root"; readonly root: RootRow }
  | { readonly is: "host"; readonly host: HostRow }
  | { readonly is: "group"; readonly group: GroupRow | null };

/** One line of the list. */
export type Line =
  | {
      readonly is: "heading";
      readonly key: string;
      readonly heading: Heading;
      readonly level: number;
      readonly shown: number;
      readonly open: boolean;
      readonly position: number;
      readonly of: number;
    }
  | {
      readonly is: "row";
      readonly key: string;
      readonly row: WorkspaceRow;
      /** The key of the heading it stands under. */
      readonly under: string | null;
      readonly level: number;
      readonly position: number;
      readonly of: number;
    };

/** One collator for all comparisons: making one per comparison is what makes sorting names slow. */
const NAMES = new Intl.Collator(undefined, { numeric: true });

const KIND_ORDER = { repository: 0, bare: 0, directory: 0, worktree: 1 } as const;

/** As rows stand where no other order is asked for. */
export function byStanding(a: WorkspaceRow, b: WorkspaceRow): number {
  return (
    KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
    Number(b.pinned) - Number(a.pinned) ||
    NAMES.compare(a.name, b.name) ||
    NAMES.compare(a.path, b.path)
  );
}

type Names = Pick<RegistryState, "hostById" | "groupById">;

/** How much of a row exists nowhere else, for sorting; `null` if that is not known. */
function onlyHere(row: WorkspaceRow): number | null {
  if (row.kind === "directory") return Number.MAX_SAFE_INTEGER;
  if (row.unpushed.is === "noRemote") return Number.MAX_SAFE_INTEGER - 1;
  if (isDirty(row) === "unknown" && row.unpushed.is === "unknown") return null;
  const { staged = 0, unstaged = 0, untracked = 0, conflicted = 0 } = row.changes ?? {};
  return staged + unstaged + untracked + conflicted + (row.unpushed.is === "commits" ? row.unpushed.count : 0);
}

/** What a column sorts by; what is unknown or not there is `null` and comes last, whatever the direction. */
function sortKey(row: WorkspaceRow, by: Column, names: Names): string | number | null {
  switch (by) {
    case "name":
      return row.name;
    case "branch":
      return row.branch;
    case "host":
      return names.hostById.get(row.host)?.label ?? null;
    case "path":
      return row.path;
    case "only":
      return onlyHere(row);
    case "stashes":
      return row.stashes;
    case "upstream":
      return row.upstream === "remote" || row.upstream === "local" ? row.ahead + row.behind : null;
    case "merged":
      return row.merged === "unknown" ? null : row.merged === "yes" ? 0 : 1;
    case "commit":
      return row.lastCommitAt;
    case "active":
      return row.activeAt ?? row.lastCommitAt;
    case "size":
      return row.size;
    case "group":
      return row.group === null ? null : (names.groupById.get(row.group)?.name ?? null);
    case "tags":
      return row.tags.length === 0 ? null : row.tags.join(" ");
  }
}

/** Rows in an order; with none, as they stand. */
export function ordered(rows: readonly WorkspaceRow[], order: Order | null, names: Names): readonly WorkspaceRow[] {
  if (order === null) return rows.toSorted(byStanding);
  const keys = new Map(rows.map((row) => [row.id, sortKey(row, order.by, names)]));
  const way = order.descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [keys.get(a.id) ?? null, keys.get(b.id) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null) || byStanding(a, b);
    const apart =
      typeof one === "number" && typeof other === "number" ? one - other : NAMES.compare(String(one), String(other));
    return apart * way || byStanding(a, b);
  });
}

/** The members of a group in the order a person gave them; those without a place come last, as they stand. */
export function membersOf(rows: Iterable<WorkspaceRow>, group: GroupRef): readonly WorkspaceRow[] {
  return [...rows].filter((row) => row.group === group).toSorted(byPlace);
}

function byPlace(a: WorkspaceRow, b: WorkspaceRow): number {
  if (a.position === null || b.position === null) {
    return Number(a.position === null) - Number(b.position === null) || byStanding(a, b);
  }
  return a.position - b.position || byStanding(a, b);
}

export function rootKey(root: RootRef): string {
  return `root:${root}`;
}

/** Groups in the order of the side bar: each with those below it. */
export function groupTree(groups: readonly GroupRow[]): readonly { group: GroupRow; level: number }[] {
  return groups
    .filter((group) => group.parent === null)
    .flatMap((group) => [
      { group, level: 1 },
      ...groups.filter((child) => child.parent === group.id).map((child) => ({ group: child, level: 2 })),
    ]);
}

function grouped<K>(rows: readonly WorkspaceRow[], by: (row: WorkspaceRow) => K): Map<K, WorkspaceRow[]> {
  const groups = new Map<K, WorkspaceRow[]>();
  for (const row of rows) {
    const key = by(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

interface Section {
  key: string;
  heading: Heading;
  level: number;
  rows: WorkspaceRow[];
  /** Headings of the same level below the same one. */
  siblings: string;
}

/** Put together by repository, which are in the order of hosts and names. */
function byRoot(rows: readonly WorkspaceRow[], state: State, whole: (root: RootRow) => boolean): Section[] {
  const hostOrder = new Map(state.hosts.map((host, index) => [host.id, index]));
  const groups = grouped(rows, (row) => row.root);
  return state.roots
    .filter((root) => groups.has(root.id) || whole(root))
    .toSorted(
      (a, b) =>
        (hostOrder.get(a.host) ?? 0) - (hostOrder.get(b.host) ?? 0) ||
        NAMES.compare(a.name, b.name) ||
        NAMES.compare(a.path, b.path),
    )
    .map((root) => ({
      key: rootKey(root.id),
      heading: { is: "root", root },
      level: 1,
      rows: groups.get(root.id) ?? [],
      siblings: "",
    }));
}

function byHost(rows: readonly WorkspaceRow[], state: State): Section[] {
  const groups = grouped(rows, (row) => row.host);
  return state.hosts
    .filter((host) => groups.has(host.id))
    .map((host) => ({
      key: `host:${host.id}`,
      heading: { is: "host", host },
      level: 1,
      rows: groups.get(host.id) ?? [],
      siblings: "",
    }));
}

function byGroup(rows: readonly WorkspaceRow[], state: State, order: Order | null): Section[] {
  const groups = grouped(rows, (row) => (row.group !== null && state.groupById.has(row.group) ? row.group : null));
  const sections: Section[] = [];
  for (const { group, level } of groupTree(state.groups)) {
    const members = groups.get(group.id);
    const below = state.groups.some((child) => child.parent === group.id && groups.has(child.id));
    if (members === undefined && !below) continue;
    sections.push({
      key: `group:${group.id}`,
      heading: { is: "group", group },
      level,
      rows: order === null ? (members ?? []).toSorted(byPlace) : (members ?? []),
      siblings: group.parent ?? "",
    });
  }
  const none = groups.get(null);
  if (none !== undefined) {
    sections.push({ key: "group:none", heading: { is: "group", group: null }, level: 1, rows: none, siblings: "" });
  }
  return sections;
}

type State = Pick<RegistryState, "hosts" | "roots" | "groups" | "hostById" | "rootById" | "groupById">;

/** A search that was taken apart, what was found in texts, and when. */
export interface Search {
  readonly query: Query;
  readonly texts: FoundTexts;
  readonly now: number;
}

/** The lines for a place and a search, of rows that are in order already. */
export function listLines(
  rows: readonly WorkspaceRow[],
  state: State,
  place: Place,
  search: Search,
  layout: Pick<Layout, "grouping" | "order">,
  closed: ReadonlySet<string>,
): readonly Line[] {
  const { query } = search;
  const shown = found(rows, query, state, search.texts, search.now).filter((row) => isIn(row, place, state.groupById));
  const asked = query.words.length > 0 || query.tokens.length > 0;
  const lines: Line[] = [];
  const add = (each: readonly WorkspaceRow[], under: string | null, level: number) => {
    for (const [at, row] of each.entries()) {
      lines.push({ is: "row", key: row.id, row, under, level, position: at + 1, of: each.length });
    }
  };
  let sections: Section[];
  if (place.is === "group") {
    // What is in the group itself stands first, without a heading; what is below it has one.
    const own = shown.filter((row) => row.group === place.group);
    add(layout.order === null ? own.toSorted(byPlace) : own, null, 1);
    sections = byGroup(
      shown.filter((row) => row.group !== place.group),
      state,
      layout.order,
    )
      .filter(({ heading }) => heading.is === "group" && heading.group?.id !== place.group)
      .map((section) => ({ ...section, level: 1 }));
  } else if (layout.grouping === "none") {
    add(shown, null, 1);
    return lines;
  } else if (layout.grouping === "host") {
    sections = byHost(shown, state);
  } else if (layout.grouping === "group") {
    sections = byGroup(shown, state, layout.order);
  } else {
    const whole = (root: RootRow) =>
      !asked &&
      ((place.is === "filter" && place.filter === "all") || (place.is === "host" && place.host === root.host));
    sections = byRoot(shown, state, whole);
    // Rows whose root the overview does not name yet would otherwise be invisible until it does.
    add(
      shown.filter((row) => !state.rootById.has(row.root)),
      null,
      1,
    );
  }
  const counts = new Map<string, number>();
  for (const { siblings } of sections) counts.set(siblings, (counts.get(siblings) ?? 0) + 1);
  const places = new Map<string, number>();
  let hidden = "";
  for (const section of sections) {
    const position = (places.get(section.siblings) ?? 0) + 1;
    places.set(section.siblings, position);
    // What lies in a group that is closed is closed with it.
    if (section.level > 1 && section.siblings === hidden) continue;
    const open = !closed.has(section.key);
    if (section.level === 1) {
      hidden = open || section.heading.is !== "group" ? "" : (section.heading.group?.id ?? "");
    }
    lines.push({
      is: "heading",
      key: section.key,
      heading: section.heading,
      level: section.level,
      shown: section.rows.length,
      open,
      position,
      of: counts.get(section.siblings) ?? 1,
    });
    if (open) add(section.rows, section.key, section.level + 1);
  }
  return lines;
}

/** The ids of the rows among `lines`, in order. */
export function rowIds(lines: readonly Line[]): WorkspaceRef[] {
  return lines.flatMap((line) => (line.is === "row" ? [line.row.id] : []));
}
