//! The cases. Each makes real repositories and compares what the host says with what was made.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rollcall_converge::Caller;
use rollcall_converge::{
    Changes, FactsOutcome, Failure, FailureCode, Head, HostPath, Operation, Origin, Probe, RefName,
    RootKind, RootOutcome, Snapshot, Standing, Tier, Unpushed, Upstream, WorkspaceKind,
};
use rollcall_testkit::repo::Repo;

use crate::ground::{Ground, at, facts_at, path_bytes, tree_of, until};

pub(crate) fn clean() -> Changes {
    counted(0, 0, 0, 0)
}

pub(crate) fn counted(staged: u32, unstaged: u32, untracked: u32, conflicted: u32) -> Changes {
    Changes::Counted {
        staged,
        unstaged,
        untracked,
        conflicted,
    }
}

pub(crate) fn commits(count: u32, shared: u32) -> Unpushed {
    Unpushed::Commits {
        count,
        shared: Some(shared),
    }
}

fn branch(repo: &Repo<'_>, name: &str) -> Head {
    Head::Branch {
        name: RefName::new(name.as_bytes()),
        commit: repo.line(["rev-parse", "HEAD"]).unwrap(),
    }
}

fn remote(name: &str, ahead: u32, behind: u32) -> Upstream {
    Upstream::Remote {
        name: RefName::new(name.as_bytes()),
        ahead,
        behind,
    }
}

pub(crate) async fn two_worktrees_one_dirty_one_unpushed_have_the_right_facts(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let dirty = repo.worktree("dirty", "dirty").unwrap();
    dirty.write("file", "two\n").unwrap();
    dirty.write("new", "x").unwrap();
    let ahead = repo.worktree("ahead", "ahead").unwrap();
    ahead.git(["push", "-q", "-u", "origin", "ahead"]).unwrap();
    ahead.commit("file", "three\n", "Nowhere else").unwrap();

    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 3);
    assert!(all.unread().is_empty());
    let main = at(&all, repo.path());
    assert_eq!(main.kind, WorkspaceKind::Repository);
    assert_eq!(main.existence.head, branch(&repo, "refs/heads/main"));
    assert_eq!(
        main.existence.common_dir,
        Some(path_bytes(&repo.path().join(".git")))
    );
    let facts = facts_at(&all, repo.path());
    assert_eq!(facts.changes, clean());
    assert_eq!(facts.upstream, remote("refs/remotes/origin/main", 0, 0));
    assert_eq!(facts.unpushed, commits(0, 0));
    assert_eq!(facts.stashes, Some(0));
    let last = facts.last_commit.unwrap();
    assert_eq!(
        (last.subject.as_str(), last.author.as_str()),
        ("First commit", "Ada Author")
    );
    assert_eq!(
        last.time.as_second().to_string(),
        repo.line(["show", "-s", "--format=%ct", "HEAD"]).unwrap()
    );

    let facts = facts_at(&all, dirty.path());
    assert_eq!(facts.changes, counted(0, 1, 1, 0));
    assert_eq!(facts.upstream, Upstream::None);
    assert_eq!(facts.unpushed, commits(0, 0));
    let tree = at(&all, dirty.path());
    assert_eq!(tree.kind, WorkspaceKind::Worktree);
    assert_eq!(tree.existence.admin_name.unwrap().as_bytes(), b"dirty");
    assert_eq!(tree.standing, Standing::There);

    let facts = facts_at(&all, ahead.path());
    assert_eq!(facts.changes, clean());
    assert_eq!(facts.upstream, remote("refs/remotes/origin/ahead", 1, 0));
    assert_eq!(facts.unpushed, commits(1, 0));
    assert_eq!(facts.last_commit.unwrap().subject, "Nowhere else");
    for assertion in all.assertions() {
        assert!(assertion.mount.is_some(), "{assertion:?}");
    }
}

pub(crate) async fn a3_ra14_bare_repository_owns_the_worktrees_beside_it(ground: &Ground) {
    let source = ground.play.repo("source").unwrap();
    let bare = ground.play.bare_clone(&source, "project/.bare").unwrap();
    fs::write(ground.play.at("project/.git"), "gitdir: ./.bare\n").unwrap();
    let feature = bare.worktree("project/feature", "feature").unwrap();

    let all = ground.facts(bare.path()).await;
    assert_eq!(all.assertions().len(), 2);
    let own = at(&all, bare.path());
    assert_eq!(own.kind, WorkspaceKind::Repository);
    assert!(own.existence.bare);
    let tree = at(&all, feature.path());
    assert_eq!(tree.kind, WorkspaceKind::Worktree);
    assert!(!tree.existence.bare);
    assert_eq!(tree.existence.common_dir, Some(path_bytes(bare.path())));
    assert_eq!(facts_at(&all, feature.path()).changes, clean());

    for path in [&ground.play.at("project"), bare.path(), feature.path()] {
        let found = ground
            .collector
            .inspect(&ground.host, &path_bytes(path))
            .await
            .unwrap();
        assert_eq!(
            (found.kind, found.path),
            (RootKind::Repository, path_bytes(bare.path()))
        );
    }
}

pub(crate) async fn a4_separate_git_dir_has_the_right_owner(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let elsewhere = ground.play.at("elsewhere.git");
    repo.git([
        OsStr::new("init"),
        OsStr::new("-q"),
        OsStr::new("--separate-git-dir"),
        elsewhere.as_os_str(),
    ])
    .unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    repo.write("new", "x").unwrap();

    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 2);
    let own = at(&all, repo.path());
    assert_eq!(own.existence.common_dir, Some(path_bytes(&elsewhere)));
    assert_eq!(facts_at(&all, repo.path()).changes, counted(0, 0, 1, 0));
    assert_eq!(
        at(&all, tree.path()).existence.common_dir,
        Some(path_bytes(&elsewhere))
    );
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(repo.path()))
        .await
        .unwrap();
    assert_eq!(found.path, path_bytes(repo.path()));
}

pub(crate) async fn a5_ra25_submodule_is_owned_by_its_own_repository(ground: &Ground) {
    let lib = ground.play.repo("lib").unwrap();
    let repo = ground.play.repo("repo").unwrap();
    repo.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../lib",
        "sub/lib",
    ])
    .unwrap();
    repo.git(["commit", "-qm", "Add lib"]).unwrap();
    let sub = repo.path().join("sub/lib");
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(&sub))
        .await
        .unwrap();
    assert_eq!(
        (found.kind, &found.path),
        (RootKind::Repository, &path_bytes(&sub))
    );
    let tree = ground.play.at("subtree");
    ground
        .play
        .git(
            &sub,
            [
                OsStr::new("worktree"),
                OsStr::new("add"),
                OsStr::new("-q"),
                OsStr::new("-bx"),
                tree.as_os_str(),
            ],
        )
        .unwrap();
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(&tree))
        .await
        .unwrap();
    assert_eq!(found.path, path_bytes(&sub));
    let all = ground.facts(&sub).await;
    assert_eq!(all.assertions().len(), 2);
    let common = Some(path_bytes(&repo.path().join(".git/modules/sub/lib")));
    assert_eq!(at(&all, &sub).existence.common_dir, common);
    assert_eq!(at(&all, &tree).existence.common_dir, common);
    let all = ground.facts(repo.path()).await;
    assert_eq!(facts_at(&all, repo.path()).changes, clean());
    fs::write(sub.join("file"), "changed\n").unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(facts_at(&all, repo.path()).changes, counted(0, 1, 0, 0));
    drop(lib);
}

pub(crate) async fn a6_ra17_unborn_repository_counts_staged_files(ground: &Ground) {
    let repo = ground.play.empty_repo("repo").unwrap();
    repo.write("staged", "x").unwrap();
    repo.git(["add", "staged"]).unwrap();
    let all = ground.facts(repo.path()).await;
    let own = at(&all, repo.path());
    let name = Some(RefName::new("refs/heads/main"));
    assert_eq!(own.existence.head, Head::Unborn { name });
    let facts = facts_at(&all, repo.path());
    assert_eq!(facts.changes, counted(1, 0, 0, 0));
    assert_eq!(facts.last_commit, None);
}

pub(crate) async fn a7_detached_commit_that_no_ref_holds_is_unpushed(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.git(["checkout", "-q", "--detach"]).unwrap();
    tree.commit("file", "x\n", "Held by nothing").unwrap();
    let all = ground.facts(repo.path()).await;
    let commit = tree.line(["rev-parse", "HEAD"]).unwrap();
    assert_eq!(
        at(&all, tree.path()).existence.head,
        Head::Detached { commit }
    );
    assert_eq!(facts_at(&all, tree.path()).unpushed, commits(1, 0));
}

pub(crate) async fn a8_branch_without_upstream_counts_commits_on_no_remote(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.commit("file", "x\n", "One").unwrap();
    tree.commit("file", "y\n", "Two").unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, tree.path());
    assert_eq!(facts.upstream, Upstream::None);
    assert_eq!(facts.unpushed, commits(2, 0));
}

/// Both grounds are this machine, so that both call it what its system does.
pub(crate) async fn i17_a_host_says_what_its_system_calls_its_machine(ground: &Ground) {
    let facts = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    let kept = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let kept = kept.trim();
    let named = kept.len() == 32 && kept.chars().all(|it| it.is_ascii_hexdigit());
    assert_eq!(facts.machine, if named { kept } else { "" });
}

pub(crate) async fn a9_repository_without_remote_says_so(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    assert_eq!(facts.unpushed, Unpushed::NoRemote);
}

pub(crate) async fn a11_ra09_upstreams_that_are_local_or_gone_are_told_apart(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let local = repo.worktree("local", "local.with.dots").unwrap();
    local
        .git(["branch", "-q", "--set-upstream-to=main"])
        .unwrap();
    repo.commit("file", "more\n", "Not pushed").unwrap();
    local.git(["merge", "-q", "main"]).unwrap();
    let gone = repo.worktree("gone", "gone").unwrap();
    gone.git(["push", "-q", "-u", "origin", "gone"]).unwrap();
    gone.git(["push", "-q", "origin", ":gone"]).unwrap();
    gone.git(["fetch", "-q", "--prune"]).unwrap();

    let all = ground.facts(repo.path()).await;
    let facts = facts_at(&all, local.path());
    let name = RefName::new("refs/heads/main");
    assert_eq!(
        facts.upstream,
        Upstream::Local {
            name,
            ahead: 0,
            behind: 0
        }
    );
    // In step with a local branch, and yet on no remote.
    assert_eq!(facts.unpushed, commits(1, 1));
    let facts = facts_at(&all, gone.path());
    let name = RefName::new("refs/remotes/origin/gone");
    assert_eq!(facts.upstream, Upstream::Gone { name });
    assert_eq!(facts.unpushed, commits(1, 1));
}

pub(crate) async fn a1_ra01_newline_in_path_is_one_worktree(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let name = "wt\nworktree /etc\nbranch refs/heads/main";
    let tree = repo.worktree("odd", "nl").unwrap();
    let odd = ground.play.at(name);
    fs::create_dir_all(odd.parent().unwrap()).unwrap();
    repo.git([
        OsStr::new("worktree"),
        OsStr::new("move"),
        tree.path().as_os_str(),
        odd.as_os_str(),
    ])
    .unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 2, "{all:?}");
    let found = at(&all, &odd);
    assert!(matches!(&found.existence.head, Head::Branch { name, .. } if name.short() == "nl"));
    assert_eq!(facts_at(&all, &odd).changes, clean());
    assert!(
        all.assertions()
            .iter()
            .all(|it| it.path != HostPath::new("/etc"))
    );
}

pub(crate) async fn a2_ra03_any_bytes_make_a_root_and_a_worktree(ground: &Ground) {
    let odd = |start: &[u8]| {
        let mut name = start.to_vec();
        name.extend_from_slice(b" \t'\"$(x)`y`*?[z] %\xc3\xa9\x81\x88\xff\n-end ");
        OsString::from_vec(name)
    };
    let repo = ground.play.repo(PathBuf::from(odd(b"-root"))).unwrap();
    let tree = repo.worktree(PathBuf::from(odd(b"-tree")), "odd").unwrap();
    tree.write("new", "x").unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 2, "{all:?}");
    assert_eq!(facts_at(&all, repo.path()).changes, clean());
    assert_eq!(facts_at(&all, tree.path()).changes, counted(0, 0, 1, 0));
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(tree.path()))
        .await
        .unwrap();
    assert_eq!(found.path, path_bytes(repo.path()));
    // As a known path that is gone.
    let mut call = ground.call(
        Tier::Existence,
        &[(RootKind::Repository, repo.path().into())],
    );
    let gone = path_bytes(&ground.play.at(PathBuf::from(odd(b"gone"))));
    call.roots[0].known.push(gone.clone());
    match ground.roll(&call).await.roots() {
        [(_, RootOutcome::Complete(complete))] => {
            assert!(matches!(
                complete.probe(&gone),
                Some(Probe::NoSuchFile { mount: Some(_) })
            ));
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn a15_ra05_lock_reason_of_several_lines_is_text(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let plain = repo.worktree("plain", "plain").unwrap();
    let wordy = repo.worktree("wordy", "wordy").unwrap();
    repo.git([
        OsStr::new("worktree"),
        OsStr::new("lock"),
        plain.path().as_os_str(),
    ])
    .unwrap();
    let reason = "usb \"disk\"\nworktree /etc\nbranch refs/heads/main";
    repo.git([
        OsStr::new("worktree"),
        OsStr::new("lock"),
        OsStr::new("--reason"),
        OsStr::new(reason),
        wordy.path().as_os_str(),
    ])
    .unwrap();
    fs::write(
        repo.path().join(".git/worktrees/plain/locked"),
        b"bytes \xff",
    )
    .unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 3);
    assert_eq!(
        at(&all, plain.path()).existence.locked.as_deref(),
        Some("bytes \\xff")
    );
    assert_eq!(
        at(&all, wordy.path()).existence.locked.as_deref(),
        Some("usb \"disk\"␊worktree /etc␊branch refs/heads/main")
    );
    assert_eq!(at(&all, wordy.path()).standing, Standing::There);
    assert_eq!(at(&all, repo.path()).existence.locked, None);
}

pub(crate) async fn a15_locked_and_absent_is_away(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    repo.git([
        OsStr::new("worktree"),
        OsStr::new("lock"),
        tree.path().as_os_str(),
    ])
    .unwrap();
    fs::remove_dir_all(tree.path()).unwrap();
    let all = ground.facts(repo.path()).await;
    let found = at(&all, tree.path());
    assert_eq!(found.standing, Standing::Away);
    assert_eq!(found.existence.locked.as_deref(), Some(""));
    assert!(matches!(found.facts, FactsOutcome::Unknown { .. }));
}

pub(crate) async fn a16_ra38_absent_and_not_locked_is_prunable(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    fs::remove_dir_all(tree.path()).unwrap();
    let all = ground.facts(repo.path()).await;
    let found = at(&all, tree.path());
    assert!(matches!(&found.standing, Standing::Prunable { reason } if !reason.is_empty()));
    assert!(matches!(found.existence.head, Head::Branch { .. }));
    assert!(found.generation.is_some());
}

pub(crate) async fn a17_ra36_git_file_that_points_elsewhere_is_unknown(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let other = ground.play.repo("other").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let theirs = other.worktree("theirs", "theirs").unwrap();
    fs::copy(theirs.path().join(".git"), tree.path().join(".git")).unwrap();
    let all = ground.facts(repo.path()).await;
    let found = at(&all, tree.path());
    assert!(
        matches!(found.standing, Standing::Unknown { .. }),
        "{found:?}"
    );
    assert!(matches!(found.facts, FactsOutcome::Unknown { .. }));
    // A root whose `.git` is empty, inside another repository, is not taken for that one.
    let hollow = repo.path().join("hollow");
    fs::create_dir_all(hollow.join(".git")).unwrap();
    assert_eq!(ground.failure(&hollow).await.code, FailureCode::NotReadable);
    fs::remove_dir(hollow.join(".git")).unwrap();
    fs::write(hollow.join(".git"), "gitdir: /nowhere\n").unwrap();
    assert_eq!(ground.failure(&hollow).await.code, FailureCode::NotReadable);
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(&hollow))
        .await;
    assert_eq!(found.unwrap_err().code, FailureCode::NotReadable);
}

fn chown(path: &Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap() {
            chown(&entry.unwrap().path(), user);
        }
    }
}

pub(crate) async fn a18_ra29_dubious_ownership_fails_that_root_with_the_command(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    // Only root can give files away; the rule is the same for every user.
    assert!(rustix_is_root(), "this case needs root");
    chown(tree.path(), 65534);
    let all = ground.facts(repo.path()).await;
    let found = at(&all, tree.path());
    assert_eq!(found.standing, Standing::There);
    assert!(
        matches!(&found.facts, FactsOutcome::Unknown { reason } if reason.contains("dubious ownership")),
        "{found:?}"
    );
    chown(repo.path(), 65534);
    let failure = ground.failure(repo.path()).await;
    assert_eq!(failure.code, FailureCode::DubiousOwnership);
    assert!(failure.hints[0].contains("safe.directory"), "{failure:?}");
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(repo.path()))
        .await;
    assert_eq!(found.unwrap_err().code, FailureCode::DubiousOwnership);
}

fn rustix_is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// The same host for a user without rights, who is root or not: what is closed to that user is closed.
pub(crate) fn unprivileged(ground: &Ground) -> Ground {
    let home = ground.play.at("home");
    let user = if rustix_is_root() {
        "setpriv --reuid=65534 --regid=65534 --clear-groups "
    } else {
        ""
    };
    let lead = format!("HOME='{}'; export HOME; exec {user}sh", home.display());
    if ground.sshd.is_some() {
        Ground::ssh_with(&rollcall_testkit::sshd::SshdOptions {
            force_command: Some(format!("{lead} -c \"$SSH_ORIGINAL_COMMAND\"")),
            ..Default::default()
        })
    } else {
        Ground::local_with(&["sh", "-c", &format!("{lead} \"$@\""), "sh"])
    }
}

pub(crate) fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) async fn a19_i3_what_the_user_may_not_enter_is_unknown_and_never_gone(ground: &Ground) {
    let play = &ground.play;
    let fine = play.repo("fine").unwrap();
    let hidden = play.repo("hidden").unwrap();
    fs::create_dir(play.at("closed")).unwrap();
    let tree = fine.worktree("closed/tree", "tree").unwrap();
    let below = play.repo("closed/repo").unwrap();
    let shut = play.at("shut");
    fs::create_dir(&shut).unwrap();
    let gone = play.at("closed/was-never-there");
    if rustix_is_root() {
        for path in [fine.path(), hidden.path()] {
            chown(path, 65534);
        }
        // The folders that are shut stay root's own.
        mode(play.path(), 0o755);
    }
    mode(&play.at("closed"), 0o000);
    mode(&shut, 0o000);
    let git = hidden.path().join(".git");
    if rustix_is_root() {
        std::os::unix::fs::chown(&git, Some(0), Some(0)).unwrap();
    }
    mode(&git, 0o000);

    let host = unprivileged(ground);
    let mut call = host.call(
        Tier::Facts,
        &[
            (RootKind::Repository, fine.path().into()),
            (RootKind::Repository, below.path().into()),
            (RootKind::Repository, hidden.path().into()),
            (RootKind::Directory, shut.clone()),
            (RootKind::Directory, gone.clone()),
        ],
    );
    call.roots[0].known.push(path_bytes(&gone));
    let snapshot = host.roll(&call).await;
    let inspected = host
        .collector
        .inspect(&host.host, &path_bytes(below.path()))
        .await;
    // So that a failure, too, leaves nothing that cannot be removed.
    for path in [&play.at("closed"), &shut, &git] {
        mode(path, 0o755);
    }

    let [(_, RootOutcome::Complete(all)), failed @ ..] = snapshot.roots() else {
        panic!("{snapshot:?}")
    };
    assert_eq!(facts_at(all, fine.path()).changes, clean());
    let found = at(all, tree.path());
    assert!(
        matches!(found.standing, Standing::Unknown { .. }),
        "{found:?}"
    );
    assert!(matches!(
        all.probe(&path_bytes(&gone)),
        Some(Probe::Unknown { .. })
    ));
    assert_eq!(failed.len(), 4);
    for (_, outcome) in failed {
        assert!(
            matches!(outcome, RootOutcome::Failed(failure) if failure.code == FailureCode::PermissionDenied),
            "{outcome:?}"
        );
    }
    assert_eq!(inspected.unwrap_err().code, FailureCode::PermissionDenied);
}

pub(crate) async fn a_host_that_never_stops_talking_is_bounded(ground: &Ground) {
    for (command, code) in [
        ("yes", FailureCode::TooLarge),
        ("cat /dev/zero >&2; true", FailureCode::TimedOut),
    ] {
        let mut host = if ground.sshd.is_some() {
            Ground::ssh_with(&rollcall_testkit::sshd::SshdOptions {
                force_command: Some(command.to_owned()),
                ..Default::default()
            })
        } else {
            Ground::local()
        };
        let mut environment = rollcall_collect::SshEnvironment::new(host.play.at("known_hosts"));
        environment.config = host
            .sshd
            .as_ref()
            .map(rollcall_testkit::sshd::Sshd::config_path);
        environment.local_shell = ["sh", "-c", command, "sh"].map(str::to_owned).to_vec();
        environment.limits.answer = 4 << 20;
        environment.limits.total = Duration::from_secs(3);
        host.collector = rollcall_collect::Collector::new(environment);
        let outcome = tokio::time::timeout(
            Duration::from_secs(30),
            host.collector.check(&host.host, Caller::Person),
        );
        let failure = outcome.await.unwrap().unwrap_err();
        assert_eq!(failure.code, code, "{command}: {failure:?}");
        assert!(failure.message.len() < 1000);
    }
}

pub(crate) async fn a22_every_kind_of_change_counts_once_in_its_class(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    for name in ["renamed", "both", "typed", "mode", "gone"] {
        repo.commit(name, &format!("{name} has some lines\nof its own\n"), name)
            .unwrap();
    }
    repo.git(["mv", "renamed", "re\tnamed"]).unwrap();
    repo.write("both", "staged\n").unwrap();
    repo.git(["add", "both"]).unwrap();
    repo.write("both", "and not\n").unwrap();
    fs::remove_file(repo.path().join("typed")).unwrap();
    std::os::unix::fs::symlink("file", repo.path().join("typed")).unwrap();
    fs::set_permissions(repo.path().join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(repo.path().join("gone")).unwrap();
    repo.write("intended", "x").unwrap();
    repo.git(["add", "--intent-to-add", "intended"]).unwrap();
    repo.write("? 1 .M u", "x").unwrap();
    repo.write("folder/a", "x").unwrap();
    repo.write("folder/b", "x").unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    // Staged: renamed, both. Unstaged: both, typed, mode, gone, intended. Untracked: a file and a folder.
    assert_eq!(facts.changes, counted(2, 5, 2, 0));
}

pub(crate) fn fail_git(repo: &Repo<'_>, arguments: &[&str]) {
    assert!(
        repo.git(arguments).is_err(),
        "{arguments:?} should have stopped"
    );
}

pub(crate) async fn a24_ra18_ra19_ra20_operations_in_progress_are_named(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let make = |name: &str| {
        let tree = repo.worktree(name, name).unwrap();
        tree.commit("file", &format!("{name}\n"), name).unwrap();
        tree
    };
    let trees: Vec<_> = ["rebase", "merge", "pick", "revert", "am", "bisect"]
        .map(make)
        .into();
    repo.commit("file", "main\n", "main").unwrap();
    fail_git(&trees[0], &["rebase", "-q", "main"]);
    fail_git(&trees[1], &["merge", "-q", "main"]);
    fail_git(&trees[2], &["cherry-pick", "main"]);
    trees[3].commit("file", "later\n", "later").unwrap();
    fail_git(&trees[3], &["revert", "--no-edit", "HEAD~1"]);
    let patch = repo.line(["format-patch", "-1", "--stdout"]).unwrap();
    trees[4].write("../patch", patch + "\n").unwrap();
    fail_git(&trees[4], &["am", "-q", "../patch"]);
    trees[5].git(["bisect", "start"]).unwrap();
    // A lock of another git does not stop anybody from reading.
    fs::write(repo.path().join(".git/index.lock"), "").unwrap();

    let all = ground.facts(repo.path()).await;
    let expected = [
        Operation::Rebase,
        Operation::Merge,
        Operation::CherryPick,
        Operation::Revert,
        Operation::Am,
        Operation::Bisect,
    ];
    for (tree, operation) in trees.iter().zip(expected) {
        assert_eq!(facts_at(&all, tree.path()).operation, Some(operation));
    }
    assert_eq!(facts_at(&all, trees[1].path()).changes, counted(0, 0, 0, 1));
    assert_eq!(facts_at(&all, repo.path()).operation, None);
}

pub(crate) async fn a25_stashes_are_counted(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    for content in ["a", "b"] {
        repo.write("file", content).unwrap();
        repo.git(["stash", "push", "-q", "-m", "two\nlines"])
            .unwrap();
    }
    let tree = repo.worktree("tree", "tree").unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(facts_at(&all, repo.path()).stashes, Some(2));
    assert_eq!(facts_at(&all, tree.path()).stashes, Some(2));
}

pub(crate) async fn a26_ra06_reftable_repository_is_read(ground: &Ground) {
    let path = ground.play.at("repo");
    fs::create_dir(&path).unwrap();
    // Old gits know no such format; then there is nothing to read.
    if ground
        .play
        .git(&path, ["init", "-q", "--ref-format=reftable", "-b", "dev"])
        .is_err()
    {
        return;
    }
    fs::write(path.join("file"), "x").unwrap();
    ground.play.git(&path, ["add", "file"]).unwrap();
    ground.play.git(&path, ["commit", "-qm", "c"]).unwrap();
    fs::write(path.join("file"), "y").unwrap();
    ground.play.git(&path, ["stash", "-q"]).unwrap();
    let tree = ground.play.at("tree");
    ground
        .play
        .git(
            &path,
            [
                OsStr::new("worktree"),
                OsStr::new("add"),
                OsStr::new("-qbwtb"),
                tree.as_os_str(),
            ],
        )
        .unwrap();
    let all = ground.facts(&path).await;
    for (path, name) in [(&path, "dev"), (&tree, "wtb")] {
        let head = at(&all, path).existence.head;
        assert!(
            matches!(&head, Head::Branch { name: found, .. } if found.short() == name),
            "{head:?}"
        );
        assert_eq!(facts_at(&all, path).last_commit.unwrap().subject, "c");
        assert_eq!(facts_at(&all, path).stashes, Some(1));
    }
}

pub(crate) async fn a29_moved_worktree_keeps_its_generation(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("before", "tree").unwrap();
    let first = at(&ground.facts(repo.path()).await, tree.path());
    let after = ground.play.at("after");
    repo.git([
        OsStr::new("worktree"),
        OsStr::new("move"),
        tree.path().as_os_str(),
        after.as_os_str(),
    ])
    .unwrap();
    let second = at(&ground.facts(repo.path()).await, &after);
    let generation = first.generation.unwrap();
    assert!(
        matches!(generation.origin, Origin::Birth { .. }),
        "{generation:?}"
    );
    assert_eq!(Some(generation), second.generation);
}

pub(crate) async fn a30_recreated_worktree_has_another_generation(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let first = at(&ground.facts(repo.path()).await, tree.path());
    repo.git([
        OsStr::new("worktree"),
        OsStr::new("remove"),
        tree.path().as_os_str(),
    ])
    .unwrap();
    repo.worktree("tree", "again").unwrap();
    let second = at(&ground.facts(repo.path()).await, tree.path());
    assert!(first.generation.is_some() && second.generation.is_some());
    assert_ne!(first.generation, second.generation);
}

pub(crate) async fn e2_ra37_empty_gitdir_is_unread_and_never_absent(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    for name in ["emptied", "lost", "garbled", "fine"] {
        repo.worktree(name, name).unwrap();
    }
    let admin = |name: &str| repo.path().join(".git/worktrees").join(name);
    fs::write(admin("emptied").join("gitdir"), "").unwrap();
    fs::remove_file(admin("lost").join("gitdir")).unwrap();
    fs::write(admin("garbled").join("HEAD"), "garbage\n").unwrap();
    let all = ground.facts(repo.path()).await;
    let mut unread: Vec<_> = all
        .unread()
        .iter()
        .map(|it| it.admin_name.as_bytes())
        .collect();
    unread.sort_unstable();
    assert_eq!(unread, [b"emptied".as_slice(), b"lost"]);
    assert_eq!(all.assertions().len(), 3);
    assert_eq!(
        at(&all, &ground.play.at("garbled")).existence.head,
        Head::None
    );
    assert_eq!(facts_at(&all, &ground.play.at("fine")).changes, clean());
}

pub(crate) async fn a32_i2_broken_root_does_not_touch_the_others(ground: &Ground) {
    let fine = ground.play.repo("fine").unwrap();
    let broken = ground.play.repo("broken").unwrap();
    broken.write(".git/config", "[broken").unwrap();
    let roots = [
        (RootKind::Repository, broken.path().to_path_buf()),
        (RootKind::Repository, ground.play.at("missing")),
        (RootKind::Repository, fine.path().to_path_buf()),
    ];
    let mut call = ground.call(Tier::Facts, &roots);
    call.roots[0]
        .known
        .push(HostPath::new("/known of a broken root"));
    let snapshot = ground.roll(&call).await;
    let outcomes: Vec<_> = snapshot
        .roots()
        .iter()
        .map(|(_, outcome)| outcome)
        .collect();
    assert!(
        matches!(outcomes[0], RootOutcome::Failed(failure) if failure.code == FailureCode::NotReadable)
    );
    assert!(matches!(outcomes[1], RootOutcome::NoSuchFile { .. }));
    assert!(matches!(outcomes[2], RootOutcome::Complete(all) if all.assertions().len() == 1));
}

pub(crate) async fn i3_known_paths_are_probed_with_their_mount(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let there = ground.play.at("there");
    fs::create_dir(&there).unwrap();
    let loops = ground.play.at("loop");
    std::os::unix::fs::symlink(&loops, &loops).unwrap();
    let file = repo.path().join("file/below");
    let gone = ground.play.at("gone/deep/er");
    let proc = PathBuf::from("/proc/no-such-entry/below");
    let mut call = ground.call(
        Tier::Existence,
        &[(RootKind::Repository, repo.path().into())],
    );
    let below_loop = loops.join("x");
    for path in [&there, &below_loop, &file, &gone, &proc] {
        call.roots[0].known.push(path_bytes(path));
    }
    let snapshot = ground.roll(&call).await;
    let [(_, RootOutcome::Complete(all))] = snapshot.roots() else {
        panic!("{snapshot:?}");
    };
    let probe = |path: &Path| all.probe(&path_bytes(path)).unwrap().clone();
    assert_eq!(probe(&there), Probe::Exists);
    assert!(matches!(probe(&below_loop), Probe::Unknown { .. }));
    assert!(matches!(probe(&file), Probe::Unknown { .. }));
    let own = at(all, repo.path()).mount;
    assert_eq!(probe(&gone), Probe::NoSuchFile { mount: own });
    assert_eq!(
        probe(&proc),
        Probe::NoSuchFile {
            mount: Some(HostPath::new("/proc"))
        }
    );
}

pub(crate) async fn missing_root_is_no_such_file_with_its_mount(ground: &Ground) {
    let roots = [
        (RootKind::Repository, ground.play.at("no/such")),
        (RootKind::Directory, PathBuf::from("/proc/no-such-entry")),
    ];
    let snapshot = ground.roll(&ground.call(Tier::Facts, &roots)).await;
    assert!(matches!(
        snapshot.roots(),
        [
            (_, RootOutcome::NoSuchFile { mount: Some(_) }),
            (_, RootOutcome::NoSuchFile { mount: Some(proc) }),
        ] if *proc == HostPath::new("/proc")
    ));
}

pub(crate) async fn directory_root_is_asserted_with_its_generation(ground: &Ground) {
    let path = ground.play.at("folder");
    fs::create_dir(&path).unwrap();
    let file = ground.play.at("a file");
    fs::write(&file, "").unwrap();
    let roots = [
        (RootKind::Directory, path.clone()),
        (RootKind::Directory, file),
    ];
    let snapshot = ground.roll(&ground.call(Tier::Facts, &roots)).await;
    let RootOutcome::Complete(all) = &snapshot.roots()[0].1 else {
        panic!("{snapshot:?}");
    };
    let own = at(all, &path);
    assert_eq!(own.kind, WorkspaceKind::Directory);
    assert_eq!(
        own.generation.unwrap().inode,
        fs::metadata(&path).unwrap().ino()
    );
    assert!(own.mount.is_some());
    assert_eq!(own.existence.common_dir, None);
    assert!(matches!(&snapshot.roots()[1].1, RootOutcome::Failed(_)));
}

pub(crate) async fn existence_tier_asks_for_no_facts(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let all = ground.repository(Tier::Existence, repo.path()).await;
    assert_eq!(at(&all, repo.path()).facts, FactsOutcome::NotAsked);
    assert_eq!(at(&all, tree.path()).facts, FactsOutcome::NotAsked);
    assert_eq!(
        at(&all, tree.path()).existence.head,
        branch(&tree, "refs/heads/tree")
    );
}

pub(crate) async fn inspect_says_what_a_path_is(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let inner = tree.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let plain = ground.play.at("plain");
    fs::create_dir(&plain).unwrap();
    let link = ground.play.at("link");
    std::os::unix::fs::symlink(repo.path(), &link).unwrap();
    let inspect = async |path: &Path| {
        ground
            .collector
            .inspect(&ground.host, &path_bytes(path))
            .await
            .unwrap()
    };
    for path in [repo.path(), tree.path(), &link, &repo.path().join(".git")] {
        let found = inspect(path).await;
        assert_eq!(found.kind, RootKind::Repository, "{}", path.display());
        assert_eq!((found.path, found.inside), (path_bytes(repo.path()), None));
        assert!(found.mount.is_some());
    }
    let found = inspect(&inner).await;
    assert_eq!(
        (found.kind, &found.path),
        (RootKind::Directory, &path_bytes(&inner))
    );
    assert_eq!(found.inside, Some(path_bytes(tree.path())));
    let found = inspect(&plain).await;
    assert_eq!((found.kind, found.inside), (RootKind::Directory, None));
    let line = ground.play.repo("ends in a line\n").unwrap();
    let found = inspect(line.path()).await;
    assert_eq!(
        (found.kind, &found.path),
        (RootKind::Repository, &path_bytes(line.path()))
    );
    let home = inspect(Path::new("~")).await;
    assert!(!home.path.as_bytes().contains(&b'~'));
}

pub(crate) async fn inspect_of_a_path_that_is_not_there_says_so(ground: &Ground) {
    let failed = async |path: &Path| {
        let found = ground
            .collector
            .inspect(&ground.host, &path_bytes(path))
            .await;
        found.unwrap_err()
    };
    let failure = failed(&ground.play.at("nope")).await;
    assert_eq!(failure.code, FailureCode::PathNotFound);
    assert!(failure.message.contains("nope") && !failure.hints.is_empty());
    assert_eq!(
        failed(Path::new("relative/path")).await.code,
        FailureCode::PathNotFound
    );
    fs::write(ground.play.at("file"), "").unwrap();
    assert_eq!(
        failed(&ground.play.at("file")).await.code,
        FailureCode::NotAFolder
    );
}

pub(crate) async fn i20_ra22_a_roll_call_leaves_no_trace(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    repo.write("file", "changed\n").unwrap();
    // Same content and another time: plain `status` would refresh the index for it.
    let later = std::time::SystemTime::now() + Duration::from_secs(7);
    fs::File::options()
        .write(true)
        .open(tree.path().join("file"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    let before = tree_of(ground.play.path());
    let all = ground.facts(repo.path()).await;
    assert_eq!(facts_at(&all, tree.path()).changes, clean());
    ground
        .collector
        .inspect(&ground.host, &path_bytes(tree.path()))
        .await
        .unwrap();
    assert_eq!(before, tree_of(ground.play.path()));
}

/// A program that leaves a file behind when it runs.
pub(crate) fn trap(ground: &Ground) -> (PathBuf, PathBuf) {
    let mark = ground.play.at("it-ran");
    let program = ground.play.at("trap.sh");
    fs::write(
        &program,
        format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\ncat\n", mark.display()),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program, mark)
}

pub(crate) async fn a21_i20_nothing_that_a_repository_configures_runs(ground: &Ground) {
    let (program, mark) = trap(ground);
    let program = program.to_str().unwrap();
    let repo = ground.play.repo("repo").unwrap();
    repo.commit(
        ".gitattributes",
        "*.dat filter=evil diff=evil\n",
        "attributes",
    )
    .unwrap();
    repo.commit("a.dat", "data\n", "data").unwrap();
    repo.publish("origin.git").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    for (key, value) in [
        ("core.fsmonitor", program),
        ("core.hooksPath", ground.play.path().to_str().unwrap()),
        ("core.sshCommand", program),
        ("core.pager", program),
        ("core.askPass", program),
        ("diff.external", program),
        ("diff.evil.textconv", program),
        ("filter.evil.clean", program),
        ("filter.evil.smudge", program),
        ("filter.evil.process", program),
        ("filter.evil.required", "true"),
        ("filter.two words.clean", program),
        ("alias.status", &format!("!{program}")),
        ("alias.worktree", &format!("!{program}")),
    ] {
        ground
            .play
            .command(repo.path())
            .args(["config", key, value])
            .output()
            .unwrap();
    }
    fs::copy(program, repo.path().join(".git/hooks/post-index-change")).unwrap();
    // In one worktree only, and from a file that only this branch includes.
    tree.git(["config", "extensions.worktreeConfig", "true"])
        .unwrap();
    tree.git(["config", "--worktree", "filter.third.clean", program])
        .unwrap();
    fs::write(
        ground.play.at("included"),
        format!("[filter \"fourth\"]\n\tclean = {program}\n"),
    )
    .unwrap();
    let included = ground.play.at("included");
    repo.git([
        "config",
        "includeIf.onbranch:tree.path",
        included.to_str().unwrap(),
    ])
    .unwrap();
    fs::write(
        tree.path().join(".gitattributes"),
        "*.dat filter=third\n*.two filter=fourth\n",
    )
    .unwrap();
    // As long as before: git would have to filter it to see whether it is another.
    for folder in [repo.path(), tree.path()] {
        fs::write(folder.join("a.dat"), "atad\n").unwrap();
    }
    let started = mark.exists();
    assert!(!started, "setting up ran it");
    let all = ground.facts(repo.path()).await;
    ground
        .collector
        .inspect(&ground.host, &path_bytes(repo.path()))
        .await
        .unwrap();
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
    for folder in [repo.path(), tree.path()] {
        assert!(matches!(
            facts_at(&all, folder).changes,
            Changes::Unknown { .. }
        ));
    }
    // The trap does work: plain git walks into it.
    drop(repo.git(["status"]));
    assert!(mark.exists());
}

/// Puts a clone of a repository into another: as a submodule in each way there is.
pub(crate) fn embed(
    ground: &Ground,
    top: &Repo<'_>,
    of: &Repo<'_>,
    name: &str,
    way: &str,
) -> PathBuf {
    let inner = top.path().join(name);
    let git = |arguments: &[&OsStr]| {
        let allow = ["-c", "protocol.file.allow=always"].map(OsStr::new);
        let all = allow.iter().chain(arguments);
        ground.play.git(top.path(), all).unwrap();
    };
    let word = OsStr::new;
    if way == "submodule" {
        let add = ["submodule", "--quiet", "add"].map(word);
        git(&[&add[..], &[of.path().as_os_str(), word(name)]].concat());
        return inner;
    }
    git(&[
        word("clone"),
        word("-q"),
        of.path().as_os_str(),
        inner.as_os_str(),
    ]);
    if way == "not absorbed" {
        let local = format!("./{name}");
        git(&["submodule", "--quiet", "add", &local, name].map(word));
    } else {
        git(&["add", name].map(word));
    }
    inner
}

pub(crate) async fn a5_a21_i20_no_submodule_runs_what_it_configures(ground: &Ground) {
    let (program, mark) = trap(ground);
    let lib = ground.play.repo("lib").unwrap();
    lib.commit(".gitattributes", "*.dat filter=evil\n", "attributes")
        .unwrap();
    lib.commit("a.dat", "data\n", "data").unwrap();
    for (at, (name, way)) in [
        ("plain", "submodule"),
        (".deps/hidden", "submodule"),
        ("a/b/c/d/e", "submodule"),
        ("g\u{e4}ste \"1\"", "submodule"),
        ("old", "not absorbed"),
        ("nested", "only in the index"),
    ]
    .into_iter()
    .enumerate()
    {
        // Once below the repository itself, and once below a submodule of it.
        for deep in [false, true] {
            let top = ground.play.repo(format!("top{at}{deep}")).unwrap();
            let inner = if deep {
                let middle = ground.play.repo(format!("middle{at}")).unwrap();
                let middle = embed(ground, &top, &middle, "middle", "submodule");
                let path = PathBuf::from(middle.strip_prefix(ground.play.path()).unwrap());
                let middle = ground.play.existing(path);
                embed(ground, &middle, &lib, name, way)
            } else {
                embed(ground, &top, &lib, name, way)
            };
            let inner = ground
                .play
                .existing(inner.strip_prefix(ground.play.path()).unwrap());
            top.git(["commit", "-qm", "Add what is inside"]).unwrap();
            inner
                .git([
                    OsStr::new("config"),
                    OsStr::new("filter.evil.clean"),
                    program.as_os_str(),
                ])
                .unwrap();
            // As long as before: only its content tells that it changed, and that goes through the filter.
            inner.write("a.dat", "DATA\n").unwrap();
            let all = ground.facts(top.path()).await;
            let case = format!("{name}, {way}, deep: {deep}");
            assert!(
                !mark.exists(),
                "{case}: {}",
                fs::read_to_string(&mark).unwrap()
            );
            let changes = facts_at(&all, top.path()).changes;
            let unspoken = way == "only in the index" && !deep;
            assert_eq!(
                matches!(changes, Changes::Unknown { .. }),
                !unspoken,
                "{case}: {changes:?}"
            );
            // The trap does work: plain git walks into it.
            top.git(["status"]).unwrap();
            assert!(mark.exists(), "{case}");
            fs::remove_file(&mark).unwrap();
        }
    }
}

pub(crate) async fn a21_z13_filtered_change_is_unknown(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.commit(".gitattributes", "*.dat filter=sed\n", "attributes")
        .unwrap();
    repo.git(["config", "filter.sed.clean", "sed s/a/b/"])
        .unwrap();
    // Older than the index, so that git has no reason to read it again.
    repo.write("x.dat", "banana\n").unwrap();
    let earlier = std::time::SystemTime::now() - Duration::from_hours(1);
    fs::File::options()
        .write(true)
        .open(repo.path().join("x.dat"))
        .unwrap()
        .set_modified(earlier)
        .unwrap();
    repo.git(["add", "x.dat"]).unwrap();
    repo.commit("plain", "one\n", "plain").unwrap();
    // Unfiltered changes are counted as ever.
    repo.write("plain", "two\n").unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    assert_eq!(facts.changes, counted(0, 1, 0, 0));
    repo.write("x.dat", "bananas\n").unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    assert!(
        matches!(facts.changes, Changes::Unknown { .. }),
        "{facts:?}"
    );
}

pub(crate) async fn a21_ra30_environment_of_the_host_does_not_leak_in(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let other = ground.play.repo("other").unwrap();
    let setting = |name: &str, value: &str| format!("export {name}='{value}'; ");
    let other = other.path().join(".git");
    let mut lead = setting("GIT_DIR", other.to_str().unwrap());
    lead += &setting("GIT_INDEX_FILE", "/nowhere");
    let home = ground.play.at("traced");
    let notes = ground.play.at("notes");
    fs::create_dir(&home).unwrap();
    let shown = notes.display();
    let config = format!(
        "[trace2]\n\tnormalTarget = {shown}\n\teventTarget = {shown}\n\tperfTarget = {shown}\n"
    );
    fs::write(home.join(".gitconfig"), config).unwrap();
    lead += &setting("HOME", home.to_str().unwrap());
    lead += &setting("GIT_CONFIG_COUNT", "1");
    lead += &setting("GIT_CONFIG_KEY_0", "core.bare");
    lead += &setting("GIT_CONFIG_VALUE_0", "true");
    lead += &setting("CDPATH", "/:/usr");
    lead += &setting("LC_ALL", "xx_XX.UTF-8");
    let polluted = if ground.sshd.is_some() {
        Ground::ssh_with(&rollcall_testkit::sshd::SshdOptions {
            force_command: Some(format!("{lead} eval \"$SSH_ORIGINAL_COMMAND\"")),
            ..Default::default()
        })
    } else {
        // `sh -c 'lead; exec sh "$@"' sh -c READER`
        Ground::local_with(&["sh", "-c", &format!("{lead} exec sh \"$@\""), "sh"])
    };
    let all = polluted.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 1);
    assert!(!at(&all, repo.path()).existence.bare);
    assert_eq!(facts_at(&all, repo.path()).changes, clean());
    assert!(!notes.exists(), "git noted its calls");
}

pub(crate) async fn check_tells_system_and_git(ground: &Ground) {
    let facts = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    assert!(!facts.system.is_empty());
    assert!(
        facts
            .git_version
            .starts_with(|digit: char| digit.is_ascii_digit()),
        "{facts:?}"
    );
}

/// A repository whose `git status` never ends: it waits for a pipe that nobody opens.
fn endless(ground: &Ground) -> PathBuf {
    let repo = ground.play.repo("endless").unwrap();
    // Only `git` asks for ignore rules, and it opens what it finds.
    let pipe = ground.play.at("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    repo.git([
        OsStr::new("config"),
        OsStr::new("core.excludesFile"),
        pipe.as_os_str(),
    ])
    .unwrap();
    repo.path().to_path_buf()
}

/// Processes of this machine whose command line names a path.
pub(crate) fn naming(path: &Path) -> Vec<i32> {
    let wanted = path.as_os_str().as_bytes();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let id: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let line = fs::read(format!("/proc/{id}/cmdline")).ok()?;
            line.windows(wanted.len())
                .any(|part| part == wanted)
                .then_some(id)
        })
        .collect()
}

fn group_of(id: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit(')')
        .next()?
        .split_whitespace()
        .nth(2)?
        .parse()
        .ok()
}

/// Living members of a process group; the dead that nobody has waited for do not count.
pub(crate) fn members(group: i32) -> usize {
    let Ok(entries) = fs::read_dir("/proc") else {
        return 0;
    };
    entries
        .filter_map(|entry| {
            let id: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            let mut words = stat.rsplit(')').next()?.split_whitespace();
            let alive = words.next()? != "Z";
            (alive && group_of(id) == Some(group)).then_some(())
        })
        .count()
}

/// Calls the roll of a repository whose git never answers, does something once that git runs, and tells the
/// outcome and the process group that it ran in.
pub(crate) async fn while_git_waits(
    ground: &Ground,
    mut act: impl FnMut(i32),
) -> (Result<Snapshot, Failure>, i32) {
    let path = endless(ground);
    let call = ground.call(Tier::Facts, &[(RootKind::Repository, path.clone())]);
    let roll = ground
        .collector
        .roll_call(&ground.host, &call, Caller::Person);
    let act = async {
        let mut group = 0;
        until("git waits", || {
            group = naming(&path)
                .first()
                .copied()
                .and_then(group_of)
                .unwrap_or(0);
            group != 0
        })
        .await;
        act(group);
        group
    };
    tokio::join!(roll, act)
}

pub(crate) async fn b13_killed_command_is_a_failure(ground: &Ground) {
    let kill = |leader| {
        let id = rustix::process::Pid::from_raw(leader).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    };
    let (outcome, group) = while_git_waits(ground, kill).await;
    let failure = outcome.unwrap_err();
    assert_eq!(failure.code, FailureCode::CommandFailed, "{failure:?}");
    until("the rest of the group ends", || members(group) == 0).await;
}

pub(crate) async fn dropping_the_future_ends_every_process(ground: &Ground) {
    let path = endless(ground);
    let call = ground.call(Tier::Facts, &[(RootKind::Repository, path.clone())]);
    let mut group = None;
    tokio::select! {
        outcome = ground.collector.roll_call(&ground.host, &call, Caller::Person) => panic!("{outcome:?}"),
        () = until("git waits", || {
            group = naming(&path).first().copied().and_then(group_of);
            group.is_some()
        }) => {}
    }
    let group = group.unwrap();
    until("nothing of the group is left", || members(group) == 0).await;
    assert!(naming(&path).is_empty());
    // The host can be asked again.
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}

pub(crate) async fn rb28_a_long_answer_comes_whole(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let mut call = ground.call(
        Tier::Facts,
        &[(rollcall_converge::RootKind::Repository, repo.path().into())],
    );
    let long = "x".repeat(200);
    // Three megabytes each way, more than any window.
    call.roots[0].known = (0..12_000)
        .map(|n| {
            rollcall_converge::HostPath::new(format!(
                "{}/../repo/{n}/../{long}/../file",
                repo.path().display()
            ))
        })
        .collect();
    call.roots[0].known.truncate(2_000);
    let known = call.roots[0].known.clone();
    let snapshot = ground.roll(&call).await;
    let rollcall_converge::RootOutcome::Complete(all) = &snapshot.roots()[0].1 else {
        panic!("{snapshot:?}")
    };
    assert!(known.iter().all(|path| all.probe(path).is_some()));
}

pub(crate) async fn the_trace_tells_how_long_each_part_of_a_roll_call_took(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    for n in 0..20 {
        repo.worktree(format!("tree{n}"), &format!("tree{n}"))
            .unwrap();
    }
    let parts = [
        "workspaces: 21, roots: 1, in ",
        "; reached ",
        "; roots ",
        "; existence ",
        "; facts ",
        " KiB read in ",
    ];
    // What comes beside an answer may come after it when everything is over at once.
    let mut heard = String::new();
    for _ in 0..5 {
        ground.facts(repo.path()).await;
        let trace = ground.collector.contact(ground.host.id).trace;
        let mut told = trace
            .iter()
            .filter(|line| line.step == rollcall_collect::TraceStep::RollCall);
        heard.clone_from(&told.next().unwrap().words);
        // Each is told in place of the one before.
        assert!(told.next().is_none(), "{trace:?}");
        if parts.iter().all(|part| heard.contains(part)) {
            return;
        }
    }
    panic!("{heard}");
}
