//! Reads the answers to questions about single workspaces and folders.

use std::collections::{HashMap, HashSet};

use rollcall_converge::{
    BadAnswer, Candidate, CandidateKind, Deep, Failure, FailureCode, Found, Held, HostPath, Look,
    MergeState, Merged, Process, RefName, Size, Subject, SubmoduleWork, Unobserved, WorkspaceKind,
    inert,
};

use super::unpushed::Graph;
use super::{Fault, Objects, absolute};
use crate::cursor::{Cursor, Unreadable, digits};
use crate::listing::hexadecimal;
use crate::script::Tokens;

/// Fields that ended in NUL, of a raw block.
fn fields(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    block.split(|byte| *byte == 0).filter(|it| !it.is_empty())
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
        .filter(|it| !it.is_empty())
}

/// Takes back what git does to a name with odd bytes: quotes, and a backslash before letters and octal digits.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(inner) = name
        .strip_prefix(b"\"")
        .and_then(|name| name.strip_suffix(b"\""))
    else {
        return name.to_vec();
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let octal = rest.get(..3).and_then(|three| {
            let text = std::str::from_utf8(three).ok()?;
            u8::from_str_radix(text, 8).ok()
        });
        if let Some(value) = octal {
            out.push(value);
            rest = rest.get(3..).unwrap_or_default();
            continue;
        }
        let Some((&letter, after)) = rest.split_first() else {
            break;
        };
        rest = after;
        out.push(match letter {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            other => other,
        });
    }
    out
}

fn paths(text: &[u8]) -> Vec<HostPath> {
    let mut paths: Vec<_> = lines(text)
        .map(|name| HostPath::new(unquoted(name)))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Everything that was said of one workspace.
#[derive(Default)]
struct Said<'a> {
    ended: bool,
    unseen: Option<(Vec<u8>, String)>,
    merged: Option<Merged>,
    host_time: Option<i64>,
    blocks: HashMap<&'a [u8], Result<&'a [u8], Unobserved>>,
}

/// Reads the answer about some workspaces: for each, what was seen or why it could not be looked at.
pub(crate) fn looks(
    bytes: &[u8],
    tokens: &Tokens,
    subjects: &[Subject],
) -> Result<Vec<Result<Look, Failure>>, Unreadable> {
    let close = tokens.closing();
    let mut cursor = Cursor::after_opening(bytes, tokens)?;
    let mut said: Vec<Said<'_>> = subjects.iter().map(|_| Said::default()).collect();
    let mut objects = Objects::default();
    loop {
        let tag = cursor.field()?;
        if tag == b"Z" {
            if cursor.field()? != close || said.iter().any(|it| !it.ended) {
                return Err(BadAnswer::Unfinished.into());
            }
            break;
        }
        match tag {
            b"S" => {
                cursor.skip(3)?;
                continue;
            }
            b"g" | b"G" => {
                objects.read(tag, &mut cursor)?;
                continue;
            }
            b"P" | b"p" => {
                objects.take_piece(tag, &mut cursor)?;
                continue;
            }
            _ => {}
        }
        let number = cursor.number()?;
        let one = number
            .checked_sub(1)
            .and_then(|at| said.get_mut(at))
            .filter(|it| !it.ended)
            .ok_or(BadAnswer::RootOutOfTurn(number))?;
        match tag {
            b"N" => one.unseen = Some((cursor.field()?.to_vec(), cursor.text()?)),
            b"C" => one.host_time = digits(cursor.field()?),
            b"M" => {
                let known = subjects.get(number - 1).and_then(|it| it.known.as_ref());
                one.merged = Some(merged(&mut cursor, known)?);
            }
            b"Q" => {
                let name = cursor.field()?;
                let block = cursor.block(&close)?;
                one.blocks.insert(name, block);
            }
            b"V" => {
                if cursor.field()? != close {
                    return Err(BadAnswer::RootOutOfTurn(number).into());
                }
                one.ended = true;
            }
            other => return Err(Unreadable::Record(inert(other))),
        }
    }
    let all = subjects.iter().zip(said).enumerate();
    Ok(all
        .map(|(at, (subject, said))| look(at + 1, subject, said, &objects))
        .collect())
}

/// Whether it is merged; `known` is what was said when it was compared last.
fn merged(cursor: &mut Cursor<'_>, known: Option<&Merged>) -> Result<Merged, Unreadable> {
    let state = cursor.field()?;
    let base = cursor.field()?;
    let (base_commit, head_commit) = (hexadecimal(cursor.field()?), hexadecimal(cursor.field()?));
    let reason = cursor.text()?;
    Ok(Merged {
        base: (!base.is_empty()).then(|| RefName::new(base)),
        base_commit,
        head_commit,
        state: match state {
            b"base" => MergeState::Base,
            b"merged" => MergeState::Merged,
            b"rebased" => MergeState::Rebased,
            b"squashed" => MergeState::Squashed,
            b"content" => MergeState::Content,
            b"new" => MergeState::New,
            b"same" => {
                let known = known.ok_or_else(|| Unreadable::Record(inert(state)))?;
                known.state.clone()
            }
            b"unborn" => MergeState::Unborn,
            b"no" => MergeState::Not { reason },
            b"unknown" => MergeState::Unknown { reason },
            other => return Err(Unreadable::Record(inert(other))),
        },
    })
}

fn look(
    number: usize,
    subject: &Subject,
    said: Said<'_>,
    objects: &Objects<'_>,
) -> Result<Look, Failure> {
    let shown = subject.path.display();
    if let Some((code, words)) = said.unseen {
        if code == b"gone" {
            let words = format!("There is no `{shown}` on this host any more.");
            return Err(Failure::new(FailureCode::PathNotFound, words).hint("Sync its host."));
        }
        let words = format!("`{shown}` cannot be looked at: {words}.");
        return Err(Failure::new(FailureCode::NotReadable, words)
            .hint("Check that the user Rollcall signs in as may read it."));
    }
    let unobserved = |reason: String| Unobserved { reason };
    let piece = |name: &'static [u8]| objects.piece(number, name).map_err(unobserved);
    let block = |name: &'static [u8]| {
        let told = said.blocks.get(name).cloned();
        told.unwrap_or_else(|| Err(unobserved("the host did not tell".to_owned())))
    };
    let is_git = subject.kind != WorkspaceKind::Directory;
    let links: HashSet<Vec<u8>> = piece(b"links")
        .map(|text| lines(text).map(unquoted).collect())
        .unwrap_or_default();
    let deep = Deep {
        merged: said.merged.unwrap_or(Merged {
            base: None,
            base_commit: None,
            head_commit: None,
            state: MergeState::Unknown {
                reason: "it is not in git".to_owned(),
            },
        }),
        unheld: if is_git {
            piece(b"only").map(|text| u32::try_from(commits(text).count()).unwrap_or(u32::MAX))
        } else {
            Ok(0)
        },
        unheld_commits: piece(b"only").map_or_else(|_| Vec::new(), |text| commits(text).collect()),
        held: if subject.kind == WorkspaceKind::Repository {
            piece(b"refs").and_then(|refs| Ok(held(refs, piece(b"held")?)))
        } else {
            Ok(Vec::new())
        },
        hidden: none_unless(is_git, piece(b"hidden").map(paths)),
        precious: none_unless(is_git, piece(b"precious").map(paths)),
        nested: block(b"nested").map(|found| nested(found, subject, &links)),
        in_use: block(b"use").map(|found| fields(found).filter_map(process).collect()),
        submodules: if is_git {
            piece(b"submodules").map(|text| lines(text).filter_map(submodule).collect())
        } else {
            Ok(Vec::new())
        },
        digest: piece(b"digest").map(|word| inert(word.trim_ascii())),
    };
    Ok(Look {
        generation: objects.generations.get(&number).copied(),
        host_time: said.host_time,
        deep,
    })
}

fn commits(text: &[u8]) -> impl Iterator<Item = String> {
    lines(text).filter_map(hexadecimal)
}

/// `commits edits path`.
fn submodule(line: &[u8]) -> Option<SubmoduleWork> {
    let mut words = line.splitn(3, |byte| *byte == b' ');
    Some(SubmoduleWork {
        commits: digits(words.next()?)?,
        edits: digits(words.next()?)?,
        path: HostPath::new(words.next()?),
    })
}

fn none_unless(
    asked: bool,
    told: Result<Vec<HostPath>, Unobserved>,
) -> Result<Vec<HostPath>, Unobserved> {
    if asked { told } else { Ok(Vec::new()) }
}

/// `number name`.
fn process(field: &[u8]) -> Option<Process> {
    let blank = field.iter().position(|byte| *byte == b' ')?;
    let (id, name) = field.split_at(blank);
    Some(Process {
        id: digits(id)?,
        name: inert(name.get(1..).unwrap_or_default()),
    })
}

/// References that reach commits no remote has. `commits` are all of those, with their parents.
fn held(refs: &[u8], commits: &[u8]) -> Vec<Held> {
    let graph = Graph::read(commits, std::iter::empty());
    let mut held = Vec::new();
    for line in lines(refs) {
        let mut words = line.split(|byte| *byte == b' ');
        let name = words.next().unwrap_or_default();
        // A tag with a message is followed by the commit it is about.
        let Some(commit) = words.filter_map(hexadecimal).next_back() else {
            continue;
        };
        let (count, _) = graph.count(&commit, None);
        if count > 0 && name.starts_with(b"refs/") {
            held.push(Held {
                name: RefName::new(name),
                commits: count,
            });
        }
    }
    held
}

/// Git directories among what a walk found: `.git` itself, or a folder that has a HEAD, objects and refs. The workspace's
/// own does not count, nor do its submodules.
fn nested(found: &[u8], subject: &Subject, links: &HashSet<Vec<u8>>) -> Vec<HostPath> {
    let top = subject.path.as_bytes();
    let below = |path: &[u8]| -> Option<Vec<u8>> {
        let rest = path.strip_prefix(top)?;
        Some(rest.strip_prefix(b"/").unwrap_or(rest).to_vec())
    };
    let mut parts: HashMap<Vec<u8>, HashSet<Vec<u8>>> = HashMap::new();
    let mut nested = Vec::new();
    for path in fields(found) {
        let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let (folder, name) = path.split_at(end);
        let name = name.get(1..).unwrap_or_default();
        if name == b".git" {
            if folder != top && below(folder).is_some_and(|it| !links.contains(&it)) {
                nested.push(HostPath::new(folder));
            }
            continue;
        }
        let all = parts.entry(folder.to_vec()).or_default();
        if all.insert(name.to_vec()) && all.len() == 3 && folder != top {
            nested.push(HostPath::new(folder));
        }
    }
    nested.sort();
    nested.dedup();
    nested
}

/// Reads the answer to a search.
pub(crate) fn found(
    bytes: &[u8],
    tokens: &Tokens,
    folder: &HostPath,
) -> Result<Result<Found, Failure>, Unreadable> {
    let close = tokens.closing();
    let mut cursor = Cursor::after_opening(bytes, tokens)?;
    let mut found = Found::default();
    let mut seen = HashSet::new();
    let mut complete = false;
    loop {
        match cursor.field()? {
            b"Z" if complete && cursor.field()? == close => return Ok(Ok(found)),
            b"S" => cursor.skip(3)?,
            b"X" => return fault(&mut cursor, folder).map(Err),
            b"C" => {
                let kind = match cursor.field()? {
                    b"repository" => CandidateKind::Repository,
                    b"bare" => CandidateKind::Bare,
                    b"worktree" => CandidateKind::Worktree,
                    b"linked" => CandidateKind::Linked,
                    other => return Err(Unreadable::Record(inert(other))),
                };
                let path = HostPath::new(cursor.field()?);
                if seen.insert(path.clone()) {
                    found.candidates.push(Candidate { path, kind });
                }
            }
            b"U" => found.unreadable.extend(absolute(cursor.field()?)),
            b"Q" => {
                found.looked_at = cursor.number()? as u64;
                complete = cursor.field()? == close;
            }
            other => return Err(Unreadable::Record(inert(other))),
        }
    }
}

/// Reads the answer to a measurement.
pub(crate) fn size(
    bytes: &[u8],
    tokens: &Tokens,
    folder: &HostPath,
) -> Result<Result<Size, Failure>, Unreadable> {
    let close = tokens.closing();
    let mut cursor = Cursor::after_opening(bytes, tokens)?;
    let mut size = None;
    loop {
        match cursor.field()? {
            b"Z" if cursor.field()? == close => {
                return size.map(Ok).ok_or_else(|| BadAnswer::Unfinished.into());
            }
            b"S" => cursor.skip(3)?,
            b"X" => return fault(&mut cursor, folder).map(Err),
            b"Q" => {
                let total: u64 = cursor.number()? as u64;
                let ignored: Option<u64> = digits(cursor.field()?);
                let partial = cursor.field()? == b"y";
                if cursor.field()? != close {
                    return Err(BadAnswer::Unfinished.into());
                }
                size = Some(Size {
                    total: total.saturating_mul(1024),
                    ignored: ignored.map(|it| it.saturating_mul(1024)),
                    partial,
                });
            }
            other => return Err(Unreadable::Record(inert(other))),
        }
    }
}

/// Why a folder could not be looked at.
pub(super) fn fault(cursor: &mut Cursor<'_>, folder: &HostPath) -> Result<Failure, Unreadable> {
    cursor.number()?;
    let fault = Fault {
        code: cursor.field()?.to_vec(),
        mount: absolute(cursor.field()?),
        words: cursor.text()?,
    };
    Ok(fault.failure(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a2_names_that_git_quotes_are_read_back() {
        assert_eq!(unquoted(b"plain name"), b"plain name");
        assert_eq!(
            unquoted(br#""a\tb\"c\\\303\251\n""#),
            b"a\tb\"c\\\xc3\xa9\n"
        );
        assert_eq!(unquoted(br#""\"#), br#""\"#);
    }
}
