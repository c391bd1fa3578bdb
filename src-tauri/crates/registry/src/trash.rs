//! What rests in the trash of hosts. Roll calls write what it is; what people had written about it waits there for it to
//! be restored.

use std::collections::HashMap;

use jiff::Timestamp;
use rollcall_converge::{Generation, HostId, HostPath, Snapshot, TrashStage, Trashed, WorkspaceId};

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::portable::Said;
use crate::records::{Columns, WorkspaceRecord, from_json, json, key, nanos, observation};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_scalar};

/// Something in the trash of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrashRecord {
    /// The host it rests on.
    pub host: HostId,
    /// What its manifest tells.
    pub trashed: Trashed,
    /// The row it was, if it was one here.
    pub workspace: Option<WorkspaceId>,
    /// The note that comes back with it; empty where there is none.
    pub note: String,
    /// What people called it.
    pub display_name: Option<String>,
    /// When a person was first shown that its days are over.
    pub shown_due_at: Option<Timestamp>,
    /// When a roll call saw it first.
    pub seen_at: Timestamp,
}

fn about(record: &TrashRecord) -> About<'_> {
    About {
        host: Some(record.host),
        workspace: record.workspace,
        path: Some(&record.trashed.from),
    }
}

impl Columns<'_> {
    fn trashed(&self) -> Result<TrashRecord, RegistryError> {
        let said: Option<Said> = self
            .text_or_none("annotations")?
            .map(|text| from_json(&text, "note about something in the trash"))
            .transpose()?;
        let (note, display_name) =
            said.map_or((String::new(), None), |said| (said.note, said.display_name));
        Ok(TrashRecord {
            host: HostId::new(self.id("host_id")?),
            trashed: crate::records::observed(&self.text("told")?)
                .ok_or_else(|| RegistryError::damaged("a record of the trash cannot be read"))?,
            workspace: self.id_or_none("workspace_id")?.map(WorkspaceId::new),
            note,
            display_name,
            shown_due_at: self.time_or_none("shown_due_at")?,
            seen_at: self.time("seen_at")?,
        })
    }
}

/// Whether two records of the trash say the same to people: the host's clock goes on by itself.
fn same(one: &Trashed, other: &Trashed) -> bool {
    one.days_left() == other.days_left()
        && *one
            == Trashed {
                host_time: one.host_time,
                ..other.clone()
            }
}

/// Whether something was seen in the trash before it was restored from there. What is deleted again is deleted later.
fn is_overtaken(told: &Trashed, known: &Trashed) -> bool {
    known.id == told.id
        && known.stage == TrashStage::Restored
        && told.stage != TrashStage::Restored
        && told.deleted_at <= known.deleted_at
}

impl Write {
    pub(crate) async fn trash_of(
        &mut self,
        host: HostId,
    ) -> Result<Vec<TrashRecord>, RegistryError> {
        fetch_all!(
            *self.transaction,
            "SELECT * FROM trash WHERE host_id = ? ORDER BY place",
            key(host.uuid())
        )?
        .iter()
        .map(|row| Columns(row).trashed())
        .collect()
    }

    /// Takes up what a roll call says about the trash of its host. `gone` are the rows that it says are gone.
    pub(crate) async fn trash_answered(
        &mut self,
        snapshot: &Snapshot,
        known: &[TrashRecord],
        gone: &[WorkspaceRecord],
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let host = snapshot.host();
        let of_generation: HashMap<Generation, &WorkspaceRecord> = gone
            .iter()
            .filter_map(|record| Some((record.row.state.generation?, record)))
            .collect();
        for trashed in snapshot.trash() {
            let before = known.iter().find(|it| it.trashed.place == trashed.place);
            let row = trashed
                .generation
                .filter(|_| trashed.stage != TrashStage::Restored)
                .and_then(|it| of_generation.get(&it));
            if row.is_none() && before.is_some_and(|it| same(&it.trashed, trashed)) {
                continue;
            }
            // What was restored is so for good: this was seen before that, by a roll call that took longer (E13).
            if before.is_some_and(|it| is_overtaken(trashed, &it.trashed)) {
                continue;
            }
            let said = row.filter(|it| it.row.annotated).map(|it| Said::of(it));
            execute!(
                *self.transaction,
                "INSERT INTO trash (host_id, place, told, workspace_id, annotations, seen_at) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (host_id, place) DO UPDATE SET told = ?3, \
                 workspace_id = coalesce(?4, workspace_id), annotations = coalesce(?5, annotations)",
                key(host.uuid()),
                trashed.place.as_bytes().to_vec(),
                observation(trashed)?,
                row.map(|it| key(it.row.id.uuid())),
                said.map(|said| json(&said)).transpose()?,
                nanos(now)
            )?;
            self.changed.trash = true;
        }
        for place in snapshot.emptied() {
            self.forget_trash(host, place).await?;
        }
        Ok(())
    }

    async fn forget_trash(&mut self, host: HostId, place: &HostPath) -> Result<(), RegistryError> {
        execute!(
            *self.transaction,
            "DELETE FROM trash WHERE host_id = ? AND place = ?",
            key(host.uuid()),
            place.as_bytes().to_vec()
        )?;
        self.changed.trash = true;
        Ok(())
    }

    /// Gives a row that came back from the trash what people had written about it.
    pub(crate) async fn give_back(
        &mut self,
        host: HostId,
        id: WorkspaceId,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let rows = fetch_all!(
            *self.transaction,
            "SELECT place, annotations FROM trash WHERE host_id = ? AND workspace_id = ?",
            key(host.uuid()),
            key(id.uuid())
        )?;
        for row in &rows {
            let row = Columns(row);
            if let Some(text) = row.text_or_none("annotations")? {
                let mut said: Said = from_json(&text, "note about something in the trash")?;
                if let Some(group) = said.group {
                    let there: i64 = fetch_scalar!(
                        *self.transaction,
                        "SELECT count(*) FROM groups WHERE id = ?",
                        key(group.uuid())
                    )?;
                    said.group = Some(group).filter(|_| there > 0);
                }
                let before = self.workspace(id).await?;
                let after = crate::portable::merged(&before, said)?;
                self.write_annotations(&before, &after, now).await?;
            }
            execute!(
                *self.transaction,
                "UPDATE trash SET workspace_id = NULL, annotations = NULL WHERE host_id = ? AND place = ?",
                key(host.uuid()),
                row.path("place")?.as_bytes().to_vec()
            )?;
        }
        execute!(
            *self.transaction,
            "DELETE FROM removals WHERE workspace_id = ?",
            key(id.uuid())
        )?;
        self.changed.trash = true;
        Ok(())
    }
}

impl Registry {
    /// What rests in the trash of hosts that are shown, or of one, by the word of their last roll calls; what was restored
    /// is among it.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn trash(&self, host: Option<HostId>) -> Result<Vec<TrashRecord>, RegistryError> {
        let mut read = self.read().await?;
        let rows = match host {
            None => fetch_all!(
                *read,
                "SELECT t.* FROM trash t JOIN live_hosts h ON h.id = t.host_id ORDER BY t.host_id, t.place"
            )?,
            Some(host) => fetch_all!(
                *read,
                "SELECT * FROM trash WHERE host_id = ? ORDER BY place",
                key(host.uuid())
            )?,
        };
        rows.iter().map(|row| Columns(row).trashed()).collect()
    }

    /// Notes that a host brought something back from its trash. The next roll call takes it up.
    ///
    /// # Errors
    /// If the registry cannot be written.
    pub async fn restored(
        &self,
        record: &TrashRecord,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let kind = JournalKind::RestoredFromTrash;
        write.note(now, Actor::Person, about(record), &kind).await?;
        write.changed.trash = true;
        write.commit().await
    }

    /// Forgets something in the trash that its host has removed for good; `by` says who wanted that.
    ///
    /// # Errors
    /// If the registry cannot be written.
    pub async fn trash_emptied(
        &self,
        record: &TrashRecord,
        by: Actor,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write
            .note(now, by, about(record), &JournalKind::TrashEmptied)
            .await?;
        write
            .forget_trash(record.host, &record.trashed.place)
            .await?;
        write.commit().await
    }

    /// Notes that a person was shown what is due of the trash, the first time.
    ///
    /// # Errors
    /// If the registry cannot be written.
    pub async fn showed_due(&self, now: Timestamp) -> Result<Changed, RegistryError> {
        let due: Vec<TrashRecord> = self.trash(None).await?;
        let due = due
            .iter()
            .filter(|it| it.trashed.is_due() && it.shown_due_at.is_none());
        let mut write = self.write().await?;
        for record in due {
            execute!(
                *write.transaction,
                "UPDATE trash SET shown_due_at = ? WHERE host_id = ? AND place = ? AND shown_due_at IS NULL",
                nanos(now),
                key(record.host.uuid()),
                record.trashed.place.as_bytes().to_vec()
            )?;
            write.changed.trash = true;
        }
        write.commit().await
    }
}
