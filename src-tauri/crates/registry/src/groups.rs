//! Groups of a person's own, which nest once, and the order of workspaces in them.

use std::collections::HashMap;

use jiff::Timestamp;
use rollcall_converge::{WorkspaceId, inert};
use uuid::Uuid;

use crate::error::{RegistryError, Translate as _};
use crate::records::{Columns, GroupId, key};
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_optional, fetch_scalar};

/// Characters of a name that people give to something of their own.
const NAME_LIMIT: usize = 100;

/// A group of a person's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its identifier.
    pub id: GroupId,
    /// What it is called; unique over all groups, whatever its case.
    pub name: String,
    /// The group it lies in. That one lies in none.
    pub parent: Option<GroupId>,
}

/// Groups in the order people gave them, before the rest of a query.
macro_rules! select_groups {
    ($rest:literal) => {
        concat!("SELECT id, name, parent_id FROM groups ", $rest)
    };
}

impl Write {
    /// The group, if it is there.
    pub(crate) async fn group(&mut self, id: GroupId) -> Result<Group, RegistryError> {
        let row = fetch_optional!(
            *self.transaction,
            select_groups!("WHERE id = ?"),
            key(id.uuid())
        )?
        .ok_or(RegistryError::NotFound { what: "The group" })?;
        Columns(&row).group()
    }

    pub(crate) async fn groups(&mut self) -> Result<Vec<Group>, RegistryError> {
        groups(&fetch_all!(
            *self.transaction,
            select_groups!("ORDER BY position, id")
        )?)
    }

    /// The group of a name, made inside of another one if it is not there.
    pub(crate) async fn group_called(
        &mut self,
        name: &str,
        parent: Option<GroupId>,
    ) -> Result<GroupId, RegistryError> {
        let name = checked_name(name, "group")?;
        let there = fetch_optional!(
            *self.transaction,
            select_groups!("WHERE name_key = ?"),
            name.to_lowercase()
        )?;
        if let Some(row) = there {
            return Ok(Columns(&row).group()?.id);
        }
        if let Some(parent) = parent {
            self.may_have_groups(parent).await?;
        }
        let id = GroupId(Uuid::now_v7());
        execute!(
            *self.transaction,
            "INSERT INTO groups (id, name, name_key, parent_id, position) \
             SELECT ?, ?, ?, ?, coalesce(max(position), 0) + 1 FROM groups",
            key(id.uuid()),
            name.clone(),
            name.to_lowercase(),
            parent.map(|parent| key(parent.uuid()))
        )?;
        self.changed.groups = true;
        Ok(id)
    }

    /// Refuses a group that lies in another one: groups nest once.
    async fn may_have_groups(&mut self, id: GroupId) -> Result<(), RegistryError> {
        let group = self.group(id).await?;
        if group.parent.is_some() {
            return Err(RegistryError::invalid(
                format!(
                    "`{}` lies in another group, and groups nest once.",
                    inert(group.name.as_bytes())
                ),
                "Choose a group that lies in none.",
            ));
        }
        Ok(())
    }

    /// Refuses a group that has groups in it: groups nest once.
    async fn has_no_groups(&mut self, group: &Group) -> Result<(), RegistryError> {
        let children: i64 = fetch_scalar!(
            *self.transaction,
            "SELECT count(*) FROM groups WHERE parent_id = ?",
            key(group.id.uuid())
        )?;
        if children > 0 {
            return Err(RegistryError::invalid(
                format!(
                    "`{}` has groups in it, and groups nest once.",
                    inert(group.name.as_bytes())
                ),
                "Take its groups out of it first.",
            ));
        }
        Ok(())
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

    /// Puts a workspace into a group, behind those that were given a place there, or into none.
    async fn put_into(
        &mut self,
        id: WorkspaceId,
        group: Option<GroupId>,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let before = self.workspace(id).await?;
        if before.group == group {
            return Ok(());
        }
        if let Some(group) = group {
            self.group(group).await?;
        }
        let mut after = before.clone();
        after.group = group;
        // Its place was one among others.
        after.position = None;
        self.write_annotations(&before, &after, now).await
    }

    /// Gives workspaces of a group their places in it.
    async fn order_members(
        &mut self,
        group: GroupId,
        order: &[WorkspaceId],
    ) -> Result<(), RegistryError> {
        self.group(group).await?;
        for (position, id) in (0_i64..).zip(order) {
            let record = self.workspace(*id).await?;
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
                *self.transaction,
                "UPDATE annotations SET position = ? WHERE workspace_id = ?",
                position,
                key(id.uuid())
            )?;
            self.touched(*id).await?;
        }
        Ok(())
    }
}

impl Columns<'_> {
    fn group(&self) -> Result<Group, RegistryError> {
        Ok(Group {
            id: GroupId(self.id("id")?),
            name: self.text("name")?,
            parent: self.id_or_none("parent_id")?.map(GroupId),
        })
    }
}

pub(crate) fn groups(rows: &[sqlx::sqlite::SqliteRow]) -> Result<Vec<Group>, RegistryError> {
    rows.iter().map(|row| Columns(row).group()).collect()
}

impl Registry {
    /// Every group: those that lie in the same one in the order people gave them.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn groups(&self) -> Result<Vec<Group>, RegistryError> {
        let mut read = self.read().await?;
        groups(&fetch_all!(*read, select_groups!("ORDER BY position, id"))?)
    }

    /// Makes a group, inside of another one if one is given, or gives the one that has this name, whatever its case,
    /// where it is.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] for a name that is empty, longer than 100 characters or has control
    /// characters, and for a parent that lies in a group itself; [`RegistryError::NotFound`] for the parent.
    pub async fn add_group(
        &self,
        name: &str,
        parent: Option<GroupId>,
    ) -> Result<(GroupId, Changed), RegistryError> {
        let mut write = self.write().await?;
        let id = write.group_called(name, parent).await?;
        Ok((id, write.commit().await?))
    }

    /// Gives a group another name.
    ///
    /// # Errors
    /// As [`Registry::add_group`]; [`RegistryError::InvalidInput`] also if another group has the name;
    /// [`RegistryError::NotFound`].
    pub async fn rename_group(&self, id: GroupId, name: &str) -> Result<Changed, RegistryError> {
        let name = checked_name(name, "group")?;
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

    /// Dissolves a group. Its workspaces are in none then, and groups in it come behind all others.
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
        // Moved behind the last by the same distance, they keep their order.
        execute!(
            *write.transaction,
            "UPDATE groups SET parent_id = NULL, \
             position = position + (SELECT max(position) - min(position) + 1 FROM groups) WHERE parent_id = ?",
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

    /// Puts the named groups into a group, or into none, in their order; what lies there and is not named comes behind
    /// them in the order it had. Groups nest once.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] if a group were put into itself, into one that lies in another, or has groups
    /// in it; [`RegistryError::NotFound`]. Nothing is changed then.
    pub async fn arrange_groups(
        &self,
        parent: Option<GroupId>,
        order: &[GroupId],
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        let before = write.groups().await?;
        if let Some(parent) = parent {
            write.may_have_groups(parent).await?;
        }
        execute!(
            *write.transaction,
            "UPDATE groups SET position = position + ?",
            i64::try_from(order.len()).unwrap_or(i64::MAX)
        )?;
        for (position, id) in (0_i64..).zip(order) {
            let group = write.group(*id).await?;
            if parent == Some(*id) {
                return Err(RegistryError::invalid(
                    format!("`{}` cannot lie in itself.", inert(group.name.as_bytes())),
                    "Choose another group.",
                ));
            }
            if parent.is_some() {
                write.has_no_groups(&group).await?;
            }
            execute!(
                *write.transaction,
                "UPDATE groups SET position = ?, parent_id = ? WHERE id = ?",
                position,
                parent.map(|parent| key(parent.uuid())),
                key(id.uuid())
            )?;
        }
        write.changed.groups = among_siblings(&write.groups().await?) != among_siblings(&before);
        write.commit().await
    }

    /// Puts workspaces into groups, or into none, and gives members of groups their places there; all of it or nothing.
    /// Whoever changes group loses the place it had.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] if one that gets a place is not in the group then; [`RegistryError::NotFound`].
    pub async fn regroup(
        &self,
        members: &[(WorkspaceId, Option<GroupId>)],
        orders: &[(GroupId, Vec<WorkspaceId>)],
        now: Timestamp,
    ) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        for (id, group) in members {
            write.put_into(*id, *group, now).await?;
        }
        for (group, order) in orders {
            write.order_members(*group, order).await?;
        }
        write.commit().await
    }
}

/// Groups by what they lie in: among those of different ones there is no order.
fn among_siblings(groups: &[Group]) -> HashMap<Option<GroupId>, Vec<GroupId>> {
    let mut siblings: HashMap<_, Vec<_>> = HashMap::new();
    for group in groups {
        siblings.entry(group.parent).or_default().push(group.id);
    }
    siblings
}

/// A name for something of a person's own, such as a group.
pub(crate) fn checked_name(name: &str, of: &str) -> Result<String, RegistryError> {
    let name = name.trim();
    let length = name.chars().count();
    let reason = if name.is_empty() {
        format!("A {of} needs a name.")
    } else if length > NAME_LIMIT {
        format!("The name of a {of} has {length} characters, more than {NAME_LIMIT}.")
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
