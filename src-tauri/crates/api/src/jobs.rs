//! What a person started that may take long: how far it is, and how it is given up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rollcall_collect::Report;
use rollcall_converge::{HostId, HostPath};
use tokio::sync::{Notify, mpsc};

use crate::announce::Event;
use crate::error::{ApiError, ErrorCode};
use crate::wire::JobProgress;

/// The shortest time between two words about how far something is.
const PAUSE: Duration = Duration::from_millis(100);

/// Jobs of the window, by the names it gave them.
pub(crate) struct Jobs {
    events: mpsc::UnboundedSender<Event>,
    running: Mutex<HashMap<String, Arc<Notify>>>,
    /// What searches found, until the window is done with it: paths never leave by their bytes.
    found: Mutex<HashMap<String, (HostId, Vec<HostPath>)>>,
}

/// Takes a job off the list however it ends.
struct Listed<'a> {
    jobs: &'a Jobs,
    job: &'a str,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        locked(&self.jobs.running).remove(self.job);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Jobs {
    pub(crate) fn new(events: mpsc::UnboundedSender<Event>) -> Self {
        Self {
            events,
            running: Mutex::default(),
            found: Mutex::default(),
        }
    }

    /// Does some work, until it is done or given up; what is given up is dropped, and ends on its host.
    pub(crate) async fn run<T>(
        &self,
        job: &str,
        work: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let given_up = Arc::new(Notify::new());
        if locked(&self.running)
            .insert(job.to_owned(), Arc::clone(&given_up))
            .is_some()
        {
            tracing::warn!(job, "a job has the name of another one");
        }
        let _listed = Listed { jobs: self, job };
        tokio::select! {
            biased;
            () = given_up.notified() => Err(ApiError::new(ErrorCode::Cancelled, "It was cancelled.")),
            done = work => done,
        }
    }

    /// Tells the window how far a job is, at most ten times a second.
    pub(crate) fn report(&self, job: &str) -> Report {
        let events = self.events.clone();
        let job = job.to_owned();
        let last: Mutex<Option<Instant>> = Mutex::new(None);
        Arc::new(move |done, of| {
            let now = Instant::now();
            let mut last = locked(&last);
            if last.is_some_and(|last| now.duration_since(last) < PAUSE) {
                return;
            }
            *last = Some(now);
            let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
            let progress = JobProgress {
                job: job.clone(),
                first: count(done),
                second: count(of),
            };
            if events.send(Event::JobProgress(progress)).is_err() {
                tracing::debug!("nobody listens to a job any more");
            }
        })
    }

    /// Keeps what a search found for a while.
    pub(crate) fn keep(&self, job: &str, host: HostId, paths: Vec<HostPath>) {
        locked(&self.found).insert(job.to_owned(), (host, paths));
    }

    /// What a search found.
    pub(crate) fn found(&self, job: &str) -> Option<(HostId, Vec<HostPath>)> {
        locked(&self.found).get(job).cloned()
    }

    /// Gives a job up if it runs, and forgets what it found.
    pub(crate) fn end(&self, job: &str) {
        locked(&self.found).remove(job);
        if let Some(running) = locked(&self.running).get(job) {
            running.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_that_is_given_up_is_dropped_and_no_longer_listed() {
        let (events, _heard) = mpsc::unbounded_channel();
        let jobs = Jobs::new(events);
        let alive = Arc::new(());
        let held = Arc::clone(&alive);
        let work = async move {
            std::future::pending::<()>().await;
            drop(held);
            Ok(())
        };
        let (ended, ()) = tokio::join!(jobs.run("a", work), async { jobs.end("a") });
        assert_eq!(ended.unwrap_err().code, ErrorCode::Cancelled);
        assert_eq!(Arc::strong_count(&alive), 1);
        assert!(locked(&jobs.running).is_empty());
        jobs.end("a");
        assert_eq!(jobs.run("a", async { Ok(5) }).await.unwrap(), 5);
    }

    #[tokio::test]
    async fn progress_is_told_at_once_and_then_no_more_often_than_anybody_can_read() {
        let (events, mut heard) = mpsc::unbounded_channel();
        let jobs = Jobs::new(events);
        let report = jobs.report("a");
        for n in 0..1_000 {
            report(n, u64::MAX);
        }
        let Event::JobProgress(first) = heard.try_recv().unwrap() else {
            panic!("another event")
        };
        assert_eq!((first.first, first.second), (0, u32::MAX));
        assert!(heard.len() < 10);
    }
}
