//! What the facts tier told, as facts.

use std::collections::HashMap;

use jiff::Timestamp;
use rollcall_converge::{
    Changes, Distance, Facts, FactsOutcome, Head, HostPath, LastCommit, Operation, Progress,
    RefName, Traits, Unpushed, Upstream, inert,
};

use super::unpushed::Graph;
use super::{Objects, RootRead};
use crate::cursor::{Unreadable, digits};
use crate::listing::hexadecimal;

/// What the collector said of one working tree.
pub(super) struct Told {
    pub(super) code: usize,
    staged: u32,
    unstaged: u32,
    untracked: u32,
    conflicted: u32,
    /// The commit that `status` saw.
    commit: Option<String>,
    upstream: Vec<u8>,
    ahead: Option<u32>,
    behind: Option<u32>,
    operation: Option<Operation>,
    progress: Progress,
    newest: Option<i64>,
    sparse: bool,
    index_locked: bool,
    doubt: String,
}

impl Told {
    /// Reads one line, whose parts are: the number of the working tree, the exit code of its status, and what that told.
    pub(super) fn read(line: &[u8]) -> Result<(usize, Self), Unreadable> {
        let bad = || Unreadable::Record(inert(line));
        let parts: Vec<&[u8]> = line.split(|byte| *byte == PART).collect();
        let &[
            id,
            code,
            staged,
            unstaged,
            untracked,
            conflicted,
            commit,
            upstream,
            ahead,
            behind,
            operation,
            branch,
            step,
            of,
            newest,
            sparse,
            locked,
            doubt,
        ] = parts.as_slice()
        else {
            return Err(bad());
        };
        let count = |field| digits(field).ok_or_else(bad);
        let operation = match operation {
            b"rebase" => Some(Operation::Rebase),
            b"am" => Some(Operation::Am),
            b"merge" => Some(Operation::Merge),
            b"cherry-pick" => Some(Operation::CherryPick),
            b"revert" => Some(Operation::Revert),
            b"bisect" => Some(Operation::Bisect),
            b"" => None,
            other => return Err(Unreadable::Record(inert(other))),
        };
        let told = Self {
            code: digits(code).ok_or_else(bad)?,
            staged: count(staged)?,
            unstaged: count(unstaged)?,
            untracked: count(untracked)?,
            conflicted: count(conflicted)?,
            commit: hexadecimal(commit),
            upstream: upstream.to_vec(),
            ahead: digits(ahead),
            behind: digits(behind),
            operation,
            progress: Progress {
                branch: branch
                    .starts_with(b"refs/heads/")
                    .then(|| RefName::new(branch)),
                step: digits(step).zip(digits(of)),
            },
            newest: digits(newest),
            sparse: sparse == b"y",
            index_locked: locked == b"y",
            doubt: inert(doubt),
        };
        Ok((digits(id).ok_or_else(bad)?, told))
    }
}

/// One branch, as `for-each-ref` told it.
struct Branch {
    /// Its place among all of them.
    at: usize,
    commit: Option<String>,
    upstream: Vec<u8>,
    last: Option<LastCommit>,
    /// Ahead and behind of the base.
    apart: Option<(u32, u32)>,
}

/// What is known of a repository as a whole.
pub(super) struct Repository<'a> {
    root: &'a RootRead<'a>,
    /// Why its branches could not be told.
    unknown: Option<String>,
    branches: HashMap<&'a [u8], Branch>,
    /// The branch that others are merged into, and its commit.
    base: Option<(RefName, String)>,
    /// The messages of its stash; `None` where not observed.
    stashes: Option<Vec<&'a [u8]>>,
    graph: Option<Graph>,
    settings: Vec<(&'a [u8], &'a [u8])>,
}

/// What separates the parts of a line.
const PART: u8 = 1;

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
}

impl<'a> Repository<'a> {
    /// Reads what was told about the repository of the root at this place in the question.
    pub(super) fn read(at: usize, root: &'a RootRead<'a>, objects: &'a Objects<'a>) -> Self {
        let mut read = Self {
            root,
            unknown: None,
            branches: HashMap::new(),
            base: None,
            stashes: None,
            graph: None,
            settings: Vec::new(),
        };
        let listed = match objects.piece(at, b"branches") {
            Ok(listed) => listed,
            Err(reason) => {
                read.unknown = Some(reason);
                return read;
            }
        };
        read.take_branches(listed);
        let settings = objects.piece(at, b"settings").unwrap_or_default();
        for line in lines(settings) {
            let end = line.iter().position(|byte| *byte == PART);
            let (key, value) = line.split_at(end.unwrap_or(line.len()));
            read.settings
                .push((key, value.get(1..).unwrap_or_default()));
        }
        read.stashes = match objects.piece(at, b"stashes") {
            // What is in the list of a stash that is not there any more is nothing.
            Ok(_) if !read.branches.contains_key(b"refs/stash".as_slice()) => Some(Vec::new()),
            Ok(messages) => Some(lines(messages).collect()).filter(|all: &Vec<_>| !all.is_empty()),
            Err(_) => None,
        };
        if let Ok(commits) = objects.piece(at, b"unpushed") {
            let mut tips: Vec<_> = read
                .branches
                .iter()
                .filter(|(name, _)| name.starts_with(b"refs/heads/"))
                .collect();
            tips.sort_unstable_by_key(|(_, branch)| branch.at);
            let tips = tips
                .iter()
                .map(|(_, branch)| branch.commit.as_deref().unwrap_or_default());
            read.graph = Some(Graph::read(commits, tips));
        }
        read
    }

    fn take_branches(&mut self, listed: &'a [u8]) {
        let wanted = self.root.base;
        let mut heads = 0;
        for line in lines(listed) {
            let mut parts = line.split(|byte| *byte == PART);
            let mut next = || parts.next().unwrap_or_default();
            let (name, commit, upstream, symref) = (next(), hexadecimal(next()), next(), next());
            if !name.starts_with(b"refs/") {
                continue;
            }
            let (time, author, subject) = (next(), next(), next());
            let apart = next();
            if name == wanted
                && let Some(commit) = &commit
            {
                let base = if symref.is_empty() { name } else { symref };
                self.base = Some((RefName::new(base), commit.clone()));
            }
            let is_branch = name.starts_with(b"refs/heads/");
            let branch = Branch {
                at: heads,
                commit,
                upstream: upstream.to_vec(),
                last: last_commit(time, author, subject),
                apart: pair(apart),
            };
            if self.branches.insert(name, branch).is_none() && is_branch {
                heads += 1;
            }
        }
    }

    fn setting(&self, key: &[u8]) -> Option<&'a [u8]> {
        let mut found = self.settings.iter().rev();
        found.find(|(it, _)| *it == key).map(|(_, value)| *value)
    }

    /// The facts of a working tree whose HEAD is as listed.
    pub(super) fn facts(
        &self,
        id: usize,
        told: &Told,
        head: &Head,
        objects: &Objects<'_>,
        linked: bool,
    ) -> FactsOutcome {
        let unknown = |reason: &str| FactsOutcome::Unknown {
            reason: reason.to_owned(),
        };
        if told.code != 0 {
            return unknown(if told.doubt.is_empty() {
                "git status failed"
            } else {
                &told.doubt
            });
        }
        if let Some(reason) = &self.unknown {
            return unknown(reason);
        }
        let changes = if told.doubt.is_empty() {
            Changes::Counted {
                staged: told.staged,
                unstaged: told.unstaged,
                untracked: told.untracked,
                conflicted: told.conflicted,
            }
        } else {
            Changes::Unknown {
                reason: told.doubt.clone(),
            }
        };
        let branch = self.branch_of(head);
        let mut facts = Facts::new(
            self.upstream(told, head, branch),
            self.unpushed(id, told, head, branch, objects),
            changes,
        );
        facts.operation = told.operation;
        facts.progress = told.progress.clone();
        facts.last_commit = match branch {
            Some(branch) => branch.last.clone(),
            None => detached_commit(id, objects),
        };
        facts.distance = branch.and_then(|branch| {
            let (base, commit) = self.base.as_ref()?;
            let (ahead, behind) = branch.apart?;
            Some(Distance {
                base: base.clone(),
                commit: commit.clone(),
                ahead,
                behind,
            })
        });
        let noted = objects.activity.get(&id).copied();
        let newest = noted.max(told.newest);
        facts.last_activity = newest.and_then(|at| Timestamp::from_second(at).ok());
        self.describe(&mut facts, head);
        let apart = self.setting(b"extensions.worktreeconfig").is_some() && linked;
        facts.traits.sparse = told.sparse
            || !apart
                && self
                    .setting(b"core.sparsecheckout")
                    .is_some_and(|it| it.eq_ignore_ascii_case(b"true"));
        facts.traits.index_locked = told.index_locked;
        FactsOutcome::Observed(facts)
    }

    /// The facts of a bare repository, which has nothing to look at but itself.
    pub(super) fn bare(&self) -> FactsOutcome {
        if let Some(reason) = &self.unknown {
            return FactsOutcome::Unknown {
                reason: reason.clone(),
            };
        }
        let unpushed = if self.root.remotes {
            Unpushed::Unknown {
                reason: "a bare repository has no HEAD of its own to compare".to_owned(),
            }
        } else {
            Unpushed::NoRemote
        };
        let nothing = Changes::Counted {
            staged: 0,
            unstaged: 0,
            untracked: 0,
            conflicted: 0,
        };
        let mut facts = Facts::new(Upstream::None, unpushed, nothing);
        self.describe(&mut facts, &Head::None);
        FactsOutcome::Observed(facts)
    }

    /// What is the same for every working tree, but for the branch whose stash entries count.
    fn describe(&self, facts: &mut Facts, head: &Head) {
        facts.stashes = self.stashes.as_ref().map(|all| number(all.len()));
        facts.stashes_here = self.stashes.as_ref().map(|all| match head {
            Head::Branch { name, .. } => {
                let short = name.as_bytes().strip_prefix(b"refs/heads/");
                let short = short.unwrap_or(name.as_bytes());
                number(all.iter().filter(|it| is_made_on(it, short)).count())
            }
            _ => 0,
        });
        facts.origin = self.origin();
        let extension = |(key, _): &(&[u8], &[u8])| {
            let name = key.strip_prefix(b"extensions.")?;
            Some(inert(name))
        };
        let promised = |(key, value): &(&[u8], &[u8])| {
            key.starts_with(b"remote.") && key.ends_with(b".promisor") && *value == b"true"
        };
        let borrowed = |line: &[u8]| line.starts_with(b"/").then(|| HostPath::new(line));
        facts.traits = Traits {
            sparse: false,
            shallow: self.root.shallow,
            partial: self.settings.iter().any(promised),
            lfs: self.root.lfs,
            index_locked: false,
            extensions: self.settings.iter().filter_map(extension).collect(),
            borrows: lines(self.root.borrows).filter_map(borrowed).collect(),
        };
    }

    fn origin(&self) -> Option<String> {
        let url = self.setting(b"remote.origin.url").or_else(|| {
            let mut all = self.settings.iter();
            all.find(|(key, _)| key.starts_with(b"remote.") && key.ends_with(b".url"))
                .map(|(_, url)| *url)
        })?;
        origin(&inert(url))
    }

    fn branch_of(&self, head: &Head) -> Option<&Branch> {
        match head {
            Head::Branch { name, .. } => self.branches.get(name.as_bytes()),
            _ => None,
        }
    }

    fn unpushed(
        &self,
        id: usize,
        told: &Told,
        head: &Head,
        branch: Option<&Branch>,
        objects: &Objects<'_>,
    ) -> Unpushed {
        let unknown = |reason: &str| Unpushed::Unknown {
            reason: reason.to_owned(),
        };
        if !self.root.remotes {
            return Unpushed::NoRemote;
        }
        let commit = match head {
            Head::Unborn { .. } => {
                return Unpushed::Commits {
                    count: 0,
                    shared: Some(0),
                };
            }
            Head::Branch { commit, .. } | Head::Detached { commit } => commit,
            Head::None => return unknown("git cannot read its HEAD"),
        };
        // Several calls told this. It fits together only if they saw the same commit.
        let tip = branch.map_or(Some(commit), |branch| branch.commit.as_ref());
        if told.commit.as_ref() != Some(commit) || tip != Some(commit) {
            return unknown("it changed while it was being read");
        }
        if let Some(graph) = &self.graph {
            let (count, shared) = graph.count(commit, branch.map(|branch| branch.at));
            return Unpushed::Commits {
                count,
                shared: Some(shared),
            };
        }
        match objects
            .piece(id, b"alone")
            .map(|it| digits(it.trim_ascii()))
        {
            Ok(Some(count)) => Unpushed::Commits {
                count,
                shared: None,
            },
            Ok(None) => unknown("git could not count the commits"),
            Err(reason) => unknown(&reason),
        }
    }

    fn upstream(&self, told: &Told, head: &Head, branch: Option<&Branch>) -> Upstream {
        let (name, short) = match head {
            Head::Branch { name, .. } => {
                let full = branch.map(|branch| branch.upstream.clone());
                (full.unwrap_or_default(), name.as_bytes())
            }
            // A branch without commits is in no list of branches: what status shows is the short name.
            Head::Unborn { name: Some(name) } if !told.upstream.is_empty() => {
                let full = [b"refs/remotes/", told.upstream.as_slice()].concat();
                (full, name.as_bytes())
            }
            _ => return Upstream::None,
        };
        if name.is_empty() {
            return self.configured(short);
        }
        let local = name.starts_with(b"refs/heads/");
        let name = RefName::new(name);
        match (told.ahead, told.behind) {
            (Some(ahead), Some(behind)) if local => Upstream::Local {
                name,
                ahead,
                behind,
            },
            (Some(ahead), Some(behind)) => Upstream::Remote {
                name,
                ahead,
                behind,
            },
            // A missing count is never "in step".
            _ => Upstream::Gone { name },
        }
    }

    /// What a branch follows that git does not tell: nothing, or a branch of a remote that is not there.
    fn configured(&self, branch: &[u8]) -> Upstream {
        let short = branch.strip_prefix(b"refs/heads/").unwrap_or(branch);
        let key = |what: &[u8]| [b"branch.", short, what].concat();
        let merge = self.setting(&key(b".merge"));
        match self.setting(&key(b".remote")) {
            Some(remote) if merge.is_some() && remote != b"." => {
                let url = [b"remote.", remote, b".url"].concat();
                if self.setting(&url).is_some() {
                    return Upstream::None;
                }
                Upstream::NoSuchRemote {
                    remote: inert(remote),
                }
            }
            _ => Upstream::None,
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Whether a message in the stash's list says that the entry was made on this branch.
fn is_made_on(message: &[u8], branch: &[u8]) -> bool {
    let rest = message
        .strip_prefix(b"WIP on ")
        .or_else(|| message.strip_prefix(b"On "));
    rest.and_then(|rest| rest.strip_prefix(branch))
        .is_some_and(|rest| rest.starts_with(b": "))
}

/// `ahead behind`.
fn pair(part: &[u8]) -> Option<(u32, u32)> {
    let blank = part.iter().position(|byte| *byte == b' ')?;
    let (ahead, behind) = part.split_at(blank);
    digits(ahead).zip(digits(behind.get(1..)?))
}

pub(super) fn last_commit(time: &[u8], author: &[u8], subject: &[u8]) -> Option<LastCommit> {
    // Before 1970 there is a minus.
    let seconds: i64 = std::str::from_utf8(time).ok()?.parse().ok()?;
    Some(LastCommit {
        time: Timestamp::from_second(seconds).ok()?,
        subject: inert(subject.get(..subject.len().min(1000)).unwrap_or_default()),
        author: inert(author.get(..author.len().min(300)).unwrap_or_default()),
    })
}

/// The commit of a detached HEAD: a line that names it, then time, author and subject.
fn detached_commit(id: usize, objects: &Objects<'_>) -> Option<LastCommit> {
    let text = objects.piece(id, b"commit").ok()?;
    let line = lines(text).find(|line| line.contains(&PART))?;
    let mut parts = line.splitn(3, |byte| *byte == PART);
    let mut next = || parts.next().unwrap_or_default();
    last_commit(next(), next(), next())
}

/// What clones of one origin have in common, whichever way they reach it: host and path, without protocol, user,
/// password, port and the `.git` at its end. A path on the host itself stays a path.
pub(super) fn origin(url: &str) -> Option<String> {
    let url = url.trim();
    let (host, path) = if let Some((protocol, rest)) = url.split_once("://") {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = authority.rsplit('@').next().unwrap_or_default();
        // An address of version 6 stands in brackets and has colons of its own.
        let host = match host.rfind(']') {
            Some(end) => host.get(..=end).unwrap_or(host),
            None => host.split(':').next().unwrap_or_default(),
        };
        if protocol.eq_ignore_ascii_case("file") {
            ("", format!("/{path}"))
        } else {
            (host, path.to_owned())
        }
    } else if let Some((host, path)) = url
        .split_once(':')
        .filter(|(host, _)| !host.contains('/') && !host.is_empty())
    {
        (host.rsplit('@').next().unwrap_or_default(), path.to_owned())
    } else {
        ("", url.to_owned())
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = path.trim_end_matches('/');
    if host.is_empty() {
        return path.starts_with('/').then(|| path.to_owned());
    }
    let path = path.trim_start_matches('/');
    (!path.is_empty()).then(|| format!("{}/{path}", host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a33_clones_of_one_origin_say_the_same_whichever_way_they_reach_it() {
        for url in [
            "git@example.org:team/tool.git",
            "ssh://git@Example.org:2222/team/tool.git",
            "https://ada:secret@example.org/team/tool/",
            "https://example.org/team/tool",
            "example.org:team/tool",
            "git://example.org/team/tool.git/",
        ] {
            assert_eq!(
                origin(url).as_deref(),
                Some("example.org/team/tool"),
                "{url}"
            );
        }
        for (url, name) in [
            ("/srv/git/tool.git", Some("/srv/git/tool")),
            ("file:///srv/git/tool.git", Some("/srv/git/tool")),
            ("ssh://[::1]:22/srv/tool", Some("[::1]/srv/tool")),
            ("../beside", None),
            ("", None),
            ("https://example.org", None),
        ] {
            assert_eq!(origin(url).as_deref(), name, "{url}");
        }
    }

    #[test]
    fn a25_a_stash_entry_belongs_to_the_branch_its_message_names() {
        assert!(is_made_on(b"WIP on a: 1234 x", b"a"));
        assert!(is_made_on(b"On feature/a: words: more", b"feature/a"));
        assert!(!is_made_on(b"On a-b: words", b"a"));
        assert!(!is_made_on(b"On (no branch): words", b"a"));
    }
}
