//! What the rest of Rollcall asks hosts.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use rollcall_converge::{
    Address, Failure, FailureCode, Host, HostFacts, HostId, HostPath, Inspection, RollCall,
    Snapshot, Tier,
};

use crate::answer;
use crate::cursor::Unreadable;
use crate::local;
use crate::script::{self, Question, Tokens};
use crate::ssh::{self, Connections, SshAlias};
use crate::transport::TimeLimits;

/// Where ssh configuration and keys are found, and how long things may take.
#[derive(Clone, Debug)]
pub struct SshEnvironment {
    /// The ssh configuration to read in place of the person's own and the system's.
    pub config: Option<PathBuf>,
    /// Rollcall's own file of host keys. [`Collector::trust`] makes it and adds to it.
    pub known_hosts: PathBuf,
    /// The agent's socket; `None` takes what the configuration says, or `SSH_AUTH_SOCK`.
    pub agent_socket: Option<PathBuf>,
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
            known_hosts,
            agent_socket: None,
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
}

impl Collector {
    /// A collector without connections.
    pub fn new(environment: SshEnvironment) -> Self {
        let environment = Arc::new(environment);
        Self {
            inner: Arc::new(Inner {
                connections: Connections::new(Arc::clone(&environment)),
                environment,
            }),
        }
    }

    /// Calls the roll of a host once. Dropping the future ends what runs on the host.
    ///
    /// # Errors
    /// Why there is no whole answer. Then nothing is known about any root.
    pub async fn roll_call(&self, host: &Host, call: &RollCall) -> Result<Snapshot, Failure> {
        let begun_at = Timestamp::now();
        let tokens = tokens()?;
        let bytes = self.ask(host, &tokens, &Question::Roll(call)).await?;
        answer::snapshot(&bytes, &tokens, call, begun_at).map_err(|error| malformed(host, &error))
    }

    /// Looks at a path that a person wants to register. `~` and a leading `~/` are the home of the host's user.
    ///
    /// # Errors
    /// [`FailureCode::PathNotFound`], [`FailureCode::PermissionDenied`], [`FailureCode::DubiousOwnership`] or
    /// [`FailureCode::NotReadable`] about the path; anything else about the host.
    pub async fn inspect(&self, host: &Host, path: &HostPath) -> Result<Inspection, Failure> {
        let tokens = tokens()?;
        let bytes = self.ask(host, &tokens, &Question::Inspect(path)).await?;
        answer::inspection(&bytes, &tokens, path).map_err(|error| malformed(host, &error))?
    }

    /// Reaches a host, signs in, and has it say what it is.
    ///
    /// # Errors
    /// Why that did not work.
    pub async fn check(&self, host: &Host) -> Result<HostFacts, Failure> {
        let call = RollCall {
            host: host.id,
            tier: Tier::Existence,
            revision: 0,
            roots: Vec::new(),
        };
        let snapshot = self.roll_call(host, &call).await?;
        Ok(snapshot.host_facts().clone())
    }

    /// Writes the key that a host shows now into Rollcall's own file of host keys, if it is the one with this
    /// `SHA256:…` fingerprint and no key of the host was known. A known key is never replaced.
    ///
    /// # Errors
    /// [`FailureCode::HostKeyUnknown`] with the key shown now if it is another one,
    /// [`FailureCode::HostKeyChanged`] if another key of the host is known, or why the host does not answer.
    pub async fn trust(&self, host: &Host, fingerprint: &str) -> Result<(), Failure> {
        match &host.address {
            Address::Local => Ok(()),
            Address::Ssh(target) => {
                self.inner
                    .connections
                    .trust(host, target, fingerprint.to_owned())
                    .await
            }
        }
    }

    /// The aliases of the ssh configuration, in its order, each once. Reads files: call it off the async threads.
    pub fn aliases(&self) -> Vec<SshAlias> {
        ssh::aliases(self.inner.environment.config.as_deref())
    }

    /// Closes a kept connection.
    pub fn forget(&self, host: HostId) {
        self.inner.connections.forget(host);
    }

    async fn ask(
        &self,
        host: &Host,
        tokens: &Tokens,
        question: &Question<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let environment = &self.inner.environment;
        let limits = &environment.limits;
        let input = script::input(tokens, question, limits.facts.as_secs());
        match &host.address {
            Address::Local => {
                local::run(
                    &host.label,
                    &environment.local_shell,
                    &input,
                    &tokens.opening(),
                    tokens.end(),
                    limits,
                )
                .await
            }
            Address::Ssh(target) => {
                self.inner
                    .connections
                    .run(host, target, input, tokens)
                    .await
            }
        }
    }
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
