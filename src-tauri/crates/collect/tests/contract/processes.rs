//! How many processes a roll call starts, and what other shells and older gits make of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rollcall_converge::Caller;
use rollcall_converge::{RootKind, Tier};

use crate::cases;
use crate::ground::{Ground, at, facts_at};

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
    // Dirty and ahead, without upstream, and detached: each of them takes a second call.
    let second = ahead + 2;
    let worktrees = repositories * (1 + clean + second);
    fs::write(ground.play.at("calls"), "").unwrap();
    ground.roll(&ground.call(Tier::Existence, &roots)).await;
    // One list each, and its version.
    assert_eq!(calls(&ground), repositories + 1);
    fs::write(ground.play.at("calls"), "").unwrap();
    ground.roll(&ground.call(Tier::Facts, &roots)).await;
    // One of the most that 4R + W + 2 × (dirty, detached, ahead or without upstream) allows is the version.
    let made = calls(&ground);
    assert_eq!(
        made,
        1 + 4 * repositories + worktrees + repositories * second
    );
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

/// The shells that may stand behind `sh` on a host, as far as this machine has them.
fn shells() -> Vec<Vec<&'static str>> {
    let all = vec![
        vec!["dash"],
        vec!["bash", "--posix"],
        vec!["busybox", "sh"],
        vec!["mksh"],
        vec!["zsh", "--emulate", "sh"],
    ];
    all.into_iter()
        .filter(|shell| {
            let probe = std::process::Command::new(shell[0])
                .args(&shell[1..])
                .args(["-c", ":"])
                .output();
            probe.is_ok_and(|out| out.status.success())
        })
        .collect()
}

#[tokio::test]
async fn the_same_answer_comes_from_every_shell() {
    let shells = shells();
    assert!(!shells.is_empty());
    for shell in shells {
        eprintln!("{shell:?}");
        let ground = || Ground::local_with(&shell);
        cases::two_worktrees_one_dirty_one_unpushed_have_the_right_facts(&ground()).await;
        cases::a1_ra01_newline_in_path_is_one_worktree(&ground()).await;
        cases::a2_ra03_any_bytes_make_a_root_and_a_worktree(&ground()).await;
        cases::a11_ra09_upstreams_that_are_local_or_gone_are_told_apart(&ground()).await;
        cases::a15_ra05_lock_reason_of_several_lines_is_text(&ground()).await;
        cases::a21_i20_nothing_that_a_repository_configures_runs(&ground()).await;
        cases::a5_a21_i20_no_submodule_runs_what_it_configures(&ground()).await;
        cases::a22_every_kind_of_change_counts_once_in_its_class(&ground()).await;
        cases::inspect_says_what_a_path_is(&ground()).await;
        cases::a25_stashes_are_counted(&ground()).await;
        cases::e2_ra37_empty_gitdir_is_unread_and_never_absent(&ground()).await;
        cases::i3_known_paths_are_probed_with_their_mount(&ground()).await;
        cases::i20_a_roll_call_leaves_no_trace(&ground()).await;
        cases::dropping_the_future_ends_every_process(&ground()).await;
    }
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
        cases::a5_a21_i20_no_submodule_runs_what_it_configures(&ground()).await;
        cases::a22_every_kind_of_change_counts_once_in_its_class(&ground()).await;
        cases::a24_ra18_ra19_ra20_operations_in_progress_are_named(&ground()).await;
        cases::inspect_says_what_a_path_is(&ground()).await;
        cases::i20_a_roll_call_leaves_no_trace(&ground()).await;
    }
}
