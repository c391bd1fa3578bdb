//! Measures what the product costs beside what it cannot cost less than, and writes it down.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::Failed;
use crate::display::VirtualDisplay;
use crate::packages::{self, DRIVEN, SERVER, WINDOW};
use crate::project::{FEATURES, build_ui, cargo, root, run, shown};

/// Where the figures are written down.
const FILE: &str = "docs/benchmarks.md";

/// One line of a measuring program.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    name: String,
    rows: u32,
    milliseconds: f64,
    floor: Option<f64>,
    written: Option<u64>,
}

fn line(text: &str) -> Option<Line> {
    let mut parts = text.split('\t');
    let mut next = || parts.next().map(str::trim);
    let line = Line {
        name: next()?.to_owned(),
        rows: next()?.parse().ok()?,
        milliseconds: next()?.parse().ok()?,
        floor: next()?.parse().ok(),
        written: next()?.parse().ok(),
    };
    Some(line)
}

/// What a trace said: of which roll call, and how long each part of it took.
fn traced(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("trace\t")?.split_once('\t')
}

/// What a figure of the design asks for.
struct Reach {
    what: &'static str,
    /// The figure as measured, and whether it is reached.
    measured: fn(&[Line]) -> Option<(String, bool)>,
}

fn of<'a>(lines: &'a [Line], name: &str, rows: u32) -> Option<&'a Line> {
    lines
        .iter()
        .find(|line| line.name == name && line.rows == rows)
}

fn ratio(line: &Line) -> Option<f64> {
    line.floor.map(|floor| line.milliseconds / floor)
}

const REACHES: &[Reach] = &[
    Reach {
        what: "applying an unchanged snapshot of 10,000 workspaces: within 3 × of only reading the rows",
        measured: |lines| {
            let ratio = ratio(of(lines, "apply, unchanged", 10_000)?)?;
            Some((format!("{ratio:.2} ×"), ratio <= 3.0))
        },
    },
    Reach {
        what: "applying a snapshot that changes 1 % of 10,000: rows written = rows changed",
        measured: |lines| {
            let written = of(lines, "apply, 1 % changed", 10_000)?.written?;
            Some((format!("{written} rows"), written == 100))
        },
    },
    Reach {
        what: "applying a snapshot that changes 1 % of 10,000: within 2 × of a bare bulk update of the same rows",
        measured: |lines| {
            let ratio = ratio(of(lines, "apply, 1 % changed", 10_000)?)?;
            Some((format!("{ratio:.0} ×"), ratio <= 2.0))
        },
    },
    Reach {
        what: "the same, within 2 × of reading the rows and a bare bulk update (ours; see below)",
        measured: |lines| {
            let line = of(lines, "apply, 1 % changed", 10_000)?;
            let reading = of(lines, "apply, unchanged", 10_000)?.floor?;
            let ratio = line.milliseconds / (line.floor? + reading);
            Some((format!("{ratio:.2} ×"), ratio <= 2.0))
        },
    },
    Reach {
        what: "`plan()` on 100,000 rows: under 1 s",
        measured: |lines| {
            let plans = lines
                .iter()
                .filter(|line| line.name.starts_with("plan,") && line.rows == 100_000);
            let most = plans
                .map(|line| line.milliseconds)
                .fold(None, |most: Option<f64>, it| {
                    Some(most.map_or(it, |most| most.max(it)))
                })?;
            Some((format!("{most:.0} ms"), most < 1_000.0))
        },
    },
    Reach {
        what: "`plan()`: linear, no quadratic step (time of 100,000 rows over that of 10,000; 100 would be quadratic)",
        measured: |lines| {
            let times = |rows| of(lines, "plan, unchanged", rows).map(|line| line.milliseconds);
            let growth = times(100_000)? / times(10_000)?;
            Some((format!("{growth:.0} ×"), growth < 30.0))
        },
    },
    Reach {
        what: "first rows from the registry, 1,000 rows, opening included: under 50 ms",
        measured: |lines| {
            let took = of(lines, "open and read every row", 1_000)?.milliseconds;
            Some((format!("{took:.0} ms"), took < 50.0))
        },
    },
    Reach {
        what: "from *Delete* to gone on a reachable host, into the trash, over SSH on loopback (a worktree of 1,000 files): under 1 s",
        measured: |lines| {
            let took = of(lines, "delete until gone", 1_000)?.milliseconds;
            Some((format!("{took:.0} ms"), took < 1_000.0))
        },
    },
    Reach {
        what: "the same, until a roll call has confirmed it (ours)",
        measured: |lines| {
            let took = of(lines, "delete until confirmed", 1_000)?.milliseconds;
            Some((format!("{took:.0} ms"), took < 1_000.0))
        },
    },
    Reach {
        what: "window with 10,000 rows, on a virtual display: usable within 1 s of the start of the process",
        measured: |lines| {
            let took = of(lines, "window usable after start", 10_000)?.milliseconds;
            Some((format!("{took:.0} ms"), took < 1_000.0))
        },
    },
    Reach {
        what: "the same: from a keystroke of a search to paint, under 50 ms (the slowest of ten)",
        measured: |lines| {
            let name = "keystroke of a search to paint, the slowest of ten";
            let took = of(lines, name, 10_000)?.milliseconds;
            Some((format!("{took:.0} ms"), took < 50.0))
        },
    },
    Reach {
        what: "the same, the median of ten (ours; the floor is a repaint of the page with nothing changed)",
        measured: |lines| {
            let name = "keystroke of a search to paint, the median";
            let took = of(lines, name, 10_000)?.milliseconds;
            Some((format!("{took:.0} ms"), took < 50.0))
        },
    },
    Reach {
        what: "the same: under 150 row elements in the page, while scrolling",
        measured: |lines| {
            let most = of(lines, "frame while scrolling, the median", 10_000)?.written?;
            Some((format!("{most} rows"), most < 150))
        },
    },
    Reach {
        what: "a host answers beside one that never does: within 1.2 × of alone (I16)",
        measured: |lines| {
            let ratio = ratio(of(lines, "answer beside hosts that never answer", 1)?)?;
            Some((format!("{ratio:.2} ×"), ratio <= 1.2))
        },
    },
    Reach {
        what: "a host answers behind 20 that never do: within 5 s (I16; limits of ours are 10 to 20 s each)",
        measured: |lines| {
            let took = of(lines, "answer beside hosts that never answer", 20)?.milliseconds;
            Some((format!("{:.1} s", took / 1_000.0), took <= 5_000.0))
        },
    },
    Reach {
        what: "roll call with facts of 1,000 worktrees of 1,000 files, local: within 1.10 × of one `git worktree list` and as many `git status`, as many at once",
        measured: |lines| {
            within(
                of(lines, "roll call with facts, 1,000 files each", 1_001)?,
                1.1,
            )
        },
    },
    Reach {
        what: "the same over SSH on loopback: within 1.10 × of local",
        measured: |lines| within(of(lines, "the same over SSH, beside local", 1_001)?, 1.1),
    },
    Reach {
        what: "existence of 1,000 worktrees in 20 repositories: within 1.5 × of their 20 `git worktree list`, one after another",
        measured: |lines| within(of(lines, "existence, 20 repositories", 1_000)?, 1.5),
    },
    Reach {
        what: "facts of 101 worktrees of 2,000 files: ahead of six gits for each worktree",
        measured: |lines| ahead_of(lines, "six gits"),
    },
    Reach {
        what: "the same: ahead of worktrunk",
        measured: |lines| ahead_of(lines, "worktrunk"),
    },
    Reach {
        what: "the same: ahead of git-statuses, which reads with a library in its own process",
        measured: |lines| ahead_of(lines, "git-statuses"),
    },
    Reach {
        what: "the same: ahead of gita",
        measured: |lines| ahead_of(lines, "gita"),
    },
];

fn within(line: &Line, limit: f64) -> Option<(String, bool)> {
    let ratio = ratio(line)?;
    Some((format!("{ratio:.2} ×"), ratio <= limit))
}

/// Beside another tool, where it could be installed.
fn ahead_of(lines: &[Line], name: &str) -> Option<(String, bool)> {
    let begin = format!("facts, beside {name}");
    match lines.iter().find(|line| line.name.starts_with(&begin)) {
        Some(line) => within(line, 1.0),
        None => Some(("not measured: it could not be installed".to_owned(), false)),
    }
}

/// The measuring programs: package and name.
const PROGRAMS: &[(&str, &str)] = &[
    ("rollcall-registry", "convergence"),
    ("rollcall-collect", "hosts"),
    ("rollcall-collect", "rolls"),
    ("rollcall-tests", "deletion"),
    ("rollcall-tests", "window"),
];

/// Builds and runs the measuring programs, prints what they say and writes it down.
///
/// # Errors
/// If one cannot be built or run, or leaves a figure out.
pub(crate) fn bench() -> Result<(), Failed> {
    println!("Measuring; nothing else should run on this machine. It takes some minutes.");
    packages::ensure(&[WINDOW, DRIVEN, SERVER])?;
    packages::ensure_driver()?;
    build_ui()?;
    let mut shell = cargo(&["build", "--release", "--package", "rollcall", "--bins"]);
    shell.args(FEATURES);
    run(&mut shell)?;
    let display = VirtualDisplay::start()?;
    let peers = packages::ensure_peers();
    let (mut lines, mut traces) = (Vec::new(), Vec::new());
    for (package, name) in PROGRAMS {
        let mut command = display.command("cargo");
        command.args(["bench", "--quiet", "--package", package, "--bench", name]);
        let output = command
            .current_dir(root())
            .env("ROLLCALL_PEERS", &peers)
            .stderr(std::process::Stdio::inherit())
            .output()
            .map_err(|error| format!("`{}` could not be started: {error}.", shown(&command)))?;
        if !output.status.success() {
            return Err(format!(
                "`{}` ended with {}.",
                shown(&command),
                output.status
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        lines.extend(text.lines().filter_map(line));
        let said = text.lines().filter_map(traced);
        traces.extend(said.map(|(of, words)| format!("- {of}: {words}\n")));
    }
    let report = report(&lines, &traces.concat(), &surroundings())?;
    print!("{report}");
    fs::write(root().join(FILE), report).map_err(|error| format!("`{FILE}`: {error}."))?;
    println!("\nWrote {FILE}.");
    Ok(())
}

fn report(lines: &[Line], traces: &str, surroundings: &str) -> Result<String, Failed> {
    let mut text = String::from(
        "# Benchmarks\n\nWritten by `cargo xtask bench`. Times are the least of several turns; a figure and its floor are \
         measured in turns.\n",
    );
    let told = |_| "The report could not be put together.".to_owned();
    write!(text, "{surroundings}\n## Figures to reach\n\n| figure | measured | reached |\n| --- | --- | --- |\n").map_err(told)?;
    for reach in REACHES {
        let (measured, reached) = (reach.measured)(lines)
            .ok_or_else(|| format!("Nothing was measured for “{}”.", reach.what))?;
        let word = if reached { "yes" } else { "**no**" };
        writeln!(text, "| {} | {measured} | {word} |", reach.what).map_err(told)?;
    }
    text.push_str(NOTES);
    write!(text, "\n## Where the time of a roll call goes\n\nAs the trace of a host shows it, of one roll call each.\n\n{traces}").map_err(told)?;
    text.push_str(
        "\n## All times\n\n| what | rows or hosts | took | floor | ratio | rows written or shown |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for line in lines {
        let floor = line
            .floor
            .map(|floor| format!("{floor:.1} ms"))
            .unwrap_or_default();
        let ratio = ratio(line)
            .map(|ratio| format!("{ratio:.2}"))
            .unwrap_or_default();
        let written = line
            .written
            .map(|written| written.to_string())
            .unwrap_or_default();
        writeln!(
            text,
            "| {} | {} | {:.1} ms | {floor} | {ratio} | {written} |",
            line.name, line.rows, line.milliseconds
        )
        .map_err(told)?;
    }
    Ok(text)
}

const NOTES: &str = "
The floors: for an unchanged snapshot, reading the same rows through the registry; for one that changes 1 %, an update of
the same rows by their keys in one transaction; for one that is all new, insertion of as many rows of that size, one by
one, in one transaction. Rows written leaves out the roots, the host and the revision, one row each.

Why 1 % is not within 2 × of the bare update: the bare update is handed the rows to change, and touches nothing else.
Applying a snapshot has to find them first, and so reads every row of the host in its own transaction: what the file
holds is the truth, and another process may have written to it. Compared with reading the rows and updating
them, it is within the figure. A copy of the rows in memory would save the reading, cost as much memory again, and still
miss the figure, because planning alone takes several times as long as the bare update.

A roll call is measured on trees that nobody has changed, with everything in memory. Other tools run as they are when
installed, on the same trees, of which a third is edited, a quarter has a new file and a fifth is ahead; what they tell
beside ours stands with their names. A roll call tells branch, commit, upstream, distance to the base, unpushed commits,
changes, operation, stashes and what tells the worktree from a later one. git-statuses starts no program at all: it reads
repositories with a library, on the machine it is installed on, which is what a roll call may not ask of a host.

The window is the release build, on a virtual display without a graphics card: drawing is done by the processor, and a repaint
of the page in which nothing changed takes the time that stands beside the keystrokes as their floor. Its registry is on the
disk from before, with its host suspended, so that no roll call runs meanwhile. *Usable* is the first page of rows with everything
that can be done to them; the other rows follow, and the time until all are there stands below.

Existence is 20 lists and, for each worktree, a look at both of its links, its lock, and a share of a stat.
";

/// What the figures were measured on.
fn surroundings() -> String {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(root())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        line.split_once(": ").map(|(_, name)| name.to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "Measured at {} with {}, on {} ({cores} cores), {}.\n",
        said("git", &["describe", "--always", "--dirty"])
            .unwrap_or_else(|| "an unknown commit".to_owned()),
        said("rustc", &["--version"]).unwrap_or_else(|| "an unknown compiler".to_owned()),
        processor.unwrap_or_else(|| "an unknown processor".to_owned()),
        said("uname", &["-sr"]).unwrap_or_else(|| "an unknown system".to_owned()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_measuring_program_is_read_with_and_without_a_floor() {
        let read = line("apply, unchanged\t10000\t12.5\t6.25\t0").unwrap();
        assert_eq!(
            (read.rows, read.floor, read.written),
            (10_000, Some(6.25), Some(0))
        );
        assert_eq!(ratio(&read), Some(2.0));
        let read = line("plan, all new\t1000\t0.769\t\t").unwrap();
        assert_eq!((read.floor, read.written), (None, None));
        assert_eq!(line("running 0 tests"), None);
    }

    #[test]
    fn a_figure_that_was_not_measured_is_an_error_and_a_missed_one_is_told() {
        assert!(report(&[], "", "").is_err());
        let text = [
            "plan, unchanged\t10000\t8\t\t",
            "plan, unchanged\t100000\t900\t\t",
            "apply, unchanged\t10000\t100\t50\t0",
            "apply, 1 % changed\t10000\t100\t1\t100",
            "open and read every row\t1000\t10\t\t",
            "answer beside hosts that never answer\t1\t50\t40\t",
            "answer beside hosts that never answer\t20\t2500\t40\t",
            "roll call with facts, 1,000 files each\t1001\t110\t100\t",
            "the same over SSH, beside local\t1001\t130\t100\t",
            "existence, 20 repositories\t1000\t140\t100\t",
            "facts, beside gita\t101\t90\t100\t",
            "delete until gone\t1000\t95\t\t",
            "delete until confirmed\t1000\t1300\t\t",
            "window usable after start\t10000\t900\t\t",
            "keystroke of a search to paint, the slowest of ten\t10000\t51\t20\t",
            "keystroke of a search to paint, the median\t10000\t21\t20\t",
            "frame while scrolling, the median\t10000\t40\t\t36",
        ];
        let lines: Vec<Line> = text.iter().filter_map(|text| line(text)).collect();
        let said = traced("trace\tone\treached 5 ms").unwrap();
        assert_eq!(said, ("one", "reached 5 ms"));
        assert_eq!(traced("plan, unchanged\t1\t2\t\t"), None);
        let report = report(&lines, "- one: reached 5 ms\n", "").unwrap();
        assert!(report.contains("- one: reached 5 ms"));
        assert!(report.contains("| 100 × | **no** |"), "{report}");
        assert!(report.contains("| 2.00 × | yes |") && report.contains("| 112 × | **no** |"));
        assert!(report.contains("| 1.25 × | **no** |") && report.contains("| 2.5 s | yes |"));
        assert!(report.contains("| 1.10 × | yes |") && report.contains("| 1.30 × | **no** |"));
        assert!(report.contains("ahead of gita | 0.90 × | yes |"));
        assert!(report.contains("| 95 ms | yes |") && report.contains("| 1300 ms | **no** |"));
        assert!(report.contains("| 900 ms | yes |") && report.contains("| 51 ms | **no** |"));
        assert!(report.contains("| 21 ms | yes |") && report.contains("| 36 rows | yes |"));
        // A tool that is not there is not one that was beaten.
        assert!(report.contains("ahead of worktrunk | not measured"));
    }
}
