//! Joins supervisor, collector and registry, which never see one another.

use std::sync::Arc;

use jiff::Timestamp;
use rollcall_collect::Collector;
use rollcall_converge::{Caller, Failure, FailureCode, HostId, Tier};
use rollcall_registry::{Registry, RegistryError};
use rollcall_supervise::{HostState, Ports};

use crate::announce::Announcer;

#[derive(Clone)]
pub(crate) struct Wiring {
    pub(crate) registry: Registry,
    pub(crate) collector: Collector,
    pub(crate) announcer: Arc<Announcer>,
}

impl Wiring {
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

    fn host_state(&self, host: HostId, state: &HostState) {
        tracing::info!(%host, ?state, "a host is doing something else");
        self.announcer.host_state(host, state);
    }
}
