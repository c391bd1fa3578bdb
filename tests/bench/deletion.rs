//! How long a deletion takes. Prints one line per figure, its parts separated by tabs: name, files of the worktree, the
//! figure's milliseconds, no floor, no rows. `cargo xtask bench` reads them.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure of a measurement has to be loud, and its figures are printed"
)]

use std::time::{Duration, Instant};

use rollcall_api::App;
use rollcall_api::wire::{BranchFate, DeletionForm, DeletionMode, HostRef};
use rollcall_tests::stage::{Stage, row, rows, settled};

/// Turns of each figure.
const TURNS: usize = 7;
/// Files in the worktree that is deleted.
const FILES: usize = 1_000;

/// How long it takes from the decision until the folder is gone, and until a roll call has confirmed it.
async fn deleted(stage: &Stage, app: &App, there: HostRef, turn: usize) -> [Duration; 2] {
    let name = format!("turn-{turn}");
    let quay = stage.play.existing("srv/quay");
    let tree = quay.worktree(format!("srv/{name}"), &name).unwrap();
    tree.write("unknown", "nobody knows\n").unwrap();
    app.sync_now(Some(there)).await.unwrap();
    let found = loop {
        if let Some(found) = rows(app).await.into_iter().find(|it| it.name == name) {
            break found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    let checked = app.check_deletions("check".to_owned(), vec![found.id]);
    let shown = checked.await.unwrap().remove(0);
    let form = DeletionForm {
        id: shown.id,
        shown: shown.shown,
        mode: DeletionMode::Trash,
        branch: BranchFate::Keep,
        unseen: false,
    };
    let begun = Instant::now();
    let outcomes = app.delete(vec![form]).await.unwrap();
    assert!(outcomes[0].error.is_none(), "{outcomes:?}");
    while tree.path().exists() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let gone = begun.elapsed();
    while rows(app).await.iter().any(|it| it.name == name) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    [gone, begun.elapsed()]
}

#[tokio::main]
async fn main() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    for n in 0..FILES {
        quay.write(format!("src/{}/{n}", n % 40), format!("file {n}\n"))
            .unwrap();
    }
    quay.git(["add", "-A"]).unwrap();
    quay.git(["commit", "-q", "-m", "Many files"]).unwrap();
    let (app, _events, there) = stage.enrolled(&stage.play.at("srv/quay")).await;
    settled(&app).await;
    row(&app, "quay").await;
    let mut least = [Duration::MAX; 2];
    for turn in 0..TURNS {
        let took = deleted(&stage, &app, there, turn).await;
        for (least, took) in least.iter_mut().zip(took) {
            *least = (*least).min(took);
        }
    }
    let milliseconds = |it: Duration| it.as_secs_f64() * 1000.0;
    println!(
        "delete until gone\t{FILES}\t{:.3}\t\t",
        milliseconds(least[0])
    );
    println!(
        "delete until confirmed\t{FILES}\t{:.3}\t\t",
        milliseconds(least[1])
    );
    app.shutdown().await;
}
