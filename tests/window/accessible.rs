//! What everybody can use: every screen checked by axe in the real window, light and dark.

use std::fs;
use std::path::Path;

use rollcall_tests::driver::{Paths, Window};
use rollcall_tests::stage::{ALIAS, Stage, local, settled, text};
use serde_json::Value;

/// Checks what is shown, in both themes. The window has axe from [`prepared`].
pub(crate) async fn check(window: &Window, screen: &str) {
    for theme in ["light", "dark"] {
        window.theme(theme).await;
        let script = "const done = arguments[0]; \
             const animations = document.getAnimations() \
             .filter((it) => it.effect.getComputedTiming().endTime !== Infinity).map((it) => it.finished.catch(() => null)); \
             Promise.all(animations).then(() => axe.run(document, { resultTypes: ['violations'] })).then( \
             (found) => done(found.violations.map((it) => [it.id, it.nodes.map((node) => node.html)])), \
             (error) => done([[String(error), []]]))";
        let found = window.script_later(script).await;
        assert_eq!(found, Value::Array(Vec::new()), "{screen}, {theme}");
    }
    window.theme("light").await;
}

/// Opens a dialog, checks it and closes it.
async fn opened(window: &Window, buttons: &[&str], screen: &str) {
    for button in buttons {
        window.press(button).await;
    }
    window
        .find(&format!(
            "//*[@role='dialog'][.//*[normalize-space(.)='{screen}']]"
        ))
        .await;
    check(window, screen).await;
    window.escape().await;
    window
        .until(
            "no dialog",
            "return document.querySelector('[role=dialog]') === null",
        )
        .await;
}

/// Has axe at hand, and hears what the content policy stops.
pub(crate) async fn prepared(stage: &Stage) -> Window {
    prepared_with(stage, &[]).await
}

/// As [`prepared`], with variables of the environment in place of those of the tests.
pub(crate) async fn prepared_with(stage: &Stage, variables: &[(&str, &Path)]) -> Window {
    let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/node_modules/axe-core/axe.min.js");
    let axe = fs::read_to_string(axe).expect("`npm ci` puts axe-core there");
    let window = Window::start_with(&Paths::find(), &stage.arguments(), variables).await;
    let listen = "window.stopped = []; document.addEventListener('securitypolicyviolation', \
         (event) => window.stopped.push(event.violatedDirective + ' ' + event.blockedURI))";
    window.script(listen).await;
    window.script(&axe).await;
    window
}

/// No dialog and no message lies over what is to be pressed next.
pub(crate) async fn uncovered(window: &Window) {
    let script = "return document.querySelector('[role=dialog][aria-modal=true], [role=alertdialog]') === null \
         && document.querySelector('[aria-label=Dismiss]') === null";
    window.until("nothing over the window", script).await;
}

/// Waits until the list has a workspace of a name, or has it no more.
pub(crate) async fn listed(window: &Window, name: &str, there: bool) {
    let is = if there { "some" } else { "every" };
    let compare = if there { "===" } else { "!==" };
    let script = format!(
        "return [...document.querySelectorAll('[data-testid=workspace]')].{is}(it => it.dataset.name {compare} '{name}')"
    );
    window.until("the list", &script).await;
}

/// A window with one repository of this machine and one of the server, which is shown.
pub(crate) async fn furnished(stage: &Stage, here: &Path, there: &Path) -> Window {
    stage.know_server();
    let window = prepared(stage).await;
    window.press("Register a folder…").await;
    window.register(here).await;
    window.press("Add host…").await;
    window.press(&format!("Add {ALIAS}")).await;
    window.host_is(ALIAS, "idle").await;
    window.press("Register…").await;
    window.choose("Host", ALIAS).await;
    window.register(there).await;
    uncovered(&window).await;
    window.go(ALIAS).await;
    window
}

/// Ends a window in which the content policy stopped nothing.
pub(crate) async fn closed(window: Window) {
    let stopped = window.script("return window.stopped").await;
    assert_eq!(stopped, Value::Array(Vec::new()));
    window.close().await;
}

#[tokio::test]
async fn axe_finds_nothing_and_the_policy_stops_nothing_on_any_screen() {
    let stage = Stage::new();
    let window = prepared(&stage).await;
    window.shows("Nothing is under roll call yet").await;
    check(&window, "first run").await;
    closed(window).await;

    stage.fill().await;
    let window = prepared(&stage).await;
    window.row("atlas").await;
    check(&window, "list").await;
    window.select("atlas-search").await;
    check(&window, "inspector").await;
    window.look_into().await;
    check(&window, "a workspace that was looked into").await;
    window.press("Actions for atlas").await;
    opened(&window, &["Base branch…"], "Base branch").await;
    window.press("Register…").await;
    window.search_in(stage.play.path()).await;
    opened(&window, &[], "Search for repositories").await;
    for (buttons, screen) in [
        (&["Register…"][..], "Register a folder"),
        (&["Add host…"], "Add a host"),
        (
            &["More actions", "Export annotations…"],
            "Export annotations",
        ),
        (
            &["More actions", "Import annotations…"],
            "Import annotations",
        ),
        (&["More actions", "Settings…"], "Settings"),
        (
            &["More actions", "Keyboard shortcuts"],
            "Keyboard shortcuts",
        ),
        (&["New group"], "New group"),
    ] {
        opened(&window, buttons, screen).await;
    }
    window.keys(&["Ctrl+k"]).await;
    window.find("//*[@role='listbox']").await;
    check(&window, "command palette").await;
    window.type_text("design").await;
    window.keys(&["Enter"]).await;
    opened(&window, &[], "Design system").await;
    window.go("Release 1.5").await;
    window.row("kestrel-retry").await;
    // The hint of the button that had the focus goes a moment later.
    let hints = "return [...document.querySelectorAll('[data-base-ui-portal]')].every((it) => it.textContent === '')";
    window.until("no hint", hints).await;
    check(&window, "group").await;
    window.press("Show what takes up space").await;
    window.shows("KiB").await;
    check(&window, "what takes up space").await;
    window.press("Show as a list").await;
    window.row("atlas-tiles").await.click().await.unwrap();
    window.keys(&["Ctrl+a"]).await;
    window.shows("3 workspaces").await;
    check(&window, "several").await;
    window.keys(&["Shift+F10"]).await;
    // A menu belongs to no part of the page; the tests of its own look at what is in it.
    window.find("//*[@role='menu']").await;
    window.keys(&["Escape"]).await;
    window.go("Journal").await;
    window.shows("Roll calls").await;
    window.until("no hint", hints).await;
    check(&window, "journal").await;
    closed(window).await;
}

#[tokio::test]
async fn axe_finds_nothing_on_the_screens_of_decisions_and_of_a_damaged_registry() {
    let stage = Stage::new();
    let fleet = stage.fleet(12);
    let rivals = stage.rivals();
    let (app, events) = stage.app().await;
    let here = local(&app).await;
    for repository in rivals.iter().chain([&fleet]) {
        app.register(here, text(repository.path())).await.unwrap();
    }
    settled(&app).await;
    app.shutdown().await;
    drop((app, events));
    stage.wipe(&fleet);
    let window = prepared(&stage).await;
    window.shows("12 workspaces are gone").await;
    window.settled().await;
    check(&window, "banners").await;
    for (key, screen) in [
        ("absence", "Is it true that these are gone?"),
        ("conflicts", "Which record counts?"),
    ] {
        let press =
            format!("document.querySelector('[data-testid=decision-{key}] button').click()");
        window.script(&press).await;
        opened(&window, &[], screen).await;
    }
    closed(window).await;

    stage.damage();
    let window = prepared(&stage).await;
    window.shows("Rollcall cannot show your workspaces").await;
    window.shows("Begin with an empty registry…").await;
    check(&window, "a damaged registry").await;
    closed(window).await;
}
