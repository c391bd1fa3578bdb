//! What would be lost with a workspace, and what keeps it from going. Everything that is needed and not known makes it
//! unknown: nothing is safe by default (I13).

use serde::{Deserialize, Serialize};

use crate::bytes::HostPath;
use crate::deep::{Held, Look, MergeState, Process, SubmoduleWork};
use crate::observation::{Changes, Operation, Unpushed, WorkspaceKind};
use crate::plan::{MirrorRow, Presence};

/// Something that exists nowhere else and would go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Lost {
    /// Edits of files that git knows, staged or not.
    Edits {
        /// How many, conflicts included.
        count: u32,
    },
    /// Files, or folders of files, that git does not know.
    Untracked {
        /// How many.
        count: u32,
    },
    /// Edited files that git was told not to look at.
    Hidden {
        /// Which.
        paths: Vec<HostPath>,
    },
    /// Commits of HEAD that no remote and no other branch has, and that are not in the base either.
    Commits {
        /// How many; `None` where no remote could have any.
        count: Option<u32>,
        /// Whether a branch holds them that is not deleted with it.
        branch: bool,
    },
    /// Commits that only this working tree's reflog or its own references hold.
    OwnCommits {
        /// How many.
        count: u32,
    },
    /// Entries of the stash.
    Stashes {
        /// How many.
        count: u32,
    },
    /// Ignored files that nobody can make again.
    Precious {
        /// Which.
        paths: Vec<HostPath>,
    },
    /// References of a repository that reach commits no remote has.
    References {
        /// Which.
        held: Vec<Held>,
    },
    /// Work in submodules.
    Submodules {
        /// Which.
        work: Vec<SubmoduleWork>,
    },
    /// A plain directory: whatever is in it.
    Everything,
}

/// Something that keeps a workspace from going at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Block {
    /// It is locked.
    Locked {
        /// git's reason, possibly empty.
        reason: String,
    },
    /// Something is in progress in it.
    Operation {
        /// What.
        operation: Operation,
    },
    /// Another git holds its index, or left the lock of it behind.
    IndexLocked,
    /// Somebody works inside.
    InUse {
        /// Who.
        processes: Vec<Process>,
    },
    /// A person pinned it.
    Pinned,
    /// It contains other working trees or repositories.
    Nested {
        /// Which.
        paths: Vec<HostPath>,
    },
    /// Other repositories borrow its objects.
    Lent {
        /// Which.
        to: Vec<HostPath>,
    },
    /// It has linked worktrees, which would be left without a repository.
    Worktrees {
        /// How many.
        count: u32,
    },
}

/// The word for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictState {
    /// Nothing of it exists only here.
    Safe,
    /// Something would be lost.
    Loses,
    /// It cannot go as it is.
    Blocked,
    /// Something that has to be known is not.
    Unknown,
}

/// What is to be said of a workspace that may go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// What keeps it from going.
    pub blocks: Vec<Block>,
    /// What is not known and would have to be.
    pub unknown: Vec<String>,
    /// What would be lost, as far as it is known.
    pub losses: Vec<Lost>,
}

impl Verdict {
    /// The word for it. What blocks is told before what is not known, and that before what is lost.
    pub fn state(&self) -> VerdictState {
        if !self.blocks.is_empty() {
            VerdictState::Blocked
        } else if !self.unknown.is_empty() {
            VerdictState::Unknown
        } else if !self.losses.is_empty() {
            VerdictState::Loses
        } else {
            VerdictState::Safe
        }
    }
}

/// Everything that a verdict follows from.
#[derive(Clone, Copy, Debug)]
pub struct Weighed<'a> {
    /// The row.
    pub row: &'a MirrorRow,
    /// What was seen of it in depth, of whatever generation.
    pub look: Option<&'a Look>,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Repositories of its host that borrow its objects.
    pub lent_to: &'a [HostPath],
    /// Linked worktrees of a repository, with whether a deletion of each is pending.
    pub worktrees: &'a [(HostPath, bool)],
}

/// Weighs what is known of a workspace.
pub fn verdict(weighed: &Weighed<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    from_the_mirror(weighed, &mut verdict);
    match weighed.look {
        None => verdict.unknown.push("it was not checked".to_owned()),
        Some(look)
            if look.generation.is_none() || look.generation != weighed.row.state.generation =>
        {
            verdict
                .unknown
                .push("it was checked when another workspace stood there".to_owned());
        }
        Some(look) => from_a_look(weighed, look, &mut verdict),
    }
    verdict
}

fn from_the_mirror(weighed: &Weighed<'_>, verdict: &mut Verdict) {
    let state = &weighed.row.state;
    if let Some(reason) = &state.existence.locked {
        verdict.blocks.push(Block::Locked {
            reason: reason.clone(),
        });
    }
    if weighed.pinned {
        verdict.blocks.push(Block::Pinned);
    }
    if !weighed.lent_to.is_empty() {
        verdict.blocks.push(Block::Lent {
            to: weighed.lent_to.to_vec(),
        });
    }
    let staying = weighed.worktrees.iter().filter(|(_, goes)| !goes).count();
    if staying > 0 {
        verdict.blocks.push(Block::Worktrees {
            count: u32::try_from(staying).unwrap_or(u32::MAX),
        });
    }
    match &state.presence {
        Presence::Present if state.unconfirmed.is_none() => {}
        Presence::Present => verdict
            .unknown
            .push("its host says it is gone, which nobody confirmed".to_owned()),
        Presence::Away | Presence::Prunable { .. } => {
            verdict.unknown.push("its folder is not there".to_owned());
        }
        Presence::Missing { .. } => verdict.unknown.push("its host says it is gone".to_owned()),
        Presence::NotAsserted { reason } => verdict.unknown.push(reason.clone()),
    }
    if weighed.row.kind == WorkspaceKind::Directory {
        verdict.losses.push(Lost::Everything);
        return;
    }
    let Some(facts) = &state.facts else {
        let reason = state.facts_unknown.clone();
        verdict
            .unknown
            .push(reason.unwrap_or_else(|| "its facts were not told yet".to_owned()));
        return;
    };
    if let Some(reason) = &state.facts_unknown {
        verdict.unknown.push(reason.clone());
    } else if state.facts_as_of.is_some() {
        verdict
            .unknown
            .push("its facts are older than its last roll call".to_owned());
    }
    if let Some(operation) = facts.operation {
        verdict.blocks.push(Block::Operation { operation });
    }
    if facts.traits.index_locked {
        verdict.blocks.push(Block::IndexLocked);
    }
    match &facts.changes {
        Changes::Counted {
            staged,
            unstaged,
            untracked,
            conflicted,
        } => {
            let count = staged.saturating_add(*unstaged).saturating_add(*conflicted);
            if count > 0 {
                verdict.losses.push(Lost::Edits { count });
            }
            if *untracked > 0 {
                verdict.losses.push(Lost::Untracked { count: *untracked });
            }
        }
        Changes::Unknown { .. } if state.existence.bare => {}
        Changes::Unknown { reason } => verdict.unknown.push(reason.clone()),
    }
    let stashes = match weighed.row.kind {
        WorkspaceKind::Repository => facts.stashes,
        _ => facts.stashes_here,
    };
    match stashes {
        Some(0) => {}
        Some(count) => verdict.losses.push(Lost::Stashes { count }),
        None => verdict.unknown.push("its stashes are not known".to_owned()),
    }
}

fn from_a_look(weighed: &Weighed<'_>, look: &Look, verdict: &mut Verdict) {
    let (row, deep) = (weighed.row, &look.deep);
    let mut unless = |reason: &str| verdict.unknown.push(reason.to_owned());
    let head = row.state.existence.head.commit();
    if row.kind != WorkspaceKind::Directory && deep.merged.head_commit.as_deref() != head {
        unless("it was checked at another commit");
    }
    let facts = row.state.facts.as_ref();
    if let (Some(active), Some(seen)) = (facts.and_then(|it| it.last_activity), look.host_time)
        && active.as_second() > seen
    {
        unless("somebody worked in it after it was checked");
    }
    match &deep.in_use {
        Ok(processes) if !processes.is_empty() => verdict.blocks.push(Block::InUse {
            processes: processes.clone(),
        }),
        // What a host cannot tell about this makes no trash unknown: the removal itself looks again.
        _ => {}
    }
    match &deep.nested {
        Ok(paths) => {
            // Worktrees of its own count for themselves.
            let own = |path: &HostPath| weighed.worktrees.iter().any(|(it, _)| it == path);
            let paths: Vec<_> = paths.iter().filter(|it| !own(it)).cloned().collect();
            if !paths.is_empty() {
                verdict.blocks.push(Block::Nested { paths });
            }
        }
        Err(unknown) => verdict.unknown.push(unknown.reason.clone()),
    }
    match &deep.digest {
        Ok(_) => {}
        Err(unknown) => verdict.unknown.push(unknown.reason.clone()),
    }
    if row.kind == WorkspaceKind::Directory {
        return;
    }
    match &deep.hidden {
        Ok(paths) if paths.is_empty() => {}
        Ok(paths) => verdict.losses.push(Lost::Hidden {
            paths: paths.clone(),
        }),
        Err(unknown) if !row.state.existence.bare => verdict.unknown.push(unknown.reason.clone()),
        Err(_) => {}
    }
    match &deep.precious {
        Ok(paths) if paths.is_empty() => {}
        Ok(paths) => verdict.losses.push(Lost::Precious {
            paths: paths.clone(),
        }),
        Err(unknown) if !row.state.existence.bare => verdict.unknown.push(unknown.reason.clone()),
        Err(_) => {}
    }
    match &deep.submodules {
        Ok(work) if work.is_empty() => {}
        Ok(work) => verdict.losses.push(Lost::Submodules { work: work.clone() }),
        Err(unknown) if !row.state.existence.bare => verdict.unknown.push(unknown.reason.clone()),
        Err(_) => {}
    }
    match &deep.unheld {
        Ok(0) => {}
        Ok(count) => verdict.losses.push(Lost::OwnCommits { count: *count }),
        Err(unknown) => verdict.unknown.push(unknown.reason.clone()),
    }
    if row.kind == WorkspaceKind::Repository {
        match &deep.held {
            Ok(held) if held.is_empty() => {}
            Ok(held) => verdict.losses.push(Lost::References { held: held.clone() }),
            Err(unknown) => verdict.unknown.push(unknown.reason.clone()),
        }
        return;
    }
    commits(weighed, look, verdict);
}

/// Commits of a worktree's HEAD.
fn commits(weighed: &Weighed<'_>, look: &Look, verdict: &mut Verdict) {
    let state = &weighed.row.state;
    let Some(facts) = &state.facts else { return };
    let count = match &facts.unpushed {
        Unpushed::Commits { count, shared } => match count.saturating_sub(shared.unwrap_or(0)) {
            0 => return,
            own => Some(own),
        },
        Unpushed::NoRemote => None,
        Unpushed::Unknown { reason } => {
            verdict.unknown.push(reason.clone());
            return;
        }
    };
    let merged = &look.deep.merged.state;
    if merged.is_merged() || matches!(merged, MergeState::Base | MergeState::Unborn) {
        return;
    }
    match merged {
        MergeState::Unknown { reason } if count.is_none() => verdict.unknown.push(reason.clone()),
        _ => {
            let branch = matches!(state.existence.head, crate::Head::Branch { .. });
            verdict.losses.push(Lost::Commits { count, branch });
        }
    }
}

#[cfg(test)]
mod tests;
