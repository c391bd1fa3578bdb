//! Hosts, roots, and the reasons why they do not answer.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bytes::HostPath;
use crate::ids::{HostId, RootId};

/// How a host is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Address {
    /// This machine.
    Local,
    /// A machine reached over SSH.
    Ssh(SshTarget),
}

impl Address {
    /// How it is reached, if that is over SSH.
    pub fn ssh(&self) -> Option<&SshTarget> {
        match self {
            Self::Local => None,
            Self::Ssh(target) => Some(target),
        }
    }
}

/// What a person said about an SSH host. Everything left out comes from the ssh configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SshTarget {
    /// An alias of the ssh configuration, a host name or an address.
    pub destination: String,
    /// The user to sign in as.
    pub user: Option<String>,
    /// The TCP port.
    pub port: Option<u16>,
    /// A private key file on this machine, tried before those of the configuration.
    pub identity_file: Option<String>,
    /// What carries the connection.
    #[serde(default)]
    pub transport: Transport,
}

/// What carries the connection to an SSH host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Rollcall's own connection. Where it fails for a reason that the system's `ssh` would not have, that is
    /// offered.
    #[default]
    Automatic,
    /// Rollcall's own connection.
    Own,
    /// The system's `ssh`.
    OpenSsh,
}

/// Who wants something of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caller {
    /// Nobody in particular. Then nobody is asked for anything.
    Schedule,
    /// A person, who may be asked to sign in.
    Person,
}

/// How a host was signed in to, as far as the next time has to know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignIn {
    /// `SHA256:…` fingerprint of the agent's key that signed without a person. In the background no other is used.
    pub identity: Option<String>,
    /// Whether a person had to do something that cannot be done for them again: only a person signs in then.
    pub attended: bool,
}

/// A machine Rollcall can run commands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its identifier.
    pub id: HostId,
    /// What people call it; unique.
    pub label: String,
    /// How it is reached.
    pub address: Address,
    /// Whether a person stopped everything for it.
    pub suspended: bool,
    /// How it was signed in to last; none before the first time.
    pub sign_in: Option<SignIn>,
}

/// What a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootKind {
    /// A git repository with its linked worktrees.
    Repository,
    /// A plain directory.
    Directory,
}

/// A path put under roll call by a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its identifier.
    pub id: RootId,
    /// The host it lies on.
    pub host: HostId,
    /// What it is.
    pub kind: RootKind,
    /// Its canonical path on the host.
    pub path: HostPath,
    /// The mount point it was last seen on, where the host told it.
    pub mount: Option<HostPath>,
}

/// Why a host or a root did not answer. The window decides on the code; people read the sentence of
/// [`Failure::message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The name does not resolve.
    NameNotFound,
    /// The connection was refused or has no route.
    Refused,
    /// Nothing answered in time.
    TimedOut,
    /// The connection ended before the answer did.
    Cut,
    /// The host's key is in no known-hosts file.
    HostKeyUnknown,
    /// The host's key differs from the known one, or is revoked.
    HostKeyChanged,
    /// No way to sign in was accepted.
    NotAuthenticated,
    /// Signing in takes a person: a passphrase, a password, a code, a touch.
    SignInNeeded,
    /// A private key file cannot be read.
    KeyUnreadable,
    /// A passphrase does not open its key file.
    PassphraseWrong,
    /// The ssh agent does not answer, and nothing else was accepted.
    AgentUnavailable,
    /// A host or a command on the way to the host failed.
    JumpFailed,
    /// The ssh configuration asks for something this transport cannot do, or is not readable.
    Unsupported,
    /// The host refused to run a command.
    CommandRefused,
    /// The host lets one sign in and opens no channel to run anything.
    ChannelRefused,
    /// The host has no `sh`.
    NoShell,
    /// The host has no `git` that can be found.
    NoGit,
    /// The command ended with an error or a signal.
    CommandFailed,
    /// The answer was larger than allowed.
    TooLarge,
    /// The answer was not a complete, well-formed one.
    Malformed,
    /// The path does not exist.
    PathNotFound,
    /// The path exists but may not be read.
    PermissionDenied,
    /// The disk the path was seen on is not mounted.
    NotMounted,
    /// git refuses the repository because another user owns it.
    DubiousOwnership,
    /// What lies at the path is no folder.
    NotAFolder,
    /// git cannot read the repository.
    NotReadable,
    /// The host answered, and the registry could not take the answer up.
    NotRecorded,
    /// The host answers as another machine than before.
    AnotherMachine,
    /// What was asked was cancelled.
    Cancelled,
}

impl FailureCode {
    /// Whether only a person can do something about it, so that trying again by itself is no use.
    pub fn needs_person(self) -> bool {
        matches!(
            self,
            Self::HostKeyUnknown
                | Self::HostKeyChanged
                | Self::NotAuthenticated
                | Self::SignInNeeded
                | Self::KeyUnreadable
                | Self::PassphraseWrong
                | Self::AgentUnavailable
                | Self::Unsupported
        )
    }

    /// Whether the host was reached and what ran there ended badly, rather than the way to it.
    pub fn is_of_the_command(self) -> bool {
        matches!(
            self,
            Self::CommandFailed
                | Self::TooLarge
                | Self::Malformed
                | Self::NoShell
                | Self::CommandRefused
        )
    }

    /// The stable name of the code, as the window and the registry know it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NameNotFound => "name_not_found",
            Self::Refused => "refused",
            Self::TimedOut => "timed_out",
            Self::Cut => "cut",
            Self::HostKeyUnknown => "host_key_unknown",
            Self::HostKeyChanged => "host_key_changed",
            Self::NotAuthenticated => "not_authenticated",
            Self::SignInNeeded => "sign_in_needed",
            Self::KeyUnreadable => "key_unreadable",
            Self::PassphraseWrong => "passphrase_wrong",
            Self::AgentUnavailable => "agent_unavailable",
            Self::JumpFailed => "jump_failed",
            Self::Unsupported => "unsupported",
            Self::CommandRefused => "command_refused",
            Self::ChannelRefused => "channel_refused",
            Self::NoShell => "no_shell",
            Self::NoGit => "no_git",
            Self::CommandFailed => "command_failed",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
            Self::PathNotFound => "path_not_found",
            Self::PermissionDenied => "permission_denied",
            Self::NotMounted => "not_mounted",
            Self::DubiousOwnership => "dubious_ownership",
            Self::NotAFolder => "not_a_folder",
            Self::NotReadable => "not_readable",
            Self::NotRecorded => "not_recorded",
            Self::AnotherMachine => "another_machine",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The key a host showed, for a person to compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedKey {
    /// Key type as OpenSSH names it, such as `ssh-ed25519`.
    pub algorithm: String,
    /// `SHA256:…` fingerprint of the offered key.
    pub fingerprint: String,
    /// `SHA256:…` fingerprints of keys known for this host, where the offered one differs from them.
    pub known: Vec<String>,
    /// The host that shows it, as it is called on the way to another one; none for the host itself.
    #[serde(default)]
    pub hop: Option<String>,
}

/// A failure of a host, of a root, or of a request to a host.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Failure {
    /// What kind of failure it is.
    pub code: FailureCode,
    /// One sentence that says what happened and names the thing.
    pub message: String,
    /// What a person may try, in the order to try it.
    pub hints: Vec<String>,
    /// The key in question, for [`FailureCode::HostKeyUnknown`] and [`FailureCode::HostKeyChanged`].
    pub key: Option<Box<OfferedKey>>,
    /// Whether the system's `ssh` may get further than Rollcall's own connection.
    #[serde(default)]
    pub openssh: bool,
}

impl Failure {
    /// A failure with its sentence and no hints.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hints: Vec::new(),
            key: None,
            openssh: false,
        }
    }

    /// Adds something to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}
