//! What the application does for its registry without being asked: daily copies, and forgetting what was hidden
//! long ago and is gone.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rollcall_registry::{Registry, RegistryError};
use tokio::time::MissedTickBehavior;

use crate::announce::Announcer;

/// How often it looks whether something is due. Days are counted by the clock, which stands still in no sleep.
const LOOK: Duration = Duration::from_mins(10);
/// How long hidden workspaces that are gone are remembered.
const REMEMBER: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How long hosts that were forgotten are remembered.
const FORGOTTEN: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Keeps the registry for as long as it is polled.
pub(crate) async fn keep(registry: Registry, announcer: Arc<Announcer>) {
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut troubled = false;
    loop {
        ticks.tick().await;
        match once(&registry, &announcer, Timestamp::now()).await {
            Ok(()) => troubled = false,
            Err(error) => {
                tracing::warn!(%error, "the registry was not looked after");
                // Said once, not at every look.
                if !troubled {
                    announcer.trouble(error.into());
                }
                troubled = true;
            }
        }
    }
}

async fn once(
    registry: &Registry,
    announcer: &Announcer,
    now: Timestamp,
) -> Result<(), RegistryError> {
    if registry.back_up_daily(now).await? {
        tracing::info!("the registry was copied");
    }
    if let Ok(before) = now.checked_sub(REMEMBER) {
        let changed = registry.purge_untracked(before, now).await?;
        announcer.changed(&changed);
    }
    if let Ok(before) = now.checked_sub(FORGOTTEN) {
        let changed = registry.purge_forgotten(before).await?;
        announcer.changed(&changed);
    }
    Ok(())
}
