//! Where a case plays: a playground of repositories, and a host that is this machine by either way.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rollcall_collect::{Collector, SshEnvironment, TimeLimits};
use rollcall_converge::{
    Address, Assertion, Caller, CompleteAssertion, Facts, FactsOutcome, Failure, Host, HostId,
    HostPath, RollCall, Root, RootId, RootKind, RootOutcome, RootRequest, Snapshot, SshTarget,
    Tier, Transport,
};
use rollcall_testkit::repo::Playground;
use rollcall_testkit::sshd::{Sshd, SshdOptions};
use uuid::Uuid;

/// A bed for one case.
pub(crate) struct Ground {
    pub(crate) play: Playground,
    pub(crate) collector: Collector,
    environment: SshEnvironment,
    pub(crate) host: Host,
    /// Ends with the ground.
    pub(crate) sshd: Option<Sshd>,
}

pub(crate) fn path_bytes(path: &Path) -> HostPath {
    use std::os::unix::ffi::OsStrExt as _;
    HostPath::new(path.as_os_str().as_bytes())
}

impl Ground {
    pub(crate) fn local() -> Self {
        Self::local_with(&[])
    }

    /// This machine, whose `sh` is another shell.
    pub(crate) fn local_with(shell: &[&str]) -> Self {
        let play = Playground::new().unwrap();
        let mut environment = SshEnvironment::new(play.at("known_hosts"));
        // What runs in the way of a verb is told, and not waited for.
        environment.limits.turns = 0;
        environment.local_shell = shell.iter().map(|word| (*word).to_owned()).collect();
        Self {
            collector: Collector::new(environment.clone()),
            environment,
            host: Host {
                id: HostId::new(Uuid::from_u128(1)),
                label: "here".into(),
                address: Address::Local,
                suspended: false,
                sign_in: None,
            },
            play,
            sshd: None,
        }
    }

    pub(crate) fn ssh() -> Self {
        Self::ssh_with(&SshdOptions::default())
    }

    pub(crate) fn ssh_with(options: &SshdOptions) -> Self {
        let play = Playground::new().unwrap();
        let sshd = Sshd::start(options).unwrap();
        let mut environment = SshEnvironment::new(play.at("known_hosts"));
        // What runs in the way of a verb is told, and not waited for.
        environment.limits.turns = 0;
        environment.config = Some(sshd.config_path());
        Self {
            collector: Collector::new(environment.clone()),
            environment,
            host: Host {
                id: HostId::new(Uuid::from_u128(2)),
                label: "there".into(),
                address: Address::Ssh(SshTarget {
                    destination: "private".into(),
                    ..SshTarget::default()
                }),
                suspended: false,
                sign_in: None,
            },
            play,
            sshd: Some(sshd),
        }
    }

    /// Asks with other limits from now on.
    pub(crate) fn limit(&mut self, change: impl FnOnce(&mut TimeLimits)) {
        change(&mut self.environment.limits);
        self.collector = Collector::new(self.environment.clone());
    }

    /// One that has its verbs fail before a step; see [`TimeLimits::fail_at`].
    pub(crate) fn failing_at(&self, step: &str) -> Collector {
        let mut environment = self.environment.clone();
        step.clone_into(&mut environment.limits.fail_at);
        Collector::new(environment)
    }

    /// Has the system's `ssh` carry the connection.
    pub(crate) fn by_openssh(&mut self) {
        if let Address::Ssh(target) = &mut self.host.address {
            target.transport = Transport::OpenSsh;
        }
    }

    /// A private server through the system's `ssh`.
    pub(crate) fn openssh() -> Self {
        let mut ground = Self::ssh();
        ground.by_openssh();
        ground
    }

    pub(crate) fn call(&self, tier: Tier, roots: &[(RootKind, PathBuf)]) -> RollCall {
        RollCall {
            host: self.host.id,
            tier,
            revision: 0,
            trash: Vec::new(),
            roots: roots
                .iter()
                .enumerate()
                .map(|(at, (kind, path))| RootRequest {
                    root: Root {
                        id: RootId::new(Uuid::from_u128(at as u128)),
                        host: self.host.id,
                        kind: *kind,
                        path: path_bytes(path),
                        mount: None,
                    },
                    known: Vec::new(),
                    base: None,
                })
                .collect(),
        }
    }

    /// Calls the roll, and makes sure that nothing of the playground is another afterwards (I20).
    pub(crate) async fn roll(&self, call: &RollCall) -> Snapshot {
        let before = tree_of(self.play.path());
        let snapshot = self
            .collector
            .roll_call(&self.host, call, Caller::Person)
            .await
            .unwrap();
        let after = tree_of(self.play.path());
        let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
        let changed: Vec<_> = before.keys().chain(after.keys()).filter(differs).collect();
        // Programs of the tests, in the place of others, note what they were asked.
        let noted = |path: &&PathBuf| path.ends_with("calls") || path.ends_with("said");
        let own = self.play.path();
        assert!(
            changed.iter().all(|path| noted(path) || *path == own),
            "a roll call changed {changed:?}"
        );
        snapshot
    }

    /// The one repository at a path, with facts.
    pub(crate) async fn facts(&self, path: &Path) -> CompleteAssertion {
        self.repository(Tier::Facts, path).await
    }

    pub(crate) async fn repository(&self, tier: Tier, path: &Path) -> CompleteAssertion {
        let call = self.call(tier, &[(RootKind::Repository, path.to_path_buf())]);
        match self.roll(&call).await.roots() {
            [(_, RootOutcome::Complete(complete))] => complete.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// Why the one repository at a path made no assertion.
    pub(crate) async fn failure(&self, path: &Path) -> Failure {
        let call = self.call(Tier::Facts, &[(RootKind::Repository, path.to_path_buf())]);
        match self.roll(&call).await.roots() {
            [(_, RootOutcome::Failed(failure))] => failure.clone(),
            other => panic!("{other:?}"),
        }
    }
}

/// Everything below a folder: names, kinds, times to the nanosecond, and contents.
pub(crate) fn tree_of(folder: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(path) = todo.pop() {
        let meta = path.symlink_metadata().unwrap();
        let content = if meta.is_dir() {
            todo.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            Vec::new()
        } else if meta.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        all.insert(
            path,
            (meta.mode(), meta.mtime(), meta.mtime_nsec(), content),
        );
    }
    all
}

/// The workspace at a path.
pub(crate) fn at(complete: &CompleteAssertion, path: &Path) -> Assertion {
    let wanted = path_bytes(path);
    complete
        .assertions()
        .iter()
        .find(|assertion| assertion.path == wanted)
        .unwrap_or_else(|| panic!("no {wanted:?} in {complete:?}"))
        .clone()
}

pub(crate) fn facts_at(complete: &CompleteAssertion, path: &Path) -> Facts {
    match at(complete, path).facts {
        FactsOutcome::Observed(facts) => facts,
        other => panic!("{other:?}"),
    }
}

/// Waits until something holds, for at most 20 seconds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
