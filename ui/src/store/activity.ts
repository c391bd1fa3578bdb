// How busy workspaces were, week by week.

import type { WorkspaceRow } from "../backend/backend";
import { many } from "./words";

const WEEK = 7 * 24 * 3_600_000;

/** Weeks that a picture of activity looks back. */
const WEEKS = 12;

/**
 * How many of some rows were last active in each of the last weeks, the oldest first. The last week ends now.
 * A row is counted once, in the week in which it was used last; what is older, or of unknown age, not at all.
 */
export function weeksOf(rows: Iterable<WorkspaceRow>, now: number, weeks = WEEKS): readonly number[] {
  const counts = Array.from({ length: weeks }, () => 0);
  for (const row of rows) {
    const at = row.activeAt ?? row.lastCommitAt;
    if (at === null) continue;
    // A time ahead of this machine's clock is now.
    const back = Math.floor(Math.max(0, now - Date.parse(at)) / WEEK);
    const place = weeks - 1 - back;
    if (place >= 0) counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

/** What a picture of activity shows, in a sentence. */
function activityWord(values: readonly number[]): string {
  const last = values.at(-1) ?? 0;
  const before = values.slice(0, -1).reduce((sum, each) => sum + each, 0);
  return `${last} active in the last 7 days, ${before} in the ${many(values.length - 1, "week", "weeks")} before`;
}

/** The activity of some rows over the last weeks: how many in each, and in a sentence. */
export function activityOf(rows: Iterable<WorkspaceRow>, now: number): { readonly weeks: readonly number[]; readonly words: string } {
  const weeks = weeksOf(rows, now);
  return { weeks, words: activityWord(weeks) };
}
