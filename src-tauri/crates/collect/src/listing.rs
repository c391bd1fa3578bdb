//! What `git worktree list --porcelain` prints, with and without `-z`.

use rollcall_converge::{Head, RefName, inert};

/// One record of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The path as git gives it.
    pub(crate) path: Vec<u8>,
    /// What its HEAD points at.
    pub(crate) head: Head,
    /// Whether git calls it bare.
    pub(crate) bare: bool,
    /// Whether git calls it locked.
    pub(crate) locked: bool,
    /// git's reason why the record is stale, if it says so.
    pub(crate) prunable: Option<String>,
    /// Whether every line of the record was understood, none of them twice.
    pub(crate) clean: bool,
}

/// What stands for a line break inside a line, where lines stand for fields that ended in NUL.
pub(crate) const BREAK: u8 = 1;

/// Reads the list, a line for each field. `exact` says whether it was printed with `-z`, with [`BREAK`] for a line break
/// inside a field; else a record whose lines are not exactly those of one worktree is marked as not clean, because a
/// path may hold a line break.
pub(crate) fn parse(bytes: &[u8], exact: bool) -> Vec<Listed> {
    let fields: Vec<Vec<u8>> = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| if exact { broken(line) } else { line.to_vec() })
        .collect();
    let is_first = |field: &&[u8]| field.starts_with(b"worktree ");
    let mut records = Vec::new();
    let mut lines: Vec<&[u8]> = Vec::new();
    for field in fields.iter().map(Vec::as_slice) {
        if is_first(&field) {
            records.extend(record(&lines));
            lines.clear();
        }
        lines.push(field);
    }
    records.extend(record(&lines));
    records
}

/// A name with its line breaks: what cannot be told from them counts as them.
pub(crate) fn broken(name: &[u8]) -> Vec<u8> {
    let back = |byte: &u8| if *byte == BREAK { b'\n' } else { *byte };
    name.iter().map(back).collect()
}

fn record(lines: &[&[u8]]) -> Option<Listed> {
    let (first, rest) = lines.split_first()?;
    let Some(path) = first.strip_prefix(b"worktree ") else {
        return Some(Listed {
            path: Vec::new(),
            head: Head::None,
            bare: false,
            locked: false,
            prunable: None,
            clean: false,
        });
    };
    let (mut commit, mut branch, mut prunable) = (None, None, None);
    let (mut bare, mut detached, mut locked, mut clean) = (false, false, false, true);
    for line in rest {
        let (key, value) = match line.iter().position(|byte| *byte == b' ') {
            Some(at) => line.split_at(at),
            None => (*line, [].as_slice()),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let again = match key {
            b"HEAD" => commit.replace(value).is_some(),
            b"branch" => branch.replace(value).is_some(),
            b"prunable" => prunable.replace(inert(value)).is_some(),
            b"bare" => std::mem::replace(&mut bare, true),
            b"detached" => std::mem::replace(&mut detached, true),
            b"locked" => std::mem::replace(&mut locked, true),
            _ => true,
        };
        clean &= !again;
    }
    let commit = commit.and_then(hexadecimal);
    let born = commit
        .as_ref()
        .is_some_and(|commit| commit.bytes().any(|digit| digit != b'0'));
    let head = match (branch, commit) {
        (Some(name), Some(commit)) if born => Head::Branch {
            name: RefName::new(name),
            commit,
        },
        (Some(name), Some(_)) => Head::Unborn {
            name: Some(RefName::new(name)),
        },
        (None, Some(commit)) if born && detached => Head::Detached { commit },
        _ => Head::None,
    };
    Some(Listed {
        path: path.to_vec(),
        head,
        bare,
        locked,
        prunable,
        clean,
    })
}

/// A commit's name, if it looks like one.
pub(crate) fn hexadecimal(bytes: &[u8]) -> Option<String> {
    let fits = (4..=64).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_hexdigit);
    fits.then(|| bytes.iter().map(|byte| char::from(*byte)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ra05_a_reason_of_several_lines_is_one_field() {
        let list = b"worktree /a\nHEAD 0123456789\nbranch refs/heads/m\nlocked one\x01worktree /etc\x01branch x\n";
        let records = parse(list, true);
        assert_eq!(records.len(), 1);
        assert!(records[0].locked && records[0].clean);
        assert_eq!(records[0].path, b"/a");
    }

    #[test]
    fn ra17_a_branch_without_commits_is_unborn_and_damage_is_nothing() {
        let list =
            b"worktree /a\nHEAD 0000000000\nbranch refs/heads/m\nworktree /b\nHEAD 0000000000\n";
        let records = parse(list, true);
        assert!(
            matches!(&records[0].head, Head::Unborn { name: Some(name) } if name.short() == "m")
        );
        assert_eq!(records[1].head, Head::None);
    }

    #[test]
    fn ra01_without_nul_a_path_with_a_newline_makes_no_clean_record() {
        let list =
            b"worktree /wt\nbranch refs/heads/main\nHEAD 0123456789\nbranch refs/heads/nl\n\n";
        let records = parse(list, false);
        assert_eq!(records.len(), 1);
        assert!(!records[0].clean);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), nul: bool) {
            let records = parse(&bytes, nul);
            prop_assert!(records.len() <= bytes.len());
        }
    }
}
