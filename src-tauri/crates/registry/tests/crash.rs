//! A process that is killed while it writes loses nothing it was told is written.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure in a test has to be loud, and the process that is killed tells by printing"
)]

use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use rollcall_converge::{HostPath, Inspection, RootKind, SnapshotBuilder, Tier};
use rollcall_registry::{AnnotationPatch, Registry};

/// Tells a process that it is to write, and where.
const FOLDER: &str = "ROLLCALL_CRASH_FOLDER";
/// How often one is killed.
const ROUNDS: usize = 200;

#[tokio::test]
async fn d3_no_acknowledged_write_is_lost_to_a_kill() {
    if let Some(folder) = env::var_os(FOLDER) {
        write_for_ever(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut last = 0;
    for round in 0..ROUNDS {
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "d3_no_acknowledged_write_is_lost_to_a_kill",
                "--nocapture",
            ])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let acknowledged: Vec<u64> = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("written ")?.parse().ok())
            .take(1 + round * 7 % 40)
            .collect();
        // It is somewhere in the write after the last one that was read.
        child.kill().unwrap();
        child.wait().unwrap();
        let told = *acknowledged.last().unwrap();
        let registry = Registry::open(folder.path()).await.unwrap();
        let rows = registry.workspaces().await.unwrap();
        let found: u64 = rows[0].note.parse().unwrap();
        assert!(
            found >= told && told > last,
            "round {round}: {found} of {told}, before {last}"
        );
        assert_eq!(
            rows[0].tags,
            [found.to_string()],
            "half of a verb is in the file"
        );
        last = found;
        registry.close().await;
    }
}

/// Writes number after number and says so after each.
async fn write_for_ever(folder: &Path) {
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
        let mut builder = SnapshotBuilder::new(host.id, Tier::Facts, now, &[root.id]);
        builder.open(0).unwrap();
        builder.assert(0, directory()).unwrap();
        builder.close(0, 1).unwrap();
        registry
            .apply(&builder.finish().unwrap(), now)
            .await
            .unwrap();
    }
    let row = registry.workspaces().await.unwrap().remove(0);
    let mut number: u64 = row.note.parse().unwrap_or(0);
    loop {
        number += 1;
        let patch = AnnotationPatch {
            note: Some(number.to_string()),
            tags: Some(vec![number.to_string()]),
            ..AnnotationPatch::default()
        };
        registry
            .annotate(row.row.id, &patch, Timestamp::now())
            .await
            .unwrap();
        println!("written {number}");
    }
}

fn directory() -> rollcall_converge::Assertion {
    use rollcall_converge::{Assertion, Existence, FactsOutcome, Head, Standing, WorkspaceKind};
    Assertion {
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
                commit: "c".repeat(40),
            },
            locked: None,
        },
        facts: FactsOutcome::NotAsked,
    }
}
