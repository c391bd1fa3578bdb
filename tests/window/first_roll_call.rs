//! From an empty data folder to two hosts, one of which stops.

use std::process::Command;

use rollcall_tests::stage::{ALIAS, Stage};
use serde_json::json;

#[tokio::test]
async fn what_exists_on_two_hosts_is_seen_annotated_and_kept_when_one_stops() {
    let mut stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    harbor.publish("origins/harbor.git").unwrap();
    let dirty = harbor.worktree("code/harbor-dirty", "dirty").unwrap();
    dirty.write("file", "changed\n").unwrap();
    dirty.write("new", "not committed\n").unwrap();
    let ahead = harbor.worktree("code/harbor-ahead", "ahead").unwrap();
    ahead.commit("file", "two\n", "Nowhere else").unwrap();
    let quay = stage.play.repo("srv/quay").unwrap();
    quay.worktree("srv/quay-tree", "tree").unwrap();
    let (harbor, quay) = (harbor.path().to_owned(), quay.path().to_owned());

    // A person registers a repository of this machine.
    let window = super::begun(&stage, &harbor).await;
    window.row("harbor").await;
    let facts = window.select("harbor-dirty").await;
    assert_eq!(facts["HEAD"], "dirty");
    assert_eq!(facts["Changes"], "1 not staged, 1 untracked");
    assert_eq!(facts["Unpushed"], "none");
    let facts = window.select("harbor-ahead").await;
    assert_eq!(facts["HEAD"], "ahead");
    assert_eq!(facts["Changes"], "none");
    assert_eq!(facts["Unpushed"], "1 commit on no remote");
    assert!(
        facts["Commit"]
            .as_str()
            .unwrap()
            .starts_with("Nowhere else"),
        "{facts}"
    );

    // They write a note and start the application again.
    window
        .write("Note", "Waits for Ines.\u{E007}Then goes.")
        .await;
    window.shows("Saved").await;
    window.close().await;
    let window = super::window(&stage).await;
    window.select("harbor-ahead").await;
    assert_eq!(window.note().await, "Waits for Ines.\nThen goes.");

    // They add a host whose key nobody has seen, and compare the key before they trust it.
    window.press("Add host…").await;
    window.press(&format!("Add {ALIAS}")).await;
    window.host_is(ALIAS, "needsYou").await;
    window.press("Trust this key…").await;
    window.shows(&fingerprint(&stage)).await;
    assert!(
        window
            .script("return document.querySelector('[role=dialog] button:disabled') !== null")
            .await
            == json!(true)
    );
    window
        .find("//input[@type='checkbox']")
        .await
        .click()
        .await
        .unwrap();
    window.press("Trust this key").await;
    window.host_is(ALIAS, "idle").await;
    window.press("Register…").await;
    window.choose("Host", ALIAS).await;
    window.register(&quay).await;
    window.row("quay").await;
    let facts = window.select("quay-tree").await;
    assert_eq!(facts["Changes"], "none");
    assert_eq!(facts["Unpushed"], "no remote: all commits exist only here");
    window.go("All").await;
    window.row("harbor").await;
    let before = window.names().await;
    assert_eq!(before.len(), 5, "{before:?}");

    // The host stops. Every row stays, and what was seen is said to be old.
    stage.sshd.stop();
    window.press("Sync now").await;
    window.host_is(ALIAS, "waiting").await;
    assert_eq!(window.names().await, before);
    assert_eq!(window.facts("quay-tree").await["Changes"], "none");
    window.shows(&format!("{ALIAS} does not answer now")).await;
    // This machine goes on.
    window.host_is("This machine", "idle").await;

    // It comes back.
    stage.sshd.restart().unwrap();
    window.go(ALIAS).await;
    window.press("Try again").await;
    window.host_is(ALIAS, "idle").await;
    assert_eq!(window.names().await.len(), 2);
    window.close().await;
}

fn fingerprint(stage: &Stage) -> String {
    let output = Command::new("ssh-keygen")
        .arg("-lf")
        .arg(stage.sshd.folder().join("host_key.pub"))
        .output()
        .unwrap();
    let line = String::from_utf8(output.stdout).unwrap();
    line.split(' ')
        .nth(1)
        .expect("ssh-keygen prints the fingerprint second")
        .to_owned()
}
