//! Cases about what a person sees of a workspace who opens it.

use std::fs;
use std::path::Path;

use rollcall_converge::{ChangedFile, Details, FailureCode, FileChange, HostPath, WorkspaceKind};

use crate::ground::{Ground, path_bytes, tree_of};

async fn details(ground: &Ground, kind: WorkspaceKind, path: &Path) -> Details {
    let before = tree_of(ground.play.path());
    let path = path_bytes(path);
    let told = ground.collector.details(&ground.host, kind, &path).await;
    assert!(before == tree_of(ground.play.path()), "something changed");
    told.unwrap()
}

fn subjects(told: Option<rollcall_converge::Excerpt<rollcall_converge::Commit>>) -> Vec<String> {
    let commits = told.unwrap().unwrap().items.into_iter();
    commits.map(|it| it.commit.subject).collect()
}

pub(crate) async fn changed_files_and_commits_are_told_by_their_names(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.write("README.md", "<img src=x>\n\n# The *harbor*\n")
        .unwrap();
    for name in ["kept", "edited", "old name", "gone"] {
        repo.write(name, format!("{name}\n")).unwrap();
    }
    repo.git(["add", "."]).unwrap();
    repo.git(["commit", "-qm", "All of it"]).unwrap();
    repo.publish("origin.git").unwrap();
    repo.commit("more", "x\n", "Mine \u{202e}|\u{1b}[1m")
        .unwrap();
    repo.git([
        "commit",
        "-q",
        "--allow-empty",
        "--allow-empty-message",
        "-m",
        "",
    ])
    .unwrap();
    repo.write("edited", "otherwise\n").unwrap();
    repo.git(["mv", "old name", "new\nname"]).unwrap();
    fs::remove_file(repo.path().join("gone")).unwrap();
    repo.write("added \"here\"", "x\n").unwrap();
    repo.git(["add", "added \"here\""]).unwrap();
    repo.write("added \"here\"", "y\n").unwrap();
    repo.write("folder/untracked", "x\n").unwrap();

    let told = details(ground, WorkspaceKind::Repository, repo.path()).await;
    assert_eq!(told.heading.as_deref(), Some("The *harbor"));
    let changed = told.changed.unwrap().unwrap();
    assert!(!changed.more);
    let mut items = changed.items;
    items.sort_by(|one, other| one.path.cmp(&other.path));
    let file = |path: &str, staged, unstaged| ChangedFile {
        path: HostPath::new(path),
        from: (path == "new\nname").then(|| HostPath::new("old name")),
        staged,
        unstaged,
        filtered: false,
    };
    let edited = Some(FileChange::Modified);
    assert_eq!(
        items,
        [
            file("added \"here\"", Some(FileChange::Added), edited),
            file("edited", None, edited),
            file("folder/", None, Some(FileChange::Untracked)),
            file("gone", None, Some(FileChange::Deleted)),
            file("new\nname", Some(FileChange::Renamed), None),
        ]
    );
    let mine = ["", "Mine ‹U+202E›|␛[1m"];
    assert_eq!(subjects(told.unpushed), mine);
    let recent = told.recent.clone().unwrap().unwrap();
    let head = repo.line(["rev-parse", "HEAD"]).unwrap();
    assert_eq!(recent.items[0].id, head);
    assert!(!recent.more);
    assert_eq!(&subjects(told.recent)[..2], mine);
}

pub(crate) async fn what_has_no_commits_no_remote_or_no_git_says_no_more_than_there_is(
    ground: &Ground,
) {
    let unborn = ground.play.empty_repo("unborn").unwrap();
    unborn.write("new", "x\n").unwrap();
    let told = details(ground, WorkspaceKind::Repository, unborn.path()).await;
    assert_eq!(told.heading, None);
    assert_eq!(told.changed.unwrap().unwrap().items.len(), 1);
    assert_eq!(subjects(told.recent), [""; 0]);
    assert_eq!(told.unpushed, None);

    let repo = ground.play.repo("repo").unwrap();
    let told = details(ground, WorkspaceKind::Repository, repo.path()).await;
    assert_eq!(told.unpushed, None);
    assert_eq!(subjects(told.recent).len(), 1);

    let bare = ground.play.bare_clone(&repo, "bare.git").unwrap();
    let told = details(ground, WorkspaceKind::Repository, bare.path()).await;
    assert_eq!(told.changed, None);
    assert_eq!(subjects(told.recent).len(), 1);

    let folder = ground.play.at("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("README"), b"Plain \xff\0words\n====\n").unwrap();
    let told = details(ground, WorkspaceKind::Directory, &folder).await;
    assert_eq!(told.heading.as_deref(), Some("Plain \u{fffd}words"));
    assert_eq!((told.changed, told.recent), (None, None));

    let nowhere = path_bytes(&ground.play.at("nowhere"));
    let failure = ground
        .collector
        .details(&ground.host, WorkspaceKind::Worktree, &nowhere)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::PathNotFound);
}

pub(crate) async fn i13_details_that_cannot_be_told_are_unknown_and_not_empty(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    let index = repo.path().join(".git/worktrees/tree/index");
    fs::write(&index, "no index").unwrap();
    let told = details(ground, WorkspaceKind::Worktree, tree.path()).await;
    assert!(told.changed.unwrap().is_err());
    assert!(told.recent.unwrap().is_ok());

    let lost = ground.play.repo("lost").unwrap();
    lost.commit("a", "x\n", "Second").unwrap();
    let commit = lost.line(["rev-parse", "HEAD"]).unwrap();
    let (folder, rest) = commit.split_at(2);
    fs::remove_file(lost.path().join(".git/objects").join(folder).join(rest)).unwrap();
    let told = details(ground, WorkspaceKind::Repository, lost.path()).await;
    let unknown = told.recent.unwrap().unwrap_err();
    assert_ne!(unknown.reason, "");

    fs::remove_file(tree.path().join(".git")).unwrap();
    let told = details(ground, WorkspaceKind::Worktree, tree.path()).await;
    assert!(told.changed.unwrap().is_err());
    assert!(told.recent.unwrap().is_err());
}

pub(crate) async fn a23_a_long_list_is_cut_off_and_says_so(ground: &Ground) {
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let name = "x".repeat(80);
    for n in 0..1_500 {
        repo.write(format!("{name}-{n}"), "x\n").unwrap();
    }
    let mut stream = String::new();
    for n in 0..130 {
        let from = if n == 0 {
            "from refs/heads/main^0\n"
        } else {
            ""
        };
        let words = format!("Commit {n}");
        let (time, length) = (1_700_000_000 + n, words.len());
        stream.extend([
            format!("commit refs/heads/main\ncommitter A <a@b> {time} +0000\n"),
            format!("data {length}\n{words}\n{from}\n"),
        ]);
    }
    let file = ground.play.at("stream");
    fs::write(&file, stream).unwrap();
    let mut import = ground.play.command(repo.path());
    let import = import
        .args(["fast-import", "--quiet"])
        .stdin(fs::File::open(&file).unwrap());
    assert!(import.status().unwrap().success());
    let told = details(ground, WorkspaceKind::Repository, repo.path()).await;
    let changed = told.changed.unwrap().unwrap();
    assert!(changed.more && changed.items.len() == 500);
    let unpushed = told.unpushed.unwrap().unwrap();
    assert!(unpushed.more && unpushed.items.len() == 100);
    let recent = told.recent.unwrap().unwrap();
    assert!(recent.more && recent.items.len() == 20);
    assert_eq!(recent.items[0].commit.subject, "Commit 129");
}

pub(crate) async fn i20_a21_z13_details_run_nothing_that_a_repository_configures(ground: &Ground) {
    let (program, mark) = crate::cases::trap(ground);
    let program = program.to_str().unwrap();
    let repo = ground.play.repo("repo").unwrap();
    repo.commit(".gitattributes", "*.dat filter=evil diff=evil\n", "a")
        .unwrap();
    repo.commit("a.dat", "one\n", "data").unwrap();
    repo.commit("b", "one\n", "b").unwrap();
    repo.publish("origin.git").unwrap();
    repo.commit("c", "x\n", "c").unwrap();
    for (key, value) in [
        ("core.fsmonitor", program),
        ("diff.external", program),
        ("diff.evil.textconv", program),
        ("filter.evil.clean", program),
        ("filter.evil.process", program),
        ("gpg.program", program),
        ("log.showSignature", "true"),
        ("core.pager", program),
        ("pager.log", "true"),
        ("core.alternateRefsCommand", program),
    ] {
        repo.git(["config", key, value]).unwrap();
    }
    repo.write("a.dat", "two\n").unwrap();
    repo.write("b", "two\n").unwrap();
    let told = details(ground, WorkspaceKind::Repository, repo.path()).await;
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
    let items = told.changed.unwrap().unwrap().items;
    let seen: Vec<_> = items
        .iter()
        .map(|it| (it.path.display(), it.filtered))
        .collect();
    assert_eq!(seen, [("a.dat".to_owned(), true), ("b".to_owned(), false)]);
    assert_eq!(subjects(told.unpushed), ["c"]);
}
