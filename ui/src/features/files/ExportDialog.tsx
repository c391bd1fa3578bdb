import type { FormEvent } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend } from "../../store/context";
import { useSaving } from "../../store/saving";
import { FileField } from "../../kit/FileField";

function suggested(): string {
  const now = new Date();
  const two = (part: number) => String(part).padStart(2, "0");
  return `~/rollcall-annotations-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.json`;
}

/** Writes everything a person wrote into a file. */
export function ExportDialog({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const { file, replace, exists, ready, error, run, field } = useSaving(suggested);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    run(backend.exportAnnotations(file, replace), (written) => {
      say("The annotations are exported", { detail: written });
      onClose();
    });
  };

  return (
    <Dialog
      title="Export annotations"
      description="Notes, tags, names, pins, groups, colours and links of all hosts, as JSON."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="export" look="primary" disabled={!ready}>
            {exists ? "Replace it" : "Export"}
          </Button>
        </>
      }
    >
      <form id="export" onSubmit={submit} className="flex flex-col gap-3">
        <FileField {...field} />
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
