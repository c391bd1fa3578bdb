import { HardDrive, Layers, Ruler } from "lucide-react";
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { VerdictKind, WorkspaceRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { Trouble } from "../../kit/Trouble";
import { VerdictIcon, verdictWord } from "../../kit/Verdict";
import { useBackend, useRegistry, useView, useViewStore } from "../../store/context";
import { isReachable } from "../../store/facts";
import { useJob } from "../../store/job";
import { many, sizeWord } from "../../store/words";
import { MOST, picture, type Tile } from "./tiles";

/** A verdict by ground, by the tone of its mark and by a pattern of its own. */
const FILLS: Record<VerdictKind, { ground: string; tone: string; pattern: string }> = {
  safe: { ground: "bg-ok-soft", tone: "text-ok", pattern: "" },
  loses: { ground: "bg-edit-soft", tone: "text-edit", pattern: "stripes" },
  blocked: { ground: "bg-danger-soft", tone: "text-danger", pattern: "crosses" },
  unknown: { ground: "bg-sunken", tone: "text-soft", pattern: "dots" },
};
const VERDICTS = Object.keys(FILLS) as VerdictKind[];

/** How large something is, as its box is laid out now. */
function useRoom() {
  const area = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    const measure = () => {
      const [width, height] = [element.clientWidth, element.clientHeight];
      setRoom((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { area, ...room };
}

/** What stands in a line as a whole, or not at all: what does not fit is on a line below that is not seen. */
function Whole({ first, children, className }: { first?: ReactNode; children: ReactNode; className?: string }) {
  return (
    <span className={cx("flex h-4 shrink-0 flex-wrap overflow-hidden text-sm", className)}>
      <span className="inline-flex h-4 shrink-0 items-center">{first}</span>
      <span className="shrink-0 whitespace-nowrap">{children}</span>
    </span>
  );
}

const One = memo(function One({ tile, name, stop, chosen, onFocus, onOver, onPress }: {
  tile: Tile;
  name: string;
  /** Whether the picture would take the focus here if tabbed into. */
  stop: boolean;
  chosen: boolean;
  onFocus: (key: string) => void;
  onOver: (key: string) => void;
  onPress: (tile: Tile) => void;
}) {
  const { key, row, count, kilobytes, x, y, width, height } = tile;
  const { ground, tone, pattern } = row === null ? { ground: "bg-press", tone: "text-soft", pattern: "" } : FILLS[row.verdict];
  return (
    <button
      type="button"
      data-tile={key}
      aria-pressed={row === null ? undefined : chosen}
      tabIndex={stop ? 0 : -1}
      onFocus={() => onFocus(key)}
      onPointerEnter={() => onOver(key)}
      onClick={() => onPress(tile)}
      style={{ left: x, top: y, width, height }}
      className={cx(
        "absolute overflow-hidden rounded-[2px] text-left outline-offset-[-2px]",
        ground,
        "ring-inset",
        chosen ? "ring-2 ring-accent" : "ring-1 ring-line-strong hover:ring-text",
      )}
    >
      <span className="sr-only">{name}</span>
      {pattern !== "" && <span aria-hidden className={cx("absolute inset-0 opacity-20", pattern, tone)} />}
      {width >= 20 && height >= 20 && (
        <span aria-hidden className="absolute inset-x-1 top-1 flex flex-col">
          <Whole
            first={
              row === null ? <Layers size={12} className="mr-1 text-soft" /> : <VerdictIcon verdict={row.verdict} className={cx("mr-1", tone)} />
            }
            className="font-medium"
          >
            {row?.name ?? `${count} smaller`}
          </Whole>
          {height >= 38 && <Whole className="numeric">{sizeWord(kilobytes)}</Whole>}
        </span>
      )}
    </button>
  );
});

/** Measures what is not measured, as far as its host answers. */
function Measure({ rows }: { rows: readonly WorkspaceRow[] }) {
  const backend = useBackend();
  const { hostById } = useRegistry();
  const { state, start, cancel } = useJob<null>();
  const [tried, setTried] = useState<ReadonlySet<string>>(new Set());
  const left = rows.filter((row) => row.size === null);
  const ids = left.filter((row) => row.presence === "present" && isReachable(hostById.get(row.host))).map((row) => row.id);
  const again = ids.length > 0 && ids.every((id) => tried.has(id));
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {left.length > 0 && (
          <p className="text-sm text-soft">
            {left.length} of {rows.length} not measured
            {ids.length === 0 ? ": what is not there, or whose host does not answer, cannot be." : state.is === "done" && again && ": that did not work."}
          </p>
        )}
        {state.is === "running" ? (
          <>
            <p role="status" className="numeric text-sm text-soft">
              Measuring{state.progress === null ? "" : ` ${state.progress.first} of ${state.progress.second}`}…
            </p>
            <Button small onClick={cancel}>
              Cancel
            </Button>
          </>
        ) : (
          ids.length > 0 && (
            <Button
              small
              onClick={() => {
                setTried(new Set(ids));
                start(async (job) => {
                  await backend.measureAll(job, ids);
                  return null;
                });
              }}
            >
              <Ruler size={12} aria-hidden />
              Measure them
            </Button>
          )
        )}
      </div>
      {state.is === "failed" && <Trouble message={state.error.message} hints={state.error.hints} />}
    </>
  );
}

/** What takes up space in the place that is shown, by host and repository, each workspace as large as it is. */
export function DiskUse({ rows }: { rows: readonly WorkspaceRow[] }) {
  const view = useViewStore();
  const { selected } = useView();
  const { hostById, rootById } = useRegistry();
  const { area, width, height } = useRoom();
  const { tiles, frames } = useMemo(() => picture(rows, width, height), [rows, width, height]);
  const [focus, setFocus] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const hasFocus = useRef(false);

  const place = useMemo(() => new Map(tiles.map((tile, at) => [tile.key, at])), [tiles]);
  const stop = place.get(focus ?? selected ?? "") ?? 0;
  const measured = rows.filter((row) => row.size !== null);
  const total = tiles.reduce((sum, tile) => sum + tile.kilobytes, 0);

  const hostName = (host: string) => hostById.get(host)?.label ?? "an unknown host";
  const rootName = (root: string) => rootById.get(root)?.name ?? "an unknown root";
  const words = (tile: Tile): string => {
    const { row } = tile;
    if (row === null) return `${tile.count} smaller ones, ${sizeWord(tile.kilobytes)} together: show the list`;
    const root = rootById.get(row.root);
    const within = root === undefined || root.path === row.path ? "" : ` in ${root.name}`;
    return `${row.name}, ${sizeWord(tile.kilobytes)},${within} on ${hostName(row.host)}, ${verdictWord(row.verdict)}`;
  };

  const press = useCallback(
    ({ key, row }: Tile) => {
      if (row === null) view.set({ picture: false });
      else view.set({ selected: key, focus: key, marked: new Set([key]), inspector: true });
    },
    [view],
  );
  const move = (event: KeyboardEvent) => {
    const last = tiles.length - 1;
    const to = { ArrowRight: stop + 1, ArrowDown: stop + 1, ArrowLeft: stop - 1, ArrowUp: stop - 1, Home: 0, End: last }[event.key];
    const tile = to === undefined ? undefined : tiles[Math.min(last, Math.max(0, to))];
    if (tile === undefined) return;
    event.preventDefault();
    event.currentTarget.querySelector<HTMLElement>(`[data-tile="${CSS.escape(tile.key)}"]`)?.focus();
  };
  // The one that had the focus may be drawn together with others now, or be gone.
  useEffect(() => {
    if (hasFocus.current && focus !== null && !place.has(focus)) {
      area.current?.querySelector<HTMLElement>('[data-tile][tabindex="0"]')?.focus();
    }
  }, [area, focus, place]);

  const told = tiles[place.get(over ?? focus ?? "") ?? -1];
  const toldRow = told?.row ?? null;
  return (
    <section aria-label="What takes up space" className="flex min-h-0 min-w-0 flex-1 flex-col gap-1.5 px-3.5 pb-2.5">
      <div className="flex shrink-0 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <ul aria-label="What the patterns mean" className="flex flex-wrap gap-x-3 text-sm text-soft">
          {VERDICTS.map((verdict) => (
            <li key={verdict} className="inline-flex items-center gap-1">
              <span aria-hidden className={cx("relative size-4 overflow-hidden rounded-[2px] border border-line-strong", FILLS[verdict].ground)}>
                <span className={cx("absolute inset-0 opacity-20", FILLS[verdict].pattern, FILLS[verdict].tone)} />
              </span>
              <VerdictIcon verdict={verdict} className={FILLS[verdict].tone} />
              {verdictWord(verdict)}
            </li>
          ))}
        </ul>
        <Measure rows={rows} />
      </div>
      <div ref={area} className="relative min-h-[180px] flex-1 overflow-hidden">
        {measured.length === 0 ? (
          <div className="flex h-full flex-col items-center justify-center gap-2 p-6 text-center text-soft">
            <HardDrive size={26} aria-hidden />
            <p className="max-w-[360px]">
              {rows.length === 0
                ? "No workspace is listed here. Choose another place, or clear the search."
                : "Nothing here was measured yet. Measure it to see what takes up space."}
            </p>
          </div>
        ) : (
          <>
            {frames.map((frame) => (
              <div
                key={frame.key}
                aria-hidden
                style={{ left: frame.x, top: frame.y, width: frame.width, height: frame.height }}
                className={cx("absolute overflow-hidden rounded border border-line-strong", frame.root === null ? "bg-side" : "bg-page")}
              >
                {frame.named && (
                  <Whole className={cx("mx-1 mt-px text-soft", frame.root === null && "font-semibold")}>
                    {frame.root === null ? hostName(frame.host) : rootName(frame.root)}
                  </Whole>
                )}
              </div>
            ))}
            <div
              role="toolbar"
              aria-label="Workspaces, the largest first; arrow keys go from one to the next"
              onKeyDown={move}
              onFocus={() => (hasFocus.current = true)}
              onBlur={() => (hasFocus.current = false)}
              onPointerLeave={() => setOver(null)}
            >
              {tiles.map((tile, at) => (
                <One
                  key={tile.key}
                  tile={tile}
                  name={words(tile)}
                  stop={at === stop}
                  chosen={tile.row !== null && tile.row.id === selected}
                  onFocus={setFocus}
                  onOver={setOver}
                  onPress={press}
                />
              ))}
            </div>
          </>
        )}
      </div>
      {measured.length > 0 && (
        // The workspaces say this themselves to those who hear them.
        <p aria-hidden data-testid="detail" className="numeric flex h-5 shrink-0 items-center gap-2 overflow-hidden text-sm text-soft">
          {told === undefined ? (
            <span className="truncate">
              {many(measured.length, "workspace", "workspaces")}, {sizeWord(total)}
              {measured.length > MOST && `; the ${MOST} largest are drawn one by one`}
            </span>
          ) : (
            <>
              <span className="shrink-0 font-medium text-text">{toldRow?.name ?? `${told.count} smaller ones`}</span>
              <span className="shrink-0">{sizeWord(told.kilobytes)}</span>
              {toldRow !== null && (
                <>
                  <span className={cx("inline-flex shrink-0 items-center gap-1", FILLS[toldRow.verdict].tone)}>
                    <VerdictIcon verdict={toldRow.verdict} />
                    {verdictWord(toldRow.verdict)}
                  </span>
                  <span className="truncate">
                    {hostName(toldRow.host)}: {toldRow.path}
                  </span>
                </>
              )}
            </>
          )}
        </p>
      )}
    </section>
  );
}
