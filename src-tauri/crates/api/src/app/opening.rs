//! Opening workspaces with other programs of this machine.

use rollcall_converge::{RefName, page_of};

use super::App;
use crate::error::{ApiError, ErrorCode};
use crate::launch;
use crate::wire::{OpenerRow, Openers, WorkspaceRef};

impl App {
    /// What a workspace can be opened with on this machine, and what of it can be copied. No host is asked.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`]; if the registry cannot be read.
    pub async fn openers(&self, id: WorkspaceRef) -> Result<Openers, ApiError> {
        let record = self.record(id).await?;
        let host = self.host(record.host).await?;
        let state = &record.row.state;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let target = host.address.ssh();
        let branch = state.existence.head.branch().map(RefName::short);
        let origin = state.facts.as_ref().and_then(|it| it.origin.as_deref());
        let words = |words: Vec<String>| {
            let words: Vec<_> = words.iter().map(|it| launch::word(it.as_bytes())).collect();
            words.join(" ")
        };
        Ok(Openers {
            openers: launch::found(&path, target.is_some())
                .into_iter()
                .map(|it| OpenerRow {
                    id: it.program.to_owned(),
                    label: it.label.to_owned(),
                })
                .collect(),
            path: launch::word(state.path.as_bytes()),
            ssh: target.map(|target| words(launch::ssh(target, &state.path))),
            page: origin.and_then(|it| page_of(it, branch.as_deref())),
            branch,
        })
    }

    /// Opens a workspace with a program of [`Self::openers`].
    ///
    /// # Errors
    /// [`ErrorCode::Unsupported`] if there is no such program, or it cannot open that; [`ErrorCode::PathNotFound`] if its
    /// folder is not there; [`ErrorCode::NotFound`].
    pub async fn open_with(&self, id: WorkspaceRef, opener: String) -> Result<(), ApiError> {
        let record = self.record(id).await?;
        let host = self.host(record.host).await?;
        let Some(opener) = launch::named(&opener) else {
            let words = format!("Nothing can be opened with `{opener}`.");
            return Err(ApiError::new(ErrorCode::Unsupported, words));
        };
        launch::open(opener, &record.row.state.path, host.address.ssh())
    }

    /// Opens the page on the web of what a workspace was cloned from.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it is not in the registry, or has no such page; [`ErrorCode::Unsupported`].
    pub async fn open_page(&self, id: WorkspaceRef) -> Result<(), ApiError> {
        let openers = self.openers(id).await?;
        let page = openers.page.ok_or_else(|| {
            ApiError::new(
                ErrorCode::NotFound,
                "No page on the web is known for this workspace.",
            )
            .hint("Give it a link of your own.")
        })?;
        launch::browse(&page)
    }
}
