//! Pending deletions: verbs and guards.

use rollcall_converge::{
    BranchChoice, Consent, Event, FailureClass, Mode, Outcome, Reason, SnapshotBuilder, Tier,
    WorkspaceId,
};
use uuid::Uuid;

use super::world::{World, at, main_tree, path, worktree};
use crate::{Actor, JournalFilter, JournalKind, RegistryCode, Tombstone};

pub(super) async fn consent(world: &World, id: WorkspaceId) -> Consent {
    let record = world.registry.workspace(id).await.unwrap().unwrap();
    let state = record.row.state;
    Consent {
        id: Uuid::from_u128(7),
        generation: state.generation.unwrap(),
        kind: record.row.kind,
        path: state.path,
        mount: state.mount,
        existence: state.existence,
        facts: state.facts,
        mode: Mode::Trash,
        branch: BranchChoice::Keep,
        shown_at: at(2),
        look: None,
        unseen: false,
        restored: Vec::new(),
        days: 14,
    }
}

fn failed(class: FailureClass) -> Outcome {
    Outcome::Failed {
        class,
        stage: "move".to_owned(),
        message: "It did not work.".to_owned(),
        reason: Reason::Command,
    }
}

/// A world whose worktree `/w` is being deleted.
async fn entombed() -> (World, WorkspaceId, Consent) {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let id = world.row("/w").await.row.id;
    let agreed = consent(&world, id).await;
    world.registry.entomb(id, &agreed, at(3)).await.unwrap();
    (world, id, agreed)
}

async fn only(world: &World) -> Tombstone {
    let mut all = world.registry.tombstones(Some(world.host)).await.unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[tokio::test]
async fn the_first_consent_stands_and_survives_a_restart() {
    let (world, id, agreed) = entombed().await;
    let other = Consent {
        mode: Mode::DeleteNow,
        ..agreed.clone()
    };
    let error = world.registry.entomb(id, &other, at(4)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::DeletionPending);
    let world = world.restarted().await;
    let tombstone = only(&world).await;
    assert_eq!((tombstone.consent, tombstone.epoch), (agreed, 1));
    assert!(world.row("/w").await.row.tombstone.is_some());
    assert_eq!(world.registry.tombstones(None).await.unwrap().len(), 1);
}

#[tokio::test]
async fn i8_what_is_not_what_was_shown_is_not_entombed() {
    let world = World::new().await;
    let mut untold = worktree("/untold", 5);
    untold.generation = None;
    world
        .hears(
            1,
            &[
                main_tree("/r", 1),
                worktree("/w", 2),
                worktree("/gone", 3),
                worktree("/hidden", 4),
                untold,
            ],
        )
        .await;
    let shown = consent(&world, world.row("/w").await.row.id).await;
    let own = |at_path: &'static str| {
        let world = &world;
        async move { consent(world, world.row(at_path).await.row.id).await }
    };
    let (hidden_shown, gone_shown) = (own("/hidden").await, own("/gone").await);
    let refused = |at_path: &'static str, shown: &Consent| {
        let (world, shown) = (&world, shown.clone());
        async move {
            let id = world.row(at_path).await.row.id;
            let error = world.registry.entomb(id, &shown, at(5)).await.unwrap_err();
            assert_eq!(error.code(), RegistryCode::NotLive, "{error}");
            assert!(error.to_string().contains(at_path), "{error}");
        }
    };
    // Of another generation, without one, hidden, missing.
    refused("/gone", &shown).await;
    refused("/untold", &shown).await;
    let hidden = world.row("/hidden").await.row.id;
    world.registry.untrack(hidden, at(2)).await.unwrap();
    refused("/hidden", &hidden_shown).await;
    let gone = world.row("/gone").await.row.id;
    world.note(gone, "Kept.", 2).await;
    world
        .hears(
            3,
            &[
                main_tree("/r", 1),
                worktree("/w", 2),
                worktree("/hidden", 4),
            ],
        )
        .await;
    refused("/gone", &gone_shown).await;
    assert_eq!(world.registry.tombstones(None).await.unwrap(), []);
    let nobody = WorkspaceId::new(uuid::Uuid::nil());
    let error = world
        .registry
        .entomb(nobody, &shown, at(5))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
}

#[tokio::test]
async fn what_is_being_deleted_is_neither_hidden_nor_released_with_its_root() {
    let (world, id, _) = entombed().await;
    let error = world.registry.untrack(id, at(4)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::DeletionPending);
    let error = world
        .registry
        .release_root(world.root.id, true, at(4))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::DeletionPending);
    assert_eq!(world.rows().await.len(), 2);
}

#[tokio::test]
async fn i10_only_a_roll_call_put_together_after_the_verb_purges() {
    let (world, id, _) = entombed().await;
    let call = world
        .registry
        .roll_call(world.host, Tier::Facts)
        .await
        .unwrap();
    // The verb answers "done" while that roll call is on its way.
    let touched = || async { world.row("/w").await.row.touched };
    let begun = world.registry.begin_attempt(id, 1, at(4)).await.unwrap();
    assert_eq!(touched().await, begun.revision);
    let ended = world
        .registry
        .record_attempt(
            id,
            1,
            &Outcome::Converged {
                branch: String::new(),
            },
            0,
            at(5),
        )
        .await
        .unwrap();
    assert_eq!(touched().await, ended.revision);
    assert_eq!(
        world.rows().await.len(),
        2,
        "the answer of a verb purges nothing"
    );
    let gone_by = |revision: u64| {
        let mut builder = SnapshotBuilder::new(world.host, Tier::Facts, at(6), &[world.root.id]);
        builder.asked_at(revision);
        builder.open(0).unwrap();
        builder.assert(0, main_tree("/r", 1)).unwrap();
        let mount = Some(path("/"));
        builder
            .probe(
                0,
                path("/w"),
                rollcall_converge::Probe::NoSuchFile { mount },
            )
            .unwrap();
        builder.close(0, 1).unwrap();
        builder.finish().unwrap()
    };
    let early = world
        .registry
        .apply(&gone_by(call.revision), at(7))
        .await
        .unwrap();
    assert_eq!((early.dropped, world.rows().await.len()), (0, 2));
    let call = world
        .registry
        .roll_call(world.host, Tier::Facts)
        .await
        .unwrap();
    let later = world
        .registry
        .apply(&gone_by(call.revision), at(8))
        .await
        .unwrap();
    assert_eq!(later.changed.removed, [id]);
    let deleted = Event::Deleted {
        id,
        path: path("/w"),
    };
    assert_eq!(later.events, [deleted]);
    assert_eq!(world.registry.tombstones(None).await.unwrap(), []);
}

#[tokio::test]
async fn i8_a_workspace_made_anew_at_the_path_lifts_the_tombstone() {
    let (world, id, _) = entombed().await;
    let applied = world
        .hears(5, &[main_tree("/r", 1), worktree("/w", 99)])
        .await;
    assert!(applied.events.contains(&Event::Overtaken {
        id,
        path: path("/w")
    }));
    assert_eq!(world.registry.tombstones(None).await.unwrap(), []);
    assert_eq!(world.row("/w").await.row.id, id);
}

#[tokio::test]
async fn i11_waiting_is_no_attempt_and_failures_wait_longer_over_a_restart() {
    let (world, id, _) = entombed().await;
    let registry = &world.registry;
    let waits = Outcome::Waits {
        reason: "its disk is not mounted".to_owned(),
        running: false,
    };
    registry
        .record_attempt(id, 1, &waits, 0, at(10))
        .await
        .unwrap();
    let tombstone = only(&world).await;
    assert_eq!((tombstone.failures, tombstone.next_attempt_at), (0, None));
    assert!(!tombstone.stopped && tombstone.outcome == Some(waits));
    let transient = failed(FailureClass::Transient);
    for (failures, wait) in [(1, 60), (2, 120), (3, 240)] {
        registry
            .record_attempt(id, 1, &transient, 0, at(20))
            .await
            .unwrap();
        let tombstone = only(&world).await;
        assert_eq!(tombstone.failures, failures);
        assert_eq!(tombstone.next_attempt_at, Some(at(20 + wait)));
    }
    let world = world.restarted().await;
    let tombstone = only(&world).await;
    assert_eq!(
        (tombstone.failures, tombstone.next_attempt_at),
        (3, Some(at(260)))
    );
    world.registry.retry(id, 1, at(30)).await.unwrap();
    let tombstone = only(&world).await;
    assert_eq!((tombstone.failures, tombstone.next_attempt_at), (0, None));
}

#[tokio::test]
async fn i12_d5_a_stop_of_an_older_epoch_never_lands_after_retry() {
    let (world, id, agreed) = entombed().await;
    let registry = &world.registry;
    let terminal = failed(FailureClass::Terminal);
    registry
        .record_attempt(id, 1, &terminal, 0, at(5))
        .await
        .unwrap();
    assert!(only(&world).await.stopped);
    let journal = registry
        .journal(JournalFilter::of(id), None, 1)
        .await
        .unwrap();
    assert_eq!(journal[0].actor, Actor::Sweep);
    assert!(matches!(
        journal[0].kind,
        JournalKind::DeletionStopped { .. }
    ));

    registry.retry(id, 1, at(6)).await.unwrap();
    for outcome in [
        &terminal,
        &Outcome::Converged {
            branch: String::new(),
        },
        &failed(FailureClass::Transient),
    ] {
        let error = registry
            .record_attempt(id, 1, outcome, 0, at(7))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::Overtaken);
        let error = registry.begin_attempt(id, 1, at(7)).await.unwrap_err();
        assert_eq!(error.code(), RegistryCode::Overtaken);
    }
    let tombstone = only(&world).await;
    assert_eq!(
        (tombstone.epoch, tombstone.stopped, tombstone.outcome),
        (2, false, None)
    );
    // Two people deciding at once: the second one decides about what is no more.
    let error = registry.retry(id, 1, at(8)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::Overtaken);
    let error = registry.reconsent(id, 1, &agreed, at(8)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::Overtaken);
    // A stop of this epoch lands, and a new consent lifts it.
    registry
        .record_attempt(id, 2, &terminal, 0, at(9))
        .await
        .unwrap();
    let newer = Consent {
        mode: Mode::DeleteNow,
        ..agreed
    };
    registry.reconsent(id, 2, &newer, at(10)).await.unwrap();
    let tombstone = only(&world).await;
    assert_eq!((tombstone.epoch, tombstone.stopped), (3, false));
    assert_eq!(tombstone.consent, newer);
}

#[tokio::test]
async fn a_deletion_is_taken_back_at_once_only_while_no_attempt_may_have_begun() {
    let (world, id, agreed) = entombed().await;
    let registry = &world.registry;
    registry.cancel(id, false, at(4)).await.unwrap();
    assert_eq!(registry.tombstones(None).await.unwrap(), []);
    let error = registry.cancel(id, false, at(4)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::NoDeletion);

    registry.entomb(id, &agreed, at(5)).await.unwrap();
    registry.begin_attempt(id, 1, at(6)).await.unwrap();
    // Also after a restart nobody knows how far it got.
    let world = world.restarted().await;
    let registry = &world.registry;
    let error = registry.cancel(id, false, at(7)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::Running);
    registry
        .record_attempt(
            id,
            1,
            &Outcome::Converged {
                branch: String::new(),
            },
            0,
            at(8),
        )
        .await
        .unwrap();
    let error = registry.cancel(id, false, at(9)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::Running);
    let before = registry.revision().await.unwrap();
    registry.cancel(id, true, at(9)).await.unwrap();
    assert_eq!(registry.tombstones(None).await.unwrap(), []);
    // It was undone on the host, so a roll call begun before says nothing about it (I10).
    assert!(world.row("/w").await.row.touched > before);
}

#[tokio::test]
async fn i6_a_deletion_given_up_hides_the_workspace_and_forgets_nothing() {
    let (world, id, _) = entombed().await;
    world.note(id, "Kept.", 4).await;
    world.registry.release(id, at(5)).await.unwrap();
    assert_eq!(world.registry.tombstones(None).await.unwrap(), []);
    world
        .hears(6, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let row = world.row("/w").await;
    assert!(row.row.untracked && row.row.id == id && row.note == "Kept.");
    let error = world.registry.release(id, at(7)).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::NoDeletion);
}

#[tokio::test]
async fn a_forgotten_host_takes_its_pending_deletions_along() {
    let world = World::new().await;
    let there = crate::tests::places::ssh(&world.registry, "box").await;
    let root = super::world::register(&world.registry, there, "/r").await;
    let said = [main_tree("/r", 1), worktree("/w", 2)];
    let snapshot = super::world::complete(there, 1, &[(root.id, &said, &[])]);
    world.registry.apply(&snapshot, at(1)).await.unwrap();
    let id = world.row("/w").await.row.id;
    let agreed = consent(&world, id).await;
    world.registry.entomb(id, &agreed, at(2)).await.unwrap();
    assert_eq!(
        world.registry.tombstones(Some(world.host)).await.unwrap(),
        []
    );
    world.registry.forget_host(there, at(3)).await.unwrap();
    assert_eq!(world.registry.tombstones(None).await.unwrap(), []);
}

#[tokio::test]
async fn rc26_what_is_deleted_on_one_host_stays_on_another_at_the_same_path() {
    let (world, id, _) = entombed().await;
    let other = super::places::ssh(&world.registry, "box").await;
    let root = super::world::register(&world.registry, other, "/r").await;
    let said = [main_tree("/r", 1), worktree("/w", 2)];
    let snapshot = super::world::complete(other, 4, &[(root.id, &said, &[])]);
    world.registry.apply(&snapshot, at(4)).await.unwrap();
    let twins = world.rows().await;
    let twins: Vec<_> = twins
        .iter()
        .filter(|it| it.row.state.path == path("/w"))
        .collect();
    assert_eq!(twins.len(), 2);
    for it in &twins {
        assert_eq!(it.row.tombstone.is_some(), it.row.id == id);
    }
    assert!(
        world
            .registry
            .tombstones(Some(other))
            .await
            .unwrap()
            .is_empty()
    );
    // One confirms it, and the other says what it said.
    world.hears(5, &[main_tree("/r", 1)]).await;
    let left = world.row("/w").await;
    assert_eq!((left.host, left.row.tombstone), (other, None));
}
