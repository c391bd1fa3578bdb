//! The outcome of one roll call, built so that absence can only follow from a finished answer (I1).

use std::collections::BTreeMap;

use jiff::Timestamp;
use thiserror::Error;

use crate::bytes::{AdminName, HostPath, RefName};
use crate::host::{Failure, Root, RootKind};
use crate::ids::{HostId, RootId};
use crate::observation::Assertion;
use crate::trash::Trashed;

/// How much a roll call asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// Which workspaces there are and where their HEADs point.
    Existence,
    /// Existence, and what one `status` and the per-repository calls tell.
    Facts,
}

/// What a roll call asks of one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRequest {
    /// The root.
    pub root: Root,
    /// Paths of the rows it asserted so far. The host looks at each that it does not assert again (I3).
    pub known: Vec<HostPath>,
    /// The branch that others are merged into, if a person chose one; else the host finds out.
    pub base: Option<RefName>,
}

/// A roll call to make: everything a host is asked, at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollCall {
    /// The host.
    pub host: HostId,
    /// How much is asked.
    pub tier: Tier,
    /// The registry's revision when the roll call was put together. Whatever a verb did on the host before that
    /// revision, the answer has seen (I10).
    pub revision: u64,
    /// About what; the answer names roots by their position here.
    pub roots: Vec<RootRequest>,
    /// Places of the trash of which something is known, with the mount points they were seen on. The host looks at each.
    pub trash: Vec<(HostPath, Option<HostPath>)>,
}

/// What a host says about a path a person wants to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// What it would be registered as.
    pub kind: RootKind,
    /// The canonical path to register: of a repository, its main working tree or its bare directory, even if the
    /// path asked about is a linked worktree of it.
    pub path: HostPath,
    /// The mount point it lies on, where the host told it.
    pub mount: Option<HostPath>,
    /// The working tree of a repository that contains the path, if the path itself is a plain folder in it.
    pub inside: Option<HostPath>,
}

/// What a host found at a path that a row names and no assertion does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Something is there.
    Exists,
    /// "No such file", with the mount point of the deepest ancestor that exists (I3).
    NoSuchFile {
        /// Mount point of that ancestor, where the host told it.
        mount: Option<HostPath>,
    },
    /// The host cannot tell.
    Unknown {
        /// Its words.
        reason: String,
    },
}

/// Everything a host said about a root, in an answer that was finished, counted and checked.
/// Only [`SnapshotBuilder::finish`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompleteAssertion {
    assertions: Vec<Assertion>,
    probes: BTreeMap<HostPath, Probe>,
    unread: Vec<Unread>,
    resting: usize,
}

/// A record of a root that is there and cannot be read, such as a worktree git passes over in silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Name of its administrative directory.
    pub admin_name: AdminName,
    /// Why it cannot be read.
    pub reason: String,
}

impl CompleteAssertion {
    /// The workspaces asserted, in the host's order.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// What the host found at a path that was asked about.
    pub fn probe(&self, path: &HostPath) -> Option<&Probe> {
        self.probes.get(path)
    }

    /// Records of the root that are there and could not be read. The row of such a record is unknown, not absent.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }
}

/// What a roll call says about one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootOutcome {
    /// Everything about it.
    Complete(CompleteAssertion),
    /// Its own path is "no such file", with the mount point of the deepest ancestor that exists.
    NoSuchFile {
        /// Mount point of that ancestor, where the host told it.
        mount: Option<HostPath>,
    },
    /// It could not be asserted: nothing follows for its rows (I2).
    Failed(Failure),
}

/// What a host says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Operating system, as `uname -s` prints it.
    pub system: String,
    /// Version of git, such as `2.47.3`.
    pub git_version: String,
    /// What the system calls its machine, such as the content of `/etc/machine-id`; empty where it says nothing.
    pub machine: String,
}

/// The outcome of one finished roll call of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    host: HostId,
    tier: Tier,
    begun_at: Timestamp,
    asked_at: u64,
    facts: HostFacts,
    roots: Vec<(RootId, RootOutcome)>,
    trash: Vec<Trashed>,
    emptied: Vec<HostPath>,
}

impl Snapshot {
    /// The host that answered.
    pub fn host(&self) -> HostId {
        self.host
    }

    /// How much was asked.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// When the roll call began, by the desktop's clock.
    pub fn begun_at(&self) -> Timestamp {
        self.begun_at
    }

    /// The registry's revision when the roll call was put together. Revisions, and not clocks, say whether a
    /// roll call began after a verb (I10): clocks jump.
    pub fn asked_at(&self) -> u64 {
        self.asked_at
    }

    /// What the host says about itself.
    pub fn host_facts(&self) -> &HostFacts {
        &self.facts
    }

    /// What rests in the trash of the host, each once.
    pub fn trash(&self) -> &[Trashed] {
        &self.trash
    }

    /// Places of the trash that were asked about and are gone.
    pub fn emptied(&self) -> &[HostPath] {
        &self.emptied
    }

    /// Every root that was asked for, once, with its outcome.
    pub fn roots(&self) -> &[(RootId, RootOutcome)] {
        &self.roots
    }
}

/// Why an answer makes no snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadAnswer {
    /// It ended before its close.
    #[error("the answer ended before its close")]
    Unfinished,
    /// It names a root that was not asked for, or twice.
    #[error("the answer names root {0} out of turn")]
    RootOutOfTurn(usize),
    /// A record stands outside every root.
    #[error("the answer has a record outside every root")]
    OutsideRoot,
    /// A count does not match.
    #[error("root {root} closes with {claimed} records, and {counted} came")]
    WrongCount {
        /// Position of the root in the request.
        root: usize,
        /// What the host counted.
        claimed: usize,
        /// What came.
        counted: usize,
    },
}

enum Slot {
    Waiting,
    Open(CompleteAssertion),
    Closed(RootOutcome),
}

/// Builds a [`Snapshot`] from an answer as it comes in. Roots are named by their position in the request.
/// Every error is final: a builder that failed is dropped and the roll call counts as failed.
pub struct SnapshotBuilder {
    host: HostId,
    tier: Tier,
    begun_at: Timestamp,
    asked_at: u64,
    facts: HostFacts,
    roots: Vec<(RootId, Slot)>,
    trash: Vec<Trashed>,
    emptied: Vec<HostPath>,
}

impl SnapshotBuilder {
    /// Starts a snapshot of `host` for the roots that were asked for, in the order they were asked.
    pub fn new(host: HostId, tier: Tier, begun_at: Timestamp, roots: &[RootId]) -> Self {
        Self {
            host,
            tier,
            begun_at,
            asked_at: 0,
            facts: HostFacts::default(),
            roots: roots.iter().map(|root| (*root, Slot::Waiting)).collect(),
            trash: Vec::new(),
            emptied: Vec::new(),
        }
    }

    /// Notes the registry's revision when the roll call was put together. Without it the answer concludes nothing
    /// about workspaces that a verb touched.
    pub fn asked_at(&mut self, revision: u64) {
        self.asked_at = revision;
    }

    /// Notes what the host says about itself.
    pub fn host_facts(&mut self, facts: HostFacts) {
        self.facts = facts;
    }

    /// Adds something that rests in the trash of the host; again is no more than once.
    pub fn trash(&mut self, trashed: Trashed) {
        if !self.trash.iter().any(|it| it.place == trashed.place) {
            self.trash.push(trashed);
        }
    }

    /// Notes that a place of the trash that was asked about is gone.
    pub fn emptied(&mut self, place: HostPath) {
        self.emptied.push(place);
    }

    /// Counts a worktree of an open root that rests in the trash: it is no workspace.
    ///
    /// # Errors
    /// [`BadAnswer::OutsideRoot`] if the root is not open.
    pub fn resting(&mut self, root: usize) -> Result<(), BadAnswer> {
        self.opened(root)?.resting += 1;
        Ok(())
    }

    /// Opens a root.
    ///
    /// # Errors
    /// [`BadAnswer::RootOutOfTurn`] if it was not asked for or has been opened before.
    pub fn open(&mut self, root: usize) -> Result<(), BadAnswer> {
        match self.roots.get_mut(root) {
            Some((_, slot @ Slot::Waiting)) => {
                *slot = Slot::Open(CompleteAssertion {
                    assertions: Vec::new(),
                    probes: BTreeMap::new(),
                    unread: Vec::new(),
                    resting: 0,
                });
                Ok(())
            }
            _ => Err(BadAnswer::RootOutOfTurn(root)),
        }
    }

    fn opened(&mut self, root: usize) -> Result<&mut CompleteAssertion, BadAnswer> {
        match self.roots.get_mut(root) {
            Some((_, Slot::Open(complete))) => Ok(complete),
            _ => Err(BadAnswer::OutsideRoot),
        }
    }

    /// Adds a workspace to an open root.
    ///
    /// # Errors
    /// [`BadAnswer::OutsideRoot`] if the root is not open.
    pub fn assert(&mut self, root: usize, assertion: Assertion) -> Result<(), BadAnswer> {
        self.opened(root)?.assertions.push(assertion);
        Ok(())
    }

    /// Adds what the host found at a path that was asked about.
    ///
    /// # Errors
    /// [`BadAnswer::OutsideRoot`] if the root is not open.
    pub fn probe(&mut self, root: usize, path: HostPath, found: Probe) -> Result<(), BadAnswer> {
        self.opened(root)?.probes.insert(path, found);
        Ok(())
    }

    /// Notes a record of the root that is there and cannot be read.
    ///
    /// # Errors
    /// [`BadAnswer::OutsideRoot`] if the root is not open.
    pub fn unread(&mut self, root: usize, record: Unread) -> Result<(), BadAnswer> {
        self.opened(root)?.unread.push(record);
        Ok(())
    }

    /// Closes an open root with the number of workspaces, unread records and those in the trash included, that the host
    /// counted on its own.
    ///
    /// # Errors
    /// [`BadAnswer::WrongCount`] if that is not what came, [`BadAnswer::OutsideRoot`] if the root is not open.
    pub fn close(&mut self, root: usize, claimed: usize) -> Result<(), BadAnswer> {
        let complete = self.opened(root)?;
        let counted = complete.assertions.len() + complete.unread.len() + complete.resting;
        if counted != claimed {
            return Err(BadAnswer::WrongCount {
                root,
                claimed,
                counted,
            });
        }
        let outcome = RootOutcome::Complete(complete.clone());
        self.settle(root, outcome);
        Ok(())
    }

    /// Ends a root that could not be asserted, whatever came of it before.
    ///
    /// # Errors
    /// [`BadAnswer::RootOutOfTurn`] if it was not asked for or is closed already.
    pub fn fail(&mut self, root: usize, outcome: FailedRoot) -> Result<(), BadAnswer> {
        match self.roots.get(root) {
            Some((_, Slot::Waiting | Slot::Open(_))) => {
                self.settle(
                    root,
                    match outcome {
                        FailedRoot::NoSuchFile { mount } => RootOutcome::NoSuchFile { mount },
                        FailedRoot::Failed(failure) => RootOutcome::Failed(failure),
                    },
                );
                Ok(())
            }
            _ => Err(BadAnswer::RootOutOfTurn(root)),
        }
    }

    fn settle(&mut self, root: usize, outcome: RootOutcome) {
        if let Some((_, slot)) = self.roots.get_mut(root) {
            *slot = Slot::Closed(outcome);
        }
    }

    /// Makes the snapshot, once the answer has been closed by the host.
    ///
    /// # Errors
    /// [`BadAnswer::Unfinished`] if any root that was asked for has not been closed (I1).
    pub fn finish(self) -> Result<Snapshot, BadAnswer> {
        let roots = self
            .roots
            .into_iter()
            .map(|(id, slot)| match slot {
                Slot::Closed(outcome) => Ok((id, outcome)),
                Slot::Waiting | Slot::Open(_) => Err(BadAnswer::Unfinished),
            })
            .collect::<Result<_, _>>()?;
        Ok(Snapshot {
            host: self.host,
            tier: self.tier,
            begun_at: self.begun_at,
            asked_at: self.asked_at,
            facts: self.facts,
            roots,
            trash: self.trash,
            emptied: self.emptied,
        })
    }
}

/// How a root ends that makes no complete assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailedRoot {
    /// Its own path is "no such file".
    NoSuchFile {
        /// Mount point of the deepest ancestor that exists, where the host told it.
        mount: Option<HostPath>,
    },
    /// Anything else.
    Failed(Failure),
}
