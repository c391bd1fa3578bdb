//! The actor of one host: one roll call running, at most one waiting.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rollcall_converge::{Caller, Failure, HostId, Tier};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, sleep_until};

use crate::schedule::{Cadence, after_answer, after_failure};
use crate::supervisor::Ports;

/// What a host is doing, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostState {
    /// Everything asked is answered.
    Idle,
    /// A connection is being made or the roll is being called.
    Calling {
        /// Since when.
        since: Timestamp,
    },
    /// It does not answer and is asked again by itself.
    Waiting {
        /// When.
        until: Timestamp,
        /// Why it does not answer.
        failure: Failure,
        /// Since when it does not.
        since: Timestamp,
    },
    /// Nothing happens until a person acts.
    NeedsPerson {
        /// What stands in the way.
        failure: Failure,
        /// Since when.
        since: Timestamp,
    },
    /// A person stopped everything for it.
    Suspended,
}

/// An answer older than this is asked for again when somebody looks at the window.
const STALE: Duration = Duration::from_secs(30);

pub(crate) enum Message {
    /// Call the roll now. `asked` when a person wants to see it happen.
    Call {
        tier: Tier,
        asked: bool,
        caller: Caller,
    },
    /// The network may reach the host again, or no longer.
    Network,
    /// Call it this often from now on.
    Cadence(Cadence),
    /// Carry out what was decided, if the host answers.
    Sweep,
    /// Stops or resumes everything.
    Suspended(bool),
    /// Whether anybody can see the window; sent anew whenever it gets the focus.
    Visible(bool),
}

/// One that takes longer waits for its host, and holds up no other (I16).
const ASIDE: Duration = Duration::from_secs(5);

/// So long after its facts were told, nobody wants anything else of a host.
pub(crate) const REST: Duration = Duration::from_secs(10);

/// How a running roll call ended.
enum Ended {
    Answered,
    Failed(Failure),
    /// The mirror no longer has the host.
    Gone,
}

struct Running {
    work: Pin<Box<dyn Future<Output = Ended> + Send>>,
    tier: Tier,
    begun: Instant,
}

pub(crate) struct Actor<P> {
    pub(crate) host: HostId,
    pub(crate) ports: P,
    pub(crate) cadence: Cadence,
    /// Bounds roll calls of all hosts together; none for this machine.
    pub(crate) permits: Option<Arc<Semaphore>>,
    pub(crate) visible: bool,
    pub(crate) inbox: mpsc::UnboundedReceiver<Message>,
    state: HostState,
    failures: u32,
    /// When the last answer came.
    answered: Option<Instant>,
    running: Option<Running>,
    next: Option<(Tier, Caller)>,
    due: Option<(Instant, Tier)>,
    /// What is done while the host has nothing else to do; given up for anything that is asked.
    idle: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    sweep: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
    /// Whether something was decided while a sweep was on its way.
    sweep_again: bool,
}

impl<P: Ports> Actor<P> {
    pub(crate) fn new(
        host: HostId,
        ports: P,
        cadence: Cadence,
        permits: Option<Arc<Semaphore>>,
        visible: bool,
        suspended: bool,
        inbox: mpsc::UnboundedReceiver<Message>,
    ) -> Self {
        let state = if suspended {
            HostState::Suspended
        } else {
            HostState::Idle
        };
        Self {
            host,
            ports,
            cadence,
            permits,
            visible,
            inbox,
            state,
            failures: 0,
            answered: None,
            running: None,
            next: None,
            due: None,
            idle: None,
            sweep: None,
            sweep_again: false,
        }
    }

    pub(crate) async fn run(mut self, caller: Caller) {
        if self.state == HostState::Suspended {
            self.ports.host_state(self.host, &HostState::Suspended);
        } else {
            self.call(Tier::Facts, true, caller);
        }
        loop {
            tokio::select! {
                biased;
                message = self.inbox.recv() => match message {
                    Some(message) => self.take(&message),
                    None => return,
                },
                ended = finished(&mut self.running) => {
                    if !self.settle(ended) {
                        return;
                    }
                }
                tier = fallen_due(self.due) => self.call(tier, false, Caller::Schedule),
                did = swept(&mut self.sweep) => self.end_sweep(did),
                () = idled(&mut self.idle) => {}
            }
        }
    }

    fn take(&mut self, message: &Message) {
        match *message {
            Message::Call { .. } if self.state == HostState::Suspended => {}
            Message::Call {
                tier,
                asked,
                caller,
            } => self.call(tier, asked, caller),
            // One that does not answer is swept once it does.
            Message::Sweep => {
                if self.answers() {
                    self.begin_sweep();
                }
            }
            Message::Network => {
                if matches!(self.state, HostState::Idle | HostState::Waiting { .. }) {
                    self.failures = 0;
                    self.call(Tier::Facts, false, Caller::Schedule);
                }
            }
            Message::Cadence(cadence) => {
                self.cadence = cadence;
                if let (Some((_, tier)), HostState::Idle, Some(answered)) =
                    (self.due, &self.state, self.answered)
                {
                    let (wait, _) = after_answer(cadence, self.visible, tier, Duration::ZERO);
                    self.due = Some((answered + wait, tier));
                }
            }
            Message::Suspended(true) => {
                // Dropping the work cancels it on the host.
                self.running = None;
                self.sweep = None;
                self.sweep_again = false;
                self.idle = None;
                self.next = None;
                self.due = None;
                self.failures = 0;
                self.enter(HostState::Suspended);
            }
            Message::Suspended(false) if self.state == HostState::Suspended => {
                self.enter(HostState::Idle);
                self.call(Tier::Facts, true, Caller::Person);
            }
            Message::Suspended(false) => {}
            Message::Visible(visible) => {
                self.visible = visible;
                if !visible {
                    self.idle = None;
                }
                let old = self.answered.is_none_or(|at| at.elapsed() > STALE);
                if visible && old && self.state == HostState::Idle {
                    self.call(Tier::Facts, false, Caller::Schedule);
                }
            }
        }
    }

    fn call(&mut self, tier: Tier, asked: bool, caller: Caller) {
        if self.running.is_some() {
            self.next = Some(match self.next {
                Some((other, by)) => (other.max(tier), by.max(caller)),
                None => (tier, caller),
            });
            return;
        }
        self.due = None;
        self.idle = None;
        // While a host that does not answer is tried again by itself, people keep seeing that it does not answer.
        if asked || matches!(self.state, HostState::Idle) {
            self.enter(HostState::Calling {
                since: Timestamp::now(),
            });
        }
        let (ports, host, permits) = (self.ports.clone(), self.host, self.permits.clone());
        let work = Box::pin(async move {
            // A person is not made to wait for what nobody waits for.
            let permit = match &permits {
                Some(permits) if caller == Caller::Schedule => permits.acquire().await.ok(),
                _ => None,
            };
            let mut call = std::pin::pin!(ports.roll_call(host, tier, caller));
            let answer = tokio::select! {
                answer = &mut call => answer,
                () = tokio::time::sleep(ASIDE) => {
                    drop(permit);
                    call.await
                }
            };
            match answer {
                Ok(true) => Ended::Answered,
                Ok(false) => Ended::Gone,
                Err(failure) => Ended::Failed(failure),
            }
        });
        self.running = Some(Running {
            work,
            tier,
            begun: Instant::now(),
        });
    }

    /// Takes in how a roll call ended. `false` when there is nothing left to do for the host.
    fn settle(&mut self, (ended, tier, took): (Ended, Tier, Duration)) -> bool {
        let now = Instant::now();
        match ended {
            Ended::Gone => return false,
            Ended::Answered => {
                self.failures = 0;
                self.answered = Some(now);
                let (wait, next) = after_answer(self.cadence, self.visible, tier, took);
                self.due = Some((now + wait, next));
                self.enter(HostState::Idle);
                self.begin_sweep();
                if tier == Tier::Facts && self.visible {
                    self.rest();
                }
            }
            Ended::Failed(failure) => {
                let since = match &self.state {
                    HostState::Waiting { since, .. } | HostState::NeedsPerson { since, .. } => {
                        *since
                    }
                    _ => Timestamp::now(),
                };
                if failure.code.needs_person() {
                    self.failures = 0;
                    self.enter(HostState::NeedsPerson { failure, since });
                } else {
                    self.failures = self.failures.saturating_add(1);
                    let wait = after_failure(self.failures, spread());
                    self.due = Some((now + wait, Tier::Facts));
                    let until = Timestamp::now()
                        .saturating_add(jiff::SignedDuration::try_from(wait).unwrap_or_default());
                    let until = until.unwrap_or(Timestamp::MAX);
                    self.enter(HostState::Waiting {
                        until,
                        failure,
                        since,
                    });
                }
            }
        }
        if let Some((tier, caller)) = self.next.take() {
            self.call(tier, caller == Caller::Person, caller);
        }
        true
    }

    /// Whether the host answered when it was asked last.
    fn answers(&self) -> bool {
        let well = matches!(self.state, HostState::Idle | HostState::Calling { .. });
        well && self.answered.is_some()
    }

    /// Carries out what was decided, once at a time.
    fn begin_sweep(&mut self) {
        if self.sweep.is_some() {
            self.sweep_again = true;
            return;
        }
        // Nobody looks into what may go.
        self.idle = None;
        let (ports, host) = (self.ports.clone(), self.host);
        self.sweep = Some(Box::pin(async move { ports.sweep(host).await }));
    }

    /// Has the host confirm what a sweep did (I10).
    fn end_sweep(&mut self, did: bool) {
        if std::mem::take(&mut self.sweep_again) {
            self.begin_sweep();
        }
        if did {
            self.call(Tier::Existence, false, Caller::Schedule);
        }
    }

    /// Has the host looked at closer in a while, unless something is asked before.
    fn rest(&mut self) {
        let (ports, host, permits) = (self.ports.clone(), self.host, self.permits.clone());
        self.idle = Some(Box::pin(async move {
            tokio::time::sleep(REST).await;
            let _permit = match &permits {
                Some(permits) => permits.acquire().await.ok(),
                None => None,
            };
            ports.idle(host).await;
        }));
    }

    fn enter(&mut self, state: HostState) {
        if self.state != state {
            self.ports.host_state(self.host, &state);
            self.state = state;
        }
    }
}

async fn finished(running: &mut Option<Running>) -> (Ended, Tier, Duration) {
    let Some(active) = running else {
        return pending().await;
    };
    let ended = active.work.as_mut().await;
    let result = (ended, active.tier, active.begun.elapsed());
    *running = None;
    result
}

async fn idled(idle: &mut Option<Pin<Box<dyn Future<Output = ()> + Send>>>) {
    match idle {
        Some(work) => work.await,
        None => pending().await,
    }
    *idle = None;
}

async fn swept(sweep: &mut Option<Pin<Box<dyn Future<Output = bool> + Send>>>) -> bool {
    let did = match sweep {
        Some(work) => work.await,
        None => pending().await,
    };
    *sweep = None;
    did
}

async fn fallen_due(due: Option<(Instant, Tier)>) -> Tier {
    match due {
        Some((at, tier)) => {
            sleep_until(at).await;
            tier
        }
        None => pending().await,
    }
}

/// A number in 0..1 that differs from host to host.
fn spread() -> f64 {
    let mut byte = [0_u8; 1];
    // Without randomness every host waits the middle of the range, which is harmless.
    match getrandom::fill(&mut byte) {
        Ok(()) => f64::from(byte[0]) / 255.0,
        Err(_) => 0.5,
    }
}
