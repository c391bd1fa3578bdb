import { CircleStop, Clock3, Hourglass, RefreshCw, type LucideIcon } from "lucide-react";
import { useCallback } from "react";
import type { PendingRow, PendingState } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { Dialog } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useViewStore } from "../../store/context";
import { useFresh } from "../../store/fresh";
import { useTask } from "../../store/task";
import { many } from "../../store/words";
import { VerdictItems } from "../../kit/Verdict";

const STATES: Record<PendingState, { word: string; icon: LucideIcon; tone: string }> = {
  waiting: { word: "waits", icon: Hourglass, tone: "text-soft" },
  running: { word: "is carried out", icon: RefreshCw, tone: "text-accent" },
  confirming: { word: "is confirmed", icon: RefreshCw, tone: "text-accent" },
  retrying: { word: "is tried again", icon: Clock3, tone: "text-edit" },
  stopped: { word: "stopped", icon: CircleStop, tone: "text-danger" },
};

function One({ row }: { row: PendingRow }) {
  const backend = useBackend();
  const view = useViewStore();
  const { busy, error, run } = useTask();
  const { word, icon: Icon, tone } = STATES[row.state];
  const stopped = row.state === "stopped";
  const differs = JSON.stringify(row.agreed) !== JSON.stringify(row.now);
  return (
    <li data-testid={`pending-${row.name}`} data-state={row.state} className="flex flex-col gap-1.5 border-b border-line px-3 py-2.5 last:border-0">
      <div className="flex items-center gap-2">
        <Icon size={13} aria-hidden className={cx("shrink-0", tone)} />
        <span className="min-w-0 truncate font-medium">{row.name}</span>
        <span className={cx("shrink-0 text-sm", tone)}>{word}</span>
        <Age at={row.askedAt} prefix="decided " className="ml-auto shrink-0 text-xs text-soft" />
      </div>
      <p className="truncate text-sm text-soft" title={row.path} data-selectable>
        {row.hostLabel}: {row.path}
      </p>
      <p className={cx("text-sm break-words", stopped && "font-medium")} data-selectable>
        {row.plan}
      </p>
      {row.attempts > 0 && row.attemptedAt !== null && (
        <p className="text-xs text-soft">
          {many(row.attempts, "attempt", "attempts")} failed, the last <Age at={row.attemptedAt} />
        </p>
      )}
      {(stopped || differs) && (
        <div className="grid grid-cols-2 gap-3 rounded-md bg-sunken px-2.5 py-2">
          <div className="min-w-0">
            <p className="text-xs font-semibold text-soft">Agreed to lose</p>
            {row.agreed.length === 0 ? <p className="text-sm">nothing</p> : <VerdictItems items={row.agreed} />}
          </div>
          <div className="min-w-0">
            <p className="text-xs font-semibold text-soft">As it is known now</p>
            {row.now.length === 0 ? <p className="text-sm">nothing</p> : <VerdictItems items={row.now} />}
          </div>
        </div>
      )}
      <div className="flex flex-wrap gap-1.5">
        {stopped && (
          <>
            <Button small look="primary" onClick={() => view.open({ is: "delete", ids: [row.id], again: row.epoch })}>
              Review and retry…
            </Button>
            {row.stop === "locked" && (
              <Button
                small
                disabled={busy}
                title="Takes the lock away, whoever set it, and tries again"
                onClick={() => run(backend.unlock(row.id), () => say(`${row.name} is unlocked; its deletion is tried again`))}
              >
                Unlock
              </Button>
            )}
            <Button
              small
              disabled={busy}
              title="Tries again with what was agreed to before"
              onClick={() => run(backend.retryDeletion(row.id, row.epoch), () => undefined)}
            >
              Try again
            </Button>
          </>
        )}
        <Button
          small
          disabled={busy}
          title={row.needsHost ? `${row.hostLabel} is asked first, and puts back what it moved` : "Nothing has begun on its host"}
          onClick={() => run(backend.cancelDeletion(row.id), () => say(`${row.name} is not deleted`))}
        >
          Cancel deletion
        </Button>
        {row.state !== "running" && (
          <Button
            small
            look="quiet"
            disabled={busy}
            title="Gives the deletion up and hides the workspace; nothing on its host is touched"
            onClick={() => run(backend.releaseDeletion(row.id), () => say(`${row.name} is hidden, and stays on its host`))}
          >
            Untrack anyway
          </Button>
        )}
      </div>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
    </li>
  );
}

/** Every deletion that is not confirmed yet: what happens next, and what a person can do about it. */
export function PendingDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const read = useCallback(() => backend.pending(), [backend]);
  const { value, error } = useFresh(read);
  const rows = value?.toSorted((a, b) => Number(b.state === "stopped") - Number(a.state === "stopped"));
  return (
    <Dialog
      title="Pending deletions"
      description="Decided, and not confirmed by their hosts yet. They stay until they are carried out or you take them back."
      width="w-[640px]"
      reading
      onClose={onClose}
    >
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
      {rows === undefined && error === null && <p className="text-soft">Reading…</p>}
      {rows?.length === 0 && <p className="text-soft">Nothing is waiting to be deleted.</p>}
      {rows !== undefined && rows.length > 0 && (
        <ul aria-label="Pending deletions" className="rounded-md border border-line">
          {rows.map((row) => (
            <One key={row.id} row={row} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}
