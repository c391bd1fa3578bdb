// A deletion is taken back while it waits, and what rests in the trash of its host is brought back.

import { Failure, type Backend, type HostRef, type WorkspaceRef } from "../backend/backend";
import type { RegistryStore } from "./registry";

/** What was deleted, as it was then. */
export interface Deleted {
  readonly id: WorkspaceRef;
  readonly host: HostRef;
  readonly name: string;
  readonly path: string;
}

/** Takes deletions back, one after another: the later ones first, so that what lay in another comes after it. */
export async function undelete(backend: Backend, registry: RegistryStore, deleted: readonly Deleted[]): Promise<void> {
  for (const { id, host, name, path } of deleted.toReversed()) {
    if (registry.get().rows.get(id)?.deleting === true) {
      // oxlint-disable-next-line no-await-in-loop -- hosts take them in turn
      await backend.cancelDeletion(id);
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    const resting = (await backend.trash()).filter((row) => row.host === host && row.path === path && row.whole);
    const [last] = resting.toSorted((a, b) => (b.deletedAt ?? "").localeCompare(a.deletedAt ?? ""));
    if (last === undefined) {
      throw new Failure({
        code: "not_found",
        message: `${name} does not rest in the trash of its host.`,
        hints: ["Call the roll of its host, then look into the trash."],
        retry: false,
      });
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await backend.restore(host, last.id, null);
  }
}
