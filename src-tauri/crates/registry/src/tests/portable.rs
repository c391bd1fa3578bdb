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
    let (group, _) = world.registry.add_group("Work").await.unwrap();
    let patch = AnnotationPatch {
        note: Some("What I meant.".to_owned()),
        tags: Some(vec!["b".to_owned(), "a".to_owned()]),
        pinned: Some(true),
        display_name: Some(Some("Called".to_owned())),
        group: Some(Some(group)),
        colour: Some(Some(Colour::Red)),
        link: Some(Some("https://example.org".to_owned())),
    };
    let id = world.row(odd.clone()).await.row.id;
    world.registry.annotate(id, &patch, at(2)).await.unwrap();
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
        group: Some(None),
        ..AnnotationPatch::default()
    };
    world.registry.annotate(id, &mine, at(4)).await.unwrap();
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
