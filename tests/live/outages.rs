//! Hosts that stop, stall and refuse.

use std::fs;

use rollcall_api::ErrorCode;
use rollcall_api::wire::{AnnotationPatch, HostState};
use rollcall_testkit::proxy::FaultProxy;
use rollcall_tests::stage::{Stage, local, row, rows, server, settled, text, until};

use crate::{answered, failed, host, needs_you, waits};

#[tokio::test]
async fn every_row_and_note_stays_while_a_host_is_gone_and_across_a_restart() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let tree = quay.worktree("srv/quay-tree", "tree").unwrap();
    let (quay, tree) = (quay.path().to_owned(), tree.path().to_owned());
    let (app, events, there) = stage.enrolled(&quay).await;
    let before = rows(&app).await;
    assert_eq!(before.len(), 2);

    stage.sshd.stop();
    let reason = failed(&app, there).await;
    assert_eq!(reason.code, ErrorCode::Refused);
    assert!(
        reason.message.contains("buildbox") && !reason.hints.is_empty(),
        "{reason:?}"
    );
    assert_eq!(rows(&app).await, before);

    // I4: what a person writes about it needs no host.
    let id = row(&app, "quay-tree").await.id;
    let note = Some("While it is away.".to_owned());
    let patch = AnnotationPatch {
        note,
        ..AnnotationPatch::default()
    };
    assert_eq!(
        app.annotate(id, patch).await.unwrap().note,
        "While it is away."
    );
    // Registering fails at once and registers nothing.
    let error = app.register(there, "/srv".to_owned()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Refused);
    app.shutdown().await;
    drop((app, events));

    let (app, _events) = stage.app().await;
    assert_eq!(rows(&app).await.len(), 2);
    assert_eq!(app.workspace(id).await.unwrap().note, "While it is away.");
    assert_eq!(app.overview().await.unwrap().roots.len(), 1);

    // It is back, and one of its worktrees was removed meanwhile: what a person wrote keeps its row.
    fs::remove_dir_all(tree).unwrap();
    let pruned = std::process::Command::new("git")
        .arg("-C")
        .arg(&quay)
        .args(["worktree", "prune"])
        .status();
    assert!(pruned.unwrap().success());
    stage.sshd.restart().unwrap();
    answered(&app, there).await;
    let kept = app.workspace(id).await.unwrap();
    assert_eq!(kept.note, "While it is away.");
    assert!(kept.missing_since.is_some());
    app.shutdown().await;
}

#[tokio::test]
async fn a_host_that_stalls_holds_up_no_other() {
    let stage = Stage::new();
    let proxy = FaultProxy::start(stage.sshd.address()).unwrap();
    stage.configure(proxy.port());
    let quay = stage.play.repo("srv/quay").unwrap();
    let harbor = stage.play.repo("code/harbor").unwrap();
    let (app, _events) = stage.app().await;
    let (here, there) = (local(&app).await, stage.meet(&app).await);
    app.register(there, text(quay.path())).await.unwrap();
    app.register(here, text(harbor.path())).await.unwrap();
    settled(&app).await;

    proxy.stall_after(0);
    app.sync_now(Some(there)).await.unwrap();
    until("a roll call that hangs", || async {
        matches!(host(&app, there).await.state, HostState::Calling { .. }).then_some(())
    })
    .await;
    harbor.write("new", "x").unwrap();
    answered(&app, here).await;
    assert_eq!(row(&app, "harbor").await.changes.unwrap().untracked, 1);
    assert!(matches!(
        host(&app, there).await.state,
        HostState::Calling { .. }
    ));
    // Leaving does not wait for it either.
    app.shutdown().await;
}

#[tokio::test]
async fn a_host_that_lets_nobody_in_says_what_to_do_and_keeps_its_rows() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let (app, _events, there) = stage.enrolled(quay.path()).await;
    let before = rows(&app).await;

    // A new connection has to sign in again.
    fs::write(stage.sshd.folder().join("authorized_keys"), "").unwrap();
    app.set_suspended(there, true).await.unwrap();
    app.set_suspended(there, false).await.unwrap();
    let reason = needs_you(&app, there).await;
    assert_eq!(reason.code, ErrorCode::NotAuthenticated);
    assert!(reason.message.contains("buildbox"), "{reason:?}");
    assert!(
        reason
            .hints
            .iter()
            .any(|hint| hint.contains("authorized_keys")),
        "{reason:?}"
    );
    assert_eq!(rows(&app).await, before);
    app.shutdown().await;
}

#[tokio::test]
async fn a_host_that_refuses_is_added_and_asked_again_later() {
    let mut stage = Stage::new();
    stage.sshd.stop();
    let (app, _events) = stage.app().await;
    let there = app.add_host(server()).await.unwrap().id;
    let reason = waits(&app, there).await;
    assert_eq!(reason.code, ErrorCode::Refused);
    assert!(!reason.hints.is_empty());
    assert_eq!(app.overview().await.unwrap().hosts.len(), 2);
    app.shutdown().await;
}
