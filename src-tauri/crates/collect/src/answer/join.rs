//! git's list of worktrees and what lies in the administrative directories, brought together.

use std::collections::{HashMap, HashSet};

use rollcall_converge::{
    AdminName, Assertion, Existence, FactsOutcome, FailureCode, Head, HostPath, Standing, Tier,
    Unread, WorkspaceKind,
};

use super::facts::Repository;
use super::{Entry, Main, Objects, RootRead};
use crate::listing::{self, Listed};

/// The workspaces of a root, and its records that cannot be read.
pub(super) type Told = (Vec<Assertion>, Vec<Unread>);

/// The workspaces of a root that was told whole, and its records that cannot be read; or why it cannot be used.
pub(super) fn workspaces(
    at: usize,
    root: &RootRead<'_>,
    objects: &Objects<'_>,
    tier: Tier,
    claimed: usize,
) -> Result<Told, (FailureCode, &'static str)> {
    let malformed = |words| (FailureCode::Malformed, words);
    let late = (
        FailureCode::TimedOut,
        "could not be told whole within the time limit",
    );
    if let Some((id, path)) = &root.directory {
        let own = Assertion {
            kind: WorkspaceKind::Directory,
            path: path.clone(),
            generation: objects.generations.get(id).copied(),
            mount: objects.mounts.get(id).cloned(),
            standing: Standing::There,
            existence: Existence {
                bare: false,
                admin_name: None,
                common_dir: None,
                head: Head::None,
                locked: None,
            },
            facts: FactsOutcome::NotAsked,
        };
        return Ok((vec![own], Vec::new()));
    }
    let main = root
        .main
        .as_ref()
        .ok_or_else(|| malformed("was told without its place"))?;
    let listed = objects.piece(at, b"list").map_err(|_| late)?;
    if root.entries.len() + 1 != claimed {
        return Err(late);
    }
    let nul = root.exact;
    let listed = listing::parse(listed, nul);
    let Some((first, rest)) = listed.split_first() else {
        return Err(malformed("was told with an empty list of worktrees"));
    };
    let common = main.common.as_bytes();
    let stripped = common.strip_suffix(b"/.git").unwrap_or(common);
    if nul
        && ![common, stripped, main.top.as_bytes()]
            .iter()
            .any(|path| listing::broken(path) == listing::broken(&first.path))
    {
        return Err(malformed("is answered for by another repository"));
    }

    let repository = (tier == Tier::Facts).then(|| Repository::read(at, root, objects));
    let repository = repository.as_ref();
    let mut assertions = vec![main_workspace(main, first, objects, repository)];
    let mut unread = Vec::new();
    let joined = Joined::of(rest, &root.entries, nul);
    if joined.left_over {
        return Err(malformed("changed while it was being read"));
    }
    for (entry, matched) in root.entries.iter().zip(joined.matches) {
        match matched {
            Ok((head, record)) => {
                assertions.push(worktree(main, entry, head, record, objects, repository));
            }
            Err(reason) => unread.push(Unread {
                admin_name: AdminName::new(entry.name.clone()),
                reason,
            }),
        }
    }
    Ok((assertions, unread))
}

fn main_workspace(
    main: &Main,
    record: &Listed,
    objects: &Objects<'_>,
    repository: Option<&Repository<'_>>,
) -> Assertion {
    // What has an index was checked out, and is bare by a stray setting only.
    let bare = !main.tree || record.bare && !main.used;
    // Of a bare repository the list says nothing about HEAD.
    let head = record.head.clone();
    let facts = match (repository, objects.facts.get(&main.id)) {
        (None, _) => FactsOutcome::NotAsked,
        (Some(repository), _) if bare => repository.bare(),
        (Some(_), Some(told)) if told.code != 0 && record.bare => FactsOutcome::Unknown {
            reason:
                "its configuration says that it is bare (core.bare), and it has been checked out"
                    .to_owned(),
        },
        (Some(repository), Some(told)) => repository.facts(main.id, told, &head, objects, false),
        (Some(_), None) => too_late(),
    };
    Assertion {
        kind: WorkspaceKind::Repository,
        path: main.top.clone(),
        generation: objects.generations.get(&main.id).copied(),
        mount: objects.mounts.get(&main.id).cloned(),
        standing: Standing::There,
        existence: Existence {
            bare,
            admin_name: None,
            common_dir: Some(main.common.clone()),
            head,
            locked: None,
        },
        facts,
    }
}

fn too_late() -> FactsOutcome {
    FactsOutcome::Unknown {
        reason: "git did not answer within the time limit".to_owned(),
    }
}

fn worktree(
    main: &Main,
    entry: &Entry,
    head: Head,
    record: &Listed,
    objects: &Objects<'_>,
    repository: Option<&Repository<'_>>,
) -> Assertion {
    let standing = match entry.state.as_slice() {
        b"there" => Standing::There,
        b"gone" if entry.locked || record.locked => Standing::Away,
        b"gone" => Standing::Prunable {
            reason: record
                .prunable
                .clone()
                .filter(|reason| !reason.is_empty())
                .unwrap_or_else(|| "its folder is gone".to_owned()),
        },
        _ => Standing::Unknown {
            reason: entry.why.clone(),
        },
    };
    let facts = match (repository, objects.facts.get(&entry.id)) {
        (None, _) => FactsOutcome::NotAsked,
        (Some(repository), Some(told)) => repository.facts(entry.id, told, &head, objects, true),
        (Some(_), None) if standing == Standing::There => too_late(),
        (Some(_), None) => FactsOutcome::Unknown {
            reason: "its folder cannot be looked into".to_owned(),
        },
    };
    let path = if entry.there.is_empty() {
        entry.place.as_slice()
    } else {
        entry.there.as_slice()
    };
    Assertion {
        kind: WorkspaceKind::Worktree,
        path: HostPath::new(path),
        generation: objects.generations.get(&entry.id).copied(),
        mount: objects.mounts.get(&entry.id).cloned(),
        standing,
        existence: Existence {
            bare: false,
            admin_name: Some(AdminName::new(entry.name.clone())),
            common_dir: Some(main.common.clone()),
            head,
            locked: (entry.locked || record.locked).then(|| entry.reason.clone()),
        },
        facts,
    }
}

/// git's list and the administrative directories, brought together by path: what one has and the other has not
/// is never taken for absent.
struct Joined<'a> {
    /// For each administrative directory, its HEAD and record, or why it cannot be read.
    matches: Vec<Result<(Head, &'a Listed), String>>,
    /// Whether the list has a record that no administrative directory answers for.
    left_over: bool,
}

impl<'a> Joined<'a> {
    fn of(listed: &'a [Listed], entries: &[Entry], nul: bool) -> Self {
        let mut by_path: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (at, record) in listed.iter().enumerate() {
            by_path.entry(&record.path).or_default().push(at);
        }
        let mut claims: HashMap<&[u8], usize> = HashMap::new();
        for entry in entries {
            *claims.entry(&entry.place).or_default() += 1;
        }
        let mut used: HashSet<usize> = HashSet::new();
        let mut inexact = false;
        let matches = entries
            .iter()
            .map(|entry| {
                let literal = entry.raw.strip_suffix(b"/.git").unwrap_or(&entry.raw);
                let records = [entry.place.as_slice(), entry.there.as_slice(), literal]
                    .into_iter()
                    .filter(|path| !path.is_empty())
                    .find_map(|path| {
                        let read = by_path.get(path);
                        // In an exact list, one byte stands for a line break.
                        read.or_else(|| {
                            by_path
                                .get(listing::broken(path).as_slice())
                                .filter(|_| nul)
                        })
                    });
                if let Some(records) = records {
                    used.extend(records);
                }
                if !nul && entry.raw.contains(&b'\n') {
                    inexact = true;
                    return Err(
                        "this host's git is too old to tell a path with a line break exactly"
                            .to_owned(),
                    );
                }
                if entry.state == b"unread" {
                    return Err(entry.why.clone());
                }
                let Some(records) = records else {
                    return Err("git passes over this record".to_owned());
                };
                let several = claims.get(entry.place.as_slice()).is_some_and(|n| *n > 1);
                if several && entry.state != b"there" {
                    return Err("another record claims the same folder".to_owned());
                }
                let all: Vec<&Listed> = records.iter().filter_map(|at| listed.get(*at)).collect();
                let Some(record) = all.first() else {
                    return Err("git passes over this record".to_owned());
                };
                if !nul && (all.len() > 1 || !record.clean) {
                    return Err(
                        "this host's git is too old to tell this record from another".to_owned(),
                    );
                }
                let agreed = all.iter().all(|other| other.head == record.head);
                let head = if agreed {
                    record.head.clone()
                } else {
                    Head::None
                };
                Ok((head, *record))
            })
            .collect();
        let left_over = (0..listed.len()).any(|at| !used.contains(&at)) && !inexact;
        Self { matches, left_over }
    }
}
