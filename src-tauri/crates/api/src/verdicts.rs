//! Verdicts in words.

use rollcall_converge::{Block, HostPath, Lost, Operation, Verdict, VerdictState, inert};

use crate::wire::{ItemKind, VerdictItem, VerdictKind};

/// Names that are shown of many.
const SHOWN: usize = 50;

pub(crate) fn kind(verdict: &Verdict) -> VerdictKind {
    match verdict.state() {
        VerdictState::Safe => VerdictKind::Safe,
        VerdictState::Loses => VerdictKind::Loses,
        VerdictState::Blocked => VerdictKind::Blocked,
        VerdictState::Unknown => VerdictKind::Unknown,
    }
}

/// Everything a verdict follows from: what blocks, then what is unknown, then what would be lost.
pub(crate) fn items(verdict: &Verdict) -> Vec<VerdictItem> {
    let blocks = verdict.blocks.iter().map(block);
    let mut reasons = verdict.unknown.clone();
    reasons.sort();
    reasons.dedup();
    let unknown = reasons.into_iter().map(|reason| VerdictItem {
        kind: ItemKind::Unknown,
        words: format!("Unknown: {}", inert(reason.as_bytes())),
        names: Vec::new(),
    });
    let losses = verdict.losses.iter().map(lost);
    blocks.chain(unknown).chain(losses).collect()
}

fn item(kind: ItemKind, words: impl Into<String>, names: Vec<String>) -> VerdictItem {
    let mut names = names;
    names.truncate(SHOWN);
    VerdictItem {
        kind,
        words: words.into(),
        names,
    }
}

fn shown(paths: &[HostPath]) -> Vec<String> {
    paths.iter().map(HostPath::display).collect()
}

/// `1 file`, `2 files`.
pub(crate) fn count(count: usize, one: &str, many: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {many}")
    }
}

fn many(number: u32, one: &str, other: &str) -> String {
    count(number as usize, one, other)
}

fn block(block: &Block) -> VerdictItem {
    let of = |words: String, names| item(ItemKind::Block, words, names);
    match block {
        Block::Locked { reason } if reason.is_empty() => of("It is locked".to_owned(), Vec::new()),
        Block::Locked { reason } => of(
            format!("It is locked: {}", inert(reason.as_bytes())),
            Vec::new(),
        ),
        Block::Operation { operation } => {
            let name = match operation {
                Operation::Rebase => "A rebase",
                Operation::Merge => "A merge",
                Operation::CherryPick => "A cherry-pick",
                Operation::Revert => "A revert",
                Operation::Bisect => "A bisect",
                Operation::Am => "Applying mail",
            };
            of(format!("{name} is in progress"), Vec::new())
        }
        Block::IndexLocked => of(
            "Another git holds its index, or left the lock behind".to_owned(),
            Vec::new(),
        ),
        Block::InUse { processes } => of(
            format!(
                "{} inside",
                count(processes.len(), "process works", "processes work")
            ),
            processes
                .iter()
                .map(|it| format!("{} ({})", inert(it.name.as_bytes()), it.id))
                .collect(),
        ),
        Block::Pinned => of("It is pinned".to_owned(), Vec::new()),
        Block::Nested { paths } => of(
            format!(
                "It contains {}",
                count(
                    paths.len(),
                    "other repository or worktree",
                    "other repositories or worktrees"
                )
            ),
            shown(paths),
        ),
        Block::Lent { to } => of(
            format!(
                "{} its objects",
                count(
                    to.len(),
                    "other repository borrows",
                    "other repositories borrow"
                )
            ),
            shown(to),
        ),
        Block::Worktrees { count: number } => of(
            format!(
                "It has {}",
                many(*number, "linked worktree", "linked worktrees")
            ),
            Vec::new(),
        ),
    }
}

fn lost(lost: &Lost) -> VerdictItem {
    let of = |words: String, names| item(ItemKind::Loss, words, names);
    match lost {
        Lost::Edits { count } => of(many(*count, "edited file", "edited files"), Vec::new()),
        Lost::Untracked { count } => of(
            format!(
                "{} that git does not know",
                many(*count, "file or folder", "files or folders")
            ),
            Vec::new(),
        ),
        Lost::Hidden { paths } => of(
            format!(
                "{} hidden from git status",
                count(paths.len(), "edit", "edits")
            ),
            shown(paths),
        ),
        Lost::Commits { count, branch } => {
            let number = count.map_or_else(
                || "Commits, of which no remote could have any".to_owned(),
                |count| format!("{} that nothing else has", many(count, "commit", "commits")),
            );
            let held = if *branch {
                "; the branch keeps them"
            } else {
                ""
            };
            of(format!("{number}{held}"), Vec::new())
        }
        Lost::OwnCommits { count } => of(
            format!(
                "{} that only its reflog or its own references hold",
                many(*count, "commit", "commits")
            ),
            Vec::new(),
        ),
        Lost::Stashes { count } => of(many(*count, "stash", "stashes"), Vec::new()),
        Lost::Precious { paths } => of(
            format!(
                "{} that nobody can make again",
                count(paths.len(), "ignored file", "ignored files")
            ),
            shown(paths),
        ),
        Lost::References { held } => of(
            format!(
                "{} with commits that no remote has",
                count(
                    held.len(),
                    "branch, tag or stash",
                    "branches, tags and stashes"
                )
            ),
            held.iter()
                .map(|it| {
                    format!(
                        "{}: {}",
                        it.name.short(),
                        many(it.commits, "commit", "commits")
                    )
                })
                .collect(),
        ),
        Lost::Submodules { work } => of(
            format!("Work in {}", count(work.len(), "submodule", "submodules")),
            work.iter()
                .map(|it| {
                    format!(
                        "{}: {}, {}",
                        it.path.display(),
                        many(it.commits, "commit", "commits"),
                        many(it.edits, "file", "files")
                    )
                })
                .collect(),
        ),
        Lost::Everything => of("Everything in this folder".to_owned(), Vec::new()),
    }
}
