//! Joins supervisor, collector and registry, which never see one another.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use rollcall_collect::Collector;
use rollcall_converge::{
    Caller, Changes, Failure, FailureCode, HostId, Subject, Tier, WorkspaceId,
};
use rollcall_registry::{Registry, RegistryError, WorkspaceRecord};
use rollcall_supervise::{HostState, Ports};

use crate::announce::Announcer;
use crate::error::ApiError;

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

impl Wiring {
    /// Looks in depth at some clean workspaces of a host that nobody looked at for a day.
    async fn look_around(&self, host: HostId) -> Result<(), ApiError> {
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
        let mut subjects = Vec::new();
        for record in &records {
            subjects.push(subject(&self.registry, record).await?);
        }
        if subjects.is_empty() {
            return Ok(());
        }
        let looks = self
            .collector
            .look(&host, &subjects, Caller::Schedule)
            .await?;
        for (record, look) in records.iter().zip(looks) {
            match look {
                Ok(look) if look.generation == record.row.state.generation => {
                    let now = Timestamp::now();
                    let changed = self.registry.record_look(record.row.id, &look, now).await?;
                    self.announcer.changed(&changed);
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

    fn host_state(&self, host: HostId, state: &HostState) {
        tracing::info!(%host, ?state, "a host is doing something else");
        self.announcer.host_state(host, state);
    }
}
