//! Tells the window what changed: level-triggered, at most ten times a second.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rollcall_converge::{HostId, TrashStage};
use rollcall_registry::{Changed, Registry};
use rollcall_supervise::HostState;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

use crate::error::ApiError;
use crate::preferences;
use crate::present;
use crate::wire::{JobProgress, Notice, Overview, PromptRow, RowsChanged};

/// The shortest time between two batches.
const BATCH: Duration = Duration::from_millis(100);
/// More changed rows than this are asked for by the window, not sent.
const MOST_ROWS: usize = 200;

/// Something the window should know.
#[derive(Clone, Debug)]
pub enum Event {
    /// Rows changed.
    RowsChanged(RowsChanged),
    /// Something of the overview changed: hosts, what they are doing, roots, groups, views, settings, or what is new.
    OverviewChanged(Overview),
    /// Questions wait for a person, or do not any more; all that wait.
    PromptsChanged(Vec<PromptRow>),
    /// How far something is that the window asked for.
    JobProgress(JobProgress),
    /// Something a person should be told.
    Notice(Notice),
}

/// What the application tells the window, in order.
pub type Events = mpsc::UnboundedReceiver<Event>;

pub(crate) struct Announcer {
    registry: Registry,
    events: mpsc::UnboundedSender<Event>,
    states: Mutex<HashMap<HostId, HostState>>,
    rows: AtomicBool,
    overview: AtomicBool,
    poke: Notify,
}

impl Announcer {
    /// Starts announcing what changes from now on, for as long as the tasks live.
    pub(crate) async fn start(
        registry: Registry,
        tasks: &mut JoinSet<()>,
        runtime: &Handle,
        events: mpsc::UnboundedSender<Event>,
    ) -> Result<Arc<Self>, ApiError> {
        let revision = registry.revision().await?;
        let announcer = Arc::new(Self {
            registry,
            events,
            states: Mutex::default(),
            rows: AtomicBool::new(false),
            overview: AtomicBool::new(false),
            poke: Notify::new(),
        });
        let announcing = Arc::clone(&announcer);
        tasks.spawn_on(
            async move {
                let mut announced = revision;
                loop {
                    announcing.poke.notified().await;
                    announced = announcing.announce(announced).await;
                    tokio::time::sleep(BATCH).await;
                }
            },
            runtime,
        );
        Ok(announcer)
    }

    async fn announce(&self, announced: u64) -> u64 {
        let mut revision = announced;
        if self.rows.swap(false, Ordering::SeqCst) {
            match self.registry.changes_since(announced).await {
                Ok(changes) => {
                    let weighing = match self.registry.weighing(&changes.upserted).await {
                        Ok(weighing) => weighing,
                        Err(error) => {
                            self.trouble(error.into());
                            return revision;
                        }
                    };
                    revision = changes.revision;
                    let count = changes.upserted.len() + changes.removed.len();
                    let partial = count > MOST_ROWS;
                    let mut changes = present::changes(&changes, &weighing);
                    if partial {
                        changes.upserted.clear();
                        changes.removed.clear();
                    }
                    let since = present::revision(announced);
                    if count > 0 {
                        self.tell(Event::RowsChanged(RowsChanged {
                            since,
                            changes,
                            partial,
                        }));
                    }
                }
                Err(error) => self.trouble(error.into()),
            }
        }
        if self.overview.swap(false, Ordering::SeqCst) {
            match self.overview().await {
                Ok(overview) => self.tell(Event::OverviewChanged(overview)),
                Err(error) => self.trouble(error),
            }
        }
        revision
    }

    /// Everything but the rows.
    pub(crate) async fn overview(&self) -> Result<Overview, ApiError> {
        let revision = self.registry.revision().await?;
        let hosts = self.registry.hosts().await?;
        let roots = self.registry.roots().await?;
        let forgotten = self.registry.forgotten_hosts().await?;
        let mut trash = self.registry.trash(None).await?;
        trash.retain(|it| it.trashed.stage != TrashStage::Restored);
        let groups = self.registry.groups().await?;
        let views = self.registry.views().await?;
        let unseen = self.registry.journal_unseen().await?;
        let preferences = preferences::read(&self.registry.settings().await?);
        let states = self.states().clone();
        Ok(Overview {
            revision: present::revision(revision),
            hosts: present::hosts(&hosts, &forgotten, &states),
            roots: roots.iter().map(present::root).collect(),
            trash: present::amount(trash.len() as u64),
            groups: groups.into_iter().map(present::group).collect(),
            views: views.into_iter().map(present::view).collect(),
            unseen: present::amount(unseen.lines),
            seen: present::revision(unseen.seen),
            preferences,
        })
    }

    /// What each host is doing.
    pub(crate) fn host_states(&self) -> HashMap<HostId, HostState> {
        self.states().clone()
    }

    fn states(&self) -> MutexGuard<'_, HashMap<HostId, HostState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a verb changed.
    pub(crate) fn changed(&self, changed: &Changed) {
        if !changed.workspaces.is_empty() || !changed.removed.is_empty() {
            self.rows.store(true, Ordering::SeqCst);
        }
        let own = changed.groups || changed.views || changed.settings;
        if changed.hosts || changed.roots || changed.trash || changed.journal || own {
            self.overview.store(true, Ordering::SeqCst);
        }
        self.poke.notify_one();
    }

    /// Notes what a host is doing.
    pub(crate) fn host_state(&self, host: HostId, state: &HostState) {
        self.states().insert(host, state.clone());
        self.overview.store(true, Ordering::SeqCst);
        self.poke.notify_one();
    }

    /// Forgets what a host was doing.
    pub(crate) fn forget(&self, host: HostId) {
        self.states().remove(&host);
    }

    /// Says something at once.
    pub(crate) fn tell(&self, event: Event) {
        if self.events.send(event).is_err() {
            tracing::debug!("nobody listens to the application any more");
        }
    }

    /// Tells a person of something that went wrong without anybody having asked.
    pub(crate) fn trouble(&self, error: ApiError) {
        tracing::error!(%error, "the registry could not be used");
        self.tell(Event::Notice(Notice::Trouble(error)));
    }
}
