//! What people wrote, as a file: to keep, to carry to another machine, to read without Rollcall.

use std::collections::HashMap;

use jiff::Timestamp;
use rollcall_converge::{Address, Generation, HostId, HostPath, WorkspaceKind, inert};
use serde::{Deserialize, Serialize};

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::people::{checked_link, checked_name, checked_note, checked_tags};
use crate::records::{
    Colour, HostRecord, WorkspaceRecord, hosts, select_hosts, select_workspaces, workspaces,
};
use crate::store::{Changed, Registry, Write, fetch_all};

/// What the file says it is.
const FORMAT: &str = "rollcall-annotations";
/// The newest form this version writes and reads.
const VERSION: u32 = 1;
/// Bytes of a file that are read at most.
pub const IMPORT_LIMIT: usize = 64 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    exported_at: Timestamp,
    hosts: Vec<PortableHost>,
    /// All groups, in their order. Files of versions before groups lay in one another have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<PortableGroup>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    views: Vec<PortableView>,
    workspaces: Vec<PortableWorkspace>,
}

#[derive(Serialize, Deserialize)]
struct PortableGroup {
    name: String,
    /// The name of the group it lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct PortableView {
    name: String,
    definition: String,
}

/// The beginning of a document, which every version has.
#[derive(Deserialize)]
struct Preamble {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
struct PortableHost {
    label: String,
    address: Address,
}

/// A workspace people wrote about. What is left out of a file is empty.
#[derive(Serialize, Deserialize)]
struct PortableWorkspace {
    /// The label of its host.
    host: String,
    kind: WorkspaceKind,
    /// The host's bytes; those that are no printable ASCII, and `%`, as `%NN`.
    path: HostPath,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generation: Option<Generation>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    colour: Option<Colour>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

/// How a file meets what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    /// What is there stays: an empty field is filled, tags are joined, a different note is added below.
    Merge,
    /// Each workspace in the file gets exactly what the file says. Others are left alone.
    Replace,
}

/// What an import does to one workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedRow {
    /// The label of its host.
    pub host: String,
    /// Its path, inert.
    pub path: String,
    /// Fields that change, by their names.
    pub fields: Vec<&'static str>,
}

/// What an import does, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// When the file was written.
    pub exported_at: Timestamp,
    /// Workspaces that change.
    pub changed: Vec<ImportedRow>,
    /// How many of the file are as the file says already.
    pub unchanged: u64,
    /// Workspaces of the file that this registry does not have: host and path, inert.
    pub unknown: Vec<(String, String)>,
    /// How many groups are made.
    pub groups: u64,
    /// How many saved views are made or replaced.
    pub views: u64,
}

impl Registry {
    /// Everything people wrote, as JSON.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn export(&self, now: Timestamp) -> Result<String, RegistryError> {
        let mut read = self.read().await?;
        let hosts = hosts(&fetch_all!(*read, select_hosts!("ORDER BY position, id"))?)?;
        let rows = workspaces(&fetch_all!(*read, select_workspaces!("ORDER BY w.id"))?)?;
        drop(read);
        let groups = self.groups().await?;
        let called = |id| {
            groups
                .iter()
                .find(|it| it.id == id)
                .map(|it| it.name.clone())
        };
        let views = self.views().await?;
        let label: HashMap<HostId, &str> = hosts
            .iter()
            .map(|record| (record.host.id, record.host.label.as_str()))
            .collect();
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            exported_at: now,
            groups: groups
                .iter()
                .map(|group| PortableGroup {
                    name: group.name.clone(),
                    parent: group.parent.and_then(called),
                })
                .collect(),
            views: views
                .into_iter()
                .map(|view| PortableView {
                    name: view.name,
                    definition: view.definition,
                })
                .collect(),
            workspaces: rows
                .into_iter()
                .filter(|record| record.row.annotated)
                .map(|record| PortableWorkspace {
                    host: label
                        .get(&record.host)
                        .copied()
                        .unwrap_or_default()
                        .to_owned(),
                    kind: record.row.kind,
                    path: record.row.state.path,
                    generation: record.row.state.generation,
                    note: record.note,
                    tags: record.tags,
                    pinned: record.pinned,
                    display_name: record.display_name,
                    group: record.group.and_then(called),
                    colour: record.colour,
                    link: record.link,
                })
                .collect(),
            hosts: hosts
                .into_iter()
                .map(|record| PortableHost {
                    label: record.host.label,
                    address: record.host.address,
                })
                .collect(),
        };
        serde_json::to_string_pretty(&document).map_err(|error| RegistryError::Storage {
            source: Box::new(error),
        })
    }

    /// Takes annotations in from a file, all of it or nothing; `dry_run` only says what would change.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] for a file that is none of ours, damaged, too large, made by a newer version,
    /// or with a field beyond its limits.
    pub async fn import(
        &self,
        file: &[u8],
        mode: ImportMode,
        dry_run: bool,
        now: Timestamp,
    ) -> Result<(Import, Changed), RegistryError> {
        let document = read(file)?;
        let mut write = self.write().await?;
        let hosts = hosts(&fetch_all!(
            *write.transaction,
            select_hosts!("ORDER BY position, id")
        )?)?;
        let rows = workspaces(&fetch_all!(
            *write.transaction,
            select_workspaces!("ORDER BY w.untracked_at IS NOT NULL, w.id")
        )?)?;
        let groups = write.groups().await?.len();
        write.take_groups(&document.groups).await?;
        let index = Index::of(&rows);
        let mut import = Import {
            exported_at: document.exported_at,
            views: write.take_views(&document.views, mode).await?,
            ..Import::default()
        };
        // Two records of a file may mean one row by now; the second one meets what the first one left.
        let mut current: HashMap<usize, WorkspaceRecord> = HashMap::new();
        for theirs in document.workspaces {
            let host = host_of(&theirs.host, &document.hosts, &hosts);
            let found = host.and_then(|host| index.find(host.host.id, &theirs));
            let (Some(host), Some(at)) = (host, found) else {
                let place = (inert(theirs.host.as_bytes()), theirs.path.display());
                import.unknown.push(place);
                continue;
            };
            let Some(original) = rows.get(at) else {
                continue;
            };
            let before = current.get(&at).unwrap_or(original).clone();
            let group = match &theirs.group {
                Some(name) => Some(write.group_called(name, None).await?),
                None => None,
            };
            let theirs = Said {
                note: checked_note(&theirs.note)?,
                tags: checked_tags(&theirs.tags)?,
                pinned: theirs.pinned,
                display_name: theirs
                    .display_name
                    .as_deref()
                    .map(checked_name)
                    .transpose()?
                    .flatten(),
                group,
                colour: theirs.colour,
                link: theirs
                    .link
                    .as_deref()
                    .map(checked_link)
                    .transpose()?
                    .flatten(),
            };
            let after = match mode {
                ImportMode::Merge => merged(&before, theirs)?,
                ImportMode::Replace => replaced(&before, theirs),
            };
            let fields = differing(&before, &after);
            if fields.is_empty() {
                import.unchanged += 1;
                continue;
            }
            write.write_annotations(&before, &after, now).await?;
            import.changed.push(ImportedRow {
                host: host.host.label.clone(),
                path: after.row.state.path.display(),
                fields,
            });
            current.insert(at, after);
        }
        // A workspace can name a group that the list of groups does not.
        let made = write.groups().await?.len().saturating_sub(groups);
        import.groups = made as u64;
        if dry_run {
            // Dropped without a commit, it leaves no trace.
            let changed = Changed {
                revision: write.changed.revision,
                ..Changed::default()
            };
            return Ok((import, changed));
        }
        if !import.changed.is_empty() {
            let kind = JournalKind::AnnotationsImported {
                rows: import.changed.len() as u64,
            };
            write
                .note(now, Actor::Person, About::everything(), &kind)
                .await?;
        }
        let changed = write.commit().await?;
        Ok((import, changed))
    }
}

impl Write {
    /// Makes the groups of a file that are not there, inside of those they lie in as far as groups may lie there. Groups
    /// that are there stay where they are.
    async fn take_groups(&mut self, theirs: &[PortableGroup]) -> Result<(), RegistryError> {
        for group in theirs.iter().filter(|it| it.parent.is_none()) {
            self.group_called(&group.name, None).await?;
        }
        for group in theirs {
            let Some(parent) = &group.parent else {
                continue;
            };
            let parent = self.group_called(parent, None).await?;
            let parent = self.group(parent).await?;
            let parent = parent.parent.is_none().then_some(parent.id);
            self.group_called(&group.name, parent).await?;
        }
        Ok(())
    }

    /// Takes up the views of a file: of those that are there under their name, only those that are to be replaced. Says
    /// how many.
    async fn take_views(
        &mut self,
        theirs: &[PortableView],
        mode: ImportMode,
    ) -> Result<u64, RegistryError> {
        let mut taken = 0;
        for view in theirs {
            let name = view.name.trim().to_lowercase();
            let there = self.views().await?;
            let there = there.into_iter().find(|it| it.name.to_lowercase() == name);
            let (id, name) = match there {
                Some(there) if mode == ImportMode::Merge || there.definition == view.definition => {
                    continue;
                }
                Some(there) => (Some(there.id), there.name),
                None => (None, view.name.clone()),
            };
            self.keep_view(id, &name, &view.definition).await?;
            taken += 1;
        }
        Ok(taken)
    }
}

/// What was said of one workspace, in a file or by a row that goes.
#[derive(Serialize, Deserialize)]
pub(crate) struct Said {
    pub(crate) note: String,
    pub(crate) tags: Vec<String>,
    pub(crate) pinned: bool,
    pub(crate) display_name: Option<String>,
    pub(crate) group: Option<crate::records::GroupId>,
    pub(crate) colour: Option<Colour>,
    pub(crate) link: Option<String>,
}

impl Said {
    /// What people wrote about a row.
    pub(crate) fn of(record: &WorkspaceRecord) -> Self {
        Self {
            note: record.note.clone(),
            tags: record.tags.clone(),
            pinned: record.pinned,
            display_name: record.display_name.clone(),
            group: record.group,
            colour: record.colour,
            link: record.link.clone(),
        }
    }
}

fn read(file: &[u8]) -> Result<Document, RegistryError> {
    let refused = |reason: String| {
        Err(RegistryError::invalid(
            reason,
            "Choose a file that Rollcall exported.",
        ))
    };
    if file.len() > IMPORT_LIMIT {
        return refused(format!(
            "The file has {} bytes, more than {IMPORT_LIMIT}.",
            file.len()
        ));
    }
    let preamble: Preamble = match serde_json::from_slice(file) {
        Ok(preamble) => preamble,
        Err(error) => return refused(format!("The file holds no annotations ({error}).")),
    };
    if preamble.format != FORMAT {
        return refused("The file is one of something else.".to_owned());
    }
    if preamble.version > VERSION {
        return Err(RegistryError::invalid(
            format!(
                "The file was written by a newer version of Rollcall (form {}, this one knows {VERSION}).",
                preamble.version
            ),
            "Import it with that version.",
        ));
    }
    match serde_json::from_slice(file) {
        Ok(document) => Ok(document),
        Err(error) => refused(format!("The file is damaged ({error}).")),
    }
}

/// The host a file means: one with the same address, else one with the same label.
fn host_of<'a>(
    label: &str,
    theirs: &[PortableHost],
    ours: &'a [HostRecord],
) -> Option<&'a HostRecord> {
    let address = theirs
        .iter()
        .find(|host| host.label == label)
        .map(|host| &host.address);
    ours.iter()
        .find(|record| Some(&record.host.address) == address)
        .or_else(|| {
            ours.iter()
                .find(|record| record.host.label.to_lowercase() == label.to_lowercase())
        })
}

struct Index<'a> {
    generation: HashMap<(HostId, Generation), usize>,
    place: HashMap<(HostId, WorkspaceKind, &'a HostPath), usize>,
}

impl<'a> Index<'a> {
    fn of(rows: &'a [WorkspaceRecord]) -> Self {
        let mut index = Self {
            generation: HashMap::new(),
            place: HashMap::new(),
        };
        for (at, record) in rows.iter().enumerate() {
            let row = &record.row;
            if let Some(generation) = row.state.generation.filter(|it| it.is_strong()) {
                index
                    .generation
                    .entry((record.host, generation))
                    .or_insert(at);
            }
            index
                .place
                .entry((record.host, row.kind, &row.state.path))
                .or_insert(at);
        }
        index
    }

    /// The same workspace wherever it is now, else the one at the same place.
    fn find(&self, host: HostId, theirs: &PortableWorkspace) -> Option<usize> {
        theirs
            .generation
            .and_then(|generation| self.generation.get(&(host, generation)))
            .or_else(|| self.place.get(&(host, theirs.kind, &theirs.path)))
            .copied()
    }
}

pub(crate) fn merged(
    before: &WorkspaceRecord,
    theirs: Said,
) -> Result<WorkspaceRecord, RegistryError> {
    let mut after = before.clone();
    after.note = if before.note.trim().is_empty() {
        theirs.note
    } else if before.note.contains(theirs.note.trim()) {
        before.note.clone()
    } else {
        checked_note(&format!("{}\n\n{}", before.note.trim_end(), theirs.note))?
    };
    after.tags = checked_tags(&[before.tags.as_slice(), &theirs.tags].concat())?;
    after.pinned = before.pinned || theirs.pinned;
    after.display_name = before.display_name.clone().or(theirs.display_name);
    after.group = before.group.or(theirs.group);
    after.colour = before.colour.or(theirs.colour);
    after.link = before.link.clone().or(theirs.link);
    Ok(after)
}

fn replaced(before: &WorkspaceRecord, theirs: Said) -> WorkspaceRecord {
    let mut after = before.clone();
    after.note = theirs.note;
    after.tags = theirs.tags;
    after.pinned = theirs.pinned;
    after.display_name = theirs.display_name;
    after.colour = theirs.colour;
    after.link = theirs.link;
    if after.group != theirs.group {
        after.group = theirs.group;
        after.position = None;
    }
    after
}

fn differing(before: &WorkspaceRecord, after: &WorkspaceRecord) -> Vec<&'static str> {
    [
        ("note", before.note != after.note),
        ("tags", before.tags != after.tags),
        ("pin", before.pinned != after.pinned),
        ("name", before.display_name != after.display_name),
        ("group", before.group != after.group),
        ("colour", before.colour != after.colour),
        ("link", before.link != after.link),
    ]
    .into_iter()
    .filter_map(|(field, differs)| differs.then_some(field))
    .collect()
}
