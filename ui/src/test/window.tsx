import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { expect } from "vitest";
import { App } from "../app/App";
import type { WorkspaceRow } from "../backend/backend";
import { aHost, aRoot, aRow, FakeBackend } from "../backend/fake";
import { makeStores } from "../store/context";

/** Two hosts, two roots, four workspaces. */
export function aWorld(): FakeBackend {
  const fake = new FakeBackend();
  fake.hosts = [aHost({ id: "h1", label: "laptop", local: true }), aHost({ id: "h2", label: "build-box" })];
  fake.roots = [
    aRoot({ id: "r1", host: "h1", path: "/home/me/src/atlas" }),
    aRoot({ id: "r2", host: "h2", path: "/srv/tide" }),
  ];
  const row = (part: Partial<WorkspaceRow> & { id: string }) =>
    fake.rows.set(part.id, aRow({ host: "h1", root: "r1", ...part }));
  row({ id: "a", kind: "repository", name: "atlas", path: "/home/me/src/atlas", branch: "main" });
  row({
    id: "b",
    name: "atlas-tiles",
    branch: "feature/tiles",
    changes: { staged: 1, unstaged: 2, untracked: 3, conflicted: 0 },
    unpushed: { is: "commits", count: 4 },
    tags: ["maps"],
  });
  row({ id: "c", name: "atlas-zoom", branch: "fix/zoom" });
  row({ id: "d", host: "h2", root: "r2", kind: "repository", name: "tide", path: "/srv/tide", branch: "trunk" });
  return fake;
}

/** The whole window on a fake application, once it has loaded. */
export async function openWindow(fake: FakeBackend) {
  const stores = makeStores(fake);
  const user = userEvent.setup();
  const view = render(<App stores={stores} />);
  await waitFor(() => expect(stores.registry.get().phase).not.toBe("loading"));
  return { stores, user, ...view };
}

/** The row of a workspace in the list. */
export function rowOf(name: string): HTMLElement {
  const row = screen.getAllByTestId("workspace").find((each) => each.dataset["name"] === name);
  if (row === undefined) throw new Error(`no row is called ${name}`);
  return row;
}

/** Dialogs that are open; messages in passing have that role too and are none. */
export function openDialogs(): HTMLElement[] {
  return screen.queryAllByRole("dialog").filter((each) => each.getAttribute("aria-modal") !== "false");
}

/** Runs `change` and lets the window take it in. */
export async function settle(change: () => void): Promise<void> {
  await act(async () => {
    change();
    await Promise.resolve();
  });
}

/** Fails on anything axe finds wrong that can be found without a layout. */
export async function expectAccessible(): Promise<void> {
  const found = await axe.run(document.body, {
    rules: { "label-content-name-mismatch": { enabled: false }, "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(" | ")}`)).toEqual([]);
}
