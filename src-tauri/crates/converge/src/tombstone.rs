//! Pending deletions: what was agreed to, how attempts end, and when the next one is due.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use uuid::Uuid;

use crate::bytes::{HostPath, RefName};
use crate::deep::Look;
use crate::generation::Generation;
use crate::observation::{Existence, Facts, Head, WorkspaceKind};
use crate::plan::{Condition, MirrorRow, Presence};
use crate::trash::RETENTION_DAYS;

/// How a workspace is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Whole and restorable, until the retention of the trash ends.
    Trash,
    /// Gone for good, by way of the trash. Linked worktrees only.
    DeleteNow,
}

/// What becomes of the branch of a deleted worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchChoice {
    /// It stays.
    Keep,
    /// It goes if it is merged.
    DeleteIfMerged,
    /// It goes anyway.
    Delete,
}

/// Exactly what a person was shown and agreed to lose (I9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// Names what was deleted in the trash of its host.
    #[serde(default)]
    pub id: Uuid,
    /// The generation that may go, and no other (I8).
    pub generation: Generation,
    /// What it is.
    pub kind: WorkspaceKind,
    /// Where it lies.
    pub path: HostPath,
    /// The mount point it lies on, where the host told it.
    pub mount: Option<HostPath>,
    /// Its HEAD, branch and lock as shown.
    pub existence: Existence,
    /// Its facts as shown; `None` where they were unknown, and that was agreed to.
    pub facts: Option<Facts>,
    /// How it goes.
    pub mode: Mode,
    /// What becomes of its branch.
    pub branch: BranchChoice,
    /// When it was shown, by this machine's clock.
    pub shown_at: Timestamp,
    /// What was seen of it in depth, as shown; without that nothing goes.
    #[serde(default)]
    pub look: Option<Look>,
    /// Whether it may go with whatever is in it, because a person said so who could not see it. Into the trash only.
    #[serde(default)]
    pub unseen: bool,
    /// What was restored to it before, by names in the trash. What somebody restores later stays (I8).
    #[serde(default)]
    pub restored: Vec<Uuid>,
    /// For how many days it stays in the trash.
    #[serde(default = "retention")]
    pub days: u32,
}

const fn retention() -> u32 {
    RETENTION_DAYS
}

impl Consent {
    /// The branch that goes with it, and the commit it has to be at for that.
    pub fn branch_to_delete(&self) -> Option<(&RefName, &str)> {
        let Head::Branch { name, commit } = &self.existence.head else {
            return None;
        };
        let goes = match self.branch {
            BranchChoice::Keep => false,
            BranchChoice::Delete => true,
            BranchChoice::DeleteIfMerged => self.look.as_ref().is_some_and(|look| {
                let merged = &look.deep.merged;
                merged.head_commit.as_ref() == Some(commit) && merged.state.is_merged()
            }),
        };
        goes.then_some((name, commit.as_str()))
    }
}

/// A removal to carry out on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// What was agreed to.
    pub consent: Consent,
    /// The tombstone's epoch.
    pub epoch: u64,
    /// The mount point that its repository was last seen on.
    pub repository_mount: Option<HostPath>,
}

/// Whether a failed attempt is worth another without anybody doing anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// It is tried again, later and later.
    Transient,
    /// Only a person can go on.
    Terminal,
}

/// Why an attempt did not do what was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// git or the file system failed, or it took too long.
    #[default]
    Command,
    /// It is locked.
    Locked,
    /// Something is in progress in it.
    Busy,
    /// Somebody works inside.
    InUse,
    /// It contains another workspace, or has linked worktrees, or others borrow from it.
    Blocked,
    /// Something else would go than what was agreed to (I9).
    Changed,
    /// Its path leads to something that must not go.
    Refused,
    /// Its repository is gone.
    Owner,
    /// Its trash would be on another disk.
    Disk,
    /// The user that Rollcall signs in as may not do it.
    Permission,
    /// Where it belongs, something else is.
    Taken,
}

/// How an attempt of the verb ended. Unreachable is none of them, because it is no attempt (I11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Outcome {
    /// The host says it is gone. The row goes when a later roll call confirms it (I10).
    Converged {
        /// What became of its branch, in the host's words; empty where nothing was asked of it.
        #[serde(default)]
        branch: String,
    },
    /// Something has to change first, such as a mount; it costs no retry (I11).
    Waits {
        /// What for.
        reason: String,
        /// Whether that is another removal which is running, and so ends soon.
        #[serde(default)]
        running: bool,
    },
    /// It did not work.
    Failed {
        /// Whether it is tried again.
        class: FailureClass,
        /// The step of the removal it ended in.
        stage: String,
        /// The host's words, inert.
        message: String,
        /// Why.
        #[serde(default)]
        reason: Reason,
    },
}

impl Outcome {
    /// Whether an attempt that ended so has certainly left nothing behind on its host.
    pub fn left_nothing(&self) -> bool {
        match self {
            Self::Failed { stage, .. } => {
                matches!(stage.as_str(), "start" | "lock" | "resolve" | "guard")
            }
            Self::Converged { .. } | Self::Waits { .. } => false,
        }
    }
}

/// Why a pending deletion is not carried out although its host answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Its directory is absent and git still has a record of it.
    Prunable,
    /// It is locked, and its directory is absent as expected.
    Away,
    /// The root it belongs to is gone from its host.
    RootMissing,
    /// Its root did not answer.
    RootFailed,
    /// Its host cannot tell whether it is there.
    NotAsserted,
}

/// Says for what the deletion of a row waits, by what its last roll call said; `None` if nothing is in its way.
pub fn waits_for(row: &MirrorRow, root: &Condition) -> Option<Waits> {
    match (&row.state.presence, root) {
        (_, Condition::Missing { .. }) => Some(Waits::RootMissing),
        (_, Condition::Failed { .. }) => Some(Waits::RootFailed),
        (Presence::Prunable { .. }, _) => Some(Waits::Prunable),
        (Presence::Away, _) => Some(Waits::Away),
        (Presence::NotAsserted { .. }, _) => Some(Waits::NotAsserted),
        (Presence::Present | Presence::Missing { .. }, _) => None,
    }
}

/// The first wait after a failed attempt.
const FIRST_WAIT: SignedDuration = SignedDuration::from_mins(1);
/// The longest.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(1);

/// How long to wait after the given number of failed attempts in a row, at least one: 1 min × 2ⁿ, at most one
/// hour, and up to a fifth of it less by `chance`, so that hosts that failed together do not come back together.
pub fn backoff(failures: u32, chance: u8) -> SignedDuration {
    let doublings = failures.saturating_sub(1).min(6);
    let wait = (FIRST_WAIT * (1 << doublings)).min(LONGEST_WAIT);
    wait - wait * i32::from(chance) / (5 * i32::from(u8::MAX))
}

/// Whether an attempt is due that was planned for a time, by a clock that may have been set back since: nothing waits
/// longer than the longest wait.
pub fn is_due(next: Option<Timestamp>, now: Timestamp) -> bool {
    next.is_none_or(|next| next <= now || next.duration_since(now) > LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d3_rd07_a_clock_that_is_set_back_delays_no_attempt_beyond_the_longest_wait() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let year = 365 * 24 * 3_600;
        for (next, due) in [
            (None, true),
            (Some(at(2 * year)), true),
            (Some(at(2 * year + 1)), false),
            (Some(at(2 * year + 3_600)), false),
            // Planned while the clock was a year ahead, or put right by a year since.
            (Some(at(3 * year)), true),
            (Some(at(year)), true),
        ] {
            assert_eq!(is_due(next, at(2 * year)), due, "{next:?}");
        }
    }

    #[test]
    fn each_failure_doubles_the_wait_up_to_an_hour_and_chance_only_shortens_it() {
        let minutes = |failures| backoff(failures, 0).as_mins();
        assert_eq!(
            [1, 2, 3, 6, 7, 8, 1_000].map(minutes),
            [1, 2, 4, 32, 60, 60, 60]
        );
        assert_eq!(backoff(0, 0).as_mins(), 1);
        for failures in [1, 5, 40, u32::MAX] {
            let (longest, shortest) = (backoff(failures, 0), backoff(failures, u8::MAX));
            assert!(
                shortest < longest && shortest * 5 >= longest * 4,
                "{failures}"
            );
        }
    }
}
