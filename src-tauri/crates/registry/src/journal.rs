//! The record of what roll calls and people changed.

use jiff::Timestamp;
use rollcall_converge::{Event, HostId, HostPath, RootId, RootKind, WorkspaceId};
use serde::{Deserialize, Serialize};
use sqlx::{QueryBuilder, Sqlite};

use crate::error::{RegistryError, Translate as _};
use crate::records::{Columns, count, from_json, json, key, nanos, stored_count};
use crate::store::{Changed, Registry, TOGETHER, Write, fetch_optional, fetch_scalar};

/// Who changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A roll call, by what a host asserted.
    RollCall,
    /// A person.
    Person,
    /// What Rollcall does on its own: carrying out deletions, and housekeeping.
    Sweep,
}

impl Actor {
    fn name(self) -> &'static str {
        match self {
            Self::RollCall => "roll_call",
            Self::Person => "person",
            Self::Sweep => "sweep",
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalKind {
    /// A roll call changed what the mirror says about a workspace.
    Observed(Event),
    /// A host was added.
    HostAdded {
        /// Its label.
        label: String,
    },
    /// The label or the address of a host was changed.
    HostEdited {
        /// The label before.
        from: String,
        /// The label from then on.
        to: String,
    },
    /// A host was forgotten with its rows.
    HostForgotten {
        /// Its label.
        label: String,
        /// How many rows went with it.
        rows: u64,
    },
    /// A host got back what a forgotten one that is the same machine had.
    HostReclaimed {
        /// The label of the forgotten one.
        from: String,
        /// The label of the host.
        to: String,
        /// How many rows came with it.
        rows: u64,
    },
    /// Everything was stopped for a host.
    HostSuspended,
    /// A host is called again.
    HostResumed,
    /// A path was put under roll call.
    RootRegistered {
        /// As what.
        kind: RootKind,
    },
    /// A person said which branch others of a repository are merged into.
    BaseChosen {
        /// Its full name, inert; `None` leaves that to the repository.
        base: Option<String>,
    },
    /// A path is no longer under roll call.
    RootReleased {
        /// How many rows went with it.
        rows: u64,
    },
    /// Somebody wrote about a workspace. One line stands for ten minutes of writing.
    Annotated,
    /// The mirror was told to stop showing a workspace.
    Untracked,
    /// The mirror was told to show a workspace again.
    Retracked,
    /// Hidden workspaces that have been gone for long were forgotten.
    UntrackedPurged {
        /// How many.
        rows: u64,
    },
    /// A person believed a host that many workspaces are gone.
    AbsenceAccepted {
        /// How many were forgotten.
        dropped: u64,
        /// How many are missing since then.
        missing: u64,
    },
    /// A person kept workspaces that a host says are gone.
    AbsenceRefused {
        /// How many.
        rows: u64,
    },
    /// A person chose which of several records is the one at a path.
    ConflictSettled,
    /// A person agreed that a host is another machine now.
    MachineAgreed,
    /// A person deleted a workspace; its host has not confirmed it yet.
    DeletionAsked,
    /// A person looked at a deletion again and agreed to what goes now.
    DeletionAgreedAgain,
    /// A person asked to try a deletion again.
    DeletionRetried,
    /// A person took a deletion back.
    DeletionCancelled,
    /// A person gave a deletion up; the workspace stays on its host and is not shown any more.
    DeletionReleased,
    /// A deletion stopped, and goes on only if a person decides.
    DeletionStopped {
        /// The step it stopped in.
        stage: String,
        /// The host's words, inert.
        message: String,
    },
    /// What became of the branch of a workspace that was deleted.
    BranchOfDeletion {
        /// The host's words, inert.
        words: String,
    },
    /// A person brought a workspace back from the trash.
    RestoredFromTrash,
    /// Something in the trash was removed for good.
    TrashEmptied,
    /// A person had a host do something with a workspace.
    Done {
        /// What.
        verb: Verb,
        /// The host's words or a reason, inert; possibly empty.
        words: String,
    },
    /// A person said what a missing workspace became; what was written about it is this one's now.
    Relinked {
        /// Where the missing one was.
        from: HostPath,
    },
    /// A person decided that a missing workspace is gone for good.
    MissingForgotten,
    /// Annotations were taken in from a file.
    AnnotationsImported {
        /// How many rows changed.
        rows: u64,
    },
    /// The registry was put back to a backup.
    Restored {
        /// When the backup was taken.
        taken_at: Timestamp,
    },
}

/// What a person has a host do with a workspace, deletion aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// It was made.
    Create,
    /// It was locked.
    Lock,
    /// Its lock was taken away.
    Unlock,
    /// It was moved.
    Move,
    /// Its record and its folder lead to each other again.
    Repair,
    /// The record of it was removed, whose folder is gone.
    Prune,
    /// Its repository fetched from its remotes.
    Fetch,
}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "created",
            Self::Lock => "locked",
            Self::Unlock => "unlocked",
            Self::Move => "moved_by_us",
            Self::Repair => "repaired",
            Self::Prune => "pruned",
            Self::Fetch => "fetched",
        }
    }
}

impl JournalKind {
    fn name(&self) -> &'static str {
        match self {
            Self::Observed(Event::Adopted { .. }) => "adopted",
            Self::Observed(Event::Moved { .. }) => "moved",
            Self::Observed(Event::Recreated { .. }) => "recreated",
            Self::Observed(Event::WentMissing { .. }) => "went_missing",
            Self::Observed(Event::Returned { .. }) => "returned",
            Self::Observed(Event::Dropped { .. }) => "dropped",
            Self::Observed(Event::Deleted { .. }) => "deleted",
            Self::Observed(Event::Overtaken { .. }) => "overtaken",
            Self::Observed(Event::AbsenceHeld { .. }) => "absence_held",
            Self::Observed(Event::AnotherMachine) => "another_machine",
            Self::HostAdded { .. } => "host_added",
            Self::HostEdited { .. } => "host_edited",
            Self::HostForgotten { .. } => "host_forgotten",
            Self::HostReclaimed { .. } => "host_reclaimed",
            Self::HostSuspended => "host_suspended",
            Self::HostResumed => "host_resumed",
            Self::RootRegistered { .. } => "root_registered",
            Self::BaseChosen { .. } => "base_chosen",
            Self::RootReleased { .. } => "root_released",
            Self::Annotated => "annotated",
            Self::Untracked => "untracked",
            Self::Retracked => "retracked",
            Self::UntrackedPurged { .. } => "untracked_purged",
            Self::AbsenceAccepted { .. } => "absence_accepted",
            Self::AbsenceRefused { .. } => "absence_refused",
            Self::ConflictSettled => "conflict_settled",
            Self::MachineAgreed => "machine_agreed",
            Self::DeletionAsked => "deletion_asked",
            Self::DeletionAgreedAgain => "deletion_agreed_again",
            Self::DeletionRetried => "deletion_retried",
            Self::DeletionCancelled => "deletion_cancelled",
            Self::DeletionReleased => "deletion_released",
            Self::DeletionStopped { .. } => "deletion_stopped",
            Self::BranchOfDeletion { .. } => "branch_of_deletion",
            Self::RestoredFromTrash => "restored_from_trash",
            Self::TrashEmptied => "trash_emptied",
            Self::Done { verb, .. } => verb.name(),
            Self::Relinked { .. } => "relinked",
            Self::MissingForgotten => "missing_forgotten",
            Self::AnnotationsImported { .. } => "annotations_imported",
            Self::Restored { .. } => "restored",
        }
    }
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its number; later lines have larger ones.
    pub number: u64,
    /// When, by this machine's clock.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// On which host. It may be forgotten by now.
    pub host: Option<HostId>,
    /// About which row. It may be gone by now.
    pub workspace: Option<WorkspaceId>,
    /// About which path, as it was then.
    pub path: Option<HostPath>,
    /// What.
    pub kind: JournalKind,
}

/// What a line is about.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) host: Option<HostId>,
    pub(crate) workspace: Option<WorkspaceId>,
    pub(crate) path: Option<&'a HostPath>,
}

impl About<'_> {
    pub(crate) fn host(host: HostId) -> Self {
        Self {
            host: Some(host),
            workspace: None,
            path: None,
        }
    }

    /// About the registry as a whole.
    pub(crate) fn everything() -> Self {
        Self {
            host: None,
            workspace: None,
            path: None,
        }
    }
}

impl Write {
    /// Adds a line to the journal.
    pub(crate) async fn note(
        &mut self,
        at: Timestamp,
        actor: Actor,
        about: About<'_>,
        kind: &JournalKind,
    ) -> Result<(), RegistryError> {
        self.note_all(at, actor, &[(about, kind.clone())]).await
    }

    /// Adds lines to the journal, in their order.
    pub(crate) async fn note_all(
        &mut self,
        at: Timestamp,
        actor: Actor,
        lines: &[(About<'_>, JournalKind)],
    ) -> Result<(), RegistryError> {
        self.changed.journal |= actor != Actor::Person && !lines.is_empty();
        let actor = actor.name();
        for part in lines.chunks(TOGETHER) {
            let mut details = Vec::with_capacity(part.len());
            for (_, kind) in part {
                details.push(json(kind)?);
            }
            let mut insert = QueryBuilder::<Sqlite>::new(
                "INSERT INTO journal (at, actor, host_id, workspace_id, path, kind, detail) ",
            );
            insert.push_values(
                part.iter().zip(details),
                |mut values, ((about, kind), detail)| {
                    values
                        .push_bind(nanos(at))
                        .push_bind(actor)
                        .push_bind(about.host.map(|host| key(host.uuid())))
                        .push_bind(about.workspace.map(|id| key(id.uuid())))
                        .push_bind(about.path.map(|path| path.as_bytes().to_vec()))
                        .push_bind(kind.name())
                        .push_bind(detail);
                },
            );
            insert
                .build()
                .execute(&mut *self.transaction)
                .await
                .told()?;
        }
        Ok(())
    }
}

/// Which lines of the journal are wanted; all that is told has to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalFilter {
    /// About this row.
    pub workspace: Option<WorkspaceId>,
    /// On this host.
    pub host: Option<HostId>,
    /// About a row that belongs to this root now, or about the root's own path.
    pub root: Option<RootId>,
    /// By this one.
    pub actor: Option<Actor>,
}

impl JournalFilter {
    /// Lines about one row.
    pub fn of(workspace: WorkspaceId) -> Self {
        Self {
            workspace: Some(workspace),
            ..Self::default()
        }
    }
}

/// What in the journal a person has not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unseen {
    /// The number up to which a person looked.
    pub seen: u64,
    /// Lines above it that no person wrote; they are counted up to 1,000.
    pub lines: u64,
    /// The number of the newest line; 0 if there is none.
    pub newest: u64,
}

/// How many lines each wrote in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalCounts {
    /// Roll calls.
    pub roll_calls: u64,
    /// Persons.
    pub people: u64,
    /// Sweeps.
    pub sweeps: u64,
}

/// What the number up to which a person looked is called among settings.
const SEEN: &str = "journal_seen";
/// How far lines that nobody saw are counted.
const UNSEEN_LIMIT: i64 = 1_000;

impl Registry {
    /// At most `limit` lines of those wanted, newest first; only those with numbers below `before`, if it is given.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn journal(
        &self,
        filter: JournalFilter,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, RegistryError> {
        let mut read = self.read().await?;
        let mut select = QueryBuilder::<Sqlite>::new("SELECT * FROM journal WHERE number < ");
        select.push_bind(before.map_or(i64::MAX, stored_count));
        if let Some(id) = filter.workspace {
            select
                .push(" AND workspace_id = ")
                .push_bind(key(id.uuid()));
        }
        if let Some(id) = filter.host {
            select.push(" AND host_id = ").push_bind(key(id.uuid()));
        }
        if let Some(actor) = filter.actor {
            select.push(" AND actor = ").push_bind(actor.name());
        }
        if let Some(id) = filter.root {
            select
                .push(" AND (workspace_id IN (SELECT id FROM workspaces WHERE root_id = ")
                .push_bind(key(id.uuid()))
                .push(") OR (host_id, path) = (SELECT host_id, path FROM roots WHERE id = ")
                .push_bind(key(id.uuid()))
                .push("))");
        }
        select
            .push(" ORDER BY number DESC LIMIT ")
            .push_bind(i64::from(limit));
        let rows = select.build().fetch_all(&mut *read).await.told()?;
        rows.iter()
            .map(|row| {
                let columns = Columns(row);
                Ok(JournalEntry {
                    number: count(columns.integer("number")?),
                    at: columns.time("at")?,
                    actor: match columns.text("actor")?.as_str() {
                        "roll_call" => Actor::RollCall,
                        "sweep" => Actor::Sweep,
                        _ => Actor::Person,
                    },
                    host: columns.id_or_none("host_id")?.map(HostId::new),
                    workspace: columns.id_or_none("workspace_id")?.map(WorkspaceId::new),
                    path: columns.path_or_none("path")?,
                    kind: from_json(&columns.text("detail")?, "journal")?,
                })
            })
            .collect()
    }

    /// What in the journal a person has not seen, by [`Registry::see_journal`].
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn journal_unseen(&self) -> Result<Unseen, RegistryError> {
        let seen: Option<u64> = self.setting(SEEN).await?;
        let mut read = self.read().await?;
        let newest: i64 = fetch_scalar!(*read, NEWEST)?;
        let seen = seen.unwrap_or(0).min(count(newest));
        let lines: i64 = fetch_scalar!(
            *read,
            "SELECT count(*) FROM (SELECT 1 FROM journal WHERE actor IN ('roll_call', 'sweep') AND number > ? \
             LIMIT ?)",
            stored_count(seen),
            UNSEEN_LIMIT
        )?;
        Ok(Unseen {
            seen,
            lines: count(lines),
            newest: count(newest),
        })
    }

    /// Notes that a person looked at the journal up to a line. It is never taken back, and nothing that is yet to come
    /// was looked at.
    ///
    /// # Errors
    /// If the registry cannot be written.
    pub async fn see_journal(&self, number: u64) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let newest: i64 = fetch_scalar!(*write.transaction, NEWEST)?;
        let seen: u64 = write.setting(SEEN).await?.unwrap_or(0);
        let number = number.min(count(newest));
        if number > seen.min(count(newest)) {
            write.set(SEEN, &number.to_string()).await?;
        }
        write.commit().await
    }

    /// How many lines each wrote between neighbouring times of those given, which are in their order: of one host, or
    /// of all and of none.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn journal_days(
        &self,
        host: Option<HostId>,
        bounds: &[Timestamp],
    ) -> Result<Vec<JournalCounts>, RegistryError> {
        let mut read = self.read().await?;
        let mut days = Vec::with_capacity(bounds.len());
        for (from, to) in bounds.iter().zip(bounds.iter().skip(1)) {
            let row = fetch_optional!(
                *read,
                "SELECT count(*) FILTER (WHERE actor = 'roll_call') AS roll_calls, \
                 count(*) FILTER (WHERE actor = 'person') AS people, \
                 count(*) FILTER (WHERE actor = 'sweep') AS sweeps FROM journal \
                 WHERE at >= ?1 AND at < ?2 AND (?3 IS NULL OR host_id = ?3)",
                nanos(*from),
                nanos(*to),
                host.map(|host| key(host.uuid()))
            )?;
            let Some(row) = row else { continue };
            let row = Columns(&row);
            days.push(JournalCounts {
                roll_calls: count(row.integer("roll_calls")?),
                people: count(row.integer("people")?),
                sweeps: count(row.integer("sweeps")?),
            });
        }
        Ok(days)
    }
}

const NEWEST: &str = "SELECT coalesce(max(number), 0) FROM journal";
