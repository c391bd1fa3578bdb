//! The application.
use crate::error::{ApiError, ErrorCode};
use crate::wire::*;

/// The application.
pub struct App {}

/// Event.
#[derive(Clone, Debug)]
pub enum Event {}
macro_rules! stub { ($($name:ident($($a:ident: $t:ty),*) -> $r:ty;)*) => { impl App { $(
    /// x
    pub async fn $name(&self, $($a: $t),*) -> Result<$r, ApiError> { $(let _ = $a;)* Err(ApiError::new(ErrorCode::Internal, "")) } )* } } }
stub! {
    overview() -> Overview;
    workspaces(after: Option<WorkspaceRef>) -> WorkspacePage;
    changes_since(revision: u32) -> RowChanges;
    workspace(id: WorkspaceRef) -> WorkspaceDetail;
    register(host: HostRef, path: String) -> Registered;
    release_root(root: RootRef, discard_annotations: bool) -> ();
    ssh_aliases() -> Vec<AliasRow>;
    add_host(host: NewHost) -> HostRow;
    trust_host_key(host: HostRef, fingerprint: String) -> ();
    set_suspended(host: HostRef, suspended: bool) -> ();
    forget_host(host: HostRef) -> ();
    sync_now(host: Option<HostRef>) -> ();
    annotate(id: WorkspaceRef, patch: AnnotationPatch) -> WorkspaceDetail;
    untrack(id: WorkspaceRef) -> ();
    retrack(id: WorkspaceRef) -> ();
    journal(before: Option<u32>, workspace: Option<WorkspaceRef>) -> Vec<JournalLine>;
}
