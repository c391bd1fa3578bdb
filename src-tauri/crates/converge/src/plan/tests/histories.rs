//! The rules of `plan()` over random histories: hosts change, people act, roots fail, answers come late.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::model::{self, Heard};
use super::*;

const PLACES: u8 = 18;
const ROOTS: u8 = 2;

/// How one root answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Complete,
    /// Complete, but what it does not name cannot be looked at.
    Blind,
    /// Complete, but the disk of its worktrees is not mounted.
    Unmounted,
    Failed,
    Gone,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A worktree is made at a place, in place of what stands there.
    Make(u8),
    /// Worktrees are made at so many places from one on.
    Fill(u8, u8),
    /// What stands at a place is removed.
    Remove(u8),
    /// Everything is removed.
    Wipe,
    /// What stands at two places changes places.
    Swap(u8, u8),
    Annotate(u8),
    Untrack(u8),
    Retrack(u8),
    Entomb(u8),
    /// Our verb removes what a tombstone names, or tries to.
    Sweep(u8, bool),
    /// A person accepts, or refuses to believe, the absence that is held.
    Decide(bool),
    /// A roll call is put together, and the host answers it at once.
    Ask([How; 2], bool),
    /// The oldest answer that is on its way is taken up.
    Hear,
}

fn how() -> impl Strategy<Value = How> {
    prop_oneof![
        6 => Just(How::Complete),
        1 => Just(How::Blind),
        1 => Just(How::Unmounted),
        1 => Just(How::Failed),
        1 => Just(How::Gone),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let place = || 0..PLACES;
    prop_oneof![
        4 => place().prop_map(Step::Make),
        2 => (place(), place()).prop_map(|(from, count)| Step::Fill(from, count)),
        3 => place().prop_map(Step::Remove),
        1 => Just(Step::Wipe),
        3 => (place(), place()).prop_map(|(a, b)| Step::Swap(a, b)),
        2 => place().prop_map(Step::Annotate),
        2 => place().prop_map(Step::Untrack),
        1 => place().prop_map(Step::Retrack),
        2 => place().prop_map(Step::Entomb),
        2 => (place(), any::<bool>()).prop_map(|(at, done)| Step::Sweep(at, done)),
        1 => any::<bool>().prop_map(Step::Decide),
        6 => ([how(), how()], any::<bool>()).prop_map(|(how, facts)| Step::Ask(how, facts)),
        7 => Just(Step::Hear),
    ]
}

fn history() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..40)
}

/// An answer that is on its way.
struct Answer {
    said: Vec<(RootId, Said)>,
    heard: Heard,
    tier: Tier,
    asked_at: u64,
    /// Generations that stood on the host when it answered.
    stood: Vec<Generation>,
}

/// A host and the mirror that follows it.
struct Story {
    memory: Memory,
    host: BTreeMap<u8, u64>,
    minted: u64,
    revision: u64,
    second: i64,
    under_way: Vec<Answer>,
}

/// What one answer did.
struct Moment<'a> {
    before: &'a Memory,
    after: &'a Memory,
    answer: &'a Answer,
    plan: &'a Plan,
    second: i64,
}

fn place(n: u8) -> HostPath {
    path(&format!("/w{}", n % PLACES))
}

fn root_of(generation: u64) -> u8 {
    u8::try_from(generation % u64::from(ROOTS)).unwrap()
}

fn main_tree(root: u8) -> Assertion {
    repository(&format!("/r{root}"), strong(1 + u64::from(root)))
}

impl Story {
    fn new() -> Self {
        Self {
            memory: Memory::with_roots(ROOTS),
            host: BTreeMap::new(),
            minted: 100,
            revision: 1,
            second: 10,
            under_way: Vec::new(),
        }
    }

    fn make(&mut self, at: u8) {
        self.minted += 1;
        self.host.insert(at % PLACES, self.minted);
    }

    fn row_at(&mut self, at: u8) -> Option<&mut MirrorRow> {
        let at = place(at);
        self.memory
            .rows
            .iter_mut()
            .find(|row| row.state.path == at && !row.untracked)
    }

    fn answer(&self, how: [How; 2], tier: Tier) -> Answer {
        let mut heard = Heard {
            assertions: Vec::new(),
            complete: Vec::new(),
            gone: Vec::new(),
            nothing_at: Vec::new(),
            unknown_at: Vec::new(),
        };
        let mut said = Vec::new();
        let mut stood: Vec<Generation> = self.host.values().map(|it| strong(*it)).collect();
        for (n, how) in (0..).zip(how) {
            let id = root_id(n);
            match how {
                How::Failed => {
                    said.push((id, Said::Failed));
                    continue;
                }
                How::Gone => {
                    heard.gone.push(id);
                    said.push((id, Said::Gone(Some(path("/")))));
                    continue;
                }
                How::Complete | How::Blind | How::Unmounted => {}
            }
            heard.complete.push(id);
            stood.push(strong(1 + u64::from(n)));
            let mut assertions = vec![main_tree(n)];
            for (at, generation) in self.host.iter().filter(|(_, it)| root_of(**it) == n) {
                if how != How::Unmounted {
                    assertions.push(worktree(&format!("/w{at}"), strong(*generation)));
                }
            }
            let mut probes = Vec::new();
            for known in self.memory.rows.iter().filter(|row| row.state.root == id) {
                let at = &known.state.path;
                if assertions.iter().any(|it| it.path == *at) {
                    continue;
                }
                let stands = self.host.keys().any(|it| place(*it) == *at) && how != How::Unmounted;
                let probe = match how {
                    How::Blind => Probe::Unknown {
                        reason: "denied".to_owned(),
                    },
                    _ if stands => Probe::Exists,
                    How::Unmounted => Probe::NoSuchFile {
                        mount: Some(path("/above")),
                    },
                    _ => Probe::NoSuchFile {
                        mount: Some(path("/")),
                    },
                };
                match probe {
                    Probe::NoSuchFile { .. } if how != How::Unmounted => {
                        heard.nothing_at.push((id, at.clone()));
                    }
                    _ => heard.unknown_at.push((id, at.clone())),
                }
                probes.push((at.clone(), probe));
            }
            if tier == Tier::Existence {
                for it in &mut assertions {
                    it.facts = FactsOutcome::NotAsked;
                }
            }
            heard
                .assertions
                .extend(assertions.iter().map(|it| (id, it.clone())));
            said.push((
                id,
                Said::Complete {
                    assertions,
                    probes,
                    unread: Vec::new(),
                },
            ));
        }
        Answer {
            said,
            heard,
            tier,
            asked_at: self.revision,
            stood,
        }
    }

    /// Takes one step; answers are handed to `check` when they are taken up.
    fn take(
        &mut self,
        step: Step,
        check: &mut impl FnMut(&Moment<'_>) -> Result<(), TestCaseError>,
    ) -> Result<(), TestCaseError> {
        self.second += 10;
        self.revision += 1;
        let revision = self.revision;
        match step {
            Step::Make(at) => self.make(at),
            Step::Fill(from, count) => (from..from + count).for_each(|at| self.make(at)),
            Step::Remove(at) => drop(self.host.remove(&at)),
            Step::Wipe => self.host.clear(),
            Step::Swap(a, b) => {
                let (one, two) = (self.host.remove(&a), self.host.remove(&b));
                self.host.extend(one.map(|it| (b, it)));
                if a != b {
                    self.host.extend(two.map(|it| (a, it)));
                }
            }
            Step::Annotate(at) => {
                self.row_at(at)
                    .into_iter()
                    .for_each(|row| row.annotated = true);
            }
            Step::Untrack(at) => {
                for row in self
                    .row_at(at)
                    .into_iter()
                    .filter(|row| row.tombstone.is_none())
                {
                    row.untracked = true;
                }
            }
            Step::Retrack(at) => {
                let at = place(at);
                let hidden = self.memory.rows.iter_mut().find(|row| row.state.path == at);
                if let Some(row) = hidden {
                    row.untracked = false;
                }
            }
            Step::Entomb(at) => {
                if let Some(row) = self.row_at(at) {
                    row.tombstone = row.state.generation;
                    row.touched = revision;
                }
            }
            Step::Sweep(at, done) => {
                if let Some(row) = self.row_at(at)
                    && let Some(generation) = row.tombstone
                {
                    row.touched = revision;
                    if done {
                        self.host.retain(|_, it| strong(*it) != generation);
                    }
                }
            }
            Step::Decide(accept) => {
                let now = at(self.second);
                self.memory.rows.retain_mut(|row| {
                    if row.state.unconfirmed.is_none() || row.untracked {
                        return true;
                    }
                    row.kept |= !accept;
                    match decide_absence(row, now) {
                        Loss::Dropped(_) => false,
                        Loss::Missing { state, .. } => {
                            row.state = *state;
                            true
                        }
                    }
                });
            }
            Step::Ask(how, facts) => {
                let tier = if facts { Tier::Facts } else { Tier::Existence };
                let answer = self.answer(how, tier);
                self.under_way.push(answer);
            }
            Step::Hear if self.under_way.is_empty() => {}
            Step::Hear => {
                let answer = self.under_way.remove(0);
                let snapshot = snapshot_of(answer.asked_at, self.second, answer.tier, &answer.said);
                let before = self.memory.clone();
                let plan = before.plan(&snapshot, self.second);
                self.memory.apply(&plan);
                check(&Moment {
                    before: &before,
                    after: &self.memory,
                    answer: &answer,
                    plan: &plan,
                    second: self.second,
                })?;
            }
        }
        Ok(())
    }
}

fn tell(
    history: &[Step],
    mut check: impl FnMut(&Moment<'_>) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut story = Story::new();
    for step in history {
        story.take(*step, &mut check)?;
    }
    Ok(())
}

impl Moment<'_> {
    fn now(&self, row: &MirrorRow) -> Option<&MirrorRow> {
        self.after.rows.iter().find(|it| it.id == row.id)
    }

    fn answered(&self, root: RootId) -> bool {
        self.answer.heard.complete.contains(&root)
    }
}

proptest! {
    #[test]
    fn the_mirror_follows_a_naive_model_through_any_history(history in history()) {
        tell(&history, |moment| {
            let mut expected =
                model::after(moment.before, &moment.answer.heard, moment.answer.asked_at, moment.second);
            let mut shown = model::shown(moment.before, moment.after);
            for list in [&mut expected, &mut shown] {
                for told in list.iter_mut() {
                    if let Presence::NotAsserted { reason } = &mut told.3 {
                        reason.clear();
                    }
                }
                list.sort_by_key(|it| format!("{it:?}"));
            }
            prop_assert_eq!(shown, expected);
            Ok(())
        })?;
    }

    #[test]
    fn an_answer_taken_up_twice_changes_nothing_the_second_time(history in history()) {
        tell(&history, |moment| {
            let answer = moment.answer;
            let snapshot = snapshot_of(answer.asked_at, moment.second, answer.tier, &answer.said);
            let again = moment.after.plan(&snapshot, moment.second);
            prop_assert_eq!(again.changes, vec![]);
            prop_assert_eq!(again.events, vec![]);
            Ok(())
        })?;
    }

    #[test]
    fn the_order_of_roots_and_records_does_not_matter(history in history()) {
        tell(&history, |moment| {
            let answer = moment.answer;
            let mut turned = answer.said.clone();
            turned.reverse();
            for (_, said) in &mut turned {
                if let Said::Complete { assertions, .. } = said {
                    assertions.reverse();
                }
            }
            let snapshot = snapshot_of(answer.asked_at, moment.second, answer.tier, &turned);
            let mut other = moment.before.clone();
            let plan = other.plan(&snapshot, moment.second);
            other.apply(&plan);
            let sorted = |memory: &Memory| {
                let mut shown = model::shown(moment.before, memory);
                shown.sort_by_key(|it| format!("{it:?}"));
                shown
            };
            prop_assert_eq!(sorted(&other), sorted(moment.after));
            Ok(())
        })?;
    }

    #[test]
    fn i1_absence_is_concluded_only_where_a_complete_root_looked_in_vain(history in history()) {
        tell(&history, |moment| {
            for row in &moment.before.rows {
                let was = matches!(row.state.presence, Presence::Missing { .. });
                let is = moment.now(row).is_none_or(|it| matches!(it.state.presence, Presence::Missing { .. }));
                if is && !was {
                    let root = row.state.root;
                    let own = moment.answer.heard.gone.contains(&root) && row.kind == WorkspaceKind::Repository;
                    prop_assert!(own || moment.answered(root), "{:?}", row);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i2_rows_of_a_root_that_does_not_answer_are_as_they_were_and_the_others_apply(history in history()) {
        tell(&history, |moment| {
            for row in moment.before.rows.iter().filter(|row| !moment.answered(row.state.root)) {
                let asserted = moment.answer.heard.assertions.iter()
                    .any(|(_, it)| it.generation == row.state.generation);
                let own = row.kind == WorkspaceKind::Repository;
                if !asserted && !own {
                    prop_assert_eq!(Some(row), moment.now(row));
                }
            }
            for (root, assertion) in &moment.answer.heard.assertions {
                let row = moment.after.rows.iter().find(|it| it.state.generation == assertion.generation);
                // Only what a verb touched meanwhile may be without a word.
                let early = |row: &MirrorRow| row.touched > moment.answer.asked_at;
                match row {
                    Some(row) if early(row) => {}
                    Some(row) => prop_assert_eq!((&row.state.path, row.state.root), (&assertion.path, *root)),
                    None => prop_assert!(moment.after.rows.iter()
                        .any(|it| it.state.path == assertion.path && early(it))),
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i3_what_cannot_be_looked_at_is_never_gone(history in history()) {
        tell(&history, |moment| {
            let heard = &moment.answer.heard;
            for row in &moment.before.rows {
                let place = &row.state.path;
                let taken = heard.assertions.iter().any(|(_, it)| it.path == *place);
                if heard.unknown_at.contains(&(row.state.root, place.clone())) && !taken {
                    let now = moment.now(row);
                    prop_assert!(now.is_some(), "{:?}", row);
                    let since = |row: &MirrorRow| matches!(row.state.presence, Presence::Missing { .. });
                    prop_assert!(since(row) || !now.is_some_and(since));
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i4_a_roll_call_never_touches_what_people_said(history in history()) {
        tell(&history, |moment| {
            for row in &moment.before.rows {
                if let Some(now) = moment.now(row) {
                    let said = |row: &MirrorRow| (row.annotated, row.kept, row.untracked, row.provenance, row.touched);
                    prop_assert_eq!(said(row), said(now));
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i5_only_adopted_rows_nobody_wrote_about_leave_by_themselves(history in history()) {
        tell(&history, |moment| {
            for row in &moment.before.rows {
                if moment.now(row).is_none() {
                    let kept = row.annotated || row.kept || row.untracked || row.provenance != Provenance::Adopted;
                    prop_assert!(row.tombstone.is_some() || !kept, "{:?}", row);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i6_no_answer_shows_an_untracked_or_deleted_generation_anew(history in history()) {
        tell(&history, |moment| {
            for row in moment.before.rows.iter().filter(|row| row.untracked || row.tombstone.is_some()) {
                let twins = moment.after.rows.iter()
                    .filter(|it| it.id != row.id && it.state.generation == row.state.generation);
                prop_assert_eq!(twins.count(), 0);
                if row.untracked {
                    prop_assert!(moment.now(row).is_some_and(|it| it.untracked));
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i7_nothing_is_shown_as_present_that_its_host_did_not_say(history in history()) {
        tell(&history, |moment| {
            for now in &moment.after.rows {
                let before = moment.before.rows.iter().find(|it| it.id == now.id);
                let newly = now.state.presence == Presence::Present
                    && before.is_none_or(|it| it.state.presence != Presence::Present);
                if newly {
                    prop_assert!(now.state.generation.is_some_and(|it| moment.answer.stood.contains(&it)));
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i8_a_tombstone_is_only_ever_on_the_generation_it_froze(history in history()) {
        tell(&history, |moment| {
            for row in &moment.before.rows {
                let Some(frozen) = row.tombstone else { continue };
                let Some(now) = moment.now(row) else { continue };
                // Still pending, it is on that generation; lifted, the row is another one that lives on.
                prop_assert_eq!(now.tombstone.is_some(), now.state.generation == Some(frozen));
                prop_assert!(now.tombstone.is_none_or(|it| it == frozen));
            }
            Ok(())
        })?;
    }

    #[test]
    fn i10_a_deleted_row_goes_only_by_an_answer_begun_after_the_verb(history in history()) {
        tell(&history, |moment| {
            let heard = &moment.answer.heard;
            for row in moment.before.rows.iter().filter(|row| row.tombstone.is_some()) {
                if row.touched > moment.answer.asked_at {
                    prop_assert_eq!(Some(row), moment.now(row));
                } else if moment.now(row).is_none() {
                    prop_assert!(moment.answered(row.state.root) || heard.gone.contains(&row.state.root));
                    prop_assert!(heard.assertions.iter().all(|(_, it)| it.generation != row.tombstone));
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i13_facts_that_were_not_told_are_as_old_as_they_are(history in history()) {
        tell(&history, |moment| {
            for row in &moment.before.rows {
                let Some(now) = moment.now(row) else { continue };
                let told = moment.answer.heard.assertions.iter()
                    .any(|(_, it)| it.generation == now.state.generation);
                if !told {
                    prop_assert_eq!(&now.state.facts, &row.state.facts);
                    let tier = moment.answer.tier == Tier::Facts;
                    let again = tier && moment.answered(row.state.root) && row.state.facts.is_some();
                    let untouched = row.touched > moment.answer.asked_at || Some(row) == moment.now(row);
                    prop_assert!(!again || untouched || now.state.facts_as_of.is_some(), "{:?}", now);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i17_no_answer_loses_an_implausible_share_unasked(history in history()) {
        tell(&history, |moment| {
            let live = |row: &&MirrorRow| !row.untracked && row.tombstone.is_none();
            let present = moment.before.rows.iter()
                .filter(|row| !row.untracked && row.state.presence == Presence::Present).count();
            let lost = moment.before.rows.iter().filter(live)
                .filter(|row| !matches!(row.state.presence, Presence::Missing { .. }))
                .filter(|row| moment.now(row)
                    .is_none_or(|it| matches!(it.state.presence, Presence::Missing { .. }))).count();
            prop_assert!(lost <= 10 || lost * 10 <= present * 3, "{} of {}", lost, present);
            // What is held waits for its own answer or for a person.
            for row in moment.before.rows.iter().filter(live).filter(|row| row.state.unconfirmed.is_some()) {
                let now = moment.now(row);
                prop_assert!(now.is_some());
                let answered = now.is_some_and(|it| it.state.unconfirmed.is_none());
                let said = |it: &MirrorRow| it.state.presence == Presence::Present
                    || matches!(it.state.presence, Presence::NotAsserted { .. });
                prop_assert!(!answered || now.is_some_and(said));
            }
            let held = moment.after.rows.iter().filter(|row| row.state.unconfirmed.is_some()).count();
            let told = moment.plan.events.iter().any(|it| matches!(it, Event::AbsenceHeld { .. }));
            let before = moment.before.rows.iter().filter(|row| row.state.unconfirmed.is_some()).count();
            prop_assert!(!told || held > 0);
            prop_assert!(told || held <= before);
            Ok(())
        })?;
    }
}
