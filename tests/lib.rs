//! What the tests of the real window and the demonstration share: the window under a driver, and a stage with
//! hosts and repositories for it to show.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "everything here runs in tests and in the demonstration, where a failure has to be loud"
)]

pub mod driver;
pub mod stage;

use std::time::Duration;

/// How long anything may take before a test gives up on it.
pub const PATIENCE: Duration = Duration::from_secs(30);
