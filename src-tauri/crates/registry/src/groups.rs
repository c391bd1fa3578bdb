//! Groups of a person's own, and the order of workspaces in them.

use rollcall_converge::{WorkspaceId, inert};
use uuid::Uuid;

use crate::error::{RegistryError, Translate as _};
use crate::records::{Columns, GroupId, key};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_optional, fetch_scalar};

/// Characters of a group's name.
const NAME_LIMIT: usize = 100;

/// A group of a person's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its identifier.
    pub id: GroupId,
    /// What it is called; unique, whatever its case.
    pub name: String,
}

impl Write {
    /// The group, if it is there.
    pub(crate) async fn group(&mut self, id: GroupId) -> Result<Group, RegistryError> {
        let row = fetch_optional!(
            *self.transaction,
            "SELECT id, name FROM groups WHERE id = ?",
            key(id.uuid())
        )?
        .ok_or(RegistryError::NotFound { what: "The group" })?;
        Columns(&row).group()
    }

    /// The group of a name, made if it is not there.
    pub(crate) async fn group_called(&mut self, name: &str) -> Result<GroupId, RegistryError> {
        let name = checked_name(name)?;
        let there = fetch_optional!(
            *self.transaction,
            "SELECT id, name FROM groups WHERE name_key = ?",
            name.to_lowercase()
        )?;
        if let Some(row) = there {
            return Ok(Columns(&row).group()?.id);
        }
        let id = GroupId(Uuid::now_v7());
        execute!(
            *self.transaction,
            "INSERT INTO groups (id, name, name_key, position) \
             SELECT ?, ?, ?, coalesce(max(position), 0) + 1 FROM groups",
            key(id.uuid()),
            name.clone(),
            name.to_lowercase()
        )?;
        self.changed.groups = true;
        Ok(id)
    }

    /// Rows that are in a group differ with it.
    async fn members_touched(&mut self, id: GroupId) -> Result<(), RegistryError> {
        let members = fetch_all!(
            *self.transaction,
            "SELECT workspace_id FROM annotations WHERE group_id = ?",
            key(id.uuid())
        )?;
        for row in &members {
            self.touched(WorkspaceId::new(Columns(row).id("workspace_id")?))
                .await?;
        }
        Ok(())
    }
}

impl Columns<'_> {
    fn group(&self) -> Result<Group, RegistryError> {
        Ok(Group {
            id: GroupId(self.id("id")?),
            name: self.text("name")?,
        })
    }
}

impl Registry {
    /// Every group, in the order people gave them.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn groups(&self) -> Result<Vec<Group>, RegistryError> {
        let mut read = self.read().await?;
        fetch_all!(*read, "SELECT id, name FROM groups ORDER BY position, id")?
            .iter()
            .map(|row| Columns(row).group())
            .collect()
    }

    /// Makes a group, or gives the one that has this name, whatever its case.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] for a name that is empty, longer than 100 characters or has control
    /// characters.
    pub async fn add_group(&self, name: &str) -> Result<(GroupId, Changed), RegistryError> {
        let mut write = self.write().await?;
        let id = write.group_called(name).await?;
        Ok((id, write.commit().await?))
    }

    /// Gives a group another name.
    ///
    /// # Errors
    /// As [`Registry::add_group`]; [`RegistryError::InvalidInput`] also if another group has the name;
    /// [`RegistryError::NotFound`].
    pub async fn rename_group(&self, id: GroupId, name: &str) -> Result<Changed, RegistryError> {
        let name = checked_name(name)?;
        let mut write = self.write().await?;
        if write.group(id).await?.name == name {
            return write.commit().await;
        }
        let taken: i64 = fetch_scalar!(
            *write.transaction,
            "SELECT count(*) FROM groups WHERE name_key = ? AND id IS NOT ?",
            name.to_lowercase(),
            key(id.uuid())
        )?;
        if taken > 0 {
            return Err(RegistryError::invalid(
                format!(
                    "Another group is called `{}` already.",
                    inert(name.as_bytes())
                ),
                "Choose another name, or move the workspaces into that group.",
            ));
        }
        execute!(
            *write.transaction,
            "UPDATE groups SET name = ?, name_key = ? WHERE id = ?",
            name.clone(),
            name.to_lowercase(),
            key(id.uuid())
        )?;
        write.changed.groups = true;
        write.commit().await
    }

    /// Dissolves a group. Its workspaces are in none then.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn remove_group(&self, id: GroupId) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write.group(id).await?;
        write.members_touched(id).await?;
        execute!(
            *write.transaction,
            "UPDATE annotations SET group_id = NULL, position = NULL WHERE group_id = ?",
            key(id.uuid())
        )?;
        execute!(
            *write.transaction,
            "DELETE FROM groups WHERE id = ?",
            key(id.uuid())
        )?;
        write.changed.groups = true;
        write.commit().await
    }

    /// Puts the groups into an order; those that are not named keep theirs, behind them.
    ///
    /// # Errors
    /// [`RegistryError::NotFound`].
    pub async fn arrange_groups(&self, order: &[GroupId]) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        execute!(
            *write.transaction,
            "UPDATE groups SET position = position + ?",
            i64::try_from(order.len()).unwrap_or(i64::MAX)
        )?;
        for (position, id) in (0_i64..).zip(order) {
            write.group(*id).await?;
            execute!(
                *write.transaction,
                "UPDATE groups SET position = ? WHERE id = ?",
                position,
                key(id.uuid())
            )?;
            write.changed.groups = true;
        }
        write.commit().await
    }

    /// Puts workspaces of a group into an order.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] if one of them is not in the group; [`RegistryError::NotFound`].
    pub async fn arrange(
        &self,
        group: GroupId,
        order: &[WorkspaceId],
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        write.group(group).await?;
        for (position, id) in (0_i64..).zip(order) {
            let record = write.workspace(*id).await?;
            if record.group != Some(group) {
                return Err(RegistryError::invalid(
                    format!(
                        "`{}` is not in this group.",
                        record.row.state.path.display()
                    ),
                    "Put it into the group first.",
                ));
            }
            if record.position == Some(position) {
                continue;
            }
            execute!(
                *write.transaction,
                "UPDATE annotations SET position = ? WHERE workspace_id = ?",
                position,
                key(id.uuid())
            )?;
            write.touched(*id).await?;
        }
        write.commit().await
    }
}

fn checked_name(name: &str) -> Result<String, RegistryError> {
    let name = name.trim();
    let length = name.chars().count();
    let reason = if name.is_empty() {
        "A group needs a name.".to_owned()
    } else if length > NAME_LIMIT {
        format!("The name of a group has {length} characters, more than {NAME_LIMIT}.")
    } else if name.chars().any(char::is_control) {
        format!(
            "The name `{}` has control characters.",
            inert(name.as_bytes())
        )
    } else {
        return Ok(name.to_owned());
    };
    Err(RegistryError::invalid(reason, "Choose another name."))
}
