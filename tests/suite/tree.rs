//! The files of the project, as git lists them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Every file that belongs to the project, by its path from the root. New ones count before they are committed.
pub(crate) fn files() -> Vec<String> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "the project is a checkout of git");
    let names = String::from_utf8(output.stdout).unwrap();
    let mut files: Vec<String> = names
        .split_terminator('\0')
        .filter(|name| root().join(name).is_file())
        .map(str::to_owned)
        .collect();
    files.sort();
    assert!(files.len() > 100, "{files:?}");
    files
}

/// The text of a file of the project; empty if it is none.
pub(crate) fn text(file: &str) -> String {
    let bytes = fs::read(root().join(file)).unwrap();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Every source file below some folders, with its text.
pub(crate) fn sources(folders: &[&str], endings: &[&str]) -> Vec<(String, String)> {
    let found: Vec<_> = files()
        .into_iter()
        .filter(|file| folders.iter().any(|folder| file.starts_with(folder)))
        .filter(|file| endings.iter().any(|ending| file.ends_with(ending)))
        .map(|file| {
            let text = text(&file);
            (file, text)
        })
        .collect();
    assert!(
        !found.is_empty(),
        "nothing ends with {endings:?} in {folders:?}"
    );
    found
}

/// Lines that a rule does not like, as `file:line: text`.
pub(crate) fn lines_that(
    sources: &[(String, String)],
    mut offends: impl FnMut(&str, &str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in sources {
        for (number, line) in text.lines().enumerate() {
            if offends(file, line) {
                found.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    found
}
