//! Domain types as the window sees them. Everything a host named leaves here inert.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use jiff::Timestamp;
use rollcall_collect::{Contact, TraceStep};
use rollcall_converge::{
    Address, Changes, Condition, Conflict, Event, Failure, Generation, Head, HostId, HostPath,
    Operation, Presence, Provenance, SshTarget, Traits, Transport, Unpushed, Upstream,
    WorkspaceKind, inert,
};
use rollcall_registry::{
    Backup, ForgottenHost, Group, HostRecord, Import, JournalEntry, JournalKind, RegistryChanges,
    RootRecord, Seen, Verb, View, Weighing, WorkspaceRecord,
};
use rollcall_supervise::HostState as Doing;

use crate::depth;
use crate::verdicts;
use crate::wire::{
    Actor, BackupRow, BaseLine, ChangeCounts, ClaimRow, CommitLine, ConflictRow, ForgottenRow,
    GroupRow, HeadKind, HostRow, HostState, ImportReport, ImportRow, JournalLine, KeyOffer, Kind,
    Listed, OperationKind, PresenceKind, Reason, RootCondition, RootKind, RootRow, RowChanges,
    SshRow, TraceRow, TraceStepKind, TransportKind, UnpushedCount, UpstreamKind, ViewRow,
    WorkspaceDetail, WorkspaceRow,
};

/// A revision for the wire. The registry counts changes, of which there are not four thousand million.
pub(crate) fn revision(revision: u64) -> u32 {
    u32::try_from(revision).unwrap_or(u32::MAX)
}

pub(crate) fn reason(failure: &Failure) -> Reason {
    Reason {
        code: failure.code.into(),
        message: failure.message.clone(),
        hints: failure.hints.clone(),
        key: failure.key.as_ref().map(|key| KeyOffer {
            algorithm: key.algorithm.clone(),
            fingerprint: key.fingerprint.clone(),
            known: key.known.clone(),
            hop: key.hop.as_ref().map(|hop| inert(hop.as_bytes())),
        }),
        openssh: failure.openssh,
    }
}

fn doing(state: &Doing) -> HostState {
    match state {
        Doing::Idle => HostState::Idle,
        Doing::Calling { since } => HostState::Calling { since: *since },
        Doing::Waiting {
            until,
            failure,
            since,
        } => HostState::Waiting {
            until: *until,
            reason: reason(failure),
            since: *since,
        },
        Doing::NeedsPerson { failure, since } => HostState::NeedsYou {
            reason: reason(failure),
            since: *since,
        },
        Doing::Suspended => HostState::Suspended,
    }
}

/// Hosts with what they are doing, and with others that are the same machine.
pub(crate) fn hosts(
    records: &[HostRecord],
    forgotten: &[ForgottenHost],
    states: &HashMap<HostId, Doing>,
) -> Vec<HostRow> {
    records
        .iter()
        .map(|record| {
            let mut row = host(record, states.get(&record.host.id));
            row.twins = records
                .iter()
                .filter(|other| other.host.id != record.host.id)
                .filter(|other| {
                    same_machine(
                        (other.machine.as_deref(), other.host_key.as_deref()),
                        (record.machine.as_deref(), record.host_key.as_deref()),
                    )
                })
                .map(|other| other.host.label.clone())
                .collect();
            row.forgotten = forgotten
                .iter()
                .filter(|_| record.host.address != Address::Local)
                .find(|other| {
                    same_machine(
                        (other.machine.as_deref(), other.host_key.as_deref()),
                        (record.machine.as_deref(), record.host_key.as_deref()),
                    )
                })
                .map(|other| ForgottenRow {
                    id: other.id.into(),
                    label: other.label.clone(),
                    forgotten_at: other.forgotten_at,
                    workspaces: amount(other.rows),
                    annotated: amount(other.annotated),
                    pending: amount(other.pending),
                });
            row
        })
        .collect()
}

/// Whether two hosts are one machine, by what they call it; by the key they show where either says nothing.
fn same_machine(one: (Option<&str>, Option<&str>), other: (Option<&str>, Option<&str>)) -> bool {
    let told =
        |one: Option<&str>, other: Option<&str>| one.zip(other).map(|(one, other)| one == other);
    told(one.0, other.0)
        .or_else(|| told(one.1, other.1))
        .unwrap_or(false)
}

/// What was done to reach a host.
pub(crate) fn trace(contact: &Contact) -> Vec<TraceRow> {
    contact
        .trace
        .iter()
        .map(|line| TraceRow {
            step: match line.step {
                TraceStep::Configuration => TraceStepKind::Configuration,
                TraceStep::Connection => TraceStepKind::Connection,
                TraceStep::HostKey => TraceStepKind::HostKey,
                TraceStep::SignIn => TraceStepKind::SignIn,
                TraceStep::Collector => TraceStepKind::Collector,
                TraceStep::RollCall => TraceStepKind::RollCall,
            },
            about: inert(line.about.as_bytes()),
            words: inert(line.words.as_bytes()),
            well: line.well,
        })
        .collect()
}

fn ssh(address: &Address) -> Option<SshRow> {
    let target = address.ssh()?;
    Some(SshRow {
        destination: target.destination.clone(),
        user: target.user.clone(),
        port: target.port,
        identity_file: target.identity_file.clone(),
        transport: match target.transport {
            Transport::Automatic => TransportKind::Automatic,
            Transport::Own => TransportKind::Own,
            Transport::OpenSsh => TransportKind::OpenSsh,
        },
    })
}

/// A host with what it is doing.
fn host(record: &HostRecord, state: Option<&Doing>) -> HostRow {
    let state = match state {
        Some(state) => doing(state),
        None if record.host.suspended => HostState::Suspended,
        None => HostState::Idle,
    };
    HostRow {
        id: record.host.id.into(),
        label: record.host.label.clone(),
        local: record.host.address == Address::Local,
        address: address(&record.host.address),
        state,
        answered_at: record.answered_at,
        system: record.system.clone(),
        git_version: record.git_version.clone(),
        unconfirmed: amount(record.unconfirmed),
        pending: amount(record.pending),
        machine_offered: record
            .machine_offered
            .as_ref()
            .map(|machine| inert(machine.as_bytes())),
        ssh: ssh(&record.host.address),
        every: record.cadence.map(|it| amount(it.as_secs())),
        forgotten: None,
        twins: Vec::new(),
    }
}

/// A count for the wire.
pub(crate) fn amount(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn address(address: &Address) -> String {
    match address {
        Address::Local => "this machine".to_owned(),
        Address::Ssh(target) => authority(target),
    }
}

/// `user@destination:port`, as far as they are told.
pub(crate) fn authority(target: &SshTarget) -> String {
    let user = target
        .user
        .as_ref()
        .map(|user| format!("{user}@"))
        .unwrap_or_default();
    let port = target
        .port
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    format!("{user}{}{port}", target.destination)
}

pub(crate) fn name(path: &HostPath) -> String {
    inert(path.file_name())
}

/// What a workspace is called: as a person said, or like its folder.
pub(crate) fn called(record: &WorkspaceRecord) -> String {
    let chosen = record.display_name.clone();
    chosen.unwrap_or_else(|| name(&record.row.state.path))
}

/// A root.
pub(crate) fn root(record: &RootRecord) -> RootRow {
    let condition = match &record.condition {
        None => RootCondition::New,
        Some(Condition::Asserted) => RootCondition::Asserted,
        Some(Condition::Missing { since }) => RootCondition::Missing { since: *since },
        Some(Condition::Failed { failure }) => RootCondition::Failed {
            reason: reason(failure),
        },
    };
    RootRow {
        id: record.root.id.into(),
        host: record.root.host.into(),
        kind: match record.root.kind {
            rollcall_converge::RootKind::Repository => RootKind::Repository,
            rollcall_converge::RootKind::Directory => RootKind::Directory,
        },
        name: name(&record.root.path),
        path: record.root.path.display(),
        condition,
        asserted_at: record.asserted_at,
        facts_at: record.facts_at,
        notes: record.notes.clone(),
        conflicts: record.conflicts.iter().map(conflict).collect(),
        base: record.base.as_ref().map(rollcall_converge::RefName::short),
    }
}

fn conflict(conflict: &Conflict) -> ConflictRow {
    ConflictRow {
        path: conflict.path.display(),
        claims: conflict
            .claims
            .iter()
            .map(|claim| ClaimRow {
                id: claim
                    .generation
                    .map(|generation| claim_id(&conflict.path, generation)),
                root: claim.root.into(),
                kind: match claim.kind {
                    WorkspaceKind::Repository => Kind::Repository,
                    WorkspaceKind::Worktree => Kind::Worktree,
                    WorkspaceKind::Directory => Kind::Directory,
                },
                repository: claim.common_dir.as_ref().map(HostPath::display),
                admin_name: claim
                    .admin_name
                    .as_ref()
                    .map(rollcall_converge::AdminName::display),
            })
            .collect(),
    }
}

/// What a claim is called while the application runs. The bytes of its path stay here.
pub(crate) fn claim_id(path: &HostPath, generation: Generation) -> String {
    let mut hasher = DefaultHasher::new();
    (path, generation).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// A group of a person's own.
pub(crate) fn group(group: Group) -> GroupRow {
    GroupRow {
        id: group.id.into(),
        name: group.name,
        parent: group.parent.map(Into::into),
    }
}

/// A saved view.
pub(crate) fn view(view: View) -> ViewRow {
    ViewRow {
        id: view.id.into(),
        name: view.name,
        definition: view.definition,
    }
}

/// A copy of the registry.
pub(crate) fn backup(backup: Backup) -> BackupRow {
    BackupRow {
        name: backup.name,
        taken_at: backup.taken_at,
        kilobytes: amount(backup.bytes.div_ceil(1_000)),
        hosts: amount(backup.hosts),
        workspaces: amount(backup.workspaces),
        notes: amount(backup.notes),
    }
}

/// Rows of an import that the window shows.
const IMPORT_ROWS: usize = 200;

/// What an import does, or would do.
pub(crate) fn import(import: Import) -> ImportReport {
    ImportReport {
        exported_at: import.exported_at,
        changed: amount(import.changed.len() as u64),
        unchanged: amount(import.unchanged),
        unknown: amount(import.unknown.len() as u64),
        groups: amount(import.groups),
        views: amount(import.views),
        rows: import
            .changed
            .into_iter()
            .take(IMPORT_ROWS)
            .map(|row| ImportRow {
                host: row.host,
                path: row.path,
                fields: row.fields.into_iter().map(str::to_owned).collect(),
            })
            .collect(),
        missing: import
            .unknown
            .into_iter()
            .take(IMPORT_ROWS)
            .map(|(host, path)| ImportRow {
                host,
                path,
                fields: Vec::new(),
            })
            .collect(),
    }
}

/// A workspace as the list shows it.
pub(crate) fn row(record: &WorkspaceRecord, weighing: &Weighing) -> WorkspaceRow {
    let state = &record.row.state;
    let facts = state.facts.as_ref();
    let (branch, head) = match &state.existence.head {
        Head::Branch { name, .. } => (Some(name.short()), HeadKind::Branch),
        Head::Detached { commit } => (commit.get(..9).map(str::to_owned), HeadKind::Detached),
        Head::Unborn { name } => (
            name.as_ref().map(rollcall_converge::RefName::short),
            HeadKind::Unborn,
        ),
        Head::None => (None, HeadKind::None),
    };
    let (upstream, ahead, behind) = match facts.map(|facts| &facts.upstream) {
        None => (UpstreamKind::Unknown, 0, 0),
        Some(Upstream::None) => (UpstreamKind::None, 0, 0),
        Some(Upstream::Remote { ahead, behind, .. }) => (UpstreamKind::Remote, *ahead, *behind),
        Some(Upstream::Local { ahead, behind, .. }) => (UpstreamKind::Local, *ahead, *behind),
        Some(Upstream::Gone { .. }) => (UpstreamKind::Gone, 0, 0),
        Some(Upstream::NoSuchRemote { .. }) => (UpstreamKind::NoSuchRemote, 0, 0),
    };
    WorkspaceRow {
        id: record.row.id.into(),
        host: record.host.into(),
        root: state.root.into(),
        kind: match record.row.kind {
            WorkspaceKind::Repository if state.existence.bare => Kind::Bare,
            WorkspaceKind::Repository => Kind::Repository,
            WorkspaceKind::Worktree => Kind::Worktree,
            WorkspaceKind::Directory => Kind::Directory,
        },
        name: called(record),
        path: state.path.display(),
        branch,
        head,
        presence: match state.presence {
            _ if state.unconfirmed.is_some() => PresenceKind::Unconfirmed,
            Presence::Present => PresenceKind::Present,
            Presence::Away => PresenceKind::Away,
            Presence::Prunable { .. } => PresenceKind::Prunable,
            Presence::Missing { .. } => PresenceKind::Missing,
            Presence::NotAsserted { .. } => PresenceKind::NotAsserted,
        },
        changes: facts.and_then(|facts| match facts.changes {
            Changes::Counted {
                staged,
                unstaged,
                untracked,
                conflicted,
            } => Some(ChangeCounts {
                staged,
                unstaged,
                untracked,
                conflicted,
            }),
            Changes::Unknown { .. } => None,
        }),
        unpushed: match facts.map(|facts| &facts.unpushed) {
            Some(Unpushed::Commits { count, .. }) => UnpushedCount::Commits(*count),
            Some(Unpushed::NoRemote) => UnpushedCount::NoRemote,
            Some(Unpushed::Unknown { .. }) | None => UnpushedCount::Unknown,
        },
        upstream,
        ahead,
        behind,
        operation: facts
            .and_then(|facts| facts.operation)
            .map(|operation| match operation {
                Operation::Rebase => OperationKind::Rebase,
                Operation::Merge => OperationKind::Merge,
                Operation::CherryPick => OperationKind::CherryPick,
                Operation::Revert => OperationKind::Revert,
                Operation::Bisect => OperationKind::Bisect,
                Operation::Am => OperationKind::Am,
            }),
        locked: state.existence.locked.is_some(),
        last_commit_at: facts
            .and_then(|it| it.last_commit.as_ref())
            .map(|commit| commit.time),
        facts_as_of: state.facts_as_of,
        facts_unknown: state.facts_unknown.is_some(),
        tags: record.tags.clone(),
        pinned: record.pinned,
        noted: !record.note.is_empty(),
        untracked: record.row.untracked,
        verdict: verdicts::kind(&weighing.verdict(record)),
        deleting: record.row.tombstone.is_some(),
        group: record.group.map(Into::into),
        position: record.position.and_then(|it| u32::try_from(it).ok()),
        colour: record.colour.map(Into::into),
        size: weighing
            .size(record)
            .map(|size| amount(size.total.div_ceil(1_024))),
        active_at: facts.and_then(|facts| facts.last_activity),
        merged: depth::merged_kind(weighing.merged(record)),
        stashes: facts.and_then(|facts| facts.stashes),
    }
}

/// A workspace as the inspector shows it.
pub(crate) fn detail(
    record: &WorkspaceRecord,
    root: Option<&RootRecord>,
    seen: &Seen,
    weighing: &Weighing,
) -> WorkspaceDetail {
    let state = &record.row.state;
    let facts = state.facts.as_ref();
    let (presence_reason, missing_since) = match &state.presence {
        _ if state.unconfirmed.is_some() => (
            Some("Its host says it is gone, together with implausibly many others.".to_owned()),
            state.unconfirmed,
        ),
        Presence::Present | Presence::Away => (None, None),
        Presence::Prunable { reason } | Presence::NotAsserted { reason } => {
            (Some(inert(reason.as_bytes())), None)
        }
        Presence::Missing { since } => (None, Some(*since)),
    };
    let upstream_name = facts.and_then(|facts| match &facts.upstream {
        Upstream::None => None,
        Upstream::Remote { name, .. } | Upstream::Local { name, .. } | Upstream::Gone { name } => {
            Some(name.short())
        }
        Upstream::NoSuchRemote { remote } => Some(inert(remote.as_bytes())),
    });
    let progress = facts.map(|facts| &facts.progress);
    let base_commit = facts.and_then(|it| it.distance.as_ref());
    let base_commit = base_commit.map(|it| it.commit.as_str());
    let merged = seen.merged(state.existence.head.commit(), base_commit);
    let facts_at: Option<Timestamp> = facts.and(
        state
            .facts_as_of
            .or_else(|| root.and_then(|root| root.facts_at)),
    );
    WorkspaceDetail {
        row: row(record, weighing),
        verdict: verdicts::items(&weighing.verdict(record)),
        note: record.note.clone(),
        display_name: record.display_name.clone(),
        link: record.link.clone(),
        listed: match record.row.provenance {
            Provenance::Registered => Listed::Registered,
            Provenance::Adopted => Listed::Adopted,
            Provenance::Made => Listed::Made,
        },
        recreated: state.recreated,
        presence_reason,
        missing_since,
        lock_reason: state
            .existence
            .locked
            .as_ref()
            .map(|reason| inert(reason.as_bytes())),
        commit: state.existence.head.commit().map(str::to_owned),
        upstream_name,
        last_commit: facts
            .and_then(|it| it.last_commit.as_ref())
            .map(|commit| CommitLine {
                commit: state.existence.head.commit().map(str::to_owned),
                time: commit.time,
                subject: inert(commit.subject.as_bytes()),
                author: inert(commit.author.as_bytes()),
            }),
        unpushed_shared: facts.and_then(|facts| match facts.unpushed {
            Unpushed::Commits { shared, .. } => shared,
            _ => None,
        }),
        base: facts
            .and_then(|facts| facts.distance.as_ref())
            .map(|it| BaseLine {
                name: it.base.short(),
                ahead: it.ahead,
                behind: it.behind,
            }),
        merged: merged.map(depth::merged_words),
        depth: seen
            .look
            .as_ref()
            .map(|(at, look)| depth::view(*at, &look.deep, record.row.kind)),
        size: seen.size.as_ref().map(|(at, size)| depth::size(*at, size)),
        operation_branch: progress
            .and_then(|it| it.branch.as_ref())
            .map(rollcall_converge::RefName::short),
        operation_step: progress.and_then(|it| it.step),
        stashes: facts.and_then(|facts| facts.stashes),
        stashes_here: facts.and_then(|facts| facts.stashes_here),
        last_activity: facts.and_then(|facts| facts.last_activity),
        origin: facts
            .and_then(|facts| facts.origin.as_ref())
            .map(|it| inert(it.as_bytes())),
        traits: facts.map(|facts| traits(&facts.traits)).unwrap_or_default(),
        repository: state.existence.common_dir.as_ref().map(HostPath::display),
        admin_name: state
            .existence
            .admin_name
            .as_ref()
            .map(rollcall_converge::AdminName::display),
        unknown: unknown(record),
        asserted_at: root.and_then(|root| root.asserted_at),
        facts_at,
    }
}

/// What is special about a workspace, as people say it.
fn traits(traits: &Traits) -> Vec<String> {
    let mut said: Vec<String> = [
        (
            traits.sparse,
            "sparse: only part of the tree is checked out",
        ),
        (traits.shallow, "shallow: history ends somewhere"),
        (
            traits.partial,
            "partial: objects are fetched when they are needed",
        ),
        (traits.lfs, "keeps large files elsewhere (LFS)"),
        (
            traits.index_locked,
            "another git holds its index, or left a lock behind",
        ),
    ]
    .into_iter()
    .filter(|(is, _)| *is)
    .map(|(_, words)| words.to_owned())
    .collect();
    for name in &traits.extensions {
        said.push(format!("format extension {}", inert(name.as_bytes())));
    }
    for objects in &traits.borrows {
        said.push(format!("borrows objects from {}", objects.display()));
    }
    said
}

/// Each fact that is unknown, with its reason (I13).
fn unknown(record: &WorkspaceRecord) -> Vec<String> {
    let state = &record.row.state;
    let mut unknown = Vec::new();
    if let Some(reason) = &state.facts_unknown {
        unknown.push(format!("Facts: {}", inert(reason.as_bytes())));
    }
    if let Some(facts) = &state.facts {
        if let Changes::Unknown { reason } = &facts.changes {
            unknown.push(format!("Changes: {}", inert(reason.as_bytes())));
        }
        if let Unpushed::Unknown { reason } = &facts.unpushed {
            unknown.push(format!("Unpushed commits: {}", inert(reason.as_bytes())));
        }
    } else if state.facts_unknown.is_none() && record.row.kind != WorkspaceKind::Directory {
        unknown.push("Facts: not looked at yet".to_owned());
    }
    unknown
}

/// What changed, for the window.
pub(crate) fn changes(changes: &RegistryChanges, weighing: &Weighing) -> RowChanges {
    RowChanges {
        revision: revision(changes.revision),
        upserted: changes
            .upserted
            .iter()
            .map(|it| row(it, weighing))
            .collect(),
        removed: changes.removed.iter().map(|id| (*id).into()).collect(),
    }
}

fn many(rows: u64) -> String {
    match rows {
        1 => "1 workspace".to_owned(),
        rows => format!("{rows} workspaces"),
    }
}

fn is(rows: u64) -> &'static str {
    if rows == 1 { "is" } else { "are" }
}

fn was(rows: u64) -> &'static str {
    if rows == 1 { "was" } else { "were" }
}

/// A line of the journal as a sentence.
pub(crate) fn journal_line(entry: &JournalEntry, labels: &HashMap<HostId, String>) -> JournalLine {
    let on = entry
        .host
        .and_then(|host| labels.get(&host))
        .map(|label| format!(" on {label}"))
        .unwrap_or_default();
    let here = entry
        .path
        .as_ref()
        .map(HostPath::display)
        .unwrap_or_default();
    let label = entry
        .host
        .and_then(|host| labels.get(&host))
        .map_or("a host", String::as_str);
    let text = match &entry.kind {
        JournalKind::Observed(event) => match event {
            Event::Adopted { .. } => format!("Found {here}{on}."),
            Event::Moved { from, to, .. } => {
                format!("{} moved to {}{on}.", from.display(), to.display())
            }
            Event::Recreated { .. } => format!("{here}{on} was deleted and made again."),
            Event::WentMissing { .. } => format!("{here}{on} is gone."),
            Event::Returned { .. } => format!("{here}{on} is back."),
            Event::Dropped { .. } => {
                format!("{here}{on} is gone, and nothing was written about it.")
            }
            Event::Deleted { .. } => format!("{here}{on} is deleted; its host confirms it."),
            Event::Overtaken { .. } => format!(
                "What was to be deleted at {here}{on} is gone already. Another workspace is there now and is left alone."
            ),
            Event::AbsenceHeld { rows, of } => format!(
                "{label} says that {rows} of {of} workspaces are gone at once. Nothing is concluded until you decide."
            ),
            Event::AnotherMachine => format!(
                "{label} answers as another machine than before. Nothing it says is taken up until you decide."
            ),
        },
        JournalKind::HostAdded { label } => format!("Added the host {label}."),
        JournalKind::HostEdited { from, to } if from == to => {
            format!("Changed how {to} is reached.")
        }
        JournalKind::HostEdited { from, to } => format!("Renamed the host {from} to {to}."),
        JournalKind::HostForgotten { label, rows } => {
            format!("Forgot the host {label} with {}.", many(*rows))
        }
        JournalKind::HostReclaimed { from, to, rows } => {
            format!("Gave {to} back what {from} had: {}.", many(*rows))
        }
        JournalKind::HostSuspended => format!("Suspended {label}."),
        JournalKind::HostResumed => format!("Resumed {label}."),
        JournalKind::RootRegistered { .. } => format!("Registered {here}{on}."),
        JournalKind::BaseChosen { base: Some(base) } => {
            format!("Branches of {here}{on} are merged into {base} from now on.")
        }
        JournalKind::BaseChosen { base: None } => {
            format!("The repository {here}{on} says again what its branches are merged into.")
        }
        JournalKind::RootReleased { rows } => {
            format!("Released {here}{on} with {}.", many(*rows))
        }
        JournalKind::Annotated => format!("Wrote about {here}{on}."),
        JournalKind::Untracked => format!("Stopped showing {here}{on}."),
        JournalKind::Retracked => format!("Shows {here}{on} again."),
        JournalKind::UntrackedPurged { rows } => {
            format!(
                "Forgot {} that {} hidden and gone for long.",
                many(*rows),
                was(*rows)
            )
        }
        JournalKind::AbsenceAccepted { dropped, missing } => format!(
            "Accepted that {} on {label} {} gone; {missing} of them stay listed as missing.",
            many(dropped + missing),
            is(dropped + missing)
        ),
        JournalKind::AbsenceRefused { rows } => {
            format!("Kept {} that {label} says {} gone.", many(*rows), is(*rows))
        }
        JournalKind::ConflictSettled => format!("Chose the record that counts at {here}{on}."),
        JournalKind::MachineAgreed => format!("Agreed that {label} is another machine now."),
        JournalKind::DeletionAsked => {
            format!("Deleted {here}{on}; its host has yet to confirm it.")
        }
        JournalKind::DeletionAgreedAgain => {
            format!("Looked at the deletion of {here}{on} again and agreed to it.")
        }
        JournalKind::DeletionRetried => format!("Asked to try the deletion of {here}{on} again."),
        JournalKind::DeletionCancelled => format!("Took the deletion of {here}{on} back."),
        JournalKind::BranchOfDeletion { words } => {
            format!(
                "The branch of {here}{on}, which was deleted: {}.",
                inert(words.as_bytes())
            )
        }
        JournalKind::RestoredFromTrash => format!("Restored {here}{on} from the trash."),
        JournalKind::TrashEmptied => format!("Removed {here}{on} from the trash for good."),
        JournalKind::Done { verb, words } => {
            let words = inert(words.as_bytes());
            let with = |before: &str| match words.as_str() {
                "" => ".".to_owned(),
                words => format!("{before}{words}."),
            };
            match verb {
                Verb::Create => format!("Created {here}{on}{}", with(" on ")),
                Verb::Lock => format!("Locked {here}{on}{}", with(": ")),
                Verb::Unlock => format!("Unlocked {here}{on}."),
                Verb::Move => format!("Moved {here}{on}{}", with(" to ")),
                Verb::Repair => format!("Joined {here}{on} and its record again{}", with(" at ")),
                Verb::Prune => format!("Removed git's record of {here}{on}{}", with("; ")),
                Verb::Fetch => format!("Fetched into {here}{on}{}", with(": ")),
            }
        }
        JournalKind::DeletionReleased => {
            format!("Gave the deletion of {here}{on} up and stopped showing it.")
        }
        JournalKind::DeletionStopped { stage, message } => format!(
            "The deletion of {here}{on} stopped ({}): {}",
            inert(stage.as_bytes()),
            inert(message.as_bytes())
        ),
        JournalKind::Relinked { from } => format!(
            "{} became {here}{on}; what was written about it is here now.",
            from.display()
        ),
        JournalKind::MissingForgotten => format!("Forgot {here}{on}, which was missing."),
        JournalKind::AnnotationsImported { rows } => {
            format!("Imported annotations of {}.", many(*rows))
        }
        JournalKind::Restored { taken_at } => {
            format!("Restored the registry from the backup of {taken_at:.0}.")
        }
    };
    JournalLine {
        number: revision(entry.number),
        at: entry.at,
        actor: match entry.actor {
            rollcall_registry::Actor::RollCall => Actor::RollCall,
            rollcall_registry::Actor::Person => Actor::Person,
            rollcall_registry::Actor::Sweep => Actor::Sweep,
        },
        host: entry.host.map(Into::into),
        workspace: entry.workspace.map(Into::into),
        text,
    }
}
