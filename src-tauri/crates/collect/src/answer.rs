//! Reads an answer of the collector. Whatever the bytes are, the outcome is a whole snapshot or an error.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use rollcall_converge::{
    AdminName, Assertion, BadAnswer, Changes, Existence, Facts, FactsOutcome, FailedRoot, Failure,
    FailureCode, Generation, Head, HostFacts, HostPath, Inspection, LastCommit, Operation, Origin,
    Probe, RefName, RollCall, RootKind, Snapshot, SnapshotBuilder, Standing, Tier, Unpushed,
    Unread, Upstream, WorkspaceKind, inert,
};

use crate::cursor::{Cursor, Unreadable, digits, find};
use crate::listing::{self, Listed, hexadecimal};
use crate::script::Tokens;

#[derive(Default)]
struct RootRead<'a> {
    closed: Option<usize>,
    failed: Option<Fault>,
    directory: Option<(usize, HostPath)>,
    main: Option<Main>,
    listed: Option<(&'a [u8], bool)>,
    entries: Vec<Entry<'a>>,
    probes: Vec<(HostPath, Probe)>,
    remotes: bool,
    stashes: Option<u32>,
    /// Why the repository's branches could not be told.
    branches_unknown: Option<String>,
    upstreams: HashMap<&'a [u8], &'a [u8]>,
}

struct Main {
    id: usize,
    top: HostPath,
    common: HostPath,
    /// Whether it has a working tree of its own.
    tree: bool,
}

struct Entry<'a> {
    id: usize,
    name: &'a [u8],
    /// What its `gitdir` file says.
    raw: &'a [u8],
    /// Where that is.
    place: Vec<u8>,
    /// The same, canonical, if its directory is there and points back.
    there: &'a [u8],
    state: &'a [u8],
    why: String,
    locked: bool,
    reason: String,
}

/// Why a root made no assertion, in the collector's words.
#[derive(Clone)]
struct Fault {
    code: Vec<u8>,
    mount: Option<HostPath>,
    words: String,
}

/// What the collector said of one working tree.
struct Told {
    code: usize,
    staged: u32,
    unstaged: u32,
    untracked: u32,
    conflicted: u32,
    upstream: Vec<u8>,
    ahead: Option<u32>,
    behind: Option<u32>,
    unpushed: Vec<u8>,
    operation: Option<Operation>,
    doubt: String,
}

#[derive(Default)]
struct Objects {
    generations: HashMap<usize, Generation>,
    mounts: HashMap<usize, HostPath>,
    facts: HashMap<usize, Told>,
    commits: HashMap<usize, LastCommit>,
}

struct Answer<'a> {
    facts: HostFacts,
    roots: Vec<RootRead<'a>>,
    objects: Objects,
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
    for (at, (request, root)) in call.roots.iter().zip(&answer.roots).enumerate() {
        let path = &request.root.path;
        if let Some(fault) = &root.failed {
            builder.fail(at, fault.outcome(path))?;
            continue;
        }
        let claimed = root.closed.ok_or(BadAnswer::Unfinished)?;
        builder.open(at)?;
        match workspaces(root, &answer.objects, call.tier) {
            Ok((assertions, unread)) => {
                for assertion in assertions {
                    builder.assert(at, assertion)?;
                }
                for record in unread {
                    builder.unread(at, record)?;
                }
                for (path, found) in &root.probes {
                    builder.probe(at, path.clone(), found.clone())?;
                }
                builder.close(at, claimed)?;
            }
            Err(words) => {
                let message = format!("`{}` {words}.", path.display());
                let failure = Failure::new(FailureCode::Malformed, message).hint("Sync again.");
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
    Ok(Err(match fault.outcome(path) {
        FailedRoot::Failed(failure) => failure,
        FailedRoot::NoSuchFile { .. } => Failure::new(
            FailureCode::PathNotFound,
            format!("There is no `{}` on this host.", path.display()),
        )
        .hint("Check how the path is spelled."),
    }))
}

impl<'a> Answer<'a> {
    fn read(bytes: &'a [u8], tokens: &Tokens, roots: usize) -> Result<Self, Unreadable> {
        let close = tokens.closing();
        let mut cursor = Cursor::after_opening(bytes, tokens)?;
        let mut answer = Self {
            facts: HostFacts::default(),
            roots: (0..roots).map(|_| RootRead::default()).collect(),
            objects: Objects::default(),
            inspection: None,
        };
        // The root whose records come now; facts name theirs and come after every root.
        let mut open: Option<usize> = None;
        let mut opened = 0;
        loop {
            let tag = cursor.field()?;
            match tag {
                b"Z" => {
                    let closed = open.is_none()
                        && (answer.inspection.is_some()
                            || answer
                                .roots
                                .iter()
                                .all(|root| root.closed.is_some() || root.failed.is_some()));
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
                b"R" => {
                    let at = cursor.number()?;
                    if open.is_some() || at != opened || at >= roots || cursor.field()? != close {
                        return Err(BadAnswer::RootOutOfTurn(at).into());
                    }
                    open = Some(at);
                    opened += 1;
                }
                b"E" => {
                    let at = cursor.number()?;
                    let claimed = cursor.number()?;
                    if open.take() != Some(at) || cursor.field()? != close {
                        return Err(BadAnswer::RootOutOfTurn(at).into());
                    }
                    answer.root(at)?.closed = Some(claimed);
                }
                b"X" => {
                    let at = cursor.number()?;
                    let fault = Fault {
                        code: cursor.field()?.to_vec(),
                        mount: absolute(cursor.field()?),
                        words: cursor.text()?,
                    };
                    // An inspection opens no root.
                    if open.take().unwrap_or(0) != at {
                        return Err(BadAnswer::RootOutOfTurn(at).into());
                    }
                    answer.root(at)?.failed = Some(fault);
                }
                b"I" => answer.inspection = Some(read_inspection(&mut cursor)?),
                b"G" | b"O" | b"M" => answer.objects.read(tag, &mut cursor)?,
                b"F" => {
                    let id = cursor.number()?;
                    let told = Told::read(&mut cursor)?;
                    answer.objects.facts.insert(id, told);
                }
                b"T" | b"U" | b"C" => answer.repository_fact(tag, &mut cursor, &close)?,
                tag => {
                    let at = cursor.number()?;
                    if open != Some(at) {
                        return Err(BadAnswer::OutsideRoot.into());
                    }
                    answer.root(at)?.record(tag, &mut cursor, &close)?;
                }
            }
        }
    }

    fn root(&mut self, at: usize) -> Result<&mut RootRead<'a>, Unreadable> {
        self.roots
            .get_mut(at)
            .ok_or_else(|| BadAnswer::RootOutOfTurn(at).into())
    }

    fn repository_fact(
        &mut self,
        tag: &[u8],
        cursor: &mut Cursor<'a>,
        close: &[u8],
    ) -> Result<(), Unreadable> {
        let at = cursor.number()?;
        match tag {
            b"T" => {
                let remotes = cursor.field()? == b"1";
                let stashes = digits(cursor.field()?);
                let root = self.root(at)?;
                root.remotes = remotes;
                root.stashes = stashes;
            }
            b"U" => {
                let block = cursor.block(close)?;
                let root = self.root(at)?;
                if block.code != 0 {
                    root.branches_unknown = Some(first_sentence(&block.words));
                }
                let mut stash = false;
                for line in block.bytes.split(|byte| *byte == b'\n') {
                    let Some(blank) = line.iter().position(|byte| *byte == b' ') else {
                        continue;
                    };
                    let (name, upstream) = line.split_at(blank);
                    stash |= name == b"refs/stash";
                    root.upstreams
                        .insert(name, upstream.get(1..).unwrap_or_default());
                }
                root.stashes = match (stash, root.stashes) {
                    (false, _) if block.code == 0 => Some(0),
                    // There is one, and its entries could not be counted.
                    (true, Some(0)) => None,
                    (_, counted) => counted,
                };
            }
            _ => {
                let ids = cursor.field()?;
                let block = cursor.block(close)?;
                let ids = ids.split(|byte| *byte == b' ').filter_map(digits::<usize>);
                self.objects.commits(ids, block.bytes);
            }
        }
        Ok(())
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
    fn record(
        &mut self,
        tag: &[u8],
        cursor: &mut Cursor<'a>,
        close: &[u8],
    ) -> Result<(), Unreadable> {
        match tag {
            b"D" => {
                let id = cursor.number()?;
                let path = cursor.field()?;
                let path = absolute(path).ok_or_else(|| Unreadable::Record(inert(path)))?;
                self.directory = Some((id, path));
            }
            b"L" => {
                let nul = cursor.field()? == b"z";
                let block = cursor.block(close)?;
                self.listed = Some((block.bytes, nul));
            }
            b"B" => {
                let id = cursor.number()?;
                let (top, common) = (cursor.field()?, cursor.field()?);
                let tree = !cursor.field()?.is_empty();
                match (absolute(top), absolute(common)) {
                    (Some(top), Some(common)) => {
                        self.main = Some(Main {
                            id,
                            top,
                            common,
                            tree,
                        });
                    }
                    _ => return Err(Unreadable::Record(inert(top))),
                }
            }
            b"W" => {
                let id = cursor.number()?;
                let (name, raw) = (cursor.field()?, cursor.field()?);
                let place = normal(cursor.field()?);
                let (there, state) = (cursor.field()?, cursor.field()?);
                let why = cursor.text()?;
                let locked = cursor.field()? == b"y";
                let reason = cursor.text()?;
                self.entries.push(Entry {
                    id,
                    name,
                    raw,
                    place,
                    there,
                    state,
                    why,
                    locked,
                    reason,
                });
            }
            b"K" => {
                let found = cursor.field()?;
                let path = HostPath::new(cursor.field()?);
                let detail = cursor.field()?;
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
                self.probes.push((path, probe));
            }
            other => return Err(Unreadable::Record(inert(other))),
        }
        Ok(())
    }
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

impl Objects {
    /// Reads what one `stat` said of several objects; lines that do not match them one to one say nothing.
    fn read(&mut self, tag: &[u8], cursor: &mut Cursor<'_>) -> Result<(), Unreadable> {
        let ids: Vec<usize> = cursor
            .field()?
            .split(|byte| *byte == b' ')
            .filter_map(digits)
            .collect();
        let out = cursor.field()?;
        if tag == b"O" {
            let written = cursor.field()?;
            if let (Some(id), Some(inode), Some(written)) =
                (ids.first(), digits(out), digits(written))
            {
                let origin = Origin::WrittenOnce(written);
                self.generations.insert(*id, Generation { inode, origin });
            }
            return Ok(());
        }
        let lines: Vec<&[u8]> = out.split(|byte| *byte == b'\n').collect();
        if lines.len() != ids.len() {
            return Ok(());
        }
        for (id, line) in ids.into_iter().zip(lines) {
            if tag == b"M" {
                self.mounts.extend(absolute(line).map(|mount| (id, mount)));
            } else {
                self.generations
                    .extend(generation(line).map(|generation| (id, generation)));
            }
        }
        Ok(())
    }

    /// Reads what `git cat-file --batch` printed for the HEADs of these objects, in their order.
    fn commits(&mut self, ids: impl Iterator<Item = usize>, mut bytes: &[u8]) {
        for id in ids {
            let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
                return;
            };
            let (line, rest) = bytes.split_at(end);
            let rest = rest.get(1..).unwrap_or_default();
            let mut words = line.split(|byte| *byte == b' ');
            let header = (
                words.next().and_then(hexadecimal),
                words.next(),
                words.next().and_then(digits::<usize>),
            );
            let (Some(_), Some(kind), Some(size)) = header else {
                bytes = rest;
                continue;
            };
            let Some(content) = rest.get(..size) else {
                return;
            };
            if kind == b"commit" {
                self.commits
                    .extend(commit(content).map(|commit| (id, commit)));
            }
            bytes = rest.get(size + 1..).unwrap_or_default();
        }
    }
}

/// Reads `inode birth`, where birth is GNU's date with nanoseconds or BSD's seconds with a fraction.
fn generation(line: &[u8]) -> Option<Generation> {
    let line = std::str::from_utf8(line).ok()?;
    let (inode, birth) = line.split_once(' ')?;
    let inode = inode.parse().ok()?;
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

fn commit(content: &[u8]) -> Option<LastCommit> {
    let (mut author, mut time) = (None, None);
    let mut lines = content.split(|byte| *byte == b'\n');
    for line in lines.by_ref() {
        if line.is_empty() {
            break;
        }
        if let Some(person) = line.strip_prefix(b"author ") {
            let end = find(person, b" <").unwrap_or(0);
            author = Some(inert(person.get(..end).unwrap_or_default()));
        } else if let Some(person) = line.strip_prefix(b"committer ") {
            let after = person.iter().rposition(|byte| *byte == b'>')? + 1;
            let seconds = person
                .get(after..)?
                .split(|byte| *byte == b' ')
                .find(|word| !word.is_empty())?;
            let seconds = std::str::from_utf8(seconds).ok()?.parse().ok()?;
            time = Timestamp::from_second(seconds).ok();
        }
    }
    let subject = lines.find(|line| !line.is_empty()).unwrap_or_default();
    Some(LastCommit {
        time: time?,
        subject: inert(subject.get(..subject.len().min(1000)).unwrap_or_default()),
        author: author?,
    })
}

impl Told {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Unreadable> {
        let code = cursor.number()?;
        let mut count = || -> Result<u32, Unreadable> {
            let field = cursor.field()?;
            digits(field).ok_or_else(|| Unreadable::Record(inert(field)))
        };
        let (staged, unstaged, untracked, conflicted) = (count()?, count()?, count()?, count()?);
        let _head = cursor.field()?;
        let upstream = cursor.field()?.to_vec();
        let (ahead, behind) = (digits(cursor.field()?), digits(cursor.field()?));
        let unpushed = cursor.field()?.to_vec();
        let _filtered = cursor.field()?;
        let operation = match cursor.field()? {
            b"rebase" => Some(Operation::Rebase),
            b"am" => Some(Operation::Am),
            b"merge" => Some(Operation::Merge),
            b"cherry-pick" => Some(Operation::CherryPick),
            b"revert" => Some(Operation::Revert),
            b"bisect" => Some(Operation::Bisect),
            b"" => None,
            other => return Err(Unreadable::Record(inert(other))),
        };
        let doubt = cursor.text()?;
        Ok(Self {
            code,
            staged,
            unstaged,
            untracked,
            conflicted,
            upstream,
            ahead,
            behind,
            unpushed,
            operation,
            doubt,
        })
    }

    fn facts(&self, root: &RootRead<'_>, head: &Head, last: Option<LastCommit>) -> FactsOutcome {
        let unknown = |reason: &str| FactsOutcome::Unknown {
            reason: reason.to_owned(),
        };
        if self.code != 0 {
            return unknown(if self.doubt.is_empty() {
                "git status failed"
            } else {
                &self.doubt
            });
        }
        if let Some(reason) = &root.branches_unknown {
            return unknown(reason);
        }
        let unpushed = match (head, digits(&self.unpushed)) {
            _ if !root.remotes => Unpushed::NoRemote,
            (Head::Unborn { .. }, _) => Unpushed::Commits { count: 0 },
            (Head::Branch { .. } | Head::Detached { .. }, Some(count)) => {
                Unpushed::Commits { count }
            }
            _ => Unpushed::Unknown {
                reason: "git could not count the commits".to_owned(),
            },
        };
        FactsOutcome::Observed(Facts {
            upstream: self.upstream(root, head),
            unpushed,
            changes: if self.doubt.is_empty() {
                Changes::Counted {
                    staged: self.staged,
                    unstaged: self.unstaged,
                    untracked: self.untracked,
                    conflicted: self.conflicted,
                }
            } else {
                Changes::Unknown {
                    reason: self.doubt.clone(),
                }
            },
            operation: self.operation,
            stashes: root.stashes,
            last_commit: last,
        })
    }

    fn upstream(&self, root: &RootRead<'_>, head: &Head) -> Upstream {
        let name = match head {
            Head::Branch { name, .. } => {
                let full = root.upstreams.get(name.as_bytes()).copied();
                full.unwrap_or_default().to_vec()
            }
            // A branch without commits is in no list of branches: what status shows is the short name.
            Head::Unborn { .. } if !self.upstream.is_empty() => {
                [b"refs/remotes/", self.upstream.as_slice()].concat()
            }
            _ => Vec::new(),
        };
        if name.is_empty() {
            return Upstream::None;
        }
        let local = name.starts_with(b"refs/heads/");
        let name = RefName::new(name);
        match (self.ahead, self.behind) {
            (Some(ahead), Some(behind)) if local => Upstream::Local {
                name,
                ahead,
                behind,
            },
            (Some(ahead), Some(behind)) => Upstream::Remote {
                name,
                ahead,
                behind,
            },
            // A missing count is never "in step".
            _ => Upstream::Gone { name },
        }
    }
}

/// The workspaces of a root that was told whole, and its records that cannot be read; or why it cannot be used.
fn workspaces(
    root: &RootRead<'_>,
    objects: &Objects,
    tier: Tier,
) -> Result<(Vec<Assertion>, Vec<Unread>), &'static str> {
    if let Some((id, path)) = &root.directory {
        let own = Assertion {
            kind: WorkspaceKind::Directory,
            path: path.clone(),
            generation: objects.generations.get(id).copied(),
            mount: objects.mounts.get(id).cloned(),
            standing: Standing::There,
            existence: Existence {
                bare: false,
                admin_name: None,
                common_dir: None,
                head: Head::None,
                locked: None,
            },
            facts: FactsOutcome::NotAsked,
        };
        return Ok((vec![own], Vec::new()));
    }
    let (Some(main), Some((bytes, nul))) = (&root.main, root.listed) else {
        return Err("was told without its list of worktrees");
    };
    let listed = listing::parse(bytes, nul);
    let Some((first, rest)) = listed.split_first() else {
        return Err("was told with an empty list of worktrees");
    };
    let common = main.common.as_bytes();
    let stripped = common.strip_suffix(b"/.git").unwrap_or(common);
    if nul
        && ![common, stripped, main.top.as_bytes()]
            .iter()
            .any(|path| *path == first.path)
    {
        return Err("is answered for by another repository");
    }

    let mut assertions = vec![main_workspace(root, main, first, objects, tier)];
    let mut unread = Vec::new();
    let joined = Joined::of(rest, &root.entries, nul);
    if joined.left_over {
        return Err("changed while it was being read");
    }
    for (entry, matched) in root.entries.iter().zip(joined.matches) {
        match matched {
            Ok((head, record)) => {
                assertions.push(worktree(root, main, entry, head, record, objects, tier));
            }
            Err(reason) => unread.push(Unread {
                admin_name: AdminName::new(entry.name),
                reason,
            }),
        }
    }
    Ok((assertions, unread))
}

fn main_workspace(
    root: &RootRead<'_>,
    main: &Main,
    record: &Listed,
    objects: &Objects,
    tier: Tier,
) -> Assertion {
    let bare = record.bare || !main.tree;
    // Of a bare repository the list says nothing about HEAD.
    let head = record.head.clone();
    let last = objects.commits.get(&main.id).cloned();
    let facts = match (tier, objects.facts.get(&main.id)) {
        (Tier::Existence, _) => FactsOutcome::NotAsked,
        (Tier::Facts, Some(told)) => told.facts(root, &head, last),
        (Tier::Facts, None) if !main.tree => FactsOutcome::Observed(Facts {
            upstream: Upstream::None,
            unpushed: if root.remotes {
                Unpushed::Unknown {
                    reason: "a bare repository has no HEAD of its own to compare".to_owned(),
                }
            } else {
                Unpushed::NoRemote
            },
            changes: Changes::Counted {
                staged: 0,
                unstaged: 0,
                untracked: 0,
                conflicted: 0,
            },
            operation: None,
            stashes: root.stashes,
            last_commit: last,
        }),
        (Tier::Facts, None) => too_late(),
    };
    Assertion {
        kind: WorkspaceKind::Repository,
        path: main.top.clone(),
        generation: objects.generations.get(&main.id).copied(),
        mount: objects.mounts.get(&main.id).cloned(),
        standing: Standing::There,
        existence: Existence {
            bare,
            admin_name: None,
            common_dir: Some(main.common.clone()),
            head,
            locked: None,
        },
        facts,
    }
}

fn too_late() -> FactsOutcome {
    FactsOutcome::Unknown {
        reason: "git did not answer within the time limit".to_owned(),
    }
}

fn worktree(
    root: &RootRead<'_>,
    main: &Main,
    entry: &Entry<'_>,
    head: Head,
    record: &Listed,
    objects: &Objects,
    tier: Tier,
) -> Assertion {
    let standing = match entry.state {
        b"there" => Standing::There,
        b"gone" if entry.locked || record.locked => Standing::Away,
        b"gone" => Standing::Prunable {
            reason: record
                .prunable
                .clone()
                .filter(|reason| !reason.is_empty())
                .unwrap_or_else(|| "its folder is gone".to_owned()),
        },
        _ => Standing::Unknown {
            reason: entry.why.clone(),
        },
    };
    let last = objects.commits.get(&entry.id).cloned();
    let facts = match (tier, objects.facts.get(&entry.id)) {
        (Tier::Existence, _) => FactsOutcome::NotAsked,
        (Tier::Facts, Some(told)) => told.facts(root, &head, last),
        (Tier::Facts, None) if standing == Standing::There => too_late(),
        (Tier::Facts, None) => FactsOutcome::Unknown {
            reason: "its folder cannot be looked into".to_owned(),
        },
    };
    let path = if entry.there.is_empty() {
        entry.place.as_slice()
    } else {
        entry.there
    };
    Assertion {
        kind: WorkspaceKind::Worktree,
        path: HostPath::new(path),
        generation: objects.generations.get(&entry.id).copied(),
        mount: objects.mounts.get(&entry.id).cloned(),
        standing,
        existence: Existence {
            bare: false,
            admin_name: Some(AdminName::new(entry.name)),
            common_dir: Some(main.common.clone()),
            head,
            locked: (entry.locked || record.locked).then(|| entry.reason.clone()),
        },
        facts,
    }
}

/// git's list and the administrative directories, brought together by path: what one has and the other has not
/// is never taken for absent.
struct Joined<'a> {
    /// For each administrative directory, its HEAD and record, or why it cannot be read.
    matches: Vec<Result<(Head, &'a Listed), String>>,
    /// Whether the list has a record that no administrative directory answers for.
    left_over: bool,
}

impl<'a> Joined<'a> {
    fn of(listed: &'a [Listed], entries: &[Entry<'_>], nul: bool) -> Self {
        let mut by_path: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (at, record) in listed.iter().enumerate() {
            by_path.entry(&record.path).or_default().push(at);
        }
        let mut claims: HashMap<&[u8], usize> = HashMap::new();
        for entry in entries {
            *claims.entry(&entry.place).or_default() += 1;
        }
        let mut used: HashSet<usize> = HashSet::new();
        let mut inexact = false;
        let matches = entries
            .iter()
            .map(|entry| {
                let literal = entry.raw.strip_suffix(b"/.git").unwrap_or(entry.raw);
                let records = [entry.place.as_slice(), entry.there, literal]
                    .iter()
                    .filter(|path| !path.is_empty())
                    .find_map(|path| by_path.get(path));
                if let Some(records) = records {
                    used.extend(records);
                }
                if !nul && entry.raw.contains(&b'\n') {
                    inexact = true;
                    return Err(
                        "this host's git is too old to tell a path with a line break exactly"
                            .to_owned(),
                    );
                }
                if entry.state == b"unread" {
                    return Err(entry.why.clone());
                }
                let Some(records) = records else {
                    return Err("git passes over this record".to_owned());
                };
                let several = claims.get(entry.place.as_slice()).is_some_and(|n| *n > 1);
                if several && entry.state != b"there" {
                    return Err("another record claims the same folder".to_owned());
                }
                let all: Vec<&Listed> = records.iter().filter_map(|at| listed.get(*at)).collect();
                let Some(record) = all.first() else {
                    return Err("git passes over this record".to_owned());
                };
                if !nul && (all.len() > 1 || !record.clean) {
                    return Err(
                        "this host's git is too old to tell this record from another".to_owned(),
                    );
                }
                let agreed = all.iter().all(|other| other.head == record.head);
                let head = if agreed {
                    record.head.clone()
                } else {
                    Head::None
                };
                Ok((head, *record))
            })
            .collect();
        let left_over = (0..listed.len()).any(|at| !used.contains(&at)) && !inexact;
        Self { matches, left_over }
    }
}

/// The first line of what a program said, bounded.
fn first_sentence(words: &str) -> String {
    let line = words.split('␊').next().unwrap_or_default();
    let line = line.trim_start_matches("fatal: ").trim();
    line.chars().take(300).collect()
}

impl Fault {
    /// How the root of this fault ends.
    fn outcome(&self, path: &HostPath) -> FailedRoot {
        let shown = path.display();
        let fail = |code, message: String| Failure::new(code, message);
        let denied = || {
            fail(
                FailureCode::PermissionDenied,
                format!("`{shown}` may not be read by the user Rollcall signs in as."),
            )
            .hint("Give that user permission to read it, or sign in as its owner.")
        };
        let unreadable = |why: &str| {
            fail(
                FailureCode::NotReadable,
                format!("git cannot read the repository at `{shown}`: {why}."),
            )
        };
        FailedRoot::Failed(match self.code.as_slice() {
            b"gone" => {
                return FailedRoot::NoSuchFile {
                    mount: self.mount.clone(),
                };
            }
            b"unseen" | b"denied" if self.is_denied() => denied(),
            b"unseen" | b"denied" => fail(
                FailureCode::NotReadable,
                format!("`{shown}` cannot be looked at: {}.", first_sentence(&self.words)),
            )
            .hint("Check the disk it lies on."),
            b"file" => fail(
                FailureCode::NotAFolder,
                format!("`{shown}` is a file and not a folder."),
            )
            .hint("Register the folder it lies in."),
            b"relative" => fail(
                FailureCode::PathNotFound,
                format!("`{shown}` does not start at the root of the host."),
            )
            .hint("Give a path that starts with `/` or `~/`."),
            b"nogit" => fail(
                FailureCode::NoGit,
                format!("`{shown}` cannot be read because no git was found on its host."),
            )
            .hint("Install git there, or put it on the PATH of non-interactive logins."),
            b"link" => unreadable("its `.git` file points nowhere")
                .hint("If its repository has moved, run `git worktree repair` in the repository."),
            b"linked" => unreadable("a linked worktree of another repository stands there now")
                .hint("Register that repository instead."),
            b"none" => unreadable("no repository is there any more")
                .hint("Release it, or restore its `.git`."),
            b"nomain" => fail(
                FailureCode::NotReadable,
                format!(
                    "The repository of `{shown}` keeps its git directory at `{}` and does not say where its \
                     main working tree is.",
                    self.words
                ),
            )
            .hint("Register its main working tree instead."),
            _ if self.words.contains("dubious ownership")
                || self.words.contains("unsafe repository") =>
            {
                fail(
                    FailureCode::DubiousOwnership,
                    format!("git refuses `{shown}` because another user owns it."),
                )
                .hint(format!(
                    "If you trust it, run on that host: git config --global --add safe.directory {}",
                    shell_word(path)
                ))
            }
            _ if self.is_denied() => denied(),
            _ => {
                let why = first_sentence(&self.words);
                unreadable(if why.is_empty() { "it does not say why" } else { &why })
            }
        })
    }

    fn is_denied(&self) -> bool {
        self.words.contains("Permission denied") || self.words.is_empty() && self.code == b"denied"
    }
}

/// A path as a person may paste it into a shell.
fn shell_word(path: &HostPath) -> String {
    let plain = path
        .as_bytes()
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(byte));
    if plain {
        return path.display();
    }
    let mut quoted = Vec::new();
    crate::script::quote(path.as_bytes(), &mut quoted);
    inert(&quoted)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use proptest::prelude::*;
    use rollcall_converge::{HostId, Root, RootId, RootOutcome, RootRequest};
    use rollcall_testkit::repo::Playground;
    use uuid::Uuid;

    use super::*;
    use crate::script::{Question, input};
    use crate::transport::TimeLimits;

    fn call_of(paths: &[&std::path::Path]) -> RollCall {
        let host = HostId::new(Uuid::from_u128(1));
        let roots = paths
            .iter()
            .enumerate()
            .map(|(at, path)| RootRequest {
                root: Root {
                    id: RootId::new(Uuid::from_u128(at as u128)),
                    host,
                    kind: RootKind::Repository,
                    path: HostPath::new(path.as_os_str().as_bytes()),
                    mount: None,
                },
                known: vec![HostPath::new("/no/such")],
            })
            .collect();
        RollCall {
            host,
            tier: Tier::Facts,
            revision: 0,
            roots,
        }
    }

    #[test]
    fn only_what_can_name_a_machine_does() {
        for (said, name) in [
            (
                "0123456789abcdef0123456789ABCDEF",
                "0123456789abcdef0123456789abcdef",
            ),
            (
                "564D1A2B-0000-4000-8000-001122334455",
                "564d1a2b-0000-4000-8000-001122334455",
            ),
            ("", ""),
            ("uninitialized", ""),
            ("00000000-0000-0000-0000-000000000000", ""),
            ("cat: no", ""),
            (&"a".repeat(65), ""),
        ] {
            assert_eq!(machine_name(said), name, "{said}");
        }
    }

    /// A real answer about two repositories and one that is not there.
    fn real() -> (Vec<u8>, Tokens, RollCall) {
        let play = Playground::new().unwrap();
        let one = play.repo("one").unwrap();
        one.worktree("tree", "tree").unwrap();
        let two = play.empty_repo("two").unwrap();
        let none = play.at("none");
        let call = call_of(&[one.path(), two.path(), &none]);
        let tokens = Tokens::random().unwrap();
        let sent = input(&tokens, &Question::Roll(&call), 60);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let bytes = runtime
            .block_on(async {
                let shell = crate::local::shell(&[]);
                crate::local::run(shell, &sent, tokens.end(), &TimeLimits::default()).await
            })
            .unwrap()
            .unwrap();
        (bytes, tokens, call)
    }

    #[test]
    fn i1_b11_an_answer_cut_at_any_byte_is_no_snapshot() {
        let (bytes, tokens, call) = real();
        let now = Timestamp::now();
        assert!(snapshot(&bytes, &tokens, &call, now).is_ok());
        for end in 0..bytes.len() {
            let cut = bytes.get(..end).unwrap();
            assert!(snapshot(cut, &tokens, &call, now).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn i1_a_missing_field_anywhere_is_no_snapshot_of_the_same_roots() {
        let (bytes, tokens, call) = real();
        let now = Timestamp::now();
        let whole = snapshot(&bytes, &tokens, &call, now).unwrap();
        let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        for skip in 0..fields.len() - 1 {
            let mut rest = fields.clone();
            rest.remove(skip);
            let joined = rest.join(&0);
            // What can still be read says no more workspaces gone than the whole answer did.
            if let Ok(read) = snapshot(&joined, &tokens, &call, now) {
                for ((_, before), (_, after)) in whole.roots().iter().zip(read.roots()) {
                    if let (RootOutcome::Complete(before), RootOutcome::Complete(after)) =
                        (before, after)
                    {
                        assert_eq!(
                            before.assertions().len() + before.unread().len(),
                            after.assertions().len() + after.unread().len(),
                            "without field {skip}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn b2_rb02_noise_before_and_after_changes_nothing() {
        let (bytes, tokens, call) = real();
        let now = Timestamp::now();
        let whole = snapshot(&bytes, &tokens, &call, now).unwrap();
        let mut noisy = b"Last login: \x1b[1mtoday\0\r\nWelcome \"{\" 12%\n".to_vec();
        noisy.extend_from_slice(&bytes);
        noisy.extend_from_slice(b"logout\n\0Z\0");
        assert_eq!(snapshot(&noisy, &tokens, &call, now).unwrap(), whole);
    }

    #[test]
    fn rb08_the_script_echoed_back_is_no_answer() {
        let (_, tokens, call) = real();
        let sent = input(&tokens, &Question::Roll(&call), 60);
        let read = snapshot(&sent, &tokens, &call, Timestamp::now());
        assert_eq!(read, Err(Unreadable::NotOpened));
    }

    #[test]
    fn generations_are_read_from_both_kinds_of_stat() {
        let gnu = generation(b"7 2026-12-01 06:47:18.574274199 +0000").unwrap();
        let bsd = generation(b"7 1796107638.574274199").unwrap();
        assert_eq!(gnu, bsd);
        assert!(gnu.is_strong());
        let whole = generation(b"7 1796107638.000000000").unwrap();
        assert_eq!(whole.origin, Origin::BirthSecond(1_796_107_638));
        for nothing in [b"7 -".as_slice(), b"7 0", b"w m", b"", b"7 1.xyz"] {
            assert_eq!(generation(nothing), None);
        }
    }

    fn tokens() -> Tokens {
        Tokens::random().unwrap()
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let tokens = tokens();
            let call = call_of(&[std::path::Path::new("/a")]);
            let mut answer = tokens.opening();
            answer.extend_from_slice(&bytes);
            prop_assert!(snapshot(&answer, &tokens, &call, Timestamp::UNIX_EPOCH).is_err());
        }

        #[test]
        fn any_records_are_read_without_panic(
            fields in prop::collection::vec(prop_oneof![
                prop::sample::select(vec!["S", "R", "E", "X", "I", "G", "O", "M", "F", "T", "U", "C", "D", "L", "B",
                    "W", "K", "Z", "0", "1", "2", "", "z", "/a", "there", "gone", "refs/heads/m x"]),
                Just("CLOSE"),
            ], 0..60)
        ) {
            let tokens = tokens();
            let call = call_of(&[std::path::Path::new("/a")]);
            let close = String::from_utf8(tokens.closing()).unwrap();
            let mut answer = tokens.opening();
            for field in fields {
                answer.extend_from_slice(if field == "CLOSE" { close.as_bytes() } else { field.as_bytes() });
                answer.push(0);
            }
            // Whatever comes out, it came out.
            drop(snapshot(&answer, &tokens, &call, Timestamp::UNIX_EPOCH));
            drop(inspection(&answer, &tokens, &HostPath::new("/a")));
        }
    }
}
