//! The real window: for a person, or into pictures.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Failed;
use crate::arguments::Run;
use crate::display::{self, VirtualDisplay};
use crate::packages::{self, DRIVEN, SERVER, WINDOW};
use crate::project::{FEATURES, build_ui, built, cargo, root, run as run_command, target};

/// Builds Rollcall and shows it.
///
/// # Errors
/// If something is missing and cannot be installed, a build fails, or there is no display.
pub(crate) fn run(asked: &Run) -> Result<(), Failed> {
    if let Some(file) = &asked.screenshot {
        // Before minutes are spent on a build.
        let file =
            std::path::absolute(file).map_err(|error| format!("`{}`: {error}.", file.display()))?;
        if !file.parent().is_some_and(std::path::Path::is_dir) {
            return Err(format!("There is no folder for `{}`.", file.display()));
        }
        prepare(asked.demo)?;
        let display = on_no_display()?;
        let mut command = display.command(program("demo"));
        command.arg("--screenshot").arg(file);
        if asked.demo {
            command.arg("--sample");
        }
        return run_command(&mut command);
    }
    if !display::is_there() {
        return Err(
            "There is no display to open a window on. `--screenshot FILE` needs none.".to_owned(),
        );
    }
    packages::ensure(&[WINDOW])?;
    if asked.demo {
        packages::ensure(&[SERVER])?;
    }
    build()?;
    let mut command = Command::new(program(if asked.demo { "demo" } else { "rollcall" }));
    command.args(&asked.rest);
    if asked.demo {
        command.arg("--sample");
    }
    run_command(&mut command)
}

/// Writes every picture of the documents.
///
/// # Errors
/// As [`run`].
pub(crate) fn screenshots() -> Result<(), Failed> {
    prepare(true)?;
    let made = target().join("screenshots");
    let display = on_no_display()?;
    let mut command = display.command(program("demo"));
    command.arg("--sample").arg("--screenshots").arg(&made);
    run_command(&mut command)?;
    let kept = root().join("docs/screenshots");
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(&kept)?;
        for file in fs::read_dir(&made)? {
            let file = file?;
            fs::copy(file.path(), kept.join(file.file_name()))?;
        }
        Ok(())
    };
    copy().map_err(|error| format!("`{}`: {error}.", kept.display()))
}

fn prepare(sample: bool) -> Result<(), Failed> {
    packages::ensure(&[WINDOW, DRIVEN, if sample { SERVER } else { &[] }])?;
    packages::ensure_driver()?;
    build()
}

fn build() -> Result<(), Failed> {
    build_ui()?;
    let mut command = cargo(&["build", "--workspace", "--bins"]);
    command.args(FEATURES);
    run_command(&mut command)
}

fn on_no_display() -> Result<VirtualDisplay, Failed> {
    println!("Opening the window on a virtual display.");
    VirtualDisplay::start()
}

fn program(name: &str) -> PathBuf {
    built().join(name)
}
