// Something that may take long, and can be given up: looks, measurements and searches.

import { useCallback, useEffect, useRef, useState } from "react";
import { apiError, type ApiError, type JobProgress } from "../backend/backend";
import { useBackend } from "./context";

export type JobState<T> =
  | { is: "none" }
  | { is: "running"; progress: JobProgress | null }
  | { is: "done"; value: T }
  | { is: "failed"; error: ApiError };

export interface Job<T> {
  readonly state: JobState<T>;
  /** What the application calls it by. */
  readonly name: () => string | null;
  readonly start: (begin: (job: string) => Promise<T>) => void;
  readonly cancel: () => void;
}

/** One job at a time. It is given up when its screen goes away, and what it found is forgotten. */
export function useJob<T>(): Job<T> {
  const backend = useBackend();
  const [state, setState] = useState<JobState<T>>({ is: "none" });
  const name = useRef<string | null>(null);

  const end = useCallback(() => {
    const ended = name.current;
    name.current = null;
    // What it would have answered is of no use to anybody any more.
    if (ended !== null) backend.endJob(ended).catch(() => undefined);
  }, [backend]);

  useEffect(() => end, [end]);

  const running = state.is === "running";
  useEffect(() => {
    // Most screens with a job never start it.
    if (!running) return undefined;
    const listening = backend.listen("jobProgress", (progress) => {
      if (progress.job !== name.current) return;
      setState((before) => (before.is === "running" ? { is: "running", progress } : before));
    });
    return () => void listening.then((unlisten) => unlisten());
  }, [backend, running]);

  const start = useCallback(
    (begin: (job: string) => Promise<T>) => {
      end();
      const own = crypto.randomUUID();
      name.current = own;
      setState({ is: "running", progress: null });
      begin(own).then(
        (value) => name.current === own && setState({ is: "done", value }),
        (thrown: unknown) => name.current === own && setState({ is: "failed", error: apiError(thrown) }),
      );
    },
    [end],
  );

  const cancel = useCallback(() => {
    end();
    setState({ is: "none" });
  }, [end]);

  return { state, name: () => name.current, start, cancel };
}
