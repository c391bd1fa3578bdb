//! Copies, and what to do with them.

use std::fs;
use std::path::Path;

use jiff::SignedDuration;
use rollcall_converge::FailureClass;

use super::world::{World, at, main_tree, worktree};
use crate::backups::{BACKUPS, BACKUPS_KEPT};
use crate::open::FILE;
use crate::{JournalFilter, JournalKind, Registry, RegistryCode};

const DAY: i64 = 86_400;

fn copies(folder: &Path) -> usize {
    fs::read_dir(folder.join(BACKUPS)).map_or(0, Iterator::count)
}

/// A world with a note and a pending deletion.
async fn lived_in() -> World {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let id = world.row("/w").await.row.id;
    world.note(id, "Kept.", 2).await;
    let agreed = super::tombstones::consent(&world, id).await;
    world.registry.entomb(id, &agreed, at(3)).await.unwrap();
    world
}

#[tokio::test]
async fn a_copy_is_made_when_a_person_asks_whatever_there_is_already() {
    let world = lived_in().await;
    assert!(world.registry.back_up_daily(at(10)).await.unwrap());
    let made = world.registry.back_up_now(at(11)).await.unwrap();
    assert_eq!((made.taken_at, made.workspaces, made.notes), (at(11), 2, 1));
    for second in 12..20 {
        world.registry.back_up_now(at(second)).await.unwrap();
    }
    let offered = Registry::backups(world.folder.path()).await.unwrap();
    assert_eq!((offered.len(), offered[0].taken_at), (BACKUPS_KEPT, at(19)));
}

#[tokio::test]
async fn a_copy_is_made_daily_where_something_changed_and_seven_are_kept() {
    let world = lived_in().await;
    let folder = world.folder.path();
    let registry = &world.registry;
    let empty = tempfile::tempdir().unwrap();
    let nothing = Registry::open(empty.path()).await.unwrap();
    assert!(!nothing.back_up_daily(at(10)).await.unwrap());
    assert!(registry.back_up_daily(at(10)).await.unwrap());
    assert!(
        !registry.back_up_daily(at(20)).await.unwrap(),
        "the day is not over"
    );
    assert!(
        !registry.back_up_daily(at(10 + DAY)).await.unwrap(),
        "nothing changed"
    );
    for day in 1..12 {
        registry
            .set_suspended(world.host, day % 2 == 1, at(day))
            .await
            .unwrap();
        assert!(registry.back_up_daily(at(10 + day * DAY)).await.unwrap());
    }
    assert_eq!(copies(folder), BACKUPS_KEPT);
    let offered = Registry::backups(folder).await.unwrap();
    assert_eq!(offered.len(), BACKUPS_KEPT);
    assert_eq!(offered[0].taken_at, at(10 + 11 * DAY));
    assert_eq!(
        (offered[0].hosts, offered[0].workspaces, offered[0].notes),
        (1, 2, 1)
    );
    // A clock that was a year ahead and is put right does not stop the copies.
    let year = SignedDuration::from_hours(24 * 365);
    for (suspended, second) in [(false, 0), (true, DAY)] {
        registry
            .set_suspended(world.host, suspended, at(1))
            .await
            .unwrap();
        let now = at(second).checked_sub(year).unwrap();
        assert!(registry.back_up_daily(now).await.unwrap());
        let offered = Registry::backups(folder).await.unwrap();
        assert!(offered.iter().any(|it| it.taken_at == now), "{offered:?}");
    }
}

#[tokio::test]
async fn rd05_a_damaged_registry_is_set_aside_and_its_newest_whole_copy_restored() {
    let world = lived_in().await;
    world.registry.back_up_daily(at(10)).await.unwrap();
    let id = world.row("/w").await.row.id;
    world.note(id, "Written after the copy.", 20).await;
    world.registry.close().await;
    let folder = world.folder.path();
    // A copy that is itself damaged is not offered.
    fs::write(
        folder
            .join(BACKUPS)
            .join("registry-09999999999999999999-schema-2.sqlite3"),
        "no",
    )
    .unwrap();
    fs::write(folder.join(FILE), b"").unwrap();
    let error = Registry::open(folder).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::Damaged);
    let offered = Registry::backups(folder).await.unwrap();
    assert_eq!(offered.len(), 1);
    let error = Registry::restore(folder, "../registry.sqlite3", at(30))
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    assert_eq!(fs::read(folder.join(FILE)).unwrap(), b"");

    Registry::restore(folder, &offered[0].name, at(30))
        .await
        .unwrap();
    let registry = Registry::open(folder).await.unwrap();
    assert_eq!(registry.workspace(id).await.unwrap().unwrap().note, "Kept.");
    // A deletion that was pending is not carried out from a guess.
    let tombstone = registry.tombstones(None).await.unwrap().remove(0);
    assert!(tombstone.stopped && tombstone.epoch == 2);
    let stopped = matches!(
        tombstone.outcome,
        Some(rollcall_converge::Outcome::Failed {
            class: FailureClass::Terminal,
            ..
        })
    );
    assert!(stopped);
    let journal = registry
        .journal(JournalFilter::default(), None, 1)
        .await
        .unwrap();
    assert_eq!(journal[0].kind, JournalKind::Restored { taken_at: at(10) });
    let aside = fs::read_dir(folder).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("registry-set-aside-")
    });
    assert_eq!(aside.count(), 1);
    // The copy is still there, to be restored once more.
    assert_eq!(Registry::backups(folder).await.unwrap(), offered);
}

#[tokio::test]
async fn a_registry_set_aside_makes_room_for_a_new_one_and_keeps_every_byte() {
    let world = lived_in().await;
    world.registry.close().await;
    let folder = world.folder.path();
    let damage = b"not a registry at all".repeat(100);
    fs::write(folder.join(FILE), &damage).unwrap();
    fs::write(folder.join(format!("{FILE}-wal")), b"log").unwrap();
    Registry::start_anew(folder, at(40)).await.unwrap();
    let registry = Registry::open(folder).await.unwrap();
    assert_eq!(registry.workspaces().await.unwrap(), []);
    let mut aside: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("set-aside"))
        .map(|path| {
            (
                path.extension().unwrap().to_string_lossy().into_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect();
    aside.sort();
    assert_eq!(
        aside,
        [
            ("sqlite3".to_owned(), damage),
            ("sqlite3-wal".to_owned(), b"log".to_vec())
        ]
    );
}

#[tokio::test]
async fn a_restore_cut_short_is_begun_again() {
    let world = lived_in().await;
    world.registry.back_up_daily(at(10)).await.unwrap();
    world.registry.close().await;
    let folder = world.folder.path();
    fs::write(folder.join(FILE), b"").unwrap();
    // What an earlier attempt left behind, half written.
    fs::write(folder.join("registry.restored"), b"half").unwrap();
    fs::write(folder.join("registry.restored-wal"), b"half").unwrap();
    let offered = Registry::backups(folder).await.unwrap();
    Registry::restore(folder, &offered[0].name, at(30))
        .await
        .unwrap();
    let registry = Registry::open(folder).await.unwrap();
    assert_eq!(registry.workspaces().await.unwrap().len(), 2);
    assert!(!folder.join("registry.restored").exists());
}
