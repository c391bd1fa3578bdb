//! What can go, over all hosts and repositories, and what exists on one host only. Both are said from what is known now;
//! nothing happens by them.

use std::collections::HashSet;
use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use rollcall_converge::{
    Block, Condition, Lost, MergeState, Origin, Presence, Verdict, VerdictState, WorkspaceKind,
};
use rollcall_registry::{Weighing, WorkspaceRecord};

use super::deleting::{deletion_row, label};
use super::{App, blocking, gone};
use crate::error::ApiError;
use crate::wire::{
    CleanUpPlan, HostRef, OnlyHere, OnlyHereRow, PlanRow, PlanStanding, VerdictItem, WorkspaceRef,
};
use crate::{files, present, verdicts};

/// Reasons that may keep something from being suggested while it is still called nearly safe.
const LITTLE: usize = 2;

impl App {
    /// A plan for cleaning up over all hosts, those that do not answer among them: what can go, with the reason, and what
    /// nearly can. Nothing is in it that was made or used within the given days, or whose age is not known (C18).
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn clean_up(&self, guard_days: u32) -> Result<CleanUpPlan, ApiError> {
        let records = self.registry.workspaces().await?;
        let weighing = self.registry.weighing(&records).await?;
        let around = self.around().await?;
        let now = Timestamp::now();
        let guard = SignedDuration::from_hours(24 * i64::from(guard_days));
        let (mut rows, mut young, mut unchecked) = (Vec::new(), 0, Vec::new());
        for record in &records {
            if record.row.untracked
                || record.row.tombstone.is_some()
                || record.row.state.presence != Presence::Present
            {
                continue;
            }
            let verdict = weighing.verdict(record);
            if record.row.kind == WorkspaceKind::Worktree && weighing.look(record.row.id).is_none()
            {
                unchecked.push(record.row.id.into());
            }
            let Some((standing, reason)) = standing(record, &verdict, &weighing) else {
                continue;
            };
            let used_at = used_at(record);
            // What the clock of a host calls the future is not old.
            if used_at.is_none_or(|at| now.duration_since(at) < guard) {
                young += 1;
                continue;
            }
            let size = weighing.size(record);
            rows.push(PlanRow {
                deletion: deletion_row(record, &around, &weighing, Vec::new()),
                standing,
                reason,
                used_at,
                kilobytes: size.map(|it| present::amount(it.total.div_ceil(1024))),
            });
        }
        rows.sort_by_key(|it| {
            (
                it.standing as u8,
                std::cmp::Reverse(it.kilobytes),
                it.used_at,
            )
        });
        Ok(CleanUpPlan {
            rows,
            young,
            unchecked,
        })
    }

    /// Measures some workspaces, one after another, saying how many are done. Those that cannot be measured are left out.
    ///
    /// # Errors
    /// [`crate::ErrorCode::Cancelled`]; if the registry cannot be used.
    pub async fn measure_all(&self, job: String, ids: Vec<WorkspaceRef>) -> Result<(), ApiError> {
        self.jobs
            .run(&job, async {
                let report = self.jobs.report(&job);
                let of = ids.len() as u64;
                let mut silent = HashSet::new();
                for (done, record) in (0..).zip(self.records(&ids).await?) {
                    report(done, of);
                    if silent.contains(&record.host) {
                        continue;
                    }
                    let host = self.host(record.host).await?;
                    let path = &record.row.state.path;
                    match self.collector.measure(&host, path, None).await {
                        Ok(size) => self.keep_size(&record, &size).await?,
                        Err(failure) => {
                            tracing::info!(?failure, "a workspace could not be measured");
                            if !failure.code.is_of_the_command() {
                                silent.insert(record.host);
                            }
                        }
                    }
                }
                report(of, of);
                Ok(())
            })
            .await
    }

    /// Everything that exists on a host and nowhere else, as far as is known: what would be lost with the host. The host is
    /// not asked.
    ///
    /// # Errors
    /// [`crate::ErrorCode::NotFound`]; if the registry cannot be read.
    pub async fn only_here(&self, host: HostRef) -> Result<OnlyHere, ApiError> {
        let host = self.registry.host(host.into()).await?;
        let host = host.ok_or_else(|| gone("The host"))?;
        let around = self.around().await?;
        let mut records = self.registry.workspaces().await?;
        records.retain(|it| {
            it.host == host.host.id && !matches!(it.row.state.presence, Presence::Missing { .. })
        });
        records.sort_by(|a, b| a.row.state.path.cmp(&b.row.state.path));
        let weighing = self.registry.weighing(&records).await?;
        let (mut rows, mut elsewhere, mut unchecked) = (Vec::new(), 0, Vec::new());
        for record in &records {
            let looked = weighing.look(record.row.id);
            if looked.is_none() && record.row.state.presence == Presence::Present {
                unchecked.push(record.row.id.into());
            }
            let items = only_there(&weighing.verdict(record));
            if items.is_empty() {
                elsewhere += 1;
                continue;
            }
            let row = present::row(record, &weighing);
            let root = around.roots.get(&record.row.state.root);
            rows.push(OnlyHereRow {
                id: row.id,
                kind: row.kind,
                name: row.name,
                path: row.path,
                branch: row.branch,
                items,
                facts_at: row.facts_as_of.or_else(|| root.and_then(|it| it.facts_at)),
                checked_at: looked.map(|(at, _)| *at),
            });
        }
        let failed_roots = around
            .roots
            .values()
            .filter(|it| it.root.host == host.host.id);
        let mut failed_roots: Vec<String> = failed_roots
            .filter_map(|it| match &it.condition {
                Some(Condition::Failed { failure }) => {
                    Some(format!("{}: {}", it.root.path.display(), failure.message))
                }
                None => Some(format!(
                    "{}: its roll was never called.",
                    it.root.path.display()
                )),
                _ => None,
            })
            .collect();
        failed_roots.sort();
        Ok(OnlyHere {
            host: host.host.id.into(),
            host_label: label(&around, host.host.id),
            answered_at: host.answered_at,
            host_answers: around.answers.get(&host.host.id).copied().unwrap_or(false),
            rows,
            elsewhere,
            unchecked,
            failed_roots,
        })
    }

    /// Writes [`Self::only_here`] into a file of this machine as text, and answers where that is.
    ///
    /// # Errors
    /// Why the file cannot be written; as [`Self::only_here`].
    pub async fn export_only_here(
        &self,
        host: HostRef,
        file: String,
        replace: bool,
    ) -> Result<String, ApiError> {
        let path = files::named(&file)?;
        let text = as_text(&self.only_here(host).await?, Timestamp::now());
        blocking(move || files::write(&path, &text, replace).map(|()| path.display().to_string()))
            .await
    }
}

/// When something was made or used last, whichever is later; `None` if its host tells neither.
fn used_at(record: &WorkspaceRecord) -> Option<Timestamp> {
    let state = &record.row.state;
    let made = match state.generation?.origin {
        Origin::Birth { seconds, .. }
        | Origin::BirthSecond(seconds)
        | Origin::WrittenOnce(seconds) => Timestamp::from_second(seconds).ok(),
    };
    let active = state.facts.as_ref().and_then(|it| it.last_activity);
    made.max(active)
}

/// Whether something can go or nearly can, and why.
fn standing(
    record: &WorkspaceRecord,
    verdict: &Verdict,
    weighing: &Weighing,
) -> Option<(PlanStanding, String)> {
    let worktree = record.row.kind == WorkspaceKind::Worktree;
    let merged = weighing
        .look(record.row.id)
        .map(|(_, look)| &look.deep.merged);
    let base = merged
        .and_then(|it| it.base.as_ref())
        .map_or_else(|| "its base".to_owned(), |it| format!("`{}`", it.short()));
    match verdict.state() {
        VerdictState::Safe => {
            let (suggested, reason) = match merged.map(|it| &it.state) {
                Some(MergeState::Merged) => (true, format!("Merged into {base}.")),
                Some(MergeState::Squashed) => (true, format!("Merged into {base} as one commit.")),
                Some(MergeState::Rebased) => (true, format!("Each commit was applied to {base}.")),
                Some(MergeState::Content) => (true, format!("All it changed is in {base}.")),
                Some(MergeState::New) => (true, "Nothing was ever committed on it.".to_owned()),
                Some(MergeState::Base) => {
                    (false, format!("It is {base}; every commit is on a remote."))
                }
                _ => (false, "Clean, and every commit is on a remote.".to_owned()),
            };
            let standing = if suggested && worktree {
                PlanStanding::Suggested
            } else {
                PlanStanding::Safe
            };
            Some((standing, reason))
        }
        _ if !worktree => None,
        _ => {
            let items = verdicts::items(verdict);
            // Whoever works on something is not done with it.
            let busy = verdict.blocks.iter().any(|it| {
                matches!(
                    it,
                    Block::InUse { .. } | Block::Operation { .. } | Block::IndexLocked
                )
            });
            let of_its_own = verdict
                .losses
                .iter()
                .any(|it| matches!(it, Lost::Commits { .. }));
            if busy || of_its_own || items.len() > LITTLE {
                return None;
            }
            let words: Vec<_> = items.into_iter().map(|it| it.words).collect();
            Some((PlanStanding::Nearly, format!("{}.", words.join("; "))))
        }
    }
}

/// What of a verdict exists only there, or may.
fn only_there(verdict: &Verdict) -> Vec<VerdictItem> {
    let nested = verdict
        .blocks
        .iter()
        .filter(|it| matches!(it, Block::Nested { .. }));
    let of_it = Verdict {
        blocks: nested.cloned().collect(),
        unknown: verdict.unknown.clone(),
        losses: verdict.losses.clone(),
    };
    verdicts::items(&of_it)
}

fn as_text(told: &OnlyHere, now: Timestamp) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        // Writing to a string cannot fail.
        writeln!(text, "{words}").unwrap_or_default();
    };
    let when =
        |at: Option<Timestamp>| at.map_or_else(|| "never".to_owned(), |at| format!("{at:.0}"));
    line(format!("# Only on {}", told.host_label));
    line(String::new());
    line(format!(
        "As known at {now:.0}; the host answered last: {}.",
        when(told.answered_at)
    ));
    if !told.host_answers {
        line("It does not answer now, so this may be out of date.".to_owned());
    }
    if !told.unchecked.is_empty() {
        line(format!(
            "Of {} nobody looked closer: more may be only there.",
            verdicts::count(told.unchecked.len(), "workspace", "workspaces")
        ));
    }
    for root in &told.failed_roots {
        line(format!("Not told: {root}"));
    }
    for row in &told.rows {
        line(String::new());
        let branch = row
            .branch
            .as_ref()
            .map(|it| format!(" ({it})"))
            .unwrap_or_default();
        line(format!("## {}{branch}", row.path));
        line(String::new());
        for item in &row.items {
            line(format!("- {}", item.words));
            for name in &item.names {
                line(format!("  - {name}"));
            }
        }
        line(format!(
            "- Seen {}, looked at closer {}",
            when(row.facts_at),
            when(row.checked_at)
        ));
    }
    line(String::new());
    line(format!(
        "{} with nothing that is only there.",
        verdicts::count(told.elsewhere as usize, "workspace", "workspaces")
    ));
    text
}
