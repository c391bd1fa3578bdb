import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { aRow, apiErrorOf, type FakeBackend } from "../backend/fake";
import type { ConflictRow } from "../backend/backend";
import { aWorld, expectAccessible, openDialogs, openWindow, rowOf } from "../test/window";

function called(fake: FakeBackend, method: string): unknown[][] {
  return fake.calls.filter((call) => call.method === method).map((call) => call.args);
}

/** Twelve workspaces of the second host, of which one has a note, are said to be gone. */
function held(): FakeBackend {
  const fake = aWorld();
  for (let index = 0; index < 12; index += 1) {
    const id = `g${index}`;
    fake.rows.set(id, aRow({ id, host: "h2", root: "r2", name: `gone-${index}`, presence: "unconfirmed", noted: index === 4 }));
  }
  fake.hosts = fake.hosts.map((host) => (host.id === "h2" ? { ...host, unconfirmed: 12 } : host));
  return fake;
}

describe("absence that is held", () => {
  it("i17_is_asked_about_wherever_one_looks_and_at_its_host_only_there", async () => {
    const { user } = await openWindow(held());
    expect(screen.getByTestId("decision-absence")).toHaveTextContent("build-box says that 12 workspaces are gone");
    expect(rowOf("gone-3")).toHaveTextContent("gone?");
    expect(screen.getByTestId("host-build-box")).toHaveTextContent("needs your decision");
    await user.click(within(screen.getByTestId("host-laptop")).getByRole("button", { name: /^laptop/ }));
    expect(screen.queryByTestId("decision-absence")).toBeNull();
    await user.click(within(screen.getByTestId("host-build-box")).getByRole("button", { name: /^build-box/ }));
    expect(screen.getByTestId("decision-absence")).toBeInTheDocument();
  });

  it("i17_keeps_or_accepts_exactly_what_was_shown", async () => {
    for (const [button, accept] of [
      ["Keep them", false],
      ["They are gone", true],
    ] as const) {
      const fake = held();
      const { user, unmount } = await openWindow(fake);
      await user.click(within(screen.getByTestId("decision-absence")).getByRole("button", { name: "Review…" }));
      const dialog = await screen.findByRole("dialog", { name: "Is it true that these are gone?" });
      const items = within(dialog).getAllByRole("listitem");
      expect(items).toHaveLength(12);
      // What was written about comes first, because it is what would be missed.
      expect(items[0]).toHaveTextContent("gone-4written about");
      await expectAccessible();
      await user.click(within(dialog).getByRole("button", { name: button }));
      await waitFor(() => expect(openDialogs()).toHaveLength(0));
      const [[host, shown, said] = []] = called(fake, "decideAbsence");
      expect([host, said, (shown as string[]).length]).toEqual(["h2", accept, 12]);
      expect(screen.queryByTestId("decision-absence")).toBeNull();
      expect(rowOf("gone-4")).toHaveTextContent("missing");
      unmount();
    }
  });

  it("stays open with its reason when the decision could not be written", async () => {
    const fake = held();
    const { user } = await openWindow(fake);
    await user.click(within(screen.getByTestId("decision-absence")).getByRole("button", { name: "Review…" }));
    fake.failNext("decideAbsence", apiErrorOf("registry_locked", "The registry is held by another process."));
    await user.click(await screen.findByRole("button", { name: "They are gone" }));
    expect(await screen.findByText("The registry is held by another process.")).toBeInTheDocument();
    expect(screen.getByTestId("decision-absence")).toBeInTheDocument();
  });
});

describe("a host that is another machine", () => {
  it("i17_is_agreed_to_as_it_was_shown", async () => {
    const fake = aWorld();
    fake.hosts = fake.hosts.map((host) => (host.id === "h2" ? { ...host, machineOffered: "f00d" } : host));
    const { user } = await openWindow(fake);
    await user.click(within(screen.getByTestId("decision-machine")).getByRole("button", { name: "Decide…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Is build-box another machine now?" });
    expect(dialog).toHaveTextContent("f00d");
    await expectAccessible();
    await user.click(within(dialog).getByRole("button", { name: "It is the one I mean" }));
    await waitFor(() => expect(called(fake, "agreeToMachine")).toEqual([["h2", "f00d"]]));
    await waitFor(() => expect(screen.queryByTestId("decision-machine")).toBeNull());
  });
});

describe("records that conflict", () => {
  const conflict: ConflictRow = {
    path: "/home/me/src/shared",
    claims: [
      { id: "one", root: "r1", kind: "worktree", repository: "/home/me/src/atlas/.git", adminName: "shared" },
      { id: null, root: "r1", kind: "worktree", repository: "/home/me/src/other/.git", adminName: "shared1" },
    ],
  };

  it("d7_are_shown_with_who_claims_what_and_settled_by_a_choice", async () => {
    const fake = aWorld();
    fake.roots = fake.roots.map((root) => (root.id === "r1" ? { ...root, conflicts: [conflict] } : root));
    const { user } = await openWindow(fake);
    expect(screen.getByTestId("decision-conflicts")).toHaveTextContent("more than one record claims 1 folder");
    expect(screen.getByText("1 conflict")).toBeInTheDocument();
    await user.click(within(screen.getByTestId("decision-conflicts")).getByRole("button", { name: "Review…" }));
    const dialog = await screen.findByRole("dialog", { name: "Which record counts?" });
    await expectAccessible();
    // One that its host cannot tell from a later one cannot be chosen.
    expect(within(dialog).getByRole("button", { name: /shared1/ })).toBeDisabled();
    await user.click(within(dialog).getByRole("button", { name: "This one counts: worktree “shared” of atlas" }));
    await waitFor(() => expect(called(fake, "settleConflict")).toEqual([["r1", "one"]]));
    await waitFor(() => expect(openDialogs()).toHaveLength(0));
    expect(screen.queryByTestId("decision-conflicts")).toBeNull();
  });
});

describe("annotations as a file", () => {
  async function choose(user: Awaited<ReturnType<typeof openWindow>>["user"], item: string) {
    await user.click(screen.getByRole("button", { name: "More actions" }));
    await user.click(await screen.findByRole("menuitem", { name: item }));
  }

  it("replaces a file that is there only when that was agreed to", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await choose(user, "Export annotations…");
    const field = await screen.findByLabelText("File on this machine");
    expect((field as HTMLInputElement).value).toMatch(/^~\/rollcall-annotations-\d{4}-\d{2}-\d{2}\.json$/);
    await expectAccessible();
    await user.clear(field);
    await user.type(field, "/tmp/mine.json");
    fake.failNext("exportAnnotations", apiErrorOf("file_exists", "There is a `/tmp/mine.json` already."));
    await user.click(screen.getByRole("button", { name: "Export" }));
    await user.click(await screen.findByRole("button", { name: "Replace it" }));
    await waitFor(() => expect(openDialogs()).toHaveLength(0));
    expect(called(fake, "exportAnnotations")).toEqual([
      ["/tmp/mine.json", false],
      ["/tmp/mine.json", true],
    ]);
  });

  it("shows what an import would change before it changes anything", async () => {
    const fake = aWorld();
    fake.chosenFile = "/tmp/mine.json";
    fake.report = {
      ...fake.report,
      changed: 1,
      unknown: 1,
      rows: [{ host: "laptop", path: "/home/me/src/atlas-tiles", fields: ["note", "tags"] }],
      missing: [{ host: "nas", path: "/srv/old", fields: [] }],
    };
    const { user } = await openWindow(fake);
    await choose(user, "Import annotations…");
    await user.click(await screen.findByRole("button", { name: "Choose…" }));
    await waitFor(() => expect(screen.getByLabelText("File on this machine")).toHaveValue("/tmp/mine.json"));
    await user.click(screen.getByRole("button", { name: "Show what would change" }));
    const report = await screen.findByRole("region", { name: "What would change" });
    expect(report).toHaveTextContent("1 workspace would change.");
    expect(report).toHaveTextContent("note, tags");
    expect(report).toHaveTextContent("not listed here");
    await expectAccessible();
    // Another mode is another question.
    await user.click(screen.getByRole("radio", { name: /^Replace/ }));
    expect(screen.queryByRole("button", { name: "Import" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Show what would change" }));
    await user.click(await screen.findByRole("button", { name: "Import" }));
    await waitFor(() => expect(openDialogs()).toHaveLength(0));
    expect(called(fake, "importAnnotations")).toEqual([
      ["/tmp/mine.json", "merge", true],
      ["/tmp/mine.json", "replace", true],
      ["/tmp/mine.json", "replace", false],
    ]);
  });

  it("takes in a file that only brings groups and views", async () => {
    const fake = aWorld();
    fake.chosenFile = "/tmp/mine.json";
    fake.report = { ...fake.report, unchanged: 4, groups: 2, views: 1 };
    const { user } = await openWindow(fake);
    await choose(user, "Import annotations…");
    await user.click(await screen.findByRole("button", { name: "Choose…" }));
    await waitFor(() => expect(screen.getByLabelText("File on this machine")).toHaveValue("/tmp/mine.json"));
    await user.click(screen.getByRole("button", { name: "Show what would change" }));
    const report = await screen.findByRole("region", { name: "What would change" });
    expect(report).toHaveTextContent("No workspace would change. 2 groups and 1 saved view would be taken in.");
    await user.click(screen.getByRole("button", { name: "Import" }));
    expect(await screen.findByText("Imported: 2 groups and 1 saved view")).toBeVisible();
  });
});

describe("a registry that cannot be opened", () => {
  const damaged = apiErrorOf("registry_damaged", "The registry `/data/registry.sqlite3` cannot be used: it is empty.");

  it("rd05_offers_its_backups_and_goes_on_with_the_restored_one", async () => {
    const fake = aWorld();
    fake.failNext("overview", damaged);
    fake.copies = [
      { name: "newest", takenAt: new Date(Date.now() - 3_600_000).toISOString(), kilobytes: 300, hosts: 2, workspaces: 4, notes: 1 },
      { name: "older", takenAt: new Date(Date.now() - 90_000_000).toISOString(), kilobytes: 300, hosts: 1, workspaces: 3, notes: 0 },
    ];
    const { user } = await openWindow(fake);
    const backups = await screen.findByRole("region", { name: "Backups" });
    expect(await within(backups).findByText("2 hosts, 4 workspaces, 1 note")).toBeInTheDocument();
    await expectAccessible();
    const [newest] = within(backups).getAllByRole("button", { name: /^Restore the backup/ });
    if (newest !== undefined) await user.click(newest);
    await waitFor(() => expect(rowOf("atlas")).toBeInTheDocument());
    expect(called(fake, "restoreBackup")).toEqual([["newest"]]);
  });

  it("begins anew only after asking", async () => {
    const fake = aWorld();
    fake.failNext("overview", damaged);
    const { user } = await openWindow(fake);
    await user.click(await screen.findByRole("button", { name: "Begin with an empty registry…" }));
    const dialog = await screen.findByRole("alertdialog");
    expect(called(fake, "startAnew")).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: "Begin anew" }));
    await waitFor(() => expect(rowOf("atlas")).toBeInTheDocument());
    expect(called(fake, "startAnew")).toEqual([[]]);
  });

  it("offers no backup in place of a newer registry, and tries again to open it", async () => {
    const fake = aWorld();
    fake.failNext("overview", apiErrorOf("registry_newer", "The registry was made by a newer version of Rollcall."));
    const { user } = await openWindow(fake);
    expect(screen.queryByRole("region", { name: "Backups" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(rowOf("atlas")).toBeInTheDocument());
    expect(called(fake, "reopen")).toEqual([[]]);
  });
});
