//! The tests, layer by layer.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failed;
use crate::arguments::Test;
use crate::counts::{Counts, of_libtest, of_vitest};
use crate::display::VirtualDisplay;
use crate::leash::Leash;
use crate::packages::{self, DISKS, DRIVEN, KEYCHAIN, SERVER, SHELLS, WINDOW};
use crate::project::{
    FEATURES, build_ui, cargo, ensure_node_modules, npm, root, run, shown, undisturbed,
};

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

/// The test programs of the project that need no display, in the order in which they run.
const PROGRAMS: &[&str] = &["suite", "faults", "contract", "live", "bindings"];
/// The one that needs a display.
const WINDOWED: &str = "window";

/// The layers so far.
struct Run {
    asked: Test,
    leash: Leash,
    layers: Vec<Layer>,
}

impl Run {
    /// Runs a layer, unless one that it cannot do without has failed.
    fn layer(
        &mut self,
        name: &'static str,
        needs: &[&str],
        action: impl FnOnce(&Self) -> Result<Counts, Failed>,
    ) {
        println!("\n== {name}");
        let begun = Instant::now();
        let broken = self
            .layers
            .iter()
            .find(|layer| layer.failed() > 0 && needs.contains(&layer.name));
        let outcome = match broken {
            Some(broken) => Err(format!("Not run, because `{}` failed.", broken.name)),
            None => action(self),
        };
        let (counts, trouble) = match outcome {
            Ok(counts) if counts == Counts::default() => (counts, Some("No test ran.".to_owned())),
            Ok(counts) => (counts, None),
            Err(error) => (Counts::default(), Some(error)),
        };
        if let Some(trouble) = &trouble {
            println!("{name}: {trouble}");
        }
        self.layers.push(Layer {
            name,
            counts,
            took: begun.elapsed(),
            trouble,
        });
    }

    /// Runs test programs and counts the tests in them.
    fn rust(&self, arguments: &[&str]) -> Result<Counts, Failed> {
        let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
        undisturbed(self.leash.on(&mut command)).args(arguments);
        if self.asked.deep {
            command.env("PROPTEST_CASES", DEEP_CASES);
        }
        counted(&mut command, of_libtest)
    }

    fn ui(&self) -> Result<Counts, Failed> {
        ensure_node_modules()?;
        let mut command = npm(&["test", "--silent"]);
        counted(undisturbed(self.leash.on(&mut command)), of_vitest)
    }
}

impl Layer {
    /// Tests that failed; at least one if there was trouble.
    fn failed(&self) -> u32 {
        self.counts.failed.max(u32::from(self.trouble.is_some()))
    }
}

/// Runs every layer, whatever the ones before came to. `false` if anything failed.
///
/// # Errors
/// If the tests cannot be begun at all.
pub(crate) fn test(asked: Test) -> Result<bool, Failed> {
    let before = tree();
    if asked.fast {
        packages::ensure(&[KEYCHAIN])?;
    } else {
        packages::ensure(&[WINDOW, SERVER, DRIVEN, SHELLS, DISKS, KEYCHAIN])?;
        packages::ensure_driver()?;
    }
    let fast = asked.fast;
    let mut run = Run {
        asked,
        leash: Leash::new()?,
        layers: Vec::new(),
    };
    run.layer("format", &[], |_| {
        one(&mut cargo(&["fmt", "--all", "--check"]))
    });
    if fast {
        run.fast();
    } else {
        run.whole();
    }
    run.layer("clean tree", &[], |_| match (&before, tree()) {
        (Some(before), Some(after)) if *before == after => Ok(PASSED),
        (Some(_), Some(after)) => Err(format!("The tests left something behind:\n{after}")),
        _ => {
            println!("This is no checkout of git; there is nothing to compare.");
            Ok(PASSED)
        }
    });
    Ok(report(&run.layers))
}

impl Run {
    fn fast(&mut self) {
        let without_shell = ["--exclude", "rollcall"];
        self.layer("lints", &[], |_| {
            let without_window = ["--exclude", "rollcall", "--exclude", "rollcall-tests"];
            one(&mut clippy(&without_window))
        });
        self.layer("unit", &[], |run| {
            run.rust(&[&without_shell[..], &["--lib", "--bins"]].concat())
        });
        self.layer("suite", &[], |run| {
            run.rust(&[&without_shell[..], &["--test", "suite"]].concat())
        });
        self.layer("UI", &[], Self::ui);
    }

    fn whole(&mut self) {
        // The shell holds the built window, so that it comes first.
        self.layer("UI build", &[], |_| build_ui().map(|()| PASSED));
        self.layer("lints", &["UI build"], |_| {
            let mut counts = one(&mut clippy(&FEATURES))?;
            counts += one(&mut npm(&["run", "--silent", "lint"]))?;
            Ok(counts)
        });
        self.layer("docs", &["UI build"], |_| {
            let mut command = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
            one(command.args(FEATURES).env("RUSTDOCFLAGS", "-D warnings"))
        });
        // Everything is built here, once; what follows only runs it.
        self.layer("build", &["UI build"], |_| {
            let mut command = cargo(&["test", "--workspace", "--no-run"]);
            one(undisturbed(&mut command).args(FEATURES))
        });
        let built = ["UI build", "build"];
        self.layer("unit", &built, |run| {
            run.rust(&with_features(&["--lib", "--bins"]))
        });
        self.layer("UI", &[], Self::ui);
        for name in PROGRAMS {
            self.layer(name, &built, |run| {
                run.rust(&with_features(&["--test", name]))
            });
        }
        self.layer(WINDOWED, &built, |_| {
            let display = VirtualDisplay::start()?;
            let mut command = display.command("cargo");
            command
                .current_dir(root())
                .args(["test", "--workspace", "--test", WINDOWED]);
            // The windows share one display, and some tests look for theirs on it.
            counted(
                command.args(FEATURES).args(["--", "--test-threads=1"]),
                of_libtest,
            )
        });
    }
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
    let mut command = Command::new("git");
    command.args(["status", "--porcelain"]).current_dir(root());
    let output = undisturbed(&mut command)
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
        let (passed, failed) = (layer.counts.passed, layer.failed());
        let took = layer.took.as_secs_f64();
        println!("{:<12} {passed:>7} {failed:>7} {took:>8.1}", layer.name);
        sum += Counts { passed, failed };
    }
    for layer in layers {
        if let Some(trouble) = &layer.trouble {
            println!("\n{}: {trouble}", layer.name);
        }
    }
    println!("\n{} passed, {} failed", sum.passed, sum.failed);
    sum.failed == 0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cargo_metadata::MetadataCommand;

    use super::*;

    #[test]
    fn every_test_program_of_the_project_is_a_layer() {
        let metadata = MetadataCommand::new()
            .current_dir(root())
            .no_deps()
            .exec()
            .unwrap();
        let programs: BTreeSet<String> = metadata
            .packages
            .iter()
            .flat_map(|package| &package.targets)
            .filter(|target| target.is_test())
            .map(|target| target.name.clone())
            .collect();
        let layers = PROGRAMS.iter().chain([&WINDOWED]);
        assert_eq!(programs, layers.map(|&name| name.to_owned()).collect());
    }

    #[test]
    fn a_layer_in_trouble_fails_even_if_no_test_of_it_did() {
        let layer = |counts, trouble: Option<&str>| Layer {
            name: "unit",
            counts,
            took: Duration::ZERO,
            trouble: trouble.map(str::to_owned),
        };
        let none = Counts::default();
        assert_eq!(layer(none, Some("No test ran.")).failed(), 1);
        assert_eq!(layer(PASSED, None).failed(), 0);
        let failed = Counts {
            passed: 5,
            failed: 3,
        };
        assert_eq!(layer(failed, None).failed(), 3);
        assert!(!report(&[
            layer(PASSED, None),
            layer(none, Some("It broke."))
        ]));
    }

    #[test]
    fn what_needs_a_broken_layer_is_not_run() {
        let mut run = Run {
            asked: Test::default(),
            leash: Leash::new().unwrap(),
            layers: Vec::new(),
        };
        run.layer("build", &[], |_| Err("It broke.".to_owned()));
        run.layer("unit", &["build"], |_| unreachable!());
        run.layer("UI", &[], |_| Ok(PASSED));
        let failed: Vec<u32> = run.layers.iter().map(Layer::failed).collect();
        assert_eq!(failed, [1, 1, 0]);
    }
}
