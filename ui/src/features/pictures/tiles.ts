// Where what takes up space lies in a picture of it. Pure; it knows nothing of screens.

import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from "d3-hierarchy";
import type { WorkspaceRow } from "../../backend/backend";

/** Workspaces that are drawn one by one; the smaller ones of a root are drawn together. */
export const MOST = 400;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One workspace, or the smaller ones of a root together. */
export interface Tile extends Box {
  readonly key: string;
  /** `null` where it is several. */
  readonly row: WorkspaceRow | null;
  readonly count: number;
  readonly kilobytes: number;
}

/** What lies together: all of a host, or of a root on it. */
export interface Frame extends Box {
  readonly key: string;
  readonly host: string;
  readonly root: string | null;
  /** Whether it has room for its name. */
  readonly named: boolean;
}

export interface Picture {
  /** From the largest down. */
  readonly tiles: readonly Tile[];
  /** Hosts before what lies in them. */
  readonly frames: readonly Frame[];
}

type Datum =
  | { readonly is: "all"; readonly children: Datum[] }
  | { readonly is: "host"; readonly host: string; readonly children: Datum[] }
  | { readonly is: "root"; readonly host: string; readonly root: string; readonly children: Datum[] }
  | { readonly is: "leaf"; readonly rows: readonly WorkspaceRow[]; readonly kilobytes: number };

/** Room that the name of a frame takes. */
const NAME = 18;

function hasName(node: HierarchyRectangularNode<Datum>): boolean {
  return node.data.is !== "leaf" && node.data.is !== "all" && node.x1 - node.x0 >= 48 && node.y1 - node.y0 >= NAME + 24;
}

function isMeasured(row: WorkspaceRow): row is WorkspaceRow & { size: number } {
  return row.size !== null;
}

/** The rows that are measured, the largest first. */
export function bySize(rows: readonly WorkspaceRow[]): readonly (WorkspaceRow & { size: number })[] {
  return rows.filter(isMeasured).toSorted((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1));
}

function nested(rows: readonly WorkspaceRow[]): Datum {
  const hosts = new Map<string, Map<string, { alone: Datum[]; small: (WorkspaceRow & { size: number })[] }>>();
  for (const [place, row] of bySize(rows).entries()) {
    const roots = hosts.get(row.host) ?? new Map<string, { alone: Datum[]; small: (WorkspaceRow & { size: number })[] }>();
    hosts.set(row.host, roots);
    const root = roots.get(row.root) ?? { alone: [], small: [] };
    roots.set(row.root, root);
    // What takes nothing up has a place all the same.
    if (place < MOST) root.alone.push({ is: "leaf", rows: [row], kilobytes: Math.max(1, row.size) });
    else root.small.push(row);
  }
  return {
    is: "all",
    children: [...hosts].map(([host, roots]) => ({
      is: "host",
      host,
      children: [...roots].map(([root, { alone, small }]) => ({
        is: "root",
        host,
        root,
        children:
          small.length === 0
            ? alone
            : [...alone, { is: "leaf", rows: small, kilobytes: small.reduce((sum, row) => sum + Math.max(1, row.size), 0) }],
      })),
    })),
  };
}

/** Lays out rows by host, root and size in so much room. */
export function picture(rows: readonly WorkspaceRow[], width: number, height: number): Picture {
  if (width < 1 || height < 1 || !rows.some(isMeasured)) return { tiles: [], frames: [] };
  const tree = hierarchy<Datum>(nested(rows), (each) => (each.is === "leaf" ? undefined : each.children))
    .sum((each) => (each.is === "leaf" ? each.kilobytes : 0))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  // Where there is one host only, its name says nothing.
  const several = (tree.children?.length ?? 0) > 1;
  const framed = (node: HierarchyRectangularNode<Datum>) => node.data.is === "root" || (node.data.is === "host" && several);
  const laid = treemap<Datum>()
    .tile(treemapSquarify)
    .size([width, height])
    .round(true)
    .paddingInner((node) => (node.data.is === "root" ? 1 : 4))
    .paddingOuter((node) => (framed(node) ? 2 : 0))
    .paddingTop((node) => (!framed(node) ? 0 : hasName(node) ? NAME : 2))(tree);
  const box = (node: HierarchyRectangularNode<Datum>): Box => ({
    x: node.x0,
    y: node.y0,
    width: Math.max(0, node.x1 - node.x0),
    height: Math.max(0, node.y1 - node.y0),
  });
  const tiles: Tile[] = [];
  const frames: Frame[] = [];
  for (const node of laid.descendants()) {
    const { data } = node;
    if (data.is === "leaf") {
      const [first] = data.rows;
      const together = data.rows.length > 1 || first === undefined;
      const parent = node.parent?.data;
      tiles.push({
        key: together ? `smaller:${parent?.is === "root" ? `${parent.host} ${parent.root}` : ""}` : first.id,
        row: together ? null : first,
        count: data.rows.length,
        kilobytes: data.rows.reduce((sum, row) => sum + (row.size ?? 0), 0),
        ...box(node),
      });
    } else if (framed(node) && data.is !== "all") {
      const root = data.is === "root" ? data.root : null;
      frames.push({ key: `${data.host} ${root ?? ""}`, host: data.host, root, named: hasName(node), ...box(node) });
    }
  }
  return { tiles: tiles.toSorted((a, b) => b.kilobytes - a.kilobytes), frames };
}
