//! The open registry, and the one way to write to it.

use std::path::{Path, PathBuf};

use rollcall_converge::WorkspaceId;
use sqlx::{Sqlite, SqlitePool, Transaction};

use crate::error::{RegistryError, Translate as _};
use crate::records::{count, stored_count};

/// Runs one statement and answers what came of it.
macro_rules! execute {
    ($on:expr, $sql:expr $(, $value:expr)* $(,)?) => {
        sqlx::query::<sqlx::Sqlite>($sql)$(.bind($value))*.execute(&mut $on).await.told()
    };
}
/// Asks for every row.
macro_rules! fetch_all {
    ($on:expr, $sql:expr $(, $value:expr)* $(,)?) => {
        sqlx::query::<sqlx::Sqlite>($sql)$(.bind($value))*.fetch_all(&mut $on).await.told()
    };
}
/// Asks for at most one row.
macro_rules! fetch_optional {
    ($on:expr, $sql:expr $(, $value:expr)* $(,)?) => {
        sqlx::query::<sqlx::Sqlite>($sql)$(.bind($value))*.fetch_optional(&mut $on).await.told()
    };
}
/// Asks for one value.
macro_rules! fetch_scalar {
    ($on:expr, $sql:expr $(, $value:expr)* $(,)?) => {
        sqlx::query_scalar::<sqlx::Sqlite, _>($sql)$(.bind($value))*.fetch_one(&mut $on).await.told()
    };
}
pub(crate) use {execute, fetch_all, fetch_optional, fetch_scalar};

/// Rows that one statement inserts: every statement is handed to the thread that owns the connection and back, which
/// takes longer than a row does.
pub(crate) const TOGETHER: usize = 64;

/// How every verb begins.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// The open registry. Clones share it.
#[derive(Clone, Debug)]
pub struct Registry {
    pub(crate) folder: PathBuf,
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
}

/// What one verb changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a kind of thing that may differ for itself"
)]
pub struct Changed {
    /// The revision from now on; unchanged if nothing was.
    pub revision: u64,
    /// Rows that are new or differ.
    pub workspaces: Vec<WorkspaceId>,
    /// Rows that are gone.
    pub removed: Vec<WorkspaceId>,
    /// Whether hosts differ, be it in when they answered last.
    pub hosts: bool,
    /// Whether roots differ, be it in when they were asserted last.
    pub roots: bool,
    /// Whether groups differ, in their names, their order or what they lie in.
    pub groups: bool,
    /// Whether saved views differ.
    pub views: bool,
    /// Whether what people set differs.
    pub settings: bool,
    /// Whether something in the trash of a host differs.
    pub trash: bool,
    /// Whether the journal has new lines that no person wrote. They never come without something else that differs.
    pub journal: bool,
}

impl Changed {
    fn is_nothing(&self) -> bool {
        self.workspaces.is_empty()
            && self.removed.is_empty()
            && !self.hosts
            && !self.roots
            && !self.groups
            && !self.views
            && !self.settings
            && !self.trash
    }
}

impl Registry {
    /// Opens the registry of a data folder; makes both if they are not there, readable by their owner only. An
    /// older registry is copied to `backups` and brought up to date.
    ///
    /// # Errors
    /// [`RegistryError::Newer`], [`RegistryError::Damaged`], [`RegistryError::ReadOnly`],
    /// [`RegistryError::Locked`]. The file is left as it was then.
    pub async fn open(folder: &Path) -> Result<Self, RegistryError> {
        crate::open::open(folder, &crate::open::MIGRATIONS).await
    }

    /// Waits for what runs, then closes the file. Verbs and reads fail afterwards.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// Begins a verb. Immediate, so that it waits for another writer instead of failing half way.
    pub(crate) async fn write(&self) -> Result<Write, RegistryError> {
        let mut transaction = match self.writer.begin_with(BEGIN).await {
            // On a full disk SQLite takes a transaction back by itself, and its client goes on counting it. A fresh
            // connection counts from nothing.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                let stale = self.writer.acquire().await.told()?;
                stale.close().await.told()?;
                self.writer.begin_with(BEGIN).await.told()?
            }
            begun => begun.told()?,
        };
        let revision: i64 = fetch_scalar!(*transaction, "SELECT revision FROM meta")?;
        let changed = Changed {
            revision: count(revision),
            ..Changed::default()
        };
        Ok(Write {
            transaction,
            next: revision + 1,
            changed,
        })
    }

    /// Begins a read that sees one state throughout.
    pub(crate) async fn read(&self) -> Result<Transaction<'static, Sqlite>, RegistryError> {
        self.readers.begin().await.told()
    }
}

/// A verb under way. Dropped without [`Write::commit`] it leaves no trace.
pub(crate) struct Write {
    pub(crate) transaction: Transaction<'static, Sqlite>,
    /// The revision it will be known by.
    pub(crate) next: i64,
    pub(crate) changed: Changed,
}

impl Write {
    /// Forgets a row, with what people wrote about it.
    pub(crate) async fn remove_workspace(&mut self, id: WorkspaceId) -> Result<(), RegistryError> {
        let key = crate::records::key(id.uuid());
        execute!(
            *self.transaction,
            "DELETE FROM workspaces WHERE id = ?",
            key.clone()
        )?;
        execute!(
            *self.transaction,
            "INSERT INTO removals (revision, workspace_id) VALUES (?, ?)",
            self.next,
            key
        )?;
        self.changed.removed.push(id);
        Ok(())
    }

    /// Ends the verb: all of it is on disk, under one new revision if anything changed.
    pub(crate) async fn commit(mut self) -> Result<Changed, RegistryError> {
        if self.changed.is_nothing() {
            self.transaction.rollback().await.told()?;
            return Ok(self.changed);
        }
        execute!(*self.transaction, "UPDATE meta SET revision = ?", self.next)?;
        self.transaction.commit().await.told()?;
        self.changed.revision = count(self.next);
        Ok(self.changed)
    }
}

impl Registry {
    /// The number of the last change.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn revision(&self) -> Result<u64, RegistryError> {
        let mut connection = self.readers.acquire().await.told()?;
        let revision: i64 = fetch_scalar!(*connection, "SELECT revision FROM meta")?;
        Ok(count(revision))
    }
}

/// A revision as the file holds it. Beyond what it can hold, nothing has changed since.
pub(crate) fn stored_revision(revision: u64) -> i64 {
    stored_count(revision)
}
