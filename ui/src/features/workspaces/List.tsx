import { useVirtualizer, type Range, defaultRangeExtractor } from "@tanstack/react-virtual";
import { ChevronRight, Lock, Pin, StickyNote, TriangleAlert, Ghost, CircleDashed } from "lucide-react";
import { memo, useCallback, useEffect, useRef, type KeyboardEvent } from "react";
import type { HostRow, RootRow, WorkspaceRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { cx } from "../../kit/cx";
import { HostIcon } from "../../kit/HostMark";
import { MenuItem, MenuLine, MoreMenu } from "../../kit/Menu";
import { complain, say } from "../../kit/Toast";
import { KindIcon } from "../../kit/KindIcon";
import { apiError } from "../../backend/backend";
import { useBackend, useRegistry, useView, useViewStore } from "../../store/context";
import { factsAge, pathTail } from "../../store/facts";
import { rootKey, type Line } from "../../store/list";
import { Branch, OnlyHere, PresenceBadge, StaleAge, Upstream } from "./Facts";

const ROW = 32;
const HEADER = 38;

const COLUMNS = [
  ["Workspace", ""],
  ["Branch", ""],
  ["Only here", ""],
  ["Upstream", "wide-4"],
  ["Last commit", "wide-3"],
  ["Tags", "wide-5"],
] as const;

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

interface LineProps {
  index: number;
  top: number;
  focused: boolean;
  /** Whether the list would take focus here if tabbed into. */
  onFocus: (key: string) => void;
}

const RootLine = memo(function RootLine({
  line,
  host,
  index,
  top,
  focused,
  onFocus,
  onToggle,
}: LineProps & {
  line: Extract<Line, { is: "root" }>;
  host: HostRow | undefined;
  onToggle: (line: Extract<Line, { is: "root" }>) => void;
}) {
  const { root, shown, open } = line;
  const backend = useBackend();
  const view = useViewStore();
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={1}
      aria-posinset={line.position}
      aria-setsize={line.of}
      aria-expanded={open}
      aria-label={`${root.name} on ${host?.label ?? "an unknown host"}, ${shown} shown`}
      tabIndex={focused ? 0 : -1}
      data-key={line.key}
      onFocus={(event) => event.target === event.currentTarget && onFocus(line.key)}
      onClick={(event) => {
        if ((event.target as HTMLElement).closest("[data-menu]") === null) onToggle(line);
      }}
      style={{ height: HEADER, transform: `translateY(${top}px)` }}
      className="absolute inset-x-0 top-0 flex items-end outline-offset-[-2px]"
    >
      <div role="gridcell" className="flex h-[32px] min-w-0 flex-1 items-center gap-2 border-b border-line pr-2 pl-1.5">
        <ChevronRight
          size={14}
          aria-hidden
          className={cx("shrink-0 text-soft transition-transform", open && "rotate-90")}
        />
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
          <span
            className="inline-flex shrink-0 items-center gap-1 text-sm text-edit"
            title={root.notes.join("\n")}
          >
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
            <MenuItem
              onClick={() =>
                backend.syncNow(root.host).catch((thrown: unknown) => complain(apiError(thrown)))
              }
            >
              Sync now
            </MenuItem>
            <MenuItem
              onClick={() =>
                navigator.clipboard.writeText(root.path).then(
                  () => say("The path is copied"),
                  () => say("The clipboard could not be used"),
                )
              }
            >
              Copy path
            </MenuItem>
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
      </div>
    </div>
  );
});

const WorkspaceLine = memo(function WorkspaceLine({
  row,
  root,
  host,
  position,
  of,
  index,
  top,
  focused,
  selected,
  onFocus,
}: LineProps & {
  row: WorkspaceRow;
  root: RootRow | undefined;
  host: HostRow | undefined;
  position: number;
  of: number;
  selected: boolean;
}) {
  const age = factsAge(row, root, host);
  const tail = pathTail(row, root);
  const gone = row.presence === "missing" || row.presence === "away" || row.presence === "prunable";
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={2}
      aria-posinset={position}
      aria-setsize={of}
      aria-selected={selected}
      data-testid="workspace"
      data-name={row.name}
      tabIndex={focused ? 0 : -1}
      data-key={row.id}
      onFocus={(event) => event.target === event.currentTarget && onFocus(row.id)}
      style={{ height: ROW, transform: `translateY(${top}px)` }}
      className={cx(
        "line absolute inset-x-0 top-0 outline-offset-[-2px]",
        selected ? "bg-chosen text-chosen-text [&_*]:text-inherit" : "hover:bg-hover",
      )}
    >
      <div role="gridcell" className="flex min-w-0 items-center gap-2 pl-4">
        <KindIcon kind={row.kind} />
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
        {tail !== "" && tail !== row.name && (
          <span className="wide-4 min-w-0 shrink-[999] text-sm text-soft" title={row.path}>
            <span className="truncate">{tail}</span>
          </span>
        )}
      </div>
      <div role="gridcell" className="flex min-w-0 items-center gap-1.5 overflow-hidden">
        <Branch row={row} />
      </div>
      <div role="gridcell" className="flex min-w-0 items-center gap-2.5 overflow-hidden">
        <OnlyHere row={row} stale={age.stale} />
        {age.stale && <StaleAge at={age.at} />}
      </div>
      <div role="gridcell" className="wide-4 min-w-0 items-center">
        <Upstream row={row} />
      </div>
      <div role="gridcell" className="wide-3 numeric min-w-0 items-center text-soft">
        {row.lastCommitAt === null ? (
          <span title={row.head === "branch" || row.head === "detached" ? "Unknown" : "No commit"}>
            {row.head === "branch" || row.head === "detached" ? "?" : "–"}
          </span>
        ) : (
          <Age at={row.lastCommitAt} short className="truncate" />
        )}
      </div>
      <div role="gridcell" className="wide-5 min-w-0 items-center gap-1 overflow-hidden">
        {row.tags.map((tag) => (
          <span key={tag} className="truncate rounded bg-press px-1.5 text-xs leading-[18px] text-soft">
            {tag}
          </span>
        ))}
      </div>
    </div>
  );
});

/** All workspaces of a place, grouped by root: one tree grid, of which only what can be seen is mounted. */
export function List({ lines, onOpen }: { lines: readonly Line[]; onOpen: () => void }) {
  const { hostById } = useRegistry();
  const { focus, selected } = useView();
  const view = useViewStore();
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);

  const focusIndex = Math.max(
    0,
    lines.findIndex((line) => line.key === focus),
  );
  const range = useCallback(
    (visible: Range) => {
      const indexes = defaultRangeExtractor(visible);
      if (focusIndex < lines.length && !indexes.includes(focusIndex)) indexes.push(focusIndex);
      return indexes.toSorted((a, b) => a - b);
    },
    [focusIndex, lines.length],
  );
  const keyOf = useCallback((index: number) => lines[index]?.key ?? index, [lines]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (lines[index]?.is === "root" ? HEADER : ROW),
    // A new function with new lines, so that what was laid out for the old ones is not taken for theirs.
    getItemKey: keyOf,
    useFlushSync: false,
    overscan: 12,
    rangeExtractor: range,
    scrollPaddingEnd: 8,
  });

  const taken = useRef<string | null>(focus);
  const take = useCallback(
    (key: string) => {
      taken.current = key;
      const line = key.startsWith("root:") ? null : key;
      view.set(line === null ? { focus: key } : { focus: key, selected: line });
    },
    [view],
  );

  const move = (index: number) => {
    const line = lines[Math.min(Math.max(index, 0), lines.length - 1)];
    if (line === undefined) return;
    wanted.current = line.key;
    take(line.key);
    virtual.scrollToIndex(lines.indexOf(line), { align: "auto" });
  };

  // A line chosen from elsewhere, such as a root just registered, is brought into view once it is there.
  const brought = focus !== taken.current && lines[focusIndex]?.key === focus;
  useEffect(() => {
    if (!brought) return;
    taken.current = focus;
    virtual.scrollToIndex(focusIndex, { align: "center" });
  }, [brought, focus, focusIndex, virtual]);

  // Focus moves once the row it moves to is mounted.
  useEffect(() => {
    if (wanted.current === null) return;
    const row = grid.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(wanted.current)}"]`);
    if (row !== null && row !== undefined) {
      wanted.current = null;
      row.focus({ preventScroll: true });
    }
  });

  const toggle = useCallback(
    (line: Extract<Line, { is: "root" }>) => view.toggle(line.root.id, !line.open),
    [view],
  );

  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW) - 1);

  const onKeyDown = (event: KeyboardEvent) => {
    const on = event.target as HTMLElement;
    if (on.getAttribute("role") !== "row" || event.altKey || event.ctrlKey || event.metaKey) return;
    const line = lines[focusIndex];
    if (line === undefined) return;
    switch (event.key) {
      case "ArrowDown":
        move(focusIndex + 1);
        break;
      case "ArrowUp":
        move(focusIndex - 1);
        break;
      case "Home":
        move(0);
        break;
      case "End":
        move(lines.length - 1);
        break;
      case "PageDown":
        move(focusIndex + page());
        break;
      case "PageUp":
        move(focusIndex - page());
        break;
      case "ArrowRight":
        if (line.is === "root") {
          if (line.open) move(focusIndex + 1);
          else toggle(line);
        }
        break;
      case "ArrowLeft":
        if (line.is === "root") {
          if (line.open) toggle(line);
        } else if (line.root !== undefined) {
          const key = rootKey(line.root.id);
          move(lines.findIndex((each) => each.key === key));
        }
        break;
      case "Enter":
      case " ":
        if (line.is === "root") toggle(line);
        else {
          take(line.key);
          onOpen();
        }
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  const header = (
    <div role="row" aria-rowindex={1} className="line h-7 border-b border-line bg-page text-xs font-medium text-soft">
      {COLUMNS.map(([name, hides], index) => (
        <div key={name} role="columnheader" className={cx("truncate", hides, index === 0 && "pl-4")}>
          {name}
        </div>
      ))}
    </div>
  );

  return (
    <div className="list flex min-h-0 flex-1 flex-col">
      <div
        role="treegrid"
        aria-label="Workspaces"
        aria-rowcount={lines.length + 1}
        aria-colcount={COLUMNS.length}
        aria-multiselectable={false}
        ref={grid}
        onKeyDown={onKeyDown}
        className="flex min-h-0 flex-1 flex-col"
      >
        <div role="rowgroup" className="shrink-0">
          {header}
        </div>
        <div ref={scroller} role="presentation" className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start, key }) => {
              const line = lines[index];
              if (line === undefined) return null;
              const common = { index, top: start, focused: index === focusIndex, onFocus: take };
              return line.is === "root" ? (
                <RootLine key={key} {...common} line={line} host={hostById.get(line.root.host)} onToggle={toggle} />
              ) : (
                <WorkspaceLine
                  key={key}
                  {...common}
                  row={line.row}
                  root={line.root}
                  host={hostById.get(line.row.host)}
                  position={line.position}
                  of={line.of}
                  selected={line.row.id === selected}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
