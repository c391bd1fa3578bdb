// An application in memory, for tests and for looking at the window in a browser. It keeps the same promises
// as the real one: revisions that grow, changes since any of them, events after every verb.

import {
  Failure,
  JOURNAL_PAGE,
  type AliasRow,
  type AnnotationForm,
  type AnnotationPatch,
  type ApiError,
  type BackupRow,
  type BranchRow,
  type Backend,
  type BackendEvents,
  type CleanUpPlan,
  type ConnectionTest,
  type Counterpart,
  type Creation,
  type CreationForm,
  type DeletionForm,
  type DeletionRow,
  type Details,
  type ErrorCode,
  type FetchOutcome,
  type GroupRef,
  type GroupRow,
  type HostRef,
  type HostRow,
  type HostState,
  type ImportMode,
  type ImportReport,
  type JournalDay,
  type JournalFilter,
  type JournalLine,
  type MemberForm,
  type NewHost,
  type OnlyHere,
  type Openers,
  type OrderForm,
  type Overview,
  type PendingRow,
  type PlaceRow,
  type PlanRow,
  type Preferences,
  type PromptRow,
  type Registered,
  type RegisterOutcome,
  type RootRef,
  type RootRow,
  type RowChanges,
  type SearchForm,
  type SearchResult,
  type TraceRow,
  type TrashRow,
  type Unlisten,
  type LookItem,
  type VerdictItem,
  type ViewRef,
  type ViewRow,
  type WorkspaceDetail,
  type WorkspacePage,
  type WorkspaceRef,
  type WorkspaceRow,
} from "./backend";

/** More changed rows than this are announced by their revision only. */
const MOST_ROWS = 200;

export function apiErrorOf(code: ErrorCode, message: string, hints: string[] = [], retry = false): ApiError {
  return { code, message, hints, retry };
}

export function aHost(part: Partial<HostRow> & { id: HostRef }): HostRow {
  return {
    label: part.id,
    local: false,
    address: part.id,
    state: { is: "idle" },
    answeredAt: new Date(Date.now() - 120_000).toISOString(),
    system: "Linux",
    gitVersion: "2.47.3",
    unconfirmed: 0,
    pending: 0,
    machineOffered: null,
    ssh:
      part.local === true
        ? null
        : { destination: part.address ?? part.id, user: null, port: null, identityFile: null, transport: "automatic" },
    every: null,
    forgotten: null,
    twins: [],
    ...part,
  };
}

export function aRoot(part: Partial<RootRow> & { id: RootRef; host: HostRef }): RootRow {
  const path = part.path ?? `/home/me/src/${part.name ?? part.id}`;
  const seen = new Date(Date.now() - 120_000).toISOString();
  return {
    kind: "repository",
    name: path.slice(path.lastIndexOf("/") + 1),
    path,
    condition: { is: "asserted" },
    assertedAt: seen,
    factsAt: seen,
    notes: [],
    conflicts: [],
    base: null,
    ...part,
  };
}

export function aRow(part: Partial<WorkspaceRow> & { id: WorkspaceRef; host: HostRef; root: RootRef }): WorkspaceRow {
  const name = part.name ?? part.id;
  return {
    kind: "worktree",
    name,
    path: `/home/me/src/${name}`,
    branch: name,
    head: "branch",
    presence: "present",
    changes: { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 },
    unpushed: { is: "commits", count: 0 },
    upstream: "remote",
    ahead: 0,
    behind: 0,
    operation: null,
    locked: false,
    lastCommitAt: new Date(Date.now() - 3_600_000).toISOString(),
    factsAsOf: null,
    factsUnknown: false,
    tags: [],
    pinned: false,
    noted: false,
    untracked: false,
    verdict: "unknown",
    deleting: false,
    group: null,
    position: null,
    colour: null,
    size: null,
    activeAt: null,
    merged: "unknown",
    stashes: 0,
    ...part,
  };
}

type Method = Exclude<keyof Backend, "listen">;

export class FakeBackend implements Backend {
  hosts: HostRow[] = [];
  roots: RootRow[] = [];
  rows = new Map<WorkspaceRef, WorkspaceRow>();
  notes = new Map<WorkspaceRef, string>();
  displayNames = new Map<WorkspaceRef, string>();
  links = new Map<WorkspaceRef, string>();
  groups: GroupRow[] = [];
  views: ViewRow[] = [];
  preferences: Preferences = { theme: "system", guardDays: 7, worktreeFolder: "", looks: true, layout: "" };
  /** The line of the journal up to which the person has looked. */
  seen = 0;
  /** Folders of this machine in which repositories may be. */
  places: PlaceRow[] = [];
  /** What is said of each workspace that could be on another host, too. */
  counterpart: Omit<Counterpart, "id"> = { of: null, branch: null, words: "No repository there has the same origin." };
  inspected = new Map<WorkspaceRef, Partial<WorkspaceDetail>>();
  look: LookItem[] = [];
  /** What is in every workspace. */
  contents: Details = { heading: null, parts: [] };
  size = "12 MiB";
  verdicts = new Map<WorkspaceRef, VerdictItem[]>();
  deletion = new Map<WorkspaceRef, Partial<DeletionRow>>();
  pendingRows: PendingRow[] = [];
  trashRows: TrashRow[] = [];
  /** What became of the branch of what is restored next. */
  restored = "";
  /** What there is to choose for a new worktree. */
  branches: BranchRow[] = [];
  fetched: FetchOutcome[] = [];
  offered: Openers = { openers: [], path: "/", ssh: null, branch: null, page: null };
  /** What a plan for cleaning up has, by the workspaces it is about. */
  planned: (Omit<PlanRow, "deletion"> & { id: WorkspaceRef })[] = [];
  plan: Omit<CleanUpPlan, "rows"> = { young: 0, unchecked: [] };
  only: Partial<OnlyHere> = {};
  /** What every search finds. */
  found: SearchResult = { found: [], unreadable: [], lookedAt: 0 };
  /** What a search of one folder finds instead. */
  foundIn = new Map<string, SearchResult>();
  aliases: AliasRow[] = [];
  lines: JournalLine[] = [];
  /** What the folder chooser comes to. */
  chosen: RegisterOutcome[] = [];
  /** Decides what registering a path comes to; by default it works. */
  onRegister: (host: HostRef, path: string) => Registered | ApiError = (host, path) => this.#registered(host, path);
  /** Copies of the registry, newest first. */
  copies: BackupRow[] = [];
  /** What the file chooser comes to. */
  chosenFile: string | null = null;
  /** What an import would do. */
  report: ImportReport = {
    exportedAt: new Date().toISOString(),
    changed: 0,
    unchanged: 0,
    unknown: 0,
    groups: 0,
    views: 0,
    rows: [],
    missing: [],
  };
  /** Questions that wait for a person. */
  waiting: PromptRow[] = [];
  /** What was done to reach a host last. */
  trace: TraceRow[] = [];
  /** What trying to reach a host comes to. */
  tested: ConnectionTest = { trace: [], reason: null };
  /** Rows of a page. */
  pageSize = 500;
  /** Every call, in order. */
  calls: { method: Method; args: unknown[] }[] = [];

  #revision = 1;
  #changed = new Map<WorkspaceRef, number>();
  #failures = new Map<Method, ApiError[]>();
  #held = new Map<Method, Promise<void>>();
  #listeners = new Map<keyof BackendEvents, Set<(payload: never) => void>>();
  #made = 0;

  get revision(): number {
    return this.#revision;
  }

  /** The next call of `method` fails with `error`. */
  failNext(method: Method, error: ApiError): void {
    this.#failures.set(method, [...(this.#failures.get(method) ?? []), error]);
  }

  /** Calls of `method` wait until the function that comes back is called. */
  hold(method: Method): () => void {
    let release = () => {};
    this.#held.set(
      method,
      new Promise((resolve) => {
        release = () => {
          this.#held.delete(method);
          resolve();
        };
      }),
    );
    return release;
  }

  /** How often `method` was called. */
  count(method: Method): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  emit<K extends keyof BackendEvents>(event: K, payload: BackendEvents[K]): void {
    for (const heard of this.#listeners.get(event) ?? []) (heard as (payload: BackendEvents[K]) => void)(payload);
  }

  /** Changes rows as a roll call would, and says so unless told not to. */
  change(upserted: WorkspaceRow[], removed: WorkspaceRef[] = [], options: { silent?: boolean } = {}): void {
    const since = this.#revision;
    this.#revision += 1;
    for (const row of upserted) {
      this.rows.set(row.id, row);
      this.#changed.set(row.id, this.#revision);
    }
    for (const id of removed) {
      this.rows.delete(id);
      this.#changed.set(id, this.#revision);
    }
    if (options.silent === true) return;
    const partial = upserted.length + removed.length > MOST_ROWS;
    this.emit("rowsChanged", {
      since,
      changes: partial
        ? { revision: this.#revision, upserted: [], removed: [] }
        : { revision: this.#revision, upserted, removed },
      partial,
    });
  }

  /** Changes a host, a root or what a host is doing. */
  changeOverview(change: { hosts?: HostRow[]; roots?: RootRow[] }): void {
    this.hosts = change.hosts ?? this.hosts;
    this.roots = change.roots ?? this.roots;
    this.emit("overviewChanged", this.#overview());
  }

  setState(host: HostRef, state: HostState): void {
    this.changeOverview({ hosts: this.hosts.map((each) => (each.id === host ? { ...each, state } : each)) });
  }

  note(actor: JournalLine["actor"], text: string, host: HostRef | null, workspace: WorkspaceRef | null): void {
    const number = (this.lines[0]?.number ?? 0) + 1;
    this.lines.unshift({ number, at: new Date().toISOString(), actor, host, workspace, text });
  }

  async listen<K extends keyof BackendEvents>(
    event: K,
    heard: (payload: BackendEvents[K]) => void,
  ): Promise<Unlisten> {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    listeners.add(heard as (payload: never) => void);
    return () => void listeners.delete(heard as (payload: never) => void);
  }

  async #call<T>(method: Method, args: unknown[], answer: () => T): Promise<T> {
    this.calls.push({ method, args });
    await this.#held.get(method);
    const [failure, ...later] = this.#failures.get(method) ?? [];
    if (failure !== undefined) {
      this.#failures.set(method, later);
      throw new Failure(failure);
    }
    return answer();
  }

  #overview(): Overview {
    const { hosts, roots, groups, views, seen, preferences } = this;
    const unseen = this.lines.filter((line) => line.number > seen && line.actor !== "person").length;
    const revision = this.#revision;
    return structuredClone({ revision, hosts, roots, trash: this.trashRows.length, groups, views, seen, unseen, preferences });
  }

  overview() {
    return this.#call("overview", [], () => this.#overview());
  }

  workspaces(after: WorkspaceRef | null) {
    return this.#call("workspaces", [after], (): WorkspacePage => {
      const ids = [...this.rows.keys()].toSorted();
      const start = after === null ? 0 : ids.findIndex((id) => id > after);
      const page = start < 0 ? [] : ids.slice(start, start + this.pageSize);
      const more = start >= 0 && start + this.pageSize < ids.length;
      return {
        revision: this.#revision,
        rows: page.flatMap((id) => this.rows.get(id) ?? []),
        next: more ? (page.at(-1) ?? null) : null,
      };
    });
  }

  changesSince(revision: number) {
    return this.#call("changesSince", [revision], (): RowChanges => {
      const ids = [...this.#changed].filter(([, at]) => at > revision).map(([id]) => id);
      return {
        revision: this.#revision,
        upserted: ids.flatMap((id) => this.rows.get(id) ?? []),
        removed: ids.filter((id) => !this.rows.has(id)),
      };
    });
  }

  #detail(id: WorkspaceRef): WorkspaceDetail {
    const row = this.#row(id);
    const root = this.roots.find((each) => each.id === row.root);
    return {
      row,
      note: this.notes.get(id) ?? "",
      displayName: this.displayNames.get(id) ?? null,
      link: this.links.get(id) ?? null,
      listed: row.id === "made" ? "made" : row.kind === "worktree" ? "adopted" : "registered",
      recreated: false,
      presenceReason: null,
      missingSince: null,
      lockReason: row.locked ? "" : null,
      commit: row.head === "branch" || row.head === "detached" ? "9f2c1ab4d6e80713c5f2a9b8d7e6c5b4a3f2e1d0" : null,
      upstreamName: row.upstream === "remote" ? `origin/${row.branch ?? ""}` : null,
      lastCommit:
        row.lastCommitAt === null
          ? null
          : {
              commit: "9f2c1ab4d6e80713c5f2a9b8d7e6c5b4a3f2e1d0",
              time: row.lastCommitAt,
              subject: "Count what was not asserted",
              author: "Ada Byron",
            },
      unpushedShared: null,
      base: null,
      merged: null,
      depth: null,
      size: null,
      operationBranch: null,
      operationStep: null,
      stashes: row.kind === "directory" ? null : 0,
      stashesHere: row.kind === "directory" ? null : 0,
      lastActivity: null,
      origin: null,
      traits: [],
      repository: row.kind === "directory" ? null : `${root?.path ?? row.path}/.git`,
      adminName: row.kind === "worktree" ? row.name : null,
      unknown: [],
      assertedAt: root?.assertedAt ?? null,
      factsAt: row.factsAsOf ?? root?.factsAt ?? null,
      verdict: this.verdicts.get(id) ?? [],
      ...this.inspected.get(id),
    };
  }

  #row(id: WorkspaceRef): WorkspaceRow {
    const row = this.rows.get(id);
    if (row === undefined) throw new Failure(apiErrorOf("not_found", "The workspace is not in the registry."));
    return row;
  }

  lookCloser(job: string, id: WorkspaceRef) {
    return this.#call("lookCloser", [job, id], () => ({ at: new Date().toISOString(), items: this.look }));
  }

  measure(job: string, id: WorkspaceRef) {
    return this.#call("measure", [job, id], () => ({ at: new Date().toISOString(), words: this.size }));
  }

  details(job: string, id: WorkspaceRef) {
    return this.#call("details", [job, id], () => this.contents);
  }

  #deletion(id: WorkspaceRef): DeletionRow {
    const row = this.#row(id);
    const host = this.hosts.find((it) => it.id === row.host);
    return {
      id,
      host: row.host,
      hostLabel: host?.label ?? "",
      hostAnswers: host?.state.is === "idle",
      kind: row.kind,
      name: row.name,
      path: row.path,
      branch: row.head === "branch" ? row.branch : null,
      branchMerged: row.verdict === "safe",
      verdict: row.verdict,
      items: this.verdicts.get(id) ?? [],
      factsAt: row.factsAsOf,
      checkedAt: null,
      worktrees: [],
      canDeleteNow: row.kind === "worktree",
      weak: false,
      pending: row.deleting,
      size: null,
      shown: `${id} ${row.verdict}`,
      ...this.deletion.get(id),
    };
  }

  deletions(ids: WorkspaceRef[]) {
    return this.#call("deletions", [ids], () => ids.map((id) => this.#deletion(id)));
  }

  checkDeletions(job: string, ids: WorkspaceRef[]) {
    return this.#call("checkDeletions", [job, ids], () => ids.map((id) => this.#deletion(id)));
  }

  delete(forms: DeletionForm[]) {
    return this.#call("delete", [forms], () => {
      this.change(forms.map((form) => ({ ...this.#row(form.id), deleting: true })));
      return forms.map((form) => ({ id: form.id, path: this.#row(form.id).path, error: null }));
    });
  }

  pending() {
    return this.#call("pending", [], () => this.pendingRows);
  }

  retryDeletion(id: WorkspaceRef, epoch: number) {
    return this.#call("retryDeletion", [id, epoch], () => undefined);
  }

  agreeAgain(form: DeletionForm, epoch: number) {
    return this.#call("agreeAgain", [form, epoch], () => undefined);
  }

  cancelDeletion(id: WorkspaceRef) {
    return this.#call("cancelDeletion", [id], () => {
      this.pendingRows = this.pendingRows.filter((row) => row.id !== id);
      this.change([{ ...this.#row(id), deleting: false }]);
    });
  }

  releaseDeletion(id: WorkspaceRef) {
    return this.#call("releaseDeletion", [id], () => {
      this.pendingRows = this.pendingRows.filter((row) => row.id !== id);
      this.change([{ ...this.#row(id), deleting: false, untracked: true }]);
    });
  }

  trash() {
    return this.#call("trash", [], () => this.trashRows);
  }

  restore(host: HostRef, id: string, path: string | null) {
    return this.#call("restore", [host, id, path], () => {
      this.trashRows = this.trashRows.filter((row) => row.id !== id);
      return this.restored;
    });
  }

  emptyTrash(host: HostRef, id: string) {
    return this.#call("emptyTrash", [host, id], () => {
      this.trashRows = this.trashRows.filter((row) => row.id !== id);
    });
  }

  measureTrash(job: string, host: HostRef, id: string) {
    return this.#call("measureTrash", [job, host, id], () => this.size);
  }

  lock(id: WorkspaceRef, reason: string) {
    return this.#call("lock", [id, reason], () => this.change([{ ...this.#row(id), locked: true }]));
  }

  unlock(id: WorkspaceRef) {
    return this.#call("unlock", [id], () => this.change([{ ...this.#row(id), locked: false }]));
  }

  moveWorkspace(id: WorkspaceRef, to: string) {
    return this.#call("moveWorkspace", [id, to], () => this.change([{ ...this.#row(id), path: to }]));
  }

  repair(id: WorkspaceRef, at: string) {
    return this.#call("repair", [id, at], () => this.change([{ ...this.#row(id), path: at, presence: "present" }]));
  }

  prune(id: WorkspaceRef) {
    return this.#call("prune", [id], () => "what only it held is kept under refs/rollcall/kept/1");
  }

  creation(of: WorkspaceRef) {
    return this.#call("creation", [of], (): Creation => {
      const row = this.#row(of);
      const host = this.hosts.find((it) => it.id === row.host);
      return { repository: of, name: row.name, hostLabel: host?.label ?? "", branches: this.branches, base: this.branches[0]?.id ?? null };
    });
  }

  placement(of: WorkspaceRef, branch: string, folder: string | null) {
    return this.#call("placement", [of, branch, folder], () => {
      const { path } = this.#row(of);
      const name = `${path.slice(path.lastIndexOf("/") + 1)}-${branch.replaceAll("/", "-")}`;
      return `${folder ?? path.slice(0, path.lastIndexOf("/"))}/${name}`;
    });
  }

  createWorktree(form: CreationForm) {
    return this.#call("createWorktree", [form], () => {
      const row = this.#row(form.of);
      const made = { ...row, id: "made", kind: "worktree" as const, path: form.path, name: form.path.slice(form.path.lastIndexOf("/") + 1) };
      this.change([made]);
      return made.id;
    });
  }

  fetch(job: string, ids: WorkspaceRef[]) {
    return this.#call("fetch", [job, ids], () => this.fetched);
  }

  openers(id: WorkspaceRef) {
    return this.#call("openers", [id], () => this.offered);
  }

  openWith(id: WorkspaceRef, opener: string) {
    return this.#call("openWith", [id, opener], () => undefined);
  }

  openPage(id: WorkspaceRef) {
    return this.#call("openPage", [id], () => undefined);
  }

  cleanUp(guardDays: number) {
    return this.#call("cleanUp", [guardDays], (): CleanUpPlan => ({
      ...this.plan,
      rows: this.planned.map(({ id, ...row }) => ({ ...row, deletion: this.#deletion(id) })),
    }));
  }

  measureAll(job: string, ids: WorkspaceRef[]) {
    return this.#call("measureAll", [job, ids], () => undefined);
  }

  onlyHere(host: HostRef) {
    return this.#call("onlyHere", [host], (): OnlyHere => ({
      host,
      hostLabel: this.hosts.find((it) => it.id === host)?.label ?? "",
      answeredAt: new Date(Date.now() - 60_000).toISOString(),
      hostAnswers: true,
      rows: [],
      elsewhere: 0,
      unchecked: [],
      failedRoots: [],
      ...this.only,
    }));
  }

  exportOnlyHere(host: HostRef, file: string, replace: boolean) {
    return this.#call("exportOnlyHere", [host, file, replace], () => file);
  }

  search(job: string, form: SearchForm) {
    return this.#call("search", [job, form], () => this.foundIn.get(form.folder) ?? this.found);
  }

  registerFound(job: string, chosen: number[]) {
    const host = this.calls.find((call) => call.method === "search" && call.args[0] === job)?.args[1] as SearchForm;
    return this.#call("registerFound", [job, chosen], () =>
      chosen.map((at): RegisterOutcome => {
        const { found } = this.foundIn.get(host.folder) ?? this.found;
        const path = found[at]?.path ?? "";
        const came = this.onRegister(host.host, path);
        return "code" in came ? { path, registered: null, error: came } : { path, registered: came, error: null };
      }),
    );
  }

  endJob(job: string) {
    return this.#call("endJob", [job], () => {});
  }

  chooseBase(root: RootRef, base: string | null) {
    return this.#call("chooseBase", [root, base], () =>
      this.changeOverview({ roots: this.roots.map((each) => (each.id === root ? { ...each, base } : each)) }),
    );
  }

  workspace(id: WorkspaceRef) {
    return this.#call("workspace", [id], () => this.#detail(id));
  }

  #registered(host: HostRef, path: string): Registered {
    const old = this.roots.find((root) => root.host === host && root.path === path);
    if (old !== undefined) return { root: old, already: true, inside: null };
    this.#made += 1;
    const root = aRoot({ id: `made-root-${this.#made}`, host, path });
    this.changeOverview({ roots: [...this.roots, root] });
    this.change([
      aRow({ id: `made-${this.#made}`, host, root: root.id, kind: "repository", name: root.name, path, branch: "main" }),
    ]);
    return { root, already: false, inside: null };
  }

  register(host: HostRef, path: string) {
    return this.#call("register", [host, path], () => {
      const outcome = this.onRegister(host, path);
      if ("code" in outcome) throw new Failure(outcome);
      return outcome;
    });
  }

  chooseFolders() {
    return this.#call("chooseFolders", [], () => this.chosen);
  }

  releaseRoot(root: RootRef, discardAnnotations: boolean) {
    return this.#call("releaseRoot", [root, discardAnnotations], () => {
      const gone = [...this.rows.values()].filter((row) => row.root === root);
      const annotated = gone.filter((row) => row.noted || row.pinned || row.tags.length > 0);
      if (annotated.length > 0 && !discardAnnotations) {
        throw new Failure(apiErrorOf("annotated", `${annotated.length} of its workspaces carry notes, tags or pins.`));
      }
      this.changeOverview({ roots: this.roots.filter((each) => each.id !== root) });
      this.change(
        [],
        gone.map((row) => row.id),
      );
    });
  }

  sshAliases() {
    return this.#call("sshAliases", [], () => this.aliases);
  }

  addHost(host: NewHost) {
    return this.#call("addHost", [host], () => {
      const label = host.label || host.destination;
      if (this.hosts.some((each) => each.label === label)) {
        throw new Failure(
          apiErrorOf("duplicate_label", `There is a host called ${label} already.`, ["Give it another label."]),
        );
      }
      this.#made += 1;
      const row = aHost({
        id: `made-host-${this.#made}`,
        label,
        address: host.destination,
        answeredAt: null,
        state: { is: "calling", since: new Date().toISOString() },
      });
      this.aliases = this.aliases.map((alias) =>
        alias.alias === host.destination ? { ...alias, added: true } : alias,
      );
      this.changeOverview({ hosts: [...this.hosts, row] });
      return row;
    });
  }

  trustHostKey(host: HostRef, fingerprint: string) {
    return this.#call("trustHostKey", [host, fingerprint], () => this.setState(host, { is: "idle" }));
  }

  testHost(form: NewHost) {
    return this.#call("testHost", [form], () => this.tested);
  }

  editHost(host: HostRef, form: NewHost) {
    return this.#call("editHost", [host, form], () => {
      const { destination, user, port, identityFile, transport } = form;
      this.changeOverview({
        hosts: this.hosts.map((each) =>
          each.id !== host
            ? each
            : {
                ...each,
                label: form.label || destination,
                every: form.every,
                ssh: each.ssh === null ? null : { destination, user, port, identityFile, transport },
              },
        ),
      });
      return this.hosts.find((each) => each.id === host) ?? aHost({ id: host });
    });
  }

  hostTrace(host: HostRef) {
    return this.#call("hostTrace", [host], () => this.trace);
  }

  replaceHostKey(host: HostRef, fingerprint: string, label: string) {
    return this.#call("replaceHostKey", [host, fingerprint, label], () => this.setState(host, { is: "idle" }));
  }

  reclaimHost(host: HostRef, forgotten: HostRef) {
    return this.#call("reclaimHost", [host, forgotten], () =>
      this.changeOverview({ hosts: this.hosts.map((each) => (each.id === host ? { ...each, forgotten: null } : each)) }),
    );
  }

  eraseForgotten(forgotten: HostRef) {
    return this.#call("eraseForgotten", [forgotten], () =>
      this.changeOverview({
        hosts: this.hosts.map((each) => (each.forgotten?.id === forgotten ? { ...each, forgotten: null } : each)),
      }),
    );
  }

  prompts() {
    return this.#call("prompts", [], () => structuredClone(this.waiting));
  }

  /** Has questions wait from now on, and says so. */
  ask(prompts: PromptRow[]): void {
    this.waiting = prompts;
    this.emit("promptsChanged", structuredClone(prompts));
  }

  answerPrompt(id: string, answers: string[], keep: boolean) {
    return this.#call("answerPrompt", [id, answers, keep], () =>
      this.ask(this.waiting.filter((prompt) => prompt.id !== id)),
    );
  }

  cancelPrompt(id: string) {
    return this.#call("cancelPrompt", [id], () => this.ask(this.waiting.filter((prompt) => prompt.id !== id)));
  }

  setSuspended(host: HostRef, suspended: boolean) {
    return this.#call("setSuspended", [host, suspended], () =>
      this.setState(host, { is: suspended ? "suspended" : "idle" }),
    );
  }

  forgetHost(host: HostRef) {
    return this.#call("forgetHost", [host], () => {
      const gone = [...this.rows.values()].filter((row) => row.host === host).map((row) => row.id);
      this.changeOverview({
        hosts: this.hosts.filter((each) => each.id !== host),
        roots: this.roots.filter((root) => root.host !== host),
      });
      this.change([], gone);
    });
  }

  syncNow(host: HostRef | null) {
    return this.#call("syncNow", [host], () => {});
  }

  #annotated(id: WorkspaceRef, patch: AnnotationPatch): WorkspaceRow {
    const row = this.#row(id);
    if (patch.note != null) this.notes.set(id, patch.note);
    if (patch.displayName != null) {
      if (patch.displayName === "") this.displayNames.delete(id);
      else this.displayNames.set(id, patch.displayName);
    }
    if (patch.link != null) {
      if (patch.link === "") this.links.delete(id);
      else this.links.set(id, patch.link);
    }
    return {
      ...row,
      name: this.displayNames.get(id) ?? row.path.slice(row.path.lastIndexOf("/") + 1),
      noted: (this.notes.get(id) ?? "") !== "",
      tags: patch.tags ?? row.tags,
      pinned: patch.pinned ?? row.pinned,
      colour: patch.colour == null ? row.colour : patch.colour === "none" ? null : patch.colour,
    };
  }

  annotate(id: WorkspaceRef, patch: AnnotationPatch) {
    return this.#call("annotate", [id, patch], () => {
      this.change([this.#annotated(id, patch)]);
      return this.#detail(id);
    });
  }

  annotateAll(forms: AnnotationForm[]) {
    return this.#call("annotateAll", [forms], () => this.change(forms.map(({ id, patch }) => this.#annotated(id, patch))));
  }

  untrackAll(ids: WorkspaceRef[]) {
    return this.#call("untrackAll", [ids], () => this.change(ids.map((id) => ({ ...this.#row(id), untracked: true }))));
  }

  retrackAll(ids: WorkspaceRef[]) {
    return this.#call("retrackAll", [ids], () => this.change(ids.map((id) => ({ ...this.#row(id), untracked: false }))));
  }

  addGroup(name: string, parent: GroupRef | null) {
    return this.#call("addGroup", [name, parent], () => {
      const there = this.groups.find((group) => group.name.toLowerCase() === name.toLowerCase());
      if (there !== undefined) return there.id;
      this.#made += 1;
      const id = `made-group-${this.#made}`;
      this.groups = [...this.groups, { id, name, parent }];
      this.changeOverview({});
      return id;
    });
  }

  renameGroup(id: GroupRef, name: string) {
    return this.#call("renameGroup", [id, name], () => {
      this.groups = this.groups.map((group) => (group.id === id ? { ...group, name } : group));
      this.changeOverview({});
    });
  }

  removeGroup(id: GroupRef) {
    return this.#call("removeGroup", [id], () => {
      const members = [...this.rows.values()].filter((row) => row.group === id);
      this.change(members.map((row) => ({ ...row, group: null, position: null })));
      this.groups = this.groups
        .filter((group) => group.id !== id)
        .map((group) => (group.parent === id ? { ...group, parent: null } : group));
      this.changeOverview({});
    });
  }

  arrangeGroups(parent: GroupRef | null, order: GroupRef[]) {
    return this.#call("arrangeGroups", [parent, order], () => {
      const named = order.flatMap((id) => this.groups.find((group) => group.id === id) ?? []);
      this.groups = [
        ...named.map((group) => ({ ...group, parent })),
        ...this.groups.filter((group) => !order.includes(group.id)),
      ];
      this.changeOverview({});
    });
  }

  regroup(members: MemberForm[], orders: OrderForm[]) {
    return this.#call("regroup", [members, orders], () => {
      const changed = new Map<WorkspaceRef, WorkspaceRow>();
      for (const { id, group } of members) {
        const row = this.#row(id);
        if (row.group !== group) changed.set(id, { ...row, group, position: null });
      }
      for (const { ids } of orders) {
        for (const [position, id] of ids.entries()) changed.set(id, { ...(changed.get(id) ?? this.#row(id)), position });
      }
      this.change([...changed.values()]);
    });
  }

  saveView(id: ViewRef | null, name: string, definition: string) {
    return this.#call("saveView", [id, name, definition], () => {
      this.#made += 1;
      const saved = id ?? `made-view-${this.#made}`;
      const view = { id: saved, name, definition };
      this.views = id === null ? [...this.views, view] : this.views.map((each) => (each.id === id ? view : each));
      this.changeOverview({});
      return saved;
    });
  }

  removeView(id: ViewRef) {
    return this.#call("removeView", [id], () => {
      this.views = this.views.filter((view) => view.id !== id);
      this.changeOverview({});
    });
  }

  arrangeViews(order: ViewRef[]) {
    return this.#call("arrangeViews", [order], () => {
      this.views = this.views.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
      this.changeOverview({});
    });
  }

  setPreferences(preferences: Preferences) {
    return this.#call("setPreferences", [preferences], () => {
      this.preferences = preferences;
      this.changeOverview({});
    });
  }

  texts(words: string[]) {
    return this.#call("texts", [words], () =>
      words.map((word) => [...this.notes].filter(([, note]) => note.toLowerCase().includes(word)).map(([id]) => id)),
    );
  }

  relink(id: WorkspaceRef, to: WorkspaceRef) {
    return this.#call("relink", [id, to], () => {
      const [gone, there] = [this.#row(id), this.#row(to)];
      this.notes.set(to, [this.notes.get(to), this.notes.get(id)].filter(Boolean).join("\n\n"));
      const tags = [...new Set([...there.tags, ...gone.tags])];
      this.change([{ ...there, tags, noted: there.noted || gone.noted, pinned: there.pinned || gone.pinned }], [id]);
    });
  }

  forgetMissing(ids: WorkspaceRef[]) {
    return this.#call("forgetMissing", [ids], () => this.change([], ids));
  }

  counterparts(ids: WorkspaceRef[], host: HostRef) {
    return this.#call("counterparts", [ids, host], () => ids.map((id): Counterpart => ({ id, ...this.counterpart })));
  }

  searchPlaces() {
    return this.#call("searchPlaces", [], () => this.places);
  }

  openAddress(url: string) {
    return this.#call("openAddress", [url], () => undefined);
  }

  openLink(id: WorkspaceRef) {
    return this.#call("openLink", [id], () => undefined);
  }

  backUpNow() {
    return this.#call("backUpNow", [], (): BackupRow => {
      const made: BackupRow = { name: "now.sqlite3", takenAt: new Date().toISOString(), kilobytes: 64, hosts: 2, workspaces: 4, notes: 0 };
      this.copies = [made, ...this.copies];
      return made;
    });
  }

  decideAbsence(host: HostRef, shown: WorkspaceRef[], accept: boolean) {
    return this.#call("decideAbsence", [host, shown, accept], () => {
      const held = shown.flatMap((id) => this.rows.get(id) ?? []).filter((row) => row.presence === "unconfirmed");
      const kept = held.filter((row) => !accept || row.noted || row.pinned || row.kind !== "worktree");
      this.change(
        kept.map((row) => ({ ...row, presence: "missing" as const })),
        held.filter((row) => !kept.includes(row)).map((row) => row.id),
      );
      this.changeOverview({
        hosts: this.hosts.map((each) =>
          each.id === host ? { ...each, unconfirmed: each.unconfirmed - held.length } : each,
        ),
      });
    });
  }

  agreeToMachine(host: HostRef, machine: string) {
    return this.#call("agreeToMachine", [host, machine], () =>
      this.changeOverview({
        hosts: this.hosts.map((each) => (each.id === host ? { ...each, machineOffered: null } : each)),
      }),
    );
  }

  settleConflict(root: RootRef, claim: string) {
    return this.#call("settleConflict", [root, claim], () => {
      const settled = this.roots
        .flatMap((each) => each.conflicts)
        .find((conflict) => conflict.claims.some((each) => each.id === claim));
      this.changeOverview({
        roots: this.roots.map((each) => ({
          ...each,
          conflicts: each.conflicts.filter((conflict) => conflict.path !== settled?.path),
        })),
      });
    });
  }

  exportAnnotations(file: string, replace: boolean) {
    return this.#call("exportAnnotations", [file, replace], () => file.replace(/^~/, "/home/me"));
  }

  importAnnotations(file: string, mode: ImportMode, dryRun: boolean) {
    return this.#call("importAnnotations", [file, mode, dryRun], () => this.report);
  }

  chooseFile(write: boolean) {
    return this.#call("chooseFile", [write], () => this.chosenFile);
  }

  reopen() {
    return this.#call("reopen", [], () => {});
  }

  backups() {
    return this.#call("backups", [], () => this.copies);
  }

  restoreBackup(name: string) {
    return this.#call("restoreBackup", [name], () => this.#failures.delete("overview")).then(() => {});
  }

  startAnew() {
    return this.#call("startAnew", [], () => this.#failures.delete("overview")).then(() => {});
  }

  journal(before: number | null, filter: JournalFilter) {
    return this.#call("journal", [before, filter], () =>
      this.lines
        .filter((line) => before === null || line.number < before)
        .filter((line) => filter.workspace === null || line.workspace === filter.workspace)
        .filter((line) => filter.host === null || line.host === filter.host)
        .filter((line) => filter.actor === null || line.actor === filter.actor)
        .slice(0, JOURNAL_PAGE),
    );
  }

  journalSeen(number: number) {
    return this.#call("journalSeen", [number], () => {
      this.seen = Math.max(this.seen, number);
      this.changeOverview({});
    });
  }

  journalDays(host: HostRef | null, weeks: number) {
    return this.#call("journalDays", [host, weeks], () => {
      const days = new Map<string, JournalDay>();
      for (let back = weeks * 7 - 1; back >= 0; back -= 1) {
        const day = new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
        days.set(day, { day, rollCalls: 0, people: 0, sweeps: 0 });
      }
      for (const line of this.lines) {
        const day = days.get(line.at.slice(0, 10));
        if (day === undefined || (host !== null && line.host !== host)) continue;
        day[line.actor === "person" ? "people" : line.actor === "sweep" ? "sweeps" : "rollCalls"] += 1;
      }
      return [...days.values()];
    });
  }
}
