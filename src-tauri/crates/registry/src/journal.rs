//! The record of what roll calls and people changed.

use jiff::Timestamp;
use rollcall_converge::{Event, HostId, HostPath, RootKind, WorkspaceId};
use serde::{Deserialize, Serialize};
use sqlx::{QueryBuilder, Sqlite};

use crate::error::{RegistryError, Translate as _};
use crate::records::{Columns, count, from_json, json, key, nanos, stored_count};
use crate::store::{Registry, TOGETHER, Write, fetch_all};

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
        let actor = match actor {
            Actor::RollCall => "roll_call",
            Actor::Person => "person",
            Actor::Sweep => "sweep",
        };
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

impl Registry {
    /// At most `limit` lines, newest first: all of them, or those about one workspace; only those with numbers
    /// below `before`, if it is given.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn journal(
        &self,
        workspace: Option<WorkspaceId>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, RegistryError> {
        let mut read = self.read().await?;
        let before = before.map_or(i64::MAX, stored_count);
        let rows = match workspace {
            None => fetch_all!(
                *read,
                "SELECT * FROM journal WHERE number < ? ORDER BY number DESC LIMIT ?",
                before,
                i64::from(limit)
            )?,
            Some(id) => fetch_all!(
                *read,
                "SELECT * FROM journal WHERE workspace_id = ? AND number < ? \
                 ORDER BY number DESC LIMIT ?",
                key(id.uuid()),
                before,
                i64::from(limit)
            )?,
        };
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
}
