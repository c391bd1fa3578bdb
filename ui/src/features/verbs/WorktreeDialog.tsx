import { useState, type FormEvent } from "react";
import type { WorkspaceRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Confirm, Dialog } from "../../kit/Dialog";
import { TextField } from "../../kit/Field";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";
import type { WorktreeAct } from "../../store/view";

const WORDS = {
  lock: {
    title: "Lock",
    about: "A locked worktree is not moved, pruned or deleted by git, or by Rollcall, until it is unlocked.",
    field: "Reason",
    help: "Shown to whoever wants to move or delete it. It may be empty.",
    action: "Lock",
  },
  move: {
    title: "Move",
    about: "Its folder goes to another place on the same disk, with everything in it. What you wrote about it moves along.",
    field: "New path",
    help: "The folder it goes into has to be there; the path itself has to be free.",
    action: "Move",
  },
  repair: {
    title: "Repair",
    about:
      "If its folder, or its repository, was moved by other means than git, the two do not find each other any more. Say where the folder is now: only this worktree's two links are written, and no other worktree is touched.",
    field: "Where it is now",
    help: undefined,
    action: "Repair",
  },
} as const;

/** Asks for what one verb about a linked worktree needs to know. */
export function WorktreeDialog({ id, act, onClose }: { id: WorkspaceRef; act: WorktreeAct; onClose: () => void }) {
  const backend = useBackend();
  const { rows, hostById } = useRegistry();
  const [row] = useState(rows.get(id));
  const [text, setText] = useState(act === "lock" ? "" : (row?.path ?? ""));
  const { busy, error, run } = useTask();
  const name = row?.name ?? "this worktree";
  const host = (row && hostById.get(row.host)?.label) ?? "its host";

  if (act === "prune") {
    return (
      <Confirm
        title={`Remove git's record of ${name}?`}
        action="Remove the record"
        busy={busy}
        onClose={onClose}
        onConfirm={() =>
          run(backend.prune(id), (kept) => {
            say(`The record of ${name} is gone`, kept === "" ? {} : { detail: kept });
            onClose();
          })
        }
      >
        <p>
          Its folder at <span className="font-mono text-sm wrap-anywhere">{row?.path}</span> is gone from {host}. If it was only
          moved, repair it instead: without its record it is no worktree any more.
        </p>
        <p>Commits that only this record holds, and what was staged in it, are kept under references of their own.</p>
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </Confirm>
    );
  }

  const words = WORDS[act];
  const unchanged = act === "move" && text === row?.path;
  const empty = act !== "lock" && text.trim() === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || empty || unchanged) return;
    const work = { lock: backend.lock, move: backend.moveWorkspace, repair: backend.repair }[act];
    run(work.call(backend, id, text), () => {
      say({ lock: `${name} is locked`, move: `${name} has moved`, repair: `${name} is repaired` }[act]);
      onClose();
    });
  };
  return (
    <Dialog
      title={`${words.title} ${name}`}
      description={words.about}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="worktree" look="primary" disabled={busy || empty || unchanged}>
            {busy ? "Working…" : words.action}
          </Button>
        </>
      }
    >
      <form id="worktree" onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={act === "lock" ? words.field : `${words.field} on ${host}`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          {...(words.help === undefined ? {} : { help: words.help })}
        />
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
