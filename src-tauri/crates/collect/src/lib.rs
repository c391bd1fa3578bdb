//! How Rollcall reaches hosts, and what it asks them.
//!
//! Every question is one script for `sh`, sent over standard input; every answer is read whole or not at all.

mod answer;
mod collector;
mod cursor;
mod listing;
mod local;
mod script;
mod ssh;
mod transport;

pub use collector::{Collector, SshEnvironment};
pub use ssh::SshAlias;
pub use transport::TimeLimits;
