//! What the Rollcall application can do, as async functions on one [`App`]. Knows no window.

mod app;
mod error;
pub mod wire;

pub use app::{App, Event};
pub use error::{ApiError, ErrorCode};
