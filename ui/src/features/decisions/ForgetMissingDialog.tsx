import type { WorkspaceRef, WorkspaceRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Confirm, Dialog } from "../../kit/Dialog";
import { KindIcon } from "../../kit/KindIcon";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";
import { many } from "../../store/words";

/** What was written about one, in words; empty if nothing was. */
function written(row: WorkspaceRow): string {
  return [
    row.noted && "a note",
    row.tags.length > 0 && many(row.tags.length, "tag", "tags"),
    row.pinned && "pinned",
    row.group !== null && "in a group",
    row.colour !== null && "a colour",
  ]
    .filter(Boolean)
    .join(", ");
}

/** Confirms that missing workspaces leave the list for good, with what was written about them. */
export function ForgetMissingDialog({ ids, onClose }: { ids: readonly WorkspaceRef[]; onClose: () => void }) {
  const backend = useBackend();
  const { rows, hostById } = useRegistry();
  const { busy, error, run } = useTask();
  const named = ids.flatMap((id) => rows.get(id) ?? []);
  // One whose deletion is pending waits for its host's word.
  const gone = named
    .filter((row) => row.presence === "missing" && !row.deleting)
    .toSorted((a, b) => Number(b.noted) - Number(a.noted) || Number(written(b) !== "") - Number(written(a) !== ""));
  const others = named.length - gone.length;
  const notes = gone.filter((row) => row.noted).length;
  const [only] = gone;

  if (only === undefined) {
    if (busy) return null;
    return (
      <Dialog
        title="Nothing of this is missing any more"
        description="It answered, its deletion is pending, or it was decided meanwhile."
        onClose={onClose}
        footer={<Button onClick={onClose}>Close</Button>}
      />
    );
  }
  const words = gone.length === 1 ? only.name : many(gone.length, "missing workspace", "missing workspaces");
  return (
    <Confirm
      title={`Forget ${words}?`}
      action={gone.length === 1 ? "Forget it" : `Forget ${gone.length}`}
      busy={busy}
      onConfirm={() =>
        run(backend.forgetMissing(gone.map((row) => row.id)), () => {
          say(`${gone.length === 1 ? only.name : many(gone.length, "workspace", "workspaces")} forgotten`);
          onClose();
        })
      }
      onClose={onClose}
    >
      <p>
        {gone.length === 1 ? "It leaves" : "They leave"} the list for good, with what you wrote. Nothing on any host is
        touched. Should {gone.length === 1 ? "it" : "one"} come back, it is a new one to Rollcall.
      </p>
      {notes > 0 && (
        <p className="font-medium text-text">
          {gone.length === 1
            ? "It has a note, which is lost."
            : `${notes === gone.length ? "All of them have" : notes === 1 ? "1 of them has" : `${notes} of them have`} a note, which is lost.`}
        </p>
      )}
      <ul
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
        tabIndex={0}
        aria-label="Workspaces to forget"
        className="max-h-[220px] overflow-y-auto rounded-md border border-line text-text"
      >
        {gone.map((row) => (
          <li key={row.id} className="flex items-center gap-2 border-b border-line px-2.5 py-1 last:border-0">
            <KindIcon kind={row.kind} />
            <span className="min-w-0 flex-1 truncate" title={row.path}>
              {hostById.get(row.host)?.label ?? "an unknown host"}: {row.path}
            </span>
            {written(row) !== "" && <span className="shrink-0 text-sm text-soft">{written(row)}</span>}
          </li>
        ))}
      </ul>
      {others > 0 && (
        <p>
          {others === 1 ? "One other is" : `${others} others are`} left out: not missing, or with a pending deletion.
        </p>
      )}
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
    </Confirm>
  );
}
