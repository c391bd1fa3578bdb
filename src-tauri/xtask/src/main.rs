//! The commands of the project: `cargo xtask run`, `test`, `mutants`, `bench`, `bindings`, `screenshots`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these commands talk to the person who typed them"
)]

mod arguments;
mod bench;
mod counts;
mod display;
mod layers;
mod leash;
mod mutants;
mod packages;
mod project;
mod window;

use std::process::ExitCode;

use arguments::{Asked, USAGE};

/// What went wrong, as a sentence or more.
type Failed = String;

fn main() -> ExitCode {
    let done = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Asked::Help) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Ok(Asked::Run(run)) => window::run(&run),
        Ok(Asked::Screenshots) => window::screenshots(),
        Ok(Asked::Bindings) => project::bindings(),
        Ok(Asked::Bench) => bench::bench(),
        Ok(Asked::Mutants) => match mutants::mutants() {
            Ok(true) => Ok(()),
            // The list has said which were not noticed.
            Ok(false) => return ExitCode::FAILURE,
            Err(error) => Err(error),
        },
        Ok(Asked::Test(test)) => match layers::test(test) {
            Ok(true) => Ok(()),
            // The table has said what failed.
            Ok(false) => return ExitCode::FAILURE,
            Err(error) => Err(error),
        },
        Err(sentence) => {
            eprint!("xtask: {sentence}\n\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
