//! What the window asks for itself: settings, words in notes, places to begin at, the same repository elsewhere.

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;
use rollcall_converge::{Head, Presence, RefName, WorkspaceId, WorkspaceKind, inert};
use rollcall_registry::WorkspaceRecord;

use super::{App, blocking, gone};
use crate::error::{ApiError, ErrorCode};
use crate::wire::{BackupRow, Counterpart, HostRef, PlaceRow, Preferences, WorkspaceRef};
use crate::{launch, preferences, present};

/// Folders in which people keep repositories, below their home.
const PLACES: &[&str] = &[
    "src",
    "code",
    "projects",
    "work",
    "dev",
    "repos",
    "git",
    "Projects",
    "Development",
    "Documents/GitHub",
    "go/src",
];

impl App {
    /// Keeps what a person set.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] where something is beyond its limits; nothing is changed then.
    pub async fn set_preferences(&self, preferences: Preferences) -> Result<(), ApiError> {
        let written = preferences::written(&preferences)?;
        let changed = self.registry.set_settings(&written).await?;
        self.announcer.changed(&changed);
        Ok(())
    }

    /// For each word the workspaces whose note, or the subject of whose last commit, has it, whatever its case.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for more than 16 words, or one of more than 200 characters.
    pub async fn texts(&self, words: Vec<String>) -> Result<Vec<Vec<WorkspaceRef>>, ApiError> {
        let found = self.registry.texts(&words).await?;
        Ok(found
            .into_iter()
            .map(|ids| ids.into_iter().map(Into::into).collect())
            .collect())
    }

    /// Copies the registry now.
    ///
    /// # Errors
    /// If the copy cannot be written.
    pub async fn back_up_now(&self) -> Result<BackupRow, ApiError> {
        let backup = self.registry.back_up_now(Timestamp::now()).await?;
        Ok(present::backup(backup))
    }

    /// Opens an address of the web in the browser.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what is none; [`ErrorCode::Unsupported`] if there is nothing to open it with.
    #[expect(clippy::unused_async, reason = "every command is one")]
    pub async fn open_address(&self, url: String) -> Result<(), ApiError> {
        launch::browse(&url)
    }

    /// Opens the link that a person gave a workspace in the browser.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it has none, or is not in the registry; [`ErrorCode::Unsupported`].
    pub async fn open_link(&self, id: WorkspaceRef) -> Result<(), ApiError> {
        let record = self.record(id).await?;
        let link = record.link.ok_or_else(|| {
            ApiError::new(ErrorCode::NotFound, "This workspace has no link.")
                .hint("Give it one first.")
        })?;
        launch::browse(&link)
    }

    /// Those of the folders that people usually keep repositories in which are there on this machine. Nothing in them is
    /// read.
    ///
    /// # Errors
    /// None; without a home folder there are none.
    pub async fn search_places(&self) -> Result<Vec<PlaceRow>, ApiError> {
        let Some(home) = std::env::home_dir() else {
            return Ok(Vec::new());
        };
        blocking(move || Ok(places(&home))).await
    }

    /// For each workspace the repository on a host that comes from the same place, and the branch to check out there.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] for the host, or a workspace that is not in the registry.
    pub async fn counterparts(
        &self,
        ids: Vec<WorkspaceRef>,
        host: HostRef,
    ) -> Result<Vec<Counterpart>, ApiError> {
        let host = self.host(host.into()).await?;
        let all = self.registry.workspaces().await?;
        let there: Vec<&WorkspaceRecord> = all
            .iter()
            .filter(|it| it.host == host.id && it.row.kind == WorkspaceKind::Repository)
            .filter(|it| !it.row.untracked && it.row.tombstone.is_none())
            .filter(|it| !matches!(it.row.state.presence, Presence::Missing { .. }))
            .collect();
        ids.into_iter()
            .map(|id| {
                let wanted = WorkspaceId::from(id);
                let record = all.iter().find(|it| it.row.id == wanted);
                let record = record.ok_or_else(|| gone("This workspace"))?;
                Ok(if record.host == host.id {
                    Counterpart {
                        id,
                        of: None,
                        branch: None,
                        words: format!("It is on {} already.", host.label),
                    }
                } else {
                    counterpart(record, &there, &host.label)
                })
            })
            .collect()
    }
}

/// What of a host comes from where a workspace does, and the branch to check out there.
fn counterpart(
    record: &WorkspaceRecord,
    there: &[&WorkspaceRecord],
    host_label: &str,
) -> Counterpart {
    let (of, no_repository) = match origin(record) {
        Err(words) => (None, words),
        Ok(origin) => {
            let same = there.iter().find(|it| {
                let facts = it.row.state.facts.as_ref();
                facts.and_then(|it| it.origin.as_deref()) == Some(origin)
            });
            let words = match same {
                Some(_) => String::new(),
                None => format!(
                    "No repository on {host_label} comes from {}.",
                    inert(origin.as_bytes())
                ),
            };
            (same.map(|it| it.row.id.into()), words)
        }
    };
    let (branch, no_branch) = match branch(&record.row.state.existence.head) {
        Ok(branch) => (Some(branch), ""),
        Err(words) => (None, words),
    };
    Counterpart {
        id: record.row.id.into(),
        of,
        branch,
        words: if no_repository.is_empty() {
            no_branch.to_owned()
        } else {
            no_repository
        },
    }
}

/// Where a workspace comes from, as clones of one place have it in common, or why that is not known.
fn origin(record: &WorkspaceRecord) -> Result<&str, String> {
    let called = present::called(record);
    if record.row.kind == WorkspaceKind::Directory {
        return Err(format!("`{called}` is not in git."));
    }
    let Some(facts) = &record.row.state.facts else {
        return Err(format!("Where `{called}` comes from is not known yet."));
    };
    facts
        .origin
        .as_deref()
        .ok_or_else(|| format!("`{called}` comes from nowhere that another host could, too."))
}

/// The short name of the branch that is checked out, as git takes it.
fn branch(head: &Head) -> Result<String, &'static str> {
    let name = match head {
        Head::Branch { name, .. } => name,
        Head::Detached { .. } => return Err("Its HEAD is detached, so it is on no branch."),
        Head::Unborn { .. } => return Err("Its branch has no commit yet."),
        Head::None => return Err("It is on no branch."),
    };
    let text = str::from_utf8(name.as_bytes()).ok();
    text.and_then(|it| it.strip_prefix("refs/heads/"))
        // What is shown has to be what is checked out.
        .filter(|it| RefName::new(name.as_bytes()).short() == *it)
        .map(str::to_owned)
        .ok_or("The name of its branch cannot be written as text.")
}

/// Those of [`PLACES`] that are folders below a home; what two names lead to, by its first one only.
fn places(home: &Path) -> Vec<PlaceRow> {
    let mut known = HashSet::new();
    PLACES
        .iter()
        .filter(|place| {
            let there = home.join(place).canonicalize().ok();
            there.is_some_and(|it| it.is_dir() && known.insert(it))
        })
        .map(|place| {
            let display = format!("~/{place}");
            let path = home.join(place).into_os_string().into_string();
            PlaceRow {
                path: path.unwrap_or_else(|_| display.clone()),
                display,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_that_are_folders_each_by_one_name() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["work", "Projects", "Documents/GitHub"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        std::fs::write(at("src"), "no folder").unwrap();
        std::os::unix::fs::symlink(at("work"), at("dev")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("git")).unwrap();
        let found = places(home.path());
        let displays: Vec<&str> = found.iter().map(|it| it.display.as_str()).collect();
        assert_eq!(displays, ["~/work", "~/Projects", "~/Documents/GitHub"]);
        assert_eq!(found[0].path, at("work").to_str().unwrap());
        assert_eq!(places(&at("nowhere")), []);
    }

    #[test]
    fn a_branch_is_named_as_git_takes_it_or_not_at_all() {
        let on = |name: &[u8]| {
            branch(&Head::Branch {
                name: RefName::new(name),
                commit: "c".repeat(40),
            })
        };
        assert_eq!(on(b"refs/heads/wind/a").unwrap(), "wind/a");
        for odd in [
            b"refs/heads/\xff".as_slice(),
            b"refs/heads/a\xe2\x80\xaeb",
            b"refs/remotes/origin/a",
        ] {
            assert!(on(odd).is_err());
        }
        let commit = "c".repeat(40);
        for head in [
            Head::Detached { commit },
            Head::Unborn { name: None },
            Head::None,
        ] {
            assert!(branch(&head).is_err());
        }
    }
}
