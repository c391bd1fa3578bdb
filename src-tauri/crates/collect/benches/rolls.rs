//! What roll calls cost beside what they cannot cost less than. Prints one line per figure, its parts separated by tabs:
//! name, how many worktrees, the figure's milliseconds, the floor's milliseconds, rows written (none here).
//! `cargo xtask bench` reads them. A figure and its floor are measured in turns, so that what else the machine does falls
//! on both. Other tools are measured where `ROLLCALL_PEERS` names the folder of their programs.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure of a measurement has to be loud, and its figures are printed"
)]

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rollcall_collect::{Collector, SshEnvironment, TraceStep};
use rollcall_converge::{
    Address, Caller, FactsOutcome, Host, HostId, HostPath, RollCall, Root, RootId, RootKind,
    RootOutcome, RootRequest, SshTarget, Tier,
};
use rollcall_testkit::repo::Playground;
use rollcall_testkit::sshd::{Sshd, SshdOptions};
use uuid::Uuid;

/// Turns of each figure.
const TURNS: usize = 7;

fn host(address: Address) -> Host {
    Host {
        id: HostId::new(Uuid::from_u128(7)),
        label: "bench".to_owned(),
        address,
        suspended: false,
        sign_in: None,
    }
}

/// A repository with `files` files in folders of fifty, and as many linked worktrees beside it.
fn repository(play: &Playground, name: &str, files: usize, trees: usize) -> Vec<PathBuf> {
    let repo = play.repo(name).unwrap();
    for n in 0..files - 1 {
        repo.write(format!("folder{}/file{n}", n / 50), format!("{n}\n"))
            .unwrap();
    }
    repo.git(["add", "."]).unwrap();
    repo.git(["commit", "-qm", "All files"]).unwrap();
    repo.publish(format!("{name}.git")).unwrap();
    let mut all = vec![repo.path().to_path_buf()];
    for n in 0..trees {
        let tree = repo
            .worktree(format!("{name}-{n}"), &format!("branch-{n}"))
            .unwrap();
        all.push(tree.path().to_path_buf());
    }
    all
}

fn call(host: &Host, tier: Tier, roots: &[&Path]) -> RollCall {
    let request = |(at, path): (usize, &&Path)| RootRequest {
        root: Root {
            id: RootId::new(Uuid::from_u128(at as u128)),
            host: host.id,
            kind: RootKind::Repository,
            path: HostPath::new(path.as_os_str().as_bytes()),
            mount: None,
        },
        known: Vec::new(),
        base: None,
    };
    RollCall {
        host: host.id,
        tier,
        revision: 0,
        trash: Vec::new(),
        roots: roots.iter().enumerate().map(request).collect(),
    }
}

/// How long a roll call takes whose answer has so many workspaces, each with what was asked.
async fn roll(collector: &Collector, host: &Host, call: &RollCall, wanted: usize) -> Duration {
    let begun = Instant::now();
    let snapshot = collector
        .roll_call(host, call, Caller::Schedule)
        .await
        .unwrap();
    let took = begun.elapsed();
    let mut count = 0;
    for (_, outcome) in snapshot.roots() {
        if let RootOutcome::Complete(all) = outcome {
            let told = all.assertions().iter().filter(|it| match it.facts {
                FactsOutcome::Observed(_) => true,
                FactsOutcome::NotAsked => call.tier == Tier::Existence,
                FactsOutcome::Unknown { .. } => false,
            });
            count += told.count();
        }
    }
    assert_eq!(count, wanted);
    took
}

/// A command as `sh` runs it, with git reading as it does for a roll call, and nothing of a person's own.
fn shell(script: &str, paths: &[PathBuf]) -> Duration {
    let begun = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", script])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for path in paths {
        use std::io::Write as _;
        stdin.write_all(path.as_os_str().as_bytes()).unwrap();
        stdin.write_all(b"\0").unwrap();
    }
    drop(stdin);
    assert!(child.wait().unwrap().success(), "{script}");
    begun.elapsed()
}

fn told(name: &str, count: usize, figure: Duration, floor: Option<Duration>) {
    let milliseconds = |it: Duration| it.as_secs_f64() * 1000.0;
    let floor = floor
        .map(|it| format!("{:.3}", milliseconds(it)))
        .unwrap_or_default();
    println!("{name}\t{count}\t{:.3}\t{floor}\t", milliseconds(figure));
}

/// What the trace says of the last roll call, on a line of its own: `trace`, which one it was, and the words.
fn traced(collector: &Collector, host: &Host, name: &str) {
    let contact = collector.contact(host.id);
    let last = contact
        .trace
        .iter()
        .rfind(|line| line.step == TraceStep::RollCall);
    println!("trace\t{name}\t{}", last.unwrap().words);
}

/// What else tells the state of many worktrees: what it is called, and how it is asked about those on standard input.
fn peers(programs: &Path, trees: &[PathBuf], home: &Path) -> Vec<(&'static str, String)> {
    let program = |name: &str| programs.join(name);
    let main = trees[0].as_path();
    let here = main.display();
    let mut all = vec![(
        "six gits for each worktree (as a peer does), as many at once",
        "xargs -0 -P \"$(nproc)\" -n 1 sh -c 'cd \"$1\" && git rev-parse HEAD && git branch --show-current && \
         git status --porcelain && git rev-list --count HEAD && git log -1 --format=%s && \
         git rev-list --count main..HEAD' sh"
            .to_owned(),
    )];
    let wt = program("bin/wt");
    if wt.exists() {
        let words = format!("cd '{here}' && '{}' list", wt.display());
        all.push((
            "worktrunk 0.67 `wt list` (status, base, upstream, age)",
            words,
        ));
    }
    let statuses = program("bin/git-statuses");
    if statuses.exists() {
        let folder = main.parent().unwrap_or(main).display();
        let words = format!("'{}' --json --depth 1 '{folder}'", statuses.display());
        all.push(("git-statuses 0.8 (changes, ahead, behind)", words));
    }
    let gita = program("gita/bin/gita");
    if gita.exists() {
        let own = format!(
            "export XDG_CONFIG_HOME='{}'; '{}'",
            home.display(),
            gita.display()
        );
        shell(
            &format!("xargs -0 sh -c \"{own} add \\\"\\$@\\\"\" sh"),
            trees,
        );
        let words = format!("{own} ll");
        all.push(("gita 0.16 `gita ll` (symbols, branch, subject)", words));
    }
    all
}

#[tokio::main]
async fn main() {
    let play = Playground::new().unwrap();
    let sshd = Sshd::start(&SshdOptions::default()).unwrap();
    let mut environment = SshEnvironment::new(play.at("known_hosts"));
    environment.config = Some(sshd.config_path());
    let collector = Collector::new(environment);
    let here = host(Address::Local);
    let there = host(Address::Ssh(SshTarget {
        destination: "private".to_owned(),
        ..SshTarget::default()
    }));

    {
        let trees = repository(&play, "large", 1_000, 1_000);
        let count = trees.len();
        let ask = call(&here, Tier::Facts, &[&trees[0]]);
        let floor_words = format!(
            "git -C '{}' worktree list --porcelain -z; xargs -0 -P \"$(n=$(nproc); [ $n -le 8 ] && echo $n || echo 8)\" \
             -I % git -C % status --porcelain=v2 --branch",
            trees[0].display()
        );
        // Everything is in memory before anything counts.
        shell(&floor_words, &trees);
        roll(&collector, &there, &ask, count).await;
        traced(
            &collector,
            &there,
            "facts of 1,001 worktrees of 1,000 files, over SSH",
        );
        roll(&collector, &here, &ask, count).await;
        traced(&collector, &here, "the same here");
        let (mut local, mut ssh, mut floor) = (Duration::MAX, Duration::MAX, Duration::MAX);
        for _ in 0..TURNS {
            floor = floor.min(shell(&floor_words, &trees));
            local = local.min(roll(&collector, &here, &ask, count).await);
            ssh = ssh.min(roll(&collector, &there, &ask, count).await);
        }
        told(
            "roll call with facts, 1,000 files each",
            count,
            local,
            Some(floor),
        );
        told("the same over SSH, beside local", count, ssh, Some(local));
    }

    {
        let mut lists = Vec::new();
        for n in 0..20 {
            lists.push(repository(&play, &format!("many{n}"), 5, 49));
        }
        let mains: Vec<PathBuf> = lists.iter().map(|trees| trees[0].clone()).collect();
        let roots: Vec<&Path> = mains.iter().map(PathBuf::as_path).collect();
        let ask = call(&here, Tier::Existence, &roots);
        let words =
            "xargs -0 sh -c 'for at; do git -C \"$at\" worktree list --porcelain -z; done' sh";
        let parallel = "xargs -0 -P \"$(nproc)\" -I % git -C % worktree list --porcelain -z";
        let (mut local, mut floor, mut at_once) = (Duration::MAX, Duration::MAX, Duration::MAX);
        for _ in 0..TURNS {
            floor = floor.min(shell(words, &mains));
            at_once = at_once.min(shell(parallel, &mains));
            local = local.min(roll(&collector, &here, &ask, 1_000).await);
        }
        traced(
            &collector,
            &here,
            "existence of 1,000 worktrees in 20 repositories",
        );
        told("existence, 20 repositories", 1_000, local, Some(floor));
        told(
            "existence, beside lists made at once",
            1_000,
            local,
            Some(at_once),
        );
    }

    let trees = repository(&play, "peer/main", 2_000, 100);
    for (n, tree) in trees.iter().enumerate().skip(1) {
        // As they are found in use: some edited, some ahead, some with new files.
        if n % 3 == 0 {
            std::fs::write(tree.join("folder0/file1"), "edited\n").unwrap();
        }
        if n % 4 == 0 {
            std::fs::write(tree.join("new"), "new\n").unwrap();
        }
        if n % 5 == 0 {
            play.git(tree, ["commit", "-q", "--allow-empty", "-m", "Ahead"])
                .unwrap();
        }
    }
    let ask = call(&here, Tier::Facts, &[&trees[0]]);
    let programs = std::env::var_os("ROLLCALL_PEERS").map(PathBuf::from);
    let programs = programs.unwrap_or_else(|| PathBuf::from("/nonexistent"));
    for (name, words) in peers(&programs, &trees, &play.at("home")) {
        let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
        for _ in 0..TURNS.min(5) {
            theirs = theirs.min(shell(&words, &trees));
            ours = ours.min(roll(&collector, &here, &ask, trees.len()).await);
        }
        told(
            &format!("facts, beside {name}"),
            trees.len(),
            ours,
            Some(theirs),
        );
    }
}
