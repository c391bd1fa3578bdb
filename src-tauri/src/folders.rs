//! Folders of this machine that a person points at.

use std::path::Path;

use rollcall_api::HostPath;
use tauri::{AppHandle, Runtime};
use tauri_plugin_dialog::DialogExt as _;

/// A path of this machine as the bytes it is.
pub(crate) fn host_path(path: &Path) -> HostPath {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        HostPath::new(path.as_os_str().as_bytes())
    }
    #[cfg(not(unix))]
    {
        HostPath::new(path.to_string_lossy().into_owned())
    }
}

/// Shows the system's folder dialog. Empty when it was cancelled.
pub(crate) async fn choose<R: Runtime>(handle: &AppHandle<R>) -> Vec<HostPath> {
    let (answer, chosen) = tokio::sync::oneshot::channel();
    handle
        .dialog()
        .file()
        .set_title("Register folders")
        .pick_folders(move |folders| {
            // The one who asked may be gone with the window.
            answer.send(folders).unwrap_or_default();
        });
    chosen
        .await
        .ok()
        .flatten()
        .unwrap_or_default()
        .into_iter()
        .filter_map(|folder| folder.into_path().ok())
        .map(|path| host_path(&path))
        .collect()
}

/// Shows the system's dialog for a file to read, or to write. `None` when it was cancelled.
pub(crate) async fn choose_file<R: Runtime>(handle: &AppHandle<R>, write: bool) -> Option<String> {
    let (answer, chosen) = tokio::sync::oneshot::channel();
    let dialog = handle.dialog().file().add_filter("JSON", &["json"]);
    let told = move |file: Option<tauri_plugin_dialog::FilePath>| {
        // The one who asked may be gone with the window.
        answer.send(file).unwrap_or_default();
    };
    if write {
        let dialog = dialog.set_title("Export annotations");
        dialog
            .set_file_name("rollcall-annotations.json")
            .save_file(told);
    } else {
        dialog.set_title("Import annotations").pick_file(told);
    }
    let file = chosen.await.ok().flatten()?.into_path().ok()?;
    file.to_str().map(str::to_owned)
}
