//! Copies of the file: made before each migration and daily, offered when the registry cannot be used. Nothing is
//! ever overwritten: what is replaced is set aside beside it.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use rollcall_converge::{FailureClass, Outcome, Reason};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

use crate::drive;
use crate::error::{RegistryError, Translate as _};
use crate::journal::JournalKind;
use crate::open::{
    FILE, MIGRATIONS, beside, locked, look_at, only_for_owner, prepared, synced, writing,
};
use crate::records::{count, json, nanos};
use crate::store::{Registry, execute, fetch_scalar};

/// The folder of copies, in the data folder.
pub(crate) const BACKUPS: &str = "backups";
/// How many of them are kept.
pub(crate) const BACKUPS_KEPT: usize = 7;
/// How often one is made where something changed.
const DAILY: SignedDuration = SignedDuration::from_hours(24);
/// A copy that is being put in the registry's place; it gets its name once it is whole.
const RESTORED: &str = "registry.restored";

/// A copy of the registry that can be put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Its name in the folder of backups.
    pub name: String,
    /// When it was made, by this machine's clock.
    pub taken_at: Timestamp,
    /// Its size in bytes.
    pub bytes: u64,
    /// How many hosts it knows.
    pub hosts: u64,
    /// How many workspaces it lists.
    pub workspaces: u64,
    /// How many of them have a note.
    pub notes: u64,
}

/// The copies in a folder, oldest first. Those that seem to be made after `now` were made before it, while the
/// clock was wrong.
fn names(backups: &Path, now: Timestamp) -> Result<Vec<String>, RegistryError> {
    let entries = match fs::read_dir(backups) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| RegistryError::io(&error, backups))?,
    };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| taken_at(name).is_some())
        .collect();
    names.sort_by_key(|name| (taken_at(name).is_none_or(|at| at <= now), name.clone()));
    Ok(names)
}

fn taken_at(name: &str) -> Option<Timestamp> {
    let rest = name.strip_prefix("registry-")?.strip_suffix(".sqlite3")?;
    let nanos: i128 = rest.split('-').next()?.parse().ok()?;
    Timestamp::from_nanosecond(nanos).ok()
}

/// Copies a registry, forgets the oldest copies beyond seven, and says what the copy is called.
pub(crate) async fn back_up(
    connection: &mut SqliteConnection,
    backups: &Path,
    schema: i64,
    now: Timestamp,
) -> Result<String, RegistryError> {
    let told = |error: std::io::Error| RegistryError::io(&error, backups);
    fs::create_dir_all(backups).map_err(told)?;
    only_for_owner(backups, 0o700)?;
    // Padded, so that names are in the order of time for people too.
    let name = format!("registry-{:020}-schema-{schema}.sqlite3", nanos(now));
    let unfinished = backups.join("unfinished");
    let target = unfinished.to_str().ok_or_else(|| {
        RegistryError::invalid(
            format!("`{}` has a name that is no UTF-8.", backups.display()),
            "Choose another data folder.",
        )
    })?;
    remove_if_there(&unfinished)?;
    let copied = execute!(*connection, "VACUUM INTO ?", target.to_owned());
    if let Err(error) = copied {
        // What was begun takes room that may be what is lacking.
        remove_if_there(&unfinished)?;
        return Err(error);
    }
    only_for_owner(&unfinished, 0o600)?;
    File::open(&unfinished)
        .and_then(|file| file.sync_all())
        .map_err(told)?;
    fs::rename(&unfinished, backups.join(&name)).map_err(told)?;
    synced(backups)?;
    let kept = names(backups, now)?;
    for old in kept.iter().take(kept.len().saturating_sub(BACKUPS_KEPT)) {
        fs::remove_file(backups.join(old)).map_err(told)?;
    }
    Ok(name)
}

fn remove_if_there(path: &Path) -> Result<(), RegistryError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(RegistryError::io(&error, path)),
        _ => Ok(()),
    }
}

/// Opens a closed file to look into it; nothing is written beside it.
async fn reading(path: &Path) -> Result<SqliteConnection, RegistryError> {
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(true)
        .connect()
        .await
        .told()
}

async fn described(backups: &Path, name: &str) -> Result<Backup, RegistryError> {
    let path = backups.join(name);
    look_at(&path, &MIGRATIONS).await?;
    let mut connection = reading(&path).await?;
    let counted = async {
        let forgets: i64 = fetch_scalar!(
            connection,
            "SELECT count(*) FROM sqlite_schema WHERE name = 'live_hosts'"
        )?;
        let (hosts, workspaces) = if forgets == 0 {
            (
                "SELECT count(*) FROM hosts",
                "SELECT count(*) FROM workspaces",
            )
        } else {
            (
                "SELECT count(*) FROM live_hosts",
                "SELECT count(*) FROM live_workspaces",
            )
        };
        let hosts: i64 = fetch_scalar!(connection, hosts)?;
        let workspaces: i64 = fetch_scalar!(connection, workspaces)?;
        let notes: i64 = fetch_scalar!(
            connection,
            "SELECT count(*) FROM annotations WHERE note <> ''"
        )?;
        Ok::<_, RegistryError>((count(hosts), count(workspaces), count(notes)))
    };
    let (hosts, workspaces, notes) = counted.await?;
    connection.close().await.told()?;
    let bytes = fs::metadata(&path)
        .map_err(|error| RegistryError::io(&error, &path))?
        .len();
    Ok(Backup {
        name: name.to_owned(),
        taken_at: taken_at(name).unwrap_or(Timestamp::UNIX_EPOCH),
        bytes,
        hosts,
        workspaces,
        notes,
    })
}

impl Registry {
    /// The copies of a data folder that are whole, newest first.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub async fn backups(folder: &Path) -> Result<Vec<Backup>, RegistryError> {
        let backups = folder.join(BACKUPS);
        let mut whole = Vec::new();
        for name in names(&backups, Timestamp::MAX)?.into_iter().rev() {
            match described(&backups, &name).await {
                Ok(backup) => whole.push(backup),
                Err(error) => tracing::warn!(%error, name, "a backup cannot be used"),
            }
        }
        Ok(whole)
    }

    /// Makes the daily copy if anything is under roll call, the newest copy is a day old and something changed
    /// since; says whether it did.
    ///
    /// # Errors
    /// If the registry cannot be read or the copy cannot be written. The registry goes on.
    pub async fn back_up_daily(&self, now: Timestamp) -> Result<bool, RegistryError> {
        let backups = self.folder.join(BACKUPS);
        if self.roots().await?.is_empty() {
            // A copy of nothing would stand in the way of the day's first with something in it.
            return Ok(false);
        }
        let newest = names(&backups, now)?.pop();
        if let Some(newest) = &newest {
            let age = taken_at(newest).map(|at| now.duration_since(at).abs());
            if age.is_some_and(|age| age < DAILY) {
                return Ok(false);
            }
            let copied: Result<i64, RegistryError> = async {
                let mut connection = reading(&backups.join(newest)).await?;
                fetch_scalar!(connection, "SELECT revision FROM meta")
            }
            .await;
            let revision = self.revision().await?;
            if copied.is_ok_and(|copied| count(copied) == revision) {
                return Ok(false);
            }
        }
        self.back_up(now).await?;
        Ok(true)
    }

    /// Makes a copy now, whatever there is already. The oldest beyond seven goes.
    ///
    /// # Errors
    /// If the copy cannot be written; [`RegistryError::Locked`] while another is being made. The registry goes on.
    pub async fn back_up_now(&self, now: Timestamp) -> Result<Backup, RegistryError> {
        let name = self.back_up(now).await?;
        described(&self.folder.join(BACKUPS), &name).await
    }

    async fn back_up(&self, now: Timestamp) -> Result<String, RegistryError> {
        // Two copies at once would be one file under way.
        let lock = locked(&self.folder).await?;
        let mut connection = crate::open::options(&self.folder.join(FILE))
            .read_only(true)
            .connect()
            .await
            .told()?;
        let schema: i64 = fetch_scalar!(connection, "SELECT max(version) FROM _sqlx_migrations")?;
        let name = back_up(&mut connection, &self.folder.join(BACKUPS), schema, now).await?;
        connection.close().await.told()?;
        drop(lock);
        Ok(name)
    }

    /// Puts a copy in the place of a registry that cannot be used, which is set aside, never deleted. Deletions
    /// that were pending when the copy was made are stopped: what became of them since is unknown, so a person has
    /// to agree again.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] if there is no such copy; why it cannot be used, or the folder not be written.
    /// The registry is as it was then.
    pub async fn restore(folder: &Path, name: &str, now: Timestamp) -> Result<(), RegistryError> {
        let folder = prepared(folder)?;
        let backups = folder.join(BACKUPS);
        if !names(&backups, now)?.iter().any(|it| it == name) {
            return Err(RegistryError::invalid(
                "There is no such backup any more.",
                "Look at the list of backups again.",
            ));
        }
        let lock = locked(&folder).await?;
        let copy = backups.join(name);
        look_at(&copy, &MIGRATIONS)
            .await
            .map_err(|error| error.at(&copy))?;
        let restored = folder.join(RESTORED);
        for suffix in ["", "-wal", "-shm", "-journal"] {
            remove_if_there(&beside(&restored, suffix))?;
        }
        let told = |error: std::io::Error| RegistryError::io(&error, &restored);
        let mut from = File::open(&copy).map_err(|error| RegistryError::io(&error, &copy))?;
        let mut to = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&restored)
            .map_err(told)?;
        only_for_owner(&restored, 0o600)?;
        std::io::copy(&mut from, &mut to).map_err(told)?;
        to.sync_all().map_err(told)?;
        let taken_at = taken_at(name).unwrap_or(now);
        prepare(&restored, drive::journal_mode(&folder), taken_at, now).await?;
        to.sync_all().map_err(told)?;
        set_aside(&folder, now)?;
        fs::rename(&restored, folder.join(FILE)).map_err(told)?;
        synced(&folder)?;
        drop(lock);
        Ok(())
    }

    /// Sets a registry that cannot be used aside, so that the next opening makes a new one.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub async fn start_anew(folder: &Path, now: Timestamp) -> Result<(), RegistryError> {
        let folder = prepared(folder)?;
        let lock = locked(&folder).await?;
        set_aside(&folder, now)?;
        let path = folder.join(FILE);
        remove_if_there(&path)?;
        synced(&folder)?;
        drop(lock);
        Ok(())
    }
}

/// Brings a copy up to date and stops the deletions in it.
async fn prepare(
    path: &Path,
    mode: SqliteJournalMode,
    taken_at: Timestamp,
    now: Timestamp,
) -> Result<(), RegistryError> {
    let mut connection = writing(path, mode).connect().await.told()?;
    MIGRATIONS.run(&mut connection).await.told()?;
    let stopped = Outcome::Failed {
        class: FailureClass::Terminal,
        stage: "restored from a backup".to_owned(),
        message: "What became of this deletion since the backup was made is unknown.".to_owned(),
        reason: Reason::Changed,
    };
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.told()?;
    execute!(
        *transaction,
        "UPDATE tombstones SET epoch = epoch + 1, stopped = 1, next_attempt_at = NULL, outcome = ?",
        json(&stopped)?
    )?;
    execute!(
        *transaction,
        "INSERT INTO journal (at, actor, kind, detail) VALUES (?, 'person', 'restored', ?)",
        nanos(now),
        json(&JournalKind::Restored { taken_at })?
    )?;
    execute!(*transaction, "UPDATE meta SET revision = revision + 1")?;
    transaction.commit().await.told()?;
    connection.close().await.told()
}

/// Gives the file and its helpers second names; the file keeps its own until another takes it.
fn set_aside(folder: &Path, now: Timestamp) -> Result<(), RegistryError> {
    let path = folder.join(FILE);
    let aside = folder.join(format!("registry-set-aside-{:020}.sqlite3", nanos(now)));
    let told = |error: std::io::Error| RegistryError::io(&error, &path);
    match fs::hard_link(&path, &aside) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        // Not every file system has second names.
        Err(_) => fs::rename(&path, &aside).map_err(told)?,
    }
    for suffix in ["-wal", "-shm", "-journal"] {
        let helper: PathBuf = beside(&path, suffix);
        match fs::rename(&helper, beside(&aside, suffix)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(told(error)),
            _ => {}
        }
    }
    synced(folder)
}
