import { Check, ChevronRight, CircleDashed, FolderTree, Ghost, Lock, Pin, StickyNote, TriangleAlert } from "lucide-react";
import { memo, type MouseEvent } from "react";
import { apiError, type GroupRow, type HostRow, type RootRow, type WorkspaceRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { ColourMark } from "../../kit/ColourMark";
import { copy } from "../../kit/Copy";
import { cx } from "../../kit/cx";
import { DropZone, useDragged } from "../../kit/Drag";
import { HostIcon, HostMark } from "../../kit/HostMark";
import { KIND_WORDS, KindIcon } from "../../kit/KindIcon";
import { MenuItem, MenuLine, MoreMenu } from "../../kit/Menu";
import { complain, say } from "../../kit/Toast";
import { useBackend, useViewStore } from "../../store/context";
import type { Dragged, Target } from "../../store/drag";
import { pathTail } from "../../store/facts";
import type { Column } from "../../store/layout";
import type { Heading, Line } from "../../store/list";
import { columnLook } from "./columns";
import { PresenceBadge } from "./Facts";

/** Pixels of a row and of a heading. */
export const ROW = 32;
export const HEADER = 38;

/** The condition of a root, where it is worth a word. */
function Condition({ root }: { root: RootRow }) {
  switch (root.condition.is) {
    case "new":
      return (
        <span className="inline-flex items-center gap-1 text-sm text-soft">
          <CircleDashed size={12} aria-hidden />
          not called yet
        </span>
      );
    case "missing":
      return (
        <span className="inline-flex shrink-0 items-center gap-1 text-sm text-danger">
          <Ghost size={12} aria-hidden />
          missing
          <Age at={root.condition.since} short prefix="for " className="text-soft" />
        </span>
      );
    case "failed":
      return (
        <span
          className="inline-flex min-w-0 items-center gap-1 text-sm text-danger"
          title={[root.condition.reason.message, ...root.condition.reason.hints].join(" ")}
        >
          <TriangleAlert size={12} aria-hidden className="shrink-0" />
          <span className="truncate">{root.condition.reason.message}</span>
        </span>
      );
    case "asserted":
      return null;
  }
}

function RootWords({ root, host, focused }: { root: RootRow; host: HostRow | undefined; focused: boolean }) {
  const backend = useBackend();
  const view = useViewStore();
  return (
    <>
      <span className="max-w-[45%] shrink-0 truncate font-semibold" title={root.path}>
        {root.name}
      </span>
      <span className="inline-flex min-w-[40px] items-center gap-1 text-sm text-soft">
        {host !== undefined && <HostIcon host={host} />}
        <span className="truncate">{host?.label}</span>
      </span>
      <span className="min-w-0 flex-1 truncate text-sm text-soft" title={root.path} dir="ltr">
        {root.path}
      </span>
      <Condition root={root} />
      {root.notes.length > 0 && (
        <span className="inline-flex shrink-0 items-center gap-1 text-sm text-edit" title={root.notes.join("\n")}>
          <TriangleAlert size={12} aria-hidden />
          {root.notes.length === 1 ? "1 unreadable record" : `${root.notes.length} unreadable records`}
        </span>
      )}
      {root.conflicts.length > 0 && (
        <span
          className="inline-flex shrink-0 items-center gap-1 text-sm text-danger"
          title={`Claimed by more than one record: ${root.conflicts.map((conflict) => conflict.path).join(", ")}`}
        >
          <TriangleAlert size={12} aria-hidden />
          {root.conflicts.length === 1 ? "1 conflict" : `${root.conflicts.length} conflicts`}
        </span>
      )}
      {root.factsAt !== null && (
        <Age at={root.factsAt} className="numeric wide-2 shrink-0 text-sm text-soft" prefix="seen " />
      )}
      <span data-menu className="inline-flex">
        <MoreMenu label={`Actions for ${root.name}`} tabIndex={focused ? 0 : -1}>
          <MenuItem onClick={() => backend.syncNow(root.host).catch((thrown: unknown) => complain(apiError(thrown)))}>
            Sync now
          </MenuItem>
          <MenuItem onClick={() => copy(root.path, () => say("The path is copied"))}>Copy path</MenuItem>
          {root.kind === "repository" && (
            <MenuItem onClick={() => view.open({ is: "base", root: root.id })}>Base branch…</MenuItem>
          )}
          {root.conflicts.length > 0 && (
            <MenuItem onClick={() => view.open({ is: "conflicts", host: root.host })}>Review conflicts…</MenuItem>
          )}
          <MenuLine />
          <MenuItem danger onClick={() => view.open({ is: "release", root: root.id })}>
            Release…
          </MenuItem>
        </MoreMenu>
      </span>
    </>
  );
}

function HeadingWords({ heading, host, focused }: { heading: Heading; host: HostRow | undefined; focused: boolean }) {
  switch (heading.is) {
    case "root":
      return <RootWords root={heading.root} host={host} focused={focused} />;
    case "host":
      return (
        <>
          <HostMark host={heading.host} size={14} />
          <span className="min-w-0 truncate font-semibold">{heading.host.label}</span>
          <span className="min-w-0 flex-1 truncate text-sm text-soft">{heading.host.address}</span>
          {heading.host.answeredAt !== null && (
            <Age at={heading.host.answeredAt} className="numeric shrink-0 text-sm text-soft" prefix="answered " />
          )}
        </>
      );
    case "group":
      return (
        <>
          <FolderTree size={14} aria-hidden className="shrink-0 text-soft" />
          <span className={cx("min-w-0 flex-1 truncate", heading.group === null ? "text-soft" : "font-semibold")}>
            {heading.group?.name ?? "In no group"}
          </span>
        </>
      );
  }
}

function headingName(heading: Heading, host: HostRow | undefined): string {
  switch (heading.is) {
    case "root":
      return `${heading.root.name} on ${host?.label ?? "an unknown host"}`;
    case "host":
      return heading.host.label;
    case "group":
      return heading.group?.name ?? "In no group";
  }
}

function headingTarget(heading: Heading): Target | null {
  if (heading.is === "group") return { is: "group", group: heading.group?.id ?? null };
  return heading.is === "host" ? { is: "host", host: heading.host.id } : null;
}

interface LineProps {
  index: number;
  top: number;
  focused: boolean;
  onFocus: (key: string) => void;
}

/** The heading of a repository, a host or a group. */
export const HeadingLine = memo(function HeadingLine({
  line,
  host,
  index,
  top,
  focused,
  onFocus,
  onToggle,
}: LineProps & {
  line: Extract<Line, { is: "heading" }>;
  host: HostRow | undefined;
  onToggle: (line: Extract<Line, { is: "heading" }>) => void;
}) {
  const { heading, shown, open } = line;
  const target = headingTarget(heading);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={line.level}
      aria-posinset={line.position}
      aria-setsize={line.of}
      aria-expanded={open}
      aria-label={`${headingName(heading, host)}, ${shown} shown`}
      tabIndex={focused ? 0 : -1}
      data-key={line.key}
      onFocus={(event) => event.target === event.currentTarget && onFocus(line.key)}
      onClick={(event) => {
        if ((event.target as HTMLElement).closest("[data-menu]") === null) onToggle(line);
      }}
      style={{ height: HEADER, transform: `translateY(${top}px)` }}
      className={cx("absolute inset-x-0 top-0 flex items-end outline-offset-[-2px]", line.level > 1 && "pl-4")}
    >
      {target !== null && <DropZone id={line.key} target={target} look="fill" />}
      <div role="gridcell" className="flex h-[32px] min-w-0 flex-1 items-center gap-2 border-b border-line pr-2 pl-1.5">
        <ChevronRight
          size={14}
          aria-hidden
          className={cx("shrink-0 text-soft transition-transform", open && "rotate-90")}
        />
        <HeadingWords heading={heading} host={host} focused={focused} />
        {heading.is !== "root" && <span className="numeric shrink-0 text-sm text-soft">{shown}</span>}
      </div>
    </div>
  );
});

/** One workspace. */
export const WorkspaceLine = memo(function WorkspaceLine({
  row,
  level,
  position,
  of,
  root,
  host,
  group,
  columns,
  index,
  top,
  focused,
  marked,
  several,
  ordering,
  onFocus,
  onPress,
  onTick,
  dragged,
}: LineProps & {
  // Its parts and not the line itself: lines are new with every letter of a search, and most rows stay as they are.
  row: WorkspaceRow;
  level: number;
  position: number;
  of: number;
  root: RootRow | undefined;
  host: HostRow | undefined;
  group: GroupRow | undefined;
  columns: readonly Column[];
  marked: boolean;
  /** Whether more than one row is marked, so that each shows whether it is. */
  several: boolean;
  /** Whether rows can be dropped before this one. */
  ordering: boolean;
  onPress: (row: WorkspaceRow, event: MouseEvent) => void;
  onTick: (row: WorkspaceRow) => void;
  dragged: (row: WorkspaceRow) => Dragged;
}) {
  const tail = pathTail(row, root);
  const gone = row.presence === "missing" || row.presence === "away" || row.presence === "prunable";
  const { ref, listeners, dragging } = useDragged(row.id, () => dragged(row));
  return (
    <div
      ref={ref}
      {...listeners}
      role="row"
      aria-rowindex={index + 2}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={of}
      aria-selected={marked}
      data-testid="workspace"
      data-name={row.name}
      tabIndex={focused ? 0 : -1}
      data-key={row.id}
      onFocus={(event) => event.target === event.currentTarget && onFocus(row.id)}
      onClick={(event) => onPress(row, event)}
      style={{ height: ROW, transform: `translateY(${top}px)` }}
      className={cx(
        "line group/row absolute inset-x-0 top-0 outline-offset-[-2px]",
        marked ? "bg-chosen text-chosen-text [&_*]:text-inherit" : "hover:bg-hover",
        dragging && "opacity-50",
      )}
    >
      <div role="gridcell" className={cx("flex min-w-0 items-center gap-2", level > 1 && "pl-4", level > 2 && "pl-8")}>
        {/* Also reached by Space and by Ctrl and a press; a box of its own in the order of Tab would double every row. */}
        <span
          aria-hidden
          data-tick
          onClick={(event) => {
            event.stopPropagation();
            onTick(row);
          }}
          className="relative inline-flex size-[15px] shrink-0 items-center justify-center"
        >
          <span
            className={cx(
              "absolute inset-0 items-center justify-center rounded-[4px] border border-line-strong",
              several ? "inline-flex" : "hidden group-hover/row:inline-flex",
            )}
          >
            {marked && <Check size={12} strokeWidth={3} />}
          </span>
          <span className={several ? "invisible" : "inline-flex group-hover/row:invisible"}>
            <KindIcon kind={row.kind} />
          </span>
        </span>
        <span className="sr-only">{KIND_WORDS[row.kind]}</span>
        {ordering && <DropZone id={`row:${row.id}`} target={{ is: "row", id: row.id }} look="line" />}
        {row.colour !== null && <ColourMark colour={row.colour} size={11} />}
        <span className={cx("truncate", gone ? "text-soft" : "font-medium")} title={row.path}>
          {row.name}
        </span>
        {row.pinned && (
          <span title="Pinned" className="inline-flex shrink-0 text-accent">
            <Pin size={12} aria-hidden />
            <span className="sr-only">pinned</span>
          </span>
        )}
        {row.noted && (
          <span title="Has a note" className="wide-3 shrink-0 text-soft">
            <StickyNote size={12} aria-hidden />
            <span className="sr-only">has a note</span>
          </span>
        )}
        {row.locked && (
          <span title="Locked" className="wide-3 shrink-0 text-soft">
            <Lock size={12} aria-hidden />
            <span className="sr-only">locked</span>
          </span>
        )}
        <PresenceBadge row={row} />
        {tail !== "" && tail !== row.name && !columns.includes("path") && (
          <span className="wide-4 min-w-0 shrink-[999] text-sm text-soft" title={row.path}>
            <span className="truncate">{tail}</span>
          </span>
        )}
      </div>
      {columns
        .filter((column) => column !== "name")
        .map((column) => (
          <div
            key={column}
            role="gridcell"
            data-column={column}
            className="flex min-w-0 items-center gap-1.5 overflow-hidden"
          >
            {columnLook(column).cell({ row, root, host, group })}
          </div>
        ))}
    </div>
  );
});
