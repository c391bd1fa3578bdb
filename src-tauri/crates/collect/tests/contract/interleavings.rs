//! People, two desktops and their sweeps take turns with one worktree in any order; sweeps and restores are killed at any
//! step. Whatever a person wrote is somewhere, unless a person removed it or agreed to lose it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rollcall_converge::{
    Caller, Consent, Generation, Head, Mode, Outcome, RootKind, Tier, TrashStage, WorkspaceKind,
};
use rollcall_testkit::repo::Repo;

use crate::ground::{Ground, path_bytes, tree_of};
use crate::removal::{STEPS, consent, removal, snapshot_of};

/// Steps of a restore before which it is killed.
const WAYS_BACK: [&str; 6] = ["back", "unlock", "return", "attach", "release", "returned"];

#[derive(Clone, Copy, Debug)]
enum Turn {
    /// A person edits a file that git knows.
    Edit,
    /// A person writes a file that git does not know.
    Write,
    /// A person commits whatever there is.
    Commit,
    /// A person locks it, or takes the lock away.
    Lock(bool),
    /// A person removes it, if it is there, and makes another one at its path.
    Again,
    /// A desktop shows it to a person, who agrees to what would go.
    Agree { desktop: usize, now: bool },
    /// A sweep of a desktop comes to it, and may be killed.
    Sweep {
        desktop: usize,
        killed: Option<usize>,
    },
    /// Somebody brings back what was deleted last, and may be killed.
    Restore { killed: Option<usize> },
    /// A person takes their deletion back.
    Cancel { desktop: usize },
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let step = |steps: usize| prop_oneof![2 => Just(None), 1 => (0..steps).prop_map(Some)];
    let turn = prop_oneof![
        2 => Just(Turn::Edit),
        2 => Just(Turn::Write),
        1 => Just(Turn::Commit),
        1 => any::<bool>().prop_map(Turn::Lock),
        1 => Just(Turn::Again),
        4 => (0..2_usize, prop::bool::weighted(0.25)).prop_map(|(desktop, now)| Turn::Agree { desktop, now }),
        6 => (0..2_usize, step(STEPS.len())).prop_map(|(desktop, killed)| Turn::Sweep { desktop, killed }),
        3 => step(WAYS_BACK.len()).prop_map(|killed| Turn::Restore { killed }),
        1 => (0..2_usize).prop_map(|desktop| Turn::Cancel { desktop }),
    ];
    prop::collection::vec(turn, 8..18)
}

/// What became of all sequences together, so that a test in which nothing happens does not pass.
#[derive(Debug, Default)]
struct Seen {
    went: u32,
    stopped: u32,
    killed: u32,
    restored: u32,
}

/// What a desktop holds.
struct Agreed {
    consent: Consent,
    /// Everything in the folder, and what HEAD was, when it was shown.
    shown: Shown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    files: Vec<(PathBuf, Vec<u8>)>,
    head: String,
    branch: String,
    locked: bool,
}

struct World<'a> {
    ground: &'a Ground,
    repo: Repo<'a>,
    tree: PathBuf,
    agreed: [Option<Agreed>; 2],
    /// What people wrote into files and did not remove since; each is unlike all others.
    written: BTreeSet<String>,
    commits: BTreeSet<String>,
    count: u32,
    /// Whether something was killed, and may have left HEAD on a commit.
    half_done: bool,
}

impl World<'_> {
    fn is_there(&self) -> bool {
        self.tree.join(".git").exists()
    }

    fn at_work(&self) -> Repo<'_> {
        self.ground.play.existing("work")
    }

    fn word(&mut self) -> String {
        self.count += 1;
        let word = format!("word {} of a person", self.count);
        self.written.insert(word.clone());
        word
    }

    /// Words in files below a folder; what is in git's objects is not looked at.
    fn words_in(&self, folder: &Path) -> BTreeSet<String> {
        let all = tree_of(folder);
        let texts = all
            .values()
            .filter_map(|it| String::from_utf8(it.3.clone()).ok());
        texts.filter(|it| self.written.contains(it)).collect()
    }

    fn shown(&self) -> Shown {
        let tree = self.at_work();
        let all = tree_of(&self.tree);
        let line = |arguments: &[&str]| tree.line(arguments).unwrap_or_default();
        let record = line(&["rev-parse", "--absolute-git-dir"]);
        Shown {
            files: all
                .into_iter()
                .filter(|(path, _)| path.is_file() && !path.ends_with(".git"))
                .map(|(path, it)| (path, it.3))
                .collect(),
            head: line(&["rev-parse", "HEAD"]),
            branch: line(&["symbolic-ref", "-q", "HEAD"]),
            locked: Path::new(&record).join("locked").exists(),
        }
    }

    async fn generation(&self) -> Option<Generation> {
        let complete = self
            .ground
            .repository(Tier::Existence, self.repo.path())
            .await;
        let path = path_bytes(&self.tree);
        let found = complete.assertions().iter().find(|it| it.path == path);
        found.and_then(|it| it.generation)
    }

    /// What is nowhere any more.
    fn lost(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let found = self.words_in(self.ground.play.path());
        let reachable = self.repo.line(["rev-list", "--all"]).unwrap();
        let reachable: BTreeSet<&str> = reachable.lines().collect();
        (
            self.written.difference(&found).cloned().collect(),
            self.commits
                .iter()
                .filter(|it| !reachable.contains(it.as_str()))
                .cloned()
                .collect(),
        )
    }

    /// What people remove themselves is theirs to remove.
    fn forget_what_is_gone(&mut self) {
        let (words, commits) = self.lost();
        self.written.retain(|it| !words.contains(it));
        self.commits.retain(|it| !commits.contains(it));
    }

    async fn take(&mut self, turn: Turn, seen: &RefCell<Seen>) {
        match turn {
            Turn::Edit if self.is_there() => {
                let word = self.word();
                self.at_work().write("file", word).unwrap();
                self.forget_what_is_gone();
            }
            Turn::Write if self.is_there() => {
                let word = self.word();
                self.at_work()
                    .write(format!("new-{}", self.count), word)
                    .unwrap();
            }
            Turn::Commit if self.is_there() => {
                let tree = self.at_work();
                tree.git(["add", "-A"]).unwrap();
                tree.git(["commit", "-q", "--allow-empty", "-m", "Work"])
                    .unwrap();
                let commit = tree.line(["rev-parse", "HEAD"]).unwrap();
                self.commits.insert(commit);
            }
            Turn::Lock(on) if self.is_there() => {
                let verb = if on { "lock" } else { "unlock" };
                // It may be so already.
                let path = self.tree.to_str().unwrap().to_owned();
                drop(self.repo.git(["worktree", verb, path.as_str()]));
            }
            Turn::Again => self.again(),
            Turn::Agree { desktop, now } if self.is_there() => self.agree(desktop, now).await,
            Turn::Sweep { desktop, killed } => {
                if self.agreed[desktop].is_none() && self.is_there() {
                    self.agree(desktop, false).await;
                }
                self.sweep(desktop, killed, seen).await;
            }
            Turn::Restore { killed } => self.restore(killed, seen).await,
            Turn::Cancel { desktop } => {
                if let Some(agreed) = &self.agreed[desktop] {
                    let undone = self
                        .ground
                        .collector
                        .undo(&self.ground.host, &removal(&agreed.consent))
                        .await;
                    if undone.is_ok() {
                        self.agreed[desktop] = None;
                    }
                }
            }
            _ => {}
        }
    }

    async fn agree(&mut self, desktop: usize, now: bool) {
        let shown = self.shown();
        let mut agreed = consent(
            self.ground,
            self.repo.path(),
            WorkspaceKind::Worktree,
            &self.tree,
        )
        .await;
        if now {
            agreed.mode = Mode::DeleteNow;
        }
        self.agreed[desktop] = Some(Agreed {
            consent: agreed,
            shown,
        });
    }

    fn again(&mut self) {
        let path = self.tree.to_str().unwrap().to_owned();
        if self.is_there() {
            drop(self.repo.git(["worktree", "unlock", path.as_str()]));
            self.repo
                .git(["worktree", "remove", "--force", path.as_str()])
                .unwrap();
            self.forget_what_is_gone();
        }
        // The branch may be used by what rests in the trash and was not detached yet; then the person takes another one.
        if self
            .repo
            .git(["worktree", "add", "-q", path.as_str(), "work"])
            .is_err()
        {
            self.count += 1;
            let branch = format!("work-{}", self.count);
            // Something half removed may be in the way, and a person leaves that alone.
            drop(self.repo.git([
                "worktree",
                "add",
                "-q",
                "-b",
                branch.as_str(),
                path.as_str(),
            ]));
        }
    }

    async fn sweep(&mut self, desktop: usize, killed: Option<usize>, seen: &RefCell<Seen>) {
        let Some(agreed) = &self.agreed[desktop] else {
            return;
        };
        let before = self.is_there().then(|| self.shown());
        let generation = if before.is_some() {
            self.generation().await
        } else {
            None
        };
        let collector = match killed {
            Some(step) => self.ground.failing_at(STEPS[step]),
            None => self.ground.collector.clone(),
        };
        let removal = removal(&agreed.consent);
        let outcome = collector
            .remove(&self.ground.host, &removal, Caller::Schedule)
            .await;
        {
            let mut seen = seen.borrow_mut();
            match &outcome {
                Ok(Outcome::Converged { .. }) => seen.went += 1,
                Ok(_) => seen.stopped += 1,
                Err(_) => seen.killed += 1,
            }
        }
        self.half_done |= killed.is_some();
        if let Some(before) = before {
            let is_another = generation != Some(agreed.consent.generation);
            // An attempt that was killed may have left HEAD on its commit alone; the next one puts that right.
            let is_elsewhere = !self.half_done && before.branch != agreed.shown.branch;
            let is_changed = before.locked
                || is_elsewhere
                || (&before.files, &before.head) != (&agreed.shown.files, &agreed.shown.head);
            if is_another || is_changed {
                // I8, I9: not one byte of it, nor its HEAD.
                assert!(self.is_there(), "{outcome:?}");
                let after = self.shown();
                assert_eq!(after.files, before.files, "{outcome:?}");
                assert_eq!(after.locked, before.locked, "{outcome:?}");
                assert_eq!(after.head, before.head, "{outcome:?}");
                assert!(
                    self.half_done || after.branch == before.branch,
                    "{outcome:?}"
                );
                if !is_another {
                    assert!(
                        !matches!(outcome, Ok(Outcome::Converged { .. })),
                        "{outcome:?}"
                    );
                }
            }
        }
        if agreed.consent.mode == Mode::DeleteNow {
            // What is gone now is what was agreed to.
            let (words, commits) = self.lost();
            let texts: BTreeSet<Vec<u8>> =
                agreed.shown.files.iter().map(|it| it.1.clone()).collect();
            for word in &words {
                assert!(
                    texts.contains(word.as_bytes()),
                    "{word} is lost: {outcome:?}"
                );
            }
            if !commits.is_empty() {
                let head = &agreed.consent.existence.head;
                assert!(matches!(head, Head::Detached { .. }), "{commits:?}");
            }
            self.forget_what_is_gone();
        }
    }

    async fn restore(&mut self, killed: Option<usize>, seen: &RefCell<Seen>) {
        let snapshot = snapshot_of(self.ground, RootKind::Repository, self.repo.path()).await;
        let resting = snapshot.trash().iter();
        let Some(it) = resting
            .filter(|it| it.stage != TrashStage::Restored)
            .max_by_key(|it| it.id)
        else {
            return;
        };
        let collector = match killed {
            Some(step) => self.ground.failing_at(WAYS_BACK[step]),
            None => self.ground.collector.clone(),
        };
        let restored = collector.restore(&self.ground.host, it, None).await;
        self.half_done |= killed.is_some();
        if restored.is_ok() {
            assert!(self.is_there());
            seen.borrow_mut().restored += 1;
        }
    }

    /// What holds after every turn.
    async fn check(&self) {
        let (words, commits) = self.lost();
        assert!(
            words.is_empty() && commits.is_empty(),
            "lost: {words:?} {commits:?}"
        );
        // The innocent one is as it was.
        assert_eq!(
            self.ground
                .play
                .existing("other")
                .line(["status", "--porcelain", "--branch"])
                .unwrap(),
            "## other\n M file"
        );
        let complete = self
            .ground
            .repository(Tier::Existence, self.repo.path())
            .await;
        // What rests in the trash is no workspace, and what is at the path is one.
        let path = path_bytes(&self.tree);
        let listed: Vec<_> = complete.assertions().iter().map(|it| &it.path).collect();
        assert!(
            listed.iter().all(|it| **it == path
                || **it == path_bytes(self.repo.path())
                || **it == path_bytes(&self.ground.play.at("other"))
                || it.display().contains("rollcall-trash")),
            "{listed:?}"
        );
        if self.is_there() {
            assert!(listed.contains(&&path), "{listed:?}");
        }
    }
}

#[test]
fn i8_i9_i14_whatever_people_desktops_and_sweeps_do_in_turn_nothing_is_lost() {
    let deep = std::env::var_os("PROPTEST_CASES").is_some();
    let mut runner = TestRunner::new(Config {
        cases: if deep { 400 } else { 12 },
        max_shrink_iters: 40,
        failure_persistence: None,
        ..Config::default()
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let seen = RefCell::new(Seen::default());
    let ran = runner.run(&turns(), |turns| {
        runtime.block_on(async {
            let ground = Ground::local();
            let repo = ground.play.repo("repo").unwrap();
            let other = repo.worktree("other", "other").unwrap();
            other.write("file", "theirs\n").unwrap();
            let tree = repo.worktree("work", "work").unwrap();
            let mut world = World {
                tree: tree.path().to_owned(),
                ground: &ground,
                repo,
                agreed: [None, None],
                written: BTreeSet::new(),
                commits: BTreeSet::new(),
                count: 0,
                half_done: false,
            };
            for turn in turns {
                world.take(turn, &seen).await;
                world.check().await;
            }
        });
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
    let seen = seen.into_inner();
    assert!(
        seen.went > 0 && seen.stopped > 0 && seen.killed > 0 && seen.restored > 0,
        "{seen:?}"
    );
}
