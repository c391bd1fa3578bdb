// What a person prefers. A choice counts at once; it is written behind it, one write at a time, because every
// write says all preferences and the registry's own word of the last one may still be on its way.

import { useSyncExternalStore } from "react";
import { apiError, type ApiError, type Backend, type Preferences } from "../backend/backend";
import { useStores } from "./context";
import type { RegistryStore } from "./registry";

export type PreferenceKey = keyof Preferences;

export interface Chosen {
  /** As the person wants them, be it written yet or not. */
  readonly preferences: Preferences;
  /** Why the last choice of something was not kept. */
  readonly errors: Readonly<Partial<Record<PreferenceKey, ApiError>>>;
}

/** The choices of one window on their way to its registry. */
export class PreferenceStore {
  #backend: Backend;
  #registry: RegistryStore;
  /** Chosen here, and not heard back from the registry. */
  #own: Partial<Preferences> = {};
  /** Of these, what is not written. */
  #waiting: Partial<Preferences> = {};
  #errors: Partial<Record<PreferenceKey, ApiError>> = {};
  #writing: Promise<void> | null = null;
  #listeners = new Set<() => void>();
  #last: { of: Preferences; chosen: Chosen } | null = null;

  constructor(backend: Backend, registry: RegistryStore) {
    this.#backend = backend;
    this.#registry = registry;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    const end = this.#registry.subscribe(listener);
    return () => {
      this.#listeners.delete(listener);
      end();
    };
  };

  readonly get = (): Chosen => {
    const kept = this.#registry.get().preferences;
    if (this.#last?.of !== kept) {
      // What the registry says itself need not be said for it: a later word of somebody else's counts.
      if (this.#writing === null) this.#own = {};
      this.#last = { of: kept, chosen: { preferences: { ...kept, ...this.#own }, errors: this.#errors } };
    }
    return this.#last.chosen;
  };

  /** Takes up a choice and writes it. What it fails with is kept beside it, and the choice is as it was. */
  readonly choose = (part: Partial<Preferences>): Promise<void> => {
    this.#own = { ...this.#own, ...part };
    this.#waiting = { ...this.#waiting, ...part };
    this.#errors = without(this.#errors, keysOf(part));
    this.#tell();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
      this.#settle();
    });
    return this.#writing;
  };

  /** Takes an error off the screen. */
  readonly calm = (): void => {
    if (keysOf(this.#errors).length === 0) return;
    this.#errors = {};
    this.#tell();
  };

  async #write(): Promise<void> {
    while (keysOf(this.#waiting).length > 0) {
      const part = this.#waiting;
      this.#waiting = {};
      try {
        // oxlint-disable-next-line no-await-in-loop -- one write at a time is the point
        await this.#backend.setPreferences({ ...this.#registry.get().preferences, ...this.#own });
      } catch (thrown) {
        const error = apiError(thrown);
        // What was chosen again meanwhile has its own write.
        const lost = keysOf(part).filter((key) => !(key in this.#waiting));
        this.#own = without(this.#own, lost);
        this.#errors = { ...this.#errors, ...Object.fromEntries(lost.map((key) => [key, error])) };
        this.#tell();
      }
    }
  }

  /** Forgets what the registry says itself by now. */
  #settle(): void {
    const kept = this.#registry.get().preferences;
    this.#own = without(this.#own, keysOf(this.#own).filter((key) => kept[key] === this.#own[key]));
  }

  #tell(): void {
    const kept = this.#registry.get().preferences;
    this.#last = { of: kept, chosen: { preferences: { ...kept, ...this.#own }, errors: this.#errors } };
    for (const listener of this.#listeners) listener();
  }
}

function keysOf(part: Partial<Record<PreferenceKey, unknown>>): PreferenceKey[] {
  return Object.keys(part) as PreferenceKey[];
}

function without<T extends Partial<Record<PreferenceKey, unknown>>>(from: T, keys: readonly PreferenceKey[]): T {
  const rest = { ...from };
  for (const key of keys) delete rest[key];
  return rest;
}

/** One for each registry, whichever screens ask. */
const made = new WeakMap<RegistryStore, PreferenceStore>();

function storeOf(backend: Backend, registry: RegistryStore): PreferenceStore {
  const store = made.get(registry) ?? new PreferenceStore(backend, registry);
  made.set(registry, store);
  return store;
}

/** The preferences, and how to choose others. */
export function usePreferences(): Chosen & {
  readonly choose: (part: Partial<Preferences>) => void;
  readonly calm: () => void;
} {
  const { backend, registry } = useStores();
  const store = storeOf(backend, registry);
  const chosen = useSyncExternalStore(store.subscribe, store.get);
  return { ...chosen, choose: store.choose, calm: store.calm };
}
