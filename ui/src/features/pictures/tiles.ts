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
  | { readonly is: "leaf"; readonly rows: readonly Weighed[]; readonly kilobytes: number };

/** What is drawn: what takes nothing up has a place all the same. */
const drawn = (kilobytes: number) => Math.max(1, kilobytes);

/** Room that the name of a frame takes. */
const NAME = 18;

function hasName(node: HierarchyRectangularNode<Datum>): boolean {
  return node.data.is !== "leaf" && node.data.is !== "all" && node.x1 - node.x0 >= 48 && node.y1 - node.y0 >= NAME + 24;
}

function isMeasured(row: WorkspaceRow): row is WorkspaceRow & { size: number } {
  return row.size !== null;
}

/** A row that is measured, with what it takes without the measured rows inside its folder, in KiB. */
interface Weighed {
  readonly row: WorkspaceRow;
  readonly kilobytes: number;
}

/** The rows that are measured, the largest first. What lies inside another one's folder counts once. */
function bySize(rows: readonly WorkspaceRow[]): readonly Weighed[] {
  // Folders before what is inside of them, and all of that before what comes after it.
  const ordered = rows
    .filter(isMeasured)
    .map((row) => ({ row, key: `${row.host} ${row.path.replaceAll("/", "\0")}\0`, size: row.size, inside: 0 }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const around: (typeof ordered)[number][] = [];
  for (const each of ordered) {
    while (around.length > 0 && !each.key.startsWith(around.at(-1)?.key ?? "")) around.pop();
    const outer = around.at(-1);
    if (outer !== undefined) outer.inside += each.size;
    around.push(each);
  }
  return ordered
    // They were measured at different times, so what is inside may have outgrown its folder.
    .map(({ row, size, inside }) => ({ row, kilobytes: Math.max(0, size - inside) }))
    .toSorted((a, b) => b.kilobytes - a.kilobytes || (a.row.path < b.row.path ? -1 : 1));
}

function nested(rows: readonly WorkspaceRow[]): Datum {
  const hosts = new Map<string, Map<string, { alone: Datum[]; small: Weighed[] }>>();
  for (const [place, each] of bySize(rows).entries()) {
    const { row, kilobytes } = each;
    const roots = hosts.get(row.host) ?? new Map<string, { alone: Datum[]; small: Weighed[] }>();
    hosts.set(row.host, roots);
    const root = roots.get(row.root) ?? { alone: [], small: [] };
    roots.set(row.root, root);
    if (place < MOST) root.alone.push({ is: "leaf", rows: [each], kilobytes: drawn(kilobytes) });
    else root.small.push(each);
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
            : [...alone, { is: "leaf", rows: small, kilobytes: small.reduce((sum, each) => sum + drawn(each.kilobytes), 0) }],
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
        key: together ? `smaller:${parent?.is === "root" ? `${parent.host} ${parent.root}` : ""}` : first.row.id,
        row: together ? null : first.row,
        count: data.rows.length,
        kilobytes: data.rows.reduce((sum, each) => sum + each.kilobytes, 0),
        ...box(node),
      });
    } else if (framed(node) && data.is !== "all") {
      const root = data.is === "root" ? data.root : null;
      frames.push({ key: `${data.host} ${root ?? ""}`, host: data.host, root, named: hasName(node), ...box(node) });
    }
  }
  return { tiles: tiles.toSorted((a, b) => b.kilobytes - a.kilobytes), frames };
}
