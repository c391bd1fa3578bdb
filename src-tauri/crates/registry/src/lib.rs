//! The registry: mirror, annotations and journal in one `SQLite` file, written only by the verbs here (I15).
//!
//! Each verb is one transaction that begins immediate: it happens as a whole or not at all, bumps the revision
//! once if it changed anything, and says what it changed. What a verb answered is on disk.

mod backups;
mod decisions;
mod drive;
mod error;
mod forgotten;
mod groups;
mod journal;
mod looks;
mod mirror;
mod missing;
mod open;
mod people;
mod places;
mod portable;
mod reads;
mod records;
mod settings;
mod store;
mod texts;
mod tombstones;
mod trash;
mod views;
mod weighing;

pub use backups::Backup;
pub use error::{RegistryCode, RegistryError};
pub use groups::Group;
pub use journal::{Actor, JournalCounts, JournalEntry, JournalFilter, JournalKind, Unseen, Verb};
pub use looks::Seen;
pub use mirror::Applied;
pub use people::{AnnotationPatch, checked_link};
pub use portable::{IMPORT_LIMIT, Import, ImportMode, ImportedRow};
pub use records::{
    Colour, ForgottenHost, GroupId, HostRecord, RegistryChanges, RootRecord, ViewId,
    WorkspaceRecord,
};
pub use settings::Settings;
pub use store::{Changed, Registry};
pub use tombstones::Tombstone;
pub use trash::TrashRecord;
pub use views::View;
pub use weighing::Weighing;

#[cfg(test)]
mod tests;
