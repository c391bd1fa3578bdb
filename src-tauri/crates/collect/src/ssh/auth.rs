//! Signing in, in OpenSSH's order: keys, then what the server asks, then a password. Blocks.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rollcall_converge::{Caller, Failure, FailureCode, HostId, SignIn, inert};
use secrecy::{ExposeSecret, SecretString};
use ssh_key::{PrivateKey, PublicKey};
use ssh2::{ErrorCode, KeyboardInteractivePrompt};

use super::config::{Agent, Resolved};
use super::known_hosts::fingerprint;
use super::meet::{Live, TIMEOUT, lost, milliseconds, slow};
use crate::collector::SshEnvironment;
use crate::prompt::{
    Lock, PATIENCE, Prompt, PromptField, PromptKind, Prompter, Secrets, Unanswered,
};

/// Identities that an agent may offer. Servers allow six attempts unless told otherwise.
const IDENTITIES: usize = 5;
/// How often a passphrase, a password or a challenge may be answered wrongly, as OpenSSH has it.
const TRIES: usize = 3;
/// Methods that may have to be tried in a row.
const ROUNDS: usize = 12;
/// An agent that takes longer than this to sign is taken to have asked a person.
const AT_ONCE: Duration = Duration::from_secs(2);

/// Who signs in.
pub(crate) struct Who<'a> {
    /// The host in the end.
    pub(crate) host: HostId,
    /// What the machine that is signed in to is called.
    pub(crate) label: &'a str,
    /// Who started this.
    pub(crate) caller: Caller,
    /// Asks the person who started this; none in the background, where nobody is asked for anything.
    pub(crate) prompter: Option<&'a Arc<dyn Prompter>>,
    /// Fingerprints of keys of an agent that signed without a person before.
    pub(crate) silent: &'a [String],
    pub(crate) secrets: &'a Secrets,
    /// Set when nobody waits for it any more.
    pub(crate) given_up: &'a AtomicBool,
}

/// What was done to sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// What was accepted, for people.
    pub(crate) how: Vec<String>,
    /// The agent's key that was accepted without a person.
    pub(crate) identity: Option<String>,
    /// A person typed something that is not kept for the next start, or an agent asked one.
    pub(crate) attended: bool,
    /// A person did something that cannot be done again from memory.
    pub(crate) once: bool,
}

impl Done {
    pub(crate) fn sign_in(&self) -> SignIn {
        SignIn {
            identity: self.identity.clone(),
            attended: self.attended,
        }
    }
}

/// How a try ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Try {
    Accepted,
    /// Something more is wanted.
    Partly,
    Refused,
}

/// Why no more is tried.
enum Stop {
    /// The connection ended.
    Ended(ssh2::Error),
    /// The person did not answer.
    Unanswered(Unanswered),
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing that was found out on the way"
)]
struct Attempt<'a> {
    live: &'a Live,
    resolved: &'a Resolved,
    environment: &'a SshEnvironment,
    who: &'a Who<'a>,
    /// What the server accepts now.
    methods: String,
    done: Done,
    /// Public keys that were tried; none is offered twice.
    offered: HashSet<Vec<u8>>,
    words: Vec<String>,
    refused: usize,
    unreadable: bool,
    passphrase_wrong: bool,
    agent_gone: bool,
    /// What a person could do that was not done.
    for_a_person: Option<String>,
    /// Whether the system's `ssh` could do more.
    openssh: bool,
}

/// Signs in over a connection whose host key has been checked.
pub(crate) fn authenticate(
    live: &Live,
    resolved: &Resolved,
    environment: &SshEnvironment,
    who: &Who<'_>,
) -> Result<Done, Failure> {
    let session = &live.session;
    let limit = environment.limits.authenticate;
    session.set_timeout(milliseconds(limit));
    let methods = match session.auth_methods(&resolved.user) {
        Ok(methods) => methods.to_owned(),
        // A server that wants nothing has let us in by the question.
        Err(_) if session.authenticated() => {
            return Ok(Done {
                how: vec!["without being asked anything".to_owned()],
                ..Done::default()
            });
        }
        Err(error) if error.code() == TIMEOUT => {
            return Err(slow(who.label, "let anybody sign in", limit));
        }
        Err(error) if !live.socket.has_ended() => {
            let mut failure = Failure::new(
                FailureCode::Unsupported,
                format!(
                    "`{}` says something that Rollcall's own connection cannot read ({}).",
                    who.label,
                    error.message()
                ),
            )
            .hint("A very long banner does that. Have the system's `ssh` carry the connection.");
            failure.openssh = true;
            return Err(failure);
        }
        Err(error) => return Err(lost(who.label, error.message())),
    };
    if let (Some(prompter), Ok(Some(banner))) = (who.prompter, session.userauth_banner()) {
        let lines: Vec<String> = banner.lines().map(|line| inert(line.as_bytes())).collect();
        prompter.banner(who.host, lines.join("\n").trim());
    }
    let mut attempt = Attempt {
        live,
        resolved,
        environment,
        who,
        methods,
        done: Done::default(),
        offered: HashSet::new(),
        words: Vec::new(),
        refused: 0,
        unreadable: false,
        passphrase_wrong: false,
        agent_gone: false,
        for_a_person: None,
        openssh: !resolved.beyond.is_empty(),
    };
    let stop = attempt.run().err();
    if session.authenticated() {
        return Ok(attempt.done);
    }
    Err(attempt.failure(stop.as_ref()))
}

impl Attempt<'_> {
    fn accepts(&self, method: &str) -> bool {
        self.methods.split(',').any(|it| it == method)
    }

    fn interactive(&self) -> bool {
        self.who.prompter.is_some()
    }

    fn run(&mut self) -> Result<(), Stop> {
        let mut spent: HashSet<&str> = HashSet::new();
        for _ in 0..ROUNDS {
            let Some(method) = ["publickey", "keyboard-interactive", "password"]
                .into_iter()
                .find(|method| self.accepts(method) && !spent.contains(method))
            else {
                return Ok(());
            };
            let tried = match method {
                "publickey" => self.keys()?,
                "keyboard-interactive" => self.challenges()?,
                _ => self.password()?,
            };
            match tried {
                Try::Accepted => return Ok(()),
                // Everything may be asked for anew, even the same method again.
                Try::Partly => spent.clear(),
                Try::Refused => {
                    spent.insert(method);
                }
            }
        }
        Ok(())
    }

    /// Takes in how the library ended one try. Told of a connection that ended, it looks like a refusal.
    fn judge(&mut self, outcome: Result<(), ssh2::Error>, signed: bool) -> Result<Try, Stop> {
        let Err(error) = outcome else {
            return Ok(Try::Accepted);
        };
        if error.code() == TIMEOUT || self.live.socket.has_ended() {
            return Err(Stop::Ended(error));
        }
        if signed {
            // A right answer after which more is wanted is told as a wrong one; what is wanted next tells them apart.
            let now = match self.live.session.auth_methods(&self.resolved.user) {
                Ok(methods) => methods.to_owned(),
                Err(_) if self.live.session.authenticated() => return Ok(Try::Accepted),
                Err(error) => return Err(Stop::Ended(error)),
            };
            if now != self.methods {
                self.methods = now;
                return Ok(Try::Partly);
            }
        }
        self.refused += 1;
        Ok(Try::Refused)
    }

    fn keys(&mut self) -> Result<Try, Stop> {
        if let Some(own) = &self.resolved.own_identity {
            let tried = self.file(own, true)?;
            if tried != Try::Refused {
                return Ok(tried);
            }
        }
        let tried = self.agent()?;
        if tried != Try::Refused {
            return Ok(tried);
        }
        for file in &self.resolved.identities {
            let tried = self.file(file, false)?;
            if tried != Try::Refused {
                return Ok(tried);
            }
        }
        Ok(Try::Refused)
    }

    fn agent(&mut self) -> Result<Try, Stop> {
        let socket = match (&self.environment.agent_socket, &self.resolved.agent) {
            (Some(socket), _) | (None, Agent::Socket(socket)) => socket.clone(),
            (None, Agent::None) => return Ok(Try::Refused),
            (None, Agent::Environment) => match std::env::var_os("SSH_AUTH_SOCK") {
                Some(socket) => socket.into(),
                None => return Ok(Try::Refused),
            },
        };
        let found = self.live.session.agent().and_then(|mut agent| {
            agent.set_identity_path(&socket)?;
            agent.connect()?;
            agent.list_identities()?;
            let identities = agent.identities()?;
            Ok((agent, identities))
        });
        let (agent, mut identities) = match found {
            Ok(found) => found,
            Err(error) => {
                self.agent_gone = true;
                self.words.push(format!(
                    "the agent at `{}` does not answer ({error})",
                    socket.display()
                ));
                return Ok(Try::Refused);
            }
        };
        // As OpenSSH does: those the configuration names first, and only those if it says so.
        let named: Vec<Vec<u8>> = self
            .resolved
            .own_identity
            .iter()
            .chain(&self.resolved.identities)
            .filter_map(|file| public_blob(file))
            .collect();
        let is_named = |blob: &[u8]| named.iter().any(|it| it == blob);
        if self.resolved.identities_only {
            identities.retain(|identity| is_named(identity.blob()));
        }
        let silent =
            |blob: &[u8]| fingerprint(blob).is_some_and(|print| self.who.silent.contains(&print));
        identities.sort_by_key(|identity| {
            let blob = identity.blob();
            (!silent(blob), !is_named(blob))
        });
        let mut offered = 0;
        for identity in &identities {
            let kind = key_kind(identity.blob());
            if kind.starts_with("sk-") {
                // libssh2 cannot pass its answer on, and it asks for a touch.
                self.openssh = true;
                self.words.push(format!(
                    "the agent's {kind} key can only be used by the system's ssh"
                ));
                continue;
            }
            if kind.contains("-cert-") {
                self.openssh = true;
            }
            if self.who.caller == Caller::Schedule && !silent(identity.blob()) {
                self.for_a_person.get_or_insert_with(|| {
                    "a key of the ssh agent was never used for it".to_owned()
                });
                continue;
            }
            if offered == IDENTITIES {
                self.words
                    .push(format!("the agent has more than {IDENTITIES} keys"));
                break;
            }
            if !self.offered.insert(identity.blob().to_vec()) {
                continue;
            }
            offered += 1;
            let begun = Instant::now();
            let patience = if self.interactive() {
                PATIENCE
            } else {
                Duration::ZERO
            };
            self.live.session.set_timeout(milliseconds(
                self.environment.limits.authenticate + patience,
            ));
            let outcome = agent.userauth(&self.resolved.user, identity);
            let waited = begun.elapsed() > AT_ONCE;
            let signed = outcome.as_ref().is_err_and(signature_was_checked);
            let tried = self.judge(outcome, signed)?;
            if tried == Try::Refused {
                continue;
            }
            self.done.how.push(format!(
                "with a key of the agent ({})",
                fingerprint(identity.blob()).unwrap_or(kind)
            ));
            if waited {
                self.done.attended = true;
                self.done.once = true;
            } else {
                self.done.identity = fingerprint(identity.blob());
            }
            return Ok(tried);
        }
        match offered {
            0 if identities.is_empty() => self.words.push("the agent has no key for it".to_owned()),
            0 => {}
            1 => self.words.push("1 key of the agent was refused".to_owned()),
            n => self
                .words
                .push(format!("{n} keys of the agent were refused")),
        }
        Ok(Try::Refused)
    }

    /// Tries one key file; `named` if a person named it.
    fn file(&mut self, file: &Path, named: bool) -> Result<Try, Stop> {
        let shown = file.display().to_string();
        let text = match fs::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            // Most of the files that OpenSSH looks for by itself are not there.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !named => {
                return Ok(Try::Refused);
            }
            Err(error) => {
                self.unreadable = true;
                self.words
                    .push(format!("the key file `{shown}` cannot be read ({error})"));
                return Ok(Try::Refused);
            }
        };
        if public_blob(file).is_some_and(|blob| self.offered.contains(&blob)) {
            return Ok(Try::Refused);
        }
        // A certificate beside it is of no use to libssh2.
        self.openssh |= certificate(file).exists();
        if !is_encrypted(&text) {
            let tried = self.offer(file, &shown, None)?;
            if tried.is_none() {
                self.unreadable = true;
                self.words
                    .push(format!("the key file `{shown}` holds no usable key"));
            }
            return Ok(tried.unwrap_or(Try::Refused));
        }
        let lock = Lock::KeyFile(file.to_path_buf());
        if let Some(held) = self.who.secrets.get(&lock) {
            if opens(&text, &held)
                && let Some(tried) = self.offer(file, &shown, Some(&held))?
            {
                return Ok(tried);
            }
            self.who.secrets.drop(&lock);
        }
        let Some(prompter) = self.who.prompter else {
            self.words
                .push(format!("the key file `{shown}` needs its passphrase"));
            self.for_a_person
                .get_or_insert_with(|| format!("the key file `{shown}` needs its passphrase"));
            return Ok(Try::Refused);
        };
        for again in 0..TRIES {
            let prompt = Prompt {
                host: self.who.host,
                asker: self.who.label.to_owned(),
                kind: PromptKind::Passphrase {
                    file: shown.clone(),
                },
                fields: vec![PromptField {
                    text: "Passphrase".to_owned(),
                    echo: false,
                }],
                again: again > 0,
                keepable: self.who.secrets.keepable(),
            };
            let reply = self.answered(prompter.ask(&prompt, self.who.given_up))?;
            let Some(passphrase) = reply.answers.into_iter().next() else {
                break;
            };
            if opens(&text, &passphrase)
                && let Some(tried) = self.offer(file, &shown, Some(&passphrase))?
            {
                let kept = self.who.secrets.hold(lock, passphrase, reply.keep);
                self.done.attended |= tried != Try::Refused && !kept;
                return Ok(tried);
            }
        }
        self.passphrase_wrong = true;
        self.words
            .push(format!("the passphrase does not open `{shown}`"));
        Ok(Try::Refused)
    }

    /// Offers the key of a file. `None` if the library cannot read it: nothing was sent then.
    fn offer(
        &mut self,
        file: &Path,
        shown: &str,
        passphrase: Option<&SecretString>,
    ) -> Result<Option<Try>, Stop> {
        self.live
            .session
            .set_timeout(milliseconds(self.environment.limits.authenticate));
        let passphrase = passphrase.map(ExposeSecret::expose_secret);
        let outcome =
            self.live
                .session
                .userauth_pubkey_file(&self.resolved.user, None, file, passphrase);
        // It could not read the file, or its passphrase is another one.
        if matches!(&outcome, Err(error) if matches!(error.code(), ErrorCode::Session(-16 | -48))) {
            return Ok(None);
        }
        self.offered.extend(public_blob(file));
        let signed = outcome.as_ref().is_err_and(signature_was_checked);
        let tried = self.judge(outcome, signed)?;
        if tried == Try::Refused {
            self.words.push(format!("the key of `{shown}` was refused"));
        } else {
            self.done.how.push(format!("with the key of `{shown}`"));
        }
        Ok(Some(tried))
    }

    /// Takes a reply of a person. Without one, the connection is closed first: the library cannot give up a question.
    fn answered<T>(&self, reply: Result<T, Unanswered>) -> Result<T, Stop> {
        reply.map_err(|why| {
            self.live.socket.close();
            Stop::Unanswered(why)
        })
    }

    fn account(&self) -> Lock {
        Lock::Account {
            user: self.resolved.user.clone(),
            host: self.resolved.host.clone(),
            port: self.resolved.port,
        }
    }

    fn challenges(&mut self) -> Result<Try, Stop> {
        let lock = self.account();
        let mut password = self.who.secrets.get(&lock);
        if !self.interactive() && password.is_none() {
            self.for_a_person
                .get_or_insert_with(|| "it asks questions of its own".to_owned());
            return Ok(Try::Refused);
        }
        self.live.session.set_timeout(milliseconds(
            self.environment.limits.authenticate + 2 * PATIENCE,
        ));
        for again in 0..TRIES {
            let mut rounds = Rounds {
                who: self.who,
                live: self.live,
                user: &self.resolved.user,
                again: again > 0,
                password: password.take(),
                typed: RefCell::new(None),
                typed_once: Cell::new(false),
                asked: Cell::new(false),
                unanswered: Cell::new(None),
            };
            let outcome = self
                .live
                .session
                .userauth_keyboard_interactive(&self.resolved.user, &mut rounds);
            if let Some(why) = rounds.unanswered.get() {
                return if self.interactive() {
                    Err(Stop::Unanswered(why))
                } else {
                    self.for_a_person
                        .get_or_insert_with(|| "it asks questions of its own".to_owned());
                    Err(Stop::Unanswered(Unanswered::Cancelled))
                };
            }
            let (asked, once) = (rounds.asked.get(), rounds.typed_once.get());
            let typed = rounds.typed.into_inner();
            let tried = self.judge(outcome, again + 1 < TRIES)?;
            if tried != Try::Refused {
                let kept = match typed {
                    Some((secret, keep)) => self.who.secrets.hold(lock, secret, keep),
                    None => !asked,
                };
                self.done.how.push("by answering what it asks".to_owned());
                self.done.attended |= asked && (once || !kept);
                self.done.once |= once;
                return Ok(tried);
            }
            self.who.secrets.drop(&lock);
            if !self.interactive() {
                self.for_a_person
                    .get_or_insert_with(|| "it wants other answers than before".to_owned());
                break;
            }
            if !asked {
                // It refused without a question.
                break;
            }
        }
        self.words.push("the answers were not accepted".to_owned());
        Ok(Try::Refused)
    }

    fn password(&mut self) -> Result<Try, Stop> {
        let lock = self.account();
        if let Some(held) = self.who.secrets.get(&lock) {
            let tried = self.try_password(&held, true)?;
            if tried != Try::Refused {
                return Ok(tried);
            }
            self.who.secrets.drop(&lock);
        }
        let Some(prompter) = self.who.prompter else {
            self.for_a_person
                .get_or_insert_with(|| "it asks for a password".to_owned());
            return Ok(Try::Refused);
        };
        for again in 0..TRIES {
            let prompt = Prompt {
                host: self.who.host,
                asker: self.who.label.to_owned(),
                kind: PromptKind::Password {
                    user: self.resolved.user.clone(),
                },
                fields: vec![PromptField {
                    text: "Password".to_owned(),
                    echo: false,
                }],
                again: again > 0,
                keepable: self.who.secrets.keepable(),
            };
            let reply = self.answered(prompter.ask(&prompt, self.who.given_up))?;
            let Some(password) = reply.answers.into_iter().next() else {
                break;
            };
            // To ask what is wanted next counts as a try, too; the last one is not wasted on it.
            let tried = self.try_password(&password, again + 1 < TRIES)?;
            if tried != Try::Refused {
                let kept = self.who.secrets.hold(lock, password, reply.keep);
                self.done.attended |= !kept;
                return Ok(tried);
            }
            if !self.accepts("password") {
                break;
            }
        }
        self.words.push("the password was refused".to_owned());
        Ok(Try::Refused)
    }

    fn try_password(&mut self, password: &SecretString, look: bool) -> Result<Try, Stop> {
        self.live
            .session
            .set_timeout(milliseconds(self.environment.limits.authenticate));
        let outcome = self
            .live
            .session
            .userauth_password(&self.resolved.user, password.expose_secret());
        if let Err(error) = &outcome
            && error.code() == ErrorCode::Session(-15)
        {
            self.words
                .push("the password has expired and has to be changed there first".to_owned());
            self.openssh = true;
        }
        let tried = self.judge(outcome, look)?;
        if tried != Try::Refused {
            self.done.how.push("with a password".to_owned());
        }
        Ok(tried)
    }

    fn failure(&self, stop: Option<&Stop>) -> Failure {
        let label = self.who.label;
        let limit = self.environment.limits.authenticate;
        let mut words = self.words.clone();
        match stop {
            Some(Stop::Unanswered(why)) => {
                let needed = match (&self.for_a_person, why) {
                    (Some(what), _) => format!("`{label}` needs you to sign in: {what}."),
                    (None, Unanswered::Cancelled) => {
                        format!("Signing in to `{label}` was cancelled.")
                    }
                    (None, Unanswered::TimedOut) => format!(
                        "Nobody answered `{label}` within {} minutes.",
                        PATIENCE.as_secs() / 60
                    ),
                };
                return Failure::new(FailureCode::SignInNeeded, needed)
                    .hint("Sign in when you want to.");
            }
            // Nothing was refused, so nothing a person has to do is known.
            Some(Stop::Ended(error)) if self.refused == 0 && error.code() == TIMEOUT => {
                return slow(label, "let anybody sign in", limit);
            }
            Some(Stop::Ended(error)) if self.refused == 0 => return lost(label, error.message()),
            Some(Stop::Ended(_)) => words.push(
                "then it ended the connection, as a host does that lets few keys be tried"
                    .to_owned(),
            ),
            None => {}
        }
        let mut failure = match &self.for_a_person {
            Some(what) => Failure::new(
                FailureCode::SignInNeeded,
                format!("`{label}` needs you to sign in: {what}."),
            )
            .hint("Sign in to be asked for what it takes."),
            None => self.refusal(&words),
        };
        if self.openssh {
            failure.openssh = true;
            if let [first, ..] = self.resolved.beyond.as_slice() {
                failure = failure.hint(format!(
                    "The ssh configuration uses `{first}` for it, which only the system's `ssh` can do."
                ));
            }
        }
        failure
    }

    fn refusal(&self, words: &[String]) -> Failure {
        let nothing_tried = self.refused == 0;
        let code = if self.passphrase_wrong {
            FailureCode::PassphraseWrong
        } else if self.unreadable && nothing_tried {
            FailureCode::KeyUnreadable
        } else if self.agent_gone && nothing_tried {
            FailureCode::AgentUnavailable
        } else {
            FailureCode::NotAuthenticated
        };
        let said = if words.is_empty() {
            "there was no key to try".to_owned()
        } else {
            words.join("; ")
        };
        let mut failure = Failure::new(
            code,
            format!(
                "`{}` does not let `{}` sign in: {said}. It accepts {}.",
                self.who.label,
                self.resolved.user,
                inert(self.methods.replace(',', ", ").as_bytes())
            ),
        );
        match code {
            FailureCode::PassphraseWrong => {
                failure = failure.hint("Sign in again and check the keyboard layout.");
            }
            FailureCode::KeyUnreadable => {
                failure =
                    failure.hint("Check that the file is a private key and that you may read it.");
            }
            FailureCode::AgentUnavailable => {
                failure = failure
                    .hint("Start the ssh agent, or set `IdentityAgent` for this host to where it listens.");
            }
            _ => {}
        }
        failure
            .hint("Put your public key into `~/.ssh/authorized_keys` on the host.")
            .hint("Name another user or key file for this host.")
    }
}

/// The rounds of questions of one sign-in.
struct Rounds<'a> {
    who: &'a Who<'a>,
    live: &'a Live,
    user: &'a str,
    again: bool,
    /// What was given before, for a round that asks for nothing but a password.
    password: Option<SecretString>,
    /// A password that was typed in such a round.
    typed: RefCell<Option<(SecretString, bool)>>,
    /// Something was typed that is good for once.
    typed_once: Cell<bool>,
    asked: Cell<bool>,
    unanswered: Cell<Option<Unanswered>>,
}

impl KeyboardInteractivePrompt for Rounds<'_> {
    fn prompt(
        &mut self,
        _user: &str,
        instructions: &str,
        prompts: &[ssh2::Prompt<'_>],
    ) -> Vec<String> {
        // A round without questions is answered with nothing.
        if prompts.is_empty() || self.unanswered.get().is_some() {
            return Vec::new();
        }
        let is_password = matches!(
            prompts,
            [only] if !only.echo && only.text.to_ascii_lowercase().contains("password")
        );
        if is_password && let Some(password) = self.password.take() {
            return vec![password.expose_secret().to_owned()];
        }
        let Some(prompter) = self.who.prompter else {
            self.unanswered.set(Some(Unanswered::Cancelled));
            self.live.socket.close();
            return Vec::new();
        };
        let kind = if is_password {
            PromptKind::Password {
                user: self.user.to_owned(),
            }
        } else {
            PromptKind::Challenge {
                instructions: instructions
                    .lines()
                    .map(|line| inert(line.as_bytes()))
                    .collect::<Vec<_>>()
                    .join("\n"),
            }
        };
        let prompt = Prompt {
            host: self.who.host,
            asker: self.who.label.to_owned(),
            kind,
            fields: prompts
                .iter()
                .map(|prompt| PromptField {
                    text: inert(prompt.text.trim().as_bytes()),
                    echo: prompt.echo,
                })
                .collect(),
            again: self.again,
            keepable: is_password && self.who.secrets.keepable(),
        };
        self.asked.set(true);
        match prompter.ask(&prompt, self.who.given_up) {
            Ok(reply) => {
                if is_password {
                    let first = reply.answers.first().cloned();
                    self.typed.replace(first.map(|it| (it, reply.keep)));
                } else {
                    self.typed_once.set(true);
                }
                reply
                    .answers
                    .iter()
                    .map(|answer| answer.expose_secret().to_owned())
                    .collect()
            }
            Err(why) => {
                self.unanswered.set(Some(why));
                self.live.socket.close();
                Vec::new()
            }
        }
    }
}

/// Whether a server looked at a signature before it refused: it did, if it had agreed to the key before.
fn signature_was_checked(error: &ssh2::Error) -> bool {
    error.code() == ErrorCode::Session(-19)
}

fn is_encrypted(text: &str) -> bool {
    match PrivateKey::from_openssh(text) {
        Ok(key) => key.is_encrypted(),
        Err(_) => text.contains("ENCRYPTED"),
    }
}

/// Whether a passphrase may open a key. What cannot be told here, such as of a key that is opened and then not
/// understood, libssh2 finds out.
fn opens(text: &str, passphrase: &SecretString) -> bool {
    match PrivateKey::from_openssh(text) {
        Ok(key) => !matches!(
            key.decrypt(passphrase.expose_secret()),
            Err(ssh_key::Error::Crypto)
        ),
        Err(_) => true,
    }
}

/// Where OpenSSH looks for the certificate of a key file.
fn certificate(file: &Path) -> PathBuf {
    let mut beside = file.as_os_str().to_owned();
    beside.push("-cert.pub");
    PathBuf::from(beside)
}

/// The public half of a key file, from the file beside it or from the key itself, which tells it unasked.
fn public_blob(file: &Path) -> Option<Vec<u8>> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".pub");
    let beside = fs::read_to_string(beside)
        .ok()
        .and_then(|text| PublicKey::from_openssh(text.trim()).ok());
    let key = match beside {
        Some(key) => key,
        None => PrivateKey::from_openssh(fs::read_to_string(file).ok()?)
            .ok()?
            .public_key()
            .clone(),
    };
    key.to_bytes().ok()
}

/// The type that a public key names at its start.
fn key_kind(blob: &[u8]) -> String {
    let length = blob
        .first_chunk::<4>()
        .and_then(|bytes| usize::try_from(u32::from_be_bytes(*bytes)).ok())
        .unwrap_or(0);
    inert(
        blob.get(4..4_usize.saturating_add(length))
            .unwrap_or_default(),
    )
}
