import { afterEach, describe, expect, it, vi } from "vitest";
import { aHost, aRoot, aRow, apiErrorOf, FakeBackend } from "../backend/fake";
import { RegistryStore } from "./registry";

function world(rows = 3): FakeBackend {
  const fake = new FakeBackend();
  fake.hosts = [aHost({ id: "h1", local: true })];
  fake.roots = [aRoot({ id: "r1", host: "h1" })];
  for (let index = 0; index < rows; index += 1) {
    const id = `w${String(index).padStart(4, "0")}`;
    fake.rows.set(id, aRow({ id, host: "h1", root: "r1" }));
  }
  return fake;
}

async function started(fake: FakeBackend): Promise<RegistryStore> {
  const store = new RegistryStore(fake);
  await store.start();
  return store;
}

function row(id: string, branch: string) {
  return aRow({ id, host: "h1", root: "r1", branch });
}

describe("the window's copy of the registry", () => {
  afterEach(() => vi.useRealTimers());

  it("loads every page", async () => {
    const fake = world(1203);
    fake.pageSize = 100;
    const store = await started(fake);
    expect(store.get().phase).toBe("ready");
    expect(store.get().rows.size).toBe(1203);
    expect(fake.count("workspaces")).toBe(13);
  });

  it("patches what an event in sequence brings, without asking", async () => {
    const fake = world();
    const store = await started(fake);
    const asked = fake.count("changesSince");
    fake.change([row("w0001", "renamed")], ["w0002"]);
    expect(store.get().rows.get("w0001")?.branch).toBe("renamed");
    expect(store.get().rows.has("w0002")).toBe(false);
    expect(store.get().revision).toBe(fake.revision);
    expect(fake.count("changesSince")).toBe(asked);
  });

  it("keeps the very objects of rows, hosts and roots that did not change", async () => {
    const fake = world();
    fake.hosts = [...fake.hosts, aHost({ id: "h2" })];
    const store = await started(fake);
    const before = store.get();
    fake.change([row("w0001", "renamed")]);
    fake.setState("h2", { is: "suspended" });
    const after = store.get();
    expect(after.rows.get("w0000")).toBe(before.rows.get("w0000"));
    expect(after.rows.get("w0001")).not.toBe(before.rows.get("w0001"));
    expect(after.hosts[0]).toBe(before.hosts[0]);
    expect(after.hosts[1]).not.toBe(before.hosts[1]);
    expect(after.roots).toBe(before.roots);
  });

  it("asks for what it missed when a revision is skipped", async () => {
    const fake = world();
    const store = await started(fake);
    fake.change([row("w0000", "unheard")], [], { silent: true });
    fake.change([row("w0001", "heard")]);
    await vi.waitFor(() => expect(store.get().revision).toBe(fake.revision));
    expect(store.get().rows.get("w0000")?.branch).toBe("unheard");
    expect(store.get().rows.get("w0001")?.branch).toBe("heard");
  });

  it("asks for the rows when an event carries the revision only", async () => {
    const fake = world(300);
    const store = await started(fake);
    fake.change([...fake.rows.values()].map((each) => ({ ...each, branch: "moved" })));
    await vi.waitFor(() => expect(store.get().rows.get("w0299")?.branch).toBe("moved"));
    expect(store.get().revision).toBe(fake.revision);
  });

  it("takes nothing from an event older than what it has", async () => {
    const fake = world();
    const store = await started(fake);
    fake.change([row("w0000", "new")]);
    const asked = fake.count("changesSince");
    fake.emit("rowsChanged", {
      since: 0,
      changes: { revision: 1, upserted: [row("w0000", "old")], removed: ["w0001"] },
      partial: false,
    });
    expect(store.get().rows.get("w0000")?.branch).toBe("new");
    expect(store.get().rows.has("w0001")).toBe(true);
    expect(fake.count("changesSince")).toBe(asked);
  });

  it("loses nothing that changes while it loads or while it is asking", async () => {
    const fake = world(5);
    fake.pageSize = 2;
    const release = fake.hold("workspaces");
    const store = new RegistryStore(fake);
    const starting = store.start();
    await vi.waitFor(() => expect(fake.count("workspaces")).toBe(1));
    fake.change([row("w0000", "while loading")], ["w0004"]);
    release();
    await starting;
    await vi.waitFor(() => expect(store.get().revision).toBe(fake.revision));
    expect(store.get().rows.get("w0000")?.branch).toBe("while loading");
    expect(store.get().rows.has("w0004")).toBe(false);

    const answer = fake.hold("changesSince");
    fake.change([row("w0001", "missed")], [], { silent: true });
    fake.change([row("w0002", "announced")]);
    fake.change([row("w0001", "while asking")]);
    answer();
    await vi.waitFor(() => expect(store.get().revision).toBe(fake.revision));
    expect(store.get().rows.get("w0001")?.branch).toBe("while asking");
  });

  it("stays exact through a burst of changes of every kind", async () => {
    const fake = world(400);
    const store = await started(fake);
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let step = 0; step < 300; step += 1) {
      const ids = [...fake.rows.keys()];
      const chosen = Array.from({ length: 1 + random(4) }, () => ids[random(ids.length)] ?? "w0000");
      const silent = random(5) === 0;
      if (random(4) === 0) fake.change([], [...new Set(chosen)], { silent });
      else if (random(20) === 0) fake.change([...fake.rows.values()].map((each) => ({ ...each, branch: `s${step}` })));
      else fake.change([...new Set(chosen)].map((id) => row(id, `b${step}`)), [], { silent });
      // oxlint-disable-next-line no-await-in-loop -- answers must come between events, at odd moments
      if (random(3) === 0) await Promise.resolve();
    }
    fake.change([row("last", "last")]);
    await vi.waitFor(() => expect(store.get().revision).toBe(fake.revision));
    expect([...store.get().rows].toSorted()).toEqual([...fake.rows].toSorted());
  });

  it("asks again after a failure, and keeps its rows meanwhile", async () => {
    vi.useFakeTimers();
    const fake = world();
    const store = await started(fake);
    fake.failNext("changesSince", apiErrorOf("registry_unavailable", "The registry is busy."));
    fake.change([row("w0000", "unheard")], [], { silent: true });
    fake.change([row("w0001", "heard")]);
    await vi.advanceTimersByTimeAsync(10);
    expect(store.get().phase).toBe("ready");
    expect(store.get().rows.get("w0000")?.branch).not.toBe("unheard");
    await vi.advanceTimersByTimeAsync(600);
    expect(store.get().rows.get("w0000")?.branch).toBe("unheard");
    store.stop();
  });

  it("says why it cannot start, and starts once that is over", async () => {
    const fake = world();
    fake.failNext("overview", apiErrorOf("registry_newer", "Made by a newer version."));
    const store = await started(fake);
    expect(store.get().phase).toBe("failed");
    expect(store.get().error?.code).toBe("registry_newer");
    await store.start();
    expect(store.get().phase).toBe("ready");
    expect(store.get().error).toBeNull();
  });

  it("looks for what it missed when it is seen again", async () => {
    const fake = world();
    const store = await started(fake);
    fake.change([row("w0000", "unheard")], [], { silent: true });
    store.verify();
    await vi.waitFor(() => expect(store.get().rows.get("w0000")?.branch).toBe("unheard"));
  });
});
