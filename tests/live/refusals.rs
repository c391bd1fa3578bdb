//! What a host does not let one see.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rollcall_api::ErrorCode;
use rollcall_api::wire::RootCondition;
use rollcall_testkit::sshd::SshdOptions;
use rollcall_tests::stage::{Stage, rows, settled, text};

use crate::{answered, host};

/// Somebody without rights runs what is asked; root, who runs the tests, may read everything.
const UNPRIVILEGED: &str = "if [ \"$(id -u)\" = 0 ]; then exec env HOME=/nonexistent setpriv --reuid=65534 \
     --regid=65534 --clear-groups sh -c \"$SSH_ORIGINAL_COMMAND\"; else exec sh -c \"$SSH_ORIGINAL_COMMAND\"; fi";

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn i3_a_folder_that_cannot_be_read_is_said_to_be_and_never_taken_for_gone() {
    let stage = Stage::with(&SshdOptions {
        force_command: Some(UNPRIVILEGED.to_owned()),
        ..SshdOptions::default()
    });
    mode(stage.play.path(), 0o755);
    let closed = stage.play.at("closed");
    fs::create_dir_all(closed.join("inner")).unwrap();
    let open = stage.play.at("open");
    fs::create_dir_all(open.join("inner")).unwrap();
    let (app, _events) = stage.app().await;
    let there = stage.meet(&app).await;
    let inner = text(&open.join("inner"));
    app.register(there, inner).await.unwrap();
    settled(&app).await;
    let before = rows(&app).await;
    assert_eq!(before.len(), 1);

    // Registering one that is closed is refused by name.
    mode(&closed, 0o700);
    let unreadable = text(&closed.join("inner"));
    mode(&closed, 0o000);
    let error = app.register(there, unreadable.clone()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::PermissionDenied, "{error:?}");
    assert!(
        error.message.contains(&unreadable) && !error.hints.is_empty(),
        "{error:?}"
    );
    assert_eq!(app.overview().await.unwrap().roots.len(), 1);

    // One that is closed later keeps its row and says why it is not asserted.
    mode(&open, 0o000);
    answered(&app, there).await;
    let root = app.overview().await.unwrap().roots.remove(0);
    let RootCondition::Failed { reason } = root.condition else {
        unreachable!("{root:?}");
    };
    assert_eq!(reason.code, ErrorCode::PermissionDenied, "{reason:?}");
    assert_eq!(rows(&app).await, before);
    mode(&open, 0o755);
    answered(&app, there).await;
    let root = app.overview().await.unwrap().roots.remove(0);
    assert_eq!(root.condition, RootCondition::Asserted);
    assert!(host(&app, there).await.answered_at.is_some());
    app.shutdown().await;
}
