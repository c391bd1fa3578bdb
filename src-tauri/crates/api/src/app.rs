//! The application: every capability as an async method.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rollcall_collect::{Collector, Keychain, Prompter, SshEnvironment};
use rollcall_converge::{Address, Caller, Choice, HostId, HostPath, WorkspaceId};
use rollcall_registry::{Registry, WorkspaceRecord};
use rollcall_supervise::Supervisor;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::announce::{Announcer, Event, Events};
use crate::error::{ApiError, ErrorCode};
use crate::jobs::Jobs;
use crate::keychain::SystemKeychain;
use crate::prompts::Desk;
use crate::wire::{
    HostRef, ImportMode, ImportReport, Notice, Overview, RegisterOutcome, Registered, RootRef,
    RowChanges, WorkspaceDetail, WorkspacePage, WorkspaceRef,
};
use crate::wiring::Wiring;
use crate::{files, present, upkeep};

mod annotating;
mod deleting;
mod hosts;
mod journal;
mod looking;
mod opening;
mod plans;
mod verbs;
mod window;

/// Rows in one page.
const PAGE: u32 = 500;

/// Where the application finds its things.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The data folder; made if it is not there.
    pub folder: PathBuf,
    /// The ssh configuration to read in place of the person's own.
    pub ssh_config: Option<PathBuf>,
    /// The program that the system's `ssh` runs to ask a person; it has to call [`crate::askpass`] first.
    pub askpass: Option<PathBuf>,
    /// Whether answers may be kept in the system's keychain.
    pub keychain: bool,
}

impl Settings {
    /// The person's own ssh configuration, with the data in the given folder.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            ssh_config: None,
            askpass: None,
            keychain: false,
        }
    }
}

/// What the application can do. Hosts are called and the registry is kept for as long as it lives.
pub struct App {
    registry: Registry,
    collector: Collector,
    wiring: Wiring,
    supervisor: Arc<Supervisor<Wiring>>,
    announcer: Arc<Announcer>,
    desk: Arc<Desk>,
    jobs: Jobs,
    /// Ended with the application.
    tasks: Mutex<JoinSet<()>>,
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
        let (sender, events) = mpsc::unbounded_channel();
        let desk = Desk::new(sender.clone());
        let jobs = Jobs::new(sender.clone());
        let mut ssh = SshEnvironment::new(settings.folder.join("known_hosts"));
        ssh.config = settings.ssh_config;
        ssh.askpass = settings.askpass;
        ssh.keychain = settings
            .keychain
            .then(|| Arc::new(SystemKeychain) as Arc<dyn Keychain>);
        ssh.prompter = Some(Arc::clone(&desk) as Arc<dyn Prompter>);
        let collector = Collector::new(ssh);
        let mut tasks = JoinSet::new();
        let announcer = Announcer::start(registry.clone(), &mut tasks, &runtime, sender).await?;
        tasks.spawn_on(
            upkeep::keep(registry.clone(), Arc::clone(&announcer)),
            &runtime,
        );
        let wiring = Wiring {
            registry: registry.clone(),
            collector: collector.clone(),
            announcer: Arc::clone(&announcer),
            unseen: Arc::default(),
        };
        let supervisor = Arc::new(Supervisor::new(wiring.clone(), runtime.clone()));
        for record in registry.hosts().await? {
            let host = record.host;
            let local = host.address == Address::Local;
            supervisor.attach(
                host.id,
                local,
                host.suspended,
                record.cadence,
                Caller::Schedule,
            );
        }
        let (calling, asking) = (Arc::clone(&supervisor), collector.clone());
        tasks.spawn_on(
            rollcall_supervise::watch(async move |change| {
                tracing::info!(?change, "hosts are called anew");
                asking.doubt().await;
                calling.network_changed();
            }),
            &runtime,
        );
        Ok((
            Self {
                registry,
                collector,
                wiring,
                supervisor,
                announcer,
                desk,
                jobs,
                tasks: Mutex::new(tasks),
            },
            events,
        ))
    }

    /// Ends what runs on hosts, then closes the registry: its file is nobody's when this returns. What comes from hosts
    /// after this is not taken up, and everything that is asked fails.
    pub async fn shutdown(&self) {
        self.supervisor.shutdown().await;
        let mut tasks =
            std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.shutdown().await;
        self.registry.close().await;
    }

    /// Takes every connection for one that may be dead, and calls every roll: the system slept, or its network changed.
    /// It is noticed without this, too.
    pub async fn network_changed(&self) {
        self.collector.doubt().await;
        self.supervisor.network_changed();
    }

    /// Says whether anybody can see the window; again whenever it gets the focus.
    pub fn set_visible(&self, visible: bool) {
        self.supervisor.set_visible(visible);
    }

    /// Everything but the rows: hosts, roots, groups, views, settings, and how much in the journal is new.
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
        let weighing = self.registry.weighing(&records).await?;
        Ok(WorkspacePage {
            revision: present::revision(revision),
            rows: records
                .iter()
                .map(|it| present::row(it, &weighing))
                .collect(),
            next,
        })
    }

    /// What changed after a revision.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn changes_since(&self, revision: u32) -> Result<RowChanges, ApiError> {
        let changes = self.registry.changes_since(u64::from(revision)).await?;
        let weighing = self.registry.weighing(&changes.upserted).await?;
        Ok(present::changes(&changes, &weighing))
    }

    /// One workspace for the inspector.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry.
    pub async fn workspace(&self, id: WorkspaceRef) -> Result<WorkspaceDetail, ApiError> {
        let record = self.record(id).await?;
        let root = self.registry.root(record.row.state.root).await?;
        let seen = self.registry.seen(&record).await?;
        let weighing = self
            .registry
            .weighing(std::slice::from_ref(&record))
            .await?;
        Ok(present::detail(&record, root.as_ref(), &seen, &weighing))
    }

    /// Puts a path of a host under roll call and calls the roll. `~` is the home folder there. Registering a path
    /// again gives the same root.
    ///
    /// # Errors
    /// Why the host did not acknowledge the path; nothing is registered then.
    pub async fn register(&self, host: HostRef, path: String) -> Result<Registered, ApiError> {
        absolute(&path)?;
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
            outcomes.push(outcome(shown, registered));
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

    async fn record(&self, id: WorkspaceRef) -> Result<WorkspaceRecord, ApiError> {
        let record = self.registry.workspace(id.into()).await?;
        record.ok_or_else(|| gone("This workspace"))
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
}

/// Runs what waits for this machine's disk where it holds up nothing else.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?
}

/// What came of a path that was to be registered.
fn outcome(path: String, registered: Result<Registered, ApiError>) -> RegisterOutcome {
    let (registered, error) = match registered {
        Ok(registered) => (Some(registered), None),
        Err(error) => (None, Some(error)),
    };
    RegisterOutcome {
        path,
        registered,
        error,
    }
}

/// Refuses what cannot be a path of a host, as a person enters it.
pub(crate) fn absolute(path: &str) -> Result<(), ApiError> {
    if path.starts_with(['/', '~']) {
        return Ok(());
    }
    let words = format!("`{path}` is no absolute path.");
    Err(ApiError::new(ErrorCode::InvalidInput, words)
        .hint("Enter a path that begins with `/`, or with `~/` for the home folder there."))
}

fn gone(what: &str) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!("{what} is not in the registry any more."),
    )
}

#[cfg(test)]
mod tests;
