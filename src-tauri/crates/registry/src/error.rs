//! What can be wrong with the registry or with what is asked of it.

use std::error::Error as StdError;
use std::path::{Path, PathBuf};

use sqlx::migrate::MigrateError;
use thiserror::Error;

/// The stable name of each [`RegistryError`], to decide on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegistryCode {
    /// What was named is not in the registry.
    NotFound,
    /// Another host has the label.
    DuplicateLabel,
    /// What was given cannot be used.
    InvalidInput,
    /// The file was made by a newer version.
    Newer,
    /// The file is no registry, or cannot be read as one.
    Damaged,
    /// The file or its folder cannot be written.
    ReadOnly,
    /// Another process holds the file.
    Locked,
    /// There is no room left.
    DiskFull,
    /// Annotations would be lost, and that was not agreed to.
    Annotated,
    /// A deletion is pending already.
    DeletionPending,
    /// No deletion is pending.
    NoDeletion,
    /// There is nothing that could be deleted, or that may be.
    NotLive,
    /// A person decided otherwise meanwhile.
    Overtaken,
    /// A removal may be running on the host.
    Running,
    /// Anything else the storage says.
    Storage,
}

/// Why a verb or a read did not happen. Nothing was changed then.
#[derive(Debug, Error)]
pub enum RegistryError {
    /// What was named is not in the registry.
    #[error("{what} is not in the registry.")]
    NotFound {
        /// What was named, with a capital letter.
        what: &'static str,
    },
    /// Another host has this label, whatever its case.
    #[error("Another host is called `{label}` already.")]
    DuplicateLabel {
        /// The label.
        label: String,
    },
    /// What was given cannot be used.
    #[error("{reason}")]
    InvalidInput {
        /// One sentence.
        reason: String,
        /// What to do instead.
        hint: String,
    },
    /// The file was made by a newer version. It has not been touched.
    #[error("The registry `{}` was made by a newer version of Rollcall (schema {found}, this one knows {known}).", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema this version knows.
        known: i64,
    },
    /// The file is no registry or cannot be read as one. It has not been overwritten.
    #[error("The registry `{}` cannot be used: {reason}.", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file or its folder cannot be written.
    #[error("The registry `{}` cannot be written.", path.display())]
    ReadOnly {
        /// The file or folder.
        path: PathBuf,
    },
    /// Another process held the file for longer than five seconds.
    #[error("The registry `{}` is held by another process.", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// There is no room left for what had to be written.
    #[error("The disk that holds the registry `{}` is full.", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Notes, tags, pins or names would be lost, and that was not agreed to.
    #[error(
        "{count} workspaces of `{path}` have a note, a tag, a pin or a name that would be lost."
    )]
    Annotated {
        /// How many rows of it are annotated.
        count: u64,
        /// The root, inert.
        path: String,
    },
    /// A deletion of it is pending already; the first consent stands.
    #[error("A deletion of `{path}` is pending already.")]
    DeletionPending {
        /// Its path, inert.
        path: String,
    },
    /// No deletion of it is pending.
    #[error("No deletion of `{path}` is pending.")]
    NoDeletion {
        /// Its path, inert.
        path: String,
    },
    /// It cannot be deleted as it is.
    #[error("`{path}` cannot be deleted: {reason}.")]
    NotLive {
        /// Its path, inert.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// A person decided otherwise meanwhile: what belongs to an older decision is dropped (I12).
    #[error("What was decided about `{path}` has been decided anew meanwhile.")]
    Overtaken {
        /// Its path, inert.
        path: String,
    },
    /// A removal of it may be running on its host.
    #[error("A removal of `{path}` may be running on its host.")]
    Running {
        /// Its path, inert.
        path: String,
    },
    /// Anything else the storage says.
    #[error("The registry could not be used: {source}.")]
    Storage {
        /// Its words.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
}

impl RegistryError {
    /// Its stable name.
    pub fn code(&self) -> RegistryCode {
        match self {
            Self::NotFound { .. } => RegistryCode::NotFound,
            Self::DuplicateLabel { .. } => RegistryCode::DuplicateLabel,
            Self::InvalidInput { .. } => RegistryCode::InvalidInput,
            Self::Newer { .. } => RegistryCode::Newer,
            Self::Damaged { .. } => RegistryCode::Damaged,
            Self::ReadOnly { .. } => RegistryCode::ReadOnly,
            Self::Locked { .. } => RegistryCode::Locked,
            Self::DiskFull { .. } => RegistryCode::DiskFull,
            Self::Annotated { .. } => RegistryCode::Annotated,
            Self::DeletionPending { .. } => RegistryCode::DeletionPending,
            Self::NoDeletion { .. } => RegistryCode::NoDeletion,
            Self::NotLive { .. } => RegistryCode::NotLive,
            Self::Overtaken { .. } => RegistryCode::Overtaken,
            Self::Running { .. } => RegistryCode::Running,
            Self::Storage { .. } => RegistryCode::Storage,
        }
    }

    /// What to try, in the order to try it.
    pub fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::NotFound { .. } => {
                "It may have been forgotten meanwhile; look at the list again."
            }
            Self::DuplicateLabel { .. } => "Choose another label.",
            Self::InvalidInput { hint, .. } => hint,
            Self::Newer { .. } => {
                "Install the newer version again; the registry was left as it is."
            }
            Self::Damaged { .. } => {
                "The file was left as it is. Restore a backup, or start anew: the file is set aside, never deleted."
            }
            Self::ReadOnly { .. } => {
                "Give yourself permission to write the file and its folder, or choose another data folder."
            }
            Self::Locked { .. } => {
                "Close the other Rollcall, or whatever else has the file open, and try again."
            }
            Self::DiskFull { .. } => {
                "Make room on that disk and try again; nothing that was saved is lost."
            }
            Self::Annotated { .. } => "Agree to lose them, or keep the root.",
            Self::DeletionPending { .. } => {
                "Wait until its host confirms it, or cancel the deletion first."
            }
            Self::NoDeletion { .. } => {
                "It may have been carried out or cancelled meanwhile; look at the list again."
            }
            Self::NotLive { .. } => "Sync its host and look at it again.",
            Self::Overtaken { .. } => "Look at it again, and decide anew if need be.",
            Self::Running { .. } => {
                "Wait until its host tells how it ended, then cancel and restore it."
            }
            Self::Storage { .. } => "Try again; if it stays, look into the log.",
        };
        vec![hint.to_owned()]
    }

    /// Whether the same call may succeed later without anything being changed.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// Whether the drive failed at something that another journal may not need.
    pub(crate) fn is_failed_io(&self) -> bool {
        let Self::Storage { source } = self else {
            return false;
        };
        source
            .downcast_ref::<sqlx::Error>()
            .and_then(primary_code)
            .is_some_and(|code| code == 10)
    }

    pub(crate) fn invalid(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidInput {
            reason: reason.into(),
            hint: hint.into(),
        }
    }

    pub(crate) fn damaged(reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: file(),
            reason: reason.into(),
        }
    }

    /// Names the file in full.
    pub(crate) fn at(mut self, full: &Path) -> Self {
        match &mut self {
            Self::Newer { path, .. }
            | Self::Damaged { path, .. }
            | Self::ReadOnly { path }
            | Self::Locked { path }
            | Self::DiskFull { path } => full.clone_into(path),
            _ => {}
        }
        self
    }

    pub(crate) fn io(error: &std::io::Error, path: &Path) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly {
                path: path.to_owned(),
            },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull {
                path: path.to_owned(),
            },
            _ => Self::Storage {
                source: format!("`{}`: {error}", path.display()).into(),
            },
        }
    }
}

/// The file as messages name it where its folder is not at hand.
fn file() -> PathBuf {
    PathBuf::from(crate::open::FILE)
}

/// What `SQLite` calls an error; its extended codes carry the primary one in their low byte.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?;
    code.parse::<i32>().ok().map(|code| code & 0xff)
}

/// Translates what the storage says into what people can act on.
fn translate(error: sqlx::Error) -> RegistryError {
    match (primary_code(&error), &error) {
        (Some(5 | 6), _) | (None, sqlx::Error::PoolTimedOut) => {
            RegistryError::Locked { path: file() }
        }
        (Some(8 | 14), _) => RegistryError::ReadOnly { path: file() },
        (Some(11 | 26), _) | (None, sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)) => {
            RegistryError::damaged(error.to_string())
        }
        (Some(13), _) => RegistryError::DiskFull { path: file() },
        _ => RegistryError::Storage {
            source: Box::new(error),
        },
    }
}

/// Results of the storage, translated.
pub(crate) trait Translate<T> {
    fn told(self) -> Result<T, RegistryError>;
}

impl<T> Translate<T> for Result<T, sqlx::Error> {
    fn told(self) -> Result<T, RegistryError> {
        self.map_err(translate)
    }
}

impl<T> Translate<T> for Result<T, MigrateError> {
    fn told(self) -> Result<T, RegistryError> {
        self.map_err(|error| match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                translate(error)
            }
            other => RegistryError::damaged(other.to_string()),
        })
    }
}
