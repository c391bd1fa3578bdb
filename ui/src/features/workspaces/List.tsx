import { useVirtualizer, type Range, defaultRangeExtractor } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import type { WorkspaceRef, WorkspaceRow } from "../../backend/backend";
import { cx } from "../../kit/cx";
import { ContextArea } from "../../kit/Menu";
import { useLayout, useMarked, useMarkedRows, useRegistry, useStores, useView, useViewStore } from "../../store/context";
import type { Dragged } from "../../store/drag";
import type { Column } from "../../store/layout";
import { rowIds, type Line } from "../../store/list";
import { columnLook, fitting, template } from "./columns";
import { HEADER, HeadingLine, ROW, WorkspaceLine } from "./Lines";
import { RowItems } from "./RowMenu";

/** The width of an element, as it changes. */
function useWidth() {
  const [width, setWidth] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const on = element.current;
    if (on === null) return undefined;
    setWidth(on.clientWidth);
    const watching = new ResizeObserver(() => setWidth(on.clientWidth));
    watching.observe(on);
    return () => watching.disconnect();
  }, []);
  return { element, width };
}

function Header({ columns }: { columns: readonly Column[] }) {
  const view = useViewStore();
  const layout = useLayout();
  const { order } = layout;
  const sort = (by: Column) => {
    // Once up, once down, and then as rows stand.
    const next =
      order?.by !== by ? { by, descending: false } : order.descending ? null : { by, descending: true };
    view.set({ layout: { ...view.get().layout, order: next } });
  };
  return (
    <div role="row" aria-rowindex={1} className="line h-7 border-b border-line bg-page text-xs font-medium text-soft">
      {columns.map((column, index) => {
        const sorted = order?.by === column;
        const Arrow = order?.descending === true ? ArrowDown : ArrowUp;
        return (
          <div
            key={column}
            role="columnheader"
            aria-sort={sorted ? (order.descending ? "descending" : "ascending") : "none"}
            className={cx("min-w-0", index === 0 && "pl-4")}
          >
            <button
              type="button"
              onClick={() => sort(column)}
              title={`Sort by ${columnLook(column).title.toLowerCase()}`}
              className={cx(
                "-mx-1 inline-flex h-5 max-w-full items-center gap-1 rounded px-1 hover:bg-hover hover:text-text",
                sorted && "text-text",
              )}
            >
              <span className="truncate">{columnLook(column).title}</span>
              {sorted && <Arrow size={11} aria-hidden className="shrink-0" />}
            </button>
          </div>
        );
      })}
    </div>
  );
}

/** The menu of the marked rows. */
function MarkedItems() {
  return <RowItems rows={useMarkedRows()} />;
}

/** All workspaces of a place, grouped: one tree grid, of which only what can be seen is mounted. */
export function List({ lines, onOpen }: { lines: readonly Line[]; onOpen: () => void }) {
  const { hostById, rootById, groupById } = useRegistry();
  const { operations } = useStores();
  const { focus, place } = useView();
  const { columns: chosen, order, grouping } = useLayout();
  const marked = useMarked();
  const view = useViewStore();
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  /** Where a range of rows begins that is marked by Shift. */
  const anchor = useRef<string | null>(null);
  /** A press takes its row when it ends, so that what was marked can be dragged. */
  const pressing = useRef(false);
  const { element, width } = useWidth();
  const columns = useMemo(() => fitting(chosen, width), [chosen, width]);
  const ordering = order === null && (place.is === "group" || grouping === "group");

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
    estimateSize: (index) => (lines[index]?.is === "heading" ? HEADER : ROW),
    // A new function with new lines, so that what was laid out for the old ones is not taken for theirs.
    getItemKey: keyOf,
    useFlushSync: false,
    overscan: 6,
    rangeExtractor: range,
    scrollPaddingEnd: 8,
  });

  useEffect(() => {
    const ended = () => {
      pressing.current = false;
    };
    // A drag ends wherever it ends.
    window.addEventListener("pointerup", ended);
    window.addEventListener("pointercancel", ended);
    return () => {
      window.removeEventListener("pointerup", ended);
      window.removeEventListener("pointercancel", ended);
    };
  }, []);

  const taken = useRef<string | null>(focus);
  /** Gives a line the focus; a row becomes the only one that is marked. */
  const take = useCallback(
    (key: string) => {
      taken.current = key;
      anchor.current = key;
      const row = !key.includes(":");
      view.set(row ? { focus: key, selected: key, marked: new Set([key]) } : { focus: key });
    },
    [view],
  );

  // Rows are memoised, and what they are told to call must not make them new with every line.
  const current = useRef({ lines, marked });
  useEffect(() => {
    current.current = { lines, marked };
  });

  const tick = useCallback(
    (row: WorkspaceRow) => {
      const next = new Set(current.current.marked);
      if (next.has(row.id)) next.delete(row.id);
      else next.add(row.id);
      taken.current = row.id;
      anchor.current = row.id;
      // The inspector is about one that is marked, if any is.
      const { selected } = view.get();
      const about = next.has(row.id) ? row.id : selected !== null && next.has(selected) ? selected : ([...next].at(-1) ?? null);
      view.set({ focus: row.id, selected: about, marked: next });
    },
    [view],
  );

  const reach = useCallback(
    (key: string) => {
      const { lines: all } = current.current;
      const from = all.findIndex((line) => line.key === (anchor.current ?? key));
      const to = all.findIndex((line) => line.key === key);
      const part = all.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1);
      const ids = rowIds(part);
      const row = !key.includes(":");
      taken.current = key;
      view.set({ focus: key, ...(row ? { selected: key } : {}), ...(ids.length > 0 ? { marked: new Set(ids) } : {}) });
    },
    [view],
  );

  const onFocus = useCallback(
    (key: string) => {
      if (pressing.current || wanted.current === key || view.get().focus === key) return;
      take(key);
    },
    [take, view],
  );

  const onPress = useCallback(
    (row: WorkspaceRow, event: MouseEvent) => {
      if (event.shiftKey) reach(row.id);
      else if (event.ctrlKey || event.metaKey) tick(row);
      else take(row.id);
    },
    [reach, take, tick],
  );

  const dragged = useCallback((row: WorkspaceRow): Dragged => {
    const { lines: all, marked: some } = current.current;
    if (!some.has(row.id)) return { is: "rows", ids: [row.id] };
    return { is: "rows", ids: rowIds(all).filter((id) => some.has(id)) };
  }, []);

  const goTo = (index: number, extend: boolean) => {
    const line = lines[Math.min(Math.max(index, 0), lines.length - 1)];
    if (line === undefined) return;
    wanted.current = line.key;
    if (extend) {
      anchor.current ??= lines[focusIndex]?.key ?? null;
      reach(line.key);
    } else take(line.key);
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
      row.focus({ preventScroll: true });
      wanted.current = null;
    }
  });

  const toggle = useCallback(
    (line: Extract<Line, { is: "heading" }>) => {
      taken.current = line.key;
      view.set({ focus: line.key });
      view.toggle(line.key, !line.open);
    },
    [view],
  );

  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW) - 1);

  /** What a plain letter does to the marked rows. */
  const act = (key: string, ids: readonly WorkspaceRef[]): boolean => {
    const rows = ids.flatMap((id) => lines.flatMap((line) => (line.is === "row" && line.row.id === id ? [line.row] : [])));
    if (rows.length === 0) return false;
    switch (key) {
      case "p":
        void operations.perform({ is: "pin", ids, on: !rows.every((row) => row.pinned) });
        return true;
      case "m":
        view.open({ is: "palette", page: "group" });
        return true;
      case "t":
        view.open({ is: "palette", page: "tag" });
        return true;
      case "h":
        view.open({ is: "palette", page: "host" });
        return true;
      case "delete":
      case "backspace": {
        const deletable = rows.filter((row) => !row.deleting && row.presence !== "missing" && !row.untracked);
        if (deletable.length === 0) return false;
        void operations.perform({ is: "delete", ids: deletable.map((row) => row.id) });
        return true;
      }
      default:
        return false;
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const on = event.target as HTMLElement;
    if (on.getAttribute("role") !== "row") return;
    const line = lines[focusIndex];
    if (line === undefined) return;
    const mod = event.ctrlKey || event.metaKey;
    const ids = rowIds(lines).filter((id) => marked.has(id));
    if (event.altKey) {
      if ((event.key !== "ArrowUp" && event.key !== "ArrowDown") || line.is !== "row" || mod) return;
      void operations.step(ids.includes(line.row.id) ? ids : [line.row.id], event.key === "ArrowUp" ? -1 : 1);
      event.preventDefault();
      return;
    }
    if (mod && event.key.toLowerCase() === "a" && !event.shiftKey) {
      const all = rowIds(lines);
      const last = line.is === "row" ? line.row.id : (all[0] ?? null);
      view.set({ marked: new Set(all), selected: last });
      operations.announce(`${all.length} marked.`);
      event.preventDefault();
      return;
    }
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      const box = on.getBoundingClientRect();
      on.dispatchEvent(
        new window.MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: box.left + 40, clientY: box.top + box.height }),
      );
      event.preventDefault();
      return;
    }
    if (mod && event.key !== " ") return;
    const extend = event.shiftKey;
    switch (event.key) {
      case "ArrowDown":
        goTo(focusIndex + 1, extend);
        break;
      case "ArrowUp":
        goTo(focusIndex - 1, extend);
        break;
      case "Home":
        goTo(0, extend);
        break;
      case "End":
        goTo(lines.length - 1, extend);
        break;
      case "PageDown":
        goTo(focusIndex + page(), extend);
        break;
      case "PageUp":
        goTo(focusIndex - page(), extend);
        break;
      case "ArrowRight":
        if (line.is === "heading") {
          if (line.open) goTo(focusIndex + 1, false);
          else toggle(line);
        }
        break;
      case "ArrowLeft":
        if (line.is === "heading") {
          if (line.open) toggle(line);
        } else if (line.under !== null) {
          goTo(
            lines.findIndex((each) => each.key === line.under),
            false,
          );
        }
        break;
      case "Enter":
        if (line.is === "heading") toggle(line);
        else {
          take(line.key);
          onOpen();
        }
        break;
      case " ":
        if (line.is === "heading") toggle(line);
        else tick(line.row);
        break;
      case "Escape":
        if (marked.size < 2) return;
        if (line.is === "row") take(line.key);
        else view.set({ marked: new Set(), selected: null });
        break;
      default:
        if (extend || mod || !act(event.key.toLowerCase(), ids)) return;
    }
    event.preventDefault();
  };

  /** A menu is about the row under the pointer, and about all that are marked if that is one of them. */
  const onContext = (event: MouseEvent) => {
    const key = (event.target as HTMLElement).closest<HTMLElement>("[data-key]")?.dataset["key"];
    if (key === undefined || key.includes(":")) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (!marked.has(key)) take(key);
  };

  return (
    <div ref={element} className="list flex min-h-0 flex-1 flex-col">
      <div
        role="treegrid"
        aria-label="Workspaces"
        aria-rowcount={lines.length + 1}
        aria-colcount={columns.length}
        aria-multiselectable
        ref={grid}
        onKeyDown={onKeyDown}
        onContextMenuCapture={onContext}
        onPointerDown={() => {
          pressing.current = true;
        }}
        style={{ ["--columns" as string]: template(columns) }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <div role="rowgroup" className="shrink-0">
          <Header columns={columns} />
        </div>
        <div ref={scroller} role="presentation" className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
          <ContextArea items={<MarkedItems />} className="min-h-full">
            <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
              {virtual.getVirtualItems().map(({ index, start, key }) => {
                const line = lines[index];
                if (line === undefined) return null;
                const common = { index, top: start, focused: index === focusIndex, onFocus };
                if (line.is === "heading") {
                  const host = line.heading.is === "root" ? hostById.get(line.heading.root.host) : undefined;
                  return <HeadingLine key={key} {...common} line={line} host={host} onToggle={toggle} />;
                }
                const { row } = line;
                return (
                  <WorkspaceLine
                    key={key}
                    {...common}
                    row={row}
                    level={line.level}
                    position={line.position}
                    of={line.of}
                    root={rootById.get(row.root)}
                    host={hostById.get(row.host)}
                    group={row.group === null ? undefined : groupById.get(row.group)}
                    columns={columns}
                    marked={marked.has(row.id)}
                    several={marked.size > 1}
                    ordering={ordering && row.group !== null}
                    onPress={onPress}
                    onTick={tick}
                    dragged={dragged}
                  />
                );
              })}
            </div>
          </ContextArea>
        </div>
      </div>
    </div>
  );
}
