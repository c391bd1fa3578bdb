//! Cases about what only a walk or several calls tell: looks in depth, searches and measurements.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rollcall_converge::{
    Caller, CandidateKind, Deep, FailureCode, HostPath, Look, MergeState, Merged, RefName, Search,
    Subject, WorkspaceKind,
};
use rollcall_testkit::repo::Repo;
use rollcall_testkit::resident::Resident;

use crate::cases::{mode, unprivileged};
use crate::ground::{Ground, path_bytes, tree_of, until};

pub(crate) async fn look(ground: &Ground, kind: WorkspaceKind, path: &Path) -> Look {
    let subject = Subject {
        kind,
        path: path_bytes(path),
        base: None,
        known: None,
    };
    let before = tree_of(ground.play.path());
    let mut all = ground
        .collector
        .look(&ground.host, &[subject], Caller::Person)
        .await
        .unwrap();
    let after = tree_of(ground.play.path());
    let changed: Vec<_> = after
        .iter()
        .filter(|(path, it)| before.get(*path) != Some(it))
        .map(|(path, _)| path)
        .collect();
    assert!(changed.is_empty(), "a look changed {changed:?}");
    all.remove(0).unwrap()
}

async fn worktree(ground: &Ground, tree: &Repo<'_>) -> Deep {
    look(ground, WorkspaceKind::Worktree, tree.path())
        .await
        .deep
}

fn names(paths: &[HostPath]) -> Vec<String> {
    paths.iter().map(HostPath::display).collect()
}

pub(crate) async fn a27_rc22_each_way_to_be_merged_is_told_apart(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.commit("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "A file of lines")
        .unwrap();
    let make = |name: &str| {
        let tree = repo.worktree(name, name).unwrap();
        tree.commit(&format!("{name}-1"), "x\n", &format!("{name} one"))
            .unwrap();
        tree.commit(&format!("{name}-2"), "y\n", &format!("{name} two"))
            .unwrap();
        tree
    };
    let [merged, squashed, rebased, reverted, content, open, moved] = [
        "merged", "squashed", "rebased", "reverted", "content", "open", "moved",
    ]
    .map(make);
    let new = repo.worktree("new", "new").unwrap();
    let old = repo.worktree("old", "old").unwrap();
    old.commit("old", "x\n", "Old").unwrap();
    let main = |arguments: &[&str]| {
        repo.git(arguments).unwrap();
    };
    main(&["merge", "-q", "--no-edit", "merged"]);
    main(&["merge", "-q", "--ff-only", "main"]);
    for name in ["squashed", "reverted", "moved"] {
        main(&["merge", "-q", "--squash", name]);
        main(&["commit", "-qm", name]);
    }
    main(&["revert", "--no-edit", "HEAD~1"]);
    main(&["cherry-pick", "rebased~1", "rebased"]);
    // Somebody made the same changes in two steps of another kind.
    repo.commit("content-2", "y\n", "Other hands").unwrap();
    repo.commit("content-1", "x\n", "And others").unwrap();
    repo.commit("content-3", "z\n", "And more").unwrap();
    // What was merged goes on.
    moved.commit("moved-3", "z\n", "Goes on").unwrap();
    main(&["merge", "-q", "--no-edit", "old"]);
    repo.commit("later", "x\n", "Later").unwrap();

    let state = async |tree: &Repo<'_>| worktree(ground, tree).await.merged.state;
    assert_eq!(state(&merged).await, MergeState::Merged);
    assert_eq!(state(&old).await, MergeState::Merged);
    assert_eq!(state(&squashed).await, MergeState::Squashed);
    assert_eq!(state(&rebased).await, MergeState::Rebased);
    assert_eq!(state(&content).await, MergeState::Rebased);
    assert_eq!(state(&new).await, MergeState::New);
    for tree in [&open, &moved, &reverted] {
        let state = state(tree).await;
        assert!(matches!(state, MergeState::Not { .. }), "{state:?}");
    }
    let deep = worktree(ground, &squashed).await;
    let base = deep.merged.base.unwrap();
    assert_eq!(base, RefName::new("refs/heads/main"));
    assert_eq!(
        deep.merged.base_commit,
        Some(repo.line(["rev-parse", "main"]).unwrap())
    );
    let deep = look(ground, WorkspaceKind::Repository, repo.path()).await;
    assert_eq!(deep.deep.merged.state, MergeState::Base);
    // Only what is chosen counts as the base.
    let subject = Subject {
        kind: WorkspaceKind::Worktree,
        path: path_bytes(squashed.path()),
        base: Some(RefName::new("refs/heads/open")),
        known: None,
    };
    let all = ground
        .collector
        .look(&ground.host, &[subject], Caller::Person)
        .await
        .unwrap();
    let state = &all[0].as_ref().unwrap().deep.merged.state;
    assert!(matches!(state, MergeState::Not { .. }), "{state:?}");
}

pub(crate) async fn a27_content_that_came_in_one_commit_with_more_is_there(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.commit("one", "x\n", "One").unwrap();
    repo.write("one", "x\n").unwrap();
    repo.write("other", "y\n").unwrap();
    repo.git(["add", "."]).unwrap();
    repo.git(["commit", "-qm", "Both"]).unwrap();
    let state = worktree(ground, &tree).await.merged.state;
    assert_eq!(state, MergeState::Content);
}

pub(crate) async fn a27_nothing_is_compared_again_while_neither_commit_moved(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.commit("one", "x\n", "One").unwrap();
    let first = worktree(ground, &tree).await.merged;
    assert!(matches!(first.state, MergeState::Not { .. }), "{first:?}");
    // What was said before comes back as it was, whatever that was.
    let known = Merged {
        state: MergeState::Squashed,
        ..first
    };
    let again = async || {
        let subject = [Subject {
            kind: WorkspaceKind::Worktree,
            path: path_bytes(tree.path()),
            base: None,
            known: Some(known.clone()),
        }];
        let looks = ground
            .collector
            .look(&ground.host, &subject, Caller::Person);
        let mut looks = looks.await.unwrap();
        looks.remove(0).unwrap().deep.merged
    };
    assert_eq!(again().await, known);
    repo.commit("other", "x\n", "Elsewhere").unwrap();
    let moved = again().await;
    assert!(matches!(moved.state, MergeState::Not { .. }), "{moved:?}");
}

pub(crate) async fn e4_rc07_commits_that_only_a_worktree_holds_are_counted(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    assert_eq!(worktree(ground, &tree).await.unheld, Ok(0));
    // Made, and switched away from.
    tree.git(["checkout", "-q", "--detach"]).unwrap();
    tree.commit("a", "x\n", "One").unwrap();
    tree.commit("a", "y\n", "Two").unwrap();
    tree.git(["checkout", "-q", "tree"]).unwrap();
    assert_eq!(worktree(ground, &tree).await.unheld, Ok(2));
    // A reference of its own, without a reflog.
    let other = repo.worktree("other", "other").unwrap();
    let made = other
        .line(["commit-tree", "-p", "HEAD", "-m", "Loose", "HEAD^{tree}"])
        .unwrap();
    other
        .git(["update-ref", "refs/worktree/kept", made.as_str()])
        .unwrap();
    assert_eq!(worktree(ground, &other).await.unheld, Ok(1));
    // What another branch holds is not held by it alone.
    repo.git(["branch", "saved", made.as_str()]).unwrap();
    assert_eq!(worktree(ground, &other).await.unheld, Ok(0));
}

pub(crate) async fn e12_a_repository_says_which_references_hold_what_no_remote_has(
    ground: &Ground,
) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    repo.git(["checkout", "-q", "-b", "side"]).unwrap();
    repo.commit("a", "x\n", "Side").unwrap();
    repo.git(["tag", "-a", "-m", "Words", "kept"]).unwrap();
    repo.commit("a", "y\n", "Side again").unwrap();
    repo.git(["checkout", "-q", "main"]).unwrap();
    repo.write("file", "stashed\n").unwrap();
    repo.git(["stash", "-q"]).unwrap();
    let deep = look(ground, WorkspaceKind::Repository, repo.path())
        .await
        .deep;
    let held: Vec<_> = deep
        .held
        .unwrap()
        .into_iter()
        .map(|it| (it.name.display(), it.commits))
        .collect();
    let expected = [
        ("refs/heads/side", 2),
        // The entry itself, and what it keeps of the index.
        ("refs/stash", 2),
        ("refs/tags/kept", 1),
    ];
    assert_eq!(held, expected.map(|(name, n)| (name.to_owned(), n)));
}

pub(crate) async fn rc34_edits_that_git_was_told_not_to_see_are_seen(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    for name in ["assumed", "skipped", "same", "odd \"name\""] {
        repo.commit(name, "one\n", name).unwrap();
    }
    let tree = repo.worktree("tree", "tree").unwrap();
    for (flag, name) in [
        ("--assume-unchanged", "assumed"),
        ("--skip-worktree", "skipped"),
        ("--assume-unchanged", "same"),
    ] {
        tree.git(["update-index", flag, name]).unwrap();
    }
    tree.write("assumed", "edited\n").unwrap();
    tree.write("skipped", "edited\n").unwrap();
    let hidden = worktree(ground, &tree).await.hidden.unwrap();
    assert_eq!(names(&hidden), ["assumed", "skipped"]);
    // What a sparse checkout leaves out is hidden from nobody.
    let sparse = repo.worktree("sparse", "sparse").unwrap();
    sparse.git(["sparse-checkout", "set", "none"]).unwrap();
    assert_eq!(worktree(ground, &sparse).await.hidden, Ok(Vec::new()));
}

pub(crate) async fn rc03_ignored_files_that_nobody_can_make_again_are_named(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.commit(
        ".gitignore",
        ".env*\n*.sqlite3\nnode_modules/\nconf/\n*.log\ntarget/\n",
        "Ignore",
    )
    .unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    for name in [
        ".env",
        "deep/.env.local",
        "data.sqlite3",
        "conf/server.pem",
        "conf/readme",
        "noise.log",
        "node_modules/pkg/.env",
        "target/debug/key.pem",
        "gr\u{fc}n/.env",
    ] {
        tree.write(name, "x").unwrap();
    }
    let mut precious = names(&worktree(ground, &tree).await.precious.unwrap());
    precious.sort();
    assert_eq!(
        precious,
        [
            ".env",
            "conf/server.pem",
            "data.sqlite3",
            "deep/.env.local",
            "gr\u{fc}n/.env"
        ]
    );
}

pub(crate) async fn e1_a14_c7_rc21_git_directories_inside_are_named_ignored_or_not(
    ground: &Ground,
) {
    let lib = ground.play.repo("lib").unwrap();
    let repo = ground.play.repo("repo").unwrap();
    repo.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../lib",
        "sub",
    ])
    .unwrap();
    repo.commit(".gitignore", ".worktrees/\n", "Ignore")
        .unwrap();
    repo.worktree("repo/.worktrees/dirty", "dirty").unwrap();
    ground.play.repo("repo/.worktrees/own\nrepo").unwrap();
    ground
        .play
        .bare_clone(&lib, "repo/.worktrees/bare.git")
        .unwrap();
    let deep = look(ground, WorkspaceKind::Repository, repo.path())
        .await
        .deep;
    let inside = |name: &str| path_bytes(&repo.path().join(".worktrees").join(name));
    let mut expected = vec![inside("bare.git"), inside("dirty"), inside("own\nrepo")];
    expected.sort();
    assert_eq!(deep.nested, Ok(expected));
}

pub(crate) async fn whoever_works_inside_is_named(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let inner = tree.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let resident = Resident::new(&inner).unwrap();
    let deep = worktree(ground, &tree).await;
    let other = look(ground, WorkspaceKind::Repository, repo.path()).await;
    let number = resident.id();
    drop(resident);
    let users = deep.in_use.unwrap();
    assert_eq!(users.len(), 1, "{users:?}");
    assert_eq!((users[0].id, users[0].name.as_str()), (number, "sleep"));
    assert_eq!(other.deep.in_use, Ok(Vec::new()));
    assert_eq!(worktree(ground, &tree).await.in_use, Ok(Vec::new()));
}

pub(crate) async fn e10_z12_the_digest_is_another_when_anything_is(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.commit(".gitignore", "ignored\n", "Ignore").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let odd = "odd \"name\"\n\t";
    let link = |to: &str| std::os::unix::fs::symlink(to, tree.path().join("link\n")).unwrap();
    tree.write(odd, "one\0\n").unwrap();
    link("nowhere");
    tree.git(["add", "."]).unwrap();
    tree.git(["commit", "-qm", "Odd"]).unwrap();
    tree.write(odd, "two\0\n").unwrap();
    fs::remove_file(tree.path().join("link\n")).unwrap();
    link("elsewhere");
    tree.write("ignored", "x").unwrap();
    tree.write("new", "x").unwrap();
    tree.write("file", "edit\n").unwrap();
    let digest = async || worktree(ground, &tree).await.digest.unwrap();
    let mut last = digest().await;
    assert_eq!(last, digest().await, "nothing changed");
    let edited = tree.path().join("file");
    let before = fs::metadata(&edited).unwrap().modified().unwrap();
    let mut changed = async |what: &str| {
        let now = digest().await;
        assert_ne!(last, now, "{what}");
        last = now;
    };
    // As long as before, at the time of before.
    fs::write(&edited, "EDIT\n").unwrap();
    let file = fs::File::options().write(true).open(&edited).unwrap();
    file.set_modified(before).unwrap();
    changed("an edited file").await;
    tree.write("ignored", "y").unwrap();
    changed("an ignored file").await;
    fs::write(tree.path().join(odd), "TWO\0\n").unwrap();
    changed("an edited file with an odd name").await;
    fs::remove_file(tree.path().join("link\n")).unwrap();
    link("there");
    changed("where a link leads").await;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&edited, mode).unwrap();
    changed("that a file can be run").await;
    fs::remove_file(tree.path().join(odd)).unwrap();
    changed("an edited file that is gone").await;
    tree.write("another", "").unwrap();
    changed("a new file").await;
    tree.git(["add", "new"]).unwrap();
    changed("a staged file").await;
    fs::remove_file(tree.path().join("another")).unwrap();
    changed("a removed file").await;
}

pub(crate) async fn a_directory_has_a_digest_and_is_looked_into(ground: &Ground) {
    let folder = ground.play.at("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a"), "x").unwrap();
    ground.play.repo("folder/inner").unwrap();
    let first = look(ground, WorkspaceKind::Directory, &folder).await;
    assert!(first.generation.is_some());
    let inner = path_bytes(&folder.join("inner"));
    assert_eq!(first.deep.nested, Ok(vec![inner]));
    fs::write(folder.join("a"), "y").unwrap();
    let second = look(ground, WorkspaceKind::Directory, &folder).await;
    assert_ne!(first.deep.digest, second.deep.digest);
    assert_eq!(first.generation, second.generation);
}

pub(crate) async fn i20_a21_a_look_runs_nothing_that_a_repository_configures(ground: &Ground) {
    let (program, mark) = crate::cases::trap(ground);
    let program = program.to_str().unwrap();
    let repo = ground.play.repo("repo").unwrap();
    repo.commit(
        ".gitattributes",
        "*.dat filter=evil diff=evil merge=evil\n",
        "a",
    )
    .unwrap();
    repo.commit("a.dat", "one\ntwo\n", "data").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.commit("a.dat", "one\ntwo\nthree\n", "Theirs").unwrap();
    repo.commit("a.dat", "zero\none\ntwo\n", "Ours").unwrap();
    for (key, value) in [
        ("core.fsmonitor", program),
        ("diff.external", program),
        ("diff.evil.textconv", program),
        ("diff.evil.command", program),
        ("filter.evil.clean", program),
        ("filter.evil.process", program),
        ("merge.evil.driver", program),
        ("gpg.program", program),
        ("log.showSignature", "true"),
        ("core.pager", program),
        ("core.alternateRefsCommand", program),
    ] {
        repo.git(["config", key, value]).unwrap();
    }
    fs::write(tree.path().join("a.dat"), "edited\n").unwrap();
    let deep = worktree(ground, &tree).await;
    look(ground, WorkspaceKind::Repository, repo.path()).await;
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
    let state = deep.merged.state;
    assert!(matches!(state, MergeState::Unknown { .. }), "{state:?}");
    assert!(deep.digest.is_ok());
}

pub(crate) async fn what_cannot_be_looked_at_has_its_own_reason(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let hollow = ground.play.at("hollow");
    fs::create_dir(&hollow).unwrap();
    let subject = |kind, path: &Path| Subject {
        kind,
        path: path_bytes(path),
        base: None,
        known: None,
    };
    let subjects = [
        subject(WorkspaceKind::Worktree, &ground.play.at("gone")),
        subject(WorkspaceKind::Repository, &hollow),
        subject(WorkspaceKind::Repository, repo.path()),
    ];
    let all = ground
        .collector
        .look(&ground.host, &subjects, Caller::Person)
        .await
        .unwrap();
    assert_eq!(all[0].as_ref().unwrap_err().code, FailureCode::PathNotFound);
    assert_eq!(all[1].as_ref().unwrap_err().code, FailureCode::NotReadable);
    assert!(all[2].is_ok());
}

fn search(folder: &Path) -> Search {
    Search {
        folder: path_bytes(folder),
        depth: 4,
        hidden: false,
    }
}

pub(crate) async fn ra40_a_search_finds_what_is_there_and_comes_to_an_end(ground: &Ground) {
    let play = &ground.play;
    let one = play.repo("src/one").unwrap();
    play.repo("src/one/inside").unwrap();
    one.worktree("src/trees/two deep", "two").unwrap();
    play.bare_clone(&one, "src/bare.git").unwrap();
    play.repo("src/a/b/c/deep").unwrap();
    play.repo("src/a/b/c/d/too-deep").unwrap();
    play.repo("src/node_modules/pkg").unwrap();
    play.repo("src/.hidden/repo").unwrap();
    play.repo("outside").unwrap();
    fs::create_dir_all(play.at("src/empty/.git")).unwrap();
    for n in 0..30 {
        fs::create_dir_all(play.at(format!("src/wide/{n}/x"))).unwrap();
    }
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, play.at(name)).unwrap();
    };
    link(&play.at("src"), "src/loop");
    link(&play.at("nowhere"), "src/dangling");
    link(&play.at("outside"), "src/linked");
    let told = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&told);
    let before = tree_of(play.path());
    let found = ground
        .collector
        .search(
            &ground.host,
            &search(&play.at("src")),
            Some(Arc::new(move |looked, found| {
                hear.lock().unwrap().push((looked, found));
            })),
        )
        .await
        .unwrap();
    assert_eq!(before, tree_of(play.path()));
    let mut candidates: Vec<_> = found
        .candidates
        .iter()
        .map(|it| (it.path.clone(), it.kind))
        .collect();
    candidates.sort_by(|one, other| one.0.cmp(&other.0));
    let mut expected = [
        ("outside", CandidateKind::Repository),
        ("src/a/b/c/deep", CandidateKind::Repository),
        ("src/bare.git", CandidateKind::Bare),
        ("src/one", CandidateKind::Repository),
        ("src/trees/two deep", CandidateKind::Worktree),
    ]
    .map(|(path, kind)| (path_bytes(&play.at(path)), kind));
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(candidates, expected);
    assert!(found.looked_at > 60);
    let told = told.lock().unwrap().clone();
    assert_eq!(told.last(), Some(&(found.looked_at, 5)), "{told:?}");

    let deeper = Search {
        depth: 6,
        hidden: true,
        ..search(&play.at("src"))
    };
    let found = ground
        .collector
        .search(&ground.host, &deeper, None)
        .await
        .unwrap();
    assert_eq!(found.candidates.len(), 7, "{found:?}");
    let missing = ground
        .collector
        .search(&ground.host, &search(&play.at("no such")), None)
        .await;
    assert_eq!(missing.unwrap_err().code, FailureCode::PathNotFound);
}

pub(crate) async fn ra40_a_folder_that_is_closed_is_named_once(ground: &Ground) {
    let play = &ground.play;
    let closed = play.at("src/closed");
    fs::create_dir_all(closed.join("x")).unwrap();
    play.repo("src/open").unwrap();
    mode(play.path(), 0o755);
    mode(&closed, 0o000);
    let host = unprivileged(ground);
    let found = host
        .collector
        .search(&host.host, &search(&play.at("src")), None)
        .await;
    mode(&closed, 0o755);
    let found = found.unwrap();
    assert_eq!(found.unreadable, [path_bytes(&closed)]);
    assert_eq!(found.candidates.len(), 1);
}

pub(crate) async fn a_search_that_is_given_up_ends_on_the_host(ground: &Ground) {
    for n in 0..400 {
        fs::create_dir_all(ground.play.at(format!("src/{n}/a/b"))).unwrap();
        fs::create_dir_all(ground.play.at(format!("src/{n}/c/d"))).unwrap();
    }
    let (begun, heard) = tokio::sync::oneshot::channel();
    let begun = Mutex::new(Some(begun));
    let report: rollcall_collect::Report = Arc::new(move |_, _| {
        if let Some(begun) = begun.lock().unwrap().take() {
            begun.send(()).unwrap();
        }
    });
    let search = search(&ground.play.at("src"));
    tokio::select! {
        found = ground.collector.search(&ground.host, &search, Some(report)) => panic!("{found:?}"),
        heard = heard => heard.unwrap(),
    }
    let marker = ground.play.at("src");
    until("nothing looks any more", || {
        crate::cases::naming(&marker).is_empty()
    })
    .await;
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}

pub(crate) async fn a_size_tells_what_git_ignores_and_how_far_it_is(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.commit(".gitignore", "build/\n", "Ignore").unwrap();
    let block = vec![7_u8; 1 << 20];
    for name in ["build/one", "build/two", "kept/one", "with\nline"] {
        repo.write(name, &block).unwrap();
    }
    let told = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&told);
    let size = ground
        .collector
        .measure(
            &ground.host,
            &path_bytes(repo.path()),
            Some(Arc::new(move |size, part| {
                hear.lock().unwrap().push((size, part));
            })),
        )
        .await
        .unwrap();
    let mib = |bytes: u64| bytes >> 20;
    assert_eq!((mib(size.total), size.ignored.map(mib)), (4, Some(2)));
    assert!(!size.partial);
    let told = told.lock().unwrap().clone();
    assert!(!told.is_empty() && told.is_sorted(), "{told:?}");
    assert_eq!(told.last().map(|(_, part)| *part), Some(1000));
    let plain = ground.play.at("plain");
    fs::create_dir(&plain).unwrap();
    let size = ground
        .collector
        .measure(&ground.host, &path_bytes(&plain), None)
        .await
        .unwrap();
    assert_eq!(size.ignored, None);
    let none = path_bytes(&ground.play.at("none"));
    let failed = ground.collector.measure(&ground.host, &none, None).await;
    assert_eq!(failed.unwrap_err().code, FailureCode::PathNotFound);
}
