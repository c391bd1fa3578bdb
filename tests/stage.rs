//! A stage for the window: a data folder, this machine's repositories and a second host that is a private OpenSSH
//! server on loopback. Everything ends with it.

use std::fmt::Write as _;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rollcall_api::wire::{
    AnnotationPatch, ColourChoice, HostRef, HostState, MemberForm, NewHost, RootCondition,
    WorkspaceRow,
};
use rollcall_api::{App, Events, Settings};
use rollcall_testkit::repo::{Playground, Repo};
use rollcall_testkit::sshd::{Sshd, SshdOptions};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use crate::PATIENCE;

/// What the ssh configuration of a stage calls the private server.
pub const ALIAS: &str = "buildbox";
/// How long a crowd may take to be looked at, each of it by a git of its own.
const CROWD: Duration = Duration::from_mins(5);
/// From one look to the next.
const GLANCE: Duration = Duration::from_millis(20);

/// Repositories and an empty data folder, on this machine alone.
pub struct Bench {
    /// Where the repositories are.
    pub play: Playground,
}

impl Bench {
    /// One without repositories.
    pub fn new() -> Self {
        Self {
            play: Playground::new().unwrap(),
        }
    }

    /// The data folder of the application.
    pub fn data(&self) -> PathBuf {
        self.play.at("data")
    }

    /// The ssh configuration; there is none until somebody writes it.
    pub fn ssh_config(&self) -> PathBuf {
        self.play.at("ssh_config")
    }

    /// Opens the back end on the data folder.
    pub async fn app(&self) -> (App, Events) {
        let settings = Settings {
            ssh_config: Some(self.ssh_config()),
            ..Settings::new(self.data())
        };
        App::open(settings, Handle::current()).await.unwrap()
    }
}

/// What can go wrong on a bench.
impl Bench {
    /// A repository with worktrees that all live in one folder, as on a disk of their own.
    pub fn fleet(&self, count: usize) -> Repo<'_> {
        let fleet = self.play.repo("code/fleet").unwrap();
        for n in 0..count {
            let name = format!("boat-{n:02}");
            fleet.worktree(format!("disk/{name}"), &name).unwrap();
        }
        fleet
    }

    /// A repository with so many worktrees, written as git writes them; it would take git minutes. None has a file.
    pub fn crowd(&self, count: usize) -> Repo<'_> {
        let crowd = self.play.empty_repo("code/crowd").unwrap();
        crowd
            .git(["commit", "-q", "--allow-empty", "-m", "Nothing"])
            .unwrap();
        let commit = crowd.line(["rev-parse", "HEAD"]).unwrap();
        let git = crowd.path().join(".git");
        let mut refs = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        for n in 0..count {
            let (admin, tree) = (
                git.join(format!("worktrees/c{n:05}")),
                self.play.at(format!("crowd/c{n:05}")),
            );
            fs::create_dir_all(&admin).unwrap();
            fs::create_dir_all(&tree).unwrap();
            fs::write(admin.join("HEAD"), format!("ref: refs/heads/b{n:05}\n")).unwrap();
            fs::write(admin.join("commondir"), "../..\n").unwrap();
            fs::write(
                admin.join("gitdir"),
                format!("{}\n", text(&tree.join(".git"))),
            )
            .unwrap();
            fs::write(tree.join(".git"), format!("gitdir: {}\n", text(&admin))).unwrap();
            writeln!(refs, "{commit} refs/heads/b{n:05}").unwrap();
        }
        fs::write(git.join("packed-refs"), refs).unwrap();
        crowd
    }

    /// A registry that knows a crowd, whose host is suspended: nothing is called while somebody looks.
    pub async fn crowded(&self, count: usize) {
        let crowd = self.crowd(count).path().to_owned();
        let (app, _events) = self.app().await;
        let here = local(&app).await;
        app.register(here, text(&crowd)).await.unwrap();
        // Rows are not read meanwhile: that would take what the host needs.
        until_within(CROWD, "the facts of a crowd", || async {
            let overview = app.overview().await.unwrap();
            overview.roots.first()?.facts_at.map(|_| ())
        })
        .await;
        assert_eq!(rows(&app).await.len(), count + 1);
        app.set_suspended(here, true).await.unwrap();
        app.shutdown().await;
    }

    /// Wipes the folder of a fleet, and git's records of what was in it.
    pub fn wipe(&self, fleet: &Repo<'_>) {
        fs::remove_dir_all(self.play.at("disk")).unwrap();
        fleet.git(["worktree", "prune"]).unwrap();
    }

    /// Two repositories of which the one had a worktree in a folder, then the other, and now it is gone: both still
    /// have a record of it.
    pub fn rivals(&self) -> [Repo<'_>; 2] {
        ["code/one", "code/two"].map(|path| {
            let repository = self.play.repo(path).unwrap();
            let shared = repository.worktree("code/shared", "shared").unwrap();
            fs::remove_dir_all(shared.path()).unwrap();
            repository
        })
    }

    /// Leaves nothing of the registry but an empty file, and says where.
    pub fn damage(&self) -> PathBuf {
        let file = self.data().join("registry.sqlite3");
        for helper in ["registry.sqlite3-wal", "registry.sqlite3-shm"] {
            fs::remove_file(self.data().join(helper)).ok();
        }
        fs::write(&file, b"").unwrap();
        file
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

/// A bench with a second host.
pub struct Stage {
    /// This machine.
    pub bench: Bench,
    /// The second host. Its key is known to nobody yet.
    pub sshd: Sshd,
}

impl Deref for Stage {
    type Target = Bench;

    fn deref(&self) -> &Bench {
        &self.bench
    }
}

impl Stage {
    /// One without repositories.
    pub fn new() -> Self {
        Self::with(&SshdOptions::default())
    }

    /// One whose server does something differently.
    pub fn with(options: &SshdOptions) -> Self {
        let sshd = Sshd::start(options).unwrap();
        sshd.forget_host_key().unwrap();
        let bench = Bench::new();
        let stage = Self { bench, sshd };
        stage.configure(stage.sshd.port());
        stage
    }

    /// One whose server is known from the start, and lets in whoever has a key that is locked.
    pub fn locked() -> Self {
        let stage = Self::with(&SshdOptions {
            encrypted_client_key: true,
            ..SshdOptions::default()
        });
        stage.know_server();
        stage
    }

    /// Has the server's key known from the start.
    pub fn know_server(&self) {
        fs::create_dir_all(self.data()).unwrap();
        let key = self.sshd.host_key().unwrap();
        let line = format!("[127.0.0.1]:{} {key}\n", self.sshd.port());
        fs::write(self.data().join("known_hosts"), line).unwrap();
    }

    /// Writes the ssh configuration anew: the alias leads to a port, such as a proxy's.
    pub fn configure(&self, port: u16) {
        fs::write(self.ssh_config(), self.sshd.config_text_on(ALIAS, port)).unwrap();
    }

    /// What the application is started with to use this stage.
    pub fn arguments(&self) -> Vec<String> {
        let (data, config) = (self.data(), self.ssh_config());
        vec![
            "--data".to_owned(),
            text(&data),
            "--ssh-config".to_owned(),
            text(&config),
        ]
    }

    /// Puts the sample on the stage: two hosts with repositories in every state, and what somebody wrote about them.
    pub async fn fill(&self) {
        let mut sample = self.local_sample();
        let remote = self.remote_sample();
        let (app, _events) = self.app().await;
        let here = local(&app).await;
        let there = self.meet(&app).await;
        sample.sort();
        for path in sample {
            app.register(here, path).await.unwrap();
        }
        for path in remote {
            app.register(there, path).await.unwrap();
        }
        settled(&app).await;
        annotate_sample(&app).await;
        app.shutdown().await;
    }

    /// Opens the back end, adds the server and puts a path of it under roll call, and waits for what it says.
    pub async fn enrolled(&self, path: &Path) -> (App, Events, HostRef) {
        let (app, events) = self.app().await;
        let there = self.meet(&app).await;
        app.register(there, text(path)).await.unwrap();
        settled(&app).await;
        (app, events, there)
    }

    /// Adds the server to the hosts and trusts its key.
    pub async fn meet(&self, app: &App) -> HostRef {
        let host = app.add_host(server()).await.unwrap().id;
        let offered = until("the key of the server", || async {
            let overview = app.overview().await.unwrap();
            let row = overview.hosts.into_iter().find(|row| row.id == host)?;
            match row.state {
                HostState::NeedsYou { reason, .. } => reason.key,
                _ => None,
            }
        })
        .await;
        app.trust_host_key(host, offered.fingerprint).await.unwrap();
        until("the server's answer", || async {
            let overview = app.overview().await.unwrap();
            let row = overview.hosts.into_iter().find(|row| row.id == host)?;
            (row.state == HostState::Idle && row.answered_at.is_some()).then_some(())
        })
        .await;
        host
    }

    fn local_sample(&self) -> Vec<String> {
        let atlas = self.dated("code/atlas", "Draw coast lines from tiles", days_ago(9));
        atlas.publish("origins/atlas.git").unwrap();
        let search = atlas
            .worktree("code/atlas-search", "search-by-name")
            .unwrap();
        self.commit_at(&search, "index.rs", "Index places by name", days_ago(2));
        self.commit_at(
            &search,
            "rank.rs",
            "Rank exact names first",
            Timestamp::now() - SignedDuration::from_hours(5),
        );
        search.write("rank.rs", "// shorter names first\n").unwrap();
        search
            .write("notes.txt", "compare with the old ranking\n")
            .unwrap();
        let tiles = atlas.worktree("code/atlas-tiles", "faster-tiles").unwrap();
        self.commit_at(
            &tiles,
            "tiles.rs",
            "Keep decoded tiles in memory",
            days_ago(6),
        );
        tiles.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
        let labels = atlas
            .worktree("code/atlas-labels", "curved-labels")
            .unwrap();
        self.commit_at(&labels, "file", "Bend labels along rivers", days_ago(21));
        self.commit_at(&atlas, "file", "Straighten labels again", days_ago(1));
        atlas.git(["push", "-q"]).unwrap();
        // It ends with conflicts, as the sample wants.
        labels.git(["merge", "-q", "main"]).unwrap_err();
        let pinned = atlas.worktree("code/atlas-1.4", "release-1.4").unwrap();
        pinned.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
        pinned
            .git(["worktree", "lock", "--reason", "kept for fixes to 1.4", "."])
            .unwrap();

        let ledger = self.dated("code/ledger", "Round amounts half to even", days_ago(40));
        let probe = ledger.worktree("code/ledger-import", "import-csv").unwrap();
        self.commit_at(
            &probe,
            "import.rs",
            "Read statements of three banks",
            days_ago(33),
        );
        probe.git(["checkout", "-q", "--detach"]).unwrap();
        self.commit_at(&probe, "import.rs", "Try another parser", days_ago(32));

        fs::create_dir_all(self.play.at("code/sketches")).unwrap();
        ["code/atlas", "code/ledger", "code/sketches"]
            .map(|name| text(&self.play.at(name)))
            .to_vec()
    }

    fn remote_sample(&self) -> Vec<String> {
        let kestrel = self.dated("srv/kestrel", "Answer with the nearest mirror", days_ago(3));
        kestrel.publish("origins/kestrel.git").unwrap();
        let retry = kestrel
            .worktree("srv/kestrel-retry", "retry-with-jitter")
            .unwrap();
        self.commit_at(
            &retry,
            "retry.rs",
            "Spread retries over a minute",
            days_ago(1),
        );
        let bench = kestrel
            .worktree("srv/kestrel-bench", "bench-cold-start")
            .unwrap();
        bench.write("results.csv", "run,seconds\n1,0.41\n").unwrap();
        let docs = kestrel
            .worktree("srv/kestrel-docs", "docs-for-operators")
            .unwrap();
        self.commit_at(&docs, "docs.md", "Say how to drain a node", days_ago(12));
        docs.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
        let quarry = self.dated("srv/quarry", "Store blocks by their hash", days_ago(64));
        quarry.publish("origins/quarry.git").unwrap();
        ["srv/kestrel", "srv/quarry"]
            .map(|name| text(&self.play.at(name)))
            .to_vec()
    }

    fn dated(&self, name: &str, subject: &str, at: Timestamp) -> Repo<'_> {
        let repo = self.play.empty_repo(name).unwrap();
        self.commit_at(&repo, "file", subject, at);
        repo
    }

    fn commit_at(&self, repo: &Repo<'_>, file: &str, subject: &str, at: Timestamp) {
        repo.write(file, format!("{subject}\n")).unwrap();
        repo.git(["add", "-A"]).unwrap();
        let done = self
            .play
            .command(repo.path())
            .args(["commit", "-q", "-m", subject])
            .env("GIT_AUTHOR_DATE", at.to_string())
            .env("GIT_COMMITTER_DATE", at.to_string())
            .status()
            .unwrap();
        assert!(done.success(), "{subject}");
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

/// The server as a person adds it.
pub fn server() -> NewHost {
    NewHost {
        destination: ALIAS.to_owned(),
        ..NewHost::default()
    }
}

/// This machine.
pub async fn local(app: &App) -> HostRef {
    let overview = app.overview().await.unwrap();
    overview.hosts.iter().find(|row| row.local).unwrap().id
}

/// All rows.
pub async fn rows(app: &App) -> Vec<WorkspaceRow> {
    let mut rows = Vec::new();
    let mut after = None;
    loop {
        let page = app.workspaces(after).await.unwrap();
        rows.extend(page.rows);
        after = page.next;
        if after.is_none() {
            return rows;
        }
    }
}

/// The row with a name.
pub async fn row(app: &App, name: &str) -> WorkspaceRow {
    let rows = rows(app).await;
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let shown = format!("no `{name}` in {names:?}");
    rows.into_iter().find(|row| row.name == name).expect(&shown)
}

/// Waits until something is there.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, look: impl FnMut() -> F) -> T {
    until_within(PATIENCE, what, look).await
}

/// As [`until`], for what takes longer or shorter than most.
async fn until_within<T, F: Future<Output = Option<T>>>(
    patience: Duration,
    what: &str,
    mut look: impl FnMut() -> F,
) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come");
        sleep(GLANCE).await;
    }
}

/// Waits until every root has answered with facts and no host is being called.
pub async fn settled(app: &App) {
    until("the answers of all hosts", || async {
        let overview = app.overview().await.unwrap();
        let idle = overview
            .hosts
            .iter()
            .all(|row| row.state == HostState::Idle);
        let asserted = overview
            .roots
            .iter()
            .all(|row| row.condition == RootCondition::Asserted && row.facts_at.is_some());
        (idle && asserted).then_some(())
    })
    .await;
}

async fn annotate_sample(app: &App) {
    let written = [
        (
            "atlas-search",
            "Ranking still loses to the old one on *short* names.\n\nAsk Ines for her list of queries before going on.",
            vec!["review"],
            true,
        ),
        (
            "atlas-1.4",
            "Goes away when 1.4 is out of support in March.",
            vec!["release"],
            false,
        ),
        ("ledger-import", "", vec!["experiment"], false),
        (
            "kestrel-retry",
            "Waits for numbers from the cold start bench.",
            vec!["review"],
            false,
        ),
    ];
    for (name, note, tags, pinned) in written {
        let patch = AnnotationPatch {
            note: Some(note.to_owned()),
            tags: Some(tags.into_iter().map(str::to_owned).collect()),
            pinned: Some(pinned),
            colour: (name == "atlas-1.4").then_some(ColourChoice::Green),
            ..AnnotationPatch::default()
        };
        app.annotate(row(app, name).await.id, patch).await.unwrap();
    }
    let release = app.add_group("Release 1.5".to_owned(), None).await.unwrap();
    let blocking = app.add_group("Blocking".to_owned(), Some(release)).await;
    app.add_group("Some day".to_owned(), None).await.unwrap();
    let mut members = Vec::new();
    for (name, group) in [
        ("atlas-search", blocking.unwrap()),
        ("atlas-tiles", release),
        ("kestrel-retry", release),
    ] {
        members.push(MemberForm {
            id: row(app, name).await.id,
            group: Some(group),
        });
    }
    app.regroup(members, Vec::new()).await.unwrap();
    let definition =
        r#"{"place":{"is":"filter","filter":"unpushed"},"query":"-tag:review","layout":{}}"#;
    app.save_view(None, "Not in review".to_owned(), definition.to_owned())
        .await
        .unwrap();
    let ids = rows(app).await.into_iter().map(|row| row.id).collect();
    app.measure_all("sample".to_owned(), ids).await.unwrap();
}

/// A path that is text, as text.
pub fn text(path: &Path) -> String {
    path.to_str().expect("a path of a test is text").to_owned()
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::now() - SignedDuration::from_hours(24 * days)
}
