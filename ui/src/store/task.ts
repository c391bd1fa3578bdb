// Something a person started and waits for: one at a time, with what went wrong kept until the next.

import { useCallback, useState } from "react";
import { apiError, type ApiError } from "../backend/backend";

export interface Task {
  readonly busy: boolean;
  readonly error: ApiError | null;
  /** Waits for `work`, then calls `done` with what it came to. What it fails with is shown. */
  readonly run: <T>(work: Promise<T>, done: (result: T) => void) => void;
  /** Shows an error of something else, or none any more. */
  readonly show: (error: ApiError | null) => void;
}

export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const run = useCallback(<T>(work: Promise<T>, done: (result: T) => void) => {
    setBusy(true);
    setError(null);
    work.then(
      (result) => {
        setBusy(false);
        done(result);
      },
      (thrown: unknown) => {
        setBusy(false);
        setError(apiError(thrown));
      },
    );
  }, []);
  return { busy, error, run, show: setError };
}
