//! Making a connection: the way, the meeting, the sign-in; every host on the way first. Blocks.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rollcall_converge::{Caller, Failure, FailureCode, Host, SignIn, SshTarget};

use super::auth::{self, Done, Who};
use super::config::{self, Resolved, Route};
use super::meet::{Consent, Live, NotMet, meet};
use super::route::{Way, carry, dial, relay};
use super::socket::Socket;
use crate::collector::SshEnvironment;
use crate::prompt::{Prompter, Secrets};

/// Hosts on the way that may stand behind one another.
const HOPS: usize = 8;
/// Connections that are being made at once.
const AT_ONCE: usize = 4;
/// One that takes longer waits for its host and holds up no other (I16).
const ASIDE: Duration = Duration::from_millis(500);

/// A part of reaching a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceStep {
    /// What the ssh configuration says.
    Configuration,
    /// The first byte there and back.
    Connection,
    /// The key the host shows.
    HostKey,
    /// Signing in.
    SignIn,
    /// Running the collector.
    Collector,
    /// The last roll call, with the time of each of its parts.
    RollCall,
}

/// What came of a part of reaching a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// The part.
    pub step: TraceStep,
    /// The machine it was about: the host's label, or a name on the way to it.
    pub about: String,
    /// What came of it, or why nothing did.
    pub words: String,
    /// Whether it went well.
    pub well: bool,
}

/// What is known about how a host was reached last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// How it was signed in to; none while it was not.
    pub sign_in: Option<SignIn>,
    /// `SHA256:…` fingerprint of its key.
    pub host_key: Option<String>,
    /// What was done, in its order.
    pub trace: Vec<TraceLine>,
}

/// What is remembered about reaching a host for as long as the process runs.
#[derive(Default)]
pub(crate) struct Memory {
    /// Whether the last sign-in can be done again with what is held in memory.
    pub(crate) repeatable: bool,
    /// Fingerprints of keys of the agent that signed without a person.
    pub(crate) silent: Vec<String>,
}

/// Notes about how a host is reached, shared with whoever wants to know.
#[derive(Clone, Default)]
pub(crate) struct Notes {
    contact: Arc<Mutex<Contact>>,
    memory: Arc<Mutex<Memory>>,
}

impl Notes {
    fn contact(&self) -> MutexGuard<'_, Contact> {
        self.contact.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn read(&self) -> Contact {
        self.contact().clone()
    }

    pub(crate) fn clear(&self) {
        *self.contact() = Contact::default();
    }

    pub(crate) fn say(&self, step: TraceStep, about: &str, words: impl Into<String>) {
        self.contact().trace.push(TraceLine {
            step,
            about: about.to_owned(),
            words: words.into(),
            well: true,
        });
    }

    /// The same in place of what was said about this step before, however often it is taken.
    pub(crate) fn say_last(&self, step: TraceStep, about: &str, words: impl Into<String>) {
        self.contact().trace.retain(|line| line.step != step);
        self.say(step, about, words);
    }

    pub(crate) fn failed(&self, step: TraceStep, about: &str, failure: &Failure) {
        self.contact().trace.push(TraceLine {
            step,
            about: about.to_owned(),
            words: failure.message.clone(),
            well: false,
        });
    }

    pub(crate) fn signed_in(&self, sign_in: SignIn, host_key: Option<String>) {
        let mut contact = self.contact();
        contact.sign_in = Some(sign_in);
        contact.host_key = host_key;
    }
}

/// Lets only so many connections be made at once.
#[derive(Default)]
pub(crate) struct Gate {
    begun: Mutex<Vec<Instant>>,
    left: Condvar,
}

/// A place among those that connect.
pub(crate) struct Place<'a> {
    gate: &'a Gate,
    begun: Instant,
}

impl Gate {
    pub(crate) fn enter(&self) -> Place<'_> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            begun.retain(|at| at.elapsed() < ASIDE);
            if begun.len() < AT_ONCE {
                let now = Instant::now();
                begun.push(now);
                return Place {
                    gate: self,
                    begun: now,
                };
            }
            let oldest = begun
                .first()
                .map_or(ASIDE, |at| ASIDE.saturating_sub(at.elapsed()));
            begun = self
                .left
                .wait_timeout(begun, oldest)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut begun = self
            .gate
            .begun
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = begun.iter().position(|it| *it == self.begun) {
            begun.remove(at);
        }
        self.gate.left.notify_all();
    }
}

/// Everything that making a connection needs.
pub(crate) struct Reach<'a> {
    pub(crate) host: &'a Host,
    pub(crate) environment: &'a SshEnvironment,
    pub(crate) secrets: &'a Secrets,
    pub(crate) caller: Caller,
    pub(crate) prompter: Option<&'a Arc<dyn Prompter>>,
    pub(crate) silent: &'a [String],
    pub(crate) notes: &'a Notes,
    /// Set when nobody waits for it any more.
    pub(crate) given_up: &'a AtomicBool,
    /// Hears the first socket, so that somebody else can close it.
    pub(crate) dialled: &'a dyn Fn(&Socket),
}

impl Reach<'_> {
    /// Connects to the host and signs in.
    pub(crate) fn connect(&self, target: &SshTarget) -> Result<(Live, Done), Failure> {
        let label = &self.host.label;
        let resolved = self.resolve(label, target)?;
        let arrived = self
            .open(label, &resolved, Consent::None, 0)
            .and_then(|way| self.meet_over(label, &resolved, Consent::None, 0, way))
            .and_then(|live| self.sign_in(label, &resolved, live));
        arrived.map_err(NotMet::into_failure)
    }

    /// Walks the way to the host until a key is met that consent is about, and records it.
    pub(crate) fn record(&self, target: &SshTarget, consent: Consent<'_>) -> Result<(), Failure> {
        let label = &self.host.label;
        let resolved = self.resolve(label, target)?;
        let met = self
            .open(label, &resolved, consent, 0)
            .and_then(|way| self.meet_over(label, &resolved, consent, 0, way));
        match met {
            // The one that was meant is known by now.
            Ok(_) | Err(NotMet::Recorded) => Ok(()),
            Err(NotMet::Failed(failure)) => Err(failure),
        }
    }

    /// Meets the host without signing in to it, and says what keeps its key from being taken for known.
    pub(crate) fn look(&self, target: &SshTarget) -> Result<(), Failure> {
        self.record(target, Consent::None)
    }

    fn resolve(&self, label: &str, target: &SshTarget) -> Result<Resolved, Failure> {
        let resolved = config::resolve(label, self.environment, target)
            .inspect_err(|failure| self.notes.failed(TraceStep::Configuration, label, failure))?;
        let way = match &resolved.route {
            Route::Direct => String::new(),
            Route::Jumps(hops) => format!(", by way of {}", hops.join(", then ")),
            Route::Command(command) => format!(", through `{command}`"),
        };
        let words = format!("leads to {}@{}{way}", resolved.user, resolved.place());
        self.notes.say(TraceStep::Configuration, label, words);
        Ok(resolved)
    }

    /// Opens the way to a host, signing in to those on it.
    fn open(
        &self,
        label: &str,
        resolved: &Resolved,
        consent: Consent<'_>,
        depth: usize,
    ) -> Result<(Socket, Option<Way>), NotMet> {
        let limits = &self.environment.limits;
        let opened = match &resolved.route {
            Route::Direct => dial(label, resolved, limits).map(|it| (Socket::Tcp(it), None)),
            Route::Command(command) => carry(label, command),
            Route::Jumps(_) if depth >= HOPS => Err(Failure::new(
                FailureCode::JumpFailed,
                format!(
                    "The way to `{}` leads through too many hosts.",
                    self.host.label
                ),
            )
            .hint("Check `ProxyJump` in the ssh configuration for a circle.")),
            Route::Jumps(hops) => {
                let (hop, hop_label) = self.hops(hops, consent, depth + 1)?;
                relay(hop, &hop_label, label, resolved, limits)
            }
        };
        let (socket, way) = opened
            .inspect_err(|failure| self.notes.failed(TraceStep::Connection, label, failure))?;
        (self.dialled)(&socket);
        Ok((socket, way))
    }

    fn meet_over(
        &self,
        label: &str,
        resolved: &Resolved,
        consent: Consent<'_>,
        depth: usize,
        way: (Socket, Option<Way>),
    ) -> Result<Live, NotMet> {
        match meet(label, resolved, self.environment, way, consent) {
            Ok(live) => {
                let words = format!("answers at {}", resolved.place());
                self.notes.say(TraceStep::Connection, label, words);
                let words = format!("shows a known key, {}", live.host_key);
                self.notes.say(TraceStep::HostKey, label, words);
                Ok(live)
            }
            Err(NotMet::Failed(mut failure)) => {
                let step = if failure.key.is_some() {
                    TraceStep::HostKey
                } else {
                    TraceStep::Connection
                };
                if depth > 0
                    && let Some(key) = &mut failure.key
                {
                    key.hop.get_or_insert_with(|| label.to_owned());
                }
                self.notes.failed(step, label, &failure);
                Err(failure.into())
            }
            Err(NotMet::Recorded) => Err(NotMet::Recorded),
        }
    }

    fn sign_in(
        &self,
        label: &str,
        resolved: &Resolved,
        live: Live,
    ) -> Result<(Live, Done), NotMet> {
        let who = Who {
            host: self.host.id,
            label,
            caller: self.caller,
            prompter: self.prompter,
            silent: self.silent,
            secrets: self.secrets,
            given_up: self.given_up,
        };
        let done = auth::authenticate(&live, resolved, self.environment, &who)
            .inspect_err(|failure| self.notes.failed(TraceStep::SignIn, label, failure))?;
        let words = format!("signed in as {} {}", resolved.user, done.how.join(" and "));
        self.notes.say(TraceStep::SignIn, label, words);
        Ok((live, done))
    }

    /// Signs in to each host on the way in turn; gives the last one and what it is called.
    fn hops(
        &self,
        hops: &[String],
        consent: Consent<'_>,
        depth: usize,
    ) -> Result<(Live, String), NotMet> {
        let mut last: Option<(Live, String)> = None;
        for hop in hops {
            let target = config::jump(&self.host.label, hop)?;
            let label = target.destination.clone();
            let resolved = self.resolve(&label, &target)?;
            let way = match last.take() {
                // The first one may have a way of its own; those after it are reached through the one before.
                None => self.open(&label, &resolved, consent, depth),
                Some((before, before_label)) => relay(
                    before,
                    &before_label,
                    &label,
                    &resolved,
                    &self.environment.limits,
                )
                .inspect_err(|failure| {
                    self.notes.failed(TraceStep::Connection, &label, failure);
                })
                .map_err(NotMet::from),
            };
            let (live, _) = way
                .and_then(|way| self.meet_over(&label, &resolved, consent, depth, way))
                .and_then(|live| self.sign_in(&label, &resolved, live))
                .map_err(|it| self.on_the_way(&label, it))?;
            last = Some((live, label));
        }
        last.ok_or_else(|| {
            NotMet::Failed(Failure::new(
                FailureCode::JumpFailed,
                format!("The way to `{}` names no host.", self.host.label),
            ))
        })
    }

    /// What a failure of a host on the way means for the host in the end. What a person has to do stays as it is.
    fn on_the_way(&self, hop: &str, not_met: NotMet) -> NotMet {
        let NotMet::Failed(failure) = not_met else {
            return not_met;
        };
        let label = &self.host.label;
        if failure.code.needs_person() {
            let mut failure = failure;
            failure.message = format!("On the way to `{label}`: {}", failure.message);
            return NotMet::Failed(failure);
        }
        if failure.code == FailureCode::JumpFailed && failure.message.contains(label.as_str()) {
            return NotMet::Failed(failure);
        }
        let mut jump = Failure::new(
            FailureCode::JumpFailed,
            format!(
                "`{label}` cannot be reached through `{hop}`: {}",
                failure.message
            ),
        );
        jump.hints = failure.hints;
        NotMet::Failed(jump)
    }
}
