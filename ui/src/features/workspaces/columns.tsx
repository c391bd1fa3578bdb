import { CircleHelp, GitMerge } from "lucide-react";
import type { ReactNode } from "react";
import type { GroupRow, HostRow, RootRow, WorkspaceRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { HostIcon } from "../../kit/HostMark";
import { Unsaid } from "../../kit/Unknown";
import { factsAge } from "../../store/facts";
import type { Column } from "../../store/layout";
import { many, sizeWord } from "../../store/words";
import { Branch, OnlyHere, StaleAge, Upstream } from "./Facts";

/** What a cell is drawn from. */
export interface Cell {
  readonly row: WorkspaceRow;
  readonly root: RootRow | undefined;
  readonly host: HostRow | undefined;
  readonly group: GroupRow | undefined;
}

interface Look {
  readonly title: string;
  /** The least width in pixels. */
  readonly least: number;
  /** Its share of what is left over; 0 for one that keeps its width. */
  readonly share: number;
  /** Columns of a lower rank go first where there is no room for all. */
  readonly rank: number;
  readonly cell: (cell: Cell) => ReactNode;
}

function Merged({ row }: { row: WorkspaceRow }) {
  if (row.kind !== "worktree") return <Unsaid title="Not a worktree">–</Unsaid>;
  switch (row.merged) {
    case "yes":
      return (
        <span className="inline-flex items-center gap-1 text-ok" title="Its branch is merged">
          <GitMerge size={13} aria-hidden />
          merged
        </span>
      );
    case "no":
      return <span className="text-soft">not merged</span>;
    case "unknown":
      return <Unsaid title="Unknown whether its branch is merged: it has not been looked at closely">?</Unsaid>;
  }
}

const LOOKS: Record<Column, Look> = {
  name: { title: "Workspace", least: 150, share: 1.7, rank: 100, cell: () => null },
  branch: { title: "Branch", least: 92, share: 1.1, rank: 90, cell: ({ row }) => <Branch row={row} /> },
  host: {
    title: "Host",
    least: 84,
    share: 0.6,
    rank: 55,
    cell: ({ host }) => (
      <span className="inline-flex min-w-0 items-center gap-1.5 text-soft">
        {host !== undefined && <HostIcon host={host} />}
        <span className="truncate">{host?.label ?? "unknown"}</span>
      </span>
    ),
  },
  path: {
    title: "Path",
    least: 120,
    share: 1.3,
    rank: 30,
    cell: ({ row }) => (
      <span className="truncate text-soft" title={row.path}>
        {row.path}
      </span>
    ),
  },
  only: {
    title: "Only here",
    least: 152,
    share: 1.2,
    rank: 95,
    cell: ({ row, root, host }) => {
      const age = factsAge(row, root, host);
      return (
        <span className="flex min-w-0 items-center gap-2.5 overflow-hidden">
          <OnlyHere row={row} stale={age.stale} />
          {age.stale && <StaleAge at={age.at} />}
        </span>
      );
    },
  },
  stashes: {
    title: "Stashes",
    least: 66,
    share: 0,
    rank: 35,
    cell: ({ row }) =>
      row.kind === "directory" ? (
        <Unsaid title="Not in git">–</Unsaid>
      ) : row.stashes === null ? (
        <Unsaid title="Unknown whether its repository has stashes">?</Unsaid>
      ) : row.stashes === 0 ? (
        <Unsaid title="No stashes in its repository">0</Unsaid>
      ) : (
        <span className="numeric text-only" title={`${many(row.stashes, "stash", "stashes")} in its repository`}>
          {row.stashes}
        </span>
      ),
  },
  upstream: { title: "Upstream", least: 86, share: 0, rank: 50, cell: ({ row }) => <Upstream row={row} /> },
  merged: { title: "Merged", least: 88, share: 0, rank: 45, cell: ({ row }) => <Merged row={row} /> },
  commit: {
    title: "Last commit",
    least: 78,
    share: 0,
    rank: 60,
    cell: ({ row }) =>
      row.lastCommitAt !== null ? (
        <Age at={row.lastCommitAt} short className="numeric truncate text-soft" />
      ) : row.head === "branch" || row.head === "detached" ? (
        <Unsaid title="Unknown">?</Unsaid>
      ) : (
        <Unsaid title="No commit">–</Unsaid>
      ),
  },
  active: {
    title: "Active",
    least: 66,
    share: 0,
    rank: 58,
    cell: ({ row }) =>
      row.activeAt === null ? (
        <Unsaid title="Unknown when something was last changed in it">?</Unsaid>
      ) : (
        <Age at={row.activeAt} short className="numeric truncate text-soft" />
      ),
  },
  size: {
    title: "Size",
    least: 78,
    share: 0,
    rank: 40,
    cell: ({ row }) =>
      row.size === null ? (
        <Unsaid title="Not measured yet">
          <CircleHelp size={13} className="inline" />
        </Unsaid>
      ) : (
        <span className="numeric text-soft">{sizeWord(row.size)}</span>
      ),
  },
  group: {
    title: "Group",
    least: 84,
    share: 0.6,
    rank: 42,
    cell: ({ group }) =>
      group === undefined ? <Unsaid title="In no group">–</Unsaid> : <span className="truncate text-soft">{group.name}</span>,
  },
  tags: {
    title: "Tags",
    least: 88,
    share: 0.7,
    rank: 44,
    cell: ({ row }) => (
      <span className="flex min-w-0 items-center gap-1 overflow-hidden">
        {row.tags.map((tag) => (
          <span key={tag} className="truncate rounded bg-press px-1.5 text-xs leading-[18px] text-soft">
            {tag}
          </span>
        ))}
      </span>
    ),
  },
};

export function columnLook(column: Column): Look {
  return LOOKS[column];
}

/** Pixels between two columns, and at both ends of a line. */
const GAP = 12;
const ENDS = 26;

/** Those of the columns that fit into a width, in their order; the name always does. */
export function fitting(columns: readonly Column[], width: number): readonly Column[] {
  const needed = (some: readonly Column[]) =>
    some.reduce((sum, column) => sum + LOOKS[column].least, ENDS + GAP * (some.length - 1));
  let left = columns;
  while (left.length > 1 && needed(left) > width) {
    const least = left.reduce((a, b) => (LOOKS[a].rank <= LOOKS[b].rank ? a : b));
    left = left.filter((column) => column !== least);
  }
  return left;
}

/** The widths of columns, for a grid. */
export function template(columns: readonly Column[]): string {
  return columns
    .map((column) => {
      const { least, share } = LOOKS[column];
      return share === 0 ? `${least}px` : `minmax(${least}px, ${share}fr)`;
    })
    .join(" ");
}
