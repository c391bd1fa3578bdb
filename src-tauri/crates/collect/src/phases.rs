//! How long each part of a roll call took.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rollcall_converge::{RootOutcome, Snapshot};

use crate::transport::Report;

/// The parts, by the numbers under which the collector reports that they begin.
const PARTS: [&str; 3] = ["roots", "existence", "facts"];

/// When each part of a roll call began, as it is heard here.
#[derive(Clone)]
pub(crate) struct Phases {
    asked: Instant,
    begun: Arc<Mutex<[Option<Instant>; PARTS.len()]>>,
}

impl Phases {
    /// A roll call that is asked for now.
    pub(crate) fn start() -> Self {
        Self {
            asked: Instant::now(),
            begun: Arc::default(),
        }
    }

    /// What hears the collector say that parts begin. Loops begin a part one after another: the first counts.
    pub(crate) fn report(&self) -> Report {
        let begun = Arc::clone(&self.begun);
        Arc::new(move |part, _| {
            let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
            let slot = usize::try_from(part)
                .ok()
                .and_then(|part| begun.get_mut(part.checked_sub(1)?));
            if let Some(slot) = slot {
                slot.get_or_insert_with(Instant::now);
            }
        })
    }

    /// The times in words, once the whole answer is here; `bytes` long, and read within `reading`.
    pub(crate) fn words(&self, snapshot: &Snapshot, bytes: usize, reading: Duration) -> String {
        let workspaces: usize = snapshot
            .roots()
            .iter()
            .map(|(_, outcome)| match outcome {
                RootOutcome::Complete(all) => all.assertions().len(),
                RootOutcome::NoSuchFile { .. } | RootOutcome::Failed(_) => 0,
            })
            .sum();
        let end = Instant::now().checked_sub(reading).unwrap_or(self.asked);
        let begun = *self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words = format!(
            "workspaces: {workspaces}, roots: {}, in {} ms",
            snapshot.roots().len(),
            end.duration_since(self.asked).as_millis()
        );
        let mut from = self.asked;
        let mut part = "reached";
        // Writing to a string cannot fail.
        for (at, name) in begun.into_iter().zip(PARTS) {
            let Some(at) = at else { continue };
            let took = at.saturating_duration_since(from).as_millis();
            write!(words, "; {part} {took} ms").unwrap_or_default();
            (from, part) = (at, name);
        }
        let took = end.saturating_duration_since(from).as_millis();
        write!(words, "; {part} {took} ms").unwrap_or_default();
        let (kib, took) = (bytes.div_ceil(1024), reading.as_millis());
        write!(words, "; {kib} KiB read in {took} ms").unwrap_or_default();
        words
    }
}
