//! What roll calls do to the rows.

use proptest::prelude::*;
use rollcall_converge::{Condition, Event, FactsOutcome, HostPath, Presence, Tier};

use super::world::{World, at, complete, facts, failed, main_tree, path, register, worktree};
use crate::{Actor, JournalFilter, JournalKind, RegistryCode};

#[tokio::test]
async fn a2_paths_of_any_bytes_and_what_is_written_about_them_survive_a_restart() {
    let odd = b"/r/odd\n'quote\"\t\xff\xfe".to_vec();
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree(odd.clone(), 2)])
        .await;
    let id = world.row(odd.clone()).await.row.id;
    world.note(id, "Kept.", 2).await;
    let before = world.rows().await;
    let world = world.restarted().await;
    assert_eq!(world.rows().await, before);
    let row = world.row(odd.clone()).await;
    assert_eq!((row.row.id, row.note.as_str()), (id, "Kept."));
    let call = world
        .registry
        .roll_call(world.host, Tier::Facts)
        .await
        .unwrap();
    assert!(call.roots[0].known.contains(&path(odd)));
}

#[tokio::test]
async fn an_unchanged_snapshot_writes_one_row_per_root_and_one_of_the_host() {
    let world = World::new().await;
    let second = register(&world.registry, world.host, "/s").await;
    let here: Vec<_> = (0..50).map(|n| worktree(format!("/r/{n}"), n)).collect();
    let there: Vec<_> = (0..50)
        .map(|n| worktree(format!("/s/{n}"), 100 + n))
        .collect();
    let said = |at| {
        complete(
            world.host,
            at,
            &[(world.root.id, &here, &[]), (second.id, &there, &[])],
        )
    };
    world.registry.apply(&said(1), at(1)).await.unwrap();

    let before = world.written().await;
    let applied = world.registry.apply(&said(2), at(2)).await.unwrap();
    assert!(applied.changed.workspaces.is_empty() && applied.events.is_empty());
    // Two roots, the host's last answer and the revision.
    assert_eq!(world.written().await - before, 4);

    // The same snapshot once more changes nothing at all.
    let before = (
        world.written().await,
        world.registry.revision().await.unwrap(),
    );
    let applied = world.registry.apply(&said(2), at(3)).await.unwrap();
    assert_eq!(applied.changed.revision, before.1);
    assert_eq!(
        (
            world.written().await,
            world.registry.revision().await.unwrap()
        ),
        before
    );
}

#[tokio::test]
async fn one_changed_workspace_writes_one_row_more_and_is_the_only_one_told() {
    let world = World::new().await;
    let mut said: Vec<_> = (0..50).map(|n| worktree(format!("/r/{n}"), n)).collect();
    world.hears(1, &said).await;
    let revision = world.registry.revision().await.unwrap();
    said[7].facts = FactsOutcome::Observed(facts(9));
    let before = world.written().await;
    let applied = world
        .registry
        .apply(&world.says(2, &said), at(2))
        .await
        .unwrap();
    // The row, its root, the host and the revision.
    assert_eq!(world.written().await - before, 4);
    let id = world.row("/r/7").await.row.id;
    assert_eq!(applied.changed.workspaces, [id]);
    let changes = world.registry.changes_since(revision).await.unwrap();
    assert_eq!(
        changes
            .upserted
            .iter()
            .map(|it| it.row.id)
            .collect::<Vec<_>>(),
        [id]
    );
    assert!(changes.removed.is_empty());
}

#[tokio::test]
async fn i1_i2_a_root_that_failed_keeps_its_rows_and_the_others_go_on() {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let before = world.rows().await;
    let snapshot = failed(world.host, 2, world.root.id);
    let applied = world.registry.apply(&snapshot, at(2)).await.unwrap();
    assert!(applied.changed.workspaces.is_empty() && applied.changed.removed.is_empty());
    assert_eq!(world.rows().await, before);
    let root = world.registry.roots().await.unwrap().remove(0);
    assert!(matches!(root.condition, Some(Condition::Failed { .. })));
    assert_eq!(
        (root.asserted_at, root.facts_at),
        (Some(at(1)), Some(at(1)))
    );
}

#[tokio::test]
async fn i4_a_roll_call_leaves_what_people_wrote_and_people_leave_what_roll_calls_wrote() {
    let world = World::new().await;
    let said = [main_tree("/r", 1), worktree("/w", 2)];
    world.hears(1, &said).await;
    let id = world.row("/w").await.row.id;
    let observed = world.row("/w").await.row.state;
    let patch = crate::AnnotationPatch {
        note: Some("Mine.".to_owned()),
        tags: Some(vec!["b".to_owned(), "a".to_owned()]),
        pinned: Some(true),
        display_name: Some(Some("Called".to_owned())),
        ..crate::AnnotationPatch::default()
    };
    world.registry.annotate(id, &patch, at(2)).await.unwrap();
    assert_eq!(world.row("/w").await.row.state, observed);
    let mut moved = worktree("/elsewhere", 2);
    moved.facts = FactsOutcome::Observed(facts(5));
    world.hears(3, &[main_tree("/r", 1), moved]).await;
    let row = world.row("/elsewhere").await;
    assert_eq!(row.row.id, id);
    assert_eq!((row.note.as_str(), row.pinned), ("Mine.", true));
    assert_eq!(row.tags, ["b", "a"]);
    assert_eq!(row.display_name.as_deref(), Some("Called"));
}

#[tokio::test]
async fn i5_only_adopted_rows_without_annotations_leave_with_the_disk() {
    let world = World::new().await;
    world
        .hears(
            1,
            &[
                main_tree("/r", 1),
                worktree("/plain", 2),
                worktree("/noted", 3),
            ],
        )
        .await;
    let (plain, noted) = (
        world.row("/plain").await.row.id,
        world.row("/noted").await.row.id,
    );
    world.note(noted, "Kept.", 2).await;
    let revision = world.registry.revision().await.unwrap();
    let applied = world.hears(3, &[main_tree("/r", 1)]).await;
    assert_eq!(
        (applied.dropped, applied.changed.removed.as_slice()),
        (1, [plain].as_slice())
    );
    let row = world.row("/noted").await;
    assert_eq!(row.row.state.presence, Presence::Missing { since: at(3) });
    assert_eq!(row.note, "Kept.");
    let changes = world.registry.changes_since(revision).await.unwrap();
    assert_eq!(changes.removed, [plain]);
    assert_eq!(changes.upserted, [row]);

    let journal = world
        .registry
        .journal(JournalFilter::default(), None, 10)
        .await
        .unwrap();
    let said = |event: &Event| {
        journal.iter().any(|line| {
            line.actor == Actor::RollCall && line.kind == JournalKind::Observed(event.clone())
        })
    };
    assert!(
        said(&Event::Dropped {
            id: plain,
            path: path("/plain")
        }),
        "{journal:?}"
    );
    assert!(
        said(&Event::WentMissing {
            id: noted,
            path: path("/noted")
        }),
        "{journal:?}"
    );

    // It answers again, and is the same row.
    world
        .hears(4, &[main_tree("/r", 1), worktree("/noted", 3)])
        .await;
    let row = world.row("/noted").await;
    assert_eq!(
        (row.row.id, row.row.state.presence),
        (noted, Presence::Present)
    );
}

#[tokio::test]
async fn i6_an_untracked_generation_stays_hidden_until_it_is_retracked() {
    let world = World::new().await;
    let said = [main_tree("/r", 1), worktree("/w", 2)];
    world.hears(1, &said).await;
    let id = world.row("/w").await.row.id;
    world.registry.untrack(id, at(2)).await.unwrap();
    let applied = world
        .registry
        .apply(&world.says(3, &said), at(3))
        .await
        .unwrap();
    assert_eq!(applied.adopted, 0);
    assert!(world.row("/w").await.row.untracked);
    // Moved, it is still the one that is hidden.
    world
        .hears(4, &[main_tree("/r", 1), worktree("/moved", 2)])
        .await;
    assert_eq!(world.rows().await.len(), 2);
    // Another one at its path is a new workspace.
    world
        .hears(5, &[main_tree("/r", 1), worktree("/w", 9)])
        .await;
    assert_eq!(
        world
            .rows()
            .await
            .iter()
            .filter(|it| !it.row.untracked)
            .count(),
        2
    );
    world.registry.retrack(id, at(6)).await.unwrap();
    assert!(
        !world
            .registry
            .workspace(id)
            .await
            .unwrap()
            .unwrap()
            .row
            .untracked
    );
}

#[tokio::test]
async fn a29_swaps_and_chains_of_moves_follow_whatever_the_order() {
    let world = World::new().await;
    world
        .hears(
            1,
            &[
                main_tree("/r", 1),
                worktree("/a", 2),
                worktree("/b", 3),
                worktree("/c", 4),
            ],
        )
        .await;
    let ids = [
        world.row("/a").await.row.id,
        world.row("/b").await.row.id,
        world.row("/c").await.row.id,
    ];
    // A swap, then a chain in which each takes the place of the next.
    world
        .hears(
            2,
            &[
                worktree("/a", 3),
                main_tree("/r", 1),
                worktree("/b", 2),
                worktree("/c", 4),
            ],
        )
        .await;
    assert_eq!(world.row("/a").await.row.id, ids[1]);
    assert_eq!(world.row("/b").await.row.id, ids[0]);
    world
        .hears(
            3,
            &[
                main_tree("/r", 1),
                worktree("/d", 4),
                worktree("/c", 2),
                worktree("/b", 3),
            ],
        )
        .await;
    assert_eq!(world.row("/b").await.row.id, ids[1]);
    assert_eq!(world.row("/c").await.row.id, ids[0]);
    assert_eq!(world.row("/d").await.row.id, ids[2]);
    assert_eq!(world.rows().await.len(), 4);
}

#[tokio::test]
async fn a_snapshot_that_comes_late_is_refused_or_passed_over() {
    let world = World::new().await;
    let there = crate::tests::places::ssh(&world.registry, "box").await;
    let root = register(&world.registry, there, "/r").await;
    let said = [main_tree("/r", 1), worktree("/w", 2)];
    let snapshot = complete(there, 5, &[(root.id, &said, &[])]);
    world
        .registry
        .release_root(root.id, false, at(6))
        .await
        .unwrap();
    let applied = world.registry.apply(&snapshot, at(7)).await.unwrap();
    assert_eq!((applied.adopted, world.rows().await.len()), (0, 0));
    world.registry.forget_host(there, at(8)).await.unwrap();
    let before = world.registry.revision().await.unwrap();
    let error = world.registry.apply(&snapshot, at(9)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
    assert_eq!(world.registry.revision().await.unwrap(), before);
}

#[tokio::test]
async fn pages_give_every_row_once_and_so_do_ids() {
    let world = World::new().await;
    let said: Vec<_> = (0..23).map(|n| worktree(format!("/r/{n}"), n)).collect();
    world.hears(1, &said).await;
    for size in [1, 7, 23, 100] {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = world.registry.workspaces_page(after, size).await.unwrap();
            assert!(page.len() <= size as usize);
            let Some(last) = page.last() else { break };
            after = Some(last.row.id);
            all.extend(page);
        }
        assert_eq!(all, world.rows().await, "{size}");
    }
    let ids: Vec<_> = world.rows().await.iter().map(|it| it.row.id).collect();
    assert_eq!(
        world.registry.workspaces_by_id(&ids).await.unwrap(),
        world.rows().await
    );
}

/// What one step of a random history asserts: paths by number, each with the generation that stands there.
fn worlds() -> impl Strategy<Value = Vec<Vec<(u8, u64)>>> {
    let places = prop::collection::btree_map(0_u8..6, 1_u64..9, 0..6);
    let one = places.prop_map(|places| {
        let mut seen = Vec::new();
        let mut said: Vec<(u8, u64)> = places.into_iter().collect();
        said.retain(|(_, generation)| {
            let new = !seen.contains(generation);
            seen.push(*generation);
            new
        });
        said
    });
    prop::collection::vec(one, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(2_000) / 4, ..ProptestConfig::default() })]

    #[test]
    fn changes_since_any_revision_lead_a_follower_to_the_same_rows(history in worlds(), noted in any::<u8>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::new().await;
            let mut follower = std::collections::BTreeMap::new();
            let mut revision = 0;
            for (second, said) in (1..).zip(&history) {
                let said: Vec<_> = said.iter().map(|(place, it)| worktree(format!("/r/{place}"), *it)).collect();
                world.hears(second, &said).await;
                let rows = world.rows().await;
                if let Some(row) = rows.get(usize::from(noted) % rows.len().max(1)) {
                    world.note(row.row.id, &format!("at {second}"), second).await;
                }
                let changes = world.registry.changes_since(revision).await.unwrap();
                revision = changes.revision;
                for row in changes.upserted {
                    follower.insert(row.row.id, row);
                }
                for id in changes.removed {
                    follower.remove(&id);
                }
                let rows: std::collections::BTreeMap<_, _> =
                    world.rows().await.into_iter().map(|row| (row.row.id, row)).collect();
                prop_assert_eq!(&follower, &rows);
                // Whatever came before, what was said last is there.
                for (place, _) in history.get(usize::try_from(second - 1).unwrap()).unwrap() {
                    let wanted: HostPath = path(format!("/r/{place}"));
                    prop_assert!(rows.values().any(|it| it.row.state.path == wanted
                        && it.row.state.presence == Presence::Present));
                }
            }
            Ok(())
        })?;
    }
}
