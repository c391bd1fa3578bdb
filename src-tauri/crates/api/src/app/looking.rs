//! Looking at one workspace, or for workspaces: what is asked when a person wants it.

use std::collections::HashSet;

use jiff::Timestamp;
use rollcall_converge::{
    Caller, CandidateKind, Host, HostPath, Look, RefName, Search, Size, WorkspaceKind,
};
use rollcall_registry::WorkspaceRecord;

use super::{App, gone, outcome};
use crate::depth;
use crate::error::{ApiError, ErrorCode};
use crate::wire::{
    DepthView, Details, FoundKind, FoundRow, RegisterOutcome, RootRef, SearchForm, SearchResult,
    SizeView, WorkspaceRef,
};
use crate::wiring::subject;

/// How deep a search goes at most.
const DEEPEST: u8 = 12;

impl App {
    /// Looks at one workspace in depth, now: what only a walk through it tells. What is seen is kept. Whether it is merged
    /// is found out once for the commits of its HEAD and its base.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry, [`ErrorCode::PathNotFound`] if it is not on its host, or
    /// another one is; why the host did not answer; [`ErrorCode::Cancelled`].
    pub async fn look_closer(&self, job: String, id: WorkspaceRef) -> Result<DepthView, ApiError> {
        self.jobs
            .run(&job, async {
                let record = self.record(id).await?;
                let host = self.host(record.host).await?;
                let subject = subject(&self.registry, &record).await?;
                let mut looks = self
                    .collector
                    .look(&host, &[subject], Caller::Person)
                    .await?;
                let look = looks.pop().ok_or_else(|| gone("This workspace"))??;
                self.take_look(&record, &look).await
            })
            .await
    }

    async fn take_look(
        &self,
        record: &WorkspaceRecord,
        look: &Look,
    ) -> Result<DepthView, ApiError> {
        let state = &record.row.state;
        if look.generation.is_some()
            && state.generation.is_some()
            && look.generation != state.generation
        {
            let words = format!(
                "Another workspace stands at `{}` now.",
                state.path.display()
            );
            return Err(ApiError::new(ErrorCode::PathNotFound, words).hint("Sync its host."));
        }
        self.wiring.keep_look(record, look).await?;
        Ok(depth::view(Timestamp::now(), &look.deep, record.row.kind))
    }

    /// Measures how large a workspace is, saying how far it is: KiB so far, and how much was looked at in thousandths.
    ///
    /// # Errors
    /// As [`Self::look_closer`].
    pub async fn measure(&self, job: String, id: WorkspaceRef) -> Result<SizeView, ApiError> {
        self.jobs
            .run(&job, async {
                let record = self.record(id).await?;
                let host = self.host(record.host).await?;
                let path = &record.row.state.path;
                let report = self.jobs.report(&job);
                let size = self.collector.measure(&host, path, Some(report)).await?;
                self.keep_size(&record, &size).await?;
                Ok(depth::size(Timestamp::now(), &size))
            })
            .await
    }

    pub(super) async fn keep_size(
        &self,
        record: &WorkspaceRecord,
        size: &Size,
    ) -> Result<(), ApiError> {
        let generation = record.row.state.generation;
        let changed = self
            .registry
            .record_size(record.row.id, generation, size, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        Ok(())
    }

    /// What is in a workspace: changed files, commits, what its README calls it. Nothing of it is kept.
    ///
    /// # Errors
    /// As [`Self::look_closer`].
    pub async fn details(&self, job: String, id: WorkspaceRef) -> Result<Details, ApiError> {
        self.jobs
            .run(&job, async {
                let record = self.record(id).await?;
                let host = self.host(record.host).await?;
                let path = &record.row.state.path;
                let told = self.collector.details(&host, record.row.kind, path).await?;
                Ok(depth::details(&told))
            })
            .await
    }

    /// Looks for repositories below a folder of a host, saying how many folders it looked at and how many repositories it
    /// found. Nothing is registered by it.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what is no folder's name; why the host did not answer; [`ErrorCode::Cancelled`].
    pub async fn search(&self, job: String, form: SearchForm) -> Result<SearchResult, ApiError> {
        super::absolute(&form.folder)?;
        self.jobs
            .run(&job, async {
                let host = self.host(form.host.into()).await?;
                let search = Search {
                    folder: HostPath::new(form.folder),
                    depth: form.depth.clamp(1, DEEPEST),
                    hidden: form.hidden,
                };
                let report = self.jobs.report(&job);
                let found = self.collector.search(&host, &search, Some(report)).await?;
                let listed = self.listed(&host).await?;
                let rows = found.candidates.iter().map(|it| FoundRow {
                    path: it.path.display(),
                    kind: match it.kind {
                        CandidateKind::Repository => FoundKind::Repository,
                        CandidateKind::Bare => FoundKind::Bare,
                        CandidateKind::Worktree => FoundKind::Worktree,
                        CandidateKind::Linked => FoundKind::Linked,
                    },
                    listed: listed.contains(&it.path),
                });
                let result = SearchResult {
                    found: rows.collect(),
                    unreadable: found.unreadable.iter().map(HostPath::display).collect(),
                    looked_at: u32::try_from(found.looked_at).unwrap_or(u32::MAX),
                };
                let paths = found.candidates.into_iter().map(|it| it.path).collect();
                self.jobs.keep(&job, host.id, paths);
                Ok(result)
            })
            .await
    }

    /// Paths of a host that are listed already.
    async fn listed(&self, host: &Host) -> Result<HashSet<HostPath>, ApiError> {
        let roots = self.registry.roots().await?.into_iter();
        let roots = roots.filter(|it| it.root.host == host.id);
        let rows = self.registry.workspaces().await?.into_iter();
        let rows = rows.filter(|it| it.host == host.id && it.row.kind != WorkspaceKind::Directory);
        Ok(roots
            .map(|it| it.root.path)
            .chain(rows.map(|it| it.row.state.path))
            .collect())
    }

    /// Registers some of what a search found, by their places in its result; each is answered.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if the search was ended meanwhile.
    pub async fn register_found(
        &self,
        job: String,
        chosen: Vec<u32>,
    ) -> Result<Vec<RegisterOutcome>, ApiError> {
        let (host, paths) = self.jobs.found(&job).ok_or_else(|| {
            let words = "What this search found is not at hand any more.";
            ApiError::new(ErrorCode::NotFound, words).hint("Search again.")
        })?;
        let mut outcomes = Vec::new();
        for at in chosen {
            let Some(path) = paths.get(at as usize).cloned() else {
                continue;
            };
            let shown = path.display();
            outcomes.push(outcome(shown, self.register_path(host, path).await));
        }
        Ok(outcomes)
    }

    /// Gives a job up, and forgets what it found.
    ///
    /// # Errors
    /// None; one that is not known any more has ended.
    #[expect(clippy::unused_async, reason = "every command is one")]
    pub async fn end_job(&self, job: String) -> Result<(), ApiError> {
        self.jobs.end(&job);
        Ok(())
    }

    /// Says which branch others of a repository are merged into, by its short or its full name, and calls the roll of
    /// its host; nothing leaves that to the repository again.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what is no name of a branch, [`ErrorCode::NotFound`].
    pub async fn choose_base(&self, root: RootRef, base: Option<String>) -> Result<(), ApiError> {
        let base = base
            .map(|it| it.trim().to_owned())
            .filter(|it| !it.is_empty());
        let base = base.map(|name| {
            if name.starts_with("refs/") {
                RefName::new(name)
            } else {
                RefName::new(format!("refs/heads/{name}"))
            }
        });
        let changed = self
            .registry
            .choose_base(root.into(), base.as_ref(), Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        if let Some(record) = self.registry.root(root.into()).await? {
            self.supervisor.changed(record.root.host);
        }
        Ok(())
    }
}
