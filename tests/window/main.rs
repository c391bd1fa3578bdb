//! The real window with real hosts, over WebDriver. `cargo xtask test` gives it a display and a bus of its own.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure in a test has to be loud"
)]

mod accessible;
mod bad_input;
mod decisions;
mod deleting;
mod dropping;
mod first_roll_call;
mod living;
mod looking_closer;
mod odd_paths;
mod reaching;
mod working;

use rollcall_tests::driver::{Paths, Window};
use rollcall_tests::stage::Stage;

/// The window on the data folder of a stage.
async fn window(stage: &Stage) -> Window {
    Window::start(&Paths::find(), &stage.arguments()).await
}

/// A new window in which a person has registered their first folder.
async fn begun(stage: &Stage, folder: &std::path::Path) -> Window {
    let window = window(stage).await;
    window.shows("Nothing is under roll call yet").await;
    window.press("Register a folder…").await;
    window.register(folder).await;
    window
}
