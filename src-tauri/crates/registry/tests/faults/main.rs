//! What machines do to a registry: processes that die, disks that are full, files that are held or closed.
//!
//! Each test starts itself again as another process and tells it by the environment what to do there.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure in a test has to be loud, and processes tell each other by printing"
)]

mod crash;
mod disk;
mod processes;

use std::env;
use std::io::{BufRead as _, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use jiff::Timestamp;
use rollcall_converge::{
    Assertion, Existence, FactsOutcome, Head, HostId, HostPath, Inspection, RootId, RootKind,
    Snapshot, SnapshotBuilder, Standing, Tier, WorkspaceId, WorkspaceKind,
};
use rollcall_registry::{AnnotationPatch, Registry};

/// Tells a process that it is the other one, and where the registry is.
const FOLDER: &str = "ROLLCALL_OTHER_PROCESS_FOLDER";

/// The folder, in the other process of a test.
fn as_the_other() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

/// A process that runs the same test again as the other one; killed when it is dropped.
struct Other(Child);

impl Drop for Other {
    fn drop(&mut self) {
        self.0.kill().unwrap_or_default();
        self.0.wait().map(drop).unwrap_or_default();
    }
}

/// What runs a test of this program as the other process, behind other programs if need be.
fn again(before: &[&str], program: &Path, test: &str, folder: &Path) -> Command {
    let program = program.to_str().unwrap();
    let words: Vec<&str> = before
        .iter()
        .copied()
        .chain([program, "--exact", test, "--nocapture"])
        .collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env(FOLDER, folder);
    command
}

/// Starts the other process and gives what it prints.
fn start(mut command: Command) -> (Other, Lines<BufReader<ChildStdout>>) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (Other(child), lines)
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}

/// A host with a root, and one directory in it.
struct Place {
    registry: Registry,
    host: HostId,
    root: RootId,
    row: WorkspaceId,
}

async fn place(folder: &Path) -> Place {
    let registry = Registry::open(folder).await.unwrap();
    let now = Timestamp::now();
    let (host, _) = registry.ensure_local_host("Here", now).await.unwrap();
    let inspection = Inspection {
        kind: RootKind::Directory,
        path: HostPath::new("/d"),
        mount: None,
        inside: None,
    };
    let (root, _) = registry
        .register_root(host.id, &inspection, now)
        .await
        .unwrap();
    if registry.workspaces().await.unwrap().is_empty() {
        let snapshot = answer(host.id, root.id, "c");
        registry.apply(&snapshot, now).await.unwrap();
    }
    let row = registry.workspaces().await.unwrap().remove(0).row.id;
    Place {
        registry,
        host: host.id,
        root: root.id,
        row,
    }
}

/// An answer in which the directory is there, and says a commit of one repeated character.
fn answer(host: HostId, root: RootId, commit: &str) -> Snapshot {
    let mut builder = SnapshotBuilder::new(host, Tier::Facts, Timestamp::now(), &[root]);
    builder.open(0).unwrap();
    let directory = Assertion {
        kind: WorkspaceKind::Directory,
        path: HostPath::new("/d"),
        generation: None,
        mount: None,
        standing: Standing::There,
        existence: Existence {
            bare: false,
            admin_name: None,
            common_dir: None,
            head: Head::Detached {
                commit: commit.repeat(40),
            },
            locked: None,
        },
        facts: FactsOutcome::NotAsked,
    };
    builder.assert(0, directory).unwrap();
    builder.close(0, 1).unwrap();
    builder.finish().unwrap()
}

fn note(text: impl Into<String>) -> AnnotationPatch {
    AnnotationPatch {
        note: Some(text.into()),
        ..AnnotationPatch::default()
    }
}
