//! What people set, by name. What each means is not for the registry to say, and none is dropped.

use std::collections::HashMap;

use serde::de::{DeserializeOwned, IgnoredAny};

use crate::error::{RegistryError, Translate as _};
use crate::records::Columns;
use crate::store::{Changed, Registry, Write, execute, fetch_all, fetch_optional};

/// Bytes of a value.
const VALUE_LIMIT: usize = 65_536;

/// What people set, as JSON, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(HashMap<String, String>);

impl Settings {
    /// One of them; `None` if nobody set it, or to something that cannot be read as this.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.0
            .get(name)
            .and_then(|value| serde_json::from_str(value).ok())
    }
}

impl Write {
    pub(crate) async fn set(&mut self, name: &str, value: &str) -> Result<(), RegistryError> {
        let set = execute!(
            *self.transaction,
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) \
             DO UPDATE SET value = ?2 WHERE value <> ?2",
            name.to_owned(),
            value.to_owned()
        )?;
        self.changed.settings |= set.rows_affected() > 0;
        Ok(())
    }

    pub(crate) async fn setting<T: DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, RegistryError> {
        let row = fetch_optional!(*self.transaction, ONE, name.to_owned())?;
        read(row.as_ref())
    }
}

const ONE: &str = "SELECT value FROM settings WHERE name = ?";

fn read<T: DeserializeOwned>(
    row: Option<&sqlx::sqlite::SqliteRow>,
) -> Result<Option<T>, RegistryError> {
    let value = row.map(|row| Columns(row).text("value")).transpose()?;
    // What another version wrote in another form counts as not set.
    Ok(value.and_then(|value| serde_json::from_str(&value).ok()))
}

impl Registry {
    /// Everything that people set.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn settings(&self) -> Result<Settings, RegistryError> {
        let mut connection = self.read().await?;
        let rows = fetch_all!(*connection, "SELECT name, value FROM settings")?;
        let pairs = rows.iter().map(|row| {
            let row = Columns(row);
            Ok((row.text("name")?, row.text("value")?))
        });
        Ok(Settings(pairs.collect::<Result<_, RegistryError>>()?))
    }

    /// One thing that people set; `None` if nobody did, or to something that cannot be read as this.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub async fn setting<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, RegistryError> {
        let mut connection = self.read().await?;
        let row = fetch_optional!(*connection, ONE, name.to_owned())?;
        read(row.as_ref())
    }

    /// Sets things, by name and as JSON, all of them or none. Those that are not named stay as they are.
    ///
    /// # Errors
    /// [`RegistryError::InvalidInput`] for a value that is no JSON or has more than 65,536 bytes, and for a name that
    /// is empty.
    pub async fn set_settings(&self, all: &[(&str, String)]) -> Result<Changed, RegistryError> {
        let mut write = self.write().await?;
        for (name, value) in all {
            let plain = !name.is_empty()
                && value.len() <= VALUE_LIMIT
                && serde_json::from_str::<IgnoredAny>(value).is_ok();
            if !plain {
                return Err(RegistryError::invalid(
                    format!("`{name}` cannot be set to that."),
                    "Set it to something shorter.",
                ));
            }
            write.set(name, value).await?;
        }
        write.commit().await
    }
}
