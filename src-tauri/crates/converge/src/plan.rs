//! What a snapshot does to the mirror: pure, total, deterministic, linear in rows and assertions.
//!
//! Matching, in this order: equal strong generation; same path and kind; then adopt what is left of the
//! assertions and apply the absence rules to what is left of the rows. Applying the same snapshot twice
//! changes nothing the second time.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::bytes::{AdminName, HostPath};
use crate::generation::Generation;
use crate::host::{Failure, FailureCode, Root, RootKind};
use crate::ids::{RootId, WorkspaceId};
use crate::observation::{Assertion, Existence, Facts, FactsOutcome, Standing, WorkspaceKind};
use crate::snapshot::{CompleteAssertion, Probe, RootOutcome, Snapshot, Tier};
use crate::trash::TrashStage;

mod conflict;

use conflict::Quarantine;
pub use conflict::{Choice, Claim, Conflict};

/// Rows that may newly be lost at once without anybody being asked (I17).
pub const MASS_ROWS: usize = 10;
/// Share of a host's present rows, in percent, that may newly be lost at once without anybody being asked (I17).
pub const MASS_PERCENT: usize = 30;

/// How a workspace came into the mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// A person registered it as a root.
    Registered,
    /// A host asserted it and nobody registered it.
    Adopted,
    /// A person had Rollcall make it.
    Made,
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
    /// Since when its host says it is gone, together with implausibly many others, and nobody has decided
    /// whether that is so (I17). Its presence is as before.
    pub unconfirmed: Option<Timestamp>,
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
    /// Whether a person asked to keep it when its host said that it and many others are gone (I17).
    pub kept: bool,
    /// Whether a person told the mirror to stop showing it.
    pub untracked: bool,
    /// The generation that a person deleted, if a deletion is pending (I8).
    pub tombstone: Option<Generation>,
    /// The registry's revision after the last verb that may have changed it on its host; 0 if there was none. A
    /// roll call that was put together before concludes nothing about it (I10).
    pub touched: u64,
    /// What roll calls wrote.
    pub state: RowState,
}

impl MirrorRow {
    /// Whether it stays in the mirror when its host says it is gone (I5).
    pub fn is_worth_keeping(&self) -> bool {
        self.provenance != Provenance::Adopted || self.annotated || self.kept
    }
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

/// Everything of one host that [`plan()`] needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mirror<'a> {
    /// What the host called its machine when a person last agreed that it is the one; `None` until it said so.
    pub machine: Option<&'a str>,
    /// Its roots.
    pub roots: &'a [MirrorRoot],
    /// Its rows.
    pub rows: &'a [MirrorRow],
    /// How people settled conflicts.
    pub choices: &'a [Choice],
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
    /// The mirror forgets a row, with a tombstone if it has one.
    Drop {
        /// The row.
        id: WorkspaceId,
    },
    /// A pending deletion has nothing left to delete; the row lives on (I8).
    Lift {
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
    /// Paths that more than one record claims.
    pub conflicts: Vec<Conflict>,
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
    /// A workspace that a person deleted is gone, by the word of its host (I10).
    Deleted {
        /// The row.
        id: WorkspaceId,
        /// Its path.
        path: HostPath,
    },
    /// What a person deleted is gone, and another workspace stands there that nobody deleted (I8).
    Overtaken {
        /// The row.
        id: WorkspaceId,
        /// Its path.
        path: HostPath,
    },
    /// Implausibly many workspaces are said to be gone; nothing is concluded until a person decides (I17).
    AbsenceHeld {
        /// How many are newly held.
        rows: u64,
        /// How many were present.
        of: u64,
    },
    /// The host answers as another machine than before; nothing it said was taken up (I17).
    AnotherMachine,
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
    /// What the host calls its machine, if that is not what it was called: everything else is held then, until a
    /// person agrees that this is the machine.
    pub another_machine: Option<String>,
}

/// Says what `snapshot` does to the mirror of its host. Roots the mirror no longer has are passed over.
pub fn plan(mirror: &Mirror<'_>, snapshot: &Snapshot, now: Timestamp) -> Plan {
    let known: HashMap<RootId, &MirrorRoot> = mirror
        .roots
        .iter()
        .map(|root| (root.root.id, root))
        .collect();
    if let Some(machine) = another_machine(mirror, snapshot) {
        return held_whole(machine, &known, snapshot);
    }
    let complete: Vec<(&MirrorRoot, &CompleteAssertion)> = snapshot
        .roots()
        .iter()
        .filter_map(|(id, outcome)| match outcome {
            RootOutcome::Complete(complete) => known.get(id).map(|root| (*root, complete)),
            _ => None,
        })
        .collect();

    let quarantine = Quarantine::of(&complete, mirror.choices);
    let mut planner = Planner {
        rows: mirror.rows,
        snapshot,
        now,
        index: Index::of(mirror.rows),
        known,
        asserted: complete.iter().map(|(root, _)| root.root.id).collect(),
        quarantine,
        settled: vec![false; mirror.rows.len()],
        taken: HashSet::new(),
        resting: resting(snapshot),
        absent: Vec::new(),
        plan: Plan::default(),
    };
    planner.set_aside();
    planner.take_up(&complete);
    for (id, outcome) in snapshot.roots() {
        let Some(root) = planner.known.get(id).copied() else {
            continue;
        };
        match outcome {
            RootOutcome::Complete(complete) => planner.settle_complete(root, complete),
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
    planner.conclude_absence();
    planner.plan
}

/// Generations that lie in the trash of their host, as far as one alone proves what that is.
fn resting(snapshot: &Snapshot) -> HashSet<Generation> {
    let trash = snapshot.trash().iter();
    trash
        .filter(|it| matches!(it.stage, TrashStage::Whole | TrashStage::Removing))
        .filter_map(|it| it.generation.filter(|it| it.is_strong()))
        .collect()
}

fn another_machine(mirror: &Mirror<'_>, snapshot: &Snapshot) -> Option<String> {
    let says = &snapshot.host_facts().machine;
    // Where either is not told there is nothing to contradict.
    (!says.is_empty() && mirror.machine.is_some_and(|known| known != says)).then(|| says.clone())
}

/// A host whose identity changed is held whole (I17): its roots say why, and its rows are as they were.
fn held_whole(machine: String, known: &HashMap<RootId, &MirrorRoot>, snapshot: &Snapshot) -> Plan {
    let failure = Failure::new(
        FailureCode::AnotherMachine,
        "The host answers as another machine than before; nothing it said was taken up.",
    )
    .hint("Say in its banner whether this is the machine you mean.");
    let roots = snapshot
        .roots()
        .iter()
        .filter(|(id, _)| known.contains_key(id))
        .map(|(id, _)| {
            without_assertion(
                *id,
                Condition::Failed {
                    failure: failure.clone(),
                },
            )
        })
        .collect();
    Plan {
        roots,
        events: vec![Event::AnotherMachine],
        another_machine: Some(machine),
        ..Plan::default()
    }
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
            if let Some(generation) = row.state.generation {
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

/// A row that its root, asserting completely, says is gone.
struct Absence<'a> {
    row: &'a MirrorRow,
    facts_as_of: Option<Timestamp>,
}

struct Planner<'a> {
    rows: &'a [MirrorRow],
    snapshot: &'a Snapshot,
    now: Timestamp,
    index: Index<'a>,
    known: HashMap<RootId, &'a MirrorRoot>,
    /// Roots that assert completely.
    asserted: HashSet<RootId>,
    quarantine: Quarantine,
    /// Rows about which this snapshot has said its word.
    settled: Vec<bool>,
    /// Places at which this snapshot asserted a workspace.
    taken: HashSet<(&'a HostPath, bool)>,
    /// Generations that lie in the trash of the host.
    resting: HashSet<Generation>,
    /// Rows that are gone, if that is plausible.
    absent: Vec<Absence<'a>>,
    plan: Plan,
}

/// A plain directory and a repository in it are two things in one place.
fn place_of(path: &HostPath, kind: WorkspaceKind) -> (&HostPath, bool) {
    (path, kind == WorkspaceKind::Directory)
}

impl<'a> Planner<'a> {
    fn set_aside(&mut self) {
        for (row, settled) in self.rows.iter().zip(&mut self.settled) {
            let state = &row.state;
            *settled = self
                .quarantine
                .holds(row.kind, &state.path, state.generation);
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

    /// Whether this roll call was put together before a verb touched the row on its host (I10).
    fn is_too_early_for(&self, row: &MirrorRow) -> bool {
        row.touched > self.snapshot.asked_at()
    }

    /// Matches every assertion of the complete roots, strong generations first, and adopts the rest.
    fn take_up(&mut self, complete: &[(&'a MirrorRoot, &'a CompleteAssertion)]) {
        let mut seen: HashSet<Generation> = HashSet::new();
        let mut rest: Vec<(&MirrorRoot, &Assertion)> = Vec::new();
        for (root, complete) in complete {
            for assertion in complete.assertions() {
                let (path, generation) = (&assertion.path, assertion.generation);
                if self.quarantine.holds(assertion.kind, path, generation)
                    || self.quarantine.overrules(path, generation)
                {
                    continue;
                }
                let strong = assertion.generation.filter(|it| it.is_strong());
                // One generation, or one place, reached by two roots is one workspace.
                let again = strong.is_some_and(|generation| !seen.insert(generation));
                if !self.taken.insert(place_of(path, assertion.kind)) || again {
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
                    let another = is_another(row, assertion);
                    if row.untracked && another {
                        self.settle(at);
                        self.adopt(root, assertion);
                        if !self.is_too_early_for(row) {
                            let root = self.known.get(&row.state.root).copied();
                            let facts_as_of = self.age_of_facts(&row.state, root);
                            self.lose_hidden(row, facts_as_of);
                        }
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
            .filter_map(|at| self.open_row(*at).map(|row| (*at, row)))
            // What another root asserted, and cannot assert now, is not taken over by this one (I2).
            .filter(|(_, row)| {
                !is_another(row, assertion) || self.asserted.contains(&row.state.root)
            })
            .filter(|(_, row)| {
                !self
                    .quarantine
                    .overrules(&row.state.path, row.state.generation)
            });
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
        if self.is_too_early_for(row) {
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
            unconfirmed: None,
        };
        if another && row.tombstone.is_some() {
            self.plan.changes.push(Change::Lift { id: row.id });
            self.plan.events.push(Event::Overtaken {
                id: row.id,
                path: state.path.clone(),
            });
        }
        if row.untracked {
            // Nobody wants to read about what is hidden.
        } else if another {
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
        let missed = matches!(old.presence, Presence::Missing { .. }) && !row.untracked;
        if missed && state.presence == Presence::Present {
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
                unconfirmed: None,
            },
        });
    }

    fn settle_complete(&mut self, root: &MirrorRoot, complete: &CompleteAssertion) {
        let unread: HashMap<&AdminName, &str> = complete
            .unread()
            .iter()
            .map(|unread| (&unread.admin_name, unread.reason.as_str()))
            .collect();
        for at in self
            .index
            .root
            .get(&root.root.id)
            .cloned()
            .unwrap_or_default()
        {
            if let Some(row) = self.open_row(at) {
                self.settle(at);
                self.not_named(row, root, complete, &unread);
            }
        }
        let asked_facts = self.snapshot.tier() == Tier::Facts;
        let own = complete
            .assertions()
            .iter()
            .find(|assertion| is_own(&root.root, assertion.kind, &assertion.path));
        let notes = complete.unread().iter().map(|unread| {
            format!(
                "worktree record `{}`: {}",
                unread.admin_name.display(),
                unread.reason
            )
        });
        self.plan.roots.push(RootChange {
            id: root.root.id,
            condition: Condition::Asserted,
            asserted_at: Some(self.snapshot.begun_at()),
            facts_at: asked_facts.then(|| self.snapshot.begun_at()),
            mount: own.and_then(|assertion| assertion.mount.clone()),
            notes: notes.collect(),
            conflicts: self.quarantine.of_root(root.root.id),
        });
    }

    /// Applies the absence rules to a row that its root, asserting completely, does not name.
    fn not_named(
        &mut self,
        row: &'a MirrorRow,
        root: &MirrorRoot,
        complete: &CompleteAssertion,
        unread: &HashMap<&AdminName, &str>,
    ) {
        if self.is_too_early_for(row) {
            return;
        }
        let state = &row.state;
        let facts_as_of = self.age_of_facts(state, Some(root));
        let unread = state
            .existence
            .admin_name
            .as_ref()
            .and_then(|name| unread.get(name));
        let reason = if state
            .generation
            .is_some_and(|it| self.resting.contains(&it))
        {
            // What lies in the trash is not where it was, whatever stands there now.
            self.absent.push(Absence { row, facts_as_of });
            return;
        } else if let Some(reason) = unread {
            (*reason).to_owned()
        } else if self.quarantine.overrules(&state.path, state.generation) {
            "another record holds its folder, as was decided here".to_owned()
        } else if self.taken.contains(&place_of(&state.path, row.kind)) {
            // Another workspace stands where this one stood, and no root asserts this one anywhere.
            self.absent.push(Absence { row, facts_as_of });
            return;
        } else {
            match complete.probe(&state.path) {
                // The row is younger than the question.
                None => return,
                Some(Probe::Exists) => {
                    "git no longer lists it, but its folder is still there".to_owned()
                }
                Some(Probe::Unknown { reason }) => reason.clone(),
                Some(Probe::NoSuchFile { mount })
                    if on_other_mount(state.mount.as_ref(), mount.as_ref()) =>
                {
                    "the disk it was seen on is not mounted".to_owned()
                }
                Some(Probe::NoSuchFile { .. }) => {
                    self.absent.push(Absence { row, facts_as_of });
                    return;
                }
            }
        };
        self.write(
            row,
            RowState {
                presence: Presence::NotAsserted { reason },
                facts_as_of,
                unconfirmed: None,
                ..state.clone()
            },
        );
    }

    /// Carries out what was found absent, unless it is implausibly much at once (I17).
    fn conclude_absence(&mut self) {
        let newly = |row: &MirrorRow| {
            !row.untracked
                && row.tombstone.is_none()
                && !matches!(row.state.presence, Presence::Missing { .. })
        };
        let lost = self.absent.iter().filter(|it| newly(it.row)).count();
        let present = self
            .rows
            .iter()
            .filter(|row| !row.untracked && row.state.presence == Presence::Present)
            .count();
        let implausible = lost > MASS_ROWS && lost * 100 > present * MASS_PERCENT;
        let mut held = 0;
        for Absence { row, facts_as_of } in std::mem::take(&mut self.absent) {
            let state = &row.state;
            if row.tombstone.is_some() {
                self.plan.events.push(Event::Deleted {
                    id: row.id,
                    path: state.path.clone(),
                });
                self.plan.changes.push(Change::Drop { id: row.id });
            } else if row.untracked {
                // What is held for others is held for what is hidden, which would be forgotten in time (I6).
                if !implausible {
                    self.lose_hidden(row, facts_as_of);
                }
            } else if newly(row) && (implausible || state.unconfirmed.is_some()) {
                // Once held, a row waits for its own answer or for a person, however few are left.
                held += u64::from(state.unconfirmed.is_none());
                self.write(
                    row,
                    RowState {
                        unconfirmed: state.unconfirmed.or(Some(self.now)),
                        facts_as_of,
                        ..state.clone()
                    },
                );
            } else {
                self.lose(row, facts_as_of);
            }
        }
        if held > 0 {
            self.plan.events.push(Event::AbsenceHeld {
                rows: held,
                of: present as u64,
            });
        }
    }

    fn lose(&mut self, row: &MirrorRow, facts_as_of: Option<Timestamp>) {
        match decide_absence(row, self.now) {
            Loss::Dropped(event) => {
                self.plan.events.push(event);
                self.plan.changes.push(Change::Drop { id: row.id });
            }
            Loss::Missing { state, event } => {
                self.plan.events.extend(event);
                self.write(
                    row,
                    RowState {
                        facts_as_of,
                        ..*state
                    },
                );
            }
        }
    }

    fn lose_hidden(&mut self, row: &MirrorRow, facts_as_of: Option<Timestamp>) {
        let state = missing(&row.state, self.now);
        self.write(
            row,
            RowState {
                facts_as_of,
                ..state
            },
        );
    }

    /// When the facts of a row were seen that this roll call does not tell.
    fn age_of_facts(&self, state: &RowState, root: Option<&MirrorRoot>) -> Option<Timestamp> {
        match self.snapshot.tier() {
            Tier::Facts => root.map_or(state.facts_as_of, |root| lagging(state, root)),
            Tier::Existence => state.facts_as_of,
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
            let Some(row) = self.open_row(at) else {
                continue;
            };
            if !is_own(&root.root, row.kind, &row.state.path) || self.is_too_early_for(row) {
                continue;
            }
            self.settle(at);
            self.absent.push(Absence {
                row,
                facts_as_of: row.state.facts_as_of,
            });
        }
        let since = match root.condition {
            Condition::Missing { since } => since,
            _ => self.now,
        };
        self.root_without_assertion(root, Condition::Missing { since });
    }

    fn root_without_assertion(&mut self, root: &MirrorRoot, condition: Condition) {
        self.plan
            .roots
            .push(without_assertion(root.root.id, condition));
    }

    fn write(&mut self, row: &MirrorRow, state: RowState) {
        if row.state != state {
            self.plan
                .changes
                .push(Change::Refresh { id: row.id, state });
        }
    }
}

/// What becomes of a row whose absence counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The mirror forgets it.
    Dropped(Event),
    /// It is missing, and stays (I5).
    Missing {
        /// Its state from now on.
        state: Box<RowState>,
        /// What to write into the journal, if it was not missing before.
        event: Option<Event>,
    },
}

/// Says what becomes of a row whose absence its host asserted, and which nobody holds back: also for rows whose
/// absence was held until a person accepted it (I17).
pub fn decide_absence(row: &MirrorRow, now: Timestamp) -> Loss {
    let (id, path) = (row.id, row.state.path.clone());
    if !row.is_worth_keeping() {
        return Loss::Dropped(Event::Dropped { id, path });
    }
    let state = missing(&row.state, now);
    let was = matches!(row.state.presence, Presence::Missing { .. });
    Loss::Missing {
        state: Box::new(state),
        event: (!was).then_some(Event::WentMissing { id, path }),
    }
}

fn missing(state: &RowState, now: Timestamp) -> RowState {
    let since = match state.presence {
        Presence::Missing { since } => since,
        _ => state.unconfirmed.unwrap_or(now),
    };
    RowState {
        presence: Presence::Missing { since },
        unconfirmed: None,
        ..state.clone()
    }
}

fn without_assertion(id: RootId, condition: Condition) -> RootChange {
    RootChange {
        id,
        condition,
        asserted_at: None,
        facts_at: None,
        mount: None,
        notes: Vec::new(),
        conflicts: Vec::new(),
    }
}

/// Whether an assertion is certainly about another workspace than a row. What cannot be told is no difference.
fn is_another(row: &MirrorRow, assertion: &Assertion) -> bool {
    matches!(
        (row.state.generation, assertion.generation),
        (Some(was), Some(is)) if was != is
    )
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
