//! What was seen of workspaces in depth, and which branch their repositories merge into.

use jiff::Timestamp;
use rollcall_converge::{
    Generation, HostId, Look, Merged, RefName, RootId, RootKind, Size, WorkspaceId,
};
use serde::Serialize;

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::records::{
    Columns, WorkspaceRecord, from_json, json, key, nanos, select_roots, select_workspaces,
    workspaces,
};
use crate::store::{Changed, Registry, execute, fetch_all, fetch_optional};

/// What was seen of one workspace when somebody looked last. What was seen of an earlier one at its path is left out
/// (I8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// When it was looked at in depth, and what was seen.
    pub look: Option<(Timestamp, Look)>,
    /// When it was measured, and how large it was.
    pub size: Option<(Timestamp, Size)>,
}

impl Seen {
    /// Whether HEAD is merged, if that was seen of these two commits: the answer holds while neither moves.
    pub fn merged(&self, head: Option<&str>, base: Option<&str>) -> Option<&Merged> {
        let (_, look) = self.look.as_ref()?;
        still(&look.deep.merged, head, base)
    }
}

/// What was found about two commits, if it is these two.
pub(crate) fn still<'a>(
    merged: &'a Merged,
    head: Option<&str>,
    base: Option<&str>,
) -> Option<&'a Merged> {
    let holds = head.is_some()
        && base.is_some()
        && merged.head_commit.as_deref() == head
        && merged.base_commit.as_deref() == base;
    holds.then_some(merged)
}

impl Registry {
    /// What was seen of a workspace.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn seen(&self, record: &WorkspaceRecord) -> Result<Seen, RegistryError> {
        let mut read = self.read().await?;
        let row = fetch_optional!(
            *read,
            "SELECT looked_at, look, measured_at, size FROM looks WHERE workspace_id = ?",
            key(record.row.id.uuid())
        )?;
        let Some(row) = row else {
            return Ok(Seen::default());
        };
        let row = Columns(&row);
        let look: Option<Look> = row
            .text_or_none("look")?
            .map(|text| from_json(&text, "look at a workspace"))
            .transpose()?;
        let size: Option<(Option<Generation>, Size)> = row
            .text_or_none("size")?
            .map(|text| from_json(&text, "size of a workspace"))
            .transpose()?;
        let generation = record.row.state.generation;
        let look = look.filter(|it| it.generation == generation);
        let size = size
            .filter(|(of, _)| *of == generation)
            .map(|(_, size)| size);
        Ok(Seen {
            look: row.time_or_none("looked_at")?.zip(look),
            size: row.time_or_none("measured_at")?.zip(size),
        })
    }

    /// Keeps what was seen of a workspace in depth.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn record_look(
        &self,
        id: WorkspaceId,
        look: &Look,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        self.keep(
            id,
            "INSERT INTO looks (workspace_id, looked_at, look) VALUES (?1, ?2, ?3) ON CONFLICT (workspace_id) \
             DO UPDATE SET looked_at = ?2, look = ?3",
            look,
            now,
        )
        .await
    }

    /// Keeps how large a workspace of some generation is.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn record_size(
        &self,
        id: WorkspaceId,
        generation: Option<Generation>,
        size: &Size,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        self.keep(
            id,
            "INSERT INTO looks (workspace_id, measured_at, size) VALUES (?1, ?2, ?3) ON CONFLICT (workspace_id) \
             DO UPDATE SET measured_at = ?2, size = ?3",
            &(generation, size),
            now,
        )
        .await
    }

    async fn keep(
        &self,
        id: WorkspaceId,
        statement: &'static str,
        what: &impl Serialize,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write.workspace(id).await?;
        execute!(
            *write.transaction,
            statement,
            key(id.uuid()),
            nanos(now),
            json(what)?
        )?;
        write.touched(id).await?;
        write.commit().await
    }

    /// Rows of a host that nobody looked at in depth since a time, those that never were first; at most `limit`.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn not_looked_at(
        &self,
        host: HostId,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<WorkspaceRecord>, RegistryError> {
        let mut read = self.read().await?;
        workspaces(&fetch_all!(
            *read,
            select_workspaces!(
                "LEFT JOIN looks l ON l.workspace_id = w.id WHERE w.host_id = ? AND w.presence = 'present' \
                 AND w.untracked_at IS NULL AND t.workspace_id IS NULL AND w.facts IS NOT NULL \
                 AND coalesce(l.looked_at, 0) < ? ORDER BY coalesce(l.looked_at, 0), w.id LIMIT ?"
            ),
            key(host.uuid()),
            nanos(since),
            limit
        )?)
    }

    /// Says which branch others of a repository are merged into; `None` leaves that to the repository again.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`]; [`RegistryError::InvalidInput`] for what is no full name of a branch, or a root
    /// that is no repository.
    pub async fn choose_base(
        &self,
        id: RootId,
        base: Option<&RefName>,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        if let Some(base) = base.filter(|base| !is_branch(base)) {
            return Err(RegistryError::invalid(
                format!("`{}` is no full name of a branch.", base.display()),
                "Give a name that begins with `refs/heads/` or `refs/remotes/`.",
            ));
        }
        let mut write = self.write().await?;
        let row = fetch_optional!(
            *write.transaction,
            select_roots!("WHERE id = ?"),
            key(id.uuid())
        )?
        .ok_or(RegistryError::NotFound { what: "The root" })?;
        let before = Columns(&row).root()?;
        if before.root.kind != RootKind::Repository {
            return Err(RegistryError::invalid(
                format!("`{}` is no repository.", before.root.path.display()),
                "Choose a branch for a repository.",
            ));
        }
        if before.base.as_ref() != base {
            execute!(
                *write.transaction,
                "UPDATE roots SET base = ? WHERE id = ?",
                base.map(|it| it.as_bytes().to_vec()),
                key(id.uuid())
            )?;
            let about = About {
                host: Some(before.root.host),
                workspace: None,
                path: Some(&before.root.path),
            };
            let base = base.map(RefName::display);
            write
                .note(now, Actor::Person, about, &JournalKind::BaseChosen { base })
                .await?;
            write.changed.roots = true;
        }
        write.commit().await
    }
}

/// Whether a name is the full one of a branch, by the rules of git as far as scripts have to rely on them.
fn is_branch(name: &RefName) -> bool {
    let bytes = name.as_bytes();
    let rest = [b"refs/heads/".as_slice(), b"refs/remotes/"]
        .iter()
        .find_map(|space| bytes.strip_prefix(*space));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest
                .iter()
                .any(|byte| byte.is_ascii_control() || b" ~^:?*[\\()".contains(byte))
    })
}
