//! The verb of roll calls. It touches nothing that people wrote (I4).

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use rollcall_converge::{
    Change, Choice, Event, Generation, HostId, HostPath, Mirror, MirrorRoot, MirrorRow, Plan,
    Provenance, RollCall, RootChange, RootId, RootRequest, RowState, Snapshot, Tier, WorkspaceId,
    WorkspaceKind, plan,
};
use sqlx::{QueryBuilder, Sqlite};
use uuid::Uuid;

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::records::{
    Columns, HostRecord, RootRecord, WorkspaceRecord, count, generation_columns, json, key, nanos,
    observation, presence_columns, provenance, roots, select_roots, select_workspaces,
    workspace_kind, workspaces,
};
use crate::store::{Changed, Registry, TOGETHER, Write, execute, fetch_all, fetch_scalar};

/// A row to be taken up.
struct NewRow<'a> {
    id: WorkspaceId,
    kind: WorkspaceKind,
    provenance: Provenance,
    state: &'a RowState,
}

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
    /// The roll call to make of a host: its roots, each with the paths of its rows, hidden ones included.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] for the host.
    pub async fn roll_call(&self, host: HostId, tier: Tier) -> Result<RollCall, RegistryError> {
        let trash = self.trash(Some(host)).await?.into_iter();
        let trash = trash
            .map(|it| (it.trashed.place, it.trashed.mount))
            .collect();
        let mut read = self.read().await?;
        let there: i64 = fetch_scalar!(
            *read,
            "SELECT count(*) FROM live_hosts WHERE id = ?",
            key(host.uuid())
        )?;
        if there == 0 {
            return Err(RegistryError::NotFound { what: "The host" });
        }
        let mut known: HashMap<RootId, Vec<HostPath>> = HashMap::new();
        let paths = fetch_all!(
            *read,
            "SELECT DISTINCT root_id, path FROM workspaces WHERE host_id = ? ORDER BY root_id, path",
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
        let revision: i64 = fetch_scalar!(*read, "SELECT revision FROM meta")?;
        Ok(RollCall {
            host,
            tier,
            revision: count(revision),
            trash,
            roots: roots
                .into_iter()
                .map(|record| RootRequest {
                    base: record.base,
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
        let trash = write.trash_of(host).await?;
        // Rows that may come back from the trash: those that are there are not among them.
        let mut resting: HashMap<Generation, WorkspaceId> = trash
            .iter()
            .filter_map(|it| Some((it.trashed.generation?, it.workspace?)))
            .filter(|(generation, _)| generation.is_strong())
            .collect();
        if !resting.is_empty() {
            let there: HashSet<WorkspaceId> = rows.iter().map(|row| row.id).collect();
            resting.retain(|_, id| !there.contains(id));
        }
        let roots = roots(&fetch_all!(
            *write.transaction,
            select_roots!("WHERE host_id = ? ORDER BY created_at, id"),
            key(host.uuid())
        )?)?;
        let mirrored: Vec<MirrorRoot> = roots.iter().map(RootRecord::mirror).collect();
        let choices: Vec<Choice> = fetch_all!(
            *write.transaction,
            "SELECT * FROM choices WHERE host_id = ?",
            key(host.uuid())
        )?
        .iter()
        .map(|row| Columns(row).choice())
        .collect::<Result<_, _>>()?;
        let mirror = Mirror {
            machine: record.machine.as_deref(),
            roots: &mirrored,
            rows: &rows,
            choices: &choices,
        };
        let plan = plan(&mirror, snapshot, now);

        let mut applied = Applied::default();
        let deleted: HashSet<WorkspaceId> = plan
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Deleted { id, .. } => Some(*id),
                _ => None,
            })
            .collect();
        // Of what is there since this roll call, one put together before knows nothing, however late it ends.
        let arrived: HashSet<WorkspaceId> = plan
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Moved { id, .. }
                | Event::Recreated { id, .. }
                | Event::Returned { id, .. } => Some(*id),
                _ => None,
            })
            .collect();
        let mut gone = Vec::new();
        // Rows that go make room before rows that come.
        for change in &plan.changes {
            if let Change::Drop { id } = change {
                // Only what goes into the trash, or by a deletion, leaves something to do.
                if !snapshot.trash().is_empty() || deleted.contains(id) {
                    gone.push(write.workspace(*id).await?);
                }
                write.remove_workspace(*id).await?;
                applied.dropped += 1;
            }
        }
        let mut adopted: HashMap<&HostPath, WorkspaceId> = HashMap::new();
        let mut returned = Vec::new();
        let mut rows = Vec::new();
        for change in &plan.changes {
            match change {
                Change::Drop { .. } => {}
                Change::Lift { id } => write.lift(*id).await?,
                Change::Refresh { id, state } => {
                    write.refresh(*id, state, arrived.contains(id)).await?;
                    applied.refreshed += 1;
                }
                Change::Adopt {
                    kind,
                    provenance,
                    state,
                } => {
                    let back = state.generation.and_then(|it| resting.remove(&it));
                    returned.extend(back);
                    let id = back.unwrap_or_else(|| WorkspaceId::new(Uuid::now_v7()));
                    adopted.insert(&state.path, id);
                    rows.push(NewRow {
                        id,
                        kind: *kind,
                        provenance: *provenance,
                        state,
                    });
                    applied.adopted += 1;
                }
            }
        }
        write.adopt(host, &rows, now).await?;
        for id in returned {
            write.give_back(host, id, now).await?;
        }
        if plan.another_machine.is_none() {
            write.trash_answered(snapshot, &trash, &gone, now).await?;
        }
        for change in &plan.roots {
            if let Some(before) = roots.iter().find(|record| record.root.id == change.id) {
                write.root_answered(before, change).await?;
            }
        }
        write.release_deleted(&roots, &gone, &deleted).await?;
        let asked_before = record.machine_offered.is_some();
        write.host_answered(&record, snapshot, &plan).await?;
        applied.events = plan.events;
        // Said at every roll call, and told once.
        applied
            .events
            .retain(|event| !(asked_before && *event == Event::AnotherMachine));
        write.observed(host, &applied.events, &adopted, now).await?;
        applied.changed = write.commit().await?;
        Ok(applied)
    }
}

impl Write {
    /// Ends the roll call of roots that were deleted themselves, if nothing else is known of them.
    async fn release_deleted(
        &mut self,
        roots: &[RootRecord],
        gone: &[WorkspaceRecord],
        deleted: &HashSet<WorkspaceId>,
    ) -> Result<(), RegistryError> {
        for row in gone
            .iter()
            .map(|it| &it.row)
            .filter(|row| deleted.contains(&row.id))
        {
            let own = roots
                .iter()
                .map(|record| &record.root)
                .find(|root| root.id == row.state.root && root.path == row.state.path);
            let Some(root) = own else { continue };
            self.release_if_empty(root.id).await?;
        }
        Ok(())
    }

    /// Writes what a host's word did into the journal. Rows that are new are known by their paths.
    pub(crate) async fn observed(
        &mut self,
        host: HostId,
        events: &[Event],
        adopted: &HashMap<&HostPath, WorkspaceId>,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let mut lines = Vec::with_capacity(events.len());
        for event in events {
            let (workspace, path) = match event {
                Event::Adopted { path } => (adopted.get(path).copied(), Some(path)),
                Event::Moved { id, to, .. } => (Some(*id), Some(to)),
                Event::Recreated { id, path }
                | Event::WentMissing { id, path }
                | Event::Returned { id, path }
                | Event::Dropped { id, path }
                | Event::Deleted { id, path }
                | Event::Overtaken { id, path } => (Some(*id), Some(path)),
                Event::AbsenceHeld { .. } | Event::AnotherMachine => (None, None),
            };
            let about = About {
                host: Some(host),
                workspace,
                path,
            };
            lines.push((about, JournalKind::Observed(event.clone())));
        }
        self.note_all(now, Actor::RollCall, &lines).await
    }

    async fn adopt(
        &mut self,
        host: HostId,
        rows: &[NewRow<'_>],
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        for part in rows.chunks(TOGETHER) {
            let mut observations = Vec::with_capacity(part.len());
            for row in part {
                observations.push((
                    observation(&row.state.existence)?,
                    row.state.facts.as_ref().map(observation).transpose()?,
                ));
            }
            let mut insert = QueryBuilder::<Sqlite>::new(
                "INSERT INTO workspaces (id, host_id, root_id, kind, provenance, path, generation_inode, \
                 generation_origin, generation_seconds, generation_nanos, mount, presence, presence_reason, \
                 missing_since, existence, facts, facts_unknown, facts_as_of, recreated, revision, touched, created_at) ",
            );
            let next = self.next;
            insert.push_values(part.iter().zip(observations), |mut values, (row, told)| {
                let NewRow { id, state, .. } = row;
                let (inode, origin, seconds, nanoseconds) = generation_columns(state.generation);
                let (presence, reason, since) = presence_columns(&state.presence);
                values
                    .push_bind(key(id.uuid()))
                    .push_bind(key(host.uuid()))
                    .push_bind(key(state.root.uuid()))
                    .push_bind(workspace_kind(row.kind))
                    .push_bind(provenance(row.provenance))
                    .push_bind(state.path.as_bytes().to_vec())
                    .push_bind(inode)
                    .push_bind(origin)
                    .push_bind(seconds)
                    .push_bind(nanoseconds)
                    .push_bind(state.mount.as_ref().map(|mount| mount.as_bytes().to_vec()))
                    .push_bind(presence)
                    .push_bind(reason)
                    .push_bind(since)
                    .push_bind(told.0)
                    .push_bind(told.1)
                    .push_bind(state.facts_unknown.clone())
                    .push_bind(state.facts_as_of.map(nanos))
                    .push_bind(i64::from(state.recreated))
                    .push_bind(next)
                    .push_bind(next)
                    .push_bind(nanos(now));
            });
            insert
                .build()
                .execute(&mut *self.transaction)
                .await
                .told()?;
            self.changed
                .workspaces
                .extend(part.iter().map(|row| row.id));
        }
        Ok(())
    }

    pub(crate) async fn refresh(
        &mut self,
        id: WorkspaceId,
        state: &RowState,
        arrived: bool,
    ) -> Result<(), RegistryError> {
        let (inode, origin, seconds, nanoseconds) = generation_columns(state.generation);
        let (presence, reason, since) = presence_columns(&state.presence);
        execute!(
            *self.transaction,
            "UPDATE workspaces SET root_id = ?, path = ?, generation_inode = ?, generation_origin = ?, \
             generation_seconds = ?, generation_nanos = ?, mount = ?, presence = ?, presence_reason = ?, \
             missing_since = ?, existence = ?, facts = ?, facts_unknown = ?, facts_as_of = ?, \
             recreated = ?, unconfirmed_since = ?, revision = ?, \
             touched = CASE WHEN ? THEN ? ELSE touched END WHERE id = ?",
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
            state.unconfirmed.map(nanos),
            self.next,
            arrived,
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
        after.conflicts.clone_from(&change.conflicts);
        if after == *before {
            return Ok(());
        }
        execute!(
            *self.transaction,
            "UPDATE roots SET condition = ?, asserted_at = ?, facts_at = ?, mount = ?, notes = ?, conflicts = ? \
             WHERE id = ?",
            json(&after.condition)?,
            after.asserted_at.map(nanos),
            after.facts_at.map(nanos),
            after
                .root
                .mount
                .as_ref()
                .map(|mount| mount.as_bytes().to_vec()),
            json(&after.notes)?,
            json(&after.conflicts)?,
            key(change.id.uuid())
        )?;
        self.changed.roots = true;
        Ok(())
    }

    async fn host_answered(
        &mut self,
        before: &HostRecord,
        snapshot: &Snapshot,
        plan: &Plan,
    ) -> Result<(), RegistryError> {
        let said = snapshot.host_facts();
        let told = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let mut after = before.clone();
        after.machine_offered.clone_from(&plan.another_machine);
        if plan.another_machine.is_none() {
            after.answered_at = Some(snapshot.begun_at());
            after.machine = told(&said.machine).or(after.machine);
        }
        after.system = told(&said.system).or(after.system);
        after.git_version = told(&said.git_version).or(after.git_version);
        if after == *before {
            return Ok(());
        }
        execute!(
            *self.transaction,
            "UPDATE hosts SET answered_at = ?, system = ?, git_version = ?, machine = ?, machine_offered = ? \
             WHERE id = ?",
            after.answered_at.map(nanos),
            after.system,
            after.git_version,
            after.machine,
            after.machine_offered,
            key(before.host.id.uuid())
        )?;
        self.changed.hosts = true;
        Ok(())
    }
}
