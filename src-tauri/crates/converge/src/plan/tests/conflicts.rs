//! Records of one snapshot that cannot all be true.

use super::*;

/// `/a` as the repository has it, and as a second record claims it.
fn claimed_twice() -> Vec<Assertion> {
    let mut assertions = family(&["/a", "/b", "/c"]);
    assertions.push(worktree("/a", strong(500)));
    assertions
}

#[test]
fn d7_records_that_conflict_are_set_aside_and_the_rest_applies() {
    let mut mirror = seen();
    let before = mirror.at("/a").clone();
    let plan = mirror.call(20, &[(root_id(0), complete(claimed_twice()))]);
    assert_eq!(mirror.at("/a"), &before);
    assert_eq!(mirror.at("/c").state.presence, Presence::Present);
    let [conflict] = plan.roots[0].conflicts.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!(conflict.path, path("/a"));
    let claims: Vec<_> = conflict.claims.iter().map(|it| it.generation).collect();
    assert_eq!(claims, [before.state.generation, Some(strong(500))]);
    // Said again, nothing changes; said no more, it is over.
    let again = mirror.call(20, &[(root_id(0), complete(claimed_twice()))]);
    assert_eq!((again.changes, again.events), (vec![], vec![]));
    let plan = mirror.call(30, &[(root_id(0), complete(family(&["/a", "/b", "/c"])))]);
    assert_eq!(plan.roots[0].conflicts, []);
}

#[test]
fn d7_a_claim_that_cannot_be_told_from_a_later_one_is_set_aside_with_the_others() {
    let mut mirror = seen();
    let before = mirror.at("/a").clone();
    let mut assertions = family(&["/b"]);
    let unknown = Assertion {
        generation: None,
        facts: FactsOutcome::Observed(facts(7)),
        ..worktree("/a", strong(1))
    };
    assertions.extend([unknown, worktree("/a", strong(500))]);
    let plan = mirror.call(20, &[(root_id(0), complete(assertions))]);
    assert_eq!(plan.roots[0].conflicts[0].claims.len(), 2);
    assert_eq!(mirror.at("/a"), &before);
}

#[test]
fn a_person_s_choice_settles_a_conflict_and_forgets_neither_record() {
    let mut mirror = seen();
    let loser = mirror.annotate("/a");
    let choice = Choice {
        path: path("/a"),
        generation: strong(500),
    };
    mirror.choices.push(choice);
    let plan = mirror.call(20, &[(root_id(0), complete(claimed_twice()))]);
    assert_eq!(plan.roots[0].conflicts, []);
    let shown: Vec<_> = mirror
        .rows
        .iter()
        .filter(|row| row.state.path == path("/a"))
        .map(|row| (row.id, row.state.generation, row.state.presence.clone()))
        .collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert_eq!(shown[1].1, Some(strong(500)));
    assert_eq!(shown[1].2, Presence::Present);
    assert_eq!(shown[0].0, loser);
    assert!(
        matches!(shown[0].2, Presence::NotAsserted { .. }),
        "{shown:?}"
    );
    let again = mirror.call(30, &[(root_id(0), complete(claimed_twice()))]);
    assert_eq!((again.changes, again.events), (vec![], vec![]));
}

#[test]
fn a_choice_of_a_record_that_is_not_there_settles_nothing() {
    let mut mirror = seen();
    mirror.choices.push(Choice {
        path: path("/a"),
        generation: strong(600),
    });
    let plan = mirror.call(20, &[(root_id(0), complete(claimed_twice()))]);
    assert_eq!(plan.roots[0].conflicts.len(), 1);
}

#[test]
fn two_roots_that_claim_one_path_both_show_the_conflict() {
    let mut mirror = Memory::with_roots(2);
    let said = [
        (
            root_id(0),
            complete(vec![
                repository("/r0", strong(1)),
                worktree("/w", strong(2)),
            ]),
        ),
        (
            root_id(1),
            complete(vec![
                repository("/r1", strong(3)),
                worktree("/w", strong(4)),
            ]),
        ),
    ];
    let plan = mirror.call(10, &said);
    assert_eq!(plan.roots[0].conflicts, plan.roots[1].conflicts);
    assert_eq!(plan.roots[0].conflicts[0].claims.len(), 2);
    assert!(mirror.rows.iter().all(|row| row.state.path != path("/w")));
}

#[test]
fn a_host_that_claims_one_path_without_end_is_told_in_a_few_claims() {
    let mut mirror = Memory::with_roots(1);
    let mut assertions = vec![repository("/r0", strong(1))];
    assertions.extend((0..50_000).map(|n| worktree("/w", strong(100 + n))));
    let plan = mirror.call(10, &[(root_id(0), complete(assertions))]);
    assert_eq!(plan.roots[0].conflicts[0].claims.len(), 20);
    assert_eq!(mirror.rows.len(), 1);
}

#[test]
fn a_directory_and_the_repository_in_it_are_no_conflict() {
    let mut mirror = Memory::with_roots(2);
    mirror.roots[1].root.kind = RootKind::Directory;
    mirror.roots[1].root.path = path("/r0");
    let directory = Assertion {
        kind: WorkspaceKind::Directory,
        ..worktree("/r0", strong(9))
    };
    let said = [
        (root_id(0), complete(vec![repository("/r0", strong(1))])),
        (root_id(1), complete(vec![directory])),
    ];
    let plan = mirror.call(10, &said);
    assert!(plan.roots.iter().all(|root| root.conflicts.is_empty()));
    assert_eq!(mirror.rows.len(), 2);
    assert_eq!(mirror.call(20, &said).changes, []);
}

#[test]
fn i2_what_a_failed_root_asserted_is_not_taken_over_by_another_root_at_the_path() {
    let mut mirror = Memory::with_roots(2);
    let first = [
        (
            root_id(0),
            complete(vec![
                repository("/r0", strong(1)),
                worktree("/w", strong(2)),
            ]),
        ),
        (root_id(1), complete(vec![repository("/r1", strong(3))])),
    ];
    mirror.call(10, &first);
    let before = mirror.at("/w").clone();
    let second = [
        (root_id(0), Said::Failed),
        (
            root_id(1),
            complete(vec![
                repository("/r1", strong(3)),
                worktree("/w", strong(4)),
            ]),
        ),
    ];
    mirror.call(20, &second);
    assert!(mirror.rows.contains(&before));
    let there = mirror
        .rows
        .iter()
        .filter(|row| row.state.path == path("/w"));
    assert_eq!(there.count(), 2);
}
