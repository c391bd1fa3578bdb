//! Groups, colours and links.

use rollcall_converge::WorkspaceId;

use super::world::{World, at, main_tree, worktree};
use crate::{AnnotationPatch, Colour, GroupId, JournalFilter, JournalKind, RegistryCode};

async fn names(world: &World) -> Vec<String> {
    let groups = world.registry.groups().await.unwrap();
    groups.into_iter().map(|group| group.name).collect()
}

#[tokio::test]
async fn groups_have_one_name_whatever_its_case_and_the_order_people_gave_them() {
    let world = World::new().await;
    let registry = &world.registry;
    let (work, _) = registry.add_group(" Work ", None).await.unwrap();
    let (play, _) = registry.add_group("Play", None).await.unwrap();
    let (same, changed) = registry.add_group("WORK", None).await.unwrap();
    assert_eq!((same, changed.groups), (work, false));
    registry.arrange_groups(None, &[play]).await.unwrap();
    assert_eq!(names(&world).await, ["Play", "Work"]);
    let error = registry.rename_group(play, "work").await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    registry.rename_group(play, "Later").await.unwrap();
    assert_eq!(names(&world).await, ["Later", "Work"]);
    for bad in ["", "  ", "a\nb", &"x".repeat(101)] {
        let error = registry.add_group(bad, None).await.unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{bad}");
    }
}

/// Names of the groups that lie in one, or in none.
async fn inside(world: &World, parent: Option<GroupId>) -> Vec<String> {
    let groups = world.registry.groups().await.unwrap();
    let inside = groups.into_iter().filter(|it| it.parent == parent);
    inside.map(|group| group.name).collect()
}

#[tokio::test]
async fn groups_nest_once_move_with_their_order_and_rise_when_theirs_is_dissolved() {
    let world = World::new().await;
    let registry = &world.registry;
    let (work, _) = registry.add_group("Work", None).await.unwrap();
    let (play, _) = registry.add_group("Play", None).await.unwrap();
    let (a, _) = registry.add_group("A", Some(work)).await.unwrap();
    let (b, _) = registry.add_group("B", Some(work)).await.unwrap();
    // Found by its name, it stays where it is.
    let (same, changed) = registry.add_group("a", Some(play)).await.unwrap();
    assert_eq!((same, changed.groups), (a, false));
    assert_eq!(inside(&world, None).await, ["Work", "Play"]);
    assert_eq!(inside(&world, Some(work)).await, ["A", "B"]);

    let nowhere = GroupId::new(uuid::Uuid::nil());
    let before = (
        registry.groups().await.unwrap(),
        registry.revision().await.unwrap(),
    );
    for (parent, group, code) in [
        // In one that lies in another, with groups in it, in itself, in what is not there, and what is not there.
        (Some(a), play, RegistryCode::InvalidInput),
        (Some(play), work, RegistryCode::InvalidInput),
        (Some(play), play, RegistryCode::InvalidInput),
        (Some(nowhere), play, RegistryCode::NotFound),
        (None, nowhere, RegistryCode::NotFound),
    ] {
        let refused = registry.arrange_groups(parent, &[b, group]).await;
        let error = refused.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(!error.hints().is_empty());
    }
    let refused = registry.add_group("C", Some(a)).await.unwrap_err();
    assert_eq!(refused.code(), RegistryCode::InvalidInput);
    let refused = registry.add_group("C", Some(nowhere)).await.unwrap_err();
    assert_eq!(refused.code(), RegistryCode::NotFound);
    let after = (
        registry.groups().await.unwrap(),
        registry.revision().await.unwrap(),
    );
    assert_eq!(after, before);

    let again = registry.arrange_groups(Some(work), &[a, b]).await.unwrap();
    assert!(!again.groups, "it is as it was");
    registry.arrange_groups(Some(work), &[b]).await.unwrap();
    assert_eq!(inside(&world, Some(work)).await, ["B", "A"]);
    registry.arrange_groups(Some(play), &[a]).await.unwrap();
    assert_eq!(inside(&world, Some(play)).await, ["A"]);
    let changed = registry.arrange_groups(None, &[a, play]).await.unwrap();
    assert!(changed.groups);
    assert_eq!(inside(&world, None).await, ["A", "Play", "Work"]);
    registry.arrange_groups(Some(work), &[a]).await.unwrap();
    assert_eq!(inside(&world, Some(work)).await, ["A", "B"]);
    registry.remove_group(work).await.unwrap();
    assert_eq!(inside(&world, None).await, ["Play", "A", "B"]);
    assert_eq!(registry.groups().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_workspace_is_in_one_group_has_its_place_there_and_outlives_it() {
    let world = World::new().await;
    world
        .hears(
            1,
            &[main_tree("/r", 1), worktree("/a", 2), worktree("/b", 3)],
        )
        .await;
    let registry = &world.registry;
    let (group, _) = registry.add_group("Work", None).await.unwrap();
    let (a, b) = (world.row("/a").await.row.id, world.row("/b").await.row.id);
    let (to, order) = (Some(group), [(group, vec![b, a])]);
    registry.regroup(&[(a, to)], &[], at(2)).await.unwrap();
    // One of them is not in it: neither gets a place, and the other is not taken out of it.
    let error = registry.regroup(&[(a, None), (b, to)], &order, at(3)).await;
    assert_eq!(error.unwrap_err().code(), RegistryCode::InvalidInput);
    assert_eq!(
        (world.row("/a").await.group, world.row("/b").await.group),
        (to, None)
    );
    let changed = registry.regroup(&[(b, to)], &order, at(3)).await.unwrap();
    assert_eq!(changed.workspaces, [b, a]);
    let (at_a, at_b) = (world.row("/a").await, world.row("/b").await);
    assert_eq!((at_a.position, at_b.position), (Some(1), Some(0)));
    let again = registry.regroup(&[(b, to)], &order, at(4)).await.unwrap();
    assert_eq!(
        (again.workspaces, again.revision),
        (vec![], changed.revision)
    );
    // Being in a group is something a person said (I5), and being ordered there is not said of each.
    assert!(at_a.row.annotated);
    let lines = registry
        .journal(JournalFilter::of(a), None, 9)
        .await
        .unwrap();
    let written = lines.iter().filter(|it| it.kind == JournalKind::Annotated);
    assert_eq!(written.count(), 1);
    let nowhere = GroupId::new(uuid::Uuid::nil());
    for error in [
        registry.regroup(&[(a, Some(nowhere))], &[], at(5)).await,
        registry.regroup(&[], &[(nowhere, vec![])], at(5)).await,
        registry
            .regroup(&[(WorkspaceId::new(uuid::Uuid::nil()), to)], &[], at(5))
            .await,
    ] {
        assert_eq!(error.unwrap_err().code(), RegistryCode::NotFound);
    }
    // What left it lost its place there.
    registry.regroup(&[(a, None)], &[], at(6)).await.unwrap();
    registry.regroup(&[(a, to)], &[], at(7)).await.unwrap();
    assert_eq!(world.row("/a").await.position, None);
    let changed = registry.remove_group(group).await.unwrap();
    assert_eq!(changed.workspaces.len(), 2);
    let row = world.row("/a").await;
    assert_eq!(
        (row.group, row.position, row.row.annotated),
        (None, None, false)
    );
}

#[tokio::test]
async fn links_lead_to_the_web_and_nowhere_else() {
    let world = World::new().await;
    world.hears(1, &[main_tree("/r", 1)]).await;
    let id = world.row("/r").await.row.id;
    let link = |link: &str| AnnotationPatch {
        link: Some(Some(link.to_owned())),
        colour: Some(Some(Colour::Purple)),
        ..AnnotationPatch::default()
    };
    for good in [
        "https://example.org/issue/1?a=b#c",
        "HTTP://localhost:8080/",
    ] {
        world
            .registry
            .annotate(id, &link(good), at(2))
            .await
            .unwrap();
        let row = world.row("/r").await;
        assert_eq!(row.link.as_deref(), Some(good));
        assert_eq!(row.colour, Some(Colour::Purple));
    }
    let long = format!("https://example.org/{}", "x".repeat(2_048));
    for bad in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://",
        "https:///x",
        "https://a b",
        "x",
        &long,
    ] {
        let error = world
            .registry
            .annotate(id, &link(bad), at(3))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{bad}");
    }
    world.registry.annotate(id, &link(""), at(4)).await.unwrap();
    assert_eq!(world.row("/r").await.link, None);
}
