//! Verbs of hosts and roots.

use std::time::Duration;

use jiff::Timestamp;
use rollcall_converge::{
    Address, Host, HostId, Inspection, Root, RootId, SignIn, SshTarget, inert,
};
use uuid::Uuid;

use crate::error::{RegistryError, Translate as _};
use crate::journal::{About, Actor, JournalKind};
use crate::records::{
    Columns, HostRecord, json, key, nanos, root_kind, select_hosts, select_roots,
    select_workspaces, workspaces,
};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_optional, fetch_scalar};

/// Characters of a host's label.
const LABEL_LIMIT: usize = 100;
/// Seconds between two roll calls.
const CADENCE: std::ops::RangeInclusive<u64> = 10..=86_400;
/// Bytes of each part of an address.
const ADDRESS_LIMIT: usize = 1_024;

impl Write {
    pub(crate) async fn host(&mut self, id: HostId) -> Result<HostRecord, RegistryError> {
        let row = fetch_optional!(
            *self.transaction,
            select_hosts!("WHERE id = ?"),
            key(id.uuid())
        )?
        .ok_or(RegistryError::NotFound { what: "The host" })?;
        Columns(&row).host()
    }

    /// Refuses a label that another host has, before the database does in its own words.
    async fn free_label(&mut self, label: &str, own: Option<HostId>) -> Result<(), RegistryError> {
        let taken: i64 = fetch_scalar!(
            *self.transaction,
            "SELECT count(*) FROM hosts WHERE label_key = ? AND id IS NOT ?",
            label.to_lowercase(),
            own.map(|id| key(id.uuid()))
        )?;
        if taken > 0 {
            return Err(RegistryError::DuplicateLabel {
                label: label.to_owned(),
            });
        }
        Ok(())
    }

    async fn insert_host(
        &mut self,
        label: &str,
        address: Address,
        now: Timestamp,
    ) -> Result<Host, RegistryError> {
        self.free_label(label, None).await?;
        let host = Host {
            id: HostId::new(Uuid::now_v7()),
            label: label.to_owned(),
            address,
            suspended: false,
            sign_in: None,
        };
        execute!(
            *self.transaction,
            "INSERT INTO hosts (id, label, label_key, address, position, created_at) \
             SELECT ?, ?, ?, ?, coalesce(max(position), 0) + 1, ? FROM hosts",
            key(host.id.uuid()),
            label,
            label.to_lowercase(),
            json(&host.address)?,
            nanos(now)
        )?;
        let kind = JournalKind::HostAdded {
            label: label.to_owned(),
        };
        self.note(now, Actor::Person, About::host(host.id), &kind)
            .await?;
        self.changed.hosts = true;
        Ok(host)
    }
}

impl Registry {
    /// Adds this machine under a label, if it is not there yet. Afterwards it is there once.
    ///
    /// # Errors
    /// As [`Registry::add_host`].
    pub async fn ensure_local_host(
        &self,
        label: &str,
        now: Timestamp,
    ) -> Result<(Host, Changed), RegistryError> {
        let label = checked_label(label)?;
        let mut write = self.write().await?;
        let there = fetch_optional!(
            *write.transaction,
            select_hosts!("WHERE json_extract(address, '$.by') = 'local'")
        )?;
        let host = match there {
            Some(row) => Columns(&row).host()?.host,
            None => write.insert_host(&label, Address::Local, now).await?,
        };
        Ok((host, write.commit().await?))
    }

    /// Adds a host reached over SSH.
    ///
    /// # Errors
    /// [`RegistryError::DuplicateLabel`]; [`RegistryError::InvalidInput`] for a label that is empty, longer than
    /// 100 characters or has control characters, for an address that cannot be one, and for this machine, which
    /// is there already.
    pub async fn add_host(
        &self,
        label: &str,
        address: Address,
        now: Timestamp,
    ) -> Result<(Host, Changed), RegistryError> {
        let label = checked_label(label)?;
        match &address {
            Address::Ssh(target) => check_target(target)?,
            Address::Local => {
                return Err(RegistryError::invalid(
                    "This machine is there already.",
                    "Add a host that is reached over SSH.",
                ));
            }
        }
        let mut write = self.write().await?;
        let host = write.insert_host(&label, address, now).await?;
        Ok((host, write.commit().await?))
    }

    /// Gives a host another label, another address and another cadence. How it was signed in to is forgotten if it is
    /// reached in another way.
    ///
    /// # Errors
    /// As [`Registry::add_host`]; [`RegistryError::InvalidInput`] also if this machine would become another, or
    /// another this one, or the cadence is not between 10 s and a day; [`RegistryError::NotFound`].
    pub async fn edit_host(
        &self,
        id: HostId,
        label: &str,
        address: Address,
        cadence: Option<Duration>,
        now: Timestamp,
    ) -> Result<(Host, Changed), RegistryError> {
        let label = checked_label(label)?;
        if let Address::Ssh(target) = &address {
            check_target(target)?;
        }
        let cadence = cadence.map(|it| it.as_secs());
        if cadence.is_some_and(|seconds| !CADENCE.contains(&seconds)) {
            return Err(RegistryError::invalid(
                "A roll is called at most every 10 seconds and at least once a day.",
                "Choose a time in between.",
            ));
        }
        let mut write = self.write().await?;
        let record = write.host(id).await?;
        let other_cadence = record.cadence.map(|it| it.as_secs()) != cadence;
        let before = record.host;
        if (before.address == Address::Local) != (address == Address::Local) {
            return Err(RegistryError::invalid(
                format!("`{}` cannot become another machine.", before.label),
                "Add the other machine as a host of its own.",
            ));
        }
        write.free_label(&label, Some(id)).await?;
        let same_way = before.address == address;
        let host = Host {
            id,
            label,
            address,
            suspended: before.suspended,
            sign_in: before.sign_in.clone().filter(|_| same_way),
        };
        if host != before || other_cadence {
            execute!(
                *write.transaction,
                "UPDATE hosts SET label = ?, label_key = ?, address = ?, sign_in = ?, cadence = ? WHERE id = ?",
                host.label.clone(),
                host.label.to_lowercase(),
                json(&host.address)?,
                host.sign_in.as_ref().map(json).transpose()?,
                cadence.and_then(|seconds| i64::try_from(seconds).ok()),
                key(id.uuid())
            )?;
            let kind = JournalKind::HostEdited {
                from: before.label,
                to: host.label.clone(),
            };
            write
                .note(now, Actor::Person, About::host(id), &kind)
                .await?;
            write.changed.hosts = true;
        }
        Ok((host, write.commit().await?))
    }

    /// Stops or resumes everything for a host.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn set_suspended(
        &self,
        id: HostId,
        suspended: bool,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        if write.host(id).await?.host.suspended != suspended {
            execute!(
                *write.transaction,
                "UPDATE hosts SET suspended = ? WHERE id = ?",
                i64::from(suspended),
                key(id.uuid())
            )?;
            let kind = if suspended {
                JournalKind::HostSuspended
            } else {
                JournalKind::HostResumed
            };
            write
                .note(now, Actor::Person, About::host(id), &kind)
                .await?;
            write.changed.hosts = true;
        }
        write.commit().await
    }

    /// Forgets a host with its roots, its rows and everything people wrote about them. They are kept out of sight, so
    /// that the same machine can have them back under another label; a host of which nothing is known is deleted.
    /// Pending deletions of it are not carried out. Its journal stays.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`]; [`RegistryError::InvalidInput`] for this machine.
    pub async fn forget_host(&self, id: HostId, now: Timestamp) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let record = write.host(id).await?;
        let host = record.host;
        if host.address == Address::Local {
            return Err(RegistryError::invalid(
                format!("`{}` is this machine and cannot be forgotten.", host.label),
                "Suspend it if its roll should not be called.",
            ));
        }
        let roots: i64 = fetch_scalar!(
            *write.transaction,
            "SELECT count(*) FROM live_roots WHERE host_id = ?",
            key(id.uuid())
        )?;
        write.hide_host(id, now).await?;
        let rows = write.changed.removed.len() as u64;
        if rows == 0 || (record.machine.is_none() && record.host_key.is_none()) {
            write.erase_host(id).await?;
        }
        let kind = JournalKind::HostForgotten {
            label: host.label,
            rows,
        };
        write
            .note(now, Actor::Person, About::host(id), &kind)
            .await?;
        write.changed.hosts = true;
        write.changed.roots = roots > 0;
        write.commit().await
    }

    /// Keeps how a host was signed in to, and the key it showed. Says nothing where that is as it was.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn record_contact(
        &self,
        id: HostId,
        sign_in: &SignIn,
        host_key: Option<&str>,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let before = write.host(id).await?;
        let host_key = host_key.or(before.host_key.as_deref());
        if before.host.sign_in.as_ref() != Some(sign_in) || before.host_key.as_deref() != host_key {
            execute!(
                *write.transaction,
                "UPDATE hosts SET sign_in = ?, host_key = ? WHERE id = ?",
                json(sign_in)?,
                host_key,
                key(id.uuid())
            )?;
            write.changed.hosts = true;
        }
        write.commit().await
    }

    /// Puts a path that its host acknowledged under roll call. The same path and kind give the same root; whether
    /// it is a new one says [`Changed::roots`]. Its rows come with the next roll call.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`] for the host; [`RegistryError::InvalidInput`] for a path that is not absolute.
    pub async fn register_root(
        &self,
        host: HostId,
        inspection: &Inspection,
        now: Timestamp,
    ) -> Result<(Root, Changed), RegistryError> {
        let path = inspection.path.as_bytes();
        if !path.starts_with(b"/") || path.contains(&0) {
            return Err(RegistryError::invalid(
                format!("`{}` is no absolute path.", inspection.path.display()),
                "Give a path that begins with `/`.",
            ));
        }
        let mut write = self.write().await?;
        write.host(host).await?;
        let there = fetch_optional!(
            *write.transaction,
            select_roots!("WHERE host_id = ? AND path = ? AND kind = ?"),
            key(host.uuid()),
            path.to_vec(),
            root_kind(inspection.kind)
        )?;
        if let Some(row) = there {
            let root = Columns(&row).root()?.root;
            return Ok((root, write.commit().await?));
        }
        let root = Root {
            id: RootId::new(Uuid::now_v7()),
            host,
            kind: inspection.kind,
            path: inspection.path.clone(),
            mount: inspection.mount.clone(),
        };
        execute!(
            *write.transaction,
            "INSERT INTO roots (id, host_id, kind, path, mount, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            key(root.id.uuid()),
            key(host.uuid()),
            root_kind(root.kind),
            path.to_vec(),
            root.mount.as_ref().map(|mount| mount.as_bytes().to_vec()),
            nanos(now)
        )?;
        let about = About {
            host: Some(host),
            workspace: None,
            path: Some(&root.path),
        };
        let kind = JournalKind::RootRegistered { kind: root.kind };
        write.note(now, Actor::Person, about, &kind).await?;
        write.changed.roots = true;
        Ok((root, write.commit().await?))
    }

    /// Ends the roll call of a root and forgets its rows; the host is not touched.
    ///
    /// # Errors
    /// [`RegistryError::DeletionPending`] if any of its rows is being deleted; [`RegistryError::Annotated`] if people
    /// wrote about any of its rows and `discard_annotations` does not say that this may be lost;
    /// [`RegistryError::NotFound`].
    pub async fn release_root(
        &self,
        id: RootId,
        discard_annotations: bool,
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let row = fetch_optional!(
            *write.transaction,
            select_roots!("WHERE id = ?"),
            key(id.uuid())
        )?
        .ok_or(RegistryError::NotFound { what: "The root" })?;
        let root = Columns(&row).root()?.root;
        let rows = workspaces(&fetch_all!(
            *write.transaction,
            select_workspaces!("WHERE w.root_id = ?"),
            key(id.uuid())
        )?)?;
        if let Some(pending) = rows.iter().find(|record| record.row.tombstone.is_some()) {
            return Err(RegistryError::DeletionPending {
                path: pending.row.state.path.display(),
            });
        }
        let annotated = rows.iter().filter(|record| record.row.annotated).count() as u64;
        if annotated > 0 && !discard_annotations {
            return Err(RegistryError::Annotated {
                count: annotated,
                path: root.path.display(),
            });
        }
        for record in &rows {
            write.remove_workspace(record.row.id).await?;
        }
        execute!(
            *write.transaction,
            "DELETE FROM roots WHERE id = ?",
            key(id.uuid())
        )?;
        let about = About {
            host: Some(root.host),
            workspace: None,
            path: Some(&root.path),
        };
        let kind = JournalKind::RootReleased {
            rows: rows.len() as u64,
        };
        write.note(now, Actor::Person, about, &kind).await?;
        write.changed.roots = true;
        write.commit().await
    }
}

fn checked_label(label: &str) -> Result<String, RegistryError> {
    let label = label.trim();
    if label.is_empty() {
        return Err(RegistryError::invalid(
            "A host needs a label.",
            "Enter what you call it.",
        ));
    }
    let length = label.chars().count();
    if length > LABEL_LIMIT {
        return Err(RegistryError::invalid(
            format!("The label of a host has {length} characters, more than {LABEL_LIMIT}."),
            "Choose a shorter label.",
        ));
    }
    if label.chars().any(char::is_control) {
        return Err(RegistryError::invalid(
            format!(
                "The label `{}` has control characters.",
                inert(label.as_bytes())
            ),
            "Leave out line breaks and other control characters.",
        ));
    }
    Ok(label.to_owned())
}

/// An address becomes arguments and lines of configuration, so nothing in it may begin an option or a line (I18).
fn check_target(target: &SshTarget) -> Result<(), RegistryError> {
    let bad = |what: &str, value: &str| {
        RegistryError::invalid(
            format!("`{}` is no {what}.", inert(value.as_bytes())),
            "Enter it as the ssh configuration names it.",
        )
    };
    let plain = |value: &str| {
        !value.is_empty() && value.len() <= ADDRESS_LIMIT && !value.chars().any(char::is_control)
    };
    let word = |value: &str| {
        plain(value) && !value.starts_with('-') && !value.contains(char::is_whitespace)
    };
    if !word(&target.destination) {
        return Err(bad("host name", &target.destination));
    }
    if let Some(user) = target.user.as_deref().filter(|user| !word(user)) {
        return Err(bad("user name", user));
    }
    if let Some(file) = target.identity_file.as_deref().filter(|file| !plain(file)) {
        return Err(bad("key file", file));
    }
    if target.port == Some(0) {
        return Err(bad("port", "0"));
    }
    Ok(())
}
