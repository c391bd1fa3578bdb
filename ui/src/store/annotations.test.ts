import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aHost, aRoot, aRow, apiErrorOf, FakeBackend } from "../backend/fake";
import { AnnotationStore } from "./annotations";

function world() {
  const fake = new FakeBackend();
  fake.hosts = [aHost({ id: "h" })];
  fake.roots = [aRoot({ id: "r", host: "h" })];
  fake.rows.set("w", aRow({ id: "w", host: "h", root: "r" }));
  return { fake, store: new AnnotationStore(fake) };
}

describe("what people write", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is saved once the typing pauses, in one write", async () => {
    const { fake, store } = world();
    for (const note of ["h", "he", "hello"]) {
      store.write("w", { note }, 350);
      // oxlint-disable-next-line no-await-in-loop -- keystrokes come one after another
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(fake.count("annotate")).toBe(0);
    expect(store.entry("w").unsaved.note).toBe("hello");
    await vi.advanceTimersByTimeAsync(200);
    expect(fake.notes.get("w")).toBe("hello");
    expect(fake.count("annotate")).toBe(1);
    expect(store.entry("w")).toMatchObject({ saving: "saved", unsaved: {} });
  });

  it("typed during a write is written after it, and shown all the while", async () => {
    const { fake, store } = world();
    const release = fake.hold("annotate");
    store.write("w", { note: "one" });
    store.write("w", { note: "one two", tags: ["t"] }, 350);
    await vi.advanceTimersByTimeAsync(400);
    expect(fake.count("annotate")).toBe(1);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(fake.notes.get("w")).toBe("one two");
    expect(fake.rows.get("w")?.tags).toEqual(["t"]);
    expect(store.entry("w").unsaved).toEqual({});
  });

  it("is kept when it cannot be saved, and saved with what follows", async () => {
    const { fake, store } = world();
    const failed = vi.fn<() => void>();
    store.watchFailures(failed);
    fake.failNext("annotate", apiErrorOf("registry_unavailable", "The disk is full."));
    store.write("w", { note: "precious" });
    await vi.advanceTimersByTimeAsync(0);
    expect(store.entry("w")).toMatchObject({ saving: "failed", unsaved: { note: "precious" } });
    expect(failed).toHaveBeenCalledOnce();
    store.write("w", { pinned: true });
    await vi.advanceTimersByTimeAsync(0);
    expect(fake.notes.get("w")).toBe("precious");
    expect(fake.rows.get("w")?.pinned).toBe(true);
  });

  it("is not undone by an answer that was asked for before it", async () => {
    const { fake, store } = world();
    fake.notes.set("w", "old");
    const stale = await fake.workspace("w");
    let answer: (detail: typeof stale) => void = () => {};
    vi.spyOn(fake, "workspace").mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const loading = store.load("w");
    store.write("w", { note: "new" });
    await vi.advanceTimersByTimeAsync(0);
    answer(stale);
    await loading;
    expect(store.entry("w").detail?.note).toBe("new");
  });

  it("that waits is saved when everything is flushed", async () => {
    const { fake, store } = world();
    store.write("w", { note: "leaving" }, 10_000);
    store.flushAll();
    await vi.advanceTimersByTimeAsync(0);
    expect(fake.notes.get("w")).toBe("leaving");
  });
});
