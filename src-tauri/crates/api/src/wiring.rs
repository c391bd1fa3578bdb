//! Joins supervisor, collector and registry, which never see one another.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use rollcall_collect::Collector;
use rollcall_converge::{
    Block, Caller, Changes, Condition, Failure, FailureClass, FailureCode, Host, HostId, HostPath,
    Look, Outcome, Reason, Removal, Subject, Tier, WorkspaceId, WorkspaceKind, is_due, may_expire,
    waits_for,
};
use rollcall_registry::{Actor, Registry, RegistryError, Tombstone, WorkspaceRecord};
use rollcall_supervise::{HostState, Ports};

use crate::announce::Announcer;
use crate::error::ApiError;
use crate::preferences;

#[derive(Clone)]
pub(crate) struct Wiring {
    pub(crate) registry: Registry,
    pub(crate) collector: Collector,
    pub(crate) announcer: Arc<Announcer>,
    /// Workspaces that could not be looked at by themselves, so that they do not stand in the way of the others.
    pub(crate) unseen: Arc<Mutex<HashSet<WorkspaceId>>>,
}

/// How long a look in depth stands before it is taken again by itself.
const STANDS: SignedDuration = SignedDuration::from_hours(24);
/// Workspaces that are looked at in one go, and among how many they are chosen.
const IN_ONE_GO: usize = 8;
const AMONG: u32 = 500;

/// What to ask about a workspace that is looked at in depth.
pub(crate) async fn subject(
    registry: &Registry,
    record: &WorkspaceRecord,
) -> Result<Subject, RegistryError> {
    let root = registry.root(record.row.state.root).await?;
    let seen = registry.seen(record).await?;
    Ok(Subject {
        kind: record.row.kind,
        path: record.row.state.path.clone(),
        base: root.and_then(|root| root.base),
        known: seen.look.map(|(_, look)| look.deep.merged),
    })
}

/// What is clean may go soon, and whether it may is worth knowing before anybody asks.
fn is_clean(record: &WorkspaceRecord) -> bool {
    let facts = record.row.state.facts.as_ref();
    facts.is_some_and(|facts| {
        facts.operation.is_none()
            && facts.changes
                == Changes::Counted {
                    staged: 0,
                    unstaged: 0,
                    untracked: 0,
                    conflicted: 0,
                }
    })
}

/// What came of trying to carry out a deletion.
enum Attempt {
    Ended(Outcome),
    /// A person decided anew meanwhile.
    Overtaken,
    /// The host does not answer any more. That is no attempt (I11), and what has begun is found out about later.
    Unanswered,
}

/// How long a deletion that its host called done waits for a roll call to confirm it, before it is asked for again.
const CONFIRMED_WITHIN: SignedDuration = SignedDuration::from_mins(1);

impl Wiring {
    /// What is sent to a host to carry out a deletion.
    pub(crate) async fn removal(
        &self,
        record: &WorkspaceRecord,
        tombstone: &Tombstone,
    ) -> Result<Removal, RegistryError> {
        let root = self.registry.root(record.row.state.root).await?;
        Ok(Removal {
            consent: tombstone.consent.clone(),
            epoch: tombstone.epoch,
            repository_mount: root.and_then(|root| root.root.mount),
        })
    }

    /// Whether a deletion is to be tried now. What nothing is in the way of is: a repository goes after its worktrees.
    async fn is_due(
        &self,
        record: &WorkspaceRecord,
        tombstone: &Tombstone,
    ) -> Result<bool, RegistryError> {
        let now = Timestamp::now();
        if tombstone.stopped || !is_due(tombstone.next_attempt_at, now) {
            return Ok(false);
        }
        let root = self.registry.root(record.row.state.root).await?;
        if let Some(Outcome::Converged { .. }) = tombstone.outcome {
            let asserted_at = root.as_ref().and_then(|root| root.asserted_at);
            let again = tombstone.attempted_at.is_none_or(|at| {
                // It answers still, though the host called it gone: somebody restored it, or the host was wrong.
                asserted_at.is_some_and(|asserted| asserted > at)
                    && now.duration_since(at) > CONFIRMED_WITHIN
            });
            if !again {
                return Ok(false);
            }
        }
        let condition = root.and_then(|root| root.condition);
        if waits_for(&record.row, &condition.unwrap_or(Condition::Asserted)).is_some() {
            return Ok(false);
        }
        if record.row.kind == WorkspaceKind::Repository {
            let rows = self
                .registry
                .workspaces_of_root(record.row.state.root)
                .await?;
            return Ok(!rows
                .iter()
                .any(|it| it.row.kind == WorkspaceKind::Worktree && it.row.tombstone.is_some()));
        }
        Ok(true)
    }

    /// Carries out the deletions of a host that are due, one after another, and empties its trash of what has expired.
    async fn carry_out(&self, id: HostId) -> Result<bool, ApiError> {
        let Some(host) = self.registry.host(id).await?.map(|it| it.host) else {
            return Ok(false);
        };
        let mut did = false;
        for tombstone in self.registry.tombstones(Some(id)).await? {
            let Some(record) = self.registry.workspace(tombstone.workspace).await? else {
                continue;
            };
            if !self.is_due(&record, &tombstone).await? {
                continue;
            }
            let outcome = match self.blocked_here(&record).await? {
                Some(outcome) => outcome,
                None => match self.attempt(&host, &record, &tombstone).await? {
                    Attempt::Ended(outcome) => outcome,
                    Attempt::Overtaken => continue,
                    Attempt::Unanswered => return Ok(did),
                },
            };
            did |= matches!(outcome, Outcome::Converged { .. });
            let chance = chance();
            let now = Timestamp::now();
            match self
                .registry
                .record_attempt(tombstone.workspace, tombstone.epoch, &outcome, chance, now)
                .await
            {
                Ok(changed) => self.announcer.changed(&changed),
                // A person decided anew meanwhile, or a roll call confirmed it: what this attempt says is of no account (I12).
                Err(
                    RegistryError::Overtaken { .. }
                    | RegistryError::NoDeletion { .. }
                    | RegistryError::NotFound { .. },
                ) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for trashed in self.registry.trash(Some(id)).await? {
            if !trashed.trashed.is_due() || !may_expire(trashed.shown_due_at, Timestamp::now()) {
                continue;
            }
            match self
                .collector
                .empty(&host, &trashed.trashed, true, Caller::Schedule)
                .await
            {
                Ok(()) => {
                    did = true;
                    let now = Timestamp::now();
                    let changed = self
                        .registry
                        .trash_emptied(&trashed, Actor::Sweep, now)
                        .await?;
                    self.announcer.changed(&changed);
                }
                Err(failure) => {
                    tracing::info!(%id, ?failure, "something expired in the trash stays");
                }
            }
        }
        Ok(did)
    }

    /// What the host itself cannot see: that others borrow from what would go.
    async fn blocked_here(
        &self,
        record: &WorkspaceRecord,
    ) -> Result<Option<Outcome>, RegistryError> {
        let weighing = self.registry.weighing(std::slice::from_ref(record)).await?;
        let lent = weighing
            .verdict(record)
            .blocks
            .into_iter()
            .find_map(|block| match block {
                Block::Lent { to } => Some(to),
                _ => None,
            });
        Ok(lent.map(|to| Outcome::Failed {
            class: FailureClass::Terminal,
            stage: "start".to_owned(),
            message: format!(
                "other repositories borrow its objects: {}",
                to.iter()
                    .map(HostPath::display)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            reason: Reason::Blocked,
        }))
    }

    /// Tries to carry out one deletion.
    async fn attempt(
        &self,
        host: &Host,
        record: &WorkspaceRecord,
        tombstone: &Tombstone,
    ) -> Result<Attempt, ApiError> {
        let now = Timestamp::now();
        let begun = self
            .registry
            .begin_attempt(tombstone.workspace, tombstone.epoch, now)
            .await;
        match begun {
            Ok(changed) => self.announcer.changed(&changed),
            Err(
                RegistryError::Overtaken { .. }
                | RegistryError::NoDeletion { .. }
                | RegistryError::NotFound { .. },
            ) => {
                return Ok(Attempt::Overtaken);
            }
            Err(error) => return Err(error.into()),
        }
        let removal = self.removal(record, tombstone).await?;
        let answer = self
            .collector
            .remove(host, &removal, Caller::Schedule)
            .await;
        Ok(match answer {
            Ok(outcome) => Attempt::Ended(outcome),
            Err(failure) if failure.code.is_of_the_command() => Attempt::Ended(Outcome::Failed {
                class: FailureClass::Transient,
                stage: "answer".to_owned(),
                message: failure.message,
                reason: Reason::Command,
            }),
            Err(failure) => {
                tracing::info!(host = %host.id, ?failure, "a deletion could not be attempted");
                Attempt::Unanswered
            }
        })
    }

    /// Has a host say anew what there is, and looks at some of its workspaces in depth.
    pub(crate) async fn check(
        &self,
        host: HostId,
        records: Vec<WorkspaceRecord>,
    ) -> Result<(), ApiError> {
        self.roll_call(host, Tier::Facts, Caller::Schedule).await?;
        let Some(host) = self.registry.host(host).await?.map(|it| it.host) else {
            return Ok(());
        };
        let mut asked = Vec::new();
        for record in records {
            // The roll call may have moved it, or said that it is gone.
            asked.extend(self.registry.workspace(record.row.id).await?);
        }
        let looks = self.look_at(&host, &asked).await?;
        for (record, look) in asked.iter().zip(looks) {
            if let Ok(look) = look {
                self.keep_look(record, &look).await?;
            }
        }
        Ok(())
    }

    /// Looks in depth at some workspaces of a host, which nobody waits for.
    async fn look_at(
        &self,
        host: &Host,
        records: &[WorkspaceRecord],
    ) -> Result<Vec<Result<Look, Failure>>, ApiError> {
        let mut subjects = Vec::with_capacity(records.len());
        for record in records {
            subjects.push(subject(&self.registry, record).await?);
        }
        let looks = self.collector.look(host, &subjects, Caller::Schedule);
        Ok(looks.await?)
    }

    /// Keeps what was seen of a workspace in depth.
    pub(crate) async fn keep_look(
        &self,
        record: &WorkspaceRecord,
        look: &Look,
    ) -> Result<(), ApiError> {
        let now = Timestamp::now();
        let changed = self.registry.record_look(record.row.id, look, now).await?;
        self.announcer.changed(&changed);
        Ok(())
    }

    /// Looks in depth at some clean workspaces of a host that nobody looked at for a day, unless a person wants none of
    /// that.
    async fn look_around(&self, host: HostId) -> Result<(), ApiError> {
        if !preferences::looks(&self.registry).await? {
            return Ok(());
        }
        let Some(host) = self.registry.host(host).await?.map(|it| it.host) else {
            return Ok(());
        };
        let since = Timestamp::now()
            .saturating_sub(STANDS)
            .unwrap_or(Timestamp::MIN);
        let mut records = self.registry.not_looked_at(host.id, since, AMONG).await?;
        {
            let unseen = self.unseen.lock().unwrap_or_else(PoisonError::into_inner);
            records.retain(|it| is_clean(it) && !unseen.contains(&it.row.id));
        }
        records.truncate(IN_ONE_GO);
        if records.is_empty() {
            return Ok(());
        }
        let looks = self.look_at(&host, &records).await?;
        for (record, look) in records.iter().zip(looks) {
            match look {
                Ok(look) if look.generation == record.row.state.generation => {
                    self.keep_look(record, &look).await?;
                }
                _ => {
                    let mut unseen = self.unseen.lock().unwrap_or_else(PoisonError::into_inner);
                    unseen.insert(record.row.id);
                }
            }
        }
        Ok(())
    }

    /// A registry that cannot be used is told at once: people would otherwise only see a host that does not answer.
    fn not_recorded(&self, error: RegistryError) -> Failure {
        let message = format!("The registry could not take the answer up: {error}");
        self.announcer.trouble(error.into());
        Failure::new(FailureCode::NotRecorded, message)
    }
}

impl Ports for Wiring {
    async fn roll_call(&self, host: HostId, tier: Tier, caller: Caller) -> Result<bool, Failure> {
        let record = self
            .registry
            .host(host)
            .await
            .map_err(|error| self.not_recorded(error))?;
        let Some(record) = record else {
            return Ok(false);
        };
        let host = record.host;
        let call = self
            .registry
            .roll_call(host.id, tier)
            .await
            .map_err(|error| self.not_recorded(error))?;
        let snapshot = self.collector.roll_call(&host, &call, caller).await?;
        let contact = self.collector.contact(host.id);
        // Hardly any roll call changes this, and none has to wait for the writer to find that out.
        let known = host.sign_in == contact.sign_in
            && (contact.host_key.is_none() || record.host_key == contact.host_key);
        if let Some(sign_in) = contact.sign_in.as_ref().filter(|_| !known) {
            let changed = self
                .registry
                .record_contact(host.id, sign_in, contact.host_key.as_deref())
                .await
                .map_err(|error| self.not_recorded(error))?;
            self.announcer.changed(&changed);
        }
        let applied = self
            .registry
            .apply(&snapshot, Timestamp::now())
            .await
            .map_err(|error| self.not_recorded(error))?;
        self.announcer.changed(&applied.changed);
        Ok(true)
    }

    async fn idle(&self, host: HostId) {
        match self.look_around(host).await {
            Ok(()) => {}
            Err(error) => tracing::info!(%host, %error, "workspaces could not be looked at closer"),
        }
    }

    async fn sweep(&self, host: HostId) -> bool {
        match self.carry_out(host).await {
            Ok(did) => did,
            Err(error) => {
                self.announcer.trouble(error);
                false
            }
        }
    }

    fn host_state(&self, host: HostId, state: &HostState) {
        tracing::info!(%host, ?state, "a host is doing something else");
        self.announcer.host_state(host, state);
    }
}

/// A number that differs from host to host and from time to time.
fn chance() -> u8 {
    let word = uuid::Uuid::now_v7().into_bytes();
    word.last().copied().unwrap_or_default()
}
