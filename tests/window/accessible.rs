//! What everybody can use: every screen checked by axe in the real window, light and dark.

use std::fs;
use std::path::Path;

use rollcall_tests::driver::Window;
use rollcall_tests::stage::Stage;
use serde_json::Value;

async fn check(window: &Window, screen: &str) {
    for theme in ["light", "dark"] {
        window.theme(theme).await;
        let script = "const done = arguments[0]; \
             const animations = document.getAnimations().map((it) => it.finished.catch(() => null)); \
             Promise.all(animations).then(() => axe.run(document, { resultTypes: ['violations'] })).then( \
             (found) => done(found.violations.map((it) => [it.id, it.nodes.map((node) => node.html)])), \
             (error) => done([[String(error), []]]))";
        let found = window.script_later(script).await;
        assert_eq!(found, Value::Array(Vec::new()), "{screen}, {theme}");
    }
    window.theme("light").await;
}

#[tokio::test]
async fn axe_finds_nothing_and_the_policy_stops_nothing_on_any_screen() {
    let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/node_modules/axe-core/axe.min.js");
    let axe = fs::read_to_string(axe).expect("`npm ci` puts axe-core there");
    let stage = Stage::new();
    let window = super::window(&stage).await;
    let listen = "window.stopped = []; document.addEventListener('securitypolicyviolation', \
         (event) => window.stopped.push(event.violatedDirective + ' ' + event.blockedURI))";
    window.script(listen).await;
    window.script(&axe).await;
    window.shows("Nothing is under roll call yet").await;
    check(&window, "first run").await;
    window.close().await;

    stage.fill().await;
    let window = super::window(&stage).await;
    window.script(listen).await;
    window.script(&axe).await;
    window.row("atlas").await;
    check(&window, "list").await;
    window.select("atlas-search").await;
    check(&window, "inspector").await;
    for (button, screen) in [
        ("Register…", "Register a folder"),
        ("Add host…", "Add a host"),
        ("Journal", "Journal"),
    ] {
        window.press(button).await;
        window
            .find(&format!(
                "//*[@role='dialog'][.//*[normalize-space(.)='{screen}']]"
            ))
            .await;
        check(&window, screen).await;
        window.escape().await;
        window
            .until(
                "no dialog",
                "return document.querySelector('[role=dialog]') === null",
            )
            .await;
    }
    let stopped = window.script("return window.stopped").await;
    assert_eq!(stopped, Value::Array(Vec::new()));
    window.close().await;
}
