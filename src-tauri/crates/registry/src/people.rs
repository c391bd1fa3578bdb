//! Verbs with which people say something about a workspace. They touch no observation (I4).

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use rollcall_converge::{WorkspaceId, inert};

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind, Verb};
use crate::records::{Colour, Columns, WorkspaceRecord, key, nanos, select_workspaces};
use crate::store::{Changed, Registry, Write, execute, fetch_optional};

/// Bytes of a note.
const NOTE_LIMIT: usize = 65_536;
/// Tags of one workspace.
const TAGS_LIMIT: usize = 50;
/// Characters of a tag.
const TAG_LIMIT: usize = 64;
/// Characters of a display name.
const NAME_LIMIT: usize = 200;
/// Bytes of a link.
const LINK_LIMIT: usize = 2_048;
/// How long one line of the journal stands for further writing about the same workspace.
const WRITING: SignedDuration = SignedDuration::from_mins(10);

/// What to write about a workspace; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotationPatch {
    /// The note, at most 65,536 bytes. One of white space only is none.
    pub note: Option<String>,
    /// All tags, at most 50 of at most 64 characters. They are trimmed; of those that differ in case only the
    /// first counts.
    pub tags: Option<Vec<String>>,
    /// Whether it is pinned.
    pub pinned: Option<bool>,
    /// What to call it, at most 200 characters, or `Some(None)` to call it by its folder again.
    pub display_name: Option<Option<String>>,
    /// The colour that marks it, or `Some(None)` for none.
    pub colour: Option<Option<Colour>>,
    /// Where on the web it belongs: an address with `https` or `http`, or `Some(None)` for nowhere.
    pub link: Option<Option<String>>,
}

impl Write {
    pub(crate) async fn workspace(
        &mut self,
        id: WorkspaceId,
    ) -> Result<WorkspaceRecord, RegistryError> {
        let row = fetch_optional!(
            *self.transaction,
            select_workspaces!("WHERE w.id = ?"),
            key(id.uuid())
        )?
        .ok_or(RegistryError::NotFound {
            what: "The workspace",
        })?;
        Columns(&row).workspace()
    }

    pub(crate) async fn touched(&mut self, id: WorkspaceId) -> Result<(), RegistryError> {
        execute!(
            *self.transaction,
            "UPDATE workspaces SET revision = ? WHERE id = ?",
            self.next,
            key(id.uuid())
        )?;
        if self.changed.workspaces.last() != Some(&id) {
            self.changed.workspaces.push(id);
        }
        Ok(())
    }

    pub(crate) async fn person_did(
        &mut self,
        record: &WorkspaceRecord,
        kind: &JournalKind,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let about = About {
            host: Some(record.host),
            workspace: Some(record.row.id),
            path: Some(&record.row.state.path),
        };
        self.note(now, Actor::Person, about, kind).await
    }

    /// Writes everything a person says about a workspace, if it differs from what was said before.
    pub(crate) async fn write_annotations(
        &mut self,
        before: &WorkspaceRecord,
        after: &WorkspaceRecord,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        if after == before {
            return Ok(());
        }
        let id = before.row.id;
        execute!(
            *self.transaction,
            "INSERT INTO annotations (workspace_id, note, display_name, pinned, group_id, position, colour, \
             link, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (workspace_id) \
             DO UPDATE SET note = ?2, display_name = ?3, pinned = ?4, group_id = ?5, position = ?6, \
             colour = ?7, link = ?8, changed_at = ?9",
            key(id.uuid()),
            after.note.clone(),
            after.display_name.clone(),
            i64::from(after.pinned),
            after.group.map(|group| key(group.uuid())),
            after.position,
            after.colour.map(Colour::name),
            after.link.clone(),
            nanos(now)
        )?;
        if after.tags != before.tags {
            execute!(
                *self.transaction,
                "DELETE FROM tags WHERE workspace_id = ?",
                key(id.uuid())
            )?;
            for (position, tag) in (0_i64..).zip(&after.tags) {
                execute!(
                    *self.transaction,
                    "INSERT INTO tags (workspace_id, tag, position) VALUES (?, ?, ?)",
                    key(id.uuid()),
                    tag.clone(),
                    position
                )?;
            }
        }
        if !self.being_written(id, now).await? {
            self.person_did(before, &JournalKind::Annotated, now)
                .await?;
        }
        self.touched(id).await
    }

    /// Writes what a patch of a person says, if it says anything new.
    async fn patch(
        &mut self,
        id: WorkspaceId,
        patch: &AnnotationPatch,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let before = self.workspace(id).await?;
        let mut after = before.clone();
        if let Some(note) = &patch.note {
            after.note = checked_note(note)?;
        }
        if let Some(tags) = &patch.tags {
            after.tags = checked_tags(tags)?;
        }
        if let Some(name) = &patch.display_name {
            after.display_name = name.as_deref().map(checked_name).transpose()?.flatten();
        }
        if let Some(link) = &patch.link {
            after.link = link.as_deref().map(checked_link).transpose()?.flatten();
        }
        after.pinned = patch.pinned.unwrap_or(after.pinned);
        after.colour = patch.colour.unwrap_or(after.colour);
        self.write_annotations(&before, &after, now).await
    }

    async fn set_untracked(
        &mut self,
        id: WorkspaceId,
        untracked: bool,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let record = self.workspace(id).await?;
        if untracked && record.row.tombstone.is_some() {
            return Err(RegistryError::DeletionPending {
                path: record.row.state.path.display(),
            });
        }
        if record.row.untracked == untracked {
            return Ok(());
        }
        // The question whether it is gone is one less, or one more.
        self.changed.hosts |= record.row.state.unconfirmed.is_some();
        execute!(
            *self.transaction,
            "UPDATE workspaces SET untracked_at = ? WHERE id = ?",
            untracked.then(|| nanos(now)),
            key(id.uuid())
        )?;
        let kind = if untracked {
            JournalKind::Untracked
        } else {
            JournalKind::Retracked
        };
        self.person_did(&record, &kind, now).await?;
        self.touched(id).await
    }

    /// Whether the newest line about a workspace says that somebody is writing about it.
    async fn being_written(
        &mut self,
        id: WorkspaceId,
        now: Timestamp,
    ) -> Result<bool, RegistryError> {
        let newest = fetch_optional!(
            *self.transaction,
            "SELECT at, kind FROM journal WHERE workspace_id = ? ORDER BY number DESC LIMIT 1",
            key(id.uuid())
        )?;
        let Some(row) = newest else { return Ok(false) };
        let columns = Columns(&row);
        let age = now.duration_since(columns.time("at")?);
        Ok(columns.text("kind")? == "annotated" && !age.is_negative() && age < WRITING)
    }
}

impl Registry {
    /// Notes that a person had a host do something with a workspace: roll calls put together before conclude nothing about
    /// it (I10), and what was made here stays until a person decides (I5).
    ///
    /// # Errors
    /// [`RegistryError::NotFound`]; if the registry cannot be written.
    pub async fn did(
        &self,
        id: WorkspaceId,
        verb: Verb,
        words: &str,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let record = write.workspace(id).await?;
        let words = inert(words.as_bytes());
        let kind = JournalKind::Done { verb, words };
        write.person_did(&record, &kind, now).await?;
        if verb == Verb::Create {
            execute!(
                *write.transaction,
                "UPDATE workspaces SET made_here = 1 WHERE id = ?",
                key(id.uuid())
            )?;
        }
        write.touched_on_host(id).await?;
        write.commit().await
    }

    /// Writes what people want to remember about a workspace, all of the patch or nothing.
    ///
    /// # Errors
    /// As [`Registry::annotate_all`].
    pub async fn annotate(
        &self,
        id: WorkspaceId,
        patch: &AnnotationPatch,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write.patch(id, patch, now).await?;
        write.commit().await
    }

    /// Writes what people want to remember about several workspaces, all of it or nothing.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`]; [`RegistryError::InvalidInput`] where a field is beyond its limits. Nothing is
    /// changed then.
    pub async fn annotate_all(
        &self,
        patches: &[(WorkspaceId, AnnotationPatch)],
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        for (id, patch) in patches {
            write.patch(*id, patch, now).await?;
        }
        write.commit().await
    }

    /// Tells the mirror to stop showing a workspace. Its host is not touched, and no roll call shows this
    /// generation again (I6). Once is enough.
    ///
    /// # Errors
    /// As [`Registry::untrack_all`].
    pub async fn untrack(&self, id: WorkspaceId, now: Timestamp) -> Result<Changed, RegistryError> {
        self.untrack_all(&[id], now).await
    }

    /// Tells the mirror to stop showing workspaces, all of them or none; see [`Registry::untrack`].
    ///
    /// # Errors
    /// [`RegistryError::DeletionPending`] for one that is being deleted: [`Registry::release`] does both.
    /// [`RegistryError::NotFound`]. Nothing is changed then.
    pub async fn untrack_all(
        &self,
        ids: &[WorkspaceId],
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        self.set_untracked(ids, true, now).await
    }

    /// Tells the mirror to show a workspace again. What it says about it is as old as the untracking; call the
    /// roll afterwards.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn retrack(&self, id: WorkspaceId, now: Timestamp) -> Result<Changed, RegistryError> {
        self.retrack_all(&[id], now).await
    }

    /// Tells the mirror to show workspaces again, all of them or none; see [`Registry::retrack`].
    ///
    /// # Errors
    /// [`RegistryError::NotFound`]. Nothing is changed then.
    pub async fn retrack_all(
        &self,
        ids: &[WorkspaceId],
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        self.set_untracked(ids, false, now).await
    }

    async fn set_untracked(
        &self,
        ids: &[WorkspaceId],
        untracked: bool,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        for id in ids {
            write.set_untracked(*id, untracked, now).await?;
        }
        write.commit().await
    }
}

pub(crate) fn checked_note(note: &str) -> Result<String, RegistryError> {
    if note.len() > NOTE_LIMIT {
        return Err(RegistryError::invalid(
            format!("The note has {} bytes, more than {NOTE_LIMIT}.", note.len()),
            "Keep the long text in a file and note where it is.",
        ));
    }
    Ok(if note.trim().is_empty() {
        String::new()
    } else {
        note.to_owned()
    })
}

pub(crate) fn checked_tags(tags: &[String]) -> Result<Vec<String>, RegistryError> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for tag in tags
        .iter()
        .map(|tag| tag.trim())
        .filter(|tag| !tag.is_empty())
    {
        let shown: String = tag.chars().take(TAG_LIMIT).collect();
        if tag.chars().count() > TAG_LIMIT {
            return Err(RegistryError::invalid(
                format!(
                    "The tag `{}…` has more than {TAG_LIMIT} characters.",
                    inert(shown.as_bytes())
                ),
                "Choose a shorter tag.",
            ));
        }
        if tag.chars().any(char::is_control) {
            return Err(RegistryError::invalid(
                format!(
                    "The tag `{}` has control characters.",
                    inert(shown.as_bytes())
                ),
                "Leave out line breaks and other control characters.",
            ));
        }
        if seen.insert(tag.to_lowercase()) {
            kept.push(tag.to_owned());
        }
    }
    if kept.len() > TAGS_LIMIT {
        return Err(RegistryError::invalid(
            format!("{} tags are more than {TAGS_LIMIT}.", kept.len()),
            "Leave some out.",
        ));
    }
    Ok(kept)
}

pub(crate) fn checked_name(name: &str) -> Result<Option<String>, RegistryError> {
    let name = name.trim();
    if name.chars().count() > NAME_LIMIT {
        return Err(RegistryError::invalid(
            format!("The name has more than {NAME_LIMIT} characters."),
            "Choose a shorter name.",
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(RegistryError::invalid(
            format!(
                "The name `{}` has control characters.",
                inert(name.as_bytes())
            ),
            "Leave out line breaks and other control characters.",
        ));
    }
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

/// An address of the web as a person gives it, trimmed; `None` for one that is empty. It may be opened in a browser:
/// nothing that a browser would run or a desktop would start is one.
///
/// # Errors
/// [`RegistryError::InvalidInput`] for what does not begin with `https://` or `http://`, has white space or control
/// characters, or more than 2,048 bytes.
pub fn checked_link(link: &str) -> Result<Option<String>, RegistryError> {
    let link = link.trim();
    if link.is_empty() {
        return Ok(None);
    }
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let start = link.get(..scheme.len())?;
        start
            .eq_ignore_ascii_case(scheme)
            .then(|| link.get(scheme.len()..))?
    });
    let plain = link.len() <= LINK_LIMIT
        && !link.chars().any(|it| it.is_control() || it.is_whitespace())
        && rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    if !plain {
        let shown: String = link.chars().take(NAME_LIMIT).collect();
        return Err(RegistryError::invalid(
            format!("`{}` is no address on the web.", inert(shown.as_bytes())),
            "Give one that begins with `https://`.",
        ));
    }
    Ok(Some(link.to_owned()))
}
