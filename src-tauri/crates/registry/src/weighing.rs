//! What verdicts about rows follow from, read for many of them at once.

use std::collections::HashMap;

use jiff::Timestamp;
use rollcall_converge::{
    Generation, HostId, HostPath, Look, Merged, RootId, Size, Verdict, Weighed, WorkspaceId,
    WorkspaceKind, verdict,
};
use sqlx::{QueryBuilder, Sqlite};

use crate::error::{RegistryError, Translate as _};
use crate::looks::still;
use crate::records::{Columns, WorkspaceRecord, from_json, key};
use crate::store::{Registry, fetch_all};

/// Rows whose looks are asked for in one statement.
const TOGETHER: usize = 500;

/// What verdicts about some rows follow from.
#[derive(Clone, Debug, Default)]
pub struct Weighing {
    looks: HashMap<WorkspaceId, (Timestamp, Look)>,
    /// How large rows were, with the generations that were measured.
    sizes: HashMap<WorkspaceId, (Option<Generation>, Size)>,
    /// Repositories that borrow objects, by whom they borrow from.
    lent: HashMap<(HostId, HostPath), Vec<HostPath>>,
    /// Linked worktrees of each root, with whether a deletion of each is pending.
    worktrees: HashMap<RootId, Vec<(HostPath, bool)>>,
}

impl Weighing {
    /// When a row was looked at in depth, and what was seen.
    pub fn look(&self, id: WorkspaceId) -> Option<&(Timestamp, Look)> {
        self.looks.get(&id)
    }

    /// How large a row is, if it was measured.
    pub fn size(&self, record: &WorkspaceRecord) -> Option<Size> {
        let (of, size) = self.sizes.get(&record.row.id)?;
        (*of == record.row.state.generation).then_some(*size)
    }

    /// Whether the HEAD of a row is merged, if that was seen of it and neither commit moved since; see
    /// [`crate::Seen::merged`].
    pub fn merged(&self, record: &WorkspaceRecord) -> Option<&Merged> {
        let state = &record.row.state;
        let (_, look) = self.looks.get(&record.row.id)?;
        let base = state.facts.as_ref()?.distance.as_ref()?.commit.as_str();
        let merged = still(&look.deep.merged, state.existence.head.commit(), Some(base));
        merged.filter(|_| look.generation == state.generation)
    }

    /// Weighs what is known of a row.
    pub fn verdict(&self, record: &WorkspaceRecord) -> Verdict {
        let state = &record.row.state;
        let repository = record.row.kind == WorkspaceKind::Repository;
        let lent = state.existence.common_dir.as_ref().filter(|_| repository);
        let lent = lent.and_then(|common| {
            let objects = HostPath::new([common.as_bytes(), b"/objects"].concat());
            self.lent.get(&(record.host, objects))
        });
        let worktrees = self.worktrees.get(&state.root).filter(|_| repository);
        verdict(&Weighed {
            row: &record.row,
            look: self.look(record.row.id).map(|(_, look)| look),
            pinned: record.pinned,
            lent_to: lent.map(Vec::as_slice).unwrap_or_default(),
            worktrees: worktrees.map(Vec::as_slice).unwrap_or_default(),
        })
    }
}

impl Registry {
    /// Reads what verdicts about some rows follow from.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn weighing(&self, records: &[WorkspaceRecord]) -> Result<Weighing, RegistryError> {
        let mut weighing = Weighing::default();
        let mut read = self.read().await?;
        for part in records.chunks(TOGETHER) {
            let mut select = QueryBuilder::<Sqlite>::new(
                "SELECT workspace_id, looked_at, look, size FROM looks WHERE workspace_id IN (",
            );
            let mut ids = select.separated(", ");
            for record in part {
                ids.push_bind(key(record.row.id.uuid()));
            }
            select.push(")");
            for row in select.build().fetch_all(&mut *read).await.told()? {
                let row = Columns(&row);
                let id = WorkspaceId::new(row.id("workspace_id")?);
                if let Some(look) = row.text_or_none("look")? {
                    let look = from_json(&look, "look at a workspace")?;
                    weighing.looks.insert(id, (row.time("looked_at")?, look));
                }
                if let Some(size) = row.text_or_none("size")? {
                    let size = from_json(&size, "size of a workspace")?;
                    weighing.sizes.insert(id, size);
                }
            }
        }
        if records
            .iter()
            .all(|it| it.row.kind != WorkspaceKind::Repository)
        {
            return Ok(weighing);
        }
        let borrowers = fetch_all!(
            *read,
            "SELECT host_id, path, json_extract(facts, '$.it.traits.borrows') AS borrows FROM live_workspaces \
             WHERE kind = 'repository' AND instr(facts, '\"borrows\":[\"') > 0"
        )?;
        for row in &borrowers {
            let row = Columns(row);
            let from: Vec<HostPath> =
                from_json(&row.text("borrows")?, "list of what a repository borrows")?;
            let (host, path) = (HostId::new(row.id("host_id")?), row.path("path")?);
            for objects in from {
                weighing
                    .lent
                    .entry((host, objects))
                    .or_default()
                    .push(path.clone());
            }
        }
        let worktrees = fetch_all!(
            *read,
            "SELECT w.root_id, w.path, t.workspace_id IS NOT NULL AS goes FROM live_workspaces w \
             LEFT JOIN tombstones t ON t.workspace_id = w.id WHERE w.kind = 'worktree' AND w.presence <> 'missing'"
        )?;
        for row in &worktrees {
            let row = Columns(row);
            let root = RootId::new(row.id("root_id")?);
            let worktree = (row.path("path")?, row.flag("goes")?);
            weighing.worktrees.entry(root).or_default().push(worktree);
        }
        Ok(weighing)
    }
}
