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
    /// The full name of the branch it is on, if that has a commit.
    pub fn branch(&self) -> Option<&RefName> {
        match self {
            Self::Branch { name, .. } => Some(name),
            Self::Detached { .. } | Self::Unborn { .. } | Self::None => None,
        }
    }

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
    /// One is configured at a remote that does not exist.
    NoSuchRemote {
        /// What the remote would be called.
        remote: String,
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
        /// How many of them another branch of the repository holds as well, such as a base that is itself unpushed;
        /// `None` where not observed.
        #[serde(default)]
        shared: Option<u32>,
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

/// Where an operation in progress came from, and how far it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The branch it began on, which HEAD may have left; its full name.
    pub branch: Option<RefName>,
    /// The step it is at, of how many.
    pub step: Option<(u32, u32)>,
}

/// How far HEAD's branch and the one that others are merged into are apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distance {
    /// Full name of the branch that others are merged into.
    pub base: RefName,
    /// Its commit, in hexadecimal.
    pub commit: String,
    /// Commits of HEAD it lacks.
    pub ahead: u32,
    /// Commits of it that HEAD lacks.
    pub behind: u32,
}

/// What is special about a repository or a working tree of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that any of the others may come with"
)]
pub struct Traits {
    /// Only part of the tree is checked out.
    pub sparse: bool,
    /// History ends somewhere.
    pub shallow: bool,
    /// Objects are fetched when they are needed.
    pub partial: bool,
    /// Large files are kept elsewhere (`filter.lfs`).
    pub lfs: bool,
    /// Another git process holds the index, or left its lock behind.
    pub index_locked: bool,
    /// Names of the repository's format extensions, such as `objectformat`.
    pub extensions: Vec<String>,
    /// Object folders of other repositories that this one borrows from.
    pub borrows: Vec<HostPath>,
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
    /// Where the operation in progress came from.
    #[serde(default)]
    pub progress: Progress,
    /// Entries of the stash that were made on HEAD's branch; `None` where not observed.
    #[serde(default)]
    pub stashes_here: Option<u32>,
    /// How far HEAD and the repository's base are apart; `None` where there is no base or it was not observed.
    #[serde(default)]
    pub distance: Option<Distance>,
    /// When git or a person last changed something, as far as git's own notes and changed files tell.
    #[serde(default)]
    pub last_activity: Option<Timestamp>,
    /// What is special about it.
    #[serde(default)]
    pub traits: Traits,
    /// Where the repository was cloned from, without the way to get there: what clones of one origin have in common.
    #[serde(default)]
    pub origin: Option<String>,
}

impl Facts {
    /// Facts of which nothing else was observed.
    pub fn new(upstream: Upstream, unpushed: Unpushed, changes: Changes) -> Self {
        Self {
            upstream,
            unpushed,
            changes,
            operation: None,
            stashes: None,
            last_commit: None,
            progress: Progress::default(),
            stashes_here: None,
            distance: None,
            last_activity: None,
            traits: Traits::default(),
            origin: None,
        }
    }
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
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all of them are observed, so a box would save nothing"
)]
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
