//! The application: every capability as an async method.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use rollcall_collect::{Collector, SshEnvironment};
use rollcall_converge::{Address, Choice, HostId, HostPath, SshTarget, WorkspaceId};
use rollcall_registry::Registry;
use rollcall_supervise::Supervisor;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::announce::{Announcer, Event, Events};
use crate::error::{ApiError, ErrorCode};
use crate::wire::{
    AliasRow, AnnotationPatch, HostRef, HostRow, ImportMode, ImportReport, JournalLine, NewHost,
    Notice, Overview, RegisterOutcome, Registered, RootRef, RowChanges, WorkspaceDetail,
    WorkspacePage, WorkspaceRef,
};
use crate::wiring::Wiring;
use crate::{files, present, upkeep};

/// Rows in one page.
const PAGE: u32 = 500;
/// Lines in one page of the journal.
const JOURNAL_PAGE: u32 = 200;

/// Where the application finds its things.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The data folder; made if it is not there.
    pub folder: PathBuf,
    /// The ssh configuration to read in place of the person's own.
    pub ssh_config: Option<PathBuf>,
}

/// What the application can do. Hosts are called and the registry is kept for as long as it lives.
pub struct App {
    registry: Registry,
    collector: Collector,
    supervisor: Supervisor<Wiring>,
    announcer: Arc<Announcer>,
    /// Ended with the application.
    _tasks: JoinSet<()>,
}

impl App {
    /// Opens the registry, takes on every host in it and calls their rolls on the given runtime.
    ///
    /// # Errors
    /// If the registry cannot be opened: it is newer, damaged, locked, or its folder cannot be written.
    /// Nothing is changed then.
    pub async fn open(settings: Settings, runtime: Handle) -> Result<(Self, Events), ApiError> {
        let registry = Registry::open(&settings.folder).await?;
        registry
            .ensure_local_host("This machine", Timestamp::now())
            .await?;
        let mut ssh = SshEnvironment::new(settings.folder.join("known_hosts"));
        ssh.config = settings.ssh_config;
        let collector = Collector::new(ssh);
        let mut tasks = JoinSet::new();
        let (announcer, events) = Announcer::start(registry.clone(), &mut tasks, &runtime).await?;
        tasks.spawn_on(
            upkeep::keep(registry.clone(), Arc::clone(&announcer)),
            &runtime,
        );
        let wiring = Wiring {
            registry: registry.clone(),
            collector: collector.clone(),
            announcer: Arc::clone(&announcer),
        };
        let supervisor = Supervisor::new(wiring, runtime);
        for record in registry.hosts().await? {
            let host = record.host;
            supervisor.attach(host.id, host.address == Address::Local, host.suspended);
        }
        Ok((
            Self {
                registry,
                collector,
                supervisor,
                announcer,
                _tasks: tasks,
            },
            events,
        ))
    }

    /// Ends what runs on hosts. What comes from them after this is not taken up.
    pub async fn shutdown(&self) {
        self.supervisor.shutdown().await;
    }

    /// Says whether anybody can see the window; again whenever it gets the focus.
    pub fn set_visible(&self, visible: bool) {
        self.supervisor.set_visible(visible);
    }

    /// Hosts and roots.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn overview(&self) -> Result<Overview, ApiError> {
        self.announcer.overview().await
    }

    /// Rows in pages, in the order of their ids, after a given one.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn workspaces(&self, after: Option<WorkspaceRef>) -> Result<WorkspacePage, ApiError> {
        // The revision comes first: what changes meanwhile is then announced once more, and never missed.
        let revision = self.registry.revision().await?;
        let records = self
            .registry
            .workspaces_page(after.map(Into::into), PAGE)
            .await?;
        let full = records.len() == PAGE as usize;
        let next = records
            .last()
            .filter(|_| full)
            .map(|last| last.row.id.into());
        Ok(WorkspacePage {
            revision: present::revision(revision),
            rows: records.iter().map(present::row).collect(),
            next,
        })
    }

    /// What changed after a revision.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn changes_since(&self, revision: u32) -> Result<RowChanges, ApiError> {
        Ok(present::changes(
            &self.registry.changes_since(u64::from(revision)).await?,
        ))
    }

    /// One workspace for the inspector.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry.
    pub async fn workspace(&self, id: WorkspaceRef) -> Result<WorkspaceDetail, ApiError> {
        let record = self
            .registry
            .workspace(id.into())
            .await?
            .ok_or_else(|| gone("This workspace"))?;
        let root = self.registry.root(record.row.state.root).await?;
        Ok(present::detail(&record, root.as_ref()))
    }

    /// Puts a path of a host under roll call and calls the roll. `~` is the home folder there. Registering a path
    /// again gives the same root.
    ///
    /// # Errors
    /// Why the host did not acknowledge the path; nothing is registered then.
    pub async fn register(&self, host: HostRef, path: String) -> Result<Registered, ApiError> {
        if !path.starts_with(['/', '~']) {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                format!("`{path}` is no absolute path."),
            )
            .hint("Enter a path that begins with `/`, or with `~/` for the home folder there."));
        }
        self.register_path(host.into(), HostPath::new(path)).await
    }

    async fn register_path(&self, id: HostId, path: HostPath) -> Result<Registered, ApiError> {
        let host = self.host(id).await?;
        let inspection = self.collector.inspect(&host, &path).await?;
        let (root, changed) = self
            .registry
            .register_root(id, &inspection, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.changed(id);
        let record = self.registry.root(root.id).await?;
        Ok(Registered {
            root: present::root(&record.ok_or_else(|| gone("The root"))?),
            already: !changed.roots,
            inside: inspection.inside.map(|path| path.display()),
        })
    }

    /// Registers folders of this machine one after another; each is answered.
    pub async fn register_here(&self, paths: Vec<HostPath>) -> Vec<RegisterOutcome> {
        let mut outcomes = Vec::with_capacity(paths.len());
        for path in paths {
            let shown = path.display();
            let registered = match self.local_host().await {
                Ok(host) => self.register_path(host, path).await,
                Err(error) => Err(error),
            };
            outcomes.push(match registered {
                Ok(registered) => RegisterOutcome {
                    path: shown,
                    registered: Some(registered),
                    error: None,
                },
                Err(error) => RegisterOutcome {
                    path: shown,
                    registered: None,
                    error: Some(error),
                },
            });
        }
        outcomes
    }

    /// Registers folders that were dropped onto the window, and tells it what came of each.
    pub async fn register_dropped(&self, paths: Vec<HostPath>) {
        let outcomes = self.register_here(paths).await;
        self.announcer
            .tell(Event::Notice(Notice::Dropped(outcomes)));
    }

    async fn local_host(&self) -> Result<HostId, ApiError> {
        let hosts = self.registry.hosts().await?;
        hosts
            .iter()
            .find(|record| record.host.address == Address::Local)
            .map(|record| record.host.id)
            .ok_or_else(|| gone("This machine"))
    }

    async fn host(&self, id: HostId) -> Result<rollcall_converge::Host, ApiError> {
        let record = self.registry.host(id).await?;
        Ok(record.ok_or_else(|| gone("The host"))?.host)
    }

    /// Ends the roll call of a root and forgets its rows.
    ///
    /// # Errors
    /// [`ErrorCode::Annotated`] if notes, tags or pins would be lost and that was not agreed to.
    pub async fn release_root(
        &self,
        root: RootRef,
        discard_annotations: bool,
    ) -> Result<(), ApiError> {
        let changed = self
            .registry
            .release_root(root.into(), discard_annotations, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        Ok(())
    }

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
        let (host, changed) = self
            .registry
            .add_host(&label, Address::Ssh(target), Timestamp::now())
            .await?;
        self.supervisor.attach(host.id, false, false);
        self.announcer.changed(&changed);
        let id = HostRef::from(host.id);
        let overview = self.overview().await?;
        overview
            .hosts
            .into_iter()
            .find(|row| row.id == id)
            .ok_or_else(|| gone("The host"))
    }

    /// Trusts the key a host showed, if it still shows that one, and connects.
    ///
    /// # Errors
    /// If the host shows another key now, or its key is known and differs.
    pub async fn trust_host_key(&self, host: HostRef, fingerprint: String) -> Result<(), ApiError> {
        let host = self.host(host.into()).await?;
        self.collector.trust(&host, &fingerprint).await?;
        self.supervisor.sync_now(host.id);
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

    /// Forgets a host with its rows and everything a person wrote about them.
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

    /// Calls the roll of a host, or of all, because a person asked.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if the host is not in the registry.
    pub async fn sync_now(&self, host: Option<HostRef>) -> Result<(), ApiError> {
        match host {
            Some(host) => {
                let host = self.host(host.into()).await?;
                self.supervisor.sync_now(host.id);
            }
            None => self.supervisor.sync_all(),
        }
        Ok(())
    }

    /// Writes what a person wants to remember about a workspace. No host is asked (I4).
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry.
    pub async fn annotate(
        &self,
        id: WorkspaceRef,
        patch: AnnotationPatch,
    ) -> Result<WorkspaceDetail, ApiError> {
        let patch = rollcall_registry::AnnotationPatch {
            note: patch.note,
            tags: patch.tags,
            pinned: patch.pinned,
            display_name: patch
                .display_name
                .map(|name| Some(name).filter(|name| !name.is_empty())),
            ..rollcall_registry::AnnotationPatch::default()
        };
        let changed = self
            .registry
            .annotate(id.into(), &patch, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.workspace(id).await
    }

    /// Stops showing a workspace. Its host is not touched.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry.
    pub async fn untrack(&self, id: WorkspaceRef) -> Result<(), ApiError> {
        let changed = self.registry.untrack(id.into(), Timestamp::now()).await?;
        self.announcer.changed(&changed);
        Ok(())
    }

    /// Shows a workspace again, and calls the roll of its host for a fresh assertion.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry.
    pub async fn retrack(&self, id: WorkspaceRef) -> Result<(), ApiError> {
        let changed = self.registry.retrack(id.into(), Timestamp::now()).await?;
        self.announcer.changed(&changed);
        if let Some(record) = self.registry.workspace(id.into()).await? {
            self.supervisor.changed(record.host);
        }
        Ok(())
    }

    /// Believes a host that the given workspaces are gone, or keeps them all the same (I17).
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if the host is not in the registry.
    pub async fn decide_absence(
        &self,
        host: HostRef,
        shown: Vec<WorkspaceRef>,
        accept: bool,
    ) -> Result<(), ApiError> {
        let shown: Vec<WorkspaceId> = shown.into_iter().map(Into::into).collect();
        let (id, now) = (host.into(), Timestamp::now());
        let changed = if accept {
            self.registry.accept_absence(id, &shown, now).await?
        } else {
            self.registry.refuse_absence(id, &shown, now).await?
        };
        self.announcer.changed(&changed);
        Ok(())
    }

    /// Agrees that a host is the machine it says it is now, and calls its roll (I17).
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] if it says something else by now.
    pub async fn agree_to_machine(&self, host: HostRef, machine: String) -> Result<(), ApiError> {
        let id = host.into();
        let changed = self
            .registry
            .agree_to_machine(id, &machine, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.changed(id);
        Ok(())
    }

    /// Settles which of the records that claim a path counts, and calls the roll of its host.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if the root is not in the registry or has no such conflict any more.
    pub async fn settle_conflict(&self, root: RootRef, claim: String) -> Result<(), ApiError> {
        let record = self
            .registry
            .root(root.into())
            .await?
            .ok_or_else(|| gone("The root"))?;
        let choice = record
            .conflicts
            .iter()
            .flat_map(|conflict| {
                let generations = conflict.claims.iter().filter_map(|claim| claim.generation);
                generations.map(|generation| Choice {
                    path: conflict.path.clone(),
                    generation,
                })
            })
            .find(|choice| present::claim_id(&choice.path, choice.generation) == claim)
            .ok_or_else(|| gone("The conflict"))?;
        let changed = self
            .registry
            .settle_conflict(record.root.host, &choice, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.supervisor.changed(record.root.host);
        Ok(())
    }

    /// Writes everything a person wrote into a file of this machine; says where. `~/` is the home folder.
    ///
    /// # Errors
    /// [`ErrorCode::FileExists`] if there is one and replacing it was not agreed to; why it cannot be written.
    pub async fn export_annotations(
        &self,
        file: String,
        replace: bool,
    ) -> Result<String, ApiError> {
        let path = files::named(&file)?;
        let text = self.registry.export(Timestamp::now()).await?;
        blocking(move || files::write(&path, &text, replace).map(|()| path.display().to_string()))
            .await
    }

    /// Takes annotations in from a file of this machine, or only says what would change.
    ///
    /// # Errors
    /// Why the file cannot be read or is none that was exported; nothing is changed then.
    pub async fn import_annotations(
        &self,
        file: String,
        mode: ImportMode,
        dry_run: bool,
    ) -> Result<ImportReport, ApiError> {
        let path = files::named(&file)?;
        let bytes = blocking(move || files::read(&path)).await?;
        let mode = match mode {
            ImportMode::Merge => rollcall_registry::ImportMode::Merge,
            ImportMode::Replace => rollcall_registry::ImportMode::Replace,
        };
        let (import, changed) = self
            .registry
            .import(&bytes, mode, dry_run, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        Ok(present::import(import))
    }

    /// The journal, newest first: all of it, or what concerns one workspace; lines before a given number.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn journal(
        &self,
        before: Option<u32>,
        workspace: Option<WorkspaceRef>,
    ) -> Result<Vec<JournalLine>, ApiError> {
        let entries = self
            .registry
            .journal(
                workspace.map(Into::into),
                before.map(u64::from),
                JOURNAL_PAGE,
            )
            .await?;
        let hosts = self.registry.hosts().await?;
        let labels: HashMap<HostId, String> = hosts
            .into_iter()
            .map(|record| (record.host.id, record.host.label))
            .collect();
        Ok(entries
            .iter()
            .map(|entry| present::journal_line(entry, &labels))
            .collect())
    }
}

/// Runs what waits for this machine's disk where it holds up nothing else.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?
}

fn gone(what: &str) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!("{what} is not in the registry any more."),
    )
}

/// What a person entered about a host; a user may stand before the destination. The registry refuses what cannot be.
fn target(host: &NewHost) -> SshTarget {
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
    }
}

#[cfg(test)]
mod tests;
