import type { ClaimRow, ConflictRow, HostRef, RootRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { KIND_WORDS, KindIcon } from "../../kit/KindIcon";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";

interface Shown {
  readonly root: RootRef;
  readonly conflict: ConflictRow;
}

/** Shows folders that more than one record claims, and lets a person choose which record counts. */
export function ConflictsDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const { hostById, roots, rootById } = useRegistry();
  const { busy, error, run } = useTask();
  const label = hostById.get(id)?.label ?? "this host";
  const shown = new Map<string, Shown>();
  for (const root of roots.filter((each) => each.host === id)) {
    for (const conflict of root.conflicts) {
      if (!shown.has(conflict.path)) shown.set(conflict.path, { root: root.id, conflict });
    }
  }

  const done = (settled: Promise<void>, word: string) =>
    run(settled, () => {
      say(word);
      if (shown.size <= 1) onClose();
    });

  const words = (claim: ClaimRow) => {
    const of = rootById.get(claim.root)?.name ?? claim.repository ?? "an unknown repository";
    return claim.adminName === null ? `${KIND_WORDS[claim.kind]} ${of}` : `${KIND_WORDS[claim.kind]} “${claim.adminName}” of ${of}`;
  };

  return (
    <Dialog
      title={shown.size === 0 ? `Nothing on ${label} is claimed twice any more` : "Which record counts?"}
      description={
        shown.size === 0
          ? "It was settled, or the host says something else by now."
          : `Only one workspace can be in a folder. These records of ${label} cannot all be true, so none of them was taken up.`
      }
      width="w-[600px]"
      onClose={onClose}
      footer={
        <>
          {shown.size > 0 && (
            <Button
              className="mr-auto"
              look="quiet"
              disabled={busy}
              onClick={() => done(backend.syncNow(id), `${label} is asked again`)}
            >
              Ask the host again
            </Button>
          )}
          <Button onClick={onClose}>{shown.size === 0 ? "Close" : "Decide later"}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {[...shown.values()].map(({ root, conflict }) => (
          <section key={conflict.path} aria-label={conflict.path}>
            <h3 className="font-mono text-sm wrap-anywhere" data-selectable>
              {conflict.path}
            </h3>
            <ul className="mt-1.5 rounded-md border border-line">
              {conflict.claims.map((claim, index) => (
                <li
                  key={claim.id ?? index}
                  className="flex items-center gap-2 border-b border-line px-2.5 py-1.5 last:border-0"
                >
                  <KindIcon kind={claim.kind} />
                  <div className="min-w-0 flex-1" data-selectable>
                    <p className="break-words">{words(claim)}</p>
                    {claim.repository !== null && (
                      <p className="font-mono text-xs wrap-anywhere text-soft">{claim.repository}</p>
                    )}
                  </div>
                  <Button
                    small
                    disabled={busy || claim.id === null}
                    title={claim.id === null ? "Its host cannot tell it from a later one" : undefined}
                    aria-label={`This one counts: ${words(claim)}`}
                    onClick={() =>
                      claim.id !== null && done(backend.settleConflict(root, claim.id), `The ${words(claim)} counts`)
                    }
                  >
                    This one counts
                  </Button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {shown.size > 0 && (
          <p className="text-sm text-soft">
            Your choice changes nothing on the host and holds for as long as that record claims the folder. To mend it
            there, remove the stale record with <span className="font-mono">git worktree prune</span> or{" "}
            <span className="font-mono">git worktree remove</span> in its repository, then ask again.
          </p>
        )}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </div>
    </Dialog>
  );
}
