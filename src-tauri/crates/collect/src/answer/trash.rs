//! Reads what is said of the trash: manifests, and how the verbs ended that write them.

use rollcall_converge::{
    BadAnswer, HostPath, Reason, RefName, TrashStage, Trashed, WorkspaceKind, inert,
};
use uuid::Uuid;

use super::{absolute, generation, unflattened};
use crate::cursor::{Cursor, Unreadable, digits};
use crate::listing::hexadecimal;
use crate::script::Tokens;

/// Reads a record of the trash: its place, the mount point of that, the host's clock, the path of its repository's lock
/// directory, and its manifest. A manifest that cannot be read tells of nothing.
pub(super) fn trashed(cursor: &mut Cursor<'_>) -> Result<Option<Trashed>, Unreadable> {
    let place = cursor.field()?;
    let mount = absolute(cursor.field()?);
    let host_time = digits(cursor.field()?);
    let manifest = cursor.field()?;
    let place = absolute(place).ok_or_else(|| Unreadable::Record(inert(place)))?;
    Ok(host_time.and_then(|host_time| read(place, mount, host_time, manifest)))
}

fn read(
    place: HostPath,
    mount: Option<HostPath>,
    host_time: i64,
    manifest: &[u8],
) -> Option<Trashed> {
    let text = unflattened(manifest);
    let mut lines = text.split(|byte| *byte == b'\n');
    if lines.next()? != b"rollcall-trash 1" {
        return None;
    }
    let (mut id, mut kind, mut from, mut tree) = (None, None, None, None);
    let (mut repository, mut told, mut head, mut branch) = (None, None, None, None);
    let (mut deleted_at, mut days, mut branch_gone) = (None, None, false);
    let mut stage = TrashStage::Begun;
    for line in lines {
        let blank = line.iter().position(|byte| *byte == b' ');
        let (key, value) = line.split_at(blank.unwrap_or(line.len()));
        let value = unflattened(value.get(1..).unwrap_or_default());
        match key {
            b"id" => id = Uuid::try_parse_ascii(&value).ok(),
            b"kind" => {
                kind = match value.as_slice() {
                    b"repository" => Some(WorkspaceKind::Repository),
                    b"worktree" => Some(WorkspaceKind::Worktree),
                    b"directory" => Some(WorkspaceKind::Directory),
                    _ => None,
                }
            }
            b"path" => from = absolute(&value),
            b"tree" => tree = absolute(&value),
            b"common" => repository = absolute(&value),
            b"generation" => told = generation(&value),
            b"head" => head = hexadecimal(&value),
            b"branch" => branch = Some(value).filter(|it| it.starts_with(b"refs/")),
            b"branch-gone" => branch_gone = true,
            b"at" => deleted_at = digits(&value),
            b"days" => days = digits(&value),
            b"stage" => {
                stage = match value.split(|byte| *byte == b' ').next()? {
                    b"whole" => TrashStage::Whole,
                    b"restoring" => TrashStage::Restoring,
                    b"restored" => TrashStage::Restored,
                    b"removing" => TrashStage::Removing,
                    _ => stage,
                }
            }
            _ => {}
        }
    }
    Some(Trashed {
        id: id?,
        place,
        mount,
        tree: tree?,
        from: from?,
        kind: kind?,
        generation: told,
        repository,
        branch: branch.map(RefName::new),
        head,
        branch_gone,
        stage,
        deleted_at: deleted_at?,
        days: days?,
        host_time,
        manifest: HostPath::new(manifest),
    })
}

/// How a verb ended, in the host's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) how: How,
    /// The step it ended in.
    pub(crate) stage: String,
    pub(crate) words: String,
    /// What became of a branch; empty where nothing was asked of it.
    pub(crate) branch: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It is done.
    Done,
    /// There was nothing to do any more.
    Gone,
    /// Another has the lock.
    Running,
    /// Something has to change first.
    Waits,
    /// It did not work, and may another time.
    Failed,
    /// Only a person can go on.
    Stopped(Reason),
}

/// Reads the answer of a verb.
pub(crate) fn done(bytes: &[u8], tokens: &Tokens) -> Result<Done, Unreadable> {
    let close = tokens.closing();
    let mut cursor = Cursor::after_opening(bytes, tokens)?;
    let mut done = None;
    loop {
        match cursor.field()? {
            b"Z" if cursor.field()? == close => {
                return done.ok_or_else(|| BadAnswer::Unfinished.into());
            }
            b"S" => cursor.skip(3)?,
            b"R" => {
                let (how, stage, code) = (cursor.field()?, cursor.text()?, cursor.field()?);
                let words = inert(&unflattened(cursor.field()?));
                let branch = cursor.text()?;
                if cursor.field()? != close {
                    return Err(BadAnswer::Unfinished.into());
                }
                let how = match how {
                    b"done" => How::Done,
                    b"gone" => How::Gone,
                    b"running" => How::Running,
                    b"waits" => How::Waits,
                    b"failed" => How::Failed,
                    b"stop" => How::Stopped(reason(code)?),
                    other => return Err(Unreadable::Record(inert(other))),
                };
                done = Some(Done {
                    how,
                    stage,
                    words,
                    branch,
                });
            }
            other => return Err(Unreadable::Record(inert(other))),
        }
    }
}

fn reason(code: &[u8]) -> Result<Reason, Unreadable> {
    Ok(match code {
        b"locked" => Reason::Locked,
        b"busy" => Reason::Busy,
        b"in_use" => Reason::InUse,
        b"blocked" => Reason::Blocked,
        b"changed" => Reason::Changed,
        b"refused" => Reason::Refused,
        b"owner" => Reason::Owner,
        b"disk" => Reason::Disk,
        b"permission" => Reason::Permission,
        b"taken" => Reason::Taken,
        other => return Err(Unreadable::Record(inert(other))),
    })
}
