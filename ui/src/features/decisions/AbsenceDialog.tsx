import type { HostRef, WorkspaceRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { KindIcon } from "../../kit/KindIcon";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";

function annotated(row: WorkspaceRow): boolean {
  return row.noted || row.pinned || row.tags.length > 0;
}

/** Asks whether many workspaces that a host says are gone are to be believed gone. */
export function AbsenceDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const { hostById, rows } = useRegistry();
  const { busy, error, run } = useTask();
  const label = hostById.get(id)?.label ?? "this host";
  const held = [...rows.values()]
    .filter((row) => row.host === id && row.presence === "unconfirmed" && !row.untracked)
    .toSorted((a, b) => Number(annotated(b)) - Number(annotated(a)) || a.path.localeCompare(b.path));
  const written = held.filter(annotated).length;

  const decide = (accept: boolean) => {
    const shown = held.map((row) => row.id);
    run(backend.decideAbsence(id, shown, accept), () => {
      const count = shown.length === 1 ? "1 workspace" : `${shown.length} workspaces`;
      say(accept ? `${count} of ${label} accepted as gone` : `${count} of ${label} kept as missing`);
      onClose();
    });
  };

  return (
    <Dialog
      title={held.length === 0 ? `Nothing of ${label} is in doubt any more` : `Is it true that these are gone?`}
      description={
        held.length === 0 ? (
          "The workspaces have answered, or it was decided meanwhile."
        ) : (
          <>
            {label} says that {held.length === 1 ? "this workspace is" : `these ${held.length} workspaces are`} gone. A
            disk that is not mounted or a home folder that was wiped looks like this too.
          </>
        )
      }
      width="w-[600px]"
      onClose={onClose}
      footer={
        held.length === 0 ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <>
            <Button className="mr-auto" look="quiet" onClick={onClose}>
              Decide later
            </Button>
            <Button disabled={busy} onClick={() => decide(true)}>
              They are gone
            </Button>
            <Button look="primary" disabled={busy} onClick={() => decide(false)}>
              Keep them
            </Button>
          </>
        )
      }
    >
      {held.length > 0 && (
        <div className="flex flex-col gap-3">
          <ul
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
            tabIndex={0}
            aria-label="Workspaces said to be gone"
            className="max-h-[240px] overflow-y-auto rounded-md border border-line"
          >
            {held.map((row) => (
              <li key={row.id} className="flex items-center gap-2 border-b border-line px-2.5 py-1 last:border-0">
                <KindIcon kind={row.kind} />
                <span className="min-w-0 flex-1 truncate" title={row.path}>
                  {row.path}
                </span>
                {annotated(row) && <span className="shrink-0 text-sm text-soft">written about</span>}
              </li>
            ))}
          </ul>
          <dl className="flex flex-col gap-1.5 text-sm">
            <div>
              <dt className="inline font-medium">Keep them: </dt>
              <dd className="inline text-soft">all stay listed as missing, and are found again when they come back.</dd>
            </div>
            <div>
              <dt className="inline font-medium">They are gone: </dt>
              <dd className="inline text-soft">
                {written === 0
                  ? "those that you registered stay listed as missing, the others are forgotten."
                  : `those that you registered or wrote about (${written}) stay listed as missing, the others are forgotten.`}
              </dd>
            </div>
          </dl>
          {error !== null && <Trouble message={error.message} hints={error.hints} />}
        </div>
      )}
    </Dialog>
  );
}
