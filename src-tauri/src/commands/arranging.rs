//! Commands about what people write and arrange for themselves, and about what the window asks for itself.

use rollcall_api::Application;
use rollcall_api::wire::{
    AnnotationForm, AnnotationPatch, BackupRow, Counterpart, GroupRef, HostRef, JournalDay,
    JournalFilter, JournalLine, MemberForm, OrderForm, PlaceRow, Preferences, ViewRef,
    WorkspaceDetail, WorkspaceRef,
};
use tauri::State;

use super::Answer;

adapters! {
    application => application.app()?;
    /// Writes what a person wants to remember.
    annotate(id: WorkspaceRef, patch: AnnotationPatch) -> WorkspaceDetail;
    /// Writes what a person wants to remember about several workspaces.
    annotate_all(forms: Vec<AnnotationForm>) -> ();
    /// Stops showing workspaces.
    untrack_all(ids: Vec<WorkspaceRef>) -> ();
    /// Shows workspaces again.
    retrack_all(ids: Vec<WorkspaceRef>) -> ();
    /// Makes a group, in another one or in none.
    add_group(name: String, parent: Option<GroupRef>) -> GroupRef;
    /// Gives a group another name.
    rename_group(id: GroupRef, name: String) -> ();
    /// Dissolves a group.
    remove_group(id: GroupRef) -> ();
    /// Puts groups into a group, or into none, in an order.
    arrange_groups(parent: Option<GroupRef>, order: Vec<GroupRef>) -> ();
    /// Puts workspaces into groups, and gives members of groups their places.
    regroup(members: Vec<MemberForm>, orders: Vec<OrderForm>) -> ();
    /// Saves a way to look at the list.
    save_view(id: Option<ViewRef>, name: String, definition: String) -> ViewRef;
    /// Forgets a saved view.
    remove_view(id: ViewRef) -> ();
    /// Puts the saved views into an order.
    arrange_views(order: Vec<ViewRef>) -> ();
    /// Says what a missing workspace became.
    relink(id: WorkspaceRef, to: WorkspaceRef) -> ();
    /// Forgets missing workspaces that are gone for good.
    forget_missing(ids: Vec<WorkspaceRef>) -> ();
    /// The journal, newest first.
    journal(before: Option<u32>, filter: JournalFilter) -> Vec<JournalLine>;
    /// Notes that a person looked at the journal up to a line.
    journal_seen(number: u32) -> ();
    /// How many lines the journal has for each of the last days.
    journal_days(host: Option<HostRef>, weeks: u32) -> Vec<JournalDay>;
    /// Keeps what a person set.
    set_preferences(preferences: Preferences) -> ();
    /// Workspaces whose notes, or subjects of commits, have words.
    texts(words: Vec<String>) -> Vec<Vec<WorkspaceRef>>;
    /// Repositories on a host that come from where workspaces do.
    counterparts(ids: Vec<WorkspaceRef>, host: HostRef) -> Vec<Counterpart>;
    /// Folders of this machine in which people keep repositories.
    search_places() -> Vec<PlaceRow>;
    /// Opens an address of the web in the browser.
    open_address(url: String) -> ();
    /// Opens the link of a workspace in the browser.
    open_link(id: WorkspaceRef) -> ();
    /// Copies the registry now.
    back_up_now() -> BackupRow;
}
