//! What can be asked of the registry. Reads wait for no verb.

use rollcall_converge::{HostId, RootId, WorkspaceId};

use crate::error::{RegistryError, Translate as _};
use crate::records::{
    self, Columns, HostRecord, RegistryChanges, RootRecord, WorkspaceRecord, count, key,
    select_hosts, select_roots, select_workspaces,
};
use crate::store::{Registry, fetch_all, fetch_optional, fetch_scalar, stored_revision};

impl Registry {
    /// Every host, in the order they were added.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn hosts(&self) -> Result<Vec<HostRecord>, RegistryError> {
        let mut read = self.read().await?;
        records::hosts(&fetch_all!(*read, select_hosts!("ORDER BY position, id"))?)
    }

    /// One host.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn host(&self, id: HostId) -> Result<Option<HostRecord>, RegistryError> {
        let mut read = self.read().await?;
        fetch_optional!(*read, select_hosts!("WHERE id = ?"), key(id.uuid()))?
            .map(|row| Columns(&row).host())
            .transpose()
    }

    /// Every root, in the order they were registered.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn roots(&self) -> Result<Vec<RootRecord>, RegistryError> {
        let mut read = self.read().await?;
        records::roots(&fetch_all!(
            *read,
            select_roots!("ORDER BY created_at, id")
        )?)
    }

    /// One root.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn root(&self, id: RootId) -> Result<Option<RootRecord>, RegistryError> {
        let mut read = self.read().await?;
        fetch_optional!(*read, select_roots!("WHERE id = ?"), key(id.uuid()))?
            .map(|row| Columns(&row).root())
            .transpose()
    }

    /// Every row, untracked ones included, in the order of their ids.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        let mut read = self.read().await?;
        records::workspaces(&fetch_all!(*read, select_workspaces!("ORDER BY w.id"))?)
    }

    /// At most `limit` rows with ids above `after`, in the order of their ids.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn workspaces_page(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        let mut read = self.read().await?;
        let after = after.map(|id| key(id.uuid())).unwrap_or_default();
        records::workspaces(&fetch_all!(
            *read,
            select_workspaces!("WHERE w.id > ? ORDER BY w.id LIMIT ?"),
            after,
            i64::from(limit)
        )?)
    }

    /// Every row of a root, in the order of their ids.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn workspaces_of_root(
        &self,
        root: RootId,
    ) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        let mut read = self.read().await?;
        records::workspaces(&fetch_all!(
            *read,
            select_workspaces!("WHERE w.root_id = ? ORDER BY w.id"),
            key(root.uuid())
        )?)
    }

    /// One row, or `None` if it is not there.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn workspace(
        &self,
        id: WorkspaceId,
    ) -> Result<Option<WorkspaceRecord>, RegistryError> {
        let mut read = self.read().await?;
        fetch_optional!(*read, select_workspaces!("WHERE w.id = ?"), key(id.uuid()))?
            .map(|row| Columns(&row).workspace())
            .transpose()
    }

    /// Those of the rows that are there, in the order asked for, as of one moment.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn workspaces_by_id(
        &self,
        ids: &[WorkspaceId],
    ) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        let mut read = self.read().await?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let row = fetch_optional!(*read, select_workspaces!("WHERE w.id = ?"), key(id.uuid()))?;
            if let Some(row) = row {
                found.push(Columns(&row).workspace()?);
            }
        }
        Ok(found)
    }

    /// What changed after a revision, as of one moment.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn changes_since(&self, revision: u64) -> Result<RegistryChanges, RegistryError> {
        let since = stored_revision(revision);
        let mut read = self.read().await?;
        let now: i64 = fetch_scalar!(*read, "SELECT revision FROM meta")?;
        let upserted = records::workspaces(&fetch_all!(
            *read,
            select_workspaces!("WHERE w.revision > ? ORDER BY w.id"),
            since
        )?)?;
        let removed = fetch_all!(
            *read,
            "SELECT workspace_id FROM removals WHERE revision > ? ORDER BY revision, workspace_id",
            since
        )?
        .iter()
        .map(|row| Columns(row).id("workspace_id").map(WorkspaceId::new))
        .collect::<Result<_, _>>()?;
        Ok(RegistryChanges {
            revision: count(now),
            upserted,
            removed,
        })
    }
}
