//! What a snapshot does to the mirror: pure, total, deterministic, linear in rows and assertions.
//!
//! Matching, in this order: equal strong generation; same path and kind; then adopt what is left of the
//! assertions and apply the absence rules to what is left of the rows. Applying the same snapshot twice
//! changes nothing the second time.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::bytes::HostPath;
use crate::generation::Generation;
use crate::host::{Failure, FailureCode, Root, RootKind};
use crate::ids::{RootId, WorkspaceId};
use crate::observation::{Assertion, Existence, Facts, FactsOutcome, Standing, WorkspaceKind};
use crate::snapshot::{CompleteAssertion, Probe, RootOutcome, Snapshot, Tier};

/// How a workspace came into the mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// A person registered it as a root.
    Registered,
    /// A host asserted it and nobody registered it.
    Adopted,
}

/// Whether a workspace is where the mirror says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Presence {
    /// Its host asserted it.
    Present,
    /// Locked, and its directory is absent as expected.
    Away,
    /// git still has a record of it, and its directory is gone.
    Prunable {
        /// git's reason.
        reason: String,
    },
    /// Its host, reachable and asserting, says it is gone, and a person has not decided yet (I5).
    Missing {
        /// When that was first said.
        since: Timestamp,
    },
    /// Its host cannot tell.
    NotAsserted {
        /// Why.
        reason: String,
    },
}

/// Everything of a row that roll calls write, and nothing that people write (I4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowState {
    /// The root that asserted it last.
    pub root: RootId,
    /// Its canonical path.
    pub path: HostPath,
    /// Its generation; `None` until a host told one.
    pub generation: Option<Generation>,
    /// The mount point its directory was last seen on.
    pub mount: Option<HostPath>,
    /// Whether it is there.
    pub presence: Presence,
    /// Last known existence tier.
    pub existence: Existence,
    /// Last known facts tier.
    pub facts: Option<Facts>,
    /// Why the facts tier was not told when last asked.
    pub facts_unknown: Option<String>,
    /// When `facts` were seen, if that is earlier than its root's last facts tier.
    pub facts_as_of: Option<Timestamp>,
    /// Whether annotations were written for an earlier workspace at this path.
    pub recreated: bool,
}

/// One row of the mirror, as [`plan()`] needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorRow {
    /// Its identifier.
    pub id: WorkspaceId,
    /// What it is.
    pub kind: WorkspaceKind,
    /// How it came here.
    pub provenance: Provenance,
    /// Whether a person wrote anything about it.
    pub annotated: bool,
    /// Whether a person told the mirror to stop showing it.
    pub untracked: bool,
    /// What roll calls wrote.
    pub state: RowState,
}

/// What is known of a root as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Condition {
    /// Its last roll call was complete.
    Asserted,
    /// Its path is gone from its host.
    Missing {
        /// When that was first said.
        since: Timestamp,
    },
    /// Its last roll call failed; its rows are as of the one before.
    Failed {
        /// Why.
        failure: Failure,
    },
}

/// One root of the mirror, as [`plan()`] needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirrorRoot {
    /// The root.
    pub root: Root,
    /// When its last complete facts tier began.
    pub facts_at: Option<Timestamp>,
    /// How its last roll call ended.
    pub condition: Condition,
}

/// What happens to one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new row.
    Adopt {
        /// What it is.
        kind: WorkspaceKind,
        /// How it comes here.
        provenance: Provenance,
        /// Its first state.
        state: RowState,
    },
    /// A new state of a row.
    Refresh {
        /// The row.
        id: WorkspaceId,
        /// Its state from now on.
        state: RowState,
    },
    /// The mirror forgets a row.
    Drop {
        /// The row.
        id: WorkspaceId,
    },
}

/// What a root's record says from now on; one per root asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootChange {
    /// The root.
    pub id: RootId,
    /// How this roll call ended for it.
    pub condition: Condition,
    /// When it was asserted, if it was.
    pub asserted_at: Option<Timestamp>,
    /// When its facts were asserted, if they were.
    pub facts_at: Option<Timestamp>,
    /// The mount point it lies on, if this roll call told one.
    pub mount: Option<HostPath>,
    /// What a person should know about records that could not be used.
    pub notes: Vec<String>,
}

/// What a person may want to read in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Event {
    /// A workspace nobody registered was taken up.
    Adopted {
        /// Its path.
        path: HostPath,
    },
    /// A workspace is somewhere else now.
    Moved {
        /// The row.
        id: WorkspaceId,
        /// Where it was.
        from: HostPath,
        /// Where it is.
        to: HostPath,
    },
    /// Another workspace stands where this row's stood.
    Recreated {
        /// The row.
        id: WorkspaceId,
        /// Its path.
        path: HostPath,
    },
    /// A workspace worth keeping is gone.
    WentMissing {
        /// The row.
        id: WorkspaceId,
        /// Its path.
        path: HostPath,
    },
    /// A missing workspace answered again.
    Returned {
        /// The row.
        id: WorkspaceId,
        /// Its path.
        path: HostPath,
    },
    /// A workspace nobody annotated is gone, and forgotten.
    Dropped {
        /// The row.
        id: WorkspaceId,
        /// Its path.
        path: HostPath,
    },
}

/// What one snapshot does to the mirror.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// One per row that changes; an unchanged row has none.
    pub changes: Vec<Change>,
    /// One per root asked for.
    pub roots: Vec<RootChange>,
    /// What to write into the journal.
    pub events: Vec<Event>,
}

/// Says what `snapshot` does to the rows and roots of its host. Roots the mirror no longer has are passed over.
pub fn plan(rows: &[MirrorRow], roots: &[MirrorRoot], snapshot: &Snapshot, now: Timestamp) -> Plan {
    let known: HashMap<RootId, &MirrorRoot> =
        roots.iter().map(|root| (root.root.id, root)).collect();
    let mut planner = Planner {
        rows,
        snapshot,
        now,
        index: Index::of(rows),
        settled: vec![false; rows.len()],
        taken: HashSet::new(),
        plan: Plan::default(),
    };
    let complete: Vec<(&MirrorRoot, &CompleteAssertion)> = snapshot
        .roots()
        .iter()
        .filter_map(|(id, outcome)| match outcome {
            RootOutcome::Complete(complete) => known.get(id).map(|root| (*root, complete)),
            _ => None,
        })
        .collect();

    let quarantine = Quarantine::of(&complete);
    planner.set_aside(&quarantine);
    planner.take_up(&complete, &quarantine);
    for (id, outcome) in snapshot.roots() {
        let Some(root) = known.get(id) else { continue };
        match outcome {
            RootOutcome::Complete(complete) => planner.settle_complete(root, complete, &quarantine),
            RootOutcome::NoSuchFile { mount } => planner.settle_gone(root, mount.as_ref()),
            RootOutcome::Failed(failure) => {
                planner.root_without_assertion(
                    root,
                    Condition::Failed {
                        failure: failure.clone(),
                    },
                );
            }
        }
    }
    planner.plan
}

/// Rows by what assertions may match them on.
struct Index<'a> {
    generation: HashMap<Generation, usize>,
    place: HashMap<(&'a HostPath, WorkspaceKind), Vec<usize>>,
    root: HashMap<RootId, Vec<usize>>,
}

impl<'a> Index<'a> {
    fn of(rows: &'a [MirrorRow]) -> Self {
        let mut index = Self {
            generation: HashMap::new(),
            place: HashMap::new(),
            root: HashMap::new(),
        };
        for (at, row) in rows.iter().enumerate() {
            if let Some(generation) = row.state.generation.filter(|it| it.is_strong()) {
                let entry = index.generation.entry(generation).or_insert(at);
                // A tracked row speaks for its generation before an untracked one.
                if rows.get(*entry).is_some_and(|held| held.untracked) && !row.untracked {
                    *entry = at;
                }
            }
            index
                .place
                .entry((&row.state.path, row.kind))
                .or_default()
                .push(at);
            index.root.entry(row.state.root).or_default().push(at);
        }
        index
    }
}

/// Paths that one snapshot gives to two generations. Nothing is concluded about them.
struct Quarantine {
    paths: HashSet<HostPath>,
    generations: HashSet<Generation>,
}

impl Quarantine {
    fn of(complete: &[(&MirrorRoot, &CompleteAssertion)]) -> Self {
        let mut first: HashMap<&HostPath, Option<Generation>> = HashMap::new();
        let mut paths = HashSet::new();
        let all = || {
            complete
                .iter()
                .flat_map(|(_, complete)| complete.assertions())
        };
        for assertion in all() {
            match first.get(&assertion.path) {
                Some(generation) if *generation != assertion.generation => {
                    paths.insert(assertion.path.clone());
                }
                Some(_) => {}
                None => {
                    first.insert(&assertion.path, assertion.generation);
                }
            }
        }
        let generations = all()
            .filter(|assertion| paths.contains(&assertion.path))
            .filter_map(|assertion| assertion.generation)
            .collect();
        Self { paths, generations }
    }

    fn holds(&self, path: &HostPath, generation: Option<Generation>) -> bool {
        self.paths.contains(path)
            || generation.is_some_and(|generation| self.generations.contains(&generation))
    }
}

struct Planner<'a> {
    rows: &'a [MirrorRow],
    snapshot: &'a Snapshot,
    now: Timestamp,
    index: Index<'a>,
    /// Rows about which this snapshot has said its word.
    settled: Vec<bool>,
    /// Paths at which this snapshot asserted a workspace.
    taken: HashSet<&'a HostPath>,
    plan: Plan,
}

impl<'a> Planner<'a> {
    fn set_aside(&mut self, quarantine: &Quarantine) {
        for (row, settled) in self.rows.iter().zip(&mut self.settled) {
            *settled = quarantine.holds(&row.state.path, row.state.generation);
        }
    }

    fn settle(&mut self, at: usize) {
        if let Some(settled) = self.settled.get_mut(at) {
            *settled = true;
        }
    }

    fn open_row(&self, at: usize) -> Option<&'a MirrorRow> {
        let settled = self.settled.get(at).copied().unwrap_or(true);
        self.rows.get(at).filter(|_| !settled)
    }

    /// Matches every assertion of the complete roots, strong generations first, and adopts the rest.
    fn take_up(
        &mut self,
        complete: &[(&'a MirrorRoot, &'a CompleteAssertion)],
        quarantine: &Quarantine,
    ) {
        let mut seen: HashSet<Generation> = HashSet::new();
        let mut rest: Vec<(&MirrorRoot, &Assertion)> = Vec::new();
        for (root, complete) in complete {
            for assertion in complete.assertions() {
                if quarantine.holds(&assertion.path, assertion.generation) {
                    continue;
                }
                let strong = assertion.generation.filter(|it| it.is_strong());
                // One generation, or one place, reached by two roots is one workspace.
                let again = strong.is_some_and(|generation| !seen.insert(generation));
                if !self.taken.insert(&assertion.path) || again {
                    continue;
                }
                let row =
                    strong.and_then(|generation| self.index.generation.get(&generation).copied());
                match row.and_then(|at| self.open_row(at).map(|row| (at, row))) {
                    Some((at, row)) => self.refresh(at, row, root, assertion, false),
                    None => rest.push((root, assertion)),
                }
            }
        }
        for (root, assertion) in rest {
            match self.at_place(assertion) {
                Some((at, row)) => {
                    let another = matches!(
                        (row.state.generation, assertion.generation),
                        (Some(was), Some(is)) if was != is
                    );
                    if row.untracked && another {
                        self.settle(at);
                        self.adopt(root, assertion);
                    } else {
                        self.refresh(at, row, root, assertion, another);
                    }
                }
                None => self.adopt(root, assertion),
            }
        }
    }

    fn at_place(&self, assertion: &Assertion) -> Option<(usize, &'a MirrorRow)> {
        let candidates = self.index.place.get(&(&assertion.path, assertion.kind))?;
        let open = candidates
            .iter()
            .filter_map(|at| self.open_row(*at).map(|row| (*at, row)));
        // An untracked row of this very generation hides it (I6); otherwise a tracked row comes first.
        open.min_by_key(|(_, row)| {
            let same = row.state.generation == assertion.generation;
            (!same, row.untracked)
        })
    }

    fn refresh(
        &mut self,
        at: usize,
        row: &MirrorRow,
        root: &MirrorRoot,
        assertion: &Assertion,
        another: bool,
    ) {
        self.settle(at);
        if row.untracked {
            return;
        }
        let old = &row.state;
        let (facts, facts_unknown, facts_as_of) = match &assertion.facts {
            FactsOutcome::Observed(facts) => (Some(facts.clone()), None, None),
            // What was known of another workspace says nothing about this one.
            FactsOutcome::NotAsked if another => (None, None, None),
            FactsOutcome::Unknown { reason } if another => (None, Some(reason.clone()), None),
            FactsOutcome::NotAsked => (
                old.facts.clone(),
                old.facts_unknown.clone(),
                old.facts_as_of,
            ),
            FactsOutcome::Unknown { reason } => {
                (old.facts.clone(), Some(reason.clone()), lagging(old, root))
            }
        };
        let state = RowState {
            root: root.root.id,
            path: assertion.path.clone(),
            generation: assertion.generation.or(old.generation),
            mount: assertion.mount.clone().or_else(|| old.mount.clone()),
            presence: presence_of(&assertion.standing),
            existence: assertion.existence.clone(),
            facts,
            facts_unknown,
            facts_as_of,
            recreated: old.recreated || (another && row.annotated),
        };
        if another {
            self.plan.events.push(Event::Recreated {
                id: row.id,
                path: state.path.clone(),
            });
        } else if state.path != old.path {
            self.plan.events.push(Event::Moved {
                id: row.id,
                from: old.path.clone(),
                to: state.path.clone(),
            });
        }
        if matches!(old.presence, Presence::Missing { .. }) && state.presence == Presence::Present {
            self.plan.events.push(Event::Returned {
                id: row.id,
                path: state.path.clone(),
            });
        }
        self.write(row, state);
    }

    fn adopt(&mut self, root: &MirrorRoot, assertion: &Assertion) {
        let (facts, facts_unknown) = match &assertion.facts {
            FactsOutcome::Observed(facts) => (Some(facts.clone()), None),
            FactsOutcome::NotAsked => (None, None),
            FactsOutcome::Unknown { reason } => (None, Some(reason.clone())),
        };
        let provenance = if is_own(&root.root, assertion.kind, &assertion.path) {
            Provenance::Registered
        } else {
            self.plan.events.push(Event::Adopted {
                path: assertion.path.clone(),
            });
            Provenance::Adopted
        };
        self.plan.changes.push(Change::Adopt {
            kind: assertion.kind,
            provenance,
            state: RowState {
                root: root.root.id,
                path: assertion.path.clone(),
                generation: assertion.generation,
                mount: assertion.mount.clone(),
                presence: presence_of(&assertion.standing),
                existence: assertion.existence.clone(),
                facts,
                facts_unknown,
                facts_as_of: None,
                recreated: false,
            },
        });
    }

    fn settle_complete(
        &mut self,
        root: &MirrorRoot,
        complete: &CompleteAssertion,
        quarantine: &Quarantine,
    ) {
        for at in self
            .index
            .root
            .get(&root.root.id)
            .cloned()
            .unwrap_or_default()
        {
            if let Some(row) = self.open_row(at).filter(|row| !row.untracked) {
                self.settle(at);
                self.absent(row, root, complete);
            }
        }
        let asked_facts = self.snapshot.tier() == Tier::Facts;
        let own = complete
            .assertions()
            .iter()
            .find(|assertion| is_own(&root.root, assertion.kind, &assertion.path));
        let conflicts = complete
            .assertions()
            .iter()
            .filter(|assertion| quarantine.paths.contains(&assertion.path))
            .map(|assertion| {
                format!(
                    "two records claim `{}`; neither was taken up",
                    assertion.path.display()
                )
            });
        let unread = complete.unread().iter().map(|unread| {
            format!(
                "worktree record `{}`: {}",
                unread.admin_name.display(),
                unread.reason
            )
        });
        let mut notes: Vec<String> = unread.chain(conflicts).collect();
        notes.dedup();
        self.plan.roots.push(RootChange {
            id: root.root.id,
            condition: Condition::Asserted,
            asserted_at: Some(self.snapshot.begun_at()),
            facts_at: asked_facts.then(|| self.snapshot.begun_at()),
            mount: own.and_then(|assertion| assertion.mount.clone()),
            notes,
        });
    }

    /// Applies the absence rules to a row that its root, asserting completely, does not name.
    fn absent(&mut self, row: &MirrorRow, root: &MirrorRoot, complete: &CompleteAssertion) {
        let state = &row.state;
        let unread = complete
            .unread()
            .iter()
            .find(|unread| state.existence.admin_name.as_ref() == Some(&unread.admin_name));
        let not_asserted = |reason: String| Presence::NotAsserted { reason };
        let presence = if let Some(unread) = unread {
            not_asserted(unread.reason.clone())
        } else if self.taken.contains(&state.path) {
            // Another workspace stands where this one stood, and no root asserts this one anywhere.
            self.missing(state)
        } else {
            match complete.probe(&state.path) {
                // The row is younger than the question.
                None => return,
                Some(Probe::Exists) => {
                    not_asserted("git no longer lists it, but its folder is still there".to_owned())
                }
                Some(Probe::Unknown { reason }) => not_asserted(reason.clone()),
                Some(Probe::NoSuchFile { mount })
                    if on_other_mount(state.mount.as_ref(), mount.as_ref()) =>
                {
                    not_asserted("the disk it was seen on is not mounted".to_owned())
                }
                Some(Probe::NoSuchFile { .. }) => self.missing(state),
            }
        };
        if matches!(presence, Presence::Missing { .. }) {
            if row.provenance == Provenance::Adopted && !row.annotated {
                self.plan.events.push(Event::Dropped {
                    id: row.id,
                    path: state.path.clone(),
                });
                self.plan.changes.push(Change::Drop { id: row.id });
                return;
            }
            if !matches!(state.presence, Presence::Missing { .. }) {
                self.plan.events.push(Event::WentMissing {
                    id: row.id,
                    path: state.path.clone(),
                });
            }
        }
        let asked_facts = self.snapshot.tier() == Tier::Facts;
        let facts_as_of = if asked_facts {
            lagging(state, root)
        } else {
            state.facts_as_of
        };
        self.write(
            row,
            RowState {
                presence,
                facts_as_of,
                ..state.clone()
            },
        );
    }

    fn missing(&self, state: &RowState) -> Presence {
        match state.presence {
            Presence::Missing { since } => Presence::Missing { since },
            _ => Presence::Missing { since: self.now },
        }
    }

    /// Concludes from the absence of a root's own path: about its own row, and about nothing else.
    fn settle_gone(&mut self, root: &MirrorRoot, mount: Option<&HostPath>) {
        if on_other_mount(root.root.mount.as_ref(), mount) {
            let failure = Failure::new(
                FailureCode::NotMounted,
                format!(
                    "The disk that held `{}` is not mounted.",
                    root.root.path.display()
                ),
            )
            .hint("Mount it, then sync again.");
            self.root_without_assertion(root, Condition::Failed { failure });
            return;
        }
        for at in self
            .index
            .root
            .get(&root.root.id)
            .cloned()
            .unwrap_or_default()
        {
            let Some(row) = self.open_row(at).filter(|row| !row.untracked) else {
                continue;
            };
            if !is_own(&root.root, row.kind, &row.state.path) {
                continue;
            }
            self.settle(at);
            if !matches!(row.state.presence, Presence::Missing { .. }) {
                self.plan.events.push(Event::WentMissing {
                    id: row.id,
                    path: row.state.path.clone(),
                });
                let presence = Presence::Missing { since: self.now };
                self.write(
                    row,
                    RowState {
                        presence,
                        ..row.state.clone()
                    },
                );
            }
        }
        let since = match root.condition {
            Condition::Missing { since } => since,
            _ => self.now,
        };
        self.root_without_assertion(root, Condition::Missing { since });
    }

    fn root_without_assertion(&mut self, root: &MirrorRoot, condition: Condition) {
        self.plan.roots.push(RootChange {
            id: root.root.id,
            condition,
            asserted_at: None,
            facts_at: None,
            mount: None,
            notes: Vec::new(),
        });
    }

    fn write(&mut self, row: &MirrorRow, state: RowState) {
        if row.state != state {
            self.plan
                .changes
                .push(Change::Refresh { id: row.id, state });
        }
    }
}

/// When the facts of a row that this roll call could not tell were seen.
fn lagging(state: &RowState, root: &MirrorRoot) -> Option<Timestamp> {
    state
        .facts
        .as_ref()
        .and(state.facts_as_of.or(root.facts_at))
}

fn presence_of(standing: &Standing) -> Presence {
    match standing {
        Standing::There => Presence::Present,
        Standing::Away => Presence::Away,
        Standing::Prunable { reason } => Presence::Prunable {
            reason: reason.clone(),
        },
        Standing::Unknown { reason } => Presence::NotAsserted {
            reason: reason.clone(),
        },
    }
}

/// I3: absence counts only on the mount the thing was seen on, and a mount that is not told is not that one.
/// Where none was ever recorded there is nothing to contradict.
fn on_other_mount(recorded: Option<&HostPath>, found: Option<&HostPath>) -> bool {
    recorded.is_some() && recorded != found
}

/// Whether a workspace is the root itself.
fn is_own(root: &Root, kind: WorkspaceKind, path: &HostPath) -> bool {
    let kind_fits = match root.kind {
        RootKind::Repository => kind == WorkspaceKind::Repository,
        RootKind::Directory => kind == WorkspaceKind::Directory,
    };
    kind_fits && root.path == *path
}

#[cfg(test)]
mod tests;
