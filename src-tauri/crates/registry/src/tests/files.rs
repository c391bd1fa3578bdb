//! The file: never overwritten, never taken for what it is not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};

use super::world::{World, at, main_tree, worktree};
use crate::open::FILE;
use crate::{Registry, RegistryCode};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A closed registry with a row and a note, and where it is.
async fn closed() -> (tempfile::TempDir, std::path::PathBuf) {
    let world = World::new().await;
    world
        .hears(1, &[main_tree("/r", 1), worktree("/w", 2)])
        .await;
    let id = world.row("/w").await.row.id;
    world.note(id, "Kept.", 2).await;
    world.registry.close().await;
    let file = world.folder.path().join(FILE);
    (world.folder, file)
}

/// Opening it fails with a code, says which file it is and leaves its bytes.
async fn refused(folder: &Path, code: RegistryCode) {
    let file = folder.join(FILE);
    let before = fs::read(&file).unwrap();
    let error = Registry::open(folder).await.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(FILE), "{error}");
    assert!(!error.hints().is_empty());
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn only_its_owner_can_read_a_registry() {
    let (folder, file) = closed().await;
    let inner = folder.path().join("made/here");
    let registry = Registry::open(&inner).await.unwrap();
    assert_eq!(
        (mode(&inner), mode(&inner.join(FILE)), mode(&file)),
        (0o700, 0o600, 0o600)
    );
    registry.close().await;
    for entry in fs::read_dir(&inner).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path) & 0o077 & !0o044, 0, "{}", path.display());
    }
}

#[tokio::test]
async fn d1_a_newer_registry_is_refused_and_left_as_it_is() {
    let (folder, file) = closed().await;
    let mut connection = SqliteConnectOptions::new()
        .filename(&file)
        .connect()
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (99990101000000, 'from later', 1, x'00', 0)",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    sqlx::Connection::close(connection).await.unwrap();
    refused(folder.path(), RegistryCode::Newer).await;
}

#[tokio::test]
async fn d2_what_is_no_registry_is_refused_and_left_as_it_is() {
    let (folder, file) = closed().await;
    let whole = fs::read(&file).unwrap();
    fs::write(&file, b"").unwrap();
    let error = Registry::open(folder.path()).await.unwrap_err();
    assert!(error.to_string().contains("it is empty"), "{error}");
    for damaged in [
        Vec::new(),
        b"no database".repeat(1_000),
        whole[..whole.len() / 2].to_vec(),
        [b"SQLite format 3\0".as_slice(), &[0; 4_096]].concat(),
    ] {
        fs::write(&file, damaged).unwrap();
        refused(folder.path(), RegistryCode::Damaged).await;
    }
    // One page in the middle is overwritten.
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 4_096].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    refused(folder.path(), RegistryCode::Damaged).await;
    // Whole again, it opens with everything in it.
    fs::write(&file, whole).unwrap();
    let registry = Registry::open(folder.path()).await.unwrap();
    let rows = registry.workspaces().await.unwrap();
    assert!(rows.len() == 2 && rows.iter().any(|row| row.note == "Kept."));
}

#[tokio::test]
async fn d2_a_database_of_another_application_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    let options = SqliteConnectOptions::new()
        .filename(&file)
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    sqlx::query("CREATE TABLE songs (title TEXT)")
        .execute(&mut connection)
        .await
        .unwrap();
    sqlx::Connection::close(connection).await.unwrap();
    refused(folder.path(), RegistryCode::Damaged).await;
}

#[tokio::test]
async fn rd03_rd04_a_registry_without_a_write_ahead_log_is_as_good_and_changes_back() {
    let (folder, file) = closed().await;
    let without = || {
        let migrations = &crate::open::MIGRATIONS;
        crate::open::open_file(
            folder.path(),
            &file,
            migrations,
            SqliteJournalMode::Truncate,
        )
    };
    let registry = without().await.unwrap();
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&registry.writer)
        .await
        .unwrap();
    assert_eq!(mode, "truncate");
    let rows = registry.workspaces().await.unwrap();
    assert!(rows.len() == 2 && rows.iter().any(|row| row.note == "Kept."));
    let patch = crate::AnnotationPatch {
        note: Some("Without.".to_owned()),
        ..crate::AnnotationPatch::default()
    };
    let id = rows[0].row.id;
    registry.annotate(id, &patch, at(9)).await.unwrap();
    let other = without().await.unwrap();
    assert_eq!(other.workspace(id).await.unwrap().unwrap().note, "Without.");
    assert!(!file.with_extension("sqlite3-wal").exists());
    registry.close().await;
    other.close().await;
    let registry = Registry::open(folder.path()).await.unwrap();
    assert_eq!(
        registry.workspace(id).await.unwrap().unwrap().note,
        "Without."
    );
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    let inside = folder.path().join("file/data");
    let error = Registry::open(&inside).await.unwrap_err();
    assert!(error.to_string().contains("file/data"), "{error}");
}

#[tokio::test]
async fn two_processes_share_one_registry_and_see_each_other_s_writing() {
    let world = World::new().await;
    world.hears(1, &[main_tree("/r", 1)]).await;
    let id = world.row("/r").await.row.id;
    let other = Registry::open(world.folder.path()).await.unwrap();
    world.note(id, "From one.", 2).await;
    let seen = other.workspace(id).await.unwrap().unwrap();
    assert_eq!(seen.note, "From one.");
    let both = (0..20).map(|second| {
        let (one, two) = (world.registry.clone(), other.clone());
        async move {
            let on = if second % 2 == 0 { one } else { two };
            on.set_suspended(world.host, second % 4 < 2, at(second))
                .await
        }
    });
    for done in both {
        done.await.unwrap();
    }
    assert_eq!(
        world.registry.revision().await.unwrap(),
        other.revision().await.unwrap()
    );
    other.close().await;
}
