//! Connections that end in the middle of an answer.

use rollcall_api::ErrorCode;
use rollcall_api::wire::RootCondition;
use rollcall_testkit::proxy::FaultProxy;
use rollcall_tests::stage::{Stage, rows, settled, text};

use crate::{answered, answers_after, failed, host, waits};

#[tokio::test]
async fn i1_b11_a_connection_cut_anywhere_in_an_answer_changes_no_row() {
    let stage = Stage::new();
    let proxy = FaultProxy::start(stage.sshd.address()).unwrap();
    stage.configure(proxy.port());
    let repo = stage.play.repo("srv/quay").unwrap();
    let trees: Vec<_> = (0..30)
        .map(|n| {
            repo.worktree(format!("srv/quay-{n}"), &format!("b{n}"))
                .unwrap()
        })
        .collect();
    let (app, _events) = stage.app().await;
    let there = stage.meet(&app).await;

    // How many bytes a new connection takes before an answer begins: as yet there is nothing to answer about.
    app.set_suspended(there, true).await.unwrap();
    let before = host(&app, there).await.answered_at;
    proxy.heal();
    app.set_suspended(there, false).await.unwrap();
    answers_after(&app, there, before).await;
    let handshake = proxy.passed();

    app.register(there, text(repo.path())).await.unwrap();
    settled(&app).await;
    proxy.heal();
    answered(&app, there).await;
    let answer = proxy.passed();
    assert!(answer > 8_000, "{answer}");

    // From now on a whole answer would change rows: one worktree is gone, one is new, one is dirty.
    let before = rows(&app).await;
    let roots = app.overview().await.unwrap().roots;
    let revision = app.overview().await.unwrap().revision;
    assert_eq!(before.len(), 31);
    std::fs::remove_dir_all(trees[3].path()).unwrap();
    repo.git(["worktree", "prune"]).unwrap();
    repo.worktree("srv/quay-new", "new").unwrap();
    trees[5].write("new", "x").unwrap();

    // The same answer takes more bytes or fewer by how it falls into packets, so the last places are well before its
    // end; each cut is known to have come in the middle by what it is called.
    let on_a_new_one = [1, 2, 4, 6, 8, 9, 10, 11].map(|part| handshake + answer * part / 16);
    for (n, place) in std::iter::once(answer / 2).chain(on_a_new_one).enumerate() {
        let reason = if n == 0 {
            proxy.cut_after(place);
            failed(&app, there).await
        } else {
            // A retry of its own that is under way would be counted with this one.
            app.set_suspended(there, true).await.unwrap();
            proxy.cut_after(place);
            app.set_suspended(there, false).await.unwrap();
            waits(&app, there).await
        };
        assert!(
            proxy.passed() >= place,
            "cut {n} came before {place} bytes: {reason:?}"
        );
        assert_eq!(
            reason.code,
            ErrorCode::Cut,
            "cut {n} after {place} bytes: {reason:?}"
        );
        assert_eq!(rows(&app).await, before, "cut {n} after {place} bytes");
        let overview = app.overview().await.unwrap();
        assert_eq!(overview.roots, roots, "cut {n} after {place} bytes");
        let changes = app.changes_since(revision).await.unwrap();
        assert!(
            changes.upserted.is_empty() && changes.removed.is_empty(),
            "{changes:?}"
        );
    }

    // The same answer, whole, changes them.
    proxy.heal();
    answered(&app, there).await;
    let after = rows(&app).await;
    let named = |name: &str| after.iter().any(|row| row.name == name);
    assert!(named("quay-new") && !named("quay-3"), "{after:?}");
    let dirty = after.iter().find(|row| row.name == "quay-5").unwrap();
    assert_eq!(dirty.changes.unwrap().untracked, 1);
    let roots = app.overview().await.unwrap().roots;
    assert!(
        roots
            .iter()
            .all(|root| root.condition == RootCondition::Asserted)
    );
    app.shutdown().await;
}
