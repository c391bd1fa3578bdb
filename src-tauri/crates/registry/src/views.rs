//! Saved views: ways to look at the list that people gave a name. What is in a definition is the window's own.

use rollcall_converge::inert;
use serde::de::IgnoredAny;
use uuid::Uuid;

use crate::error::{RegistryError, Translate as _};
use crate::groups::checked_name;
use crate::records::{Columns, ViewId, key};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_scalar};

/// Bytes of a definition.
const DEFINITION_LIMIT: usize = 4_096;
/// Views of a registry.
const VIEWS_LIMIT: usize = 100;

/// A way to look at the list that a person gave a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its identifier.
    pub id: ViewId,
    /// What it is called; unique, whatever its case.
    pub name: String,
    /// What the window shows by it, as JSON.
    pub definition: String,
}

const ALL: &str = "SELECT id, name, definition FROM views ORDER BY position, id";

impl Columns<'_> {
    fn view(&self) -> Result<View, RegistryError> {
        Ok(View {
            id: ViewId(self.id("id")?),
            name: self.text("name")?,
            definition: self.text("definition")?,
        })
    }
}

impl Write {
    pub(crate) async fn views(&mut self) -> Result<Vec<View>, RegistryError> {
        fetch_all!(*self.transaction, ALL)?
            .iter()
            .map(|row| Columns(row).view())
            .collect()
    }

    /// Makes a view, or has one say something else.
    pub(crate) async fn keep_view(
        &mut self,
        id: Option<ViewId>,
        name: &str,
        definition: &str,
    ) -> Result<ViewId, RegistryError> {
        let name = checked_name(name, "view")?;
        checked_definition(definition)?;
        let all = self.views().await?;
        let there = |id| all.iter().find(|it| it.id == id);
        if let Some(id) = id
            && there(id).is_none()
        {
            return Err(RegistryError::NotFound { what: "The view" });
        }
        let key_of_name = name.to_lowercase();
        if all
            .iter()
            .any(|it| Some(it.id) != id && it.name.to_lowercase() == key_of_name)
        {
            return Err(RegistryError::invalid(
                format!(
                    "Another view is called `{}` already.",
                    inert(name.as_bytes())
                ),
                "Choose another name, or remove that view.",
            ));
        }
        if id.is_none() && all.len() >= VIEWS_LIMIT {
            return Err(RegistryError::invalid(
                format!("There are {VIEWS_LIMIT} views already."),
                "Remove one that is not needed any more.",
            ));
        }
        if let Some(view) = id.and_then(there)
            && (&view.name, view.definition.as_str()) == (&name, definition)
        {
            return Ok(view.id);
        }
        let id = id.unwrap_or_else(|| ViewId(Uuid::now_v7()));
        execute!(
            *self.transaction,
            "INSERT INTO views (id, name, name_key, position, definition) \
             VALUES (?1, ?2, ?3, (SELECT coalesce(max(position), 0) + 1 FROM views), ?4) \
             ON CONFLICT (id) DO UPDATE SET name = ?2, name_key = ?3, definition = ?4",
            key(id.uuid()),
            name,
            key_of_name,
            definition.to_owned()
        )?;
        self.changed.views = true;
        Ok(id)
    }
}

impl Registry {
    /// Every saved view, in the order people gave them.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn views(&self) -> Result<Vec<View>, RegistryError> {
        let mut read = self.read().await?;
        fetch_all!(*read, ALL)?
            .iter()
            .map(|row| Columns(row).view())
            .collect()
    }

    /// Saves a view: a new one behind the others, or one that is there under its name or another.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] for a name that is empty, longer than 100 characters, has control characters or
    /// belongs to another view, whatever its case; for a definition that is no JSON or has more than 4,096 bytes; and
    /// for the 101st view. [`RegistryError::NotFound`].
    pub async fn save_view(
        &self,
        id: Option<ViewId>,
        name: &str,
        definition: &str,
    ) -> Result<(ViewId, Changed), RegistryError> {
        let mut write = self.write().await?;
        let id = write.keep_view(id, name, definition).await?;
        Ok((id, write.commit().await?))
    }

    /// Forgets a view.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn remove_view(&self, id: ViewId) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let removed = execute!(
            *write.transaction,
            "DELETE FROM views WHERE id = ?",
            key(id.uuid())
        )?;
        if removed.rows_affected() == 0 {
            return Err(RegistryError::NotFound { what: "The view" });
        }
        write.changed.views = true;
        write.commit().await
    }

    /// Puts the views into an order; those that are not named keep theirs, behind them.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn arrange_views(&self, order: &[ViewId]) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let before = write.views().await?;
        execute!(
            *write.transaction,
            "UPDATE views SET position = position + ?",
            i64::try_from(order.len()).unwrap_or(i64::MAX)
        )?;
        for (position, id) in (0_i64..).zip(order) {
            let there: i64 = fetch_scalar!(
                *write.transaction,
                "SELECT count(*) FROM views WHERE id = ?",
                key(id.uuid())
            )?;
            if there == 0 {
                return Err(RegistryError::NotFound { what: "The view" });
            }
            execute!(
                *write.transaction,
                "UPDATE views SET position = ? WHERE id = ?",
                position,
                key(id.uuid())
            )?;
        }
        write.changed.views = write.views().await? != before;
        write.commit().await
    }
}

fn checked_definition(definition: &str) -> Result<(), RegistryError> {
    let refused = |reason: String| Err(RegistryError::invalid(reason, "Save a simpler view."));
    if definition.len() > DEFINITION_LIMIT {
        return refused(format!(
            "The view takes {} bytes, more than {DEFINITION_LIMIT}.",
            definition.len()
        ));
    }
    match serde_json::from_str::<IgnoredAny>(definition) {
        Ok(_) => Ok(()),
        Err(error) => refused(format!("The view is no JSON ({error}).")),
    }
}
