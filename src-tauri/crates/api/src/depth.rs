//! What a look in depth told, in words.

use rollcall_converge::{
    Deep, Failure, HostPath, MergeState, Size, Unobserved, WorkspaceKind, inert,
};

use crate::wire::LookItem;

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

fn merged(deep: &Deep) -> LookItem {
    let base = deep
        .merged
        .base
        .as_ref()
        .map(rollcall_converge::RefName::short);
    let base = base.as_deref().unwrap_or("its base");
    let words = match &deep.merged.state {
        MergeState::Unknown { reason } => return unknown("Merged", reason),
        MergeState::Base => format!("it is {base} itself"),
        MergeState::Merged => format!("into {base}"),
        MergeState::Rebased => format!("into {base}, commit by commit"),
        MergeState::Squashed => format!("into {base}, as one commit"),
        MergeState::Content => format!("{base} has all it changed"),
        MergeState::New => "nothing was committed on it yet".to_owned(),
        MergeState::Unborn => "it has no commit".to_owned(),
        MergeState::Not { reason } if reason.is_empty() => format!("not into {base}"),
        MergeState::Not { reason } => format!("not into {base}: {}", inert(reason.as_bytes())),
    };
    let matters = matches!(deep.merged.state, MergeState::Not { .. });
    item("Merged", words, matters)
}

/// Bytes as people say them.
fn bytes(count: u64) -> String {
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
pub(crate) fn items(
    deep: &Deep,
    kind: WorkspaceKind,
    size: &Result<Size, Failure>,
) -> Vec<LookItem> {
    let is_git = kind != WorkspaceKind::Directory;
    let mut all = Vec::new();
    if is_git {
        all.push(merged(deep));
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
    all.push(match size {
        Ok(size) => {
            let ignored = size.ignored.map(bytes);
            let ignored = ignored.map(|it| format!(", of which git ignores {it}"));
            let partial = if size.partial {
                ", and more that cannot be read"
            } else {
                ""
            };
            let words = bytes(size.total) + &ignored.unwrap_or_default() + partial;
            item("Size", words, false)
        }
        Err(failure) => unknown("Size", &failure.message),
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

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
