// Notes and subjects of commits are not in the list's rows; the registry is asked in which of them a word is.

import type { Backend, WorkspaceRef } from "../backend/backend";

/** Milliseconds after the last letter until the registry is asked. */
const PAUSE = 150;
/** Words it is asked for at once. */
const MOST = 16;

export type FoundTexts = ReadonlyMap<string, ReadonlySet<WorkspaceRef>>;

export class TextStore {
  #backend: Backend;
  #found: FoundTexts = new Map();
  #revision = 0;
  #wanted: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #asked = 0;
  #listeners = new Set<() => void>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  readonly get = (): FoundTexts => this.#found;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Has words looked up, as of a revision. What was found before stays until the answer is there. */
  want(words: readonly string[], revision: number): void {
    const wanted = words.slice(0, MOST);
    const known = revision === this.#revision && wanted.every((word) => this.#found.has(word));
    this.#wanted = wanted;
    if (known || wanted.length === 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(revision), PAUSE);
  }

  async #ask(revision: number): Promise<void> {
    this.#timer = null;
    this.#asked += 1;
    const asked = this.#asked;
    const words = this.#wanted;
    // The search goes on without notes; the list says nothing that is not so.
    const answer = await this.#backend.texts([...words]).catch(() => null);
    if (answer === null || asked !== this.#asked) return;
    this.#revision = revision;
    this.#found = new Map(words.map((word, index) => [word, new Set(answer[index] ?? [])]));
    for (const listener of this.#listeners) listener();
  }
}
