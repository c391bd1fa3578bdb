//! The shell of Rollcall: window, events and command adapters. Decides nothing.

pub mod bindings;
mod commands;
mod events;
mod folders;
mod logging;
mod options;
mod window;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use rollcall_api::{Application, Event};
use tauri::{AppHandle, Manager, RunEvent};
use tauri_specta::Event as _;

use crate::options::{Asked, Options};

/// How long quitting waits for what runs on hosts to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Runs Rollcall with the given command line until its window is closed.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    // The system's `ssh` runs this program, too, when it has to ask a person something.
    if let Some(code) = rollcall_api::askpass() {
        return code;
    }
    let options = match options::parse(arguments) {
        Ok(Asked::Run(options)) => options,
        Ok(Asked::Print(text)) => {
            return written(
                std::io::stdout().lock().write_all(text.as_bytes()),
                ExitCode::SUCCESS,
            );
        }
        Err(sentence) => {
            let text = format!("rollcall: {sentence}\n{}", options::USAGE);
            return written(
                std::io::stderr().lock().write_all(text.as_bytes()),
                ExitCode::FAILURE,
            );
        }
    };
    let _log = logging::start(&options.data);
    let built = build(options);
    match built {
        Ok(application) => {
            application.run(|handle, event| {
                if let RunEvent::Exit = event {
                    leave(handle);
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!(%error, "the window could not be made");
            let text = format!("rollcall: The window could not be opened: {error}\n");
            written(
                std::io::stderr().lock().write_all(text.as_bytes()),
                ExitCode::FAILURE,
            )
        }
    }
}

/// A terminal that is gone changes nothing about how the program ends.
fn written(result: std::io::Result<()>, code: ExitCode) -> ExitCode {
    if let Err(error) = result {
        tracing::debug!(%error, "nobody reads what is printed");
    }
    code
}

fn build(options: Options) -> tauri::Result<tauri::App> {
    let bindings = bindings::builder::<tauri::Wry>();
    tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(bindings.invoke_handler())
        .setup(move |application| {
            bindings.mount_events(application);
            let handle = application.handle();
            let runtime = tauri::async_runtime::handle().inner().clone();
            let settings = rollcall_api::Settings {
                ssh_config: options.ssh_config.clone(),
                askpass: std::env::current_exe().ok(),
                keychain: true,
                ..rollcall_api::Settings::new(options.data.clone())
            };
            let window = handle.clone();
            let started = Application::start(settings, runtime, move |event| {
                pass_on(&window, event);
            });
            application.manage(tauri::async_runtime::block_on(started));
            window::open(handle, &options.data)?;
            Ok(())
        })
        .build(tauri::generate_context!())
}

/// Hands an event of the application to the window.
fn pass_on(handle: &AppHandle, event: Event) {
    let passed = match event {
        Event::RowsChanged(rows) => events::RowsChangedEvent(rows).emit(handle),
        Event::OverviewChanged(overview) => events::OverviewChangedEvent(overview).emit(handle),
        Event::PromptsChanged(prompts) => events::PromptsChangedEvent(prompts).emit(handle),
        Event::JobProgress(progress) => events::JobProgressEvent(progress).emit(handle),
        Event::Notice(notice) => events::NoticeEvent(notice).emit(handle),
    };
    if let Err(error) = passed {
        tracing::warn!(%error, "an event did not reach the window");
    }
}

fn leave(handle: &AppHandle) {
    if let Ok(app) = handle.state::<Application>().app() {
        let farewell = tokio::time::timeout(FAREWELL, app.shutdown());
        if tauri::async_runtime::block_on(farewell).is_err() {
            tracing::warn!("what ran on hosts did not end in time");
        }
    }
}
