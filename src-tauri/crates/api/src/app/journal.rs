//! The journal: what changed, who changed it, and what of that is new.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use rollcall_converge::HostId;

use super::App;
use crate::error::{ApiError, ErrorCode};
use crate::present;
use crate::wire::{Actor, HostRef, JournalDay, JournalFilter, JournalLine};

/// Lines in one page of the journal.
const PAGE: u32 = 200;
/// The longest span that days are counted over: a year, and what is left of a week.
const WEEKS: u32 = 53;

impl App {
    /// The journal, newest first: the lines wanted, before a given number.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn journal(
        &self,
        before: Option<u32>,
        filter: JournalFilter,
    ) -> Result<Vec<JournalLine>, ApiError> {
        let filter = rollcall_registry::JournalFilter {
            workspace: filter.workspace.map(Into::into),
            host: filter.host.map(Into::into),
            root: None,
            actor: filter.actor.map(|actor| match actor {
                Actor::RollCall => rollcall_registry::Actor::RollCall,
                Actor::Person => rollcall_registry::Actor::Person,
                Actor::Sweep => rollcall_registry::Actor::Sweep,
            }),
        };
        let entries = self
            .registry
            .journal(filter, before.map(u64::from), PAGE)
            .await?;
        let hosts = self.registry.hosts().await?;
        let labels: HashMap<HostId, String> = hosts
            .into_iter()
            .map(|record| (record.host.id, record.host.label))
            .collect();
        Ok(entries
            .iter()
            .map(|entry| present::journal_line(entry, &labels))
            .collect())
    }

    /// Notes that a person looked at the journal up to a line: only later ones are new from then on.
    ///
    /// # Errors
    /// If the registry cannot be written.
    pub async fn journal_seen(&self, number: u32) -> Result<(), ApiError> {
        let changed = self.registry.see_journal(u64::from(number)).await?;
        self.announcer.changed(&changed);
        Ok(())
    }

    /// How many lines the journal has for each of the last days, today the last of them, by this machine's time zone: of
    /// one host, or of all.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for no week or more than 53 of them.
    pub async fn journal_days(
        &self,
        host: Option<HostRef>,
        weeks: u32,
    ) -> Result<Vec<JournalDay>, ApiError> {
        if weeks == 0 || weeks > WEEKS {
            let words = format!("Days are counted over 1 to {WEEKS} weeks, not over {weeks}.");
            return Err(ApiError::new(ErrorCode::InvalidInput, words));
        }
        let days = days(Timestamp::now(), weeks, &TimeZone::system())
            .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
        let bounds: Vec<Timestamp> = days.iter().map(|(_, begins)| *begins).collect();
        let counts = self
            .registry
            .journal_days(host.map(Into::into), &bounds)
            .await?;
        Ok(days
            .iter()
            .zip(counts)
            .map(|((day, _), counts)| JournalDay {
                day: day.to_string(),
                roll_calls: present::amount(counts.roll_calls),
                people: present::amount(counts.people),
                sweeps: present::amount(counts.sweeps),
            })
            .collect())
    }
}

/// The days of so many weeks up to today, and tomorrow, with when each begins.
fn days(
    now: Timestamp,
    weeks: u32,
    zone: &TimeZone,
) -> Result<Vec<(Date, Timestamp)>, jiff::Error> {
    let today = now.to_zoned(zone.clone()).date();
    let count = 7 * i64::from(weeks);
    (1 - count..=1)
        .map(|offset| {
            let day = today.checked_add(offset.days())?;
            let begins = day.to_zoned(zone.clone())?.start_of_day()?;
            Ok((day, begins.timestamp()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_person_and_as_long_as_they_are_there() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        // Half past midnight in Berlin, the evening before in Greenwich; the clocks went back the night before.
        let now: Timestamp = "2026-10-25T23:30:00Z".parse().unwrap();
        let days = days(now, 1, &zone).unwrap();
        let names: Vec<String> = days.iter().map(|(day, _)| day.to_string()).collect();
        assert_eq!(days.len(), 8);
        assert_eq!(
            (names[0].as_str(), names[6].as_str()),
            ("2026-10-20", "2026-10-26")
        );
        let hours: Vec<i64> = days
            .iter()
            .zip(days.iter().skip(1))
            .map(|((_, from), (_, to))| to.duration_since(*from).as_hours())
            .collect();
        assert_eq!(hours, [24, 24, 24, 24, 24, 25, 24]);
        assert!(days[6].1 <= now && now < days[7].1);
    }
}
