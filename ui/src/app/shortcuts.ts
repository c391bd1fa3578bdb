import { useEffect } from "react";

const MAC = typeof navigator !== "undefined" && /mac/i.test(navigator.platform);

/** The modifier of shortcuts, as it is written on this system. */
export const MOD = MAC ? "⌘" : "Ctrl+";

export interface Shortcuts {
  search: () => void;
  sync: () => void;
  register: () => void;
  journal: () => void;
  inspector: () => void;
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
}

/** Shortcuts of the whole window. They rest while a dialog is open. */
export function useShortcuts(shortcuts: Shortcuts, resting: boolean) {
  useEffect(() => {
    const heard = (event: KeyboardEvent) => {
      const mod = MAC ? event.metaKey : event.ctrlKey;
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      const key = event.key.toLowerCase();
      const act =
        mod && !event.altKey && !event.shiftKey
          ? { f: shortcuts.search, r: shortcuts.sync, o: shortcuts.register, j: shortcuts.journal, i: shortcuts.inspector }[key]
          : plain && key === "f5"
            ? shortcuts.sync
            : plain && key === "/" && !typing(event.target)
              ? shortcuts.search
              : undefined;
      if (act === undefined) return;
      // Also while resting: the web view's own meanings (reload, find, open) are none here.
      event.preventDefault();
      if (!resting) act();
    };
    window.addEventListener("keydown", heard);
    return () => window.removeEventListener("keydown", heard);
  }, [shortcuts, resting]);
}
