//! One connection to one host. Everything here blocks and belongs on a thread of its own.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rollcall_converge::{Failure, FailureCode, OfferedKey, inert};
use ssh_key::{PrivateKey, PublicKey};
use ssh2::{Channel, ErrorCode, MethodType, Session};

use super::config::{Agent, Resolved};
use super::known_hosts::{self, KnownKeys, Verdict};
use crate::collector::SshEnvironment;
use crate::script::COMMAND;
use crate::transport::{Ended, Output, TimeLimits};

/// libssh2: the call would have to wait.
const AGAIN: ErrorCode = ErrorCode::Session(-37);
/// libssh2: the time is up.
const TIMEOUT: ErrorCode = ErrorCode::Session(-9);
/// How often a running command looks whether somebody still wants its answer.
const LOOK: Duration = Duration::from_millis(50);
/// How long a finished command may take to leave.
const LEAVE: Duration = Duration::from_secs(3);
/// Identities that an agent may offer. Servers allow six attempts unless told otherwise.
const IDENTITIES: usize = 5;

/// An authenticated connection.
pub(crate) struct Live {
    session: Session,
    stream: TcpStream,
}

impl Drop for Live {
    fn drop(&mut self) {
        // First, so that nothing libssh2 says in parting can wait for a host that is gone. It may be closed.
        if let Err(error) = self.stream.shutdown(Shutdown::Both) {
            tracing::trace!(%error, "connection");
        }
    }
}

/// A connection whose keys are exchanged, and nothing more.
struct Met {
    live: Live,
    verdict: Verdict,
    blob: Vec<u8>,
    authority: bool,
}

fn failure(code: FailureCode, message: String) -> Failure {
    Failure::new(code, message)
}

/// Connects, checks the host's key and signs in.
pub(crate) fn connect(
    label: &str,
    resolved: &Resolved,
    environment: &SshEnvironment,
) -> Result<Live, Failure> {
    let met = meet(label, resolved, environment)?;
    let trusted = match met.verdict {
        Verdict::Known => met.live,
        Verdict::Unknown(key) => return Err(unknown_key(label, key, met.authority)),
        Verdict::Changed(key) => return Err(changed_key(label, key)),
        Verdict::Revoked(key) => return Err(revoked_key(label, key)),
    };
    authenticate(label, &trusted, resolved, environment)?;
    Ok(trusted)
}

fn unknown_key(label: &str, key: OfferedKey, authority: bool) -> Failure {
    let mut failure = failure(
        FailureCode::HostKeyUnknown,
        format!(
            "`{label}` shows a key that is in no known-hosts file: {} {}.",
            key.algorithm, key.fingerprint
        ),
    )
    .hint("Compare the fingerprint with one from the host's owner, then trust it.");
    if authority {
        failure = failure.hint(
            "An authority is known for this host, but its certificates cannot be checked by Rollcall.",
        );
    }
    failure.key = Some(Box::new(key));
    failure
}

fn changed_key(label: &str, key: OfferedKey) -> Failure {
    let mut failure = failure(
        FailureCode::HostKeyChanged,
        format!(
            "`{label}` shows the key {} {}, which differs from the known one.",
            key.algorithm, key.fingerprint
        ),
    )
    .hint("Ask the host's owner whether its key was replaced. If not, somebody may be listening.")
    .hint("If it was, remove the old key from the known-hosts files (`ssh-keygen -R`).");
    failure.key = Some(Box::new(key));
    failure
}

fn revoked_key(label: &str, key: OfferedKey) -> Failure {
    let mut failure = failure(
        FailureCode::HostKeyChanged,
        format!(
            "`{label}` shows the key {} {}, which a known-hosts file marks as revoked.",
            key.algorithm, key.fingerprint
        ),
    )
    .hint("Do not sign in. Ask the host's owner for its new key.");
    failure.key = Some(Box::new(key));
    failure
}

/// Writes the key a host shows into Rollcall's own file, if its fingerprint is the given one and it is unknown.
pub(crate) fn trust(
    label: &str,
    resolved: &Resolved,
    environment: &SshEnvironment,
    fingerprint: &str,
) -> Result<(), Failure> {
    let met = meet(label, resolved, environment)?;
    match met.verdict {
        Verdict::Known => Ok(()),
        Verdict::Changed(key) => Err(changed_key(label, key)),
        Verdict::Revoked(key) => Err(revoked_key(label, key)),
        Verdict::Unknown(key) if key.fingerprint != fingerprint => {
            let mut failure = failure(
                FailureCode::HostKeyUnknown,
                format!(
                    "`{label}` now shows the key {} {}, which is not the one that was to be trusted.",
                    key.algorithm, key.fingerprint
                ),
            )
            .hint("Compare the new fingerprint with one from the host's owner.");
            failure.key = Some(Box::new(key));
            Err(failure)
        }
        Verdict::Unknown(_) => {
            let (name, port) = resolved.key_name();
            let file = &environment.known_hosts;
            known_hosts::line(name, port, &met.blob)
                .ok_or_else(|| io::Error::other("its key is none that can be written"))
                .and_then(|line| append(file, &line))
                .map_err(|error| {
                    failure(
                        FailureCode::KeyUnreadable,
                        format!(
                            "The key of `{label}` cannot be written to `{}`: {error}.",
                            file.display()
                        ),
                    )
                    .hint("Check that the folder can be written and the disk is not full.")
                })
        }
    }
}

fn append(file: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let before = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let mut options = fs::File::options();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // One write, so that a crash leaves whole lines.
    let torn = before.last().is_some_and(|byte| *byte != b'\n');
    let text = format!("{}{line}\n", if torn { "\n" } else { "" });
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn meet(label: &str, resolved: &Resolved, environment: &SshEnvironment) -> Result<Met, Failure> {
    let (name, port) = resolved.key_name();
    let files = resolved
        .known_hosts
        .iter()
        .chain([&environment.known_hosts])
        .map(PathBuf::as_path);
    let known = KnownKeys::read(files, name, port).map_err(|(file, error)| {
        failure(
            FailureCode::Unsupported,
            format!(
                "The key of `{label}` cannot be checked, because `{}` cannot be read: {error}.",
                file.display()
            ),
        )
        .hint("Make the file readable, or remove it from the ssh configuration.")
    })?;
    let limits = &environment.limits;
    let stream = dial(label, resolved, limits)?;
    let mut session = Session::new().map_err(|error| {
        failure(
            FailureCode::CommandFailed,
            format!("No SSH session can be made: {error}."),
        )
    })?;
    prefer(&session, &known);
    session.set_timeout(milliseconds(limits.handshake));
    let socket = stream
        .try_clone()
        .map_err(|error| lost(label, &error.to_string()))?;
    session.set_tcp_stream(socket);
    let live = Live {
        session: session.clone(),
        stream,
    };
    session.handshake().map_err(|error| match error.code() {
        TIMEOUT => slow(label, "exchange keys", limits.handshake),
        // The other side never said `SSH-`.
        ErrorCode::Session(-2) => failure(
            FailureCode::Refused,
            format!(
                "What answers for `{label}` at {}:{} is no SSH server.",
                resolved.host, resolved.port
            ),
        )
        .hint("Check the port."),
        // It is told of a connection that ended in the middle, too.
        ErrorCode::Session(-5) if has_ended(&live.stream) => lost(label, error.message()),
        ErrorCode::Session(-5) => failure(
            FailureCode::Unsupported,
            format!(
                "`{label}` and Rollcall have no way to exchange keys in common: {}.",
                error.message()
            ),
        )
        .hint("Update the SSH server of the host."),
        _ => lost(label, error.message()),
    })?;
    let blob = session
        .host_key()
        .map(|(blob, _)| blob.to_vec())
        .unwrap_or_default();
    let verdict = known.judge(&blob).ok_or_else(|| {
        failure(
            FailureCode::Unsupported,
            format!("`{label}` shows a key of an unknown kind."),
        )
    })?;
    Ok(Met {
        live,
        verdict,
        blob,
        authority: known.authority,
    })
}

/// Whether the other side has closed a connection.
fn has_ended(stream: &TcpStream) -> bool {
    match stream.peek(&mut [0]) {
        Ok(waiting) => waiting == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1)
}

fn slow(label: &str, what: &str, limit: Duration) -> Failure {
    failure(
        FailureCode::TimedOut,
        format!(
            "`{label}` did not {what} within {} seconds.",
            limit.as_secs()
        ),
    )
    .hint("Check that the host is up and the network reaches it.")
}

fn lost(label: &str, why: &str) -> Failure {
    failure(
        FailureCode::Cut,
        format!("The connection to `{label}` ended ({why})."),
    )
    .hint("Check that the host is up, then sync again.")
}

/// Asks for host keys of known types first: a server shows one key, and it should be one that can be checked.
fn prefer(session: &Session, known: &KnownKeys) {
    let Ok(supported) = session.supported_algs(MethodType::HostKey) else {
        return;
    };
    let types: HashSet<String> = known.types().into_iter().collect();
    let is_known = |algorithm: &str| {
        let kind = if algorithm.starts_with("rsa-sha2-") {
            "ssh-rsa"
        } else {
            algorithm
        };
        types.contains(kind)
    };
    let usable = supported.iter().filter(|it| !it.contains("-cert-"));
    let (first, rest): (Vec<&str>, Vec<&str>) = usable.copied().partition(|it| is_known(it));
    let order = [first, rest].concat().join(",");
    if let Err(error) = session.method_pref(MethodType::HostKey, &order) {
        tracing::debug!(%error, order, "host key order");
    }
}

fn dial(label: &str, resolved: &Resolved, limits: &TimeLimits) -> Result<TcpStream, Failure> {
    let (sender, receiver) = mpsc::channel();
    let place = (resolved.host.clone(), resolved.port);
    // A resolver has no time limit of its own.
    thread::spawn(move || {
        let found = place
            .to_socket_addrs()
            .map(Iterator::collect::<Vec<SocketAddr>>);
        drop(sender.send(found));
    });
    let unknown = |why: &str| {
        failure(
            FailureCode::NameNotFound,
            format!(
                "The name `{}` of `{label}` does not resolve{why}.",
                resolved.host
            ),
        )
        .hint("Check the spelling, the network and whether a VPN is needed.")
    };
    let mut addresses = match receiver.recv_timeout(limits.resolve) {
        Ok(Ok(addresses)) => addresses,
        Ok(Err(_)) => return Err(unknown("")),
        Err(_) => {
            return Err(unknown(&format!(
                " within {} seconds",
                limits.resolve.as_secs()
            )));
        }
    };
    if let Some(ipv6) = resolved.ipv6 {
        addresses.retain(|address| address.is_ipv6() == ipv6);
    }
    let limit = resolved
        .connect_timeout
        .map_or(limits.connect, |it| it.min(limits.connect));
    let deadline = Instant::now() + limit;
    let mut last = None;
    for (at, address) in addresses.iter().enumerate() {
        // A dead address leaves time for those after it.
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(addresses.len() - at).unwrap_or(1);
        if share.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(address, share) {
            Ok(stream) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "TCP no-delay");
                }
                return Ok(stream);
            }
            Err(error) => last = Some(error),
        }
    }
    let at = format!("{}:{}", resolved.host, resolved.port);
    Err(match last {
        None => unknown(" to an address that can be used"),
        Some(error) if error.kind() == io::ErrorKind::TimedOut => slow(label, "answer", limit),
        Some(error) => failure(
            FailureCode::Refused,
            format!("`{label}` does not take connections at {at}: {error}."),
        )
        .hint("Check that the host is up, its SSH server runs, and the port is right."),
    })
}

/// What was tried to sign in, and what came of it.
#[derive(Default)]
struct Tried {
    accepted: bool,
    words: Vec<String>,
    unreadable: bool,
    refused: usize,
    /// How the connection ended, if it did before everything was tried.
    ended: Option<ssh2::Error>,
}

fn authenticate(
    label: &str,
    live: &Live,
    resolved: &Resolved,
    environment: &SshEnvironment,
) -> Result<(), Failure> {
    let session = &live.session;
    let limit = environment.limits.authenticate;
    session.set_timeout(milliseconds(limit));
    let methods = match session.auth_methods(&resolved.user) {
        Ok(methods) => methods.to_owned(),
        // A server that wants nothing has let us in by the question.
        Err(_) if session.authenticated() => return Ok(()),
        Err(error) if error.code() == TIMEOUT => {
            return Err(slow(label, "let anybody sign in", limit));
        }
        Err(error) => return Err(lost(label, error.message())),
    };
    let mut tried = Tried::default();
    if methods.split(',').any(|method| method == "publickey") {
        let mut files: Vec<(&Path, bool)> = Vec::new();
        if let Some(own) = &resolved.own_identity {
            files.push((own, true));
        }
        if !tried.files(live, &resolved.user, &files) && tried.ended.is_none() {
            tried.agent(live, resolved, environment);
        }
        let files: Vec<_> = resolved
            .identities
            .iter()
            .map(|file| (file.as_path(), false))
            .collect();
        if !tried.accepted && tried.ended.is_none() {
            tried.files(live, &resolved.user, &files);
        }
    }
    if session.authenticated() {
        return Ok(());
    }
    match &tried.ended {
        // Nothing was refused, so nothing a person has to do is known.
        Some(error) if tried.refused == 0 && error.code() == TIMEOUT => {
            return Err(slow(label, "let anybody sign in", limit));
        }
        Some(error) if tried.refused == 0 => return Err(lost(label, error.message())),
        Some(_) => tried.words.push(
            "then it ended the connection, as a host does that lets few keys be tried".to_owned(),
        ),
        None => {}
    }
    let code = if tried.unreadable && tried.refused == 0 {
        FailureCode::KeyUnreadable
    } else {
        FailureCode::NotAuthenticated
    };
    let said = if tried.words.is_empty() {
        "there was no key to try".to_owned()
    } else {
        tried.words.join("; ")
    };
    let mut failure = failure(
        code,
        format!(
            "`{label}` does not let `{}` sign in: {said}. It accepts {}.",
            resolved.user,
            inert(methods.replace(',', ", ").as_bytes())
        ),
    );
    if tried.unreadable {
        failure =
            failure.hint("Add the key to an ssh agent (`ssh-add`), which asks for its passphrase.");
    }
    Err(failure
        .hint("Put your public key into `~/.ssh/authorized_keys` on the host.")
        .hint("Name another user or key file for this host."))
}

impl Tried {
    /// Counts a key that was not accepted; `true` if no other can be tried.
    fn not_accepted(&mut self, live: &Live, error: ssh2::Error) -> bool {
        // A connection that ends instead of an answer looks like a refusal to the library.
        if error.code() == TIMEOUT || has_ended(&live.stream) {
            self.ended = Some(error);
            return true;
        }
        self.refused += 1;
        false
    }

    /// Tries identities of an agent that sign without a person; `true` once one was accepted.
    fn agent(&mut self, live: &Live, resolved: &Resolved, environment: &SshEnvironment) {
        let socket = match (&environment.agent_socket, &resolved.agent) {
            (Some(socket), _) | (None, Agent::Socket(socket)) => socket.clone(),
            (None, Agent::None) => return,
            (None, Agent::Environment) => match std::env::var_os("SSH_AUTH_SOCK") {
                Some(socket) => socket.into(),
                None => return,
            },
        };
        let found = live.session.agent().and_then(|mut agent| {
            agent.set_identity_path(&socket)?;
            agent.connect()?;
            agent.list_identities()?;
            let identities = agent.identities()?;
            Ok((agent, identities))
        });
        let (agent, mut identities) = match found {
            Ok(found) => found,
            Err(error) => {
                self.words.push(format!(
                    "the agent at `{}` does not answer ({error})",
                    socket.display()
                ));
                return;
            }
        };
        // As OpenSSH does: those the configuration names first, and only those if it says so.
        let named: Vec<Vec<u8>> = resolved
            .own_identity
            .iter()
            .chain(&resolved.identities)
            .filter_map(|file| public_blob(file))
            .collect();
        let is_named = |blob: &[u8]| named.iter().any(|it| it == blob);
        if resolved.identities_only {
            identities.retain(|identity| is_named(identity.blob()));
        }
        identities.sort_by_key(|identity| !is_named(identity.blob()));
        let mut offered = 0;
        for identity in &identities {
            let kind = key_kind(identity.blob());
            if kind.starts_with("sk-") {
                // It would ask for a touch.
                self.words
                    .push(format!("the agent's {kind} key needs a person"));
                continue;
            }
            if offered == IDENTITIES {
                self.words
                    .push(format!("the agent has more than {IDENTITIES} keys"));
                break;
            }
            offered += 1;
            match agent.userauth(&resolved.user, identity) {
                Ok(()) => {
                    self.accepted = true;
                    return;
                }
                Err(error) => {
                    if self.not_accepted(live, error) {
                        break;
                    }
                }
            }
        }
        self.words.push(match offered {
            0 => "the agent has no key for it".to_owned(),
            1 => "1 key of the agent was refused".to_owned(),
            n => format!("{n} keys of the agent were refused"),
        });
    }

    /// Tries key files, the flag saying whether a person named it; `true` once one was accepted.
    fn files(&mut self, live: &Live, user: &str, files: &[(&Path, bool)]) -> bool {
        for (file, named) in files {
            let shown = file.display();
            let text = match fs::read(file) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                // Most of the files that OpenSSH looks for by itself are not there.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !named => continue,
                Err(error) => {
                    self.unreadable = true;
                    self.words
                        .push(format!("the key file `{shown}` cannot be read ({error})"));
                    continue;
                }
            };
            if is_encrypted(&text) {
                self.unreadable = true;
                self.words
                    .push(format!("the key file `{shown}` needs its passphrase"));
                continue;
            }
            match live.session.userauth_pubkey_file(user, None, file, None) {
                Ok(()) => {
                    self.accepted = true;
                    return true;
                }
                Err(error) if error.code() == ErrorCode::Session(-16) => {
                    self.unreadable = true;
                    self.words
                        .push(format!("the key file `{shown}` holds no usable key"));
                }
                Err(error) => {
                    if self.not_accepted(live, error) {
                        return false;
                    }
                    self.words.push(format!("the key of `{shown}` was refused"));
                }
            }
        }
        false
    }
}

fn is_encrypted(text: &str) -> bool {
    match PrivateKey::from_openssh(text) {
        Ok(key) => key.is_encrypted(),
        Err(_) => text.contains("ENCRYPTED"),
    }
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

/// Why a command gave no whole answer.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The connection was dead before the command said anything.
    Dead(String),
    /// The server refused to run a command.
    Refused(String),
    /// It began and did not end well.
    Ended(Ended, Output),
    /// Nobody wants the answer any more.
    Cancelled,
}

impl Live {
    /// Runs the reader with `input` and gives the whole answer, which ends in `end`.
    /// After an error the connection is of no more use.
    pub(crate) fn run(
        &self,
        input: &[u8],
        end: Vec<u8>,
        limits: &TimeLimits,
        cancelled: &AtomicBool,
    ) -> Result<Vec<u8>, Broken> {
        self.session.set_blocking(false);
        let turn = Turn {
            live: self,
            cancelled,
            limits,
            started: Instant::now(),
        };
        let mut channel = turn.insist(|| self.session.channel_session())?;
        turn.insist(|| channel.exec(COMMAND))?;
        let mut sent = 0;
        while sent < input.len() {
            let rest = input.get(sent..).unwrap_or_default();
            // One that has to wait is tried again with the same bytes before anything else is sent.
            sent += turn.insist_io(|| channel.write(rest))?;
        }
        let mut output = Output::until(end);
        match turn.listen(&mut channel, &mut output)? {
            None => {}
            Some(ended) => return Err(Broken::Ended(ended, output)),
        }
        self.leave(channel);
        Ok(output.stdout)
    }

    /// Lets a finished command go. If that fails, the next command finds the connection dead.
    fn leave(&self, mut channel: Channel) {
        self.session.set_blocking(true);
        self.session.set_timeout(milliseconds(LEAVE));
        let left = channel.send_eof().and_then(|()| channel.close());
        if let Err(error) = left {
            tracing::debug!(%error, "channel");
            drop(self.stream.shutdown(Shutdown::Both));
        }
    }
}

/// One command on one connection.
struct Turn<'a> {
    live: &'a Live,
    cancelled: &'a AtomicBool,
    limits: &'a TimeLimits,
    started: Instant,
}

impl Turn<'_> {
    fn wait(&self) -> Result<(), Broken> {
        if self.cancelled.load(Ordering::SeqCst) {
            return Err(Broken::Cancelled);
        }
        wait_for(&self.live.stream, &self.live.session);
        Ok(())
    }

    /// Repeats a step of opening a command until it need not wait.
    fn insist<T>(&self, mut step: impl FnMut() -> Result<T, ssh2::Error>) -> Result<T, Broken> {
        let since = Instant::now();
        loop {
            match step() {
                Ok(done) => return Ok(done),
                Err(error) if error.code() == AGAIN => self.wait()?,
                Err(error) => {
                    // Refusals of a living server: no channel, no command.
                    return Err(match error.code() {
                        ErrorCode::Session(-21 | -22) => {
                            Broken::Refused(error.message().to_owned())
                        }
                        _ => Broken::Dead(error.message().to_owned()),
                    });
                }
            }
            if since.elapsed() > self.limits.silence {
                return Err(Broken::Dead("it does not answer".to_owned()));
            }
        }
    }

    fn insist_io(&self, mut step: impl FnMut() -> io::Result<usize>) -> Result<usize, Broken> {
        let since = Instant::now();
        loop {
            match step() {
                Ok(0) => return Err(Broken::Dead("it takes no input".to_owned())),
                Ok(n) => return Ok(n),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait()?,
                Err(error) => return Err(Broken::Dead(error.to_string())),
            }
            if since.elapsed() > self.limits.silence {
                return Err(Broken::Dead("it takes no input".to_owned()));
            }
        }
    }

    /// Reads until the answer has ended (`None`) or cannot any more.
    fn listen(&self, channel: &mut Channel, output: &mut Output) -> Result<Option<Ended>, Broken> {
        let mut heard = Instant::now();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let mut idle = true;
            match channel.read(&mut buffer) {
                // Closed for good, or only this stream: the end is looked for below.
                Ok(0) => {}
                Ok(n) => {
                    idle = false;
                    if output.stdout.len() + n > self.limits.answer {
                        return Ok(Some(Ended::TooLarge(self.limits.answer)));
                    }
                    if output.take(buffer.get(..n).unwrap_or_default()) {
                        return Ok(None);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Ok(Some(Ended::Cut(error.to_string()))),
            }
            match channel.stderr().read(&mut buffer) {
                Ok(0) => {}
                Ok(n) => {
                    idle = false;
                    output.hear(buffer.get(..n).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Ok(Some(Ended::Cut(error.to_string()))),
            }
            // However much it says, it is listened to no longer than this, and only while somebody wants it.
            if self.started.elapsed() > self.limits.total {
                return Ok(Some(Ended::Late(self.limits.total)));
            }
            if self.cancelled.load(Ordering::SeqCst) {
                return Err(Broken::Cancelled);
            }
            if !idle {
                heard = Instant::now();
                continue;
            }
            if let Some(signal) = killed_by(channel) {
                return Ok(Some(Ended::Killed(signal)));
            }
            if channel.eof() {
                return Ok(Some(self.farewell(channel)));
            }
            if heard.elapsed() > self.limits.silence {
                return Ok(Some(Ended::Silent(self.limits.silence)));
            }
            self.wait()?;
        }
    }

    /// After the end of the output: how the command ended, which the server says last.
    fn farewell(&self, channel: &mut Channel) -> Ended {
        let since = Instant::now();
        while since.elapsed() < LEAVE {
            match channel.wait_close() {
                Err(error) if error.code() == AGAIN => {
                    wait_for(&self.live.stream, &self.live.session);
                }
                Err(error) => return Ended::Cut(error.message().to_owned()),
                Ok(()) => break,
            }
        }
        match killed_by(channel) {
            Some(signal) => Ended::Killed(signal),
            None => Ended::Exited(channel.exit_status().unwrap_or(-1)),
        }
    }
}

fn killed_by(channel: &Channel) -> Option<String> {
    let signal = channel.exit_signal().ok()?.exit_signal?;
    (!signal.is_empty()).then(|| format!("signal {}", inert(signal.as_bytes())))
}

/// Waits until the socket is ready, for at most the time between two looks.
fn wait_for(stream: &TcpStream, session: &Session) {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let flags = match session.block_directions() {
            ssh2::BlockDirections::Outbound => PollFlags::OUT,
            ssh2::BlockDirections::Both => PollFlags::IN | PollFlags::OUT,
            _ => PollFlags::IN,
        };
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(LOOK.subsec_nanos()),
        };
        if poll(&mut [PollFd::new(stream, flags)], Some(&look)).is_ok() {
            return;
        }
    }
    #[cfg(not(unix))]
    let _ = (stream, session);
    thread::sleep(LOOK);
}
