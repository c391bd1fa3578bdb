//! Cases about the other verbs: creating, locking, moving, repairing, pruning one record, fetching.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rollcall_converge::{
    Act, AdminName, Branch, Checkout, FactsOutcome, Failure, FailureCode, Head, HostPath, Linked,
    RefName, Repository, Tier, Upstream,
};
use rollcall_testkit::repo::Repo;
use rollcall_testkit::resident::Resident;

use crate::cases::embed;
use crate::ground::{Ground, at, path_bytes, tree_of};
use crate::removal::{go_on, stopped_holder};

/// A linked worktree as a roll call tells it now.
async fn linked(ground: &Ground, path: &Path) -> Linked {
    let complete = ground
        .repository(Tier::Existence, &ground.play.at("repo"))
        .await;
    let assertion = at(&complete, path);
    Linked {
        common_dir: assertion.existence.common_dir.unwrap(),
        admin_name: assertion.existence.admin_name.unwrap(),
        generation: assertion.generation.unwrap(),
        path: assertion.path,
        mount: assertion.mount,
        head: assertion.existence.head.commit().map(str::to_owned),
    }
}

async fn repository(ground: &Ground) -> Repository {
    let path = ground.play.at("repo");
    let complete = ground.repository(Tier::Existence, &path).await;
    let assertion = at(&complete, &path);
    Repository {
        common_dir: assertion.existence.common_dir.unwrap(),
        generation: assertion.generation.unwrap(),
    }
}

async fn act(ground: &Ground, linked: &Linked, act: &Act) -> Result<String, Failure> {
    ground.collector.act(&ground.host, linked, act).await
}

/// Why something is refused; it changes nothing but the times of folders in which a lock came and went.
async fn refused(ground: &Ground, linked: &Linked, wanted: &Act) -> String {
    let before = tree_of(ground.play.path());
    let failure = act(ground, linked, wanted).await.unwrap_err();
    let after = tree_of(ground.play.path());
    let changed: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .filter(|path| path_bytes(path) != linked.common_dir)
        .collect();
    assert!(changed.is_empty(), "{changed:?} before {failure:?}");
    assert_eq!(failure.code, FailureCode::CommandFailed, "{failure:?}");
    failure.message
}

fn new(branch: &str, start: &str) -> Checkout {
    Checkout::New {
        branch: branch.to_owned(),
        start: RefName::new(start),
    }
}

async fn create(ground: &Ground, path: &Path, checkout: &Checkout) -> Result<(), Failure> {
    let repository = repository(ground).await;
    let path = path_bytes(path);
    ground
        .collector
        .create(&ground.host, &repository, &path, checkout)
        .await
}

pub(crate) async fn a_new_worktree_has_the_branch_that_was_asked_for_and_follows_only_what_was_meant(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    repo.git(["branch", "there"]).unwrap();
    // A tag of the same name means nothing here.
    repo.git(["commit", "--quiet", "--allow-empty", "-m", "later"])
        .unwrap();
    repo.git(["tag", "there"]).unwrap();
    repo.git(["push", "--quiet", "origin", "HEAD:refs/heads/theirs"])
        .unwrap();
    repo.git(["fetch", "--quiet"]).unwrap();
    let first = repo.line(["rev-parse", "refs/heads/there"]).unwrap();
    let second = repo.line(["rev-parse", "HEAD"]).unwrap();

    // The folders that lead there are made as well; names may be any bytes.
    let fresh = ground.play.at("made/for it/it's\nnew");
    create(
        ground,
        &fresh,
        &new("feature/new", "refs/remotes/origin/theirs"),
    )
    .await
    .unwrap();
    let existing = ground.play.at("existing");
    let there = Checkout::Existing {
        branch: "there".to_owned(),
    };
    create(ground, &existing, &there).await.unwrap();
    let theirs = ground.play.at("theirs");
    let remote = Checkout::Remote {
        branch: "theirs".to_owned(),
        follows: RefName::new("refs/remotes/origin/theirs"),
    };
    create(ground, &theirs, &remote).await.unwrap();

    let complete = ground.facts(repo.path()).await;
    for (path, name, commit, follows) in [
        (&fresh, "refs/heads/feature/new", &second, false),
        (&existing, "refs/heads/there", &first, false),
        (&theirs, "refs/heads/theirs", &second, true),
    ] {
        let assertion = at(&complete, path);
        assert_eq!(
            assertion.existence.head,
            Head::Branch {
                name: RefName::new(name),
                commit: commit.clone()
            }
        );
        assert_eq!(assertion.existence.locked, None, "{name}");
        let FactsOutcome::Observed(facts) = &assertion.facts else {
            panic!("{assertion:?}");
        };
        let upstream = matches!(facts.upstream, Upstream::Remote { .. });
        assert_eq!(upstream, follows, "{name}: {:?}", facts.upstream);
        assert_eq!(facts.changes, crate::cases::clean(), "{name}");
    }
}

pub(crate) async fn rc23_rc36_a_creation_that_fails_leaves_nothing_and_takes_nothing_away(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let other = repo.worktree("other", "other").unwrap();
    other.write("edited", "work").unwrap();
    let hook = repo.path().join(".git/hooks/post-checkout");
    let outside = ground.play.at("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(ground.play.at("file"), "x").unwrap();
    let taken = Checkout::Existing {
        branch: "other".to_owned(),
    };
    let gone = Checkout::Existing {
        branch: "gone".to_owned(),
    };
    let follows = |branch: &str| Checkout::Remote {
        branch: branch.to_owned(),
        follows: RefName::new("refs/remotes/origin/none"),
    };
    let at_other = ground.play.at("other");
    let free = ground.play.at("deep/er/free");
    for (path, checkout, words) in [
        // Where another one is, edited; an empty folder is somebody's, too.
        (
            &at_other,
            new("fresh", "refs/heads/main"),
            "there is something at",
        ),
        (
            &outside,
            new("fresh", "refs/heads/main"),
            "there is something at",
        ),
        (
            &ground.play.at("file/in"),
            new("fresh", "refs/heads/main"),
            "file",
        ),
        (
            &repo.path().join(".git/in"),
            new("fresh", "refs/heads/main"),
            "git's own folder",
        ),
        (&free, taken, "checked out"),
        (&free, gone, "no branch gone"),
        (
            &free,
            new("other", "refs/heads/main"),
            "a branch other already",
        ),
        (
            &free,
            new("fresh", "refs/heads/none"),
            "no commit refs/heads/none",
        ),
        (
            &free,
            new("two..dots", "refs/heads/main"),
            "no branch can be called",
        ),
        (
            &free,
            new("-f", "refs/heads/main"),
            "no branch can be called",
        ),
        (&free, new("", "refs/heads/main"), "no branch can be called"),
        (&free, follows("fresh"), "no commit"),
        (
            &Path::new("relative").to_path_buf(),
            new("fresh", "refs/heads/main"),
            "begins with /",
        ),
    ] {
        let before = tree_of(ground.play.path());
        let failure = create(ground, path, &checkout).await.unwrap_err();
        assert!(failure.message.contains(words), "{words}: {failure:?}");
        let after = tree_of(ground.play.path());
        let changed: Vec<_> = before
            .keys()
            .chain(after.keys())
            .filter(|it| before.get(*it) != after.get(*it))
            // Times of folders in which something came and went.
            .filter(|it| !it.is_dir())
            .collect();
        assert!(changed.is_empty(), "{changed:?}: {failure:?}");
    }

    // A hook that fails, when all has been made.
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'no, thanks' >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let failure = create(ground, &free, &new("fresh", "refs/heads/main"))
        .await
        .unwrap_err();
    assert!(failure.message.contains("no, thanks"), "{failure:?}");
    assert!(!ground.play.at("deep").exists());
    assert_eq!(repo.line(["branch", "--list", "fresh"]).unwrap(), "");
    let records = fs::read_dir(repo.path().join(".git/worktrees")).unwrap();
    assert_eq!(records.count(), 1);
    // Somebody puts something into the folder that was just made: it is theirs, and stays.
    let holding = ground.failing_at("hold made");
    let (host, shown, at_free) = (
        ground.host.clone(),
        repository(ground).await,
        path_bytes(&free),
    );
    let running = tokio::spawn(async move {
        let checkout = new("fresh", "refs/heads/main");
        holding.create(&host, &shown, &at_free, &checkout).await
    });
    let pid = stopped_holder(ground).await;
    fs::write(free.join("theirs"), "precious\n").unwrap();
    go_on(&pid);
    running.await.unwrap().unwrap_err();
    assert_eq!(fs::read(free.join("theirs")).unwrap(), b"precious\n");
    assert_eq!(repo.line(["branch", "--list", "fresh"]).unwrap(), "");
    fs::remove_dir_all(ground.play.at("deep")).unwrap();
    // One that is happy runs, as it does for git itself.
    fs::write(&hook, "#!/bin/sh\n>hooked\n").unwrap();
    create(ground, &free, &new("fresh", "refs/heads/main"))
        .await
        .unwrap();
    assert!(free.join("hooked").exists());
}

pub(crate) async fn a15_rc15_a_worktree_is_locked_and_unlocked_with_its_reason(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    repo.worktree("x/tree", "suffix").unwrap();
    let shown = linked(ground, tree.path()).await;
    let reason = "on a stick,\nit's \"away\"";
    act(ground, &shown, &Act::Lock(reason.to_owned()))
        .await
        .unwrap();
    let complete = ground.repository(Tier::Existence, repo.path()).await;
    assert_eq!(
        at(&complete, tree.path()).existence.locked.as_deref(),
        Some("on a stick,␊it's \"away\"")
    );
    assert_eq!(
        at(&complete, &ground.play.at("x/tree")).existence.locked,
        None
    );
    let words = refused(ground, &shown, &Act::Lock("mine".to_owned())).await;
    assert!(words.contains("locked already"), "{words}");
    let words = refused(
        ground,
        &shown,
        &Act::Move(path_bytes(&ground.play.at("new"))),
    )
    .await;
    assert!(words.contains("on a stick"), "{words}");

    // Also while its folder is away.
    fs::rename(tree.path(), ground.play.at("away")).unwrap();
    let shown = linked(ground, tree.path()).await;
    let words = refused(ground, &shown, &Act::Prune).await;
    assert!(words.contains("on a stick"), "{words}");
    act(ground, &shown, &Act::Unlock).await.unwrap();
    // Nothing is to be done the second time, and that is no failure.
    act(ground, &shown, &Act::Unlock).await.unwrap();
    fs::rename(ground.play.at("away"), tree.path()).unwrap();
    act(ground, &shown, &Act::Lock(String::new()))
        .await
        .unwrap();
    let complete = ground.repository(Tier::Existence, repo.path()).await;
    assert_eq!(
        at(&complete, tree.path()).existence.locked.as_deref(),
        Some("")
    );
}

pub(crate) async fn a5_a29_rc12_a_worktree_moves_with_everything_in_it_or_not_at_all(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let part = ground.play.repo("part").unwrap();
    embed(ground, &repo, &part, "part", "submodule");
    repo.git(["commit", "--quiet", "-m", "part"]).unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "update",
        "--init",
    ])
    .unwrap();
    tree.write("edited", "work").unwrap();
    fs::write(tree.path().join("part/inside"), "too").unwrap();
    fs::create_dir(ground.play.at("shared")).unwrap();
    fs::write(ground.play.at("shared/kept"), "kept").unwrap();
    std::os::unix::fs::symlink("../shared", tree.path().join("link")).unwrap();
    let shown = linked(ground, tree.path()).await;

    let to = |name: &str| Act::Move(path_bytes(&ground.play.at(name)));
    for (to, words) in [
        (to("part"), "there is something at"),
        (to("none/there"), "there is no folder"),
        (to("tree/inside"), "inside of what is to be moved"),
        (to("repo/.git/inside"), "git's own folder"),
        (Act::Move(HostPath::new("relative")), "begins with /"),
        (
            Act::Move(HostPath::new("/dev/shm/elsewhere")),
            "another disk",
        ),
    ] {
        let said = refused(ground, &shown, &to).await;
        assert!(said.contains(words), "{words}: {said}");
    }
    // Somebody works inside.
    let inside = Resident::new(tree.path()).unwrap();
    let said = refused(ground, &shown, &to("moved")).await;
    drop(inside);
    assert!(said.contains("sleep"), "{said}");

    let moved = ground.play.at("moved it's\nhere");
    act(ground, &shown, &Act::Move(path_bytes(&moved)))
        .await
        .unwrap();
    assert!(!tree.path().exists());
    let complete = ground.facts(repo.path()).await;
    let assertion = at(&complete, &moved);
    assert_eq!(assertion.generation, Some(shown.generation));
    let moved = ground.play.existing("moved it's\nhere");
    let said = moved.line(["status", "--porcelain"]).unwrap();
    assert!(said.contains("edited") && said.contains("part"), "{said}");
    assert_eq!(
        fs::read(moved.path().join("part/inside")).unwrap(),
        b"too".to_vec()
    );
    // The link leads as it did, and what it leads to did not move.
    assert_eq!(
        fs::read_link(moved.path().join("link")).unwrap(),
        Path::new("../shared")
    );
    assert!(ground.play.at("shared/kept").exists());
    // What was shown is somewhere else now, and the verb says so.
    let said = refused(ground, &shown, &to("again")).await;
    assert!(said.contains("moved it's"), "{said}");
}

pub(crate) async fn i8_rc13_rc33_no_verb_touches_a_worktree_that_was_not_shown(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("x/p", "a").unwrap();
    let shown = linked(ground, tree.path()).await;
    repo.git(["worktree", "remove", tree.path().to_str().unwrap()])
        .unwrap();
    let verbs = [
        Act::Lock("mine".to_owned()),
        Act::Unlock,
        Act::Move(path_bytes(&ground.play.at("new"))),
        Act::Repair(path_bytes(&ground.play.at("z/p"))),
        Act::Prune,
    ];
    for verb in &verbs {
        let words = refused(ground, &shown, verb).await;
        assert!(words.contains("no record of it"), "{words}");
    }
    // Another one takes its name; and one its name and its path.
    for place in ["z/p", "x/p"] {
        let later = repo.worktree(place, place).unwrap();
        later.write("work", "precious").unwrap();
        repo.git(["worktree", "lock", later.path().to_str().unwrap()])
            .unwrap();
        for verb in &verbs {
            refused(ground, &shown, verb).await;
        }
        repo.git(["worktree", "unlock", later.path().to_str().unwrap()])
            .unwrap();
        repo.git([
            "worktree",
            "remove",
            "--force",
            later.path().to_str().unwrap(),
        ])
        .unwrap();
    }
    // No name leads out of the records.
    let outside = Linked {
        admin_name: AdminName::new("../../.."),
        ..shown
    };
    for verb in &verbs {
        refused(ground, &outside, verb).await;
    }
}

pub(crate) async fn a16_rc10_repair_joins_one_folder_and_one_record_and_takes_nobody_elses(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.write("staged", "work").unwrap();
    tree.git(["add", "staged"]).unwrap();
    let other = repo.worktree("other", "other").unwrap();
    let stranger = ground.play.repo("stranger").unwrap();
    let strangers = stranger.worktree("strangers", "s").unwrap();
    let moved = ground.play.at("moved");
    let repair = |path: &Path| Act::Repair(path_bytes(path));

    // It is where it belongs, and nothing is to be done.
    let shown = linked(ground, tree.path()).await;
    act(ground, &shown, &repair(tree.path())).await.unwrap();

    fs::rename(tree.path(), &moved).unwrap();
    let shown = linked(ground, tree.path()).await;
    for (place, words) in [
        (other.path().to_path_buf(), "another record"),
        (strangers.path().to_path_buf(), "another record"),
        (stranger.path().to_path_buf(), "no linked worktree"),
        (ground.play.at("none"), "no folder"),
    ] {
        let said = refused(ground, &shown, &repair(&place)).await;
        assert!(said.contains(words), "{words}: {said}");
    }
    // A copy was left where it was: both claim the record.
    fs::create_dir(tree.path()).unwrap();
    fs::copy(moved.join(".git"), tree.path().join(".git")).unwrap();
    let said = refused(ground, &shown, &repair(&moved)).await;
    assert!(said.contains("still"), "{said}");
    fs::remove_dir_all(tree.path()).unwrap();

    act(ground, &shown, &repair(&moved)).await.unwrap();
    let at_moved = ground.play.existing("moved");
    assert_eq!(
        at_moved.line(["status", "--porcelain"]).unwrap(),
        "A  staged"
    );
    let after = linked(ground, &moved).await;
    assert_eq!(after.generation, shown.generation);

    // The repository moved: each folder leads nowhere, and is joined by itself.
    fs::rename(repo.path(), ground.play.at("elsewhere")).unwrap();
    let common = ground.play.at("elsewhere/.git");
    let later = Linked {
        common_dir: path_bytes(&common),
        ..after
    };
    let before = fs::read(other.path().join(".git")).unwrap();
    act(ground, &later, &repair(&moved)).await.unwrap();
    assert_eq!(
        at_moved.line(["status", "--porcelain"]).unwrap(),
        "A  staged"
    );
    assert_eq!(fs::read(other.path().join(".git")).unwrap(), before);
}

pub(crate) async fn i14_rc14_one_record_is_pruned_and_what_only_it_held_stays(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.git(["config", "gc.reflogExpire", "now"]).unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let other = repo.worktree("other", "other").unwrap();
    other.write("staged", "theirs").unwrap();
    other.git(["add", "staged"]).unwrap();
    // A commit that only its reflog has, one that only HEAD has, and something staged.
    tree.git(["checkout", "--quiet", "--detach"]).unwrap();
    tree.commit("a", "lost and found", "in the reflog").unwrap();
    let in_reflog = tree.line(["rev-parse", "HEAD"]).unwrap();
    tree.git(["reset", "--quiet", "--hard", "HEAD^"]).unwrap();
    tree.commit("b", "detached", "at HEAD").unwrap();
    let at_head = tree.line(["rev-parse", "HEAD"]).unwrap();
    tree.write("c", "staged and nowhere else").unwrap();
    tree.git(["add", "c"]).unwrap();
    let blob = tree.line(["rev-parse", ":c"]).unwrap();

    let shown = linked(ground, tree.path()).await;
    let words = refused(ground, &shown, &Act::Prune).await;
    assert!(words.contains("its folder is there"), "{words}");
    fs::remove_dir_all(tree.path()).unwrap();
    fs::rename(other.path(), ground.play.at("unplugged")).unwrap();
    let stale = Linked {
        head: Some(in_reflog.clone()),
        ..shown.clone()
    };
    let words = refused(ground, &stale, &Act::Prune).await;
    assert!(words.contains("its HEAD is at"), "{words}");
    let away = Linked {
        mount: Some(HostPath::new("/mnt/that/is/away")),
        ..shown.clone()
    };
    let words = refused(ground, &away, &Act::Prune).await;
    assert!(words.contains("not mounted"), "{words}");

    let said = act(ground, &shown, &Act::Prune).await.unwrap();
    assert!(said.contains("refs/rollcall/kept/"), "{said}");
    repo.git(["gc", "--quiet", "--prune=now"]).unwrap();
    for object in [&in_reflog, &at_head, &blob] {
        repo.git(["cat-file", "-e", object]).unwrap();
    }
    // The other one is only away, and works again.
    fs::rename(ground.play.at("unplugged"), other.path()).unwrap();
    assert_eq!(other.line(["status", "--porcelain"]).unwrap(), "A  staged");

    // Conflicts are in no tree, so they keep their record.
    let torn = repo.worktree("torn", "torn").unwrap();
    torn.commit("file", "theirs\n", "Theirs").unwrap();
    repo.commit("file", "ours\n", "Ours").unwrap();
    torn.git(["merge", "-q", "main"]).unwrap_err();
    let shown = linked(ground, torn.path()).await;
    fs::remove_dir_all(torn.path()).unwrap();
    let words = refused(ground, &shown, &Act::Prune).await;
    assert!(words.contains("conflicts"), "{words}");

    // Where nothing is held, nothing is kept.
    let plain = repo.worktree("plain", "plain").unwrap();
    let shown = linked(ground, plain.path()).await;
    fs::remove_dir_all(plain.path()).unwrap();
    assert_eq!(act(ground, &shown, &Act::Prune).await.unwrap(), "");
    let kept = repo
        .line(["for-each-ref", "--format=%(refname)", "refs/rollcall/kept"])
        .unwrap();
    assert_eq!(kept.lines().count(), 3, "{kept}");
}

pub(crate) async fn a_fetch_asks_every_remote_and_nobody_and_one_at_a_time(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let shown = repository(ground).await;
    let fetch = || ground.collector.fetch(&ground.host, &shown);
    fetch().await.unwrap();
    repo.publish("origin.git").unwrap();
    let theirs = ground.play.at("theirs");
    ground
        .play
        .git(
            ground.play.path(),
            ["clone", "--quiet", "origin.git", "theirs"],
        )
        .unwrap();
    let theirs: Repo<'_> = ground.play.existing(&theirs);
    theirs.commit("new", "x", "of somebody else").unwrap();
    theirs
        .git(["push", "--quiet", "origin", "HEAD:second"])
        .unwrap();
    let commit = theirs.line(["rev-parse", "HEAD"]).unwrap();
    let before = tree_of(repo.path());
    fetch().await.unwrap();
    assert_eq!(
        repo.line(["rev-parse", "refs/remotes/origin/second"])
            .unwrap(),
        commit
    );
    // The working tree is as it was.
    let after = tree_of(repo.path());
    for (path, it) in before {
        if !path.starts_with(repo.path().join(".git")) && path.is_file() {
            assert_eq!(after.get(&path), Some(&it), "{}", path.display());
        }
    }
    // A remote that wants a password gets none, and nobody is asked.
    let asked = ground.play.at("asked");
    let ask = ground.play.at("ask");
    fs::write(&ask, format!("#!/bin/sh\n>{}\n", asked.display())).unwrap();
    fs::set_permissions(&ask, fs::Permissions::from_mode(0o755)).unwrap();
    repo.git(["config", "core.askPass", ask.to_str().unwrap()])
        .unwrap();
    repo.git([
        "config",
        "remote.broken.url",
        ground.play.at("none.git").to_str().unwrap(),
    ])
    .unwrap();
    let failure = fetch().await.unwrap_err();
    assert!(failure.message.contains("none.git"), "{failure:?}");
    assert!(!asked.exists());
    repo.git(["remote", "remove", "broken"]).unwrap();
    // While one fetches, another does not.
    let lock = repo.path().join(".git/rollcall-fetch.lock");
    std::os::unix::fs::symlink(format!("{}::::another:0", std::process::id()), &lock).unwrap();
    let failure = fetch().await.unwrap_err();
    assert!(
        failure.message.contains("something else is being done"),
        "{failure:?}"
    );
    fs::remove_file(&lock).unwrap();
    fetch().await.unwrap();
    assert!(fs::symlink_metadata(&lock).is_err());
}

pub(crate) async fn branches_are_told_with_who_has_them_checked_out(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    repo.git(["remote", "set-head", "origin", "main"]).unwrap();
    repo.worktree("tree", "feature/a").unwrap();
    repo.git(["branch", "free"]).unwrap();
    let shown = repository(ground).await;
    let mut branches = ground
        .collector
        .branches(&ground.host, &shown.common_dir)
        .await
        .unwrap();
    branches.sort_by_key(|it| it.name.clone());
    let told: Vec<_> = branches
        .iter()
        .map(
            |Branch {
                 name, checked_out, ..
             }| (name.short(), *checked_out),
        )
        .collect();
    assert_eq!(
        told,
        [
            ("feature/a".to_owned(), true),
            ("free".to_owned(), false),
            ("main".to_owned(), true),
            ("origin/main".to_owned(), false)
        ]
    );
    assert!(branches.iter().all(|it| it.committed_at.is_some()));
}
