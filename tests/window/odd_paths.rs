//! Paths that are no text.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rollcall_tests::stage::Stage;

#[tokio::test]
async fn a1_a2_a_worktree_whose_path_holds_any_bytes_is_listed_annotated_and_survives_a_restart() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    let odd = Path::new("code").join(OsStr::from_bytes(
        b"odd\nwith 'quotes\"\tand \xff\xfe bytes",
    ));
    let tree = harbor.worktree(&odd, "odd").unwrap();
    tree.write("new", "x").unwrap();

    let window = super::window(&stage).await;
    // What the host says of itself moves the button a little.
    window.settled().await;
    window.press("Register a folder…").await;
    window.register(harbor.path()).await;
    window.row("harbor").await;
    let name = odd_one(window.names().await);
    // It is shown on one line, and nothing in it acts on the page.
    assert!(
        name.starts_with("odd") && !name.contains(['\n', '\t']),
        "{name:?}"
    );
    let row = "//*[@data-testid='workspace'][starts-with(@data-name, 'odd')]";
    window.find(row).await.click().await.unwrap();
    let facts = window.facts(&name).await;
    assert_eq!(facts["HEAD"], "odd");
    assert_eq!(facts["Changes"], "1 untracked");
    window
        .write("Note", "Made by a script that does not quote.")
        .await;
    window.shows("Saved").await;
    window.close().await;

    let window = super::window(&stage).await;
    window.row("harbor").await;
    assert_eq!(odd_one(window.names().await), name);
    window.find(row).await.click().await.unwrap();
    window.facts(&name).await;
    assert_eq!(window.note().await, "Made by a script that does not quote.");
    window.close().await;
    assert!(tree.path().exists());
}

fn odd_one(names: Vec<String>) -> String {
    assert_eq!(names.len(), 2, "{names:?}");
    names
        .into_iter()
        .find(|name| name != "harbor")
        .expect("one is not the repository")
}
