//! What the rest of Rollcall asks hosts.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rollcall_converge::{
    Act, Address, Branch, Caller, Checkout, Details, Failure, FailureClass, FailureCode, Found,
    Host, HostFacts, HostId, HostPath, Inspection, Linked, Look, Outcome, Reason, Removal,
    Repository, RollCall, Search, Size, Snapshot, Subject, Tier, Transport, Trashed, WorkspaceKind,
};
use uuid::Uuid;

use crate::answer::{self, Done, How};
use crate::cursor::Unreadable;
use crate::local;
use crate::openssh::OpenSsh;
use crate::phases::Phases;
use crate::prompt::{Keychain, Prompter, Secrets};
use crate::script::{self, Question, Tokens};
use crate::ssh::{self, Asking, Connections, Contact, Notes, SshAlias, TraceStep};
use crate::transport::{Report, TimeLimits, unfinished};

/// Where ssh configuration and keys are found, and how long things may take.
#[derive(Clone, Debug)]
pub struct SshEnvironment {
    /// The ssh configuration to read in place of the person's own and the system's.
    pub config: Option<PathBuf>,
    /// The system's `ssh`.
    pub ssh: PathBuf,
    /// What `ssh` runs to ask a person for something; without it nobody can be asked through it.
    pub askpass: Option<PathBuf>,
    /// Rollcall's own file of host keys. [`Collector::trust`] makes it and adds to it.
    pub known_hosts: PathBuf,
    /// The agent's socket; `None` takes what the configuration says, or `SSH_AUTH_SOCK`.
    pub agent_socket: Option<PathBuf>,
    /// Asks a person; without one nobody is ever asked for anything.
    pub prompter: Option<Arc<dyn Prompter>>,
    /// Where secrets can be kept for the next start.
    pub keychain: Option<Arc<dyn Keychain>>,
    /// How long things may take.
    pub limits: TimeLimits,
    /// The shell of this machine and its arguments before `-c`; `sh` if empty.
    pub local_shell: Vec<String>,
}

impl SshEnvironment {
    /// The person's own configuration and agent, with Rollcall's host keys in the given file.
    pub fn new(known_hosts: PathBuf) -> Self {
        Self {
            config: None,
            ssh: PathBuf::from("ssh"),
            askpass: None,
            known_hosts,
            agent_socket: None,
            prompter: None,
            keychain: None,
            limits: TimeLimits::default(),
            local_shell: Vec::new(),
        }
    }
}

/// Asks hosts. Clones share their connections.
#[derive(Clone)]
pub struct Collector {
    inner: Arc<Inner>,
}

struct Inner {
    environment: Arc<SshEnvironment>,
    connections: Connections,
    openssh: OpenSsh,
    notes: Mutex<HashMap<HostId, Notes>>,
}

impl Collector {
    /// A collector without connections.
    pub fn new(environment: SshEnvironment) -> Self {
        let environment = Arc::new(environment);
        let secrets = Arc::new(Secrets::new(environment.keychain.clone()));
        Self {
            inner: Arc::new(Inner {
                connections: Connections::new(Arc::clone(&environment), Arc::clone(&secrets)),
                openssh: OpenSsh::new(Arc::clone(&environment), secrets),
                environment,
                notes: Mutex::default(),
            }),
        }
    }

    /// Calls the roll of a host once. Dropping the future ends what runs on the host.
    ///
    /// # Errors
    /// Why there is no whole answer. Then nothing is known about any root.
    pub async fn roll_call(
        &self,
        host: &Host,
        call: &RollCall,
        caller: Caller,
    ) -> Result<Snapshot, Failure> {
        let begun_at = Timestamp::now();
        let tokens = tokens()?;
        let phases = Phases::start();
        let question = Question::Roll(call);
        let bytes = self
            .ask(host, &tokens, &question, caller, Some(phases.report()))
            .await?;
        let answered = Instant::now();
        let snapshot = answer::snapshot(&bytes, &tokens, call, begun_at)
            .map_err(|error| malformed(host, &error))?;
        if !call.roots.is_empty() {
            let words = phases.words(&snapshot, bytes.len(), answered.elapsed());
            let notes = self.notes(host.id);
            notes.say_last(TraceStep::RollCall, &host.label, words);
        }
        Ok(snapshot)
    }

    /// Looks at a path that a person wants to register. `~` and a leading `~/` are the home of the host's user.
    ///
    /// # Errors
    /// [`FailureCode::PathNotFound`], [`FailureCode::PermissionDenied`], [`FailureCode::DubiousOwnership`] or
    /// [`FailureCode::NotReadable`] about the path; anything else about the host.
    pub async fn inspect(&self, host: &Host, path: &HostPath) -> Result<Inspection, Failure> {
        let tokens = tokens()?;
        let bytes = self
            .ask(
                host,
                &tokens,
                &Question::Inspect(path),
                Caller::Person,
                None,
            )
            .await?;
        answer::inspection(&bytes, &tokens, path).map_err(|error| malformed(host, &error))?
    }

    /// Looks at some workspaces in depth, one after another: what only a walk or several calls tell. Dropping the future
    /// ends what runs on the host. Each that cannot be looked at has its own failure.
    ///
    /// # Errors
    /// Why there is no whole answer.
    pub async fn look(
        &self,
        host: &Host,
        subjects: &[Subject],
        caller: Caller,
    ) -> Result<Vec<Result<Look, Failure>>, Failure> {
        let tokens = tokens()?;
        let bytes = self
            .ask(host, &tokens, &Question::Deep(subjects), caller, None)
            .await?;
        answer::looks(&bytes, &tokens, subjects).map_err(|error| malformed(host, &error))
    }

    /// What is in a workspace: changed files, commits, what its README calls it. Dropping the future ends what runs on
    /// the host.
    ///
    /// # Errors
    /// As [`Self::inspect`].
    pub async fn details(
        &self,
        host: &Host,
        kind: WorkspaceKind,
        path: &HostPath,
    ) -> Result<Details, Failure> {
        let tokens = tokens()?;
        let question = Question::Details(kind, path);
        let bytes = self
            .ask(host, &tokens, &question, Caller::Person, None)
            .await?;
        answer::details(&bytes, &tokens, path).map_err(|error| malformed(host, &error))?
    }

    /// Measures how much of a disk a folder takes. `report` hears KiB so far and how much of it, in thousandths, was looked
    /// at; the end of it at last. Dropping the future ends what runs on the host.
    ///
    /// # Errors
    /// As [`Self::inspect`].
    pub async fn measure(
        &self,
        host: &Host,
        path: &HostPath,
        report: Option<Report>,
    ) -> Result<Size, Failure> {
        let tokens = tokens()?;
        let question = Question::Measure(path);
        let bytes = self
            .ask(host, &tokens, &question, Caller::Person, report.clone())
            .await?;
        let size =
            answer::size(&bytes, &tokens, path).map_err(|error| malformed(host, &error))??;
        if let Some(report) = report {
            report(size.total / 1024, 1000);
        }
        Ok(size)
    }

    /// Looks for repositories below a folder; registers nothing. `report` hears how many folders were looked at and how
    /// many repositories were found. Dropping the future ends what runs on the host.
    ///
    /// # Errors
    /// As [`Self::inspect`].
    pub async fn search(
        &self,
        host: &Host,
        search: &Search,
        report: Option<Report>,
    ) -> Result<Found, Failure> {
        let tokens = tokens()?;
        let question = Question::Search(search);
        let bytes = self
            .ask(host, &tokens, &question, Caller::Person, report.clone())
            .await?;
        let found = answer::found(&bytes, &tokens, &search.folder);
        let found = found.map_err(|error| malformed(host, &error))??;
        if let Some(report) = report {
            report(found.looked_at, found.candidates.len() as u64);
        }
        Ok(found)
    }

    /// Moves a workspace to the trash of its host, or by way of it removes it for good, if it is what was agreed to and
    /// nothing else would go (I8, I9). What has begun goes on although the future is dropped; asking again finds out what
    /// came of it, and finishes it.
    ///
    /// # Errors
    /// Why there is no answer. Something may have begun all the same.
    pub async fn remove(
        &self,
        host: &Host,
        removal: &Removal,
        caller: Caller,
    ) -> Result<Outcome, Failure> {
        Ok(
            match self.verb(host, &Question::Remove(removal), caller).await? {
                Done {
                    how: How::Done | How::Gone,
                    branch,
                    ..
                } => Outcome::Converged { branch },
                Done {
                    how: How::Running, ..
                } => Outcome::Waits {
                    reason: RUNNING.to_owned(),
                    running: true,
                },
                Done {
                    how: How::Waits,
                    words,
                    ..
                } => Outcome::Waits {
                    reason: words,
                    running: false,
                },
                Done {
                    how: How::Failed,
                    stage,
                    words,
                    ..
                } => Outcome::Failed {
                    class: FailureClass::Transient,
                    stage,
                    message: words,
                    reason: Reason::Command,
                },
                Done {
                    how: How::Stopped(reason),
                    stage,
                    words,
                    ..
                } => Outcome::Failed {
                    class: FailureClass::Terminal,
                    stage,
                    message: words,
                    reason,
                },
            },
        )
    }

    /// Takes a removal back that may have begun: whatever it moved is where it was.
    ///
    /// # Errors
    /// [`FailureCode::CommandFailed`] if it is running, is too far, or cannot be brought back; why there is no answer.
    pub async fn undo(&self, host: &Host, removal: &Removal) -> Result<String, Failure> {
        let done = self
            .verb(host, &Question::Undo(removal), Caller::Person)
            .await?;
        finished(done, host, &removal.consent.path)
    }

    /// Brings something back from the trash, to where it was or to another path, and says what became of its branch.
    ///
    /// # Errors
    /// [`FailureCode::CommandFailed`] if something else is there, or it is not whole; [`FailureCode::PathNotFound`] if it
    /// is not in the trash any more; why there is no answer.
    pub async fn restore(
        &self,
        host: &Host,
        trashed: &Trashed,
        path: Option<&HostPath>,
    ) -> Result<String, Failure> {
        let question = Question::Restore(trashed, path);
        let done = self.verb(host, &question, Caller::Person).await?;
        if done.how == How::Gone {
            let words = format!("`{}` is not in the trash any more.", trashed.from.display());
            return Err(Failure::new(FailureCode::PathNotFound, words).hint("Sync its host."));
        }
        finished(done, host, &trashed.from)
    }

    /// Removes something in the trash for good, if its manifest is still the one that was shown; if `expired`, only once its
    /// days are over by its host's clock.
    ///
    /// # Errors
    /// [`FailureCode::CommandFailed`] if it is another one, in use, or cannot be removed; why there is no answer.
    pub async fn empty(
        &self,
        host: &Host,
        trashed: &Trashed,
        expired: bool,
        caller: Caller,
    ) -> Result<(), Failure> {
        let question = Question::Empty(trashed, expired);
        let done = self.verb(host, &question, caller).await?;
        if done.how == How::Gone {
            return Ok(());
        }
        finished(done, host, &trashed.from).map(drop)
    }

    /// Does something with one linked worktree, and with nothing else; says what the host has to say about it.
    ///
    /// # Errors
    /// [`FailureCode::CommandFailed`] if it is another one, or as it is may not be changed; why there is no answer.
    pub async fn act(&self, host: &Host, linked: &Linked, act: &Act) -> Result<String, Failure> {
        let question = Question::Act(Uuid::now_v7(), linked, act);
        let done = self.verb(host, &question, Caller::Person).await?;
        let words = done.words.clone();
        finished(done, host, &linked.path).map(|_| words)
    }

    /// Makes a linked worktree at a path where nothing is, together with the folders that lead there. One that fails leaves
    /// nothing behind.
    ///
    /// # Errors
    /// [`FailureCode::CommandFailed`] if the path or the branch is taken, or git fails; why there is no answer.
    pub async fn create(
        &self,
        host: &Host,
        repository: &Repository,
        path: &HostPath,
        checkout: &Checkout,
    ) -> Result<(), Failure> {
        let question = Question::Create(Uuid::now_v7(), repository, path, checkout);
        let done = self.verb(host, &question, Caller::Person).await?;
        finished(done, host, path).map(drop)
    }

    /// Fetches from every remote of a repository as it is configured, one fetch at a time in each. Nobody is asked for
    /// anything by it. Dropping the future ends what runs on the host.
    ///
    /// # Errors
    /// [`FailureCode::CommandFailed`] if it is another repository, or a remote does not answer or lets nobody in; why there
    /// is no answer.
    pub async fn fetch(&self, host: &Host, repository: &Repository) -> Result<(), Failure> {
        let question = Question::Fetch(Uuid::now_v7(), repository);
        let done = self.verb(host, &question, Caller::Person).await?;
        finished(done, host, &repository.common_dir).map(drop)
    }

    /// The branches of a repository and of its remotes, the newest first; at most 5,000.
    ///
    /// # Errors
    /// As [`Self::inspect`].
    pub async fn branches(
        &self,
        host: &Host,
        common_dir: &HostPath,
    ) -> Result<Vec<Branch>, Failure> {
        let tokens = tokens()?;
        let question = Question::Branches(common_dir);
        let bytes = self
            .ask(host, &tokens, &question, Caller::Person, None)
            .await?;
        let told = answer::branches(&bytes, &tokens, common_dir);
        told.map_err(|error| malformed(host, &error))?
    }

    /// Asks for a verb. One that meets another in the same repository waits for its turn, for a while.
    async fn verb(
        &self,
        host: &Host,
        question: &Question<'_>,
        caller: Caller,
    ) -> Result<Done, Failure> {
        let mut turns = self.inner.environment.limits.turns;
        loop {
            let tokens = tokens()?;
            let bytes = self.ask(host, &tokens, question, caller, None).await?;
            let done = answer::done(&bytes, &tokens).map_err(|error| malformed(host, &error))?;
            if done.how != How::Running || turns == 0 {
                return Ok(done);
            }
            turns -= 1;
            tokio::time::sleep(TURN).await;
        }
    }

    /// Reaches a host, signs in, and has it say what it is.
    ///
    /// # Errors
    /// Why that did not work.
    pub async fn check(&self, host: &Host, caller: Caller) -> Result<HostFacts, Failure> {
        let call = RollCall {
            host: host.id,
            tier: Tier::Existence,
            revision: 0,
            roots: Vec::new(),
            trash: Vec::new(),
        };
        let checked = self.roll_call(host, &call, caller).await;
        let notes = self.notes(host.id);
        match checked {
            Ok(snapshot) => {
                let facts = snapshot.host_facts().clone();
                let git = match facts.git_version.as_str() {
                    "" => "no git that can be found".to_owned(),
                    version => format!("git {version}"),
                };
                let words = format!("{} with {git}", facts.system);
                notes.say(TraceStep::Collector, &host.label, words);
                Ok(facts)
            }
            Err(failure) => {
                // What went wrong before has been told where it did.
                if notes.read().trace.iter().all(|line| line.well) {
                    notes.failed(TraceStep::Collector, &host.label, &failure);
                }
                Err(failure)
            }
        }
    }

    /// Writes the key that a host, or one on the way to it, shows now into Rollcall's own file of host keys, if it is
    /// the one with this `SHA256:…` fingerprint. A key that is known is replaced only if that is meant: it counts as
    /// revoked from then on. No other file is written.
    ///
    /// # Errors
    /// [`FailureCode::HostKeyUnknown`] with the key shown now if it is another one,
    /// [`FailureCode::HostKeyChanged`] if another key of the host is known and not to be replaced, or why the host does
    /// not answer.
    pub async fn trust(
        &self,
        host: &Host,
        fingerprint: &str,
        replace: bool,
    ) -> Result<(), Failure> {
        let Some(target) = host.address.ssh() else {
            return Ok(());
        };
        let notes = self.notes(host.id);
        let prompter = self.inner.environment.prompter.clone();
        self.inner
            .connections
            .record(
                host,
                target,
                &notes,
                prompter,
                fingerprint.to_owned(),
                replace,
            )
            .await
    }

    /// How a host was reached last.
    pub fn contact(&self, host: HostId) -> Contact {
        self.notes(host).read()
    }

    /// Takes every kept connection for one that may be dead, because the system slept or its network changed. Each is
    /// probed before it is used again.
    pub async fn doubt(&self) {
        self.inner.connections.doubt();
        self.inner.openssh.doubt().await;
    }

    fn notes(&self, host: HostId) -> Notes {
        let mut notes = self
            .inner
            .notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        notes.entry(host).or_default().clone()
    }

    /// The aliases of the ssh configuration, in its order, each once. Reads files: call it off the async threads.
    pub fn aliases(&self) -> Vec<SshAlias> {
        ssh::aliases(self.inner.environment.config.as_deref())
    }

    /// Closes a kept connection and ends what runs over it.
    pub fn forget(&self, host: HostId) {
        self.inner.connections.forget(host);
        self.inner.openssh.forget(host);
    }

    async fn ask(
        &self,
        host: &Host,
        tokens: &Tokens,
        question: &Question<'_>,
        caller: Caller,
        report: Option<Report>,
    ) -> Result<Vec<u8>, Failure> {
        let environment = &self.inner.environment;
        let input = script::input(tokens, question, &environment.limits);
        match &host.address {
            Address::Local => {
                let is_verb = question.is_verb();
                self.ask_here(host, tokens, &input, report, is_verb).await
            }
            Address::Ssh(target) => {
                let notes = self.notes(host.id);
                let asking = Asking {
                    host,
                    target,
                    notes: &notes,
                    caller,
                    prompter: match caller {
                        Caller::Person => environment.prompter.clone(),
                        Caller::Schedule => None,
                    },
                    report,
                };
                self.ask_there(&asking, tokens, input).await
            }
        }
    }

    async fn ask_here(
        &self,
        host: &Host,
        tokens: &Tokens,
        input: &[u8],
        report: Option<Report>,
        is_verb: bool,
    ) -> Result<Vec<u8>, Failure> {
        let environment = &self.inner.environment;
        let command = local::shell(&environment.local_shell);
        let limits = &environment.limits;
        local::run(command, input, tokens.end(), report, is_verb, limits)
            .await
            .map_err(|error| {
                Failure::new(
                    FailureCode::NoShell,
                    format!("`{}` cannot run sh: {error}.", host.label),
                )
                .hint("Check that `sh` is on the PATH.")
            })?
            .map_err(|it| unfinished(&host.label, &it.ended, &it.output, &tokens.opening()))
    }

    async fn ask_there(
        &self,
        asking: &Asking<'_>,
        tokens: &Tokens,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, Failure> {
        let target = asking.target;
        if target.transport == Transport::OpenSsh {
            return self.inner.openssh.run(asking, &input, tokens).await;
        }
        let answer = self.inner.connections.run(asking, input, tokens).await;
        answer.map_err(|mut failure| {
            // Who chose Rollcall's own connection is not asked again.
            failure.openssh &= target.transport == Transport::Automatic;
            failure
        })
    }
}

/// Why a verb waits for another.
const RUNNING: &str = "something else is being done in its repository";

/// How long a verb waits between two turns.
const TURN: Duration = Duration::from_millis(500);

/// What became of a branch, of a verb that did what was asked.
fn finished(done: Done, host: &Host, path: &HostPath) -> Result<String, Failure> {
    let words = match done.how {
        How::Done | How::Gone => return Ok(done.branch),
        How::Running => RUNNING.to_owned(),
        How::Waits | How::Failed | How::Stopped(_) => done.words,
    };
    let message = format!("`{}` on `{}`: {words}.", path.display(), host.label);
    Err(Failure::new(FailureCode::CommandFailed, message)
        .hint("Nothing is lost by this. Put that right, and try again."))
}

fn tokens() -> Result<Tokens, Failure> {
    Tokens::random().ok_or_else(|| {
        Failure::new(
            FailureCode::CommandFailed,
            "This system gives no random numbers, without which no answer can be told from noise.",
        )
    })
}

fn malformed(host: &Host, error: &Unreadable) -> Failure {
    Failure::new(
        FailureCode::Malformed,
        format!("The answer of `{}` cannot be used: {error}.", host.label),
    )
    .hint("Sync again.")
}
