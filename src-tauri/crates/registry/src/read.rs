//! Reads. None of them waits for a write.

use rollcall_converge::{HostId, RollCall, RootRequest, Tier, WorkspaceId};
use sqlx::{Executor, Sqlite, SqlitePool};

use crate::error::RegistryError;
use crate::open::Registry;
use crate::records::{
    HostRecord, JournalEntry, RegistryChanges, RootRecord, WORKSPACE, WorkspaceRecord, host_record,
    journal_entry, root_record, workspace_record,
};

pub(crate) async fn roots_of(
    executor: impl Executor<'_, Database = Sqlite>,
    host: Option<HostId>,
) -> Result<Vec<RootRecord>, RegistryError> {
    sqlx::query(
        "SELECT * FROM roots WHERE ?1 IS NULL OR host = ?1 ORDER BY created_at, id",
    )
    .bind(host.map(|host| host.to_string()))
    .fetch_all(executor)
    .await?
    .iter()
    .map(root_record)
    .collect()
}

pub(crate) async fn workspaces_of(
    executor: impl Executor<'_, Database = Sqlite>,
    host: HostId,
) -> Result<Vec<WorkspaceRecord>, RegistryError> {
    let query = format!("{WORKSPACE} WHERE w.host = ? ORDER BY w.id");
    sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(host.to_string())
        .fetch_all(executor)
        .await?
        .iter()
        .map(workspace_record)
        .collect()
}

pub(crate) async fn revision_of(
    executor: impl Executor<'_, Database = Sqlite>,
) -> Result<u64, RegistryError> {
    let revision: i64 =
        sqlx::query_scalar("SELECT revision FROM registry").fetch_one(executor).await?;
    Ok(u64::try_from(revision).unwrap_or_default())
}

impl Registry {
    fn pool(&self) -> &SqlitePool {
        &self.readers
    }

    /// The registry's revision: it grows whenever a workspace's row changes or goes.
    ///
    /// # Errors
    /// If the file cannot be read, as for every read.
    pub async fn revision(&self) -> Result<u64, RegistryError> {
        revision_of(self.pool()).await
    }

    /// All hosts, this machine first, then by label.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn hosts(&self) -> Result<Vec<HostRecord>, RegistryError> {
        sqlx::query(
            "SELECT h.id, h.label, h.address, h.suspended, h.system, h.git_version,
                nullif(max(coalesce(h.answered_at, 0), coalesce(max(r.asserted_at), 0)), 0)
                    AS answered_at
             FROM hosts h LEFT JOIN roots r ON r.host = h.id GROUP BY h.id
             ORDER BY json_extract(h.address, '$.by') <> 'local', h.label_key",
        )
        .fetch_all(self.pool())
        .await?
        .iter()
        .map(host_record)
        .collect()
    }

    /// All roots, in the order they were registered.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn roots(&self) -> Result<Vec<RootRecord>, RegistryError> {
        roots_of(self.pool(), None).await
    }

    /// A page of workspaces in the order of their ids, after a given one.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn workspaces_page(
        &self,
        after: Option<WorkspaceId>,
        limit: u32,
    ) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        let query = format!("{WORKSPACE} WHERE ?1 IS NULL OR w.id > ?1 ORDER BY w.id LIMIT ?2");
        sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(after.map(|id| id.to_string()))
            .bind(limit)
            .fetch_all(self.pool())
            .await?
            .iter()
            .map(workspace_record)
            .collect()
    }

    /// One workspace.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn workspace(
        &self,
        id: WorkspaceId,
    ) -> Result<Option<WorkspaceRecord>, RegistryError> {
        let query = format!("{WORKSPACE} WHERE w.id = ?");
        sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(id.to_string())
            .fetch_optional(self.pool())
            .await?
            .as_ref()
            .map(workspace_record)
            .transpose()
    }

    /// What changed after a revision, as of one moment.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn changes_since(&self, revision: u64) -> Result<RegistryChanges, RegistryError> {
        let since = i64::try_from(revision).unwrap_or(i64::MAX);
        let mut moment = self.readers.begin().await?;
        let revision = revision_of(&mut *moment).await?;
        let query = format!("{WORKSPACE} WHERE w.revision > ? ORDER BY w.id");
        let upserted = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(since)
            .fetch_all(&mut *moment)
            .await?
            .iter()
            .map(workspace_record)
            .collect::<Result<_, _>>()?;
        let removed: Vec<String> =
            sqlx::query_scalar("SELECT workspace FROM removals WHERE revision > ? ORDER BY workspace")
                .bind(since)
                .fetch_all(&mut *moment)
                .await?;
        moment.commit().await?;
        let removed = removed
            .iter()
            .map(|id| id.parse().map_err(|error| RegistryError::Value(format!("{id}: {error}"))))
            .collect::<Result<_, _>>()?;
        Ok(RegistryChanges { revision, upserted, removed })
    }

    /// What to ask a host: its roots, and for each the paths of the rows it asserted, so that the host looks at
    /// those it does not assert again (I3).
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn roll_call(&self, host: HostId, tier: Tier) -> Result<RollCall, RegistryError> {
        let mut moment = self.readers.begin().await?;
        let roots = roots_of(&mut *moment, Some(host)).await?;
        let rows = workspaces_of(&mut *moment, host).await?;
        moment.commit().await?;
        let roots = roots
            .into_iter()
            .map(|record| {
                let known = rows
                    .iter()
                    .filter(|row| row.row.state.root == record.root.id && !row.row.untracked)
                    .map(|row| row.row.state.path.clone())
                    .collect();
                RootRequest { root: record.root, known }
            })
            .collect();
        Ok(RollCall { host, tier, roots })
    }

    /// The journal, newest first: all of it or what concerns one workspace; lines before a given number.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn journal(
        &self,
        workspace: Option<WorkspaceId>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, RegistryError> {
        let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
        sqlx::query(
            "SELECT * FROM journal WHERE (?1 IS NULL OR workspace = ?1) AND number < ?2
             ORDER BY number DESC LIMIT ?3",
        )
        .bind(workspace.map(|id| id.to_string()))
        .bind(before)
        .bind(limit)
        .fetch_all(self.pool())
        .await?
        .iter()
        .map(journal_entry)
        .collect()
    }
}
