import type { ViewRef } from "../../backend/backend";
import { NameDialog } from "../../kit/NameDialog";
import { say } from "../../kit/Toast";
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
  const { busy, error, run } = useTask();
  const save = (as: ViewRef | null, name: string) => {
    run(backend.saveView(as, name, definitionOf(state, layout)), (made) => {
      view.set({ saved: made, layout });
      say(`${name} is in the side bar`);
      onClose();
    });
  };
  return (
    <NameDialog
      title={old === undefined ? "Save this view" : `Save ${old.name}`}
      description="The place, the search, the columns, the grouping and the order are kept under its name."
      name={old?.name ?? ""}
      action="Save"
      {...(old === undefined ? {} : { other: { action: "Save as new", onName: (name: string) => save(null, name) } })}
      busy={busy}
      error={error}
      onName={(name) => save(id, name)}
      onClose={onClose}
    >
      {state.query.trim() !== "" && (
        <p className="text-sm text-soft">
          Searches for <span className="font-mono">{state.query.trim()}</span>
        </p>
      )}
    </NameDialog>
  );
}
