//! Keys of hosts that are unknown or have changed (I19).

use std::fs;

use rollcall_api::ErrorCode;
use rollcall_api::wire::HostState;
use rollcall_tests::stage::{Stage, rows, server, settled, until};

use crate::{host, needs_you};

#[tokio::test]
async fn i19_an_unknown_key_is_shown_and_only_the_one_shown_can_be_trusted() {
    let mut stage = Stage::new();
    let (app, _events) = stage.app().await;
    let there = app.add_host(server()).await.unwrap().id;
    let reason = needs_you(&app, there).await;
    assert_eq!(reason.code, ErrorCode::HostKeyUnknown);
    let shown = reason.key.unwrap().fingerprint;

    // The server's key changes between the look and the answer.
    stage.sshd.change_host_key().unwrap();
    stage.sshd.restart().unwrap();
    let error = app.trust_host_key(there, shown).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::HostKeyUnknown);
    assert!(!stage.data().join("known_hosts").exists());
    assert_eq!(
        app.register(there, "/srv".to_owned())
            .await
            .unwrap_err()
            .code,
        ErrorCode::HostKeyUnknown
    );
    assert!(app.overview().await.unwrap().roots.is_empty());
    app.shutdown().await;
}

#[tokio::test]
async fn i19_a_changed_key_blocks_a_host_and_its_rows_stay() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap().path().to_owned();
    let (app, _events, there) = stage.enrolled(&quay).await;
    let before = rows(&app).await;
    let known = fs::read(stage.data().join("known_hosts")).unwrap();

    stage.sshd.change_host_key().unwrap();
    stage.sshd.restart().unwrap();
    app.sync_now(Some(there)).await.unwrap();
    let reason = needs_you(&app, there).await;
    assert_eq!(reason.code, ErrorCode::HostKeyChanged);
    let key = reason.key.unwrap();
    assert_eq!(key.known.len(), 1);
    let error = app
        .trust_host_key(there, key.fingerprint)
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::HostKeyChanged);
    assert_eq!(fs::read(stage.data().join("known_hosts")).unwrap(), known);
    assert_eq!(rows(&app).await, before);

    // Once the person has removed the old key, the new one can be looked at and trusted.
    fs::write(stage.data().join("known_hosts"), "").unwrap();
    app.sync_now(Some(there)).await.unwrap();
    let offered = until("the new key", || async {
        match host(&app, there).await.state {
            HostState::NeedsYou { reason, .. } if reason.code == ErrorCode::HostKeyUnknown => {
                reason.key
            }
            _ => None,
        }
    })
    .await;
    app.trust_host_key(there, offered.fingerprint)
        .await
        .unwrap();
    settled(&app).await;
    assert_eq!(rows(&app).await, before);
    app.shutdown().await;
}
