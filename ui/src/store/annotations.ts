// What people write about workspaces, on its way to the registry. Its rule: nothing typed is ever lost. What
// was written is held here until the registry has it, whatever happens to the screen it was typed on.

import { apiError, type AnnotationPatch, type ApiError, type Backend, type WorkspaceDetail, type WorkspaceRef } from "../backend/backend";

/** One workspace as its inspector knows it. */
export interface Entry {
  readonly detail: WorkspaceDetail | null;
  /** Why the detail could not be had. */
  readonly error: ApiError | null;
  /** What was written and is not known to be saved. */
  readonly unsaved: AnnotationPatch;
  readonly saving: "idle" | "waiting" | "saving" | "saved" | "failed";
  /** Why it is not saved, when `failed`. */
  readonly saveError: ApiError | null;
}

const NOTHING: Entry = {
  detail: null,
  error: null,
  unsaved: {},
  saving: "idle",
  saveError: null,
};

interface Work {
  pending: AnnotationPatch;
  timer: ReturnType<typeof setTimeout> | null;
  writing: boolean;
  asked: number;
}

function isEmpty(patch: AnnotationPatch): boolean {
  return Object.keys(patch).length === 0;
}

export class AnnotationStore {
  #entries = new Map<WorkspaceRef, Entry>();
  #work = new Map<WorkspaceRef, Work>();
  #listeners = new Set<() => void>();
  #backend: Backend;
  #failed = new Set<(id: WorkspaceRef, error: ApiError) => void>();


  constructor(backend: Backend) {
    this.#backend = backend;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Hears of what was written and could not be saved, however long ago its screen was left. */
  watchFailures(failed: (id: WorkspaceRef, error: ApiError) => void): () => void {
    this.#failed.add(failed);
    return () => this.#failed.delete(failed);
  }

  readonly entry = (id: WorkspaceRef): Entry => this.#entries.get(id) ?? NOTHING;

  /** Asks for a workspace anew. Of several answers under way, only that of the last question counts. */
  async load(id: WorkspaceRef): Promise<void> {
    const work = this.#of(id);
    work.asked += 1;
    const asked = work.asked;
    try {
      const detail = await this.#backend.workspace(id);
      if (work.asked === asked) this.#set(id, { detail, error: null });
    } catch (thrown) {
      if (work.asked === asked) this.#set(id, { error: apiError(thrown) });
    }
  }

  /** Takes up what a person wrote; it is saved `delay` milliseconds after the last word, or when flushed. */
  write(id: WorkspaceRef, patch: AnnotationPatch, delay = 0): void {
    const work = this.#of(id);
    work.pending = { ...work.pending, ...patch };
    this.#set(id, { unsaved: { ...this.entry(id).unsaved, ...patch }, saving: "waiting", saveError: null });
    if (work.timer !== null) clearTimeout(work.timer);
    work.timer = null;
    if (delay === 0) void this.#save(id);
    else work.timer = setTimeout(() => void this.#save(id), delay);
  }

  /** Takes up what a person wrote; it is saved when flushed, and not before. */
  hold(id: WorkspaceRef, patch: AnnotationPatch): void {
    const work = this.#of(id);
    work.pending = { ...work.pending, ...patch };
    this.#set(id, { unsaved: { ...this.entry(id).unsaved, ...patch }, saving: "waiting", saveError: null });
  }

  /** Saves at once what waits for `id`. */
  flush(id: WorkspaceRef): void {
    if (!isEmpty(this.#of(id).pending)) void this.#save(id);
  }

  /** Saves at once whatever waits. */
  flushAll(): void {
    for (const id of this.#work.keys()) this.flush(id);
  }

  async #save(id: WorkspaceRef): Promise<void> {
    const work = this.#of(id);
    if (work.timer !== null) clearTimeout(work.timer);
    work.timer = null;
    // One write at a time, or an earlier one could land last.
    if (work.writing) return;
    work.writing = true;
    try {
      while (!isEmpty(work.pending)) {
        const patch = work.pending;
        work.pending = {};
        this.#set(id, { saving: "saving", saveError: null });
        try {
          // eslint-disable-next-line no-await-in-loop -- one write at a time is the point
          const detail = await this.#backend.annotate(id, patch);
          work.asked += 1;
          this.#set(id, { detail, error: null, unsaved: { ...work.pending }, saving: "saved" });
        } catch (thrown) {
          const error = apiError(thrown);
          work.pending = { ...patch, ...work.pending };
          this.#set(id, { saving: "failed", saveError: error });
          for (const failed of this.#failed) failed(id, error);
          return;
        }
        // What was typed meanwhile keeps its own delay.
        if (work.timer !== null) break;
      }
    } finally {
      work.writing = false;
    }
    if (!isEmpty(work.pending)) this.#set(id, { saving: "waiting" });
  }

  #of(id: WorkspaceRef): Work {
    let work = this.#work.get(id);
    if (work === undefined) {
      work = { pending: {}, timer: null, writing: false, asked: 0 };
      this.#work.set(id, work);
    }
    return work;
  }

  #set(id: WorkspaceRef, part: Partial<Entry>): void {
    this.#entries.set(id, { ...this.entry(id), ...part });
    for (const listener of this.#listeners) listener();
  }
}
