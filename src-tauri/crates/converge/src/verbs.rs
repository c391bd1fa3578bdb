//! What people have hosts do with repositories and their linked worktrees, deletion aside. These are plain calls: they
//! fail fast, and nothing of them is kept for later.

use serde::{Deserialize, Serialize};

use crate::bytes::{AdminName, HostPath, RefName};
use crate::generation::Generation;

/// A repository that a verb is about, as it was shown. Another one at its place is left alone (I8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Its common git directory.
    pub common_dir: HostPath,
    /// What tells it from another one there.
    pub generation: Generation,
}

/// A linked worktree that a verb is about, as it was shown. Another one of its name or path is left alone (I8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The common git directory of its repository.
    pub common_dir: HostPath,
    /// What its record is called there.
    pub admin_name: AdminName,
    /// What tells it from another one.
    pub generation: Generation,
    /// Where its record has it.
    pub path: HostPath,
    /// The mount point it was last seen on, where the host told it.
    pub mount: Option<HostPath>,
    /// The commit its HEAD was at.
    pub head: Option<String>,
}

/// What may be done with a linked worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Locks it, with a reason that may be empty.
    Lock(String),
    /// Takes its lock away, whatever the reason was.
    Unlock,
    /// Moves it to a path where nothing is, on the same disk.
    Move(HostPath),
    /// Has its record and a folder that was moved by other means lead to each other again.
    Repair(HostPath),
    /// Removes its record, whose folder is gone. What only the record holds gets references that stay (I14).
    Prune,
}

/// What a new worktree has checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkout {
    /// A new branch that begins at a commit and follows nothing.
    New {
        /// Its name, without `refs/heads/`.
        branch: String,
        /// The full name of the branch it begins at, or a commit.
        start: RefName,
    },
    /// A branch that is there.
    Existing {
        /// Its name, without `refs/heads/`.
        branch: String,
    },
    /// A new branch that follows a branch of a remote.
    Remote {
        /// Its name, without `refs/heads/`.
        branch: String,
        /// The full name of the remote one.
        follows: RefName,
    },
}

impl Checkout {
    /// The branch it has checked out, without `refs/heads/`.
    pub fn branch(&self) -> &str {
        match self {
            Self::New { branch, .. } | Self::Existing { branch } | Self::Remote { branch, .. } => {
                branch
            }
        }
    }
}

/// A branch of a repository that may be checked out, or begun at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// Its full name.
    pub name: RefName,
    /// When it was last committed to, in seconds since 1970.
    pub committed_at: Option<i64>,
    /// Whether some working tree has it checked out.
    pub checked_out: bool,
}

/// The page on the web of what was cloned from an origin, as facts tell that: without the way to get there. Of a branch of
/// it, where it is known how that is told; `None` for an origin that is no page's.
///
/// ```
/// use rollcall_converge::page_of;
/// assert_eq!(page_of("github.com/ada/atlas", Some("wind/a")).unwrap(), "https://github.com/ada/atlas/tree/wind/a");
/// assert_eq!(page_of("example.org/atlas", Some("main")).unwrap(), "https://example.org/atlas");
/// assert_eq!(page_of("/srv/atlas", None), None);
/// ```
pub fn page_of(origin: &str, branch: Option<&str>) -> Option<String> {
    let (host, path) = origin.split_once('/')?;
    let plain = |text: &str, more: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || "-._".contains(it) || more.contains(it))
    };
    if host.starts_with('.') || !host.contains('.') || !plain(host, ":") || !plain(path, "/~+") {
        return None;
    }
    let tree = match host {
        "github.com" | "codeberg.org" => "/tree/",
        host if host.contains("gitlab") => "/-/tree/",
        _ => "",
    };
    let branch = branch.filter(|it| !tree.is_empty() && plain(it, "/+@"));
    Some(match branch {
        Some(branch) => format!("https://{host}/{path}{tree}{branch}"),
        None => format!("https://{host}/{path}"),
    })
}

/// Characters of a name that no folder should have, on some system or other.
fn is_awkward(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || r#"/\:*?"<>|'`$&;()[]{}!#~"#.contains(character)
}

/// Bytes of what a branch is called in the name of a folder, at most.
const LONGEST: usize = 80;

/// What a folder may be called that is for a branch: characters that are awkward on some system become `-`.
fn folder_of(branch: &str) -> String {
    let mut name = String::new();
    for character in branch.chars() {
        let character = if is_awkward(character) {
            '-'
        } else {
            character
        };
        if name.len() + character.len_utf8() > LONGEST {
            break;
        }
        if character != '-' || !name.ends_with('-') {
            name.push(character);
        }
    }
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "worktree" } else { name }.to_owned()
}

/// Where a new worktree for a branch goes: into a folder, if one is given, and beside its repository otherwise. It is called
/// like the repository and the branch; beside a bare repository, whose worktrees are all there is, like the branch.
///
/// ```
/// use rollcall_converge::{HostPath, place_of};
/// let atlas = HostPath::new("/src/atlas");
/// assert_eq!(place_of(&atlas, false, "feature/wind", None), HostPath::new("/src/atlas-feature-wind"));
/// let trees = HostPath::new("/trees/");
/// assert_eq!(place_of(&atlas, false, "v2", Some(&trees)), HostPath::new("/trees/atlas-v2"));
/// let bare = HostPath::new("/src/atlas/.bare");
/// assert_eq!(place_of(&bare, true, "v2", None), HostPath::new("/src/atlas/v2"));
/// ```
pub fn place_of(
    repository: &HostPath,
    bare: bool,
    branch: &str,
    folder: Option<&HostPath>,
) -> HostPath {
    let own = repository.as_bytes();
    let slash = own.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    let parent = folder.map_or(&own[..slash], |folder| {
        let bytes = folder.as_bytes();
        bytes.strip_suffix(b"/").unwrap_or(bytes)
    });
    let mut place = parent.to_vec();
    place.push(b'/');
    if !bare || folder.is_some() {
        let name = repository.file_name();
        place.extend_from_slice(
            name.strip_suffix(b".git")
                .filter(|it| !it.is_empty())
                .unwrap_or(name),
        );
        place.push(b'-');
    }
    place.extend_from_slice(folder_of(branch).as_bytes());
    HostPath::new(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_page_has_none() {
        for (origin, page) in [
            (
                "gitlab.example.org/a/b",
                Some("https://gitlab.example.org/a/b/-/tree/x"),
            ),
            ("example.org:8443/a/b", Some("https://example.org:8443/a/b")),
            ("/srv/a", None),
            ("../a", None),
            ("box/a", None),
            ("example.org/a b", None),
            ("example.org/\"><script>", None),
            ("ada:secret@example.org/a", None),
            ("", None),
        ] {
            assert_eq!(page_of(origin, Some("x")).as_deref(), page, "{origin}");
        }
    }

    #[test]
    fn a_branch_of_any_name_gets_a_folder_that_every_system_can_have() {
        for (branch, folder) in [
            ("main", "main"),
            ("feature/a/b", "feature-a-b"),
            ("fix: what?", "fix-what"),
            ("../..", "worktree"),
            (".hidden", "hidden"),
            ("-rf", "rf"),
            ("ends.", "ends"),
            ("größe", "größe"),
            ("a\u{202e}b\tc", "a\u{202e}b-c"),
        ] {
            assert_eq!(folder_of(branch), folder, "{branch}");
        }
        let long = folder_of(&"ö".repeat(300));
        assert!(long.len() <= LONGEST && long.starts_with('ö'), "{long}");
    }
}
