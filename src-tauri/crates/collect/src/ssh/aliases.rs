//! The aliases a person may add as hosts, read from the ssh configuration.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::known_hosts::glob;

/// Files that are read at most.
const FILES: usize = 64;
/// Bytes of one file that are read at most.
const BYTES: u64 = 1 << 20;
/// How deep files include others.
const DEPTH: usize = 16;

/// An alias of the ssh configuration, as far as it is written there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshAlias {
    /// The alias.
    pub alias: String,
    /// Its `HostName`.
    pub host_name: Option<String>,
    /// Its `User`.
    pub user: Option<String>,
    /// Its `Port`.
    pub port: Option<u16>,
}

/// The aliases of one configuration file and what it includes, or of the person's and the system's.
pub(crate) fn aliases(config: Option<&Path>) -> Vec<SshAlias> {
    let home = std::env::home_dir();
    let files = match config {
        Some(config) => vec![config.to_path_buf()],
        None => home
            .iter()
            .map(|home| home.join(".ssh/config"))
            .chain([PathBuf::from("/etc/ssh/ssh_config")])
            .collect(),
    };
    let mut reader = Reader {
        home,
        seen: HashSet::new(),
        aliases: Vec::new(),
        block: Vec::new(),
        odd: None,
    };
    for file in files {
        reader.block.clear();
        reader.file(&file, 0);
    }
    reader.aliases
}

/// What stands in one configuration file, or in what it includes, that only `ssh` itself can make sense of.
pub(crate) fn odd(config: &Path) -> Option<String> {
    let mut reader = Reader {
        home: std::env::home_dir(),
        seen: HashSet::new(),
        aliases: Vec::new(),
        block: Vec::new(),
        odd: None,
    };
    reader.file(config, 0);
    reader.odd
}

struct Reader {
    home: Option<PathBuf>,
    seen: HashSet<PathBuf>,
    aliases: Vec<SshAlias>,
    /// Positions of the aliases that lines now belong to.
    block: Vec<usize>,
    /// What only `ssh` itself can make sense of.
    odd: Option<String>,
}

impl Reader {
    fn file(&mut self, path: &Path, depth: usize) {
        let small = fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= BYTES);
        if depth > DEPTH || self.seen.contains(path) {
            self.odd = Some(format!("`{}` includes itself", path.display()));
        }
        if depth > DEPTH
            || self.seen.len() >= FILES
            || !small
            || !self.seen.insert(path.to_path_buf())
        {
            return;
        }
        let Ok(bytes) = fs::read(path) else { return };
        for line in String::from_utf8_lossy(&bytes).lines() {
            self.line(line, path, depth);
        }
    }

    fn line(&mut self, line: &str, path: &Path, depth: usize) {
        let words = words(line);
        let Some((key, values)) = words.split_first() else {
            return;
        };
        match key.to_ascii_lowercase().as_str() {
            "host" => {
                self.block.clear();
                for value in values {
                    if value.is_empty() || value.starts_with('-') || value.contains(['*', '?', '!'])
                    {
                        continue;
                    }
                    let known = self.aliases.iter().position(|it| it.alias == *value);
                    self.block.push(known.unwrap_or(self.aliases.len()));
                    if known.is_none() {
                        self.aliases.push(SshAlias {
                            alias: value.clone(),
                            ..SshAlias::default()
                        });
                    }
                }
            }
            "match" => {
                self.block.clear();
                self.odd = Some(format!("`{}` has a `Match`", path.display()));
            }
            "include" => {
                let block = self.block.clone();
                for value in values {
                    for file in self.included(value, path) {
                        self.block.clone_from(&block);
                        self.file(&file, depth + 1);
                    }
                }
                self.block = block;
            }
            key @ ("hostname" | "user" | "port") => {
                let Some(value) = values.first() else { return };
                for at in &self.block {
                    let Some(alias) = self.aliases.get_mut(*at) else {
                        continue;
                    };
                    // The first value wins, as in ssh.
                    match key {
                        "hostname" => {
                            alias.host_name.get_or_insert_with(|| value.clone());
                        }
                        "user" => {
                            alias.user.get_or_insert_with(|| value.clone());
                        }
                        _ => alias.port = alias.port.or_else(|| value.parse().ok()),
                    }
                }
            }
            _ => {}
        }
    }

    /// The files of an `Include`: relative ones lie beside the person's configuration.
    fn included(&self, value: &str, from: &Path) -> Vec<PathBuf> {
        let mut path = PathBuf::from(value);
        if let Some(rest) = value.strip_prefix("~/") {
            let Some(home) = &self.home else {
                return Vec::new();
            };
            path = home.join(rest);
        } else if path.is_relative() {
            let system = from.starts_with("/etc/ssh");
            path = match &self.home {
                Some(home) if !system => home.join(".ssh").join(value),
                _ => Path::new("/etc/ssh").join(value),
            };
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Vec::new();
        };
        let name = name.to_string_lossy();
        if !name.contains(['*', '?']) {
            return vec![path];
        }
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut files: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .filter(|entry| {
                let found = entry.file_name();
                let found = found.to_string_lossy();
                !found.starts_with('.') && glob(&name, &found)
            })
            .map(|entry| entry.path())
            .collect();
        files.sort();
        files
    }
}

/// The words of a line: keyword, then values; quotes keep blanks together, `=` may follow the keyword.
fn words(line: &str) -> Vec<String> {
    let line = line.trim();
    if line.starts_with('#') {
        return Vec::new();
    }
    let end = line
        .find(|it: char| it.is_whitespace() || it == '=')
        .unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    let mut words = vec![key.to_owned()];
    let (mut word, mut quoted, mut begun) = (String::new(), false, false);
    for character in rest.chars() {
        match character {
            '"' => {
                quoted = !quoted;
                begun = true;
            }
            it if it.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            '#' if !begun => break,
            it => {
                word.push(it);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b10_rb23_includes_are_followed_and_wildcards_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("conf.d")).unwrap();
        fs::write(
            at("config"),
            format!(
                "# comment\nHost one two *.corp !bad -oProxyCommand=x\n  HostName = one.example\n\tUSER ada\nPort 2222\n\
                 HostName later.example\nInclude \"{0}/conf.d/*\" {0}/config\nMatch exec \"sleep 100\"\n  User eve\n",
                folder.path().display()
            ),
        )
        .unwrap();
        fs::write(
            at("conf.d/10"),
            "Host \"three\"\nPort 70000\nUser bob # comment\n",
        )
        .unwrap();
        fs::write(at("conf.d/.hidden"), "Host four\n").unwrap();
        let found = aliases(Some(&at("config")));
        let one = SshAlias {
            alias: "one".into(),
            host_name: Some("one.example".into()),
            user: Some("ada".into()),
            port: Some(2222),
        };
        let two = SshAlias {
            alias: "two".into(),
            ..one.clone()
        };
        let three = SshAlias {
            alias: "three".into(),
            user: Some("bob".into()),
            ..SshAlias::default()
        };
        assert_eq!(found, [one, two, three]);
    }

    #[test]
    fn a_configuration_that_is_not_there_has_no_aliases() {
        assert_eq!(aliases(Some(Path::new("/no/such/file"))), []);
    }
}
