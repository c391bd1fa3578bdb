//! The other verbs on a real server, and what is said of all hosts together.

use std::fs;

use rollcall_api::ErrorCode;
use rollcall_api::wire::{
    AnnotationPatch, BranchFate, CheckoutForm, CreationForm, JournalFilter, PlanStanding,
    PresenceKind, VerdictKind, WorkspaceRef,
};
use rollcall_testkit::repo::Repo;
use rollcall_tests::stage::{Stage, row, rows, settled, text, until};

use crate::deleting::{checked, delete, enrolled, form, full, git, gone, pending, trash};
use crate::{answered, failed, host};

fn creation(of: WorkspaceRef, path: String, branch: &str) -> CreationForm {
    CreationForm {
        of,
        path,
        checkout: CheckoutForm::New {
            branch: branch.to_owned(),
            start: "refs/heads/main".to_owned(),
        },
    }
}

#[tokio::test]
async fn i5_what_was_made_here_is_listed_at_once_and_stays_until_a_person_decides() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let (app, _events, there) = enrolled(&stage).await;
    let of = row(&app, "quay").await.id;
    let choice = app.creation(of).await.unwrap();
    assert_eq!(choice.base.as_deref(), Some("refs/heads/main"));
    assert!(choice.branches[0].checked_out);
    let path = app.placement(of, "wind/a".to_owned(), None).await.unwrap();
    assert_eq!(path, text(&stage.play.at("srv/quay-wind-a")));
    let made = app
        .create_worktree(creation(of, path.clone(), "wind/a"))
        .await
        .unwrap()
        .unwrap();
    let listed = row(&app, "quay-wind-a").await;
    assert_eq!(
        (listed.id, listed.branch.as_deref()),
        (made, Some("wind/a"))
    );
    let taken = app
        .create_worktree(creation(of, path, "wind/b"))
        .await
        .unwrap_err();
    assert_eq!(taken.code, ErrorCode::CommandFailed);
    assert!(taken.message.contains("already"), "{taken:?}");

    // Somebody deletes it on its host: nobody wrote about it, and it stays all the same, and is never made again (I7).
    let tree = stage.play.at("srv/quay-wind-a");
    git(quay.path(), &["worktree", "remove", tree.to_str().unwrap()]);
    answered(&app, there).await;
    assert_eq!(
        row(&app, "quay-wind-a").await.presence,
        PresenceKind::Missing
    );
    assert!(!tree.exists());
    let filter = JournalFilter {
        workspace: Some(made),
        ..JournalFilter::default()
    };
    let journal = app.journal(None, filter).await.unwrap();
    assert!(
        journal.iter().any(|it| it.text.starts_with("Created ")),
        "{journal:?}"
    );
    app.shutdown().await;
}

#[tokio::test]
async fn nothing_is_made_where_a_deletion_would_come_to_it() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let tree = full(&quay, "work").path().to_owned();
    let (app, _events, there) = enrolled(&stage).await;
    let of = row(&app, "quay").await.id;
    let shown = checked(&app, row(&app, "work").await.id).await;
    stage.sshd.stop();
    failed(&app, there).await;
    delete(&app, &shown).await;
    for (path, checkout) in [
        (
            text(&tree),
            CheckoutForm::New {
                branch: "other".to_owned(),
                start: "refs/heads/main".to_owned(),
            },
        ),
        (
            text(&stage.play.at("srv/elsewhere")),
            CheckoutForm::Existing {
                branch: "work".to_owned(),
            },
        ),
    ] {
        let form = CreationForm { of, path, checkout };
        let refused = app.create_worktree(form).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::DeletionPending);
        assert!(
            refused.hints[0].contains("Pending deletions"),
            "{refused:?}"
        );
    }
    // A host that does not answer fails the call, and nothing is kept for later.
    let other = creation(of, text(&stage.play.at("srv/other")), "other");
    app.create_worktree(other).await.unwrap_err();
    stage.sshd.restart().unwrap();
    app.sync_now(Some(there)).await.unwrap();
    gone(&app, "work").await;
    answered(&app, there).await;
    assert!(!stage.play.at("srv/other").exists());
    app.shutdown().await;
}

#[tokio::test]
async fn what_is_written_about_a_worktree_moves_with_it_and_a_repaired_one_is_the_same() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let tree = full(&quay, "work").path().to_owned();
    let (app, _events, there) = enrolled(&stage).await;
    let id = row(&app, "work").await.id;
    let patch = AnnotationPatch {
        note: Some("What it is for.".to_owned()),
        ..AnnotationPatch::default()
    };
    app.annotate(id, patch).await.unwrap();
    let moved = stage.play.at("srv/moved");
    app.move_workspace(id, text(&moved)).await.unwrap();
    assert!(!tree.exists() && moved.join("unknown").exists());
    assert_eq!(row(&app, "moved").await.id, id);
    assert_eq!(app.workspace(id).await.unwrap().note, "What it is for.");

    let by_hand = stage.play.at("srv/by-hand");
    fs::rename(&moved, &by_hand).unwrap();
    answered(&app, there).await;
    assert_eq!(row(&app, "moved").await.presence, PresenceKind::Prunable);
    app.repair(id, text(&by_hand)).await.unwrap();
    let back = row(&app, "by-hand").await;
    assert_eq!((back.id, back.presence), (id, PresenceKind::Present));

    app.lock(id, "shown to a customer".to_owned())
        .await
        .unwrap();
    assert!(row(&app, "by-hand").await.locked);
    let refused = app.move_workspace(id, text(&moved)).await.unwrap_err();
    assert!(refused.message.contains("customer"), "{refused:?}");
    app.unlock(id).await.unwrap();
    assert!(!row(&app, "by-hand").await.locked);

    // Its folder is gone for good, and so is its record; the note stays until a person decides.
    fs::remove_dir_all(&by_hand).unwrap();
    answered(&app, there).await;
    app.prune(id).await.unwrap();
    assert_eq!(row(&app, "by-hand").await.presence, PresenceKind::Missing);
    let records = quay.line(["worktree", "list", "--porcelain"]).unwrap();
    assert!(!records.contains("by-hand"), "{records}");
    app.shutdown().await;
}

#[tokio::test]
async fn a_workspace_finds_the_repository_on_another_host_that_comes_from_where_it_does() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let lone = stage.play.repo("code/lone").unwrap();
    fs::create_dir_all(stage.play.at("code/sketches")).unwrap();
    let here = stage.play.repo("code/quay-here").unwrap();
    let tree = here.worktree("code/wind", "wind/a").unwrap();
    let origin = |repository: &Repo<'_>, url: &str| {
        repository.git(["remote", "add", "origin", url]).unwrap();
    };
    origin(&quay, "git@Example.org:team/quay.git");
    origin(&here, "https://example.org/team/quay");
    origin(&lone, "ssh://example.org/team/lone.git");
    let (app, _events, there) = enrolled(&stage).await;
    let local = rollcall_tests::stage::local(&app).await;
    for path in ["code/quay-here", "code/lone", "code/sketches"] {
        let path = text(&stage.play.at(path));
        app.register(local, path).await.unwrap();
    }
    settled(&app).await;
    let ids = |names: &[&str], all: &[rollcall_api::wire::WorkspaceRow]| -> Vec<WorkspaceRef> {
        let id = |name: &&str| all.iter().find(|it| it.name == **name).unwrap().id;
        names.iter().map(id).collect()
    };
    let all = rows(&app).await;
    let asked = ids(&["wind", "lone", "sketches", "quay"], &all);
    let found = app.counterparts(asked.clone(), there).await.unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|it| (it.of, it.branch.as_deref(), it.words.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (Some(asked[3]), Some("wind/a"), ""),
            (
                None,
                Some("main"),
                "No repository on buildbox comes from example.org/team/lone."
            ),
            (None, None, "`sketches` is not in git."),
            (None, None, "It is on buildbox already."),
        ]
    );
    // What was found is what a worktree of the same branch is made from there.
    tree.git(["checkout", "-q", "--detach"]).unwrap();
    app.sync_now(Some(local)).await.unwrap();
    until("a HEAD that is detached", || async {
        let found = app.counterparts(asked[..1].to_vec(), there).await.unwrap();
        let words = found[0].words.contains("detached");
        (words && found[0].of == Some(asked[3]) && found[0].branch.is_none()).then_some(())
    })
    .await;
    app.forget_host(there).await.unwrap();
    let error = app.counterparts(asked, there).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    app.shutdown().await;
}

#[tokio::test]
async fn c13_what_was_deleted_by_hand_while_its_deletion_waited_counts_as_done() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let tree = full(&quay, "work").path().to_owned();
    let half = full(&quay, "half").path().to_owned();
    let (app, _events, there) = enrolled(&stage).await;
    let mut shown = Vec::new();
    for name in ["work", "half"] {
        shown.push(checked(&app, row(&app, name).await.id).await);
    }
    stage.sshd.stop();
    failed(&app, there).await;
    for row in &shown {
        delete(&app, row).await;
    }
    git(
        &stage.play.at("srv/quay"),
        &["worktree", "remove", "--force", tree.to_str().unwrap()],
    );
    // Of the other one only the folder is gone: git has a record still, and that is said.
    fs::remove_dir_all(&half).unwrap();
    stage.sshd.restart().unwrap();
    app.sync_now(Some(there)).await.unwrap();
    gone(&app, "work").await;
    let waiting = until("a deletion that waits for git's record", || async {
        pending(&app, "half")
            .await
            .filter(|it| it.plan.contains("record"))
    })
    .await;
    assert_eq!(waiting.attempts, 0);
    // The way out of that: without the record it is gone.
    app.prune(waiting.id).await.unwrap();
    gone(&app, "half").await;
    assert_eq!(trash(&app).await, []);
    app.shutdown().await;
}

#[tokio::test]
async fn c18_a_plan_covers_hosts_that_are_away_and_leaves_out_what_is_young_or_has_work_in_it() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    quay.publish("origins/quay.git").unwrap();
    full(&quay, "dirty");
    quay.worktree("srv/unused", "unused").unwrap();
    let squashed = quay.worktree("srv/squashed", "squashed").unwrap();
    squashed.commit("one", "1", "One").unwrap();
    squashed.commit("two", "2", "Two").unwrap();
    quay.git(["merge", "-q", "--squash", "squashed"]).unwrap();
    quay.git(["commit", "-q", "-m", "Both"]).unwrap();
    quay.git(["push", "-q"]).unwrap();
    let own = quay.worktree("srv/own", "own").unwrap();
    own.commit("own", "x", "Nowhere else").unwrap();
    let (app, _events, there) = enrolled(&stage).await;
    let before = app.clean_up(0).await.unwrap();
    let ids = before.unchecked.clone();
    assert!(!ids.is_empty());
    app.check_deletions("look".to_owned(), ids.clone())
        .await
        .unwrap();
    app.measure_all("measure".to_owned(), ids).await.unwrap();
    stage.sshd.stop();
    failed(&app, there).await;

    let plan = app.clean_up(0).await.unwrap();
    assert_eq!(plan.unchecked, []);
    let told: Vec<_> = plan
        .rows
        .iter()
        .filter(|it| it.deletion.name != "quay")
        .map(|it| (it.deletion.name.as_str(), it.standing, it.reason.as_str()))
        .collect();
    assert!(
        told.contains(&(
            "unused",
            PlanStanding::Suggested,
            "Nothing was ever committed on it."
        )),
        "{told:?}"
    );
    let squash = told.iter().find(|it| it.0 == "squashed").unwrap();
    assert_eq!(squash.1, PlanStanding::Suggested);
    assert!(squash.2.contains("as one commit"), "{squash:?}");
    let dirty = told.iter().find(|it| it.0 == "dirty").unwrap();
    assert_eq!(dirty.1, PlanStanding::Nearly);
    assert!(dirty.2.contains("git does not know"), "{dirty:?}");
    assert!(told.iter().all(|it| it.0 != "own"), "{told:?}");
    for it in plan.rows.iter().filter(|it| it.deletion.name != "quay") {
        assert!(!it.deletion.host_answers && it.used_at.is_some(), "{it:?}");
        assert!(it.kilobytes.is_some_and(|it| it > 0), "{it:?}");
    }
    // All of it was made just now.
    let young = app.clean_up(1).await.unwrap();
    assert!(young.rows.is_empty(), "{:?}", young.rows);
    assert!(young.young >= 3);

    // One press, although the host is away.
    let chosen: Vec<_> = plan
        .rows
        .iter()
        .filter(|it| it.standing == PlanStanding::Suggested)
        .map(|it| form(&it.deletion))
        .collect();
    assert_eq!(chosen.len(), 2);
    let outcomes = app.delete(chosen).await.unwrap();
    assert!(outcomes.iter().all(|it| it.error.is_none()), "{outcomes:?}");
    let left = app.clean_up(0).await.unwrap();
    assert!(
        left.rows
            .iter()
            .all(|it| it.standing != PlanStanding::Suggested)
    );
    stage.sshd.restart().unwrap();
    app.sync_now(Some(there)).await.unwrap();
    gone(&app, "unused").await;
    gone(&app, "squashed").await;
    // Branches stay.
    for branch in ["unused", "squashed"] {
        let quay = stage.play.existing("srv/quay");
        quay.git(["rev-parse", "-q", "--verify", branch]).unwrap();
    }
    app.shutdown().await;
}

#[tokio::test]
async fn e12_what_is_only_on_a_host_is_told_with_its_names_and_written_into_a_file() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    quay.publish("origins/quay.git").unwrap();
    quay.git(["branch", "idle"]).unwrap();
    quay.git(["push", "-q", "origin", "idle"]).unwrap();
    full(&quay, "dirty");
    let keys = quay.worktree("srv/keys", "keys").unwrap();
    keys.write(".git-ignored", "").unwrap();
    keys.write(".gitignore", ".env\n.git-ignored\n").unwrap();
    keys.git(["add", ".gitignore"]).unwrap();
    keys.git(["commit", "-qm", "Ignore"]).unwrap();
    keys.git(["push", "-q", "origin", "keys"]).unwrap();
    keys.write(".env", "SECRET=1\n").unwrap();
    quay.write("file", "stashed\n").unwrap();
    quay.git(["stash", "-q"]).unwrap();
    let (app, _events, there) = enrolled(&stage).await;
    settled(&app).await;
    let told = app.only_here(there).await.unwrap();
    let unchecked = told.unchecked.clone();
    // What nobody looked at may be only there, and is never called safe (I13).
    for id in &unchecked {
        assert!(told.rows.iter().any(|it| it.id == *id), "{id:?}");
    }
    app.check_deletions("look".to_owned(), unchecked)
        .await
        .unwrap();
    stage.sshd.stop();
    failed(&app, there).await;

    let told = app.only_here(there).await.unwrap();
    assert!(!told.host_answers && told.unchecked.is_empty());
    let items = |name: &str| {
        let row = told.rows.iter().find(|it| it.name == name);
        row.map(|it| {
            it.items
                .iter()
                .map(|it| format!("{} {}", it.words, it.names.join(" ")))
                .collect::<Vec<_>>()
                .join("; ")
        })
        .unwrap_or_default()
    };
    assert!(items("dirty").contains("1 file or folder that git does not know"));
    assert!(
        items("keys").contains("1 ignored file that nobody can make again .env"),
        "{}",
        items("keys")
    );
    assert!(items("quay").contains("stash"), "{}", items("quay"));

    let file = stage.play.at("only.md");
    let written = app
        .export_only_here(there, text(&file), false)
        .await
        .unwrap();
    assert_eq!(written, text(&file));
    let text_of = fs::read_to_string(&file).unwrap();
    for words in [
        "# Only on ",
        "does not answer now",
        ".env",
        "srv/dirty",
        "stash",
    ] {
        assert!(text_of.contains(words), "{words}: {text_of}");
    }
    let again = app.export_only_here(there, text(&file), false).await;
    assert_eq!(again.unwrap_err().code, ErrorCode::FileExists);
    app.export_only_here(there, text(&file), true)
        .await
        .unwrap();
    app.shutdown().await;
}

#[tokio::test]
async fn a_fetch_of_many_tells_each_that_did_not_work_and_the_others_are_new() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    quay.publish("origins/quay.git").unwrap();
    let broken = stage.play.repo("srv/broken").unwrap();
    broken
        .git(["remote", "add", "origin", "/nowhere/at/all.git"])
        .unwrap();
    quay.worktree("srv/tree", "tree").unwrap();
    let (app, _events, there) = enrolled(&stage).await;
    app.register(there, text(broken.path())).await.unwrap();
    settled(&app).await;
    stage
        .play
        .git(
            stage.play.path(),
            ["clone", "-q", "origins/quay.git", "other"],
        )
        .unwrap();
    let other = stage.play.existing("other");
    other.commit("new", "x", "Of somebody else").unwrap();
    other.git(["push", "-q"]).unwrap();
    let ids = rows(&app).await.iter().map(|it| it.id).collect();
    let outcomes = app.fetch("fetch".to_owned(), ids).await.unwrap();
    // One for each repository, however many worktrees were chosen.
    assert_eq!(outcomes.len(), 2, "{outcomes:?}");
    for it in &outcomes {
        assert_eq!(it.error.is_some(), it.name == "broken", "{it:?}");
    }
    until("what was fetched is seen", || async {
        (row(&app, "quay").await.behind == 1).then_some(())
    })
    .await;
    let box_label = host(&app, there).await.label;
    assert!(outcomes.iter().all(|it| it.host_label == box_label));
    app.shutdown().await;
}

#[tokio::test]
async fn rc05_rc09_rc16_rc25_what_exists_elsewhere_is_told_by_commits_and_not_by_upstreams() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    quay.publish("origins/quay.git").unwrap();
    // On no branch; without upstream; behind an upstream that it was never pushed to; with an upstream here; with one
    // that is gone; and made for one branch, and on another now.
    for name in ["detached", "alone", "never", "local", "gone", "made-for-a"] {
        let tree = quay.worktree(format!("srv/{name}"), name).unwrap();
        match name {
            "detached" => tree.git(["checkout", "-q", "--detach"]).unwrap(),
            "never" => tree.git(["branch", "-q", "-u", "origin/main"]).unwrap(),
            "local" => tree.git(["branch", "-q", "-u", "main"]).unwrap(),
            "gone" => {
                tree.git(["push", "-q", "-u", "origin", "gone"]).unwrap();
                tree.git(["push", "-q", "origin", ":gone"]).unwrap()
            }
            "made-for-a" => tree.git(["checkout", "-q", "-b", "b"]).unwrap(),
            _ => tree.git(["status", "-s"]).unwrap(),
        };
        tree.commit("own", name, "Nowhere else").unwrap();
    }
    quay.git([
        "worktree",
        "lock",
        stage.play.at("srv/local").to_str().unwrap(),
    ])
    .unwrap();
    let (app, _events, there) = enrolled(&stage).await;
    let ids = rows(&app).await.iter().map(|it| it.id).collect();
    let all = app.check_deletions("check".to_owned(), ids).await.unwrap();
    let shown = |name: &str| all.iter().find(|it| it.name == name).unwrap();
    for name in ["detached", "alone", "never", "gone", "made-for-a"] {
        let it = shown(name);
        assert_eq!(it.verdict, VerdictKind::Loses, "{it:?}");
        let words = &it.items[0].words;
        assert!(
            words.starts_with("1 commit that nothing else has"),
            "{words}"
        );
        assert_eq!(
            words.contains("the branch keeps"),
            name != "detached",
            "{words}"
        );
    }
    // What is shown is the branch it is on, whatever it was made for.
    assert_eq!(shown("made-for-a").branch.as_deref(), Some("b"));
    assert_eq!(shown("detached").branch, None);
    assert_eq!(shown("local").verdict, VerdictKind::Blocked);

    // Locked, and away when its deletion comes to it: it waits for that, and says so.
    quay.git([
        "worktree",
        "unlock",
        stage.play.at("srv/local").to_str().unwrap(),
    ])
    .unwrap();
    let local = checked(&app, shown("local").id).await;
    fs::rename(stage.play.at("srv/local"), stage.play.at("srv/aside")).unwrap();
    quay.git([
        "worktree",
        "lock",
        stage.play.at("srv/local").to_str().unwrap(),
    ])
    .unwrap();
    delete(&app, &local).await;
    answered(&app, there).await;
    let waiting = until("a deletion that waits for a disk", || async {
        pending(&app, "local")
            .await
            .filter(|it| it.plan.contains("away"))
    })
    .await;
    assert_eq!(waiting.attempts, 0);
    assert!(stage.play.at("srv/aside/own").exists());
    app.cancel_deletion(waiting.id).await.unwrap();
    app.shutdown().await;
}

#[tokio::test]
async fn rc08_what_is_deleted_is_a_worktree_and_no_branch() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let tree = quay.worktree("srv/feature", "feature").unwrap();
    tree.git(["checkout", "-q", "--detach"]).unwrap();
    let (app, _events, _there) = enrolled(&stage).await;
    let shown = checked(&app, row(&app, "feature").await.id).await;
    let mut form = form(&shown);
    form.branch = BranchFate::Delete;
    let outcomes = app.delete(vec![form]).await.unwrap();
    assert!(outcomes[0].error.is_none(), "{outcomes:?}");
    gone(&app, "feature").await;
    assert!(!stage.play.at("srv/feature").exists());
    // It is on no branch, so none goes with it, however alike their names are.
    quay.git(["rev-parse", "-q", "--verify", "refs/heads/feature"])
        .unwrap();
    app.shutdown().await;
}
