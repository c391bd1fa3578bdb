//! The types that cross to the window. Ids and times are strings there, counts are `u32`, and no host path is
//! anything but a display: its bytes stay behind the id it comes with.

use jiff::Timestamp;
use rollcall_converge::{HostId, RootId, WorkspaceId};
use rollcall_registry::{GroupId, ViewId};
use serde::{Deserialize, Serialize};
use specta::Type;
use uuid::Uuid;

use crate::error::ErrorCode;

mod deletion;
mod plans;
mod verbs;
mod window;

pub use deletion::{
    BranchFate, DeletionForm, DeletionMode, DeletionOutcome, DeletionRow, ItemKind, PendingRow,
    PendingState, StopKind, TrashRow, VerdictItem, VerdictKind,
};
pub use plans::{CleanUpPlan, OnlyHere, OnlyHereRow, PlanRow, PlanStanding};
pub use verbs::{
    BranchRow, CheckoutForm, Creation, CreationForm, FetchOutcome, OpenerRow, Openers,
};
pub use window::{
    AnnotationForm, Colour, ColourChoice, Counterpart, GroupRow, JournalDay, JournalFilter,
    MemberForm, MergedKind, OrderForm, PlaceRow, Preferences, Theme, ViewRow,
};

macro_rules! wire_id {
    ($(#[$doc:meta])* $name:ident, $inner:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl From<$inner> for $name {
            fn from(id: $inner) -> Self {
                Self(id.uuid())
            }
        }

        impl From<$name> for $inner {
            fn from(id: $name) -> Self {
                Self::new(id.0)
            }
        }
    };
}

wire_id!(
    /// A host's identifier.
    HostRef,
    HostId
);
wire_id!(
    /// A root's identifier.
    RootRef,
    RootId
);
wire_id!(
    /// A workspace's identifier.
    WorkspaceRef,
    WorkspaceId
);
wire_id!(
    /// A group's identifier.
    GroupRef,
    GroupId
);
wire_id!(
    /// A saved view's identifier.
    ViewRef,
    ViewId
);

/// Why a host or a root does not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// What the window decides on.
    pub code: ErrorCode,
    /// One sentence.
    pub message: String,
    /// What to try, in order.
    pub hints: Vec<String>,
    /// The key in question, where one is.
    pub key: Option<KeyOffer>,
    /// Whether the system's `ssh` may get further.
    pub openssh: bool,
}

/// The key a host showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KeyOffer {
    /// Its type as OpenSSH names it.
    pub algorithm: String,
    /// Its `SHA256:…` fingerprint.
    pub fingerprint: String,
    /// Fingerprints known for the host, where this one differs from them.
    pub known: Vec<String>,
    /// The host on the way that shows it; none if it is the host itself.
    pub hop: Option<String>,
}

/// What carries the connection to a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum TransportKind {
    /// Rollcall's own connection, with the offer of the system's `ssh` where that may get further.
    #[default]
    Automatic,
    /// Rollcall's own connection.
    Own,
    /// The system's `ssh`.
    OpenSsh,
}

/// How a host is reached, as a person entered it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SshRow {
    /// An alias of the ssh configuration, a host name or an address.
    pub destination: String,
    /// The user.
    pub user: Option<String>,
    /// The TCP port.
    pub port: Option<u16>,
    /// A private key file on this machine.
    pub identity_file: Option<String>,
    /// What carries the connection.
    pub transport: TransportKind,
}

/// A forgotten host that is the same machine as one that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ForgottenRow {
    /// Its identifier.
    pub id: HostRef,
    /// What it was called.
    pub label: String,
    /// When it was forgotten.
    pub forgotten_at: Timestamp,
    /// How many workspaces of it are remembered.
    pub workspaces: u32,
    /// On how many of them people wrote something.
    pub annotated: u32,
    /// How many of them have a pending deletion.
    pub pending: u32,
}

/// A part of reaching a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum TraceStepKind {
    /// What the ssh configuration says.
    Configuration,
    /// The first byte there and back.
    Connection,
    /// The key the host shows.
    HostKey,
    /// Signing in.
    SignIn,
    /// Running the collector.
    Collector,
    /// The last roll call, with the time of each of its parts.
    RollCall,
}

/// What came of a part of reaching a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TraceRow {
    /// The part.
    pub step: TraceStepKind,
    /// The machine it was about, as it is called on the way.
    pub about: String,
    /// What came of it.
    pub words: String,
    /// Whether it went well.
    pub well: bool,
}

/// What came of trying to reach a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionTest {
    /// What was done, in its order.
    pub trace: Vec<TraceRow>,
    /// Why it did not work; none if it did.
    pub reason: Option<Reason>,
}

/// What a question to a person is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase", tag = "is")]
pub enum PromptSubject {
    /// The passphrase of a key file of this machine.
    Passphrase {
        /// The file.
        file: String,
    },
    /// The password of a user of the host.
    Password {
        /// The user.
        user: String,
    },
    /// Whatever the server asks, in its own words.
    Challenge {
        /// Its own instructions; may be empty.
        instructions: String,
    },
    /// Whatever the system's `ssh` asks, in its own words.
    #[serde(rename = "openSsh")]
    OpenSsh {
        /// Its words.
        text: String,
    },
}

/// One thing to fill in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PromptFieldRow {
    /// What is asked for, inert.
    pub text: String,
    /// Whether what is typed may be seen.
    pub echo: bool,
}

/// A question that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PromptRow {
    /// Its identifier.
    pub id: String,
    /// The host that is being reached.
    pub host: HostRef,
    /// What the machine that asks is called.
    pub asker: String,
    /// What it is about.
    pub subject: PromptSubject,
    /// What to fill in; nothing where something is only to be done or agreed to.
    pub fields: Vec<PromptFieldRow>,
    /// Whether an answer before this was wrong.
    pub again: bool,
    /// Whether the answer can be kept in the system's keychain.
    pub keepable: bool,
}

/// The text that a server shows to whoever signs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Banner {
    /// The host that was reached.
    pub host: HostRef,
    /// The text, inert, of several lines.
    pub text: String,
}

/// What a host is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase", tag = "is")]
pub enum HostState {
    /// Nothing was asked yet, or all is answered.
    Idle,
    /// A connection is being made or the roll is being called.
    Calling {
        /// Since when.
        since: Timestamp,
    },
    /// It does not answer, and will be asked again.
    Waiting {
        /// When.
        until: Timestamp,
        /// Why it does not answer.
        reason: Reason,
        /// Since when it does not.
        since: Timestamp,
    },
    /// Only a person can go on.
    NeedsYou {
        /// What stands in the way.
        reason: Reason,
        /// Since when.
        since: Timestamp,
    },
    /// A person stopped everything for it.
    Suspended,
}

/// One host as the side bar shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct HostRow {
    /// Its identifier.
    pub id: HostRef,
    /// What people call it.
    pub label: String,
    /// Whether it is this machine.
    pub local: bool,
    /// How it is reached, in words.
    pub address: String,
    /// What it is doing.
    pub state: HostState,
    /// When it last answered a whole roll call.
    pub answered_at: Option<Timestamp>,
    /// Its operating system, once it said so.
    pub system: Option<String>,
    /// Its version of git, once it said so.
    pub git_version: Option<String>,
    /// How many of its workspaces it says are gone, with nobody having decided whether that is so.
    pub unconfirmed: u32,
    /// How many of its workspaces have a pending deletion.
    pub pending: u32,
    /// What it calls its machine, inert, if that is another one than before and nobody agreed to it.
    pub machine_offered: Option<String>,
    /// How it is reached; none for this machine.
    pub ssh: Option<SshRow>,
    /// Seconds from one roll call to the next while the window is visible, where a person chose them.
    pub every: Option<u32>,
    /// A forgotten host that is the same machine, whose workspaces can be had back.
    pub forgotten: Option<ForgottenRow>,
    /// Labels of other hosts that are the same machine.
    pub twins: Vec<String>,
}

/// How a root's last roll call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase", tag = "is")]
pub enum RootCondition {
    /// It has not been called yet.
    New,
    /// Complete.
    Asserted,
    /// Its path is gone.
    Missing {
        /// Since when.
        since: Timestamp,
    },
    /// It failed; its rows are as of the last complete one.
    Failed {
        /// Why.
        reason: Reason,
    },
}

/// What a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RootKind {
    /// A git repository with its linked worktrees.
    Repository,
    /// A plain directory.
    Directory,
}

/// One root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RootRow {
    /// Its identifier.
    pub id: RootRef,
    /// Its host.
    pub host: HostRef,
    /// What it is.
    pub kind: RootKind,
    /// The last component of its path, inert.
    pub name: String,
    /// Its path, inert.
    pub path: String,
    /// How its last roll call ended.
    pub condition: RootCondition,
    /// When its existence was last asserted.
    pub asserted_at: Option<Timestamp>,
    /// When its facts were last asserted.
    pub facts_at: Option<Timestamp>,
    /// Records of it that could not be used.
    pub notes: Vec<String>,
    /// Paths that more than one record claims.
    pub conflicts: Vec<ConflictRow>,
    /// The branch that others are merged into, inert, where a person chose one.
    pub base: Option<String>,
}

/// A path that more than one record claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConflictRow {
    /// The path, inert.
    pub path: String,
    /// Who claims it.
    pub claims: Vec<ClaimRow>,
}

/// One of the records that claim a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ClaimRow {
    /// What to choose it by; `null` if its host cannot tell it from a later one, so that it cannot be chosen.
    pub id: Option<String>,
    /// The root that asserts it.
    pub root: RootRef,
    /// What it is.
    pub kind: Kind,
    /// The common git directory of its repository, inert.
    pub repository: Option<String>,
    /// Name of its administrative directory, inert.
    pub admin_name: Option<String>,
}

/// Everything but the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// The registry's revision this describes.
    pub revision: u32,
    /// All hosts, this machine first.
    pub hosts: Vec<HostRow>,
    /// All roots.
    pub roots: Vec<RootRow>,
    /// How many things rest in the trash of hosts.
    pub trash: u32,
    /// Groups: those that lie in the same one in their order.
    pub groups: Vec<GroupRow>,
    /// Saved views, in their order.
    pub views: Vec<ViewRow>,
    /// Lines of the journal that no person wrote since somebody looked at it; counted up to 1,000.
    pub unseen: u32,
    /// The number of the line up to which somebody looked.
    pub seen: u32,
    /// What a person set.
    pub preferences: Preferences,
}

/// What a workspace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A repository: its main working tree.
    Repository,
    /// A bare repository.
    Bare,
    /// A linked worktree.
    Worktree,
    /// A plain directory.
    Directory,
}

/// What HEAD points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum HeadKind {
    /// A branch.
    Branch,
    /// A commit.
    Detached,
    /// A branch without commits.
    Unborn,
    /// Nothing git can read.
    None,
}

/// Whether a workspace is where the mirror says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PresenceKind {
    /// Yes.
    Present,
    /// Locked and absent, as expected.
    Away,
    /// git's record is stale.
    Prunable,
    /// Its host says it is gone.
    Missing,
    /// Its host cannot tell.
    NotAsserted,
    /// Its host says it is gone, together with implausibly many others, and nobody decided whether that is so.
    Unconfirmed,
}

/// The branch HEAD's branch follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum UpstreamKind {
    /// Not observed.
    Unknown,
    /// None.
    None,
    /// A remote-tracking branch.
    Remote,
    /// A branch of the same repository.
    Local,
    /// One that does not exist.
    Gone,
    /// One of a remote that does not exist.
    NoSuchRemote,
}

/// What is in progress in a working tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum OperationKind {
    /// `git rebase`.
    Rebase,
    /// `git merge`.
    Merge,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git bisect`.
    Bisect,
    /// `git am`.
    Am,
}

/// Paths that differ from HEAD, each counted once per class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ChangeCounts {
    /// In the index.
    pub staged: u32,
    /// In the working tree.
    pub unstaged: u32,
    /// Unknown to git and not ignored.
    pub untracked: u32,
    /// With conflicts.
    pub conflicted: u32,
}

/// Commits that no remote has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase", tag = "is", content = "count")]
pub enum UnpushedCount {
    /// Not observed: never to be taken for none.
    Unknown,
    /// The repository has no remote, so everything exists only here.
    NoRemote,
    /// So many.
    Commits(u32),
}

/// One workspace as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a mark of its own on the row, and any may come with any other"
)]
pub struct WorkspaceRow {
    /// Its identifier; also the identity of its path.
    pub id: WorkspaceRef,
    /// Its host.
    pub host: HostRef,
    /// The root that asserted it last.
    pub root: RootRef,
    /// What it is.
    pub kind: Kind,
    /// The display name a person gave it, or the last component of its path.
    pub name: String,
    /// Its path, inert.
    pub path: String,
    /// The short name of its branch, or the first digits of its commit.
    pub branch: Option<String>,
    /// What HEAD points at.
    pub head: HeadKind,
    /// Whether it is there.
    pub presence: PresenceKind,
    /// What is not committed; `null` means unknown, never none.
    pub changes: Option<ChangeCounts>,
    /// What no remote has.
    pub unpushed: UnpushedCount,
    /// What its branch follows.
    pub upstream: UpstreamKind,
    /// Commits the upstream lacks.
    pub ahead: u32,
    /// Commits of the upstream that HEAD lacks.
    pub behind: u32,
    /// What is in progress.
    pub operation: Option<OperationKind>,
    /// Whether git says it is locked.
    pub locked: bool,
    /// The committer's time of HEAD.
    pub last_commit_at: Option<Timestamp>,
    /// When its facts were seen, if earlier than its root's `factsAt`.
    pub facts_as_of: Option<Timestamp>,
    /// Whether its facts could not be told when last asked.
    pub facts_unknown: bool,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Whether it has a note.
    pub noted: bool,
    /// Whether a person told the mirror to stop showing it.
    pub untracked: bool,
    /// What is to be said of deleting it.
    pub verdict: VerdictKind,
    /// Whether its deletion is pending.
    pub deleting: bool,
    /// The group it is in.
    pub group: Option<GroupRef>,
    /// Its place among those of its group that were given one; the others come behind them.
    pub position: Option<u32>,
    /// The colour that marks it.
    pub colour: Option<Colour>,
    /// How many KiB of disk it takes, as measured last.
    pub size: Option<u32>,
    /// When git or a person last changed something in it.
    pub active_at: Option<Timestamp>,
    /// Whether HEAD is merged into its base.
    pub merged: MergedKind,
    /// Entries of the repository's stash; `null` means unknown.
    pub stashes: Option<u32>,
}

/// How a workspace came into the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Listed {
    /// A person registered it.
    Registered,
    /// Its repository told of it.
    Adopted,
    /// A person had Rollcall make it.
    Made,
}

/// A part of the rows, in the order of their ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkspacePage {
    /// The registry's revision when it was read.
    pub revision: u32,
    /// The rows.
    pub rows: Vec<WorkspaceRow>,
    /// What to ask the next page with; `null` after the last.
    pub next: Option<WorkspaceRef>,
}

/// What changed after a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RowChanges {
    /// The registry's revision now.
    pub revision: u32,
    /// Rows that are new or changed.
    pub upserted: Vec<WorkspaceRow>,
    /// Rows that are gone.
    pub removed: Vec<WorkspaceRef>,
}

/// The commit HEAD resolves to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CommitLine {
    /// Its object id, where known.
    pub commit: Option<String>,
    /// The committer's time.
    pub time: Timestamp,
    /// Its subject, inert.
    pub subject: String,
    /// Its author's name, inert.
    pub author: String,
}

/// One workspace as the inspector shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceDetail {
    /// What the list shows.
    pub row: WorkspaceRow,
    /// What its verdict follows from.
    pub verdict: Vec<VerdictItem>,
    /// The note a person wrote, Markdown.
    pub note: String,
    /// The display name a person gave it.
    pub display_name: Option<String>,
    /// Where on the web it belongs, as a person said.
    pub link: Option<String>,
    /// How it came here.
    pub listed: Listed,
    /// Whether what is annotated was written for an earlier workspace at this path.
    pub recreated: bool,
    /// Why it is not present, where it is not.
    pub presence_reason: Option<String>,
    /// Since when it is missing, or said to be.
    pub missing_since: Option<Timestamp>,
    /// The lock's reason, possibly empty, inert.
    pub lock_reason: Option<String>,
    /// The full commit of HEAD.
    pub commit: Option<String>,
    /// The short name of the upstream.
    pub upstream_name: Option<String>,
    /// The commit of HEAD.
    pub last_commit: Option<CommitLine>,
    /// How many of the unpushed commits another branch of the repository holds as well; `null` means unknown.
    pub unpushed_shared: Option<u32>,
    /// How far HEAD is from the branch that others are merged into; `null` means unknown.
    pub base: Option<BaseLine>,
    /// Whether and how it is merged, in words, if that was found out and neither commit moved since.
    pub merged: Option<String>,
    /// What was seen of it in depth last.
    pub depth: Option<DepthView>,
    /// How large it was when it was measured last.
    pub size: Option<SizeView>,
    /// The branch that the operation in progress began on.
    pub operation_branch: Option<String>,
    /// The step that the operation is at, and of how many.
    pub operation_step: Option<(u32, u32)>,
    /// Entries of the repository's stash; `null` means unknown.
    pub stashes: Option<u32>,
    /// Those of them that were made on HEAD's branch; `null` means unknown.
    pub stashes_here: Option<u32>,
    /// When git or a person last changed something in it.
    pub last_activity: Option<Timestamp>,
    /// Where the repository was cloned from, host and path, inert.
    pub origin: Option<String>,
    /// What is special about it, in words for a person.
    pub traits: Vec<String>,
    /// The repository's common git directory, inert.
    pub repository: Option<String>,
    /// Name of its administrative directory, inert.
    pub admin_name: Option<String>,
    /// Each fact that is unknown, with the reason.
    pub unknown: Vec<String>,
    /// When its existence was last asserted.
    pub asserted_at: Option<Timestamp>,
    /// When its facts were seen.
    pub facts_at: Option<Timestamp>,
}

/// What was seen of a workspace in depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DepthView {
    /// When.
    pub at: Timestamp,
    /// One thing after another.
    pub items: Vec<LookItem>,
}

/// How large a workspace is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SizeView {
    /// When that was measured.
    pub at: Timestamp,
    /// In words.
    pub words: String,
}

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JobProgress {
    /// The job, as the window named it.
    pub job: String,
    /// KiB of a measurement, folders of a search.
    pub first: u32,
    /// Thousandths of a measurement, repositories of a search.
    pub second: u32,
}

/// What is in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// What its README calls it, inert.
    pub heading: Option<String>,
    /// Lists of changed files and of commits.
    pub parts: Vec<DetailPart>,
}

/// One list of what is in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DetailPart {
    /// What it lists.
    pub name: String,
    /// Its lines.
    pub lines: Vec<DetailLine>,
    /// Whether there is more.
    pub more: bool,
    /// Why it is not known, if it is not.
    pub unknown: Option<String>,
}

/// A changed file, or a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DetailLine {
    /// What happened to a file, or the first digits of a commit.
    pub mark: String,
    /// A path, or the subject of a commit; inert.
    pub text: String,
    /// What else is to be said; empty mostly.
    pub note: String,
    /// When a commit was made.
    pub at: Option<Timestamp>,
}

/// Where to look for repositories.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SearchForm {
    /// The host.
    pub host: HostRef,
    /// The folder; `~` is the home folder there.
    pub folder: String,
    /// How many folders deep, 1 to 12.
    pub depth: u8,
    /// Whether to look into hidden folders.
    pub hidden: bool,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// What may be registered, by its place.
    pub found: Vec<FoundRow>,
    /// Folders that could not be looked into, inert.
    pub unreadable: Vec<String>,
    /// How many folders were looked at.
    pub looked_at: u32,
}

/// Something a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundRow {
    /// Where it is, inert.
    pub path: String,
    /// What it is.
    pub kind: FoundKind,
    /// Whether it is listed already.
    pub listed: bool,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FoundKind {
    /// A repository with a working tree.
    Repository,
    /// A bare repository.
    Bare,
    /// A linked worktree.
    Worktree,
    /// A working tree whose git directory lies elsewhere.
    Linked,
}

/// One thing that a look in depth told about a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LookItem {
    /// What it is about.
    pub name: String,
    /// What was seen, or why it is not known.
    pub words: String,
    /// Names of files, folders, references or processes it is about, inert; some of them where there are many.
    pub names: Vec<String>,
    /// Whether it is known.
    pub known: bool,
    /// Whether something would be lost with the workspace, or would be disturbed.
    pub matters: bool,
}

/// How far a HEAD and the branch that others are merged into are apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BaseLine {
    /// Its short name.
    pub name: String,
    /// Commits of HEAD it lacks.
    pub ahead: u32,
    /// Commits of it that HEAD lacks.
    pub behind: u32,
}

/// What a person changes about a workspace. What is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct AnnotationPatch {
    /// The note, Markdown; empty removes it.
    pub note: Option<String>,
    /// All tags.
    pub tags: Option<Vec<String>>,
    /// Whether it is pinned.
    pub pinned: Option<bool>,
    /// The display name; empty removes it.
    pub display_name: Option<String>,
    /// The colour that marks it.
    pub colour: Option<ColourChoice>,
    /// Where on the web it belongs: an address with `https` or `http`; empty removes it.
    pub link: Option<String>,
}

/// A host to add.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NewHost {
    /// What people call it; empty takes the destination.
    pub label: String,
    /// An alias of the ssh configuration, a host name or an address.
    pub destination: String,
    /// The user to sign in as; empty leaves it to the configuration.
    pub user: Option<String>,
    /// The TCP port; left out leaves it to the configuration.
    pub port: Option<u16>,
    /// A private key file on this machine.
    pub identity_file: Option<String>,
    /// What carries the connection.
    pub transport: TransportKind,
    /// Seconds from one roll call to the next while the window is visible; left out takes the usual.
    pub every: Option<u32>,
}

/// A host of the ssh configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AliasRow {
    /// Its alias.
    pub alias: String,
    /// The name it stands for, where the configuration says.
    pub host_name: Option<String>,
    /// The user, where the configuration says.
    pub user: Option<String>,
    /// The port, where the configuration says.
    pub port: Option<u16>,
    /// Whether a host with this destination is registered already.
    pub added: bool,
}

/// What registering one path came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Registered {
    /// The root.
    pub root: RootRow,
    /// Whether it was registered already.
    pub already: bool,
    /// The repository that contains the folder, inert, if the folder is a plain one inside it.
    pub inside: Option<String>,
}

/// What registering one of several paths came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RegisterOutcome {
    /// The path asked for, inert.
    pub path: String,
    /// What it was registered as.
    pub registered: Option<Registered>,
    /// Why it was not.
    pub error: Option<crate::error::ApiError>,
}

/// Who did what a journal line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// A roll call.
    RollCall,
    /// A person.
    Person,
    /// Rollcall on its own.
    Sweep,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JournalLine {
    /// Its number; later lines have larger ones.
    pub number: u32,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// Where, unless the host is gone.
    pub host: Option<HostRef>,
    /// About which row, unless it is gone.
    pub workspace: Option<WorkspaceRef>,
    /// What happened, one sentence.
    pub text: String,
}

/// A copy of the registry that can be put in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BackupRow {
    /// Its name.
    pub name: String,
    /// When it was made.
    pub taken_at: Timestamp,
    /// Its size in kilobytes of 1,000 bytes, rounded up.
    pub kilobytes: u32,
    /// How many hosts it knows.
    pub hosts: u32,
    /// How many workspaces it lists.
    pub workspaces: u32,
    /// How many of them have a note.
    pub notes: u32,
}

/// How annotations of a file meet those that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ImportMode {
    /// What is there stays.
    Merge,
    /// What the file says is what is there afterwards.
    Replace,
}

/// A workspace that an import changes, or would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ImportRow {
    /// The label of its host.
    pub host: String,
    /// Its path, inert.
    pub path: String,
    /// Fields that change; empty for a workspace that is not in the registry.
    pub fields: Vec<String>,
}

/// What an import does, or would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// When the file was written.
    pub exported_at: Timestamp,
    /// How many workspaces change.
    pub changed: u32,
    /// How many are as the file says already.
    pub unchanged: u32,
    /// How many the registry does not have.
    pub unknown: u32,
    /// How many groups are made.
    pub groups: u32,
    /// How many saved views are made or replaced.
    pub views: u32,
    /// The first two hundred that change.
    pub rows: Vec<ImportRow>,
    /// The first two hundred that the registry does not have.
    pub missing: Vec<ImportRow>,
}

/// Rows changed. A change of more than 200 rows carries the revision only: ask `changesSince`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RowsChanged {
    /// The revision before: a window that is not at it has missed something and asks.
    pub since: u32,
    /// What changed.
    pub changes: RowChanges,
    /// Whether the rows were left out.
    pub partial: bool,
}

/// Something a person should be told at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase", tag = "is", content = "about")]
pub enum Notice {
    /// Folders were dropped onto the window.
    Dropped(Vec<RegisterOutcome>),
    /// Something went wrong without anybody having asked.
    Trouble(crate::error::ApiError),
    /// A server says something to whoever signs in.
    Banner(Banner),
}
