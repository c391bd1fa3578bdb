// All shortcuts, in one list: the help shows it. Keys are written `Mod+Shift+Z`; `Mod` is Ctrl, or ⌘ on a Mac.

/** Where a shortcut works. */
export const WHERES = ["Everywhere", "In the list", "While dragging"] as const;
export type Where = (typeof WHERES)[number];

export interface Shortcut {
  /** Each of them does it. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly where: Where;
}

function all(where: Where, shortcuts: readonly (readonly [does: string, ...keys: string[]])[]): Shortcut[] {
  return shortcuts.map(([does, ...keys]) => ({ keys, does, where }));
}

export const SHORTCUTS: readonly Shortcut[] = [
  ...all("Everywhere", [
    ["Command palette", "Mod+K"],
    ["Search", "Mod+F", "/"],
    ["Sync now", "Mod+R", "F5"],
    ["Register a folder", "Mod+O"],
    ["Journal", "Mod+J"],
    ["Show or hide the inspector", "Mod+I"],
    ["Settings", "Mod+,"],
    ["This help", "?", "F1"],
    ["Undo", "Mod+Z"],
    ["Redo", "Mod+Shift+Z"],
    ["Next part of the window", "F6"],
    ["Previous part of the window", "Shift+F6"],
  ]),
  ...all("In the list", [
    ["Go up or down", "Up", "Down"],
    ["To the first or last", "Home", "End"],
    ["A page up or down", "PageUp", "PageDown"],
    ["Open a heading", "Right"],
    ["Close a heading", "Left"],
    ["Mark or unmark", "Space"],
    ["Mark a range", "Shift+Up", "Shift+Down"],
    ["Mark all", "Mod+A"],
    ["Unmark all", "Escape"],
    ["Write its note", "Enter"],
    ["Pin or unpin", "P"],
    ["Move to a group…", "M"],
    ["Tag…", "T"],
    ["Make it on another host…", "H"],
    ["Delete…", "Delete"],
    ["Move up or down in its group", "Alt+Up", "Alt+Down"],
    ["Its menu", "Shift+F10", "Menu"],
  ]),
  ...all("While dragging", [["Put it back", "Escape"]]),
];
