//! The registry over random histories: roll calls, people, sweeps, cancelled calls and restarts.

use std::collections::HashMap;
use std::future::Future;

use proptest::prelude::*;
use rollcall_converge::{
    Assertion, FailureClass, Outcome, Presence, Probe, Reason, RootId, SnapshotBuilder, Tier,
    WorkspaceId,
};

use super::world::{World, at, main_tree, path, worktree};
use crate::{
    AnnotationPatch, Changed, GroupId, Registry, RegistryCode, RegistryError, Tombstone,
    WorkspaceRecord,
};

const PLACES: u8 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Places from the first to the second have new worktrees.
    Make(u8, u8),
    Remove(u8),
    Wipe,
    /// The host is asked and answers; the answer is taken up, or the root failed.
    Call(bool),
    /// The host was asked before the last steps, and the answer comes now.
    Late,
    Note(u8, u8),
    Tag(u8, u8),
    /// Into the first or the second group, or out of it, and what is in the group then is put into an order.
    Regroup(u8, u8),
    /// What was at the first place became what is at the second.
    Relink(u8, u8),
    Forget(u8),
    Untrack(u8),
    Retrack(u8),
    Entomb(u8),
    Begin(u8, u8),
    Record(u8, u8, u8),
    Retry(u8, u8),
    Cancel(u8, bool),
    Release(u8),
    Decide(bool),
    Purge,
    Restart,
    /// A note is being written when everything ends, so many polls in.
    Abort(u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let place = || 0..PLACES;
    prop_oneof![
        4 => (place(), place()).prop_map(|(a, b)| Step::Make(a, b)),
        2 => place().prop_map(Step::Remove),
        1 => Just(Step::Wipe),
        8 => prop::bool::weighted(0.8).prop_map(Step::Call),
        2 => Just(Step::Late),
        3 => (place(), any::<u8>()).prop_map(|(a, b)| Step::Note(a, b)),
        1 => (place(), any::<u8>()).prop_map(|(a, b)| Step::Tag(a, b)),
        2 => (place(), 0..3_u8).prop_map(|(a, g)| Step::Regroup(a, g)),
        2 => (place(), place()).prop_map(|(a, b)| Step::Relink(a, b)),
        2 => place().prop_map(Step::Forget),
        2 => place().prop_map(Step::Untrack),
        1 => place().prop_map(Step::Retrack),
        4 => place().prop_map(Step::Entomb),
        2 => (place(), 0..3_u8).prop_map(|(a, e)| Step::Begin(a, e)),
        4 => (place(), 0..3_u8, 0..4_u8).prop_map(|(a, e, o)| Step::Record(a, e, o)),
        2 => (place(), 0..3_u8).prop_map(|(a, e)| Step::Retry(a, e)),
        1 => (place(), any::<bool>()).prop_map(|(a, u)| Step::Cancel(a, u)),
        1 => place().prop_map(Step::Release),
        2 => any::<bool>().prop_map(Step::Decide),
        1 => Just(Step::Purge),
        2 => Just(Step::Restart),
        2 => (place(), 0..12_u8).prop_map(|(a, polls)| Step::Abort(a, polls)),
    ]
}

fn history() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..30)
}

/// Everything a registry says about its workspaces.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    revision: u64,
    rows: Vec<WorkspaceRecord>,
    tombstones: Vec<Tombstone>,
}

impl State {
    async fn of(registry: &Registry) -> Self {
        Self {
            revision: registry.revision().await.unwrap(),
            rows: registry.workspaces().await.unwrap(),
            tombstones: registry.tombstones(None).await.unwrap(),
        }
    }

    fn row(&self, id: WorkspaceId) -> Option<&WorkspaceRecord> {
        self.rows.iter().find(|it| it.row.id == id)
    }

    fn row_at(&self, n: u8) -> Option<WorkspaceId> {
        let place = path(format!("/r/{n}"));
        let mut there = self.rows.iter().filter(|it| it.row.state.path == place);
        there.next_back().map(|it| it.row.id)
    }

    fn tombstone(&self, id: WorkspaceId) -> Option<&Tombstone> {
        self.tombstones.iter().find(|it| it.workspace == id)
    }
}

/// One step and what it did.
struct Turn {
    step: Step,
    about: Option<WorkspaceId>,
    /// The revision at which the answer was asked for that was taken up.
    asked_at: u64,
    before: State,
    after: State,
    told: Result<Changed, RegistryCode>,
}

struct Story {
    world: World,
    groups: Vec<GroupId>,
    host: HashMap<u8, u64>,
    minted: u64,
    second: i64,
    late: Option<(u64, Vec<Assertion>)>,
}

fn assertions(host: &HashMap<u8, u64>) -> Vec<Assertion> {
    let mut said = vec![main_tree("/r", 1)];
    said.extend(
        host.iter()
            .map(|(at, generation)| worktree(format!("/r/{at}"), *generation)),
    );
    said
}

fn outcome(n: u8) -> Outcome {
    let failed = |class| Outcome::Failed {
        class,
        stage: "move".to_owned(),
        message: "no".to_owned(),
        reason: Reason::Command,
    };
    match n {
        0 => Outcome::Converged {
            branch: String::new(),
        },
        1 => failed(FailureClass::Transient),
        2 => failed(FailureClass::Terminal),
        _ => Outcome::Waits {
            reason: "disk".to_owned(),
            running: false,
        },
    }
}

/// An answer of the root: what it asserts, and that every other place is empty.
fn answer(
    root: RootId,
    world: &World,
    revision: u64,
    second: i64,
    said: &[Assertion],
) -> rollcall_converge::Snapshot {
    let mut builder = SnapshotBuilder::new(world.host, Tier::Facts, at(second), &[root]);
    builder.asked_at(revision);
    builder.open(0).unwrap();
    for assertion in said {
        builder.assert(0, assertion.clone()).unwrap();
    }
    for n in 0..PLACES {
        let place = path(format!("/r/{n}"));
        if said.iter().all(|it| it.path != place) {
            let mount = Some(path("/"));
            builder
                .probe(0, place, Probe::NoSuchFile { mount })
                .unwrap();
        }
    }
    builder.close(0, said.len()).unwrap();
    builder.finish().unwrap()
}

/// Drops a call after so many polls, wherever it is then.
async fn cut<T>(call: impl Future<Output = T>, polls: u8) {
    let mut call = Box::pin(call);
    for _ in 0..polls {
        if futures_poll(&mut call).await {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn futures_poll<T>(call: &mut std::pin::Pin<Box<impl Future<Output = T>>>) -> bool {
    std::future::poll_fn(|context| std::task::Poll::Ready(call.as_mut().poll(context).is_ready()))
        .await
}

impl Story {
    async fn take(&mut self, step: Step) -> Turn {
        self.second += 10;
        let now = at(self.second);
        let before = State::of(&self.world.registry).await;
        let registry = self.world.registry.clone();
        let about = match step {
            Step::Note(n, _)
            | Step::Tag(n, _)
            | Step::Regroup(n, _)
            | Step::Relink(n, _)
            | Step::Forget(n)
            | Step::Untrack(n)
            | Step::Retrack(n)
            | Step::Entomb(n)
            | Step::Begin(n, _)
            | Step::Record(n, _, _)
            | Step::Retry(n, _)
            | Step::Cancel(n, _)
            | Step::Release(n)
            | Step::Abort(n, _) => before.row_at(n),
            _ => None,
        };
        let id = about.unwrap_or(WorkspaceId::new(uuid::Uuid::nil()));
        let asked_at = match (step, &self.late) {
            (Step::Late, Some((revision, _))) => *revision,
            _ => before.revision,
        };
        let nothing = Ok(Changed {
            revision: before.revision,
            ..Changed::default()
        });
        let told: Result<Changed, RegistryError> = match step {
            Step::Make(from, to) => {
                for n in from..=to {
                    self.minted += 1;
                    self.host.insert(n, self.minted);
                }
                self.late
                    .get_or_insert((before.revision, assertions(&self.host)));
                nothing
            }
            Step::Remove(n) => {
                self.host.remove(&n);
                nothing
            }
            Step::Wipe => {
                self.host.clear();
                nothing
            }
            Step::Call(answers) => {
                let root = self.world.root.id;
                let snapshot = if answers {
                    let said = assertions(&self.host);
                    answer(root, &self.world, before.revision, self.second, &said)
                } else {
                    super::world::failed(self.world.host, self.second, root)
                };
                registry.apply(&snapshot, now).await.map(|it| it.changed)
            }
            Step::Late => match self.late.take() {
                None => nothing,
                Some((revision, said)) => {
                    let root = self.world.root.id;
                    let snapshot = answer(root, &self.world, revision, self.second, &said);
                    registry.apply(&snapshot, now).await.map(|it| it.changed)
                }
            },
            Step::Note(_, text) => {
                let patch = AnnotationPatch {
                    note: Some(format!("{}", text % 3)),
                    ..AnnotationPatch::default()
                };
                registry.annotate(id, &patch, now).await
            }
            Step::Tag(_, text) => {
                let patch = AnnotationPatch {
                    tags: Some(vec![format!("t{}", text % 3)]),
                    ..AnnotationPatch::default()
                };
                registry.annotate(id, &patch, now).await
            }
            Step::Regroup(_, to) => {
                let group = self.groups.get(usize::from(to)).copied();
                let members: Vec<_> = about.map(|id| (id, group)).into_iter().collect();
                let orders = group.map(|group| {
                    let mut order: Vec<_> = before
                        .rows
                        .iter()
                        .filter(|it| it.group == Some(group) || Some(it.row.id) == about)
                        .map(|it| it.row.id)
                        .collect();
                    order.reverse();
                    (group, order)
                });
                registry.regroup(&members, orders.as_slice(), now).await
            }
            Step::Relink(_, to) => {
                let to = before.row_at(to).unwrap_or(id);
                registry.relink(id, to, now).await
            }
            Step::Forget(_) => registry.forget_missing(&[id], now).await,
            Step::Untrack(_) => registry.untrack(id, now).await,
            Step::Retrack(_) => registry.retrack(id, now).await,
            Step::Entomb(_) if about.is_none() => nothing,
            Step::Entomb(_) => {
                let agreed = super::tombstones::consent(&self.world, id).await;
                registry.entomb(id, &agreed, now).await
            }
            Step::Begin(_, epoch) => registry.begin_attempt(id, u64::from(epoch), now).await,
            Step::Record(_, epoch, ended) => {
                let outcome = outcome(ended);
                if matches!(outcome, Outcome::Converged { .. })
                    && let Some(tombstone) = before.tombstone(id)
                    && tombstone.epoch == u64::from(epoch)
                {
                    let gone = tombstone.consent.generation.inode;
                    self.host.retain(|_, it| *it != gone);
                }
                registry
                    .record_attempt(id, u64::from(epoch), &outcome, 0, now)
                    .await
            }
            Step::Retry(_, epoch) => registry.retry(id, u64::from(epoch), now).await,
            Step::Cancel(_, undone) => registry.cancel(id, undone, now).await,
            Step::Release(_) => registry.release(id, now).await,
            Step::Decide(accept) => {
                let held = registry.unconfirmed(self.world.host).await.unwrap();
                let shown: Vec<_> = held.iter().map(|it| it.row.id).collect();
                if accept {
                    registry.accept_absence(self.world.host, &shown, now).await
                } else {
                    registry.refuse_absence(self.world.host, &shown, now).await
                }
            }
            Step::Purge => registry.purge_untracked(at(self.second - 50), now).await,
            Step::Restart => {
                registry.close().await;
                self.world.registry = Registry::open(self.world.folder.path()).await.unwrap();
                nothing
            }
            Step::Abort(_, polls) => {
                let patch = AnnotationPatch {
                    note: Some(format!("cut {}", self.second)),
                    tags: Some(vec![format!("cut {}", self.second)]),
                    ..AnnotationPatch::default()
                };
                cut(registry.annotate(id, &patch, now), polls).await;
                // Its last statement may be on its way; the next verb begins when that has ended.
                drop(registry.write().await.unwrap());
                nothing
            }
        };
        Turn {
            step,
            about,
            asked_at,
            before,
            after: State::of(&self.world.registry).await,
            told: told.map_err(|error| error.code()),
        }
    }
}

fn tell(
    history: &[Step],
    check: impl Fn(&Turn) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let world = World::new().await;
        let mut groups = Vec::new();
        for name in ["one", "two"] {
            let (group, _) = world.registry.add_group(name, None).await.unwrap();
            groups.push(group);
        }
        let mut story = Story {
            world,
            groups,
            host: HashMap::new(),
            minted: 100,
            second: 10,
            late: None,
        };
        for step in history {
            let turn = story.take(*step).await;
            check(&turn)?;
        }
        Ok(())
    })
}

fn is_roll_call(step: Step) -> bool {
    matches!(step, Step::Call(_) | Step::Late)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: (ProptestConfig::default().cases / 8).clamp(1, 64), ..ProptestConfig::default() })]

    #[test]
    fn i4_roll_calls_and_people_write_fields_of_their_own(history in history()) {
        tell(&history, |turn| {
            for before in &turn.before.rows {
                let Some(after) = turn.after.row(before.row.id) else { continue };
                if is_roll_call(turn.step) {
                    let said = |it: &WorkspaceRecord| (it.note.clone(), it.tags.clone(), it.pinned, it.display_name.clone(),
                        it.group, it.position, it.row.untracked, it.row.kept, it.created_at);
                    prop_assert_eq!(said(before), said(after));
                } else if !matches!(turn.step, Step::Decide(_)) {
                    prop_assert_eq!(&before.row.state, &after.row.state, "{:?}", turn.step);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i5_rows_leave_only_by_the_rules(history in history()) {
        tell(&history, |turn| {
            for before in &turn.before.rows {
                if turn.after.row(before.row.id).is_some() { continue }
                let row = &before.row;
                let rule = match turn.step {
                    Step::Call(true) | Step::Late => row.tombstone.is_some() || !(row.is_worth_keeping() || row.untracked),
                    Step::Decide(true) => !row.is_worth_keeping() && row.state.unconfirmed.is_some(),
                    // A person decided about this one.
                    Step::Relink(..) | Step::Forget(_) => turn.about == Some(row.id) && row.tombstone.is_none()
                        && matches!(row.state.presence, Presence::Missing { .. }),
                    Step::Purge => row.untracked && matches!(row.state.presence, Presence::Missing { .. }),
                    _ => false,
                };
                prop_assert!(rule, "{:?} took {:?}", turn.step, row);
            }
            Ok(())
        })?;
    }

    #[test]
    fn i6_what_is_hidden_or_deleted_is_shown_by_no_other_row(history in history()) {
        tell(&history, |turn| {
            for hidden in turn.after.rows.iter().filter(|it| it.row.untracked || it.row.tombstone.is_some()) {
                let twins = turn.after.rows.iter().filter(|it| it.row.id != hidden.row.id && !it.row.untracked
                    && it.row.state.generation == hidden.row.state.generation);
                prop_assert_eq!(twins.count(), 0);
            }
            Ok(())
        })?;
    }

    #[test]
    fn i8_a_tombstone_is_on_a_live_row_of_the_generation_agreed_to(history in history()) {
        tell(&history, |turn| {
            for tombstone in &turn.after.tombstones {
                let row = turn.after.row(tombstone.workspace).unwrap();
                prop_assert!(!row.row.untracked);
                prop_assert_eq!(row.row.state.generation, Some(tombstone.consent.generation));
                prop_assert_eq!(row.row.tombstone, Some(tombstone.consent.generation));
            }
            let marked = turn.after.rows.iter().filter(|it| it.row.tombstone.is_some()).count();
            prop_assert_eq!(marked, turn.after.tombstones.len());
            Ok(())
        })?;
    }

    #[test]
    fn i10_no_verb_purges_and_no_answer_from_before_it_does(history in history()) {
        tell(&history, |turn| {
            for tombstone in &turn.before.tombstones {
                let was = turn.before.row(tombstone.workspace).unwrap();
                if turn.after.row(tombstone.workspace).is_none() {
                    prop_assert!(is_roll_call(turn.step), "{:?}", turn.step);
                    prop_assert!(was.row.touched <= turn.asked_at, "{:?}", was.row);
                }
            }
            if let (Step::Begin(..) | Step::Record(..), Ok(changed), Some(id)) = (turn.step, &turn.told, turn.about) {
                prop_assert_eq!(turn.after.row(id).unwrap().row.touched, changed.revision);
            }
            Ok(())
        })?;
    }

    #[test]
    fn i12_what_an_older_epoch_says_is_dropped_whole(history in history()) {
        tell(&history, |turn| {
            let Some(id) = turn.about else { return Ok(()) };
            let epoch = match turn.step {
                Step::Begin(_, epoch) | Step::Record(_, epoch, _) | Step::Retry(_, epoch) => u64::from(epoch),
                _ => return Ok(()),
            };
            match turn.before.tombstone(id) {
                None => prop_assert_eq!(turn.told.clone(), Err(RegistryCode::NoDeletion)),
                Some(tombstone) if tombstone.epoch == epoch => prop_assert!(turn.told.is_ok()),
                Some(_) => {
                    prop_assert_eq!(turn.told.clone(), Err(RegistryCode::Overtaken));
                    prop_assert_eq!(&turn.before, &turn.after);
                }
            }
            if let Some(after) = turn.after.tombstone(id) {
                let raised = u64::from(matches!(turn.step, Step::Retry(..)) && turn.told.is_ok());
                let before = turn.before.tombstone(id).map_or(1, |it| it.epoch);
                prop_assert_eq!(after.epoch, before + raised);
            }
            Ok(())
        })?;
    }

    #[test]
    fn i15_each_verb_is_one_step_of_the_revision_or_nothing_at_all(history in history()) {
        tell(&history, |turn| {
            match (&turn.told, turn.step) {
                // Cut off, it happened whole or not at all.
                (_, Step::Abort(..)) => {
                    let whole = turn.after.rows.iter().filter(|it| turn.before.row(it.row.id) != Some(it)).count();
                    prop_assert_eq!(turn.after.revision - turn.before.revision, whole as u64);
                    for row in turn.after.rows.iter().filter(|it| turn.before.row(it.row.id) != Some(it)) {
                        prop_assert!(row.note.starts_with("cut") && row.tags == [row.note.clone()]);
                    }
                }
                (Err(_), _) => prop_assert_eq!(&turn.before, &turn.after),
                (Ok(changed), _) => {
                    prop_assert_eq!(changed.revision, turn.after.revision);
                    let steps = turn.after.revision - turn.before.revision;
                    let same = turn.before.rows == turn.after.rows && turn.before.tombstones == turn.after.tombstones;
                    prop_assert!(steps <= 1 && (steps == 1 || same), "{:?}: {}", turn.step, steps);
                    let nothing = changed.workspaces.is_empty() && changed.removed.is_empty()
                        && !changed.hosts && !changed.roots && !changed.groups;
                    prop_assert_eq!(steps == 0, nothing, "{:?}", turn.step);
                    // What it says it changed is what differs.
                    for row in &turn.after.rows {
                        let told = changed.workspaces.contains(&row.row.id);
                        prop_assert_eq!(told, turn.before.row(row.row.id) != Some(row), "{:?}", turn.step);
                        prop_assert!(!told || row.revision == turn.after.revision, "{:?}", turn.step);
                    }
                    for row in &turn.before.rows {
                        let told = changed.removed.contains(&row.row.id);
                        prop_assert_eq!(told, turn.after.row(row.row.id).is_none(), "{:?}", turn.step);
                    }
                }
            }
            if turn.step == Step::Restart {
                prop_assert_eq!(&turn.before, &turn.after);
            }
            Ok(())
        })?;
    }

    #[test]
    fn what_people_wrote_about_a_missing_workspace_is_lost_by_no_relinking(history in history()) {
        tell(&history, |turn| {
            let (Step::Relink(_, to), Ok(changed), Some(id)) = (turn.step, &turn.told, turn.about) else { return Ok(()) };
            let from = turn.before.row(id).unwrap();
            let after = turn.after.row(turn.before.row_at(to).unwrap()).unwrap();
            prop_assert_eq!(&changed.removed, &[id]);
            prop_assert!(after.note.contains(&from.note));
            prop_assert!(from.tags.iter().all(|tag| after.tags.contains(tag)));
            prop_assert!(from.group.is_none() || after.group.is_some());
            Ok(())
        })?;
    }

    #[test]
    fn i17_no_roll_call_loses_an_implausible_share_unasked(history in history()) {
        tell(&history, |turn| {
            if !is_roll_call(turn.step) { return Ok(()) }
            let missing = |it: &WorkspaceRecord| matches!(it.row.state.presence, Presence::Missing { .. });
            let present = turn.before.rows.iter()
                .filter(|it| !it.row.untracked && it.row.state.presence == Presence::Present).count();
            let lost = turn.before.rows.iter()
                .filter(|it| !it.row.untracked && it.row.tombstone.is_none() && !missing(it))
                .filter(|it| turn.after.row(it.row.id).is_none_or(missing)).count();
            prop_assert!(lost <= 10 || lost * 10 <= present * 3, "{} of {}", lost, present);
            Ok(())
        })?;
    }
}
