//! The one description of what crosses between the window and the shell.

use std::path::Path;

use tauri_specta::{Builder, ErrorHandlingMode, collect_commands, collect_events};

use crate::{commands, events};

/// Every command and event, for the running application, the generator of `ui/src/bindings.ts` and the test
/// that compares it.
pub fn builder<R: tauri::Runtime>() -> Builder<R> {
    Builder::<R>::new()
        .error_handling(ErrorHandlingMode::Result)
        .disable_serde_phases()
        .commands(collect_commands![
            commands::overview,
            commands::workspaces,
            commands::changes_since,
            commands::workspace,
            commands::look_closer,
            commands::measure,
            commands::deletions,
            commands::check_deletions,
            commands::delete,
            commands::pending,
            commands::retry_deletion,
            commands::agree_again,
            commands::cancel_deletion,
            commands::release_deletion,
            commands::trash,
            commands::restore,
            commands::empty_trash,
            commands::measure_trash,
            commands::lock,
            commands::unlock,
            commands::move_workspace,
            commands::repair,
            commands::prune,
            commands::creation,
            commands::placement,
            commands::create_worktree,
            commands::fetch,
            commands::openers,
            commands::open_with,
            commands::open_page,
            commands::clean_up,
            commands::measure_all,
            commands::only_here,
            commands::export_only_here,
            commands::details,
            commands::search,
            commands::register_found,
            commands::end_job,
            commands::choose_base,
            commands::register,
            commands::choose_folders::<tauri::Wry>,
            commands::release_root,
            commands::ssh_aliases,
            commands::add_host,
            commands::trust_host_key,
            commands::set_suspended,
            commands::forget_host,
            commands::sync_now,
            commands::annotate,
            commands::journal,
            commands::reopen,
            commands::backups,
            commands::restore_backup,
            commands::start_anew,
            commands::decide_absence,
            commands::agree_to_machine,
            commands::settle_conflict,
            commands::export_annotations,
            commands::import_annotations,
            commands::choose_file::<tauri::Wry>,
            commands::edit_host,
            commands::test_host,
            commands::host_trace,
            commands::replace_host_key,
            commands::reclaim_host,
            commands::erase_forgotten,
            commands::prompts,
            commands::answer_prompt,
            commands::cancel_prompt,
            commands::add_group,
            commands::rename_group,
            commands::remove_group,
            commands::arrange_groups,
            commands::regroup,
            commands::annotate_all,
            commands::save_view,
            commands::remove_view,
            commands::arrange_views,
            commands::set_preferences,
            commands::journal_seen,
            commands::journal_days,
            commands::texts,
            commands::relink,
            commands::forget_missing,
            commands::untrack_all,
            commands::retrack_all,
            commands::counterparts,
            commands::search_places,
            commands::open_address,
            commands::open_link,
            commands::back_up_now,
        ])
        .events(collect_events![
            events::RowsChangedEvent,
            events::OverviewChangedEvent,
            events::PromptsChangedEvent,
            events::JobProgressEvent,
            events::NoticeEvent,
            events::DragHoverEvent,
        ])
}

/// Writes the bindings as TypeScript.
///
/// # Errors
/// If a type cannot be exported or the file cannot be written.
pub fn export(file: &Path) -> Result<(), specta_typescript::Error> {
    builder::<tauri::Wry>().export(specta_typescript::Typescript::default(), file)
}
