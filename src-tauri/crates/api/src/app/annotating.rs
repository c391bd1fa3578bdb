//! What people write about workspaces and how they arrange them. No host is asked for any of it (I4).

use std::collections::HashSet;

use jiff::Timestamp;
use rollcall_converge::WorkspaceId;
use rollcall_registry::{Changed, RegistryError};

use super::App;
use crate::error::{ApiError, ErrorCode};
use crate::wire::{
    AnnotationForm, AnnotationPatch, GroupRef, MemberForm, OrderForm, ViewRef, WorkspaceDetail,
    WorkspaceRef,
};

/// Things that one call is about.
const AT_ONCE: usize = 10_000;

impl From<AnnotationPatch> for rollcall_registry::AnnotationPatch {
    fn from(patch: AnnotationPatch) -> Self {
        let some = |text: Option<String>| text.map(|text| Some(text).filter(|it| !it.is_empty()));
        Self {
            note: patch.note,
            tags: patch.tags,
            pinned: patch.pinned,
            display_name: some(patch.display_name),
            colour: patch.colour.map(Into::into),
            link: some(patch.link),
        }
    }
}

/// Refuses more than anybody means.
fn not_too_many(things: usize) -> Result<(), ApiError> {
    if things <= AT_ONCE {
        return Ok(());
    }
    let words = format!("{things} workspaces at once are more than {AT_ONCE}.");
    Err(ApiError::new(ErrorCode::InvalidInput, words).hint("Choose fewer of them."))
}

fn rows(ids: Vec<WorkspaceRef>) -> Result<Vec<WorkspaceId>, ApiError> {
    not_too_many(ids.len())?;
    Ok(ids.into_iter().map(Into::into).collect())
}

impl App {
    /// Announces what a verb did.
    fn did(&self, changed: Result<Changed, RegistryError>) -> Result<(), ApiError> {
        self.announcer.changed(&changed?);
        Ok(())
    }

    /// Writes what a person wants to remember about a workspace.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] where something is beyond its limits; [`ErrorCode::NotFound`] if it is not in the
    /// registry.
    pub async fn annotate(
        &self,
        id: WorkspaceRef,
        patch: AnnotationPatch,
    ) -> Result<WorkspaceDetail, ApiError> {
        let now = Timestamp::now();
        self.did(self.registry.annotate(id.into(), &patch.into(), now).await)?;
        self.workspace(id).await
    }

    /// Writes what a person wants to remember about several workspaces, all of it or nothing.
    ///
    /// # Errors
    /// As [`Self::annotate`]; nothing is changed then.
    pub async fn annotate_all(&self, forms: Vec<AnnotationForm>) -> Result<(), ApiError> {
        not_too_many(forms.len())?;
        let patches: Vec<_> = forms
            .into_iter()
            .map(|form| (form.id.into(), form.patch.into()))
            .collect();
        self.did(self.registry.annotate_all(&patches, Timestamp::now()).await)
    }

    /// Stops showing workspaces, all of them or none. Their hosts are not touched.
    ///
    /// # Errors
    /// [`ErrorCode::DeletionPending`] for one that is being deleted; [`ErrorCode::NotFound`] for one that is not in the
    /// registry. Nothing is changed then.
    pub async fn untrack_all(&self, ids: Vec<WorkspaceRef>) -> Result<(), ApiError> {
        let ids = rows(ids)?;
        self.did(self.registry.untrack_all(&ids, Timestamp::now()).await)
    }

    /// Shows workspaces again, all of them or none, and calls the rolls of their hosts for fresh assertions.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] for one that is not in the registry; nothing is changed then.
    pub async fn retrack_all(&self, ids: Vec<WorkspaceRef>) -> Result<(), ApiError> {
        let rows = rows(ids)?;
        self.did(self.registry.retrack_all(&rows, Timestamp::now()).await)?;
        let records = self.registry.workspaces_by_id(&rows).await?;
        let hosts: HashSet<_> = records.iter().map(|record| record.host).collect();
        for host in hosts {
            self.supervisor.changed(host);
        }
        Ok(())
    }

    /// Makes a group, in another one or in none, or gives the one that has this name, whatever its case.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what cannot be a name, and for a parent that lies in a group itself;
    /// [`ErrorCode::NotFound`] for the parent.
    pub async fn add_group(
        &self,
        name: String,
        parent: Option<GroupRef>,
    ) -> Result<GroupRef, ApiError> {
        let (id, changed) = self
            .registry
            .add_group(&name, parent.map(Into::into))
            .await?;
        self.announcer.changed(&changed);
        Ok(id.into())
    }

    /// Gives a group another name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what cannot be a name, or is another group's; [`ErrorCode::NotFound`].
    pub async fn rename_group(&self, id: GroupRef, name: String) -> Result<(), ApiError> {
        self.did(self.registry.rename_group(id.into(), &name).await)
    }

    /// Dissolves a group: its workspaces are in none then, and groups in it lie in none.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`].
    pub async fn remove_group(&self, id: GroupRef) -> Result<(), ApiError> {
        self.did(self.registry.remove_group(id.into()).await)
    }

    /// Puts groups into a group, or into none, in an order; others there come behind them.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] where groups would nest more than once, or one lie in itself; [`ErrorCode::NotFound`].
    /// Nothing is changed then.
    pub async fn arrange_groups(
        &self,
        parent: Option<GroupRef>,
        order: Vec<GroupRef>,
    ) -> Result<(), ApiError> {
        not_too_many(order.len())?;
        let order: Vec<_> = order.into_iter().map(Into::into).collect();
        self.did(
            self.registry
                .arrange_groups(parent.map(Into::into), &order)
                .await,
        )
    }

    /// Puts workspaces into groups, or into none, and gives members of groups their places; all of it or nothing.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] if one that gets a place is not in the group then; [`ErrorCode::NotFound`].
    pub async fn regroup(
        &self,
        members: Vec<MemberForm>,
        orders: Vec<OrderForm>,
    ) -> Result<(), ApiError> {
        let ordered: usize = orders.iter().map(|it| it.ids.len()).sum();
        not_too_many(members.len().max(ordered).max(orders.len()))?;
        let members: Vec<_> = members
            .into_iter()
            .map(|it| (it.id.into(), it.group.map(Into::into)))
            .collect();
        let orders: Vec<_> = orders
            .into_iter()
            .map(|it| {
                let ids = it.ids.into_iter().map(Into::into).collect();
                (it.group.into(), ids)
            })
            .collect();
        self.did(
            self.registry
                .regroup(&members, &orders, Timestamp::now())
                .await,
        )
    }

    /// Saves a way to look at the list: a new one, or one that is there under its name or another.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what cannot be a name or is another view's, for a definition that is no JSON or has
    /// more than 4,096 bytes, and for the 101st view; [`ErrorCode::NotFound`].
    pub async fn save_view(
        &self,
        id: Option<ViewRef>,
        name: String,
        definition: String,
    ) -> Result<ViewRef, ApiError> {
        let (id, changed) = self
            .registry
            .save_view(id.map(Into::into), &name, &definition)
            .await?;
        self.announcer.changed(&changed);
        Ok(id.into())
    }

    /// Forgets a saved view.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`].
    pub async fn remove_view(&self, id: ViewRef) -> Result<(), ApiError> {
        self.did(self.registry.remove_view(id.into()).await)
    }

    /// Puts the saved views into an order; others come behind them.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`]; nothing is changed then.
    pub async fn arrange_views(&self, order: Vec<ViewRef>) -> Result<(), ApiError> {
        not_too_many(order.len())?;
        let order: Vec<_> = order.into_iter().map(Into::into).collect();
        self.did(self.registry.arrange_views(&order).await)
    }

    /// Says what a missing workspace became: what was written about it goes over to that one, and it leaves the list.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] if the first is not missing, the second is not there, or note or tags of both are beyond
    /// their limits; [`ErrorCode::DeletionPending`]; [`ErrorCode::NotFound`]. Nothing is changed then.
    pub async fn relink(&self, id: WorkspaceRef, to: WorkspaceRef) -> Result<(), ApiError> {
        let now = Timestamp::now();
        self.did(self.registry.relink(id.into(), to.into(), now).await)
    }

    /// Forgets missing workspaces that a person knows to be gone for good, with what was written about them; all or none.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] if one of them is not missing; [`ErrorCode::DeletionPending`]; [`ErrorCode::NotFound`].
    /// Nothing is changed then.
    pub async fn forget_missing(&self, ids: Vec<WorkspaceRef>) -> Result<(), ApiError> {
        let ids = rows(ids)?;
        self.did(self.registry.forget_missing(&ids, Timestamp::now()).await)
    }
}
