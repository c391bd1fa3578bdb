use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rollcall_converge::{Caller, Failure, FailureCode, HostId, Tier};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use super::*;

/// Ports whose hosts answer from a script: one entry per call, then success for ever.
#[derive(Clone)]
struct Scripted(Arc<Inner>);

struct Inner {
    begun: Instant,
    calls: Mutex<Vec<(HostId, Tier, Duration)>>,
    callers: Mutex<Vec<Caller>>,
    called: Notify,
    idled: Mutex<Vec<Duration>>,
    /// What sweeps are to do: each lasts until it is notified, and says whether it did something.
    sweeps: Mutex<VecDeque<(Option<Arc<Notify>>, bool)>>,
    swept: watch::Sender<usize>,
    /// What is done in idle time lasts until this is notified.
    resting: Option<Arc<Notify>>,
    script: Mutex<VecDeque<Step>>,
    running: AtomicUsize,
    most: AtomicUsize,
    cancelled: AtomicUsize,
    states: watch::Sender<Vec<(HostId, HostState)>>,
}

enum Step {
    Fail(FailureCode),
    /// Answers when told to.
    Held(Arc<Notify>),
    Gone,
}

struct Guard<'a>(&'a Inner, bool);
impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        if !self.1 {
            self.0.cancelled.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Ports for Scripted {
    async fn roll_call(&self, host: HostId, tier: Tier, caller: Caller) -> Result<bool, Failure> {
        let inner = &*self.0;
        let now = inner.running.fetch_add(1, Ordering::SeqCst) + 1;
        inner.most.fetch_max(now, Ordering::SeqCst);
        let mut guard = Guard(inner, false);
        inner
            .calls
            .lock()
            .unwrap()
            .push((host, tier, inner.begun.elapsed()));
        inner.callers.lock().unwrap().push(caller);
        inner.called.notify_one();
        let step = inner.script.lock().unwrap().pop_front();
        let answer = match step {
            None => Ok(true),
            Some(Step::Fail(code)) => Err(Failure::new(code, "no answer")),
            Some(Step::Gone) => Ok(false),
            Some(Step::Held(release)) => {
                release.notified().await;
                Ok(true)
            }
        };
        guard.1 = true;
        answer
    }

    async fn idle(&self, _host: HostId) {
        let begun = self.0.begun.elapsed();
        self.0.idled.lock().unwrap().push(begun);
        let mut guard = Guard(&self.0, false);
        self.0.running.fetch_add(1, Ordering::SeqCst);
        if let Some(release) = self.0.resting.clone() {
            release.notified().await;
        }
        guard.1 = true;
    }

    async fn sweep(&self, _host: HostId) -> bool {
        let next = self.0.sweeps.lock().unwrap().pop_front();
        self.0.swept.send_modify(|swept| *swept += 1);
        let (until, did) = next.unwrap_or((None, false));
        if let Some(until) = until {
            until.notified().await;
        }
        did
    }

    fn host_state(&self, host: HostId, state: &HostState) {
        self.0
            .states
            .send_modify(|states| states.push((host, state.clone())));
    }
}

impl Scripted {
    fn new(script: impl IntoIterator<Item = Step>) -> Self {
        Self::resting(script, None)
    }

    /// What is done in idle time lasts until it is told to end.
    fn resting(script: impl IntoIterator<Item = Step>, resting: Option<Arc<Notify>>) -> Self {
        Self(Arc::new(Inner {
            begun: Instant::now(),
            calls: Mutex::default(),
            callers: Mutex::default(),
            called: Notify::new(),
            idled: Mutex::default(),
            sweeps: Mutex::default(),
            swept: watch::Sender::new(0),
            resting,
            script: Mutex::new(script.into_iter().collect()),
            running: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            cancelled: AtomicUsize::new(0),
            states: watch::Sender::new(Vec::new()),
        }))
    }

    fn supervisor(&self) -> Supervisor<Self> {
        Supervisor::new(self.clone(), Handle::current())
    }

    /// Waits, in stopped time, until so many calls were made, and gives them.
    async fn calls(&self, count: usize) -> Vec<(HostId, Tier, Duration)> {
        let enough = async {
            loop {
                let calls = self.0.calls.lock().unwrap().clone();
                if calls.len() >= count {
                    return calls;
                }
                self.0.called.notified().await;
            }
        };
        timeout(Duration::from_hours(10), enough)
            .await
            .expect("the calls should come")
    }

    async fn state(&self, wanted: impl Fn(&HostState) -> bool) -> HostState {
        let mut states = self.0.states.subscribe();
        let held = timeout(
            Duration::from_hours(10),
            states.wait_for(|states| states.last().is_some_and(|(_, state)| wanted(state))),
        );
        held.await
            .expect("the state should come")
            .unwrap()
            .last()
            .unwrap()
            .1
            .clone()
    }
}

use tokio::runtime::Handle;

fn host(n: u128) -> HostId {
    HostId::new(uuid::Uuid::from_u128(n))
}

#[tokio::test(start_paused = true)]
async fn the_roll_is_called_at_once_and_then_on_the_cadence() {
    let ports = Scripted::new([]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), true, false, None, Caller::Schedule);
    let calls = ports.calls(4).await;
    let seen: Vec<(Tier, u64)> = calls
        .iter()
        .map(|(_, tier, at)| (*tier, at.as_secs()))
        .collect();
    assert_eq!(
        seen,
        [
            (Tier::Facts, 0),
            (Tier::Existence, 30),
            (Tier::Facts, 60),
            (Tier::Existence, 90)
        ]
    );
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn requests_while_one_runs_become_one_of_the_widest_tier() {
    let release = Arc::new(Notify::new());
    let ports = Scripted::new([Step::Held(Arc::clone(&release))]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports.calls(1).await;
    for _ in 0..5 {
        supervisor.changed(host(1));
        supervisor.sync_now(host(1));
    }
    // Everything sent is in the inbox before the answer: the actor reads its inbox first.
    release.notify_one();
    let calls = ports.calls(3).await;
    assert_eq!(
        calls[1].2, calls[0].2,
        "the one that waited runs right after"
    );
    assert_eq!(
        calls[2].2.checked_sub(calls[1].2).unwrap(),
        Duration::from_mins(1),
        "and nothing else waited"
    );
    assert_eq!(
        ports.0.most.load(Ordering::SeqCst),
        1,
        "never two of one host at once"
    );
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_host_is_tried_again_after_2_5_15_30_60_seconds() {
    let ports = Scripted::new((0..5).map(|_| Step::Fail(FailureCode::Refused)));
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    let at: Vec<u64> = ports
        .calls(6)
        .await
        .iter()
        .map(|call| call.2.as_secs())
        .collect();
    assert_eq!(at, [0, 2, 7, 22, 52, 112]);
    ports.state(|state| *state == HostState::Idle).await;
    let states = ports.0.states.borrow().clone();
    let calling = states
        .iter()
        .filter(|(_, it)| matches!(it, HostState::Calling { .. }))
        .count();
    assert_eq!(
        calling, 1,
        "retries keep showing that the host does not answer"
    );
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_host_that_needs_a_person_is_left_alone_until_asked() {
    let ports = Scripted::new([Step::Fail(FailureCode::HostKeyUnknown)]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports
        .state(|state| matches!(state, HostState::NeedsPerson { .. }))
        .await;
    tokio::time::sleep(Duration::from_hours(24)).await;
    assert_eq!(ports.calls(1).await.len(), 1, "no retry by itself");
    supervisor.sync_now(host(1));
    assert_eq!(ports.calls(2).await.len(), 2);
    ports.state(|state| *state == HostState::Idle).await;
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn sync_now_does_not_wait_for_the_retry() {
    let ports = Scripted::new((0..7).map(|_| Step::Fail(FailureCode::TimedOut)));
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports.calls(6).await;
    let before = ports.0.begun.elapsed();
    supervisor.sync_now(host(1));
    let calls = ports.calls(7).await;
    assert_eq!(calls[6].2, before);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn i16_hosts_that_hang_delay_neither_this_machine_nor_one_that_answers() {
    let held: Vec<Arc<Notify>> = (0..7).map(|_| Arc::new(Notify::new())).collect();
    let ports = Scripted::new(held.iter().map(|it| Step::Held(Arc::clone(it))));
    let supervisor = ports.supervisor();
    for n in 1..=7 {
        supervisor.attach(host(n), false, false, None, Caller::Schedule);
    }
    ports.calls(7).await;
    supervisor.attach(host(8), false, false, None, Caller::Schedule);
    supervisor.attach(host(9), true, false, None, Caller::Schedule);
    let calls = ports.calls(9).await;
    assert!(
        calls.iter().take(9).all(|call| call.2 == Duration::ZERO),
        "nobody waited"
    );
    supervisor.shutdown().await;
    assert_eq!(
        ports.0.cancelled.load(Ordering::SeqCst),
        7,
        "shutdown cancels what hangs"
    );
}

#[tokio::test(start_paused = true)]
async fn at_most_eight_ssh_hosts_are_called_at_once() {
    let held: Vec<Arc<Notify>> = (0..20).map(|_| Arc::new(Notify::new())).collect();
    let ports = Scripted::new(held.iter().map(|it| Step::Held(Arc::clone(it))));
    let supervisor = ports.supervisor();
    for n in 1..=20 {
        supervisor.attach(host(n), false, false, None, Caller::Schedule);
    }
    ports.calls(8).await;
    for release in &held {
        release.notify_one();
    }
    ports.calls(20).await;
    assert_eq!(ports.0.most.load(Ordering::SeqCst), 8);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn i16_hosts_that_hang_step_aside_for_those_behind_them() {
    let held: Vec<Arc<Notify>> = (0..24).map(|_| Arc::new(Notify::new())).collect();
    let ports = Scripted::new(held.iter().map(|it| Step::Held(Arc::clone(it))));
    let supervisor = ports.supervisor();
    for n in 1..=25 {
        supervisor.attach(host(n), false, false, None, Caller::Schedule);
    }
    // Three times eight hang before the last one has its turn.
    let calls = ports.calls(25).await;
    assert_eq!(calls[7].2, Duration::ZERO);
    assert!(calls[8].2 > Duration::ZERO);
    assert!(calls[24].2 <= Duration::from_secs(20), "{:?}", calls[24]);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_waits_for_no_host_but_the_one_that_was_meant() {
    let held: Vec<Arc<Notify>> = (0..8).map(|_| Arc::new(Notify::new())).collect();
    let ports = Scripted::new(held.iter().map(|it| Step::Held(Arc::clone(it))));
    let supervisor = ports.supervisor();
    for n in 1..=8 {
        supervisor.attach(host(n), false, false, None, Caller::Schedule);
    }
    ports.calls(8).await;
    supervisor.attach(host(9), false, false, None, Caller::Person);
    assert_eq!(ports.calls(9).await[8].2, Duration::ZERO);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn b8_only_what_a_person_asked_for_may_ask_a_person() {
    let release = Arc::new(Notify::new());
    let ports = Scripted::new([Step::Held(Arc::clone(&release))]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports.calls(1).await;
    // Asked while one runs that nobody asked for, it is made again.
    supervisor.changed(host(1));
    supervisor.sync_now(host(1));
    tokio::task::yield_now().await;
    release.notify_one();
    ports.calls(3).await;
    supervisor.sync_all();
    ports.calls(4).await;
    let callers = ports.0.callers.lock().unwrap().clone();
    assert_eq!(
        callers[..3],
        [Caller::Schedule, Caller::Person, Caller::Schedule]
    );
    assert!(
        callers[3..].iter().all(|it| *it == Caller::Schedule),
        "{callers:?}"
    );
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn b11_rb26_after_sleep_or_on_another_network_hosts_are_called_at_once_unless_a_person_is_needed()
 {
    let ports = Scripted::new([
        Step::Fail(FailureCode::Refused),
        Step::Fail(FailureCode::Refused),
    ]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports.calls(2).await;
    ports
        .state(|state| matches!(state, HostState::Waiting { .. }))
        .await;
    let before = ports.0.begun.elapsed();
    supervisor.network_changed();
    assert_eq!(ports.calls(3).await[2].2, before);
    supervisor.shutdown().await;

    let ports = Scripted::new([Step::Fail(FailureCode::SignInNeeded)]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports
        .state(|state| matches!(state, HostState::NeedsPerson { .. }))
        .await;
    supervisor.network_changed();
    tokio::time::sleep(Duration::from_hours(24)).await;
    assert_eq!(ports.calls(1).await.len(), 1);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_chooses_how_often_a_host_is_called() {
    let ports = Scripted::new([]);
    let supervisor = ports.supervisor();
    let every = Some(Duration::from_mins(10));
    supervisor.attach(host(1), false, false, every, Caller::Schedule);
    assert_eq!(ports.calls(2).await[1].2, Duration::from_mins(5));
    supervisor.set_cadence(host(1), false, Some(Duration::from_secs(20)));
    assert_eq!(ports.calls(3).await[2].2, Duration::from_secs(310));
    supervisor.set_cadence(host(1), false, None);
    assert_eq!(ports.calls(4).await[3].2, Duration::from_secs(370));
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_suspended_host_is_not_called_until_resumed() {
    let held = Arc::new(Notify::new());
    let ports = Scripted::new([Step::Held(held)]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports.calls(1).await;
    supervisor.set_suspended(host(1), true);
    ports.state(|state| *state == HostState::Suspended).await;
    assert_eq!(
        ports.0.cancelled.load(Ordering::SeqCst),
        1,
        "what ran is cancelled"
    );
    supervisor.sync_now(host(1));
    tokio::time::sleep(Duration::from_hours(24)).await;
    assert_eq!(ports.calls(1).await.len(), 1);
    supervisor.set_suspended(host(1), false);
    ports.calls(2).await;
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_host_the_mirror_forgot_is_not_called_again() {
    let ports = Scripted::new([Step::Gone]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), true, false, None, Caller::Schedule);
    ports.calls(1).await;
    tokio::time::sleep(Duration::from_hours(24)).await;
    supervisor.sync_now(host(1));
    tokio::time::sleep(Duration::from_hours(24)).await;
    assert_eq!(ports.calls(1).await.len(), 1);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_hidden_window_slows_the_cadence() {
    let ports = Scripted::new([]);
    let supervisor = ports.supervisor();
    supervisor.set_visible(false);
    supervisor.attach(host(1), true, false, None, Caller::Schedule);
    assert_eq!(ports.calls(2).await[1].2.as_secs(), 300);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn looking_at_the_window_calls_the_roll_if_the_last_answer_is_older_than_30_seconds() {
    let ports = Scripted::new([]);
    let supervisor = ports.supervisor();
    supervisor.set_visible(false);
    supervisor.attach(host(1), true, false, None, Caller::Schedule);
    ports.calls(1).await;
    ports.state(|state| *state == HostState::Idle).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    supervisor.set_visible(true);
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(ports.calls(1).await.len(), 1, "the answer is young enough");
    supervisor.set_visible(true);
    assert_eq!(ports.calls(2).await[1].2.as_secs(), 40);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_host_is_looked_at_closer_only_while_nobody_wants_anything_else() {
    let ports = Scripted::new([]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), true, false, None, Caller::Schedule);
    // Existence tells nothing new to look at.
    ports.calls(4).await;
    let idled = |ports: &Scripted| {
        let all = ports.0.idled.lock().unwrap().clone();
        all.iter().map(Duration::as_secs).collect::<Vec<_>>()
    };
    assert_eq!(idled(&ports), [10, 70]);
    supervisor.set_visible(false);
    ports.calls(8).await;
    assert_eq!(idled(&ports), [10, 70], "nobody sees it");
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn i16_a_closer_look_is_given_up_for_anything_that_is_asked() {
    let (never, first, second) = (Notify::new(), Notify::new(), Notify::new());
    first.notify_one();
    // The second roll call lasts: it is not its end that ends the look.
    let script = [Step::Held(Arc::new(first)), Step::Held(Arc::new(second))];
    let ports = Scripted::resting(script, Some(Arc::new(never)));
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), true, false, None, Caller::Schedule);
    ports.calls(1).await;
    tokio::time::sleep(Duration::from_secs(15)).await;
    assert_eq!(ports.0.idled.lock().unwrap().len(), 1);
    assert_eq!(ports.0.cancelled.load(Ordering::SeqCst), 0);
    supervisor.sync_now(host(1));
    let calls = ports.calls(2).await;
    assert_eq!(calls[1].2.as_secs(), 15, "it waits for nothing");
    assert_eq!(ports.0.cancelled.load(Ordering::SeqCst), 1);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn i11_a_host_is_swept_when_it_answers_and_not_before() {
    let ports = Scripted::new([
        Step::Fail(FailureCode::Refused),
        Step::Fail(FailureCode::Refused),
    ]);
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), false, false, None, Caller::Schedule);
    ports.calls(1).await;
    ports
        .state(|state| matches!(state, HostState::Waiting { .. }))
        .await;
    supervisor.sweep(host(1));
    ports.calls(2).await;
    assert_eq!(
        *ports.0.swept.borrow(),
        0,
        "nothing is tried while it does not answer"
    );
    ports.calls(3).await;
    let mut swept = ports.0.swept.subscribe();
    swept.wait_for(|swept| *swept == 1).await.unwrap();
    // What is decided while it answers is carried out at once.
    supervisor.sweep(host(1));
    swept.wait_for(|swept| *swept == 2).await.unwrap();
    assert_eq!(ports.0.calls.lock().unwrap().len(), 3);
    supervisor.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn i10_what_a_sweep_did_is_confirmed_by_a_roll_call_of_its_own() {
    let ports = Scripted::new([]);
    let held = Arc::new(Notify::new());
    ports
        .0
        .sweeps
        .lock()
        .unwrap()
        .push_back((Some(Arc::clone(&held)), true));
    let supervisor = ports.supervisor();
    supervisor.attach(host(1), true, false, None, Caller::Schedule);
    let mut swept = ports.0.swept.subscribe();
    swept.wait_for(|swept| *swept == 1).await.unwrap();
    // One at a time: what comes meanwhile is looked at after it, once.
    for _ in 0..3 {
        supervisor.sweep(host(1));
    }
    tokio::task::yield_now().await;
    assert_eq!(*ports.0.swept.borrow(), 1);
    let before = ports.0.calls.lock().unwrap().len();
    held.notify_one();
    let calls = ports.calls(before + 1).await;
    assert_eq!(calls[before].1, Tier::Existence);
    swept.wait_for(|swept| *swept >= 3).await.unwrap();
    supervisor.set_suspended(host(1), true);
    ports.state(|state| *state == HostState::Suspended).await;
    let stopped = *ports.0.swept.borrow();
    supervisor.sweep(host(1));
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(
        *ports.0.swept.borrow(),
        stopped,
        "a host at rest is left alone"
    );
    supervisor.shutdown().await;
}
