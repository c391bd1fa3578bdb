//! Opening the file: looked at before it is touched, never overwritten.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

use crate::backups::{BACKUPS, back_up};
use crate::drive;
use crate::error::{RegistryError, Translate as _};
use crate::records::Columns;
use crate::store::{Registry, fetch_all, fetch_scalar};

/// The registry's file in the data folder.
pub(crate) const FILE: &str = "registry.sqlite3";
/// A registry that is being made; it gets its name once it is whole.
const UNFINISHED: &str = "registry.new";
/// Held while the file is looked at, made or brought up to date.
const LOCK: &str = "registry.lock";
/// What the first migration marks the file with.
const APPLICATION: i64 = 1_383_033_964;
/// How long to wait for another process.
const BUSY: Duration = Duration::from_secs(5);
/// Reads that go on at once.
const READERS: u32 = 4;

pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("../../../migrations");

pub(crate) async fn open(folder: &Path, migrations: &Migrator) -> Result<Registry, RegistryError> {
    let folder = prepared(folder)?;
    let path = folder.join(FILE);
    if path.to_str().is_none() {
        return Err(RegistryError::invalid(
            format!(
                "The data folder `{}` has a name that is no UTF-8.",
                folder.display()
            ),
            "Choose another data folder.",
        ));
    }
    let mode = drive::journal_mode(&folder);
    let opened = match open_file(&folder, &path, migrations, mode).await {
        // Some drives take the switch to a write-ahead log and fail at the first use of it.
        Err(error) if mode == SqliteJournalMode::Wal && error.is_failed_io() => {
            tracing::warn!(%error, "the write-ahead log cannot be used");
            open_file(&folder, &path, migrations, SqliteJournalMode::Truncate).await
        }
        opened => opened,
    };
    opened.map_err(|error| error.at(&path))
}

pub(crate) async fn open_file(
    folder: &Path,
    path: &Path,
    migrations: &Migrator,
    mode: SqliteJournalMode,
) -> Result<Registry, RegistryError> {
    let lock = locked(folder).await?;
    if is_there(path)? {
        let found = look_at(path, migrations).await?;
        OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(|error| RegistryError::io(&error, path))?;
        if found < newest(migrations) {
            bring_up_to_date(folder, path, found, migrations, mode).await?;
        }
    } else {
        make(folder, path, migrations, mode).await?;
    }
    only_for_owner(path, 0o600)?;
    let registry = connected(folder, path, mode).await?;
    drop(lock);
    Ok(registry)
}

pub(crate) fn prepared(folder: &Path) -> Result<PathBuf, RegistryError> {
    let told = |error: std::io::Error| RegistryError::io(&error, folder);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(told)?;
    // A folder in which nothing but the log has been is as good as made here; one with other things in it may
    // be shared on purpose.
    let entries = fs::read_dir(folder)
        .map_err(told)?
        .collect::<Result<Vec<_>, _>>()
        .map_err(told)?;
    if entries.iter().all(|entry| entry.file_name() == "logs") {
        only_for_owner(folder, 0o700)?;
    }
    fs::canonicalize(folder).map_err(told)
}

#[cfg(unix)]
pub(crate) fn only_for_owner(path: &Path, mode: u32) -> Result<(), RegistryError> {
    use std::os::unix::fs::PermissionsExt as _;
    let told = |error: std::io::Error| RegistryError::io(&error, path);
    let permissions = fs::metadata(path).map_err(told)?.permissions();
    if permissions.mode() & 0o777 == mode {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(told)
}

#[cfg(not(unix))]
pub(crate) fn only_for_owner(_path: &Path, _mode: u32) -> Result<(), RegistryError> {
    // The profile folder of Windows and its children belong to their owner already.
    Ok(())
}

pub(crate) async fn locked(folder: &Path) -> Result<Option<File>, RegistryError> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| RegistryError::io(&error, folder))?;
    let patience = tokio::time::Instant::now() + BUSY;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < patience => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(TryLockError::WouldBlock) => return Err(RegistryError::Locked { path }),
            // Some network drives have no locks; SQLite's own care is what remains there.
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "the data folder takes no lock");
                return Ok(None);
            }
        }
    }
}

fn is_there(path: &Path) -> Result<bool, RegistryError> {
    match fs::symlink_metadata(path) {
        Ok(_) => return Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(RegistryError::io(&error, path)),
    }
    // SQLite would pour what is left of an old registry into a new one.
    let log = beside(path, "-wal");
    match fs::metadata(&log) {
        Ok(found) if found.len() > 0 => Err(RegistryError::damaged(format!(
            "it is gone, and its write-ahead log `{}` is still there",
            log.display()
        ))),
        _ => Ok(false),
    }
}

pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn newest(migrations: &Migrator) -> i64 {
    migrations
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or(0)
}

/// Says which schema a file has, without touching it.
pub(crate) async fn look_at(path: &Path, migrations: &Migrator) -> Result<i64, RegistryError> {
    let told = |error: std::io::Error| RegistryError::io(&error, path);
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(RegistryError::damaged("it is a link to nothing"));
        }
        file => file.map_err(told)?,
    };
    let metadata = file.metadata().map_err(told)?;
    if !metadata.is_file() {
        return Err(RegistryError::damaged("it is no file"));
    }
    if metadata.len() == 0 {
        return Err(RegistryError::damaged("it is empty"));
    }
    let mut header = [0; 16];
    if file.read_exact(&mut header).is_err() || header != *b"SQLite format 3\0" {
        return Err(RegistryError::damaged("it is no SQLite database"));
    }
    drop(file);

    // Without a write-ahead log the file is the whole truth, and SQLite needs no helpers beside it to read it.
    let is_there = |suffix| fs::metadata(beside(path, suffix)).is_ok_and(|it| it.len() > 0);
    let (log, journal) = (is_there("-wal"), is_there("-journal"));
    let mut connection = SqliteConnectOptions::new()
        .filename(path)
        // What a rollback journal holds has to be put back before the file says anything true.
        .read_only(!journal)
        .immutable(!log && !journal)
        .busy_timeout(BUSY)
        .connect()
        .await
        .told()?;
    let found = schema_of(&mut connection, migrations).await;
    connection.close().await.told()?;
    found
}

async fn schema_of(
    connection: &mut SqliteConnection,
    migrations: &Migrator,
) -> Result<i64, RegistryError> {
    let application: i64 = fetch_scalar!(*connection, "PRAGMA application_id")?;
    let tables: i64 = fetch_scalar!(
        *connection,
        "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'"
    )?;
    if application != APPLICATION || tables == 0 {
        return Err(RegistryError::damaged("it is a database of something else"));
    }
    let applied = fetch_all!(
        *connection,
        "SELECT version, checksum, success FROM _sqlx_migrations ORDER BY version"
    )?;
    let known = newest(migrations);
    let mut found = 0;
    for row in &applied {
        found = found.max(Columns(row).integer("version")?);
    }
    if found > known {
        return Err(RegistryError::Newer {
            path: PathBuf::from(FILE),
            found,
            known,
        });
    }
    for row in &applied {
        let version = Columns(row).integer("version")?;
        let checksum: Vec<u8> = sqlx::Row::try_get(row, "checksum").told()?;
        let whole: bool = sqlx::Row::try_get(row, "success").told()?;
        let same = migrations
            .iter()
            .any(|migration| migration.version == version && *migration.checksum == *checksum);
        if !same || !whole {
            return Err(RegistryError::damaged(format!(
                "step {version} of its schema is not the one this version knows"
            )));
        }
    }
    let health: String = fetch_scalar!(*connection, "PRAGMA quick_check(1)")?;
    if health != "ok" {
        return Err(RegistryError::damaged(health));
    }
    Ok(found)
}

pub(crate) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(BUSY)
}

pub(crate) fn writing(path: &Path, mode: SqliteJournalMode) -> SqliteConnectOptions {
    options(path)
        .journal_mode(mode)
        .synchronous(SqliteSynchronous::Full)
}

/// Makes a registry under another name and names it when it is whole: one that is empty or half made was not left
/// by this.
async fn make(
    folder: &Path,
    path: &Path,
    migrations: &Migrator,
    mode: SqliteJournalMode,
) -> Result<(), RegistryError> {
    let unfinished = folder.join(UNFINISHED);
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let leftover = beside(&unfinished, suffix);
        match fs::remove_file(&leftover) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(RegistryError::io(&error, &leftover));
            }
            _ => {}
        }
    }
    let told = |error: std::io::Error| RegistryError::io(&error, folder);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&unfinished)
        .map_err(told)?;
    only_for_owner(&unfinished, 0o600)?;
    let mut connection = writing(&unfinished, mode).connect().await.told()?;
    migrations.run(&mut connection).await.told()?;
    connection.close().await.told()?;
    file.sync_all().map_err(told)?;
    // A name is given, not taken, should another process have been as quick where there are no locks.
    match fs::hard_link(&unfinished, path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(_) => fs::rename(&unfinished, path).map_err(told)?,
    }
    if let Err(error) = fs::remove_file(&unfinished)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(told(error));
    }
    synced(folder)
}

/// Puts the names in a folder on disk.
pub(crate) fn synced(folder: &Path) -> Result<(), RegistryError> {
    #[cfg(unix)]
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| RegistryError::io(&error, folder))?;
    Ok(())
}

async fn bring_up_to_date(
    folder: &Path,
    path: &Path,
    found: i64,
    migrations: &Migrator,
    mode: SqliteJournalMode,
) -> Result<(), RegistryError> {
    let mut connection = writing(path, mode).connect().await.told()?;
    back_up(
        &mut connection,
        &folder.join(BACKUPS),
        found,
        Timestamp::now(),
    )
    .await?;
    migrations.run(&mut connection).await.told()?;
    connection.close().await.told()
}

async fn connected(
    folder: &Path,
    path: &Path,
    mode: SqliteJournalMode,
) -> Result<Registry, RegistryError> {
    let writer = SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(writing(path, mode))
        .await
        .told()?;
    // Whether it can be written shows only when it is tried.
    let trial = writer.begin_with("BEGIN IMMEDIATE").await.told()?;
    trial.rollback().await.told()?;
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options(path).read_only(true))
        .await
        .told()?;
    Ok(Registry {
        folder: folder.to_owned(),
        writer,
        readers,
    })
}
