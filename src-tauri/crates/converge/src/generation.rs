//! What tells a workspace from a later one at the same path.

use serde::{Deserialize, Serialize};

/// When the git administrative directory came to be, as exactly as the host can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Birth time with nanoseconds: re-creation cannot repeat it.
    Birth {
        /// Seconds since the epoch.
        seconds: i64,
        /// Nanoseconds within the second.
        nanos: u32,
    },
    /// Birth time in whole seconds: re-creation within the second may repeat it together with the inode.
    BirthSecond(i64),
    /// Modification time, in seconds, of a file that git writes once.
    WrittenOnce(i64),
}

/// The identity of a workspace on its host: inode and origin of its git administrative directory (of the
/// directory itself for a plain one). `git worktree move`, renames and edits keep it; delete and create do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Generation {
    /// Inode number of the administrative directory.
    pub inode: u64,
    /// When it came to be.
    pub origin: Origin,
}

impl Generation {
    /// Whether equality alone proves identity. A weak generation counts only together with path and kind.
    pub fn is_strong(self) -> bool {
        matches!(self.origin, Origin::Birth { .. })
    }
}
