//! Words in notes and in subjects of commits.

use std::time::{Duration, Instant};

use rollcall_converge::{Assertion, FactsOutcome, LastCommit};

use super::world::{World, at, facts, main_tree, worktree};
use crate::RegistryCode;

fn with_subject(assertion: Assertion, subject: &str) -> Assertion {
    let mut facts = facts(0);
    facts.last_commit = Some(LastCommit {
        time: at(0),
        subject: subject.to_owned(),
        author: "Ada".to_owned(),
    });
    Assertion {
        facts: FactsOutcome::Observed(facts),
        ..assertion
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| (*it).to_owned()).collect()
}

#[tokio::test]
async fn words_are_found_in_notes_and_subjects_whatever_their_case_and_nowhere_else() {
    let world = World::new().await;
    world
        .hears(
            1,
            &[
                with_subject(main_tree("/r", 1), "Über die Brücke"),
                with_subject(worktree("/100%", 2), "Fix \"quoted\" 100%_x"),
                worktree("/plain", 3),
            ],
        )
        .await;
    let id = async |path: &str| world.row(path).await.row.id;
    let (r, hundred, plain) = (id("/r").await, id("/100%").await, id("/plain").await);
    world.note(plain, "Waits for ÄNNE.\nSecond line", 2).await;
    let asked = [
        "ÜBER",
        "änne",
        "second LINE",
        "quoted\"",
        "0%_",
        "ada",
        "last_commit",
        "",
        "brü",
        "e",
    ];
    let found = world.registry.texts(&words(&asked)).await.unwrap();
    let none = Vec::new;
    assert_eq!(
        found,
        [
            vec![r],
            vec![plain],
            vec![plain],
            vec![hundred],
            vec![hundred],
            none(),
            none(),
            none(),
            vec![r],
            {
                let mut all = vec![r, hundred, plain];
                all.sort_unstable();
                all
            },
        ]
    );
    assert_eq!(world.registry.texts(&[]).await.unwrap(), [] as [Vec<_>; 0]);
    for bad in [vec!["a"; 17], vec![&"x".repeat(201)]] {
        let error = world.registry.texts(&words(&bad)).await.unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput);
    }
}

#[tokio::test]
async fn ten_thousand_rows_are_looked_through_while_somebody_types() {
    let world = World::new().await;
    let said: Vec<_> = (2..10_001)
        .map(|n| {
            with_subject(
                worktree(format!("/w/{n}"), n),
                &format!("Say what changed in {n}"),
            )
        })
        .collect();
    world
        .hears(1, &[&[main_tree("/r", 1)], said.as_slice()].concat())
        .await;
    let begun = Instant::now();
    let found = world
        .registry
        .texts(&words(&["9999", "nowhere"]))
        .await
        .unwrap();
    let took = begun.elapsed();
    assert_eq!((found[0].len(), found[1].len()), (1, 0));
    // Far above what it takes, and far below what reading every fact does.
    assert!(took < Duration::from_secs(3), "{took:?}");
    println!("texts over 10,000 rows: {took:?}");
}
