//! What crosses to the window about deletions and the trash.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{HostRef, Kind, WorkspaceRef};
use crate::error::ApiError;

/// The word for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum VerdictKind {
    /// Nothing of it exists only here.
    Safe,
    /// Something would be lost.
    Loses,
    /// It cannot go as it is.
    Blocked,
    /// Something that has to be known is not.
    Unknown,
}

/// What an item of a verdict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ItemKind {
    /// It would be lost.
    Loss,
    /// It keeps the workspace from going.
    Block,
    /// It is not known.
    Unknown,
}

/// One thing that a verdict follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct VerdictItem {
    /// What it is about.
    pub kind: ItemKind,
    /// What it is, in a few words that begin with how many.
    pub words: String,
    /// Names, where there are some; at most fifty.
    pub names: Vec<String>,
}

/// A workspace that may be deleted, as a person is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that any of the others may come with"
)]
pub struct DeletionRow {
    /// Its identifier.
    pub id: WorkspaceRef,
    /// Its host.
    pub host: HostRef,
    /// What its host is called.
    pub host_label: String,
    /// Whether its host answered when it was asked last.
    pub host_answers: bool,
    /// What it is.
    pub kind: Kind,
    /// What it is called.
    pub name: String,
    /// Its path, inert.
    pub path: String,
    /// The short name of the branch it is on.
    pub branch: Option<String>,
    /// Whether that branch is merged, as far as was seen; nothing else deletes it unasked.
    pub branch_merged: bool,
    /// The verdict.
    pub verdict: VerdictKind,
    /// What it follows from.
    pub items: Vec<VerdictItem>,
    /// When its facts were seen.
    pub facts_at: Option<Timestamp>,
    /// When it was looked at in depth.
    pub checked_at: Option<Timestamp>,
    /// Linked worktrees of a repository that would have to go with it.
    pub worktrees: Vec<WorkspaceRef>,
    /// Whether it can be deleted at once instead of resting in the trash.
    pub can_delete_now: bool,
    /// Whether only a weak mark tells it from a later workspace at its path.
    pub weak: bool,
    /// Whether its deletion is pending already.
    pub pending: bool,
    /// What it takes, in words, if it was measured.
    pub size: Option<String>,
    /// What was shown: given back, it says what was agreed to.
    pub shown: String,
}

/// How a workspace is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum DeletionMode {
    /// Whole and restorable, for some days.
    Trash,
    /// For good.
    DeleteNow,
}

/// What becomes of its branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum BranchFate {
    /// It stays.
    Keep,
    /// It goes if it is merged.
    DeleteIfMerged,
    /// It goes.
    Delete,
}

/// What a person decided about one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DeletionForm {
    /// Which.
    pub id: WorkspaceRef,
    /// What was shown; see [`DeletionRow::shown`].
    pub shown: String,
    /// How.
    pub mode: DeletionMode,
    /// What becomes of its branch.
    pub branch: BranchFate,
    /// Whether it may go although something about it is unknown.
    pub unseen: bool,
}

/// What came of the decision about one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DeletionOutcome {
    /// Which.
    pub id: WorkspaceRef,
    /// Its path, inert.
    pub path: String,
    /// Why it is not to be deleted, if it is not.
    pub error: Option<ApiError>,
}

/// How far a deletion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PendingState {
    /// It waits for its host, or for something there.
    Waiting,
    /// It is being carried out, or may be.
    Running,
    /// The host says it is gone; the next roll call confirms it.
    Confirming,
    /// It failed, and is tried again.
    Retrying,
    /// Only a person can go on.
    Stopped,
}

/// Why a deletion stopped, as far as the window offers a way out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum StopKind {
    /// It is locked, and can be unlocked.
    Locked,
    /// Something changed, and can be agreed to.
    Changed,
    /// Something else.
    Other,
}

/// A pending deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PendingRow {
    /// The workspace.
    pub id: WorkspaceRef,
    /// Its host.
    pub host: HostRef,
    /// What its host is called.
    pub host_label: String,
    /// What it is called.
    pub name: String,
    /// Its path, inert.
    pub path: String,
    /// How it goes.
    pub mode: DeletionMode,
    /// When that was decided.
    pub asked_at: Timestamp,
    /// Given back with a decision about it, so that none is taken about another state of it.
    pub epoch: u32,
    /// How far it is.
    pub state: PendingState,
    /// What happens next, in one sentence.
    pub plan: String,
    /// Attempts in a row that failed.
    pub attempts: u32,
    /// When the last of them ended.
    pub attempted_at: Option<Timestamp>,
    /// Why it stopped, if it did.
    pub stop: Option<StopKind>,
    /// What was agreed to lose.
    pub agreed: Vec<VerdictItem>,
    /// What is known now.
    pub now: Vec<VerdictItem>,
    /// Whether taking it back needs its host.
    pub needs_host: bool,
}

/// Something in the trash of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TrashRow {
    /// Names it on its host.
    pub id: String,
    /// Its host.
    pub host: HostRef,
    /// What its host is called.
    pub host_label: String,
    /// What it is.
    pub kind: Kind,
    /// What it was called.
    pub name: String,
    /// Where it was, inert.
    pub path: String,
    /// The short name of the branch it was on.
    pub branch: Option<String>,
    /// Whether that branch was deleted with it.
    pub branch_gone: bool,
    /// When it was deleted, by its host's clock.
    pub deleted_at: Option<Timestamp>,
    /// Days until it is due, by its host's clock.
    pub days_left: u32,
    /// Whether it is whole and can be brought back.
    pub whole: bool,
    /// What its state is if it is not whole; empty if it is.
    pub words: String,
    /// The note that comes back with it.
    pub note: String,
}
