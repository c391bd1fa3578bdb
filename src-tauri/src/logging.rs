//! The log: one file a day in the data folder, a week of them.

use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{Builder, Rotation};
use tracing_subscriber::EnvFilter;

/// Starts logging. A data folder that takes no log is no reason not to start; the registry will say what is wrong
/// with it. The guard writes what is left when it is dropped.
pub(crate) fn start(data: &Path) -> Option<WorkerGuard> {
    let folder = data.join("logs");
    private(&folder).ok()?;
    let file = Builder::new()
        .rotation(Rotation::DAILY)
        .filename_prefix("rollcall")
        .filename_suffix("log")
        .max_log_files(7)
        .build(folder)
        .ok()?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_from_env("ROLLCALL_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(writer)
        .try_init()
        .ok()?;
    Some(guard)
}

/// Makes a folder that only its owner may enter, with those above it.
fn private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
