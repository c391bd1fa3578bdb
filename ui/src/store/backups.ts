// Copies of the registry, in words.

import type { BackupRow } from "../backend/backend";
import { many } from "./words";

/** What is in a copy. */
export function backupWords(backup: BackupRow): string {
  return [
    many(backup.hosts, "host", "hosts"),
    many(backup.workspaces, "workspace", "workspaces"),
    many(backup.notes, "note", "notes"),
  ].join(", ");
}

/** How large a copy is. */
export function backupSize(backup: BackupRow): string {
  return backup.kilobytes < 10_000 ? `${backup.kilobytes} kB` : `${Math.ceil(backup.kilobytes / 1000)} MB`;
}
