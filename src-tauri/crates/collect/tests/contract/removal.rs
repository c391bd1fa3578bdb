//! Cases about removals: what goes, what stops, and how everything comes back.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use jiff::Timestamp;
use rollcall_converge::{
    BranchChoice, Caller, Consent, FactsOutcome, FailureClass, FailureCode, Mode, Outcome, Reason,
    Removal, RootKind, RootOutcome, Snapshot, Tier, TrashStage, Trashed, WorkspaceKind,
};
use rollcall_testkit::repo::Repo;
use rollcall_testkit::resident::Resident;
use uuid::Uuid;

use crate::cases::{mode, unprivileged};
use crate::depth::look;
use crate::ground::{Ground, at, path_bytes, tree_of, until};

/// An identifier that no other deletion of this run has.
fn fresh() -> Uuid {
    static LAST: AtomicU64 = AtomicU64::new(0);
    Uuid::from_u128(u128::from(LAST.fetch_add(1, Ordering::Relaxed)) + 1)
}

/// What a person agrees to who is shown a workspace now.
pub(crate) async fn consent(
    ground: &Ground,
    root: &Path,
    kind: WorkspaceKind,
    path: &Path,
) -> Consent {
    let root_kind = match kind {
        WorkspaceKind::Directory => RootKind::Directory,
        _ => RootKind::Repository,
    };
    let call = ground.call(Tier::Facts, &[(root_kind, root.to_path_buf())]);
    let snapshot = ground.roll(&call).await;
    let [(_, RootOutcome::Complete(complete))] = snapshot.roots() else {
        panic!("{snapshot:?}");
    };
    let assertion = at(complete, path);
    Consent {
        id: fresh(),
        generation: assertion.generation.unwrap(),
        kind,
        path: assertion.path,
        mount: assertion.mount,
        existence: assertion.existence,
        facts: match assertion.facts {
            FactsOutcome::Observed(facts) => Some(facts),
            _ => None,
        },
        mode: Mode::Trash,
        branch: BranchChoice::Keep,
        shown_at: Timestamp::now(),
        look: Some(look(ground, kind, path).await),
        unseen: false,
        restored: snapshot.trash().iter().map(|it| it.id).collect(),
        days: 14,
    }
}

async fn consent_to_worktree(ground: &Ground, tree: &Repo<'_>) -> Consent {
    let root = ground.play.at("repo");
    consent(ground, &root, WorkspaceKind::Worktree, tree.path()).await
}

pub(crate) fn removal(consent: &Consent) -> Removal {
    Removal {
        consent: consent.clone(),
        epoch: 1,
        repository_mount: None,
    }
}

async fn remove(ground: &Ground, consent: &Consent) -> Outcome {
    ground
        .collector
        .remove(&ground.host, &removal(consent), Caller::Schedule)
        .await
        .unwrap()
}

async fn goes(ground: &Ground, consent: &Consent) -> String {
    match remove(ground, consent).await {
        Outcome::Converged { branch } => branch,
        other => panic!("{other:?}"),
    }
}

/// Brings something back to where it was, and says what became of its branch.
async fn bring_back(ground: &Ground, it: &Trashed) -> String {
    let restored = ground.collector.restore(&ground.host, it, None);
    restored.await.unwrap()
}

/// Why a removal stops for a person; nothing is changed by it.
async fn stops(ground: &Ground, consent: &Consent) -> (Reason, String) {
    let before = tree_of(ground.play.path());
    let outcome = remove(ground, consent).await;
    let after = tree_of(ground.play.path());
    let own = ground.play.path();
    let common = consent.existence.common_dir.as_ref();
    let changed: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        // The lock came and went, and only the times of folders tell of it.
        .filter(|path| *path != own && !path.ends_with("rollcall.lock"))
        .filter(|path| common.is_none_or(|common| path_bytes(path) != *common))
        .collect();
    assert!(changed.is_empty(), "{changed:?} changed before {outcome:?}");
    match outcome {
        Outcome::Failed {
            class: FailureClass::Terminal,
            reason,
            message,
            ..
        } => (reason, message),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn snapshot_of(ground: &Ground, kind: RootKind, path: &Path) -> Snapshot {
    let call = ground.call(Tier::Existence, &[(kind, path.to_path_buf())]);
    ground.roll(&call).await
}

/// What rests in the trash, by the word of a roll call.
async fn trash(ground: &Ground) -> Vec<Trashed> {
    let snapshot = snapshot_of(ground, RootKind::Repository, &ground.play.at("repo")).await;
    snapshot.trash().to_vec()
}

/// What a person would miss: every file with its times and permissions; of links only that they are there.
fn whole(folder: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut all = tree_of(folder);
    for (path, it) in &mut all {
        if path.is_symlink() {
            it.3 = fs::read_link(path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes();
        }
    }
    all
}

/// A worktree with work of every kind in it.
fn full<'a>(ground: &'a Ground, repo: &Repo<'a>) -> Repo<'a> {
    let tree = repo.worktree("work", "work").unwrap();
    tree.commit("kept", "committed\n", "On its branch").unwrap();
    fs::write(ground.play.at("repo/.git/info/exclude"), "*.log\n.env\n").unwrap();
    tree.write("kept", "edited\n").unwrap();
    tree.write("staged", "staged\n").unwrap();
    tree.git(["add", "staged"]).unwrap();
    tree.write("staged", "and edited\n").unwrap();
    tree.write("unknown/deep", "nobody knows\n").unwrap();
    tree.write(".env", "SECRET=1\n").unwrap();
    tree.write("run.sh", "#!/bin/sh\n").unwrap();
    fs::set_permissions(
        tree.path().join("run.sh"),
        fs::Permissions::from_mode(0o750),
    )
    .unwrap();
    symlink("nowhere", tree.path().join("link")).unwrap();
    fs::create_dir(tree.path().join("empty")).unwrap();
    let old = SystemTime::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 123_000_000);
    for name in ["unknown/deep", "unknown", "."] {
        let file = fs::File::open(tree.path().join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    tree
}

/// What git itself keeps of a working tree, and everything that may not change in a repository for it.
fn kept_by_git(ground: &Ground) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let git = ground.play.at("repo/.git");
    let mut all = whole(&git);
    all.retain(|path, it| {
        // Times of folders tell that a lock came and went.
        if path.is_dir() {
            (it.1, it.2) = (0, 0);
        }
        let shown = path
            .strip_prefix(&git)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        // The log of HEAD tells what happened; what was restored leaves a note for other desktops.
        !shown.contains("logs/HEAD")
            && !shown.starts_with("rollcall-trash")
            && !shown.starts_with("refs/rollcall")
    });
    for it in all.values_mut() {
        // HEAD and the links are written anew, with what they said.
        if it.3.starts_with(b"ref: ") {
            (it.1, it.2) = (0, 0);
        }
    }
    all
}

pub(crate) async fn i14_what_was_deleted_comes_back_byte_for_byte(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = full(ground, &repo);
    let agreed = consent_to_worktree(ground, &tree).await;
    let status = tree
        .line(["status", "--porcelain=v2", "--branch", "--ignored"])
        .unwrap();
    let (before, git) = (whole(tree.path()), kept_by_git(ground));
    let kept = || repo.line(["for-each-ref", "refs/rollcall"]).unwrap();

    assert_eq!(goes(ground, &agreed).await, "");
    assert!(!tree.path().exists());
    let found = trash(ground).await;
    let [it] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (
            it.id,
            it.stage,
            it.generation,
            it.from.clone(),
            it.days_left()
        ),
        (
            agreed.id,
            TrashStage::Whole,
            Some(agreed.generation),
            agreed.path.clone(),
            14
        )
    );
    assert!(kept().contains("/head"), "its commits have references");
    // The branch is free, and its name is where it was.
    repo.git(["checkout", "-q", "work"]).unwrap();
    repo.git(["checkout", "-q", "main"]).unwrap();
    // Whatever people do to tidy up, it stays (C16).
    repo.git(["worktree", "prune"]).unwrap();
    repo.git(["gc", "-q", "--prune=now"]).unwrap();

    let said = ground
        .collector
        .restore(&ground.host, it, None)
        .await
        .unwrap();
    assert_eq!(said, "");
    assert_eq!(whole(tree.path()), before);
    let after = kept_by_git(ground);
    for (path, was) in &git {
        let shown = path.to_string_lossy();
        // What was packed meanwhile, by people, is elsewhere.
        if [
            "objects", "refs", "packed", "logs", "info", "index", "HEAD", "hooks",
        ]
        .iter()
        .any(|it| shown.contains(it))
            && !shown.contains("worktrees")
            || path.is_dir()
        {
            continue;
        }
        assert_eq!(after.get(path), Some(was), "{shown}");
    }
    let again = tree
        .line(["status", "--porcelain=v2", "--branch", "--ignored"])
        .unwrap();
    assert_eq!(again, status);
    assert_eq!(kept(), "", "nothing of it stays among the references");
    let left = trash(ground).await;
    assert_eq!(
        left.iter().map(|it| it.stage).collect::<Vec<_>>(),
        [TrashStage::Restored]
    );
}

pub(crate) async fn i9_c2_c3_rc01_whatever_happened_since_stops_a_deletion_and_says_what(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    repo.commit("tracked", "12345\n", "Tracked").unwrap();
    fs::write(
        ground.play.at("repo/.git/info/exclude"),
        "*.log\n.env\nbuild/\n",
    )
    .unwrap();
    let names = [
        "commit",
        "edit",
        "untracked",
        "ignored",
        "lock",
        "rebase",
        "branch",
        "other",
        "reflog",
        "hidden",
        "same",
        "nested",
        "staged",
        "index",
        "stash",
    ];
    let trees: BTreeMap<&str, Repo<'_>> = names
        .iter()
        .map(|name| {
            let tree = repo.worktree(name, name).unwrap();
            tree.write("tracked", "12346\n").unwrap();
            tree.write(".env", "A=1\n").unwrap();
            (*name, tree)
        })
        .collect();
    trees["hidden"]
        .git(["update-index", "--skip-worktree", "tracked"])
        .unwrap();
    let mut agreed = BTreeMap::new();
    for (name, tree) in &trees {
        agreed.insert(*name, consent_to_worktree(ground, tree).await);
    }

    let tree = |name: &str| trees[name].path().to_path_buf();
    trees["commit"].git(["commit", "-qam", "Since"]).unwrap();
    // The same file, the same counts.
    trees["edit"].write("tracked", "12347 and more\n").unwrap();
    trees["untracked"].write("new", "new\n").unwrap();
    trees["ignored"].write("build/.env", "B=1\n").unwrap();
    repo.git([
        "worktree",
        "lock",
        "--reason",
        "on a stick",
        tree("lock").to_str().unwrap(),
    ])
    .unwrap();
    fs::create_dir(ground.play.at("repo/.git/worktrees/rebase/rebase-merge")).unwrap();
    repo.git(["update-ref", "refs/heads/branch", "HEAD~1"])
        .unwrap();
    trees["other"]
        .git(["checkout", "-q", "-b", "elsewhere"])
        .unwrap();
    trees["reflog"].git(["stash", "-q"]).unwrap();
    trees["reflog"]
        .commit("more", "x\n", "Only in the reflog")
        .unwrap();
    trees["reflog"]
        .git(["reset", "-q", "--hard", "HEAD~1"])
        .unwrap();
    trees["reflog"].git(["stash", "pop", "-q"]).unwrap();
    trees["hidden"].write("tracked", "12348\n").unwrap();
    let file = fs::File::options()
        .write(true)
        .open(tree("same").join("tracked"))
        .unwrap();
    let time = file.metadata().unwrap().modified().unwrap();
    fs::write(tree("same").join("tracked"), "12399\n").unwrap();
    file.set_modified(time).unwrap();
    ground
        .play
        .git(&tree("nested"), ["init", "-q", "build/inner"])
        .unwrap();
    trees["staged"].git(["add", "tracked"]).unwrap();
    fs::write(ground.play.at("repo/.git/worktrees/index/index.lock"), "").unwrap();
    trees["stash"].git(["stash", "-q"]).unwrap();

    for (name, reason, words) in [
        ("commit", Reason::Changed, "HEAD"),
        ("edit", Reason::Changed, "edited"),
        ("untracked", Reason::Changed, "untracked"),
        ("ignored", Reason::Changed, "ignored"),
        ("lock", Reason::Locked, "on a stick"),
        ("rebase", Reason::Busy, "rebase"),
        ("branch", Reason::Changed, "HEAD"),
        ("other", Reason::Changed, "refs/heads/elsewhere"),
        ("reflog", Reason::Changed, "reflog"),
        ("hidden", Reason::Changed, "hidden"),
        ("same", Reason::Changed, "edited"),
        ("nested", Reason::Blocked, "build/inner"),
        ("staged", Reason::Changed, "staged"),
        ("index", Reason::Busy, "index"),
        ("stash", Reason::Changed, "edited"),
    ] {
        let (why, said) = stops(ground, &agreed[name]).await;
        assert!(
            why == reason && said.contains(words),
            "{name}: {why:?} {said}"
        );
    }
    assert_eq!(trash(ground).await, []);
    // Nobody said anything against the consent itself: agreed to anew, each of them goes that nothing blocks.
    let again = consent_to_worktree(ground, &trees["edit"]).await;
    assert_eq!(goes(ground, &again).await, "");
}

pub(crate) async fn c4_whoever_works_inside_stops_a_deletion_by_name(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("work", "work").unwrap();
    tree.write("deep/file", "x\n").unwrap();
    let agreed = consent_to_worktree(ground, &tree).await;
    let inside = Resident::new(&tree.path().join("deep")).unwrap();
    // A roll call that goes through it just now is nobody who works there.
    let _looking = Resident::with(tree.path(), &[("ROLLCALL_COLLECTOR", "1")]).unwrap();
    let (reason, said) = stops(ground, &agreed).await;
    let number = inside.id().to_string();
    drop(inside);
    assert_eq!(reason, Reason::InUse);
    assert!(said.contains("sleep") && said.contains(&number), "{said}");
    goes(ground, &agreed).await;
}

pub(crate) async fn i8_c9_rc10_rc13_a_workspace_that_came_later_is_spared(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let again = repo.worktree("again", "again").unwrap();
    let folder = repo.worktree("folder", "folder").unwrap();
    let other = repo.worktree("other", "other").unwrap();
    let gone = repo.worktree("gone", "gone").unwrap();
    let mut agreed = Vec::new();
    for tree in [&again, &folder, &other, &gone] {
        agreed.push(consent_to_worktree(ground, tree).await);
        repo.git([
            "worktree",
            "remove",
            "--force",
            tree.path().to_str().unwrap(),
        ])
        .unwrap();
    }
    // Its name among the records is taken by a later one, at the same path or at another.
    repo.git([
        "worktree",
        "add",
        "-q",
        again.path().to_str().unwrap(),
        "again",
    ])
    .unwrap();
    again.write("precious", "later\n").unwrap();
    fs::create_dir(folder.path()).unwrap();
    folder.write("precious", "a folder\n").unwrap();
    ground
        .play
        .git(ground.play.path(), ["init", "-q", "other"])
        .unwrap();
    other.write("precious", "another repository\n").unwrap();
    let elsewhere = ground.play.at("elsewhere/gone");
    repo.git(["worktree", "add", "-q", elsewhere.to_str().unwrap(), "gone"])
        .unwrap();

    let mut before = tree_of(ground.play.path());
    for consent in &agreed {
        goes(ground, consent).await;
    }
    let mut after = tree_of(ground.play.path());
    let git = ground.play.at("repo/.git");
    for all in [&mut before, &mut after] {
        all.remove(&git);
    }
    assert_eq!(after, before);
}

pub(crate) async fn c1_rc11_what_is_not_the_workspace_itself_is_refused(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let one = repo.worktree("one", "one").unwrap();
    let two = repo.worktree("two", "two").unwrap();
    let agreed = consent_to_worktree(ground, &one).await;
    two.write("precious", "x\n").unwrap();
    // In the place of its folder stands a link to a sibling.
    fs::rename(one.path(), ground.play.at("aside")).unwrap();
    symlink(two.path(), one.path()).unwrap();
    let (reason, _) = stops(ground, &agreed).await;
    assert_eq!(reason, Reason::Refused);
    fs::remove_file(one.path()).unwrap();
    // Its folder is the one of a sibling.
    fs::rename(two.path(), one.path()).unwrap();
    let (reason, _) = stops(ground, &agreed).await;
    assert_eq!(reason, Reason::Refused);
    fs::rename(one.path(), two.path()).unwrap();
    // It is gone, and git still has a record of it.
    let outcome = remove(ground, &agreed).await;
    assert!(matches!(outcome, Outcome::Waits { .. }), "{outcome:?}");
    fs::rename(ground.play.at("aside"), one.path()).unwrap();

    for path in ["/", "relative"] {
        let refused = Consent {
            path: rollcall_converge::HostPath::new(path),
            ..agreed.clone()
        };
        assert_eq!(stops(ground, &refused).await.0, Reason::Refused, "{path}");
    }
    goes(ground, &agreed).await;
    assert!(two.path().join("precious").exists());
}

pub(crate) async fn c10_a_removal_that_is_killed_at_any_step_is_finished_or_undone(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    for step in STEPS {
        let name = format!("killed-{step}");
        let tree = repo.worktree(&name, &name).unwrap();
        tree.write("unknown", "nobody knows\n").unwrap();
        let agreed = consent_to_worktree(ground, &tree).await;
        let before = whole(tree.path());
        killed(ground, &agreed, step).await;
        let is_whole = |path: &Path| path.join("unknown").exists();
        let places = || {
            let trash = ground.play.at("repo/.git/rollcall-trash");
            fs::read_dir(trash)
                .into_iter()
                .flatten()
                .map(|it| it.unwrap().path().join("tree"))
        };
        assert!(
            is_whole(tree.path()) || places().any(|it| is_whole(&it)),
            "{step}: neither here nor there"
        );
        // Half of them are finished, by another attempt, and half are taken back.
        assert_eq!(goes(ground, &agreed).await, "", "{step}");
        assert!(!tree.path().exists(), "{step}");
        let found = trash(ground).await;
        let it = found.iter().find(|it| it.id == agreed.id).unwrap();
        assert_eq!(it.stage, TrashStage::Whole, "{step}");
        ground
            .collector
            .restore(&ground.host, it, None)
            .await
            .unwrap();
        assert_eq!(whole(tree.path()), before, "{step}");

        let agreed = Consent {
            id: fresh(),
            ..consent_to_worktree(ground, &tree).await
        };
        killed(ground, &agreed, step).await;
        ground
            .collector
            .undo(&ground.host, &removal(&agreed))
            .await
            .unwrap();
        assert_eq!(whole(tree.path()), before, "{step}");
        assert_eq!(
            tree.line(["symbolic-ref", "HEAD"]).unwrap(),
            format!("refs/heads/{name}"),
            "{step}"
        );
        assert!(
            repo.line(["for-each-ref", "refs/rollcall"])
                .unwrap()
                .is_empty(),
            "{step}"
        );
    }
}

/// Steps of a removal before which it is killed.
pub(crate) const STEPS: [&str; 11] = [
    "start", "lock", "resolve", "guard", "manifest", "refs", "detach", "move", "moved", "branch",
    "done",
];

/// Begins a removal that is killed before a step.
async fn killed(ground: &Ground, agreed: &Consent, step: &str) {
    let failure = ground
        .failing_at(step)
        .remove(&ground.host, &removal(agreed), Caller::Schedule)
        .await
        .unwrap_err();
    assert!(
        matches!(
            failure.code,
            FailureCode::CommandFailed | FailureCode::Malformed | FailureCode::Cut
        ),
        "{step}: {failure:?}"
    );
}

/// The one thing in the trash that has not been restored.
async fn resting(ground: &Ground) -> Trashed {
    let mut all = trash(ground).await;
    all.retain(|it| it.stage != TrashStage::Restored);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

pub(crate) async fn rc30_delete_now_goes_by_way_of_the_trash_and_leaves_nothing(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    for step in ["", "moved", "compare", "wipe", "record", "unref", "forget"] {
        let name = format!("now-{step}");
        let tree = repo.worktree(&name, &name).unwrap();
        tree.write("ro/file", "x\n").unwrap();
        symlink(repo.path(), tree.path().join("out")).unwrap();
        fs::set_permissions(tree.path().join("ro"), fs::Permissions::from_mode(0o500)).unwrap();
        let agreed = Consent {
            mode: Mode::DeleteNow,
            ..consent_to_worktree(ground, &tree).await
        };
        if !step.is_empty() {
            killed(ground, &agreed, step).await;
        }
        goes(ground, &agreed).await;
        assert_eq!(trash(ground).await, [], "{step}");
        assert!(
            !tree.path().exists() && !ground.play.at("repo/.git/rollcall-trash").exists(),
            "{step}"
        );
        assert!(
            !repo.line(["worktree", "list"]).unwrap().contains("trash"),
            "{step}"
        );
        assert_eq!(
            repo.line(["for-each-ref", "refs/rollcall"]).unwrap(),
            "",
            "{step}"
        );
        // The branch was not asked for, and what a link led to is nobody's to remove.
        repo.git(["rev-parse", "-q", "--verify", &name]).unwrap();
        assert!(repo.path().join("file").exists());
        goes(ground, &agreed).await;
    }
}

pub(crate) async fn c8_rc04_rc24_a_branch_goes_only_if_nobody_needs_it_and_comes_back(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("work", "topic/work").unwrap();
    tree.commit("a", "1\n", "Only here").unwrap();
    repo.git(["config", "branch.topic/work.description", "what it is for"])
        .unwrap();
    repo.git(["config", "branch.topic.description", "another"])
        .unwrap();
    let tip = tree.line(["rev-parse", "HEAD"]).unwrap();
    let log = repo.line(["reflog", "topic/work"]).unwrap();
    let agreed = |consent: Consent, branch| Consent { branch, ..consent };

    // Not merged, so it stays.
    let kept = agreed(
        consent_to_worktree(ground, &tree).await,
        BranchChoice::DeleteIfMerged,
    );
    assert_eq!(goes(ground, &kept).await, "");
    assert_eq!(repo.line(["rev-parse", "topic/work"]).unwrap(), tip);
    let back = |it: Trashed| async move { bring_back(ground, &it).await };
    assert_eq!(back(resting(ground).await).await, "");

    let gone = agreed(
        consent_to_worktree(ground, &tree).await,
        BranchChoice::Delete,
    );
    assert_eq!(goes(ground, &gone).await, "deleted");
    assert!(
        repo.git(["rev-parse", "-q", "--verify", "refs/heads/topic/work"])
            .is_err()
    );
    assert_eq!(
        repo.line(["config", "branch.topic.description"]).unwrap(),
        "another"
    );
    repo.git(["gc", "-q", "--prune=now"]).unwrap();
    assert_eq!(back(resting(ground).await).await, "");
    assert_eq!(tree.line(["rev-parse", "HEAD"]).unwrap(), tip);
    assert_eq!(
        tree.line(["symbolic-ref", "HEAD"]).unwrap(),
        "refs/heads/topic/work"
    );
    assert_eq!(repo.line(["reflog", "topic/work"]).unwrap(), log);
    assert_eq!(
        repo.line(["config", "branch.topic/work.description"])
            .unwrap(),
        "what it is for"
    );

    // Somebody else has it checked out.
    let asked = agreed(
        consent_to_worktree(ground, &tree).await,
        BranchChoice::Delete,
    );
    repo.git([
        "worktree",
        "add",
        "-q",
        "-f",
        ground.play.at("second").to_str().unwrap(),
        "topic/work",
    ])
    .unwrap();
    let said = goes(ground, &asked).await;
    assert!(said.starts_with("kept: another working tree"), "{said}");
    // It comes back without its branch, and says so (E6).
    let said = back(resting(ground).await).await;
    assert!(said.contains("checked out elsewhere"), "{said}");
    assert_eq!(tree.line(["rev-parse", "HEAD"]).unwrap(), tip);
    repo.git([
        "worktree",
        "remove",
        "--force",
        ground.play.at("second").to_str().unwrap(),
    ])
    .unwrap();
    tree.git(["checkout", "-q", "topic/work"]).unwrap();

    // It moved while the workspace lay in the trash (E6).
    let asked = consent_to_worktree(ground, &tree).await;
    goes(ground, &asked).await;
    repo.git(["branch", "-f", "topic/work", "main"]).unwrap();
    let said = back(resting(ground).await).await;
    assert!(said.contains("has moved"), "{said}");
    assert_eq!(tree.line(["rev-parse", "HEAD"]).unwrap(), tip);
    assert!(tree.git(["symbolic-ref", "-q", "HEAD"]).is_err());

    // It moves in the last moment, when all but itself is in the trash.
    let late = repo.worktree("late", "late").unwrap();
    let asked = agreed(
        consent_to_worktree(ground, &late).await,
        BranchChoice::Delete,
    );
    let (running, pid) = held(ground, &asked, "branch").await;
    repo.git(["update-ref", "refs/heads/late", &tip]).unwrap();
    go_on(&pid);
    let ended = running.await.unwrap();
    assert!(
        matches!(&ended, Outcome::Converged { branch } if branch.contains("it has moved since")),
        "{ended:?}"
    );
    assert_eq!(repo.line(["rev-parse", "refs/heads/late"]).unwrap(), tip);
}

pub(crate) async fn c11_e6_nothing_is_restored_into_what_is_there(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("deep/work", "work").unwrap();
    tree.write("unknown", "x\n").unwrap();
    let agreed = consent_to_worktree(ground, &tree).await;
    let before = whole(tree.path());
    goes(ground, &agreed).await;
    let it = resting(ground).await;
    let restore = |path: Option<PathBuf>| {
        let it = it.clone();
        async move {
            let path = path.map(|path| path_bytes(&path));
            ground
                .collector
                .restore(&ground.host, &it, path.as_ref())
                .await
        }
    };
    fs::create_dir(tree.path()).unwrap();
    let taken = restore(None).await.unwrap_err();
    assert!(taken.message.contains("there is something"), "{taken:?}");
    assert_eq!(
        fs::read_dir(tree.path()).unwrap().count(),
        0,
        "nothing landed inside"
    );
    fs::remove_dir(tree.path()).unwrap();
    fs::remove_dir(ground.play.at("deep")).unwrap();
    let taken = restore(None).await.unwrap_err();
    assert!(taken.message.contains("no folder"), "{taken:?}");
    symlink(ground.play.path(), ground.play.at("deep")).unwrap();
    let taken = restore(None).await.unwrap_err();
    assert!(taken.message.contains("leads elsewhere"), "{taken:?}");
    assert_eq!(resting(ground).await.stage, TrashStage::Whole);
    // Another place does as well.
    let other = ground.play.at("other");
    restore(Some(other.clone())).await.unwrap();
    let names = |all: &BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)>, top: &Path| -> Vec<_> {
        all.iter()
            .map(|(path, it)| (path.strip_prefix(top).unwrap().to_path_buf(), it.3.clone()))
            .filter(|(path, _)| path != Path::new(".git"))
            .collect()
    };
    assert_eq!(names(&whole(&other), &other), names(&before, tree.path()));
    let status = ground.play.git(&other, ["status", "--porcelain"]).unwrap();
    assert_eq!(status.stdout, b"?? unknown\n");
    let again = restore(None).await.unwrap_err();
    assert_eq!(again.code, FailureCode::PathNotFound);
}

pub(crate) async fn c10_a_restore_that_is_killed_at_any_step_is_finished_by_the_next(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    for step in [
        "start", "back", "unlock", "return", "attach", "release", "returned",
    ] {
        let tree = repo.worktree(step, step).unwrap();
        tree.write("unknown", "x\n").unwrap();
        let agreed = Consent {
            branch: BranchChoice::Delete,
            ..consent_to_worktree(ground, &tree).await
        };
        let before = whole(tree.path());
        goes(ground, &agreed).await;
        let it = resting(ground).await;
        let failing = ground.failing_at(step);
        failing.restore(&ground.host, &it, None).await.unwrap_err();
        // Whoever wants to delete it meanwhile has to look again.
        if step != "start" && step != "back" {
            assert_eq!(stops(ground, &agreed).await.0, Reason::Changed, "{step}");
        }
        let said = bring_back(ground, &it).await;
        assert_eq!(said, "", "{step}");
        assert_eq!(whole(tree.path()), before, "{step}");
        assert_eq!(
            tree.line(["symbolic-ref", "HEAD"]).unwrap(),
            format!("refs/heads/{step}")
        );
    }
}

pub(crate) async fn c15_e7_two_desktops_delete_one_workspace_and_one_of_them_restores_it(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("work", "work").unwrap();
    tree.write("unknown", "x\n").unwrap();
    let before = whole(tree.path());
    let one = consent_to_worktree(ground, &tree).await;
    let other = Consent {
        id: fresh(),
        ..one.clone()
    };
    // While one holds the lock, the other waits.
    let (first, pid) = held(ground, &one, "manifest").await;
    let outcome = remove(ground, &other).await;
    assert!(matches!(outcome, Outcome::Waits { .. }), "{outcome:?}");
    go_on(&pid);
    let ended = first.await.unwrap();
    assert!(matches!(ended, Outcome::Converged { .. }), "{ended:?}");
    // Now the other one has nothing left to do, and nothing is deleted twice.
    goes(ground, &other).await;
    let it = resting(ground).await;
    assert_eq!(it.id, one.id);
    bring_back(ground, &it).await;
    for consent in [&one, &other] {
        let (reason, said) = stops(ground, consent).await;
        assert!(
            reason == Reason::Changed && said.contains("restored"),
            "{said}"
        );
    }
    assert_eq!(whole(tree.path()), before);
    // Who looked at it after that may delete it.
    let again = consent_to_worktree(ground, &tree).await;
    goes(ground, &again).await;
}

pub(crate) async fn c6_rc17_rc18_rc19_work_in_submodules_counts_and_comes_back(ground: &Ground) {
    let module = ground.play.repo("module").unwrap();
    let repo = ground.play.repo("repo").unwrap();
    let from = module.path().to_str().unwrap();
    let allow = ["-c", "protocol.file.allow=always"];
    for name in ["m", "n"] {
        repo.git([&allow[..], &["submodule", "--quiet", "add", from, name]].concat())
            .unwrap();
    }
    repo.git(["commit", "-qm", "Submodules"]).unwrap();
    repo.git(["config", "submodule.m.ignore", "all"]).unwrap();
    let tree = repo.worktree("work", "work").unwrap();
    tree.git(
        [
            &allow[..],
            &["submodule", "--quiet", "update", "--init", "m"],
        ]
        .concat(),
    )
    .unwrap();
    let agreed = consent_to_worktree(ground, &tree).await;
    let work = |consent: &Consent| {
        let deep = &consent.look.as_ref().unwrap().deep;
        deep.submodules
            .clone()
            .unwrap()
            .iter()
            .map(|it| (it.path.display(), it.commits, it.edits))
            .collect::<Vec<_>>()
    };
    assert_eq!(work(&agreed), []);
    // A commit that nothing outside holds, a file that git does not know, and one where a submodule is not checked out.
    let inner = ground.play.existing("work/m");
    inner.git(["checkout", "-q", "-b", "local"]).unwrap();
    inner
        .commit("only", "here\n", "Only in the submodule")
        .unwrap();
    inner.write("unknown", "x\n").unwrap();
    inner.git(["checkout", "-q", "--detach", "HEAD~1"]).unwrap();
    tree.write("n/left", "behind\n").unwrap();
    let (reason, said) = stops(ground, &agreed).await;
    assert!(
        reason == Reason::Changed && said.contains("submodules"),
        "{said}"
    );
    let agreed = consent_to_worktree(ground, &tree).await;
    assert_eq!(
        work(&agreed),
        [("m".to_owned(), 1, 1), ("n".to_owned(), 0, 1)]
    );
    let before = whole(tree.path());
    let config = || fs::read(ground.play.at("repo/.git/worktrees/work/modules/m/config")).unwrap();
    let was = config();
    goes(ground, &agreed).await;
    let it = resting(ground).await;
    let there = ground
        .play
        .existing(PathBuf::from(it.tree.display()).join("m"));
    there.git(["status"]).unwrap();
    bring_back(ground, &it).await;
    assert_eq!(whole(tree.path()), before);
    assert_eq!(config(), was);
    assert_eq!(
        inner.line(["log", "-1", "--format=%s", "local"]).unwrap(),
        "Only in the submodule"
    );
}

pub(crate) async fn e5_what_has_no_commit_or_no_operation_goes_and_comes_back(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let unborn = repo.worktree("unborn", "unborn").unwrap();
    unborn.git(["checkout", "-q", "--orphan", "fresh"]).unwrap();
    let detached = repo.worktree("detached", "detached").unwrap();
    detached.git(["checkout", "-q", "--detach"]).unwrap();
    detached
        .commit("only", "x\n", "No branch holds it")
        .unwrap();
    let conflict = repo.worktree("conflict", "conflict").unwrap();
    conflict.write("file", "stashed\n").unwrap();
    conflict.git(["stash", "-q"]).unwrap();
    conflict
        .commit("file", "committed\n", "Against the stash")
        .unwrap();
    conflict.git(["stash", "pop", "-q"]).unwrap_err();
    for tree in [&unborn, &detached, &conflict] {
        let name = tree.path().display();
        let status = tree.line(["status", "--porcelain=v2", "--branch"]).unwrap();
        let agreed = consent_to_worktree(ground, tree).await;
        let before = whole(tree.path());
        goes(ground, &agreed).await;
        repo.git(["reflog", "expire", "--expire=now", "--all"])
            .unwrap();
        repo.git(["gc", "-q", "--prune=now"]).unwrap();
        let it = resting(ground).await;
        bring_back(ground, &it).await;
        assert_eq!(whole(tree.path()), before, "{name}");
        assert_eq!(
            tree.line(["status", "--porcelain=v2", "--branch"]).unwrap(),
            status,
            "{name}"
        );
    }
}

pub(crate) async fn a1_a2_ra28_any_bytes_in_a_path_go_and_come_back(ground: &Ground) {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let repo = ground.play.repo("repo").unwrap();
    for name in [
        b"new\nline".as_slice(),
        b" -rf $(x) 'q' \"d\" \\",
        b"\xff\xfe",
        b"\x05n\x05e",
        b"*?[a]",
    ] {
        let path = ground.play.at(OsStr::from_bytes(name));
        let mut add = ground.play.command(repo.path());
        let added = add
            .args(["worktree", "add", "-q", "--detach"])
            .arg(&path)
            .output()
            .unwrap();
        assert!(added.status.success(), "{added:?}");
        fs::write(path.join("unknown"), "x\n").unwrap();
        let agreed = consent(ground, repo.path(), WorkspaceKind::Worktree, &path).await;
        let before = whole(&path);
        goes(ground, &agreed).await;
        assert!(!path.exists());
        let it = resting(ground).await;
        assert_eq!(it.from, agreed.path);
        bring_back(ground, &it).await;
        assert_eq!(whole(&path), before);
    }
}

pub(crate) async fn e4_c16_commits_that_only_a_worktree_holds_survive_in_the_trash(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("work", "work").unwrap();
    tree.commit("lost", "x\n", "Only the reflog knows").unwrap();
    let lost = tree.line(["rev-parse", "HEAD"]).unwrap();
    tree.git(["reset", "-q", "--hard", "HEAD~1"]).unwrap();
    tree.commit("own", "x\n", "Only a reference of its own")
        .unwrap();
    let own = tree.line(["rev-parse", "HEAD"]).unwrap();
    tree.git(["update-ref", "refs/worktree/mine", "HEAD"])
        .unwrap();
    tree.git(["reset", "-q", "--hard", "HEAD~1"]).unwrap();
    let agreed = consent_to_worktree(ground, &tree).await;
    let deep = &agreed.look.as_ref().unwrap().deep;
    assert_eq!(deep.unheld, Ok(2));
    goes(ground, &agreed).await;
    repo.git(["reflog", "expire", "--expire=now", "--all"])
        .unwrap();
    repo.git(["gc", "-q", "--prune=now"]).unwrap();
    for commit in [&lost, &own] {
        repo.git(["cat-file", "-e", commit]).unwrap();
    }
    // A repository whose fetches would prune those references keeps its worktrees.
    let other = repo.worktree("other", "other").unwrap();
    let agreed = consent_to_worktree(ground, &other).await;
    repo.git(["config", "remote.mirror.fetch", "+refs/*:refs/*"])
        .unwrap();
    assert_eq!(stops(ground, &agreed).await.0, Reason::Refused);
}

pub(crate) async fn repositories_and_directories_go_and_come_back_as_a_whole(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.write("unknown", "x\n").unwrap();
    repo.git(["branch", "other"]).unwrap();
    let tree = repo.worktree("work", "work").unwrap();
    let folder = ground.play.at("folder");
    fs::create_dir_all(folder.join("deep")).unwrap();
    fs::write(folder.join("deep/file"), "x\n").unwrap();
    fs::set_permissions(folder.join("deep"), fs::Permissions::from_mode(0o500)).unwrap();

    let whole_repo = consent(ground, repo.path(), WorkspaceKind::Repository, repo.path()).await;
    let (reason, said) = stops(ground, &whole_repo).await;
    assert!(reason == Reason::Blocked && said.contains("work"), "{said}");
    goes(ground, &consent_to_worktree(ground, &tree).await).await;
    repo.git(["branch", "since"]).unwrap();
    let (reason, said) = stops(ground, &whole_repo).await;
    assert!(
        reason == Reason::Changed && said.contains("branches"),
        "{said}"
    );

    let whole_repo = consent(ground, repo.path(), WorkspaceKind::Repository, repo.path()).await;
    let directory = consent(ground, &folder, WorkspaceKind::Directory, &folder).await;
    fs::write(folder.join("new"), "since\n").unwrap();
    assert_eq!(stops(ground, &directory).await.0, Reason::Changed);
    fs::remove_file(folder.join("new")).unwrap();
    let directory = consent(ground, &folder, WorkspaceKind::Directory, &folder).await;
    for (agreed, path, kind) in [
        (&whole_repo, repo.path(), RootKind::Repository),
        (&directory, folder.as_path(), RootKind::Directory),
    ] {
        let mut before = whole(path);
        for step in ["move", "moved", "done"] {
            killed(ground, agreed, step).await;
        }
        goes(ground, agreed).await;
        assert!(!path.exists());
        let snapshot = snapshot_of(ground, kind, path).await;
        assert!(
            matches!(snapshot.roots(), [(_, RootOutcome::NoSuchFile { .. })]),
            "{snapshot:?}"
        );
        let it = snapshot
            .trash()
            .iter()
            .find(|it| it.id == agreed.id)
            .unwrap()
            .clone();
        assert_eq!((it.stage, &it.from), (TrashStage::Whole, &agreed.path));
        goes(ground, agreed).await;
        bring_back(ground, &it).await;
        let mut after = whole(path);
        // The lock of a repository comes and goes in its git directory, whose time tells of it.
        for all in [&mut before, &mut after] {
            all.remove(&path.join(".git"));
        }
        assert_eq!(after, before);
    }
    // What lay in its trash is in it still.
    assert_eq!(resting(ground).await.from, path_bytes(tree.path()));
}

pub(crate) async fn the_trash_is_emptied_only_as_it_was_shown(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("work", "work").unwrap();
    goes(ground, &consent_to_worktree(ground, &tree).await).await;
    let it = resting(ground).await;
    let empty = |it: Trashed, expired| async move {
        ground
            .collector
            .empty(&ground.host, &it, expired, Caller::Schedule)
            .await
    };
    let early = empty(it.clone(), true).await.unwrap_err();
    assert!(early.message.contains("days are not over"), "{early:?}");
    let manifest = ground
        .play
        .at("repo/.git/rollcall-trash")
        .join(it.id.to_string())
        .join("manifest");
    let text = fs::read_to_string(&manifest).unwrap();
    let at = format!("at {}", it.deleted_at);
    fs::write(
        &manifest,
        text.replace(&at, &format!("at {}", it.deleted_at - 14 * 86_400)),
    )
    .unwrap();
    let another = empty(it, true).await.unwrap_err();
    assert!(another.message.contains("another one now"), "{another:?}");
    let old = resting(ground).await;
    assert_eq!(old.days_left(), 0);
    empty(old.clone(), true).await.unwrap();
    assert_eq!(trash(ground).await, []);
    empty(old.clone(), false).await.unwrap();
    // Whoever knew the place is told that it is gone.
    let mut call = ground.call(
        Tier::Existence,
        &[(RootKind::Repository, repo.path().to_path_buf())],
    );
    call.trash = vec![
        (old.place.clone(), old.mount.clone()),
        (old.place.clone(), Some(path_bytes(Path::new("/nowhere")))),
    ];
    assert_eq!(ground.roll(&call).await.emptied(), [old.place]);
}

/// A removal that waits before a step, and its process, which is told by the lock it holds.
async fn held(
    ground: &Ground,
    agreed: &Consent,
    step: &str,
) -> (tokio::task::JoinHandle<Outcome>, String) {
    let holding = ground.failing_at(&format!("hold {step}"));
    let (host, removal) = (ground.host.clone(), removal(agreed));
    let running = tokio::spawn(async move {
        holding
            .remove(&host, &removal, Caller::Schedule)
            .await
            .unwrap()
    });
    (running, stopped_holder(ground).await)
}

/// The process that holds the lock of the repository, once it is stopped.
pub(crate) async fn stopped_holder(ground: &Ground) -> String {
    let lock = ground.play.at("repo/.git/rollcall.lock");
    let holder = || {
        let held = fs::read_link(&lock).unwrap_or_default();
        let held = held.to_string_lossy().into_owned();
        held.split(':').next().unwrap_or_default().to_owned()
    };
    let is_stopped = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", holder())).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with('T'))
    };
    until("a removal that waits", is_stopped).await;
    holder()
}

pub(crate) fn go_on(pid: &str) {
    let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
}

pub(crate) async fn e9_rc27_a_removal_goes_on_without_whoever_asked_and_is_undone_by_its_manifest(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    for step in ["guard", "refs", "detach", "move", "moved", "branch", "done"] {
        let tree = repo.worktree(step, step).unwrap();
        tree.write("unknown", "x\n").unwrap();
        let agreed = consent_to_worktree(ground, &tree).await;
        let before = whole(tree.path());
        let (running, pid) = held(ground, &agreed, step).await;
        // The application is gone, and its connection with it; another one wants to take it back.
        running.abort();
        let early = ground.collector.undo(&ground.host, &removal(&agreed)).await;
        let early = early.unwrap_err().message;
        assert!(early.contains("something else is being done"), "{early}");
        go_on(&pid);
        let lock = ground.play.at("repo/.git/rollcall.lock");
        until("a removal that ended", || {
            fs::read_link(&lock).is_err() || !Path::new(&format!("/proc/{pid}")).exists()
        })
        .await;
        // Whether it was ended or went on, one thing came of it, and it is undone whole.
        let rests = ground
            .play
            .at("repo/.git/rollcall-trash")
            .join(agreed.id.to_string())
            .join("tree/unknown");
        assert!(
            tree.path().join("unknown").exists() != rests.exists(),
            "{step}"
        );
        if step != "guard" {
            assert!(rests.exists(), "{step}: what has begun is not cut off");
        }
        ground
            .collector
            .undo(&ground.host, &removal(&agreed))
            .await
            .unwrap();
        assert_eq!(whole(tree.path()), before, "{step}");
        assert_eq!(
            tree.line(["symbolic-ref", "HEAD"]).unwrap(),
            format!("refs/heads/{step}")
        );
    }
}

pub(crate) async fn c5_rc14_rc31_nothing_of_other_worktrees_changes(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let away = repo.worktree("away", "away").unwrap();
    away.write("staged", "x\n").unwrap();
    away.git(["add", "staged"]).unwrap();
    let beside = repo.worktree("beside", "beside").unwrap();
    beside.write("unknown", "x\n").unwrap();
    let mut agreed = Vec::new();
    for (name, mode) in [("one", Mode::Trash), ("two", Mode::DeleteNow)] {
        let tree = repo.worktree(name, name).unwrap();
        agreed.push(Consent {
            mode,
            ..consent_to_worktree(ground, &tree).await
        });
    }
    // Its disk is unplugged meanwhile.
    fs::rename(away.path(), ground.play.at("unplugged")).unwrap();
    let rest = |name: &str| whole(&ground.play.at(format!("repo/.git/worktrees/{name}")));
    let before = (
        rest("away"),
        rest("beside"),
        whole(beside.path()),
        whole(&ground.play.at("unplugged")),
    );
    for consent in &agreed {
        goes(ground, consent).await;
    }
    let after = (
        rest("away"),
        rest("beside"),
        whole(beside.path()),
        whole(&ground.play.at("unplugged")),
    );
    assert_eq!(after, before);
    fs::rename(ground.play.at("unplugged"), away.path()).unwrap();
    assert_eq!(away.line(["status", "--porcelain"]).unwrap(), "A  staged");
    repo.git(["fsck", "--full", "--strict"]).unwrap();
}

pub(crate) async fn c14_a_worktree_whose_repository_is_gone_is_left_alone_and_says_so(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("work", "work").unwrap();
    let gone = repo.worktree("gone", "gone").unwrap();
    tree.write("unknown", "x\n").unwrap();
    let agreed = consent_to_worktree(ground, &tree).await;
    let both = consent_to_worktree(ground, &gone).await;
    fs::remove_dir_all(repo.path()).unwrap();
    fs::remove_dir_all(gone.path()).unwrap();
    let (reason, said) = stops(ground, &agreed).await;
    assert!(
        reason == Reason::Owner && said.contains("still there"),
        "{said}"
    );
    goes(ground, &both).await;
    assert!(tree.path().join("unknown").exists());
}

pub(crate) async fn c12_rc20_what_the_user_may_not_move_stays_whole_and_says_so(ground: &Ground) {
    let play = &ground.play;
    let repo = play.repo("repo").unwrap();
    fs::create_dir(play.at("shut")).unwrap();
    let tree = repo.worktree("shut/work", "work").unwrap();
    tree.write("unknown", "x\n").unwrap();
    fs::create_dir_all(play.at("home")).unwrap();
    if rustix::process::getuid().is_root() {
        let own = std::process::Command::new("chown")
            .args(["-R", "65534:65534"])
            .arg(play.path())
            .status();
        assert!(own.unwrap().success());
    }
    mode(play.path(), 0o755);
    mode(&play.at("shut"), 0o555);
    let host = unprivileged(ground);
    let call = ground.call(
        Tier::Facts,
        &[(RootKind::Repository, repo.path().to_path_buf())],
    );
    let snapshot = host
        .collector
        .roll_call(&host.host, &call, Caller::Person)
        .await
        .unwrap();
    let [(_, RootOutcome::Complete(complete))] = snapshot.roots() else {
        panic!("{snapshot:?}");
    };
    let assertion = at(complete, tree.path());
    let subject = rollcall_converge::Subject {
        kind: WorkspaceKind::Worktree,
        path: assertion.path.clone(),
        base: None,
        known: None,
    };
    let look = host
        .collector
        .look(&host.host, &[subject], Caller::Person)
        .await
        .unwrap()
        .remove(0)
        .unwrap();
    let agreed = Consent {
        id: fresh(),
        generation: assertion.generation.unwrap(),
        kind: WorkspaceKind::Worktree,
        path: assertion.path,
        mount: assertion.mount,
        existence: assertion.existence,
        facts: None,
        mode: Mode::Trash,
        branch: BranchChoice::Keep,
        shown_at: Timestamp::now(),
        look: Some(look),
        unseen: false,
        restored: Vec::new(),
        days: 14,
    };
    let before = whole(tree.path());
    let outcome = host
        .collector
        .remove(&host.host, &removal(&agreed), Caller::Schedule)
        .await
        .unwrap();
    let Outcome::Failed { class, reason, .. } = &outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        (class, reason),
        (&FailureClass::Terminal, &Reason::Permission),
        "{outcome:?}"
    );
    assert_eq!(whole(tree.path()), before);
    let kept = play.at("repo/.git/refs/rollcall/trash");
    assert!(!kept.join(agreed.id.to_string()).join("head").exists());
    assert!(!play.at("repo/.git/rollcall-trash").exists());
    mode(&play.at("shut"), 0o755);
    let outcome = host
        .collector
        .remove(&host.host, &removal(&agreed), Caller::Schedule)
        .await
        .unwrap();
    assert!(matches!(outcome, Outcome::Converged { .. }), "{outcome:?}");
}

pub(crate) async fn rc29_what_is_written_after_the_last_look_is_not_lost(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    for (name, mode) in [("rests", Mode::Trash), ("stays", Mode::DeleteNow)] {
        let tree = repo.worktree(name, name).unwrap();
        tree.write("unknown", "x\n").unwrap();
        let agreed = Consent {
            mode,
            ..consent_to_worktree(ground, &tree).await
        };
        // Everything has been compared, and it is about to be moved away.
        let (running, pid) = held(ground, &agreed, "move").await;
        tree.write("late", "in the last moment\n").unwrap();
        go_on(&pid);
        let outcome = running.await.unwrap();
        match mode {
            Mode::Trash => assert!(matches!(outcome, Outcome::Converged { .. }), "{outcome:?}"),
            // It is compared once more where nobody edits it.
            Mode::DeleteNow => {
                let Outcome::Failed {
                    reason, message, ..
                } = &outcome
                else {
                    panic!("{outcome:?}");
                };
                assert!(
                    *reason == Reason::Changed && message.contains("rests in the trash"),
                    "{message}"
                );
            }
        }
        let it = resting(ground).await;
        bring_back(ground, &it).await;
        let late = fs::read_to_string(tree.path().join("late")).unwrap();
        assert_eq!(late, "in the last moment\n");
    }
}
