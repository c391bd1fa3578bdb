//! The one window.

use std::path::Path;

use rollcall_api::Application;
use tauri::{
    AppHandle, DragDropEvent, Manager, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    WindowEvent,
};
use tauri_specta::Event as _;

use crate::{events, folders};

/// Opens the window. The web view keeps what it keeps in the data folder too.
///
/// # Errors
/// If the desktop gives none.
pub(crate) fn open(handle: &AppHandle, data: &Path) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(handle, "main", WebviewUrl::default())
        .data_directory(data.join("window"))
        .title("Rollcall")
        .inner_size(1180.0, 760.0)
        .min_inner_size(760.0, 480.0)
        .on_navigation(stays)
        .build()?;
    let watched = window.clone();
    window.on_window_event(move |event| heard(&watched, event));
    Ok(())
}

/// The window never leaves the application.
fn stays(url: &Url) -> bool {
    let ours = matches!(url.scheme(), "tauri")
        || (matches!(url.scheme(), "http" | "https") && url.host_str() == Some("tauri.localhost"));
    ours || (cfg!(dev) && url.host_str() == Some("localhost") && url.port() == Some(1420))
}

fn heard(window: &WebviewWindow, event: &WindowEvent) {
    match event {
        WindowEvent::Focused(focused) => {
            if let Ok(app) = window.state::<Application>().app() {
                app.set_visible(*focused || !window.is_minimized().unwrap_or(false));
            }
        }
        WindowEvent::DragDrop(DragDropEvent::Enter { .. }) => hover(window, true),
        WindowEvent::DragDrop(DragDropEvent::Leave) => hover(window, false),
        WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
            hover(window, false);
            let paths = paths.iter().map(|path| folders::host_path(path)).collect();
            let handle = window.app_handle().clone();
            tauri::async_runtime::spawn(async move {
                if let Ok(app) = handle.state::<Application>().app() {
                    app.register_dropped(paths).await;
                }
            });
        }
        _ => {}
    }
}

fn hover(window: &WebviewWindow, hovering: bool) {
    if let Err(error) = events::DragHoverEvent(hovering).emit(window.app_handle()) {
        tracing::warn!(%error, "the window does not know what hovers over it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_goes_nowhere_else() {
        for (url, allowed) in [
            ("tauri://localhost/", true),
            ("http://tauri.localhost/index.html", true),
            ("https://example.org/", false),
            ("http://tauri.localhost.example.org/", false),
            ("file:///etc/passwd", false),
            ("data:text/html,x", false),
        ] {
            assert_eq!(stays(&Url::parse(url).unwrap()), allowed, "{url}");
        }
    }
}
