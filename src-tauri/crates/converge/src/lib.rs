//! The words of Rollcall and its decisions, pure: no clock, no environment, no files, no network.
//!
//! A [`Snapshot`] is what one roll call of a host established; [`plan()`] says what it does to the mirror.

mod bytes;
mod deep;
mod details;
mod generation;
mod host;
mod ids;
mod observation;
mod plan;
mod snapshot;
mod tombstone;
mod trash;
mod verbs;
mod verdict;

pub use bytes::{AdminName, HostPath, RefName, inert};
pub use deep::{
    Candidate, CandidateKind, Deep, Found, Held, Look, MergeState, Merged, Process, Search, Size,
    Subject, SubmoduleWork, Unobserved,
};
pub use details::{Beginning, ChangedFile, Commit, Details, Excerpt, FileChange};
pub use generation::{Generation, Origin};
pub use host::{
    Address, Caller, Failure, FailureCode, Host, OfferedKey, Root, RootKind, SignIn, SshTarget,
    Transport,
};
pub use ids::{HostId, RootId, WorkspaceId};
pub use observation::{
    Assertion, Changes, Distance, Existence, Facts, FactsOutcome, Head, LastCommit, Operation,
    Progress, Standing, Traits, Unpushed, Upstream, WorkspaceKind,
};
pub use plan::{
    Change, Choice, Claim, Condition, Conflict, Event, Loss, MASS_PERCENT, MASS_ROWS, Mirror,
    MirrorRoot, MirrorRow, Plan, Presence, Provenance, RootChange, RowState, decide_absence, plan,
};
pub use snapshot::{
    BadAnswer, CompleteAssertion, FailedRoot, HostFacts, Inspection, Probe, RollCall, RootOutcome,
    RootRequest, Snapshot, SnapshotBuilder, Tier, Unread,
};
pub use tombstone::{
    BranchChoice, Consent, FailureClass, Mode, Outcome, Reason, Removal, Waits, backoff, is_due,
    waits_for,
};
pub use trash::{RETENTION_DAYS, SHOWN_BEFORE, TrashStage, Trashed, may_expire};
pub use verbs::{Act, Branch, Checkout, Linked, Repository, page_of, place_of};
pub use verdict::{Block, Lost, Verdict, VerdictState, Weighed, verdict};
