//! Verbs of pending deletions. A tombstone is the pending state and the queue in one; it leaves with its row when
//! a roll call confirms the absence (I10).

use jiff::Timestamp;
use rollcall_converge::{Consent, FailureClass, HostId, Outcome, Presence, WorkspaceId, backoff};

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::records::{
    Columns, WorkspaceRecord, consent, count, from_json, json, key, nanos, observation,
};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_optional};

/// A pending deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The row.
    pub workspace: WorkspaceId,
    /// What was agreed to.
    pub consent: Consent,
    /// Raised by every decision of a person; what an attempt of an older epoch says is dropped (I12).
    pub epoch: u64,
    /// When it was first asked for.
    pub created_at: Timestamp,
    /// When an attempt began whose end nobody told: it may be running, or have been cut off.
    pub begun_at: Option<Timestamp>,
    /// Failed attempts in a row.
    pub failures: u32,
    /// When the last attempt ended.
    pub attempted_at: Option<Timestamp>,
    /// Not before this is the next attempt due; at once where it is `None` and nothing stopped it.
    pub next_attempt_at: Option<Timestamp>,
    /// How the last attempt of this epoch ended.
    pub outcome: Option<Outcome>,
    /// Whether only a person can go on.
    pub stopped: bool,
}

impl Tombstone {
    /// Whether something of it may have been done on its host.
    pub fn may_have_begun(&self) -> bool {
        let left = self.outcome.as_ref().is_some_and(|it| !it.left_nothing());
        self.begun_at.is_some() || left
    }
}

impl Columns<'_> {
    fn tombstone(&self) -> Result<Tombstone, RegistryError> {
        Ok(Tombstone {
            workspace: WorkspaceId::new(self.id("workspace_id")?),
            consent: consent(&self.text("consent")?)?,
            epoch: count(self.integer("epoch")?),
            created_at: self.time("created_at")?,
            begun_at: self.time_or_none("begun_at")?,
            failures: u32::try_from(self.integer("failures")?).unwrap_or(u32::MAX),
            attempted_at: self.time_or_none("attempted_at")?,
            next_attempt_at: self.time_or_none("next_attempt_at")?,
            outcome: self
                .text_or_none("outcome")?
                .map(|text| from_json(&text, "outcome of a deletion"))
                .transpose()?,
            stopped: self.flag("stopped")?,
        })
    }
}

impl Write {
    /// The row and its tombstone, if it is of the given epoch.
    async fn pending(
        &mut self,
        id: WorkspaceId,
        epoch: Option<u64>,
    ) -> Result<(WorkspaceRecord, Tombstone), RegistryError> {
        let record = self.workspace(id).await?;
        let path = || record.row.state.path.display();
        let row = fetch_optional!(
            *self.transaction,
            "SELECT * FROM tombstones WHERE workspace_id = ?",
            key(id.uuid())
        )?
        .ok_or_else(|| RegistryError::NoDeletion { path: path() })?;
        let tombstone = Columns(&row).tombstone()?;
        if epoch.is_some_and(|epoch| epoch != tombstone.epoch) {
            return Err(RegistryError::Overtaken { path: path() });
        }
        Ok((record, tombstone))
    }

    /// Notes that a verb may have changed the workspace on its host: roll calls put together before conclude
    /// nothing about it (I10).
    pub(crate) async fn touched_on_host(&mut self, id: WorkspaceId) -> Result<(), RegistryError> {
        execute!(
            *self.transaction,
            "UPDATE workspaces SET touched = ? WHERE id = ?",
            self.next,
            key(id.uuid())
        )?;
        self.touched(id).await
    }

    /// Takes a tombstone off its row.
    pub(crate) async fn lift(&mut self, id: WorkspaceId) -> Result<(), RegistryError> {
        execute!(
            *self.transaction,
            "DELETE FROM tombstones WHERE workspace_id = ?",
            key(id.uuid())
        )?;
        self.touched(id).await
    }

    async fn decided_anew(
        &mut self,
        id: WorkspaceId,
        agreed: &Consent,
    ) -> Result<(), RegistryError> {
        execute!(
            *self.transaction,
            "UPDATE tombstones SET epoch = epoch + 1, consent = ?, failures = 0, next_attempt_at = NULL, \
             outcome = NULL, stopped = 0 WHERE workspace_id = ?",
            observation(agreed)?,
            key(id.uuid())
        )?;
        self.touched(id).await
    }
}

fn agreed_to_what_is_there(
    record: &WorkspaceRecord,
    agreed: &Consent,
) -> Result<(), RegistryError> {
    let row = &record.row;
    let refused = |reason| {
        Err(RegistryError::NotLive {
            path: row.state.path.display(),
            reason,
        })
    };
    if row.untracked {
        return refused("it is hidden, and what is hidden is left alone");
    }
    if matches!(row.state.presence, Presence::Missing { .. }) {
        return refused("its host says it is gone already");
    }
    match row.state.generation {
        None => refused("its host does not tell what distinguishes it from a later one"),
        Some(generation) if generation != agreed.generation => {
            refused("another workspace stands there than the one that was shown")
        }
        Some(_) => Ok(()),
    }
}

impl Registry {
    /// Every pending deletion, oldest first; those of one host, if it is given.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn tombstones(&self, host: Option<HostId>) -> Result<Vec<Tombstone>, RegistryError> {
        let mut read = self.read().await?;
        let rows = match host {
            None => fetch_all!(
                *read,
                "SELECT t.* FROM tombstones t JOIN live_workspaces w ON w.id = t.workspace_id \
                 ORDER BY t.created_at, t.workspace_id"
            )?,
            Some(host) => fetch_all!(
                *read,
                "SELECT t.* FROM tombstones t JOIN live_workspaces w ON w.id = t.workspace_id \
                 WHERE w.host_id = ? ORDER BY t.created_at, t.workspace_id",
                key(host.uuid())
            )?,
        };
        rows.iter().map(|row| Columns(row).tombstone()).collect()
    }

    /// Marks a workspace as deleted by a person, with exactly what they agreed to. Its host is not asked for it.
    ///
    /// # Errors
    /// [`RegistryError::DeletionPending`] if that was done before: the first consent stands.
    /// [`RegistryError::NotLive`] for a row that is hidden, missing or without generation, and for a consent to
    /// another generation (I8). [`RegistryError::NotFound`].
    pub async fn entomb(
        &self,
        id: WorkspaceId,
        agreed: &Consent,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let record = write.workspace(id).await?;
        if record.row.tombstone.is_some() {
            return Err(RegistryError::DeletionPending {
                path: record.row.state.path.display(),
            });
        }
        agreed_to_what_is_there(&record, agreed)?;
        execute!(
            *write.transaction,
            "INSERT INTO tombstones (workspace_id, consent, epoch, created_at) VALUES (?, ?, 1, ?)",
            key(id.uuid()),
            observation(agreed)?,
            nanos(now)
        )?;
        write.touched(id).await?;
        write
            .person_did(&record, &JournalKind::DeletionAsked, now)
            .await?;
        write.commit().await
    }

    /// Replaces the consent of a pending deletion after it was reviewed, and lets it be tried at once.
    ///
    /// # Errors
    /// [`RegistryError::Overtaken`] for an older epoch; [`RegistryError::NotLive`] as [`Registry::entomb`];
    /// [`RegistryError::NoDeletion`]; [`RegistryError::NotFound`].
    pub async fn reconsent(
        &self,
        id: WorkspaceId,
        epoch: u64,
        agreed: &Consent,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let (record, _) = write.pending(id, Some(epoch)).await?;
        agreed_to_what_is_there(&record, agreed)?;
        write.decided_anew(id, agreed).await?;
        write
            .person_did(&record, &JournalKind::DeletionAgreedAgain, now)
            .await?;
        write.commit().await
    }

    /// Lets a pending deletion be tried at once, with the consent it has.
    ///
    /// # Errors
    /// [`RegistryError::Overtaken`] for an older epoch; [`RegistryError::NoDeletion`];
    /// [`RegistryError::NotFound`].
    pub async fn retry(
        &self,
        id: WorkspaceId,
        epoch: u64,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let (record, tombstone) = write.pending(id, Some(epoch)).await?;
        write.decided_anew(id, &tombstone.consent).await?;
        write
            .person_did(&record, &JournalKind::DeletionRetried, now)
            .await?;
        write.commit().await
    }

    /// Notes that an attempt begins. Until its end is recorded it may be running on the host.
    ///
    /// # Errors
    /// [`RegistryError::Overtaken`] for an older epoch; [`RegistryError::NoDeletion`];
    /// [`RegistryError::NotFound`].
    pub async fn begin_attempt(
        &self,
        id: WorkspaceId,
        epoch: u64,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write.pending(id, Some(epoch)).await?;
        execute!(
            *write.transaction,
            "UPDATE tombstones SET begun_at = ? WHERE workspace_id = ?",
            nanos(now),
            key(id.uuid())
        )?;
        write.touched_on_host(id).await?;
        write.commit().await
    }

    /// Stores how an attempt ended. Nothing is purged by it (I10); waiting costs no retry (I11). `chance` spreads
    /// the next attempt after a failure that may pass; see [`backoff`].
    ///
    /// # Errors
    /// [`RegistryError::Overtaken`] for an older epoch: what it says is dropped (I12);
    /// [`RegistryError::NoDeletion`]; [`RegistryError::NotFound`].
    pub async fn record_attempt(
        &self,
        id: WorkspaceId,
        epoch: u64,
        outcome: &Outcome,
        chance: u8,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let (record, before) = write.pending(id, Some(epoch)).await?;
        let (failures, next, stopped) = match outcome {
            Outcome::Converged { .. } => (0, None, false),
            Outcome::Waits { .. } => (before.failures, before.next_attempt_at, false),
            Outcome::Failed {
                class: FailureClass::Transient,
                ..
            } => {
                let failures = before.failures.saturating_add(1);
                let next = now.checked_add(backoff(failures, chance));
                (failures, Some(next.unwrap_or(Timestamp::MAX)), false)
            }
            Outcome::Failed {
                class: FailureClass::Terminal,
                ..
            } => (before.failures.saturating_add(1), None, true),
        };
        execute!(
            *write.transaction,
            "UPDATE tombstones SET begun_at = NULL, failures = ?, attempted_at = ?, next_attempt_at = ?, \
             outcome = ?, stopped = ? WHERE workspace_id = ?",
            i64::from(failures),
            nanos(now),
            next.map(nanos),
            json(outcome)?,
            i64::from(stopped),
            key(id.uuid())
        )?;
        if let Outcome::Failed { stage, message, .. } = outcome
            && stopped
        {
            let kind = JournalKind::DeletionStopped {
                stage: stage.clone(),
                message: message.clone(),
            };
            let about = About {
                host: Some(record.host),
                workspace: Some(id),
                path: Some(&record.row.state.path),
            };
            write.note(now, Actor::Sweep, about, &kind).await?;
        }
        if let Outcome::Converged { branch } = outcome
            && !branch.is_empty()
        {
            let about = About {
                host: Some(record.host),
                workspace: Some(id),
                path: Some(&record.row.state.path),
            };
            let words = branch.clone();
            let kind = JournalKind::BranchOfDeletion { words };
            write.note(now, Actor::Sweep, about, &kind).await?;
        }
        write.touched_on_host(id).await?;
        write.commit().await
    }

    /// Takes a deletion back. If an attempt may have begun, the host has to be asked first, and its manifest
    /// undone: `undone` says that this was done.
    ///
    /// # Errors
    /// [`RegistryError::Running`] if an attempt may have begun and was not undone;
    /// [`RegistryError::NoDeletion`]; [`RegistryError::NotFound`].
    pub async fn cancel(
        &self,
        id: WorkspaceId,
        undone: bool,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let (record, tombstone) = write.pending(id, None).await?;
        let begun = tombstone.may_have_begun();
        if begun && !undone {
            return Err(RegistryError::Running {
                path: record.row.state.path.display(),
            });
        }
        write.lift(id).await?;
        if undone {
            write.touched_on_host(id).await?;
        }
        write
            .person_did(&record, &JournalKind::DeletionCancelled, now)
            .await?;
        write.commit().await
    }

    /// Gives a deletion up and stops showing the workspace. The host is not touched.
    ///
    /// # Errors
    /// [`RegistryError::NoDeletion`]; [`RegistryError::NotFound`].
    pub async fn release(&self, id: WorkspaceId, now: Timestamp) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let (record, _) = write.pending(id, None).await?;
        write.lift(id).await?;
        execute!(
            *write.transaction,
            "UPDATE workspaces SET untracked_at = ? WHERE id = ?",
            nanos(now),
            key(id.uuid())
        )?;
        write
            .person_did(&record, &JournalKind::DeletionReleased, now)
            .await?;
        write.commit().await
    }
}
