import { useState } from "react";
import type { HostRef } from "../../backend/backend";
import { Confirm } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry, useViewStore } from "../../store/context";
import { EVERYTHING } from "../../store/list";
import { useTask } from "../../store/task";
import { many } from "../../store/words";

/** Asks before a host is forgotten, saying what goes with it. */
export function ForgetDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const { hostById, roots, rows } = useRegistry();
  const [label] = useState(hostById.get(id)?.label ?? "this host");
  const [pending] = useState(hostById.get(id)?.pending ?? 0);
  const { busy, error, run } = useTask();
  const own = [...rows.values()].filter((row) => row.host === id);
  const annotated = own.filter((row) => row.noted || row.pinned || row.tags.length > 0).length;
  const rootCount = roots.filter((root) => root.host === id).length;
  const forget = () => {
    run(backend.forgetHost(id), () => {
      const { place } = view.get();
      if (place.is === "host" && place.host === id) view.go(EVERYTHING);
      say(`${label} is forgotten`);
      onClose();
    });
  };
  return (
    <Confirm title={`Forget ${label}?`} action="Forget this host" busy={busy} onConfirm={forget} onClose={onClose}>
      <p>
        Rollcall drops {many(rootCount, "root", "roots")} and {many(own.length, "workspace", "workspaces")} of it from
        the list{annotated > 0 && <>, {annotated} of them with notes, tags or pins</>}. Nothing on {label} is touched.
      </p>
      {pending > 0 && (
        <p className="font-medium text-danger">
          {many(pending, "deletion is", "deletions are")} pending there and will not be carried out.
        </p>
      )}
      <p>If the same machine is added again within 90 days, under whatever label, all of it can be taken back.</p>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
    </Confirm>
  );
}
