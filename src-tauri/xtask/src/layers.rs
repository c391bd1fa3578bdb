//! The tests, layer by layer.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failed;
use crate::arguments::Test;
use crate::counts::{Counts, of_libtest, of_vitest};
use crate::display::VirtualDisplay;
use crate::packages::{self, DRIVEN, SERVER, SHELLS, WINDOW};
use crate::project::{FEATURES, build_ui, cargo, ensure_node_modules, npm, root, run, shown};

/// Random cases of each property test in a deep run.
const DEEP_CASES: &str = "10000";

/// What one layer came to.
struct Layer {
    name: &'static str,
    counts: Counts,
    took: Duration,
    /// Why it failed, apart from tests that did.
    trouble: Option<Failed>,
}

/// Runs every layer, whatever the ones before came to. `false` if anything failed.
///
/// # Errors
/// If the tests cannot be begun at all.
pub(crate) fn test(asked: &Test) -> Result<bool, Failed> {
    let before = tree();
    if !asked.fast {
        packages::ensure(&[WINDOW, SERVER, DRIVEN, SHELLS])?;
        packages::ensure_driver()?;
    }
    let mut layers = Vec::new();
    let mut check = |name, action: &mut dyn FnMut() -> Result<Counts, Failed>| {
        println!("\n== {name}");
        let begun = Instant::now();
        let (counts, trouble) = match action() {
            Ok(counts) if counts == Counts::default() => (counts, Some("No test ran.".to_owned())),
            Ok(counts) => (counts, None),
            Err(error) => (
                Counts {
                    passed: 0,
                    failed: 1,
                },
                Some(error),
            ),
        };
        if let Some(trouble) = &trouble {
            println!("{name}: {trouble}");
        }
        layers.push(Layer {
            name,
            counts,
            took: begun.elapsed(),
            trouble,
        });
    };

    check("format", &mut || {
        one(&mut cargo(&["fmt", "--all", "--check"]))
    });
    if asked.fast {
        check("lints", &mut || {
            one(&mut clippy(&[
                "--exclude",
                "rollcall",
                "--exclude",
                "rollcall-tests",
            ]))
        });
        check("unit", &mut || {
            rust(asked, &["--exclude", "rollcall", "--lib", "--bins"])
        });
        check("suite", &mut || {
            rust(asked, &["--exclude", "rollcall", "--test", "suite"])
        });
        check("UI", &mut ui);
    } else {
        // The shell holds the built window, so that it comes first.
        check("UI", &mut || build_ui().and_then(|()| ui()));
        check("lints", &mut || {
            let mut counts = one(&mut clippy(&FEATURES))?;
            counts += one(&mut npm(&["run", "--silent", "lint"]))?;
            Ok(counts)
        });
        check("docs", &mut || {
            let mut command = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
            one(command.args(FEATURES).env("RUSTDOCFLAGS", "-D warnings"))
        });
        // Everything is built here, once; what follows only runs it.
        check("unit", &mut || {
            run(cargo(&["test", "--workspace", "--no-run"]).args(FEATURES))?;
            rust(asked, &with_features(&["--lib", "--bins"]))
        });
        for name in ["suite", "crash", "contract", "live", "bindings"] {
            check(name, &mut || rust(asked, &with_features(&["--test", name])));
        }
        check("window", &mut || {
            let display = VirtualDisplay::start()?;
            let mut command = display.command("cargo");
            command
                .current_dir(root())
                .args(["test", "--workspace", "--test", "window"]);
            // The windows share one display, and some tests look for theirs on it.
            counted(
                command.args(FEATURES).args(["--", "--test-threads=1"]),
                of_libtest,
            )
        });
    }
    check("clean tree", &mut || match (&before, tree()) {
        (Some(before), Some(after)) if *before == after => Ok(PASSED),
        (Some(_), Some(after)) => Err(format!("The tests left something behind:\n{after}")),
        _ => {
            println!("This is no checkout of git; there is nothing to compare.");
            Ok(PASSED)
        }
    });
    Ok(report(&layers))
}

const PASSED: Counts = Counts {
    passed: 1,
    failed: 0,
};

fn with_features<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    FEATURES.iter().chain(arguments).copied().collect()
}

fn clippy(arguments: &[&str]) -> Command {
    let mut command = cargo(&["clippy", "--workspace", "--all-targets", "--quiet"]);
    command.args(arguments).args(["--", "-D", "warnings"]);
    command
}

fn rust(asked: &Test, arguments: &[&str]) -> Result<Counts, Failed> {
    let mut command = cargo(&["test", "--workspace"]);
    command.args(arguments);
    if asked.deep {
        command.env("PROPTEST_CASES", DEEP_CASES);
    }
    counted(&mut command, of_libtest)
}

fn ui() -> Result<Counts, Failed> {
    ensure_node_modules()?;
    counted(&mut npm(&["test", "--silent"]), of_vitest)
}

/// A check that passes or fails as a whole.
fn one(command: &mut Command) -> Result<Counts, Failed> {
    run(command).map(|()| PASSED)
}

/// Runs a command, shows what it prints and counts the tests in it.
fn counted(command: &mut Command, count: fn(&str) -> Option<Counts>) -> Result<Counts, Failed> {
    let shown = shown(command);
    let failed = |error| format!("`{shown}` could not be run: {error}.");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut counts = Counts::default();
    for line in child
        .stdout
        .take()
        .map(BufReader::new)
        .into_iter()
        .flat_map(|out| out.split(b'\n'))
    {
        let line = line.map_err(failed)?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        if let Some(more) = count(&line) {
            counts += more;
        }
    }
    let status = child.wait().map_err(failed)?;
    if !status.success() && counts.failed == 0 {
        return Err(format!("`{shown}` ended with {status}."));
    }
    Ok(counts)
}

/// What git says is not committed; `None` outside of a checkout.
fn tree() -> Option<String> {
    let output = Command::new("git")
        .args(["status", "--porcelain"])
        .current_dir(root())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn report(layers: &[Layer]) -> bool {
    println!(
        "\n{:<12} {:>7} {:>7} {:>8}",
        "layer", "passed", "failed", "seconds"
    );
    let mut sum = Counts::default();
    for layer in layers {
        let Counts { passed, failed } = layer.counts;
        let took = layer.took.as_secs_f64();
        println!("{:<12} {passed:>7} {failed:>7} {took:>8.1}", layer.name);
        sum += layer.counts;
        if layer.trouble.is_some() && failed == 0 {
            sum.failed += 1;
        }
    }
    for layer in layers {
        if let Some(trouble) = &layer.trouble {
            println!("\n{}: {trouble}", layer.name);
        }
    }
    println!("\n{} passed, {} failed", sum.passed, sum.failed);
    sum.failed == 0
}
