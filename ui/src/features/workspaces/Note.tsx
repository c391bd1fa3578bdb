import { Pencil } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { WorkspaceRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { Markdown } from "../../kit/Markdown";
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

/** Calls `act` once the press that is under way is over: what it began on must not move before it is. */
function afterPress(pressed: boolean, act: () => void) {
  if (!pressed) {
    act();
    return;
  }
  const over = () => {
    window.removeEventListener("pointerup", over, true);
    window.removeEventListener("pointercancel", over, true);
    setTimeout(act, 0);
  };
  window.addEventListener("pointerup", over, true);
  window.addEventListener("pointercancel", over, true);
}

/** Whether a button of the pointer is down, without a rendering each time. */
function usePressed() {
  const pressed = useRef(false);
  useEffect(() => {
    const down = () => void (pressed.current = true);
    const up = () => void (pressed.current = false);
    window.addEventListener("pointerdown", down, true);
    window.addEventListener("pointerup", up, true);
    window.addEventListener("pointercancel", up, true);
    return () => {
      window.removeEventListener("pointerdown", down, true);
      window.removeEventListener("pointerup", up, true);
      window.removeEventListener("pointercancel", up, true);
    };
  }, []);
  return pressed;
}

/**
 * The note of one workspace, saved as it is typed. It is shown as it reads unless it is being written. The field is
 * there all the time, so that whatever puts the focus on it begins to write.
 */
export function Note({ id, note }: { id: WorkspaceRef; note: string }) {
  const { annotations } = useStores();
  const [writing, setWriting] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const reading = useRef<HTMLDivElement>(null);
  const left = useRef(false);
  const pressed = usePressed();
  const empty = note.trim() === "";
  const shown = writing || empty;

  // Escape leaves the field for what it became, or for the list if there is nothing to read.
  useEffect(() => {
    if (writing || !left.current) return;
    left.current = false;
    const next = reading.current ?? document.querySelector<HTMLElement>('[role="treegrid"] [role="row"][tabindex="0"]');
    next?.focus();
  }, [writing]);

  const write = () => {
    const on = field.current;
    if (on === null) return;
    on.focus();
    on.setSelectionRange(on.value.length, on.value.length);
  };

  return (
    <div className="relative flex flex-col gap-1.5">
      <textarea
        ref={field}
        aria-label="Note"
        placeholder="What do you want to remember about it? Markdown is understood."
        // Where fields do not grow by themselves, they are as high as what is in them has lines.
        rows={Math.min(14, Math.max(4, note.split("\n").length + 1))}
        value={note}
        // What cannot be seen is no stop of its own; the note as it reads leads here.
        tabIndex={shown ? 0 : -1}
        onChange={(event) => annotations.write(id, { note: event.target.value }, PAUSE)}
        onFocus={() => setWriting(true)}
        onBlur={(event) => {
          annotations.flush(id);
          // The window lost the focus, not the field: it comes back to it.
          if (document.activeElement === event.currentTarget) return;
          const on = event.currentTarget;
          afterPress(pressed.current, () => document.activeElement !== on && setWriting(false));
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.stopPropagation();
          left.current = true;
          event.currentTarget.blur();
        }}
        className={cx(
          shown
            ? "field-sizing-content max-h-64 min-h-[84px] w-full resize-none rounded-md border border-line-strong bg-page px-2.5 py-1.5 select-text focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0"
            : "sr-only",
        )}
      />
      {!shown && (
        <>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the button below does the same */}
          <div
            ref={reading}
            role="group"
            aria-label="The note as it reads"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and Enter begins to write
            tabIndex={0}
            onDoubleClick={(event) => {
              if (event.target instanceof Element && event.target.closest("a") === null) write();
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.target !== event.currentTarget) return;
              event.preventDefault();
              write();
            }}
            className="max-h-80 overflow-y-auto rounded-md border border-line bg-page px-2.5 py-1.5"
          >
            <Markdown text={note} />
          </div>
          <Button small look="quiet" className="self-end" aria-label="Edit the note" onClick={write}>
            <Pencil size={12} aria-hidden />
            Edit
          </Button>
        </>
      )}
    </div>
  );
}
