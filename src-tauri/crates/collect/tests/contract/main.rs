//! What a host says, asked through every transport: each case of `cases` runs on this machine directly, and on a
//! private OpenSSH server through Rollcall's own connection and through the system's `ssh`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure in a test has to be loud"
)]

mod cases;
mod connection;
mod ground;
mod person;
mod processes;
mod sharing;
mod signing_in;
mod ways;

use ground::Ground;

macro_rules! contract {
    ($($case:ident),* $(,)?) => {
        mod local {
            $(#[tokio::test]
            async fn $case() {
                crate::cases::$case(&crate::Ground::local()).await;
            })*
        }
        mod ssh {
            $(#[tokio::test]
            async fn $case() {
                crate::cases::$case(&crate::Ground::ssh()).await;
            })*
        }
        mod openssh {
            $(#[tokio::test]
            async fn $case() {
                crate::cases::$case(&crate::Ground::openssh()).await;
            })*
        }
    };
}

contract!(
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
    a26_reftable_repository_is_read,
    a5_submodule_is_owned_by_its_own_repository,
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
    i20_a_roll_call_leaves_no_trace,
    a21_i20_nothing_that_a_repository_configures_runs,
    a5_a21_i20_no_submodule_runs_what_it_configures,
    a21_filtered_change_is_unknown,
    a21_ra30_environment_of_the_host_does_not_leak_in,
    check_tells_system_and_git,
    b13_killed_command_is_a_failure,
    dropping_the_future_ends_every_process,
    rb28_a_long_answer_comes_whole,
);
