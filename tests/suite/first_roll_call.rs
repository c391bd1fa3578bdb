//! The back end by itself, on this machine.

use rollcall_api::wire::{AnnotationPatch, HeadKind, Kind, UnpushedCount};
use rollcall_tests::stage::{Bench, local, row, rows, settled, text};

#[tokio::test]
async fn worktrees_of_a_registered_repository_have_their_facts_and_notes_survive_a_restart() {
    let bench = Bench::new();
    let harbor = bench.play.repo("code/harbor").unwrap();
    harbor.publish("origins/harbor.git").unwrap();
    harbor
        .worktree("code/dirty", "dirty")
        .unwrap()
        .write("new", "x")
        .unwrap();
    harbor
        .worktree("code/ahead", "ahead")
        .unwrap()
        .commit("file", "two\n", "Nowhere else")
        .unwrap();

    let (app, events) = bench.app().await;
    let here = local(&app).await;
    let path = text(harbor.path());
    let registered = app.register(here, path.clone()).await.unwrap();
    assert!(!registered.already);
    settled(&app).await;
    assert_eq!(rows(&app).await.len(), 3);
    let (main, dirty, ahead) = (
        row(&app, "harbor").await,
        row(&app, "dirty").await,
        row(&app, "ahead").await,
    );
    assert_eq!((main.kind, dirty.kind), (Kind::Repository, Kind::Worktree));
    assert_eq!(main.changes.unwrap(), ahead.changes.unwrap());
    assert_eq!(dirty.changes.unwrap().untracked, 1);
    assert_eq!(main.unpushed, UnpushedCount::Commits(0));
    assert_eq!(dirty.unpushed, UnpushedCount::Commits(0));
    assert_eq!(ahead.unpushed, UnpushedCount::Commits(1));
    assert_eq!(
        (ahead.head, ahead.branch.as_deref()),
        (HeadKind::Branch, Some("ahead"))
    );

    let patch = AnnotationPatch {
        note: Some("Waits for Ines.".to_owned()),
        tags: Some(vec!["review".to_owned()]),
        pinned: Some(true),
        ..AnnotationPatch::default()
    };
    app.annotate(ahead.id, patch).await.unwrap();
    app.shutdown().await;
    drop((app, events));

    let (app, _events) = bench.app().await;
    let kept = app.workspace(ahead.id).await.unwrap();
    assert_eq!(
        (kept.note.as_str(), kept.row.pinned),
        ("Waits for Ines.", true)
    );
    assert_eq!(kept.row.tags, ["review"]);
    app.shutdown().await;
}
