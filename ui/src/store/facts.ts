// What rows say, decided once: every screen draws, counts and filters by these and by nothing else.

import type { ChangeCounts, HostRow, RootRow, WorkspaceRow } from "../backend/backend";

/** Whether something is so; a fact nobody observed is `unknown` and never `no` (I13). */
export type Known = "yes" | "no" | "unknown";

/** Paths that are changed in any way; conflicted ones are counted by git in no other class. */
export function changeCount(changes: ChangeCounts): number {
  return changes.staged + changes.unstaged + changes.untracked + changes.conflicted;
}

/** Whether a working tree holds what is not committed. */
export function isDirty(row: WorkspaceRow): Known {
  if (row.changes === null) return row.kind === "bare" || row.kind === "directory" ? "no" : "unknown";
  return changeCount(row.changes) > 0 ? "yes" : "no";
}

/** Whether a workspace holds commits that no remote has. */
export function isUnpushed(row: WorkspaceRow): Known {
  if (row.kind === "directory") return "no";
  switch (row.unpushed.is) {
    case "unknown":
      return "unknown";
    case "noRemote":
      return row.head === "unborn" ? "no" : "yes";
    case "commits":
      return row.unpushed.count > 0 ? "yes" : "no";
  }
}

/** Whether nothing of a workspace exists only here, by the verdict about deleting it. */
export function isSafe(row: WorkspaceRow): Known {
  if (row.verdict === "unknown") return row.kind === "directory" ? "no" : "unknown";
  return row.verdict === "safe" ? "yes" : "no";
}

/** Whether everything in a workspace is known to exist elsewhere too. */
export function isClean(row: WorkspaceRow): boolean {
  return (
    row.kind !== "directory" &&
    row.presence === "present" &&
    !row.factsUnknown &&
    isDirty(row) === "no" &&
    (row.kind === "bare" || row.changes !== null) &&
    row.unpushed.is === "commits" &&
    row.unpushed.count === 0
  );
}

/** Why a person should look at a row, in words; empty when there is no reason. */
export function attention(row: WorkspaceRow): string[] {
  const reasons: string[] = [];
  if (row.presence === "missing") reasons.push("missing");
  if (row.presence === "prunable") reasons.push("stale record");
  if (row.presence === "notAsserted") reasons.push("not asserted");
  if (row.presence === "unconfirmed") reasons.push("said to be gone");
  if (row.changes !== null && row.changes.conflicted > 0) reasons.push("conflicts");
  if (row.operation !== null) reasons.push(operationWord(row.operation));
  if (row.factsUnknown) reasons.push("facts unknown");
  return reasons;
}

/** An operation in progress, as people say it. */
export function operationWord(operation: NonNullable<WorkspaceRow["operation"]>): string {
  return operation === "cherryPick" ? "cherry-pick" : operation;
}

/** Whether a host answers right now, as far as is known. */
export function isReachable(host: HostRow | undefined): boolean {
  return host !== undefined && (host.state.is === "idle" || host.state.is === "calling");
}

/** When a row's facts were seen and whether that is later than what its host last said. */
export function factsAge(
  row: WorkspaceRow,
  root: RootRow | undefined,
  host: HostRow | undefined,
): { at: string | null; stale: boolean } {
  const at = row.factsAsOf ?? root?.factsAt ?? null;
  const stale =
    row.factsAsOf !== null ||
    row.presence === "missing" ||
    row.presence === "notAsserted" ||
    row.presence === "unconfirmed" ||
    !isReachable(host) ||
    root?.condition.is === "failed" ||
    root?.condition.is === "missing";
  return { at, stale };
}

/** The part of a row's path that its root does not say already. */
export function pathTail(row: WorkspaceRow, root: RootRow | undefined): string {
  if (root === undefined) return row.path;
  if (row.path === root.path) return "";
  if (row.path.startsWith(`${root.path}/`)) return row.path.slice(root.path.length + 1);
  const parent = root.path.slice(0, root.path.lastIndexOf("/") + 1);
  if (parent.length > 1 && row.path.startsWith(parent)) return row.path.slice(parent.length);
  return row.path;
}
