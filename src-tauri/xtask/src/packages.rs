//! What the system has to have, installed through its package manager where that may be.

use std::env;
use std::io::{IsTerminal as _, stdin};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failed;
use crate::project::{run, target};

/// What the window is built with and runs on.
pub(crate) const WINDOW: &[&str] = &[
    "libwebkit2gtk-4.1-dev",
    "libayatana-appindicator3-dev",
    "librsvg2-dev",
    "libssl-dev",
    "pkg-config",
    // OpenSSL is built from its sources.
    "make",
    "perl",
];
/// The second host of the demonstration and of the tests.
pub(crate) const SERVER: &[&str] = &["openssh-server", "procps"];
/// Driving a window that nobody looks at.
pub(crate) const DRIVEN: &[&str] = &["webkit2gtk-driver", "xvfb", "dbus-x11"];
/// A keychain, and a bus for it alone.
pub(crate) const KEYCHAIN: &[&str] = &["gnome-keyring", "dbus-daemon"];
/// Shells that hosts may have, for the tests of the collector.
pub(crate) const SHELLS: &[&str] = &["busybox", "fish", "mksh", "tcsh", "zsh"];

/// A disk that can be made to hang, for the tests of the collector.
pub(crate) const DISKS: &[&str] = &["bindfs"];

/// Installs those of some packages that are missing.
///
/// # Errors
/// If that may not be or fails; with the command to type.
pub(crate) fn ensure(groups: &[&[&str]]) -> Result<(), Failed> {
    let wanted: Vec<&str> = groups.concat();
    if !is_there("dpkg-query") || !is_there("apt-get") {
        println!(
            "This system has no apt-get; make sure that it has what Debian calls {}.",
            wanted.join(" ")
        );
        return Ok(());
    }
    let missing = missing(&wanted, installed);
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    println!("Installing {list} with apt-get.");
    if missing.contains(&"openssh-server") {
        println!(
            "The sample host needs sshd. Rollcall starts a private one on loopback; where Debian starts the"
        );
        println!("system's own too and you do not want it: sudo systemctl disable --now ssh");
    }
    let by_hand = format!("Type: sudo apt-get update && sudo apt-get install {list}");
    let mut prefix = Vec::new();
    if !is_root() {
        let may_ask = stdin().is_terminal() && env::var_os("CI").is_none();
        if !is_there("sudo") || !may_ask {
            return Err(format!(
                "Packages are missing, and only root may install them. {by_hand}"
            ));
        }
        prefix.push("sudo");
    }
    let apt = |arguments: &[&str]| {
        let mut words = prefix.clone();
        words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]);
        words.extend(arguments);
        let (program, rest) = words.split_first().ok_or("there is no command")?;
        let mut command = Command::new(program);
        command.args(rest);
        run(&mut command)
    };
    apt(&["update"])
        .and_then(|()| {
            let mut install = vec!["install", "-y", "--no-install-recommends"];
            install.extend(&missing);
            apt(&install)
        })
        .map_err(|error| format!("{error} {by_hand}"))
}

/// Builds `tauri-driver` into the target folder, unless it is there.
///
/// # Errors
/// If it cannot be built.
pub(crate) fn ensure_driver() -> Result<(), Failed> {
    build_tool("tauri-driver", "tauri-driver", "^2")
}

/// Puts other tools that tell the state of worktrees into the target folder, to measure beside them. One that cannot be
/// had is told of and left out. Gives the folder.
pub(crate) fn ensure_peers() -> PathBuf {
    let tools = target().join("tools");
    for (package, program, version) in [
        ("worktrunk", "wt", "=0.67.0"),
        ("git-statuses", "git-statuses", "=0.8.0"),
    ] {
        if let Err(error) = build_tool(package, program, version) {
            println!("{package} is not measured: {error}");
        }
    }
    let gita = tools.join("gita");
    if !gita.join("bin/gita").exists() {
        println!("Installing gita into {}.", gita.display());
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(&gita);
        let mut install = Command::new(gita.join("bin/pip"));
        install.args(["install", "--quiet", "gita==0.16.8.2"]);
        if let Err(error) = run(&mut make).and_then(|()| run(&mut install)) {
            println!("gita is not measured: {error}");
        }
    }
    tools
}

fn build_tool(package: &str, program: &str, version: &str) -> Result<(), Failed> {
    let tools = target().join("tools");
    if tools.join("bin").join(program).exists() {
        return Ok(());
    }
    println!("Building {package} into {}.", tools.display());
    let mut command = Command::new("cargo");
    command
        .args(["install", package, "--quiet", "--locked", "--version"])
        .args([version, "--root"])
        .arg(&tools)
        .env("CARGO_TARGET_DIR", tools.join("build"));
    run(&mut command)
}

fn missing<'a>(wanted: &[&'a str], installed: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let mut missing: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|name| !installed(name))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

fn installed(package: &str) -> bool {
    Command::new("dpkg-query")
        .args(["-W", "-f", "${db:Status-Status}", package])
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| output.stdout == b"installed")
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Whether a program is on the path.
pub(crate) fn is_there(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| Path::new(&folder).join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_installed() {
        let wanted = ["xvfb", "fish", "zsh", "fish"];
        assert_eq!(missing(&wanted, |name| name == "zsh"), ["fish", "xvfb"]);
        assert!(missing(&wanted, |_| true).is_empty());
    }
}
