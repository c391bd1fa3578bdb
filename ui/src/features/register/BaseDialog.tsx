import { useRef, useState, type FormEvent } from "react";
import { apiError, type ApiError, type RootRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { TextField } from "../../kit/Field";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";

/** Says which branch others of a repository are merged into. */
export function BaseDialog({ id, onClose }: { id: RootRef; onClose: () => void }) {
  const backend = useBackend();
  const { rootById } = useRegistry();
  const [root] = useState(rootById.get(id));
  const [base, setBase] = useState(root?.base ?? "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    backend.chooseBase(id, base.trim() === "" ? null : base).then(onClose, (thrown: unknown) => {
      setBusy(false);
      setError(apiError(thrown));
      field.current?.focus();
    });
  };
  return (
    <Dialog
      title="Base branch"
      description={`What other branches of ${root?.name ?? "this repository"} are compared with: how far they are ahead, and whether they are merged.`}
      onClose={onClose}
      initialFocus={field}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="base" disabled={busy}>
            {busy ? "Saving…" : "Save"}
          </Button>
        </>
      }
    >
      <form id="base" onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          ref={field}
          label="Branch"
          placeholder="found out by itself"
          value={base}
          aria-invalid={error !== null}
          onChange={(event) => setBase(event.target.value)}
          help="Such as main or release/2, or refs/remotes/origin/main. Empty: what the remote says, else main or master."
        />
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
