//! What crosses to the window about cleaning up, and about what exists only on one host.

use jiff::Timestamp;
use serde::Serialize;
use specta::Type;

use super::{DeletionRow, HostRef, Kind, VerdictItem, WorkspaceRef};

/// How a row of a plan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PlanStanding {
    /// It can go, and most people would want that.
    Suggested,
    /// It can go.
    Safe,
    /// Little keeps it from going.
    Nearly,
}

/// A workspace in a plan for cleaning up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PlanRow {
    /// What would go, as it is shown when it is deleted.
    pub deletion: DeletionRow,
    /// How it stands.
    pub standing: PlanStanding,
    /// Why it can go, or what little keeps it from that.
    pub reason: String,
    /// When it was made or used last, whichever is later.
    pub used_at: Option<Timestamp>,
    /// What it takes, in KiB, if it was measured.
    pub kilobytes: Option<u32>,
}

/// A plan over all hosts and repositories. Nothing happens by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CleanUpPlan {
    /// What can go or nearly can, the largest and oldest first.
    pub rows: Vec<PlanRow>,
    /// How many could go and are younger than was asked.
    pub young: u32,
    /// Worktrees that nobody looked at in depth, so that nothing can be said of them yet.
    pub unchecked: Vec<WorkspaceRef>,
}

/// A workspace with something in it that exists nowhere else, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OnlyHereRow {
    /// The workspace.
    pub id: WorkspaceRef,
    /// What it is.
    pub kind: Kind,
    /// What it is called.
    pub name: String,
    /// Its path, inert.
    pub path: String,
    /// The short name of the branch it is on.
    pub branch: Option<String>,
    /// What exists only there, and what is not known.
    pub items: Vec<VerdictItem>,
    /// When its facts were seen.
    pub facts_at: Option<Timestamp>,
    /// When it was looked at in depth.
    pub checked_at: Option<Timestamp>,
}

/// Everything that exists on one host and nowhere else, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OnlyHere {
    /// The host.
    pub host: HostRef,
    /// What it is called.
    pub host_label: String,
    /// When it answered last.
    pub answered_at: Option<Timestamp>,
    /// Whether it answered when it was asked last.
    pub host_answers: bool,
    /// What has something, or may have.
    pub rows: Vec<OnlyHereRow>,
    /// How many workspaces have nothing that is only there.
    pub elsewhere: u32,
    /// Those that nobody looked at in depth, so that more may be only there.
    pub unchecked: Vec<WorkspaceRef>,
    /// Roots whose last roll call failed, with the reason.
    pub failed_roots: Vec<String>,
}
