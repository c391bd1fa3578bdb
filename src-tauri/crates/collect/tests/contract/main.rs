//! What a host says, asked through every transport: each case runs on this machine directly, and on a private OpenSSH
//! server through Rollcall's own connection and through the system's `ssh`; and in every shell that may stand behind
//! `sh`, that of this machine being dash or bash.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure in a test has to be loud"
)]

mod cases;
mod connection;
mod depth;
mod details;
mod ground;
mod interleavings;
mod layouts;
mod person;
mod processes;
mod removal;
mod sharing;
mod signing_in;
mod verbs;
mod ways;

use ground::Ground;

/// Every case on one ground.
macro_rules! bed {
    ($bed:ident, $ground:expr; $($from:ident: $($case:ident),* ;)*) => {
        mod $bed {
            $($(#[tokio::test]
            async fn $case() {
                crate::$from::$case(&$ground).await;
            })*)*
        }
    };
}

macro_rules! contract {
    ($($cases:tt)*) => {
        bed!(local, crate::Ground::local(); $($cases)*);
        bed!(ssh, crate::Ground::ssh(); $($cases)*);
        bed!(openssh, crate::Ground::openssh(); $($cases)*);
        bed!(bash, crate::Ground::local_with(&["bash"]); $($cases)*);
        bed!(busybox, crate::Ground::local_with(&["busybox", "sh"]); $($cases)*);
        bed!(mksh, crate::Ground::local_with(&["mksh"]); $($cases)*);
        bed!(zsh, crate::Ground::local_with(&["zsh", "--emulate", "sh"]); $($cases)*);
    };
}

contract! {
    cases:
    two_worktrees_one_dirty_one_unpushed_have_the_right_facts,
    a3_ra14_bare_repository_owns_the_worktrees_beside_it,
    a4_separate_git_dir_has_the_right_owner,
    a6_ra17_unborn_repository_counts_staged_files,
    a7_detached_commit_that_no_ref_holds_is_unpushed,
    a8_branch_without_upstream_counts_commits_on_no_remote,
    a9_repository_without_remote_says_so,
    i17_a_host_says_what_its_system_calls_its_machine,
    a11_ra09_upstreams_that_are_local_or_gone_are_told_apart,
    a1_ra01_newline_in_path_is_one_worktree,
    a2_ra03_any_bytes_make_a_root_and_a_worktree,
    a15_ra05_lock_reason_of_several_lines_is_text,
    a15_locked_and_absent_is_away,
    a16_ra38_absent_and_not_locked_is_prunable,
    a17_ra36_git_file_that_points_elsewhere_is_unknown,
    a18_ra29_dubious_ownership_fails_that_root_with_the_command,
    a19_i3_what_the_user_may_not_enter_is_unknown_and_never_gone,
    a_host_that_never_stops_talking_is_bounded,
    a22_every_kind_of_change_counts_once_in_its_class,
    a24_ra18_ra19_ra20_operations_in_progress_are_named,
    a25_stashes_are_counted,
    a26_ra06_reftable_repository_is_read,
    a5_ra25_submodule_is_owned_by_its_own_repository,
    a29_moved_worktree_keeps_its_generation,
    a30_recreated_worktree_has_another_generation,
    e2_ra37_empty_gitdir_is_unread_and_never_absent,
    a32_i2_broken_root_does_not_touch_the_others,
    i3_known_paths_are_probed_with_their_mount,
    missing_root_is_no_such_file_with_its_mount,
    directory_root_is_asserted_with_its_generation,
    existence_tier_asks_for_no_facts,
    inspect_says_what_a_path_is,
    inspect_of_a_path_that_is_not_there_says_so,
    i20_ra22_a_roll_call_leaves_no_trace,
    a21_i20_nothing_that_a_repository_configures_runs,
    a5_a21_i20_no_submodule_runs_what_it_configures,
    a21_z13_filtered_change_is_unknown,
    a21_ra30_environment_of_the_host_does_not_leak_in,
    check_tells_system_and_git,
    b13_killed_command_is_a_failure,
    dropping_the_future_ends_every_process,
    rb28_a_long_answer_comes_whole,
    the_trace_tells_how_long_each_part_of_a_roll_call_took;
    layouts:
    a10_rc06_commits_of_an_unpushed_base_are_told_apart,
    a12_z1_z4_z6_odd_names_of_branches_are_full_references,
    a13_a_folder_inside_a_repository_can_be_registered_as_such,
    a14_ra40_what_is_nested_is_listed_once_and_by_its_own_repository,
    a23_ra32_thousands_of_untracked_files_are_counted,
    a26_ra34_ra35_sparse_shallow_and_partial_say_so,
    a26_z8_a_repository_of_sha256_has_longer_names,
    a31_ra27_a_linked_path_leads_to_the_same_workspaces,
    a33_clones_of_one_origin_say_where_they_come_from,
    ra07_an_extension_that_this_git_does_not_know_fails_that_root,
    ra08_relative_links_without_their_extension_lead_to_the_worktree,
    ra10_ra11_an_upstream_that_cannot_be_is_no_name_and_not_in_step,
    ra12_ra13_words_of_git_in_a_subject_and_blanks_in_a_path_mean_nothing,
    ra15_ra16_what_a_setting_calls_bare_stays_what_it_is,
    ra17_an_orphan_branch_has_no_commits,
    ra18_ra21_an_operation_says_which_branch_it_began_on,
    ra23_a_lock_left_behind_is_told_and_stops_nobody,
    ra26_a_submodule_called_like_gits_own_folders_has_its_own_worktrees,
    ra33_a_monitor_that_lies_is_not_believed,
    ra37_damage_in_one_worktree_is_told_of_that_one,
    ra39_a_branch_is_what_is_checked_out_now,
    z2_z3_a_head_that_names_no_branch_is_no_new_repository,
    z5_a_rename_counts_once,
    a25_z7_stashes_belong_to_the_repository_and_to_a_branch,
    z9_e11_a_repository_says_from_whom_it_borrows,
    z10_a_worktree_that_is_being_made_is_not_gone,
    the_distance_to_the_base_is_told,
    a27_the_base_that_a_person_chose_counts,
    last_activity_is_when_somebody_last_worked;
    depth:
    a27_rc22_each_way_to_be_merged_is_told_apart,
    a27_content_that_came_in_one_commit_with_more_is_there,
    a27_nothing_is_compared_again_while_neither_commit_moved,
    e4_rc07_commits_that_only_a_worktree_holds_are_counted,
    e12_a_repository_says_which_references_hold_what_no_remote_has,
    rc34_edits_that_git_was_told_not_to_see_are_seen,
    rc03_ignored_files_that_nobody_can_make_again_are_named,
    e1_a14_c7_rc21_git_directories_inside_are_named_ignored_or_not,
    whoever_works_inside_is_named,
    e10_z12_the_digest_is_another_when_anything_is,
    a_directory_has_a_digest_and_is_looked_into,
    i20_a21_a_look_runs_nothing_that_a_repository_configures,
    what_cannot_be_looked_at_has_its_own_reason,
    ra40_a_search_finds_what_is_there_and_comes_to_an_end,
    ra40_a_folder_that_is_closed_is_named_once,
    a_search_that_is_given_up_ends_on_the_host,
    a_size_tells_what_git_ignores_and_how_far_it_is;
    details:
    changed_files_and_commits_are_told_by_their_names,
    what_has_no_commits_no_remote_or_no_git_says_no_more_than_there_is,
    i13_details_that_cannot_be_told_are_unknown_and_not_empty,
    a23_a_long_list_is_cut_off_and_says_so,
    i20_a21_z13_details_run_nothing_that_a_repository_configures;
    verbs:
    a_new_worktree_has_the_branch_that_was_asked_for_and_follows_only_what_was_meant,
    rc23_rc36_a_creation_that_fails_leaves_nothing_and_takes_nothing_away,
    a15_rc15_a_worktree_is_locked_and_unlocked_with_its_reason,
    a5_a29_rc12_a_worktree_moves_with_everything_in_it_or_not_at_all,
    i8_rc13_rc33_no_verb_touches_a_worktree_that_was_not_shown,
    a16_rc10_repair_joins_one_folder_and_one_record_and_takes_nobody_elses,
    i14_rc14_one_record_is_pruned_and_what_only_it_held_stays,
    a_fetch_asks_every_remote_and_nobody_and_one_at_a_time,
    branches_are_told_with_who_has_them_checked_out;
    removal:
    i14_what_was_deleted_comes_back_byte_for_byte,
    i9_c2_c3_rc01_whatever_happened_since_stops_a_deletion_and_says_what,
    c4_whoever_works_inside_stops_a_deletion_by_name,
    i8_c9_rc10_rc13_a_workspace_that_came_later_is_spared,
    c1_rc11_what_is_not_the_workspace_itself_is_refused,
    c10_a_removal_that_is_killed_at_any_step_is_finished_or_undone,
    rc30_delete_now_goes_by_way_of_the_trash_and_leaves_nothing,
    c8_rc04_rc24_a_branch_goes_only_if_nobody_needs_it_and_comes_back,
    c11_e6_nothing_is_restored_into_what_is_there,
    c10_a_restore_that_is_killed_at_any_step_is_finished_by_the_next,
    c15_e7_two_desktops_delete_one_workspace_and_one_of_them_restores_it,
    c6_rc17_rc18_rc19_work_in_submodules_counts_and_comes_back,
    e5_what_has_no_commit_or_no_operation_goes_and_comes_back,
    a1_a2_ra28_any_bytes_in_a_path_go_and_come_back,
    e4_c16_commits_that_only_a_worktree_holds_survive_in_the_trash,
    repositories_and_directories_go_and_come_back_as_a_whole,
    the_trash_is_emptied_only_as_it_was_shown,
    e9_rc27_a_removal_goes_on_without_whoever_asked_and_is_undone_by_its_manifest,
    c5_rc14_rc31_nothing_of_other_worktrees_changes,
    c14_a_worktree_whose_repository_is_gone_is_left_alone_and_says_so,
    rc29_what_is_written_after_the_last_look_is_not_lost,
    c12_rc20_what_the_user_may_not_move_stays_whole_and_says_so;
}
