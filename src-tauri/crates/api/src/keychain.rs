//! Where the system keeps secrets for the person: Secret Service, Keychain or Credential Manager.

use keyring::Entry;
use rollcall_collect::Keychain;
use secrecy::{ExposeSecret as _, SecretString};

/// What secrets of this application are kept under.
const SERVICE: &str = "rollcall";

/// The system's keychain. Every call blocks.
#[derive(Debug)]
pub(crate) struct SystemKeychain;

impl SystemKeychain {
    fn entry(name: &str) -> Option<Entry> {
        Entry::new(SERVICE, name)
            .inspect_err(|error| tracing::debug!(%error, "keychain"))
            .ok()
    }
}

impl Keychain for SystemKeychain {
    fn available(&self) -> bool {
        Entry::store_status().is_ok() && is_open()
    }

    fn get(&self, name: &str) -> Option<SecretString> {
        // A locked one would ask the person to open it, whom nothing in the background may ask.
        if !self.available() {
            return None;
        }
        match Self::entry(name)?.get_password() {
            Ok(secret) => Some(secret.into()),
            Err(error) => {
                tracing::debug!(%error, "keychain");
                None
            }
        }
    }

    fn set(&self, name: &str, secret: &SecretString) -> bool {
        Self::entry(name).is_some_and(|entry| {
            entry
                .set_password(secret.expose_secret())
                .inspect_err(|error| tracing::warn!(%error, "nothing is kept in the keychain"))
                .is_ok()
        })
    }

    fn remove(&self, name: &str) {
        if let Some(entry) = Self::entry(name)
            && let Err(error) = entry.delete_credential()
        {
            tracing::debug!(%error, "keychain");
        }
    }
}

/// Whether it answers without asking a person to open it.
#[cfg(target_os = "linux")]
fn is_open() -> bool {
    let locked = zbus::blocking::Connection::session().and_then(|bus| {
        let collection = zbus::blocking::Proxy::new(
            &bus,
            "org.freedesktop.secrets",
            "/org/freedesktop/secrets/aliases/default",
            "org.freedesktop.Secret.Collection",
        )?;
        collection.get_property::<bool>("Locked")
    });
    matches!(locked, Ok(false))
}

/// Whether it answers without asking a person to open it: elsewhere it is open while its owner is signed in.
#[cfg(not(target_os = "linux"))]
fn is_open() -> bool {
    true
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Set in the process that has a bus and a Secret Service of its own.
    const INSIDE: &str = "ROLLCALL_TEST_KEYCHAIN";

    #[test]
    fn secrets_are_kept_by_a_real_secret_service_and_a_locked_one_is_left_alone() {
        if std::env::var_os(INSIDE).is_none() {
            let home = tempfile::tempdir().unwrap();
            let script = "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec \"$@\"";
            let ran = Command::new("dbus-run-session")
                .args(["--", "sh", "-c", script, "sh"])
                .arg(std::env::current_exe().unwrap())
                .args(["keychain::tests", "--nocapture"])
                .env(INSIDE, "1")
                .env("HOME", home.path())
                .env("XDG_RUNTIME_DIR", home.path())
                .env_remove("XDG_DATA_HOME")
                .output()
                .unwrap();
            let words = String::from_utf8_lossy(&ran.stdout).into_owned();
            assert!(
                ran.status.success(),
                "{words}{}",
                String::from_utf8_lossy(&ran.stderr)
            );
            assert!(words.contains("1 passed"), "{words}");
            return;
        }
        let keychain = SystemKeychain;
        assert!(keychain.available());
        assert!(keychain.get("account a@h:22").is_none());
        assert!(keychain.set("account a@h:22", &"zwölf Wörter".into()));
        let kept = keychain.get("account a@h:22").unwrap();
        assert_eq!(kept.expose_secret(), "zwölf Wörter");
        assert!(keychain.get("account b@h:22").is_none());

        lock();
        assert!(!keychain.available());
        assert!(keychain.get("account a@h:22").is_none());
    }

    fn lock() {
        let bus = zbus::blocking::Connection::session().unwrap();
        let service = zbus::blocking::Proxy::new(
            &bus,
            "org.freedesktop.secrets",
            "/org/freedesktop/secrets",
            "org.freedesktop.Secret.Service",
        )
        .unwrap();
        let alias = "/org/freedesktop/secrets/collection/login";
        let path = zbus::zvariant::ObjectPath::try_from(alias).unwrap();
        service.call_method("Lock", &(vec![path],)).unwrap();
    }
}
