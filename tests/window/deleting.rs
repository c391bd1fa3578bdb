//! A workspace is deleted while its host is away, goes when it is back, and is restored: all of it in the window.

use rollcall_tests::stage::{ALIAS, Stage};

use crate::accessible;

#[tokio::test]
async fn i10_what_is_deleted_offline_goes_when_its_host_is_back_and_is_restored_in_the_window() {
    let mut stage = Stage::new();
    let harbor = stage.play.repo("srv/harbor").unwrap();
    let tree = harbor.worktree("srv/harbor-tree", "tree").unwrap();
    tree.write("unknown", "nobody knows\n").unwrap();
    let (harbor, tree) = (harbor.path().to_owned(), tree.path().to_owned());
    let other = stage.play.repo("code/other").unwrap().path().to_owned();
    let window = accessible::furnished(&stage, &other, &harbor).await;
    window.select("harbor-tree").await;
    window.press("Look closer").await;
    window.shows("looked ").await;

    stage.sshd.stop();
    window.press("Sync now").await;
    window.host_is(ALIAS, "waiting").await;
    accessible::uncovered(&window).await;
    window.press("Delete…").await;
    window.shows("Delete harbor-tree?").await;
    window
        .shows("1 file or folder that git does not know")
        .await;
    window
        .shows("does not answer: it goes when that is back")
        .await;
    accessible::check(&window, "delete").await;
    window.press("Delete").await;
    window.shows("wait for a host that does not answer").await;
    accessible::uncovered(&window).await;
    window.go("Pending deletions").await;
    window.shows("Will happen when").await;
    accessible::check(&window, "pending deletions").await;
    window.escape().await;
    assert!(tree.join("unknown").exists());

    stage.sshd.restart().unwrap();
    window.press("Sync now").await;
    accessible::listed(&window, "harbor-tree", false).await;
    assert!(!tree.exists());
    window.go("Trash").await;
    window.shows("14 days left").await;
    accessible::check(&window, "trash").await;
    window.press("Restore").await;
    window
        .shows("Nothing rests in the trash of any host.")
        .await;
    window.escape().await;
    accessible::listed(&window, "harbor-tree", true).await;
    assert_eq!(
        std::fs::read_to_string(tree.join("unknown")).unwrap(),
        "nobody knows\n"
    );
    accessible::closed(window).await;
}
