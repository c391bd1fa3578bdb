//! Programs of this machine that a person opens a workspace with. They are started by their names and words, never through
//! a shell (I18), and go on without Rollcall.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rollcall_converge::{HostPath, SshTarget};
use rollcall_registry::checked_link;

use crate::error::{ApiError, ErrorCode};
use crate::present::authority;

/// How a program is told what to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// VS Code, and what was made from it: folders of other machines by an address of their own.
    Code,
    /// Zed: folders of other machines by `ssh://`.
    Zed,
    /// Folders of this machine only.
    Local,
    /// A terminal, with what stands between it and a command, and how it is told a folder.
    Terminal(&'static [&'static str], Option<&'static str>),
    /// What the desktop opens folders with.
    Files,
}

/// A program that may be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    /// The program; also what it is called between window and back end.
    pub(crate) program: &'static str,
    /// What people call it.
    pub(crate) label: &'static str,
    kind: Kind,
}

const fn opener(program: &'static str, label: &'static str, kind: Kind) -> Opener {
    Opener {
        program,
        label,
        kind,
    }
}

/// What is looked for, the first of its kind being offered first. Of terminals one is enough.
const OPENERS: &[Opener] = &[
    opener("code", "VS Code", Kind::Code),
    opener("cursor", "Cursor", Kind::Code),
    opener("windsurf", "Windsurf", Kind::Code),
    opener("codium", "VSCodium", Kind::Code),
    opener("code-insiders", "VS Code Insiders", Kind::Code),
    opener("zed", "Zed", Kind::Zed),
    opener("zeditor", "Zed", Kind::Zed),
    opener("idea", "IntelliJ IDEA", Kind::Local),
    opener("rustrover", "RustRover", Kind::Local),
    opener("pycharm", "PyCharm", Kind::Local),
    opener("webstorm", "WebStorm", Kind::Local),
    opener("goland", "GoLand", Kind::Local),
    opener("clion", "CLion", Kind::Local),
    opener("subl", "Sublime Text", Kind::Local),
    opener(
        "gnome-terminal",
        "Terminal",
        Kind::Terminal(&["--"], Some("--working-directory")),
    ),
    opener(
        "konsole",
        "Terminal",
        Kind::Terminal(&["-e"], Some("--workdir")),
    ),
    opener(
        "kitty",
        "Terminal",
        Kind::Terminal(&[], Some("--directory")),
    ),
    opener(
        "alacritty",
        "Terminal",
        Kind::Terminal(&["-e"], Some("--working-directory")),
    ),
    opener(
        "foot",
        "Terminal",
        Kind::Terminal(&[], Some("--working-directory")),
    ),
    opener(
        "xfce4-terminal",
        "Terminal",
        Kind::Terminal(&["-x"], Some("--working-directory")),
    ),
    opener(
        "x-terminal-emulator",
        "Terminal",
        Kind::Terminal(&["-e"], None),
    ),
    opener("xterm", "Terminal", Kind::Terminal(&["-e"], None)),
    opener("xdg-open", "File manager", Kind::Files),
    opener("open", "Finder", Kind::Files),
];

fn is_there(program: &str, path: &OsStr) -> bool {
    // On Linux `open` is another program, if it is one at all.
    if program == "open" && !cfg!(target_os = "macos") {
        return false;
    }
    std::env::split_paths(path).any(|folder| is_program(&folder.join(program)))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    ["exe", "cmd"]
        .iter()
        .any(|end| file.with_extension(end).is_file())
}

/// What of [`OPENERS`] is on a `PATH`, and can open a folder of this machine or of another one.
pub(crate) fn found(path: &OsStr, remote: bool) -> Vec<Opener> {
    let mut found: Vec<Opener> = Vec::new();
    for it in OPENERS {
        let known = found.iter().any(|other| other.label == it.label);
        let too_far = remote && it.kind == Kind::Local;
        if !known && !too_far && is_there(it.program, path) {
            found.push(*it);
        }
    }
    found
}

pub(crate) fn named(program: &str) -> Option<Opener> {
    OPENERS.iter().find(|it| it.program == program).copied()
}

/// Bytes as part of an address.
fn encoded(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            write!(text, "%{byte:02X}").unwrap_or_default();
        }
    }
    text
}

/// Bytes as one word of a shell, quoted only where that is needed.
pub(crate) fn word(bytes: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._+@:=,%".contains(byte);
    let text = String::from_utf8_lossy(bytes);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return text.into_owned();
    }
    // Fish knows a quote inside of quotes only like this, too.
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The words that lead into a folder of a machine reached over SSH: `ssh` and its arguments.
pub(crate) fn ssh(target: &SshTarget, path: &HostPath) -> Vec<String> {
    let mut words = vec!["ssh".to_owned(), "-t".to_owned()];
    if let Some(user) = &target.user {
        words.extend(["-l".to_owned(), user.clone()]);
    }
    if let Some(port) = target.port {
        words.extend(["-p".to_owned(), port.to_string()]);
    }
    if let Some(file) = &target.identity_file {
        words.extend(["-i".to_owned(), file.clone()]);
    }
    words.extend(["--".to_owned(), target.destination.clone()]);
    words.push(format!("cd {} && exec $SHELL -l", word(path.as_bytes())));
    words
}

#[cfg(unix)]
fn here(path: &HostPath) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(path.as_bytes()))
}

#[cfg(not(unix))]
fn here(path: &HostPath) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path.as_bytes()).into_owned())
}

/// What to start: the program's arguments, and the folder it starts in.
fn arguments(
    opener: Opener,
    path: &HostPath,
    ssh_to: Option<&SshTarget>,
) -> Option<(Vec<OsString>, Option<PathBuf>)> {
    let folder = here(path);
    let text = |words: Vec<String>| words.into_iter().map(OsString::from).collect();
    let Some(target) = ssh_to else {
        return Some(match opener.kind {
            Kind::Terminal(_, Some(option)) => {
                let mut told = OsString::from(format!("{option}="));
                told.push(&folder);
                // Not every terminal takes an option and its value as one word.
                let words = if matches!(opener.program, "konsole" | "alacritty") {
                    vec![option.into(), folder.clone().into()]
                } else {
                    vec![told]
                };
                (words, Some(folder))
            }
            Kind::Terminal(_, None) => (Vec::new(), Some(folder)),
            _ => (vec![folder.into()], None),
        });
    };
    let at = authority(target);
    let encoded = encoded(path.as_bytes());
    Some(match opener.kind {
        Kind::Code => {
            let uri = format!("vscode-remote://ssh-remote+{at}{encoded}");
            (text(vec!["--folder-uri".to_owned(), uri]), None)
        }
        Kind::Zed => (text(vec![format!("ssh://{at}{encoded}")]), None),
        Kind::Terminal(before, _) => {
            let words = before
                .iter()
                .map(|it| (*it).to_owned())
                .chain(ssh(target, path));
            (text(words.collect()), None)
        }
        Kind::Files => (text(vec![format!("sftp://{at}{encoded}")]), None),
        Kind::Local => return None,
    })
}

/// Opens a folder with a program, which goes on by itself.
pub(crate) fn open(
    opener: Opener,
    path: &HostPath,
    ssh_to: Option<&SshTarget>,
) -> Result<(), ApiError> {
    let Some((words, folder)) = arguments(opener, path, ssh_to) else {
        let words = format!("{} opens folders of this machine only.", opener.label);
        return Err(
            ApiError::new(ErrorCode::Unsupported, words).hint("Open it with another program.")
        );
    };
    if let Some(folder) = folder.as_ref().filter(|it| !it.is_dir()) {
        let words = format!("There is no folder `{}`.", folder.display());
        return Err(ApiError::new(ErrorCode::PathNotFound, words).hint("Sync this machine."));
    }
    start(opener.program, &words, folder.as_deref())
}

/// Opens an address of the web, and nothing else, with what the person browses it with.
pub(crate) fn browse(page: &str) -> Result<(), ApiError> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let page = checked_link(page)?.ok_or_else(|| {
        ApiError::new(ErrorCode::InvalidInput, "There is no address to open.")
            .hint("Give one that begins with `https://`.")
    })?;
    start(program, &[page.into()], None)
}

fn start(program: &str, words: &[OsString], folder: Option<&Path>) -> Result<(), ApiError> {
    let mut command = Command::new(program);
    command
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    // It does not end with Rollcall.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().map_err(|error| {
        let words = format!("`{program}` cannot be started: {error}.");
        ApiError::new(ErrorCode::Unsupported, words).hint("Check that it is installed.")
    })?;
    // Somebody has to take notice of its end.
    std::thread::spawn(move || {
        let mut child = child;
        if let Err(error) = child.wait() {
            tracing::debug!(%error, "the end of a program was not noticed");
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> SshTarget {
        SshTarget {
            destination: "build-box".to_owned(),
            user: Some("ada".to_owned()),
            port: Some(2222),
            ..SshTarget::default()
        }
    }

    fn said(program: &str, path: &str, remote: bool) -> Vec<String> {
        let target = target();
        let opener = named(program).unwrap();
        let (words, _) =
            arguments(opener, &HostPath::new(path), remote.then_some(&target)).unwrap();
        words
            .into_iter()
            .map(|it| it.into_string().unwrap())
            .collect()
    }

    #[test]
    fn each_program_is_told_what_to_open_in_its_own_words() {
        let odd = "/w/it's a $(tree)";
        assert_eq!(said("code", odd, false), [odd]);
        assert_eq!(
            said("code", odd, true),
            [
                "--folder-uri",
                "vscode-remote://ssh-remote+ada@build-box:2222/w/it%27s%20a%20%24%28tree%29"
            ]
        );
        assert_eq!(
            said("zed", odd, true),
            ["ssh://ada@build-box:2222/w/it%27s%20a%20%24%28tree%29"]
        );
        assert_eq!(
            said("xdg-open", "/w/a", true),
            ["sftp://ada@build-box:2222/w/a"]
        );
        assert_eq!(
            said("gnome-terminal", "/w/a", false),
            ["--working-directory=/w/a"]
        );
        assert_eq!(
            said("xterm", odd, true),
            [
                "-e",
                "ssh",
                "-t",
                "-l",
                "ada",
                "-p",
                "2222",
                "--",
                "build-box",
                r"cd '/w/it'\''s a $(tree)' && exec $SHELL -l"
            ]
        );
        assert!(
            arguments(
                named("idea").unwrap(),
                &HostPath::new("/w"),
                Some(&target())
            )
            .is_none()
        );
    }

    #[test]
    fn only_what_is_on_the_path_is_offered_and_each_label_once() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, mode| {
            use std::os::unix::fs::PermissionsExt as _;
            let file = folder.path().join(name);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        for (name, mode) in [
            ("code", 0o755),
            ("cursor", 0o644),
            ("idea", 0o755),
            ("kitty", 0o755),
            ("xterm", 0o755),
            ("open", 0o755),
        ] {
            program(name, mode);
        }
        let offered = |remote| -> Vec<_> {
            found(folder.path().as_os_str(), remote)
                .iter()
                .map(|it| it.program)
                .collect()
        };
        assert_eq!(offered(false), ["code", "idea", "kitty"]);
        assert_eq!(offered(true), ["code", "kitty"]);
    }

    #[test]
    fn a_program_is_started_in_the_folder_with_its_words_as_they_are_and_one_that_is_not_there_says_so()
     {
        let folder = tempfile::tempdir().unwrap();
        let words = ["$(id)".into(), "a b".into()];
        let said = folder.path().join("said");
        // It is complete once it has its name.
        let script = "printf '%s\\n' \"$PWD\" \"$@\" >said.part; mv said.part said";
        let all: Vec<OsString> = ["-c", script, "sh"]
            .into_iter()
            .map(OsString::from)
            .chain(words)
            .collect();
        start("sh", &all, Some(folder.path())).unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !said.exists() {
            assert!(std::time::Instant::now() < deadline, "it was not started");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let real = folder.path().canonicalize().unwrap();
        assert_eq!(
            std::fs::read_to_string(said).unwrap(),
            format!("{}\n$(id)\na b\n", real.display())
        );
        let error = start("rollcall-no-such-program", &[], None).unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported);
        let gone = HostPath::new("/nowhere/at/all");
        let error = open(named("xterm").unwrap(), &gone, None).unwrap_err();
        assert_eq!(error.code, ErrorCode::PathNotFound);
    }

    #[test]
    fn i18_what_is_copied_is_one_word_of_a_shell() {
        assert_eq!(word(b"/w/atlas"), "/w/atlas");
        assert_eq!(word(b""), "''");
        assert_eq!(word(b"/w/a b"), "'/w/a b'");
        assert_eq!(word(b"/w/$(id)'"), r"'/w/$(id)'\'''");
        for bad in [
            "",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://",
            "https://a b",
            "--help",
        ] {
            assert_eq!(browse(bad).unwrap_err().code, ErrorCode::InvalidInput);
        }
    }
}
