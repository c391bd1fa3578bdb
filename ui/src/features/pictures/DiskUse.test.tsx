import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { WorkspaceRef, WorkspaceRow } from "../../backend/backend";
import { apiErrorOf, type FakeBackend } from "../../backend/fake";
import { makeStores, StoresProvider, useRegistry } from "../../store/context";
import { aWorld, expectAccessible, settle } from "../../test/window";
import { DiskUse } from "./DiskUse";

// One picture is tested here, not the window around it.
vi.mock("../../app/App", () => ({ App: () => null }));

let fake: FakeBackend;

function change(id: WorkspaceRef, part: Partial<WorkspaceRow>) {
  const row = fake.rows.get(id);
  if (row !== undefined) fake.rows.set(id, { ...row, ...part });
}

function Whole() {
  return <DiskUse rows={[...useRegistry().rows.values()]} />;
}

async function opened() {
  const stores = makeStores(fake);
  const user = userEvent.setup();
  await stores.registry.start();
  const view = render(
    <StoresProvider stores={stores}>
      <Whole />
    </StoresProvider>,
  );
  return { stores, user, ...view };
}

const tiles = () => within(screen.getByRole("toolbar")).getAllByRole("button");

beforeEach(() => {
  fake = aWorld();
  change("a", { size: 4_096, verdict: "blocked" });
  change("b", { size: 2_048, verdict: "loses" });
  change("c", { size: 1_024, verdict: "safe" });
  change("d", { size: 8_192, verdict: "unknown" });
});

describe("what takes up space", () => {
  it("names each workspace with its size, its host and its verdict, the largest first", async () => {
    await opened();
    expect(tiles().map((each) => each.querySelector(".sr-only")?.textContent)).toEqual([
      "tide, 8192 KiB, on build-box, not checked",
      "atlas, 4096 KiB, on laptop, cannot go",
      "atlas-tiles, 2048 KiB, in atlas on laptop, would lose work",
      "atlas-zoom, 1024 KiB, in atlas on laptop, safe to delete",
    ]);
    expect(screen.getByRole("list", { name: "What the patterns mean" })).toHaveTextContent("safe to deletewould lose workcannot gonot checked");
    expect(screen.getByTestId("detail")).toHaveTextContent("4 workspaces, 15 MiB");
    await expectAccessible();
  });

  it("tells verdicts apart by patterns and marks, not by colour alone", async () => {
    await opened();
    const drawn = tiles().map((each) => [
      each.querySelector("svg")?.getAttribute("class")?.match(/lucide-[\w-]+/)?.[0],
      ["stripes", "crosses", "dots"].find((pattern) => each.querySelector(`.${pattern}`) !== null),
    ]);
    expect(new Set(drawn.map(([icon]) => icon)).size).toBe(4);
    expect(new Set(drawn.map(([, pattern]) => pattern)).size).toBe(4);
  });

  it("is walked by keyboard in the order of size, and says below what has the focus", async () => {
    const { user } = await opened();
    await user.tab();
    // Nothing is left to measure, so there is no button before it.
    const [tide, atlas, , zoom] = tiles();
    expect(tide).toHaveFocus();
    await user.keyboard("{ArrowRight}");
    expect(atlas).toHaveFocus();
    expect(screen.getByTestId("detail")).toHaveTextContent("atlas4096 KiBcannot golaptop: /home/me/src/atlas");
    await user.keyboard("{End}{ArrowDown}");
    expect(zoom).toHaveFocus();
    await user.keyboard("{Home}{ArrowLeft}");
    expect(tide).toHaveFocus();
    expect(tiles().filter((each) => each.tabIndex === 0)).toEqual([tide]);
  });

  it("shows a workspace that is pressed in the inspector", async () => {
    const { stores, user } = await opened();
    stores.view.set({ inspector: false });
    await user.click(screen.getByRole("button", { name: /^atlas-tiles/ }));
    const { selected, focus, inspector, marked } = stores.view.get();
    expect([selected, focus, inspector, [...marked]]).toEqual(["b", "b", true, ["b"]]);
    expect(screen.getByRole("button", { name: /^atlas-tiles/ })).toHaveAttribute("aria-pressed", "true");
  });

  it("measures what is not measured and can be, says how far it is, and can be stopped", async () => {
    change("b", { size: null });
    change("c", { size: null, presence: "missing" });
    const { user } = await opened();
    expect(screen.getByText("2 of 4 not measured")).toBeInTheDocument();
    const release = fake.hold("measureAll");
    await user.click(screen.getByRole("button", { name: "Measure them" }));
    const job = fake.calls.find((call) => call.method === "measureAll");
    expect(job?.args[1]).toEqual(["b"]);
    await settle(() => fake.emit("jobProgress", { job: String(job?.args[0]), first: 0, second: 1 }));
    expect(screen.getByRole("status")).toHaveTextContent("Measuring 0 of 1…");
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(fake.calls.at(-1)).toEqual({ method: "endJob", args: [job?.args[0]] });
    await act(async () => release());
    expect(screen.getByRole("button", { name: "Measure them" })).toBeInTheDocument();
    fake.failNext("measureAll", apiErrorOf("internal", "It did not answer.", ["Try it again."]));
    await user.click(screen.getByRole("button", { name: "Measure them" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("It did not answer.Try it again.");
  });

  it("offers no measurement of what cannot be measured now", async () => {
    change("d", { size: null });
    fake.hosts = fake.hosts.map((host) => (host.id === "h2" ? { ...host, state: { is: "suspended" } } : host));
    await opened();
    expect(screen.getByText(/^1 of 4 not measured: what is not there/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Measure them" })).toBeNull();
  });

  it("says what to do when nothing is measured or nothing is listed", async () => {
    for (const id of ["a", "b", "c", "d"]) change(id, { size: null });
    const { unmount } = await opened();
    expect(screen.getByText(/^Nothing here was measured yet/)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Measure them" })).toBeInTheDocument();
    await expectAccessible();
    unmount();
    fake.rows.clear();
    await opened();
    expect(screen.getByText(/^No workspace is listed here/)).toBeInTheDocument();
  });

  it("draws anew when a size comes in, and keeps the focus", async () => {
    change("c", { size: null });
    const { user } = await opened();
    await user.click(screen.getByRole("button", { name: /^atlas-tiles/ }));
    const row = fake.rows.get("c");
    if (row === undefined) throw new Error("no row");
    await settle(() => fake.change([{ ...row, size: 90_000 }]));
    await waitFor(() => expect(tiles()[0]).toHaveAccessibleName(/^atlas-zoom, 87 MiB/));
    expect(screen.getByRole("button", { name: /^atlas-tiles/ })).toHaveFocus();
  });
});
