//! Deletions: what would go, what was decided, and the trash.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};
use rollcall_converge::{
    BranchChoice, Caller, Condition, Consent, FailureClass, HostId, HostPath, Mode, Outcome,
    Presence, RETENTION_DAYS, Reason, RefName, TrashStage, Verdict, VerdictState, Waits, Weighed,
    WorkspaceId, WorkspaceKind, verdict, waits_for,
};
use rollcall_registry::{
    Actor, HostRecord, RootRecord, Tombstone, TrashRecord, Weighing, WorkspaceRecord,
};
use rollcall_supervise::HostState;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{App, gone};
use crate::error::{ApiError, ErrorCode};
use crate::verdicts;
use crate::wire::{
    BranchFate, DeletionForm, DeletionMode, DeletionOutcome, DeletionRow, HostRef, PendingRow,
    PendingState, StopKind, TrashRow, WorkspaceRef,
};
use crate::{depth, present};

/// Everything about hosts and roots that is shown with a deletion.
pub(super) struct Around {
    pub(super) hosts: HashMap<HostId, HostRecord>,
    pub(super) roots: HashMap<rollcall_converge::RootId, RootRecord>,
    pub(super) answers: HashMap<HostId, bool>,
}

impl App {
    pub(super) async fn around(&self) -> Result<Around, ApiError> {
        let hosts = self.registry.hosts().await?;
        let roots = self.registry.roots().await?;
        let states = self.announcer.host_states();
        Ok(Around {
            answers: hosts
                .iter()
                .map(|it| {
                    let state = states.get(&it.host.id);
                    let well = matches!(state, Some(HostState::Idle | HostState::Calling { .. }));
                    (it.host.id, well && it.answered_at.is_some())
                })
                .collect(),
            hosts: hosts.into_iter().map(|it| (it.host.id, it)).collect(),
            roots: roots.into_iter().map(|it| (it.root.id, it)).collect(),
        })
    }

    pub(super) async fn records(
        &self,
        ids: &[WorkspaceRef],
    ) -> Result<Vec<WorkspaceRecord>, ApiError> {
        let mut records = Vec::with_capacity(ids.len());
        for id in ids {
            if let Some(record) = self.registry.workspace((*id).into()).await? {
                records.push(record);
            }
        }
        Ok(records)
    }

    /// What would go with some workspaces, as far as it is known now. No host is asked. Those that are not in the registry
    /// any more are left out.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn deletions(&self, ids: Vec<WorkspaceRef>) -> Result<Vec<DeletionRow>, ApiError> {
        let records = self.records(&ids).await?;
        self.deletion_rows(&records).await
    }

    async fn deletion_rows(
        &self,
        records: &[WorkspaceRecord],
    ) -> Result<Vec<DeletionRow>, ApiError> {
        let around = self.around().await?;
        let weighing = self.registry.weighing(records).await?;
        let mut rows = Vec::with_capacity(records.len());
        for record in records {
            let worktrees = if record.row.kind == WorkspaceKind::Repository {
                self.worktrees_of(record).await?
            } else {
                Vec::new()
            };
            rows.push(deletion_row(record, &around, &weighing, worktrees));
        }
        Ok(rows)
    }

    /// Linked worktrees of a repository whose deletion is not pending.
    async fn worktrees_of(
        &self,
        repository: &WorkspaceRecord,
    ) -> Result<Vec<WorkspaceRef>, ApiError> {
        let rows = self
            .registry
            .workspaces_of_root(repository.row.state.root)
            .await?;
        Ok(rows
            .iter()
            .filter(|it| {
                it.row.kind == WorkspaceKind::Worktree
                    && !it.row.untracked
                    && it.row.tombstone.is_none()
                    && !matches!(it.row.state.presence, Presence::Missing { .. })
            })
            .map(|it| it.row.id.into())
            .collect())
    }

    /// Has the hosts of some workspaces say anew what there is, looks at each of these in depth, and answers as
    /// [`Self::deletions`]. What a host does not tell stays as it was known before.
    ///
    /// # Errors
    /// [`ErrorCode::Cancelled`]; if the registry cannot be used.
    pub async fn check_deletions(
        &self,
        job: String,
        ids: Vec<WorkspaceRef>,
    ) -> Result<Vec<DeletionRow>, ApiError> {
        self.jobs
            .run(&job, async {
                let mut of_hosts: BTreeMap<HostId, Vec<WorkspaceRecord>> = BTreeMap::new();
                for record in self.records(&ids).await? {
                    of_hosts.entry(record.host).or_default().push(record);
                }
                let mut checks = JoinSet::new();
                for (host, records) in of_hosts {
                    let wiring = self.wiring.clone();
                    checks.spawn(async move { wiring.check(host, records).await });
                }
                while let Some(checked) = checks.join_next().await {
                    match checked {
                        Ok(Ok(())) => {}
                        Ok(Err(error)) => tracing::info!(%error, "workspaces could not be checked"),
                        Err(error) => tracing::error!(%error, "a check ended before its time"),
                    }
                }
                self.deletions(ids).await
            })
            .await
    }

    /// Marks workspaces as deleted, each with what was shown of it. Hosts that answer carry it out at once, and the others
    /// when they do.
    ///
    /// # Errors
    /// If the registry cannot be read. What is not to be deleted says why in its outcome.
    pub async fn delete(&self, forms: Vec<DeletionForm>) -> Result<Vec<DeletionOutcome>, ApiError> {
        let mut decided = Vec::new();
        for form in forms {
            let record = self.registry.workspace(form.id.into()).await?;
            decided.push((form, record));
        }
        // A repository goes after its worktrees.
        decided.sort_by_key(|(_, record)| {
            record
                .as_ref()
                .is_some_and(|it| it.row.kind == WorkspaceKind::Repository)
        });
        let mut outcomes = Vec::new();
        let mut hosts = Vec::new();
        for (form, record) in decided {
            let Some(record) = record else {
                outcomes.push(DeletionOutcome {
                    id: form.id,
                    path: String::new(),
                    error: Some(gone("This workspace")),
                });
                continue;
            };
            let entombed = async {
                let agreed = self.consent(&record, &form).await?;
                let now = Timestamp::now();
                Ok::<_, ApiError>(self.registry.entomb(record.row.id, &agreed, now).await?)
            };
            let error = match entombed.await {
                Ok(changed) => {
                    self.announcer.changed(&changed);
                    hosts.push(record.host);
                    None
                }
                Err(error) => Some(error),
            };
            outcomes.push(DeletionOutcome {
                id: form.id,
                path: record.row.state.path.display(),
                error,
            });
        }
        hosts.sort();
        hosts.dedup();
        for host in hosts {
            self.supervisor.sweep(host);
        }
        Ok(outcomes)
    }

    /// Freezes what was shown, if it still is what is known.
    async fn consent(
        &self,
        record: &WorkspaceRecord,
        form: &DeletionForm,
    ) -> Result<Consent, ApiError> {
        let state = &record.row.state;
        let path = state.path.display();
        let refused = |code, words: String, hint: &str| Err(ApiError::new(code, words).hint(hint));
        let weighing = self.registry.weighing(std::slice::from_ref(record)).await?;
        let look = weighing.look(record.row.id).map(|(_, look)| look);
        if shown(record, look) != form.shown {
            let words = format!("`{path}` is not what was shown any more.");
            return refused(
                ErrorCode::Overtaken,
                words,
                "Look at it again, then decide.",
            );
        }
        let verdict = weighing.verdict(record);
        match verdict.state() {
            VerdictState::Blocked => {
                let words = verdicts::items(&verdict);
                let words: Vec<_> = words
                    .into_iter()
                    .take(verdict.blocks.len())
                    .map(|it| it.words)
                    .collect();
                let words = format!("`{path}` cannot be deleted: {}.", words.join("; "));
                return refused(ErrorCode::NotLive, words, "Put that right first.");
            }
            VerdictState::Unknown if !form.unseen => {
                let words = format!("Not everything is known about `{path}`.");
                return refused(
                    ErrorCode::NotLive,
                    words,
                    "Check it, or say that it may go whatever is in it.",
                );
            }
            _ => {}
        }
        let mode = match form.mode {
            DeletionMode::Trash => Mode::Trash,
            DeletionMode::DeleteNow if record.row.kind != WorkspaceKind::Worktree => {
                let words =
                    format!("`{path}` is no linked worktree, and can only go to the trash.");
                return refused(ErrorCode::InvalidInput, words, "Delete it to the trash.");
            }
            DeletionMode::DeleteNow if verdict.state() == VerdictState::Unknown => {
                let words = format!(
                    "Not everything is known about `{path}`, so it can only go to the trash."
                );
                return refused(
                    ErrorCode::InvalidInput,
                    words,
                    "Delete it to the trash, or check it first.",
                );
            }
            DeletionMode::DeleteNow => Mode::DeleteNow,
        };
        let Some(generation) = state.generation else {
            let words = format!(
                "The host of `{path}` does not tell what distinguishes it from a later one."
            );
            return refused(ErrorCode::NotLive, words, "Delete it on its host.");
        };
        let trash = self.registry.trash(Some(record.host)).await?;
        let restored = trash
            .iter()
            .map(|it| &it.trashed)
            .filter(|it| it.stage == TrashStage::Restored && it.generation == Some(generation));
        let whole =
            look.filter(|look| look.generation == Some(generation) && look.deep.digest.is_ok());
        Ok(Consent {
            id: Uuid::now_v7(),
            generation,
            kind: record.row.kind,
            path: state.path.clone(),
            mount: state.mount.clone(),
            existence: state.existence.clone(),
            facts: state.facts.clone(),
            mode,
            branch: match form.branch {
                BranchFate::Keep => BranchChoice::Keep,
                BranchFate::DeleteIfMerged => BranchChoice::DeleteIfMerged,
                BranchFate::Delete => BranchChoice::Delete,
            },
            shown_at: Timestamp::now(),
            // What is not known is not what is agreed to: it goes whatever it is, or not at all.
            look: whole
                .filter(|_| !form.unseen || verdict.state() != VerdictState::Unknown)
                .cloned(),
            unseen: form.unseen && verdict.state() == VerdictState::Unknown,
            restored: restored.map(|it| it.id).collect(),
            days: RETENTION_DAYS,
        })
    }

    /// Every pending deletion, the oldest first.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn pending(&self) -> Result<Vec<PendingRow>, ApiError> {
        let tombstones = self.registry.tombstones(None).await?;
        let around = self.around().await?;
        let mut rows = Vec::with_capacity(tombstones.len());
        let ids: Vec<WorkspaceRef> = tombstones.iter().map(|it| it.workspace.into()).collect();
        let records = self.records(&ids).await?;
        let weighing = self.registry.weighing(&records).await?;
        let by_id: HashMap<WorkspaceId, &WorkspaceRecord> =
            records.iter().map(|it| (it.row.id, it)).collect();
        for tombstone in &tombstones {
            if let Some(record) = by_id.get(&tombstone.workspace) {
                rows.push(pending_row(record, tombstone, &around, &weighing));
            }
        }
        Ok(rows)
    }

    /// The pending deletion of a workspace, if there is one.
    pub(super) async fn tombstone(
        &self,
        record: &WorkspaceRecord,
    ) -> Result<Option<Tombstone>, ApiError> {
        let tombstones = self.registry.tombstones(Some(record.host)).await?;
        Ok(tombstones
            .into_iter()
            .find(|it| it.workspace == record.row.id))
    }

    /// Has a pending deletion tried again with the consent it has.
    ///
    /// # Errors
    /// [`ErrorCode::Overtaken`] for an older epoch; [`ErrorCode::NoDeletion`]; [`ErrorCode::NotFound`].
    pub async fn retry_deletion(&self, id: WorkspaceRef, epoch: u32) -> Result<(), ApiError> {
        let record = self.record(id).await?;
        let changed = self
            .registry
            .retry(id.into(), u64::from(epoch), Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.sweep(record.host);
        Ok(())
    }

    /// Replaces what was agreed to by what was shown now, and has the deletion tried again.
    ///
    /// # Errors
    /// As [`Self::retry_deletion`]; [`ErrorCode::NotLive`] if it cannot go as it is.
    pub async fn agree_again(&self, form: DeletionForm, epoch: u32) -> Result<(), ApiError> {
        let record = self.record(form.id).await?;
        let mut agreed = self.consent(&record, &form).await?;
        if let Some(before) = self.tombstone(&record).await? {
            // What an attempt left behind is known by this name.
            agreed.id = before.consent.id;
        }
        let now = Timestamp::now();
        let changed = self
            .registry
            .reconsent(record.row.id, u64::from(epoch), &agreed, now)
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.sweep(record.host);
        Ok(())
    }

    /// Takes a deletion back. If an attempt may have begun, its host is asked first and brings back what it moved.
    ///
    /// # Errors
    /// Why its host does not answer or cannot bring it back; [`ErrorCode::NoDeletion`]; [`ErrorCode::NotFound`].
    pub async fn cancel_deletion(&self, id: WorkspaceRef) -> Result<(), ApiError> {
        let record = self.record(id).await?;
        let tombstone = self.tombstone(&record).await?.ok_or_else(|| {
            let words = format!(
                "No deletion of `{}` is pending.",
                record.row.state.path.display()
            );
            ApiError::new(ErrorCode::NoDeletion, words)
        })?;
        let begun = tombstone.may_have_begun();
        if begun {
            let host = self.host(record.host).await?;
            let removal = self.wiring.removal(&record, &tombstone).await?;
            self.collector.undo(&host, &removal).await?;
        }
        let changed = self
            .registry
            .cancel(record.row.id, begun, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.changed(record.host);
        Ok(())
    }

    /// Gives a deletion up and stops showing the workspace. Its host is not touched.
    ///
    /// # Errors
    /// [`ErrorCode::NoDeletion`]; [`ErrorCode::NotFound`].
    pub async fn release_deletion(&self, id: WorkspaceRef) -> Result<(), ApiError> {
        let changed = self.registry.release(id.into(), Timestamp::now()).await?;
        self.announcer.changed(&changed);
        Ok(())
    }

    /// What rests in the trash of all hosts, as their last roll calls told; what is due first. What is due counts as shown
    /// from now on.
    ///
    /// # Errors
    /// If the registry cannot be used.
    pub async fn trash(&self) -> Result<Vec<TrashRow>, ApiError> {
        let changed = self.registry.showed_due(Timestamp::now()).await?;
        self.announcer.changed(&changed);
        let around = self.around().await?;
        let mut records = self.registry.trash(None).await?;
        records.retain(|it| it.trashed.stage != TrashStage::Restored);
        records.sort_by_key(|it| (it.trashed.days_left(), it.trashed.deleted_at));
        Ok(records.iter().map(|it| trash_row(it, &around)).collect())
    }

    async fn trashed(&self, host: HostId, id: &str) -> Result<TrashRecord, ApiError> {
        let records = self.registry.trash(Some(host)).await?;
        let found = records
            .into_iter()
            .find(|it| it.trashed.id.to_string() == id);
        found.ok_or_else(|| {
            ApiError::new(ErrorCode::NotFound, "This is not in the trash any more.")
                .hint("Sync its host.")
        })
    }

    /// Brings something back from the trash, to where it was or to another path, and says what became of its branch if
    /// that is not as it was.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`]; why its host does not answer, or cannot bring it back.
    pub async fn restore(
        &self,
        host: HostRef,
        id: String,
        path: Option<String>,
    ) -> Result<String, ApiError> {
        let path = path.filter(|it| !it.trim().is_empty());
        if let Some(path) = &path {
            super::absolute(path)?;
        }
        let record = self.trashed(host.into(), &id).await?;
        let host = self.host(record.host).await?;
        let path = path.map(HostPath::new);
        let said = self
            .collector
            .restore(&host, &record.trashed, path.as_ref())
            .await?;
        if record.trashed.kind != WorkspaceKind::Worktree {
            // It was a root itself, and is put under roll call again.
            let path = path.unwrap_or_else(|| record.trashed.from.clone());
            self.register_path(host.id, path).await?;
        }
        let changed = self.registry.restored(&record, Timestamp::now()).await?;
        self.announcer.changed(&changed);
        self.supervisor.changed(host.id);
        Ok(said)
    }

    /// Removes something in the trash for good.
    ///
    /// # Errors
    /// As [`Self::restore`].
    pub async fn empty_trash(&self, host: HostRef, id: String) -> Result<(), ApiError> {
        let record = self.trashed(host.into(), &id).await?;
        let host = self.host(record.host).await?;
        self.collector
            .empty(&host, &record.trashed, false, Caller::Person)
            .await?;
        let changed = self
            .registry
            .trash_emptied(&record, Actor::Person, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.changed(host.id);
        Ok(())
    }

    /// Measures how many bytes something in the trash takes, saying how far it is.
    ///
    /// # Errors
    /// As [`Self::restore`]; [`ErrorCode::Cancelled`].
    pub async fn measure_trash(
        &self,
        job: String,
        host: HostRef,
        id: String,
    ) -> Result<String, ApiError> {
        self.jobs
            .run(&job, async {
                let record = self.trashed(host.into(), &id).await?;
                let host = self.host(record.host).await?;
                let report = self.jobs.report(&job);
                let tree = &record.trashed.tree;
                let size = self.collector.measure(&host, tree, Some(report)).await?;
                Ok(depth::bytes(size.total))
            })
            .await
    }
}

/// One word for what is shown of a workspace: another word means that something else is known by now.
fn shown(record: &WorkspaceRecord, look: Option<&rollcall_converge::Look>) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut word = DefaultHasher::new();
    format!(
        "{:?} {:?} {:?} {:?}",
        record.row.state, record.row.kind, record.pinned, look
    )
    .hash(&mut word);
    format!("{:016x}", word.finish())
}

pub(super) fn deletion_row(
    record: &WorkspaceRecord,
    around: &Around,
    weighing: &Weighing,
    worktrees: Vec<WorkspaceRef>,
) -> DeletionRow {
    let row = present::row(record, weighing);
    let state = &record.row.state;
    let verdict = weighing.verdict(record);
    let look = weighing.look(record.row.id);
    let root = around.roots.get(&state.root);
    let merged = look.is_some_and(|(_, look)| {
        let merged = &look.deep.merged;
        merged.head_commit.as_deref() == state.existence.head.commit() && merged.state.is_merged()
    });
    DeletionRow {
        id: row.id,
        host: row.host,
        host_label: label(around, record.host),
        host_answers: around.answers.get(&record.host).copied().unwrap_or(false),
        kind: row.kind,
        name: row.name,
        path: row.path,
        branch: state.existence.head.branch().map(RefName::short),
        branch_merged: merged,
        verdict: verdicts::kind(&verdict),
        items: verdicts::items(&verdict),
        facts_at: row.facts_as_of.or_else(|| root.and_then(|it| it.facts_at)),
        checked_at: look.map(|(at, _)| *at),
        worktrees,
        can_delete_now: record.row.kind == WorkspaceKind::Worktree,
        weak: state.generation.is_some_and(|it| !it.is_strong()),
        pending: record.row.tombstone.is_some(),
        size: weighing.size(record).map(|it| depth::bytes(it.total)),
        shown: shown(record, look.map(|(_, look)| look)),
    }
}

pub(super) fn label(around: &Around, host: HostId) -> String {
    around
        .hosts
        .get(&host)
        .map_or_else(String::new, |it| it.host.label.clone())
}

/// What was agreed to lose.
fn agreed(record: &WorkspaceRecord, consent: &Consent) -> Verdict {
    let mut row = record.row.clone();
    row.state.existence = consent.existence.clone();
    row.state.facts.clone_from(&consent.facts);
    (row.state.facts_unknown, row.state.facts_as_of) = (None, None);
    row.state.generation = Some(consent.generation);
    row.state.presence = Presence::Present;
    verdict(&Weighed {
        row: &row,
        look: consent.look.as_ref(),
        pinned: false,
        lent_to: &[],
        worktrees: &[],
    })
}

fn pending_row(
    record: &WorkspaceRecord,
    tombstone: &Tombstone,
    around: &Around,
    weighing: &Weighing,
) -> PendingRow {
    let (state, plan) = plan_of(record, tombstone, around);
    let stop = match &tombstone.outcome {
        Some(Outcome::Failed { reason, .. }) if tombstone.stopped => Some(match reason {
            Reason::Locked => StopKind::Locked,
            Reason::Changed => StopKind::Changed,
            _ => StopKind::Other,
        }),
        _ => None,
    };
    let row = present::row(record, weighing);
    PendingRow {
        id: row.id,
        host: row.host,
        host_label: label(around, record.host),
        name: row.name,
        path: row.path,
        mode: match tombstone.consent.mode {
            Mode::Trash => DeletionMode::Trash,
            Mode::DeleteNow => DeletionMode::DeleteNow,
        },
        asked_at: tombstone.created_at,
        epoch: present::revision(tombstone.epoch),
        state,
        plan,
        attempts: tombstone.failures,
        attempted_at: tombstone.attempted_at,
        stop,
        agreed: verdicts::items(&agreed(record, &tombstone.consent)),
        now: verdicts::items(&weighing.verdict(record)),
        needs_host: tombstone.may_have_begun(),
    }
}

/// How far a deletion is, and what happens next.
fn plan_of(
    record: &WorkspaceRecord,
    tombstone: &Tombstone,
    around: &Around,
) -> (PendingState, String) {
    let host = label(around, record.host);
    let answers = around.answers.get(&record.host).copied().unwrap_or(false);
    let root = around.roots.get(&record.row.state.root);
    let condition = root.and_then(|it| it.condition.clone());
    let waiting = |words: String| (PendingState::Waiting, words);
    match &tombstone.outcome {
        Some(Outcome::Failed {
            message, reason, ..
        }) if tombstone.stopped => (PendingState::Stopped, stop_words(*reason, message)),
        Some(Outcome::Converged { .. }) if !answers => waiting(format!(
            "It is gone by the word of its host; confirmed when `{host}` is back."
        )),
        Some(Outcome::Converged { .. }) => (
            PendingState::Confirming,
            "It is gone by the word of its host; the next roll call confirms it.".to_owned(),
        ),
        _ if !answers => waiting(format!("Will happen when `{host}` is back.")),
        outcome => {
            if let Some(waits) = waits_for(&record.row, &condition.unwrap_or(Condition::Asserted)) {
                return waiting(waits_words(&waits));
            }
            match outcome {
                _ if tombstone.begun_at.is_some() => {
                    (PendingState::Running, "It is being carried out.".to_owned())
                }
                Some(Outcome::Waits { reason, .. }) => waiting(format!("It waits: {reason}.")),
                Some(Outcome::Failed {
                    class: FailureClass::Transient,
                    message,
                    ..
                }) => {
                    let left = tombstone
                        .next_attempt_at
                        .map_or(SignedDuration::ZERO, |at| {
                            at.duration_since(Timestamp::now())
                        });
                    let minutes = (left.as_secs().max(0) + 59) / 60;
                    let when = if minutes > 0 {
                        format!("in {minutes} min")
                    } else {
                        "at the next roll call".to_owned()
                    };
                    let words = format!("It failed ({message}), and is tried again {when}.");
                    (PendingState::Retrying, words)
                }
                _ => waiting("It is next in line.".to_owned()),
            }
        }
    }
}

fn waits_words(waits: &Waits) -> String {
    match waits {
        Waits::Prunable => "Its folder is gone, and git still has a record of it.",
        Waits::Away => "It is locked and away; it goes when it is back.",
        Waits::RootMissing => "Its repository is gone from its host.",
        Waits::RootFailed => "Its repository does not answer.",
        Waits::NotAsserted => "Its host cannot tell whether it is there.",
    }
    .to_owned()
}

fn stop_words(reason: Reason, message: &str) -> String {
    let head = match reason {
        Reason::Locked => "It is locked",
        Reason::Busy => "Something is in progress in it",
        Reason::InUse => "Somebody works inside",
        Reason::Blocked => "It cannot go as it is",
        Reason::Changed => "It is not what was agreed to any more",
        Reason::Refused => "Its path leads to something else",
        Reason::Owner => "Its repository is gone",
        Reason::Disk => "Its trash would be on another disk",
        Reason::Permission => "The user that Rollcall signs in as may not do it",
        Reason::Taken => "Something else is where it belongs",
        Reason::Command => "It did not work",
    };
    format!("{head}: {message}.")
}

fn trash_row(record: &TrashRecord, around: &Around) -> TrashRow {
    let trashed = &record.trashed;
    let words = match trashed.stage {
        TrashStage::Whole => "",
        TrashStage::Begun => "On its way into the trash; the next sweep finishes that.",
        TrashStage::Restoring => "On its way back; restore it again to finish that.",
        TrashStage::Removing => "Partly removed; remove what is left of it.",
        TrashStage::Restored => "Restored.",
    };
    let name = record.display_name.clone();
    TrashRow {
        id: trashed.id.to_string(),
        host: record.host.into(),
        host_label: label(around, record.host),
        kind: match trashed.kind {
            WorkspaceKind::Repository => crate::wire::Kind::Repository,
            WorkspaceKind::Worktree => crate::wire::Kind::Worktree,
            WorkspaceKind::Directory => crate::wire::Kind::Directory,
        },
        name: name.unwrap_or_else(|| present::name(&trashed.from)),
        path: trashed.from.display(),
        branch: trashed.branch.as_ref().map(RefName::short),
        branch_gone: trashed.branch_gone,
        deleted_at: Timestamp::from_second(trashed.deleted_at).ok(),
        days_left: trashed.days_left(),
        whole: matches!(trashed.stage, TrashStage::Whole | TrashStage::Restoring),
        words: words.to_owned(),
        note: record.note.clone(),
    }
}
