import { WifiOff } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import {
  apiError,
  type ApiError,
  type BranchFate,
  type DeletionMode,
  type DeletionOutcome,
  type DeletionRow,
  type WorkspaceRef,
} from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { CheckField, SelectField } from "../../kit/Field";
import { KindIcon } from "../../kit/KindIcon";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useStores } from "../../store/context";
import { useJob } from "../../store/job";
import { useTask } from "../../store/task";
import { undelete } from "../../store/undelete";
import { many } from "../../store/words";
import { VerdictBadge, VerdictItems } from "../../kit/Verdict";

const BRANCHES: readonly (readonly [BranchFate, string])[] = [
  ["keep", "Keep the branch"],
  ["deleteIfMerged", "Delete the branch if it is merged"],
  ["delete", "Delete the branch too"],
];

function One({ row, checking, mode }: { row: DeletionRow; checking: boolean; mode: DeletionMode }) {
  const losses = row.items.filter((item) => item.kind === "loss");
  const others = row.items.filter((item) => item.kind !== "loss");
  return (
    <li className="flex flex-col gap-1 border-b border-line px-3 py-2 last:border-0">
      <div className="flex items-center gap-2">
        <KindIcon kind={row.kind} />
        <span className="min-w-0 truncate font-medium">{row.name}</span>
        <VerdictBadge verdict={row.verdict} />
        {row.size !== null && <span className="ml-auto shrink-0 text-sm text-soft">{row.size}</span>}
      </div>
      <p className="truncate text-sm text-soft" title={row.path} data-selectable>
        {row.hostLabel}: {row.path}
        {row.branch !== null && `, on ${row.branch}`}
      </p>
      <VerdictItems items={others} />
      {losses.length > 0 && (
        <>
          <p className="text-sm font-medium">
            {mode === "trash" ? "Lost once the trash is emptied:" : "Lost for good:"}
          </p>
          <VerdictItems items={losses} />
        </>
      )}
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-soft">
        {checking ? (
          <span>Being checked now…</span>
        ) : (
          <span>
            {row.checkedAt === null ? "never checked" : <Age at={row.checkedAt} prefix="checked " />}
            {row.factsAt !== null && <Age at={row.factsAt} prefix=", facts seen " />}
          </span>
        )}
        {!row.hostAnswers && (
          <span className="inline-flex items-center gap-1 font-medium text-edit">
            <WifiOff size={11} aria-hidden />
            {row.hostLabel} does not answer: it goes when that is back, if nothing has changed by then
          </span>
        )}
        {row.weak && <span>Its host tells it from a later one at its path by a weak mark only.</span>}
      </p>
    </li>
  );
}

/** Shows what would go with some workspaces, and asks how they are to go. */
export function DeleteDialog({ ids, again = null, onClose }: {
  ids: readonly WorkspaceRef[];
  /** The epoch of a pending deletion that is looked at again. */
  again?: number | null;
  onClose: () => void;
}) {
  const { backend, registry, operations } = useStores();
  const [wanted, setWanted] = useState(ids);
  const [known, setKnown] = useState<readonly DeletionRow[] | null>(null);
  const [trouble, setTrouble] = useState<ApiError | null>(null);
  const [mode, setMode] = useState<DeletionMode>("trash");
  const [branch, setBranch] = useState<BranchFate>("keep");
  const [unseen, setUnseen] = useState(false);
  const [outcomes, setOutcomes] = useState<readonly DeletionOutcome[]>([]);
  const { busy, error, run } = useTask();
  const { state, start } = useJob<DeletionRow[]>();
  const cancel = useRef<HTMLButtonElement>(null);
  const list = useId();

  // What is known is shown at once; what hosts say anew takes its place.
  useEffect(() => {
    backend.deletions([...wanted]).then(setKnown, (thrown: unknown) => setTrouble(apiError(thrown)));
    start((job) => backend.checkDeletions(job, [...wanted]));
  }, [backend, start, wanted]);

  const checking = state.is === "running";
  const rows = state.is === "done" ? state.value : (known ?? []);
  const refused = new Map(outcomes.flatMap((it) => (it.error === null ? [] : [[it.id, it.error] as const])));
  const goes = rows.filter((row) => row.verdict !== "blocked" && (again !== null || !row.pending));
  const blind = goes.filter((row) => row.verdict === "unknown");
  const branches = goes.some((row) => row.kind === "worktree" && row.branch !== null);
  const cascade = rows.filter((row) => row.worktrees.some((id) => !wanted.includes(id)));
  const now = mode === "deleteNow";
  const mayGoNow = goes.length > 0 && goes.every((row) => row.canDeleteNow && row.verdict !== "unknown");
  const ready = goes.length > 0 && (blind.length === 0 || unseen) && (!now || mayGoNow) && !busy;

  const submit = () => {
    const forms = goes.map((row) => ({
      id: row.id,
      shown: row.shown,
      mode,
      // The repository goes as a whole, with all of its branches.
      branch: row.kind === "worktree" && row.branch !== null && ids.includes(row.id) ? branch : ("keep" as const),
      unseen: unseen && row.verdict === "unknown",
    }));
    const [only] = forms;
    if (again !== null && only !== undefined) {
      run(backend.agreeAgain(only, again), onClose);
      return;
    }
    run(backend.delete(forms), (answer) => {
      const failed = answer.filter((it) => it.error !== null);
      const done = answer.length - failed.length;
      const away = goes.filter((row) => !row.hostAnswers).length;
      if (done > 0) {
        const words =
          away === 0
            ? `${many(done, "workspace", "workspaces")} on the way ${now ? "out" : "to the trash"}`
            : `${many(done, "deletion", "deletions")} decided; ${away === done ? "all wait" : `${away} wait`} for a host that does not answer`;
        const refusals = new Set(failed.map((it) => it.id));
        const deleted = goes.filter((row) => !refusals.has(row.id));
        // What is removed for good cannot come back, so nothing promises that it does.
        if (now) say(words);
        else operations.did({ words, undo: () => undelete(backend, registry, deleted), redo: null });
      }
      if (failed.length === 0) onClose();
      else {
        setOutcomes(failed);
        setWanted(failed.map((it) => it.id));
      }
    });
  };

  const [first] = rows;
  const title =
    rows.length === 1 && first !== undefined ? `Delete ${first.name}?` : `Delete ${many(wanted.length, "workspace", "workspaces")}?`;
  return (
    <Dialog
      title={title}
      description={
        now
          ? "Removed for good, after one more look at what is in it."
          : "Moved whole into the trash of its host, from which it can be restored for 14 days."
      }
      width="w-[620px]"
      onClose={onClose}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" disabled={!ready} onClick={submit}>
            {now ? "Delete for good" : "Delete"}
            {rows.length > 1 && ` ${goes.length}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {known === null && trouble === null && <p className="text-soft">Reading what is known…</p>}
        {rows.length > 0 && (
          <ul
            id={list}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
            tabIndex={0}
            aria-label="What would go"
            className="max-h-[280px] overflow-y-auto rounded-md border border-line"
          >
            {rows.map((row) => (
              <One key={row.id} row={row} checking={checking && row.hostAnswers} mode={mode} />
            ))}
          </ul>
        )}
        {cascade.map((row) => (
          <CheckField
            key={row.id}
            checked={false}
            onChange={() => setWanted([...new Set([...wanted, ...row.worktrees])])}
          >
            Also delete the {many(row.worktrees.length, "linked worktree", "linked worktrees")} of {row.name}
          </CheckField>
        ))}
        {again === null && (
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label="How"
              value={mode}
              options={[
                ["trash", "To the trash, for 14 days"],
                ["deleteNow", "For good, now"],
              ]}
              onChange={setMode}
              {...(now && !mayGoNow ? { help: "Only linked worktrees that are known can go for good." } : {})}
            />
            {branches && <SelectField label="Branch" value={branch} options={BRANCHES} onChange={setBranch} />}
          </div>
        )}
        {blind.length > 0 && (
          <CheckField checked={unseen} onChange={setUnseen}>
            Move {blind.length === 1 ? "it" : `${blind.length} of them`} to the trash whatever is in{" "}
            {blind.length === 1 ? "it" : "them"}, although that is not known
          </CheckField>
        )}
        {[...refused].map(([id, it]) => (
          <Trouble key={id} message={it.message} hints={it.hints} />
        ))}
        {state.is === "failed" && <Trouble message={state.error.message} hints={state.error.hints} />}
        {trouble !== null && <Trouble message={trouble.message} hints={trouble.hints} />}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </div>
    </Dialog>
  );
}
