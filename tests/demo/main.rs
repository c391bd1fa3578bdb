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
        for (name, (width, height)) in [("window", MIDDLE), ("small", SMALL), ("large", LARGE)] {
            window.resize(width, height).await;
            save(
                &folder.join(format!("{name}-{theme}.png")),
                &window.picture().await,
            );
        }
    }
    if let Some(stage) = stage {
        living(&window, folder).await;
        looking(&window, stage, folder).await;
    }
    window.close().await;
    beginning(paths, folder).await;
    trouble(paths, folder).await;
    deleting(paths, folder).await;
    if let Some(stage) = stage {
        working(paths, stage, folder).await;
    }
    reaching(paths, folder).await;
}

/// The first run, before and after somebody had it look for repositories.
async fn beginning(paths: &Paths, folder: &Path) {
    let stage = Stage::new();
    for path in ["src/atlas", "src/ledger", "projects/kestrel"] {
        stage.play.repo(path).unwrap();
    }
    let home = stage.play.path().to_owned();
    let window = Window::start_with(paths, &stage.arguments(), &[("HOME", &home)]).await;
    window.shows("~/projects").await;
    both(&window, folder, "first-run").await;
    window.press("Look in these folders").await;
    let found = "return [...document.querySelectorAll('button')].some((it) => it.textContent === 'Register 3')";
    window.until("three repositories", found).await;
    both(&window, folder, "first-search").await;
    window.close().await;
}

/// What people do all day: find, mark, put together, drag, look back, and set things as they like them.
async fn living(window: &Window, folder: &Path) {
    window.resize(SMALL.0, SMALL.1).await;
    window.keys(&["Ctrl+k"]).await;
    window.find("//input[@role='combobox']").await;
    both(window, folder, "palette").await;
    window.escape().await;
    let field = window.find("//input[@role='searchbox']").await;
    field.click().await.unwrap();
    both(window, folder, "tokens").await;
    window.write("Search", "is:unpushed -tag:review").await;
    window.row("ledger-import").await;
    window.press("Save view…").await;
    window.shows("Searches for").await;
    both(window, folder, "save-view").await;
    window.escape().await;
    window.press("Clear").await;
    window.row("atlas-labels").await.click().await.unwrap();
    window.keys(&["Shift+ArrowDown", "Shift+ArrowDown"]).await;
    window.shows("3 workspaces").await;
    both(window, folder, "several").await;
    window.resize(SMALL.0, SMALL.1).await;
    let (from, over) = (
        window.row("atlas-labels").await,
        window.place("Pinned").await,
    );
    window.hold(&from, &over).await;
    window.shows("Is pinned").await;
    save(&folder.join("drag-light.png"), &window.picture().await);
    window.keys(&["Escape"]).await;
    window.let_go().await;
    window.row("atlas-tiles").await.click().await.unwrap();
    window.keys(&["Shift+F10"]).await;
    window.find("//*[@role='menu']").await;
    save(&folder.join("menu-light.png"), &window.picture().await);
    window.keys(&["Escape"]).await;
    window.go("Release 1.5").await;
    window.row("kestrel-retry").await;
    both(window, folder, "group").await;
    window.go("All").await;
    window.press("Show what takes up space").await;
    window.shows("KiB").await;
    both(window, folder, "disk-use").await;
    window.press("Show as a list").await;
    window.go("Journal").await;
    window.shows("Roll calls").await;
    both(window, folder, "journal").await;
    window.go("Missing").await;
    window.shows("Nothing is missing.").await;
    both(window, folder, "empty").await;
    window.go("All").await;
    for (entry, name) in [
        ("Settings…", "settings"),
        ("Keyboard shortcuts", "shortcuts"),
    ] {
        window.press("More actions").await;
        window.press(entry).await;
        window.find("//*[@role='dialog']").await;
        both(window, folder, name).await;
        window.escape().await;
    }
    window.keys(&["Ctrl+k"]).await;
    window.find("//input[@role='combobox']").await;
    window.type_text("design").await;
    window.keys(&["Enter"]).await;
    window.shows("Design system").await;
    both(window, folder, "kit").await;
    window.escape().await;
    window.select("atlas-search").await;
}

/// Width and height of a small window, of one as it opens, and of a large one, in CSS pixels.
const SMALL: (u32, u32) = (1000, 640);
const MIDDLE: (u32, u32) = (1180, 760);
const LARGE: (u32, u32) = (1600, 1000);

/// What the window shows of a workspace that was looked into, and of a search.
async fn looking(window: &Window, stage: &Stage, folder: &Path) {
    window.look_into().await;
    for (name, part) in [("contents", "Contents"), ("in-depth", "In depth")] {
        let scroll = format!("document.querySelector('[aria-label=\"{part}\"]').scrollIntoView()");
        window.script(&scroll).await;
        both(window, folder, name).await;
    }
    window.press("Register…").await;
    window.search_in(stage.play.path()).await;
    both(window, folder, "search").await;
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
    window.go("Trash").await;
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
    window.go("Pending deletions").await;
    window.shows("quay").await;
    both(&window, folder, "pending").await;
    window.close().await;
}

/// A picture of a small window in light, and one of a large one in dark.
async fn both(window: &Window, folder: &Path, name: &str) {
    for (theme, (width, height)) in [("light", SMALL), ("dark", LARGE)] {
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
    both(&window, folder, "passphrase").await;
    window.write("Passphrase", PASSPHRASE).await;
    window.press("Sign in").await;
    window.host_is(ALIAS, "idle").await;
    window.press(&format!("Actions for {ALIAS}")).await;
    window.press("Settings…").await;
    window.press("Test the connection").await;
    window.shows("It can be reached.").await;
    both(&window, folder, "host-settings").await;
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
    both(&window, folder, "absence").await;
    window.close().await;
    stage.damage();
    let window = Window::start(paths, &stage.arguments()).await;
    window.resize(1000, 640).await;
    window.shows("Restore a backup").await;
    both(&window, folder, "damaged").await;
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
