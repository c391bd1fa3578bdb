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
mod open;
mod people;
mod places;
mod portable;
mod reads;
mod records;
mod store;
mod tombstones;
mod trash;
mod weighing;

pub use backups::Backup;
pub use error::{RegistryCode, RegistryError};
pub use groups::Group;
pub use journal::{Actor, JournalEntry, JournalKind, Verb};
pub use looks::Seen;
pub use mirror::Applied;
pub use people::AnnotationPatch;
pub use portable::{IMPORT_LIMIT, Import, ImportMode, ImportedRow};
pub use records::{
    Colour, ForgottenHost, GroupId, HostRecord, RegistryChanges, RootRecord, WorkspaceRecord,
};
pub use store::{Changed, Registry};
pub use tombstones::Tombstone;
pub use trash::TrashRecord;
pub use weighing::Weighing;

#[cfg(test)]
mod tests;
