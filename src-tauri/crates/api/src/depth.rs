//! What a look in depth told, in words.

use jiff::Timestamp;
use rollcall_converge::{
    ChangedFile, Commit, Deep, Excerpt, FileChange, HostPath, MergeState, Merged, Size, Unobserved,
    WorkspaceKind, inert,
};

use crate::wire::{DepthView, DetailLine, DetailPart, Details, LookItem, MergedKind, SizeView};

/// Names that are shown of many.
const SHOWN: usize = 50;

fn item(name: &str, words: impl Into<String>, matters: bool) -> LookItem {
    LookItem {
        name: name.to_owned(),
        words: words.into(),
        names: Vec::new(),
        known: true,
        matters,
    }
}

fn unknown(name: &str, reason: &str) -> LookItem {
    LookItem {
        known: false,
        ..item(name, inert(reason.as_bytes()), false)
    }
}

fn names(name: &str, told: Result<Vec<String>, &Unobserved>) -> LookItem {
    match told {
        Err(Unobserved { reason }) => unknown(name, reason),
        Ok(all) if all.is_empty() => item(name, "none", false),
        Ok(mut all) => {
            let words = all.len().to_string();
            all.truncate(SHOWN);
            LookItem {
                names: all,
                ..item(name, words, true)
            }
        }
    }
}

fn paths(name: &str, told: &Result<Vec<HostPath>, Unobserved>) -> LookItem {
    let shown = told.as_ref();
    names(
        name,
        shown.map(|all| all.iter().map(HostPath::display).collect()),
    )
}

/// Whether and how it is merged.
pub(crate) fn merged_words(merged: &Merged) -> String {
    let base = merged.base.as_ref().map(rollcall_converge::RefName::short);
    let base = base.as_deref().unwrap_or("its base");
    match &merged.state {
        MergeState::Unknown { reason } => format!("unknown: {}", inert(reason.as_bytes())),
        MergeState::Base => format!("it is {base} itself"),
        MergeState::Merged => format!("into {base}"),
        MergeState::Rebased => format!("into {base}, commit by commit"),
        MergeState::Squashed => format!("into {base}, as one commit"),
        MergeState::Content => format!("{base} has all it changed"),
        MergeState::New => "nothing was committed on it yet".to_owned(),
        MergeState::Unborn => "it has no commit".to_owned(),
        MergeState::Not { reason } if reason.is_empty() => format!("not into {base}"),
        MergeState::Not { reason } => format!("not into {base}: {}", inert(reason.as_bytes())),
    }
}

/// Whether it is merged, in one word. What has no commit, or is the base, is not.
pub(crate) fn merged_kind(merged: Option<&Merged>) -> MergedKind {
    match merged.map(|it| &it.state) {
        None | Some(MergeState::Unknown { .. }) => MergedKind::Unknown,
        Some(state) if state.is_merged() => MergedKind::Yes,
        Some(_) => MergedKind::No,
    }
}

fn merged(merged: &Merged) -> LookItem {
    match &merged.state {
        MergeState::Unknown { reason } => unknown("Merged", reason),
        state => {
            let matters = matches!(state, MergeState::Not { .. });
            item("Merged", merged_words(merged), matters)
        }
    }
}

/// Bytes as people say them.
pub(crate) fn bytes(count: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    let mut rest = count;
    while rest >= 10_240 && unit + 1 < units.len() {
        rest /= 1024;
        unit += 1;
    }
    format!("{rest} {}", units.get(unit).copied().unwrap_or_default())
}

/// All that was seen, one thing after another.
pub(crate) fn view(at: Timestamp, deep: &Deep, kind: WorkspaceKind) -> DepthView {
    let is_git = kind != WorkspaceKind::Directory;
    let mut all = Vec::new();
    if is_git {
        all.push(merged(&deep.merged));
        all.push(match &deep.unheld {
            Ok(0) => item("Only in its reflog", "nothing", false),
            Ok(count) => item("Only in its reflog", format!("commits: {count}"), true),
            Err(Unobserved { reason }) => unknown("Only in its reflog", reason),
        });
    }
    if kind == WorkspaceKind::Repository {
        let held = deep.held.as_ref().map(|all| {
            let line =
                |it: &rollcall_converge::Held| format!("{}: {}", it.name.display(), it.commits);
            all.iter().map(line).collect()
        });
        all.push(names("References on no remote", held));
    }
    if is_git {
        all.push(paths("Hidden edits", &deep.hidden));
        all.push(paths("Ignored and precious", &deep.precious));
    }
    all.push(paths("Repositories inside", &deep.nested));
    let users = deep.in_use.as_ref().map(|all| {
        let line = |it: &rollcall_converge::Process| format!("{} ({})", it.name, it.id);
        all.iter().map(line).collect()
    });
    all.push(names("In use by", users));
    DepthView { at, items: all }
}

/// How large a workspace is.
pub(crate) fn size(at: Timestamp, size: &Size) -> SizeView {
    let ignored = size.ignored.map(bytes);
    let ignored = ignored.map(|it| format!(", of which git ignores {it}"));
    let partial = if size.partial {
        ", and more that cannot be read"
    } else {
        ""
    };
    SizeView {
        at,
        words: bytes(size.total) + &ignored.unwrap_or_default() + partial,
    }
}

/// What is in a workspace.
pub(crate) fn details(told: &rollcall_converge::Details) -> Details {
    let changed = told.changed.as_ref();
    let (unpushed, recent) = (told.unpushed.as_ref(), told.recent.as_ref());
    let parts = [
        changed.map(|it| part("Changed files", it, changed_line)),
        unpushed.map(|it| part("On no remote", it, commit_line)),
        recent.map(|it| part("Last commits", it, commit_line)),
    ];
    Details {
        heading: told.heading.as_ref().map(|it| inert(it.as_bytes())),
        parts: parts.into_iter().flatten().collect(),
    }
}

fn part<T>(name: &str, told: &Excerpt<T>, line: impl Fn(&T) -> DetailLine) -> DetailPart {
    let (lines, more, unknown) = match told {
        Ok(list) => (list.items.iter().map(line).collect(), list.more, None),
        Err(Unobserved { reason }) => (Vec::new(), false, Some(inert(reason.as_bytes()))),
    };
    DetailPart {
        name: name.to_owned(),
        lines,
        more,
        unknown,
    }
}

fn commit_line(commit: &Commit) -> DetailLine {
    DetailLine {
        mark: commit.id.chars().take(8).collect(),
        text: match inert(commit.commit.subject.as_bytes()) {
            empty if empty.is_empty() => "(no subject)".to_owned(),
            subject => subject,
        },
        note: inert(commit.commit.author.as_bytes()),
        at: Some(commit.commit.time),
    }
}

fn changed_line(file: &ChangedFile) -> DetailLine {
    let word = |change| match change {
        FileChange::Added => "new",
        FileChange::Untracked => "untracked",
        FileChange::Modified => "edited",
        FileChange::Deleted => "deleted",
        FileChange::Renamed => "renamed",
        FileChange::Copied => "copied",
        FileChange::Retyped => "other kind",
        FileChange::Conflicted => "conflict",
    };
    // What is staged is named first; an edit on top of it is said beside it.
    let mark = file.staged.or(file.unstaged).map_or("changed", word);
    let mut notes = Vec::new();
    if let Some(from) = &file.from {
        notes.push(format!("from {}", from.display()));
    }
    match (file.staged, file.unstaged) {
        (Some(_), None) => notes.push("staged".to_owned()),
        (Some(_), Some(then)) => notes.push(format!("staged, then {}", word(then))),
        _ => {}
    }
    if file.filtered {
        notes.push("unsure: it is under a content filter, which is not run".to_owned());
    }
    DetailLine {
        mark: mark.to_owned(),
        text: file.path.display(),
        note: notes.join(", "),
        at: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_says_what_was_done_to_it_and_how_far_that_is_staged() {
        let line = |staged, unstaged, from: Option<&str>, filtered| {
            let line = changed_line(&ChangedFile {
                path: HostPath::new("a\nb"),
                from: from.map(HostPath::new),
                staged,
                unstaged,
                filtered,
            });
            assert_eq!(line.text, "a␊b");
            (line.mark, line.note)
        };
        let said = |mark: &str, note: &str| (mark.to_owned(), note.to_owned());
        let edited = Some(FileChange::Modified);
        assert_eq!(line(None, edited, None, false), said("edited", ""));
        let added = Some(FileChange::Added);
        assert_eq!(
            line(added, edited, None, false),
            said("new", "staged, then edited")
        );
        let moved = Some(FileChange::Renamed);
        assert_eq!(
            line(moved, None, Some("c"), false),
            said("renamed", "from c, staged")
        );
        let (mark, note) = line(None, edited, None, true);
        assert!(mark == "edited" && note.contains("content filter"));
    }

    #[test]
    fn sizes_are_said_with_at_least_two_digits() {
        for (count, words) in [
            (0, "0 bytes"),
            (10_239, "10239 bytes"),
            (10_240, "10 KiB"),
            (15 << 20, "15 MiB"),
            (3 << 40, "3072 GiB"),
        ] {
            assert_eq!(bytes(count), words);
        }
    }
}
