//! Registries of every released schema, as they were written then.

use std::fs;

use rollcall_converge::{Generation, Origin, Presence, Provenance, Tier};

use super::world::{at, path};
use crate::backups::BACKUPS;
use crate::open::{FILE, MIGRATIONS};
use crate::{Colour, JournalFilter, JournalKind, Registry, Seen};

#[tokio::test]
async fn a_registry_of_schema_1_is_copied_and_brought_up_to_date_with_everything_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let old = include_bytes!("../../tests/schemas/1.sqlite3");
    fs::write(folder.path().join(FILE), old).unwrap();
    let registry = Registry::open(folder.path()).await.unwrap();

    let hosts = registry.hosts().await.unwrap();
    assert_eq!(hosts.len(), 2);
    assert_eq!(
        (hosts[1].host.label.as_str(), hosts[1].host.suspended),
        ("Build box", true)
    );
    assert_eq!((hosts[0].machine.clone(), hosts[0].unconfirmed), (None, 0));
    let rows = registry.workspaces().await.unwrap();
    let at_path = |bytes: &[u8]| {
        let found = rows.iter().find(|it| it.row.state.path == path(bytes));
        found.unwrap().clone()
    };
    assert_eq!(rows.len(), 8);
    let noted = at_path(b"/w/noted");
    assert_eq!(noted.note, "Kept since the first version.");
    assert_eq!(
        (noted.tags.as_slice(), noted.pinned),
        (["b".to_owned(), "a".to_owned()].as_slice(), true)
    );
    assert_eq!(noted.display_name.as_deref(), Some("Old name"));
    assert!(at_path(b"/w/hidden").row.untracked);
    assert_eq!(
        at_path(b"/w/gone").row.state.presence,
        Presence::Missing { since: at(4) }
    );
    assert_eq!(at_path(b"/w/away").row.state.presence, Presence::Away);
    let weak = Generation {
        inode: u64::MAX,
        origin: Origin::BirthSecond(5),
    };
    assert_eq!(at_path(b"/w/weak").row.state.generation, Some(weak));
    at_path(b"/w/odd\n\xff");
    let journal = registry
        .journal(JournalFilter::default(), None, 100)
        .await
        .unwrap();
    assert_eq!(journal[0].kind, JournalKind::HostSuspended);
    assert!(journal.len() > 10);
    // It goes on as any registry does.
    registry
        .roll_call(hosts[0].host.id, Tier::Facts)
        .await
        .unwrap();
    registry
        .set_suspended(hosts[1].host.id, false, at(9))
        .await
        .unwrap();
    let newest = registry
        .journal(JournalFilter::default(), None, 1)
        .await
        .unwrap();
    assert!(newest[0].number > journal[0].number);
    registry.close().await;

    let copies: Vec<_> = fs::read_dir(folder.path().join(BACKUPS))
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    assert_eq!(copies.len(), 1);
    let name = copies[0].file_name().unwrap().to_str().unwrap();
    assert!(name.ends_with("-schema-1.sqlite3"), "{name}");
    // The copy is the old registry: it opens, and is brought up to date, in turn.
    let again = tempfile::tempdir().unwrap();
    fs::copy(&copies[0], again.path().join(FILE)).unwrap();
    let registry = Registry::open(again.path()).await.unwrap();
    assert_eq!(registry.workspaces().await.unwrap().len(), 8);
}

#[tokio::test]
async fn a_registry_of_schema_2_keeps_its_groups_and_pending_deletions() {
    let folder = tempfile::tempdir().unwrap();
    let old = include_bytes!("../../tests/schemas/2.sqlite3");
    fs::write(folder.path().join(FILE), old).unwrap();
    let registry = Registry::open(folder.path()).await.unwrap();
    let rows = registry.workspaces().await.unwrap();
    assert_eq!(rows.len(), 8);
    let groups = registry.groups().await.unwrap();
    assert_eq!(groups[0].name, "Harbour");
    let grouped = rows
        .iter()
        .find(|it| it.group == Some(groups[0].id))
        .unwrap();
    assert_eq!(grouped.row.state.path, path(b"/w/noted"));
    assert_eq!(
        (grouped.colour, grouped.link.as_deref()),
        (Some(Colour::Blue), Some("https://example.org/7"))
    );
    let pending = registry.tombstones(None).await.unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].consent.path, path(b"/w/away"));
    let hosts = registry.hosts().await.unwrap();
    assert_eq!(hosts.len(), 2);
    assert!(
        hosts
            .iter()
            .all(|it| it.host.sign_in.is_none() && it.cadence.is_none())
    );
    assert!(registry.forgotten_hosts().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_registry_of_schema_3_keeps_how_its_hosts_are_reached() {
    let folder = tempfile::tempdir().unwrap();
    let old = include_bytes!("../../tests/schemas/3.sqlite3");
    fs::write(folder.path().join(FILE), old).unwrap();
    let registry = Registry::open(folder.path()).await.unwrap();
    let hosts = registry.hosts().await.unwrap();
    let sign_in = hosts[1].host.sign_in.clone().unwrap();
    assert_eq!(sign_in.identity.as_deref(), Some("SHA256:one"));
    assert_eq!(hosts[1].host_key.as_deref(), Some("SHA256:abc"));
    assert_eq!(hosts[1].cadence.unwrap().as_secs(), 600);
    let rows = registry.workspaces().await.unwrap();
    assert_eq!(rows.len(), 8);
    assert_eq!(registry.seen(&rows[0]).await.unwrap(), Seen::default());
    let roots = registry.roots().await.unwrap();
    assert!(roots.iter().all(|it| it.base.is_none()));
}

#[tokio::test]
async fn a_registry_of_schema_4_keeps_what_was_seen_and_which_base_was_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let old = include_bytes!("../../tests/schemas/4.sqlite3");
    fs::write(folder.path().join(FILE), old).unwrap();
    let registry = Registry::open(folder.path()).await.unwrap();
    let rows = registry.workspaces().await.unwrap();
    let noted = rows
        .iter()
        .find(|it| it.row.state.path == path(b"/w/noted"))
        .unwrap();
    let seen = registry.seen(noted).await.unwrap();
    let (looked_at, look) = seen.look.unwrap();
    assert_eq!((looked_at, look.deep.unheld), (at(20), Ok(2)));
    // What nobody looked at then is not known.
    assert!(look.deep.submodules.is_err() && look.host_time.is_none());
    assert_eq!(seen.size.unwrap().1.total, 4096);
    let roots = registry.roots().await.unwrap();
    assert!(roots.iter().any(|it| it.base.is_some()));
    assert_eq!(registry.trash(None).await.unwrap(), []);
    // A deletion that was asked for then can be read, and has nothing to go by: it will ask again.
    let pending = registry.tombstones(None).await.unwrap();
    assert_eq!(
        (pending.len(), pending[0].consent.look.is_none()),
        (1, true)
    );
}

#[tokio::test]
async fn a_registry_of_schema_5_keeps_its_trash_and_takes_nothing_for_made_here() {
    let folder = tempfile::tempdir().unwrap();
    let old = include_bytes!("../../tests/schemas/5.sqlite3");
    fs::write(folder.path().join(FILE), old).unwrap();
    let registry = Registry::open(folder.path()).await.unwrap();
    let trash = registry.trash(None).await.unwrap();
    assert_eq!(trash.len(), 1);
    assert_eq!(trash[0].trashed.from, path(b"/w/deleted"));
    assert_eq!(trash[0].trashed.days_left(), 14);
    let rows = registry.workspaces().await.unwrap();
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|it| it.row.provenance != Provenance::Made));
}

#[tokio::test]
async fn a_registry_of_schema_6_keeps_its_groups_their_members_in_order_and_what_was_made_here() {
    let folder = tempfile::tempdir().unwrap();
    let old = include_bytes!("../../tests/schemas/6.sqlite3");
    fs::write(folder.path().join(FILE), old).unwrap();
    let registry = Registry::open(folder.path()).await.unwrap();
    let groups = registry.groups().await.unwrap();
    let names: Vec<_> = groups.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Ärger", "Harbour", "Later"]);
    let rows = registry.workspaces().await.unwrap();
    assert_eq!(rows.len(), 8);
    let mut later: Vec<_> = rows
        .iter()
        .filter(|it| it.group == Some(groups[2].id))
        .collect();
    later.sort_by_key(|it| it.position);
    let places: Vec<_> = later.iter().map(|it| it.row.state.path.display()).collect();
    assert_eq!(places, ["/w/gone", "/w/weak"]);
    assert_eq!((later[0].position, later[1].position), (Some(0), Some(1)));
    assert_eq!(later[1].row.provenance, Provenance::Made);
    // No group lies in another, nobody saved a view, and what was written before is not new.
    assert!(groups.iter().all(|it| it.parent.is_none()));
    assert_eq!(registry.views().await.unwrap(), []);
    let unseen = registry.journal_unseen().await.unwrap();
    assert_eq!((unseen.seen, unseen.lines, unseen.newest), (22, 0, 22));
    assert_eq!(
        (later[1].colour, later[1].tags.as_slice()),
        (Some(Colour::Grey), ["six".to_owned()].as_slice())
    );
}

#[test]
fn every_schema_before_this_one_has_a_registry_that_was_written_then() {
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let versions: Vec<i64> = MIGRATIONS.iter().map(|it| it.version).collect();
    let newest = versions.iter().max().unwrap();
    for version in versions.iter().filter(|version| *version < newest) {
        let file = kept.join(format!("{version}.sqlite3"));
        assert!(file.exists(), "{}", file.display());
    }
}
