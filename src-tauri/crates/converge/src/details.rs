//! What a person sees of a workspace who opens it. Nothing is decided by it.

use crate::bytes::HostPath;
use crate::deep::Unobserved;
use crate::observation::LastCommit;

/// What is in a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// What its README calls it, inert; `None` where there is no README, or it begins with no words.
    pub heading: Option<String>,
    /// Changed files; `None` where git has no working tree.
    pub changed: Option<Excerpt<ChangedFile>>,
    /// Commits of HEAD that no remote has, the newest first; `None` where there is no remote, or no git.
    pub unpushed: Option<Excerpt<Commit>>,
    /// The last commits of HEAD, the newest first; `None` where there is no git.
    pub recent: Option<Excerpt<Commit>>,
}

/// The beginning of a list, and whether there is more of it; or why it is not known (I13).
pub type Excerpt<T> = Result<Beginning<T>, Unobserved>;

/// The beginning of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning<T> {
    /// What was told of it.
    pub items: Vec<T>,
    /// Whether there is more.
    pub more: bool,
}

/// A file that is not as HEAD has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where it is, below the working tree.
    pub path: HostPath,
    /// Where it was before, if it was moved or copied.
    pub from: Option<HostPath>,
    /// How the index differs from HEAD.
    pub staged: Option<FileChange>,
    /// How the working tree differs from the index.
    pub unstaged: Option<FileChange>,
    /// Whether it is under a content filter, which only could tell if it is changed at all, and is not run (I20).
    pub filtered: bool,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It is new, and git knows it.
    Added,
    /// It is new, and git does not know it. A folder's name stands for all in it.
    Untracked,
    /// Its content or mode is another.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another name.
    Renamed,
    /// It was made from another one.
    Copied,
    /// It is of another kind, such as a link.
    Retyped,
    /// Both sides of a merge changed it.
    Conflicted,
}

/// A commit, as a list of them shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name, in hexadecimal.
    pub id: String,
    /// When it was made, by whom, and what it says.
    pub commit: LastCommit,
}
