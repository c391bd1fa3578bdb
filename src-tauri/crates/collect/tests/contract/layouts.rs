//! Cases about every way a repository can lie on a disk, and every state it can be left in.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use rollcall_converge::{
    Changes, FactsOutcome, FailureCode, Head, Operation, RefName, RootKind, RootOutcome, Standing,
    Tier, Unpushed, Upstream, WorkspaceKind,
};

use crate::cases::{clean, commits, counted, fail_git};
use crate::ground::{Ground, at, facts_at, path_bytes};

fn on(name: &str) -> impl Fn(&Head) -> bool {
    move |head| matches!(head, Head::Branch { name: it, .. } if it.as_bytes() == name.as_bytes())
}

fn unknown(facts: &FactsOutcome, word: &str) -> bool {
    matches!(facts, FactsOutcome::Unknown { reason } if reason.contains(word))
}

pub(crate) async fn a10_rc06_commits_of_an_unpushed_base_are_told_apart(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    repo.commit("file", "a\n", "On the base").unwrap();
    repo.commit("file", "b\n", "On the base too").unwrap();
    let tree = repo.worktree("tree", "feature").unwrap();
    tree.commit("file", "c\n", "Its own").unwrap();
    let loose = repo.worktree("loose", "loose").unwrap();
    loose.git(["checkout", "-q", "--detach"]).unwrap();
    loose.commit("file", "d\n", "Held by nothing").unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(facts_at(&all, repo.path()).unpushed, commits(2, 2));
    assert_eq!(facts_at(&all, tree.path()).unpushed, commits(3, 2));
    assert_eq!(facts_at(&all, loose.path()).unpushed, commits(3, 2));
}

pub(crate) async fn a12_z1_z4_z6_odd_names_of_branches_are_full_references(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let names = [
        "v1",
        "a.b+c#d",
        "x(y)",
        "feature/a",
        "gr\u{fc}n-\u{1f331}",
        "w]1",
    ];
    for name in ["v1", "feature/a"] {
        // A tag of the same name makes the short one ambiguous.
        repo.git(["tag", name]).unwrap();
    }
    let trees = names.map(|name| {
        let folder = format!("tree {}", name.replace('/', "-"));
        repo.worktree(folder, name).unwrap()
    });
    repo.publish("origin.git").unwrap();
    trees[0].commit("file", "x\n", "More").unwrap();
    let dash = repo.worktree("dash", "dash").unwrap();
    // `git branch` refuses these, and `update-ref` makes them.
    for name in ["refs/heads/-dash", "refs/heads/HEAD"] {
        repo.git(["update-ref", name, "HEAD"]).unwrap();
    }
    dash.git(["symbolic-ref", "HEAD", "refs/heads/-dash"])
        .unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 2 + names.len());
    for (tree, name) in trees.iter().zip(names) {
        let head = at(&all, tree.path()).existence.head;
        assert!(on(&format!("refs/heads/{name}"))(&head), "{head:?}");
        let facts = facts_at(&all, tree.path());
        let more = u32::from(name == "v1");
        assert_eq!(facts.unpushed, commits(more, 0), "{name}");
        assert_eq!(facts.changes, clean());
        let subject = if name == "v1" { "More" } else { "First commit" };
        assert_eq!(facts.last_commit.unwrap().subject, subject);
    }
    assert!(on("refs/heads/-dash")(
        &at(&all, dash.path()).existence.head
    ));
}

pub(crate) async fn a13_a_folder_inside_a_repository_can_be_registered_as_such(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.write("docs/page", "x").unwrap();
    let folder = repo.path().join("docs");
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(&folder))
        .await
        .unwrap();
    assert_eq!(
        (found.kind, found.inside),
        (RootKind::Directory, Some(path_bytes(repo.path())))
    );
    let roots = [
        (RootKind::Directory, folder.clone()),
        (RootKind::Repository, repo.path().to_path_buf()),
    ];
    let snapshot = ground.roll(&ground.call(Tier::Facts, &roots)).await;
    for ((_, outcome), (_, path)) in snapshot.roots().iter().zip(&roots) {
        let RootOutcome::Complete(all) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(at(all, path).standing, Standing::There);
    }
}

pub(crate) async fn a14_ra40_what_is_nested_is_listed_once_and_by_its_own_repository(
    ground: &Ground,
) {
    let outer = ground.play.repo("outer").unwrap();
    let inner = ground.play.repo("outer/inner").unwrap();
    let tree = outer.worktree("outer/trees/one", "one").unwrap();
    let deep = inner.worktree("outer/trees/one/deep", "deep").unwrap();
    let all = ground.facts(outer.path()).await;
    assert_eq!(all.assertions().len(), 2);
    // The nested repository and the folder of worktrees.
    assert_eq!(facts_at(&all, outer.path()).changes, counted(0, 0, 2, 0));
    assert_eq!(facts_at(&all, tree.path()).changes, counted(0, 0, 1, 0));
    let all = ground.facts(inner.path()).await;
    assert_eq!(all.assertions().len(), 2);
    let found = at(&all, deep.path());
    assert_eq!(found.kind, WorkspaceKind::Worktree);
    assert_eq!(
        found.existence.common_dir,
        Some(path_bytes(&inner.path().join(".git")))
    );
}

pub(crate) async fn a23_ra32_thousands_of_untracked_files_are_counted(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.write(".gitignore", "ignored/\n").unwrap();
    for n in 0..20_000 {
        repo.write(format!("f{n}"), "").unwrap();
    }
    for n in 0..200 {
        repo.write(format!("ignored/{n}/file"), "").unwrap();
        repo.write(format!("folder/{n}/file"), "").unwrap();
    }
    let call = ground.call(Tier::Facts, &[(RootKind::Repository, repo.path().into())]);
    let snapshot = ground
        .collector
        .roll_call(&ground.host, &call, rollcall_converge::Caller::Person)
        .await
        .unwrap();
    let [(_, RootOutcome::Complete(all))] = snapshot.roots() else {
        panic!("{snapshot:?}")
    };
    // The files, one folder, and `.gitignore` itself.
    assert_eq!(facts_at(all, repo.path()).changes, counted(0, 0, 20_002, 0));
}

pub(crate) async fn a26_ra34_ra35_sparse_shallow_and_partial_say_so(ground: &Ground) {
    let source = ground.play.repo("source").unwrap();
    source.commit("a/1", "x\n", "a").unwrap();
    source.commit("b/2", "x\n", "b").unwrap();
    source
        .git(["config", "uploadpack.allowFilter", "true"])
        .unwrap();
    let url = format!("file://{}", source.path().display());
    let clone = |name: &str, arguments: &[&str]| {
        let mut all = vec!["clone", "-q"];
        all.extend(arguments);
        all.extend([url.as_str(), name]);
        ground.play.git(ground.play.path(), all).unwrap();
        ground.play.existing(name)
    };
    let shallow = clone("shallow", &["--depth=1"]);
    let partial = clone("partial", &["--filter=blob:none"]);
    // Whatever it lacks cannot be had any more.
    partial
        .git(["config", "remote.origin.url", "file:///nowhere"])
        .unwrap();
    let tree = source.worktree("tree", "tree").unwrap();
    tree.git(["sparse-checkout", "set", "a"]).unwrap();

    let facts = facts_at(&ground.facts(shallow.path()).await, shallow.path());
    assert!(facts.traits.shallow && !facts.traits.partial && !facts.traits.sparse);
    assert_eq!(facts.unpushed, commits(0, 0));
    let facts = facts_at(&ground.facts(partial.path()).await, partial.path());
    assert!(facts.traits.partial && !facts.traits.shallow);
    assert_eq!((facts.changes, facts.unpushed), (clean(), commits(0, 0)));
    let all = ground.facts(source.path()).await;
    let facts = facts_at(&all, tree.path());
    assert!(facts.traits.sparse);
    assert_eq!(facts.changes, clean());
    assert!(!facts_at(&all, source.path()).traits.sparse);
    // What was made again outside of the pattern is an edit.
    tree.write("b/2", "other\n").unwrap();
    let facts = facts_at(&ground.facts(source.path()).await, tree.path());
    assert_eq!(facts.changes, counted(0, 1, 0, 0));
}

pub(crate) async fn a26_z8_a_repository_of_sha256_has_longer_names(ground: &Ground) {
    let path = ground.play.at("repo");
    fs::create_dir(&path).unwrap();
    ground
        .play
        .git(&path, ["init", "-q", "--object-format=sha256", "-bmain"])
        .unwrap();
    let repo = ground.play.existing("repo");
    repo.commit("file", "x\n", "First commit").unwrap();
    repo.publish_as("origin.git", &["--object-format=sha256"])
        .unwrap();
    repo.commit("file", "y\n", "Second commit").unwrap();
    let all = ground.facts(&path).await;
    let head = at(&all, &path).existence.head;
    assert_eq!(head.commit().unwrap().len(), 64);
    let facts = facts_at(&all, &path);
    assert_eq!(facts.unpushed, commits(1, 0));
    assert_eq!(facts.last_commit.unwrap().subject, "Second commit");
    assert_eq!(facts.traits.extensions, ["objectformat"]);
}

pub(crate) async fn a31_ra27_a_linked_path_leads_to_the_same_workspaces(ground: &Ground) {
    let repo = ground.play.repo("real/repo").unwrap();
    let link = ground.play.at("link");
    std::os::unix::fs::symlink(ground.play.at("real"), &link).unwrap();
    let tree = repo.worktree("link/tree", "tree").unwrap();
    let real = ground.play.at("real/tree");
    assert_ne!(tree.path(), real);
    let straight = ground.facts(repo.path()).await;
    let around = ground.facts(&link.join("repo")).await;
    for path in [repo.path(), &real] {
        let (one, other) = (at(&straight, path), at(&around, path));
        assert!(one.generation.is_some());
        assert_eq!((one.generation, one.facts), (other.generation, other.facts));
    }
    let found = ground
        .collector
        .inspect(&ground.host, &path_bytes(&link.join("tree")))
        .await
        .unwrap();
    assert_eq!(found.path, path_bytes(repo.path()));
}

pub(crate) async fn a33_clones_of_one_origin_say_where_they_come_from(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let other = ground.play.repo("other").unwrap();
    for (repo, url) in [
        (&repo, "https://ada:secret@example.org/team/tool.git"),
        (&other, "git@example.org:team/tool"),
    ] {
        repo.git(["remote", "add", "origin", url]).unwrap();
        let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
        assert_eq!(facts.origin.as_deref(), Some("example.org/team/tool"));
    }
}

pub(crate) async fn ra07_an_extension_that_this_git_does_not_know_fails_that_root(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let fine = ground.play.repo("fine").unwrap();
    for (key, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.fromtomorrow", "true"),
    ] {
        repo.git(["config", key, value]).unwrap();
    }
    let failure = ground.failure(repo.path()).await;
    assert_eq!(failure.code, FailureCode::NotReadable);
    assert!(failure.message.contains("extension"), "{failure:?}");
    assert!(
        failure.hints.iter().any(|hint| hint.contains("newer git")),
        "{failure:?}"
    );
    ground.facts(fine.path()).await;
}

pub(crate) async fn ra08_relative_links_without_their_extension_lead_to_the_worktree(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    fs::write(
        tree.path().join(".git"),
        "gitdir: ../repo/.git/worktrees/tree\n",
    )
    .unwrap();
    fs::write(
        repo.path().join(".git/worktrees/tree/gitdir"),
        "../../../../tree/.git\n",
    )
    .unwrap();
    tree.write("new", "x").unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 2, "{all:?}");
    let found = at(&all, tree.path());
    assert_eq!(found.standing, Standing::There);
    assert_eq!(facts_at(&all, tree.path()).changes, counted(0, 0, 1, 0));
}

pub(crate) async fn ra10_ra11_an_upstream_that_cannot_be_is_no_name_and_not_in_step(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let nowhere = repo.worktree("nowhere", "nowhere").unwrap();
    nowhere.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
    nowhere
        .git(["config", "branch.nowhere.remote", "elsewhere"])
        .unwrap();
    let unborn = ground.play.empty_repo("unborn").unwrap();
    unborn.git(["checkout", "-q", "-b", "mine"]).unwrap();
    for (key, value) in [
        ("remote.origin.url", "../nothing.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("branch.mine.remote", "origin"),
        ("branch.mine.merge", "refs/heads/mine"),
    ] {
        unborn.git(["config", key, value]).unwrap();
    }
    let facts = facts_at(&ground.facts(repo.path()).await, nowhere.path());
    let remote = "elsewhere".to_owned();
    assert_eq!(facts.upstream, Upstream::NoSuchRemote { remote });
    let all = ground.facts(unborn.path()).await;
    let name = Some(RefName::new("refs/heads/mine"));
    assert_eq!(
        at(&all, unborn.path()).existence.head,
        Head::Unborn { name }
    );
    let name = RefName::new("refs/remotes/origin/mine");
    assert_eq!(
        facts_at(&all, unborn.path()).upstream,
        Upstream::Gone { name }
    );
}

pub(crate) async fn ra12_ra13_words_of_git_in_a_subject_and_blanks_in_a_path_mean_nothing(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let tree = repo.worktree("my repo  wt ", "s").unwrap();
    tree.commit("file", "x\n", "fix: handle [gone] upstreams, ahead 3")
        .unwrap();
    tree.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, tree.path());
    assert!(matches!(
        facts.upstream,
        Upstream::Remote {
            ahead: 0,
            behind: 0,
            ..
        }
    ));
    assert_eq!(facts.unpushed, commits(0, 0));
}

pub(crate) async fn ra15_ra16_what_a_setting_calls_bare_stays_what_it_is(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    repo.git(["config", "core.bare", "true"]).unwrap();
    repo.git(["config", "extensions.worktreeConfig", "true"])
        .unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 2);
    let own = at(&all, repo.path());
    assert!(!own.existence.bare);
    assert!(unknown(&own.facts, "core.bare"), "{own:?}");
    let found = at(&all, tree.path());
    assert!(on("refs/heads/tree")(&found.existence.head));
    assert_eq!(found.standing, Standing::There);
    assert!(unknown(&found.facts, "work tree"), "{found:?}");
    // A bare repository called `.git`, with its worktrees beside it, is nothing but bare.
    let project = ground.play.at("project");
    ground.play.bare_clone(&repo, "project/.git").unwrap();
    let all = ground.facts(&project).await;
    let own = at(&all, &project);
    assert!(own.existence.bare);
    assert!(matches!(own.facts, FactsOutcome::Observed(_)), "{own:?}");
}

pub(crate) async fn ra17_an_orphan_branch_has_no_commits(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.git(["checkout", "-q", "--orphan", "lone"]).unwrap();
    let all = ground.facts(repo.path()).await;
    let name = Some(RefName::new("refs/heads/lone"));
    assert_eq!(at(&all, tree.path()).existence.head, Head::Unborn { name });
    let facts = facts_at(&all, tree.path());
    assert_eq!(facts.unpushed, commits(0, 0));
    assert_eq!(facts.changes, counted(1, 0, 0, 0));
    assert_eq!(facts_at(&all, repo.path()).changes, clean());
}

pub(crate) async fn ra18_ra21_an_operation_says_which_branch_it_began_on(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "feature/a").unwrap();
    for (content, message) in [("one\n", "One"), ("two\n", "Two")] {
        tree.commit("other", content, message).unwrap();
    }
    tree.commit("file", "theirs\n", "Three").unwrap();
    let bisected = repo.worktree("bisected", "bisected").unwrap();
    bisected.git(["bisect", "start"]).unwrap();
    repo.commit("file", "ours\n", "Main").unwrap();
    fail_git(&tree, &["rebase", "-q", "main"]);
    let all = ground.facts(repo.path()).await;
    assert!(matches!(
        at(&all, tree.path()).existence.head,
        Head::Detached { .. }
    ));
    let facts = facts_at(&all, tree.path());
    assert_eq!(facts.operation, Some(Operation::Rebase));
    assert_eq!(
        facts.progress.branch,
        Some(RefName::new("refs/heads/feature/a"))
    );
    assert_eq!(facts.progress.step, Some((3, 3)));
    assert!(facts.last_activity.is_some());
    let facts = facts_at(&all, bisected.path());
    assert_eq!(facts.operation, Some(Operation::Bisect));
    assert_eq!(facts.changes, clean());
    assert_eq!(
        facts.progress.branch,
        Some(RefName::new("refs/heads/bisected"))
    );
    assert_eq!(facts_at(&all, repo.path()).progress.branch, None);
}

pub(crate) async fn ra23_a_lock_left_behind_is_told_and_stops_nobody(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let lock = repo.path().join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    repo.write("file", "changed\n").unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    assert_eq!(facts.changes, counted(0, 1, 0, 0));
    assert!(facts.traits.index_locked);
    fs::remove_file(&lock).unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    assert!(!facts.traits.index_locked);
}

pub(crate) async fn ra26_a_submodule_called_like_gits_own_folders_has_its_own_worktrees(
    ground: &Ground,
) {
    let lib = ground.play.repo("lib").unwrap();
    let repo = ground.play.repo("repo").unwrap();
    for name in ["modules/foo", "worktrees/bar"] {
        let allow = ["-c", "protocol.file.allow=always"];
        let add = ["submodule", "--quiet", "add", "../lib", name];
        repo.git(allow.iter().chain(&add)).unwrap();
    }
    repo.git(["commit", "-qm", "Add them"]).unwrap();
    let tree = ground.play.at("subtree");
    let sub = repo.path().join("worktrees/bar");
    let add = ["worktree", "add", "-q", "-bx", "--"].map(OsStr::new);
    ground
        .play
        .git(&sub, add.into_iter().chain([tree.as_os_str()]))
        .unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 1, "{all:?}");
    let all = ground.facts(&sub).await;
    assert_eq!(all.assertions().len(), 2);
    assert_eq!(at(&all, &sub).kind, WorkspaceKind::Repository);
    assert_eq!(at(&all, &tree).kind, WorkspaceKind::Worktree);
    drop(lib);
}

pub(crate) async fn ra33_a_monitor_that_lies_is_not_believed(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let liar = ground.play.at("liar.sh");
    fs::write(&liar, "#!/bin/sh\nprintf 'tok\\0'\n").unwrap();
    crate::cases::mode(&liar, 0o755);
    for (key, value) in [
        ("core.fsmonitor", liar.to_str().unwrap()),
        ("core.fsmonitorHookVersion", "2"),
    ] {
        repo.git(["config", key, value]).unwrap();
    }
    repo.git(["update-index", "--fsmonitor"]).unwrap();
    repo.git(["status"]).unwrap();
    repo.write("file", "changed\n").unwrap();
    // Plain git believes it.
    assert_eq!(repo.line(["status", "--porcelain"]).unwrap(), "");
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    assert_eq!(facts.changes, counted(0, 1, 0, 0));
}

pub(crate) async fn ra37_damage_in_one_worktree_is_told_of_that_one(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let fine = repo.worktree("fine", "fine").unwrap();
    fine.commit("file", "fine\n", "Unpushed").unwrap();
    let index = repo.worktree("index", "index").unwrap();
    fs::write(repo.path().join(".git/worktrees/index/index"), "garbage").unwrap();
    let lost = repo.worktree("lost", "lost").unwrap();
    lost.commit("file", "lost\n", "Lost").unwrap();
    let object = lost.line(["rev-parse", "HEAD"]).unwrap();
    let (folder, rest) = object.split_at(2);
    fs::remove_file(repo.path().join(".git/objects").join(folder).join(rest)).unwrap();
    fs::create_dir(repo.path().join(".git/worktrees/empty")).unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 4);
    assert_eq!(all.unread().len(), 1);
    let facts = facts_at(&all, fine.path());
    assert_eq!(facts.changes, clean());
    assert!(
        matches!(facts.unpushed, Unpushed::Commits { count: 1, .. }),
        "{facts:?}"
    );
    let found = at(&all, index.path());
    assert!(unknown(&found.facts, "index file"), "{found:?}");
    let found = at(&all, lost.path());
    match &found.facts {
        FactsOutcome::Unknown { .. } => {}
        FactsOutcome::Observed(facts) => {
            assert!(matches!(facts.unpushed, Unpushed::Unknown { .. }));
        }
        FactsOutcome::NotAsked => panic!("{found:?}"),
    }
}

pub(crate) async fn ra39_a_branch_is_what_is_checked_out_now(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "one").unwrap();
    tree.git(["switch", "-q", "-c", "keepme"]).unwrap();
    let all = ground.facts(repo.path()).await;
    assert!(on("refs/heads/keepme")(
        &at(&all, tree.path()).existence.head
    ));
}

pub(crate) async fn z2_z3_a_head_that_names_no_branch_is_no_new_repository(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tag = repo.worktree("tag", "tag").unwrap();
    let looped = repo.worktree("looped", "looped").unwrap();
    repo.git(["tag", "foo"]).unwrap();
    let head = |name: &str, text: &str| {
        fs::write(
            repo.path().join(".git/worktrees").join(name).join("HEAD"),
            text,
        )
        .unwrap();
    };
    head("tag", "ref: refs/tags/foo\n");
    head("looped", "ref: refs/heads/a\n");
    fs::write(repo.path().join(".git/refs/heads/a"), "ref: refs/heads/b\n").unwrap();
    fs::write(repo.path().join(".git/refs/heads/b"), "ref: refs/heads/a\n").unwrap();
    let all = ground.facts(repo.path()).await;
    // It is told as it is: no branch is called like that.
    assert!(on("refs/tags/foo")(&at(&all, tag.path()).existence.head));
    let found = at(&all, looped.path()).existence.head;
    assert_eq!(found, Head::None);
    assert_eq!(facts_at(&all, repo.path()).changes, clean());
}

pub(crate) async fn z5_a_rename_counts_once(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.git(["mv", "file", "new name"]).unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, repo.path());
    assert_eq!(facts.changes, counted(1, 0, 0, 0));
}

pub(crate) async fn a25_z7_stashes_belong_to_the_repository_and_to_a_branch(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "feature/a").unwrap();
    for (at, content) in [(&repo, "one\n\n"), (&tree, "two\n"), (&tree, "three\n")] {
        at.write("file", content).unwrap();
        at.git(["stash", "-q"]).unwrap();
    }
    repo.write("file", "with words\n").unwrap();
    repo.git(["stash", "push", "-q", "-m", "on feature/a: not really"])
        .unwrap();
    tree.git(["checkout", "-q", "--detach"]).unwrap();
    tree.write("file", "detached\n").unwrap();
    tree.git(["stash", "-q"]).unwrap();
    tree.git(["checkout", "-q", "feature/a"]).unwrap();
    let all = ground.facts(repo.path()).await;
    let here = |path: &Path| {
        let facts = facts_at(&all, path);
        (facts.stashes, facts.stashes_here)
    };
    assert_eq!(here(repo.path()), (Some(5), Some(2)));
    assert_eq!(here(tree.path()), (Some(5), Some(2)));
}

pub(crate) async fn z9_e11_a_repository_says_from_whom_it_borrows(ground: &Ground) {
    let lender = ground.play.repo("lender").unwrap();
    let arguments = ["clone", "-q", "--shared", "lender", "borrower"];
    ground.play.git(ground.play.path(), arguments).unwrap();
    let borrower = ground.play.existing("borrower");
    let facts = facts_at(&ground.facts(borrower.path()).await, borrower.path());
    let objects = path_bytes(&lender.path().join(".git/objects"));
    assert_eq!(facts.traits.borrows, [objects]);
    // A store that is not there is only warned about.
    let listed = borrower.path().join(".git/objects/info/alternates");
    let mut text = fs::read_to_string(&listed).unwrap();
    text.push_str("/no/such/store\n");
    fs::write(&listed, text).unwrap();
    let facts = facts_at(&ground.facts(borrower.path()).await, borrower.path());
    assert_eq!(facts.changes, clean());
    assert_eq!(facts.unpushed, commits(0, 0));
}

pub(crate) async fn z10_a_worktree_that_is_being_made_is_not_gone(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let half = repo.path().join(".git/worktrees/half");
    fs::create_dir_all(&half).unwrap();
    for (name, text) in [
        ("locked", "initializing"),
        ("HEAD", "0000000000000000000000000000000000000000\n"),
        ("commondir", "../..\n"),
    ] {
        fs::write(half.join(name), text).unwrap();
    }
    let place = ground.play.at("half");
    fs::write(half.join("gitdir"), format!("{}/.git\n", place.display())).unwrap();
    let all = ground.facts(repo.path()).await;
    let found = at(&all, &place);
    assert_eq!(found.standing, Standing::Away);
    assert_eq!(found.existence.locked.as_deref(), Some("initializing"));
    assert_eq!(found.existence.head, Head::None);
}

pub(crate) async fn the_distance_to_the_base_is_told(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.commit("other", "x\n", "Ahead").unwrap();
    for n in 0..3 {
        repo.commit("file", &format!("{n}\n"), "Main").unwrap();
    }
    repo.git(["push", "-q"]).unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, tree.path());
    // git learned to tell it for all branches at once with 2.41.
    let old = repo.line(["for-each-ref", "--format=%(ahead-behind:HEAD)"]);
    let apart = facts.distance.as_ref().map(|it| (it.ahead, it.behind));
    assert_eq!(apart, old.is_ok().then_some((1, 3)));
    let base = |facts: rollcall_converge::Facts| facts.distance.map(|it| it.base);
    assert_eq!(
        base(facts),
        old.is_ok().then(|| RefName::new("refs/heads/main"))
    );
    repo.git(["remote", "set-head", "origin", "main"]).unwrap();
    let facts = facts_at(&ground.facts(repo.path()).await, tree.path());
    assert_eq!(
        base(facts),
        old.is_ok()
            .then(|| RefName::new("refs/remotes/origin/main"))
    );
}

pub(crate) async fn a27_the_base_that_a_person_chose_counts(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let next = repo.worktree("next", "team/next").unwrap();
    next.commit("next", "x\n", "Next").unwrap();
    let other = ground.play.repo("other").unwrap();
    let roots = [&repo, &other].map(|it| (RootKind::Repository, it.path().to_path_buf()));
    let mut call = ground.call(Tier::Facts, &roots);
    let chosen = RefName::new("refs/heads/team/next");
    call.roots[0].base = Some(chosen.clone());
    let old = repo.line(["for-each-ref", "--format=%(ahead-behind:HEAD)"]);
    let snapshot = ground.roll(&call).await;
    let distances: Vec<_> = snapshot
        .roots()
        .iter()
        .zip([&repo, &other])
        .map(|((_, outcome), repo)| match outcome {
            RootOutcome::Complete(all) => facts_at(all, repo.path()).distance,
            other => panic!("{other:?}"),
        })
        .collect();
    if old.is_ok() {
        let one = distances[0].clone().unwrap();
        assert_eq!((one.base, one.ahead, one.behind), (chosen, 0, 1));
        let base = RefName::new("refs/heads/main");
        assert_eq!(distances[1].clone().unwrap().base, base);
    }
    // What is no longer there is not replaced by a guess.
    call.roots[0].base = Some(RefName::new("refs/heads/gone"));
    let snapshot = ground.roll(&call).await;
    match &snapshot.roots()[0].1 {
        RootOutcome::Complete(all) => assert_eq!(facts_at(all, repo.path()).distance, None),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn last_activity_is_when_somebody_last_worked(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let hour = std::time::Duration::from_hours(1);
    let before = std::time::SystemTime::now() - 3 * hour;
    let after = before + hour;
    let set = |path: PathBuf, time| {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    };
    let seconds = |time: std::time::SystemTime| {
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_secs()).unwrap()
    };
    let admin = repo.path().join(".git/worktrees/tree");
    for name in ["index", "logs/HEAD"] {
        set(admin.join(name), before);
    }
    let active = |all: &rollcall_converge::CompleteAssertion| {
        facts_at(all, tree.path())
            .last_activity
            .unwrap()
            .as_second()
    };
    let all = ground.facts(repo.path()).await;
    assert_eq!(active(&all), seconds(before));
    tree.write("new file", "x").unwrap();
    set(tree.path().join("new file"), after);
    let all = ground.facts(repo.path()).await;
    assert_eq!(active(&all), seconds(after));
    assert!(matches!(
        facts_at(&all, tree.path()).changes,
        Changes::Counted { untracked: 1, .. }
    ));
}
