//! What only a walk through a workspace, or several calls, tell about it: what a person has to know before it goes.

use serde::{Deserialize, Serialize};

use crate::bytes::{HostPath, RefName};
use crate::generation::Generation;
use crate::observation::WorkspaceKind;

/// Something that was asked and not told (I13).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unobserved {
    /// Why.
    pub reason: String,
}

/// A workspace to look at in depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What it is.
    pub kind: WorkspaceKind,
    /// Where it is.
    pub path: HostPath,
    /// The branch it is compared with, if a person chose one; its full name.
    pub base: Option<RefName>,
    /// What was found when it was compared last. It is not compared again while neither commit moved.
    pub known: Option<Merged>,
}

/// A workspace that was looked at in depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Which one that was (I8).
    pub generation: Option<Generation>,
    /// When, in seconds since 1970 by the host's clock; `None` where it did not tell.
    #[serde(default)]
    pub host_time: Option<i64>,
    /// What was seen.
    pub deep: Deep,
}

/// What was seen in depth. Each part may be unknown for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deep {
    /// Whether HEAD is merged.
    pub merged: Merged,
    /// Commits that only this working tree's reflog and its own references hold, at most a thousand of them.
    pub unheld: Result<u32, Unobserved>,
    /// Those commits, in hexadecimal; empty where they are not known.
    #[serde(default)]
    pub unheld_commits: Vec<String>,
    /// Branches, tags and stashes of a repository that reach commits no remote has, and how many; empty for others.
    pub held: Result<Vec<Held>, Unobserved>,
    /// Edited files that `status` does not show because git was told not to look at them.
    pub hidden: Result<Vec<HostPath>, Unobserved>,
    /// Ignored files that nobody can make again, by their names.
    pub precious: Result<Vec<HostPath>, Unobserved>,
    /// Git directories below, submodules left out.
    pub nested: Result<Vec<HostPath>, Unobserved>,
    /// Processes that work inside, as far as the signed-in user sees them.
    pub in_use: Result<Vec<Process>, Unobserved>,
    /// Work in its submodules, however deep.
    #[serde(default = "not_looked_for")]
    pub submodules: Result<Vec<SubmoduleWork>, Unobserved>,
    /// One word for each kind of thing that would go with it: another word means that something else would.
    pub digest: Result<String, Unobserved>,
}

fn not_looked_for() -> Result<Vec<SubmoduleWork>, Unobserved> {
    Err(Unobserved {
        reason: "nobody looked into its submodules".to_owned(),
    })
}

/// A submodule with work that its superproject does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmoduleWork {
    /// Where it is, below the working tree.
    pub path: HostPath,
    /// Commits of it that none of its remotes has.
    pub commits: u32,
    /// Files that are edited, or that git does not know, ignored ones among them.
    pub edits: u32,
}

/// A reference that reaches commits which no remote has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Its full name.
    pub name: RefName,
    /// How many commits.
    pub commits: u32,
}

/// A process on the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// What its program is called, inert.
    pub name: String,
}

/// Whether HEAD is merged into its base, as of two commits. While neither moves, the answer stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// The branch others are merged into; `None` where there is none.
    pub base: Option<RefName>,
    /// Its commit.
    pub base_commit: Option<String>,
    /// The commit of HEAD.
    pub head_commit: Option<String>,
    /// What was found.
    pub state: MergeState,
}

/// How HEAD and its base stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum MergeState {
    /// It is the base.
    Base,
    /// The base contains its commits.
    Merged,
    /// Each of its commits was applied to the base, and all of it is there now.
    Rebased,
    /// One commit of the base holds all of it, and it is there now.
    Squashed,
    /// Everything it changed is in the base now, whoever brought it there.
    Content,
    /// Nothing was ever committed on it.
    New,
    /// It has no commit.
    Unborn,
    /// The base lacks something of it.
    Not {
        /// What is special about that; empty mostly.
        reason: String,
    },
    /// Not observed (I13).
    Unknown {
        /// Why.
        reason: String,
    },
}

impl MergeState {
    /// Whether whatever was committed is in the base, or nothing was.
    pub fn is_merged(&self) -> bool {
        matches!(
            self,
            Self::Merged | Self::Rebased | Self::Squashed | Self::Content | Self::New
        )
    }
}

/// How much of a disk a folder takes, in bytes of whole blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// All of it.
    pub total: u64,
    /// What git ignores in it, and can mostly be made again; `None` outside of working trees.
    pub ignored: Option<u64>,
    /// Whether something in it could not be read, so that it takes more than this.
    pub partial: bool,
}

/// What a search looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The folder it begins in.
    pub folder: HostPath,
    /// How many folders deep.
    pub depth: u8,
    /// Whether it looks into hidden folders.
    pub hidden: bool,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What may be registered, in the order of the walk, each once.
    pub candidates: Vec<Candidate>,
    /// Folders that could not be looked into.
    pub unreadable: Vec<HostPath>,
    /// How many folders were looked at.
    pub looked_at: u64,
}

/// Something a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where it is, canonical.
    pub path: HostPath,
    /// What it is.
    pub kind: CandidateKind,
}

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A repository with a working tree.
    Repository,
    /// A bare repository.
    Bare,
    /// A linked worktree: its repository may lie elsewhere.
    Worktree,
    /// A working tree whose git directory lies elsewhere, such as a submodule.
    Linked,
}
