//! What cannot be is said, and what was typed stays.

use std::fs;

use rollcall_tests::stage::Stage;

#[tokio::test]
async fn a_path_that_does_not_exist_is_named_and_can_be_corrected() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    let path = harbor.path().to_str().unwrap();
    let window = super::window(&stage).await;
    window.press("Register a folder…").await;
    window.write("Path", &format!("{path}r")).await;
    window.press("Register").await;
    window.find("//*[@role='dialog']//*[@role='alert']").await;
    let said = window.text().await;
    assert!(said.contains(&format!("{path}r")), "{said}");
    let typed = window
        .script("return document.querySelector('[role=dialog] input').value")
        .await;
    assert_eq!(typed, format!("{path}r"));
    window.write("Path", path).await;
    window.press("Register").await;
    window.row("harbor").await;

    // The same once more is no second root.
    window.press("Register…").await;
    window.write("Path", path).await;
    window.press("Register").await;
    window.shows("Already registered").await;
    window.press("Close").await;
    assert_eq!(window.names().await, ["harbor"]);
    window.close().await;
}

#[tokio::test]
async fn d1_a_registry_that_cannot_be_read_is_said_and_left_as_it_is() {
    let stage = Stage::new();
    let (app, events) = stage.app().await;
    app.shutdown().await;
    drop((app, events));
    let database = stage.data().join("registry.sqlite3");
    assert!(
        database.exists(),
        "{:?}",
        fs::read_dir(stage.data()).unwrap().collect::<Vec<_>>()
    );
    for aside in ["registry.sqlite3-wal", "registry.sqlite3-shm"] {
        fs::remove_file(stage.data().join(aside)).ok();
    }
    let garbage = b"this was a registry once".repeat(400);
    fs::write(&database, &garbage).unwrap();
    let window = super::window(&stage).await;
    window.shows("Rollcall cannot show your workspaces").await;
    window.shows("registry.sqlite3").await;
    window.close().await;
    assert_eq!(fs::read(&database).unwrap(), garbage);
}
