//! Breaks one rule at a time in a copy of the project, and runs the test that has to notice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::Failed;
use crate::project::{root, target, undisturbed};

mod list;

use list::MUTANTS;

/// One rule, broken.
pub(crate) struct Mutant {
    /// The rule in words.
    rule: &'static str,
    /// The crate whose tests have to notice, without its prefix.
    package: &'static str,
    /// The file in that crate's sources.
    file: &'static str,
    /// What stands there once.
    from: &'static str,
    /// What breaks the rule.
    to: &'static str,
    /// The test that has to fail, or the beginning of its name.
    test: &'static str,
}

impl Mutant {
    fn path(&self) -> PathBuf {
        Path::new("src-tauri/crates")
            .join(self.package)
            .join("src")
            .join(self.file)
    }

    /// The file with the rule broken.
    fn broken(&self, text: &str) -> Result<String, Failed> {
        match text.matches(self.from).count() {
            1 => Ok(text.replacen(self.from, self.to, 1)),
            count => Err(format!(
                "“{}”: what it breaks stands {count} times in `{}`.",
                self.rule,
                self.path().display()
            )),
        }
    }
}

/// Runs every mutant; `false` if one was not noticed.
///
/// # Errors
/// If the copy cannot be made, or a mutant does not fit the sources or does not compile.
pub(crate) fn mutants() -> Result<bool, Failed> {
    let tree = target().join("mutants/tree");
    copy(&tree)?;
    println!("{} mutants.", MUTANTS.len());
    for (package, tests) in [
        ("converge", ""),
        ("registry", ""),
        ("supervise", ""),
        ("collect", ""),
        ("collect", "local::"),
    ] {
        // Whole, everything passes; otherwise a failure would say nothing.
        if !passes(&tree, package, tests)?.is_some_and(|(passed, failed)| passed > 0 && failed == 0)
        {
            return Err(format!("The tests of `{package}` fail as they are."));
        }
    }
    let mut survived = Vec::new();
    for (number, mutant) in (1..).zip(MUTANTS) {
        let begun = Instant::now();
        let path = tree.join(mutant.path());
        let told = |error: std::io::Error| format!("`{}`: {error}.", path.display());
        let whole = fs::read_to_string(&path).map_err(told)?;
        fs::write(&path, mutant.broken(&whole)?).map_err(told)?;
        let outcome = passes(&tree, mutant.package, mutant.test);
        fs::write(&path, whole).map_err(told)?;
        let word = match outcome? {
            None => return Err(format!("“{}” does not compile when broken.", mutant.rule)),
            Some((0, 0)) => return Err(format!("There is no test called `{}`.", mutant.test)),
            Some((_, 0)) => {
                survived.push(mutant);
                "SURVIVED"
            }
            Some(_) => "caught",
        };
        let took = begun.elapsed().as_secs_f64();
        println!(
            "{number:>3} {word:<8} {took:>5.1} s  {} ({})",
            mutant.rule, mutant.test
        );
    }
    println!(
        "\n{} caught, {} survived",
        MUTANTS.len() - survived.len(),
        survived.len()
    );
    Ok(survived.is_empty())
}

/// Copies everything that git knows or would take, so that the tree itself stays as it is.
fn copy(tree: &Path) -> Result<(), Failed> {
    let mut command = Command::new("git");
    command
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root());
    let output = undisturbed(&mut command)
        .output()
        .map_err(|error| format!("git could not be started: {error}."))?;
    if !output.status.success() {
        return Err("Mutants need a checkout of git.".to_owned());
    }
    if tree.exists() {
        fs::remove_dir_all(tree).map_err(|error| format!("`{}`: {error}.", tree.display()))?;
    }
    for name in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
        let (from, to) = (root().join(name), tree.join(name));
        // What was deleted and not committed is still listed.
        if !from.exists() {
            continue;
        }
        let copied = to
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::copy(&from, &to));
        copied.map_err(|error| format!("`{name}` could not be copied: {error}."))?;
    }
    Ok(())
}

/// How many tests of a crate passed and failed; `None` if they do not compile.
fn passes(tree: &Path, package: &str, test: &str) -> Result<Option<(u32, u32)>, Failed> {
    // What a host says is held to in a program of its own.
    let program: &[&str] = if test.starts_with("local::") {
        &["--test", "contract"]
    } else {
        &["--lib"]
    };
    let mut command = Command::new("cargo");
    command
        .args(["test", "--quiet", "--package"])
        .arg(format!("rollcall-{package}"))
        .args(program)
        .args(["--", test])
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", target().join("mutants/build"))
        .env("RUST_BACKTRACE", "0")
        .stderr(Stdio::null());
    let output = undisturbed(&mut command)
        .output()
        .map_err(|error| format!("cargo could not be started: {error}."))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let counts = text.lines().find_map(crate::counts::of_libtest);
    Ok(counts.map(|counts| (counts.passed, counts.failed)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_mutant_breaks_one_place_of_the_sources_as_they_are() {
        let mut seen = BTreeSet::new();
        let mut wrong = Vec::new();
        for mutant in MUTANTS {
            let text = fs::read_to_string(root().join(mutant.path())).unwrap();
            match mutant.broken(&text) {
                Ok(broken) if broken != text && seen.insert(mutant.rule) => {}
                Ok(_) => wrong.push(format!(
                    "“{}” breaks nothing, or is there twice.",
                    mutant.rule
                )),
                Err(error) => wrong.push(error),
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(seen.len() > 50);
    }
}
