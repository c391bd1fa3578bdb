//! A registry with one host and one root, and a host that says what a test wants.

use jiff::Timestamp;
use rollcall_converge::{
    Assertion, Changes, Existence, Facts, FactsOutcome, FailedRoot, Failure, FailureCode,
    Generation, Head, HostFacts, HostId, HostPath, Inspection, Origin, Probe, Root, RootId,
    RootKind, Snapshot, SnapshotBuilder, Standing, Tier, Unpushed, Upstream, WorkspaceId,
    WorkspaceKind,
};
use tempfile::TempDir;

use crate::{AnnotationPatch, Applied, Changed, Registry, WorkspaceRecord};

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

pub(super) fn path(bytes: impl Into<Vec<u8>>) -> HostPath {
    HostPath::new(bytes)
}

/// A linked worktree whose generation is a number.
pub(super) fn worktree(at: impl Into<Vec<u8>>, generation: u64) -> Assertion {
    Assertion {
        kind: WorkspaceKind::Worktree,
        path: path(at),
        generation: Some(Generation {
            inode: generation,
            origin: Origin::Birth {
                seconds: 5,
                nanos: 7,
            },
        }),
        mount: Some(path("/")),
        standing: Standing::There,
        existence: Existence {
            bare: false,
            admin_name: None,
            common_dir: Some(path("/r/.git")),
            head: Head::Detached {
                commit: "c".repeat(40),
            },
            locked: None,
        },
        facts: FactsOutcome::Observed(facts(0)),
    }
}

pub(super) fn facts(untracked: u32) -> Facts {
    let changes = Changes::Counted {
        staged: 0,
        unstaged: 1,
        untracked,
        conflicted: 0,
    };
    let unpushed = Unpushed::Commits {
        count: 2,
        shared: Some(1),
    };
    Facts::new(Upstream::None, unpushed, changes)
}

/// The repository of the root itself.
pub(super) fn main_tree(at: impl Into<Vec<u8>>, generation: u64) -> Assertion {
    Assertion {
        kind: WorkspaceKind::Repository,
        ..worktree(at, generation)
    }
}

pub(super) struct World {
    pub(super) folder: TempDir,
    pub(super) registry: Registry,
    pub(super) host: HostId,
    pub(super) root: Root,
}

impl World {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::open(folder.path()).await.unwrap();
        let (host, _) = registry.ensure_local_host("Here", at(0)).await.unwrap();
        let root = register(&registry, host.id, "/r").await;
        Self {
            folder,
            registry,
            host: host.id,
            root,
        }
    }

    /// Closes the file and opens it again.
    pub(super) async fn restarted(self) -> Self {
        self.registry.close().await;
        let registry = Registry::open(self.folder.path()).await.unwrap();
        Self { registry, ..self }
    }

    /// What the root says, whole.
    pub(super) fn says(&self, second: i64, assertions: &[Assertion]) -> Snapshot {
        complete(self.host, second, &[(self.root.id, assertions, &[])])
    }

    /// Takes up what the root says; paths that are not among it are gone.
    pub(super) async fn hears(&self, second: i64, assertions: &[Assertion]) -> Applied {
        let call = self
            .registry
            .roll_call(self.host, Tier::Facts)
            .await
            .unwrap();
        let gone: Vec<HostPath> = call
            .roots
            .iter()
            .flat_map(|request| request.known.clone())
            .filter(|known| assertions.iter().all(|it| it.path != *known))
            .collect();
        let snapshot = complete(self.host, second, &[(self.root.id, assertions, &gone)]);
        self.registry.apply(&snapshot, at(second)).await.unwrap()
    }

    pub(super) async fn rows(&self) -> Vec<WorkspaceRecord> {
        self.registry.workspaces().await.unwrap()
    }

    pub(super) async fn row(&self, at: impl Into<Vec<u8>>) -> WorkspaceRecord {
        let wanted = path(at);
        let rows = self.rows().await;
        rows.into_iter()
            .find(|it| it.row.state.path == wanted)
            .unwrap()
    }

    pub(super) async fn note(&self, id: WorkspaceId, note: &str, second: i64) -> Changed {
        let patch = AnnotationPatch {
            note: Some(note.to_owned()),
            ..AnnotationPatch::default()
        };
        self.registry
            .annotate(id, &patch, at(second))
            .await
            .unwrap()
    }

    /// Rows written since the file was opened.
    pub(super) async fn written(&self) -> i64 {
        sqlx::query_scalar("SELECT total_changes()")
            .fetch_one(&self.registry.writer)
            .await
            .unwrap()
    }
}

pub(super) async fn register(registry: &Registry, host: HostId, at_path: &str) -> Root {
    let inspection = Inspection {
        kind: RootKind::Repository,
        path: path(at_path),
        mount: Some(path("/")),
        inside: None,
    };
    registry
        .register_root(host, &inspection, at(0))
        .await
        .unwrap()
        .0
}

/// A finished answer of some roots: what each asserts, and which paths are gone.
pub(super) fn complete(
    host: HostId,
    second: i64,
    roots: &[(RootId, &[Assertion], &[HostPath])],
) -> Snapshot {
    let ids: Vec<RootId> = roots.iter().map(|(id, _, _)| *id).collect();
    let mut builder = SnapshotBuilder::new(host, Tier::Facts, at(second), &ids);
    builder.asked_at(u64::MAX);
    builder.host_facts(HostFacts {
        system: "Linux".to_owned(),
        git_version: "2.47.3".to_owned(),
        machine: "machine".to_owned(),
    });
    for (n, (_, assertions, gone)) in roots.iter().enumerate() {
        builder.open(n).unwrap();
        for assertion in *assertions {
            builder.assert(n, assertion.clone()).unwrap();
        }
        for at_path in *gone {
            let mount = Some(path("/"));
            builder
                .probe(n, at_path.clone(), Probe::NoSuchFile { mount })
                .unwrap();
        }
        builder.close(n, assertions.len()).unwrap();
    }
    builder.finish().unwrap()
}

/// A finished answer in which the one root failed.
pub(super) fn failed(host: HostId, second: i64, root: RootId) -> Snapshot {
    let mut builder = SnapshotBuilder::new(host, Tier::Facts, at(second), &[root]);
    let failure = Failure::new(FailureCode::PermissionDenied, "It may not be read.");
    builder.fail(0, FailedRoot::Failed(failure)).unwrap();
    builder.finish().unwrap()
}
