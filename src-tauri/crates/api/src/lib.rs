//! What the Rollcall application can do, as async functions on one [`App`]. Knows no window.

mod announce;
mod app;
mod error;
mod present;
pub mod wire;
mod wiring;

pub use announce::{Event, Events};
pub use app::{App, Settings};
pub use error::{ApiError, ErrorCode};
pub use rollcall_converge::HostPath;
