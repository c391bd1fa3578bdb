//! What only a person can answer, and how it is kept.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rollcall_converge::HostId;
use secrecy::SecretString;

/// How long a question waits for its answer.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// One thing to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptField {
    /// What is asked for. Not to be trusted where [`PromptKind::by_others`] says so.
    pub text: String,
    /// Whether what is typed may be seen.
    pub echo: bool,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// The passphrase of a key file of this machine.
    Passphrase {
        /// The file, for people.
        file: String,
    },
    /// The password of a user of the host.
    Password {
        /// The user.
        user: String,
    },
    /// Whatever the server asks, in its own words.
    Challenge {
        /// Its own instructions; empty where it gives none.
        instructions: String,
    },
    /// Whatever the system's `ssh` asks, in its own words.
    OpenSsh {
        /// Its words.
        text: String,
    },
}

impl PromptKind {
    /// Whether the words of the question are those of a server or of a program.
    pub fn by_others(&self) -> bool {
        matches!(self, Self::Challenge { .. } | Self::OpenSsh { .. })
    }
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The host that is being reached.
    pub host: HostId,
    /// What the machine that asks is called: the host's label, or a name on the way to it.
    pub asker: String,
    /// What it is about.
    pub kind: PromptKind,
    /// What to fill in: one for a passphrase or a password, none where something is only to be done or agreed to.
    pub fields: Vec<PromptField>,
    /// Whether an answer before this was wrong.
    pub again: bool,
    /// Whether the answer can be kept in the system's keychain.
    pub keepable: bool,
}

/// The answer to a question.
pub struct Reply {
    /// One for each field.
    pub answers: Vec<SecretString>,
    /// Whether to keep it in the system's keychain.
    pub keep: bool,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The person does not want to.
    Cancelled,
    /// Nobody said anything for [`PATIENCE`].
    TimedOut,
}

/// Asks a person.
pub trait Prompter: fmt::Debug + Send + Sync {
    /// Asks, and waits for at most [`PATIENCE`], or until the question is given up. Blocks the calling thread.
    ///
    /// # Errors
    /// Why there is no answer.
    fn ask(&self, prompt: &Prompt, given_up: &AtomicBool) -> Result<Reply, Unanswered>;

    /// Tells a person the text that a server shows to whoever signs in. It is not to be trusted.
    fn banner(&self, host: HostId, text: &str);
}

/// Where the system keeps secrets for the person.
pub trait Keychain: fmt::Debug + Send + Sync {
    /// Whether there is one.
    fn available(&self) -> bool;
    /// What is kept under a name. `None` also where it cannot be read.
    fn get(&self, name: &str) -> Option<SecretString>;
    /// Keeps something; `false` where that did not work.
    fn set(&self, name: &str, secret: &SecretString) -> bool;
    /// Keeps nothing under a name any more.
    fn remove(&self, name: &str);
}

/// What a secret opens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lock {
    KeyFile(PathBuf),
    Account {
        user: String,
        host: String,
        port: u16,
    },
}

impl Lock {
    fn name(&self) -> String {
        match self {
            Self::KeyFile(file) => format!("key {}", file.display()),
            Self::Account { user, host, port } => format!("account {user}@{host}:{port}"),
        }
    }
}

/// Secrets that were given: in memory for as long as this lives, and in the keychain where a person wanted that.
#[derive(Default)]
pub(crate) struct Secrets {
    held: Mutex<HashMap<Lock, SecretString>>,
    keychain: Option<Arc<dyn Keychain>>,
}

impl Secrets {
    pub(crate) fn new(keychain: Option<Arc<dyn Keychain>>) -> Self {
        Self {
            held: Mutex::default(),
            keychain,
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<Lock, SecretString>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was given before.
    pub(crate) fn get(&self, lock: &Lock) -> Option<SecretString> {
        if let Some(held) = self.held().get(lock) {
            return Some(held.clone());
        }
        let kept = self.keychain.as_ref()?.get(&lock.name())?;
        self.held().insert(lock.clone(), kept.clone());
        Some(kept)
    }

    /// Whether a person may have something kept for the next start.
    pub(crate) fn keepable(&self) -> bool {
        self.keychain.as_ref().is_some_and(|it| it.available())
    }

    /// Holds what has proven to be right; `true` if it is kept for the next start too.
    pub(crate) fn hold(&self, lock: Lock, secret: SecretString, keep: bool) -> bool {
        let kept = keep
            && self
                .keychain
                .as_ref()
                .is_some_and(|it| it.set(&lock.name(), &secret));
        self.held().insert(lock, secret);
        kept
    }

    /// Forgets what has proven to be wrong.
    pub(crate) fn drop(&self, lock: &Lock) {
        let was_held = self.held().remove(lock).is_some();
        if let Some(keychain) = self.keychain.as_ref().filter(|_| was_held) {
            keychain.remove(&lock.name());
        }
    }
}

/// Whether two secrets are the same.
#[cfg(test)]
pub(crate) fn same(one: &SecretString, other: &str) -> bool {
    use secrecy::ExposeSecret as _;
    one.expose_secret() == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default)]
    struct Chest(Mutex<HashMap<String, SecretString>>);

    impl Keychain for Chest {
        fn available(&self) -> bool {
            true
        }
        fn get(&self, name: &str) -> Option<SecretString> {
            self.0.lock().unwrap().get(name).cloned()
        }
        fn set(&self, name: &str, secret: &SecretString) -> bool {
            self.0
                .lock()
                .unwrap()
                .insert(name.to_owned(), secret.clone());
            true
        }
        fn remove(&self, name: &str) {
            self.0.lock().unwrap().remove(name);
        }
    }

    #[test]
    fn only_what_a_person_ticked_outlives_the_memory_and_what_is_wrong_goes_everywhere() {
        let chest = Arc::new(Chest::default());
        let secrets = Secrets::new(Some(chest.clone()));
        let key = Lock::KeyFile("/k".into());
        let account = Lock::Account {
            user: "ada".into(),
            host: "h".into(),
            port: 22,
        };
        assert!(!secrets.hold(key.clone(), "one".into(), false));
        assert!(secrets.hold(account.clone(), "two".into(), true));
        assert!(same(&secrets.get(&key).unwrap(), "one"));
        let anew = Secrets::new(Some(chest.clone()));
        assert!(anew.get(&key).is_none());
        assert!(same(&anew.get(&account).unwrap(), "two"));
        anew.drop(&account);
        assert!(Secrets::new(Some(chest)).get(&account).is_none());
    }

    #[test]
    fn no_secret_is_shown_by_a_debug_print() {
        let reply = Reply {
            answers: vec!["hunter2".into()],
            keep: true,
        };
        assert!(!format!("{reply:?}").contains("hunter2"));
        assert!(!format!("{:?}", reply.answers).contains("hunter2"));
    }
}
