import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { SearchForm, SearchResult } from "../../backend/backend";
import { aHost, apiErrorOf, FakeBackend } from "../../backend/fake";
import { openPiece } from "../../test/piece";
import { expectAccessible } from "../../test/window";
import { Welcome } from "./Welcome";

function result(part: Partial<SearchResult>): SearchResult {
  return { found: [], unreadable: [], lookedAt: 10, ...part };
}

function begun(): FakeBackend {
  const fake = new FakeBackend();
  fake.hosts = [aHost({ id: "h1", label: "laptop", local: true })];
  fake.places = [
    { path: "/home/me/src", display: "~/src" },
    { path: "/home/me/work", display: "~/work" },
  ];
  fake.foundIn.set(
    "/home/me/src",
    result({
      found: [
        { path: "/home/me/src/atlas", kind: "repository", listed: false },
        { path: "/home/me/src/atlas-tiles", kind: "worktree", listed: false },
        { path: "/home/me/src/old", kind: "repository", listed: true },
      ],
      unreadable: ["/home/me/src/secret"],
    }),
  );
  fake.foundIn.set(
    "/home/me/work",
    result({
      found: [
        { path: "/home/me/work/tide", kind: "bare", listed: false },
        // A link in one place leads into the other.
        { path: "/home/me/src/atlas", kind: "repository", listed: false },
      ],
    }),
  );
  return fake;
}

async function opened(fake: FakeBackend) {
  const piece = await openPiece(fake, <Welcome />);
  const welcome = await screen.findByRole("main", { name: "Welcome" });
  return { ...piece, fake, welcome };
}

const searched = (fake: FakeBackend) =>
  fake.calls.filter((call) => call.method === "search").map((call) => (call.args[1] as SearchForm).folder);

const registered = (fake: FakeBackend) => fake.calls.filter((call) => call.method === "registerFound").map((call) => call.args[1]);

describe("the first run", () => {
  it("proposes the folders that exist, looks into all of them, and registers what it finds by one press", async () => {
    const { user, welcome, fake, stores } = await opened(begun());
    const folders = await within(welcome).findByRole("list", { name: "Folders to look in" });
    expect(within(folders).getAllByRole("button").map((button) => button.textContent)).toEqual(["Search ~/src", "Search ~/work"]);
    await expectAccessible();
    await user.click(within(welcome).getByRole("button", { name: "Look in these folders" }));
    const first = await within(welcome).findByRole("list", { name: "Found in ~/src" });
    const second = await within(welcome).findByRole("list", { name: "Found in ~/work" });
    expect(searched(fake)).toEqual(["/home/me/src", "/home/me/work"]);
    expect(fake.calls.find((call) => call.method === "search")?.args[1]).toEqual({
      host: "h1",
      folder: "/home/me/src",
      depth: 4,
      hidden: false,
    });
    for (const box of within(welcome).getAllByRole("checkbox")) expect(box).toBeChecked();
    expect(within(first).getAllByRole("listitem")).toHaveLength(2);
    // Each is offered once, wherever it was found.
    expect(within(second).getAllByRole("listitem")).toHaveLength(1);
    expect(welcome).toHaveTextContent("2 repositories in 10 folders, 1 more is listed or found already");
    expect(welcome).toHaveTextContent("/home/me/src/secret");
    await expectAccessible();
    await user.click(within(first).getByRole("checkbox", { name: /atlas-tiles/ }));
    await user.click(within(welcome).getByRole("button", { name: "Register 2" }));
    expect(await screen.findByText("2 repositories are registered")).toBeInTheDocument();
    expect(registered(fake)).toEqual([[0], [0]]);
    expect(stores.view.get().dialog).toBeNull();
  });

  it("looks one folder after another, says how far it is, and gives up when that is wanted", async () => {
    const { user, welcome, fake } = await opened(begun());
    const release = fake.hold("search");
    await user.click(await within(welcome).findByRole("button", { name: "Look in these folders" }));
    expect(searched(fake)).toEqual(["/home/me/src"]);
    const job = fake.calls.at(-1)?.args[0] as string;
    act(() => fake.emit("jobProgress", { job: "another", first: 999, second: 9 }));
    act(() => fake.emit("jobProgress", { job, first: 12, second: 1 }));
    expect(welcome).toHaveTextContent("12 folders looked at, 1 found");
    expect(welcome).toHaveTextContent("waits for its turn");
    await expectAccessible();
    await user.click(within(welcome).getByRole("button", { name: "Cancel" }));
    expect(fake.calls.at(-1)).toEqual({ method: "endJob", args: [job] });
    release();
    await user.click(within(welcome).getByRole("button", { name: "Search ~/work" }));
    expect(await within(welcome).findByRole("list", { name: "Found in ~/work" })).toBeInTheDocument();
    expect(within(welcome).queryByRole("list", { name: "Found in ~/src" })).toBeNull();
    await user.click(within(welcome).getByRole("button", { name: "Look in the other" }));
    expect(await within(welcome).findByRole("list", { name: "Found in ~/src" })).toBeInTheDocument();
  });

  it("says beside a folder why it could not be looked into, and goes on with the others", async () => {
    const fake = begun();
    fake.failNext("search", apiErrorOf("timed_out", "The disk does not answer.", ["Is it mounted?"]));
    const { user, welcome } = await opened(fake);
    await user.click(await within(welcome).findByRole("button", { name: "Look in these folders" }));
    expect(await within(welcome).findByText("The disk does not answer.")).toBeInTheDocument();
    expect(await within(welcome).findByRole("list", { name: "Found in ~/work" })).toBeInTheDocument();
    await user.click(within(welcome).getByRole("button", { name: "Try again ~/src" }));
    expect(await within(welcome).findByRole("list", { name: "Found in ~/src" })).toBeInTheDocument();
  });

  it("goes on registering when the list takes its place, then says what was not registered", async () => {
    const fake = begun();
    const works = fake.onRegister;
    fake.onRegister = (host, path) =>
      path.endsWith("tide") ? apiErrorOf("path_not_found", "It is no folder any more.") : works(host, path);
    const { user, welcome, stores, unmount } = await opened(fake);
    await user.click(await within(welcome).findByRole("button", { name: "Look in these folders" }));
    await within(welcome).findByRole("list", { name: "Found in ~/work" });
    const release = fake.hold("registerFound");
    await user.click(within(welcome).getByRole("button", { name: "Register 3" }));
    expect(welcome).toHaveTextContent("Registering: 0 of 2 folders done…");
    expect(within(welcome).getAllByRole("checkbox").every((box) => (box as HTMLInputElement).disabled)).toBe(true);
    unmount();
    expect(fake.count("endJob")).toBe(0);
    release();
    await waitFor(() => expect(stores.view.get().dialog?.is).toBe("outcomes"));
    const { dialog } = stores.view.get();
    const told = dialog?.is === "outcomes" ? dialog.outcomes.map(({ path, error }) => [path, error?.message ?? null]) : [];
    expect(told).toEqual([
      ["/home/me/src/atlas", null],
      ["/home/me/src/atlas-tiles", null],
      ["/home/me/work/tide", "It is no folder any more."],
    ]);
    expect(fake.count("endJob")).toBe(2);
  });

  it("keeps ticked what could not be registered, to be tried again", async () => {
    const fake = begun();
    fake.places = fake.places.slice(0, 1);
    const works = fake.onRegister;
    let full = true;
    fake.onRegister = (host, path) =>
      full && path.endsWith("tiles") ? apiErrorOf("registry_unavailable", "The disk is full.") : works(host, path);
    const { user, welcome } = await opened(fake);
    await user.click(await within(welcome).findByRole("button", { name: "Look in this folder" }));
    const list = await within(welcome).findByRole("list", { name: "Found in ~/src" });
    await user.click(within(welcome).getByRole("button", { name: "Register 2" }));
    await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(1));
    full = false;
    await user.click(within(welcome).getByRole("button", { name: "Register 1" }));
    expect(await screen.findByText("1 repository is registered")).toBeInTheDocument();
    expect(registered(fake)).toEqual([[0, 1], [1]]);
  });

  it("forgets what was found when it is left", async () => {
    const { user, welcome, fake, unmount } = await opened(begun());
    await user.click(await within(welcome).findByRole("button", { name: "Look in these folders" }));
    await within(welcome).findByRole("list", { name: "Found in ~/work" });
    unmount();
    const jobs = fake.calls.filter((call) => call.method === "search").map((call) => call.args[0]);
    expect(fake.calls.filter((call) => call.method === "endJob").map((call) => call.args[0])).toEqual(jobs);
  });

  it("ticks and unticks all of a folder, and shows a long list in parts", async () => {
    const fake = begun();
    const found = Array.from({ length: 130 }, (_, at) => ({
      path: `/home/me/src/r${at}`,
      kind: "repository" as const,
      listed: false,
    }));
    fake.foundIn.set("/home/me/src", result({ found }));
    const { user, welcome } = await opened(fake);
    await user.click(await within(welcome).findByRole("button", { name: "Search ~/src" }));
    const list = await within(welcome).findByRole("list", { name: "Found in ~/src" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(100);
    expect(within(welcome).getByRole("button", { name: "Register 130" })).toBeEnabled();
    await user.click(within(welcome).getByRole("button", { name: "Untick all in ~/src" }));
    expect(within(welcome).getByRole("button", { name: "Register 0" })).toBeDisabled();
    await user.click(within(welcome).getByRole("button", { name: "Show 30 more" }));
    expect(within(list).getAllByRole("listitem")).toHaveLength(130);
  });

  it("offers to register a folder where there is none to look in, or that cannot be told", async () => {
    const fake = begun();
    fake.places = [];
    const { welcome, unmount } = await opened(fake);
    expect(within(welcome).queryByRole("list", { name: "Folders to look in" })).toBeNull();
    expect(within(welcome).getByRole("button", { name: "Register a folder…" })).toBeEnabled();
    unmount();
    const other = begun();
    other.failNext("searchPlaces", apiErrorOf("internal", "Your home folder is unknown."));
    const again = await opened(other);
    expect(await within(again.welcome).findByText("Your home folder is unknown.")).toBeInTheDocument();
  });
});
