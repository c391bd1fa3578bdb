import { useState } from "react";
import type { HostRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";
import { ago, exact, useNow } from "../../store/time";
import { many } from "../../store/words";

/** Offers what is remembered of a forgotten host to one that is the same machine. */
export function ReclaimDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const now = useNow();
  // What a person agrees to is what they were shown.
  const [host] = useState(useRegistry().hostById.get(id));
  const { busy, error, run } = useTask();
  const forgotten = host?.forgotten ?? null;
  if (host === undefined || forgotten === null) return null;
  const take = () =>
    run(backend.reclaimHost(id, forgotten.id), () => {
      say(`${host.label} has back what ${forgotten.label} had`);
      onClose();
    });
  const erase = () =>
    run(backend.eraseForgotten(forgotten.id), () => {
      say(`What was remembered of ${forgotten.label} is gone`);
      onClose();
    });
  return (
    <Dialog
      title={`Take back what ${forgotten.label} had?`}
      onClose={onClose}
      footer={
        <>
          <Button look="quiet" className="mr-auto" disabled={busy} onClick={erase}>
            Delete it for good
          </Button>
          <Button onClick={onClose}>Not now</Button>
          <Button look="primary" disabled={busy} onClick={take}>
            Take it back
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2 text-soft">
        <p>
          {host.label} is the same machine as {forgotten.label}, which was forgotten{" "}
          <span title={exact(forgotten.forgottenAt)}>{ago(forgotten.forgottenAt, now)}</span>.
        </p>
        <p>
          Remembered are {many(forgotten.workspaces, "workspace", "workspaces")}
          {forgotten.annotated > 0 && <>, {forgotten.annotated} of them with what you wrote</>}
          {forgotten.pending > 0 && (
            <>
              , and <span className="font-medium text-danger">{many(forgotten.pending, "pending deletion", "pending deletions")}</span>
            </>
          )}
          . What both have is put together; nothing on the host is touched.
        </p>
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </div>
    </Dialog>
  );
}
