import { useState } from "react";
import type { HostRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";
import { EMPTY, fieldsOf, formOf, portTrouble } from "../../store/hostForm";
import { HostForm } from "./HostForm";

/** Changes what a host is called, how it is reached and how often it is called. */
export function EditHostDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const { hostById } = useRegistry();
  const [host] = useState(hostById.get(id));
  const [fields, setFields] = useState(host === undefined ? EMPTY : fieldsOf(host));
  const { busy, error, run } = useTask();
  if (host === undefined) return null;
  const save = () => run(backend.editHost(id, formOf(fields)), onClose);
  return (
    <Dialog
      title={`Settings of ${host.label}`}
      width="w-[520px]"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form="edit-host"
            disabled={busy || portTrouble(fields) !== null || (!host.local && fields.destination.trim() === "")}
          >
            Save
          </Button>
        </>
      }
    >
      <HostForm id="edit-host" fields={fields} local={host.local} error={error} onChange={setFields} onSubmit={save} />
    </Dialog>
  );
}
