//! Hosts that are forgotten, and machines that are added again.

use std::time::Duration;

use rollcall_converge::{Address, HostId, SignIn, SshTarget, Transport};

use super::places::{ssh, target};
use super::world::{World, at, complete, main_tree, register, worktree};
use crate::{AnnotationPatch, RegistryCode};

fn note(text: &str) -> AnnotationPatch {
    AnnotationPatch {
        note: Some(text.to_owned()),
        ..AnnotationPatch::default()
    }
}

/// A host with a repository and a worktree of it, with a key that was seen.
async fn enrolled(world: &World, label: &str, n: u8) -> HostId {
    let host = ssh(&world.registry, label).await;
    let root = register(&world.registry, host, "/r").await;
    let said = [main_tree("/r", 1), worktree("/w", 2)];
    let snapshot = complete(host, i64::from(n), &[(root.id, &said, &[])]);
    world
        .registry
        .apply(&snapshot, at(i64::from(n)))
        .await
        .unwrap();
    world
        .registry
        .record_contact(host, &SignIn::default(), Some("SHA256:key"))
        .await
        .unwrap();
    host
}

#[tokio::test]
async fn rd10_b15_c17_a_machine_that_is_added_again_gets_its_rows_notes_and_deletions_back() {
    let world = World::new().await;
    let old = enrolled(&world, "box", 1).await;
    let tree = world.row("/w").await.row.id;
    world
        .registry
        .annotate(tree, &note("mine"), at(2))
        .await
        .unwrap();
    let main = world.row("/r").await.row.id;
    let agreed = super::tombstones::consent(&world, main).await;
    world.registry.entomb(main, &agreed, at(2)).await.unwrap();
    let before = world.registry.revision().await.unwrap();

    let changed = world.registry.forget_host(old, at(3)).await.unwrap();
    assert_eq!(changed.removed.len(), 2);
    assert!(world.rows().await.is_empty());
    // That of this machine.
    assert_eq!(world.registry.roots().await.unwrap().len(), 1);
    assert!(world.registry.tombstones(None).await.unwrap().is_empty());
    assert!(world.registry.host(old).await.unwrap().is_none());
    let forgotten = world.registry.forgotten_hosts().await.unwrap();
    assert_eq!(forgotten.len(), 1);
    let it = &forgotten[0];
    assert_eq!(
        (it.label.as_str(), it.rows, it.annotated, it.pending),
        ("box", 2, 1, 1)
    );
    assert_eq!(it.host_key.as_deref(), Some("SHA256:key"));

    // Its label is free. The new host has met one of its workspaces already, and has another one.
    let new = ssh(&world.registry, "box").await;
    let root = register(&world.registry, new, "/r").await;
    let said = [main_tree("/r", 1), worktree("/w", 2), worktree("/x", 3)];
    let snapshot = complete(new, 4, &[(root.id, &said, &[])]);
    world.registry.apply(&snapshot, at(4)).await.unwrap();
    let met = world.row("/w").await.row.id;
    world
        .registry
        .annotate(met, &note("new"), at(5))
        .await
        .unwrap();

    world.registry.reclaim_host(new, old, at(6)).await.unwrap();
    assert_eq!(world.rows().await.len(), 3);
    let record = world.row("/w").await;
    assert_eq!((record.row.id, record.host), (tree, new));
    assert_eq!(record.note, "mine\n\nnew");
    // Its deletion waits for a person: nothing is deleted that nobody asked for since.
    let pending = world.registry.tombstones(Some(new)).await.unwrap();
    assert_eq!((pending.len(), pending[0].stopped), (1, true));
    assert_eq!(world.registry.roots().await.unwrap().len(), 2);
    assert!(world.registry.forgotten_hosts().await.unwrap().is_empty());
    // Who missed all of it is told of every row, and that none of them is gone.
    let changes = world.registry.changes_since(before).await.unwrap();
    assert_eq!(changes.upserted.len(), 3);
    assert!(!changes.removed.contains(&tree) && changes.removed.contains(&met));

    // I10: what was put together before concludes nothing about rows that came meanwhile.
    world.registry.apply(&snapshot, at(7)).await.unwrap();
    assert_eq!(world.rows().await.len(), 3);
}

#[tokio::test]
async fn rd10_nothing_is_had_back_that_was_not_asked_for() {
    let world = World::new().await;
    let old = enrolled(&world, "box", 1).await;
    world.registry.forget_host(old, at(2)).await.unwrap();
    let new = ssh(&world.registry, "other").await;
    let error = world
        .registry
        .reclaim_host(old, new, at(3))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
    let error = world
        .registry
        .reclaim_host(new, new, at(3))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
    assert_eq!(world.registry.forgotten_hosts().await.unwrap().len(), 1);
    world.registry.erase_forgotten(old).await.unwrap();
    assert!(world.registry.forgotten_hosts().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_forgotten_host_goes_for_good_after_its_time_unless_a_deletion_is_pending() {
    let world = World::new().await;
    let plain = enrolled(&world, "plain", 1).await;
    world.registry.forget_host(plain, at(2)).await.unwrap();
    let pending = enrolled(&world, "pending", 3).await;
    let id = world.row("/w").await.row.id;
    let agreed = super::tombstones::consent(&world, id).await;
    world.registry.entomb(id, &agreed, at(4)).await.unwrap();
    world.registry.forget_host(pending, at(5)).await.unwrap();
    world.registry.purge_forgotten(at(2)).await.unwrap();
    assert_eq!(world.registry.forgotten_hosts().await.unwrap().len(), 2);
    world.registry.purge_forgotten(at(9)).await.unwrap();
    let left = world.registry.forgotten_hosts().await.unwrap();
    assert_eq!(left.iter().map(|it| it.id).collect::<Vec<_>>(), [pending]);
}

#[tokio::test]
async fn a_host_of_which_nothing_is_known_is_forgotten_without_a_trace() {
    let world = World::new().await;
    let host = ssh(&world.registry, "typo").await;
    world.registry.forget_host(host, at(1)).await.unwrap();
    assert!(world.registry.forgotten_hosts().await.unwrap().is_empty());
}

#[tokio::test]
async fn how_a_host_is_signed_in_to_is_kept_until_it_is_reached_in_another_way() {
    let world = World::new().await;
    let host = ssh(&world.registry, "box").await;
    let sign_in = SignIn {
        identity: Some("SHA256:agent".to_owned()),
        attended: true,
    };
    let kept = async || world.registry.host(host).await.unwrap().unwrap();
    world
        .registry
        .record_contact(host, &sign_in, Some("SHA256:key"))
        .await
        .unwrap();
    let revision = world.registry.revision().await.unwrap();
    world
        .registry
        .record_contact(host, &sign_in, None)
        .await
        .unwrap();
    assert_eq!(world.registry.revision().await.unwrap(), revision);
    assert_eq!(kept().await.host.sign_in.as_ref(), Some(&sign_in));
    assert_eq!(kept().await.host_key.as_deref(), Some("SHA256:key"));

    let same = Address::Ssh(target("box"));
    let minute = Some(Duration::from_mins(1));
    world
        .registry
        .edit_host(host, "renamed", same.clone(), minute, at(2))
        .await
        .unwrap();
    assert_eq!(kept().await.cadence, minute);
    assert_eq!(kept().await.host.sign_in, Some(sign_in));
    let openssh = Address::Ssh(SshTarget {
        transport: Transport::OpenSsh,
        ..target("box")
    });
    world
        .registry
        .edit_host(host, "renamed", openssh.clone(), None, at(3))
        .await
        .unwrap();
    assert_eq!(kept().await.host.address, openssh);
    assert_eq!(
        (kept().await.host.sign_in, kept().await.cadence),
        (None, None)
    );
    for seconds in [0, 9, 86_401] {
        let error = world
            .registry
            .edit_host(
                host,
                "renamed",
                same.clone(),
                Some(Duration::from_secs(seconds)),
                at(4),
            )
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput);
    }
}
