//! Groups, colours and links.

use super::world::{World, at, main_tree, worktree};
use crate::{AnnotationPatch, Colour, GroupId, RegistryCode};

async fn names(world: &World) -> Vec<String> {
    let groups = world.registry.groups().await.unwrap();
    groups.into_iter().map(|group| group.name).collect()
}

#[tokio::test]
async fn groups_have_one_name_whatever_its_case_and_the_order_people_gave_them() {
    let world = World::new().await;
    let registry = &world.registry;
    let (work, _) = registry.add_group(" Work ").await.unwrap();
    let (play, _) = registry.add_group("Play").await.unwrap();
    let (same, changed) = registry.add_group("WORK").await.unwrap();
    assert_eq!((same, changed.groups), (work, false));
    registry.arrange_groups(&[play]).await.unwrap();
    assert_eq!(names(&world).await, ["Play", "Work"]);
    let error = registry.rename_group(play, "work").await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    registry.rename_group(play, "Later").await.unwrap();
    assert_eq!(names(&world).await, ["Later", "Work"]);
    for bad in ["", "  ", "a\nb", &"x".repeat(101)] {
        let error = registry.add_group(bad).await.unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{bad}");
    }
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
    let (group, _) = registry.add_group("Work").await.unwrap();
    let put = |group| AnnotationPatch {
        group: Some(group),
        ..AnnotationPatch::default()
    };
    let (a, b) = (world.row("/a").await.row.id, world.row("/b").await.row.id);
    registry
        .annotate(a, &put(Some(group)), at(2))
        .await
        .unwrap();
    let error = registry.arrange(group, &[b, a]).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    registry
        .annotate(b, &put(Some(group)), at(3))
        .await
        .unwrap();
    let changed = registry.arrange(group, &[b, a]).await.unwrap();
    assert_eq!(changed.workspaces, [b, a]);
    assert_eq!(world.row("/b").await.position, Some(0));
    let again = registry.arrange(group, &[b, a]).await.unwrap();
    assert_eq!(again.workspaces, []);
    // Being in a group is something a person said (I5).
    assert!(world.row("/a").await.row.annotated);
    let nowhere = GroupId::new(uuid::Uuid::nil());
    let error = registry
        .annotate(a, &put(Some(nowhere)), at(4))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
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
