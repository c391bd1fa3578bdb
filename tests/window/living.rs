//! What people do all day, in the real window with the real back end: find, mark, put together, drag, undo, look back, and
//! go on while nothing answers.

use rollcall_tests::driver::Window;
use rollcall_tests::stage::{ALIAS, Stage, row, rows, settled, text};

use crate::accessible::{self, listed, prepared, uncovered};

/// The field of the command palette.
const PALETTE: &str = "//input[@role='combobox']";

/// A window on the sample, with nothing under way.
async fn sampled(stage: &Stage) -> Window {
    stage.fill().await;
    let window = prepared(stage).await;
    window.row("atlas-search").await;
    window.settled().await;
    window
}

/// Waits until exactly these rows are shown, in any order.
async fn shown(window: &Window, names: &[&str]) {
    let mut wanted: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    wanted.sort();
    let script = format!(
        "const names = [...document.querySelectorAll('[data-testid=workspace]')].map((it) => it.dataset.name); \
         return JSON.stringify(names.sort()) === '[{}]'",
        wanted.join(",")
    );
    window.until(&format!("only {names:?}"), &script).await;
}

/// How many workspaces the side bar says a place has.
async fn counted(window: &Window, place: &str, count: usize) {
    let script = format!(
        "return document.querySelector('[data-testid=\"place-{place}\"] .numeric')?.textContent?.match(/^\\d+/)?.[0] === '{count}'"
    );
    window
        .until(&format!("{place} with {count}"), &script)
        .await;
}

#[tokio::test]
async fn rows_are_dragged_onto_groups_tags_and_pinned_and_a_drag_is_cancelled_and_undone() {
    let stage = Stage::new();
    let window = sampled(&stage).await;
    window.resize(1180, 900).await;
    counted(&window, "Some day", 0).await;

    // Several at once; what it would do is said before it is done.
    window.row("atlas-labels").await.click().await.unwrap();
    window.keys(&["Shift+ArrowDown"]).await;
    window.shows("2 workspaces").await;
    let (from, group) = (
        window.row("atlas-labels").await,
        window.place("Some day").await,
    );
    window.hold(&from, &group).await;
    window.shows("Goes into Some day").await;
    window.let_go().await;
    window.shows("2 workspaces moved into Some day").await;
    counted(&window, "Some day", 2).await;
    window.press("Undo").await;
    counted(&window, "Some day", 0).await;

    // Escape lets it go, and nothing is changed.
    uncovered(&window).await;
    window.hold(&from, &group).await;
    window.shows("Goes into Some day").await;
    window.keys(&["Escape"]).await;
    let gone = "return document.querySelector('[data-testid=dragged]') === null";
    window.until("nothing is held", gone).await;
    window.let_go().await;
    counted(&window, "Some day", 0).await;

    let tiles = window.row("atlas-tiles").await;
    window.hold(&tiles, &window.place("Pinned").await).await;
    window.let_go().await;
    counted(&window, "Pinned", 2).await;
    window.hold(&tiles, &window.place("review").await).await;
    window.let_go().await;
    counted(&window, "review", 3).await;
    // What is dropped on Trash is asked about first.
    window.hold(&tiles, &window.place("Trash").await).await;
    window.shows("Asks before it is deleted").await;
    window.let_go().await;
    window.shows("Delete atlas-tiles?").await;
    window.escape().await;
    uncovered(&window).await;

    // In a group, rows have an order, and keep it.
    window.go("Release 1.5").await;
    let (first, second) = (
        window.row("atlas-tiles").await,
        window.row("kestrel-retry").await,
    );
    window.hold(&second, &first).await;
    window.shows("Goes before atlas-tiles").await;
    window.let_go().await;
    let order = "const names = [...document.querySelectorAll('[data-testid=workspace]')].map((it) => it.dataset.name); \
         return names[0] === 'kestrel-retry' && names[1] === 'atlas-tiles'";
    window.until("another order", order).await;
    accessible::closed(window).await;
    let window = super::window(&stage).await;
    window.go("Release 1.5").await;
    window.until("the order that was given", order).await;
    window.close().await;
}

#[tokio::test]
async fn a_branch_dropped_on_another_host_becomes_a_worktree_there() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    harbor.publish("origins/harbor.git").unwrap();
    let tide = harbor.worktree("code/harbor-tide", "tide").unwrap();
    tide.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
    let origin = stage.play.at("origins/harbor.git");
    let there = stage.play.at("srv/harbor");
    stage
        .play
        .git(
            stage.play.path(),
            ["clone", "-q", &text(&origin), &text(&there)],
        )
        .unwrap();
    let window = accessible::furnished(&stage, harbor.path(), &there).await;
    window.go("All").await;
    let row = window.row("harbor-tide").await;
    let host = window
        .find(&format!("//*[@data-testid='host-{ALIAS}']"))
        .await;
    window.hold(&row, &host).await;
    window
        .shows(&format!("Asks how to make it on {ALIAS}"))
        .await;
    window.let_go().await;
    window.shows(&text(&stage.play.at("srv/harbor-tide"))).await;
    accessible::check(&window, "make on another host").await;
    window.press("Make").await;
    window.shows("It is there.").await;
    assert!(stage.play.at("srv/harbor-tide/.git").exists());
    window.press("Show it").await;
    uncovered(&window).await;
    let facts = window.facts("harbor-tide").await;
    assert_eq!(facts["HEAD"], "tide");
    accessible::closed(window).await;
}

#[tokio::test]
async fn a_search_by_tokens_and_words_is_saved_and_outlives_the_window() {
    let stage = Stage::new();
    let window = sampled(&stage).await;
    window.write("Search", "is:unpushed -host:buildbox").await;
    shown(
        &window,
        &["atlas-search", "atlas-labels", "ledger", "ledger-import"],
    )
    .await;
    // A word of a note, which only the registry knows, and a name with a mistake in it.
    window.write("Search", "queries").await;
    shown(&window, &["atlas-search"]).await;
    window.write("Search", "kesterl").await;
    window.row("kestrel-retry").await;
    window.write("Search", "is:shiny").await;
    window.shows("Nothing can be “shiny”").await;
    window.write("Search", "tag:review is:noted").await;
    shown(&window, &["atlas-search", "kestrel-retry"]).await;
    window.press("Save view…").await;
    window.write("Name", "To review").await;
    accessible::check(&window, "save view").await;
    window.press("Save").await;
    window.place("To review").await;
    window.press("Columns and grouping").await;
    window.press_role("menuitemradio", "Nothing").await;
    window.press("Save changes…").await;
    window.press("Save").await;
    uncovered(&window).await;
    accessible::closed(window).await;

    let window = super::window(&stage).await;
    window.go("To review").await;
    shown(&window, &["atlas-search", "kestrel-retry"]).await;
    let flat = "return document.querySelectorAll('[role=row][aria-expanded]').length === 0";
    window.until("no headings", flat).await;
    // How the person likes all other places is as it was.
    window.go("All").await;
    let headings = "return document.querySelectorAll('[role=row][aria-expanded]').length > 2";
    window.until("headings", headings).await;
    window.close().await;
}

#[tokio::test]
async fn everything_is_there_and_works_while_no_host_answers() {
    let mut stage = Stage::new();
    stage.fill().await;
    let (app, events) = stage.app().await;
    settled(&app).await;
    let all = rows(&app).await;
    let here = rollcall_tests::stage::local(&app).await;
    app.set_suspended(here, true).await.unwrap();
    app.shutdown().await;
    drop((app, events));
    stage.sshd.stop();

    let window = prepared(&stage).await;
    window.host_is(ALIAS, "waiting").await;
    window.host_is("This machine", "suspended").await;
    let mut names: Vec<_> = all.iter().map(|row| row.name.as_str()).collect();
    names.sort_unstable();
    shown(&window, &names).await;
    accessible::check(&window, "no host answers").await;

    // Found, annotated, put into a group, and deleted when its host is back.
    window.write("Search", "host:buildbox retry").await;
    shown(&window, &["kestrel-retry"]).await;
    window.select("kestrel-retry").await;
    window.shows(&format!("{ALIAS} does not answer now")).await;
    window.press("Pin").await;
    counted(&window, "Pinned", 2).await;
    window.press("Clear").await;
    window.row("kestrel-docs").await.click().await.unwrap();
    window.keys(&["m"]).await;
    window.find(PALETTE).await;
    window.type_text("some").await;
    window.keys(&["Enter"]).await;
    counted(&window, "Some day", 1).await;
    uncovered(&window).await;
    window.row("kestrel-docs").await.click().await.unwrap();
    window.keys(&["Delete"]).await;
    window.shows("Delete kestrel-docs?").await;
    window.shows("goes when that is back").await;
    window.escape().await;
    uncovered(&window).await;
    window.go("Journal").await;
    window.shows("Roll calls").await;
    accessible::closed(window).await;
}

#[tokio::test]
async fn the_journal_says_what_is_new_since_somebody_looked() {
    let stage = Stage::new();
    let window = sampled(&stage).await;
    window.go("Journal").await;
    window.shows("Roll calls").await;
    let looked = "return document.querySelector('[data-testid=place-Journal] .numeric') === null";
    window.until("everything is looked at", looked).await;
    window.close().await;

    // While the window is closed, something comes to be.
    let atlas = stage.play.existing("code/atlas");
    atlas.worktree("code/atlas-new", "new").unwrap();
    let window = super::window(&stage).await;
    window.row("atlas-new").await;
    counted(&window, "Journal", 1).await;
    window.go("Journal").await;
    window.shows("since you last looked").await;
    window.press_part("//main", "code/atlas-new").await;
    window.facts("atlas-new").await;
    window.close().await;
}

#[tokio::test]
async fn what_was_written_about_a_missing_worktree_goes_where_it_went() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    let old = harbor.worktree("code/harbor-old", "old").unwrap();
    let window = prepared(&stage).await;
    window.press("Register a folder…").await;
    window.register(harbor.path()).await;
    window.select("harbor-old").await;
    window.write("Note", "Waits for Ines.").await;
    window.shows("Saved").await;
    // It is made anew elsewhere, by hand, so that nothing tells that it is the same.
    harbor
        .git(["worktree", "remove", "--force", &text(old.path())])
        .unwrap();
    harbor
        .git(["worktree", "add", "-q", "../harbor-again", "old"])
        .unwrap();
    window.press("Sync now").await;
    window.row("harbor-again").await;
    window.shows("Its host says it is gone").await;
    window.press("Say where it went…").await;
    window.shows("harbor-again").await;
    window
        .press_part("//*[@role='dialog']", "harbor-again")
        .await;
    accessible::check(&window, "where it went").await;
    window.press("It is harbor-again now").await;
    listed(&window, "harbor-old", false).await;
    window.select("harbor-again").await;
    assert_eq!(window.note().await, "Waits for Ines.");
    window.close().await;
}

#[tokio::test]
async fn a_first_run_finds_what_is_there_and_registers_it_by_one_press() {
    let stage = Stage::new();
    for path in ["src/harbor", "src/deep/quay", "projects/pier"] {
        stage.play.repo(path).unwrap();
    }
    let home = stage.play.path().to_owned();
    let window = super::accessible::prepared_with(&stage, &[("HOME", &home)]).await;
    window.shows("~/src").await;
    window.shows("~/projects").await;
    window.press("Look in these folders").await;
    let found = "return [...document.querySelectorAll('button')].some((it) => it.textContent === 'Register 3')";
    window.until("three repositories", found).await;
    accessible::check(&window, "first run with what was found").await;
    window.press("Register 3").await;
    shown(&window, &["harbor", "quay", "pier"]).await;
    accessible::closed(window).await;
}

#[tokio::test]
async fn settings_apply_at_once_and_are_kept() {
    let stage = Stage::new();
    let window = sampled(&stage).await;
    window.keys(&["Ctrl+,"]).await;
    window.choose("Theme", "Dark").await;
    let dark = "return document.documentElement.dataset.theme === 'dark'";
    window.until("a dark window", dark).await;
    window.close().await;
    let window = super::window(&stage).await;
    window.until("a dark window", dark).await;
    window.close().await;
}

/// Counts of ten thousand rows; how long they take is measured by `cargo xtask bench`.
#[tokio::test]
async fn ten_thousand_rows_are_all_there_and_few_are_in_the_page() {
    let stage = Stage::new();
    stage.crowded(10_000).await;
    let window = super::window(&stage).await;
    window.shows("10001").await;
    let elements = "return document.querySelectorAll('[role=row]').length < 150";
    window.until("few rows in the page", elements).await;
    let begun = "window.seen = new Set(); window.most = 0; \
         document.querySelector('[role=treegrid] [role=presentation]').scrollTop = 0";
    window.script(begun).await;
    // A hundred pages at a time: a script may not run for ever.
    let scrolled = "const done = arguments[0]; (async () => { \
         const grid = document.querySelector('[role=treegrid]'); \
         const scroller = grid.querySelector('[role=presentation]'); \
         const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))); \
         for (let page = 0; page < 100; page += 1) { \
           for (let wait = 0; wait < 40; wait += 1) { \
             await frame(); \
             const box = scroller.getBoundingClientRect(); \
             const row = (y) => document.elementFromPoint(box.left + 60, y)?.closest('[role=row]'); \
             if (row(box.top + 4) && row(box.bottom - 12)) break; \
           } \
           const rows = [...grid.querySelectorAll('[data-testid=workspace]')]; \
           window.most = Math.max(window.most, rows.length); \
           for (const row of rows) window.seen.add(row.dataset.name); \
           const before = scroller.scrollTop; \
           scroller.scrollTop = before + scroller.clientHeight * 0.9; \
           if (scroller.scrollTop === before) return true; \
         } \
         return false; })().then(done, (error) => done(String(error)))";
    loop {
        let ended = window.script_later(scrolled).await;
        assert!(ended.is_boolean(), "{ended}");
        if ended == true {
            break;
        }
    }
    assert_eq!(window.script("return window.seen.size").await, 10_001);
    let most = window.script("return window.most").await;
    assert!(most.as_u64().unwrap() < 150, "{most}");
    // The row that has the focus stays in the page wherever one scrolls.
    let focused = "const grid = document.querySelector('[role=treegrid]'); \
         return grid.querySelector('[role=row][tabindex=\"0\"]') !== null";
    window.until("the row with the focus", focused).await;
    window.write("Search", "c09999").await;
    shown(&window, &["c09999"]).await;
    window.close().await;
}

#[tokio::test]
async fn keyboard_alone_registers_annotates_groups_deletes_and_restores() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor").unwrap();
    harbor.publish("origins/harbor.git").unwrap();
    let tide = harbor.worktree("code/harbor-tide", "tide").unwrap();
    tide.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
    let window = Keyboard(prepared(&stage).await);
    window.0.shows("Nothing is under roll call yet").await;

    // Register.
    window.keys(&["Ctrl+o"]).await;
    window.focused("Path").await;
    window.type_text(&text(harbor.path())).await;
    window.keys(&["Enter"]).await;
    window.0.row("harbor-tide").await;
    uncovered(&window.0).await;

    // Annotate: to the row, to its note, and out of it.
    window.until_row("harbor-tide").await;
    window.keys(&["Enter"]).await;
    window.focused("Note").await;
    window.type_text("Goes when merged.").await;
    window.0.shows("Saved").await;
    window.until_row("harbor-tide").await;
    window.keys(&["p", "t"]).await;
    window.0.find(PALETTE).await;
    window.type_text("later").await;
    window.keys(&["Enter"]).await;
    counted(&window.0, "later", 1).await;
    counted(&window.0, "Pinned", 1).await;

    // Group.
    window.until_row("harbor-tide").await;
    window.keys(&["m"]).await;
    window.0.find(PALETTE).await;
    window.type_text("Release").await;
    window.keys(&["Enter"]).await;
    window.focused("Name").await;
    window.keys(&["Enter"]).await;
    counted(&window.0, "Release", 1).await;
    // Taken back, and done again.
    window.until_row("harbor-tide").await;
    window.keys(&["Ctrl+z"]).await;
    counted(&window.0, "Release", 0).await;
    window.keys(&["Ctrl+Shift+z"]).await;
    counted(&window.0, "Release", 1).await;

    // Delete. What is pinned cannot go.
    window.until_row("harbor-tide").await;
    window.keys(&["p"]).await;
    counted(&window.0, "Pinned", 0).await;
    uncovered(&window.0).await;
    window.until_row("harbor-tide").await;
    window.keys(&["Delete"]).await;
    window.0.shows("Delete harbor-tide?").await;
    window.tab_to("Delete").await;
    window.keys(&["Enter"]).await;
    listed(&window.0, "harbor-tide", false).await;
    assert!(!tide.path().exists());

    // Restore, with everything that was written about it.
    uncovered(&window.0).await;
    counted(&window.0, "Trash", 1).await;
    window.keys(&["Ctrl+k"]).await;
    window.0.find(PALETTE).await;
    window.type_text("trash").await;
    window.keys(&["Enter"]).await;
    window.0.shows("14 days left").await;
    window.tab_to("Restore").await;
    window.keys(&["Enter"]).await;
    listed(&window.0, "harbor-tide", true).await;
    assert!(tide.path().join("file").exists());
    window.keys(&["Escape"]).await;
    uncovered(&window.0).await;
    counted(&window.0, "Release", 1).await;
    window.until_row("harbor-tide").await;
    assert_eq!(window.0.note().await, "Goes when merged.");
    accessible::closed(window.0).await;

    let (app, _events) = stage.app().await;
    let row = row(&app, "harbor-tide").await;
    assert!(row.noted && row.tags == ["later"] && row.group.is_some());
    app.shutdown().await;
}

/// A window that is used without a pointer: there is no way to press anything here.
struct Keyboard(Window);

impl Keyboard {
    async fn keys(&self, keys: &[&str]) {
        self.0.keys(keys).await;
    }

    async fn type_text(&self, text: &str) {
        self.0.type_text(text).await;
    }

    /// Waits until the field with a name has the focus.
    async fn focused(&self, name: &str) {
        let script = format!(
            "const on = document.activeElement; return on?.ariaLabel === '{name}' || on?.labels?.[0]?.textContent === '{name}'"
        );
        self.0.until(&format!("the focus on {name}"), &script).await;
    }

    /// Goes to a row: to the list by F6, to its first line, and down.
    async fn until_row(&self, name: &str) {
        let in_list = "return document.activeElement?.getAttribute('role') === 'row'";
        for _ in 0..8 {
            if self.0.script(in_list).await == true {
                break;
            }
            self.keys(&["F6"]).await;
        }
        self.keys(&["Home"]).await;
        let on = format!("return document.activeElement?.dataset.name === '{name}'");
        for _ in 0..50 {
            if self.0.script(&on).await == true {
                return;
            }
            self.keys(&["ArrowDown"]).await;
        }
        panic!("{name} is not in the list:\n{}", self.0.text().await);
    }

    /// Goes on by Tab until a button has the focus.
    async fn tab_to(&self, name: &str) {
        let there = format!(
            "return [...document.querySelectorAll('button:enabled')].some((it) => it.textContent.trim() === '{name}')"
        );
        self.0.until(name, &there).await;
        let on = format!("return document.activeElement?.textContent.trim() === '{name}'");
        for _ in 0..50 {
            if self.0.script(&on).await == true {
                return;
            }
            self.keys(&["Tab"]).await;
        }
        panic!("{name} cannot be reached:\n{}", self.0.text().await);
    }
}
