//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

/// What `cargo xtask help` prints.
pub(crate) const USAGE: &str = "\
Usage: cargo xtask COMMAND

  run                      build Rollcall and open its window
    --demo                   on a throw-away data folder with two sample hosts
    --screenshot FILE        write what the window shows as PNG and end; needs no display
    -- ARGUMENTS             hand the rest to Rollcall
  test                     run every test; installs what they need
    --fast                   leave out what needs a web view or a server
    --deep                   with many more random cases
  mutants                  break the rules one by one; each has to be noticed by a test
  bench                    measure, and write docs/benchmarks.md anew
  bindings                 write ui/src/bindings.ts anew
  screenshots              write the pictures in docs/screenshots anew
";

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The text above.
    Help,
    /// The window.
    Run(Run),
    /// The tests.
    Test(Test),
    /// Broken rules.
    Mutants,
    /// The figures.
    Bench,
    /// The types the window shares with the shell.
    Bindings,
    /// The pictures of the documents.
    Screenshots,
}

/// How to show the window.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// With sample hosts.
    pub(crate) demo: bool,
    /// Into a picture.
    pub(crate) screenshot: Option<PathBuf>,
    /// What Rollcall itself is started with.
    pub(crate) rest: Vec<OsString>,
}

/// Which tests to run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Test {
    /// Nothing that needs a web view or a server.
    pub(crate) fast: bool,
    /// Many more random cases.
    pub(crate) deep: bool,
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// A sentence that names what cannot be understood.
pub(crate) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Asked, String> {
    let Some(command) = arguments.next() else {
        return Ok(Asked::Help);
    };
    let mut run = Run::default();
    let mut test = Test::default();
    let asked = command.to_string_lossy().into_owned();
    while let Some(argument) = arguments.next() {
        match (asked.as_str(), argument.to_str()) {
            (_, Some("--help" | "-h")) => return Ok(Asked::Help),
            ("run", Some("--demo")) => run.demo = true,
            ("run", Some("--screenshot")) => {
                let file = arguments.next().filter(|file| !file.is_empty());
                run.screenshot = Some(file.ok_or("`--screenshot` needs a file after it.")?.into());
            }
            ("run", Some("--")) => run.rest.extend(arguments.by_ref()),
            ("test", Some("--fast")) => test.fast = true,
            ("test", Some("--deep")) => test.deep = true,
            _ => return Err(format!("`{asked}` knows no `{}`.", argument.display())),
        }
    }
    match asked.as_str() {
        "run" if !run.rest.is_empty() && (run.demo || run.screenshot.is_some()) => {
            Err("`--demo` and `--screenshot` choose what Rollcall is started with.".to_owned())
        }
        "run" => Ok(Asked::Run(run)),
        "test" if test.fast && test.deep => Err("A test is fast or deep, not both.".to_owned()),
        "test" => Ok(Asked::Test(test)),
        "mutants" => Ok(Asked::Mutants),
        "bench" => Ok(Asked::Bench),
        "bindings" => Ok(Asked::Bindings),
        "screenshots" => Ok(Asked::Screenshots),
        "help" | "--help" | "-h" => Ok(Asked::Help),
        _ => Err(format!("`{asked}` is no command.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Asked, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn every_command_of_the_readme_is_understood() {
        let demo = Run {
            demo: true,
            screenshot: Some("shot.png".into()),
            rest: Vec::new(),
        };
        assert_eq!(
            parsed("run --demo --screenshot shot.png"),
            Ok(Asked::Run(demo))
        );
        assert_eq!(parsed("run"), Ok(Asked::Run(Run::default())));
        let started = Run {
            rest: vec!["--data".into(), "--demo".into()],
            ..Run::default()
        };
        assert_eq!(parsed("run -- --data --demo"), Ok(Asked::Run(started)));
        let fast = Test {
            fast: true,
            deep: false,
        };
        assert_eq!(parsed("test --fast"), Ok(Asked::Test(fast)));
        assert_eq!(parsed("mutants"), Ok(Asked::Mutants));
        assert_eq!(parsed("bench"), Ok(Asked::Bench));
        assert_eq!(parsed("bindings"), Ok(Asked::Bindings));
        assert_eq!(parsed("screenshots"), Ok(Asked::Screenshots));
        assert_eq!(parsed(""), Ok(Asked::Help));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(parsed("fly"), Err("`fly` is no command.".to_owned()));
        assert_eq!(
            parsed("test --demo"),
            Err("`test` knows no `--demo`.".to_owned())
        );
        assert!(parsed("run --screenshot").is_err());
        assert!(parsed("test --fast --deep").is_err());
        assert!(parsed("test -- --data").is_err());
        assert!(parsed("run --demo -- --data").is_err());
    }
}
