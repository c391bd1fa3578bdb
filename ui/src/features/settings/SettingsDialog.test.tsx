import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Theme } from "../../app/Theme";
import type { Preferences } from "../../backend/backend";
import { apiErrorOf, type FakeBackend } from "../../backend/fake";
import { PreferenceStore } from "../../store/preferences";
import { openPiece } from "../../test/piece";
import { aWorld, expectAccessible, settle } from "../../test/window";
import { CleanUpDialog } from "../plans/CleanUpDialog";
import { CreateDialog } from "../verbs/CreateDialog";
import { SettingsDialog } from "./SettingsDialog";

async function opened(fake: FakeBackend = aWorld()) {
  const piece = await openPiece(
    fake,
    <>
      <Theme />
      <SettingsDialog onClose={() => {}} />
    </>,
  );
  const dialog = await screen.findByRole("dialog", { name: "Settings" });
  const part = (name: string) => piece.user.click(within(dialog).getByRole("tab", { name }));
  return { ...piece, fake, dialog, part };
}

const written = (fake: FakeBackend) =>
  fake.calls.filter((call) => call.method === "setPreferences").map((call) => call.args[0] as Preferences);

const theme = () => document.documentElement.dataset["theme"];

afterEach(() => {
  delete document.documentElement.dataset["theme"];
});

describe("the settings", () => {
  it("have a list at the side that goes by arrows, and every part can be used by everybody", async () => {
    const { user, dialog } = await opened();
    const tabs = within(dialog).getAllByRole("tab");
    expect(tabs.map((tab) => tab.textContent)).toEqual([
      "Appearance",
      "List",
      "New worktrees",
      "Clean up",
      "Looking closer",
      "Backups",
      "About",
    ]);
    act(() => tabs[0]?.focus());
    for (const tab of tabs) {
      expect(tab).toHaveAttribute("aria-selected", "true");
      // oxlint-disable-next-line no-await-in-loop -- one part is shown at a time
      await expectAccessible();
      // oxlint-disable-next-line no-await-in-loop -- as above
      await user.keyboard("{ArrowDown}");
    }
  });

  it("show the window light or dark at once, and as the system has it otherwise", async () => {
    const { user, dialog, fake } = await opened();
    expect(theme()).toBeUndefined();
    const release = fake.hold("setPreferences");
    await user.selectOptions(within(dialog).getByLabelText("Theme"), "dark");
    expect(theme()).toBe("dark");
    release();
    await waitFor(() => expect(fake.preferences.theme).toBe("dark"));
    await user.selectOptions(within(dialog).getByLabelText("Theme"), "system");
    expect(theme()).toBeUndefined();
    // Another window, or an older one, chose.
    await waitFor(() => expect(fake.preferences.theme).toBe("system"));
    fake.preferences = { ...fake.preferences, theme: "light" };
    await settle(() => fake.changeOverview({}));
    expect(theme()).toBe("light");
  });

  it("say beside a choice that it could not be kept, and go back to what is kept", async () => {
    const { user, dialog, fake, part } = await opened();
    fake.failNext("setPreferences", apiErrorOf("registry_unavailable", "The disk is full."));
    await user.selectOptions(within(dialog).getByLabelText("Theme"), "dark");
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("The disk is full.");
    expect(within(dialog).getByLabelText("Theme")).toHaveValue("system");
    expect(theme()).toBeUndefined();
    await expectAccessible();
    await part("List");
    await waitFor(() => expect(within(dialog).queryByRole("alert")).toBeNull());
  });

  it("write one choice after another, each with those before it", async () => {
    const fake = aWorld();
    const { stores } = await openPiece(fake, null);
    const own = new PreferenceStore(fake, stores.registry);
    const release = fake.hold("setPreferences");
    void own.choose({ theme: "dark" });
    void own.choose({ looks: false });
    const last = own.choose({ guardDays: 30 });
    expect(own.get().preferences).toMatchObject({ theme: "dark", looks: false, guardDays: 30 });
    release();
    await last;
    expect(fake.preferences).toMatchObject({ theme: "dark", looks: false, guardDays: 30 });
    expect(written(fake)).toHaveLength(2);
  });

  it("keep the guard age that a clean-up begins with, and a clean-up leaves it alone", async () => {
    const { user, dialog, fake, part, unmount } = await opened();
    await part("Clean up");
    await user.selectOptions(within(dialog).getByLabelText("Not used for"), "90");
    await waitFor(() => expect(fake.preferences.guardDays).toBe(90));
    unmount();
    const piece = await openPiece(fake, <CleanUpDialog onClose={() => {}} />);
    const plan = await screen.findByRole("dialog", { name: "Clean up" });
    await waitFor(() => expect(fake.calls.at(-1)).toEqual({ method: "cleanUp", args: [90] }));
    await piece.user.selectOptions(within(plan).getByLabelText("Not used for"), "1");
    await waitFor(() => expect(fake.calls.at(-1)).toEqual({ method: "cleanUp", args: [1] }));
    expect(fake.preferences.guardDays).toBe(90);
  });

  it("offer a guard age that was set by other means", async () => {
    const fake = aWorld();
    fake.preferences = { ...fake.preferences, guardDays: 14 };
    const { dialog, part } = await opened(fake);
    await part("Clean up");
    expect(within(dialog).getByLabelText("Not used for")).toHaveDisplayValue("14 days");
  });

  it("keep the folder for new worktrees on leaving the field, or the dialog", async () => {
    const { user, dialog, fake, part, unmount } = await opened();
    await part("New worktrees");
    await user.selectOptions(within(dialog).getByLabelText("Place"), "folder");
    const folder = within(dialog).getByLabelText("Folder");
    await user.type(folder, "~/trees");
    expect(written(fake)).toHaveLength(0);
    await user.tab();
    await waitFor(() => expect(fake.preferences.worktreeFolder).toBe("~/trees"));
    await user.type(folder, "/here");
    unmount();
    await waitFor(() => expect(fake.preferences.worktreeFolder).toBe("~/trees/here"));
    const piece = await openPiece(fake, <CreateDialog of="a" onClose={() => {}} />);
    const create = await screen.findByRole("dialog", { name: "New worktree of atlas" });
    await piece.user.type(within(create).getByLabelText("Branch"), "wind");
    await waitFor(() => expect(within(create).getByLabelText("Path")).toHaveValue("~/trees/here/atlas-wind"));
    piece.unmount();
    const again = await opened(fake);
    await again.part("New worktrees");
    await again.user.selectOptions(within(again.dialog).getByLabelText("Place"), "beside");
    await waitFor(() => expect(fake.preferences.worktreeFolder).toBe(""));
  });

  it("say beside the folder why it is none, and leave it to be mended", async () => {
    const { user, dialog, fake, part } = await opened();
    await part("New worktrees");
    await user.selectOptions(within(dialog).getByLabelText("Place"), "folder");
    fake.failNext("setPreferences", apiErrorOf("invalid_input", "`trees` is no absolute path."));
    await user.type(within(dialog).getByLabelText("Folder"), "trees{Enter}");
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("`trees` is no absolute path.");
    expect(within(dialog).getByLabelText("Folder")).toHaveValue("trees");
  });

  it("turn looking closer off, and reset the list", async () => {
    const fake = aWorld();
    fake.preferences = { ...fake.preferences, layout: '{"grouping":"host"}' };
    const { user, dialog, part, stores } = await opened(fake);
    await part("Looking closer");
    await user.click(within(dialog).getByRole("checkbox"));
    await waitFor(() => expect(fake.preferences.looks).toBe(false));
    await part("List");
    const reset = within(dialog).getByRole("button", { name: "Reset columns and grouping" });
    act(() => stores.view.set({ layout: { grouping: "none" } }));
    await user.click(reset);
    await waitFor(() => expect(fake.preferences.layout).toBe(""));
    expect(stores.view.get().layout).toEqual({});
    expect(reset).toBeDisabled();
  });

  it("list the copies of the registry, and make one", async () => {
    const fake = aWorld();
    const takenAt = new Date(Date.now() - 86_400_000).toISOString();
    fake.copies = [{ name: "one", takenAt, kilobytes: 12_300, hosts: 1, workspaces: 3, notes: 2 }];
    const { user, dialog, part } = await opened(fake);
    await part("Backups");
    const list = await within(dialog).findByRole("list", { name: "Copies" });
    expect(list).toHaveTextContent("1 host, 3 workspaces, 2 notes");
    expect(list).toHaveTextContent("13 MB");
    await user.click(within(dialog).getByRole("button", { name: "Make a copy now" }));
    await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(2));
    fake.failNext("backUpNow", apiErrorOf("registry_unavailable", "The disk is full."));
    await user.click(within(dialog).getByRole("button", { name: "Make a copy now" }));
    expect(await within(dialog).findByText("The disk is full.")).toBeInTheDocument();
  });

  it("say which version it is and where data lies", async () => {
    const { dialog, part } = await opened();
    await part("About");
    expect(dialog).toHaveTextContent(/Rollcall \d+\.\d+\.\d+/);
    expect(dialog).toHaveTextContent("~/.local/share/rollcall");
  });
});
