import { FolderSearch } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { PlaceRow, RegisterOutcome } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { FoundLine, Unreadable } from "../../kit/Found";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useViewStore } from "../../store/context";
import type { Find, Finding } from "../../store/finding";
import { many } from "../../store/words";

/** Lines of what was found in one place that are shown before the others are asked for. */
const SHOWN = 100;

/** What a person reads of a search: how far it is, or what it came to. */
function findWords({ state, offered }: Find): string {
  switch (state.is) {
    case "waiting":
      return "waits for its turn";
    case "running":
      return state.progress === null
        ? "looking…"
        : `${many(state.progress.first, "folder", "folders")} looked at, ${state.progress.second} found`;
    case "failed":
      return "could not be looked into";
    case "done": {
      const { found, lookedAt } = state.result;
      const others = found.length - offered.length;
      const words = `${many(offered.length, "repository", "repositories")} in ${many(lookedAt, "folder", "folders")}`;
      return others === 0 ? words : `${words}, ${others} more ${others === 1 ? "is" : "are"} listed or found already`;
    }
  }
}

/** A path below a place, as it is said there. */
function below(place: PlaceRow, path: string): string {
  return path.startsWith(`${place.path}/`) ? path.slice(place.path.length + 1) : path;
}

function Place({ place, find, finding }: { place: PlaceRow; find: Find | undefined; finding: Finding }) {
  const [all, setAll] = useState(false);
  const { looking, registering, look, choose } = finding;
  const { state, offered, chosen } = find ?? { state: null, offered: [], chosen: new Set<number>() };
  const shown = all ? offered : offered.slice(0, SHOWN);
  const every = chosen.size === offered.length;
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex min-h-6 items-center gap-3">
        <FolderSearch size={15} aria-hidden className="shrink-0 text-soft" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-mono text-sm" title={place.path}>
            {place.display}
          </span>
          {find !== undefined && (
            <span className="block text-sm text-soft" role="status">
              {findWords(find)}
            </span>
          )}
        </span>
        {state?.is === "done" && offered.length > 1 && (
          <Button
            small
            look="quiet"
            disabled={registering !== null}
            onClick={() => choose(place.path, offered, !every)}
          >
            {every ? "Untick all" : "Tick all"}
            <span className="sr-only"> in {place.display}</span>
          </Button>
        )}
        {(state === null || state.is === "failed") && (
          <Button small disabled={looking || registering !== null} onClick={() => look([place.path])}>
            {state === null ? "Search" : "Try again"}
            <span className="sr-only"> {place.display}</span>
          </Button>
        )}
      </div>
      {state?.is === "failed" && <Trouble className="mt-2" message={state.error.message} hints={state.error.hints} />}
      {state?.is === "done" && (
        <>
          {offered.length > 0 && (
            <ul aria-label={`Found in ${place.display}`} className="mt-1 pl-[27px]" data-selectable>
              {shown.map((at) => {
                const row = state.result.found[at];
                return (
                  row !== undefined && (
                    <FoundLine
                      key={row.path}
                      row={row}
                      words={below(place, row.path)}
                      chosen={chosen.has(at)}
                      disabled={registering !== null}
                      onChange={(wanted) => choose(place.path, [at], wanted)}
                    />
                  )
                );
              })}
            </ul>
          )}
          {shown.length < offered.length && (
            <Button small look="quiet" className="ml-5" onClick={() => setAll(true)}>
              Show {offered.length - shown.length} more
            </Button>
          )}
          <Unreadable paths={state.result.unreadable} />
        </>
      )}
    </li>
  );
}

/** The folders that nobody looked into yet. */
function untouched(places: readonly PlaceRow[], { finds }: Finding): string[] {
  return places.filter(({ path }) => !finds.has(path)).map(({ path }) => path);
}

/** Folders of this machine in which repositories may be, and what was found in each. */
export function Places({ places, finding }: { places: readonly PlaceRow[]; finding: Finding }) {
  const { finds, look } = finding;
  return (
    <div className="border-t border-line">
      <p className="px-4 pt-3 pb-1 text-soft">
        {places.length === 1 ? "This folder is" : "These folders are"} where people tend to keep repositories. Nothing is
        registered before you say so.
      </p>
      <ul aria-label="Folders to look in">
        {places.map((place) => (
          <Place key={place.path} place={place} find={finds.get(place.path)} finding={finding} />
        ))}
      </ul>
      {finds.size === 0 && (
        <div className="flex justify-end border-t border-line px-4 py-2.5">
          <Button look="primary" onClick={() => look(untouched(places, finding))}>
            <FolderSearch size={15} aria-hidden />
            {places.length === 1 ? "Look in this folder" : "Look in these folders"}
          </Button>
        </div>
      )}
    </div>
  );
}

/** How far the search is, and what can be done with what it found; it stays in sight however much that is. */
export function FindingBar({ places, finding }: { places: readonly PlaceRow[]; finding: Finding }) {
  const view = useViewStore();
  const { finds, looking, registering, look, cancel, register } = finding;
  const bar = useRef<HTMLDivElement>(null);

  // What was pressed is gone once it has begun, or is over: the focus goes to what can be done next.
  const waits = looking || registering !== null;
  useEffect(() => {
    if (document.activeElement !== document.body) return;
    const next = [...(bar.current?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])].at(-1);
    next?.focus();
  }, [waits]);

  // The screen may have given way to the list by then: what is to be said is said over whatever is shown.
  const told = (outcomes: readonly RegisterOutcome[]) => {
    const details = () => view.open({ is: "outcomes", outcomes });
    const odd = outcomes.some(({ registered }) => registered === null || registered.inside !== null);
    const roots = new Set(outcomes.flatMap(({ registered }) => registered?.root.id ?? []));
    if (odd && view.get().dialog === null) details();
    else if (odd) say("Some folders were not registered", { action: { label: "Details", run: details } });
    else say(`${many(roots.size, "repository is", "repositories are")} registered`);
  };

  const left = untouched(places, finding);
  const chosen = [...finds.values()].reduce((sum, find) => sum + find.chosen.size, 0);
  const found = [...finds.values()].some((find) => find.offered.length > 0);
  return (
    <div ref={bar} className="flex shrink-0 items-center gap-2 border-t border-line bg-sunken px-8 py-2.5">
      <p role="status" className="min-w-0 flex-1 text-sm text-soft">
        {registering !== null
          ? `Registering${registering.of > 1 ? `: ${registering.done} of ${registering.of} folders done` : ""}…`
          : looking
            ? "Looking, one folder after another…"
            : found
              ? `${chosen} ticked`
              : "Nothing to register"}
      </p>
      {looking && <Button onClick={cancel}>Cancel</Button>}
      {!looking && left.length > 0 && (
        <Button look={found ? "plain" : "primary"} disabled={registering !== null} onClick={() => look(left)}>
          <FolderSearch size={15} aria-hidden />
          {left.length === 1 ? "Look in the other" : "Look in the others"}
        </Button>
      )}
      {found && (
        <Button look="primary" disabled={chosen === 0 || waits} onClick={() => register(told)}>
          {registering !== null ? "Registering…" : `Register ${chosen}`}
        </Button>
      )}
    </div>
  );
}
