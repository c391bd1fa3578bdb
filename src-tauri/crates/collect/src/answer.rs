//! Reads an answer of the collector. Whatever the bytes are, the outcome is a whole snapshot or an error.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use rollcall_converge::{
    BadAnswer, FailedRoot, Failure, Generation, HostFacts, HostPath, Inspection, Origin, Probe,
    RollCall, RootKind, Snapshot, SnapshotBuilder, Trashed, WorkspaceKind, inert,
};

use crate::cursor::{Cursor, Unreadable, digits};
use crate::script::Tokens;

mod deep;
mod details;
mod facts;
mod fault;
mod join;
#[cfg(test)]
mod tests;
mod trash;
mod unpushed;

pub(crate) use deep::{found, looks, size};
pub(crate) use details::{branches, details};
use facts::Told;
use fault::Fault;
use join::workspaces;
pub(crate) use trash::{Done, How, done};

#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that the host said or did not say"
)]
struct RootRead<'a> {
    closed: Option<usize>,
    failed: Option<Fault>,
    directory: Option<(usize, HostPath)>,
    main: Option<Main>,
    /// Whether its list of worktrees tells every path from others.
    exact: bool,
    entries: Vec<Entry>,
    /// What was found at paths that were asked about, by their position in the question.
    probes: Vec<(usize, Probe)>,
    remotes: bool,
    shallow: bool,
    lfs: bool,
    /// Object folders of other repositories, one per line.
    borrows: &'a [u8],
    /// The name by which the branch that others are merged into was asked for; empty where there is none.
    base: &'a [u8],
}

struct Main {
    id: usize,
    top: HostPath,
    common: HostPath,
    /// Whether it has a working tree of its own.
    tree: bool,
    /// Whether something was ever checked out or staged.
    used: bool,
}

struct Entry {
    id: usize,
    name: Vec<u8>,
    /// What its `gitdir` file says.
    raw: Vec<u8>,
    /// Where that is.
    place: Vec<u8>,
    /// The same, canonical, if its directory is there and points back.
    there: Vec<u8>,
    state: Vec<u8>,
    why: String,
    locked: bool,
    reason: String,
}

/// What ends a line where line breaks are avoided, and what announces a line break or itself.
const LINE: u8 = 2;
const STANDS_FOR: u8 = 5;

/// Takes back what the collector did to make one line of a text.
fn unflattened(flat: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(flat.len());
    let mut bytes = flat.iter();
    while let Some(&byte) = bytes.next() {
        match (byte, byte == STANDS_FOR) {
            (byte, false) => text.push(byte),
            (_, true) => text.extend(match bytes.next() {
                Some(b'n') => Some(b'\n'),
                Some(b'e') => Some(STANDS_FOR),
                other => other.copied(),
            }),
        }
    }
    text
}

/// A text that came in parts, and how it came about.
#[derive(Default)]
struct Piece {
    text: Vec<u8>,
    /// The exit code and the words of what printed it, once it was complete.
    ended: Option<(usize, String)>,
}

#[derive(Default)]
struct Objects<'a> {
    generations: HashMap<usize, Generation>,
    mounts: HashMap<usize, HostPath>,
    facts: HashMap<usize, Told>,
    /// When git last noted something, in seconds since 1970.
    activity: HashMap<usize, i64>,
    /// By what they are about, a root's position or a workspace's number, and their name.
    pieces: HashMap<(usize, &'a [u8]), Piece>,
}

struct Answer<'a> {
    facts: HostFacts,
    trash: Vec<Trashed>,
    emptied: Vec<(usize, Option<HostPath>)>,
    roots: Vec<RootRead<'a>>,
    objects: Objects<'a>,
    inspection: Option<Inspection>,
}

/// Reads the answer to a roll call.
pub(crate) fn snapshot(
    bytes: &[u8],
    tokens: &Tokens,
    call: &RollCall,
    begun_at: Timestamp,
) -> Result<Snapshot, Unreadable> {
    let answer = Answer::read(bytes, tokens, call.roots.len())?;
    let ids: Vec<_> = call.roots.iter().map(|request| request.root.id).collect();
    let mut builder = SnapshotBuilder::new(call.host, call.tier, begun_at, &ids);
    builder.asked_at(call.revision);
    builder.host_facts(answer.facts);
    for (place, found) in &answer.emptied {
        // Only on the disk it was seen on is it gone (I3).
        match call.trash.get(*place) {
            Some((place, mount)) if mount.is_none() || mount == found => {
                builder.emptied(place.clone());
            }
            _ => {}
        }
    }
    for trashed in &answer.trash {
        builder.trash(trashed.clone());
    }
    // What rests in the trash is still a worktree to git, and none to people.
    let resting: HashSet<&HostPath> = answer.trash.iter().map(|it| &it.tree).collect();
    for (at, (request, root)) in call.roots.iter().zip(&answer.roots).enumerate() {
        let path = &request.root.path;
        if let Some(fault) = &root.failed {
            builder.fail(at, fault.outcome(path))?;
            continue;
        }
        let claimed = root.closed.ok_or(BadAnswer::Unfinished)?;
        builder.open(at)?;
        match workspaces(at, root, &answer.objects, call.tier, claimed) {
            Ok((assertions, unread)) => {
                for assertion in assertions {
                    let is_worktree = assertion.kind == WorkspaceKind::Worktree;
                    if is_worktree && resting.contains(&assertion.path) {
                        builder.resting(at)?;
                    } else {
                        builder.assert(at, assertion)?;
                    }
                }
                for record in unread {
                    builder.unread(at, record)?;
                }
                for (number, found) in &root.probes {
                    if let Some(path) = request.known.get(*number) {
                        builder.probe(at, path.clone(), found.clone())?;
                    }
                }
                builder.close(at, claimed)?;
            }
            Err((code, words)) => {
                let message = format!("`{}` {words}.", path.display());
                let failure = Failure::new(code, message).hint("Sync again.");
                builder.fail(at, FailedRoot::Failed(failure))?;
            }
        }
    }
    Ok(builder.finish()?)
}

/// Reads the answer to a question about one path.
pub(crate) fn inspection(
    bytes: &[u8],
    tokens: &Tokens,
    path: &HostPath,
) -> Result<Result<Inspection, Failure>, Unreadable> {
    let mut answer = Answer::read(bytes, tokens, 1)?;
    if let Some(found) = answer.inspection.take() {
        return Ok(Ok(found));
    }
    let fault = answer
        .roots
        .first()
        .and_then(|root| root.failed.clone())
        .ok_or(Unreadable::Short)?;
    Ok(Err(fault.failure(path)))
}

impl<'a> Answer<'a> {
    fn read(bytes: &'a [u8], tokens: &Tokens, roots: usize) -> Result<Self, Unreadable> {
        let close = tokens.closing();
        let mut cursor = Cursor::after_opening(bytes, tokens)?;
        let mut answer = Self {
            facts: HostFacts::default(),
            trash: Vec::new(),
            emptied: Vec::new(),
            roots: (0..roots).map(|_| RootRead::default()).collect(),
            objects: Objects::default(),
            inspection: None,
        };
        loop {
            let tag = cursor.field()?;
            match tag {
                b"Z" => {
                    let ended =
                        |root: &RootRead<'_>| root.closed.is_some() || root.failed.is_some();
                    let closed = answer.inspection.is_some() || answer.roots.iter().all(ended);
                    if cursor.field()? != close || !closed {
                        return Err(BadAnswer::Unfinished.into());
                    }
                    return Ok(answer);
                }
                b"S" => {
                    let system = cursor.text()?;
                    let git = cursor.text()?;
                    let machine = cursor.text()?;
                    answer.facts = HostFacts {
                        system,
                        git_version: git.trim_start_matches("git version ").to_owned(),
                        machine: machine_name(&machine),
                    };
                }
                b"E" => {
                    let at = cursor.number()?;
                    let claimed = cursor.number()?;
                    let root = answer.root(at)?;
                    if cursor.field()? != close || root.closed.replace(claimed).is_some() {
                        return Err(BadAnswer::RootOutOfTurn(at).into());
                    }
                }
                b"X" => {
                    let at = cursor.number()?;
                    let fault = Fault {
                        code: cursor.field()?.to_vec(),
                        mount: absolute(cursor.field()?),
                        words: inert(&unflattened(cursor.field()?)),
                    };
                    answer.root(at)?.failed = Some(fault);
                }
                b"Y" => answer.trash.extend(trash::trashed(&mut cursor)?),
                b"y" => {
                    let place = cursor.number()?;
                    answer.emptied.push((place, absolute(cursor.field()?)));
                }
                b"I" => answer.inspection = Some(read_inspection(&mut cursor)?),
                b"g" | b"G" | b"A" => answer.objects.read(tag, &mut cursor)?,
                b"P" | b"p" => answer.objects.take_piece(tag, &mut cursor)?,
                b"F" => {
                    for line in cursor.field()?.split(|byte| *byte == LINE) {
                        if !line.is_empty() {
                            let (id, told) = Told::read(line)?;
                            answer.objects.facts.insert(id, told);
                        }
                    }
                }
                b"T" => {
                    let at = cursor.number()?;
                    let root = answer.root(at)?;
                    root.remotes = cursor.field()? == b"1";
                    root.shallow = cursor.field()? == b"y";
                    root.lfs = cursor.field()? == b"y";
                    root.borrows = cursor.field()?;
                }
                b"U" => {
                    let at = cursor.number()?;
                    answer.root(at)?.base = cursor.field()?;
                }
                tag => {
                    let at = cursor.number()?;
                    let root = answer.root(at)?;
                    if root.closed.is_some() {
                        return Err(BadAnswer::OutsideRoot.into());
                    }
                    root.record(tag, &mut cursor)?;
                }
            }
        }
    }

    fn root(&mut self, at: usize) -> Result<&mut RootRead<'a>, Unreadable> {
        self.roots
            .get_mut(at)
            .ok_or_else(|| BadAnswer::RootOutOfTurn(at).into())
    }
}

/// What a system calls its machine, if it is a name at all: images are often shipped with `uninitialized`.
fn machine_name(said: &str) -> String {
    let name = said.trim();
    let fits = (8..=64).contains(&name.len())
        && name.chars().all(|it| it.is_ascii_hexdigit() || it == '-')
        && name.chars().any(|it| it != '0' && it != '-');
    if fits {
        name.to_ascii_lowercase()
    } else {
        String::new()
    }
}

fn read_inspection(cursor: &mut Cursor<'_>) -> Result<Inspection, Unreadable> {
    let kind = match cursor.field()? {
        b"repository" => RootKind::Repository,
        b"directory" => RootKind::Directory,
        other => return Err(Unreadable::Record(inert(other))),
    };
    let path = cursor.field()?;
    Ok(Inspection {
        kind,
        path: absolute(path).ok_or_else(|| Unreadable::Record(inert(path)))?,
        mount: absolute(cursor.field()?),
        inside: absolute(cursor.field()?),
    })
}

fn absolute(bytes: &[u8]) -> Option<HostPath> {
    bytes.starts_with(b"/").then(|| HostPath::new(bytes))
}

impl<'a> RootRead<'a> {
    fn record(&mut self, tag: &[u8], cursor: &mut Cursor<'a>) -> Result<(), Unreadable> {
        match tag {
            b"D" => {
                let id = cursor.number()?;
                let path = cursor.field()?;
                let path = absolute(path).ok_or_else(|| Unreadable::Record(inert(path)))?;
                self.directory = Some((id, path));
            }
            b"L" => self.exact = cursor.field()? == b"z",
            b"B" => {
                let id = cursor.number()?;
                let (top, common) = (cursor.field()?, cursor.field()?);
                let tree = !cursor.field()?.is_empty();
                let used = cursor.field()? == b"y";
                match (absolute(top), absolute(common)) {
                    (Some(top), Some(common)) => {
                        self.main = Some(Main {
                            id,
                            top,
                            common,
                            tree,
                            used,
                        });
                    }
                    _ => return Err(Unreadable::Record(inert(top))),
                }
            }
            b"W" => {
                let id = cursor.number()?;
                let mut next = || cursor.field().map(unflattened);
                let (name, raw, place, there) = (next()?, next()?, next()?, next()?);
                let place = normal(&place);
                let (state, why) = (next()?, next()?);
                let (locked, reason) = (next()? == b"y", next()?);
                self.entries.push(Entry {
                    id,
                    name,
                    raw,
                    place,
                    there,
                    state,
                    why: inert(&why),
                    locked,
                    reason: inert(&reason),
                });
            }
            b"K" => {
                for line in cursor.field()?.split(|byte| *byte == b'\n') {
                    if !line.is_empty() {
                        self.probes.push(probe(line)?);
                    }
                }
            }
            other => return Err(Unreadable::Record(inert(other))),
        }
        Ok(())
    }
}

/// Reads `e n`, `n n mount` or `u n reason`: what was found at the n-th path that was asked about.
fn probe(line: &[u8]) -> Result<(usize, Probe), Unreadable> {
    let mut words = line.splitn(3, |byte| *byte == b' ');
    let mut next = || words.next().unwrap_or_default();
    let (found, number, detail) = (next(), digits(next()), next());
    let probe = match found {
        b"e" => Probe::Exists,
        b"n" => Probe::NoSuchFile {
            mount: absolute(detail),
        },
        b"u" => Probe::Unknown {
            reason: inert(detail),
        },
        other => return Err(Unreadable::Record(inert(other))),
    };
    let number = number.ok_or_else(|| Unreadable::Record(inert(line)))?;
    Ok((number, probe))
}

/// Takes `.` and `..` out of an absolute path, as git does with a relative link.
fn normal(path: &[u8]) -> Vec<u8> {
    let dotted = path
        .split(|byte| *byte == b'/')
        .any(|part| part == b"." || part == b"..");
    if !dotted || !path.starts_with(b"/") {
        return path.to_vec();
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut out = Vec::with_capacity(path.len());
    for part in parts {
        out.push(b'/');
        out.extend_from_slice(part);
    }
    out
}

impl<'a> Objects<'a> {
    fn take_piece(&mut self, tag: &[u8], cursor: &mut Cursor<'a>) -> Result<(), Unreadable> {
        let key = (cursor.number()?, cursor.field()?);
        let piece = self.pieces.entry(key).or_default();
        if piece.ended.is_some() {
            return Err(Unreadable::Record(inert(key.1)));
        }
        if tag == b"P" {
            let text = cursor.field()?.iter();
            piece
                .text
                .extend(text.map(|byte| if *byte == LINE { b'\n' } else { *byte }));
        } else {
            piece.ended = Some((cursor.number()?, cursor.text()?));
        }
        Ok(())
    }

    /// A text that was told to its end, or why it was not.
    fn piece(&self, about: usize, name: &'static [u8]) -> Result<&[u8], String> {
        let late = || "git did not answer within the time limit".to_owned();
        let piece = self.pieces.get(&(about, name)).ok_or_else(late)?;
        match &piece.ended {
            Some((0, _)) => Ok(&piece.text),
            Some((_, words)) if words.is_empty() => Err("git failed without a word".to_owned()),
            Some((_, words)) => Err(words.clone()),
            None => Err(late()),
        }
    }

    /// Reads what one `stat` said of several objects, a line for each; lines that do not match them one to one say
    /// nothing.
    fn read(&mut self, tag: &[u8], cursor: &mut Cursor<'_>) -> Result<(), Unreadable> {
        let labels = cursor.field()?;
        let labels: Vec<&[u8]> = words(labels).collect();
        let lines: Vec<&[u8]> = cursor
            .field()?
            .split(|byte| *byte == LINE)
            .filter(|line| !line.is_empty())
            .collect();
        if lines.len() != labels.len() {
            return Ok(());
        }
        for (label, line) in labels.into_iter().zip(lines) {
            if tag == b"A" {
                if let Some((id, seconds)) = digits(label).zip(digits(line)) {
                    let newest = self.activity.entry(id).or_default();
                    *newest = (*newest).max(seconds);
                }
                continue;
            }
            let (Some((kind, id)), parts) = (label.split_last(), words(line)) else {
                continue;
            };
            let Some(id) = digits(id) else { continue };
            let parts: Vec<&[u8]> = parts.collect();
            // Inode, then a date of three words from GNU's stat, or one word from others, and the disk at the end.
            let dated = if tag == b"g" { 4 } else { 2 };
            if *kind == b'm' {
                let mount = parts.get(dated..).map(|rest| rest.join(&b' '));
                let mount = mount.as_deref().and_then(absolute);
                self.mounts.extend(mount.map(|mount| (id, mount)));
            } else {
                let told = if tag == b"g" {
                    parts.get(..4)
                } else {
                    Some(&parts[..])
                };
                let generation = told.and_then(|told| generation(&told.join(&b' ')));
                self.generations
                    .extend(generation.map(|generation| (id, generation)));
            }
        }
        Ok(())
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| *byte == b' ')
        .filter(|word| !word.is_empty())
}

/// Reads `inode birth`, where birth is GNU's date with nanoseconds, BSD's seconds with a fraction, or `once` and the
/// second in which a file was written that git writes once.
fn generation(line: &[u8]) -> Option<Generation> {
    let line = std::str::from_utf8(line).ok()?;
    let (inode, birth) = line.split_once(' ')?;
    let inode = inode.parse().ok()?;
    if let Some(written) = birth.strip_prefix("once ") {
        let origin = Origin::WrittenOnce(written.parse().ok()?);
        return Some(Generation { inode, origin });
    }
    let (seconds, nanos) = if birth.contains('-') && birth.contains(':') {
        let time = Timestamp::strptime("%Y-%m-%d %H:%M:%S%.f %z", birth).ok()?;
        (time.as_second(), time.subsec_nanosecond())
    } else {
        let (seconds, fraction) = birth.split_once('.').unwrap_or((birth, ""));
        let nanos = format!("{fraction:0<9}");
        (seconds.parse().ok()?, nanos.get(..9)?.parse().ok()?)
    };
    if seconds <= 0 {
        return None;
    }
    let origin = match u32::try_from(nanos).ok()? {
        // A file system that keeps whole seconds.
        0 => Origin::BirthSecond(seconds),
        nanos => Origin::Birth { seconds, nanos },
    };
    Some(Generation { inode, origin })
}
