//! Hosts and roots.

use rollcall_converge::{Address, HostId, Inspection, RootKind, SshTarget};

use super::world::{World, at, complete, main_tree, path, register, worktree};
use crate::{Registry, RegistryCode};

pub(super) fn target(destination: &str) -> SshTarget {
    SshTarget {
        destination: destination.into(),
        ..SshTarget::default()
    }
}

pub(super) async fn ssh(registry: &Registry, label: &str) -> HostId {
    let address = Address::Ssh(target(label));
    registry.add_host(label, address, at(0)).await.unwrap().0.id
}

#[tokio::test]
async fn d4_two_hosts_never_have_the_same_label_whatever_its_case() {
    let world = World::new().await;
    ssh(&world.registry, "Büro").await;
    for label in ["Büro", "BÜRO", " büro "] {
        let error = world
            .registry
            .add_host(label, Address::Ssh(target("x")), at(1))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::DuplicateLabel);
        assert!(error.to_string().contains(label.trim()), "{error}");
    }
    assert_eq!(world.registry.hosts().await.unwrap().len(), 2);
}

#[tokio::test]
async fn b10_i18_what_is_no_label_or_address_is_refused() {
    let world = World::new().await;
    let long = "x".repeat(300);
    for label in ["", "  ", "a\nb", &long] {
        let error = world
            .registry
            .add_host(label, Address::Ssh(target("x")), at(1))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{label:?}");
    }
    let bad = [
        target(""),
        target("-oProxyCommand=id"),
        target("a b"),
        target("a\nb"),
        SshTarget {
            user: Some("-l".to_owned()),
            ..target("x")
        },
        SshTarget {
            port: Some(0),
            ..target("x")
        },
        SshTarget {
            identity_file: Some("a\nb".to_owned()),
            ..target("x")
        },
    ];
    for target in bad {
        let error = world
            .registry
            .add_host("x", Address::Ssh(target), at(1))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput);
        assert!(!error.hints().is_empty());
    }
    let local = world
        .registry
        .add_host("again", Address::Local, at(1))
        .await
        .unwrap_err();
    assert_eq!(local.code(), RegistryCode::InvalidInput);
    assert_eq!(world.registry.hosts().await.unwrap().len(), 1);
}

#[tokio::test]
async fn hosts_keep_their_order_their_edits_and_their_suspension_across_a_restart() {
    let world = World::new().await;
    let first = ssh(&world.registry, "first").await;
    let second = ssh(&world.registry, "second").await;
    world
        .registry
        .set_suspended(second, true, at(1))
        .await
        .unwrap();
    let same = world
        .registry
        .set_suspended(second, true, at(2))
        .await
        .unwrap();
    assert!(!same.hosts, "what is so already is no change");
    world
        .registry
        .edit_host(
            first,
            "renamed",
            Address::Ssh(target("elsewhere")),
            None,
            at(3),
        )
        .await
        .unwrap();
    let taken = world
        .registry
        .edit_host(first, "SECOND", Address::Ssh(target("x")), None, at(4))
        .await
        .unwrap_err();
    assert_eq!(taken.code(), RegistryCode::DuplicateLabel);
    // This machine stays this machine, and another one another.
    for (host, address) in [
        (first, Address::Local),
        (world.host, Address::Ssh(target("x"))),
    ] {
        let error = world
            .registry
            .edit_host(host, "third", address, None, at(4))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput);
    }
    let world = world.restarted().await;
    let hosts = world.registry.hosts().await.unwrap();
    let labels: Vec<_> = hosts
        .iter()
        .map(|it| (it.host.label.as_str(), it.host.suspended))
        .collect();
    assert_eq!(
        labels,
        [("Here", false), ("renamed", false), ("second", true)]
    );
    assert_eq!(hosts[1].host.address, Address::Ssh(target("elsewhere")));
    let (again, changed) = world
        .registry
        .ensure_local_host("Another name", at(5))
        .await
        .unwrap();
    assert_eq!((again.id, changed.hosts), (world.host, false));
}

#[tokio::test]
async fn a_path_registered_again_is_the_same_root() {
    let world = World::new().await;
    let inspection = |kind, at_path: &str| Inspection {
        kind,
        path: path(at_path),
        mount: None,
        inside: None,
    };
    let again = inspection(RootKind::Repository, "/r");
    let (root, changed) = world
        .registry
        .register_root(world.host, &again, at(1))
        .await
        .unwrap();
    assert_eq!((root.id, changed.roots), (world.root.id, false));
    for bad in ["r", "", "./r", "/r\0"] {
        let bad = inspection(RootKind::Directory, bad);
        let error = world
            .registry
            .register_root(world.host, &bad, at(1))
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput);
    }
    assert_eq!(world.registry.roots().await.unwrap().len(), 1);
}

#[tokio::test]
async fn i5_a_root_with_annotations_is_released_only_with_consent() {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let id = world.row("/w").await.row.id;
    world.note(id, "Mine.", 2).await;
    let before = (world.rows().await, world.registry.revision().await.unwrap());
    let error = world
        .registry
        .release_root(world.root.id, false, at(3))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::Annotated);
    assert!(error.to_string().contains("/r"), "{error}");
    assert_eq!(
        (world.rows().await, world.registry.revision().await.unwrap()),
        before
    );
    let changed = world
        .registry
        .release_root(world.root.id, true, at(4))
        .await
        .unwrap();
    assert_eq!(changed.removed.len(), 2);
    assert!(world.rows().await.is_empty() && world.registry.roots().await.unwrap().is_empty());
    let error = world
        .registry
        .release_root(world.root.id, true, at(5))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::NotFound);
}

#[tokio::test]
async fn i16_forgetting_a_host_leaves_every_other_as_it_is() {
    let world = World::new().await;
    world.hears(1, &[main_tree("/r", 1)]).await;
    let kept = world.rows().await;
    let there = ssh(&world.registry, "box").await;
    let root = register(&world.registry, there, "/r").await;
    let said = [main_tree("/r", 1), worktree("/w", 2)];
    let snapshot = complete(there, 2, &[(root.id, &said, &[])]);
    world.registry.apply(&snapshot, at(2)).await.unwrap();
    assert_eq!(world.rows().await.len(), 3);
    let changed = world.registry.forget_host(there, at(3)).await.unwrap();
    assert_eq!(changed.removed.len(), 2);
    assert!(changed.hosts && changed.roots);
    assert_eq!(world.rows().await, kept);
    assert_eq!(world.registry.roots().await.unwrap().len(), 1);
    let error = world
        .registry
        .forget_host(world.host, at(4))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
}

#[tokio::test]
async fn a_host_says_when_it_answered_last_with_roots_and_without() {
    let world = World::new().await;
    assert_eq!(world.registry.hosts().await.unwrap()[0].answered_at, None);
    world.hears(1, &[main_tree("/r", 1)]).await;
    let host = world.registry.hosts().await.unwrap().remove(0);
    assert_eq!(host.answered_at, Some(at(1)));
    assert_eq!(
        (host.system.as_deref(), host.git_version.as_deref()),
        (Some("Linux"), Some("2.47.3"))
    );
    let there = ssh(&world.registry, "box").await;
    world
        .registry
        .apply(&complete(there, 9, &[]), at(9))
        .await
        .unwrap();
    assert_eq!(
        world.registry.hosts().await.unwrap()[1].answered_at,
        Some(at(9))
    );
}
