//! Verbs with which people decide about workspaces that are missing: what was written about one goes over to where it
//! went, or it is gone for good (I5).

use std::collections::HashSet;

use jiff::Timestamp;
use rollcall_converge::{Presence, RootId, WorkspaceId};

use crate::error::{RegistryError, Translate as _};
use crate::journal::JournalKind;
use crate::portable::{Said, merged};
use crate::records::{WorkspaceRecord, key};
use crate::store::{Changed, Registry, Write, execute, fetch_scalar};

fn is_missing(record: &WorkspaceRecord) -> bool {
    matches!(record.row.state.presence, Presence::Missing { .. })
}

fn refused(reason: String, hint: &str) -> Result<(), RegistryError> {
    Err(RegistryError::invalid(reason, hint))
}

/// Refuses what is not missing, and what a deletion is pending of: that waits for its host's word (I10).
fn may_leave(record: &WorkspaceRecord) -> Result<(), RegistryError> {
    if record.row.tombstone.is_some() {
        return Err(RegistryError::DeletionPending {
            path: record.row.state.path.display(),
        });
    }
    if !is_missing(record) {
        return refused(
            format!("`{}` is not missing.", record.row.state.path.display()),
            "Stop showing it instead, or delete it.",
        );
    }
    Ok(())
}

impl Write {
    /// Takes a missing row off the mirror, and its root if that was the last of it.
    async fn let_go(&mut self, record: &WorkspaceRecord) -> Result<(), RegistryError> {
        self.remove_workspace(record.row.id).await?;
        self.release_if_empty(record.row.state.root).await
    }

    /// Ends the roll call of a root of which no row is left.
    pub(crate) async fn release_if_empty(&mut self, id: RootId) -> Result<(), RegistryError> {
        let left: i64 = fetch_scalar!(
            *self.transaction,
            "SELECT count(*) FROM workspaces WHERE root_id = ?",
            key(id.uuid())
        )?;
        if left == 0 {
            execute!(
                *self.transaction,
                "DELETE FROM roots WHERE id = ?",
                key(id.uuid())
            )?;
            self.changed.roots = true;
        }
        Ok(())
    }
}

impl Registry {
    /// Has what people wrote about a missing workspace go over to another one, of whatever host, which it became: the
    /// other's own words come first. The missing row leaves the mirror then, and its root with the last row of it.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] if the first is not missing, they are the same, the second is hidden or missing
    /// itself, or note or tags of both are beyond their limits; [`RegistryError::DeletionPending`] if a deletion of
    /// either is; [`RegistryError::NotFound`]. Nothing is changed then.
    pub async fn relink(
        &self,
        missing: WorkspaceId,
        to: WorkspaceId,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let from = write.workspace(missing).await?;
        let target = write.workspace(to).await?;
        let shown = target.row.state.path.display();
        if missing == to {
            refused(
                format!("`{shown}` is where it is already."),
                "Choose the workspace that it became.",
            )?;
        }
        may_leave(&from)?;
        if target.row.tombstone.is_some() {
            return Err(RegistryError::DeletionPending { path: shown });
        }
        if is_missing(&target) || target.row.untracked {
            refused(
                format!("`{shown}` is missing itself, or hidden."),
                "Choose a workspace that is there.",
            )?;
        }
        let after = merged(&target, Said::of(&from))?;
        write.write_annotations(&target, &after, now).await?;
        let kind = JournalKind::Relinked {
            from: from.row.state.path.clone(),
        };
        write.person_did(&target, &kind, now).await?;
        write.let_go(&from).await?;
        write.commit().await
    }

    /// Forgets missing workspaces, with what people wrote about them, because a person knows that they are gone for
    /// good; all of them or none. A root goes with the last row of it.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] if one of them is not missing, [`RegistryError::DeletionPending`] if a deletion
    /// of one is; [`RegistryError::NotFound`]. Nothing is changed then.
    pub async fn forget_missing(
        &self,
        ids: &[WorkspaceId],
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let mut done = HashSet::new();
        for id in ids.iter().filter(|id| done.insert(**id)) {
            let record = write.workspace(*id).await?;
            may_leave(&record)?;
            write
                .person_did(&record, &JournalKind::MissingForgotten, now)
                .await?;
            write.let_go(&record).await?;
        }
        write.commit().await
    }
}
