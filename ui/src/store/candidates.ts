// Where a missing workspace may have gone: those that are there, the likeliest first.

import type { WorkspaceRow } from "../backend/backend";

export interface Candidate {
  readonly row: WorkspaceRow;
  /** What speaks for it, in words. */
  readonly reasons: readonly string[];
}

/** The last component of a path. */
function lastName(path: string): string {
  const clean = path.replace(/[/\\]+$/, "");
  return clean.slice(Math.max(clean.lastIndexOf("/"), clean.lastIndexOf("\\")) + 1);
}

/** Milliseconds within which something was touched lately. */
const LATELY = 7 * 86_400_000;

function weighed(gone: WorkspaceRow, row: WorkspaceRow, now: number): { weight: number; candidate: Candidate } {
  const reasons: string[] = [];
  let weight = 0;
  const count = (points: number, reason: string | null) => {
    weight += points;
    if (reason !== null) reasons.push(reason);
  };
  if (row.name === gone.name || lastName(row.path) === lastName(gone.path)) count(8, "same name");
  if (row.branch !== null && row.branch === gone.branch && row.head === gone.head) count(6, "same branch");
  if (row.root === gone.root) count(3, "same root");
  if (row.kind === gone.kind) count(2, null);
  if (row.host === gone.host) count(1, null);
  if (row.activeAt !== null && now - Date.parse(row.activeAt) < LATELY) count(1, "active lately");
  return { weight, candidate: { row, reasons } };
}

/** All that a missing workspace can be now, by what speaks for each and then by how late it was touched. */
export function candidates(gone: WorkspaceRow, rows: Iterable<WorkspaceRow>, now: number): readonly Candidate[] {
  return [...rows]
    .filter((row) => row.id !== gone.id && row.presence === "present" && !row.untracked && !row.deleting)
    .map((row) => weighed(gone, row, now))
    .toSorted(
      (one, other) =>
        other.weight - one.weight ||
        (other.candidate.row.activeAt ?? "").localeCompare(one.candidate.row.activeAt ?? "") ||
        one.candidate.row.path.localeCompare(other.candidate.row.path),
    )
    .map(({ candidate }) => candidate);
}
