//! Hosts that were forgotten. Nothing of them is shown or called; when the same machine is added again, under
//! whatever label, its rows, notes and pending deletions can be had back.

use jiff::Timestamp;
use rollcall_converge::{FailureClass, HostId, Outcome, Reason, RootId, WorkspaceId};

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::portable::{Said, merged};
use crate::records::{
    Columns, ForgottenHost, WorkspaceRecord, count, json, key, nanos, root_kind, roots,
    select_roots, select_workspaces, workspaces,
};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_optional};

/// What is known about forgotten hosts.
const FORGOTTEN: &str = "SELECT h.id, h.label, h.machine, h.host_key, h.forgotten_at, \
     (SELECT count(*) FROM workspaces w WHERE w.host_id = h.id) AS row_count, \
     (SELECT count(*) FROM workspaces w WHERE w.host_id = h.id AND (EXISTS (SELECT 1 FROM tags g \
      WHERE g.workspace_id = w.id) OR EXISTS (SELECT 1 FROM annotations a WHERE a.workspace_id = w.id))) \
      AS annotated, \
     (SELECT count(*) FROM workspaces w JOIN tombstones t ON t.workspace_id = w.id WHERE w.host_id = h.id) \
      AS pending \
     FROM hosts h WHERE h.forgotten_at IS NOT NULL ORDER BY h.forgotten_at DESC, h.id";

impl Columns<'_> {
    fn forgotten(&self) -> Result<ForgottenHost, RegistryError> {
        Ok(ForgottenHost {
            id: HostId::new(self.id("id")?),
            label: self.text("label")?,
            machine: self.text_or_none("machine")?,
            host_key: self.text_or_none("host_key")?,
            forgotten_at: self.time("forgotten_at")?,
            rows: count(self.integer("row_count")?),
            annotated: count(self.integer("annotated")?),
            pending: count(self.integer("pending")?),
        })
    }
}

impl Write {
    /// Hides a host with everything of it.
    pub(crate) async fn hide_host(
        &mut self,
        id: HostId,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let rows = fetch_all!(
            *self.transaction,
            "SELECT id FROM workspaces WHERE host_id = ? ORDER BY id",
            key(id.uuid())
        )?;
        for row in &rows {
            let id = Columns(row).id("id")?;
            execute!(
                *self.transaction,
                "INSERT INTO removals (revision, workspace_id) VALUES (?, ?)",
                self.next,
                key(id)
            )?;
            self.changed.removed.push(WorkspaceId::new(id));
        }
        // Its label is free for another.
        execute!(
            *self.transaction,
            "UPDATE hosts SET forgotten_at = ?, label_key = hex(id) || ' forgotten' WHERE id = ?",
            nanos(now),
            key(id.uuid())
        )?;
        Ok(())
    }

    /// Deletes a host with everything of it. No row of it may be shown any more.
    pub(crate) async fn erase_host(&mut self, id: HostId) -> Result<(), RegistryError> {
        for statement in [
            "DELETE FROM workspaces WHERE host_id = ?",
            "DELETE FROM roots WHERE host_id = ?",
            "DELETE FROM hosts WHERE id = ?",
        ] {
            execute!(*self.transaction, statement, key(id.uuid()))?;
        }
        self.changed.hosts = true;
        Ok(())
    }

    async fn rows_of(&mut self, host: HostId) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        workspaces(&fetch_all!(
            *self.transaction,
            select_workspaces!("WHERE w.host_id = ? ORDER BY w.id"),
            key(host.uuid())
        )?)
    }

    /// The root of a host that takes the place of one of another: the same path and kind, or the very one.
    async fn take_root(
        &mut self,
        from: &rollcall_converge::Root,
        to: HostId,
    ) -> Result<RootId, RegistryError> {
        let there = fetch_optional!(
            *self.transaction,
            select_roots!("WHERE host_id = ? AND path = ? AND kind = ?"),
            key(to.uuid()),
            from.path.as_bytes().to_vec(),
            root_kind(from.kind)
        )?;
        if let Some(row) = there {
            return Ok(Columns(&row).root()?.root.id);
        }
        execute!(
            *self.transaction,
            "UPDATE roots SET host_id = ? WHERE id = ?",
            key(to.uuid()),
            key(from.id.uuid())
        )?;
        self.changed.roots = true;
        Ok(from.id)
    }

    /// Has one row take the place of another that is the same workspace, with what people wrote about both.
    async fn absorb(
        &mut self,
        kept: &WorkspaceRecord,
        other: &WorkspaceRecord,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let after = merged(kept, Said::of(other))?;
        self.write_annotations(kept, &after, now).await?;
        execute!(
            *self.transaction,
            "UPDATE OR IGNORE tombstones SET workspace_id = ? WHERE workspace_id = ?",
            key(kept.row.id.uuid()),
            key(other.row.id.uuid())
        )?;
        self.remove_workspace(other.row.id).await
    }
}

/// Whether two rows are one workspace: by its generation, or by its path where generations tell nothing.
fn same_workspace(one: &WorkspaceRecord, other: &WorkspaceRecord) -> bool {
    match (one.row.state.generation, other.row.state.generation) {
        (Some(one), Some(other)) if one == other => true,
        (Some(_), Some(_)) => false,
        _ => one.row.state.path == other.row.state.path,
    }
}

impl Registry {
    /// Hosts that were forgotten and may be added again, the last one first.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn forgotten_hosts(&self) -> Result<Vec<ForgottenHost>, RegistryError> {
        let mut read = self.read().await?;
        fetch_all!(*read, FORGOTTEN)?
            .iter()
            .map(|row| Columns(row).forgotten())
            .collect()
    }

    /// Gives the roots, rows, notes and pending deletions of a forgotten host to one that is the same machine. What
    /// people wrote about the same workspace under both is kept together.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] if either is not there; [`RegistryError::InvalidInput`] if notes together are too
    /// long. Nothing is changed then.
    pub async fn reclaim_host(
        &self,
        host: HostId,
        forgotten: HostId,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let label = write.host(host).await?.host.label;
        let before = write.forgotten(forgotten).await?;
        // From here on its rows are there like any others; nobody sees this before all of it is done.
        execute!(
            *write.transaction,
            "UPDATE hosts SET forgotten_at = NULL WHERE id = ?",
            key(forgotten.uuid())
        )?;
        let theirs = write.rows_of(forgotten).await?;
        let ours = write.rows_of(host).await?;
        let their_roots = roots(&fetch_all!(
            *write.transaction,
            select_roots!("WHERE host_id = ? ORDER BY created_at, id"),
            key(forgotten.uuid())
        )?)?;
        for root in &their_roots {
            let taken = write.take_root(&root.root, host).await?;
            execute!(
                *write.transaction,
                "UPDATE workspaces SET root_id = ? WHERE root_id = ?",
                key(taken.uuid()),
                key(root.root.id.uuid())
            )?;
        }
        let mut rest = ours;
        for record in &theirs {
            let same: Vec<WorkspaceRecord> = rest
                .extract_if(.., |it| same_workspace(record, it))
                .collect();
            for other in &same {
                write.absorb(record, other, now).await?;
            }
            // A roll call that began before knows nothing of it.
            execute!(
                *write.transaction,
                "UPDATE workspaces SET host_id = ?, touched = ? WHERE id = ?",
                key(host.uuid()),
                write.next,
                key(record.row.id.uuid())
            )?;
            execute!(
                *write.transaction,
                "DELETE FROM removals WHERE workspace_id = ?",
                key(record.row.id.uuid())
            )?;
            write.touched(record.row.id).await?;
        }
        // What was decided before it was forgotten is no surprise only if it is decided again (C17).
        let again = Outcome::Failed {
            class: FailureClass::Terminal,
            stage: "start".to_owned(),
            message: "this deletion came back with its host".to_owned(),
            reason: Reason::Changed,
        };
        execute!(
            *write.transaction,
            "UPDATE tombstones SET stopped = 1, next_attempt_at = NULL, epoch = epoch + 1, outcome = ? \
             WHERE workspace_id IN (SELECT id FROM workspaces WHERE host_id = ? AND touched = ?)",
            json(&again)?,
            key(host.uuid()),
            write.next
        )?;
        for statement in [
            "UPDATE OR IGNORE trash SET host_id = ? WHERE host_id = ?",
            "UPDATE OR IGNORE choices SET host_id = ? WHERE host_id = ?",
            "UPDATE journal SET host_id = ? WHERE host_id = ?",
        ] {
            execute!(
                *write.transaction,
                statement,
                key(host.uuid()),
                key(forgotten.uuid())
            )?;
        }
        write.erase_host(forgotten).await?;
        let kind = JournalKind::HostReclaimed {
            from: before.label,
            to: label,
            rows: theirs.len() as u64,
        };
        write
            .note(now, Actor::Person, About::host(host), &kind)
            .await?;
        write.commit().await
    }

    /// Deletes a forgotten host for good.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn erase_forgotten(&self, forgotten: HostId) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write.forgotten(forgotten).await?;
        write.erase_host(forgotten).await?;
        write.commit().await
    }

    /// Deletes hosts that were forgotten before a time, but for those with pending deletions.
    ///
    /// # Errors
    /// If the registry cannot be written.
    pub async fn purge_forgotten(&self, before: Timestamp) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let all = fetch_all!(*write.transaction, FORGOTTEN)?;
        for row in &all {
            let host = Columns(row).forgotten()?;
            if host.forgotten_at < before && host.pending == 0 {
                write.erase_host(host.id).await?;
            }
        }
        write.commit().await
    }
}

impl Write {
    async fn forgotten(&mut self, id: HostId) -> Result<ForgottenHost, RegistryError> {
        let all = fetch_all!(*self.transaction, FORGOTTEN)?;
        for row in &all {
            let host = Columns(row).forgotten()?;
            if host.id == id {
                return Ok(host);
            }
        }
        Err(RegistryError::NotFound {
            what: "The forgotten host",
        })
    }
}
