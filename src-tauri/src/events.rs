//! The events of `api` in the framework's terms.

use rollcall_api::wire;
use serde::Serialize;
use specta::Type;
use tauri_specta::Event;

/// Rows changed.
#[derive(Clone, Debug, Serialize, Type, Event)]
#[tauri_specta(event_name = "rows-changed")]
#[serde(transparent)]
pub(crate) struct RowsChangedEvent(pub(crate) wire::RowsChanged);

/// Hosts or roots changed, or what a host is doing.
#[derive(Clone, Debug, Serialize, Type, Event)]
#[tauri_specta(event_name = "overview-changed")]
#[serde(transparent)]
pub(crate) struct OverviewChangedEvent(pub(crate) wire::Overview);

/// Questions wait for a person, or do not any more.
#[derive(Clone, Debug, Serialize, Type, Event)]
#[tauri_specta(event_name = "prompts-changed")]
#[serde(transparent)]
pub(crate) struct PromptsChangedEvent(pub(crate) Vec<wire::PromptRow>);

/// How far something is that the window asked for.
#[derive(Clone, Debug, Serialize, Type, Event)]
#[tauri_specta(event_name = "job-progress")]
#[serde(transparent)]
pub(crate) struct JobProgressEvent(pub(crate) wire::JobProgress);

/// Something a person should be told.
#[derive(Clone, Debug, Serialize, Type, Event)]
#[tauri_specta(event_name = "notice")]
#[serde(transparent)]
pub(crate) struct NoticeEvent(pub(crate) wire::Notice);

/// Whether folders hover over the window.
#[derive(Clone, Debug, Serialize, Type, Event)]
#[tauri_specta(event_name = "drag-hover")]
#[serde(transparent)]
pub(crate) struct DragHoverEvent(pub(crate) bool);
