//! What people decide about workspaces that are missing.

use rollcall_converge::{Address, SshTarget, WorkspaceId};
use uuid::Uuid;

use super::world::{World, at, complete, main_tree, path, register, worktree};
use crate::{AnnotationPatch, Colour, JournalFilter, JournalKind, RegistryCode};

/// A world in which `/gone` is missing with everything written about it, and `/new` is there.
async fn went() -> (World, WorkspaceId, WorkspaceId) {
    let world = World::new().await;
    let before = [
        main_tree("/r", 1),
        worktree("/gone", 2),
        worktree("/new", 3),
    ];
    world.hears(1, &before).await;
    let registry = &world.registry;
    let (gone, new) = (
        world.row("/gone").await.row.id,
        world.row("/new").await.row.id,
    );
    let (group, _) = registry.add_group("Work", None).await.unwrap();
    let patch = AnnotationPatch {
        note: Some("What I meant.".to_owned()),
        tags: Some(vec!["a".to_owned(), "b".to_owned()]),
        pinned: Some(true),
        display_name: Some(Some("Called".to_owned())),
        colour: Some(Some(Colour::Red)),
        link: Some(Some("https://example.org/1".to_owned())),
    };
    registry.annotate(gone, &patch, at(2)).await.unwrap();
    registry
        .regroup(&[(gone, Some(group))], &[(group, vec![gone])], at(2))
        .await
        .unwrap();
    world
        .hears(3, &[main_tree("/r", 1), worktree("/new", 3)])
        .await;
    (world, gone, new)
}

#[tokio::test]
async fn what_was_written_about_a_missing_workspace_goes_over_to_what_it_became() {
    let (world, gone, new) = went().await;
    let registry = &world.registry;
    let group = registry.groups().await.unwrap()[0].id;
    let patch = AnnotationPatch {
        note: Some("Its own.\n".to_owned()),
        tags: Some(vec!["B".to_owned(), "c".to_owned()]),
        colour: Some(Some(Colour::Blue)),
        ..AnnotationPatch::default()
    };
    registry.annotate(new, &patch, at(4)).await.unwrap();
    let changed = registry.relink(gone, new, at(5)).await.unwrap();
    assert_eq!(
        (changed.workspaces.as_slice(), changed.removed.as_slice()),
        ([new].as_slice(), [gone].as_slice())
    );
    assert!(!changed.roots, "others of its root are there");
    let row = world.row("/new").await;
    assert_eq!(row.note, "Its own.\n\nWhat I meant.");
    assert_eq!(row.tags, ["B", "c", "a"]);
    assert!(row.pinned);
    assert_eq!(row.display_name.as_deref(), Some("Called"));
    assert_eq!((row.group, row.position), (Some(group), None));
    assert_eq!(row.colour, Some(Colour::Blue));
    assert_eq!(row.link.as_deref(), Some("https://example.org/1"));
    assert_eq!(world.rows().await.len(), 2);
    let line = registry
        .journal(JournalFilter::of(new), None, 1)
        .await
        .unwrap()
        .remove(0);
    let kind = JournalKind::Relinked {
        from: path("/gone"),
    };
    assert_eq!((line.kind, line.path), (kind, Some(path("/new"))));
    let since = registry.changes_since(changed.revision - 1).await.unwrap();
    assert_eq!(since.removed, [gone]);
}

#[tokio::test]
async fn a_workspace_may_have_become_one_on_another_host_and_takes_its_root_along() {
    let world = World::new().await;
    world.hears(1, &[main_tree("/r", 1)]).await;
    let gone = world.row("/r").await.row.id;
    world.note(gone, "Kept.", 2).await;
    let target = SshTarget {
        destination: "box".to_owned(),
        ..SshTarget::default()
    };
    let registry = &world.registry;
    let (there, _) = registry
        .add_host("box", Address::Ssh(target), at(2))
        .await
        .unwrap();
    let root = register(registry, there.id, "/s").await;
    let said = [main_tree("/s", 9)];
    registry
        .apply(&complete(there.id, 3, &[(root.id, &said, &[])]), at(3))
        .await
        .unwrap();
    world.hears(4, &[]).await;
    let to = world.row("/s").await.row.id;
    let changed = registry.relink(gone, to, at(5)).await.unwrap();
    assert!(changed.roots);
    let roots = registry.roots().await.unwrap();
    assert_eq!((roots.len(), roots[0].root.id), (1, root.id));
    let row = world.row("/s").await;
    assert_eq!((row.note.as_str(), row.host), ("Kept.", there.id));
}

#[tokio::test]
async fn only_what_is_missing_becomes_something_else_and_only_what_is_there() {
    let (world, gone, new) = went().await;
    let registry = &world.registry;
    let nobody = WorkspaceId::new(Uuid::nil());
    let refused = async |from, to, code| {
        let before = (world.rows().await, registry.revision().await.unwrap());
        let error = registry.relink(from, to, at(6)).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(!error.hints().is_empty());
        let after = (world.rows().await, registry.revision().await.unwrap());
        assert_eq!(before, after);
    };
    let r = world.row("/r").await.row.id;
    for (from, to) in [(new, r), (gone, gone), (new, gone)] {
        refused(from, to, RegistryCode::InvalidInput).await;
    }
    refused(gone, nobody, RegistryCode::NotFound).await;
    refused(nobody, new, RegistryCode::NotFound).await;
    // Both together are too much.
    world.note(new, &"x".repeat(65_530), 7).await;
    refused(gone, new, RegistryCode::InvalidInput).await;
    world.note(new, "Short.", 8).await;
    let many = AnnotationPatch {
        tags: Some((0..49).map(|n| n.to_string()).collect()),
        ..AnnotationPatch::default()
    };
    registry.annotate(new, &many, at(8)).await.unwrap();
    refused(gone, new, RegistryCode::InvalidInput).await;
    // Neither what is hidden, nor what is being deleted or missing, is a place to go to.
    registry.untrack(r, at(9)).await.unwrap();
    refused(gone, r, RegistryCode::InvalidInput).await;
    let agreed = super::tombstones::consent(&world, new).await;
    registry.entomb(new, &agreed, at(9)).await.unwrap();
    refused(gone, new, RegistryCode::DeletionPending).await;
    world.hears(10, &[worktree("/new", 3)]).await;
    registry.retrack(r, at(11)).await.unwrap();
    refused(gone, r, RegistryCode::InvalidInput).await;
}

#[tokio::test]
async fn i5_missing_workspaces_are_forgotten_when_a_person_says_so_all_or_none() {
    let (world, gone, new) = went().await;
    let registry = &world.registry;
    let before = (world.rows().await, registry.revision().await.unwrap());
    let error = registry
        .forget_missing(&[gone, new], at(5))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    assert!(error.to_string().contains("/new"), "{error}");
    let after = (world.rows().await, registry.revision().await.unwrap());
    assert_eq!(before, after);
    let changed = registry.forget_missing(&[gone, gone], at(6)).await.unwrap();
    assert_eq!(
        (changed.removed.as_slice(), changed.roots),
        ([gone].as_slice(), false)
    );
    let line = registry
        .journal(JournalFilter::of(gone), None, 1)
        .await
        .unwrap()
        .remove(0);
    assert_eq!(
        (line.kind, line.path),
        (JournalKind::MissingForgotten, Some(path("/gone")))
    );
    let error = registry.forget_missing(&[gone], at(7)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
    // The last row of a root takes it along; should it come back, it is registered again like any other.
    world.hears(8, &[main_tree("/r", 1)]).await;
    world.hears(9, &[]).await;
    let r = world.row("/r").await.row.id;
    let late = world.says(9, &[main_tree("/r", 1), worktree("/late", 7)]);
    let changed = registry.forget_missing(&[r], at(10)).await.unwrap();
    assert!(changed.roots && world.rows().await.is_empty());
    assert!(registry.roots().await.unwrap().is_empty());
    registry.apply(&late, at(11)).await.unwrap();
    assert!(
        world.rows().await.is_empty(),
        "what is not under roll call is not taken up"
    );
    register(registry, world.host, "/r").await;
}

#[tokio::test]
async fn i10_what_is_being_deleted_waits_for_its_host_although_it_is_missing() {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let registry = &world.registry;
    let (r, w) = (world.row("/r").await.row.id, world.row("/w").await.row.id);
    world.note(w, "Mine.", 2).await;
    world.hears(3, &[main_tree("/r", 1)]).await;
    // Marked as deleted by a registry of before this rule.
    let agreed = super::tombstones::consent(&world, w).await;
    sqlx::query(
        "INSERT INTO tombstones (workspace_id, consent, epoch, created_at) VALUES (?, ?, 1, 0)",
    )
    .bind(crate::records::key(w.uuid()))
    .bind(crate::records::observation(&agreed).unwrap())
    .execute(&registry.writer)
    .await
    .unwrap();
    for refused in [
        registry.forget_missing(&[w], at(4)).await,
        registry.relink(w, r, at(4)).await,
    ] {
        assert_eq!(refused.unwrap_err().code(), RegistryCode::DeletionPending);
    }
    assert_eq!(registry.tombstones(None).await.unwrap().len(), 1);
}
