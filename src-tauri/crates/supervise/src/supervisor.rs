//! The set of actors, and what they need of the rest.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rollcall_converge::{Caller, Failure, HostId, Tier};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use crate::actor::{Actor, HostState, Message};
use crate::schedule::Cadence;

/// Roll calls that run at once over all SSH hosts.
const ROLL_CALLS: usize = 8;

/// What the supervisor needs.
pub trait Ports: Clone + Send + Sync + 'static {
    /// Calls the roll of a host and has the mirror take the answer up. `false` if the mirror no longer has the
    /// host. Dropping the future cancels the call, on the host too.
    ///
    /// # Errors
    /// Why there is no answer.
    fn roll_call(
        &self,
        host: HostId,
        tier: Tier,
        caller: Caller,
    ) -> impl Future<Output = Result<bool, Failure>> + Send;

    /// Looks closer at a few things of a host that has nothing else to do. Dropping the future cancels that, on the host
    /// too. What goes wrong with it is of no consequence.
    fn idle(&self, host: HostId) -> impl Future<Output = ()> + Send;

    /// Carries out on a host that answers what has been decided and is due: deletions, and the emptying of expired trash.
    /// `true` if the host did something that a roll call has to confirm. Dropping the future ends nothing that has begun
    /// on the host.
    fn sweep(&self, host: HostId) -> impl Future<Output = bool> + Send;

    /// Hears what a host is doing from now on.
    fn host_state(&self, host: HostId, state: &HostState);
}

struct Attached {
    messages: mpsc::UnboundedSender<Message>,
    task: JoinHandle<()>,
}

/// Says when the roll of each host is called.
pub struct Supervisor<P> {
    ports: P,
    runtime: Handle,
    permits: Arc<Semaphore>,
    hosts: Mutex<Hosts>,
}

struct Hosts {
    attached: HashMap<HostId, Attached>,
    visible: bool,
}

impl<P: Ports> Supervisor<P> {
    /// A supervisor without hosts, whose actors run on the given runtime.
    pub fn new(ports: P, runtime: Handle) -> Self {
        Self {
            ports,
            runtime,
            permits: Arc::new(Semaphore::new(ROLL_CALLS)),
            hosts: Mutex::new(Hosts {
                attached: HashMap::new(),
                visible: true,
            }),
        }
    }

    fn hosts(&self) -> std::sync::MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a host on and, unless it is suspended, calls its roll at once. A host already taken on is left alone.
    /// `every` is from one roll call to the next while the window is visible, where a person chose that.
    pub fn attach(
        &self,
        host: HostId,
        local: bool,
        suspended: bool,
        every: Option<Duration>,
        caller: Caller,
    ) {
        let mut hosts = self.hosts();
        if hosts.attached.contains_key(&host) {
            return;
        }
        let (messages, inbox) = mpsc::unbounded_channel();
        let cadence = Cadence::of(local, every);
        let permits = (!local).then(|| Arc::clone(&self.permits));
        let actor = Actor::new(
            host,
            self.ports.clone(),
            cadence,
            permits,
            hosts.visible,
            suspended,
            inbox,
        );
        let task = self.runtime.spawn(actor.run(caller));
        hosts.attached.insert(host, Attached { messages, task });
    }

    /// Calls a host this often from now on; as usual if `None`.
    pub fn set_cadence(&self, host: HostId, local: bool, every: Option<Duration>) {
        self.tell(host, Message::Cadence(Cadence::of(local, every)));
    }

    /// Calls the roll of every host that does not wait for a person: the system slept, or its network changed.
    pub fn network_changed(&self) {
        for attached in self.hosts().attached.values() {
            send(attached, Message::Network);
        }
    }

    /// Lets a host go and cancels what runs for it.
    pub async fn detach(&self, host: HostId) {
        let attached = self.hosts().attached.remove(&host);
        if let Some(attached) = attached {
            end(attached).await;
        }
    }

    /// Calls the roll of a host because a person asked, who may be asked to sign in to it.
    pub fn sync_now(&self, host: HostId) {
        self.tell(
            host,
            Message::Call {
                tier: Tier::Facts,
                asked: true,
                caller: Caller::Person,
            },
        );
    }

    /// Calls the roll of every host because a person asked, who is not asked to sign in to any.
    pub fn sync_all(&self) {
        for attached in self.hosts().attached.values() {
            send(
                attached,
                Message::Call {
                    tier: Tier::Facts,
                    asked: true,
                    caller: Caller::Schedule,
                },
            );
        }
    }

    /// Calls the roll of a host because a verb of ours changed something there.
    pub fn changed(&self, host: HostId) {
        self.tell(
            host,
            Message::Call {
                tier: Tier::Facts,
                asked: false,
                caller: Caller::Schedule,
            },
        );
    }

    /// Carries out what was decided for a host at once, if it answers; else that is done once it does.
    pub fn sweep(&self, host: HostId) {
        self.tell(host, Message::Sweep);
    }

    /// Stops or resumes everything for a host.
    pub fn set_suspended(&self, host: HostId, suspended: bool) {
        self.tell(host, Message::Suspended(suspended));
    }

    /// Says whether anybody can see the window. Said anew when it gets the focus, it has every host called whose
    /// last answer is older than 30 s.
    pub fn set_visible(&self, visible: bool) {
        let mut hosts = self.hosts();
        hosts.visible = visible;
        for attached in hosts.attached.values() {
            send(attached, Message::Visible(visible));
        }
    }

    /// Lets every host go and waits until nothing runs any more.
    pub async fn shutdown(&self) {
        let all: Vec<Attached> = self.hosts().attached.drain().map(|(_, it)| it).collect();
        for attached in all {
            end(attached).await;
        }
    }

    fn tell(&self, host: HostId, message: Message) {
        if let Some(attached) = self.hosts().attached.get(&host) {
            send(attached, message);
        }
    }
}

fn send(attached: &Attached, message: Message) {
    if attached.messages.send(message).is_err() {
        tracing::debug!("a message came for a host that is gone from the mirror");
    }
}

async fn end(attached: Attached) {
    drop(attached.messages);
    if let Err(error) = attached.task.await {
        tracing::error!(%error, "the actor of a host ended by a defect");
    }
}
