//! What every command answers when it cannot do what was asked.

use rollcall_converge::{Failure, FailureCode};
use rollcall_registry::{RegistryCode, RegistryError};
use serde::Serialize;
use specta::Type;

/// What went wrong, for the window to decide on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The host's name does not resolve.
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
    /// Signing in takes a person.
    SignInNeeded,
    /// A private key file cannot be read.
    KeyUnreadable,
    /// A passphrase does not open its key file.
    PassphraseWrong,
    /// The ssh agent does not answer, and nothing else was accepted.
    AgentUnavailable,
    /// A host or a command on the way to the host failed.
    JumpFailed,
    /// The ssh configuration asks for something that cannot be done.
    Unsupported,
    /// The host refused to run a command.
    CommandRefused,
    /// The host lets one sign in and opens no channel to run anything.
    ChannelRefused,
    /// The host has no `sh`.
    NoShell,
    /// The host has no git that can be found.
    NoGit,
    /// The command on the host ended with an error or a signal.
    CommandFailed,
    /// The host's answer was larger than allowed.
    TooLarge,
    /// The host's answer was not a complete, well-formed one.
    Malformed,
    /// The host answers as another machine than before.
    AnotherMachine,
    /// The path does not exist.
    PathNotFound,
    /// The path exists and may not be read.
    PermissionDenied,
    /// The disk that held the path is not mounted.
    NotMounted,
    /// git refuses the repository because another user owns it.
    DubiousOwnership,
    /// git cannot read the repository.
    NotReadable,
    /// What was asked was cancelled.
    Cancelled,
    /// What was named is not in the registry.
    NotFound,
    /// Another host has this label.
    DuplicateLabel,
    /// What was entered cannot be used.
    InvalidInput,
    /// What lies at the path is no folder.
    NotAFolder,
    /// Notes, tags or pins would be lost, and that was not agreed to.
    Annotated,
    /// A deletion of it is pending.
    DeletionPending,
    /// No deletion of it is pending.
    NoDeletion,
    /// It cannot be deleted as it is.
    NotLive,
    /// It has been decided anew meanwhile.
    Overtaken,
    /// A removal of it may be running.
    Running,
    /// There is such a file already.
    FileExists,
    /// A file of this machine cannot be read or written.
    FileUnusable,
    /// The registry was made by a newer version.
    RegistryNewer,
    /// The registry's file is damaged.
    RegistryDamaged,
    /// The registry cannot be read or written.
    RegistryUnavailable,
    /// Another process holds the registry.
    RegistryLocked,
    /// A defect of Rollcall.
    Internal,
}

impl From<FailureCode> for ErrorCode {
    fn from(code: FailureCode) -> Self {
        match code {
            FailureCode::NameNotFound => Self::NameNotFound,
            FailureCode::Refused => Self::Refused,
            FailureCode::TimedOut => Self::TimedOut,
            FailureCode::Cut => Self::Cut,
            FailureCode::HostKeyUnknown => Self::HostKeyUnknown,
            FailureCode::HostKeyChanged => Self::HostKeyChanged,
            FailureCode::NotAuthenticated => Self::NotAuthenticated,
            FailureCode::SignInNeeded => Self::SignInNeeded,
            FailureCode::KeyUnreadable => Self::KeyUnreadable,
            FailureCode::PassphraseWrong => Self::PassphraseWrong,
            FailureCode::AgentUnavailable => Self::AgentUnavailable,
            FailureCode::JumpFailed => Self::JumpFailed,
            FailureCode::Unsupported => Self::Unsupported,
            FailureCode::CommandRefused => Self::CommandRefused,
            FailureCode::ChannelRefused => Self::ChannelRefused,
            FailureCode::NoShell => Self::NoShell,
            FailureCode::NoGit => Self::NoGit,
            FailureCode::CommandFailed => Self::CommandFailed,
            FailureCode::TooLarge => Self::TooLarge,
            FailureCode::Malformed => Self::Malformed,
            FailureCode::AnotherMachine => Self::AnotherMachine,
            FailureCode::PathNotFound => Self::PathNotFound,
            FailureCode::PermissionDenied => Self::PermissionDenied,
            FailureCode::NotMounted => Self::NotMounted,
            FailureCode::DubiousOwnership => Self::DubiousOwnership,
            FailureCode::NotAFolder => Self::NotAFolder,
            FailureCode::NotReadable => Self::NotReadable,
            FailureCode::NotRecorded => Self::RegistryUnavailable,
            FailureCode::Cancelled => Self::Cancelled,
        }
    }
}

/// An answer that something could not be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct ApiError {
    /// What the window decides on.
    pub code: ErrorCode,
    /// One sentence that says what happened and names the thing.
    pub message: String,
    /// What to try, in order.
    pub hints: Vec<String>,
    /// Whether the same call may succeed later without anything being changed.
    pub retry: bool,
}

impl ApiError {
    /// An error with its sentence, without hints, that trying again does not mend.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hints: Vec::new(),
            retry: false,
        }
    }

    /// Adds something to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        Self {
            code: failure.code.into(),
            message: failure.message,
            hints: failure.hints,
            retry: matches!(
                failure.code,
                FailureCode::Refused
                    | FailureCode::TimedOut
                    | FailureCode::Cut
                    | FailureCode::JumpFailed
                    | FailureCode::Cancelled
            ),
        }
    }
}

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> Self {
        Self {
            code: match error.code() {
                RegistryCode::NotFound => ErrorCode::NotFound,
                RegistryCode::DuplicateLabel => ErrorCode::DuplicateLabel,
                RegistryCode::InvalidInput => ErrorCode::InvalidInput,
                RegistryCode::Annotated => ErrorCode::Annotated,
                RegistryCode::DeletionPending => ErrorCode::DeletionPending,
                RegistryCode::NoDeletion => ErrorCode::NoDeletion,
                RegistryCode::NotLive => ErrorCode::NotLive,
                RegistryCode::Overtaken => ErrorCode::Overtaken,
                RegistryCode::Running => ErrorCode::Running,
                RegistryCode::Newer => ErrorCode::RegistryNewer,
                RegistryCode::Damaged => ErrorCode::RegistryDamaged,
                RegistryCode::ReadOnly | RegistryCode::DiskFull | RegistryCode::Storage => {
                    ErrorCode::RegistryUnavailable
                }
                RegistryCode::Locked => ErrorCode::RegistryLocked,
            },
            message: error.to_string(),
            hints: error.hints(),
            retry: error.may_pass(),
        }
    }
}
