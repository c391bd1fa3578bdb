//! The verb of roll calls. It touches nothing that people wrote (I4).

use std::collections::HashMap;

use jiff::Timestamp;
use rollcall_converge::{
    Change, Event, HostId, HostPath, MirrorRoot, MirrorRow, Provenance, RollCall, RootChange,
    RootId, RootRequest, RowState, Snapshot, Tier, WorkspaceId, WorkspaceKind, plan,
};
use uuid::Uuid;

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::records::{
    Columns, HostRecord, RootRecord, generation_columns, json, key, nanos, observation,
    presence_columns, provenance, roots, select_roots, select_workspaces, workspace_kind,
    workspaces,
};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_scalar};

/// What one snapshot did to the mirror.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// What changed.
    pub changed: Changed,
    /// New rows.
    pub adopted: usize,
    /// Rows with a new state.
    pub refreshed: usize,
    /// Rows that were forgotten because their host says they are gone.
    pub dropped: usize,
    /// What went into the journal, in its order. Rows that went missing, moved and so on are counted from here.
    pub events: Vec<Event>,
}

impl Registry {
    /// The roll call to make of a host: its roots, each with the paths of its tracked rows.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] for the host.
    pub async fn roll_call(&self, host: HostId, tier: Tier) -> Result<RollCall, RegistryError> {
        let mut read = self.read().await?;
        let there: i64 = fetch_scalar!(
            *read,
            "SELECT count(*) FROM hosts WHERE id = ?",
            key(host.uuid())
        )?;
        if there == 0 {
            return Err(RegistryError::NotFound { what: "The host" });
        }
        let mut known: HashMap<RootId, Vec<HostPath>> = HashMap::new();
        let paths = fetch_all!(
            *read,
            "SELECT DISTINCT root_id, path FROM workspaces \
             WHERE host_id = ? AND untracked_at IS NULL ORDER BY root_id, path",
            key(host.uuid())
        )?;
        for row in &paths {
            let columns = Columns(row);
            let root = RootId::new(columns.id("root_id")?);
            known.entry(root).or_default().push(columns.path("path")?);
        }
        let roots = roots(&fetch_all!(
            *read,
            select_roots!("WHERE host_id = ? ORDER BY created_at, id"),
            key(host.uuid())
        )?)?;
        Ok(RollCall {
            host,
            tier,
            roots: roots
                .into_iter()
                .map(|record| RootRequest {
                    known: known.remove(&record.root.id).unwrap_or_default(),
                    root: record.root,
                })
                .collect(),
        })
    }

    /// Takes up a snapshot: reads the rows of its host, plans and writes, all of the plan or nothing. The same
    /// snapshot again changes nothing.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] if its host was forgotten meanwhile.
    pub async fn apply(
        &self,
        snapshot: &Snapshot,
        now: Timestamp,
    ) -> Result<Applied, RegistryError> {
        let host = snapshot.host();
        let mut write = self.write().await?;
        let record = write.host(host).await?;
        let rows: Vec<MirrorRow> = workspaces(&fetch_all!(
            *write.transaction,
            select_workspaces!("WHERE w.host_id = ? ORDER BY w.id"),
            key(host.uuid())
        )?)?
        .into_iter()
        .map(|record| record.row)
        .collect();
        let roots = roots(&fetch_all!(
            *write.transaction,
            select_roots!("WHERE host_id = ? ORDER BY created_at, id"),
            key(host.uuid())
        )?)?;
        let mirror: Vec<MirrorRoot> = roots.iter().map(RootRecord::mirror).collect();
        let plan = plan(&rows, &mirror, snapshot, now);

        let mut applied = Applied::default();
        // Rows that go make room before rows that come.
        for change in &plan.changes {
            if let Change::Drop { id } = change {
                write.remove_workspace(*id).await?;
                applied.dropped += 1;
            }
        }
        let mut adopted: HashMap<&HostPath, WorkspaceId> = HashMap::new();
        for change in &plan.changes {
            match change {
                Change::Drop { .. } => {}
                Change::Refresh { id, state } => {
                    write.refresh(*id, state).await?;
                    applied.refreshed += 1;
                }
                Change::Adopt {
                    kind,
                    provenance,
                    state,
                } => {
                    let id = write.adopt(host, *kind, *provenance, state, now).await?;
                    adopted.insert(&state.path, id);
                    applied.adopted += 1;
                }
            }
        }
        for change in &plan.roots {
            if let Some(before) = roots.iter().find(|record| record.root.id == change.id) {
                write.root_answered(before, change).await?;
            }
        }
        write.host_answered(&record, snapshot).await?;
        for event in &plan.events {
            let (workspace, path) = match event {
                Event::Adopted { path } => (adopted.get(path).copied(), path),
                Event::Moved { id, to, .. } => (Some(*id), to),
                Event::Recreated { id, path }
                | Event::WentMissing { id, path }
                | Event::Returned { id, path }
                | Event::Dropped { id, path } => (Some(*id), path),
            };
            let about = About {
                host,
                workspace,
                path: Some(path),
            };
            write
                .note(
                    now,
                    Actor::RollCall,
                    about,
                    &JournalKind::Observed(event.clone()),
                )
                .await?;
        }
        applied.changed = write.commit().await?;
        applied.events = plan.events;
        Ok(applied)
    }
}

impl Write {
    async fn adopt(
        &mut self,
        host: HostId,
        kind: WorkspaceKind,
        from: Provenance,
        state: &RowState,
        now: Timestamp,
    ) -> Result<WorkspaceId, RegistryError> {
        let id = WorkspaceId::new(Uuid::now_v7());
        let (inode, origin, seconds, nanoseconds) = generation_columns(state.generation);
        let (presence, reason, since) = presence_columns(&state.presence);
        execute!(
            *self.transaction,
            "INSERT INTO workspaces (id, host_id, root_id, kind, provenance, path, generation_inode, \
             generation_origin, generation_seconds, generation_nanos, mount, presence, presence_reason, \
             missing_since, existence, facts, facts_unknown, facts_as_of, recreated, revision, created_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            key(id.uuid()),
            key(host.uuid()),
            key(state.root.uuid()),
            workspace_kind(kind),
            provenance(from),
            state.path.as_bytes().to_vec(),
            inode,
            origin,
            seconds,
            nanoseconds,
            state.mount.as_ref().map(|mount| mount.as_bytes().to_vec()),
            presence,
            reason,
            since,
            observation(&state.existence)?,
            state.facts.as_ref().map(observation).transpose()?,
            state.facts_unknown.clone(),
            state.facts_as_of.map(nanos),
            i64::from(state.recreated),
            self.next,
            nanos(now)
        )?;
        self.changed.workspaces.push(id);
        Ok(id)
    }

    async fn refresh(&mut self, id: WorkspaceId, state: &RowState) -> Result<(), RegistryError> {
        let (inode, origin, seconds, nanoseconds) = generation_columns(state.generation);
        let (presence, reason, since) = presence_columns(&state.presence);
        execute!(
            *self.transaction,
            "UPDATE workspaces SET root_id = ?, path = ?, generation_inode = ?, generation_origin = ?, \
             generation_seconds = ?, generation_nanos = ?, mount = ?, presence = ?, presence_reason = ?, \
             missing_since = ?, existence = ?, facts = ?, facts_unknown = ?, facts_as_of = ?, \
             recreated = ?, revision = ? WHERE id = ?",
            key(state.root.uuid()),
            state.path.as_bytes().to_vec(),
            inode,
            origin,
            seconds,
            nanoseconds,
            state.mount.as_ref().map(|mount| mount.as_bytes().to_vec()),
            presence,
            reason,
            since,
            observation(&state.existence)?,
            state.facts.as_ref().map(observation).transpose()?,
            state.facts_unknown.clone(),
            state.facts_as_of.map(nanos),
            i64::from(state.recreated),
            self.next,
            key(id.uuid())
        )?;
        self.changed.workspaces.push(id);
        Ok(())
    }

    async fn root_answered(
        &mut self,
        before: &RootRecord,
        change: &RootChange,
    ) -> Result<(), RegistryError> {
        let mut after = before.clone();
        after.condition = Some(change.condition.clone());
        after.asserted_at = change.asserted_at.or(after.asserted_at);
        after.facts_at = change.facts_at.or(after.facts_at);
        after.root.mount = change.mount.clone().or(after.root.mount);
        after.notes.clone_from(&change.notes);
        if after == *before {
            return Ok(());
        }
        if let Some(seen) = before
            .facts_at
            .filter(|_| after.facts_at != before.facts_at)
        {
            self.keep_age_of_untracked(before.root.id, seen).await?;
        }
        execute!(
            *self.transaction,
            "UPDATE roots SET condition = ?, asserted_at = ?, facts_at = ?, mount = ?, notes = ? WHERE id = ?",
            json(&after.condition)?,
            after.asserted_at.map(nanos),
            after.facts_at.map(nanos),
            after
                .root
                .mount
                .as_ref()
                .map(|mount| mount.as_bytes().to_vec()),
            json(&after.notes)?,
            key(change.id.uuid())
        )?;
        self.changed.roots = true;
        Ok(())
    }

    /// Roll calls pass untracked rows over, so their facts stay as old as they are while the root's grow younger.
    async fn keep_age_of_untracked(
        &mut self,
        root: RootId,
        seen: Timestamp,
    ) -> Result<(), RegistryError> {
        let rows = fetch_all!(
            *self.transaction,
            "UPDATE workspaces SET facts_as_of = ?, revision = ? WHERE root_id = ? \
             AND untracked_at IS NOT NULL AND facts IS NOT NULL AND facts_as_of IS NULL RETURNING id",
            nanos(seen),
            self.next,
            key(root.uuid())
        )?;
        for row in &rows {
            self.changed
                .workspaces
                .push(WorkspaceId::new(Columns(row).id("id")?));
        }
        Ok(())
    }

    async fn host_answered(
        &mut self,
        before: &HostRecord,
        snapshot: &Snapshot,
    ) -> Result<(), RegistryError> {
        let said = snapshot.host_facts();
        let told = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let mut after = before.clone();
        after.answered_at = Some(snapshot.begun_at());
        after.system = told(&said.system).or(after.system);
        after.git_version = told(&said.git_version).or(after.git_version);
        if after == *before {
            return Ok(());
        }
        execute!(
            *self.transaction,
            "UPDATE hosts SET answered_at = ?, system = ?, git_version = ? WHERE id = ?",
            after.answered_at.map(nanos),
            after.system,
            after.git_version,
            key(before.host.id.uuid())
        )?;
        self.changed.hosts = true;
        Ok(())
    }
}
