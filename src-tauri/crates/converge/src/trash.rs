//! What rests in the trash of a host, as its manifests tell.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::bytes::{HostPath, RefName};
use crate::generation::Generation;
use crate::observation::WorkspaceKind;

/// Days that something stays in the trash if nobody says otherwise.
pub const RETENTION_DAYS: u32 = 14;

/// How long a person has to have been shown that something is due before it goes by itself.
pub const SHOWN_BEFORE: SignedDuration = SignedDuration::from_hours(72);

/// How far something is on its way into the trash or out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrashStage {
    /// A removal began and has not ended: the next attempt finishes it, or *Cancel* undoes it.
    Begun,
    /// It rests there, whole.
    Whole,
    /// A restore began and has not ended.
    Restoring,
    /// It was restored; the manifest tells other desktops so.
    Restored,
    /// It is being removed for good, and may not be whole any more.
    Removing,
}

/// Something in the trash of a host, as one roll call found it. Times are seconds since 1970 by the host's own clock, so
/// that no clock of a desktop makes anything expire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trashed {
    /// Names it on the host: the one its consent gave it.
    pub id: Uuid,
    /// The folder with its manifest.
    pub place: HostPath,
    /// The mount point of that, where the host told it.
    pub mount: Option<HostPath>,
    /// Where it rests.
    pub tree: HostPath,
    /// Where it was.
    pub from: HostPath,
    /// What it is.
    pub kind: WorkspaceKind,
    /// What tells it from others; the same as before it was deleted.
    pub generation: Option<Generation>,
    /// The common git directory of its repository, where it has one.
    pub repository: Option<HostPath>,
    /// The branch it was on.
    pub branch: Option<RefName>,
    /// The commit its HEAD was at.
    pub head: Option<String>,
    /// Whether its branch was deleted with it.
    pub branch_gone: bool,
    /// How far it is.
    pub stage: TrashStage,
    /// When it was deleted.
    pub deleted_at: i64,
    /// For how many days it stays.
    pub days: u32,
    /// The host's clock when this was found.
    pub host_time: i64,
    /// The whole manifest: what goes has to have this one still.
    pub manifest: HostPath,
}

impl Trashed {
    /// Days until it is due by its host's clock, rounded up; none when it is.
    pub fn days_left(&self) -> u32 {
        const DAY: i64 = 86_400;
        let left = self.due().saturating_sub(self.host_time).max(0);
        u32::try_from((left + DAY - 1) / DAY).unwrap_or(u32::MAX)
    }

    fn due(&self) -> i64 {
        self.deleted_at
            .saturating_add(i64::from(self.days).saturating_mul(86_400))
    }

    /// Whether its days are over by its host's clock.
    pub fn is_due(&self) -> bool {
        self.stage == TrashStage::Whole && self.host_time >= self.due()
    }
}

/// Whether something that is due may go by itself: only so long after a person was shown that it is. The clock of this
/// machine shortens that at most, and never the days on the host.
pub fn may_expire(shown_due_at: Option<Timestamp>, now: Timestamp) -> bool {
    shown_due_at.is_some_and(|shown| now.duration_since(shown) >= SHOWN_BEFORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e14_no_clock_of_a_desktop_makes_anything_due() {
        let mut it = Trashed {
            id: Uuid::from_u128(1),
            place: HostPath::new("/r/.git/rollcall-trash/1"),
            mount: None,
            tree: HostPath::new("/r/.git/rollcall-trash/1/tree"),
            from: HostPath::new("/r-w"),
            kind: WorkspaceKind::Worktree,
            generation: None,
            repository: None,
            branch: None,
            head: None,
            branch_gone: false,
            stage: TrashStage::Whole,
            deleted_at: 1_000_000,
            days: 14,
            host_time: 1_000_000,
            manifest: HostPath::new(""),
        };
        assert_eq!((it.days_left(), it.is_due()), (14, false));
        it.host_time += 14 * 86_400 - 1;
        assert_eq!((it.days_left(), it.is_due()), (1, false));
        it.host_time += 1;
        assert_eq!((it.days_left(), it.is_due()), (0, true));
        it.stage = TrashStage::Begun;
        assert!(!it.is_due(), "what is not whole is finished first");
        it.deleted_at = i64::MAX;
        it.stage = TrashStage::Whole;
        assert!(!it.is_due());
    }

    #[test]
    fn nothing_goes_before_a_person_was_shown_for_three_days_that_it_is_due() {
        let at = |hours: i64| Timestamp::from_second(1_000_000 + hours * 3_600).unwrap();
        assert!(!may_expire(None, at(10_000)));
        assert!(!may_expire(Some(at(0)), at(71)));
        assert!(may_expire(Some(at(0)), at(72)));
        assert!(!may_expire(Some(at(0)), at(-1)));
    }
}
