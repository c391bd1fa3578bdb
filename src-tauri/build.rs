//! Declares the commands, so that the window can call only what its capability names.

const COMMANDS: &[&str] = &[
    "overview",
    "workspaces",
    "changes_since",
    "workspace",
    "register",
    "choose_folders",
    "release_root",
    "ssh_aliases",
    "add_host",
    "trust_host_key",
    "set_suspended",
    "forget_host",
    "sync_now",
    "annotate",
    "untrack",
    "retrack",
    "journal",
    "reopen",
    "backups",
    "restore_backup",
    "start_anew",
    "decide_absence",
    "agree_to_machine",
    "settle_conflict",
    "export_annotations",
    "import_annotations",
    "choose_file",
    "edit_host",
    "test_host",
    "host_trace",
    "replace_host_key",
    "reclaim_host",
    "erase_forgotten",
    "prompts",
    "answer_prompt",
    "cancel_prompt",
    "look_closer",
    "measure",
    "details",
    "search",
    "register_found",
    "end_job",
    "choose_base",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))?;
    Ok(())
}
