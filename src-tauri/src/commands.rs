//! One adapter per command: takes the state, calls `api`, returns its typed result.

use rollcall_api::ApiError;
use rollcall_api::wire::{
    AliasRow, AnnotationPatch, HostRef, HostRow, JournalLine, NewHost, Overview, RegisterOutcome,
    Registered, RootRef, RowChanges, WorkspaceDetail, WorkspacePage, WorkspaceRef,
};
use tauri::State;

use crate::{Opened, folders};

type Answer<T> = Result<T, ApiError>;

/// Defines commands that pass their arguments on to the method of the same name.
macro_rules! adapters {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(
            $(#[$doc])*
            #[tauri::command]
            #[specta::specta]
            pub(crate) async fn $name(opened: State<'_, Opened>, $($argument: $type),*) -> Answer<$answer> {
                opened.app()?.$name($($argument),*).await
            }
        )*
    };
}

adapters! {
    /// Hosts and roots.
    overview() -> Overview;
    /// A page of rows.
    workspaces(after: Option<WorkspaceRef>) -> WorkspacePage;
    /// What changed after a revision.
    changes_since(revision: u32) -> RowChanges;
    /// One workspace for the inspector.
    workspace(id: WorkspaceRef) -> WorkspaceDetail;
    /// Puts a path of a host under roll call.
    register(host: HostRef, path: String) -> Registered;
    /// Ends the roll call of a root.
    release_root(root: RootRef, discard_annotations: bool) -> ();
    /// Hosts of the ssh configuration.
    ssh_aliases() -> Vec<AliasRow>;
    /// Adds a host and connects to it.
    add_host(host: NewHost) -> HostRow;
    /// Trusts the key a host showed.
    trust_host_key(host: HostRef, fingerprint: String) -> ();
    /// Stops or resumes everything for a host.
    set_suspended(host: HostRef, suspended: bool) -> ();
    /// Forgets a host with its rows and annotations.
    forget_host(host: HostRef) -> ();
    /// Calls the roll of a host, or of all.
    sync_now(host: Option<HostRef>) -> ();
    /// Writes what a person wants to remember.
    annotate(id: WorkspaceRef, patch: AnnotationPatch) -> WorkspaceDetail;
    /// Stops showing a workspace.
    untrack(id: WorkspaceRef) -> ();
    /// Shows a workspace again.
    retrack(id: WorkspaceRef) -> ();
    /// The journal, newest first.
    journal(before: Option<u32>, workspace: Option<WorkspaceRef>) -> Vec<JournalLine>;
}

/// Lets the person choose folders of this machine and registers them. Empty when the dialog was cancelled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn choose_folders<R: tauri::Runtime>(
    handle: tauri::AppHandle<R>,
    opened: State<'_, Opened>,
) -> Answer<Vec<RegisterOutcome>> {
    let app = opened.app()?;
    Ok(app.register_here(folders::choose(&handle).await).await)
}
