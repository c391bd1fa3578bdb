import { useEffect } from "react";
import { MAC } from "../kit/keys";

export interface Shortcuts {
  search: () => void;
  sync: () => void;
  register: () => void;
  journal: () => void;
  inspector: () => void;
  palette: () => void;
  settings: () => void;
  help: () => void;
  undo: () => void;
  redo: () => void;
  /** Goes to the next part of the window, or back to the one before. */
  part: (by: -1 | 1) => void;
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
}

/** The parts of the window, in the order in which F6 goes through them. */
const PARTS = ["places", "actions", "workspaces", "inspector"];

/** Gives the focus to the next part of the window that is there. */
export function goToPart(by: -1 | 1): void {
  const parts = PARTS.flatMap((part) => document.querySelector<HTMLElement>(`[data-part="${part}"]`) ?? []);
  const now = parts.findIndex((part) => part.contains(document.activeElement));
  const next = parts.at((now < 0 ? (by > 0 ? 0 : -1) : now + by) % parts.length);
  const wanted =
    next?.querySelector<HTMLElement>('[role="row"][tabindex="0"], [aria-current="true"]') ??
    next?.querySelector<HTMLElement>('input, button, [tabindex="0"]');
  wanted?.focus();
}

/** What a key asks for. */
function asked(event: KeyboardEvent, shortcuts: Shortcuts): (() => void) | undefined {
  const mod = (MAC ? event.metaKey : event.ctrlKey) && !event.altKey;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const key = event.key.toLowerCase();
  if (mod && event.shiftKey) return key === "z" && !typing(event.target) ? shortcuts.redo : undefined;
  if (mod) {
    // What is typed in a field is undone by the field.
    if (key === "z") return typing(event.target) ? undefined : shortcuts.undo;
    if (key === "y") return typing(event.target) ? undefined : shortcuts.redo;
    return {
      f: shortcuts.search,
      k: shortcuts.palette,
      r: shortcuts.sync,
      o: shortcuts.register,
      j: shortcuts.journal,
      i: shortcuts.inspector,
      ",": shortcuts.settings,
    }[key];
  }
  if (!plain) return undefined;
  if (key === "f5") return shortcuts.sync;
  if (key === "f1") return shortcuts.help;
  if (key === "f6") return () => shortcuts.part(event.shiftKey ? -1 : 1);
  if (typing(event.target)) return undefined;
  return key === "/" ? shortcuts.search : key === "?" ? shortcuts.help : undefined;
}

/** Shortcuts of the whole window. They rest while a dialog is open. */
export function useShortcuts(shortcuts: Shortcuts, resting: boolean) {
  useEffect(() => {
    const heard = (event: KeyboardEvent) => {
      const act = asked(event, shortcuts);
      if (act === undefined) return;
      // Also while resting: the web view's own meanings (reload, find, open) are none here.
      event.preventDefault();
      if (!resting) act();
    };
    window.addEventListener("keydown", heard);
    return () => window.removeEventListener("keydown", heard);
  }, [shortcuts, resting]);
}
