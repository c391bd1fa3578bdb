//! Worktrees are created, locked, moved and cleaned up, and what is only on a host is written down: all of it in the window.

use rollcall_tests::stage::{ALIAS, Stage, text};

use crate::accessible;

#[tokio::test]
async fn a_worktree_is_made_locked_moved_and_cleaned_up_on_a_real_host_in_the_window() {
    let stage = Stage::new();
    let harbor = stage.play.repo("srv/harbor").unwrap();
    harbor.publish("origins/harbor.git").unwrap();
    let pilot = harbor.worktree("srv/pilot", "pilot").unwrap();
    pilot.write("notes", "nobody knows\n").unwrap();
    let harbor = harbor.path().to_owned();
    let other = stage.play.repo("code/other").unwrap().path().to_owned();
    let window = accessible::furnished(&stage, &other, &harbor).await;
    window.select("harbor").await;

    window.press("Worktree").await;
    window.press("New worktree…").await;
    window.shows("New worktree of harbor").await;
    window.write("Branch", "feature/tide").await;
    let placed = text(&stage.play.at("srv/harbor-feature-tide"));
    let is_placed = format!(
        "return [...document.querySelectorAll('input')].some(it => it.value === '{placed}')"
    );
    window.until("its place", &is_placed).await;
    accessible::check(&window, "new worktree").await;
    window.press("Create").await;
    accessible::listed(&window, "harbor-feature-tide", true).await;
    assert!(stage.play.at("srv/harbor-feature-tide/.git").exists());
    accessible::uncovered(&window).await;

    window.select("harbor-feature-tide").await;
    window.press("Worktree").await;
    window.press("Lock…").await;
    window.write("Reason", "shown to a customer").await;
    accessible::check(&window, "lock").await;
    window.press("Lock").await;
    window.shows("Locked: shown to a customer.").await;
    accessible::uncovered(&window).await;
    window.press("Worktree").await;
    window.press("Unlock").await;
    let unlocked = "return !document.body.innerText.includes('Locked: shown to a customer')";
    window.until("it is unlocked", unlocked).await;
    accessible::uncovered(&window).await;
    window.press("Worktree").await;
    window.press("Move…").await;
    let field = format!("New path on {ALIAS}");
    window
        .write(&field, &text(&stage.play.at("srv/tide")))
        .await;
    window.press("Move").await;
    accessible::listed(&window, "tide", true).await;
    assert!(stage.play.at("srv/tide/.git").exists());
    accessible::uncovered(&window).await;

    // Nothing was committed on it. It is as young as can be, and suggested only if that is asked for.
    window.press("More actions").await;
    window.press("Clean up…").await;
    window
        .shows("used since, or of unknown age, left out")
        .await;
    window.choose("Not used for", "any time").await;
    window.shows("Nothing was ever committed on it.").await;
    accessible::check(&window, "clean-up").await;
    let measured = "return [...document.querySelectorAll('button')].some(it => /^Delete 1, \\d+ KiB$/.test(it.textContent))";
    window.until("one that is measured", measured).await;
    let delete = "const it = [...document.querySelectorAll('button')].find(it => it.textContent.startsWith('Delete 1')); it.click()";
    window.script(delete).await;
    accessible::listed(&window, "tide", false).await;
    accessible::uncovered(&window).await;
    assert!(!stage.play.at("srv/tide").exists());

    window.press(&format!("Actions for {ALIAS}")).await;
    window.press("Only here…").await;
    window.shows(&format!("Only on {ALIAS}")).await;
    window
        .shows("1 file or folder that git does not know")
        .await;
    accessible::check(&window, "only here").await;
    let file = stage.play.at("only.md");
    window.write("File on this machine", &text(&file)).await;
    window.press("Write to file").await;
    window.shows("It is written down").await;
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("srv/pilot"), "{written}");
    window.escape().await;

    accessible::uncovered(&window).await;
    window.select("pilot").await;
    window.press("Worktree").await;
    window.press("Fetch").await;
    window
        .shows("1 repository is up to date with their remotes.")
        .await;
    accessible::check(&window, "fetch").await;
    accessible::closed(window).await;
}
