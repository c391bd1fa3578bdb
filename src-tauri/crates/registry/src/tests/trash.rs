//! What rests in the trash of a host, and what comes back from it.

use rollcall_converge::{
    Assertion, FailedRoot, HostPath, Snapshot, SnapshotBuilder, Tier, TrashStage, Trashed,
    WorkspaceId, WorkspaceKind,
};
use uuid::Uuid;

use super::tombstones::consent;
use super::world::{World, at, main_tree, path, worktree};
use crate::TrashRecord;

fn trashed(id: u128, from: &Assertion) -> Trashed {
    let place = HostPath::new(format!("/r/.git/rollcall-trash/{id}"));
    Trashed {
        id: Uuid::from_u128(id),
        tree: HostPath::new([place.as_bytes(), b"/tree"].concat()),
        place,
        mount: Some(path("/")),
        from: from.path.clone(),
        kind: from.kind,
        generation: from.generation,
        repository: Some(path("/r/.git")),
        branch: None,
        head: None,
        branch_gone: false,
        stage: TrashStage::Whole,
        deleted_at: 1_000,
        days: 14,
        host_time: 1_000,
        manifest: path("rollcall-trash 1"),
    }
}

/// What the root says, with what is in the trash.
async fn says(
    world: &World,
    second: i64,
    assertions: &[Assertion],
    trash: &[Trashed],
    emptied: &[HostPath],
) -> Snapshot {
    let call = world
        .registry
        .roll_call(world.host, Tier::Facts)
        .await
        .unwrap();
    let mut builder = SnapshotBuilder::new(world.host, Tier::Facts, at(second), &[world.root.id]);
    builder.asked_at(call.revision);
    builder.open(0).unwrap();
    for assertion in assertions {
        builder.assert(0, assertion.clone()).unwrap();
    }
    for path in call.roots.iter().flat_map(|root| &root.known) {
        if assertions.iter().all(|it| it.path != *path) {
            let mount = Some(HostPath::new("/"));
            let found = rollcall_converge::Probe::NoSuchFile { mount };
            builder.probe(0, path.clone(), found).unwrap();
        }
    }
    for it in trash {
        builder.trash(it.clone());
    }
    for place in emptied {
        builder.emptied(place.clone());
    }
    builder.close(0, assertions.len()).unwrap();
    builder.finish().unwrap()
}

/// What the root says, with one thing in the trash.
async fn away(world: &World, second: i64, main: &Assertion, rests: &Trashed) -> Snapshot {
    let (main, rests) = (std::slice::from_ref(main), std::slice::from_ref(rests));
    says(world, second, main, rests, &[]).await
}

async fn only(world: &World) -> TrashRecord {
    let mut all = world.registry.trash(Some(world.host)).await.unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// A world with a repository and a worktree that somebody wrote about and wants deleted.
async fn decided() -> (World, Assertion, Assertion, WorkspaceId) {
    let world = World::new().await;
    let (main, work) = (main_tree("/r", 1), worktree("/w", 2));
    world.hears(1, &[main.clone(), work.clone()]).await;
    let id = world.row("/w").await.row.id;
    world.note(id, "Kept.", 2).await;
    let agreed = consent(&world, id).await;
    world.registry.entomb(id, &agreed, at(3)).await.unwrap();
    (world, main, work, id)
}

#[tokio::test]
async fn i10_notes_rest_with_what_was_deleted_and_come_back_to_the_row_it_was() {
    let (world, main, work, id) = decided().await;
    // A record of the trash confirms the absence, whatever is at the path now.
    let rests = trashed(7, &work);
    let snapshot = away(&world, 4, &main, &rests).await;
    let applied = world.registry.apply(&snapshot, at(4)).await.unwrap();
    assert!(applied.changed.trash && applied.dropped == 1);
    let it = only(&world).await;
    assert_eq!(
        (it.workspace, it.note.as_str(), &it.trashed),
        (Some(id), "Kept.", &rests)
    );
    assert_eq!(world.registry.tombstones(None).await.unwrap(), []);

    // The same again changes nothing, though the clock of the host goes on.
    let later = Trashed {
        host_time: 2_000,
        ..rests.clone()
    };
    let snapshot = says(&world, 5, std::slice::from_ref(&main), &[later], &[]).await;
    let applied = world.registry.apply(&snapshot, at(5)).await.unwrap();
    assert!(!applied.changed.trash);

    // Whoever restored it, it is the row that it was.
    let restored = Trashed {
        stage: TrashStage::Restored,
        ..rests.clone()
    };
    let snapshot = says(&world, 6, &[main.clone(), work.clone()], &[restored], &[]).await;
    let applied = world.registry.apply(&snapshot, at(6)).await.unwrap();
    assert_eq!(applied.adopted, 1);
    let row = world.row("/w").await;
    assert_eq!((row.row.id, row.note.as_str()), (id, "Kept."));
    assert_eq!(only(&world).await.note, "");
    let since = world
        .registry
        .changes_since(applied.changed.revision - 1)
        .await
        .unwrap();
    assert!(since.removed.is_empty(), "{since:?}");

    let snapshot = says(&world, 7, &[main, work], &[], &[rests.place]).await;
    world.registry.apply(&snapshot, at(7)).await.unwrap();
    assert_eq!(world.registry.trash(None).await.unwrap(), []);
}

#[tokio::test]
async fn what_another_desktop_deleted_is_missing_if_it_was_written_about() {
    let world = World::new().await;
    let (main, work) = (main_tree("/r", 1), worktree("/w", 2));
    world
        .hears(1, &[main.clone(), work.clone(), worktree("/plain", 3)])
        .await;
    let id = world.row("/w").await.row.id;
    world.note(id, "Kept.", 2).await;
    let trash = [trashed(7, &work), trashed(8, &worktree("/plain", 3))];
    let snapshot = says(&world, 4, &[main], &trash, &[]).await;
    world.registry.apply(&snapshot, at(4)).await.unwrap();
    let row = world.row("/w").await;
    assert!(matches!(
        row.row.state.presence,
        rollcall_converge::Presence::Missing { .. }
    ));
    assert_eq!(world.registry.trash(None).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_root_that_was_deleted_itself_is_not_called_any_more() {
    let world = World::new().await;
    let main = main_tree("/r", 1);
    world.hears(1, std::slice::from_ref(&main)).await;
    let id = world.row("/r").await.row.id;
    let agreed = consent(&world, id).await;
    world.registry.entomb(id, &agreed, at(3)).await.unwrap();
    let mut builder = SnapshotBuilder::new(world.host, Tier::Facts, at(4), &[world.root.id]);
    builder.asked_at(world.registry.revision().await.unwrap());
    let mount = Some(path("/"));
    builder.fail(0, FailedRoot::NoSuchFile { mount }).unwrap();
    builder.trash(trashed(
        7,
        &Assertion {
            kind: WorkspaceKind::Repository,
            ..main
        },
    ));
    let snapshot = builder.finish().unwrap();
    let applied = world.registry.apply(&snapshot, at(4)).await.unwrap();
    assert!(applied.changed.roots);
    assert_eq!(world.registry.roots().await.unwrap(), []);
    // Its host is still asked about what rests in the trash.
    let call = world
        .registry
        .roll_call(world.host, Tier::Facts)
        .await
        .unwrap();
    assert_eq!(call.trash.len(), 1);
}

#[tokio::test]
async fn what_is_due_is_noted_once_as_shown() {
    let world = World::new().await;
    let main = main_tree("/r", 1);
    let due = Trashed {
        host_time: 1_000 + 14 * 86_400,
        ..trashed(7, &worktree("/w", 2))
    };
    let early = trashed(8, &worktree("/x", 3));
    let snapshot = says(&world, 4, &[main], &[due, early], &[]).await;
    world.registry.apply(&snapshot, at(4)).await.unwrap();
    for second in [5, 50] {
        world.registry.showed_due(at(second)).await.unwrap();
    }
    let shown: Vec<_> = world.registry.trash(None).await.unwrap();
    let shown: Vec<_> = shown.iter().map(|it| it.shown_due_at).collect();
    assert_eq!(shown, [Some(at(5)), None]);
}

#[tokio::test]
async fn e13_a_roll_call_begun_before_a_restore_does_not_undo_it_in_the_mirror() {
    let (world, main, work, id) = decided().await;
    let rests = trashed(7, &work);
    let early = away(&world, 4, &main, &rests).await;
    world.registry.apply(&early, at(4)).await.unwrap();
    // It begins now, and is on its way for long.
    let late = away(&world, 5, &main, &rests).await;
    let it = only(&world).await;
    world.registry.restored(&it, at(6)).await.unwrap();
    let restored = Trashed {
        stage: TrashStage::Restored,
        ..rests
    };
    let back = says(&world, 7, &[main, work], &[restored], &[]).await;
    world.registry.apply(&back, at(7)).await.unwrap();
    let row = world.row("/w").await;
    assert_eq!((row.row.id, row.note.as_str()), (id, "Kept."));

    world.registry.apply(&late, at(8)).await.unwrap();
    let row = world.row("/w").await;
    assert_eq!((row.row.id, row.note.as_str()), (id, "Kept."));
    assert_eq!(row.row.state.presence, rollcall_converge::Presence::Present);
    let it = only(&world).await;
    assert_eq!(
        (it.trashed.stage, it.note.as_str()),
        (TrashStage::Restored, "")
    );
}
