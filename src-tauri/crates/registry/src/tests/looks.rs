//! What was seen in depth, sizes, and the branch others are merged into.

use rollcall_converge::{Deep, Look, MergeState, Merged, RefName, RootId, Size, Tier, Unobserved};
use uuid::Uuid;

use super::world::{World, at, main_tree, path, worktree};
use crate::{JournalFilter, JournalKind, RegistryCode, Seen, WorkspaceRecord};

fn look_at(record: &WorkspaceRecord) -> Look {
    Look {
        generation: record.row.state.generation,
        host_time: Some(1_700_000_000),
        deep: Deep {
            merged: Merged {
                base: Some(RefName::new("refs/heads/main")),
                base_commit: Some("b".repeat(40)),
                head_commit: Some("c".repeat(40)),
                state: MergeState::Squashed,
            },
            unheld: Ok(3),
            unheld_commits: vec!["d".repeat(40)],
            held: Ok(Vec::new()),
            hidden: Err(Unobserved {
                reason: "why not".to_owned(),
            }),
            precious: Ok(vec![path(b"odd\n\xff".as_slice())]),
            nested: Ok(Vec::new()),
            in_use: Ok(Vec::new()),
            submodules: Ok(Vec::new()),
            digest: Ok("abc".to_owned()),
        },
    }
}

async fn row(world: &World, at: &[u8]) -> WorkspaceRecord {
    let rows = world.registry.workspaces().await.unwrap();
    let found = rows.into_iter().find(|it| it.row.state.path == path(at));
    found.unwrap()
}

#[tokio::test]
async fn what_was_seen_is_kept_for_the_workspace_it_was_seen_of_and_no_other() {
    let world = World::new().await;
    let registry = &world.registry;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/a", 2)])
        .await;
    let seen = row(&world, b"/a").await;
    let look = look_at(&seen);
    let changed = registry
        .record_look(seen.row.id, &look, at(5))
        .await
        .unwrap();
    assert_eq!(changed.workspaces, [seen.row.id]);
    let size = Size {
        total: 5 << 30,
        ignored: None,
        partial: true,
    };
    let generation = seen.row.state.generation;
    registry
        .record_size(seen.row.id, generation, &size, at(6))
        .await
        .unwrap();
    let kept = registry.seen(&seen).await.unwrap();
    assert_eq!(kept.look, Some((at(5), look)));
    assert_eq!(kept.size, Some((at(6), size)));

    // Another workspace at its path.
    world
        .hears(7, &[main_tree("/r", 1), worktree("/a", 9)])
        .await;
    let other = row(&world, b"/a").await;
    assert_eq!(registry.seen(&other).await.unwrap(), Seen::default());
    let nobody = rollcall_converge::WorkspaceId::new(Uuid::from_u128(77));
    let error = registry
        .record_size(nobody, None, &size, at(8))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
}

#[tokio::test]
async fn whether_it_is_merged_holds_while_neither_commit_moves() {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/a", 2)])
        .await;
    let seen = row(&world, b"/a").await;
    let registry = &world.registry;
    registry
        .record_look(seen.row.id, &look_at(&seen), at(5))
        .await
        .unwrap();
    let kept = registry.seen(&seen).await.unwrap();
    let (head, base, other) = ("c".repeat(40), "b".repeat(40), "d".repeat(40));
    let holds = |head: Option<&str>, base: Option<&str>| kept.merged(head, base).is_some();
    assert!(holds(Some(&head), Some(&base)));
    assert!(!holds(Some(&other), Some(&base)));
    assert!(!holds(Some(&head), Some(&other)));
    assert!(!holds(None, Some(&base)) && !holds(Some(&head), None) && !holds(None, None));
}

#[tokio::test]
async fn those_that_nobody_looked_at_come_first_and_none_twice_a_day() {
    let world = World::new().await;
    let registry = &world.registry;
    let all = [main_tree("/r", 1), worktree("/a", 2), worktree("/b", 3)];
    world.hears(1, &all).await;
    let (a, b) = (row(&world, b"/a").await, row(&world, b"/b").await);
    registry
        .record_look(a.row.id, &look_at(&a), at(50))
        .await
        .unwrap();
    registry
        .record_look(b.row.id, &look_at(&b), at(20))
        .await
        .unwrap();
    let due = async |since| {
        let due = registry.not_looked_at(world.host, at(since), 10).await;
        let paths = due
            .unwrap()
            .into_iter()
            .map(|it| it.row.state.path.display());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(due(10).await, ["/r"]);
    assert_eq!(due(30).await, ["/r", "/b"]);
    assert_eq!(due(60).await, ["/r", "/b", "/a"]);
    registry.untrack(b.row.id, at(70)).await.unwrap();
    world.hears(80, &all[..2]).await;
    assert_eq!(due(60).await, ["/r", "/a"]);
    assert_eq!(
        registry
            .not_looked_at(world.host, at(60), 1)
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn the_branch_others_are_merged_into_goes_with_every_roll_call() {
    let world = World::new().await;
    let registry = &world.registry;
    let (root, base) = (world.root.id, RefName::new("refs/heads/next"));
    let changed = registry
        .choose_base(root, Some(&base), at(1))
        .await
        .unwrap();
    assert!(changed.roots);
    let again = registry
        .choose_base(root, Some(&base), at(2))
        .await
        .unwrap();
    assert!(!again.roots);
    let call = registry.roll_call(world.host, Tier::Facts).await.unwrap();
    assert_eq!(call.roots[0].base.as_ref(), Some(&base));
    let chosen = |base: Option<&str>| JournalKind::BaseChosen {
        base: base.map(str::to_owned),
    };
    let journal = registry
        .journal(JournalFilter::default(), None, 1)
        .await
        .unwrap();
    assert_eq!(journal[0].kind, chosen(Some("refs/heads/next")));
    registry.choose_base(root, None, at(3)).await.unwrap();
    assert_eq!(registry.roots().await.unwrap()[0].base, None);

    for bad in [
        "",
        "main",
        "refs/heads/",
        "refs/tags/v1",
        "refs/heads/a b",
        "refs/heads/a\nb",
    ] {
        let name = RefName::new(bad);
        let error = registry
            .choose_base(root, Some(&name), at(4))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{bad}");
    }
    let nowhere = RootId::new(Uuid::from_u128(5));
    let error = registry
        .choose_base(nowhere, None, at(5))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
}

#[tokio::test]
async fn whether_many_are_merged_holds_while_neither_commit_moves_and_of_that_workspace_only() {
    let world = World::new().await;
    let with_base = |generation, base: &str| {
        let mut facts = super::world::facts(0);
        facts.distance = Some(rollcall_converge::Distance {
            base: RefName::new("refs/heads/main"),
            commit: base.repeat(40),
            ahead: 1,
            behind: 1,
        });
        rollcall_converge::Assertion {
            facts: rollcall_converge::FactsOutcome::Observed(facts),
            ..worktree("/a", generation)
        }
    };
    let merged = async || {
        let record = row(&world, b"/a").await;
        let weighing = world.registry.weighing(std::slice::from_ref(&record)).await;
        weighing.unwrap().merged(&record).map(|it| it.state.clone())
    };
    world
        .hears(1, &[main_tree("/r", 1), with_base(2, "b")])
        .await;
    assert_eq!(merged().await, None);
    let record = row(&world, b"/a").await;
    let look = look_at(&record);
    let registry = &world.registry;
    registry
        .record_look(record.row.id, &look, at(5))
        .await
        .unwrap();
    assert_eq!(merged().await, Some(MergeState::Squashed));
    world
        .hears(6, &[main_tree("/r", 1), with_base(2, "d")])
        .await;
    assert_eq!(merged().await, None, "its base moved");
    world
        .hears(7, &[main_tree("/r", 1), with_base(3, "b")])
        .await;
    assert_eq!(merged().await, None, "it is another workspace");
}
