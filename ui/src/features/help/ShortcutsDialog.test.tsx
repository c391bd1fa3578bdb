import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { SHORTCUTS } from "../../store/keys";
import { openPiece } from "../../test/piece";
import { aWorld, expectAccessible } from "../../test/window";
import { ShortcutsDialog } from "./ShortcutsDialog";

describe("the help for the keyboard", () => {
  it("shows every shortcut where it works, key by key", async () => {
    await openPiece(aWorld(), <ShortcutsDialog onClose={() => {}} />);
    const dialog = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
    for (const { does, where } of SHORTCUTS) {
      expect(within(within(dialog).getByRole("region", { name: where })).getByText(does)).toBeInTheDocument();
    }
    const redo = within(dialog).getByText("Redo").parentElement;
    expect([...(redo?.querySelectorAll("kbd") ?? [])].map((key) => key.textContent)).toEqual(["Ctrl", "Shift", "Z"]);
    await expectAccessible();
  });

  it("names no key twice for two things in one place", () => {
    const all = SHORTCUTS.flatMap(({ keys, where }) => keys.map((key) => `${where} ${key}`));
    expect(new Set(all).size).toBe(all.length);
  });
});
