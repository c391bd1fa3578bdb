import { useCallback, type FormEvent } from "react";
import type { DeletionRow, HostRef, OnlyHereRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { FileField } from "../../kit/FileField";
import { KindIcon } from "../../kit/KindIcon";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { VerdictItems } from "../../kit/Verdict";
import { useBackend } from "../../store/context";
import { useFresh } from "../../store/fresh";
import { useJob } from "../../store/job";
import { useSaving } from "../../store/saving";
import { many } from "../../store/words";

function One({ row }: { row: OnlyHereRow }) {
  return (
    <li data-testid={`only-${row.name}`} className="flex flex-col gap-1 border-b border-line px-3 py-2 last:border-0">
      <div className="flex items-center gap-2">
        <KindIcon kind={row.kind} />
        <span className="min-w-0 truncate font-medium">{row.name}</span>
        {row.branch !== null && <span className="min-w-0 truncate text-sm text-soft">{row.branch}</span>}
        <span className="ml-auto shrink-0 text-xs text-soft">
          {row.checkedAt === null ? "never looked at closer" : <Age at={row.checkedAt} prefix="looked at " />}
        </span>
      </div>
      <p className="truncate text-sm text-soft" title={row.path} data-selectable>
        {row.path}
      </p>
      <VerdictItems items={row.items} />
    </li>
  );
}

/** Writes what is only on a host into a file. */
function Export({ host, label }: { host: HostRef; label: string }) {
  const backend = useBackend();
  const { file, replace, exists, ready, error, run, field } = useSaving(
    () => `~/only-on-${label.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.md`,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    run(backend.exportOnlyHere(host, file, replace), (written) => say("It is written down", { detail: written }));
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <FileField {...field} placeholder="~/only-here.md" />
        </div>
        <Button type="submit" className="h-8" disabled={!ready}>
          {exists ? "Replace it" : "Write to file"}
        </Button>
      </div>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
    </form>
  );
}

/** Everything that exists on one host and nowhere else, before it is wiped or handed back. */
export function OnlyHereDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const read = useCallback(() => backend.onlyHere(id), [backend, id]);
  const { value: told, error } = useFresh(read);
  const { state, start, cancel } = useJob<DeletionRow[]>();
  const running = state.is === "running";
  const label = told?.hostLabel ?? "this host";
  return (
    <Dialog
      title={`Only on ${label}`}
      description="What exists there and nowhere else, as far as is known: edits, commits on no remote, stashes, ignored files that matter, folders that are not in git."
      width="w-[680px]"
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
        {told === null && error === null && <p className="text-soft">Reading what is known…</p>}
        {told !== null && (
          <>
            <div className="flex flex-wrap items-center gap-2 text-sm">
              <p className="min-w-0 flex-1">
                {many(told.rows.length, "workspace has", "workspaces have")} something, or may have; {told.elsewhere} {told.elsewhere === 1 ? "has" : "have"} nothing.
                {told.answeredAt !== null && (
                  <>
                    {" "}
                    {label} answered <Age at={told.answeredAt} />
                    {!told.hostAnswers && <span className="font-medium text-edit"> and does not answer now</span>}.
                  </>
                )}
                {told.unchecked.length > 0 && (
                  <span className="font-medium text-edit">
                    {" "}
                    Nobody looked closer at {told.unchecked.length === 1 ? "one" : told.unchecked.length} of them.
                  </span>
                )}
              </p>
              {running ? (
                <Button small onClick={cancel}>
                  Stop looking
                </Button>
              ) : (
                told.unchecked.length > 0 && (
                  <Button
                    small
                    disabled={!told.hostAnswers}
                    onClick={() => start((job) => backend.checkDeletions(job, told.unchecked))}
                  >
                    Look closer at all
                  </Button>
                )
              )}
            </div>
            {running && (
              <p role="status" className="text-sm text-soft">
                Looking closer…
              </p>
            )}
            {state.is === "failed" && <Trouble message={state.error.message} hints={state.error.hints} />}
            {told.failedRoots.length > 0 && (
              <div className="rounded-md bg-edit-soft px-2.5 py-2 text-sm">
                <p className="font-medium">Not told, so more may be only there</p>
                <ul data-selectable>
                  {told.failedRoots.map((line) => (
                    <li key={line} className="break-words">
                      {line}
                    </li>
                  ))}
                </ul>
              </div>
            )}
            {told.rows.length > 0 && (
              <ul
                aria-label={`Only on ${label}`}
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
                tabIndex={0}
                className="max-h-[340px] overflow-y-auto rounded-md border border-line"
              >
                {told.rows.map((row) => (
                  <One key={row.id} row={row} />
                ))}
              </ul>
            )}
            <Export host={id} label={label} />
          </>
        )}
      </div>
    </Dialog>
  );
}
