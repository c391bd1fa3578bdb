//! Deletions on a real server: decided while it is there or not, carried out, confirmed, and brought back.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rollcall_api::wire::{
    AnnotationPatch, BranchFate, DeletionForm, DeletionMode, DeletionRow, HostRef, JournalFilter,
    PendingRow, PendingState, StopKind, TrashRow, VerdictKind, WorkspaceRef,
};
use rollcall_api::{App, ErrorCode, Events};
use rollcall_testkit::repo::Repo;
use rollcall_testkit::resident::Resident;
use rollcall_tests::stage::{Stage, row, rows, settled, until};

use crate::{answered, failed};

pub(crate) fn git(folder: &Path, arguments: &[&str]) {
    let ran = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
}

pub(crate) async fn checked(app: &App, id: WorkspaceRef) -> DeletionRow {
    let mut rows = app
        .check_deletions("check".to_owned(), vec![id])
        .await
        .unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

pub(crate) fn form(row: &DeletionRow) -> DeletionForm {
    DeletionForm {
        id: row.id,
        shown: row.shown.clone(),
        mode: DeletionMode::Trash,
        branch: BranchFate::Keep,
        unseen: false,
    }
}

pub(crate) async fn delete(app: &App, row: &DeletionRow) {
    let outcomes = app.delete(vec![form(row)]).await.unwrap();
    assert!(outcomes.iter().all(|it| it.error.is_none()), "{outcomes:?}");
}

pub(crate) async fn pending(app: &App, name: &str) -> Option<PendingRow> {
    let all = app.pending().await.unwrap();
    all.into_iter().find(|it| it.name == name)
}

pub(crate) async fn stopped(app: &App, name: &str) -> PendingRow {
    until("a deletion that stops", || async {
        pending(app, name)
            .await
            .filter(|it| it.state == PendingState::Stopped)
    })
    .await
}

/// Waits until a deletion is confirmed. One that is not says where it is.
pub(crate) async fn gone(app: &App, name: &str) {
    let is_gone = || async {
        let left = rows(app).await.iter().any(|it| it.name == name);
        pending(app, name).await.is_none() && !left
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_gone().await {
        let waiting = pending(app, name).await;
        assert!(Instant::now() < deadline, "not gone: {waiting:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn trash(app: &App) -> Vec<TrashRow> {
    app.trash().await.unwrap()
}

/// A worktree with a file that git does not know.
pub(crate) fn full<'a>(quay: &Repo<'a>, name: &str) -> Repo<'a> {
    let tree = quay.worktree(format!("srv/{name}"), name).unwrap();
    tree.write("unknown", "nobody knows\n").unwrap();
    tree
}

pub(crate) async fn enrolled(stage: &Stage) -> (App, Events, HostRef) {
    stage.enrolled(&stage.play.at("srv/quay")).await
}

#[tokio::test]
async fn i10_i11_what_is_deleted_offline_goes_when_its_host_is_back_and_comes_back_with_its_note() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let tree = full(&quay, "work").path().to_owned();
    let (app, events, there) = enrolled(&stage).await;
    let id = row(&app, "work").await.id;
    let patch = AnnotationPatch {
        note: Some("What it was for.".to_owned()),
        ..AnnotationPatch::default()
    };
    app.annotate(id, patch).await.unwrap();
    let shown = checked(&app, id).await;
    assert_eq!(
        (shown.verdict, shown.host_answers),
        (VerdictKind::Loses, true)
    );
    assert!(
        shown.items[0].words.contains("git does not know"),
        "{:?}",
        shown.items
    );

    stage.sshd.stop();
    failed(&app, there).await;
    let shown = app.deletions(vec![id]).await.unwrap().remove(0);
    assert!(!shown.host_answers && shown.checked_at.is_some());
    delete(&app, &shown).await;
    let waiting = pending(&app, "work").await.unwrap();
    assert_eq!(
        (waiting.state, waiting.attempts),
        (PendingState::Waiting, 0)
    );
    assert!(waiting.plan.contains("is back"), "{}", waiting.plan);
    // The first decision stands.
    let again = app.delete(vec![form(&shown)]).await.unwrap();
    let code = again[0].error.as_ref().map(|it| it.code);
    assert!(
        matches!(
            code,
            Some(ErrorCode::DeletionPending | ErrorCode::Overtaken)
        ),
        "{code:?}"
    );
    app.shutdown().await;
    drop((app, events));

    let (app, _events) = stage.app().await;
    failed(&app, there).await;
    let waiting = pending(&app, "work").await.unwrap();
    assert_eq!(
        (waiting.state, waiting.attempts),
        (PendingState::Waiting, 0),
        "unreachable is no attempt"
    );
    assert!(tree.exists());
    stage.sshd.restart().unwrap();
    app.sync_now(Some(there)).await.unwrap();
    gone(&app, "work").await;
    assert!(!tree.exists());

    let all = trash(&app).await;
    assert_eq!(
        (all.len(), all[0].days_left, all[0].note.as_str()),
        (1, 14, "What it was for.")
    );
    app.restore(there, all[0].id.clone(), None).await.unwrap();
    assert_eq!(
        fs::read_to_string(tree.join("unknown")).unwrap(),
        "nobody knows\n"
    );
    let back = until("the row that it was", || async {
        let all = rows(&app).await;
        all.into_iter().find(|it| it.name == "work" && !it.deleting)
    })
    .await;
    assert_eq!(back.id, id);
    assert_eq!(app.workspace(id).await.unwrap().note, "What it was for.");
    let filter = JournalFilter {
        workspace: Some(id),
        ..JournalFilter::default()
    };
    let journal = app.journal(None, filter).await.unwrap();
    assert!(
        journal.iter().any(|it| it.text.contains("from the trash")),
        "{journal:?}"
    );
    assert_eq!(trash(&app).await, []);
    app.shutdown().await;
}

#[tokio::test]
async fn i9_rc28_what_happened_while_the_host_was_away_stops_its_deletions_and_is_told() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let names = [
        "commit",
        "edit",
        "untracked",
        "lock",
        "rebase",
        "shell",
        "branch",
        "link",
        "again",
    ];
    for name in names {
        full(&quay, name);
        stage
            .play
            .existing(format!("srv/{name}"))
            .write("file", "edited\n")
            .unwrap();
    }
    let (app, _events, there) = enrolled(&stage).await;
    let mut ids = Vec::new();
    for name in names {
        ids.push(row(&app, name).await.id);
    }
    let shown = app.check_deletions("check".to_owned(), ids).await.unwrap();
    stage.sshd.stop();
    failed(&app, there).await;
    let outcomes = app.delete(shown.iter().map(form).collect()).await.unwrap();
    assert!(outcomes.iter().all(|it| it.error.is_none()), "{outcomes:?}");

    let srv = stage.play.at("srv");
    let at = |name: &str| srv.join(name);
    git(&at("commit"), &["commit", "-qam", "Since"]);
    fs::write(at("edit").join("file"), "editex\n").unwrap();
    fs::write(at("untracked").join("new"), "new\n").unwrap();
    git(
        &at("quay"),
        &[
            "worktree",
            "lock",
            "--reason",
            "on a stick",
            at("lock").to_str().unwrap(),
        ],
    );
    fs::create_dir(at("quay").join(".git/worktrees/rebase/rebase-merge")).unwrap();
    let shell = Resident::new(&at("shell")).unwrap();
    git(&at("quay"), &["update-ref", "refs/heads/branch", "main"]);
    git(
        &at("branch"),
        &["commit", "-q", "--allow-empty", "-m", "Elsewhere"],
    );
    fs::rename(at("link"), at("link-aside")).unwrap();
    std::os::unix::fs::symlink(at("edit"), at("link")).unwrap();
    git(
        &at("quay"),
        &[
            "worktree",
            "remove",
            "--force",
            at("again").to_str().unwrap(),
        ],
    );
    git(
        &at("quay"),
        &[
            "worktree",
            "add",
            "-q",
            at("again").to_str().unwrap(),
            "again",
        ],
    );
    fs::write(at("again").join("precious"), "later\n").unwrap();

    stage.sshd.restart().unwrap();
    app.sync_now(Some(there)).await.unwrap();
    for (name, stop, words) in [
        ("commit", StopKind::Changed, "HEAD"),
        ("edit", StopKind::Changed, "edited"),
        ("untracked", StopKind::Changed, "untracked"),
        ("lock", StopKind::Locked, "on a stick"),
        ("rebase", StopKind::Other, "rebase"),
        ("shell", StopKind::Other, "sleep"),
        ("branch", StopKind::Changed, "HEAD"),
    ] {
        let it = stopped(&app, name).await;
        assert!(
            it.stop == Some(stop) && it.plan.contains(words),
            "{name}: {it:?}"
        );
        assert!(at(name).join("unknown").exists(), "{name}");
    }
    // What stands behind a link is not known to be it, so its deletion waits or stops; nothing is touched.
    until("a deletion that does not follow a link", || async {
        pending(&app, "link")
            .await
            .filter(|it| it.state != PendingState::Running)
    })
    .await;
    assert!(at("link-aside").join("unknown").exists());
    // What is at the path now is another one, which nobody deleted.
    until("a deletion that counts as done", || async {
        pending(&app, "again").await.is_none().then_some(())
    })
    .await;
    assert!(at("again").join("precious").exists());
    row(&app, "again").await;
    assert_eq!(trash(&app).await, []);
    drop(shell);

    // The ways out: agreed to anew, tried again, taken back, given up.
    let id = row(&app, "edit").await.id;
    let now = checked(&app, id).await;
    let it = stopped(&app, "edit").await;
    let late = app.agree_again(form(&now), it.epoch + 1).await.unwrap_err();
    assert_eq!(late.code, ErrorCode::Overtaken);
    app.agree_again(form(&now), it.epoch).await.unwrap();
    gone(&app, "edit").await;
    let it = stopped(&app, "shell").await;
    app.retry_deletion(it.id, it.epoch).await.unwrap();
    gone(&app, "shell").await;
    let it = stopped(&app, "lock").await;
    app.unlock(it.id).await.unwrap();
    gone(&app, "lock").await;
    let it = stopped(&app, "rebase").await;
    app.cancel_deletion(it.id).await.unwrap();
    assert!(!row(&app, "rebase").await.deleting);
    let it = stopped(&app, "commit").await;
    app.release_deletion(it.id).await.unwrap();
    assert!(row(&app, "commit").await.untracked && at("commit").exists());
    app.shutdown().await;
}

#[tokio::test]
async fn c15_two_desktops_that_delete_the_same_agree_and_both_see_the_trash() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    full(&quay, "work");
    let (one, _events, there) = enrolled(&stage).await;
    let mut settings = rollcall_api::Settings::new(stage.play.at("other-data"));
    settings.ssh_config = Some(stage.ssh_config());
    let (other, _other_events) = App::open(settings, tokio::runtime::Handle::current())
        .await
        .unwrap();
    let too = stage.meet(&other).await;
    other
        .register(too, rollcall_tests::stage::text(quay.path()))
        .await
        .unwrap();
    settled(&other).await;
    let shown = checked(&one, row(&one, "work").await.id).await;
    let shown_too = checked(&other, row(&other, "work").await.id).await;
    let (first, second) = tokio::join!(
        one.delete(vec![form(&shown)]),
        other.delete(vec![form(&shown_too)])
    );
    assert!(first.unwrap()[0].error.is_none() && second.unwrap()[0].error.is_none());
    gone(&one, "work").await;
    other.sync_now(Some(too)).await.unwrap();
    gone(&other, "work").await;
    let (mine, theirs) = (trash(&one).await, trash(&other).await);
    assert_eq!((mine.len(), theirs.len()), (1, 1));
    assert_eq!(mine[0].id, theirs[0].id);
    // One of them brings it back, and the other one has it again too.
    other
        .restore(too, theirs[0].id.clone(), None)
        .await
        .unwrap();
    one.sync_now(Some(there)).await.unwrap();
    until("it is back for both", || async {
        rows(&one)
            .await
            .iter()
            .any(|it| it.name == "work")
            .then_some(())
    })
    .await;
    assert_eq!(trash(&one).await, []);
    one.shutdown().await;
    other.shutdown().await;
}

#[tokio::test]
async fn a_repository_goes_after_its_worktrees_and_is_registered_again_when_it_comes_back() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    full(&quay, "work");
    quay.write(".git/info/exclude", ".worktrees/\n").unwrap();
    quay.worktree("srv/quay/.worktrees/in", "in").unwrap();
    let (app, _events, there) = enrolled(&stage).await;
    let id = row(&app, "quay").await.id;
    let alone = checked(&app, id).await;
    assert_eq!(
        (alone.verdict, alone.worktrees.len()),
        (VerdictKind::Blocked, 2)
    );
    let refused = app.delete(vec![form(&alone)]).await.unwrap();
    assert_eq!(refused[0].error.as_ref().unwrap().code, ErrorCode::NotLive);

    let mut ids = vec![id];
    ids.extend(&alone.worktrees);
    let all = app.check_deletions("check".to_owned(), ids).await.unwrap();
    let outcomes = app.delete(all.iter().map(form).collect()).await.unwrap();
    assert!(outcomes.iter().all(|it| it.error.is_none()), "{outcomes:?}");
    gone(&app, "quay").await;
    assert!(!quay.path().exists());
    assert!(app.overview().await.unwrap().roots.is_empty());
    let resting = trash(&app).await;
    let it = resting.iter().find(|it| it.name == "quay").unwrap();
    app.restore(there, it.id.clone(), None).await.unwrap();
    answered(&app, there).await;
    assert!(quay.path().join("file").exists());
    row(&app, "quay").await;
    // What rested in it still does.
    assert_eq!(trash(&app).await.len(), 2);
    app.shutdown().await;
}
