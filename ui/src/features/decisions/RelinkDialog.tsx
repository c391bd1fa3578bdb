import { NotebookPen, Pin, Tag } from "lucide-react";
import { useEffect, useId, useMemo, useState } from "react";
import type { WorkspaceRef, WorkspaceRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { TextField } from "../../kit/Field";
import { KindIcon } from "../../kit/KindIcon";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { candidates, type Candidate } from "../../store/candidates";
import { useEntry, useRegistry, useStores } from "../../store/context";
import { useTask } from "../../store/task";

/** Candidates that are shown; the search finds the others. */
const SHOWN = 40;

/** What was written about the missing one, as far as there is something. */
function Carried({ row, note }: { row: WorkspaceRow; note: string }) {
  const { groupById } = useRegistry();
  const group = row.group === null ? undefined : groupById.get(row.group);
  const nothing = note.trim() === "" && row.tags.length === 0 && !row.pinned && group === undefined;
  return (
    <section aria-label="What is carried over" className="rounded-md bg-sunken px-3 py-2 text-sm">
      <h3 className="font-medium">What is carried over</h3>
      {nothing && <p className="text-soft">Nothing was written about it.</p>}
      {note.trim() !== "" && (
        <p className="mt-1 flex gap-1.5">
          <NotebookPen size={13} aria-hidden className="mt-[2px] shrink-0 text-soft" />
          <span className="sr-only">Note:</span>
          <span className="line-clamp-3 min-w-0 wrap-anywhere whitespace-pre-line" data-selectable>
            {note}
          </span>
        </p>
      )}
      {row.tags.length > 0 && (
        <p className="mt-1 flex gap-1.5">
          <Tag size={13} aria-hidden className="mt-[2px] shrink-0 text-soft" />
          <span className="sr-only">Tags:</span>
          <span className="min-w-0 wrap-anywhere">{row.tags.join(", ")}</span>
        </p>
      )}
      {row.pinned && (
        <p className="mt-1 flex gap-1.5">
          <Pin size={13} aria-hidden className="mt-[2px] shrink-0 text-soft" />
          It is pinned.
        </p>
      )}
      {group !== undefined && <p className="mt-1">It is in the group {group.name}.</p>}
    </section>
  );
}

function One({
  candidate: { row, reasons },
  host,
  name,
  chosen,
  onChoose,
}: {
  candidate: Candidate;
  host: string;
  name: string;
  chosen: boolean;
  onChoose: () => void;
}) {
  return (
    <label className="flex items-start gap-2.5 border-b border-line px-3 py-1.5 last:border-0 has-checked:bg-chosen">
      <input type="radio" name={name} checked={chosen} onChange={onChoose} className="mt-0.5 size-3.5 shrink-0 accent-accent" />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <KindIcon kind={row.kind} />
          <span className="min-w-0 truncate font-medium">{row.name}</span>
          {row.branch !== null && <span className="min-w-0 truncate text-sm text-soft">{row.branch}</span>}
          {row.activeAt !== null && <Age at={row.activeAt} prefix="active " className="ml-auto shrink-0 text-xs text-soft" />}
        </span>
        <span className="block truncate text-sm text-soft" title={row.path}>
          {host}: {row.path}
        </span>
        {(reasons.length > 0 || row.noted) && (
          <span className="block text-sm">{[...reasons, row.noted && "has a note of its own"].filter(Boolean).join(", ")}</span>
        )}
      </span>
    </label>
  );
}

/** Asks where a missing workspace went, and hands what was written about it to that one. */
export function RelinkDialog({ id, onClose }: { id: WorkspaceRef; onClose: () => void }) {
  const { backend, annotations, view } = useStores();
  const { rows, hostById } = useRegistry();
  const { detail, error: unread, unsaved, saving, saveError } = useEntry(id);
  const { busy, error, run } = useTask();
  const name = useId();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<WorkspaceRef | null>(null);
  const [now] = useState(() => Date.now());
  const gone = rows.get(id);
  const missing = gone?.presence === "missing";

  useEffect(() => {
    // What is typed and not saved yet goes over, too.
    annotations.flush(id);
    void annotations.load(id);
  }, [annotations, id]);

  const all = useMemo(() => (gone === undefined ? [] : candidates(gone, rows.values(), now)), [gone, rows, now]);
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const label = (row: WorkspaceRow) => hostById.get(row.host)?.label ?? "an unknown host";
  const found = all.filter(({ row }) => {
    const text = `${row.name}\n${row.branch ?? ""}\n${row.path}\n${label(row)}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const shown = found.slice(0, SHOWN);
  // One that was chosen and then went away, or out of sight, is not what would be agreed to.
  const target = shown.find(({ row }) => row.id === chosen)?.row;
  const unsafe = saving === "waiting" || saving === "saving" || saving === "failed";

  const relink = () => {
    if (target === undefined || gone === undefined) return;
    run(backend.relink(id, target.id), () => {
      say(`What you wrote about ${gone.name} is with ${target.name} now`, { detail: `${label(target)}: ${target.path}` });
      onClose();
      view.show(target.id);
    });
  };

  if (gone === undefined || !missing) {
    // Once it is handed over the row is gone as well; the dialog closes with that.
    if (busy) return null;
    return (
      <Dialog
        title={gone === undefined ? "It is not listed any more" : `${gone.name} is not missing any more`}
        description="It answered, or it was decided meanwhile. What you wrote about it is where it was."
        onClose={onClose}
        footer={<Button onClick={onClose}>Close</Button>}
      />
    );
  }
  return (
    <Dialog
      title={`Where did ${gone.name} go?`}
      description={
        <>
          Choose what{" "}
          <span className="font-mono text-sm wrap-anywhere">
            {label(gone)}: {gone.path}
          </span>{" "}
          became. What you wrote goes over to it, and the missing one leaves the list. Nothing on any host is touched.
        </>
      }
      width="w-[620px]"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={busy || target === undefined || unsafe} onClick={relink}>
            {busy ? "Handing over…" : target === undefined ? "It went there" : `It is ${target.name} now`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <TextField
          label="Search"
          placeholder="Name, branch, path or host"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {shown.length === 0 ? (
          <p className="text-soft">
            {all.length === 0 ? "No workspace is there that it could be now. Register the folder it went to first." : "Nothing that is there matches."}
          </p>
        ) : (
          <fieldset className="max-h-[260px] overflow-y-auto rounded-md border border-line">
            <legend className="sr-only">What it became</legend>
            {shown.map((candidate) => (
              <One
                key={candidate.row.id}
                candidate={candidate}
                host={label(candidate.row)}
                name={name}
                chosen={candidate.row.id === chosen}
                onChoose={() => setChosen(candidate.row.id)}
              />
            ))}
          </fieldset>
        )}
        {found.length > shown.length && (
          <p className="text-sm text-soft">{found.length - shown.length} more. Search to see them.</p>
        )}
        {unread !== null && detail === null ? (
          <Trouble message={unread.message} hints={unread.hints} />
        ) : (
          <Carried row={gone} note={unsaved.note ?? detail?.note ?? ""} />
        )}
        {saving === "failed" && saveError !== null && (
          <Trouble message={saveError.message} hints={["What you wrote last is not saved yet, so it cannot go over.", ...saveError.hints]}>
            <Button small className="mt-1.5" onClick={() => annotations.flush(id)}>
              Try again
            </Button>
          </Trouble>
        )}
        {target?.noted === true && gone.noted && (
          <p className="text-sm text-soft">Its own note stays; this one is added below it.</p>
        )}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </div>
    </Dialog>
  );
}
