//! What the registry holds, and how it lies in the file.

use std::time::Duration;

use jiff::Timestamp;
use rollcall_converge::{
    Address, Choice, Condition, Conflict, Consent, Existence, Facts, Generation, Host, HostId,
    HostPath, MirrorRoot, MirrorRow, Origin, Presence, Provenance, RefName, Root, RootId, RootKind,
    RowState, WorkspaceId, WorkspaceKind,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;

use crate::error::{RegistryError, Translate as _};

/// A host with what it last said about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRecord {
    /// The host.
    pub host: Host,
    /// When the last roll call that it answered whole began, by this machine's clock.
    pub answered_at: Option<Timestamp>,
    /// Its operating system as `uname -s` prints it, once it said so.
    pub system: Option<String>,
    /// Its version of git, once it said so.
    pub git_version: Option<String>,
    /// What it calls its machine, once it said so.
    pub machine: Option<String>,
    /// What it calls its machine now, if that is another one and nobody agreed to it yet (I17).
    pub machine_offered: Option<String>,
    /// `SHA256:…` fingerprint of the key it showed last.
    pub host_key: Option<String>,
    /// From one roll call to the next while the window is visible, where a person chose that.
    pub cadence: Option<Duration>,
    /// How many of its rows it says are gone, with nobody having decided whether that is so (I17).
    pub unconfirmed: u64,
    /// How many of its rows have a pending deletion.
    pub pending: u64,
}

/// A host that was forgotten and may be added again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgottenHost {
    /// Its identifier.
    pub id: HostId,
    /// What it was called.
    pub label: String,
    /// What it called its machine.
    pub machine: Option<String>,
    /// `SHA256:…` fingerprint of the key it showed last.
    pub host_key: Option<String>,
    /// When it was forgotten.
    pub forgotten_at: Timestamp,
    /// Its rows.
    pub rows: u64,
    /// Those of them that people wrote about.
    pub annotated: u64,
    /// Those of them whose deletion is pending.
    pub pending: u64,
}

/// A root with how its last roll call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRecord {
    /// The root.
    pub root: Root,
    /// How its last roll call ended; `None` until there was one.
    pub condition: Option<Condition>,
    /// When its last complete roll call began.
    pub asserted_at: Option<Timestamp>,
    /// When its last complete roll call of the facts tier began.
    pub facts_at: Option<Timestamp>,
    /// What a person should know about records of it that could not be used.
    pub notes: Vec<String>,
    /// Paths that more than one record claims.
    pub conflicts: Vec<Conflict>,
    /// The branch that others are merged into, where a person chose one.
    pub base: Option<RefName>,
}

macro_rules! own_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub(crate) Uuid);

        impl $name {
            /// Wraps an identifier.
            pub const fn new(id: Uuid) -> Self {
                Self(id)
            }

            /// The identifier itself.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }
    };
}

own_id!(
    /// Identifies a group of a person's own.
    GroupId
);
own_id!(
    /// Identifies a saved view.
    ViewId
);

/// A colour that marks a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum Colour {
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Grey,
}

impl Colour {
    const ALL: [Self; 7] = [
        Self::Red,
        Self::Orange,
        Self::Yellow,
        Self::Green,
        Self::Blue,
        Self::Purple,
        Self::Grey,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Orange => "orange",
            Self::Yellow => "yellow",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Purple => "purple",
            Self::Grey => "grey",
        }
    }
}

/// A row of the mirror with what people wrote about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRecord {
    /// The row.
    pub row: MirrorRow,
    /// The host it lies on.
    pub host: HostId,
    /// The note, empty where there is none.
    pub note: String,
    /// The tags, in the order they were given.
    pub tags: Vec<String>,
    /// Whether it is pinned.
    pub pinned: bool,
    /// What people call it in place of its folder's name.
    pub display_name: Option<String>,
    /// The group it is in.
    pub group: Option<GroupId>,
    /// Its place in its group, where people arranged it.
    pub position: Option<i64>,
    /// The colour that marks it.
    pub colour: Option<Colour>,
    /// Where on the web it belongs.
    pub link: Option<String>,
    /// When it came into the registry.
    pub created_at: Timestamp,
    /// The revision of its last change.
    pub revision: u64,
}

/// What changed after a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryChanges {
    /// The revision this leads to.
    pub revision: u64,
    /// Rows that are new or differ, in the order of their ids.
    pub upserted: Vec<WorkspaceRecord>,
    /// Rows that are gone.
    pub removed: Vec<WorkspaceId>,
}

/// Columns of [`WorkspaceRecord`], before the rest of a query.
macro_rules! select_workspaces {
    ($rest:literal) => {
        concat!(
            "SELECT w.id, w.host_id, w.root_id, w.kind, w.provenance, w.path, w.generation_inode, \
             w.generation_origin, w.generation_seconds, w.generation_nanos, w.mount, w.presence, \
             w.presence_reason, w.missing_since, w.existence, w.facts, w.facts_unknown, w.facts_as_of, \
             w.recreated, w.untracked_at, w.revision, w.created_at, w.unconfirmed_since, w.kept, w.made_here, \
             w.touched, t.consent, \
             coalesce(a.note, '') AS note, a.display_name, coalesce(a.pinned, 0) AS pinned, \
             a.group_id, a.position, a.colour, a.link, \
             (SELECT json_group_array(g.tag ORDER BY g.position) FROM tags g WHERE g.workspace_id = w.id) \
             AS tags \
             FROM live_workspaces w LEFT JOIN annotations a ON a.workspace_id = w.id \
             LEFT JOIN tombstones t ON t.workspace_id = w.id ",
            $rest
        )
    };
}
pub(crate) use select_workspaces;

/// Columns of [`HostRecord`], before the rest of a query.
macro_rules! select_hosts {
    ($rest:literal) => {
        concat!(
            "SELECT id, label, address, suspended, answered_at, system, git_version, machine, machine_offered, \
             sign_in, host_key, cadence, \
             (SELECT count(*) FROM workspaces w WHERE w.host_id = live_hosts.id \
             AND w.unconfirmed_since IS NOT NULL AND w.untracked_at IS NULL \
             AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.workspace_id = w.id)) AS unconfirmed, \
             (SELECT count(*) FROM workspaces w JOIN tombstones t ON t.workspace_id = w.id \
             WHERE w.host_id = live_hosts.id) AS pending FROM live_hosts ",
            $rest
        )
    };
}
pub(crate) use select_hosts;

/// Columns of [`RootRecord`], before the rest of a query.
macro_rules! select_roots {
    ($rest:literal) => {
        concat!(
            "SELECT id, host_id, kind, path, mount, condition, asserted_at, facts_at, notes, conflicts, base \
             FROM live_roots ",
            $rest
        )
    };
}
pub(crate) use select_roots;

pub(crate) fn key(id: Uuid) -> Vec<u8> {
    id.into_bytes().to_vec()
}

/// Nanoseconds since the epoch, at the edges of 64 bits (years 1677 and 2262) where a clock is beyond them.
pub(crate) fn nanos(at: Timestamp) -> i64 {
    let nanos = at.as_nanosecond();
    i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
}

fn timestamp(nanos: i64) -> Result<Timestamp, RegistryError> {
    Timestamp::from_nanosecond(i128::from(nanos))
        .map_err(|error| RegistryError::damaged(format!("a time in it is none: {error}")))
}

/// A number that the file's checks keep from being negative.
pub(crate) fn count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

pub(crate) fn stored_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, RegistryError> {
    serde_json::to_string(value).map_err(|error| RegistryError::Storage {
        source: Box::new(error),
    })
}

pub(crate) fn from_json<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, RegistryError> {
    serde_json::from_str(text)
        .map_err(|error| RegistryError::damaged(format!("its {what} cannot be read ({error})")))
}

/// Wide observations carry the version of their form.
#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    it: T,
}

const OBSERVATION_VERSION: u32 = 1;

pub(crate) fn observation<T: Serialize>(it: &T) -> Result<String, RegistryError> {
    json(&Versioned {
        version: OBSERVATION_VERSION,
        it,
    })
}

pub(crate) fn observed<T: DeserializeOwned>(text: &str) -> Option<T> {
    let versioned: Versioned<T> = serde_json::from_str(text).ok()?;
    (versioned.version == OBSERVATION_VERSION).then_some(versioned.it)
}

/// The columns of a generation: inode, origin, seconds, nanoseconds.
pub(crate) type GenerationColumns = (Option<i64>, Option<&'static str>, Option<i64>, Option<i64>);

pub(crate) fn generation_columns(generation: Option<Generation>) -> GenerationColumns {
    let Some(Generation { inode, origin }) = generation else {
        return (None, None, None, None);
    };
    let (name, seconds, nanos) = match origin {
        Origin::Birth { seconds, nanos } => ("birth", seconds, Some(i64::from(nanos))),
        Origin::BirthSecond(seconds) => ("birth_second", seconds, None),
        Origin::WrittenOnce(seconds) => ("written_once", seconds, None),
    };
    (Some(inode.cast_signed()), Some(name), Some(seconds), nanos)
}

/// The columns of a presence: name, reason, missing since.
pub(crate) fn presence_columns(presence: &Presence) -> (&'static str, Option<String>, Option<i64>) {
    match presence {
        Presence::Present => ("present", None, None),
        Presence::Away => ("away", None, None),
        Presence::Prunable { reason } => ("prunable", Some(reason.clone()), None),
        Presence::Missing { since } => ("missing", None, Some(nanos(*since))),
        Presence::NotAsserted { reason } => ("not_asserted", Some(reason.clone()), None),
    }
}

pub(crate) fn workspace_kind(kind: WorkspaceKind) -> &'static str {
    match kind {
        WorkspaceKind::Repository => "repository",
        WorkspaceKind::Worktree => "worktree",
        WorkspaceKind::Directory => "directory",
    }
}

pub(crate) fn provenance(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Registered => "registered",
        // What was made here was adopted first; a column of its own says so.
        Provenance::Adopted | Provenance::Made => "adopted",
    }
}

pub(crate) fn root_kind(kind: RootKind) -> &'static str {
    match kind {
        RootKind::Repository => "repository",
        RootKind::Directory => "directory",
    }
}

/// Reads columns by name.
pub(crate) struct Columns<'r>(pub(crate) &'r SqliteRow);

impl Columns<'_> {
    pub(crate) fn integer(&self, name: &str) -> Result<i64, RegistryError> {
        self.0.try_get(name).told()
    }

    pub(crate) fn integer_or_none(&self, name: &str) -> Result<Option<i64>, RegistryError> {
        self.0.try_get(name).told()
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, RegistryError> {
        Ok(self.integer(name)? != 0)
    }

    pub(crate) fn text(&self, name: &str) -> Result<String, RegistryError> {
        self.0.try_get(name).told()
    }

    pub(crate) fn text_or_none(&self, name: &str) -> Result<Option<String>, RegistryError> {
        self.0.try_get(name).told()
    }

    pub(crate) fn time(&self, name: &str) -> Result<Timestamp, RegistryError> {
        timestamp(self.integer(name)?)
    }

    pub(crate) fn time_or_none(&self, name: &str) -> Result<Option<Timestamp>, RegistryError> {
        self.integer_or_none(name)?.map(timestamp).transpose()
    }

    pub(crate) fn path(&self, name: &str) -> Result<HostPath, RegistryError> {
        let bytes: Vec<u8> = self.0.try_get(name).told()?;
        Ok(HostPath::new(bytes))
    }

    pub(crate) fn path_or_none(&self, name: &str) -> Result<Option<HostPath>, RegistryError> {
        let bytes: Option<Vec<u8>> = self.0.try_get(name).told()?;
        Ok(bytes.map(HostPath::new))
    }

    pub(crate) fn id(&self, name: &str) -> Result<Uuid, RegistryError> {
        let bytes: Vec<u8> = self.0.try_get(name).told()?;
        uuid(&bytes)
    }

    pub(crate) fn id_or_none(&self, name: &str) -> Result<Option<Uuid>, RegistryError> {
        let bytes: Option<Vec<u8>> = self.0.try_get(name).told()?;
        bytes.as_deref().map(uuid).transpose()
    }

    pub(crate) fn generation(&self) -> Result<Option<Generation>, RegistryError> {
        let (Some(inode), Some(origin), Some(seconds)) = (
            self.integer_or_none("generation_inode")?,
            self.text_or_none("generation_origin")?,
            self.integer_or_none("generation_seconds")?,
        ) else {
            return Ok(None);
        };
        let origin = match origin.as_str() {
            "birth" => Origin::Birth {
                seconds,
                nanos: self
                    .integer_or_none("generation_nanos")?
                    .and_then(|nanos| u32::try_from(nanos).ok())
                    .ok_or_else(|| RegistryError::damaged("a generation lacks its nanoseconds"))?,
            },
            "birth_second" => Origin::BirthSecond(seconds),
            "written_once" => Origin::WrittenOnce(seconds),
            other => return Err(unknown_word("origin", other)),
        };
        Ok(Some(Generation {
            inode: inode.cast_unsigned(),
            origin,
        }))
    }

    fn presence(&self) -> Result<Presence, RegistryError> {
        let reason =
            || Ok::<_, RegistryError>(self.text_or_none("presence_reason")?.unwrap_or_default());
        Ok(match self.text("presence")?.as_str() {
            "present" => Presence::Present,
            "away" => Presence::Away,
            "prunable" => Presence::Prunable { reason: reason()? },
            "missing" => Presence::Missing {
                since: self.time("missing_since")?,
            },
            "not_asserted" => Presence::NotAsserted { reason: reason()? },
            other => return Err(unknown_word("presence", other)),
        })
    }

    pub(crate) fn workspace(&self) -> Result<WorkspaceRecord, RegistryError> {
        let kind = match self.text("kind")?.as_str() {
            "repository" => WorkspaceKind::Repository,
            "worktree" => WorkspaceKind::Worktree,
            "directory" => WorkspaceKind::Directory,
            other => return Err(unknown_word("kind", other)),
        };
        let provenance = match self.text("provenance")?.as_str() {
            "registered" => Provenance::Registered,
            "adopted" if self.flag("made_here")? => Provenance::Made,
            "adopted" => Provenance::Adopted,
            other => return Err(unknown_word("provenance", other)),
        };
        let existence: Existence = observed(&self.text("existence")?)
            .ok_or_else(|| RegistryError::damaged("an observation of it cannot be read"))?;
        let (facts, facts_unknown) = match self.text_or_none("facts")? {
            None => (None, self.text_or_none("facts_unknown")?),
            Some(text) => match observed::<Facts>(&text) {
                Some(facts) => (Some(facts), self.text_or_none("facts_unknown")?),
                // What cannot be read was not observed (I13); the next roll call observes it again.
                None => (
                    None,
                    Some("kept in a form that cannot be read any more".to_owned()),
                ),
            },
        };
        let facts_as_of = match facts {
            Some(_) => self.time_or_none("facts_as_of")?,
            None => None,
        };
        let note = self.text("note")?;
        let tags: Vec<String> = from_json(&self.text("tags")?, "list of tags")?;
        let pinned = self.flag("pinned")?;
        let display_name = self.text_or_none("display_name")?;
        let group = self.id_or_none("group_id")?.map(GroupId);
        let position = self.integer_or_none("position")?;
        let colour = self
            .text_or_none("colour")?
            .map(|name| colour(&name))
            .transpose()?;
        let link = self.text_or_none("link")?;
        let tombstone = self
            .text_or_none("consent")?
            .map(|text| consent(&text))
            .transpose()?
            .map(|consent| consent.generation);
        let annotated = !note.is_empty()
            || !tags.is_empty()
            || pinned
            || display_name.is_some()
            || group.is_some()
            || colour.is_some()
            || link.is_some();
        Ok(WorkspaceRecord {
            row: MirrorRow {
                id: WorkspaceId::new(self.id("id")?),
                kind,
                provenance,
                annotated,
                kept: self.flag("kept")?,
                untracked: self.integer_or_none("untracked_at")?.is_some(),
                tombstone,
                touched: count(self.integer("touched")?),
                state: RowState {
                    root: RootId::new(self.id("root_id")?),
                    path: self.path("path")?,
                    generation: self.generation()?,
                    mount: self.path_or_none("mount")?,
                    presence: self.presence()?,
                    existence,
                    facts,
                    facts_unknown,
                    facts_as_of,
                    recreated: self.flag("recreated")?,
                    unconfirmed: self.time_or_none("unconfirmed_since")?,
                },
            },
            host: HostId::new(self.id("host_id")?),
            note,
            tags,
            pinned,
            display_name,
            group,
            position,
            colour,
            link,
            created_at: self.time("created_at")?,
            revision: count(self.integer("revision")?),
        })
    }

    pub(crate) fn host(&self) -> Result<HostRecord, RegistryError> {
        let address: Address = from_json(&self.text("address")?, "address of a host")?;
        Ok(HostRecord {
            host: Host {
                id: HostId::new(self.id("id")?),
                label: self.text("label")?,
                address,
                suspended: self.flag("suspended")?,
                sign_in: self
                    .text_or_none("sign_in")?
                    .map(|text| from_json(&text, "sign-in of a host"))
                    .transpose()?,
            },
            answered_at: self.time_or_none("answered_at")?,
            system: self.text_or_none("system")?,
            git_version: self.text_or_none("git_version")?,
            machine: self.text_or_none("machine")?,
            machine_offered: self.text_or_none("machine_offered")?,
            host_key: self.text_or_none("host_key")?,
            cadence: self
                .integer_or_none("cadence")?
                .map(|seconds| Duration::from_secs(count(seconds))),
            unconfirmed: count(self.integer("unconfirmed")?),
            pending: count(self.integer("pending")?),
        })
    }

    pub(crate) fn root(&self) -> Result<RootRecord, RegistryError> {
        let kind = match self.text("kind")?.as_str() {
            "repository" => RootKind::Repository,
            "directory" => RootKind::Directory,
            other => return Err(unknown_word("kind", other)),
        };
        let condition = self
            .text_or_none("condition")?
            .map(|text| from_json(&text, "condition of a root"))
            .transpose()?;
        Ok(RootRecord {
            root: Root {
                id: RootId::new(self.id("id")?),
                host: HostId::new(self.id("host_id")?),
                kind,
                path: self.path("path")?,
                mount: self.path_or_none("mount")?,
            },
            condition,
            asserted_at: self.time_or_none("asserted_at")?,
            facts_at: self.time_or_none("facts_at")?,
            notes: from_json(&self.text("notes")?, "list of notes")?,
            conflicts: from_json(&self.text("conflicts")?, "list of conflicts")?,
            base: self
                .path_or_none("base")?
                .map(|it| RefName::new(it.as_bytes())),
        })
    }

    pub(crate) fn choice(&self) -> Result<Choice, RegistryError> {
        Ok(Choice {
            path: self.path("path")?,
            generation: self
                .generation()?
                .ok_or_else(|| RegistryError::damaged("a choice in it names nothing"))?,
        })
    }
}

fn colour(name: &str) -> Result<Colour, RegistryError> {
    Colour::ALL
        .into_iter()
        .find(|colour| colour.name() == name)
        .ok_or_else(|| unknown_word("colour", name))
}

/// A consent that cannot be read can be carried out by nobody, and is not passed over in silence either.
pub(crate) fn consent(text: &str) -> Result<Consent, RegistryError> {
    observed(text).ok_or_else(|| RegistryError::damaged("the consent of a deletion cannot be read"))
}

impl RootRecord {
    /// As [`rollcall_converge::plan`] needs it.
    pub(crate) fn mirror(&self) -> MirrorRoot {
        MirrorRoot {
            root: self.root.clone(),
            facts_at: self.facts_at,
            // Of a root that was never called nothing is known that could be kept.
            condition: self.condition.clone().unwrap_or(Condition::Asserted),
        }
    }
}

fn uuid(bytes: &[u8]) -> Result<Uuid, RegistryError> {
    Uuid::from_slice(bytes).map_err(|_| RegistryError::damaged("an identifier in it is none"))
}

fn unknown_word(column: &str, word: &str) -> RegistryError {
    RegistryError::damaged(format!("`{word}` is no {column}"))
}

pub(crate) fn hosts(rows: &[SqliteRow]) -> Result<Vec<HostRecord>, RegistryError> {
    rows.iter().map(|row| Columns(row).host()).collect()
}

pub(crate) fn roots(rows: &[SqliteRow]) -> Result<Vec<RootRecord>, RegistryError> {
    rows.iter().map(|row| Columns(row).root()).collect()
}

pub(crate) fn workspaces(rows: &[SqliteRow]) -> Result<Vec<WorkspaceRecord>, RegistryError> {
    rows.iter().map(|row| Columns(row).workspace()).collect()
}
