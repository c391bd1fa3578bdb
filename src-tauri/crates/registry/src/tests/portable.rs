//! Annotations as a file.

use super::world::{World, at, main_tree, worktree};
use crate::{AnnotationPatch, Colour, ImportMode, RegistryCode};

/// A world in which something is written about a worktree with an odd name.
async fn written() -> (World, Vec<u8>) {
    let odd = b"/w/odd\n\xff%".to_vec();
    let world = World::new().await;
    world
        .hears(
            1,
            &[
                main_tree("/r", 1),
                worktree(odd.clone(), 2),
                worktree("/w/plain", 3),
            ],
        )
        .await;
    let (group, _) = world.registry.add_group("Work", None).await.unwrap();
    let patch = AnnotationPatch {
        note: Some("What I meant.".to_owned()),
        tags: Some(vec!["b".to_owned(), "a".to_owned()]),
        pinned: Some(true),
        display_name: Some(Some("Called".to_owned())),
        colour: Some(Some(Colour::Red)),
        link: Some(Some("https://example.org".to_owned())),
    };
    let id = world.row(odd.clone()).await.row.id;
    world.registry.annotate(id, &patch, at(2)).await.unwrap();
    world
        .registry
        .regroup(&[(id, Some(group))], &[], at(2))
        .await
        .unwrap();
    (world, odd)
}

#[tokio::test]
async fn what_was_exported_comes_back_whole_on_another_machine() {
    let (world, odd) = written().await;
    let file = world.registry.export(at(3)).await.unwrap();
    let shown: serde_json::Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        (&shown["format"], &shown["version"]),
        (&"rollcall-annotations".into(), &1.into())
    );
    assert_eq!(shown["workspaces"].as_array().unwrap().len(), 1);

    let there = World::new().await;
    there
        .hears(1, &[main_tree("/r", 1), worktree(odd.clone(), 2)])
        .await;
    for mode in [ImportMode::Merge, ImportMode::Replace] {
        let before = there.registry.revision().await.unwrap();
        let (planned, changed) = there
            .registry
            .import(file.as_bytes(), mode, true, at(4))
            .await
            .unwrap();
        assert_eq!(planned.changed.len(), 1);
        assert_eq!(
            (changed.revision, there.registry.revision().await.unwrap()),
            (before, before)
        );
        assert!(there.registry.groups().await.unwrap().is_empty());
    }
    let (done, _) = there
        .registry
        .import(file.as_bytes(), ImportMode::Merge, false, at(5))
        .await
        .unwrap();
    assert_eq!(
        done.changed[0].fields,
        ["note", "tags", "pin", "name", "group", "colour", "link"]
    );
    let (ours, theirs) = (world.row(odd.clone()).await, there.row(odd).await);
    assert_eq!(
        (ours.note, ours.tags, ours.pinned),
        (theirs.note, theirs.tags, theirs.pinned)
    );
    assert_eq!(
        (ours.display_name, ours.colour, ours.link),
        (theirs.display_name, theirs.colour, theirs.link)
    );
    assert!(theirs.group.is_some());
    // The same file again has nothing left to do.
    for mode in [ImportMode::Merge, ImportMode::Replace] {
        let (again, _) = there
            .registry
            .import(file.as_bytes(), mode, false, at(6))
            .await
            .unwrap();
        assert_eq!((again.changed.len(), again.unchanged), (0, 1), "{mode:?}");
    }
}

#[tokio::test]
async fn a_merge_loses_nothing_and_a_replacement_says_what_the_file_says() {
    let (world, odd) = written().await;
    let file = world.registry.export(at(3)).await.unwrap();
    let id = world.row(odd.clone()).await.row.id;
    let mine = AnnotationPatch {
        note: Some("Since then.".to_owned()),
        tags: Some(vec!["B".to_owned(), "c".to_owned()]),
        pinned: Some(false),
        display_name: Some(Some("Mine".to_owned())),
        ..AnnotationPatch::default()
    };
    world.registry.annotate(id, &mine, at(4)).await.unwrap();
    world
        .registry
        .regroup(&[(id, None)], &[], at(4))
        .await
        .unwrap();
    let plain = world.row("/w/plain").await.row.id;
    world.note(plain, "Untouched.", 4).await;
    world
        .registry
        .import(file.as_bytes(), ImportMode::Merge, false, at(5))
        .await
        .unwrap();
    let row = world.row(odd.clone()).await;
    assert_eq!(row.note, "Since then.\n\nWhat I meant.");
    assert_eq!(row.tags, ["B", "c", "a"]);
    assert_eq!(
        (row.pinned, row.display_name.as_deref()),
        (true, Some("Mine"))
    );
    assert!(row.group.is_some());
    // Merged twice, the note is not there twice.
    world
        .registry
        .import(file.as_bytes(), ImportMode::Merge, false, at(6))
        .await
        .unwrap();
    assert_eq!(world.row(odd.clone()).await.note, row.note);
    world
        .registry
        .import(file.as_bytes(), ImportMode::Replace, false, at(7))
        .await
        .unwrap();
    let row = world.row(odd).await;
    assert_eq!(
        (row.note.as_str(), row.display_name.as_deref()),
        ("What I meant.", Some("Called"))
    );
    assert_eq!(row.tags, ["b", "a"]);
    assert_eq!(world.row("/w/plain").await.note, "Untouched.");
}

#[tokio::test]
async fn annotations_find_their_workspace_where_it_is_now_and_are_named_where_they_do_not() {
    let (world, _) = written().await;
    let file = world.registry.export(at(3)).await.unwrap();
    // The same generation elsewhere; and a registry that knows neither it nor its path.
    let moved = World::new().await;
    moved
        .hears(1, &[main_tree("/r", 1), worktree("/moved", 2)])
        .await;
    moved
        .registry
        .import(file.as_bytes(), ImportMode::Merge, false, at(4))
        .await
        .unwrap();
    assert_eq!(moved.row("/moved").await.note, "What I meant.");
    let none = World::new().await;
    let (import, changed) = none
        .registry
        .import(file.as_bytes(), ImportMode::Merge, false, at(4))
        .await
        .unwrap();
    assert_eq!((import.changed.len(), import.unknown.len()), (0, 1));
    assert_eq!(import.unknown[0].1, "/w/odd␊\\xff%");
    assert!(changed.workspaces.is_empty());
}

#[tokio::test]
async fn a_file_that_is_none_of_ours_changes_nothing_and_says_why() {
    let (world, _) = written().await;
    let file = world.registry.export(at(3)).await.unwrap();
    let before = world.rows().await;
    let newer = file.replace("\"version\": 1", "\"version\": 2");
    let long = file.replace("What I meant.", &"x".repeat(70_000));
    let half = &file[..file.len() / 2];
    let other = r#"{"format": "recipes", "version": 1}"#;
    let coloured = file.replace("\"red\"", "\"mauve\"");
    for (bad, word) in [
        (newer.as_str(), "newer version"),
        (half, "holds no annotations"),
        (other, "something else"),
        (coloured.as_str(), "damaged"),
        (long.as_str(), "70000 bytes"),
        ("", "holds no annotations"),
    ] {
        let error = world
            .registry
            .import(bad.as_bytes(), ImportMode::Replace, false, at(4))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{error}");
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(world.rows().await, before);
    }
}

#[tokio::test]
async fn groups_that_lie_in_others_and_views_are_carried_and_what_is_there_stays() {
    let (world, odd) = written().await;
    let registry = &world.registry;
    let work = registry.groups().await.unwrap()[0].id;
    let (deep, _) = registry.add_group("Deep", Some(work)).await.unwrap();
    registry.add_group("Empty", None).await.unwrap();
    registry.arrange_groups(None, &[work]).await.unwrap();
    let id = world.row(odd.clone()).await.row.id;
    registry
        .regroup(&[(id, Some(deep))], &[], at(3))
        .await
        .unwrap();
    registry
        .save_view(None, "Dirty", r#"{"is":"dirty"}"#)
        .await
        .unwrap();
    registry.save_view(None, "Älteres", "[]").await.unwrap();
    let file = registry.export(at(3)).await.unwrap();

    let there = World::new().await;
    there
        .hears(1, &[main_tree("/r", 1), worktree(odd.clone(), 2)])
        .await;
    there
        .registry
        .save_view(None, "ÄLTERES", "{}")
        .await
        .unwrap();
    let take = async |mode, dry_run| {
        let taken = there.registry.import(file.as_bytes(), mode, dry_run, at(4));
        let (import, changed) = taken.await.unwrap();
        (import.groups, import.views, changed)
    };
    let (made, kept, _) = take(ImportMode::Merge, true).await;
    assert_eq!((made, kept), (3, 1));
    assert!(there.registry.groups().await.unwrap().is_empty());
    assert_eq!(there.registry.views().await.unwrap().len(), 1);
    let (made, kept, changed) = take(ImportMode::Merge, false).await;
    assert_eq!((made, kept), (3, 1));
    assert!(changed.groups && changed.views);
    let groups = there.registry.groups().await.unwrap();
    let names: Vec<_> = groups.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Work", "Empty", "Deep"]);
    let parents: Vec<_> = groups.iter().map(|it| it.parent).collect();
    assert_eq!(parents, [None, None, Some(groups[0].id)]);
    assert_eq!(there.row(odd).await.group, Some(groups[2].id));
    let definitions = async || -> Vec<_> {
        let views = there.registry.views().await.unwrap();
        views
            .into_iter()
            .map(|it| (it.name, it.definition))
            .collect()
    };
    let pair = |name: &str, definition: &str| (name.to_owned(), definition.to_owned());
    let dirty = pair("Dirty", r#"{"is":"dirty"}"#);
    assert_eq!(definitions().await, [pair("ÄLTERES", "{}"), dirty.clone()]);
    // Nothing of it is new the second time; replaced, a view says what the file says.
    let (made, kept, changed) = take(ImportMode::Merge, false).await;
    assert_eq!((made, kept), (0, 0));
    assert!(!changed.groups && !changed.views);
    let (made, kept, _) = take(ImportMode::Replace, false).await;
    assert_eq!((made, kept), (0, 1));
    assert_eq!(definitions().await, [pair("ÄLTERES", "[]"), dirty]);
}

#[tokio::test]
async fn groups_nest_once_whatever_a_file_says_and_a_file_without_any_is_taken() {
    let (world, odd) = written().await;
    let file = world.registry.export(at(3)).await.unwrap();
    let mut shown: serde_json::Value = serde_json::from_str(&file).unwrap();
    let before = shown.as_object_mut().unwrap().remove("groups").unwrap();
    assert_eq!(before[0]["name"], "Work");
    let mut deep = shown.clone();
    deep["groups"] = serde_json::json!([
        {"name": "C", "parent": "B"},
        {"name": "B", "parent": "A"},
        {"name": "A"},
        {"name": "Own", "parent": "own"},
    ]);
    for (file, count) in [(&shown, 1), (&deep, 5)] {
        let there = World::new().await;
        there
            .hears(1, &[main_tree("/r", 1), worktree(odd.clone(), 2)])
            .await;
        let text = file.to_string();
        there
            .registry
            .import(text.as_bytes(), ImportMode::Merge, false, at(4))
            .await
            .unwrap();
        let groups = there.registry.groups().await.unwrap();
        assert_eq!(groups.len(), count);
        for parent in groups.iter().filter_map(|it| it.parent) {
            let parent = groups.iter().find(|it| it.id == parent).unwrap();
            assert_eq!(parent.parent, None);
        }
        assert!(there.row(odd.clone()).await.group.is_some());
    }
    for (list, bad) in [
        ("groups", serde_json::json!([{"name": ""}])),
        (
            "views",
            serde_json::json!([{"name": "a", "definition": "{"}]),
        ),
    ] {
        let mut file = shown.clone();
        file[list] = bad;
        let there = World::new().await;
        let text = file.to_string();
        let refused = there
            .registry
            .import(text.as_bytes(), ImportMode::Merge, false, at(4));
        assert_eq!(
            refused.await.unwrap_err().code(),
            RegistryCode::InvalidInput
        );
        assert!(there.registry.groups().await.unwrap().is_empty());
    }
}
