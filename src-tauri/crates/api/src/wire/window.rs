//! What crosses to the window about what people arrange for themselves: groups, views, colours, settings, the journal, and
//! places to begin at.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Actor, AnnotationPatch, GroupRef, HostRef, ViewRef, WorkspaceRef};

/// A group of a person's own. Groups nest once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct GroupRow {
    /// Its identifier.
    pub id: GroupRef,
    /// What it is called.
    pub name: String,
    /// The group it lies in.
    pub parent: Option<GroupRef>,
}

/// A way to look at the list that a person gave a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ViewRow {
    /// Its identifier.
    pub id: ViewRef,
    /// What it is called.
    pub name: String,
    /// What the window shows by it: JSON of its own.
    pub definition: String,
}

/// Which group a workspace is to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MemberForm {
    /// The workspace.
    pub id: WorkspaceRef,
    /// Its group; `null` for none.
    pub group: Option<GroupRef>,
}

/// The order of workspaces in a group.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OrderForm {
    /// The group.
    pub group: GroupRef,
    /// Members of it, the first one first. Others come behind them.
    pub ids: Vec<WorkspaceRef>,
}

/// What a person changes about one of several workspaces.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnnotationForm {
    /// The workspace.
    pub id: WorkspaceRef,
    /// What changes.
    pub patch: AnnotationPatch,
}

/// A colour that marks a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum Colour {
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Grey,
}

impl From<rollcall_registry::Colour> for Colour {
    fn from(colour: rollcall_registry::Colour) -> Self {
        use rollcall_registry::Colour as Kept;
        match colour {
            Kept::Red => Self::Red,
            Kept::Orange => Self::Orange,
            Kept::Yellow => Self::Yellow,
            Kept::Green => Self::Green,
            Kept::Blue => Self::Blue,
            Kept::Purple => Self::Purple,
            Kept::Grey => Self::Grey,
        }
    }
}

/// A colour that is to mark a workspace, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum ColourChoice {
    None,
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Grey,
}

impl From<ColourChoice> for Option<rollcall_registry::Colour> {
    fn from(choice: ColourChoice) -> Self {
        use rollcall_registry::Colour as Kept;
        Some(match choice {
            ColourChoice::None => return None,
            ColourChoice::Red => Kept::Red,
            ColourChoice::Orange => Kept::Orange,
            ColourChoice::Yellow => Kept::Yellow,
            ColourChoice::Green => Kept::Green,
            ColourChoice::Blue => Kept::Blue,
            ColourChoice::Purple => Kept::Purple,
            ColourChoice::Grey => Kept::Grey,
        })
    }
}

/// Whether the window is light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// What a person set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    /// Whether the window is light or dark.
    pub theme: Theme,
    /// Days within which nothing that was made or used is offered to be cleaned up, at most 3,650.
    pub guard_days: u32,
    /// The folder that new worktrees go into; empty puts them beside their repositories.
    pub worktree_folder: String,
    /// Whether clean workspaces are looked at closely without anybody asking.
    pub looks: bool,
    /// What the window keeps for itself, such as its columns; at most 16 KiB.
    pub layout: String,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            guard_days: 7,
            worktree_folder: String::new(),
            looks: true,
            layout: String::new(),
        }
    }
}

/// Whether HEAD is merged into its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum MergedKind {
    /// Not found out, or one of the two moved since.
    Unknown,
    /// All that was committed is in the base.
    Yes,
    /// It is not, or it is the base itself.
    No,
}

/// Which lines of the journal are wanted; all that is told has to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JournalFilter {
    /// About this workspace.
    pub workspace: Option<WorkspaceRef>,
    /// On this host.
    pub host: Option<HostRef>,
    /// By this one.
    pub actor: Option<Actor>,
}

/// How many lines of the journal a day has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JournalDay {
    /// The day of this machine's time zone, as `2026-12-03`.
    pub day: String,
    /// Lines of roll calls.
    pub roll_calls: u32,
    /// Lines of persons.
    pub people: u32,
    /// Lines of what Rollcall did on its own.
    pub sweeps: u32,
}

/// The repository on another host that comes from where a workspace does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Counterpart {
    /// The workspace.
    pub id: WorkspaceRef,
    /// The repository on the other host.
    pub of: Option<WorkspaceRef>,
    /// The short name of the branch that the workspace has checked out.
    pub branch: Option<String>,
    /// Why there is no repository, or no branch; empty if there are both.
    pub words: String,
}

/// A folder of this machine in which people keep repositories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PlaceRow {
    /// Its path, to look for repositories in.
    pub path: String,
    /// Its path as people say it.
    pub display: String,
}
