//! Reads the answer about what is in a workspace.

use std::collections::{HashMap, HashSet};

use rollcall_converge::{
    BadAnswer, Beginning, Branch, ChangedFile, Commit, Details, Excerpt, Failure, FailureCode,
    FileChange, HostPath, RefName, Unobserved, inert,
};

use super::deep::fault;
use super::facts::last_commit;
use crate::cursor::{Cursor, Unreadable, digits};
use crate::listing::hexadecimal;
use crate::script::Tokens;

/// Files that are told of many.
const FILES: usize = 500;

type Blocks<'a> = HashMap<&'a [u8], Result<&'a [u8], Unobserved>>;

/// The raw blocks that a host told about one thing at a path, or why it could not be looked at.
fn blocks<'a>(
    bytes: &'a [u8],
    tokens: &Tokens,
    path: &HostPath,
) -> Result<Result<Blocks<'a>, Failure>, Unreadable> {
    let close = tokens.closing();
    let mut cursor = Cursor::after_opening(bytes, tokens)?;
    let mut blocks = Blocks::new();
    let mut complete = false;
    loop {
        match cursor.field()? {
            b"Z" if complete && cursor.field()? == close => return Ok(Ok(blocks)),
            b"S" => cursor.skip(3)?,
            b"X" => return fault(&mut cursor, path).map(Err),
            b"Q" => {
                cursor.number()?;
                let name = cursor.field()?;
                let block = cursor.block(&close)?;
                blocks.insert(name, block);
            }
            b"V" => {
                cursor.number()?;
                complete = cursor.field()? == close;
            }
            b"Z" => return Err(BadAnswer::Unfinished.into()),
            other => return Err(Unreadable::Record(inert(other))),
        }
    }
}

/// Reads what a host told about a workspace, or why it could not be looked at.
pub(crate) fn details(
    bytes: &[u8],
    tokens: &Tokens,
    path: &HostPath,
) -> Result<Result<Details, Failure>, Unreadable> {
    let mut blocks = match blocks(bytes, tokens, path)? {
        Ok(blocks) => blocks,
        Err(failure) => return Ok(Err(failure)),
    };
    let mut told = |name: &[u8]| blocks.remove(name);
    let filtered = match told(b"filtered") {
        Some(Ok(block)) => under_a_filter(block),
        _ => HashSet::new(),
    };
    let list = |told: Result<&[u8], Unobserved>, most| told.map(|block| commits(block, most));
    Ok(Ok(Details {
        heading: told(b"readme").and_then(|block| heading(block.ok()?)),
        changed: told(b"changed").map(|told| changed(told?, &filtered)),
        unpushed: told(b"unpushed").map(|told| list(told, 100)),
        recent: told(b"recent").map(|told| list(told, 20)),
    }))
}

/// Reads which branches a repository has, the newest first; what only names another one is left out.
pub(crate) fn branches(
    bytes: &[u8],
    tokens: &Tokens,
    common: &HostPath,
) -> Result<Result<Vec<Branch>, Failure>, Unreadable> {
    let mut blocks = match blocks(bytes, tokens, common)? {
        Ok(blocks) => blocks,
        Err(failure) => return Ok(Err(failure)),
    };
    let told = blocks.remove(b"branches".as_slice());
    let told = told.ok_or(BadAnswer::Unfinished)?;
    let list = match told {
        Ok(list) => list,
        Err(unobserved) => {
            let words = format!(
                "The branches of `{}` cannot be read: {}.",
                common.display(),
                unobserved.reason
            );
            return Ok(Err(Failure::new(FailureCode::NotReadable, words)));
        }
    };
    let trees = blocks.remove(b"trees".as_slice()).and_then(Result::ok);
    let checked_out: HashSet<&[u8]> = trees
        .unwrap_or_default()
        .split(|byte| *byte == b'\n')
        .collect();
    let branches = list.split(|byte| *byte == b'\n').filter_map(|line| {
        let mut parts = fields(line);
        let (name, time, symbolic) = (parts.next()?, parts.next()?, parts.next()?);
        (name.starts_with(b"refs/") && symbolic.is_empty()).then(|| Branch {
            name: RefName::new(name),
            committed_at: digits(time),
            checked_out: checked_out.contains(name),
        })
    });
    Ok(Ok(branches.collect()))
}

fn fields(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    block.split(|byte| *byte == 0)
}

/// Paths that have a content filter, from `path filter value` over and over.
fn under_a_filter(block: &[u8]) -> HashSet<&[u8]> {
    let all: Vec<_> = fields(block).collect();
    let (triples, _) = all.as_chunks::<3>();
    triples
        .iter()
        .filter(|[_, _, value]| *value != b"unspecified" && *value != b"unset")
        .map(|[path, ..]| *path)
        .collect()
}

/// The first of many; `more` says that others follow those.
fn beginning<T>(mut items: Vec<T>, most: usize, more: bool) -> Beginning<T> {
    let more = more || items.len() > most;
    items.truncate(most);
    Beginning { items, more }
}

fn commits(block: &[u8], most: usize) -> Beginning<Commit> {
    let all: Vec<_> = fields(block).collect();
    let (fours, _) = all.as_chunks::<4>();
    let items = fours
        .iter()
        .filter_map(|[id, time, author, subject]| {
            Some(Commit {
                id: hexadecimal(id)?,
                commit: last_commit(time, author, subject)?,
            })
        })
        .collect();
    beginning(items, most, false)
}

fn one_change(letter: u8) -> Option<FileChange> {
    Some(match letter {
        b'A' => FileChange::Added,
        b'M' => FileChange::Modified,
        b'D' => FileChange::Deleted,
        b'R' => FileChange::Renamed,
        b'C' => FileChange::Copied,
        b'T' => FileChange::Retyped,
        _ => return None,
    })
}

/// What `status --porcelain=v2 -z` printed, and `x` with what it ended with; without that the list was cut off.
fn changed(block: &[u8], filtered: &HashSet<&[u8]>) -> Excerpt<ChangedFile> {
    let mut records: Vec<_> = fields(block).collect();
    // What follows the last NUL is no record.
    records.pop();
    let mut records = records.into_iter();
    let (mut items, mut more) = (Vec::new(), true);
    while let Some(record) = records.next() {
        if let Some(code) = record.strip_prefix(b"x") {
            more = false;
            if digits::<u32>(code) != Some(0) {
                let reason = "git cannot tell what is changed".to_owned();
                return Err(Unobserved { reason });
            }
            break;
        }
        let (kind, words) = match record.first() {
            Some(kind @ b'1') => (kind, 9),
            Some(kind @ b'2') => (kind, 10),
            Some(kind @ b'u') => (kind, 11),
            Some(kind @ b'?') => (kind, 2),
            _ => continue,
        };
        let from = if *kind == b'2' { records.next() } else { None };
        let parts: Vec<_> = record.splitn(words, |byte| *byte == b' ').collect();
        let (Some(states), Some(path)) = (parts.get(1), parts.get(words - 1)) else {
            continue;
        };
        let state = |at: usize| match kind {
            b'u' => Some(FileChange::Conflicted).filter(|_| at == 1),
            b'?' => Some(FileChange::Untracked).filter(|_| at == 1),
            _ => states.get(at).and_then(|letter| one_change(*letter)),
        };
        items.push(ChangedFile {
            path: HostPath::new(*path),
            from: from.map(HostPath::new),
            staged: state(0),
            unstaged: state(1),
            filtered: filtered.contains(path),
        });
    }
    Ok(beginning(items, FILES, more))
}

/// What a README calls what it is about: its first line of words, without the signs that make a heading of it.
fn heading(text: &[u8]) -> Option<String> {
    text.split(|byte| *byte == b'\n').find_map(|line| {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_matches(|it: char| it.is_whitespace() || "#=*_-\u{feff}".contains(it));
        // Markup and pictures say nothing about it.
        let is_words = line.starts_with(char::is_alphanumeric);
        is_words.then(|| inert(line.chars().take(120).collect::<String>().as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_is_called_by_its_first_line_of_words() {
        for (text, words) in [
            ("# Harbor\n\nText", Some("Harbor")),
            (
                "\n<p align=center>\n![x](y)\n\n== Ünder ==\n",
                Some("Ünder"),
            ),
            ("Plain\n=====\n", Some("Plain")),
            ("\u{feff}# **Bold**\r\n", Some("Bold")),
            ("", None),
            ("<img>\n---\n", None),
        ] {
            assert_eq!(heading(text.as_bytes()).as_deref(), words, "{text:?}");
        }
    }

    #[test]
    fn z5_every_record_of_a_status_is_one_file_whatever_its_names() {
        let oid = "0123456789012345678901234567890123456789";
        let block = [
            format!("1 MD N... 100644 100644 000000 {oid} {oid} a b"),
            format!("2 R. N... 100644 100644 100644 {oid} {oid} R100 new name"),
            "x1".to_owned(),
            format!("u UU N... 100644 100644 100644 100644 {oid} {oid} {oid} both"),
            "? x 0".to_owned(),
            "x0\0".to_owned(),
        ]
        .join("\0");
        let filtered = under_a_filter(b"a b\0filter\0lfs\0both\0filter\0unspecified\0");
        let told = changed(block.as_bytes(), &filtered).unwrap();
        assert!(!told.more);
        let file = |path: &str, from: Option<&str>, staged, unstaged| ChangedFile {
            path: HostPath::new(path),
            from: from.map(HostPath::new),
            staged,
            unstaged,
            filtered: path == "a b",
        };
        let (gone, moved) = (Some(FileChange::Deleted), Some(FileChange::Renamed));
        let both = Some(FileChange::Conflicted);
        assert_eq!(
            told.items,
            [
                file("a b", None, Some(FileChange::Modified), gone),
                file("new name", Some("x1"), moved, None),
                file("both", None, None, both),
                file("x 0", None, None, Some(FileChange::Untracked)),
            ]
        );
    }

    #[test]
    fn i13_a_list_that_was_cut_off_or_failed_is_not_taken_for_a_whole_one() {
        let none = HashSet::new();
        assert!(changed(b"? a\0? b", &none).unwrap().more);
        assert!(changed(b"", &none).unwrap().more);
        assert!(!changed(b"? a\0x0\0", &none).unwrap().more);
        assert!(changed(b"? a\0x128\0", &none).is_err());
        assert!(changed(b"x\0", &none).is_err());
    }
}
