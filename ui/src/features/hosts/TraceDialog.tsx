import { useEffect, useState } from "react";
import { apiError, type ApiError, type HostRef, type TraceRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { TraceList } from "./TraceList";

/** How a host was reached last, step by step. */
export function TraceDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const backend = useBackend();
  const [label] = useState(useRegistry().hostById.get(id)?.label ?? "the host");
  const [trace, setTrace] = useState<readonly TraceRow[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    let wanted = true;
    backend.hostTrace(id).then(
      (lines) => wanted && setTrace(lines),
      (thrown: unknown) => wanted && setError(apiError(thrown)),
    );
    return () => {
      wanted = false;
    };
  }, [backend, id]);
  return (
    <Dialog
      title={`How ${label} was reached`}
      description="The steps of the connection that is in use, or of the last try."
      width="w-[560px]"
      reading
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
      {trace !== null && trace.length === 0 && (
        <p className="text-soft">It has not been tried since Rollcall was started.</p>
      )}
      {trace !== null && trace.length > 0 && <TraceList label="What was done" trace={trace} />}
    </Dialog>
  );
}
