//! The back end with a real OpenSSH server: what a person sees when the network or the host does what it likes.
#![expect(clippy::unwrap_used, reason = "a failure in a test has to be loud")]

mod cuts;
mod deleting;
mod keys;
mod killed;
mod looking;
mod outages;
mod reaching;
mod refusals;
mod verbs;

use jiff::Timestamp;
use rollcall_api::App;
use rollcall_api::wire::{HostRef, HostRow, HostState, Reason};
use rollcall_tests::stage::until;

/// A host as the side bar shows it.
async fn host(app: &App, id: HostRef) -> HostRow {
    let overview = app.overview().await.unwrap();
    overview.hosts.into_iter().find(|row| row.id == id).unwrap()
}

/// Calls the roll of a host and waits until it has answered whole.
async fn answered(app: &App, id: HostRef) {
    let before = host(app, id).await.answered_at;
    app.sync_now(Some(id)).await.unwrap();
    answers_after(app, id, before).await;
}

/// Waits for a whole answer that is newer than one.
async fn answers_after(app: &App, id: HostRef, before: Option<Timestamp>) {
    until("a whole answer", || async {
        let row = host(app, id).await;
        (row.answered_at > before && row.state == HostState::Idle).then_some(())
    })
    .await;
}

/// When a host that does not answer is to be asked again, and why it does not.
fn waiting(state: HostState) -> Option<(Timestamp, Reason)> {
    match state {
        HostState::Waiting { until, reason, .. } => Some((until, reason)),
        _ => None,
    }
}

/// Calls the roll of a host and waits until that has failed for a reason that passes.
async fn failed(app: &App, id: HostRef) -> Reason {
    let before = waiting(host(app, id).await.state).map(|(until, _)| until);
    app.sync_now(Some(id)).await.unwrap();
    until("a failure", || async {
        let (until, reason) = waiting(host(app, id).await.state)?;
        (Some(until) != before).then_some(reason)
    })
    .await
}

/// Waits until a host does not answer and is to be asked again.
async fn waits(app: &App, id: HostRef) -> Reason {
    until("a host that does not answer", || async {
        waiting(host(app, id).await.state).map(|(_, reason)| reason)
    })
    .await
}

/// Waits until a host needs a person.
async fn needs_you(app: &App, id: HostRef) -> Reason {
    until("a host that needs a person", || async {
        match host(app, id).await.state {
            HostState::NeedsYou { reason, .. } => Some(reason),
            _ => None,
        }
    })
    .await
}
