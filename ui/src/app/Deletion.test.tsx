import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { DeletionForm, PendingRow, TrashRow, VerdictItem } from "../backend/backend";
import { apiErrorOf, type FakeBackend } from "../backend/fake";
import { aWorld, expectAccessible, openDialogs, openWindow, rowOf, settle } from "../test/window";

function called(fake: FakeBackend, method: string): unknown[][] {
  return fake.calls.filter((call) => call.method === method).map((call) => call.args);
}

const EDITS: VerdictItem = { kind: "loss", words: "2 edited files", names: [] };
const SECRETS: VerdictItem = { kind: "loss", words: "1 ignored file that nobody can make again", names: [".env"] };
const LOCKED: VerdictItem = { kind: "block", words: "It is locked: usb", names: [] };

function weighed(): FakeBackend {
  const fake = aWorld();
  const verdict = (id: string, word: "safe" | "loses" | "blocked", items: VerdictItem[]) => {
    const row = fake.rows.get(id);
    if (row !== undefined) fake.rows.set(id, { ...row, verdict: word });
    fake.verdicts.set(id, items);
  };
  verdict("b", "loses", [EDITS, SECRETS]);
  verdict("c", "safe", []);
  verdict("d", "blocked", [LOCKED]);
  return fake;
}

async function askedAbout(fake: FakeBackend, name: string) {
  const opened = await openWindow(fake);
  await opened.user.click(rowOf(name));
  await opened.user.click(await screen.findByRole("button", { name: "Delete…" }));
  return { ...opened, dialog: await screen.findByRole("dialog", { name: `Delete ${name}?` }) };
}

function aPending(part: Partial<PendingRow>): PendingRow {
  return {
    id: "c",
    host: "h2",
    hostLabel: "build-box",
    name: "atlas-zoom",
    path: "/home/me/src/atlas-zoom",
    mode: "trash",
    askedAt: new Date(Date.now() - 3_600_000).toISOString(),
    epoch: 2,
    state: "waiting",
    plan: "Will happen when `build-box` is back.",
    attempts: 0,
    attemptedAt: null,
    stop: null,
    agreed: [],
    now: [],
    needsHost: false,
    ...part,
  };
}

function resting(part: Partial<TrashRow> = {}): TrashRow {
  return {
    id: "t1",
    host: "h2",
    hostLabel: "build-box",
    kind: "worktree",
    name: "tide-old",
    path: "/srv/tide-old",
    branch: "old",
    branchGone: false,
    deletedAt: new Date(Date.now() - 86_400_000).toISOString(),
    daysLeft: 13,
    whole: true,
    words: "",
    note: "What it was for.",
    ...part,
  };
}

describe("deleting", () => {
  it("is undone while it waits, and brought back from the trash once it is gone", async () => {
    const fake = weighed();
    const { dialog, user } = await askedAbout(fake, "atlas-zoom");
    await user.click(await within(dialog).findByRole("button", { name: "Delete" }));
    await waitFor(() => expect(fake.rows.get("c")?.deleting).toBe(true));
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(fake.calls.find((call) => call.method === "cancelDeletion")?.args).toEqual(["c"]));
    // It has to be agreed to anew.
    await user.keyboard("{Control>}{Shift>}z{/Shift}{/Control}");
    expect(fake.count("delete")).toBe(1);

    await user.click(rowOf("atlas-zoom"));
    await user.keyboard("{Delete}");
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    const path = fake.rows.get("c")?.path ?? "";
    await waitFor(() => expect(fake.count("delete")).toBe(2));
    fake.trashRows = [resting({ id: "older", host: "h1", path, deletedAt: "2026-01-01T00:00:00Z" }), resting({ id: "t9", host: "h1", path })];
    await settle(() => fake.change([], ["c"]));
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(fake.calls.find((call) => call.method === "restore")?.args).toEqual(["h1", "t9", null]));
  });

  it("rc35_names_what_is_lost_and_where_it_rests_until_then", async () => {
    const { dialog, user } = await askedAbout(weighed(), "atlas-tiles");
    expect(dialog).toHaveTextContent("from which it can be restored for 14 days");
    expect(dialog).toHaveTextContent("Lost once the trash is emptied:2 edited files1 ignored file that nobody can make again: .env");
    await expectAccessible();
    await user.selectOptions(within(dialog).getByLabelText("How"), "deleteNow");
    expect(dialog).toHaveTextContent("Lost for good:");
    expect(within(dialog).getByRole("button", { name: "Delete for good" })).toBeEnabled();
  });

  it("gives back exactly what was shown, with the branch kept unless something else is chosen", async () => {
    const fake = weighed();
    const { dialog, user } = await askedAbout(fake, "atlas-tiles");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(openDialogs()).toHaveLength(0));
    const [[forms] = []] = called(fake, "delete");
    const form: DeletionForm = { id: "b", shown: "b loses", mode: "trash", branch: "keep", unseen: false };
    expect(forms).toEqual([form]);
    expect(rowOf("atlas-tiles")).toHaveTextContent("deleting");
    expect(screen.getByRole("button", { name: /Pending deletions/ })).toHaveTextContent("1");
  });

  it("i13_asks_for_more_than_a_press_where_something_is_unknown", async () => {
    const fake = weighed();
    const { dialog, user } = await askedAbout(fake, "atlas");
    const remove = within(dialog).getByRole("button", { name: "Delete" });
    expect(remove).toBeDisabled();
    await user.click(within(dialog).getByRole("checkbox", { name: /whatever is in it/ }));
    expect(remove).toBeEnabled();
    await user.selectOptions(within(dialog).getByLabelText("How"), "deleteNow");
    expect(within(dialog).getByRole("button", { name: "Delete for good" })).toBeDisabled();
    await user.selectOptions(within(dialog).getByLabelText("How"), "trash");
    await user.click(remove);
    await waitFor(() => expect(called(fake, "delete")).toHaveLength(1));
    expect(called(fake, "delete")).toEqual([[[{ id: "a", shown: "a unknown", mode: "trash", branch: "keep", unseen: true }]]]);
  });

  it("does not delete what is blocked, and says what of its host is not there", async () => {
    const fake = weighed();
    fake.hosts = fake.hosts.map((host) => (host.id === "h2" ? { ...host, state: { is: "suspended" } } : host));
    const { dialog } = await askedAbout(fake, "tide");
    expect(dialog).toHaveTextContent("It is locked: usb");
    expect(dialog).toHaveTextContent("build-box does not answer: it goes when that is back");
    expect(within(dialog).getByRole("button", { name: "Delete" })).toBeDisabled();
  });

  it("keeps what was refused, with its reason", async () => {
    const fake = weighed();
    const { dialog, user } = await askedAbout(fake, "atlas-tiles");
    fake.failNext("delete", apiErrorOf("overtaken", "It is not what was shown any more."));
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await within(dialog).findByText("It is not what was shown any more.")).toBeInTheDocument();
  });

  it("takes the worktrees of a repository along if that is asked for", async () => {
    const fake = weighed();
    fake.deletion.set("a", { worktrees: ["b", "c"], verdict: "blocked" });
    const { dialog, user } = await askedAbout(fake, "atlas");
    await user.click(within(dialog).getByRole("checkbox", { name: "Also delete the 2 linked worktrees of atlas" }));
    expect(await within(dialog).findByText("atlas-zoom")).toBeInTheDocument();
    expect(called(fake, "deletions").at(-1)?.[0]).toEqual(["a", "b", "c"]);
  });

  it("lists what is safe to delete, and deletes all of that at once", async () => {
    const fake = weighed();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^Safe to delete/ }));
    expect(screen.getAllByTestId("workspace")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Delete it…" }));
    await screen.findByRole("dialog", { name: "Delete atlas-zoom?" });
  });
});

describe("pending deletions", () => {
  it("i12_stop_with_their_reason_and_every_way_out_of_it", async () => {
    const fake = weighed();
    const row = fake.rows.get("c");
    if (row !== undefined) fake.rows.set("c", { ...row, deleting: true });
    fake.pendingRows = [
      aPending({
        state: "stopped",
        stop: "changed",
        plan: "It is not what was agreed to any more: changed since: edited.",
        attempts: 1,
        attemptedAt: new Date().toISOString(),
        now: [EDITS],
      }),
    ];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /Pending deletions/ }));
    const item = await screen.findByTestId("pending-atlas-zoom");
    expect(item).toHaveTextContent("Agreed to losenothing");
    expect(item).toHaveTextContent("As it is known now2 edited files");
    await expectAccessible();
    await user.click(within(item).getByRole("button", { name: "Try again" }));
    expect(called(fake, "retryDeletion")).toEqual([["c", 2]]);
    await user.click(within(item).getByRole("button", { name: "Review and retry…" }));
    const review = await screen.findByRole("dialog", { name: "Delete atlas-zoom?" });
    await user.click(await within(review).findByRole("button", { name: "Delete" }));
    await waitFor(() => expect(called(fake, "agreeAgain")).toHaveLength(1));
    expect(called(fake, "agreeAgain")[0]?.[1]).toBe(2);
  });

  it("are taken back", async () => {
    const fake = weighed();
    const row = fake.rows.get("c");
    if (row !== undefined) fake.rows.set("c", { ...row, deleting: true });
    fake.pendingRows = [aPending({})];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /Pending deletions/ }));
    await user.click(await screen.findByRole("button", { name: "Cancel deletion" }));
    expect(await screen.findByText("Nothing is waiting to be deleted.")).toBeInTheDocument();
    expect(rowOf("atlas-zoom")).not.toHaveTextContent("deleting");
  });
});

describe("the trash", () => {
  it("shows what rests there and for how long, brings it back, and asks before anything is lost", async () => {
    const fake = weighed();
    fake.trashRows = [resting(), resting({ id: "t2", name: "tide-due", daysLeft: 0 })];
    fake.restored = "left: old has moved";
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^Trash/ }));
    const item = await screen.findByTestId("trash-tide-old");
    expect(item).toHaveTextContent("13 days left");
    expect(item).toHaveTextContent("What it was for.");
    expect(screen.getByTestId("trash-tide-due")).toHaveTextContent("due to go");
    // Each is measured by itself, one after another.
    await waitFor(() => expect(called(fake, "measureTrash").map(([, host, id]) => [host, id])).toEqual([["h2", "t1"], ["h2", "t2"]]));
    expect(item).toHaveTextContent(`takes ${fake.size}`);
    await expectAccessible();
    await user.click(within(item).getByRole("button", { name: "Elsewhere…" }));
    const field = within(item).getByLabelText("Restore to");
    await user.clear(field);
    await user.type(field, "/srv/back");
    await user.click(within(item).getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(called(fake, "restore")).toEqual([["h2", "t1", "/srv/back"]]));
    expect(await screen.findByText(/its branch was left: old has moved/)).toBeInTheDocument();
    const due = screen.getByTestId("trash-tide-due");
    await user.click(within(due).getByRole("button", { name: "Delete for good…" }));
    expect(called(fake, "emptyTrash")).toEqual([]);
    await user.click(await screen.findByRole("button", { name: "Delete for good" }));
    await waitFor(() => expect(called(fake, "emptyTrash")).toEqual([["h2", "t2"]]));
    await settle(() => undefined);
  });
});
