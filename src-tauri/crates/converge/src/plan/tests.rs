//! Every row of the tables of the model, one by one; `histories` holds its rules over random histories.

mod absence;
mod conflicts;
mod histories;
mod model;
mod tombstones;

use crate::*;
use jiff::Timestamp;
use uuid::Uuid;

const HOST: HostId = HostId::new(Uuid::from_u128(1));

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn root_id(n: u8) -> RootId {
    RootId::new(Uuid::from_u128(100 + u128::from(n)))
}

fn row_id(n: u128) -> WorkspaceId {
    WorkspaceId::new(Uuid::from_u128(1_000 + n))
}

fn path(text: &str) -> HostPath {
    HostPath::new(text)
}

fn strong(n: u64) -> Generation {
    Generation {
        inode: n,
        origin: Origin::Birth {
            seconds: 5,
            nanos: 7,
        },
    }
}

fn weak(n: u64) -> Generation {
    Generation {
        inode: n,
        origin: Origin::BirthSecond(5),
    }
}

fn facts(untracked: u32) -> Facts {
    let changes = Changes::Counted {
        staged: 0,
        unstaged: 0,
        untracked,
        conflicted: 0,
    };
    Facts::new(Upstream::None, Unpushed::NoRemote, changes)
}

fn existence() -> Existence {
    Existence {
        bare: false,
        admin_name: None,
        common_dir: Some(path("/r/.git")),
        head: Head::Detached {
            commit: "c".repeat(40),
        },
        locked: None,
    }
}

fn worktree(at: &str, generation: Generation) -> Assertion {
    Assertion {
        kind: WorkspaceKind::Worktree,
        path: path(at),
        generation: Some(generation),
        mount: Some(path("/")),
        standing: Standing::There,
        existence: existence(),
        facts: FactsOutcome::Observed(facts(0)),
    }
}

fn repository(at: &str, generation: Generation) -> Assertion {
    Assertion {
        kind: WorkspaceKind::Repository,
        ..worktree(at, generation)
    }
}

/// A root as a test sets it up.
#[derive(Clone, Debug)]
enum Said {
    Complete {
        assertions: Vec<Assertion>,
        probes: Vec<(HostPath, Probe)>,
        unread: Vec<Unread>,
    },
    Gone(Option<HostPath>),
    Failed,
}

fn complete(assertions: Vec<Assertion>) -> Said {
    Said::Complete {
        assertions,
        probes: Vec::new(),
        unread: Vec::new(),
    }
}

fn gone_at(paths: &[&str]) -> Vec<(HostPath, Probe)> {
    paths
        .iter()
        .map(|it| {
            (
                path(it),
                Probe::NoSuchFile {
                    mount: Some(path("/")),
                },
            )
        })
        .collect()
}

/// A finished answer to a roll call that was put together when the registry was at the given revision.
fn snapshot_of(revision: u64, second: i64, tier: Tier, said: &[(RootId, Said)]) -> Snapshot {
    let ids: Vec<RootId> = said.iter().map(|(id, _)| *id).collect();
    let mut builder = SnapshotBuilder::new(HOST, tier, at(second), &ids);
    builder.asked_at(revision);
    for (n, (_, said)) in said.iter().enumerate() {
        match said {
            Said::Complete {
                assertions,
                probes,
                unread,
            } => {
                builder.open(n).unwrap();
                for assertion in assertions {
                    builder.assert(n, assertion.clone()).unwrap();
                }
                for (path, probe) in probes {
                    builder.probe(n, path.clone(), probe.clone()).unwrap();
                }
                for record in unread {
                    builder.unread(n, record.clone()).unwrap();
                }
                builder.close(n, assertions.len() + unread.len()).unwrap();
            }
            Said::Gone(mount) => {
                builder
                    .fail(
                        n,
                        FailedRoot::NoSuchFile {
                            mount: mount.clone(),
                        },
                    )
                    .unwrap();
            }
            Said::Failed => builder
                .fail(
                    n,
                    FailedRoot::Failed(Failure::new(FailureCode::PermissionDenied, "denied")),
                )
                .unwrap(),
        }
    }
    builder.finish().unwrap()
}

fn snapshot_at(second: i64, tier: Tier, said: &[(RootId, Said)]) -> Snapshot {
    snapshot_of(u64::MAX, second, tier, said)
}

/// A mirror in memory, applied to as the registry applies.
#[derive(Clone, Debug, Default)]
struct Memory {
    machine: Option<String>,
    rows: Vec<MirrorRow>,
    roots: Vec<MirrorRoot>,
    choices: Vec<Choice>,
    minted: u128,
}

impl Memory {
    fn plan(&self, snapshot: &Snapshot, second: i64) -> Plan {
        let mirror = Mirror {
            machine: self.machine.as_deref(),
            roots: &self.roots,
            rows: &self.rows,
            choices: &self.choices,
        };
        plan(&mirror, snapshot, at(second))
    }

    fn with_roots(count: u8) -> Self {
        let roots = (0..count)
            .map(|n| MirrorRoot {
                root: Root {
                    id: root_id(n),
                    host: HOST,
                    kind: RootKind::Repository,
                    path: path(&format!("/r{n}")),
                    mount: Some(path("/")),
                },
                facts_at: None,
                condition: Condition::Asserted,
            })
            .collect();
        Self {
            roots,
            ..Self::default()
        }
    }

    fn call(&mut self, second: i64, said: &[(RootId, Said)]) -> Plan {
        self.call_tier(second, Tier::Facts, said)
    }

    fn call_tier(&mut self, second: i64, tier: Tier, said: &[(RootId, Said)]) -> Plan {
        let snapshot = snapshot_at(second, tier, said);
        let plan = self.plan(&snapshot, second);
        self.apply(&plan);
        plan
    }

    fn apply(&mut self, plan: &Plan) {
        for change in &plan.changes {
            match change.clone() {
                Change::Adopt {
                    kind,
                    provenance,
                    state,
                } => {
                    self.minted += 1;
                    let id = row_id(self.minted);
                    self.rows.push(MirrorRow {
                        id,
                        kind,
                        provenance,
                        annotated: false,
                        kept: false,
                        untracked: false,
                        tombstone: None,
                        touched: 0,
                        state,
                    });
                }
                Change::Refresh { id, state } => self.row_mut(id).state = state,
                Change::Drop { id } => self.rows.retain(|row| row.id != id),
                Change::Lift { id } => self.row_mut(id).tombstone = None,
            }
        }
        for change in &plan.roots {
            let root = self
                .roots
                .iter_mut()
                .find(|root| root.root.id == change.id)
                .unwrap();
            root.condition = change.condition.clone();
            root.facts_at = change.facts_at.or(root.facts_at);
            if change.mount.is_some() {
                root.root.mount.clone_from(&change.mount);
            }
        }
    }

    fn row_mut(&mut self, id: WorkspaceId) -> &mut MirrorRow {
        self.rows.iter_mut().find(|row| row.id == id).unwrap()
    }

    fn at(&self, at: &str) -> &MirrorRow {
        let mut found = self
            .rows
            .iter()
            .filter(|row| row.state.path == path(at) && !row.untracked);
        let row = found.next().unwrap_or_else(|| panic!("no row at {at}"));
        assert!(found.next().is_none(), "two rows at {at}");
        row
    }

    fn annotate(&mut self, at: &str) -> WorkspaceId {
        let id = self.at(at).id;
        self.row_mut(id).annotated = true;
        id
    }
}

/// A repository at `/r0` with worktrees at `/a` and `/b`, seen once.
fn seen() -> Memory {
    let mut mirror = Memory::with_roots(1);
    mirror.call(10, &[(root_id(0), complete(family(&["/a", "/b"])))]);
    mirror
}

fn family(worktrees: &[&str]) -> Vec<Assertion> {
    let mut all = vec![repository("/r0", strong(1))];
    for at in worktrees {
        let inode = u64::from(at.as_bytes()[1]);
        all.push(worktree(at, strong(inode)));
    }
    all
}

fn without(worktrees: &[&str], gone: &[&str]) -> Said {
    Said::Complete {
        assertions: family(worktrees),
        probes: gone_at(gone),
        unread: Vec::new(),
    }
}

#[test]
fn an_unknown_workspace_is_adopted_and_the_root_itself_counts_as_registered() {
    let mirror = seen();
    assert_eq!(mirror.at("/r0").provenance, Provenance::Registered);
    assert_eq!(mirror.at("/a").provenance, Provenance::Adopted);
    assert_eq!(mirror.at("/a").state.presence, Presence::Present);
}

#[test]
fn an_unchanged_snapshot_changes_no_row_and_one_record_per_root() {
    let mut mirror = seen();
    let plan = mirror.call(20, &[(root_id(0), complete(family(&["/a", "/b"])))]);
    assert_eq!(plan.changes, []);
    assert_eq!(plan.events, []);
    assert_eq!(plan.roots.len(), 1);
    assert_eq!(plan.roots[0].asserted_at, Some(at(20)));
}

#[test]
fn an_adopted_unannotated_workspace_that_is_gone_is_dropped() {
    let mut mirror = seen();
    let id = mirror.at("/a").id;
    let plan = mirror.call(20, &[(root_id(0), without(&["/b"], &["/a"]))]);
    assert_eq!(plan.changes, [Change::Drop { id }]);
    assert_eq!(
        plan.events,
        [Event::Dropped {
            id,
            path: path("/a")
        }]
    );
}

/// Its host says that `/a` is gone, and it stays.
fn goes_missing(mirror: &mut Memory, id: WorkspaceId) {
    let plan = mirror.call(20, &[(root_id(0), without(&["/b"], &["/a"]))]);
    assert_eq!(
        plan.events,
        [Event::WentMissing {
            id,
            path: path("/a")
        }]
    );
    assert_eq!(
        mirror.at("/a").state.presence,
        Presence::Missing { since: at(20) }
    );
}

#[test]
fn i5_an_annotated_workspace_that_is_gone_is_missing_since_then_and_stays() {
    let mut mirror = seen();
    let id = mirror.annotate("/a");
    goes_missing(&mut mirror, id);
    let plan = mirror.call(30, &[(root_id(0), without(&["/b"], &["/a"]))]);
    assert_eq!(plan.changes, [], "since does not move");
    let plan = mirror.call(40, &[(root_id(0), complete(family(&["/a", "/b"])))]);
    assert_eq!(
        plan.events,
        [Event::Returned {
            id,
            path: path("/a")
        }]
    );
    assert_eq!(mirror.at("/a").state.presence, Presence::Present);
}

#[test]
fn i5_what_was_made_here_and_nobody_annotated_is_missing_and_stays_too() {
    let mut mirror = seen();
    let id = mirror.at("/a").id;
    mirror.row_mut(id).provenance = Provenance::Made;
    goes_missing(&mut mirror, id);
}

#[test]
fn i1_an_answer_that_is_not_finished_makes_no_snapshot() {
    let ids = [root_id(0), root_id(1)];
    let mut builder = SnapshotBuilder::new(HOST, Tier::Facts, at(1), &ids);
    builder.open(0).unwrap();
    builder.close(0, 0).unwrap();
    assert_eq!(builder.finish().unwrap_err(), BadAnswer::Unfinished);

    let mut builder = SnapshotBuilder::new(HOST, Tier::Facts, at(1), &ids[..1]);
    builder.open(0).unwrap();
    builder.assert(0, worktree("/a", strong(1))).unwrap();
    assert_eq!(
        builder.close(0, 2).unwrap_err(),
        BadAnswer::WrongCount {
            root: 0,
            claimed: 2,
            counted: 1
        }
    );
    assert_eq!(builder.finish().unwrap_err(), BadAnswer::Unfinished);
}

#[test]
fn an_answer_names_each_root_once_and_only_those_asked_for() {
    let mut builder = SnapshotBuilder::new(HOST, Tier::Facts, at(1), &[root_id(0)]);
    assert_eq!(builder.open(1), Err(BadAnswer::RootOutOfTurn(1)));
    assert_eq!(
        builder.assert(0, worktree("/a", strong(1))),
        Err(BadAnswer::OutsideRoot)
    );
    builder.open(0).unwrap();
    assert_eq!(builder.open(0), Err(BadAnswer::RootOutOfTurn(0)));
    builder.close(0, 0).unwrap();
    assert_eq!(builder.close(0, 0), Err(BadAnswer::OutsideRoot));
}

#[test]
fn i2_a_root_that_failed_leaves_its_rows_and_blocks_no_other() {
    let mut mirror = Memory::with_roots(2);
    let other = vec![repository("/r1", strong(2)), worktree("/z", strong(3))];
    mirror.call(
        10,
        &[
            (root_id(0), complete(family(&["/a"]))),
            (root_id(1), complete(other)),
        ],
    );
    let before = mirror.at("/z").clone();
    mirror.call(
        20,
        &[
            (root_id(0), without(&["/b"], &["/a"])),
            (root_id(1), Said::Failed),
        ],
    );
    assert_eq!(mirror.at("/z"), &before);
    assert!(
        mirror.rows.iter().all(|row| row.state.path != path("/a")),
        "the other root applied"
    );
    assert_eq!(mirror.at("/b").state.presence, Presence::Present);
    assert!(matches!(
        mirror.roots[1].condition,
        Condition::Failed { .. }
    ));
    assert_eq!(
        mirror.roots[1].facts_at,
        Some(at(10)),
        "its facts keep their age"
    );
}

#[test]
fn i3_a_path_that_cannot_be_looked_at_is_not_gone() {
    for probe in [
        Probe::Unknown {
            reason: "Permission denied".to_owned(),
        },
        Probe::Exists,
        Probe::NoSuchFile {
            mount: Some(path("/elsewhere")),
        },
        Probe::NoSuchFile { mount: None },
    ] {
        let mut mirror = seen();
        let said = Said::Complete {
            assertions: family(&["/b"]),
            probes: vec![(path("/a"), probe.clone())],
            unread: Vec::new(),
        };
        mirror.call(20, &[(root_id(0), said)]);
        let presence = &mirror.at("/a").state.presence;
        assert!(
            matches!(presence, Presence::NotAsserted { .. }),
            "{probe:?} made it {presence:?}"
        );
    }
}

#[test]
fn a_row_nobody_asked_about_is_untouched() {
    let mut mirror = seen();
    let plan = mirror.call(20, &[(root_id(0), without(&["/b"], &[]))]);
    assert_eq!(plan.changes, []);
}

#[test]
fn e2_a_record_git_passes_over_is_unknown_and_never_absent() {
    let mut mirror = Memory::with_roots(1);
    let mut assertions = family(&["/a"]);
    assertions[1].existence.admin_name = Some(AdminName::new("a"));
    mirror.call(10, &[(root_id(0), complete(assertions))]);
    let said = Said::Complete {
        assertions: family(&[]),
        probes: gone_at(&["/a"]),
        unread: vec![Unread {
            admin_name: AdminName::new("a"),
            reason: "its gitdir file is empty".to_owned(),
        }],
    };
    let plan = mirror.call(20, &[(root_id(0), said)]);
    assert!(matches!(
        mirror.at("/a").state.presence,
        Presence::NotAsserted { .. }
    ));
    assert_eq!(
        plan.roots[0].notes,
        ["worktree record `a`: its gitdir file is empty"]
    );
}

#[test]
fn a_root_that_is_gone_makes_its_own_row_missing_and_touches_no_other() {
    let mut mirror = seen();
    let before = mirror.at("/a").clone();
    mirror.call(20, &[(root_id(0), Said::Gone(Some(path("/"))))]);
    assert_eq!(
        mirror.at("/r0").state.presence,
        Presence::Missing { since: at(20) }
    );
    assert_eq!(mirror.at("/a"), &before);
    assert_eq!(
        mirror.roots[0].condition,
        Condition::Missing { since: at(20) }
    );
    mirror.call(30, &[(root_id(0), Said::Gone(Some(path("/"))))]);
    assert_eq!(
        mirror.roots[0].condition,
        Condition::Missing { since: at(20) }
    );
}

#[test]
fn i3_e3_a_root_whose_disk_is_not_mounted_is_not_gone() {
    let mut mirror = seen();
    let before = mirror.rows.clone();
    mirror.call(20, &[(root_id(0), Said::Gone(Some(path("/mnt"))))]);
    assert_eq!(mirror.rows, before);
    let Condition::Failed { failure } = &mirror.roots[0].condition else {
        panic!("not failed")
    };
    assert_eq!(failure.code, FailureCode::NotMounted);
}

#[test]
fn locked_and_absent_is_away_and_a_stale_record_stays_listed() {
    let mut mirror = seen();
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].standing = Standing::Away;
    assertions[2].standing = Standing::Prunable {
        reason: "gone".to_owned(),
    };
    let events = mirror
        .call(20, &[(root_id(0), complete(assertions))])
        .events;
    assert_eq!(mirror.at("/a").state.presence, Presence::Away);
    assert!(matches!(
        mirror.at("/b").state.presence,
        Presence::Prunable { .. }
    ));
    assert_eq!(events, []);
}

#[test]
fn a_move_keeps_the_row_and_what_people_wrote() {
    let mut mirror = seen();
    let id = mirror.annotate("/a");
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].path = path("/moved");
    let plan = mirror.call(20, &[(root_id(0), complete(assertions))]);
    assert_eq!(mirror.at("/moved").id, id);
    assert!(mirror.at("/moved").annotated);
    assert_eq!(
        plan.events,
        [Event::Moved {
            id,
            from: path("/a"),
            to: path("/moved")
        }]
    );
}

#[test]
fn a29_worktrees_that_swapped_paths_keep_their_rows() {
    let mirror = seen();
    let (a, b) = (mirror.at("/a").id, mirror.at("/b").id);
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].path = path("/b");
    assertions[2].path = path("/a");
    for order in [assertions.clone(), assertions.into_iter().rev().collect()] {
        let mut mirror = mirror.clone();
        mirror.call(20, &[(root_id(0), complete(order))]);
        assert_eq!(mirror.at("/b").id, a);
        assert_eq!(mirror.at("/a").id, b);
    }
}

#[test]
fn a30_a_workspace_made_again_at_the_path_is_the_same_row_and_says_so() {
    let mut mirror = seen();
    let id = mirror.annotate("/a");
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].generation = Some(strong(77));
    assertions[1].facts = FactsOutcome::NotAsked;
    let plan = mirror.call_tier(20, Tier::Existence, &[(root_id(0), complete(assertions))]);
    let row = mirror.at("/a");
    assert_eq!(row.id, id);
    assert!(row.state.recreated);
    assert_eq!(
        row.state.facts, None,
        "facts of the earlier one say nothing about this one"
    );
    assert_eq!(
        plan.events,
        [Event::Recreated {
            id,
            path: path("/a")
        }]
    );
}

#[test]
fn a_workspace_whose_place_another_one_took_is_gone() {
    let mut mirror = seen();
    let (a, b) = (mirror.at("/a").id, mirror.at("/b").id);
    let said = Said::Complete {
        assertions: vec![
            repository("/r0", strong(1)),
            worktree("/a", strong(u64::from(b'b'))),
        ],
        probes: vec![(path("/a"), Probe::Exists), (path("/b"), Probe::Exists)],
        unread: Vec::new(),
    };
    let plan = mirror.call(20, &[(root_id(0), said)]);
    assert_eq!(mirror.at("/a").id, b);
    assert!(plan.events.contains(&Event::Dropped {
        id: a,
        path: path("/a")
    }));
}

#[test]
fn a_weak_generation_matches_only_together_with_path_and_kind() {
    let mut mirror = Memory::with_roots(1);
    let one = || vec![repository("/r0", strong(1)), worktree("/a", weak(9))];
    mirror.call(10, &[(root_id(0), complete(one()))]);
    let id = mirror.at("/a").id;
    assert_eq!(
        mirror.call(20, &[(root_id(0), complete(one()))]).changes,
        []
    );
    let moved = Said::Complete {
        assertions: vec![
            repository("/r0", strong(1)),
            worktree("/elsewhere", weak(9)),
        ],
        probes: gone_at(&["/a"]),
        unread: Vec::new(),
    };
    mirror.call(30, &[(root_id(0), moved)]);
    assert_ne!(mirror.at("/elsewhere").id, id);
}

#[test]
fn i6_a_hidden_row_of_a_weak_generation_hides_it_before_another_row_at_the_place() {
    let mut mirror = Memory::with_roots(1);
    let one = |generation| {
        complete(vec![
            repository("/r0", strong(1)),
            worktree("/a", generation),
        ])
    };
    mirror.call(10, &[(root_id(0), one(weak(9)))]);
    let hidden = mirror.at("/a").id;
    mirror.row_mut(hidden).untracked = true;
    mirror.call(20, &[(root_id(0), one(weak(10)))]);
    assert_ne!(mirror.at("/a").id, hidden);
    // The first one is back, and the second one is gone.
    mirror.call(30, &[(root_id(0), one(weak(9)))]);
    let shown = mirror.rows.iter().filter(|row| !row.untracked);
    assert_eq!(shown.count(), 1, "{:?}", mirror.rows);
    assert_eq!(mirror.row_mut(hidden).state.presence, Presence::Present);
}

#[test]
fn facts_of_an_earlier_workspace_are_not_those_of_the_one_made_again() {
    for facts in [
        FactsOutcome::NotAsked,
        FactsOutcome::Unknown {
            reason: "timed out".to_owned(),
        },
    ] {
        let mut mirror = seen();
        let mut assertions = family(&["/a", "/b"]);
        assertions[1].generation = Some(strong(500));
        assertions[1].facts = facts;
        mirror.call(20, &[(root_id(0), complete(assertions))]);
        let state = &mirror.at("/a").state;
        assert_eq!((&state.facts, state.facts_as_of), (&None, None));
    }
}

#[test]
fn a_generation_that_cannot_be_told_is_no_other_generation() {
    let mut mirror = seen();
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].generation = None;
    let plan = mirror.call(20, &[(root_id(0), complete(assertions))]);
    assert_eq!(plan.changes, []);
    assert_eq!(
        mirror.at("/a").state.generation,
        Some(strong(u64::from(b'a')))
    );
}

#[test]
fn i6_an_untracked_workspace_stays_hidden_wherever_it_goes_and_when_it_returns() {
    let mut mirror = seen();
    let id = mirror.at("/a").id;
    mirror.row_mut(id).untracked = true;
    for (second, place) in [(20, "/a"), (30, "/moved")] {
        let mut assertions = family(&["/a", "/b"]);
        assertions[1].path = path(place);
        let plan = mirror.call(second, &[(root_id(0), complete(assertions))]);
        assert_eq!(plan.events, []);
        let row = mirror.row_mut(id);
        assert_eq!((row.untracked, &row.state.path), (true, &path(place)));
    }
    // Gone, it is remembered; back again, it is still the one that is hidden.
    mirror.call(40, &[(root_id(0), without(&["/b"], &["/moved"]))]);
    let gone = Presence::Missing { since: at(40) };
    assert_eq!(mirror.row_mut(id).state.presence, gone);
    let plan = mirror.call(50, &[(root_id(0), complete(family(&["/a", "/b"])))]);
    assert_eq!(plan.events, []);
    let row = mirror.row_mut(id);
    assert!(row.untracked && row.state.presence == Presence::Present);
    assert_eq!(mirror.rows.len(), 3);
}

#[test]
fn another_workspace_at_the_path_of_an_untracked_one_shows_up() {
    let mut mirror = seen();
    let hidden = mirror.at("/a").id;
    mirror.row_mut(hidden).untracked = true;
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].generation = Some(strong(77));
    mirror.call(20, &[(root_id(0), complete(assertions.clone()))]);
    assert_ne!(mirror.at("/a").id, hidden);
    assert_eq!(
        mirror
            .call(30, &[(root_id(0), complete(assertions))])
            .changes,
        []
    );
}

#[test]
fn i13_a_fact_that_is_not_told_keeps_its_last_value_and_age() {
    let mut mirror = seen();
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].facts = FactsOutcome::Unknown {
        reason: "timed out".to_owned(),
    };
    let said = [(root_id(0), complete(assertions))];
    mirror.call(20, &said);
    let state = &mirror.at("/a").state;
    assert_eq!(state.facts, Some(facts(0)));
    assert_eq!(state.facts_unknown.as_deref(), Some("timed out"));
    assert_eq!(state.facts_as_of, Some(at(10)));
    assert_eq!(state.presence, Presence::Present, "existence stands");
    assert_eq!(mirror.call(30, &said).changes, [], "its age does not move");
    mirror.call(40, &[(root_id(0), complete(family(&["/a", "/b"])))]);
    let state = &mirror.at("/a").state;
    assert_eq!(
        (state.facts_unknown.clone(), state.facts_as_of),
        (None, None)
    );
}

#[test]
fn an_existence_tier_leaves_facts_alone() {
    let mut mirror = seen();
    let mut assertions = family(&["/a", "/b"]);
    for assertion in &mut assertions {
        assertion.facts = FactsOutcome::NotAsked;
    }
    let plan = mirror.call_tier(20, Tier::Existence, &[(root_id(0), complete(assertions))]);
    assert_eq!(plan.changes, []);
    assert_eq!(mirror.roots[0].facts_at, Some(at(10)));
}

#[test]
fn a31_one_generation_reached_by_two_roots_is_one_workspace() {
    let mut mirror = Memory::with_roots(2);
    let said = [
        (
            root_id(0),
            complete(vec![
                repository("/r0", strong(1)),
                worktree("/a", strong(2)),
            ]),
        ),
        (root_id(1), complete(vec![worktree("/link/a", strong(2))])),
    ];
    mirror.call(10, &said);
    assert_eq!(mirror.rows.len(), 2);
    assert_eq!(mirror.call(20, &said).changes, []);
}

#[test]
fn a_root_released_while_its_roll_was_called_concludes_nothing() {
    let mut mirror = seen();
    mirror.roots.clear();
    let snapshot = snapshot_at(
        20,
        Tier::Facts,
        &[(root_id(0), without(&[], &["/a", "/b"]))],
    );
    assert_eq!(mirror.plan(&snapshot, 20), Plan::default());
}
