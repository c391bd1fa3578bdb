//! What only a walk through a workspace tells, asked for in the window.

use rollcall_tests::driver::Window;
use rollcall_tests::stage::{ALIAS, Stage};

/// Has the chosen workspace looked at, once no message covers the inspector.
async fn look_closer(window: &Window) {
    let uncovered = "return document.querySelector('[aria-label=Dismiss]') === null";
    window.until("no message", uncovered).await;
    window.press("Look closer").await;
    window.shows("into main, as one commit").await;
}

#[tokio::test]
async fn a_squashed_branch_with_a_file_of_secrets_is_looked_at_here_and_elsewhere() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    harbor
        .commit(".gitignore", ".env\nbuild/\n", "Ignore")
        .unwrap();
    let tree = harbor.worktree("code/harbor-tree", "tree").unwrap();
    tree.commit("one", "x\n", "One").unwrap();
    tree.commit("two", "y\n", "Two").unwrap();
    harbor.git(["merge", "-q", "--squash", "tree"]).unwrap();
    harbor.git(["commit", "-qm", "All of it"]).unwrap();
    tree.write(".env", "SECRET=1\n").unwrap();
    tree.write("build/out", vec![0_u8; 1 << 20]).unwrap();
    let harbor = harbor.path().to_owned();

    let window = super::begun(&stage, &harbor).await;
    window.row("harbor").await;
    window.select("harbor-tree").await;
    look_closer(&window).await;
    window.shows(".env").await;
    window.press("Measure").await;
    window.shows("of which git ignores").await;
    window.press("Look again").await;
    window.shows("into main, as one commit").await;
    window.press("Show").await;
    window.shows("Last commits").await;
    window.shows("Two").await;

    // It is known the next time, with its age, and holds while nothing moves.
    window.select("harbor").await;
    window.select("harbor-tree").await;
    window.shows("looked ").await;
    window.shows("measured ").await;

    // The same workspace through a server.
    stage.know_server();
    window.press("Add host…").await;
    window.press(&format!("Add {ALIAS}")).await;
    window.host_is(ALIAS, "idle").await;
    window.press("Register…").await;
    window.choose("Host", ALIAS).await;
    window.register(&harbor).await;
    let closed = "return document.querySelector('[role=dialog]') === null";
    window.until("no dialog", closed).await;
    window.go(ALIAS).await;
    window.select("harbor-tree").await;
    look_closer(&window).await;
    window.close().await;
}

#[tokio::test]
async fn a_folder_of_a_server_is_searched_and_what_is_chosen_is_registered() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    for n in 0..3 {
        stage.play.repo(format!("code/team/quay-{n}")).unwrap();
    }
    std::fs::create_dir_all(stage.play.at("code/empty/deeper")).unwrap();
    stage.know_server();
    let window = super::begun(&stage, harbor.path()).await;
    window.row("harbor").await;
    window.press("Add host…").await;
    window.press(&format!("Add {ALIAS}")).await;
    window.host_is(ALIAS, "idle").await;
    window.press("Register…").await;
    window.choose("Host", ALIAS).await;
    window.search_in(&stage.play.at("code")).await;
    window.shows("4 repositories in").await;
    window.press("Register 4").await;
    window.shows("Registered as a repository.").await;
    window.press("Close").await;
    window.go(ALIAS).await;
    for name in ["harbor", "quay-0", "quay-1", "quay-2"] {
        window.row(name).await;
    }
    window.close().await;
}
