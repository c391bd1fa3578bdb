import { WifiOff } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { DeletionOutcome, DeletionRow, PlanRow, PlanStanding, WorkspaceRef } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { Dialog } from "../../kit/Dialog";
import { SelectField } from "../../kit/Field";
import { KindIcon } from "../../kit/KindIcon";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useViewStore } from "../../store/context";
import { useFresh } from "../../store/fresh";
import { guards } from "../../store/guards";
import { useJob } from "../../store/job";
import { usePreferences } from "../../store/preferences";
import { useTask } from "../../store/task";
import { many, sizeWord } from "../../store/words";

const PARTS: readonly (readonly [PlanStanding, string, string])[] = [
  ["suggested", "Done with", "Merged or never used: nothing in them exists only there."],
  ["safe", "Safe as well", "Nothing in them exists only there; you may still want them."],
  ["nearly", "Nearly safe", "Little keeps them from going. Look at each before you delete it."],
];

function One({ row, chosen, onChange }: { row: PlanRow; chosen: boolean; onChange: ((wanted: boolean) => void) | null }) {
  const { deletion } = row;
  const words = (
    <span className="min-w-0 flex-1">
      <span className="flex items-center gap-2">
        <KindIcon kind={deletion.kind} />
        <span className="min-w-0 truncate font-medium">{deletion.name}</span>
        <span className="numeric ml-auto shrink-0 text-sm text-soft">
          {row.usedAt !== null && <Age at={row.usedAt} prefix="used " />}
          {row.kilobytes !== null && `, ${sizeWord(row.kilobytes)}`}
        </span>
      </span>
      <span className="block truncate text-sm text-soft" title={deletion.path}>
        {deletion.hostLabel}: {deletion.path}
      </span>
      <span className="flex flex-wrap items-center gap-x-2 text-sm">
        {row.reason}
        {!deletion.hostAnswers && (
          <span className="inline-flex items-center gap-1 text-xs font-medium text-edit">
            <WifiOff size={11} aria-hidden />
            goes when {deletion.hostLabel} is back
          </span>
        )}
      </span>
    </span>
  );
  return (
    <li data-testid={`plan-${deletion.name}`} className="border-b border-line px-3 py-2 last:border-0">
      {onChange === null ? (
        <div className="flex gap-2.5 pl-6">{words}</div>
      ) : (
        <label className="flex items-start gap-2.5">
          <input
            type="checkbox"
            checked={chosen}
            onChange={(event) => onChange(event.target.checked)}
            className="mt-0.5 size-3.5 shrink-0 accent-accent"
          />
          {words}
        </label>
      )}
    </li>
  );
}

/** What can go over all hosts and repositories, why, since when, and how much that frees. Nothing happens before one press. */
export function CleanUpDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const { preferences } = usePreferences();
  const [guard, setGuard] = useState(String(preferences.guardDays));
  const read = useCallback(() => backend.cleanUp(Number(guard)), [backend, guard]);
  const { value: plan, error } = useFresh(read);
  /** What the person ticked or unticked; everything else is as it is suggested. */
  const [decided, setDecided] = useState<ReadonlyMap<WorkspaceRef, boolean>>(new Map());
  const [refused, setRefused] = useState<readonly DeletionOutcome[]>([]);
  const { busy, error: trouble, run } = useTask();
  const checks = useJob<DeletionRow[]>();
  const sizes = useJob<null>();
  const asked = useRef({ checks: false, sizes: new Set<WorkspaceRef>() });

  // What nobody looked at is looked at now, and then what may go is measured; the plan is read anew as that comes in.
  const { start: check } = checks;
  const { start: measure } = sizes;
  useEffect(() => {
    if (plan === null || plan.unchecked.length === 0 || asked.current.checks) return;
    asked.current.checks = true;
    check((job) => backend.checkDeletions(job, plan.unchecked));
  }, [backend, plan, check]);
  const waits = checks.state.is === "running" || sizes.state.is === "running";
  useEffect(() => {
    if (plan === null || waits || (plan.unchecked.length > 0 && checks.state.is === "none")) return;
    const ids = plan.rows
      .filter((row) => row.kilobytes === null && row.deletion.hostAnswers && !asked.current.sizes.has(row.deletion.id))
      .map((row) => row.deletion.id);
    if (ids.length === 0) return;
    for (const id of ids) asked.current.sizes.add(id);
    measure(async (job) => {
      await backend.measureAll(job, ids);
      return null;
    });
  }, [backend, plan, waits, checks.state.is, measure]);

  const isChosen = (row: PlanRow) =>
    row.standing !== "nearly" && (decided.get(row.deletion.id) ?? row.standing === "suggested");
  const chosen = plan?.rows.filter(isChosen) ?? [];
  const frees = chosen.reduce((sum, row) => sum + (row.kilobytes ?? 0), 0);
  const unmeasured = chosen.filter((row) => row.kilobytes === null).length;
  const hosts = new Set(chosen.map((row) => row.deletion.host)).size;

  const submit = () =>
    run(
      backend.delete(
        chosen.map(({ deletion }) => ({
          id: deletion.id,
          shown: deletion.shown,
          mode: "trash" as const,
          branch: "keep" as const,
          unseen: false,
        })),
      ),
      (outcomes) => {
        const failed = outcomes.filter((it) => it.error !== null);
        const done = outcomes.length - failed.length;
        if (done > 0) {
          say(`${many(done, "workspace", "workspaces")} on the way to the trash`, {
            action: { label: "Show", run: () => view.open({ is: "pending" }) },
          });
        }
        setRefused(failed);
        if (failed.length === 0) onClose();
      },
    );

  return (
    <Dialog
      title="Clean up"
      description="What can go on all hosts, also on those that do not answer now. Branches stay, and all of it can be restored for 14 days."
      width="w-[720px]"
      onClose={onClose}
      footer={
        <>
          <p role="status" className="mr-auto min-w-0 text-sm text-soft">
            {checks.state.is === "running"
              ? "Looking closer at what nobody looked at…"
              : sizes.state.is === "running"
                ? `Measuring${sizes.state.progress === null ? "" : ` ${sizes.state.progress.first} of ${sizes.state.progress.second}`}…`
                : ""}
          </p>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={busy || chosen.length === 0} onClick={submit}>
            Delete{chosen.length > 0 && ` ${chosen.length}`}
            {frees > 0 && `, ${sizeWord(frees)}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex items-end gap-3">
          <SelectField
            label="Not used for"
            className="w-40"
            value={guard}
            options={guards(preferences.guardDays)}
            onChange={setGuard}
          />
          <p className="min-w-0 flex-1 pb-1.5 text-sm text-soft">
            {plan !== null && (
              <>
                {plan.young > 0 && `${many(plan.young, "workspace", "workspaces")} used since, or of unknown age, left out. `}
                {chosen.length > 0 &&
                  `${chosen.length} ticked on ${many(hosts, "host", "hosts")}${unmeasured > 0 ? `, ${unmeasured} not measured` : ""}.`}
              </>
            )}
          </p>
        </div>
        {plan === null && error === null && <p className="text-soft">Reading what is known…</p>}
        {plan?.rows.length === 0 && <p className="text-soft">Nothing can go that was not used for so long.</p>}
        {plan !== null &&
          PARTS.map(([standing, title, words]) => {
            const rows = plan.rows.filter((row) => row.standing === standing);
            if (rows.length === 0) return null;
            return (
              <section key={standing} aria-label={title}>
                <h3 className="font-semibold">
                  {title} <span className="numeric font-normal text-soft">{rows.length}</span>
                </h3>
                <p className="mb-1.5 text-sm text-soft">{words}</p>
                <ul className={cx("rounded-md border border-line", standing === "nearly" && "bg-sunken")}>
                  {rows.map((row) => (
                    <One
                      key={row.deletion.id}
                      row={row}
                      chosen={isChosen(row)}
                      onChange={
                        standing === "nearly"
                          ? null
                          : (wanted) => setDecided((before) => new Map(before).set(row.deletion.id, wanted))
                      }
                    />
                  ))}
                </ul>
              </section>
            );
          })}
        {refused.map((it) => it.error !== null && <Trouble key={it.id} message={it.error.message} hints={it.error.hints} />)}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
        {checks.state.is === "failed" && <Trouble message={checks.state.error.message} hints={checks.state.error.hints} />}
        {trouble !== null && <Trouble message={trouble.message} hints={trouble.hints} />}
      </div>
    </Dialog>
  );
}
