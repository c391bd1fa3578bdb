//! What the Rollcall application can do, as async functions on one [`App`]. Knows no window.

mod announce;
mod app;
mod application;
mod depth;
mod error;
mod files;
mod jobs;
mod keychain;
mod launch;
mod preferences;
mod present;
mod prompts;
mod upkeep;
mod verdicts;
pub mod wire;
mod wiring;

pub use announce::{Event, Events};
pub use app::{App, Settings};
pub use application::Application;
pub use error::{ApiError, ErrorCode};
pub use rollcall_collect::askpass;
pub use rollcall_converge::HostPath;
