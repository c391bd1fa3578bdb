import { useState } from "react";
import type { HostRef } from "../../backend/backend";
import { Confirm } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";

/** Asks whether a host that answers as another machine is the one that is meant. */
export function MachineDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const { hostById } = useRegistry();
  // What a person agrees to is what they were shown.
  const [host] = useState(hostById.get(id));
  const { busy, error, run } = useTask();
  const label = host?.label ?? "this host";
  const offered = host?.machineOffered ?? null;

  const agree = () => {
    if (offered === null) {
      onClose();
      return;
    }
    run(backend.agreeToMachine(id, offered), () => {
      say(`${label} is taken for the machine it says it is`);
      onClose();
    });
  };

  return (
    <Confirm
      title={`Is ${label} another machine now?`}
      action="It is the one I mean"
      busy={busy}
      onConfirm={agree}
      onClose={onClose}
    >
      <p>
        It calls its machine{" "}
        <span className="font-mono text-sm wrap-anywhere text-text" data-selectable>
          {offered ?? "what it was called before"}
        </span>
        , which is not what it said before. It may have been installed anew, or the name leads somewhere else.
      </p>
      <p>
        Its workspaces stay listed as they were last seen. If you agree, its next answer counts: what is not there any more
        goes missing, or is forgotten if you never wrote about it.
      </p>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
    </Confirm>
  );
}
