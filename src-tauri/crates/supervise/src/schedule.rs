//! How long until the roll is called again. Pure.

use std::time::Duration;

use rollcall_converge::Tier;

/// How often the roll of a host is called by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cadence {
    /// From one facts tier to the next while the window is visible.
    pub visible: Duration,
    /// The same while it is hidden.
    pub hidden: Duration,
}

impl Cadence {
    /// This machine: every minute, every ten while hidden.
    pub const LOCAL: Self = Self {
        visible: Duration::from_mins(1),
        hidden: Duration::from_mins(10),
    };
    /// A host over SSH: every two minutes, every ten while hidden.
    pub const SSH: Self = Self {
        visible: Duration::from_mins(2),
        hidden: Duration::from_mins(10),
    };

    /// As usual for a host, or as often as a person chose.
    pub(crate) fn of(local: bool, every: Option<Duration>) -> Self {
        let usual = if local { Self::LOCAL } else { Self::SSH };
        Self {
            visible: every.unwrap_or(usual.visible),
            hidden: every.map_or(usual.hidden, |it| it.max(usual.hidden)),
        }
    }
}

/// A roll call takes at most this share of the time.
const DUTY: u32 = 20;

/// Waits after the first failures in a row; the last one repeats.
const RETRIES: [Duration; 6] = [
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_secs(30),
    Duration::from_mins(1),
    Duration::from_mins(5),
];

/// When to call after an answer, and how much to ask: half-way to the next facts tier, existence.
pub(crate) fn after_answer(
    cadence: Cadence,
    visible: bool,
    answered: Tier,
    took: Duration,
) -> (Duration, Tier) {
    let interval = if visible {
        cadence.visible
    } else {
        cadence.hidden
    };
    let next = match answered {
        Tier::Facts => Tier::Existence,
        Tier::Existence => Tier::Facts,
    };
    ((interval / 2).max(took * DUTY), next)
}

/// When to try again after so many failures in a row, the first being 1. `spread` in 0..=1 moves the last and
/// longest wait, so that hosts behind one broken link do not come back as one.
pub(crate) fn after_failure(failures: u32, spread: f64) -> Duration {
    let step = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    match RETRIES.get(step) {
        Some(wait) if step + 1 < RETRIES.len() => *wait,
        _ => RETRIES[RETRIES.len() - 1].mul_f64(0.8 + 0.4 * spread.clamp(0.0, 1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existence_is_asked_half_way_between_facts() {
        let took = Duration::from_millis(100);
        assert_eq!(
            after_answer(Cadence::LOCAL, true, Tier::Facts, took),
            (Duration::from_secs(30), Tier::Existence)
        );
        assert_eq!(
            after_answer(Cadence::LOCAL, true, Tier::Existence, took),
            (Duration::from_secs(30), Tier::Facts)
        );
        assert_eq!(
            after_answer(Cadence::SSH, false, Tier::Existence, took),
            (Duration::from_mins(5), Tier::Facts)
        );
    }

    #[test]
    fn a_slow_host_is_asked_less_often() {
        let (wait, _) = after_answer(Cadence::LOCAL, true, Tier::Facts, Duration::from_secs(9));
        assert_eq!(wait, Duration::from_mins(3));
    }

    #[test]
    fn failures_wait_2_5_15_30_60_seconds_then_about_five_minutes() {
        let waits: Vec<u64> = (1..=5).map(|n| after_failure(n, 0.5).as_secs()).collect();
        assert_eq!(waits, [2, 5, 15, 30, 60]);
        for n in [6, 7, 1_000, u32::MAX] {
            assert_eq!(after_failure(n, 0.0).as_secs(), 240);
            assert_eq!(after_failure(n, 1.0).as_secs(), 360);
        }
    }
}
