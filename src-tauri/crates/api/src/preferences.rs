//! What a person set, as the registry keeps it: each under a name of its own, so that a version that knows more of them
//! and one that knows fewer keep each other's.

use rollcall_registry::{Registry, RegistryError, Settings};
use serde::Serialize;

use crate::error::{ApiError, ErrorCode};
use crate::wire::Preferences;

const THEME: &str = "theme";
const GUARD_DAYS: &str = "guard_days";
const WORKTREE_FOLDER: &str = "worktree_folder";
const LOOKS: &str = "looks";
const LAYOUT: &str = "layout";

/// The longest guard: ten years.
const GUARD_LIMIT: u32 = 3_650;
/// Bytes of a folder's path.
const FOLDER_LIMIT: usize = 4_096;
/// Bytes of what the window keeps for itself.
const LAYOUT_LIMIT: usize = 16 * 1_024;

/// What a person set, the usual where nobody did.
pub(crate) fn read(settings: &Settings) -> Preferences {
    let usual = Preferences::default();
    Preferences {
        theme: settings.get(THEME).unwrap_or(usual.theme),
        guard_days: settings.get(GUARD_DAYS).unwrap_or(usual.guard_days),
        worktree_folder: settings
            .get(WORKTREE_FOLDER)
            .unwrap_or(usual.worktree_folder),
        looks: settings.get(LOOKS).unwrap_or(usual.looks),
        layout: settings.get(LAYOUT).unwrap_or(usual.layout),
    }
}

/// Whether clean workspaces are looked at closely without anybody asking.
pub(crate) async fn looks(registry: &Registry) -> Result<bool, RegistryError> {
    let looks = registry.setting(LOOKS).await?;
    Ok(looks.unwrap_or(Preferences::default().looks))
}

/// What a person sets, by the names it is kept under.
pub(crate) fn written(preferences: &Preferences) -> Result<Vec<(&'static str, String)>, ApiError> {
    let Preferences {
        theme,
        guard_days,
        worktree_folder,
        looks,
        layout,
    } = preferences;
    let folder = worktree_folder.trim();
    let refused =
        |words: String, hint: &str| Err(ApiError::new(ErrorCode::InvalidInput, words).hint(hint));
    if *guard_days > GUARD_LIMIT {
        return refused(
            format!("{guard_days} days are more than {GUARD_LIMIT}."),
            "Choose fewer days.",
        );
    }
    if !folder.is_empty() {
        super::app::absolute(folder)?;
    }
    if folder.len() > FOLDER_LIMIT || folder.chars().any(char::is_control) {
        return refused(
            "The folder for new worktrees cannot be called that.".to_owned(),
            "Enter a shorter path without line breaks and other control characters.",
        );
    }
    if layout.len() > LAYOUT_LIMIT {
        return refused(
            format!(
                "What the window keeps for itself takes {} bytes, more than {LAYOUT_LIMIT}.",
                layout.len()
            ),
            "Choose fewer columns.",
        );
    }
    Ok(vec![
        (THEME, json(theme)?),
        (GUARD_DAYS, json(guard_days)?),
        (WORKTREE_FOLDER, json(&folder)?),
        (LOOKS, json(looks)?),
        (LAYOUT, json(layout)?),
    ])
}

fn json(value: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(value)
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))
}
