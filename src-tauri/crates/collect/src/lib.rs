//! How Rollcall reaches hosts, and what it asks them.
//!
//! Every question is one script for `sh`, sent over standard input; every answer is read whole or not at all.

mod answer;
mod askpass;
mod collector;
mod cursor;
mod listing;
mod local;
mod openssh;
mod phases;
mod prompt;
mod script;
mod ssh;
mod transport;

pub use askpass::askpass;
pub use collector::{Collector, SshEnvironment};
pub use prompt::{
    Keychain, PATIENCE, Prompt, PromptField, PromptKind, Prompter, Reply, Unanswered,
};
pub use ssh::{Contact, SshAlias, TraceLine, TraceStep};
pub use transport::{Report, TimeLimits};
