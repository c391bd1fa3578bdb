//! What people write.

use rollcall_converge::WorkspaceId;
use uuid::Uuid;

use super::world::{World, at, main_tree, worktree};
use crate::{Actor, AnnotationPatch, JournalFilter, JournalKind, RegistryCode};

fn tags(tags: &[&str]) -> AnnotationPatch {
    AnnotationPatch {
        tags: Some(tags.iter().map(|tag| (*tag).to_owned()).collect()),
        ..AnnotationPatch::default()
    }
}

#[tokio::test]
async fn a_patch_changes_what_it_names_and_leaves_the_rest() {
    let world = World::new().await;
    world.hears(1, &[main_tree("/r", 1)]).await;
    let id = world.row("/r").await.row.id;
    world.note(id, "One.\nTwo.", 2).await;
    world
        .registry
        .annotate(id, &tags(&[" b ", "a", "B", ""]), at(3))
        .await
        .unwrap();
    let row = world.row("/r").await;
    assert_eq!(row.note, "One.\nTwo.");
    assert_eq!(row.tags, ["b", "a"]);
    let same = world
        .registry
        .annotate(id, &tags(&["b", "a"]), at(4))
        .await
        .unwrap();
    assert!(
        same.workspaces.is_empty(),
        "what is there already is no change"
    );
    world.note(id, " \n ", 5).await;
    assert_eq!(world.row("/r").await.note, "");
    let named = AnnotationPatch {
        display_name: Some(Some(" The one ".to_owned())),
        ..AnnotationPatch::default()
    };
    world.registry.annotate(id, &named, at(6)).await.unwrap();
    assert_eq!(
        world.row("/r").await.display_name.as_deref(),
        Some("The one")
    );
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_and_changes_nothing() {
    let world = World::new().await;
    world.hears(1, &[main_tree("/r", 1)]).await;
    let id = world.row("/r").await.row.id;
    world.note(id, "Kept.", 2).await;
    let before = (world.rows().await, world.registry.revision().await.unwrap());
    let many: Vec<String> = (0..51).map(|n| n.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = "x".repeat(65);
    let note = |note: String| AnnotationPatch {
        note: Some(note),
        ..AnnotationPatch::default()
    };
    let name = |name: &str| AnnotationPatch {
        display_name: Some(Some(name.to_owned())),
        ..AnnotationPatch::default()
    };
    for patch in [
        tags(&many),
        tags(&[&long]),
        tags(&["a\nb"]),
        note("x".repeat(65_537)),
        name(&"x".repeat(201)),
        name("a\u{1b}b"),
    ] {
        let error = world
            .registry
            .annotate(id, &patch, at(3))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput);
        assert!(!error.to_string().contains('\n') && !error.hints().is_empty());
    }
    let nobody = WorkspaceId::new(Uuid::from_u128(7));
    for error in [
        world
            .registry
            .annotate(nobody, &tags(&["a"]), at(3))
            .await
            .unwrap_err(),
        world.registry.untrack(nobody, at(3)).await.unwrap_err(),
        world.registry.retrack(nobody, at(3)).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), RegistryCode::NotFound);
    }
    assert_eq!(
        (world.rows().await, world.registry.revision().await.unwrap()),
        before
    );
}

#[tokio::test]
async fn the_journal_has_one_line_for_writing_and_one_for_each_decision_newest_first() {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let id = world.row("/w").await.row.id;
    for second in 2..30 {
        world.note(id, &format!("letter {second}"), second).await;
    }
    world.registry.untrack(id, at(30)).await.unwrap();
    world.registry.untrack(id, at(31)).await.unwrap();
    world.registry.retrack(id, at(32)).await.unwrap();
    let lines = world
        .registry
        .journal(JournalFilter::of(id), None, 100)
        .await
        .unwrap();
    let by_person: Vec<_> = lines
        .iter()
        .filter(|line| line.actor == Actor::Person)
        .map(|line| line.kind.clone())
        .collect();
    assert_eq!(
        by_person,
        [
            JournalKind::Retracked,
            JournalKind::Untracked,
            JournalKind::Annotated
        ]
    );
    let mut all = Vec::new();
    let mut before = None;
    loop {
        let page = world
            .registry
            .journal(JournalFilter::default(), before, 2)
            .await
            .unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.number);
        all.extend(page);
    }
    assert_eq!(
        all,
        world
            .registry
            .journal(JournalFilter::default(), None, 100)
            .await
            .unwrap()
    );
    assert!(all.is_sorted_by(|a, b| a.number > b.number));
}

#[tokio::test]
async fn what_is_written_about_several_at_once_is_written_whole_or_not_at_all() {
    let world = World::new().await;
    let said = [main_tree("/r", 1), worktree("/a", 2), worktree("/b", 3)];
    world.hears(1, &said).await;
    let registry = &world.registry;
    let ids: Vec<_> = world.rows().await.iter().map(|it| it.row.id).collect();
    let patches: Vec<_> = ids.iter().map(|id| (*id, tags(&["x"]))).collect();
    let changed = registry.annotate_all(&patches, at(2)).await.unwrap();
    assert_eq!(changed.workspaces, ids);
    let before = (world.rows().await, registry.revision().await.unwrap());
    let nobody = WorkspaceId::new(Uuid::from_u128(7));
    for (last, code) in [
        ((nobody, tags(&["y"])), RegistryCode::NotFound),
        ((ids[2], tags(&["a\nb"])), RegistryCode::InvalidInput),
    ] {
        let patches = [(ids[0], tags(&["y"])), last];
        let error = registry.annotate_all(&patches, at(3)).await.unwrap_err();
        assert_eq!(error.code(), code);
    }
    let error = registry.untrack_all(&[ids[0], nobody], at(3)).await;
    assert_eq!(error.unwrap_err().code(), RegistryCode::NotFound);
    let after = (world.rows().await, registry.revision().await.unwrap());
    assert_eq!(after, before);
}

#[tokio::test]
async fn several_are_hidden_and_shown_in_one_step_and_none_of_them_if_one_is_being_deleted() {
    let world = World::new().await;
    let said = [main_tree("/r", 1), worktree("/a", 2), worktree("/b", 3)];
    world.hears(1, &said).await;
    let registry = &world.registry;
    let ids = [world.row("/a").await.row.id, world.row("/b").await.row.id];
    let hidden = async || {
        let rows = world.rows().await;
        rows.iter().filter(|it| it.row.untracked).count()
    };
    let changed = registry.untrack_all(&ids, at(2)).await.unwrap();
    assert_eq!(
        (changed.workspaces.as_slice(), hidden().await),
        (ids.as_slice(), 2)
    );
    assert_eq!(registry.revision().await.unwrap(), changed.revision);
    let again = registry.untrack_all(&ids, at(3)).await.unwrap();
    assert_eq!(again.workspaces, []);
    registry.retrack_all(&ids, at(4)).await.unwrap();
    assert_eq!(hidden().await, 0);
    let agreed = super::tombstones::consent(&world, ids[1]).await;
    registry.entomb(ids[1], &agreed, at(5)).await.unwrap();
    let error = registry.untrack_all(&ids, at(6)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::DeletionPending);
    assert_eq!(hidden().await, 0);
}
