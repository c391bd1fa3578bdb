use jiff::Timestamp;
use uuid::Uuid;

use super::*;
use crate::deep::{Deep, Merged, Unobserved};
use crate::generation::{Generation, Origin};
use crate::ids::{RootId, WorkspaceId};
use crate::observation::{Existence, Facts, Head, Upstream};
use crate::plan::{Provenance, RowState};
use crate::{HostPath, RefName};

const HEAD: &str = "c0ffee";

fn generation(inode: u64) -> Generation {
    Generation {
        inode,
        origin: Origin::Birth {
            seconds: 5,
            nanos: 7,
        },
    }
}

fn unobserved<T>() -> Result<T, Unobserved> {
    Err(Unobserved {
        reason: "it would not say".to_owned(),
    })
}

/// A clean worktree, merged, checked, of which nothing exists only here.
struct Case {
    row: MirrorRow,
    look: Option<Look>,
    pinned: bool,
    lent_to: Vec<HostPath>,
    worktrees: Vec<(HostPath, bool)>,
}

impl Case {
    fn safe() -> Self {
        let mut facts = Facts::new(
            Upstream::None,
            Unpushed::Commits {
                count: 0,
                shared: Some(0),
            },
            counted(0, 0, 0, 0),
        );
        facts.stashes = Some(0);
        facts.stashes_here = Some(0);
        facts.last_activity = Some(Timestamp::from_second(1_000).unwrap());
        Self {
            row: MirrorRow {
                id: WorkspaceId::new(Uuid::from_u128(1)),
                kind: WorkspaceKind::Worktree,
                provenance: Provenance::Adopted,
                annotated: false,
                kept: false,
                untracked: false,
                tombstone: None,
                touched: 0,
                state: RowState {
                    root: RootId::new(Uuid::from_u128(2)),
                    path: HostPath::new("/w"),
                    generation: Some(generation(1)),
                    mount: None,
                    presence: Presence::Present,
                    existence: Existence {
                        bare: false,
                        admin_name: None,
                        common_dir: None,
                        head: Head::Branch {
                            name: RefName::new("refs/heads/w"),
                            commit: HEAD.to_owned(),
                        },
                        locked: None,
                    },
                    facts: Some(facts),
                    facts_unknown: None,
                    facts_as_of: None,
                    recreated: false,
                    unconfirmed: None,
                },
            },
            look: Some(Look {
                generation: Some(generation(1)),
                host_time: Some(2_000),
                deep: Deep {
                    merged: Merged {
                        base: None,
                        base_commit: None,
                        head_commit: Some(HEAD.to_owned()),
                        state: MergeState::Squashed,
                    },
                    unheld: Ok(0),
                    unheld_commits: Vec::new(),
                    held: Ok(Vec::new()),
                    hidden: Ok(Vec::new()),
                    precious: Ok(Vec::new()),
                    nested: Ok(Vec::new()),
                    in_use: Ok(Vec::new()),
                    submodules: Ok(Vec::new()),
                    digest: Ok("word".to_owned()),
                },
            }),
            pinned: false,
            lent_to: Vec::new(),
            worktrees: Vec::new(),
        }
    }

    fn facts(&mut self) -> &mut Facts {
        self.row.state.facts.as_mut().unwrap()
    }

    fn deep(&mut self) -> &mut Deep {
        &mut self.look.as_mut().unwrap().deep
    }

    fn verdict(&self) -> Verdict {
        verdict(&Weighed {
            row: &self.row,
            look: self.look.as_ref(),
            pinned: self.pinned,
            lent_to: &self.lent_to,
            worktrees: &self.worktrees,
        })
    }
}

fn counted(staged: u32, unstaged: u32, untracked: u32, conflicted: u32) -> Changes {
    Changes::Counted {
        staged,
        unstaged,
        untracked,
        conflicted,
    }
}

fn paths() -> Vec<HostPath> {
    vec![HostPath::new("/w/x")]
}

/// One change to a case.
type With = fn(&mut Case);

#[track_caller]
fn all_are(state: VerdictState, cases: &[(&str, With)]) {
    for (name, with) in cases {
        let mut case = Case::safe();
        with(&mut case);
        assert_eq!(
            case.verdict().state(),
            state,
            "{name}: {:?}",
            case.verdict()
        );
    }
}

#[test]
fn what_is_known_clean_and_elsewhere_is_safe() {
    all_are(
        VerdictState::Safe,
        &[
            ("as it is", |_| {}),
            ("pushed", |it| {
                it.deep().merged.state = MergeState::Not {
                    reason: String::new(),
                }
            }),
            ("rc06: its commits are its base's", |it| {
                it.facts().unpushed = Unpushed::Commits {
                    count: 2,
                    shared: Some(2),
                };
                it.deep().merged.state = MergeState::Not {
                    reason: String::new(),
                };
            }),
            ("rc22: squashed", |it| {
                it.facts().unpushed = Unpushed::Commits {
                    count: 2,
                    shared: None,
                };
            }),
            ("merged, without any remote", |it| {
                it.facts().unpushed = Unpushed::NoRemote;
            }),
            ("rc09: a gone upstream says nothing", |it| {
                it.facts().upstream = Upstream::Gone {
                    name: RefName::new("refs/remotes/origin/w"),
                };
            }),
            ("its worktrees go before it", |it| {
                it.row.kind = WorkspaceKind::Repository;
                it.worktrees = vec![(HostPath::new("/w/x"), true)];
                it.deep().nested = Ok(paths());
            }),
            ("who works inside cannot be told", |it| {
                it.deep().in_use = unobserved();
            }),
        ],
    );
}

#[test]
fn i14_what_exists_nowhere_else_is_lost() {
    all_are(
        VerdictState::Loses,
        &[
            ("staged", |it| it.facts().changes = counted(1, 0, 0, 0)),
            ("edited", |it| it.facts().changes = counted(0, 1, 0, 0)),
            ("untracked", |it| it.facts().changes = counted(0, 0, 1, 0)),
            ("conflicted", |it| it.facts().changes = counted(0, 0, 0, 1)),
            ("stashed", |it| it.facts().stashes_here = Some(1)),
            ("rc34: hidden", |it| it.deep().hidden = Ok(paths())),
            ("rc03: precious", |it| it.deep().precious = Ok(paths())),
            ("e4: only in its reflog", |it| it.deep().unheld = Ok(1)),
            ("rc17: in a submodule", |it| {
                let path = HostPath::new("m");
                it.deep().submodules = Ok(vec![SubmoduleWork {
                    path,
                    commits: 1,
                    edits: 0,
                }]);
            }),
            ("rc05: neither pushed nor merged", |it| {
                it.facts().unpushed = Unpushed::Commits {
                    count: 1,
                    shared: Some(0),
                };
                it.deep().merged.state = MergeState::Not {
                    reason: String::new(),
                };
            }),
            ("no remote, not merged", |it| {
                it.facts().unpushed = Unpushed::NoRemote;
                it.deep().merged.state = MergeState::Not {
                    reason: String::new(),
                };
            }),
            ("rc22: reverted since", |it| {
                it.facts().unpushed = Unpushed::Commits {
                    count: 1,
                    shared: None,
                };
                it.deep().merged.state = MergeState::Not {
                    reason: "it was merged once".to_owned(),
                };
            }),
            ("e12: another branch of a repository", |it| {
                it.row.kind = WorkspaceKind::Repository;
                let name = RefName::new("refs/heads/other");
                it.deep().held = Ok(vec![Held { name, commits: 1 }]);
            }),
            ("a repository with any stash", |it| {
                it.row.kind = WorkspaceKind::Repository;
                it.facts().stashes = Some(1);
            }),
            ("a folder", |it| {
                it.row.kind = WorkspaceKind::Directory;
                it.row.state.facts = None;
                it.row.state.existence.head = Head::None;
            }),
        ],
    );
}

#[test]
fn i13_what_has_to_be_known_and_is_not_makes_it_unknown() {
    all_are(
        VerdictState::Unknown,
        &[
            ("never checked", |it| it.look = None),
            ("i8: another stood there", |it| {
                it.row.state.generation = Some(generation(2));
            }),
            ("nobody can tell which it is", |it| {
                it.row.state.generation = None;
                it.look.as_mut().unwrap().generation = None;
            }),
            ("checked at another commit", |it| {
                it.row.state.existence.head = Head::Detached {
                    commit: "beef".to_owned(),
                };
            }),
            ("worked in since", |it| {
                it.facts().last_activity = Some(Timestamp::from_second(2_001).unwrap());
            }),
            ("no facts", |it| it.row.state.facts = None),
            ("facts were not told again", |it| {
                it.row.state.facts_unknown = Some("slow".to_owned());
            }),
            ("facts are old", |it| {
                it.row.state.facts_as_of = Some(Timestamp::UNIX_EPOCH);
            }),
            ("changes", |it| {
                it.facts().changes = Changes::Unknown {
                    reason: "a filter".to_owned(),
                }
            }),
            ("unpushed", |it| {
                it.facts().unpushed = Unpushed::Unknown {
                    reason: "too many".to_owned(),
                }
            }),
            ("stashes", |it| it.facts().stashes_here = None),
            ("hidden", |it| it.deep().hidden = unobserved()),
            ("precious", |it| it.deep().precious = unobserved()),
            ("nested", |it| it.deep().nested = unobserved()),
            ("reflog", |it| it.deep().unheld = unobserved()),
            ("submodules", |it| it.deep().submodules = unobserved()),
            ("digest", |it| it.deep().digest = unobserved()),
            ("branches of a repository", |it| {
                it.row.kind = WorkspaceKind::Repository;
                it.deep().held = unobserved();
            }),
            ("merged, without any remote", |it| {
                it.facts().unpushed = Unpushed::NoRemote;
                it.deep().merged.state = MergeState::Unknown {
                    reason: "no base".to_owned(),
                };
            }),
            ("gone", |it| {
                it.row.state.presence = Presence::Missing {
                    since: Timestamp::UNIX_EPOCH,
                }
            }),
            ("absence not confirmed", |it| {
                it.row.state.unconfirmed = Some(Timestamp::UNIX_EPOCH);
            }),
            ("a stale record", |it| {
                it.row.state.presence = Presence::Prunable {
                    reason: String::new(),
                };
            }),
            ("not asserted", |it| {
                it.row.state.presence = Presence::NotAsserted {
                    reason: "denied".to_owned(),
                };
            }),
        ],
    );
}

#[test]
fn what_keeps_it_from_going_is_told_before_anything_else() {
    all_are(
        VerdictState::Blocked,
        &[
            ("locked", |it| {
                it.row.state.existence.locked = Some("usb".to_owned());
            }),
            ("rebase", |it| {
                it.facts().operation = Some(Operation::Rebase);
            }),
            ("index", |it| it.facts().traits.index_locked = true),
            ("in use", |it| {
                it.deep().in_use = Ok(vec![Process {
                    id: 1,
                    name: "vim".to_owned(),
                }]);
            }),
            ("pinned", |it| it.pinned = true),
            ("e1: nested", |it| it.deep().nested = Ok(paths())),
            ("e11: lent", |it| it.lent_to = vec![HostPath::new("/clone")]),
            ("worktrees", |it| {
                it.row.kind = WorkspaceKind::Repository;
                it.worktrees = vec![(HostPath::new("/w/x"), false)];
            }),
            ("locked and never checked", |it| {
                it.look = None;
                it.row.state.existence.locked = Some(String::new());
            }),
        ],
    );
}

#[test]
fn rc07_whether_a_branch_keeps_the_commits_is_told() {
    let mut case = Case::safe();
    case.facts().unpushed = Unpushed::Commits {
        count: 3,
        shared: Some(1),
    };
    case.deep().merged.state = MergeState::Not {
        reason: String::new(),
    };
    let lost = |branch| Lost::Commits {
        count: Some(2),
        branch,
    };
    assert_eq!(case.verdict().losses, [lost(true)]);
    case.row.state.existence.head = Head::Detached {
        commit: HEAD.to_owned(),
    };
    assert_eq!(case.verdict().losses, [lost(false)]);
}
