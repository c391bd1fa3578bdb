//! Implausible absence (I17).

use super::*;

fn places(count: u8) -> Vec<String> {
    (0..count).map(|n| format!("/w{n}")).collect()
}

/// A repository with so many worktrees, seen once.
fn many(count: u8) -> Memory {
    let mut mirror = Memory::with_roots(1);
    mirror.call(10, &[(root_id(0), left(count, count))]);
    mirror
}

/// The first `there` of `count` worktrees are there, the others are gone.
fn left(there: u8, count: u8) -> Said {
    let mut assertions = vec![repository("/r0", strong(1))];
    for (n, at) in (0..).zip(places(there)) {
        assertions.push(worktree(&at, strong(100 + n)));
    }
    let places = places(count);
    let gone: Vec<&str> = places
        .iter()
        .skip(usize::from(there))
        .map(String::as_str)
        .collect();
    Said::Complete {
        assertions,
        probes: gone_at(&gone),
        unread: Vec::new(),
    }
}

fn held(mirror: &Memory) -> usize {
    mirror
        .rows
        .iter()
        .filter(|row| row.state.unconfirmed.is_some())
        .count()
}

#[test]
fn i17_ten_rows_may_go_at_once_and_so_may_thirty_percent() {
    for (count, there) in [(11, 1), (36, 25), (60, 42)] {
        let mut mirror = many(count);
        mirror.call(20, &[(root_id(0), left(there, count))]);
        assert_eq!(
            (held(&mirror), mirror.rows.len()),
            (0, usize::from(there) + 1)
        );
    }
}

#[test]
fn i17_more_than_ten_rows_and_more_than_thirty_percent_are_held() {
    // 11 of 35 present are 31.4 %, and 11 of 12 are nearly all.
    for (count, there) in [(34, 23), (11, 0)] {
        let mut mirror = many(count);
        let plan = mirror.call(20, &[(root_id(0), left(there, count))]);
        assert_eq!(
            (held(&mirror), mirror.rows.len()),
            (11, usize::from(count) + 1)
        );
        let gone = mirror
            .rows
            .iter()
            .filter(|it| it.state.presence != Presence::Present);
        assert_eq!(gone.count(), 0);
        let of = u64::from(count) + 1;
        assert_eq!(plan.events, [Event::AbsenceHeld { rows: 11, of }]);
        // The rest of the snapshot applies, and once more it says nothing new.
        assert_eq!(plan.roots[0].condition, Condition::Asserted);
        let again = mirror.call(30, &[(root_id(0), left(there, count))]);
        assert_eq!((again.changes, again.events), (vec![], vec![]));
    }
}

#[test]
fn i17_rows_that_answer_again_are_cleared_and_the_others_stay_held_however_few() {
    let mut mirror = many(12);
    mirror.call(20, &[(root_id(0), left(0, 12))]);
    assert_eq!(held(&mirror), 12);
    mirror.call(30, &[(root_id(0), left(11, 12))]);
    let row = mirror.at("/w11");
    assert_eq!((held(&mirror), row.state.unconfirmed), (1, Some(at(20))));
    assert_eq!(row.state.presence, Presence::Present);
    mirror.call(40, &[(root_id(0), left(12, 12))]);
    assert_eq!(held(&mirror), 0);
}

#[test]
fn i17_rows_held_before_count_with_those_that_go_now() {
    let mut mirror = many(20);
    mirror.call(20, &[(root_id(0), left(8, 20))]);
    assert_eq!(held(&mirror), 12);
    mirror.call(30, &[(root_id(0), left(6, 20))]);
    assert_eq!((held(&mirror), mirror.rows.len()), (14, 21));
}

#[test]
fn i17_deletions_of_ours_missing_rows_and_hidden_ones_do_not_count() {
    // Ten others go with them: one more that counted would be too many.
    let mut mirror = many(13);
    for n in 0..3 {
        let id = mirror.at(&format!("/w{n}")).id;
        let row = mirror.row_mut(id);
        match n {
            0 => row.tombstone = row.state.generation,
            1 => row.untracked = true,
            _ => row.state.presence = Presence::Missing { since: at(15) },
        }
    }
    let plan = mirror.call(20, &[(root_id(0), left(0, 13))]);
    assert_eq!(held(&mirror), 0, "{plan:?}");
}

#[test]
fn i6_i17_what_is_hidden_is_not_forgotten_while_absence_is_held() {
    let mut mirror = many(15);
    let id = mirror.at("/w0").id;
    mirror.row_mut(id).untracked = true;
    mirror.call(20, &[(root_id(0), left(0, 15))]);
    assert_eq!(held(&mirror), 14);
    let row = mirror.row_mut(id);
    assert_eq!(row.state.presence, Presence::Present);
}

#[test]
fn i17_what_a_person_keeps_is_missing_and_stays() {
    let mut mirror = many(1);
    let id = mirror.at("/w0").id;
    mirror.row_mut(id).kept = true;
    for second in [20, 30] {
        mirror.call(second, &[(root_id(0), left(0, 1))]);
        let row = mirror.at("/w0");
        assert_eq!(row.state.presence, Presence::Missing { since: at(20) });
    }
}

#[test]
fn i17_an_accepted_absence_counts_from_when_it_was_first_said() {
    let mut mirror = many(12);
    mirror.annotate("/w0");
    mirror.call(20, &[(root_id(0), left(0, 12))]);
    let since = Presence::Missing { since: at(20) };
    match decide_absence(mirror.at("/w0"), at(99)) {
        Loss::Missing { state, event } => {
            assert_eq!((state.presence, state.unconfirmed), (since, None));
            assert!(matches!(event, Some(Event::WentMissing { .. })));
        }
        Loss::Dropped(event) => panic!("{event:?}"),
    }
    let loss = decide_absence(mirror.at("/w1"), at(99));
    assert!(matches!(loss, Loss::Dropped(Event::Dropped { .. })));
}

#[test]
fn i17_a_host_that_answers_as_another_machine_is_held_whole() {
    let mut mirror = many(3);
    mirror.machine = Some("one".to_owned());
    let before = mirror.rows.clone();
    let says = |machine: &str| {
        let mut builder = SnapshotBuilder::new(HOST, Tier::Facts, at(20), &[root_id(0)]);
        builder.host_facts(HostFacts {
            machine: machine.to_owned(),
            ..HostFacts::default()
        });
        builder.open(0).unwrap();
        builder.assert(0, repository("/r0", strong(1))).unwrap();
        for (place, probe) in gone_at(&["/w0", "/w1", "/w2"]) {
            builder.probe(0, place, probe).unwrap();
        }
        builder.close(0, 1).unwrap();
        builder.finish().unwrap()
    };
    let plan = mirror.plan(&says("two"), 20);
    assert_eq!(plan.another_machine.as_deref(), Some("two"));
    assert_eq!(plan.events, [Event::AnotherMachine]);
    let Condition::Failed { failure } = &plan.roots[0].condition else {
        panic!("{plan:?}");
    };
    assert_eq!(failure.code, FailureCode::AnotherMachine);
    mirror.apply(&plan);
    assert_eq!(mirror.rows, before);
    // The same machine, or one that does not say, is believed.
    for machine in ["one", ""] {
        let plan = mirror.plan(&says(machine), 20);
        assert_eq!((plan.another_machine, plan.changes.len()), (None, 3));
    }
    // A host that never said who it is takes the first word.
    mirror.machine = None;
    assert_eq!(mirror.plan(&says("two"), 20).another_machine, None);
}
