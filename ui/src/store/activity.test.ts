import { describe, expect, it } from "vitest";
import type { WorkspaceRow } from "../backend/backend";
import { aRow } from "../backend/fake";
import { activityOf, weeksOf } from "./activity";

const NOW = Date.parse("2026-12-03T12:00:00Z");
const DAY = 24 * 3_600_000;

function used(days: number | null, part: Partial<WorkspaceRow> = {}): WorkspaceRow {
  const activeAt = days === null ? null : new Date(NOW - days * DAY).toISOString();
  return aRow({ id: "w", host: "h", root: "r", activeAt, lastCommitAt: null, ...part });
}

describe("activity", () => {
  it("counts each row once, in the week in which it was used last, the oldest week first", () => {
    const weeks = weeksOf([used(0), used(6.9), used(7.1), used(83)], NOW);
    expect(weeks).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
  });

  it("leaves out what is older, and what nobody knows the age of", () => {
    expect(weeksOf([used(84.1), used(null)], NOW)).toEqual(Array.from({ length: 12 }, () => 0));
  });

  it("goes by the last commit where nothing else is known, and takes a clock that is ahead for now", () => {
    const committed = used(null, { lastCommitAt: new Date(NOW - 8 * DAY).toISOString() });
    expect(weeksOf([committed, used(-3)], NOW, 3)).toEqual([0, 1, 1]);
  });

  it("is a sentence too", () => {
    expect(activityOf([used(1), used(2), used(9), used(70)], NOW)).toEqual({
      weeks: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2],
      words: "2 active in the last 7 days, 2 in the 11 weeks before",
    });
  });
});
