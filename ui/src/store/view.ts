// What the window is showing: a place, a search, a selection, a dialog. Nothing here outlives the window.

import type { Banner, GroupRef, HostRef, PromptRow, RegisterOutcome, RootRef, ViewRef, WorkspaceRef } from "../backend/backend";
import type { Layout } from "./layout";
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
  | { is: "elsewhere"; ids: readonly WorkspaceRef[]; host: HostRef }
  | { is: "palette"; page: PalettePage }
  | { is: "settings" }
  | { is: "shortcuts" }
  | { is: "kit" }
  | { is: "relink"; id: WorkspaceRef }
  | { is: "forgetMissing"; ids: readonly WorkspaceRef[] }
  | { is: "group"; id: GroupRef | null; parent: GroupRef | null; members: readonly WorkspaceRef[]; name?: string }
  | { is: "removeGroup"; id: GroupRef }
  | { is: "saveView"; id: ViewRef | null };

/** What the command palette offers. */
export type PalettePage = "everything" | "group" | "tag" | "host";

export interface ViewState {
  readonly place: Place;
  /** The saved view that was gone to, if the place was. */
  readonly saved: ViewRef | null;
  readonly query: string;
  /** Whether the place shows its workspaces one by one or as a picture of what takes up its disks. */
  readonly picture: boolean;
  /** The line that has the list's focus: a row's id or the key of a heading. */
  readonly focus: string | null;
  /** The row the inspector is about. */
  readonly selected: WorkspaceRef | null;
  /** The rows that what is done next is done to. */
  readonly marked: ReadonlySet<WorkspaceRef>;
  /** Headings whose rows are not shown. */
  readonly closed: ReadonlySet<string>;
  /** How a saved view, or the person for now, wants the list; where it says nothing, the preferences do. */
  readonly layout: Partial<Layout>;
  readonly inspector: boolean;
  readonly dialog: Dialog | null;
  /** Questions that only the person can answer, in the order they came. They come before any dialog. */
  readonly prompts: readonly PromptRow[];
  readonly dropping: boolean;
}

const FIRST: ViewState = {
  place: EVERYTHING,
  saved: null,
  query: "",
  picture: false,
  focus: null,
  selected: null,
  marked: new Set(),
  closed: new Set(),
  layout: {},
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
  readonly go = (place: Place): void => {
    // What a saved view had typed goes with it; what the person typed stays.
    const left = this.#state.saved !== null ? { query: "" } : {};
    this.set({ place, saved: null, layout: {}, marked: new Set(), ...left });
  };

  /** Shows one workspace wherever it is listed. */
  readonly show = (id: WorkspaceRef): void => {
    this.go(EVERYTHING);
    this.set({ query: "", focus: id, selected: id, marked: new Set([id]), inspector: true, picture: false });
  };

  readonly open = (dialog: Dialog): void => this.set({ dialog });

  readonly close = (): void => this.set({ dialog: null });

  /** Opens or closes a heading's rows. */
  readonly toggle = (key: string, open: boolean): void => {
    const closed = new Set(this.#state.closed);
    if (open) closed.delete(key);
    else closed.add(key);
    this.set({ closed });
  };
}
