//! What hosts leave open, decided in the real window on real repositories; and a registry that is damaged.

use std::fs;

use rollcall_tests::stage::{Stage, settled};

#[tokio::test]
async fn i17_a_wiped_folder_of_worktrees_is_asked_about_kept_and_found_again() {
    let stage = Stage::new();
    let repository = stage.fleet(12);
    let window = super::begun(&stage, repository.path()).await;
    window.row("boat-11").await;
    assert_eq!(window.names().await.len(), 13);

    // The folder is wiped, and git tidies its records: by git's word nothing was ever there.
    let disk = stage.play.at("disk");
    let aside = stage.play.at("aside");
    fs::rename(&disk, &aside).unwrap();
    let admin = repository.path().join(".git/worktrees");
    let records = stage.play.at("records");
    fs::rename(&admin, &records).unwrap();
    window.press("Sync now").await;
    window.shows("12 workspaces are gone").await;
    assert_eq!(window.names().await.len(), 13);
    window.press("Review…").await;
    window.shows("Is it true that these are gone?").await;
    window.press("Keep them").await;
    window
        .until(
            "no question",
            "return document.querySelector('[data-testid=decision-absence]') === null",
        )
        .await;
    window.go("Missing").await;
    assert_eq!(window.names().await.len(), 12);

    // They come back, and are what they were.
    fs::rename(&records, &admin).unwrap();
    fs::rename(&aside, &disk).unwrap();
    window.press("Sync now").await;
    window.shows("Nothing is missing.").await;
    window.go("All").await;
    assert_eq!(window.names().await.len(), 13);
    window.close().await;
}

#[tokio::test]
async fn i17_a_wiped_folder_that_is_accepted_leaves_what_was_written_about() {
    let stage = Stage::new();
    let repository = stage.fleet(12);
    let window = super::begun(&stage, repository.path()).await;
    window.select("boat-07").await;
    window.write("Note", "Was mine.").await;
    window.shows("Saved").await;
    stage.wipe(&repository);
    window.press("Sync now").await;
    window.press("Review…").await;
    window.press("They are gone").await;
    window
        .until(
            "only two rows",
            "return document.querySelectorAll('[data-testid=workspace]').length === 2",
        )
        .await;
    window.select("boat-07").await;
    assert_eq!(window.note().await, "Was mine.");
    window.go("Journal").await;
    window
        .shows("Accepted that 12 workspaces on This machine are gone; 1 of them stay listed as missing.")
        .await;
    window.close().await;
}

#[tokio::test]
async fn d7_a_folder_that_two_repositories_have_records_of_is_settled_by_a_choice() {
    let stage = Stage::new();
    let [one, two] = stage.rivals();
    let window = super::begun(&stage, one.path()).await;
    window.row("shared").await;
    window.press("Register…").await;
    window.register(two.path()).await;
    window.row("two").await;
    window.shows("more than one record claims 1 folder").await;
    window.press("Review…").await;
    window.shows("worktree “shared” of two").await;
    window
        .press("This one counts: worktree “shared” of two")
        .await;
    window
        .until(
            "no question",
            "return document.querySelector('[data-testid=decision-conflicts]') === null",
        )
        .await;
    window.go("All").await;
    let listed =
        "return [...document.querySelectorAll('[data-name=shared]')].map((it) => it.textContent)";
    window
        .until(
            "both records, one of them set aside",
            &format!("const rows = (() => {{ {listed} }})(); return rows.length === 2 \
                && rows.some((it) => it.includes('stale record')) && rows.some((it) => it.includes('not asserted'))"),
        )
        .await;
    window.close().await;
}

#[tokio::test]
async fn rd05_a_damaged_registry_is_replaced_by_its_backup_in_the_window() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    let window = super::begun(&stage, harbor.path()).await;
    window.select("harbor").await;
    window.write("Note", "In the backup.").await;
    window.shows("Saved").await;
    window.close().await;
    // The daily copy is made at the next start, now that there is something to copy.
    let backups = stage.data().join("backups");
    let (app, events) = stage.app().await;
    settled(&app).await;
    let copy = rollcall_tests::stage::until("the daily copy", || async {
        let mut copies = fs::read_dir(&backups).ok()?;
        copies.find(|copy| {
            copy.as_ref()
                .is_ok_and(|it| it.path().extension().is_some())
        })
    })
    .await;
    copy.unwrap();
    app.shutdown().await;
    drop((app, events));

    let database = stage.damage();
    let window = super::window(&stage).await;
    window.shows("Rollcall cannot show your workspaces").await;
    window.shows("1 host, 1 workspace, 1 note").await;
    assert_eq!(fs::read(&database).unwrap(), b"");
    window.press("Restore").await;
    window.select("harbor").await;
    assert_eq!(window.note().await, "In the backup.");
    // What it listed is called again, as ever.
    window.press("Sync now").await;
    window.host_is("This machine", "idle").await;
    window.go("Journal").await;
    window.shows("Restored the registry from the backup").await;
    window.close().await;
}

#[tokio::test]
async fn annotations_leave_as_a_file_and_come_back_on_another_desktop() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    let file = stage.play.at("mine.json");
    let window = super::begun(&stage, harbor.path()).await;
    window.select("harbor").await;
    window.write("Note", "To be carried.").await;
    window.shows("Saved").await;
    window.press("More actions").await;
    window.press("Export annotations…").await;
    window
        .write("File on this machine", file.to_str().unwrap())
        .await;
    window.press("Export").await;
    window.shows("The annotations are exported").await;
    window.close().await;
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("To be carried.")
    );

    // Another desktop knows the repository and nothing about it.
    fs::remove_dir_all(stage.data()).unwrap();
    let window = super::begun(&stage, harbor.path()).await;
    window.select("harbor").await;
    window.press("More actions").await;
    window.press("Import annotations…").await;
    window
        .write("File on this machine", file.to_str().unwrap())
        .await;
    window.press("Show what would change").await;
    window.shows("1 workspace would change.").await;
    window.press("Import").await;
    window
        .shows("Annotations of 1 workspace are imported")
        .await;
    window
        .until(
            "the note",
            "return document.querySelector('textarea[aria-label=Note]')?.value === 'To be carried.'",
        )
        .await;
    window.close().await;
}
