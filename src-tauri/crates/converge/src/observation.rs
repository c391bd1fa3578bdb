//! Facts a host computed about a workspace. Never authoritative; always shown with their age.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::bytes::{AdminName, HostPath, RefName};
use crate::generation::Generation;

/// What a workspace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceKind {
    /// A repository: its main working tree, or a bare one.
    Repository,
    /// A linked worktree.
    Worktree,
    /// A plain directory.
    Directory,
}

/// What HEAD points at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "at")]
pub enum Head {
    /// A branch with at least one commit.
    Branch {
        /// Its full name.
        name: RefName,
        /// The commit, in hexadecimal.
        commit: String,
    },
    /// A commit without a branch.
    Detached {
        /// The commit, in hexadecimal.
        commit: String,
    },
    /// A branch without commits.
    Unborn {
        /// Its full name, where the host told it.
        name: Option<RefName>,
    },
    /// Nothing that git can read, or no git at all.
    None,
}

impl Head {
    /// The commit HEAD resolves to.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } | Self::None => None,
        }
    }
}

/// What a roll call's existence tier says about one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Existence {
    /// Whether the repository is bare.
    pub bare: bool,
    /// Name of the administrative directory, of a linked worktree.
    pub admin_name: Option<AdminName>,
    /// The repository's common git directory.
    pub common_dir: Option<HostPath>,
    /// What HEAD points at.
    pub head: Head,
    /// The lock's reason, possibly empty, if git says it is locked.
    pub locked: Option<String>,
}

/// The branch this one follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Upstream {
    /// None is configured.
    None,
    /// A remote-tracking branch, with commits ahead and behind.
    Remote {
        /// Its full name.
        name: RefName,
        /// Commits of HEAD it lacks.
        ahead: u32,
        /// Commits of it that HEAD lacks.
        behind: u32,
    },
    /// A branch of the same repository: following it publishes nothing.
    Local {
        /// Its full name.
        name: RefName,
        /// Commits of HEAD it lacks.
        ahead: u32,
        /// Commits of it that HEAD lacks.
        behind: u32,
    },
    /// One is configured and does not exist.
    Gone {
        /// Its full name.
        name: RefName,
    },
}

/// Commits reachable from HEAD and from no remote-tracking ref.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Unpushed {
    /// So many.
    Commits {
        /// How many.
        count: u32,
    },
    /// The repository has no remote: all of its commits exist only here.
    NoRemote,
    /// Not observed (I13).
    Unknown {
        /// Why.
        reason: String,
    },
}

/// Paths of a working tree that differ from its HEAD.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "are")]
pub enum Changes {
    /// Counted, each path once in every class it belongs to.
    Counted {
        /// In the index and not in HEAD's form.
        staged: u32,
        /// In the working tree and not in the index's form.
        unstaged: u32,
        /// Unknown to git and not ignored; a folder of such files counts once.
        untracked: u32,
        /// With conflicts.
        conflicted: u32,
    },
    /// Not observed (I13).
    Unknown {
        /// Why.
        reason: String,
    },
}

/// What a person is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// `git rebase`.
    Rebase,
    /// `git merge`.
    Merge,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git bisect`.
    Bisect,
    /// `git am`.
    Am,
}

/// The commit HEAD resolves to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastCommit {
    /// The committer's time.
    pub time: Timestamp,
    /// The subject, inert.
    pub subject: String,
    /// The author's name, inert.
    pub author: String,
}

/// What a roll call's facts tier says about one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The followed branch.
    pub upstream: Upstream,
    /// What no remote has.
    pub unpushed: Unpushed,
    /// What is not committed.
    pub changes: Changes,
    /// What is in progress.
    pub operation: Option<Operation>,
    /// Entries of the repository's stash; `None` where not observed.
    pub stashes: Option<u32>,
    /// The commit of HEAD; `None` where there is none or it was not observed.
    pub last_commit: Option<LastCommit>,
}

/// Whether a workspace's directory is where its host says it belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Standing {
    /// It is there.
    There,
    /// It is not, and its lock says that this is expected.
    Away,
    /// It is not, and git's record of it is stale.
    Prunable {
        /// git's reason.
        reason: String,
    },
    /// The host cannot tell.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// The facts of one workspace in one snapshot. Existence and facts are separate (I13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactsOutcome {
    /// This roll call did not ask.
    NotAsked,
    /// Observed.
    Observed(Facts),
    /// Asked and not told.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// One workspace as a host asserted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// What it is.
    pub kind: WorkspaceKind,
    /// Its canonical path.
    pub path: HostPath,
    /// What tells it from a later one at the path; `None` where the host cannot tell.
    pub generation: Option<Generation>,
    /// The mount point its directory lies on, where the host told it.
    pub mount: Option<HostPath>,
    /// Whether its directory is there.
    pub standing: Standing,
    /// What the existence tier says.
    pub existence: Existence,
    /// What the facts tier says.
    pub facts: FactsOutcome,
}
