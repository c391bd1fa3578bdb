//! What crosses to the window about creating worktrees, fetching and opening.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::WorkspaceRef;
use crate::error::ApiError;

/// A branch that a new worktree may have checked out, or begin at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BranchRow {
    /// Its full name; given back, it names the branch. A name that is no text is left out of lists.
    pub id: String,
    /// Its name as people say it, inert.
    pub name: String,
    /// Whether it is a remote's.
    pub remote: bool,
    /// When it was last committed to.
    pub committed_at: Option<Timestamp>,
    /// Whether some working tree has it checked out already.
    pub checked_out: bool,
}

/// What there is to choose for a new worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Creation {
    /// The repository it will belong to.
    pub repository: WorkspaceRef,
    /// What that is called.
    pub name: String,
    /// What its host is called.
    pub host_label: String,
    /// Its branches and those of its remotes, the newest first.
    pub branches: Vec<BranchRow>,
    /// The full name of the branch that new ones begin at unless another is chosen.
    pub base: Option<String>,
}

/// What a new worktree has checked out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase", tag = "is")]
pub enum CheckoutForm {
    /// A new branch.
    New {
        /// Its name.
        branch: String,
        /// The full name of the branch it begins at.
        start: String,
    },
    /// A branch that is there.
    Existing {
        /// Its name.
        branch: String,
    },
    /// A new branch that follows a remote's.
    Remote {
        /// Its name.
        branch: String,
        /// The full name of the remote one.
        follows: String,
    },
}

/// A worktree to create.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CreationForm {
    /// The repository, or another worktree of it.
    pub of: WorkspaceRef,
    /// Where.
    pub path: String,
    /// What it has checked out.
    pub checkout: CheckoutForm,
}

/// What came of fetching into one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FetchOutcome {
    /// The repository.
    pub id: WorkspaceRef,
    /// What it is called.
    pub name: String,
    /// What its host is called.
    pub host_label: String,
    /// Why it did not work, if it did not.
    pub error: Option<ApiError>,
}

/// Something a workspace can be opened with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OpenerRow {
    /// Names it.
    pub id: String,
    /// What people call it.
    pub label: String,
}

/// What of a workspace can be opened with what, and copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Openers {
    /// What it can be opened with on this machine.
    pub openers: Vec<OpenerRow>,
    /// Its path, as a word of a shell where it needs quoting.
    pub path: String,
    /// The command that leads into its folder on a machine reached over SSH.
    pub ssh: Option<String>,
    /// Its branch, if it is on one.
    pub branch: Option<String>,
    /// The page on the web of what it was cloned from.
    pub page: Option<String>,
}
