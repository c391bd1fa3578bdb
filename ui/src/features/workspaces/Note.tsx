import type { WorkspaceRef } from "../../backend/backend";
import { useEntry, useStores } from "../../store/context";

/** Milliseconds after the last keystroke until a note is saved. */
const PAUSE = 350;

const WORDS = { idle: "", waiting: "Saving…", saving: "Saving…", saved: "Saved", failed: "Not saved" } as const;

/** Whether what was written is safe, in a word that is announced. */
export function SaveState({ id }: { id: WorkspaceRef }) {
  const { annotations } = useStores();
  const { saving, saveError } = useEntry(id);
  return (
    <span className="flex items-center gap-2 text-xs">
      <span role="status" className={saving === "failed" ? "text-danger" : "text-soft"} title={saveError?.message}>
        {WORDS[saving]}
      </span>
      {saving === "failed" && (
        <button
          type="button"
          className="rounded px-1 font-medium text-accent hover:bg-hover"
          onClick={() => annotations.flush(id)}
        >
          Try again
        </button>
      )}
    </span>
  );
}

/** The note of one workspace, saved as it is typed. */
export function Note({ id, note }: { id: WorkspaceRef; note: string }) {
  const { annotations } = useStores();
  return (
    <textarea
      aria-label="Note"
      placeholder="What do you want to remember about it?"
      rows={4}
      value={note}
      onChange={(event) => annotations.write(id, { note: event.target.value }, PAUSE)}
      onBlur={() => annotations.flush(id)}
      className="field-sizing-content max-h-64 min-h-[84px] w-full resize-none rounded-md border border-line-strong bg-page px-2.5 py-1.5 select-text focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0"
    />
  );
}
