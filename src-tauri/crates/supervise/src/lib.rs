//! When the roll is called: one actor per host, so that nothing one host does delays another (I16).
//!
//! The supervisor knows hosts by their id and does everything else through [`Ports`]: it decides *when*, never
//! *what*. Time is tokio's, so that tests can stop it.

mod actor;
mod schedule;
mod supervisor;
mod watch;

pub use actor::HostState;
pub use schedule::Cadence;
pub use supervisor::{Ports, Supervisor};
pub use watch::{Change, watch};

#[cfg(test)]
mod tests;
