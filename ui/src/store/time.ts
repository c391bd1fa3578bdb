// Ages. They are relative, they tick, and the exact time is one hover away.

import { useSyncExternalStore } from "react";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How often ages are drawn anew, in milliseconds. */
const TICK = 5_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === null) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, TICK);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The time, in milliseconds since the epoch, that ages on screen are told by. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** `2 min`, `3 h`, `5 d`, `4 mo`, `2 y`: a length of time in seconds, in its largest unit. */
export function span(seconds: number): string {
  const length = Math.max(0, seconds);
  if (length < MINUTE) return `${Math.floor(length)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < DAY) return `${Math.floor(length / HOUR)} h`;
  if (length < 60 * DAY) return `${Math.floor(length / DAY)} d`;
  if (length < 730 * DAY) return `${Math.floor(length / (30.44 * DAY))} mo`;
  return `${Math.floor(length / (365.25 * DAY))} y`;
}

/** How long ago `at` was. A time ahead of this machine's clock is said to be now. */
export function ago(at: string, from: number): string {
  const seconds = (from - Date.parse(at)) / 1000;
  return seconds < 20 ? "just now" : `${span(seconds)} ago`;
}

/** How long until `at`. */
export function until(at: string, from: number): string {
  const seconds = (Date.parse(at) - from) / 1000;
  return seconds <= 0 ? "now" : `in ${span(Math.max(1, seconds))}`;
}

/** The exact time, by this machine's zone and customs. */
export function exact(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
}
