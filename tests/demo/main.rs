//! Rollcall on a stage of its own: `cargo xtask run --demo` and `cargo xtask screenshots` start it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a demonstration talks to the person who started it, and ends at once where it cannot go on"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rollcall_testkit::sshd::PASSPHRASE;
use rollcall_tests::driver::{Paths, Window};
use rollcall_tests::stage::{ALIAS, Stage, local, settled, text};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

const USAGE: &str = "\
Usage: demo [--sample] [--screenshot FILE | --screenshots FOLDER]

  --sample               a throw-away data folder with two sample hosts in place of your own
  --screenshot FILE      write what the window shows, then end
  --screenshots FOLDER   write every picture of the documents, then end
";

#[derive(Default)]
struct Asked {
    sample: bool,
    screenshot: Option<PathBuf>,
    screenshots: Option<PathBuf>,
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Asked> {
    let mut asked = Asked::default();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--sample" => asked.sample = true,
            "--screenshot" => asked.screenshot = Some(arguments.next()?.into()),
            "--screenshots" => asked.screenshots = Some(arguments.next()?.into()),
            _ => return None,
        }
    }
    Some(asked)
}

#[tokio::main]
async fn main() -> ExitCode {
    // The tests have the system's `ssh` ask through this program, as it asks through the application itself.
    if let Some(code) = rollcall_api::askpass() {
        return code;
    }
    let Some(asked) = parse(std::env::args().skip(1)) else {
        println!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let paths = Paths::find();
    let mut arguments = Vec::new();
    let stage = asked.sample.then(Stage::new);
    if let Some(stage) = &stage {
        println!(
            "Making two sample hosts in {}.",
            stage.play.path().display()
        );
        stage.fill().await;
        arguments = stage.arguments();
    }
    if let Some(file) = &asked.screenshot {
        let window = Window::start(&paths, &arguments).await;
        window.resize(1180, 760).await;
        window.settled().await;
        if stage.is_some() {
            window.select("atlas-search").await;
        }
        save(file, &window.picture().await);
        window.close().await;
    } else if let Some(folder) = &asked.screenshots {
        fs::create_dir_all(folder).unwrap();
        pictures(&paths, &arguments, stage.as_ref(), folder).await;
    } else {
        return watch(&paths, &arguments).await;
    }
    ExitCode::SUCCESS
}

fn save(file: &Path, picture: &[u8]) {
    fs::write(file, picture).unwrap();
    println!("Wrote {}.", file.display());
}

/// Every picture of the documents.
async fn pictures(paths: &Paths, arguments: &[String], stage: Option<&Stage>, folder: &Path) {
    let window = Window::start(paths, arguments).await;
    window.settled().await;
    if stage.is_some() {
        window.select("atlas-search").await;
    }
    for theme in ["light", "dark"] {
        window.theme(theme).await;
        for (name, width, height) in [("window", 1180, 760), ("small", 1000, 640)] {
            window.resize(width, height).await;
            save(
                &folder.join(format!("{name}-{theme}.png")),
                &window.picture().await,
            );
        }
    }
    if let Some(stage) = stage {
        looking(&window, stage, folder).await;
    }
    window.close().await;
    let first = Stage::new();
    let window = Window::start(paths, &first.arguments()).await;
    window.resize(1000, 640).await;
    window.shows("buildbox").await;
    save(&folder.join("first-run-light.png"), &window.picture().await);
    window.close().await;
    trouble(paths, folder).await;
    deleting(paths, folder).await;
    if let Some(stage) = stage {
        working(paths, stage, folder).await;
    }
    reaching(paths, folder).await;
}

/// What the window shows of a workspace that was looked into, and of a search.
async fn looking(window: &Window, stage: &Stage, folder: &Path) {
    window.look_into().await;
    for (name, theme, part) in [
        ("contents", "light", "Contents"),
        ("in-depth", "dark", "In depth"),
    ] {
        window.theme(theme).await;
        let scroll = format!("document.querySelector('[aria-label=\"{part}\"]').scrollIntoView()");
        window.script(&scroll).await;
        save(
            &folder.join(format!("{name}-{theme}.png")),
            &window.picture().await,
        );
    }
    window.press("Register…").await;
    window.search_in(stage.play.path()).await;
    save(&folder.join("search-dark.png"), &window.picture().await);
}

/// A new worktree, a plan over all hosts, and what is only on one of them.
async fn working(paths: &Paths, stage: &Stage, folder: &Path) {
    let atlas = stage.play.existing("code/atlas");
    let legend = atlas.worktree("code/atlas-legend", "legend").unwrap();
    legend
        .commit("legend.rs", "// signs\n", "Explain signs")
        .unwrap();
    atlas.git(["merge", "-q", "--squash", "legend"]).unwrap();
    atlas.git(["commit", "-q", "-m", "Explain signs"]).unwrap();
    atlas.git(["push", "-q"]).unwrap();
    let window = Window::start(paths, &stage.arguments()).await;
    window.settled().await;
    window.select("atlas").await;
    window.press("Worktree").await;
    window.press("New worktree…").await;
    window.shows("New worktree of atlas").await;
    window.write("Branch", "night-colours").await;
    let placed = "return [...document.querySelectorAll('input')].some(it => it.value.endsWith('atlas-night-colours'))";
    window.until("its place", placed).await;
    both(&window, folder, "create").await;
    window.escape().await;
    window.press("More actions").await;
    window.press("Clean up…").await;
    window.choose("Not used for", "any time").await;
    window.shows("Done with").await;
    let done = "const all = [...document.querySelectorAll('[data-testid^=plan-]')]; \
        return all.length > 0 && all.every(it => /KiB|MiB/.test(it.textContent))";
    window.until("everything is measured", done).await;
    both(&window, folder, "clean-up").await;
    window.escape().await;
    window.press("Actions for buildbox").await;
    window.press("Only here…").await;
    window.shows("Only on buildbox").await;
    both(&window, folder, "only-here").await;
    window.close().await;
}

/// What would go with a workspace, what a deletion waits for, and the trash; each small and light, and larger and dark.
async fn deleting(paths: &Paths, folder: &Path) {
    let mut stage = Stage::new();
    let harbor = stage.play.repo("srv/harbor").unwrap();
    for name in ["pilot", "quay"] {
        let tree = harbor.worktree(format!("srv/{name}"), name).unwrap();
        tree.commit("chart", "deeper\n", "Chart the shoals")
            .unwrap();
        tree.write("notes", "to be sorted\n").unwrap();
    }
    let harbor = harbor.path().to_owned();
    let (app, events, _) = stage.enrolled(&harbor).await;
    app.shutdown().await;
    drop((app, events));
    let window = Window::start(paths, &stage.arguments()).await;
    window.settled().await;
    window.select("pilot").await;
    window.press("Delete…").await;
    window.shows("would lose work").await;
    both(&window, folder, "delete").await;
    window.press("Delete").await;
    window.press("Trash, 1").await;
    window.shows("14 days left").await;
    both(&window, folder, "trash").await;
    window.escape().await;
    let uncovered = "return document.querySelector('[role=dialog], [aria-label=Dismiss]') === null";
    window.until("nothing over the inspector", uncovered).await;
    window.select("quay").await;
    window.press("Delete…").await;
    window.shows("would lose work").await;
    stage.sshd.stop();
    window.press("Delete").await;
    window.press("Pending deletions, 1").await;
    window.shows("quay").await;
    both(&window, folder, "pending").await;
    window.close().await;
}

/// A picture at 1000 by 640 in light, and one at 1180 by 760 in dark.
async fn both(window: &Window, folder: &Path, name: &str) {
    for (theme, width, height) in [("light", 1000, 640), ("dark", 1180, 760)] {
        window.resize(width, height).await;
        window.theme(theme).await;
        save(
            &folder.join(format!("{name}-{theme}.png")),
            &window.picture().await,
        );
    }
    window.theme("light").await;
}

/// What the window shows when a host wants a secret, and the settings of one that was tried.
async fn reaching(paths: &Paths, folder: &Path) {
    let stage = Stage::locked();
    let window = Window::start(paths, &stage.arguments()).await;
    window.resize(1000, 640).await;
    window.press(&format!("Add {ALIAS}")).await;
    window.shows("Passphrase of a key file").await;
    save(
        &folder.join("passphrase-light.png"),
        &window.picture().await,
    );
    window.write("Passphrase", PASSPHRASE).await;
    window.press("Sign in").await;
    window.host_is(ALIAS, "idle").await;
    window.press(&format!("Actions for {ALIAS}")).await;
    window.press("Settings…").await;
    window.press("Test the connection").await;
    window.shows("It can be reached.").await;
    window.theme("dark").await;
    save(
        &folder.join("host-settings-dark.png"),
        &window.picture().await,
    );
    window.close().await;
}

/// What the window shows when a host says too much at once, and when its registry is damaged.
async fn trouble(paths: &Paths, folder: &Path) {
    let stage = Stage::new();
    let fleet = stage.fleet(14);
    let (app, events) = stage.app().await;
    app.register(local(&app).await, text(fleet.path()))
        .await
        .unwrap();
    settled(&app).await;
    app.shutdown().await;
    drop((app, events));
    stage.wipe(&fleet);
    let window = Window::start(paths, &stage.arguments()).await;
    window.resize(1000, 640).await;
    window.shows("14 workspaces are gone").await;
    window.press("Review…").await;
    window.shows("Keep them").await;
    save(&folder.join("absence-light.png"), &window.picture().await);
    window.close().await;
    stage.damage();
    let window = Window::start(paths, &stage.arguments()).await;
    window.resize(1000, 640).await;
    window.shows("Restore a backup").await;
    save(&folder.join("damaged-light.png"), &window.picture().await);
    window.close().await;
}

/// Shows the window until the person closes it, or ends this program.
async fn watch(paths: &Paths, arguments: &[String]) -> ExitCode {
    let mut shell = Command::new(&paths.shell)
        .args(arguments)
        .kill_on_drop(true)
        .spawn()
        .expect("the application should start");
    println!("Close the window to end. Nothing of the sample stays.");
    let mut terminated = signal(SignalKind::terminate()).unwrap();
    tokio::select! {
        status = shell.wait() => {
            if status.unwrap().success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        interrupted = tokio::signal::ctrl_c() => {
            interrupted.unwrap();
            ExitCode::SUCCESS
        }
        _ = terminated.recv() => ExitCode::SUCCESS,
    }
}
