//! Why a root made no assertion, as a person is told.

use rollcall_converge::{FailedRoot, Failure, FailureCode, HostPath, inert};

/// Why a root made no assertion, in the collector's words.
#[derive(Clone)]
pub(super) struct Fault {
    pub(super) code: Vec<u8>,
    pub(super) mount: Option<HostPath>,
    pub(super) words: String,
}

/// The first line of what a program said, bounded.
fn first_sentence(words: &str) -> String {
    let line = words.split('␊').next().unwrap_or_default();
    let line = line.trim_start_matches("fatal: ").trim();
    line.chars().take(300).collect()
}

impl Fault {
    /// The same about a path that is no root yet, and is expected to be there.
    pub(super) fn failure(&self, path: &HostPath) -> Failure {
        match self.outcome(path) {
            FailedRoot::Failed(failure) => failure,
            FailedRoot::NoSuchFile { .. } => Failure::new(
                FailureCode::PathNotFound,
                format!("There is no `{}` on this host.", path.display()),
            )
            .hint("Check how the path is spelled."),
        }
    }

    /// How the root of this fault ends.
    pub(super) fn outcome(&self, path: &HostPath) -> FailedRoot {
        let shown = path.display();
        let fail = |code, message: String| Failure::new(code, message);
        let denied = || {
            fail(
                FailureCode::PermissionDenied,
                format!("`{shown}` may not be read by the user Rollcall signs in as."),
            )
            .hint("Give that user permission to read it, or sign in as its owner.")
        };
        let unreadable = |why: &str| {
            fail(
                FailureCode::NotReadable,
                format!("git cannot read the repository at `{shown}`: {why}."),
            )
        };
        FailedRoot::Failed(match self.code.as_slice() {
            b"gone" => {
                return FailedRoot::NoSuchFile {
                    mount: self.mount.clone(),
                };
            }
            b"unseen" | b"denied" if self.is_denied() => denied(),
            b"unseen" | b"denied" => fail(
                FailureCode::NotReadable,
                format!("`{shown}` cannot be looked at: {}.", first_sentence(&self.words)),
            )
            .hint("Check the disk it lies on."),
            b"file" => fail(
                FailureCode::NotAFolder,
                format!("`{shown}` is a file and not a folder."),
            )
            .hint("Register the folder it lies in."),
            b"relative" => fail(
                FailureCode::PathNotFound,
                format!("`{shown}` does not start at the root of the host."),
            )
            .hint("Give a path that starts with `/` or `~/`."),
            b"nogit" => fail(
                FailureCode::NoGit,
                format!("`{shown}` cannot be read because no git was found on its host."),
            )
            .hint("Install git there, or put it on the PATH of non-interactive logins."),
            b"hung" => fail(
                FailureCode::NotMounted,
                format!("`{shown}` cannot be looked at: {}.", first_sentence(&self.words)),
            )
            .hint("Mount it again, or wait until its server answers."),
            b"link" => unreadable("its `.git` file points nowhere")
                .hint("If its repository has moved, run `git worktree repair` in the repository."),
            b"linked" => unreadable("a linked worktree of another repository stands there now")
                .hint("Register that repository instead."),
            b"none" => unreadable("no repository is there any more")
                .hint("Release it, or restore its `.git`."),
            b"nomain" => fail(
                FailureCode::NotReadable,
                format!(
                    "The repository of `{shown}` keeps its git directory at `{}` and does not say where its \
                     main working tree is.",
                    self.words
                ),
            )
            .hint("Register its main working tree instead."),
            _ if self.words.contains("dubious ownership")
                || self.words.contains("unsafe repository") =>
            {
                fail(
                    FailureCode::DubiousOwnership,
                    format!("git refuses `{shown}` because another user owns it."),
                )
                .hint(format!(
                    "If you trust it, run on that host: git config --global --add safe.directory {}",
                    shell_word(path)
                ))
            }
            _ if self.is_denied() => denied(),
            _ if self.words.contains("extension") || self.words.contains("repo version") => {
                unreadable(&first_sentence(&self.words))
                    .hint("A newer git on that host can read it.")
            }
            _ => {
                let why = first_sentence(&self.words);
                unreadable(if why.is_empty() { "it does not say why" } else { &why })
            }
        })
    }

    fn is_denied(&self) -> bool {
        self.words.contains("Permission denied") || self.words.is_empty() && self.code == b"denied"
    }
}

/// A path as a person may paste it into a shell.
fn shell_word(path: &HostPath) -> String {
    let plain = path
        .as_bytes()
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(byte));
    if plain {
        return path.display();
    }
    let mut quoted = Vec::new();
    crate::script::quote(path.as_bytes(), &mut quoted);
    inert(&quoted)
}
