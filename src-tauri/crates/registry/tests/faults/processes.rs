//! Other processes on the same registry.

use std::env;
use std::time::Duration;

use jiff::Timestamp;
use rollcall_registry::RegistryCode;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::{again, answer, as_the_other, note, place, start};

const BOTH: &str = "processes::rd01_rd06_two_processes_write_at_once_and_lose_nothing";
const HELD: &str = "processes::d1_a_registry_held_by_another_process_is_read_and_says_so";
const TURNS: usize = 50;

#[tokio::test]
async fn rd01_rd06_two_processes_write_at_once_and_lose_nothing() {
    if let Some(folder) = as_the_other() {
        let place = place(&folder).await;
        println!("begun");
        let mut changed = 0;
        for turn in 0..TURNS {
            // Each process says something else every time, so every write changes something.
            let commit = ["a", "b"][turn % 2];
            let snapshot = answer(place.host, place.root, commit);
            place
                .registry
                .apply(&snapshot, Timestamp::now())
                .await
                .unwrap();
            let text = format!("{} {turn}", std::process::id());
            place
                .registry
                .annotate(place.row, &note(text), Timestamp::now())
                .await
                .unwrap();
            changed += 2;
        }
        println!("changed {changed}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path()).await;
    let before = place.registry.revision().await.unwrap();
    let program = env::current_exe().unwrap();
    let others: Vec<_> = (0..2)
        .map(|_| start(again(&[], &program, BOTH, folder.path())))
        .collect();
    let mut sum = 0;
    for (_other, lines) in others {
        let said: Vec<String> = lines.map_while(Result::ok).collect();
        let changed = said.iter().find_map(|line| line.strip_prefix("changed "));
        sum += changed
            .unwrap_or_else(|| panic!("{said:#?}"))
            .parse::<u64>()
            .unwrap();
    }
    assert_eq!(sum, 4 * TURNS as u64);
    // Every verb of both raised the one revision by one.
    assert_eq!(place.registry.revision().await.unwrap() - before, sum);
    assert_eq!(place.registry.workspaces().await.unwrap().len(), 1);
}

#[tokio::test]
async fn d1_a_registry_held_by_another_process_is_read_and_says_so() {
    if let Some(folder) = as_the_other() {
        let mut connection = SqliteConnectOptions::new()
            .filename(folder.join("registry.sqlite3"))
            .connect()
            .await
            .unwrap();
        let _held = connection.begin_with("BEGIN EXCLUSIVE").await.unwrap();
        println!("held");
        std::future::pending::<()>().await;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path()).await;
    let program = env::current_exe().unwrap();
    let (other, mut lines) = start(again(&[], &program, HELD, folder.path()));
    assert!(lines.any(|line| line.unwrap() == "held"));
    let begun = std::time::Instant::now();
    let error = place
        .registry
        .annotate(place.row, &note("Too late."), Timestamp::now())
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::Locked, "{error}");
    assert!(error.may_pass() && error.to_string().contains("another process"));
    // It waited for the other one, and did not give up at once.
    assert!(begun.elapsed() >= Duration::from_secs(4));
    let row = place.registry.workspace(place.row).await.unwrap().unwrap();
    assert_eq!(row.note, "");
    drop(other);
    place
        .registry
        .annotate(place.row, &note("In time."), Timestamp::now())
        .await
        .unwrap();
}
