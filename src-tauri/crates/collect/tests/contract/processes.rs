//! How many processes a roll call starts, and what other shells and older gits make of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rollcall_converge::{
    Caller, FactsOutcome, FailureCode, Probe, RootKind, RootOutcome, Standing, Tier,
};

use crate::ground::{Ground, at, facts_at, tree_of};
use crate::{cases, depth, details};

/// A program called `git` that notes each call and then is git, or is an older one that knows no `-z`.
fn wrapped(old: bool) -> Ground {
    let plain = Ground::local();
    let folder = plain.play.at("bin");
    fs::create_dir(&folder).unwrap();
    let log = plain.play.at("calls");
    let found = std::process::Command::new("sh")
        .args(["-c", "command -v git"])
        .output()
        .unwrap();
    let git = String::from_utf8(found.stdout).unwrap();
    let refuse = if old {
        "case \" $* \" in *' list '*' -z '*) echo 'error: unknown switch `z'\\''' >&2; exit 129;; esac\n"
    } else {
        ""
    };
    let script = format!(
        "#!/bin/sh\necho \"$*\" >>'{}'\n{refuse}exec {} \"$@\"\n",
        log.display(),
        git.trim()
    );
    fs::write(folder.join("git"), script).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let lead = format!(
        "PATH='{}':$PATH; export PATH; exec sh \"$@\"",
        folder.display()
    );
    let mut ground = Ground::local_with(&["sh", "-c", &lead, "sh"]);
    ground.play = plain.play;
    ground
}

fn calls(ground: &Ground) -> usize {
    fs::read_to_string(ground.play.at("calls"))
        .unwrap()
        .lines()
        .count()
}

#[tokio::test]
async fn git_is_started_at_most_as_often_as_designed() {
    let ground = wrapped(false);
    let (repositories, clean, ahead) = (3, 4, 2);
    let mut roots = Vec::new();
    for at in 0..repositories {
        let repo = ground.play.repo(format!("repo{at}")).unwrap();
        repo.publish(format!("origin{at}.git")).unwrap();
        for n in 0..clean {
            let tree = repo
                .worktree(format!("clean{at}-{n}"), &format!("c{n}"))
                .unwrap();
            tree.git(["push", "-q", "-u", "origin", "HEAD"]).unwrap();
        }
        for n in 0..ahead {
            let tree = repo
                .worktree(format!("ahead{at}-{n}"), &format!("a{n}"))
                .unwrap();
            tree.commit("file", "x\n", "x").unwrap();
            tree.write("new", "x").unwrap();
        }
        repo.worktree(format!("local{at}"), "no-upstream").unwrap();
        let detached = repo.worktree(format!("detached{at}"), "left").unwrap();
        detached.git(["checkout", "-q", "--detach"]).unwrap();
        roots.push((RootKind::Repository, repo.path().to_path_buf()));
    }
    // Dirty and ahead, without upstream, and detached: each of them may take two more calls.
    let second = ahead + 2;
    let worktrees = repositories * (1 + clean + second);
    fs::write(ground.play.at("calls"), "").unwrap();
    ground.roll(&ground.call(Tier::Existence, &roots)).await;
    // One list each, and its version.
    assert_eq!(calls(&ground), repositories + 1);
    fs::write(ground.play.at("calls"), "").unwrap();
    ground.roll(&ground.call(Tier::Facts, &roots)).await;
    // Only what is detached takes one; and one is the version.
    let made = calls(&ground);
    assert_eq!(made, 1 + 4 * repositories + worktrees + repositories);
    assert!(made <= 4 * repositories + worktrees + 2 * repositories * second);
}

#[tokio::test]
async fn ra02_older_git_is_read_and_refuses_what_is_ambiguous() {
    let ground = wrapped(true);
    let repo = ground.play.repo("repo").unwrap();
    let fine = repo.worktree("fine", "fine").unwrap();
    let odd = repo
        .worktree("wt\nworktree /etc\nbranch refs/heads/main", "odd")
        .unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(all.assertions().len(), 2, "{all:?}");
    assert_eq!(at(&all, fine.path()).existence.locked, None);
    facts_at(&all, fine.path());
    let [unread] = all.unread() else {
        panic!("{all:?}")
    };
    assert!(unread.reason.contains("too old"));
    assert!(Path::new(odd.path()).exists());
}

/// Every git of this machine that is another file: that of the system and that of the person may differ.
fn gits() -> Vec<std::path::PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<_> = std::env::split_paths(&path)
        .chain(["/usr/bin".into()])
        .filter_map(|folder| folder.join("git").canonicalize().ok())
        .collect();
    found.sort();
    found.dedup();
    found
}

#[tokio::test]
async fn b3_the_same_answer_comes_from_every_git_of_this_machine() {
    let gits = gits();
    assert!(!gits.is_empty());
    for git in gits {
        let bin = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(&git, bin.path().join("git")).unwrap();
        let lead = format!(
            "PATH='{}':$PATH; export PATH; exec sh \"$@\"",
            bin.path().display()
        );
        let ground = || Ground::local_with(&["sh", "-c", &lead, "sh"]);
        let told = ground();
        let facts = told
            .collector
            .check(&told.host, Caller::Person)
            .await
            .unwrap();
        eprintln!("{}: git {}", git.display(), facts.git_version);
        cases::two_worktrees_one_dirty_one_unpushed_have_the_right_facts(&ground()).await;
        cases::a1_ra01_newline_in_path_is_one_worktree(&ground()).await;
        cases::a2_ra03_any_bytes_make_a_root_and_a_worktree(&ground()).await;
        cases::a3_ra14_bare_repository_owns_the_worktrees_beside_it(&ground()).await;
        cases::a11_ra09_upstreams_that_are_local_or_gone_are_told_apart(&ground()).await;
        cases::a15_ra05_lock_reason_of_several_lines_is_text(&ground()).await;
        cases::a21_i20_nothing_that_a_repository_configures_runs(&ground()).await;
        depth::a27_rc22_each_way_to_be_merged_is_told_apart(&ground()).await;
        details::changed_files_and_commits_are_told_by_their_names(&ground()).await;
        details::i20_a21_z13_details_run_nothing_that_a_repository_configures(&ground()).await;
        cases::a5_a21_i20_no_submodule_runs_what_it_configures(&ground()).await;
        cases::a22_every_kind_of_change_counts_once_in_its_class(&ground()).await;
        cases::a24_ra18_ra19_ra20_operations_in_progress_are_named(&ground()).await;
        cases::inspect_says_what_a_path_is(&ground()).await;
        cases::i20_ra22_a_roll_call_leaves_no_trace(&ground()).await;
    }
}

/// A folder shown in another place by a program that can be stopped, as a disk behind a network may stop answering.
struct Disk {
    server: std::process::Child,
    place: std::path::PathBuf,
}

impl Disk {
    fn of(ground: &Ground, folder: &str, place: &str) -> Self {
        let (folder, place) = (ground.play.at(folder), ground.play.at(place));
        fs::create_dir(&place).unwrap();
        let server = std::process::Command::new("bindfs")
            .arg("-f")
            .args([&folder, &place])
            .spawn()
            .unwrap();
        Self { server, place }
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let id = i32::try_from(self.server.id()).unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.signal(rustix::process::Signal::CONT);
        self.signal(rustix::process::Signal::TERM);
        drop(self.server.wait());
        // What still lies there would keep the folder from being removed.
        let mut unmount = std::process::Command::new("umount");
        drop(
            unmount
                .args(["-l".as_ref(), self.place.as_os_str()])
                .output(),
        );
    }
}

#[tokio::test]
async fn a20_i16_a_disk_that_does_not_answer_fails_what_lies_on_it_and_nothing_else() {
    let ground = Ground::local();
    let fine = ground.play.repo("fine").unwrap();
    let tree = fine.worktree("tree", "tree").unwrap();
    ground.play.repo("shown/repo").unwrap();
    let across = ground.play.repo("across").unwrap();
    let disk = Disk::of(&ground, "shown", "disk");
    let there = disk.place.join("repo");
    crate::ground::until("the disk is there", || there.join(".git").exists()).await;
    across.worktree("disk/tree", "elsewhere").unwrap();
    let roots = [
        (RootKind::Repository, there.clone()),
        (RootKind::Repository, fine.path().to_path_buf()),
        (RootKind::Directory, disk.place.clone()),
        (RootKind::Repository, across.path().to_path_buf()),
    ];
    let mut call = ground.call(Tier::Facts, &roots);
    call.roots[1].known.push(crate::ground::path_bytes(&there));
    // While the disk answers, all of them do.
    let asked = async |ground: &Ground| {
        let asked = ground
            .collector
            .roll_call(&ground.host, &call, Caller::Person);
        let limit = std::time::Duration::from_secs(20);
        tokio::time::timeout(limit, asked).await.unwrap().unwrap()
    };
    let whole = asked(&ground).await;
    let complete = |outcome: &RootOutcome| matches!(outcome, RootOutcome::Complete(_));
    assert!(
        whole.roots().iter().all(|(_, it)| complete(it)),
        "{whole:?}"
    );

    disk.signal(rustix::process::Signal::STOP);
    let snapshot = asked(&ground).await;
    let outcomes: Vec<_> = snapshot.roots().iter().map(|(_, it)| it).collect();
    for (at, outcome) in outcomes.iter().enumerate() {
        match outcome {
            RootOutcome::Complete(all) if at == 1 => {
                assert_eq!(facts_at(all, tree.path()).changes, cases::clean());
                let known = all.probe(&crate::ground::path_bytes(&there));
                assert!(matches!(known, Some(Probe::Unknown { .. })), "{known:?}");
            }
            RootOutcome::Failed(failure) if at != 1 => {
                assert_eq!(failure.code, FailureCode::NotMounted, "{failure:?}");
            }
            other => panic!("{at}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a20_ra31_one_slow_status_leaves_the_other_worktrees_their_facts() {
    let mut ground = wrapped(false);
    ground.limit(|limits| limits.program = std::time::Duration::from_secs(6));
    let repo = ground.play.repo("repo").unwrap();
    let trees: Vec<_> = (0..12)
        .map(|n| repo.worktree(format!("tree{n}"), &format!("b{n}")).unwrap())
        .collect();
    // It hangs in one working tree, with a process of its own below it.
    let script = ground.play.at("bin/git");
    let text = fs::read_to_string(&script).unwrap();
    let hang = "case \" $* \" in *'/tree5 status '*) sleep 300; exit 1;; esac\nexec ";
    fs::write(&script, text.replacen("exec ", hang, 1)).unwrap();
    let all = ground.facts(repo.path()).await;
    for (n, tree) in trees.iter().enumerate() {
        let found = at(&all, tree.path());
        assert_eq!(found.standing, Standing::There);
        match found.facts {
            FactsOutcome::Unknown { reason } if n == 5 => {
                assert!(reason.contains("6 seconds"), "{reason}");
            }
            FactsOutcome::Observed(facts) if n != 5 => assert_eq!(facts.changes, cases::clean()),
            other => panic!("{n}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn ra24_a_roll_call_that_is_given_up_at_any_time_leaves_no_lock() {
    let ground = Ground::local();
    let repo = ground.play.repo("repo").unwrap();
    for n in 0..8 {
        let tree = repo.worktree(format!("tree{n}"), &format!("b{n}")).unwrap();
        // The index would be written again, if anybody wrote.
        tree.write("file", "one\n").unwrap();
    }
    let call = ground.call(Tier::Facts, &[(RootKind::Repository, repo.path().into())]);
    let before = tree_of(ground.play.path());
    for turn in 0..60_u64 {
        let asked = ground
            .collector
            .roll_call(&ground.host, &call, Caller::Person);
        drop(tokio::time::timeout(std::time::Duration::from_millis(turn), asked).await);
    }
    assert_eq!(before, tree_of(ground.play.path()));
}

#[tokio::test]
async fn a28_thousands_of_branches_cost_no_more_processes_than_one() {
    let ground = wrapped(false);
    let repo = ground.play.repo("repo").unwrap();
    repo.publish("origin.git").unwrap();
    let commit = repo.line(["rev-parse", "HEAD"]).unwrap();
    let head = "# pack-refs with: peeled fully-peeled sorted ".to_owned();
    let branches = (0..10_000).map(|n| format!("{commit} refs/heads/many/{n:05}"));
    let remote = (0..40_000).map(|n| format!("{commit} refs/remotes/origin/many/{n:05}"));
    let packed: Vec<_> = std::iter::once(head)
        .chain(branches)
        .chain(remote)
        .collect();
    fs::write(
        repo.path().join(".git/packed-refs"),
        packed.join("\n") + "\n",
    )
    .unwrap();
    let tree = repo.worktree("tree", "tree").unwrap();
    tree.commit("file", "x\n", "More").unwrap();
    fs::write(ground.play.at("calls"), "").unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(calls(&ground), 1 + 4 + 2);
    assert_eq!(facts_at(&all, tree.path()).unpushed, cases::commits(1, 0));
}

#[tokio::test]
async fn a28_never_more_programs_at_once_than_the_bound() {
    let ground = wrapped(false);
    let repo = ground.play.repo("repo").unwrap();
    for n in 0..190 {
        repo.worktree(format!("tree{n}"), &format!("b{n}")).unwrap();
    }
    // Each call notes how many of them run.
    let running = ground.play.at("running");
    fs::create_dir(&running).unwrap();
    let script = ground.play.at("bin/git");
    let text = fs::read_to_string(&script).unwrap();
    let count = format!(
        ": >'{0}'/$$; set -- \"$@\"; n=0; for f in '{0}'/*; do n=$((n + 1)); done; echo \"$n\" >>'{1}'; \
         sleep 0.01\n",
        running.display(),
        ground.play.at("calls").display()
    );
    let text = text.replacen("exec ", &count, 1);
    let end = format!("code=$?\nrm '{}'/$$\nexit $code\n", running.display());
    fs::write(&script, text + &end).unwrap();
    fs::write(ground.play.at("calls"), "").unwrap();
    let call = ground.call(Tier::Facts, &[(RootKind::Repository, repo.path().into())]);
    ground
        .collector
        .roll_call(&ground.host, &call, Caller::Person)
        .await
        .unwrap();
    let noted = fs::read_to_string(ground.play.at("calls")).unwrap();
    let most: usize = noted
        .lines()
        .filter_map(|line| line.parse().ok())
        .max()
        .unwrap();
    let cores = std::thread::available_parallelism().unwrap().get().min(8);
    assert!(most <= cores, "{most} at once on {cores} cores");
    assert!(
        noted
            .lines()
            .filter(|line| line.contains(" status "))
            .count()
            > 190
    );
}

#[tokio::test]
async fn existence_of_many_worktrees_takes_few_processes() {
    let ground = wrapped(false);
    for name in [
        "df", "env", "getconf", "ls", "ps", "renice", "sed", "sleep", "stat", "tr", "uname",
    ] {
        let note = ground.play.at("calls");
        let script = format!(
            "#!/bin/sh\necho {name} >>'{}'\nPATH=/usr/bin:/bin exec {name} \"$@\"\n",
            note.display()
        );
        let path = ground.play.at("bin").join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut roots = Vec::new();
    for at in 0..20 {
        let repo = ground.play.repo(format!("repo{at}")).unwrap();
        for n in 0..10 {
            repo.worktree(format!("tree{at}-{n}"), &format!("b{n}"))
                .unwrap();
        }
        roots.push((RootKind::Repository, repo.path().to_path_buf()));
    }
    fs::write(ground.play.at("calls"), "").unwrap();
    ground
        .collector
        .roll_call(
            &ground.host,
            &ground.call(Tier::Existence, &roots),
            Caller::Person,
        )
        .await
        .unwrap();
    let started = fs::read_to_string(ground.play.at("calls")).unwrap();
    // The list, and what makes lines of it, for each; and some for all of them.
    assert!(started.lines().count() <= 60, "{started}");
    let lists = started.lines().filter(|it| it.contains("worktree list"));
    assert_eq!(lists.count(), 20, "{started}");
}

#[tokio::test]
async fn z14_a_function_called_git_that_a_login_exports_is_not_asked() {
    let lead = "git() { echo shadow; }; export -f git; exec bash \"$@\"";
    let ground = Ground::local_with(&["bash", "-c", lead, "bash"]);
    let repo = ground.play.repo("repo").unwrap();
    let all = ground.facts(repo.path()).await;
    assert_eq!(facts_at(&all, repo.path()).changes, cases::clean());
}

/// A root with nothing in it but busybox, git and the libraries of that, in the folder where a case plays.
fn minimal_root(ground: &Ground) {
    let script = r#"
set -e
cd "$1"
mkdir -p bin dev etc tmp usr/bin
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/urandom c 1 9
cp "$(command -v busybox)" bin/busybox
for name in $(bin/busybox --list); do
  [ "$name" = busybox ] || ln -s busybox "bin/$name"
done
git=$(command -v git)
cp "$git" usr/bin/git
ln -s git usr/bin/git-receive-pack
ln -s git usr/bin/git-upload-pack
for file in $( (ldd "$git"; ldd bin/busybox) 2>/dev/null | sed -n 's/^[^/]*\(\/[^ ]*\) (.*/\1/p' | sort -u); do
  mkdir -p ".${file%/*}"
  cp -L "$file" ".$file"
done
"#;
    let made = std::process::Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(ground.play.path())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{words}");
}

#[tokio::test]
async fn a_root_of_busybox_and_git_alone_tells_the_same() {
    let plain = Ground::local();
    minimal_root(&plain);
    // Paths are those inside, and the links between repositories too.
    let inside = |script: &str| {
        let ran = std::process::Command::new("chroot")
            .arg(plain.play.path())
            .args(["/bin/sh", "-c", script])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/bin")
            .env("HOME", "/tmp")
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{words}");
    };
    inside(
        "set -e; git config --global user.name A; git config --global user.email a@example.org; \
         git init -q -b main /repo; cd /repo; echo one >file; git add file; git commit -qm First; \
         git init -q --bare /origin.git; git remote add origin /origin.git; git push -q -u origin main; \
         git worktree add -q -b dirty '/tree one'; cd '/tree one'; echo two >file; echo x >new; \
         cd /repo; git worktree add -q -b ahead /ahead; cd /ahead; echo 3 >file; git commit -qam Ahead; \
         cd /repo; git worktree add -q -b gone /gone; rm -r /gone; mkdir -p /src/deep; git clone -q /repo /src/deep/clone",
    );
    let root = plain.play.path().to_str().unwrap().to_owned();
    let ground = Ground::local_with(&[
        "env",
        "-i",
        "PATH=/usr/sbin:/usr/bin:/bin",
        "chroot",
        &root,
        "/bin/sh",
    ]);
    let call = ground.call(Tier::Facts, &[(RootKind::Repository, "/repo".into())]);
    let snapshot = ground.roll(&call).await;
    let [(_, RootOutcome::Complete(all))] = snapshot.roots() else {
        panic!("{snapshot:?}")
    };
    assert_eq!(all.assertions().len(), 4, "{all:?}");
    let main = facts_at(all, Path::new("/repo"));
    assert_eq!(
        (main.changes, main.unpushed),
        (cases::clean(), cases::commits(0, 0))
    );
    let dirty = at(all, Path::new("/tree one"));
    assert!(dirty.generation.is_some(), "{dirty:?}");
    let dirty = facts_at(all, Path::new("/tree one"));
    assert_eq!(dirty.changes, cases::counted(0, 1, 1, 0));
    assert!(dirty.last_activity.is_some());
    let ahead = facts_at(all, Path::new("/ahead"));
    assert_eq!(ahead.unpushed, cases::commits(1, 0));
    assert_eq!(ahead.last_commit.unwrap().subject, "Ahead");
    let gone = at(all, Path::new("/gone"));
    assert!(
        matches!(gone.standing, Standing::Prunable { .. }),
        "{gone:?}"
    );

    let search = rollcall_converge::Search {
        folder: rollcall_converge::HostPath::new("/"),
        depth: 4,
        hidden: false,
    };
    let found = ground.collector.search(&ground.host, &search, None).await;
    let mut found: Vec<_> = found
        .unwrap()
        .candidates
        .iter()
        .map(|it| it.path.display())
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "/ahead",
            "/origin.git",
            "/repo",
            "/src/deep/clone",
            "/tree one"
        ]
    );
    let subject = rollcall_converge::Subject {
        kind: rollcall_converge::WorkspaceKind::Worktree,
        path: rollcall_converge::HostPath::new("/tree one"),
        base: None,
        known: None,
    };
    let looks = ground
        .collector
        .look(&ground.host, &[subject], Caller::Person)
        .await
        .unwrap();
    let deep = &looks[0].as_ref().unwrap().deep;
    assert_eq!(deep.merged.state, rollcall_converge::MergeState::New);
    assert_eq!(deep.nested, Ok(Vec::new()));
    assert_eq!(deep.unheld, Ok(0));
    assert!(deep.digest.is_ok() && deep.hidden.is_ok(), "{deep:?}");
    // There is no `/proc` in it, and no `lsof`.
    assert!(deep.in_use.is_err(), "{deep:?}");
    let tree = rollcall_converge::HostPath::new("/tree one");
    let kind = rollcall_converge::WorkspaceKind::Worktree;
    let details = ground.collector.details(&ground.host, kind, &tree).await;
    let details = details.unwrap();
    assert_eq!(details.changed.unwrap().unwrap().items.len(), 2);
    assert_eq!(details.recent.unwrap().unwrap().items.len(), 1);
    let size = ground
        .collector
        .measure(
            &ground.host,
            &rollcall_converge::HostPath::new("/repo"),
            None,
        )
        .await
        .unwrap();
    assert!(size.total > 0 && size.ignored == Some(0), "{size:?}");
}
