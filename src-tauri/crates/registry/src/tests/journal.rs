//! Whose lines, about what, since when, and what of it is new.

use rollcall_converge::{Address, SshTarget, WorkspaceId};

use super::world::{World, at, complete, main_tree, path, register, worktree};
use crate::{Actor, JournalCounts, JournalEntry, JournalFilter, JournalKind};

async fn lines(world: &World, filter: JournalFilter) -> Vec<JournalEntry> {
    world.registry.journal(filter, None, 500).await.unwrap()
}

/// A world with two hosts that told something, and a person who wrote something.
async fn told() -> (World, rollcall_converge::HostId) {
    let world = World::new().await;
    let said = [main_tree("/r", 1), worktree("/a", 2), worktree("/b", 3)];
    world.hears(1, &said).await;
    let target = SshTarget {
        destination: "box".to_owned(),
        ..SshTarget::default()
    };
    let address = Address::Ssh(target);
    let (there, _) = world
        .registry
        .add_host("box", address, at(2))
        .await
        .unwrap();
    let root = register(&world.registry, there.id, "/r").await;
    let said = [main_tree("/r", 4), worktree("/a", 5), worktree("/b", 6)];
    let snapshot = complete(there.id, 3, &[(root.id, &said, &[])]);
    world.registry.apply(&snapshot, at(3)).await.unwrap();
    let id = own(&world).await;
    world.note(id, "Mine.", 4).await;
    (world, there.id)
}

/// The worktree of this machine that something was written about.
async fn own(world: &World) -> WorkspaceId {
    let rows = world.rows().await;
    let found = rows
        .iter()
        .find(|it| it.host == world.host && it.row.state.path == path("/a"));
    found.unwrap().row.id
}

#[tokio::test]
async fn lines_are_told_by_row_host_root_and_who_wrote_them_and_by_all_of_that_together() {
    let (world, there) = told().await;
    let all = lines(&world, JournalFilter::default()).await;
    let by = |actor| JournalFilter {
        actor: Some(actor),
        ..JournalFilter::default()
    };
    for actor in [Actor::RollCall, Actor::Person, Actor::Sweep] {
        let wanted: Vec<_> = all.iter().filter(|it| it.actor == actor).cloned().collect();
        assert_eq!(lines(&world, by(actor)).await, wanted);
    }
    let on = |host, actor| JournalFilter {
        host: Some(host),
        actor,
        ..JournalFilter::default()
    };
    for host in [world.host, there] {
        let wanted: Vec<_> = all
            .iter()
            .filter(|it| it.host == Some(host))
            .cloned()
            .collect();
        assert!(!wanted.is_empty());
        assert_eq!(lines(&world, on(host, None)).await, wanted);
        let calls = lines(&world, on(host, Some(Actor::RollCall))).await;
        assert_eq!(calls.len(), 2);
    }
    let id = own(&world).await;
    let about = lines(&world, JournalFilter::of(id)).await;
    assert_eq!(about.len(), 2);
    let both = JournalFilter {
        workspace: Some(id),
        ..by(Actor::Person)
    };
    let kinds: Vec<_> = lines(&world, both)
        .await
        .into_iter()
        .map(|it| it.kind)
        .collect();
    assert_eq!(kinds, [JournalKind::Annotated]);
    // Of a root: its rows, and its own path, on its own host.
    let root = JournalFilter {
        root: Some(world.root.id),
        ..JournalFilter::default()
    };
    let of_root = lines(&world, root).await;
    assert_eq!(of_root.len(), 4);
    assert!(of_root.iter().all(|it| it.host == Some(world.host)));
    let first = JournalKind::RootRegistered {
        kind: world.root.kind,
    };
    assert_eq!(of_root.last().unwrap().kind, first);
}

#[tokio::test]
async fn only_what_no_person_wrote_is_new_and_only_since_somebody_looked() {
    let (world, _) = told().await;
    let registry = &world.registry;
    let unseen = registry.journal_unseen().await.unwrap();
    let all = lines(&world, JournalFilter::default()).await;
    assert_eq!((unseen.seen, unseen.lines), (0, 4));
    assert_eq!(unseen.newest, all[0].number);
    let third = all
        .iter()
        .filter(|it| it.actor == Actor::RollCall)
        .nth(1)
        .unwrap();
    let changed = registry.see_journal(third.number).await.unwrap();
    assert!(changed.settings);
    let unseen = registry.journal_unseen().await.unwrap();
    assert_eq!((unseen.seen, unseen.lines), (third.number, 1));
    // It is not taken back, and what is yet to come was not looked at.
    let back = registry.see_journal(1).await.unwrap();
    assert!(!back.settings);
    registry.see_journal(u64::MAX).await.unwrap();
    let unseen = registry.journal_unseen().await.unwrap();
    assert_eq!((unseen.seen, unseen.lines), (unseen.newest, 0));
    // What a person does is not new to them; what a roll call tells is, and that is said.
    let changed = world.note(own(&world).await, "More.", 900).await;
    assert!(!changed.journal);
    let said: Vec<_> = (2..30).map(|n| worktree(format!("/w/{n}"), n)).collect();
    let applied = world
        .hears(901, &[&[main_tree("/r", 1)], said.as_slice()].concat())
        .await;
    assert!(applied.changed.journal);
    let unseen = registry.journal_unseen().await.unwrap();
    assert_eq!(unseen.lines, applied.events.len() as u64);
}

#[tokio::test]
async fn what_is_new_is_counted_up_to_a_thousand() {
    let world = World::new().await;
    let said: Vec<_> = (2..1_100).map(|n| worktree(format!("/w/{n}"), n)).collect();
    world
        .hears(1, &[&[main_tree("/r", 1)], said.as_slice()].concat())
        .await;
    assert_eq!(world.registry.journal_unseen().await.unwrap().lines, 1_000);
}

#[tokio::test]
async fn days_are_counted_by_who_wrote_between_their_bounds() {
    let (world, there) = told().await;
    let bounds = [at(0), at(2), at(4), at(5), at(9)];
    let days = world.registry.journal_days(None, &bounds).await.unwrap();
    let counts = |roll_calls, people| JournalCounts {
        roll_calls,
        people,
        sweeps: 0,
    };
    // Registering two roots, and this machine; the second host; the note.
    assert_eq!(
        days,
        [counts(2, 3), counts(2, 1), counts(0, 1), counts(0, 0)]
    );
    let days = world
        .registry
        .journal_days(Some(there), &bounds)
        .await
        .unwrap();
    assert_eq!(
        days,
        [counts(0, 1), counts(2, 1), counts(0, 0), counts(0, 0)]
    );
    let nowhere = rollcall_converge::HostId::new(WorkspaceId::new(uuid::Uuid::nil()).uuid());
    let days = world
        .registry
        .journal_days(Some(nowhere), &bounds)
        .await
        .unwrap();
    assert!(days.iter().all(|it| *it == JournalCounts::default()));
    assert_eq!(world.registry.journal_days(None, &[]).await.unwrap(), []);
}

#[tokio::test]
async fn the_journal_is_asked_by_its_indexes() {
    let world = World::new().await;
    let mut connection = world.registry.readers.acquire().await.unwrap();
    for (asked, index) in [
        (
            "SELECT 1 FROM journal WHERE actor IN ('roll_call', 'sweep') AND number > 5 LIMIT 1000",
            "COVERING INDEX journal_by_actor",
        ),
        (
            "SELECT * FROM journal WHERE number < 9 AND host_id = x'01' ORDER BY number DESC LIMIT 2",
            "INDEX journal_by_host",
        ),
        (
            "SELECT * FROM journal WHERE number < 9 AND actor = 'person' ORDER BY number DESC LIMIT 2",
            "INDEX journal_by_actor",
        ),
        (
            "SELECT count(*) FILTER (WHERE actor = 'person') FROM journal WHERE at >= 1 AND at < 2 \
             AND (NULL IS NULL OR host_id = NULL)",
            "COVERING INDEX journal_by_time",
        ),
    ] {
        let plan = sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {asked}")))
            .fetch_all(&mut *connection)
            .await
            .unwrap();
        let words: Vec<String> = plan
            .iter()
            .map(|row| sqlx::Row::get(row, "detail"))
            .collect();
        assert!(
            words.iter().any(|it| it.contains(index)),
            "{asked}: {words:?}"
        );
        assert!(
            words.iter().all(|it| !it.contains("TEMP B-TREE")),
            "{words:?}"
        );
    }
}
