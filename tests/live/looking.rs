//! What is looked at closer, by itself and for a person.

use rollcall_api::ErrorCode;
use rollcall_api::wire::{DepthView, SearchForm};
use rollcall_tests::stage::{Stage, row, text, until};

use crate::{answered, host};

fn said<'a>(depth: &'a DepthView, name: &str) -> &'a str {
    let found = depth.items.iter().find(|item| item.name == name);
    &found.unwrap().words
}

#[tokio::test]
async fn a27_a_clean_workspace_of_a_server_is_known_to_be_merged_before_anybody_asks() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    for name in ["squashed", "dirty"] {
        let tree = quay.worktree(format!("srv/{name}"), name).unwrap();
        tree.commit(name, "x\n", "One").unwrap();
        tree.commit(&format!("{name}-2"), "x\n", "Two").unwrap();
        quay.git(["merge", "-q", "--squash", name]).unwrap();
        quay.git(["commit", "-qm", name]).unwrap();
    }
    let dirty = stage.play.existing("srv/dirty");
    dirty.write("edited", "x\n").unwrap();
    let (app, _events, there) = stage.enrolled(quay.path()).await;
    answered(&app, there).await;
    let id = row(&app, "squashed").await.id;
    let merged = until("a look by itself", || async {
        app.workspace(id).await.unwrap().merged
    })
    .await;
    // git before 2.41 tells no base in a roll call, and then nothing holds.
    assert_eq!(merged, "into main, as one commit");
    let other = row(&app, "dirty").await.id;
    assert_eq!(app.workspace(other).await.unwrap().depth, None);

    // What was found out holds while neither commit moves, and no longer.
    quay.commit("later", "x\n", "Later").unwrap();
    answered(&app, there).await;
    assert_eq!(app.workspace(id).await.unwrap().merged, None);

    // Compared with another branch, as a person chose.
    let root = app.overview().await.unwrap().roots[0].id;
    let chosen = Some("dirty".to_owned());
    app.choose_base(root, chosen).await.unwrap();
    let depth = app.look_closer("a".to_owned(), id).await.unwrap();
    assert_eq!(said(&depth, "Merged"), "into dirty, as one commit");
    let error = app
        .choose_base(root, Some("no branch".to_owned()))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    app.shutdown().await;
}

#[tokio::test]
async fn a_search_that_is_given_up_finds_nothing_and_leaves_the_host_to_others() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let (app, _events, there) = stage.enrolled(quay.path()).await;
    for n in 0..2_000 {
        std::fs::create_dir_all(stage.play.at(format!("srv/wide/{n}/x"))).unwrap();
    }
    let form = || SearchForm {
        host: there,
        folder: text(stage.play.path()),
        depth: 6,
        hidden: true,
    };
    let search = app.search("a".to_owned(), form());
    let (ended, ended_job) = tokio::join!(search, async {
        tokio::task::yield_now().await;
        app.end_job("a".to_owned()).await
    });
    ended_job.unwrap();
    assert_eq!(ended.unwrap_err().code, ErrorCode::Cancelled);
    let error = app
        .register_found("a".to_owned(), vec![0])
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    answered(&app, there).await;

    let result = app.search("b".to_owned(), form()).await.unwrap();
    let listed: Vec<_> = result.found.iter().filter(|it| it.listed).collect();
    assert_eq!(listed.len(), 1);
    assert!(result.looked_at > 4_000);
    let outcomes = app
        .register_found("b".to_owned(), vec![0, 99])
        .await
        .unwrap();
    assert_eq!(outcomes.len(), 1);
    assert!(outcomes[0].registered.is_some(), "{outcomes:?}");
    assert_eq!(host(&app, there).await.pending, 0);
    app.shutdown().await;
}
