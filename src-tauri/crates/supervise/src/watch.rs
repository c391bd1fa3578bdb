//! Whether the system slept or its network changed: then what was true about reaching hosts may not be any more.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::{Duration, Instant, SystemTime};

use tokio::time::MissedTickBehavior;

/// From one look to the next.
const LOOK: Duration = Duration::from_secs(5);
/// The clock of the wall may run ahead of the one that stands still in sleep by this much.
const DRIFT: Duration = Duration::from_secs(10);

/// What is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    /// Stands still while the system sleeps.
    steady: Instant,
    wall: SystemTime,
    addresses: BTreeSet<IpAddr>,
}

impl Look {
    fn now() -> Self {
        let found = if_addrs::get_if_addrs().unwrap_or_default();
        Self {
            steady: Instant::now(),
            wall: SystemTime::now(),
            addresses: found
                .iter()
                .filter(|it| !it.is_loopback() && !it.is_link_local())
                .map(if_addrs::Interface::ip)
                .collect(),
        }
    }
}

/// Why hosts are to be called anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The system slept.
    Woke,
    /// It has other addresses.
    Network,
}

fn change(before: &Look, now: &Look) -> Option<Change> {
    let steady = now.steady.saturating_duration_since(before.steady);
    // A clock that was set back tells nothing.
    let wall = now.wall.duration_since(before.wall).unwrap_or_default();
    if wall > steady + DRIFT {
        return Some(Change::Woke);
    }
    (before.addresses != now.addresses).then_some(Change::Network)
}

/// Calls `hear` whenever the system woke up or its network changed, for as long as it is polled.
pub async fn watch(mut hear: impl AsyncFnMut(Change)) {
    let mut before = Look::now();
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let now = Look::now();
        if let Some(change) = change(&before, &now) {
            hear(change).await;
        }
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(steady: u64, wall: u64, addresses: &[&str]) -> Look {
        let begin = Instant::now();
        Look {
            steady: begin + Duration::from_secs(steady),
            wall: SystemTime::UNIX_EPOCH + Duration::from_secs(wall),
            addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
        }
    }

    #[test]
    fn b11_rb26_sleep_is_time_that_only_the_wall_clock_counts() {
        let before = look(0, 1_000, &["192.0.2.1"]);
        assert_eq!(change(&before, &look(5, 1_005, &["192.0.2.1"])), None);
        assert_eq!(
            change(&before, &look(5, 4_605, &["192.0.2.1"])),
            Some(Change::Woke)
        );
        // A busy system looks late by both clocks.
        assert_eq!(change(&before, &look(300, 1_300, &["192.0.2.1"])), None);
        // A clock that is set back is no sleep.
        assert_eq!(change(&before, &look(5, 10, &["192.0.2.1"])), None);
    }

    #[test]
    fn other_addresses_are_another_network() {
        let before = look(0, 0, &["192.0.2.1", "2001:db8::1"]);
        assert_eq!(
            change(&before, &look(5, 5, &["2001:db8::1", "192.0.2.1"])),
            None
        );
        for now in [&["192.0.2.1"][..], &[], &["192.0.2.2", "2001:db8::1"]] {
            assert_eq!(change(&before, &look(5, 5, now)), Some(Change::Network));
        }
    }
}
