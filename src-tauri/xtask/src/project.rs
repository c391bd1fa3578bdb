//! The project's folder and what builds its parts.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failed;
use crate::packages::is_there;

/// Every build of the shell in this project has this feature, so that nothing is built twice.
pub(crate) const FEATURES: [&str; 2] = ["--features", "rollcall/custom-protocol"];

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The folder this program was built into, where cargo puts all that it builds.
pub(crate) fn built() -> PathBuf {
    let folder = env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(Path::to_owned));
    folder.unwrap_or_else(|| root().join("target/debug"))
}

/// The target folder, wherever the caller has it.
pub(crate) fn target() -> PathBuf {
    let built = built();
    built.parent().unwrap_or(&built).to_owned()
}

/// Takes from a command what the caller's surroundings would change about tests.
pub(crate) fn undisturbed(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os().filter(|(name, _)| disturbs(name)) {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C.UTF-8")
}

fn disturbs(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    // A hook of git, for one, sets where the repository is.
    ["GIT_", "LC_", "RUST_TEST_", "PROPTEST_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || [
            "DBUS_SESSION_BUS_ADDRESS",
            "DISPLAY",
            "FORCE_COLOR",
            "GTK_THEME",
            "LANG",
            "LANGUAGE",
            "RUST_LOG",
            "SSH_ASKPASS",
            "SSH_AUTH_SOCK",
            "WAYLAND_DISPLAY",
            "XDG_CONFIG_HOME",
            "XDG_CURRENT_DESKTOP",
        ]
        .contains(&name.as_ref())
}

/// Cargo in the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root());
    command
}

/// npm in the folder of the window's sources.
pub(crate) fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(root().join("ui"));
    // Colours would stand between the words that are read from it.
    command.env("NO_COLOR", "1");
    command
}

/// Runs a command to its end.
///
/// # Errors
/// If it cannot be started or does not succeed.
pub(crate) fn run(command: &mut Command) -> Result<(), Failed> {
    let shown = shown(command);
    let status = command
        .status()
        .map_err(|error| format!("`{shown}` could not be started: {error}."))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{shown}` ended with {status}."))
}

/// A command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Installs the window's packages where they are not what the lock file says, and builds it.
///
/// # Errors
/// If there is no npm, or it fails.
pub(crate) fn build_ui() -> Result<(), Failed> {
    ensure_node_modules()?;
    run(&mut npm(&["run", "--silent", "build"]))
}

/// Installs the window's packages where they are not what the lock file says.
///
/// # Errors
/// If there is no npm, or it fails.
pub(crate) fn ensure_node_modules() -> Result<(), Failed> {
    if !is_there("npm") {
        return Err("There is no npm. Install Node.js 20 or later.".to_owned());
    }
    let ui = root().join("ui");
    let changed = |name: &str| {
        fs::metadata(ui.join(name))
            .and_then(|file| file.modified())
            .ok()
    };
    let lock = changed("package-lock.json");
    if changed("node_modules/.package-lock.json").is_some_and(|installed| Some(installed) >= lock) {
        return Ok(());
    }
    println!("Installing the window's packages with npm.");
    run(&mut npm(&["ci", "--no-audit", "--no-fund", "--silent"]))
}

/// Writes the types the window shares with the shell.
///
/// # Errors
/// If the shell cannot be built or they cannot be written.
pub(crate) fn bindings() -> Result<(), Failed> {
    crate::packages::ensure(&[crate::packages::WINDOW])?;
    build_ui()?;
    let file = "ui/src/bindings.ts";
    let mut command = cargo(&[
        "run",
        "--quiet",
        "--package",
        "rollcall",
        "--example",
        "bindings",
    ]);
    command.args(FEATURES).args(["--", file]);
    run(&mut command)?;
    println!("Wrote {file}.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hook_or_a_desktop_sets_does_not_reach_tests() {
        for name in [
            "GIT_DIR",
            "GIT_INDEX_FILE",
            "SSH_AUTH_SOCK",
            "DISPLAY",
            "LC_TIME",
        ] {
            assert!(disturbs(OsStr::new(name)), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "CARGO_TARGET_DIR",
            "RUSTUP_HOME",
            "DISPLAYED",
        ] {
            assert!(!disturbs(OsStr::new(name)), "{name}");
        }
    }
}
