//! Files of this machine that a person names: what they wrote, out and in again.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use rollcall_registry::IMPORT_LIMIT;

use crate::error::{ApiError, ErrorCode};

/// A file as a person typed it; `~/` is the home folder.
pub(crate) fn named(typed: &str) -> Result<PathBuf, ApiError> {
    let typed = typed.trim();
    let path = match typed.strip_prefix("~/") {
        Some(rest) => std::env::home_dir()
            .ok_or_else(|| {
                ApiError::new(ErrorCode::InvalidInput, "There is no home folder.")
                    .hint("Enter the whole path.")
            })?
            .join(rest),
        None => PathBuf::from(typed),
    };
    if !path.is_absolute() || path.file_name().is_none() {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            format!("`{typed}` is no path of a file."),
        )
        .hint("Enter a whole path, or one that begins with `~/`."));
    }
    Ok(path)
}

fn told(error: &std::io::Error, path: &Path) -> ApiError {
    let shown = path.display();
    match error.kind() {
        ErrorKind::NotFound => {
            ApiError::new(ErrorCode::PathNotFound, format!("There is no `{shown}`."))
                .hint("Check the path.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ApiError::new(
            ErrorCode::PermissionDenied,
            format!("`{shown}` may not be used."),
        )
        .hint("Choose another place, or give yourself permission."),
        _ => ApiError::new(
            ErrorCode::FileUnusable,
            format!("`{shown}` could not be used: {error}."),
        )
        .hint("Choose another place."),
    }
}

/// Writes a file of a person's own, whole or not at all. One that is there is replaced only if that was agreed to.
pub(crate) fn write(path: &Path, text: &str, replace: bool) -> Result<(), ApiError> {
    if !replace && path.symlink_metadata().is_ok() {
        return Err(ApiError::new(
            ErrorCode::FileExists,
            format!("There is a `{}` already.", path.display()),
        )
        .hint("Choose another name, or agree to replace it."));
    }
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    let written = (|| {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&unfinished)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    })();
    written.map_err(|error| {
        if let Err(left) = fs::remove_file(&unfinished) {
            tracing::debug!(error = %left, "nothing is left of a file that was not written");
        }
        told(&error, path)
    })
}

/// Reads a file, up to one byte more than is allowed.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(IMPORT_LIMIT)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .map_err(|error| told(&error, path))?;
    Ok(bytes)
}
