// What the window can ask of the application and what it hears from it. Everything above this folder knows
// only these types; what carries them is one of the implementations beside this file.

import type {
  AliasRow,
  AnnotationForm,
  AnnotationPatch,
  ApiError,
  BackupRow,
  CleanUpPlan,
  ConnectionTest,
  Counterpart,
  Creation,
  CreationForm,
  DeletionForm,
  DeletionOutcome,
  DeletionRow,
  DepthView,
  Details,
  FetchOutcome,
  GroupRef,
  HostRef,
  HostRow,
  ImportMode,
  ImportReport,
  JobProgress,
  JournalDay,
  JournalFilter,
  JournalLine,
  MemberForm,
  NewHost,
  Notice,
  OnlyHere,
  Openers,
  OrderForm,
  Overview,
  PendingRow,
  PlaceRow,
  Preferences,
  PromptRow,
  Registered,
  RegisterOutcome,
  RootRef,
  RowChanges,
  RowsChanged,
  SearchForm,
  SearchResult,
  SizeView,
  TraceRow,
  TrashRow,
  ViewRef,
  WorkspaceDetail,
  WorkspacePage,
  WorkspaceRef,
} from "../bindings";

export type * from "../bindings";

/** Lines in one page of the journal; a shorter page is the last. */
export const JOURNAL_PAGE = 200;

/** What the application says on its own. */
export interface BackendEvents {
  rowsChanged: RowsChanged;
  overviewChanged: Overview;
  promptsChanged: PromptRow[];
  jobProgress: JobProgress;
  notice: Notice;
  dragHover: boolean;
}

/** Ends a subscription. */
export type Unlisten = () => void;

/** Every promise rejects with a {@link Failure} and with nothing else. */
export interface Backend {
  overview(): Promise<Overview>;
  workspaces(after: WorkspaceRef | null): Promise<WorkspacePage>;
  changesSince(revision: number): Promise<RowChanges>;
  workspace(id: WorkspaceRef): Promise<WorkspaceDetail>;
  /** Looks at a workspace in depth, now; it may take a while, and ends with `endJob`. So do the other jobs. */
  lookCloser(job: string, id: WorkspaceRef): Promise<DepthView>;
  measure(job: string, id: WorkspaceRef): Promise<SizeView>;
  details(job: string, id: WorkspaceRef): Promise<Details>;
  /** What would go with some workspaces, as far as it is known. */
  deletions(ids: WorkspaceRef[]): Promise<DeletionRow[]>;
  /** The same, after their hosts were asked anew, as far as they answer. */
  checkDeletions(job: string, ids: WorkspaceRef[]): Promise<DeletionRow[]>;
  delete(forms: DeletionForm[]): Promise<DeletionOutcome[]>;
  pending(): Promise<PendingRow[]>;
  retryDeletion(id: WorkspaceRef, epoch: number): Promise<void>;
  /** Agrees to what would go now, and has the deletion tried again. */
  agreeAgain(form: DeletionForm, epoch: number): Promise<void>;
  cancelDeletion(id: WorkspaceRef): Promise<void>;
  releaseDeletion(id: WorkspaceRef): Promise<void>;
  trash(): Promise<TrashRow[]>;
  /** What became of its branch, if that is not as it was. */
  restore(host: HostRef, id: string, path: string | null): Promise<string>;
  emptyTrash(host: HostRef, id: string): Promise<void>;
  measureTrash(job: string, host: HostRef, id: string): Promise<string>;
  lock(id: WorkspaceRef, reason: string): Promise<void>;
  unlock(id: WorkspaceRef): Promise<void>;
  moveWorkspace(id: WorkspaceRef, to: string): Promise<void>;
  /** Joins git's record of a worktree and a folder that was moved by other means. */
  repair(id: WorkspaceRef, at: string): Promise<void>;
  /** Removes git's record of one worktree; says where what only it held is kept. */
  prune(id: WorkspaceRef): Promise<string>;
  /** What there is to choose for a new worktree of the repository that a workspace belongs to. */
  creation(of: WorkspaceRef): Promise<Creation>;
  placement(of: WorkspaceRef, branch: string, folder: string | null): Promise<string>;
  /** `null` if it was made and its host has yet to tell of it. */
  createWorktree(form: CreationForm): Promise<WorkspaceRef | null>;
  fetch(job: string, ids: WorkspaceRef[]): Promise<FetchOutcome[]>;
  openers(id: WorkspaceRef): Promise<Openers>;
  openWith(id: WorkspaceRef, opener: string): Promise<void>;
  openPage(id: WorkspaceRef): Promise<void>;
  /** What can go over all hosts, nothing of it younger than so many days. */
  cleanUp(guardDays: number): Promise<CleanUpPlan>;
  measureAll(job: string, ids: WorkspaceRef[]): Promise<void>;
  onlyHere(host: HostRef): Promise<OnlyHere>;
  /** Where it was written. */
  exportOnlyHere(host: HostRef, file: string, replace: boolean): Promise<string>;
  search(job: string, form: SearchForm): Promise<SearchResult>;
  /** Registers some of what a search found, by their places in it. */
  registerFound(job: string, chosen: number[]): Promise<RegisterOutcome[]>;
  /** Gives a job up, and forgets what it found. */
  endJob(job: string): Promise<void>;
  chooseBase(root: RootRef, base: string | null): Promise<void>;
  register(host: HostRef, path: string): Promise<Registered>;
  /** Empty when the person chose nothing. */
  chooseFolders(): Promise<RegisterOutcome[]>;
  releaseRoot(root: RootRef, discardAnnotations: boolean): Promise<void>;
  sshAliases(): Promise<AliasRow[]>;
  addHost(host: NewHost): Promise<HostRow>;
  trustHostKey(host: HostRef, fingerprint: string): Promise<void>;
  /** Tries to reach a host as a form says. That it does not work is an answer, too. */
  testHost(form: NewHost): Promise<ConnectionTest>;
  editHost(host: HostRef, form: NewHost): Promise<HostRow>;
  hostTrace(host: HostRef): Promise<TraceRow[]>;
  /** Takes the key a host shows in place of those that are known; the person types its label. */
  replaceHostKey(host: HostRef, fingerprint: string, label: string): Promise<void>;
  /** Gives a host what a forgotten one that is the same machine had. */
  reclaimHost(host: HostRef, forgotten: HostRef): Promise<void>;
  eraseForgotten(forgotten: HostRef): Promise<void>;
  prompts(): Promise<PromptRow[]>;
  answerPrompt(id: string, answers: string[], keep: boolean): Promise<void>;
  cancelPrompt(id: string): Promise<void>;
  setSuspended(host: HostRef, suspended: boolean): Promise<void>;
  forgetHost(host: HostRef): Promise<void>;
  syncNow(host: HostRef | null): Promise<void>;
  annotate(id: WorkspaceRef, patch: AnnotationPatch): Promise<WorkspaceDetail>;
  /** Writes about several workspaces at once: all of it or nothing. */
  annotateAll(forms: AnnotationForm[]): Promise<void>;
  untrackAll(ids: WorkspaceRef[]): Promise<void>;
  retrackAll(ids: WorkspaceRef[]): Promise<void>;
  addGroup(name: string, parent: GroupRef | null): Promise<GroupRef>;
  renameGroup(id: GroupRef, name: string): Promise<void>;
  removeGroup(id: GroupRef): Promise<void>;
  /** Puts groups below a group, or to the top, in an order. */
  arrangeGroups(parent: GroupRef | null, order: GroupRef[]): Promise<void>;
  /** Puts workspaces into groups, and then those of some groups into an order. */
  regroup(members: MemberForm[], orders: OrderForm[]): Promise<void>;
  saveView(id: ViewRef | null, name: string, definition: string): Promise<ViewRef>;
  removeView(id: ViewRef): Promise<void>;
  arrangeViews(order: ViewRef[]): Promise<void>;
  setPreferences(preferences: Preferences): Promise<void>;
  /** For each word the workspaces whose note or last subject has it. */
  texts(words: string[]): Promise<WorkspaceRef[][]>;
  /** Hands what was written about a missing workspace to another, and lets the missing one go. */
  relink(id: WorkspaceRef, to: WorkspaceRef): Promise<void>;
  forgetMissing(ids: WorkspaceRef[]): Promise<void>;
  /** The repositories of a host that workspaces of another could be worktrees of. */
  counterparts(ids: WorkspaceRef[], host: HostRef): Promise<Counterpart[]>;
  /** Folders of this machine in which people tend to keep repositories. */
  searchPlaces(): Promise<PlaceRow[]>;
  openAddress(url: string): Promise<void>;
  openLink(id: WorkspaceRef): Promise<void>;
  backUpNow(): Promise<BackupRow>;
  /** Believes a host that workspaces are gone, or keeps them all the same. */
  decideAbsence(host: HostRef, shown: WorkspaceRef[], accept: boolean): Promise<void>;
  agreeToMachine(host: HostRef, machine: string): Promise<void>;
  settleConflict(root: RootRef, claim: string): Promise<void>;
  /** Where it was written. */
  exportAnnotations(file: string, replace: boolean): Promise<string>;
  importAnnotations(file: string, mode: ImportMode, dryRun: boolean): Promise<ImportReport>;
  /** `null` when the person chose nothing. */
  chooseFile(write: boolean): Promise<string | null>;
  /** Tries again to open a registry that could not be opened. */
  reopen(): Promise<void>;
  backups(): Promise<BackupRow[]>;
  restoreBackup(name: string): Promise<void>;
  startAnew(): Promise<void>;
  journal(before: number | null, filter: JournalFilter): Promise<JournalLine[]>;
  /** What is before and at this line counts as looked at. */
  journalSeen(number: number): Promise<void>;
  journalDays(host: HostRef | null, weeks: number): Promise<JournalDay[]>;
  listen<K extends keyof BackendEvents>(event: K, heard: (payload: BackendEvents[K]) => void): Promise<Unlisten>;
}

/** An answer that something could not be done. */
export class Failure extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.name = "Failure";
    this.error = error;
  }
}

function isApiError(value: unknown): value is ApiError {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<ApiError>).code === "string" &&
    typeof (value as Partial<ApiError>).message === "string" &&
    Array.isArray((value as Partial<ApiError>).hints)
  );
}

/** Whatever was thrown, as an error a person can read. What is not one of ours is a defect. */
export function apiError(thrown: unknown): ApiError {
  if (thrown instanceof Failure) return thrown.error;
  if (isApiError(thrown)) return thrown;
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: "internal",
    message: `Rollcall could not do this: ${words || "no reason was given"}`,
    hints: ["Try it again; if it keeps happening, restart Rollcall."],
    retry: true,
  };
}
