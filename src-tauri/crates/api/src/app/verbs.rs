//! What people have hosts do with repositories and worktrees, deletion aside. A host that does not answer fails the call;
//! nothing is kept for later.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use rollcall_converge::{
    Act, Caller, Checkout, Host, HostId, HostPath, Linked, RefName, Repository, Tier,
    WorkspaceKind, place_of,
};
use rollcall_registry::{Verb, WorkspaceRecord};
use rollcall_supervise::Ports as _;
use tokio::task::JoinSet;

use super::App;
use crate::error::{ApiError, ErrorCode};
use crate::present;
use crate::wire::{BranchRow, CheckoutForm, Creation, CreationForm, FetchOutcome, WorkspaceRef};

impl App {
    /// The linked worktree that a row tells of.
    fn linked(record: &WorkspaceRecord) -> Result<Linked, ApiError> {
        let state = &record.row.state;
        let existence = &state.existence;
        let path = state.path.display();
        if record.row.kind != WorkspaceKind::Worktree {
            let words = format!("`{path}` is no linked worktree.");
            return Err(ApiError::new(ErrorCode::InvalidInput, words)
                .hint("Only linked worktrees can be locked, moved and repaired."));
        }
        let told = existence
            .common_dir
            .clone()
            .zip(existence.admin_name.clone())
            .zip(state.generation);
        let Some(((common_dir, admin_name), generation)) = told else {
            let words = format!(
                "The host of `{path}` does not tell what distinguishes it from another one."
            );
            return Err(ApiError::new(ErrorCode::NotLive, words).hint("Sync its host."));
        };
        Ok(Linked {
            common_dir,
            admin_name,
            generation,
            path: state.path.clone(),
            mount: state.mount.clone(),
            head: existence.head.commit().map(str::to_owned),
        })
    }

    async fn act(
        &self,
        id: WorkspaceRef,
        act: Act,
        verb: Verb,
        words: &str,
    ) -> Result<String, ApiError> {
        let record = self.record(id).await?;
        let host = self.host(record.host).await?;
        let linked = Self::linked(&record)?;
        let said = self.collector.act(&host, &linked, &act).await?;
        let words = if words.is_empty() { &said } else { words };
        let changed = self
            .registry
            .did(record.row.id, verb, words, Timestamp::now())
            .await?;
        self.announcer.changed(&changed);
        self.called_anew(host.id).await;
        Ok(said)
    }

    /// Has a host say at once what is there after a verb, and then what is known about that. That it does not is no failure
    /// of the verb.
    async fn called_anew(&self, host: HostId) {
        let called = self
            .wiring
            .roll_call(host, Tier::Existence, Caller::Person)
            .await;
        if let Err(failure) = called {
            tracing::info!(%host, ?failure, "what came of a verb is not confirmed yet");
        }
        self.supervisor.changed(host);
    }

    /// Locks a linked worktree, with a reason that may be empty.
    ///
    /// # Errors
    /// [`ErrorCode::CommandFailed`] if it is locked already, or another one; why its host does not answer;
    /// [`ErrorCode::NotFound`].
    pub async fn lock(&self, id: WorkspaceRef, reason: String) -> Result<(), ApiError> {
        let reason = reason.trim().to_owned();
        let act = Act::Lock(reason.clone());
        self.act(id, act, Verb::Lock, &reason).await.map(drop)
    }

    /// Takes the lock of a linked worktree away. A deletion that stopped because of it is tried again.
    ///
    /// # Errors
    /// As [`Self::lock`].
    pub async fn unlock(&self, id: WorkspaceRef) -> Result<(), ApiError> {
        self.act(id, Act::Unlock, Verb::Unlock, "").await?;
        let record = self.record(id).await?;
        if let Some(tombstone) = self.tombstone(&record).await? {
            let epoch = present::revision(tombstone.epoch);
            self.retry_deletion(id, epoch).await?;
        }
        Ok(())
    }

    /// Moves a linked worktree to a path of its host where nothing is. What was written about it moves along.
    ///
    /// # Errors
    /// [`ErrorCode::CommandFailed`] if it is locked, in use, or cannot be there; [`ErrorCode::InvalidInput`]; why its host
    /// does not answer; [`ErrorCode::NotFound`].
    pub async fn move_workspace(&self, id: WorkspaceRef, to: String) -> Result<(), ApiError> {
        super::absolute(&to)?;
        let act = Act::Move(HostPath::new(to.clone()));
        self.act(id, act, Verb::Move, &to).await.map(drop)
    }

    /// Has git's record of a worktree and a folder that was moved by other means lead to each other again.
    ///
    /// # Errors
    /// [`ErrorCode::CommandFailed`] if that folder belongs to another record; as [`Self::move_workspace`].
    pub async fn repair(&self, id: WorkspaceRef, at: String) -> Result<(), ApiError> {
        super::absolute(&at)?;
        let act = Act::Repair(HostPath::new(at.clone()));
        self.act(id, act, Verb::Repair, &at).await.map(drop)
    }

    /// Removes git's record of one worktree whose folder is gone, and says under which references the host keeps what only
    /// that record held; nothing if it held nothing.
    ///
    /// # Errors
    /// [`ErrorCode::CommandFailed`] if its folder is there, or its disk is not; as [`Self::lock`].
    pub async fn prune(&self, id: WorkspaceRef) -> Result<String, ApiError> {
        self.act(id, Act::Prune, Verb::Prune, "").await
    }

    /// The repository that a workspace belongs to.
    async fn repository_of(
        &self,
        record: &WorkspaceRecord,
    ) -> Result<(WorkspaceRecord, Repository), ApiError> {
        let rows = self
            .registry
            .workspaces_of_root(record.row.state.root)
            .await?;
        let found = rows
            .into_iter()
            .find(|it| it.row.kind == WorkspaceKind::Repository);
        let told = found.and_then(|it| {
            let state = &it.row.state;
            let repository = Repository {
                common_dir: state.existence.common_dir.clone()?,
                generation: state.generation?,
            };
            Some((it, repository))
        });
        told.ok_or_else(|| {
            let words = format!(
                "`{}` belongs to no repository that its host tells of.",
                record.row.state.path.display()
            );
            ApiError::new(ErrorCode::NotLive, words)
                .hint("Register its repository, or sync its host.")
        })
    }

    /// What there is to choose for a new worktree of the repository that a workspace belongs to, as its host says now.
    ///
    /// # Errors
    /// Why its host does not answer; [`ErrorCode::NotLive`] if it belongs to none; [`ErrorCode::NotFound`].
    pub async fn creation(&self, of: WorkspaceRef) -> Result<Creation, ApiError> {
        let record = self.record(of).await?;
        let (row, repository) = self.repository_of(&record).await?;
        let host = self.host(record.host).await?;
        let branches = self
            .collector
            .branches(&host, &repository.common_dir)
            .await?;
        let rows: Vec<BranchRow> = branches
            .iter()
            .filter_map(|it| {
                let id = str::from_utf8(it.name.as_bytes()).ok()?;
                Some(BranchRow {
                    id: id.to_owned(),
                    name: it.name.short(),
                    remote: !id.starts_with("refs/heads/"),
                    committed_at: it
                        .committed_at
                        .and_then(|at| Timestamp::from_second(at).ok()),
                    checked_out: it.checked_out,
                })
            })
            .collect();
        let root = self.registry.root(record.row.state.root).await?;
        let there = |name: &str| rows.iter().any(|it| it.id == name);
        let chosen = root
            .and_then(|it| it.base)
            .and_then(|it| String::from_utf8(it.as_bytes().to_vec()).ok());
        let usual = [
            "refs/remotes/origin/main",
            "refs/remotes/origin/master",
            "refs/heads/main",
            "refs/heads/master",
        ];
        let base = chosen
            .filter(|it| there(it))
            .or_else(|| usual.into_iter().find(|it| there(it)).map(str::to_owned))
            .or_else(|| rows.first().map(|it| it.id.clone()));
        Ok(Creation {
            repository: row.row.id.into(),
            name: present::called(&row),
            host_label: host.label,
            branches: rows,
            base,
        })
    }

    /// Where a new worktree for a branch goes: into a folder, if one is given, or beside its repository.
    ///
    /// # Errors
    /// [`ErrorCode::NotLive`]; [`ErrorCode::NotFound`]; [`ErrorCode::InvalidInput`] for a folder that is no path.
    pub async fn placement(
        &self,
        of: WorkspaceRef,
        branch: String,
        folder: Option<String>,
    ) -> Result<String, ApiError> {
        let record = self.record(of).await?;
        let (row, _) = self.repository_of(&record).await?;
        let folder = folder.filter(|it| !it.trim().is_empty());
        if let Some(folder) = &folder {
            super::absolute(folder)?;
        }
        let folder = folder.map(HostPath::new);
        let state = &row.row.state;
        Ok(place_of(&state.path, state.existence.bare, &branch, folder.as_ref()).display())
    }

    /// Creates a linked worktree and takes it up in the list, where it stays until a person decides.
    ///
    /// # Errors
    /// [`ErrorCode::DeletionPending`] if something at its path, or its branch, is to be deleted; [`ErrorCode::CommandFailed`]
    /// if the path or the branch is taken, or git fails, and nothing is left behind then; why its host does not answer;
    /// [`ErrorCode::InvalidInput`]; [`ErrorCode::NotFound`].
    pub async fn create_worktree(
        &self,
        form: CreationForm,
    ) -> Result<Option<WorkspaceRef>, ApiError> {
        super::absolute(&form.path)?;
        let record = self.record(form.of).await?;
        let (row, repository) = self.repository_of(&record).await?;
        let checkout = match form.checkout {
            CheckoutForm::New { branch, start } => Checkout::New {
                branch,
                start: RefName::new(start),
            },
            CheckoutForm::Existing { branch } => Checkout::Existing { branch },
            CheckoutForm::Remote { branch, follows } => Checkout::Remote {
                branch,
                follows: RefName::new(follows),
            },
        };
        let path = HostPath::new(form.path);
        let branch = RefName::new(format!("refs/heads/{}", checkout.branch()));
        self.not_to_be_deleted(&row, &path, &branch).await?;
        let host = self.host(record.host).await?;
        self.collector
            .create(&host, &repository, &path, &checkout)
            .await?;
        self.called_anew(host.id).await;
        // The host may call the path by another name; its branch is checked out once.
        let rows = self.registry.workspaces_of_root(row.row.state.root).await?;
        let made = rows.iter().find(|it| {
            it.row.kind == WorkspaceKind::Worktree
                && it.row.state.existence.head.branch() == Some(&branch)
        });
        let Some(made) = made else { return Ok(None) };
        let now = Timestamp::now();
        let changed = self
            .registry
            .did(made.row.id, Verb::Create, checkout.branch(), now)
            .await?;
        self.announcer.changed(&changed);
        Ok(Some(made.row.id.into()))
    }

    /// Refuses to make something where a deletion would come to it.
    async fn not_to_be_deleted(
        &self,
        repository: &WorkspaceRecord,
        path: &HostPath,
        branch: &RefName,
    ) -> Result<(), ApiError> {
        for tombstone in self.registry.tombstones(Some(repository.host)).await? {
            let agreed = &tombstone.consent;
            let goes = &agreed.existence;
            let its_branch = goes.common_dir == repository.row.state.existence.common_dir
                && goes.head.branch() == Some(branch);
            let words = if agreed.path == *path {
                format!("What is at `{}` is to be deleted.", path.display())
            } else if its_branch && tombstone.workspace != repository.row.id {
                format!(
                    "The worktree of `{}` at `{}` is to be deleted.",
                    branch.short(),
                    agreed.path.display()
                )
            } else if tombstone.workspace == repository.row.id {
                format!(
                    "The repository at `{}` is to be deleted.",
                    agreed.path.display()
                )
            } else {
                continue;
            };
            return Err(ApiError::new(ErrorCode::DeletionPending, words)
                .hint("Wait until its host has confirmed that, or take the deletion back under Pending deletions."));
        }
        Ok(())
    }

    /// Fetches into the repositories that some workspaces belong to, saying how many of them are done. Hosts go on side by
    /// side, and each fetches into one repository at a time.
    ///
    /// # Errors
    /// [`ErrorCode::Cancelled`]; if the registry cannot be used. What did not work in a repository is in its outcome.
    pub async fn fetch(
        &self,
        job: String,
        ids: Vec<WorkspaceRef>,
    ) -> Result<Vec<FetchOutcome>, ApiError> {
        self.jobs
            .run(&job, async {
                let mut of_hosts: BTreeMap<HostId, Vec<(WorkspaceRecord, Repository)>> =
                    BTreeMap::new();
                let (mut roots, mut of) = (HashSet::new(), 0);
                let mut outcomes = Vec::new();
                for record in self.records(&ids).await? {
                    // However many of its worktrees were chosen, a repository is looked up and fetched into once.
                    if !roots.insert(record.row.state.root) {
                        continue;
                    }
                    match self.repository_of(&record).await {
                        Ok(repository) => {
                            of += 1;
                            of_hosts.entry(record.host).or_default().push(repository);
                        }
                        Err(error) => {
                            let host = self.host(record.host).await?;
                            outcomes.push(outcome(&record, &host, Some(error)));
                        }
                    }
                }
                let report = self.jobs.report(&job);
                report(0, of);
                let (done, mut heard) = tokio::sync::mpsc::unbounded_channel();
                let mut hosts = JoinSet::new();
                for (id, repositories) in of_hosts {
                    let host = self.host(id).await?;
                    let (collector, done) = (self.collector.clone(), done.clone());
                    hosts.spawn(async move {
                        for (row, repository) in repositories {
                            let fetched = collector.fetch(&host, &repository).await;
                            let error = fetched.err().map(ApiError::from);
                            if done.send((outcome(&row, &host, error), row)).is_err() {
                                break;
                            }
                        }
                    });
                }
                drop(done);
                let (mut number, mut fetched) = (0, HashSet::new());
                while let Some((outcome, row)) = heard.recv().await {
                    number += 1;
                    report(number, of);
                    if outcome.error.is_none() {
                        let changed = self
                            .registry
                            .did(row.row.id, Verb::Fetch, "", Timestamp::now())
                            .await?;
                        self.announcer.changed(&changed);
                        fetched.insert(row.host);
                    }
                    outcomes.push(outcome);
                }
                for host in fetched {
                    self.supervisor.changed(host);
                }
                Ok(outcomes)
            })
            .await
    }
}

fn outcome(record: &WorkspaceRecord, host: &Host, error: Option<ApiError>) -> FetchOutcome {
    FetchOutcome {
        id: record.row.id.into(),
        name: present::called(record),
        host_label: host.label.clone(),
        error,
    }
}
