//! One adapter per command: takes the state, calls `api`, returns its typed result.

use rollcall_api::wire::{
    AliasRow, BackupRow, CleanUpPlan, ConnectionTest, Creation, CreationForm, DeletionForm,
    DeletionOutcome, DeletionRow, DepthView, Details, FetchOutcome, HostRef, HostRow, ImportMode,
    ImportReport, NewHost, OnlyHere, Openers, Overview, PendingRow, PromptRow, RegisterOutcome,
    Registered, RootRef, RowChanges, SearchForm, SearchResult, SizeView, TraceRow, TrashRow,
    WorkspaceDetail, WorkspacePage, WorkspaceRef,
};
use rollcall_api::{ApiError, Application};
use tauri::State;

use crate::folders;

type Answer<T> = Result<T, ApiError>;

/// Defines commands that pass their arguments on to the method of the same name: of the open application, or of
/// what holds it.
macro_rules! adapters {
    ($application:ident => $on:expr; $($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(
            $(#[$doc])*
            #[tauri::command]
            #[specta::specta]
            pub(crate) async fn $name($application: State<'_, Application>, $($argument: $type),*) -> Answer<$answer> {
                $on.$name($($argument),*).await
            }
        )*
    };
}

mod arranging;

pub(crate) use arranging::*;

adapters! {
    application => application;
    /// Tries again to open the registry.
    reopen() -> ();
    /// Copies of the registry, newest first.
    backups() -> Vec<BackupRow>;
    /// Puts a copy in the place of a registry that cannot be opened.
    restore_backup(name: String) -> ();
    /// Sets a registry that cannot be opened aside and begins a new one.
    start_anew() -> ();
}

adapters! {
    application => application.app()?;
    /// Everything but the rows.
    overview() -> Overview;
    /// A page of rows.
    workspaces(after: Option<WorkspaceRef>) -> WorkspacePage;
    /// What changed after a revision.
    changes_since(revision: u32) -> RowChanges;
    /// One workspace for the inspector.
    workspace(id: WorkspaceRef) -> WorkspaceDetail;
    /// Looks at one workspace in depth.
    look_closer(job: String, id: WorkspaceRef) -> DepthView;
    /// Measures how large a workspace is.
    measure(job: String, id: WorkspaceRef) -> SizeView;
    /// What is in a workspace.
    details(job: String, id: WorkspaceRef) -> Details;
    /// What would go with some workspaces, as far as it is known.
    deletions(ids: Vec<WorkspaceRef>) -> Vec<DeletionRow>;
    /// Has hosts say anew what would go with some workspaces.
    check_deletions(job: String, ids: Vec<WorkspaceRef>) -> Vec<DeletionRow>;
    /// Marks workspaces as deleted.
    delete(forms: Vec<DeletionForm>) -> Vec<DeletionOutcome>;
    /// Pending deletions.
    pending() -> Vec<PendingRow>;
    /// Tries a deletion again.
    retry_deletion(id: WorkspaceRef, epoch: u32) -> ();
    /// Replaces what was agreed to lose, and tries a deletion again.
    agree_again(form: DeletionForm, epoch: u32) -> ();
    /// Takes a deletion back.
    cancel_deletion(id: WorkspaceRef) -> ();
    /// Gives a deletion up and stops showing the workspace.
    release_deletion(id: WorkspaceRef) -> ();
    /// What rests in the trash of hosts.
    trash() -> Vec<TrashRow>;
    /// Brings something back from the trash.
    restore(host: HostRef, id: String, path: Option<String>) -> String;
    /// Removes something in the trash for good.
    empty_trash(host: HostRef, id: String) -> ();
    /// Measures something in the trash.
    measure_trash(job: String, host: HostRef, id: String) -> String;
    /// Locks a linked worktree.
    lock(id: WorkspaceRef, reason: String) -> ();
    /// Takes the lock of a linked worktree away.
    unlock(id: WorkspaceRef) -> ();
    /// Moves a linked worktree.
    move_workspace(id: WorkspaceRef, to: String) -> ();
    /// Joins a record of git and a folder that was moved.
    repair(id: WorkspaceRef, at: String) -> ();
    /// Removes git's record of one worktree whose folder is gone.
    prune(id: WorkspaceRef) -> String;
    /// What there is to choose for a new worktree.
    creation(of: WorkspaceRef) -> Creation;
    /// Where a new worktree for a branch goes.
    placement(of: WorkspaceRef, branch: String, folder: Option<String>) -> String;
    /// Creates a linked worktree.
    create_worktree(form: CreationForm) -> Option<WorkspaceRef>;
    /// Fetches into the repositories of some workspaces.
    fetch(job: String, ids: Vec<WorkspaceRef>) -> Vec<FetchOutcome>;
    /// What a workspace can be opened with, and what of it can be copied.
    openers(id: WorkspaceRef) -> Openers;
    /// Opens a workspace with a program of this machine.
    open_with(id: WorkspaceRef, opener: String) -> ();
    /// Opens the page on the web of what a workspace was cloned from.
    open_page(id: WorkspaceRef) -> ();
    /// A plan for cleaning up over all hosts.
    clean_up(guard_days: u32) -> CleanUpPlan;
    /// Measures some workspaces.
    measure_all(job: String, ids: Vec<WorkspaceRef>) -> ();
    /// What exists on a host and nowhere else.
    only_here(host: HostRef) -> OnlyHere;
    /// Writes what exists on a host and nowhere else into a file.
    export_only_here(host: HostRef, file: String, replace: bool) -> String;
    /// Looks for repositories below a folder.
    search(job: String, form: SearchForm) -> SearchResult;
    /// Registers some of what a search found.
    register_found(job: String, chosen: Vec<u32>) -> Vec<RegisterOutcome>;
    /// Gives a job up, and forgets what it found.
    end_job(job: String) -> ();
    /// Says which branch others of a repository are merged into.
    choose_base(root: RootRef, base: Option<String>) -> ();
    /// Puts a path of a host under roll call.
    register(host: HostRef, path: String) -> Registered;
    /// Ends the roll call of a root.
    release_root(root: RootRef, discard_annotations: bool) -> ();
    /// Hosts of the ssh configuration.
    ssh_aliases() -> Vec<AliasRow>;
    /// Adds a host and connects to it.
    add_host(host: NewHost) -> HostRow;
    /// Changes what a host is called, how it is reached and how often.
    edit_host(host: HostRef, form: NewHost) -> HostRow;
    /// Tries to reach a host as a form says.
    test_host(form: NewHost) -> ConnectionTest;
    /// What was done to reach a host last.
    host_trace(host: HostRef) -> Vec<TraceRow>;
    /// Trusts the key a host showed.
    trust_host_key(host: HostRef, fingerprint: String) -> ();
    /// Takes the key a host shows in place of those that are known.
    replace_host_key(host: HostRef, fingerprint: String, label: String) -> ();
    /// Gives a host what a forgotten one that is the same machine had.
    reclaim_host(host: HostRef, forgotten: HostRef) -> ();
    /// Deletes for good what is remembered of a forgotten host.
    erase_forgotten(forgotten: HostRef) -> ();
    /// Questions that wait for a person.
    prompts() -> Vec<PromptRow>;
    /// Answers a question.
    answer_prompt(id: String, answers: Vec<String>, keep: bool) -> ();
    /// Says that nobody will answer a question.
    cancel_prompt(id: String) -> ();
    /// Stops or resumes everything for a host.
    set_suspended(host: HostRef, suspended: bool) -> ();
    /// Forgets a host with its rows and annotations.
    forget_host(host: HostRef) -> ();
    /// Calls the roll of a host, or of all.
    sync_now(host: Option<HostRef>) -> ();
    /// Believes that workspaces are gone, or keeps them.
    decide_absence(host: HostRef, shown: Vec<WorkspaceRef>, accept: bool) -> ();
    /// Agrees that a host is another machine now.
    agree_to_machine(host: HostRef, machine: String) -> ();
    /// Settles which record counts at a path.
    settle_conflict(root: RootRef, claim: String) -> ();
    /// Writes annotations into a file.
    export_annotations(file: String, replace: bool) -> String;
    /// Takes annotations in from a file, or says what would change.
    import_annotations(file: String, mode: ImportMode, dry_run: bool) -> ImportReport;
}

/// Lets the person choose folders of this machine and registers them. Empty when the dialog was cancelled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_folders<R: tauri::Runtime>(
    handle: tauri::AppHandle<R>,
    application: State<'_, Application>,
) -> Answer<Vec<RegisterOutcome>> {
    let app = application.app()?;
    Ok(app.register_here(folders::choose(&handle).await).await)
}

/// Lets the person choose a file of this machine. `null` when the dialog was cancelled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_file<R: tauri::Runtime>(
    handle: tauri::AppHandle<R>,
    write: bool,
) -> Answer<Option<String>> {
    Ok(folders::choose_file(&handle, write).await)
}
