//! A process that is killed while it writes loses nothing it was told is written.

use std::env;
use std::path::Path;

use jiff::Timestamp;
use rollcall_registry::{AnnotationPatch, Registry};

use crate::{again, as_the_other, place, start};

/// How often one is killed.
const ROUNDS: usize = 200;
const TEST: &str = "crash::d3_no_acknowledged_write_is_lost_to_a_kill";

#[tokio::test]
async fn d3_no_acknowledged_write_is_lost_to_a_kill() {
    if let Some(folder) = as_the_other() {
        write_for_ever(&folder).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = env::current_exe().unwrap();
    let mut last = 0;
    for round in 0..ROUNDS {
        let (other, lines) = start(again(&[], &program, TEST, folder.path()));
        let acknowledged: Vec<u64> = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("written ")?.parse().ok())
            .take(1 + round * 7 % 40)
            .collect();
        // It is somewhere in the write after the last one that was read.
        drop(other);
        let told = *acknowledged.last().unwrap();
        let registry = Registry::open(folder.path()).await.unwrap();
        let rows = registry.workspaces().await.unwrap();
        let found: u64 = rows[0].note.parse().unwrap();
        assert!(
            found >= told && told > last,
            "round {round}: {found} of {told}, before {last}"
        );
        assert_eq!(
            rows[0].tags,
            [found.to_string()],
            "half of a verb is in the file"
        );
        last = found;
        registry.close().await;
    }
}

/// Writes number after number and says so after each.
async fn write_for_ever(folder: &Path) {
    let place = place(folder).await;
    let row = place.registry.workspaces().await.unwrap().remove(0);
    let mut number: u64 = row.note.parse().unwrap_or(0);
    loop {
        number += 1;
        let patch = AnnotationPatch {
            note: Some(number.to_string()),
            tags: Some(vec![number.to_string()]),
            ..AnnotationPatch::default()
        };
        place
            .registry
            .annotate(place.row, &patch, Timestamp::now())
            .await
            .unwrap();
        println!("written {number}");
    }
}
