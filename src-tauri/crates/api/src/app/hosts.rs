//! Hosts: adding, reaching, signing in, changing and forgetting them.

use std::time::Duration;

use jiff::Timestamp;
use rollcall_converge::{Address, Caller, Host, HostId, SshTarget, Transport};
use uuid::Uuid;

use super::{App, blocking, gone};
use crate::error::{ApiError, ErrorCode};
use crate::wire::{
    AliasRow, ConnectionTest, HostRef, HostRow, NewHost, PromptRow, TraceRow, TransportKind,
};
use crate::{present, prompts};

impl App {
    /// Hosts of the ssh configuration.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn ssh_aliases(&self) -> Result<Vec<AliasRow>, ApiError> {
        let collector = self.collector.clone();
        let aliases = blocking(move || Ok(collector.aliases())).await?;
        let taken: Vec<String> = self
            .registry
            .hosts()
            .await?
            .into_iter()
            .filter_map(|record| match record.host.address {
                Address::Ssh(target) => Some(target.destination),
                Address::Local => None,
            })
            .collect();
        Ok(aliases
            .into_iter()
            .map(|alias| AliasRow {
                added: taken.contains(&alias.alias),
                alias: alias.alias,
                host_name: alias.host_name,
                user: alias.user,
                port: alias.port,
            })
            .collect())
    }

    /// Adds a host and connects to it.
    ///
    /// # Errors
    /// [`ErrorCode::DuplicateLabel`] and [`ErrorCode::InvalidInput`]. Whether it can be reached shows in its state.
    pub async fn add_host(&self, host: NewHost) -> Result<HostRow, ApiError> {
        let target = target(&host);
        let label = match host.label.trim() {
            "" => target.destination.clone(),
            label => label.to_owned(),
        };
        let every = every(&host)?;
        let (added, changed) = self
            .registry
            .add_host(&label, Address::Ssh(target), Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        if every.is_some() {
            let (_, changed) = self
                .registry
                .edit_host(
                    added.id,
                    &added.label,
                    added.address,
                    every,
                    Timestamp::now(),
                )
                .await?;
            self.announcer.changed(&changed);
        }
        self.supervisor
            .attach(added.id, false, false, every, Caller::Person);
        self.host_row(added.id).await
    }

    async fn host_row(&self, id: HostId) -> Result<HostRow, ApiError> {
        let id = HostRef::from(id);
        let overview = self.overview().await?;
        overview
            .hosts
            .into_iter()
            .find(|row| row.id == id)
            .ok_or_else(|| gone("The host"))
    }

    /// Changes what a host is called, how it is reached and how often it is called. Reached in another way, it is
    /// called at once, and whoever changed it may be asked to sign in.
    ///
    /// # Errors
    /// [`ErrorCode::DuplicateLabel`] and [`ErrorCode::InvalidInput`]; this machine can only be renamed and called
    /// more or less often.
    pub async fn edit_host(&self, host: HostRef, form: NewHost) -> Result<HostRow, ApiError> {
        let before = self.host(host.into()).await?;
        let address = match &before.address {
            Address::Local => Address::Local,
            Address::Ssh(_) => Address::Ssh(target(&form)),
        };
        let label = match (form.label.trim(), &address) {
            ("", Address::Ssh(target)) => target.destination.clone(),
            (label, _) => label.to_owned(),
        };
        let every = every(&form)?;
        let (after, changed) = self
            .registry
            .edit_host(before.id, &label, address, every, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        let local = after.address == Address::Local;
        self.supervisor.set_cadence(after.id, local, every);
        if after.address != before.address {
            self.collector.forget(after.id);
            self.supervisor.sync_now(after.id);
        }
        self.host_row(after.id).await
    }

    /// Tries to reach a host as a form says, on a connection of its own, and tells what was done. Nothing is kept of it;
    /// whoever tries may be asked to sign in.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what cannot be a host. Why the host does not answer is part of the answer.
    pub async fn test_host(&self, form: NewHost) -> Result<ConnectionTest, ApiError> {
        let target = target(&form);
        if target.destination.is_empty() {
            return Err(
                ApiError::new(ErrorCode::InvalidInput, "There is nothing to connect to.")
                    .hint("Enter a name of the ssh configuration, a host name or an address."),
            );
        }
        let label = match form.label.trim() {
            "" => target.destination.clone(),
            label => label.to_owned(),
        };
        let host = Host {
            id: HostId::new(Uuid::now_v7()),
            label,
            address: Address::Ssh(target),
            suspended: false,
            sign_in: None,
        };
        let checked = self.collector.check(&host, Caller::Person).await;
        let trace = present::trace(&self.collector.contact(host.id));
        self.collector.forget(host.id);
        Ok(ConnectionTest {
            trace,
            reason: checked.err().as_ref().map(present::reason),
        })
    }

    /// What was done to reach a host last.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry.
    pub async fn host_trace(&self, host: HostRef) -> Result<Vec<TraceRow>, ApiError> {
        let host = self.host(host.into()).await?;
        Ok(present::trace(&self.collector.contact(host.id)))
    }

    /// Questions that wait for a person, in the order they came.
    ///
    /// # Errors
    /// None yet.
    #[expect(clippy::unused_async, reason = "every capability is an async method")]
    pub async fn prompts(&self) -> Result<Vec<PromptRow>, ApiError> {
        Ok(self.desk.rows())
    }

    /// Answers a question, with one text for each of its fields.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it does not wait any more.
    #[expect(clippy::unused_async, reason = "every capability is an async method")]
    pub async fn answer_prompt(
        &self,
        id: String,
        answers: Vec<String>,
        keep: bool,
    ) -> Result<(), ApiError> {
        self.desk
            .answer(prompt_id(&id)?, Some(prompts::reply(answers, keep)))
    }

    /// Says that nobody will answer a question. What asked it gives up, and does not ask again by itself.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it does not wait any more.
    #[expect(clippy::unused_async, reason = "every capability is an async method")]
    pub async fn cancel_prompt(&self, id: String) -> Result<(), ApiError> {
        self.desk.answer(prompt_id(&id)?, None)
    }

    /// Trusts the key a host showed, if it still shows that one, and connects.
    ///
    /// # Errors
    /// If the host shows another key now, or its key is known and differs.
    pub async fn trust_host_key(&self, host: HostRef, fingerprint: String) -> Result<(), ApiError> {
        let host = self.host(host.into()).await?;
        self.collector.trust(&host, &fingerprint, false).await?;
        self.supervisor.sync_now(host.id);
        Ok(())
    }

    /// Takes the key a host shows in place of those that are known, which count as revoked for it from then on, and
    /// connects. The person says which host they mean by typing its label.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] if the label is another one; if the host shows another key now, or one that is
    /// revoked.
    pub async fn replace_host_key(
        &self,
        host: HostRef,
        fingerprint: String,
        label: String,
    ) -> Result<(), ApiError> {
        let host = self.host(host.into()).await?;
        if label.trim() != host.label {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                format!("`{}` is not what this host is called.", label.trim()),
            )
            .hint(format!("Type `{}`.", host.label)));
        }
        self.collector.trust(&host, &fingerprint, true).await?;
        self.supervisor.sync_now(host.id);
        Ok(())
    }

    /// Gives a host the workspaces, notes and pending deletions of a forgotten one that is the same machine.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if either is not there; [`ErrorCode::InvalidInput`] if they are not the same machine.
    pub async fn reclaim_host(&self, host: HostRef, forgotten: HostRef) -> Result<(), ApiError> {
        let row = self.host_row(host.into()).await?;
        if row.forgotten.as_ref().map(|it| it.id) != Some(forgotten) {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                format!("Nothing is remembered that belongs to `{}`.", row.label),
            ));
        }
        let changed = self
            .registry
            .reclaim_host(host.into(), forgotten.into(), Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.changed(host.into());
        Ok(())
    }

    /// Deletes for good what is remembered of a forgotten host.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if nothing is.
    pub async fn erase_forgotten(&self, forgotten: HostRef) -> Result<(), ApiError> {
        let changed = self.registry.erase_forgotten(forgotten.into()).await?;
        self.announcer.changed(&changed);
        Ok(())
    }

    /// Stops or resumes everything for a host. Lasts across restarts.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry.
    pub async fn set_suspended(&self, host: HostRef, suspended: bool) -> Result<(), ApiError> {
        let id = host.into();
        let changed = self
            .registry
            .set_suspended(id, suspended, Timestamp::now())
            .await?;
        self.supervisor.set_suspended(id, suspended);
        if suspended {
            self.collector.forget(id);
        }
        self.announcer.changed(&changed);
        Ok(())
    }

    /// Forgets a host with its rows and everything a person wrote about them, which the same machine can have back for
    /// ninety days.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for this machine.
    pub async fn forget_host(&self, host: HostRef) -> Result<(), ApiError> {
        let host = self.host(host.into()).await?;
        if host.address == Address::Local {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                "This machine cannot be forgotten.",
            )
            .hint("Suspend it if its roll should not be called."));
        }
        self.supervisor.detach(host.id).await;
        self.collector.forget(host.id);
        let changed = self.registry.forget_host(host.id, Timestamp::now()).await?;
        self.announcer.forget(host.id);
        self.announcer.changed(&changed);
        Ok(())
    }
}

/// What a person entered about a host; a user may stand before the destination. The registry refuses what cannot be.
pub(super) fn target(host: &NewHost) -> SshTarget {
    let some = |text: &Option<String>| {
        text.as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let mut user = some(&host.user);
    let destination = match host.destination.trim().rsplit_once('@') {
        Some((before, after)) => {
            user = user.or_else(|| Some(before.to_owned()));
            after
        }
        None => host.destination.trim(),
    };
    SshTarget {
        destination: destination.to_owned(),
        user,
        port: host.port,
        identity_file: some(&host.identity_file),
        transport: match host.transport {
            TransportKind::Automatic => Transport::Automatic,
            TransportKind::Own => Transport::Own,
            TransportKind::OpenSsh => Transport::OpenSsh,
        },
    }
}

fn every(host: &NewHost) -> Result<Option<Duration>, ApiError> {
    match host.every {
        Some(0) => Err(ApiError::new(
            ErrorCode::InvalidInput,
            "A roll is called at most every 10 seconds.",
        )),
        every => Ok(every.map(|seconds| Duration::from_secs(seconds.into()))),
    }
}

fn prompt_id(id: &str) -> Result<Uuid, ApiError> {
    id.parse()
        .map_err(|_| ApiError::new(ErrorCode::NotFound, "This question does not wait any more."))
}
