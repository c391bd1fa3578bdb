//! What a roll call does to rows that a person deleted.

use super::*;

fn entomb(mirror: &mut Memory, at: &str) -> WorkspaceId {
    let id = mirror.at(at).id;
    let row = mirror.row_mut(id);
    row.tombstone = row.state.generation;
    id
}

#[test]
fn i10_a_deleted_workspace_that_its_host_says_is_gone_is_purged_annotated_or_not() {
    let mut mirror = seen();
    mirror.annotate("/a");
    let id = entomb(&mut mirror, "/a");
    let plan = mirror.call(20, &[(root_id(0), without(&["/b"], &["/a"]))]);
    let deleted = Event::Deleted {
        id,
        path: path("/a"),
    };
    assert_eq!(plan.events, [deleted]);
    assert!(mirror.rows.iter().all(|row| row.id != id));
}

#[test]
fn a_deleted_workspace_that_is_still_there_is_refreshed_and_waits() {
    let mut mirror = seen();
    let id = entomb(&mut mirror, "/a");
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].facts = FactsOutcome::Observed(facts(3));
    mirror.call(20, &[(root_id(0), complete(assertions))]);
    let row = mirror.at("/a");
    assert_eq!((row.id, &row.state.facts), (id, &Some(facts(3))));
    assert!(row.tombstone.is_some());
}

#[test]
fn i8_a_workspace_made_again_at_the_path_lifts_the_tombstone_and_lives_on() {
    let mut mirror = seen();
    mirror.annotate("/a");
    let id = entomb(&mut mirror, "/a");
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].generation = Some(strong(500));
    let plan = mirror.call(20, &[(root_id(0), complete(assertions))]);
    let row = mirror.at("/a");
    assert_eq!((row.id, row.tombstone), (id, None));
    assert_eq!(row.state.generation, Some(strong(500)));
    assert!(row.state.recreated);
    assert!(plan.events.contains(&Event::Overtaken {
        id,
        path: path("/a")
    }));
}

#[test]
fn i8_a_deleted_workspace_that_moved_keeps_its_tombstone_wherever_it_is() {
    let mut mirror = seen();
    let id = entomb(&mut mirror, "/a");
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].path = path("/moved");
    assertions.push(worktree("/a", strong(500)));
    mirror.call(20, &[(root_id(0), complete(assertions))]);
    let moved = mirror.at("/moved");
    assert_eq!((moved.id, moved.tombstone.is_some()), (id, true));
    assert_eq!(mirror.at("/a").tombstone, None);
}

#[test]
fn i10_a_roll_call_begun_before_a_verb_concludes_nothing_about_what_it_touched() {
    let mut mirror = seen();
    let id = entomb(&mut mirror, "/a");
    mirror.row_mut(id).touched = 7;
    let before = mirror.rows.clone();
    let gone = [(root_id(0), without(&["/b"], &["/a"]))];
    let mut changed = family(&["/a", "/b"]);
    changed[1].facts = FactsOutcome::Observed(facts(9));
    let changed = [(root_id(0), complete(changed))];
    for said in [&gone, &changed] {
        let early = snapshot_of(6, 20, Tier::Facts, said);
        let plan = mirror.plan(&early, 20);
        assert_eq!((plan.changes, plan.events), (vec![], vec![]));
    }
    // Gone with its root, it is the same.
    let early = snapshot_of(
        6,
        20,
        Tier::Facts,
        &[(root_id(0), Said::Gone(Some(path("/"))))],
    );
    let root = mirror.at("/r0").id;
    mirror.row_mut(root).touched = 7;
    assert_eq!(mirror.plan(&early, 20).changes, []);
    mirror.row_mut(root).touched = 0;
    assert_eq!(mirror.rows, before);
    let later = snapshot_of(7, 30, Tier::Facts, &gone);
    assert_eq!(mirror.plan(&later, 30).changes, [Change::Drop { id }]);
}

#[test]
fn i10_a_hidden_row_that_a_verb_touched_is_not_gone_by_an_answer_from_before() {
    let mut mirror = seen();
    let id = mirror.at("/a").id;
    let row = mirror.row_mut(id);
    (row.untracked, row.touched) = (true, 7);
    let before = row.clone();
    let mut assertions = family(&["/a", "/b"]);
    assertions[1].generation = Some(strong(500));
    let said = [(root_id(0), complete(assertions))];
    let plan = mirror.plan(&snapshot_of(6, 20, Tier::Facts, &said), 20);
    mirror.apply(&plan);
    assert_eq!(*mirror.row_mut(id), before);
    assert_eq!(mirror.at("/a").state.generation, Some(strong(500)));
}

#[test]
fn a_tombstone_waits_and_says_for_what_while_its_workspace_is_stale_away_or_without_root() {
    let mut mirror = seen();
    entomb(&mut mirror, "/a");
    let standing = |standing| {
        let mut assertions = family(&["/a", "/b"]);
        assertions[1].standing = standing;
        complete(assertions)
    };
    let prunable = Standing::Prunable {
        reason: "gone".to_owned(),
    };
    let unknown = Standing::Unknown {
        reason: "denied".to_owned(),
    };
    for (said, waits) in [
        (standing(Standing::There), None),
        (standing(Standing::Away), Some(Waits::Away)),
        (standing(prunable), Some(Waits::Prunable)),
        (standing(unknown), Some(Waits::NotAsserted)),
        (Said::Gone(Some(path("/"))), Some(Waits::RootMissing)),
        (Said::Failed, Some(Waits::RootFailed)),
    ] {
        mirror.call(20, &[(root_id(0), said)]);
        let row = mirror.at("/a");
        assert!(row.tombstone.is_some());
        assert_eq!(waits_for(row, &mirror.roots[0].condition), waits);
    }
}

#[test]
fn a_deleted_repository_whose_root_is_gone_is_purged_and_its_worktrees_wait() {
    let mut mirror = seen();
    let repository = entomb(&mut mirror, "/r0");
    let worktree = entomb(&mut mirror, "/a");
    mirror.call(20, &[(root_id(0), Said::Gone(Some(path("/"))))]);
    assert!(mirror.rows.iter().all(|row| row.id != repository));
    assert!(mirror.rows.iter().any(|row| row.id == worktree));
}
