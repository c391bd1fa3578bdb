import { useId, useRef, useState, type FormEvent, type ReactNode } from "react";
import type { ApiError } from "../backend/backend";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { TextField } from "./Field";
import { Trouble } from "./Trouble";

/** Asks for a name. An empty one cannot be given. */
export function NameDialog({
  title,
  description,
  name: initial,
  action,
  other,
  busy,
  error,
  children,
  onName,
  onClose,
}: {
  title: string;
  description?: string;
  /** What it is called so far. */
  name: string;
  action: string;
  /** Something else that can be done, with a name that is new. */
  other?: { readonly action: string; readonly onName: (name: string) => void };
  busy: boolean;
  error: ApiError | null;
  children?: ReactNode;
  onName: (name: string) => void;
  onClose: () => void;
}) {
  const form = useId();
  const [name, setName] = useState(initial);
  const field = useRef<HTMLInputElement>(null);
  const ready = name.trim() !== "" && !busy;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) onName(name.trim());
  };
  return (
    <Dialog
      title={title}
      {...(description === undefined ? {} : { description })}
      width="w-[420px]"
      initialFocus={field}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {other !== undefined && (
            <Button disabled={!ready || name.trim() === initial} onClick={() => other.onName(name.trim())}>
              {other.action}
            </Button>
          )}
          <Button type="submit" form={form} look="primary" disabled={!ready}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          ref={field}
          label="Name"
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
        />
        {children}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
