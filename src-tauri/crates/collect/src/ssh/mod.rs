//! Hosts over SSH: a thread for each host, one connection each, one command at a time.

mod aliases;
mod config;
mod known_hosts;
mod session;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rollcall_converge::{Failure, FailureCode, Host, HostId, SshTarget};
use tokio::sync::oneshot;

pub use aliases::SshAlias;
pub(crate) use aliases::aliases;
use session::{Broken, Live};

use crate::collector::SshEnvironment;
use crate::script::Tokens;
use crate::transport::{Ended, Output, unfinished};

enum Task {
    /// Give the answer to this input.
    Run {
        input: Vec<u8>,
        opening: Vec<u8>,
        end: Vec<u8>,
    },
    /// Take the key with this fingerprint for known.
    Trust { fingerprint: String },
}

struct Job {
    label: String,
    target: SshTarget,
    task: Task,
    cancelled: Arc<AtomicBool>,
    reply: oneshot::Sender<Result<Vec<u8>, Failure>>,
}

/// Tells the thread that nobody waits for its answer any more.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The connections that are kept.
pub(crate) struct Connections {
    environment: Arc<SshEnvironment>,
    workers: Mutex<HashMap<HostId, mpsc::Sender<Job>>>,
}

impl Connections {
    pub(crate) fn new(environment: Arc<SshEnvironment>) -> Self {
        Self {
            environment,
            workers: Mutex::new(HashMap::new()),
        }
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<HostId, mpsc::Sender<Job>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the answer of a host to an input. Dropping the future ends what runs there.
    pub(crate) async fn run(
        &self,
        host: &Host,
        target: &SshTarget,
        input: Vec<u8>,
        tokens: &Tokens,
    ) -> Result<Vec<u8>, Failure> {
        let task = Task::Run {
            input,
            opening: tokens.opening(),
            end: tokens.end(),
        };
        self.submit(host, target, task).await
    }

    /// Takes the key that a host shows for known, if it has this fingerprint.
    pub(crate) async fn trust(
        &self,
        host: &Host,
        target: &SshTarget,
        fingerprint: String,
    ) -> Result<(), Failure> {
        self.submit(host, target, Task::Trust { fingerprint })
            .await
            .map(drop)
    }

    /// Closes the connection of a host, once its command has ended.
    pub(crate) fn forget(&self, host: HostId) {
        self.workers().remove(&host);
    }

    async fn submit(
        &self,
        host: &Host,
        target: &SshTarget,
        task: Task,
    ) -> Result<Vec<u8>, Failure> {
        let (reply, answer) = oneshot::channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let wanted = Wanted(Arc::clone(&cancelled));
        let job = Job {
            label: host.label.clone(),
            target: target.clone(),
            task,
            cancelled,
            reply,
        };
        self.dispatch(host.id, job).map_err(|why| {
            Failure::new(
                FailureCode::CommandFailed,
                format!("No thread can be started for `{}`: {why}.", host.label),
            )
        })?;
        let outcome = tokio::time::timeout(self.patience(), answer).await;
        drop(wanted);
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
                        self.patience().as_secs()
                    ),
                )
                .hint("Check whether the ssh agent waits for you."))
            }
        }
    }

    /// Longer than all limits of two calls, one waiting for the other.
    fn patience(&self) -> Duration {
        let limits = &self.environment.limits;
        let reach = limits.resolve + limits.connect + limits.handshake + limits.authenticate;
        2 * (limits.total + reach + limits.silence)
    }

    fn dispatch(&self, host: HostId, mut job: Job) -> std::io::Result<()> {
        let mut workers = self.workers();
        if let Some(worker) = workers.get(&host) {
            match worker.send(job) {
                Ok(()) => return Ok(()),
                Err(refused) => job = refused.0,
            }
        }
        let (sender, receiver) = mpsc::channel();
        let mut worker = Worker {
            environment: Arc::clone(&self.environment),
            live: None,
        };
        thread::Builder::new()
            .name("ssh".to_owned())
            .spawn(move || worker.work(&receiver))?;
        // The receiver is alive: its thread has only just begun.
        drop(sender.send(job));
        workers.insert(host, sender);
        Ok(())
    }
}

/// The thread of one host. It ends when nobody can send it anything any more.
struct Worker {
    environment: Arc<SshEnvironment>,
    live: Option<(SshTarget, Live)>,
}

impl Worker {
    fn work(&mut self, jobs: &mpsc::Receiver<Job>) {
        loop {
            let job = if self.live.is_some() {
                match jobs.recv_timeout(self.environment.limits.idle) {
                    Ok(job) => job,
                    Err(RecvTimeoutError::Timeout) => {
                        self.live = None;
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            } else {
                match jobs.recv() {
                    Ok(job) => job,
                    Err(_) => return,
                }
            };
            if job.cancelled.load(Ordering::SeqCst) {
                continue;
            }
            let outcome = match &job.task {
                Task::Run {
                    input,
                    opening,
                    end,
                } => self.run(&job, input, opening, end),
                Task::Trust { fingerprint } => self.trust(&job, fingerprint),
            };
            // Nobody may be waiting any more.
            drop(job.reply.send(outcome));
        }
    }

    fn trust(&mut self, job: &Job, fingerprint: &str) -> Result<Vec<u8>, Failure> {
        let resolved = self.resolve(job)?;
        session::trust(&job.label, &resolved, &self.environment, fingerprint)?;
        Ok(Vec::new())
    }

    fn resolve(&self, job: &Job) -> Result<config::Resolved, Failure> {
        config::resolve(&job.label, self.environment.config.as_deref(), &job.target)
    }

    fn run(
        &mut self,
        job: &Job,
        input: &[u8],
        opening: &[u8],
        end: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        let kept = self.live.take().filter(|(target, _)| *target == job.target);
        if let Some((_, live)) = kept {
            match self.ask(job, live, input, end) {
                // It died while it was kept, or its server allows one session and has not let go of the one before
                // yet: once more, from the start.
                Err(Broken::Dead(_) | Broken::Refused(_)) => {}
                Err(Broken::Ended(Ended::Cut(_), output)) if output.stdout.is_empty() => {}
                outcome => return outcome.map_err(|broken| explain(job, broken, opening)),
            }
        }
        let resolved = self.resolve(job)?;
        let live = session::connect(&job.label, &resolved, &self.environment)?;
        self.ask(job, live, input, end)
            .map_err(|broken| explain(job, broken, opening))
    }

    /// Keeps the connection only if the whole answer came.
    fn ask(&mut self, job: &Job, live: Live, input: &[u8], end: &[u8]) -> Result<Vec<u8>, Broken> {
        let limits = &self.environment.limits;
        let answer = live.run(input, end.to_vec(), limits, &job.cancelled)?;
        self.live = Some((job.target.clone(), live));
        Ok(answer)
    }
}

fn explain(job: &Job, broken: Broken, opening: &[u8]) -> Failure {
    let label = &job.label;
    match broken {
        Broken::Dead(why) => {
            unfinished(label, &Ended::Cut(why), &Output::until(Vec::new()), opening)
        }
        Broken::Refused(why) => Failure::new(
            FailureCode::CommandRefused,
            format!("`{label}` lets Rollcall sign in and run nothing: {why}."),
        )
        .hint("Check the account's shell, and `MaxSessions` and `ForceCommand` of the host."),
        Broken::Ended(ended, output) => unfinished(label, &ended, &output, opening),
        Broken::Cancelled => Failure::new(
            FailureCode::Cancelled,
            format!("What was asked of `{label}` was cancelled."),
        ),
    }
}
