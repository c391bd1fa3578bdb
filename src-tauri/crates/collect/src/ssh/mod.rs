//! Hosts over SSH by Rollcall's own connections: a thread and a connection for each host, any number of commands.

mod aliases;
mod auth;
pub(crate) mod config;
mod connect;
mod driver;
mod known_hosts;
mod meet;
mod route;
pub(crate) mod socket;
mod written;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rollcall_converge::{Caller, Failure, FailureCode, Host, HostId, SshTarget};
use tokio::sync::oneshot;

pub use aliases::SshAlias;
pub(crate) use aliases::aliases;
pub use connect::{Contact, TraceLine, TraceStep};
pub(crate) use connect::{Gate, Notes, Reach};
use driver::{Driver, Question, cancelled_failure};
use meet::Consent;
use socket::{Socket, Waker, Wakes, wait};

use crate::collector::SshEnvironment;
use crate::prompt::{PATIENCE, Prompter, Secrets};
use crate::script::Tokens;
use crate::transport::Report;

/// How often an idle connection that cannot be made again without a person is kept alive.
const ALIVE: Duration = Duration::from_secs(15);

enum Job {
    Ask(Box<Question>),
    /// Record the key that a host, or one on the way to it, shows.
    Record {
        host: Box<Host>,
        target: SshTarget,
        fingerprint: String,
        replace: bool,
        prompter: Option<Arc<dyn Prompter>>,
        reply: oneshot::Sender<Result<(), Failure>>,
    },
    /// The connection may be dead.
    Doubt,
}

/// What a thread shares with those who ask it.
#[derive(Default)]
struct Shared {
    /// Set when the host is let go.
    closed: AtomicBool,
    /// The connection that is being made, and whether anybody waits for it.
    making: Mutex<Option<(Arc<AtomicBool>, Socket)>>,
}

impl Shared {
    fn making(&self) -> MutexGuard<'_, Option<(Arc<AtomicBool>, Socket)>> {
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread of a host, as others see it.
struct Handle {
    jobs: mpsc::Sender<Job>,
    waker: Arc<Waker>,
    shared: Arc<Shared>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        if let Some((_, socket)) = &*self.shared.making() {
            socket.close();
        }
        self.waker.wake();
    }
}

/// Tells the thread that nobody waits for its answer any more.
struct Wanted {
    cancelled: Arc<AtomicBool>,
    waker: Arc<Waker>,
    shared: Arc<Shared>,
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::SeqCst);
        if let Some((for_whom, socket)) = &*self.shared.making()
            && Arc::ptr_eq(for_whom, &self.cancelled)
        {
            socket.close();
        }
        self.waker.wake();
    }
}

/// Who is asked something, on whose behalf.
pub(crate) struct Asking<'a> {
    pub(crate) host: &'a Host,
    pub(crate) target: &'a SshTarget,
    pub(crate) notes: &'a Notes,
    pub(crate) caller: Caller,
    /// Asks the person who wants the answer; none in the background.
    pub(crate) prompter: Option<Arc<dyn Prompter>>,
    /// Hears how far it is.
    pub(crate) report: Option<Report>,
}

/// The connections that are kept.
pub(crate) struct Connections {
    environment: Arc<SshEnvironment>,
    secrets: Arc<Secrets>,
    gate: Arc<Gate>,
    handles: Mutex<HashMap<HostId, Handle>>,
}

impl Connections {
    pub(crate) fn new(environment: Arc<SshEnvironment>, secrets: Arc<Secrets>) -> Self {
        Self {
            environment,
            secrets,
            gate: Arc::default(),
            handles: Mutex::default(),
        }
    }

    fn handles(&self) -> MutexGuard<'_, HashMap<HostId, Handle>> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the answer of a host to an input. Dropping the future ends what runs there.
    pub(crate) async fn run(
        &self,
        asking: &Asking<'_>,
        input: Vec<u8>,
        tokens: &Tokens,
    ) -> Result<Vec<u8>, Failure> {
        let Asking { host, notes, .. } = *asking;
        let (reply, answer) = oneshot::channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let asks_a_person = asking.prompter.is_some();
        let question = Question {
            host: host.clone(),
            target: asking.target.clone(),
            caller: asking.caller,
            prompter: asking.prompter.clone(),
            input,
            opening: tokens.opening(),
            end: tokens.end(),
            report: asking.report.clone(),
            cancelled: Arc::clone(&cancelled),
            reply,
            begun: 0,
        };
        let (waker, shared) = self.dispatch(host, notes, Job::Ask(Box::new(question)))?;
        let wanted = Wanted {
            cancelled,
            waker,
            shared,
        };
        let patience = self.patience(asks_a_person);
        let outcome = tokio::time::timeout(patience, answer).await;
        drop(wanted);
        self.settle(host, patience, outcome)
    }

    /// Takes the key that a host, or one on the way to it, shows for known, if it has this fingerprint; in place of
    /// those that are known if that is meant.
    pub(crate) async fn record(
        &self,
        host: &Host,
        target: &SshTarget,
        notes: &Notes,
        prompter: Option<Arc<dyn Prompter>>,
        fingerprint: String,
        replace: bool,
    ) -> Result<(), Failure> {
        let (reply, answer) = oneshot::channel();
        let patience = self.patience(prompter.is_some());
        let job = Job::Record {
            host: Box::new(host.clone()),
            target: target.clone(),
            fingerprint,
            replace,
            prompter,
            reply,
        };
        self.dispatch(host, notes, job)?;
        let outcome = tokio::time::timeout(patience, answer).await;
        self.settle(host, patience, outcome)
    }

    /// Closes the connection of a host and ends what runs over it.
    pub(crate) fn forget(&self, host: HostId) {
        self.handles().remove(&host);
    }

    /// Takes every connection for one that may be dead: the system slept, or its network changed.
    pub(crate) fn doubt(&self) {
        for handle in self.handles().values() {
            // A thread that has ended keeps nothing.
            if handle.jobs.send(Job::Doubt).is_ok() {
                handle.waker.wake();
            }
        }
    }

    fn settle<T>(
        &self,
        host: &Host,
        patience: Duration,
        outcome: Result<
            Result<Result<T, Failure>, oneshot::error::RecvError>,
            tokio::time::error::Elapsed,
        >,
    ) -> Result<T, Failure> {
        match outcome {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Failure::new(
                FailureCode::Cancelled,
                format!("The connection to `{}` was closed.", host.label),
            )),
            Err(_) => {
                // Something that has no time limit hangs, such as an agent that waits for its owner. That thread
                // is left to it, and the next call gets another.
                self.forget(host.id);
                Err(Failure::new(
                    FailureCode::TimedOut,
                    format!(
                        "`{}` did not get anywhere within {} seconds.",
                        host.label,
                        patience.as_secs()
                    ),
                )
                .hint("Check whether the ssh agent waits for you."))
            }
        }
    }

    /// Longer than all limits of two calls, one waiting for the other.
    fn patience(&self, asks_a_person: bool) -> Duration {
        let limits = &self.environment.limits;
        let person = if asks_a_person {
            6 * PATIENCE
        } else {
            Duration::ZERO
        };
        2 * (limits.total + limits.reach() + limits.silence) + person
    }

    fn dispatch(
        &self,
        host: &Host,
        notes: &Notes,
        mut job: Job,
    ) -> Result<(Arc<Waker>, Arc<Shared>), Failure> {
        let mut handles = self.handles();
        if let Some(handle) = handles.get(&host.id) {
            match handle.jobs.send(job) {
                Ok(()) => {
                    handle.waker.wake();
                    return Ok((Arc::clone(&handle.waker), Arc::clone(&handle.shared)));
                }
                Err(refused) => job = refused.0,
            }
        }
        let failed = |error: std::io::Error| {
            Failure::new(
                FailureCode::CommandFailed,
                format!("No thread can be started for `{}`: {error}.", host.label),
            )
        };
        let (jobs, inbox) = mpsc::channel();
        let (waker, wakes) = socket::waker().map_err(failed)?;
        let waker = Arc::new(waker);
        let shared = Arc::new(Shared::default());
        let worker = Worker {
            environment: Arc::clone(&self.environment),
            secrets: Arc::clone(&self.secrets),
            gate: Arc::clone(&self.gate),
            notes: notes.clone(),
            shared: Arc::clone(&shared),
            inbox,
            wakes,
            live: None,
        };
        thread::Builder::new()
            .name("ssh".to_owned())
            .spawn(move || worker.work())
            .map_err(failed)?;
        // The receiver is alive: its thread has only just begun.
        drop(jobs.send(job));
        let handle = Handle {
            jobs,
            waker: Arc::clone(&waker),
            shared: Arc::clone(&shared),
        };
        handles.insert(host.id, handle);
        Ok((waker, shared))
    }
}

/// The failure of a host that only a person signs in to, and none is there.
pub(crate) fn waits_for_its_person(label: &str) -> Failure {
    Failure::new(
        FailureCode::SignInNeeded,
        format!("`{label}` needs you to sign in, as it did the last time."),
    )
    .hint("Sign in when you want to.")
}

/// A connection that is there, and for whom.
struct Kept {
    target: SshTarget,
    driver: Driver,
    /// Whether it can be made again without a person.
    repeatable: bool,
    alive: Duration,
}

/// The thread of one host. It ends when nobody can send it anything any more.
struct Worker {
    environment: Arc<SshEnvironment>,
    secrets: Arc<Secrets>,
    gate: Arc<Gate>,
    notes: Notes,
    shared: Arc<Shared>,
    inbox: mpsc::Receiver<Job>,
    wakes: Wakes,
    live: Option<Kept>,
}

impl Worker {
    fn work(mut self) {
        loop {
            let Ok(job) = self.next() else { return };
            match job {
                Some(Job::Ask(question)) => self.begin(*question),
                Some(Job::Record {
                    host,
                    target,
                    fingerprint,
                    replace,
                    prompter,
                    reply,
                }) => {
                    let consent = if replace {
                        Consent::Replace(&fingerprint)
                    } else {
                        Consent::Trust(&fingerprint)
                    };
                    let nobody = Arc::new(AtomicBool::new(false));
                    let recorded =
                        self.reach(&host, Caller::Person, prompter.as_ref(), &nobody, |reach| {
                            reach.record(&target, consent)
                        });
                    // Nobody may be waiting any more.
                    drop(reply.send(recorded));
                }
                Some(Job::Doubt) => {
                    if let Some(kept) = &mut self.live {
                        kept.driver.doubt();
                    }
                }
                None => {}
            }
            self.turn();
        }
    }

    /// The next job, if there is one; waits for it where nothing else is to be done. `Err` at the end.
    fn next(&mut self) -> Result<Option<Job>, ()> {
        if self.shared.closed.load(Ordering::SeqCst) {
            return Err(());
        }
        let limits = &self.environment.limits;
        let Some(kept) = &mut self.live else {
            return self.inbox.recv().map(Some).map_err(drop);
        };
        if !kept.driver.is_idle() {
            return match self.inbox.try_recv() {
                Ok(job) => Ok(Some(job)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(()),
            };
        }
        if kept.driver.live.socket.has_ended() {
            tracing::debug!("an idle connection was closed by its host");
            self.live = None;
            return Ok(None);
        }
        let idle = kept.driver.idle_since.elapsed();
        if kept.repeatable && idle >= limits.idle {
            self.live = None;
            return Ok(None);
        }
        kept.driver.keep_alive(kept.alive);
        let left = if kept.repeatable {
            limits.idle.saturating_sub(idle)
        } else {
            kept.alive
        };
        match self.inbox.recv_timeout(left.min(kept.alive)) {
            Ok(job) => Ok(Some(job)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(()),
        }
    }

    /// Does what can be done on the connection, then waits until there is more.
    fn turn(&mut self) {
        let Some(kept) = &mut self.live else { return };
        if kept.driver.is_idle() {
            return;
        }
        match kept.driver.step(&self.environment.limits) {
            Ok(true) => {}
            Ok(false) => {
                let interest = kept.driver.interest();
                let socket = &kept.driver.live.socket;
                wait(
                    socket,
                    interest,
                    None,
                    Some(&self.wakes),
                    kept.driver.patience(),
                );
                self.wakes.clear();
            }
            Err(broken) => {
                if let Some(kept) = self.live.take() {
                    let again = kept.driver.bury(&broken);
                    self.connect(again);
                }
            }
        }
    }

    fn begin(&mut self, question: Question) {
        match &mut self.live {
            Some(kept) if kept.target == question.target => kept.driver.take(question),
            other => {
                // Whatever runs the other way is asked again by whoever wants it.
                if let Some(kept) = other.take() {
                    let words = "the host is reached another way now".to_owned();
                    for question in kept.driver.bury(&driver::Broken::Dead(words)) {
                        let failure = cancelled_failure(&question.host.label);
                        question.answer(Err(failure));
                    }
                }
                self.connect(vec![question]);
            }
        }
    }

    /// Connects, and begins what waited for that.
    fn connect(&mut self, mut questions: Vec<Question>) {
        questions.retain(Question::is_wanted);
        let Some(first) = questions.first() else {
            return;
        };
        let (host, target) = (first.host.clone(), first.target.clone());
        let cancelled = Arc::clone(&first.cancelled);
        let prompter = questions.iter().find_map(|it| it.prompter.clone());
        let caller = questions
            .iter()
            .map(|it| it.caller)
            .max()
            .unwrap_or(Caller::Schedule);
        let attended = host.sign_in.as_ref().is_some_and(|it| it.attended);
        let outcome = if caller == Caller::Schedule && attended && !self.notes.memory().repeatable {
            Err(waits_for_its_person(&host.label))
        } else {
            let gate = Arc::clone(&self.gate);
            // A person's question is not held up by those that nobody waits for.
            let _place = (caller == Caller::Schedule).then(|| gate.enter());
            self.reach(&host, caller, prompter.as_ref(), &cancelled, |reach| {
                reach.connect(&target)
            })
        };
        match outcome {
            Ok((live, done)) => {
                let repeatable = !done.once;
                {
                    let mut memory = self.notes.memory();
                    memory.repeatable = repeatable;
                    memory.silent.extend(done.identity.clone());
                }
                let host_key = Some(live.host_key.clone());
                self.notes.signed_in(done.sign_in(), host_key);
                let alive = live.alive.unwrap_or(ALIVE);
                let mut driver = Driver::new(live);
                for mut question in questions {
                    question.begun += 1;
                    driver.take(question);
                }
                self.live = Some(Kept {
                    target,
                    driver,
                    repeatable,
                    alive,
                });
            }
            Err(failure) => {
                for question in questions {
                    let failure = if question.is_wanted() {
                        failure.clone()
                    } else {
                        cancelled_failure(&host.label)
                    };
                    question.answer(Err(failure));
                }
            }
        }
    }

    fn reach<T>(
        &self,
        host: &Host,
        caller: Caller,
        prompter: Option<&Arc<dyn Prompter>>,
        for_whom: &Arc<AtomicBool>,
        walk: impl FnOnce(&Reach<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.notes.clear();
        let mut silent = self.notes.memory().silent.clone();
        silent.extend(host.sign_in.as_ref().and_then(|it| it.identity.clone()));
        let dialled = |socket: &Socket| {
            let Ok(socket) = socket.try_clone() else {
                return;
            };
            // Who does not want it any more may have gone before there was anything to close.
            if for_whom.load(Ordering::SeqCst) || self.shared.closed.load(Ordering::SeqCst) {
                socket.close();
            }
            *self.shared.making() = Some((Arc::clone(for_whom), socket));
        };
        let reach = Reach {
            host,
            environment: &self.environment,
            secrets: &self.secrets,
            caller,
            prompter,
            silent: &silent,
            notes: &self.notes,
            given_up: for_whom,
            dialled: &dialled,
        };
        let outcome = walk(&reach);
        *self.shared.making() = None;
        outcome
    }
}
