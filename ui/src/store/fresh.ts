// Something read anew whenever the registry changes, for screens that show more than rows.

import { useEffect, useRef, useState } from "react";
import { apiError, type ApiError } from "../backend/backend";
import { useRegistry } from "./context";

/** Milliseconds without a change before it is read anew. */
const SETTLE = 200;

export interface Fresh<T> {
  /** `null` until it was read once. */
  readonly value: T | null;
  readonly error: ApiError | null;
  readonly again: () => void;
}

/** Reads at once, then after every change of the registry; `read` has to be the same function throughout. */
export function useFresh<T>(read: () => Promise<T>): Fresh<T> {
  const { revision, hosts } = useRegistry();
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);
  const begun = useRef(false);
  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(
      () => {
        begun.current = true;
        read().then(
          (found) => {
            if (!wanted) return;
            setValue(found);
            setError(null);
          },
          (thrown: unknown) => wanted && setError(apiError(thrown)),
        );
      },
      begun.current ? SETTLE : 0,
    );
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [read, revision, hosts, turn]);
  return { value, error, again: () => setTurn((before) => before + 1) };
}
