import { useState, type FormEvent } from "react";
import { apiError, type ApiError } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend } from "../../store/context";
import { FileField } from "./FileField";

function suggested(): string {
  const now = new Date();
  const two = (part: number) => String(part).padStart(2, "0");
  return `~/rollcall-annotations-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.json`;
}

/** Writes everything a person wrote into a file. */
export function ExportDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const [file, setFile] = useState(suggested);
  // The system's dialog has asked already.
  const [replace, setReplace] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const exists = error?.code === "file_exists";

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || file.trim() === "") return;
    setBusy(true);
    setError(null);
    backend.exportAnnotations(file, replace || exists).then(
      (written) => {
        say("The annotations are exported", { detail: written });
        onClose();
      },
      (thrown: unknown) => {
        setBusy(false);
        setError(apiError(thrown));
      },
    );
  };

  return (
    <Dialog
      title="Export annotations"
      description="Notes, tags, names, pins, groups, colours and links of all hosts, as JSON."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="export" look="primary" disabled={busy || file.trim() === ""}>
            {exists ? "Replace it" : "Export"}
          </Button>
        </>
      }
    >
      <form id="export" onSubmit={submit} className="flex flex-col gap-3">
        <FileField
          value={file}
          write
          invalid={error !== null}
          busy={busy}
          onTrouble={setError}
          onChange={(path, chosen) => {
            setFile(path);
            setReplace(chosen);
            setError(null);
          }}
        />
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
