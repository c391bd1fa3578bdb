//! What convergence costs, beside what it cannot cost less than. Prints one line per figure, its parts separated by
//! tabs: name, rows, the figure's milliseconds, the floor's milliseconds, rows written. `cargo xtask bench` reads
//! them. A figure and its floor are measured in turns, so that what else the machine does falls on both.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure of a measurement has to be loud, and its figures are printed"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rollcall_converge::{
    Assertion, Changes, Distance, Existence, Facts, FactsOutcome, Generation, Head, HostFacts,
    HostId, HostPath, Inspection, LastCommit, Mirror, MirrorRoot, MirrorRow, Origin, Probe,
    RefName, RootKind, Snapshot, SnapshotBuilder, Standing, Tier, Unpushed, Upstream,
    WorkspaceKind, plan,
};
use rollcall_registry::Registry;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tempfile::TempDir;

const ROOTS: usize = 20;

fn at(second: usize) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + i64::try_from(second).unwrap()).unwrap()
}

/// A worktree as hosts tell them; `changed` says that it has so many untracked files.
fn worktree(n: usize, changed: u32) -> Assertion {
    let path = format!("/srv/work/project-{}/worktrees/branch-{n:06}", n % ROOTS);
    Assertion {
        kind: WorkspaceKind::Worktree,
        path: HostPath::new(path),
        generation: Some(Generation {
            inode: n as u64,
            origin: Origin::Birth {
                seconds: 1_700_000_000,
                nanos: 123_456_789,
            },
        }),
        mount: Some(HostPath::new("/srv")),
        standing: Standing::There,
        existence: Existence {
            bare: false,
            admin_name: None,
            common_dir: Some(HostPath::new(format!(
                "/srv/work/project-{}/.git",
                n % ROOTS
            ))),
            head: Head::Branch {
                name: RefName::new(format!("refs/heads/branch-{n:06}")),
                commit: format!("{n:040x}"),
            },
            locked: None,
        },
        facts: FactsOutcome::Observed(facts(n, changed)),
    }
}

fn facts(n: usize, changed: u32) -> Facts {
    let upstream = Upstream::Remote {
        name: RefName::new(format!("refs/remotes/origin/branch-{n:06}")),
        ahead: 1,
        behind: 2,
    };
    let unpushed = Unpushed::Commits {
        count: 1,
        shared: Some(0),
    };
    let changes = Changes::Counted {
        staged: 0,
        unstaged: 1,
        untracked: changed,
        conflicted: 0,
    };
    Facts {
        stashes: Some(0),
        last_commit: Some(LastCommit {
            time: at(n),
            subject: "Say what changed for whom, in a line of usual length".to_owned(),
            author: "Ada Byron".to_owned(),
        }),
        distance: Some(Distance {
            base: RefName::new("refs/remotes/origin/main"),
            commit: format!("{:040x}", 7),
            ahead: 1,
            behind: 30,
        }),
        last_activity: Some(at(n)),
        origin: Some("example.org/team/tool".to_owned()),
        ..Facts::new(upstream, unpushed, changes)
    }
}

struct World {
    folder: TempDir,
    registry: Registry,
    host: HostId,
    roots: Vec<rollcall_converge::RootId>,
    rows: usize,
    second: usize,
}

impl World {
    async fn new(rows: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::open(folder.path()).await.unwrap();
        let (host, _) = registry.ensure_local_host("Here", at(0)).await.unwrap();
        let mut roots = Vec::new();
        for n in 0..ROOTS {
            let inspection = Inspection {
                kind: RootKind::Repository,
                path: HostPath::new(format!("/srv/work/project-{n}")),
                mount: Some(HostPath::new("/srv")),
                inside: None,
            };
            let (root, _) = registry
                .register_root(host.id, &inspection, at(0))
                .await
                .unwrap();
            roots.push(root.id);
        }
        Self {
            folder,
            registry,
            host: host.id,
            roots,
            rows,
            second: 1,
        }
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("registry.sqlite3")
    }

    /// What the host says; every hundredth row with so many untracked files.
    fn says(&mut self, changed: u32) -> Snapshot {
        self.second += 1;
        let mut builder =
            SnapshotBuilder::new(self.host, Tier::Facts, at(self.second), &self.roots);
        builder.asked_at(u64::MAX);
        builder.host_facts(HostFacts {
            system: "Linux".to_owned(),
            git_version: "2.47.3".to_owned(),
            machine: String::new(),
        });
        for root in 0..ROOTS {
            builder.open(root).unwrap();
            let mut count = 0;
            for n in (root..self.rows).step_by(ROOTS) {
                let untracked = if n % 100 == 0 { changed } else { 0 };
                builder.assert(root, worktree(n, untracked)).unwrap();
                count += 1;
            }
            let main = HostPath::new(format!("/srv/work/project-{root}"));
            builder.probe(root, main, Probe::Exists).unwrap();
            builder.close(root, count).unwrap();
        }
        builder.finish().unwrap()
    }

    async fn apply(&self, snapshot: &Snapshot) -> Duration {
        let begun = Instant::now();
        self.registry
            .apply(snapshot, at(self.second))
            .await
            .unwrap();
        begun.elapsed()
    }

    async fn mirror(&self) -> (Vec<MirrorRow>, Vec<MirrorRoot>) {
        let rows = self.registry.workspaces().await.unwrap();
        let roots = self.registry.roots().await.unwrap();
        (
            rows.into_iter().map(|record| record.row).collect(),
            roots
                .into_iter()
                .map(|record| MirrorRoot {
                    root: record.root,
                    facts_at: record.facts_at,
                    condition: record
                        .condition
                        .unwrap_or(rollcall_converge::Condition::Asserted),
                })
                .collect(),
        )
    }
}

async fn plainly(file: &Path) -> SqliteConnection {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .connect()
        .await
        .unwrap()
}

/// The least time of several.
fn least(times: &[Duration]) -> Duration {
    times.iter().copied().min().unwrap_or_default()
}

fn tell(
    name: &str,
    rows: usize,
    figure: Duration,
    floor: Option<Duration>,
    written: Option<usize>,
) {
    let milliseconds = |it: Duration| format!("{:.3}", it.as_secs_f64() * 1_000.0);
    println!(
        "{name}\t{rows}\t{}\t{}\t{}",
        milliseconds(figure),
        floor.map(milliseconds).unwrap_or_default(),
        written.map(|it| it.to_string()).unwrap_or_default()
    );
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(work());
    begun.elapsed()
}

async fn plans(world: &mut World, turns: usize) {
    let (rows, roots) = world.mirror().await;
    let known = Mirror {
        roots: &roots,
        rows: &rows,
        ..Mirror::default()
    };
    let empty = Mirror {
        roots: &roots,
        ..Mirror::default()
    };
    let (same, changed) = (world.says(0), world.says(7));
    for (name, mirror, snapshot) in [
        ("plan, unchanged", &known, &same),
        ("plan, 1 % changed", &known, &changed),
        ("plan, all new", &empty, &same),
    ] {
        let times: Vec<Duration> = (0..turns)
            .map(|_| time(|| plan(mirror, snapshot, at(9))))
            .collect();
        tell(name, world.rows, least(&times), None, None);
    }
}

/// Applying what changes nothing, beside only reading the rows.
async fn unchanged(world: &mut World, turns: usize) {
    let (mut figures, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..turns {
        let snapshot = world.says(0);
        figures.push(world.apply(&snapshot).await);
        let begun = Instant::now();
        let rows = world.registry.workspaces().await.unwrap();
        floors.push(begun.elapsed());
        assert_eq!(rows.len(), world.rows);
    }
    tell(
        "apply, unchanged",
        world.rows,
        least(&figures),
        Some(least(&floors)),
        Some(0),
    );
}

/// Applying what changes one row of a hundred, beside a bare update of the same rows in one transaction.
async fn one_percent(world: &mut World, turns: usize) {
    let ids: Vec<Vec<u8>> = world
        .registry
        .workspaces()
        .await
        .unwrap()
        .iter()
        .filter(|record| {
            record
                .row
                .state
                .generation
                .is_some_and(|it| it.inode % 100 == 0)
        })
        .map(|record| record.row.id.uuid().as_bytes().to_vec())
        .collect();
    let mut plain = plainly(&world.file()).await;
    let (mut figures, mut floors, mut written) = (Vec::new(), Vec::new(), 0);
    for turn in 0..turns {
        let snapshot = world.says(10 + u32::try_from(turn).unwrap());
        let begun = Instant::now();
        let applied = world
            .registry
            .apply(&snapshot, at(world.second))
            .await
            .unwrap();
        figures.push(begun.elapsed());
        written = applied.refreshed;
        assert_eq!(applied.refreshed, ids.len());
        let begun = Instant::now();
        let mut transaction = plain.begin_with("BEGIN IMMEDIATE").await.unwrap();
        for id in &ids {
            sqlx::query("UPDATE workspaces SET facts = facts, facts_as_of = NULL, revision = revision WHERE id = ?")
                .bind(id)
                .execute(&mut *transaction)
                .await
                .unwrap();
        }
        transaction.commit().await.unwrap();
        floors.push(begun.elapsed());
    }
    plain.close().await.unwrap();
    tell(
        "apply, 1 % changed",
        world.rows,
        least(&figures),
        Some(least(&floors)),
        Some(written),
    );
}

/// Applying what is all new, beside a bare insertion of as many rows of that size in one transaction.
async fn all_new(rows: usize, turns: usize) {
    let (mut figures, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..turns {
        let mut world = World::new(rows).await;
        let snapshot = world.says(0);
        figures.push(world.apply(&snapshot).await);
        let record = world.registry.workspaces().await.unwrap().remove(0);
        let text = format!("{:?}", record.row.state);
        let folder = tempfile::tempdir().unwrap();
        let mut plain = plainly(&folder.path().join("bare.sqlite3")).await;
        sqlx::query(
            "CREATE TABLE bare (id BLOB PRIMARY KEY, path BLOB, existence TEXT, facts TEXT) STRICT",
        )
        .execute(&mut plain)
        .await
        .unwrap();
        let begun = Instant::now();
        let mut transaction = plain.begin_with("BEGIN IMMEDIATE").await.unwrap();
        for n in 0..rows {
            sqlx::query("INSERT INTO bare VALUES (?, ?, ?, ?)")
                .bind((n as u128).to_be_bytes().to_vec())
                .bind(format!("/srv/work/{n}").into_bytes())
                .bind(text.get(..200).unwrap())
                .bind(text.get(..350).unwrap())
                .execute(&mut *transaction)
                .await
                .unwrap();
        }
        transaction.commit().await.unwrap();
        floors.push(begun.elapsed());
        plain.close().await.unwrap();
        world.registry.close().await;
    }
    tell(
        "apply, all new",
        rows,
        least(&figures),
        Some(least(&floors)),
        Some(rows),
    );
}

/// From an existing file to the rows that a window shows first.
async fn first_rows(world: World) {
    world.registry.close().await;
    let mut times = Vec::new();
    for _ in 0..10 {
        let begun = Instant::now();
        let registry = Registry::open(world.folder.path()).await.unwrap();
        let mut after = None;
        loop {
            let page = registry.workspaces_page(after, 500).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.row.id);
        }
        times.push(begun.elapsed());
        registry.close().await;
    }
    tell(
        "open and read every row",
        world.rows,
        least(&times),
        None,
        None,
    );
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    // Cargo starts benches with `--bench`; a run of the tests would only have to compile them.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    runtime.block_on(async {
        for (rows, turns) in [(1_000, 20), (10_000, 10), (100_000, 3)] {
            let mut world = World::new(rows).await;
            let first = world.says(0);
            world.apply(&first).await;
            plans(&mut world, turns).await;
            unchanged(&mut world, turns).await;
            one_percent(&mut world, turns).await;
            all_new(rows, turns.min(5)).await;
            first_rows(world).await;
        }
    });
}
