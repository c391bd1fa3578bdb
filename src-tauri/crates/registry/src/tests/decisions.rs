//! What people answer where roll calls leave something open.

use rollcall_converge::{
    Assertion, Choice, Condition, FailureCode, HostFacts, HostPath, Presence, SnapshotBuilder,
    Tier, WorkspaceId,
};

use super::world::{World, at, complete, main_tree, path, register, worktree};
use crate::{JournalFilter, JournalKind, RegistryCode};

fn many(count: u64) -> Vec<Assertion> {
    let mut said = vec![main_tree("/r", 1)];
    said.extend((0..count).map(|n| worktree(format!("/r/{n}"), 10 + n)));
    said
}

/// Twelve worktrees of thirteen rows that vanished at once, one of them with a note.
async fn held() -> (World, Vec<WorkspaceId>) {
    let world = World::new().await;
    world.hears(1, &many(12)).await;
    let noted = world.row("/r/0").await.row.id;
    world.note(noted, "Kept.", 2).await;
    world.hears(3, &many(0)).await;
    let held = world.registry.unconfirmed(world.host).await.unwrap();
    assert_eq!(held.len(), 12);
    let ids = held.iter().map(|it| it.row.id).collect();
    (world, ids)
}

#[tokio::test]
async fn i17_mass_absence_is_held_over_a_restart_until_it_is_accepted() {
    let (world, ids) = held().await;
    let world = world.restarted().await;
    let host = world.registry.host(world.host).await.unwrap().unwrap();
    assert_eq!(host.unconfirmed, 12);
    assert_eq!(world.rows().await.len(), 13);
    let row = world.row("/r/3").await.row.state;
    assert_eq!(
        (row.presence, row.unconfirmed),
        (Presence::Present, Some(at(3)))
    );

    // Only what was shown is decided.
    let changed = world
        .registry
        .accept_absence(world.host, &ids[..6], at(5))
        .await
        .unwrap();
    assert_eq!(changed.workspaces.len() + changed.removed.len(), 6);
    assert_eq!(
        world.registry.unconfirmed(world.host).await.unwrap().len(),
        6
    );
    world
        .registry
        .accept_absence(world.host, &ids, at(6))
        .await
        .unwrap();
    let row = world.row("/r/0").await;
    assert_eq!(row.row.state.presence, Presence::Missing { since: at(3) });
    assert_eq!((row.note.as_str(), world.rows().await.len()), ("Kept.", 2));
    let host = world.registry.host(world.host).await.unwrap().unwrap();
    assert_eq!(host.unconfirmed, 0);
    let journal = world
        .registry
        .journal(JournalFilter::default(), None, 50)
        .await
        .unwrap();
    let accepted = JournalKind::AbsenceAccepted {
        dropped: 5,
        missing: 1,
    };
    assert!(journal.iter().any(|it| it.kind == accepted), "{journal:?}");
    // Once more changes nothing.
    let before = world.registry.revision().await.unwrap();
    let again = world
        .registry
        .accept_absence(world.host, &ids, at(7))
        .await
        .unwrap();
    assert_eq!(again.revision, before);
}

#[tokio::test]
async fn i17_what_is_kept_is_missing_and_stays_until_it_answers_or_is_hidden() {
    let (world, ids) = held().await;
    world
        .registry
        .refuse_absence(world.host, &ids, at(5))
        .await
        .unwrap();
    for second in [6, 7] {
        world.hears(second, &many(0)).await;
        let rows = world.rows().await;
        let missing = Presence::Missing { since: at(3) };
        let missing = rows.iter().filter(|it| it.row.state.presence == missing);
        assert_eq!((missing.count(), rows.len()), (12, 13));
    }
    world.hears(8, &many(12)).await;
    let rows = world.rows().await;
    assert!(
        rows.iter()
            .all(|it| it.row.state.presence == Presence::Present)
    );
    assert_eq!(rows.len(), 13);
}

#[tokio::test]
async fn i17_a_row_that_answers_before_the_person_does_is_not_lost_by_their_answer() {
    let (world, ids) = held().await;
    world.hears(4, &many(12)).await;
    world
        .registry
        .accept_absence(world.host, &ids, at(5))
        .await
        .unwrap();
    assert_eq!(world.rows().await.len(), 13);
}

#[tokio::test]
async fn i10_i17_accepting_absence_purges_nothing_that_is_being_deleted() {
    let (world, ids) = held().await;
    let deleted = world.row("/r/3").await.row.id;
    let agreed = super::tombstones::consent(&world, deleted).await;
    world
        .registry
        .entomb(deleted, &agreed, at(4))
        .await
        .unwrap();
    let host = world.registry.host(world.host).await.unwrap().unwrap();
    assert_eq!(host.unconfirmed, 11);
    world
        .registry
        .accept_absence(world.host, &ids, at(5))
        .await
        .unwrap();
    assert_eq!(world.row("/r/3").await.row.id, deleted);
    let applied = world.hears(6, &many(0)).await;
    assert_eq!(applied.changed.removed, [deleted]);
}

#[tokio::test]
async fn i17_another_machine_is_told_once_and_taken_up_only_when_agreed_to() {
    let world = World::new().await;
    world.hears(1, &many(3)).await;
    let before = world.rows().await;
    let says = |second: i64, machine: &str| {
        let mut builder =
            SnapshotBuilder::new(world.host, Tier::Facts, at(second), &[world.root.id]);
        builder.asked_at(u64::MAX);
        builder.host_facts(HostFacts {
            machine: machine.to_owned(),
            ..HostFacts::default()
        });
        builder.open(0).unwrap();
        builder.assert(0, main_tree("/r", 500)).unwrap();
        builder.close(0, 1).unwrap();
        builder.finish().unwrap()
    };
    for second in [2, 3] {
        let snapshot = says(second, "another");
        let applied = world.registry.apply(&snapshot, at(second)).await.unwrap();
        assert_eq!(applied.events.len(), usize::from(second == 2));
        assert_eq!(world.rows().await, before);
    }
    let host = world.registry.host(world.host).await.unwrap().unwrap();
    assert_eq!(host.machine.as_deref(), Some("machine"));
    assert_eq!(host.machine_offered.as_deref(), Some("another"));
    assert_eq!(host.answered_at, Some(at(1)));
    let root = world.registry.roots().await.unwrap().remove(0);
    assert_eq!(root.asserted_at, Some(at(1)));
    let Some(Condition::Failed { failure }) = root.condition else {
        panic!("{root:?}");
    };
    assert_eq!(failure.code, FailureCode::AnotherMachine);

    // What a person agrees to is what they were shown.
    let error = world
        .registry
        .agree_to_machine(world.host, "a third", at(4))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    world
        .registry
        .agree_to_machine(world.host, "another", at(5))
        .await
        .unwrap();
    let applied = world
        .registry
        .apply(&says(6, "another"), at(6))
        .await
        .unwrap();
    assert_eq!(applied.refreshed, 1);
    let host = world.registry.host(world.host).await.unwrap().unwrap();
    assert_eq!(
        (host.machine.as_deref(), host.machine_offered),
        (Some("another"), None)
    );
    // Back to the old one, it asks again; and answers as the known one clear the question.
    world
        .registry
        .apply(&says(7, "machine"), at(7))
        .await
        .unwrap();
    let host = world.registry.host(world.host).await.unwrap().unwrap();
    assert_eq!(host.machine_offered.as_deref(), Some("machine"));
    world
        .registry
        .apply(&says(8, "another"), at(8))
        .await
        .unwrap();
    let host = world.registry.host(world.host).await.unwrap().unwrap();
    assert_eq!(host.machine_offered, None);
}

#[tokio::test]
async fn d7_a_conflict_is_told_by_every_root_concerned_and_settled_by_a_choice() {
    let world = World::new().await;
    let other = register(&world.registry, world.host, "/s").await;
    let ours = [main_tree("/r", 1), worktree("/w", 2)];
    let theirs = [main_tree("/s", 3), worktree("/w", 4)];
    let said = |second| {
        complete(
            world.host,
            second,
            &[(world.root.id, &ours, &[]), (other.id, &theirs, &[])],
        )
    };
    world.registry.apply(&said(1), at(1)).await.unwrap();
    let roots = world.registry.roots().await.unwrap();
    assert!(roots.iter().all(|root| root.conflicts.len() == 1));
    assert!(
        world
            .rows()
            .await
            .iter()
            .all(|row| row.row.state.path != path("/w"))
    );

    let choose = |generation: u64| Choice {
        path: path("/w"),
        generation: worktree("/w", generation).generation.unwrap(),
    };
    let error = world
        .registry
        .settle_conflict(world.host, &choose(99), at(2))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    world
        .registry
        .settle_conflict(world.host, &choose(4), at(2))
        .await
        .unwrap();
    let world_after = world.registry.apply(&said(3), at(3)).await.unwrap();
    assert_eq!(world_after.adopted, 1);
    let roots = world.registry.roots().await.unwrap();
    assert!(roots.iter().all(|root| root.conflicts.is_empty()));
    assert_eq!(world.row("/w").await.row.state.root, other.id);
    // The choice outlives a restart.
    let world = world.restarted().await;
    let again = complete(
        world.host,
        4,
        &[(world.root.id, &ours, &[]), (other.id, &theirs, &[])],
    );
    world.registry.apply(&again, at(4)).await.unwrap();
    assert_eq!(world.row("/w").await.row.state.root, other.id);
}

#[tokio::test]
async fn i6_only_hidden_rows_that_are_long_gone_by_their_host_s_word_are_forgotten() {
    let world = World::new().await;
    world.hears(1, &many(4)).await;
    let id = |n: u8| async move { format!("/r/{n}") };
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(world.row(id(n).await).await.row.id);
    }
    // 0: hidden and gone. 1: hidden and there. 2: hidden lately and gone. 3: shown and gone, with a note.
    world.note(ids[3], "Kept.", 2).await;
    for (n, second) in [(0, 10), (1, 10), (2, 90)] {
        world.registry.untrack(ids[n], at(second)).await.unwrap();
    }
    world
        .hears(95, &[main_tree("/r", 1), worktree("/r/1", 11)])
        .await;
    let changed = world
        .registry
        .purge_untracked(at(50), at(100))
        .await
        .unwrap();
    assert_eq!(changed.removed, [ids[0]]);
    let left: Vec<HostPath> = world
        .rows()
        .await
        .into_iter()
        .map(|it| it.row.state.path)
        .collect();
    assert_eq!(left.len(), 4, "{left:?}");
    let again = world
        .registry
        .purge_untracked(at(50), at(101))
        .await
        .unwrap();
    assert_eq!(again.removed, []);
    // What was hidden and is there stays hidden.
    world.hears(102, &many(2)).await;
    let row = world.row("/r/1").await;
    assert!(row.row.untracked);
}
