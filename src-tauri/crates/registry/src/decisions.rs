//! Verbs with which people answer what roll calls leave open: absence that was held, records that conflict, a
//! host that is another machine, and what was hidden long ago.

use std::collections::HashMap;

use jiff::Timestamp;
use rollcall_converge::{Choice, HostId, Loss, WorkspaceId, decide_absence};

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::records::{
    Columns, WorkspaceRecord, generation_columns, key, nanos, roots, select_roots,
    select_workspaces, workspaces,
};
use crate::store::{Changed, Registry, Write, execute, fetch_all};

impl Write {
    /// Rows of a host whose absence is held, of those that were shown. What is being deleted waits for its host's
    /// word and not for a person's (I10).
    async fn held(
        &mut self,
        host: HostId,
        shown: &[WorkspaceId],
    ) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        self.host(host).await?;
        let held = workspaces(&fetch_all!(
            *self.transaction,
            select_workspaces!(
                "WHERE w.host_id = ? AND w.unconfirmed_since IS NOT NULL AND w.untracked_at IS NULL \
                 AND t.workspace_id IS NULL ORDER BY w.id"
            ),
            key(host.uuid())
        )?)?;
        let mut shown = shown.to_vec();
        shown.sort_unstable();
        Ok(held
            .into_iter()
            .filter(|record| shown.binary_search(&record.row.id).is_ok())
            .collect())
    }

    /// Applies the absence rules to a row that was held.
    async fn conclude(
        &mut self,
        record: &WorkspaceRecord,
        now: Timestamp,
    ) -> Result<Concluded, RegistryError> {
        let (event, concluded) = match decide_absence(&record.row, now) {
            Loss::Dropped(event) => {
                self.remove_workspace(record.row.id).await?;
                (Some(event), Concluded::Dropped)
            }
            Loss::Missing { state, event } => {
                self.refresh(record.row.id, &state, false).await?;
                (event, Concluded::Missing)
            }
        };
        if let Some(event) = event {
            self.observed(record.host, &[event], &HashMap::new(), now)
                .await?;
        }
        Ok(concluded)
    }
}

#[derive(PartialEq, Eq)]
enum Concluded {
    Dropped,
    Missing,
}

impl Registry {
    /// Believes a host that the given rows are gone: what is worth keeping is missing from then on, the rest is
    /// forgotten (I17). Rows that answered meanwhile, or were not shown, are left alone.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] for the host.
    pub async fn accept_absence(
        &self,
        host: HostId,
        shown: &[WorkspaceId],
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        self.decide(host, shown, false, now).await
    }

    /// Keeps the given rows although their host says they are gone: they are missing, and stay until a person
    /// stops showing them (I17).
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] for the host.
    pub async fn refuse_absence(
        &self,
        host: HostId,
        shown: &[WorkspaceId],
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        self.decide(host, shown, true, now).await
    }

    async fn decide(
        &self,
        host: HostId,
        shown: &[WorkspaceId],
        keep: bool,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let held = write.held(host, shown).await?;
        let rows = held.len() as u64;
        let mut dropped = 0;
        for mut record in held {
            if keep {
                execute!(
                    *write.transaction,
                    "UPDATE workspaces SET kept = 1 WHERE id = ?",
                    key(record.row.id.uuid())
                )?;
                record.row.kept = true;
            }
            dropped += u64::from(write.conclude(&record, now).await? == Concluded::Dropped);
        }
        if rows > 0 {
            let kind = if keep {
                JournalKind::AbsenceRefused { rows }
            } else {
                JournalKind::AbsenceAccepted {
                    dropped,
                    missing: rows - dropped,
                }
            };
            write
                .note(now, Actor::Person, About::host(host), &kind)
                .await?;
            write.changed.hosts = true;
        }
        write.commit().await
    }

    /// Settles which of the records that claim a path is the true one. It counts from the next roll call on, for
    /// as long as that record claims the path.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] for the host; [`RegistryError::InvalidInput`] if no conflict has that record.
    pub async fn settle_conflict(
        &self,
        host: HostId,
        choice: &Choice,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write.host(host).await?;
        let all = roots(&fetch_all!(
            *write.transaction,
            select_roots!("WHERE host_id = ?"),
            key(host.uuid())
        )?)?;
        let claimed = all
            .iter()
            .flat_map(|root| &root.conflicts)
            .filter(|conflict| conflict.path == choice.path)
            .flat_map(|conflict| &conflict.claims)
            .any(|claim| claim.generation == Some(choice.generation));
        if !claimed {
            return Err(RegistryError::invalid(
                format!(
                    "No record that claims `{}` is the chosen one any more.",
                    choice.path.display()
                ),
                "Sync its host and look at the conflict again.",
            ));
        }
        let (inode, origin, seconds, nanoseconds) = generation_columns(Some(choice.generation));
        execute!(
            *write.transaction,
            "INSERT OR REPLACE INTO choices (host_id, path, generation_inode, generation_origin, \
             generation_seconds, generation_nanos, made_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            key(host.uuid()),
            choice.path.as_bytes().to_vec(),
            inode,
            origin,
            seconds,
            nanoseconds,
            nanos(now)
        )?;
        let about = About {
            host: Some(host),
            workspace: None,
            path: Some(&choice.path),
        };
        write
            .note(now, Actor::Person, about, &JournalKind::ConflictSettled)
            .await?;
        write.changed.roots = true;
        write.commit().await
    }

    /// Agrees that a host is the machine it says it is now. Its next roll call is taken up again.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] if it says something else by now; [`RegistryError::NotFound`].
    pub async fn agree_to_machine(
        &self,
        host: HostId,
        machine: &str,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let record = write.host(host).await?;
        if record.machine_offered.as_deref() != Some(machine) {
            return Err(RegistryError::invalid(
                format!("`{}` does not say that any more.", record.host.label),
                "Look at what it says now.",
            ));
        }
        execute!(
            *write.transaction,
            "UPDATE hosts SET machine = machine_offered, machine_offered = NULL WHERE id = ?",
            key(host.uuid())
        )?;
        write
            .note(
                now,
                Actor::Person,
                About::host(host),
                &JournalKind::MachineAgreed,
            )
            .await?;
        write.changed.hosts = true;
        write.commit().await
    }

    /// Forgets rows that were hidden before a time and that their hosts say are gone, with what people wrote about
    /// them. A row whose absence no host asserted stays, so that it cannot show up again (I6).
    ///
    /// # Errors
    /// If the registry cannot be written.
    pub async fn purge_untracked(
        &self,
        hidden_before: Timestamp,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let rows = fetch_all!(
            *write.transaction,
            "SELECT id FROM workspaces WHERE untracked_at < ? AND presence = 'missing'",
            nanos(hidden_before)
        )?;
        for row in &rows {
            write
                .remove_workspace(WorkspaceId::new(Columns(row).id("id")?))
                .await?;
        }
        if !rows.is_empty() {
            let kind = JournalKind::UntrackedPurged {
                rows: rows.len() as u64,
            };
            write
                .note(now, Actor::Sweep, About::everything(), &kind)
                .await?;
        }
        write.commit().await
    }

    /// Rows of a host whose absence is held until a person decides (I17).
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn unconfirmed(&self, host: HostId) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        let mut read = self.read().await?;
        workspaces(&fetch_all!(
            *read,
            select_workspaces!(
                "WHERE w.host_id = ? AND w.unconfirmed_since IS NOT NULL AND w.untracked_at IS NULL \
                 AND t.workspace_id IS NULL ORDER BY w.id"
            ),
            key(host.uuid())
        )?)
    }
}
