// Keys as they are called and written on this system.

/** Whether this system's keyboard has a command key that plays the part of Control. */
export const MAC = typeof navigator !== "undefined" && /mac/i.test(navigator.platform);

/** The modifier of shortcuts, as it is written on this system. */
export const MOD = MAC ? "⌘" : "Ctrl+";

const NAMES: Readonly<Record<string, string>> = {
  Mod: MAC ? "⌘" : "Ctrl",
  Alt: MAC ? "⌥" : "Alt",
  Shift: MAC ? "⇧" : "Shift",
  Up: "↑",
  Down: "↓",
  Left: "←",
  Right: "→",
  Delete: MAC ? "⌦" : "Delete",
  PageUp: "Page Up",
  PageDown: "Page Down",
};

/** What stands for a key that is shown as a sign, for those who hear it. */
const SPOKEN: Readonly<Record<string, string>> = {
  "⌘": "Command",
  "⌥": "Option",
  "⇧": "Shift",
  "⌦": "Delete",
  "↑": "Up",
  "↓": "Down",
  "←": "Left",
  "→": "Right",
};

/** The keys of a shortcut such as `Mod+Shift+Z`, as this system writes them. */
export function keyParts(keys: string): string[] {
  return keys.split("+").map((key) => NAMES[key] ?? key);
}

/** A shortcut in one word, for hints and menus. */
export function keyWord(keys: string): string {
  return keyParts(keys).join(MAC ? "" : "+");
}

/** The name of a key that is written as a sign. */
export function spoken(part: string): string {
  return SPOKEN[part] ?? part;
}
