import { useRef, useState, type FormEvent } from "react";
import type { ViewRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { TextField } from "../../kit/Field";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useLayout, useRegistry, useView, useViewStore } from "../../store/context";
import { definitionOf } from "../../store/saved";
import { useTask } from "../../store/task";

/** Keeps what is shown, with its search and its layout, under a name: a new one, or that of a view that is there. */
export function SaveViewDialog({ id, onClose }: { id: ViewRef | null; onClose: () => void }) {
  const backend = useBackend();
  const view = useViewStore();
  const { views } = useRegistry();
  const state = useView();
  const layout = useLayout();
  const old = views.find((each) => each.id === id);
  const [name, setName] = useState(old?.name ?? "");
  const { busy, error, run } = useTask();
  const field = useRef<HTMLInputElement>(null);
  const ready = name.trim() !== "" && !busy;
  const save = (as: ViewRef | null) => {
    run(backend.saveView(as, name, definitionOf(state, layout)), (made) => {
      view.set({ saved: made, layout });
      say(`${name.trim()} is in the side bar`);
      onClose();
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) save(id);
  };
  return (
    <Dialog
      title={old === undefined ? "Save this view" : `Save ${old.name}`}
      description="The place, the search, the columns, the grouping and the order are kept under its name."
      width="w-[420px]"
      initialFocus={field}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {old !== undefined && (
            <Button disabled={!ready || name.trim() === old.name} onClick={() => save(null)}>
              Save as new
            </Button>
          )}
          <Button type="submit" form="save-view" look="primary" disabled={!ready}>
            Save
          </Button>
        </>
      }
    >
      <form id="save-view" onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          ref={field}
          label="Name"
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
        />
        {state.query.trim() !== "" && (
          <p className="text-sm text-soft">
            Searches for <span className="font-mono">{state.query.trim()}</span>
          </p>
        )}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
