//! Records of one snapshot that cannot all be true: quarantined, shown, and settled by a person.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::MirrorRoot;
use crate::bytes::{AdminName, HostPath};
use crate::generation::Generation;
use crate::ids::RootId;
use crate::observation::{Assertion, WorkspaceKind};
use crate::snapshot::CompleteAssertion;

/// Claims of one conflict that are kept to be shown. A host may tell any number of them.
const CLAIMS_SHOWN: usize = 20;

/// One of several records that claim a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The root that asserts it.
    pub root: RootId,
    /// What it is.
    pub kind: WorkspaceKind,
    /// Its generation. One that the host cannot tell cannot be chosen.
    pub generation: Option<Generation>,
    /// Name of its administrative directory, of a linked worktree.
    pub admin_name: Option<AdminName>,
    /// The common git directory of its repository.
    pub common_dir: Option<HostPath>,
}

/// A path that one snapshot gives to two generations. Nothing is concluded about either until a person chooses
/// or the host says something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The path.
    pub path: HostPath,
    /// Who claims it, in the order of roots and records.
    pub claims: Vec<Claim>,
}

/// Which of the claims to a path a person holds to be the true one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The path.
    pub path: HostPath,
    /// The generation that is there.
    pub generation: Generation,
}

/// What one snapshot says twice.
pub(super) struct Quarantine {
    conflicts: BTreeMap<HostPath, Vec<Claim>>,
    generations: HashSet<Generation>,
    /// Claims that a person's choice passes over.
    overruled: HashSet<(HostPath, Option<Generation>)>,
}

impl Quarantine {
    pub(super) fn of(complete: &[(&MirrorRoot, &CompleteAssertion)], choices: &[Choice]) -> Self {
        let all = || {
            complete.iter().flat_map(|(root, complete)| {
                let id = root.root.id;
                let records = complete.assertions().iter();
                // A plain directory may well have a repository in it, registered on its own.
                records
                    .filter(|it| it.kind != WorkspaceKind::Directory)
                    .map(move |it| (id, it))
            })
        };
        let mut first: HashMap<&HostPath, Option<Generation>> = HashMap::new();
        let mut claimed: HashSet<&HostPath> = HashSet::new();
        for (_, assertion) in all() {
            let held = first.entry(&assertion.path).or_insert(assertion.generation);
            if *held != assertion.generation {
                claimed.insert(&assertion.path);
            }
        }
        let mut conflicts: BTreeMap<HostPath, Vec<Claim>> = BTreeMap::new();
        let mut told = HashSet::new();
        for (root, assertion) in all() {
            // One record that a root tells twice is one claim.
            let place = (root, &assertion.path, assertion.generation);
            if claimed.contains(&assertion.path) && told.insert(place) {
                let claims = conflicts.entry(assertion.path.clone()).or_default();
                claims.push(claim(root, assertion));
            }
        }
        let mut overruled = HashSet::new();
        for choice in choices {
            let settled = conflicts.get(&choice.path).is_some_and(|claims| {
                claims
                    .iter()
                    .any(|it| it.generation == Some(choice.generation))
            });
            if settled && let Some(claims) = conflicts.remove(&choice.path) {
                overruled.extend(
                    claims
                        .into_iter()
                        .filter(|it| it.generation != Some(choice.generation))
                        .map(|it| (choice.path.clone(), it.generation)),
                );
            }
        }
        let generations = conflicts
            .values()
            .flatten()
            .filter_map(|claim| claim.generation)
            .collect();
        Self {
            conflicts,
            generations,
            overruled,
        }
    }

    /// Whether nothing may be concluded about a workspace.
    pub(super) fn holds(
        &self,
        kind: WorkspaceKind,
        path: &HostPath,
        generation: Option<Generation>,
    ) -> bool {
        (kind != WorkspaceKind::Directory && self.conflicts.contains_key(path))
            || generation.is_some_and(|generation| self.generations.contains(&generation))
    }

    /// Whether a person chose another record for the path.
    pub(super) fn overrules(&self, path: &HostPath, generation: Option<Generation>) -> bool {
        !self.overruled.is_empty() && self.overruled.contains(&(path.clone(), generation))
    }

    /// The conflicts that a root has a part in, each with the first claims to it.
    pub(super) fn of_root(&self, root: RootId) -> Vec<Conflict> {
        self.conflicts
            .iter()
            .filter(|(_, claims)| claims.iter().any(|claim| claim.root == root))
            .map(|(path, claims)| Conflict {
                path: path.clone(),
                claims: claims.iter().take(CLAIMS_SHOWN).cloned().collect(),
            })
            .collect()
    }
}

fn claim(root: RootId, assertion: &Assertion) -> Claim {
    Claim {
        root,
        kind: assertion.kind,
        generation: assertion.generation,
        admin_name: assertion.existence.admin_name.clone(),
        common_dir: assertion.existence.common_dir.clone(),
    }
}
