// Looking for repositories in several folders of a host, one after another, and registering what a person keeps of
// it. What was found is remembered by the application under the job that found it, until it is registered or given up.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { apiError, type ApiError, type HostRef, type JobProgress, type RegisterOutcome, type SearchResult } from "../backend/backend";
import { useBackend } from "./context";

/** How deep folders are looked into. */
const DEPTH = 4;

export type FindState =
  | { readonly is: "waiting" }
  | { readonly is: "running"; readonly progress: JobProgress | null }
  | { readonly is: "done"; readonly result: SearchResult }
  | { readonly is: "failed"; readonly error: ApiError };

/** The search of one folder. */
export interface Find {
  readonly folder: string;
  readonly job: string;
  readonly state: FindState;
  /** Places in the result that are offered: neither listed already nor found by an earlier search. */
  readonly offered: readonly number[];
  readonly chosen: ReadonlySet<number>;
}

export interface Finding {
  /** By folder, in the order in which they were asked for. */
  readonly finds: ReadonlyMap<string, Find>;
  /** Whether a folder is being looked into, or waits for that. */
  readonly looking: boolean;
  /** How many searches are being registered, and how many of them are done. */
  readonly registering: { readonly done: number; readonly of: number } | null;
  /** Looks into folders, anew where that was done before. */
  readonly look: (folders: readonly string[]) => void;
  /** Gives up what is not found yet. */
  readonly cancel: () => void;
  readonly choose: (folder: string, places: readonly number[], wanted: boolean) => void;
  /**
   * Registers what is chosen. It goes on when the screen goes away: it does, as soon as something is registered. Where
   * a search's choice could not be registered at all, its folder is answered with why.
   */
  readonly register: (done: (outcomes: readonly RegisterOutcome[]) => void) => void;
}

/** What of each search is offered, in their order: each path once. */
function offers(finds: readonly Find[]): Map<string, Find> {
  const seen = new Set<string>();
  return new Map(
    finds.map((find) => {
      if (find.state.is !== "done") return [find.folder, find];
      const { found } = find.state.result;
      const offered = found.flatMap((row, at) => (row.listed || seen.has(row.path) ? [] : [at]));
      for (const at of offered) seen.add(found[at]?.path ?? "");
      const chosen = new Set(offered.filter((at) => find.chosen.has(at)));
      return [find.folder, { ...find, offered, chosen }];
    }),
  );
}

/** A result, some of which is listed now. */
function listed(result: SearchResult, places: ReadonlySet<number>): SearchResult {
  return { ...result, found: result.found.map((row, at) => (places.has(at) ? { ...row, listed: true } : row)) };
}

/** Searches folders of `host`. What was found and not registered is forgotten when the screen goes away. */
export function useFinding(host: HostRef | null): Finding {
  const backend = useBackend();
  const [all, setAll] = useState<readonly Find[]>([]);
  const [registering, setRegistering] = useState<Finding["registering"]>(null);
  const queue = useRef<{ folder: string; job: string }[]>([]);
  const running = useRef<string | null>(null);
  /** Jobs the application remembers for us. */
  const open = useRef(new Set<string>());
  const busy = useRef(false);
  const left = useRef(false);

  const end = useCallback(
    (job: string) => {
      // It may have ended by itself.
      if (open.current.delete(job)) backend.endJob(job).catch(() => undefined);
    },
    [backend],
  );

  const change = useCallback(
    (job: string, part: (find: Find) => Partial<Find>) =>
      setAll((before) => before.map((find) => (find.job === job ? { ...find, ...part(find) } : find))),
    [],
  );

  const advance = useCallback(function onward(): void {
    const next = running.current === null ? queue.current.shift() : undefined;
    if (next === undefined || host === null) return;
    const { job, folder } = next;
    running.current = job;
    open.current.add(job);
    change(job, () => ({ state: { is: "running", progress: null } }));
    const over = (part: Partial<Find>) => {
      if (running.current !== job) return;
      running.current = null;
      change(job, () => part);
      onward();
    };
    backend.search(job, { host, folder, depth: DEPTH, hidden: false }).then(
      (result) => over({ state: { is: "done", result }, chosen: new Set(result.found.keys()) }),
      (thrown: unknown) => {
        open.current.delete(job);
        over({ state: { is: "failed", error: apiError(thrown) } });
      },
    );
  }, [backend, host, change]);

  const giveUp = useCallback(() => {
    queue.current = [];
    const job = running.current;
    running.current = null;
    if (job !== null) end(job);
  }, [end]);

  useEffect(() => {
    left.current = false;
    const jobs = open.current;
    return () => {
      left.current = true;
      giveUp();
      // Those that are being registered are ended when that is over.
      if (!busy.current) for (const job of jobs) end(job);
    };
  }, [giveUp, end]);

  const looking = all.some(({ state }) => state.is === "waiting" || state.is === "running");
  useEffect(() => {
    if (!looking) return undefined;
    const listening = backend.listen("jobProgress", (progress) => {
      if (progress.job !== running.current) return;
      change(progress.job, ({ state }) => (state.is === "running" ? { state: { is: "running", progress } } : {}));
    });
    return () => void listening.then((unlisten) => unlisten());
  }, [backend, looking, change]);

  const look = useCallback(
    (folders: readonly string[]) => {
      const anew = folders.map(
        (folder): Find => ({ folder, job: crypto.randomUUID(), state: { is: "waiting" }, offered: [], chosen: new Set() }),
      );
      for (const { folder, job, state } of all) {
        if (folders.includes(folder) && (state.is === "done" || state.is === "failed")) end(job);
      }
      // One that is under way already is not begun twice.
      const under = new Set(all.filter(({ state }) => state.is === "waiting" || state.is === "running").map((find) => find.folder));
      const fresh = anew.filter((find) => !under.has(find.folder));
      const replaced = new Set(fresh.map((find) => find.folder));
      setAll([...all.filter((find) => !replaced.has(find.folder)), ...fresh]);
      queue.current.push(...fresh);
      advance();
    },
    [all, advance, end],
  );

  const cancel = useCallback(() => {
    giveUp();
    setAll((before) => before.filter(({ state }) => state.is === "done" || state.is === "failed"));
  }, [giveUp]);

  const choose = useCallback(
    (folder: string, places: readonly number[], wanted: boolean) =>
      setAll((before) =>
        before.map((find) => {
          if (find.folder !== folder) return find;
          const chosen = new Set(find.chosen);
          for (const place of places) {
            if (wanted) chosen.add(place);
            else chosen.delete(place);
          }
          return { ...find, chosen };
        }),
      ),
    [],
  );

  const finds = useMemo(() => offers(all), [all]);

  const register = useCallback(
    (done: (outcomes: readonly RegisterOutcome[]) => void) => {
      const wanted = [...finds.values()].filter((find) => find.chosen.size > 0);
      if (wanted.length === 0 || busy.current) return;
      busy.current = true;
      setRegistering({ done: 0, of: wanted.length });
      const one = async (find: Find): Promise<readonly RegisterOutcome[]> => {
        try {
          const places = [...find.chosen].toSorted((a, b) => a - b);
          const outcomes = await backend.registerFound(find.job, places);
          // What could not be registered stays ticked, to be tried again.
          const there = new Set(places.filter((_, at) => outcomes[at]?.error === null));
          change(find.job, ({ state, chosen }) =>
            state.is === "done"
              ? { state: { is: "done", result: listed(state.result, there) }, chosen: new Set([...chosen].filter((at) => !there.has(at))) }
              : {},
          );
          return outcomes;
        } catch (thrown) {
          return [{ path: find.folder, registered: null, error: apiError(thrown) }];
        }
      };
      const work = async () => {
        const outcomes: RegisterOutcome[] = [];
        for (const [at, find] of wanted.entries()) {
          // oxlint-disable-next-line no-await-in-loop -- one after another, as they were found
          outcomes.push(...(await one(find)));
          setRegistering({ done: at + 1, of: wanted.length });
        }
        busy.current = false;
        setRegistering(null);
        if (left.current) for (const job of open.current) end(job);
        done(outcomes);
      };
      void work();
    },
    [backend, finds, change, end],
  );

  return { finds, looking, registering, look, cancel, choose, register };
}
