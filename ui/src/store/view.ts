// What the window is showing: a place, a search, a selection, a dialog. Nothing here outlives the window.

import type { Banner, HostRef, PromptRow, RegisterOutcome, RootRef, WorkspaceRef } from "../backend/backend";
import { EVERYTHING, type Place } from "./list";

/** What is asked for about one linked worktree. */
export type WorktreeAct = "lock" | "move" | "repair" | "prune";

/** A dialog that is open. */
export type Dialog =
  | { is: "register"; host: HostRef | null }
  | { is: "search"; host: HostRef; folder: string }
  | { is: "base"; root: RootRef }
  | { is: "addHost" }
  | { is: "editHost"; host: HostRef }
  | { is: "trace"; host: HostRef }
  | { is: "reclaim"; host: HostRef }
  | { is: "banner"; banner: Banner }
  | { is: "trust"; host: HostRef }
  | { is: "forget"; host: HostRef }
  | { is: "release"; root: RootRef }
  | { is: "outcomes"; outcomes: readonly RegisterOutcome[] }
  | { is: "absence"; host: HostRef }
  | { is: "machine"; host: HostRef }
  | { is: "conflicts"; host: HostRef }
  | { is: "export" }
  | { is: "import" }
  | { is: "delete"; ids: readonly WorkspaceRef[]; again: number | null }
  | { is: "pending" }
  | { is: "trash" }
  | { is: "create"; of: WorkspaceRef }
  | { is: "worktree"; id: WorkspaceRef; act: WorktreeAct }
  | { is: "fetch"; ids: readonly WorkspaceRef[] }
  | { is: "cleanUp" }
  | { is: "onlyHere"; host: HostRef }
  | { is: "journal" };

export interface ViewState {
  readonly place: Place;
  readonly query: string;
  /** The line that has the list's focus: a row's id or a root's key. */
  readonly focus: string | null;
  /** The row the inspector is about. */
  readonly selected: WorkspaceRef | null;
  readonly closed: ReadonlySet<RootRef>;
  readonly inspector: boolean;
  readonly dialog: Dialog | null;
  /** Questions that only the person can answer, in the order they came. They come before any dialog. */
  readonly prompts: readonly PromptRow[];
  readonly dropping: boolean;
}

const FIRST: ViewState = {
  place: EVERYTHING,
  query: "",
  focus: null,
  selected: null,
  closed: new Set(),
  inspector: true,
  dialog: null,
  prompts: [],
  dropping: false,
};

export class ViewStore {
  // In a narrow window the inspector lies over the list, so there it waits to be asked for.
  #state: ViewState = { ...FIRST, inspector: window.innerWidth >= 900 };
  #listeners = new Set<() => void>();

  readonly get = (): ViewState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly set = (part: Partial<ViewState>): void => {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  };

  /** Shows a place. */
  readonly go = (place: Place): void => this.set({ place });

  readonly open = (dialog: Dialog): void => this.set({ dialog });

  readonly close = (): void => this.set({ dialog: null });

  /** Opens or closes a root's rows. */
  readonly toggle = (root: RootRef, open: boolean): void => {
    const closed = new Set(this.#state.closed);
    if (open) closed.delete(root);
    else closed.add(root);
    this.set({ closed });
  };
}
