import { useCallback, useEffect, useState } from "react";
import type { TrashRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { Confirm, Dialog } from "../../kit/Dialog";
import { TextField } from "../../kit/Field";
import { KindIcon } from "../../kit/KindIcon";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { isReachable } from "../../store/facts";
import { useFresh } from "../../store/fresh";
import { useJob } from "../../store/job";
import { useTask } from "../../store/task";
import { many } from "../../store/words";

/** Something in the trash. It is measured when it has its `turn`, one after another, and says when that is over. */
function One({ row, turn, onMeasured, onChanged }: {
  row: TrashRow;
  turn: boolean;
  onMeasured: () => void;
  onChanged: () => void;
}) {
  const backend = useBackend();
  const { busy, error, run } = useTask();
  const { hostById } = useRegistry();
  const reachable = isReachable(hostById.get(row.host));
  const [byHand, setByHand] = useState(false);
  const { state, start } = useJob<string>();
  useEffect(() => {
    if (!turn || state.is === "running") return;
    if (state.is === "none" && reachable) start((job) => backend.measureTrash(job, row.host, row.id));
    else onMeasured();
  }, [backend, row.host, row.id, turn, reachable, state.is, start, onMeasured]);
  const [asking, setAsking] = useState(false);
  const [elsewhere, setElsewhere] = useState<string | null>(null);
  const restore = () =>
    run(backend.restore(row.host, row.id, elsewhere), (branch) => {
      say(branch === "" ? `${row.name} is back` : `${row.name} is back; its branch was ${branch}`);
      onChanged();
    });
  return (
    <li data-testid={`trash-${row.name}`} className="flex flex-col gap-1 border-b border-line px-3 py-2.5 last:border-0">
      <div className="flex items-center gap-2">
        <KindIcon kind={row.kind} />
        <span className="min-w-0 truncate font-medium">{row.name}</span>
        <span className={cx("ml-auto shrink-0 text-sm", row.daysLeft === 0 ? "font-medium text-edit" : "text-soft")}>
          {row.daysLeft === 0 ? "due to go" : `${many(row.daysLeft, "day", "days")} left`}
        </span>
      </div>
      <p className="truncate text-sm text-soft" title={row.path} data-selectable>
        {row.hostLabel}: {row.path}
        {row.branch !== null && `, on ${row.branch}${row.branchGone ? " (deleted with it)" : ""}`}
      </p>
      {row.note !== "" && <p className="line-clamp-2 text-sm">{row.note}</p>}
      {row.words !== "" && <p className="text-sm font-medium text-edit">{row.words}</p>}
      <p className="text-xs text-soft">
        {row.deletedAt !== null && <Age at={row.deletedAt} prefix="deleted " />}
        {state.is === "done" && `, takes ${state.value}`}
        {state.is === "running" && ", being measured…"}
      </p>
      {elsewhere !== null && (
        <TextField label="Restore to" value={elsewhere} onChange={(event) => setElsewhere(event.target.value)} />
      )}
      <div className="flex flex-wrap gap-1.5">
        {row.whole && (
          <Button small look="primary" disabled={busy} onClick={restore}>
            {busy ? "Working…" : "Restore"}
          </Button>
        )}
        {row.whole && elsewhere === null && (
          <Button small onClick={() => setElsewhere(row.path)}>
            Elsewhere…
          </Button>
        )}
        {state.is !== "done" && (
          <Button
            small
            look="quiet"
            onClick={() => {
              setByHand(true);
              start((job) => backend.measureTrash(job, row.host, row.id));
            }}
          >
            Measure
          </Button>
        )}
        <Button small look="quiet" className="ml-auto" disabled={busy} onClick={() => setAsking(true)}>
          Delete for good…
        </Button>
      </div>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
      {byHand && state.is === "failed" && <Trouble message={state.error.message} hints={state.error.hints} />}
      {asking && (
        <Confirm
          title={`Delete ${row.name} for good?`}
          action="Delete for good"
          busy={busy}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            run(backend.emptyTrash(row.host, row.id), onChanged);
          }}
        >
          <p>What rests in the trash of {row.hostLabel} is lost then, with every commit that only it holds.</p>
        </Confirm>
      )}
    </li>
  );
}

/** What rests in the trash of all hosts. */
export function TrashDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const read = useCallback(() => backend.trash(), [backend]);
  const { value, error, again } = useFresh(read);
  const [measured, setMeasured] = useState<ReadonlySet<string>>(new Set());
  const next = value?.find((row) => !measured.has(`${row.host} ${row.id}`));
  return (
    <Dialog
      title="Trash"
      description="Deleted workspaces rest on their own hosts, whole. What is due goes by itself three days after it was shown here as due."
      width="w-[640px]"
      reading
      onClose={onClose}
    >
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
      {value === null && error === null && <p className="text-soft">Reading…</p>}
      {value?.length === 0 && <p className="text-soft">Nothing rests in the trash of any host.</p>}
      {value !== null && value.length > 0 && (
        <ul aria-label="Trash" className="rounded-md border border-line">
          {value.map((row) => (
            <One
              key={`${row.host} ${row.id}`}
              row={row}
              turn={row === next}
              onMeasured={() => setMeasured((before) => new Set(before).add(`${row.host} ${row.id}`))}
              onChanged={again}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}
