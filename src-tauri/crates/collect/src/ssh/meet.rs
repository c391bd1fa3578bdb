//! Meeting a host: exchanging keys, and checking the one it shows before anything else is said (I19). Blocks.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rollcall_converge::{Failure, FailureCode, OfferedKey};
use ssh2::{ErrorCode, MethodType, Session};

use super::config::{Algorithms, Resolved, Strict};
use super::known_hosts::{self, KnownKeys, Verdict};
use super::route::Way;
use super::socket::Socket;
use crate::collector::SshEnvironment;

/// libssh2: the time is up.
pub(crate) const TIMEOUT: ErrorCode = ErrorCode::Session(-9);

/// A connection whose host has shown a key that is known.
pub(crate) struct Live {
    pub(crate) session: Session,
    pub(crate) socket: Socket,
    /// `SHA256:…` fingerprint of the host's key.
    pub(crate) host_key: String,
    /// How often it is to be kept alive while it is idle, where the configuration says.
    pub(crate) alive: Option<Duration>,
    /// What the bytes travel through besides the socket; ends with this.
    way: Option<Way>,
}

impl Drop for Live {
    fn drop(&mut self) {
        // First, so that nothing libssh2 says in parting can wait for a host that is gone.
        self.socket.close();
    }
}

/// What a person decided about a key before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Consent<'a> {
    /// Nothing.
    None,
    /// To take the key with this fingerprint for known, if no other is.
    Trust(&'a str),
    /// To take the key with this fingerprint in place of those known.
    Replace(&'a str),
}

/// How a meeting ended that did not end in a connection.
pub(crate) enum NotMet {
    Failed(Failure),
    /// The key that consent was given to is known from now on.
    Recorded,
}

impl NotMet {
    pub(crate) fn into_failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Recorded => Failure::new(
                FailureCode::CommandFailed,
                "A key was recorded that nobody agreed to.",
            ),
        }
    }
}

impl From<Failure> for NotMet {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn failure(code: FailureCode, message: String) -> Failure {
    Failure::new(code, message)
}

pub(crate) fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1)
}

pub(crate) fn slow(label: &str, what: &str, limit: Duration) -> Failure {
    failure(
        FailureCode::TimedOut,
        format!(
            "`{label}` did not {what} within {} seconds.",
            limit.as_secs()
        ),
    )
    .hint("Check that the host is up and the network reaches it.")
}

pub(crate) fn lost(label: &str, why: &str) -> Failure {
    failure(
        FailureCode::Cut,
        format!("The connection to `{label}` ended ({why})."),
    )
    .hint("Check that the host is up, then sync again.")
}

/// Exchanges keys over a socket, and checks the key that is shown.
pub(crate) fn meet(
    label: &str,
    resolved: &Resolved,
    environment: &SshEnvironment,
    (socket, way): (Socket, Option<Way>),
    consent: Consent<'_>,
) -> Result<Live, NotMet> {
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
    let mut session = Session::new().map_err(|error| {
        failure(
            FailureCode::CommandFailed,
            format!("No SSH session can be made: {error}."),
        )
    })?;
    offer(&session, &resolved.algorithms, &known);
    session.set_timeout(milliseconds(limits.handshake));
    socket
        .serve(&mut session)
        .map_err(|error| lost(label, &error.to_string()))?;
    let mut live = Live {
        session,
        socket,
        host_key: String::new(),
        alive: resolved.alive_interval,
        way,
    };
    if let Err(error) = live.session.handshake() {
        return Err(not_exchanged(label, resolved, limits.handshake, &live, &error).into());
    }
    let blob = live
        .session
        .host_key()
        .map(|(blob, _)| blob.to_vec())
        .unwrap_or_default();
    let verdict = known.judge(&blob).ok_or_else(|| {
        failure(
            FailureCode::Unsupported,
            format!("`{label}` shows a key of an unknown kind."),
        )
    })?;
    live.host_key = known_hosts::fingerprint(&blob).unwrap_or_default();
    let record = |superseded: &[String]| {
        let lines = known_hosts::lines(name, port, &blob, superseded, resolved.hash_known_hosts);
        let file = &environment.known_hosts;
        lines
            .ok_or_else(|| io::Error::other("its key is none that can be written"))
            .and_then(|lines| append(file, &lines))
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
    };
    match (verdict, consent) {
        (Verdict::Known, Consent::None) => Ok(live),
        // On the way to the one that is meant, others are passed.
        (Verdict::Known, Consent::Trust(print) | Consent::Replace(print)) => {
            if live.host_key == print {
                return Err(NotMet::Recorded);
            }
            Ok(live)
        }
        (Verdict::Unknown(key), Consent::Trust(print)) if key.fingerprint == print => {
            if resolved.strict == Strict::Yes {
                return Err(unknown_key(label, key, &known, resolved.strict).into());
            }
            record(&[])?;
            Err(NotMet::Recorded)
        }
        (Verdict::Unknown(key), Consent::Trust(_)) => Err(with_key(
            failure(
                FailureCode::HostKeyUnknown,
                format!(
                    "`{label}` now shows the key {} {}, which is not the one that was to be trusted.",
                    key.algorithm, key.fingerprint
                ),
            )
            .hint("Compare the new fingerprint with one from the host's owner."),
            key,
        )
        .into()),
        // With keys of other types known it is not new, and a person looks at it.
        (Verdict::Unknown(key), _) => {
            if resolved.strict == Strict::AcceptNew && key.known.is_empty() {
                record(&[])?;
                return Ok(live);
            }
            Err(unknown_key(label, key, &known, resolved.strict).into())
        }
        (Verdict::Changed(key), Consent::Replace(print)) if key.fingerprint == print => {
            if resolved.strict == Strict::Yes {
                return Err(changed_key(label, key).into());
            }
            record(&known.same_type(&blob))?;
            Err(NotMet::Recorded)
        }
        (Verdict::Changed(key), _) => Err(changed_key(label, key).into()),
        (Verdict::Revoked(key), _) => Err(revoked_key(label, key).into()),
    }
}

fn not_exchanged(
    label: &str,
    resolved: &Resolved,
    limit: Duration,
    live: &Live,
    error: &ssh2::Error,
) -> Failure {
    if let Some(words) = live.way.as_ref().and_then(Way::words) {
        return failure(
            FailureCode::JumpFailed,
            format!("The `ProxyCommand` that leads to `{label}` carried no connection: {words}."),
        )
        .hint("Run the command of `ProxyCommand` in a terminal.");
    }
    match error.code() {
        TIMEOUT => slow(label, "exchange keys", limit),
        // The other side never said `SSH-`.
        ErrorCode::Session(-2) => failure(
            FailureCode::Refused,
            format!(
                "What answers for `{label}` at {} is no SSH server.",
                resolved.place()
            ),
        )
        .hint("Check the port."),
        // It is told of a connection that ended in the middle, too.
        ErrorCode::Session(-5 | -8) if !live.socket.has_ended() => {
            let mut failure = failure(
                FailureCode::Unsupported,
                format!(
                    "`{label}` and Rollcall have no way to exchange keys in common: {}.",
                    error.message()
                ),
            )
            .hint("Update the SSH server of the host, or have the system's `ssh` carry the connection.");
            failure.openssh = true;
            failure
        }
        _ => lost(label, error.message()),
    }
}

fn with_key(mut failure: Failure, key: OfferedKey) -> Failure {
    failure.key = Some(Box::new(key));
    failure
}

fn unknown_key(label: &str, key: OfferedKey, known: &KnownKeys, strict: Strict) -> Failure {
    let mut failure = failure(
        FailureCode::HostKeyUnknown,
        format!(
            "`{label}` shows a key that is in no known-hosts file: {} {}.",
            key.algorithm, key.fingerprint
        ),
    );
    failure = if strict == Strict::Yes {
        failure.hint(
            "The ssh configuration says `StrictHostKeyChecking yes`: add the key to a known-hosts file by hand.",
        )
    } else {
        failure.hint("Compare the fingerprint with one from the host's owner, then trust it.")
    };
    if !key.known.is_empty() {
        failure = failure
            .hint("Keys of other types are known for this host, and it did not show any of them.");
    }
    if known.authority {
        failure = failure.hint(
            "An authority is known for this host, but its certificates cannot be checked by Rollcall.",
        );
        failure.openssh = true;
    }
    with_key(failure, key)
}

fn changed_key(label: &str, key: OfferedKey) -> Failure {
    with_key(
        failure(
            FailureCode::HostKeyChanged,
            format!(
                "`{label}` shows the key {} {}, which differs from the known one.",
                key.algorithm, key.fingerprint
            ),
        )
        .hint(
            "Ask the host's owner whether its key was replaced. If not, somebody may be listening.",
        ),
        key,
    )
}

fn revoked_key(label: &str, key: OfferedKey) -> Failure {
    with_key(
        failure(
            FailureCode::HostKeyChanged,
            format!(
                "`{label}` shows the key {} {}, which a known-hosts file marks as revoked.",
                key.algorithm, key.fingerprint
            ),
        )
        .hint("Do not sign in. Ask the host's owner for its new key."),
        key,
    )
}

fn append(file: &Path, lines: &str) -> io::Result<()> {
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
    let text = format!("{}{lines}", if torn { "\n" } else { "" });
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Offers what the configuration prefers, and host keys of known types first: a server shows one key, and it should
/// be one that can be checked.
fn offer(session: &Session, algorithms: &Algorithms, known: &KnownKeys) {
    let prefer = |kind: MethodType, wanted: &[String]| {
        let Ok(supported) = session.supported_algs(kind) else {
            return;
        };
        // What the library has none of is left to it, or nothing would be in common.
        let order: Vec<&str> = wanted
            .iter()
            .map(String::as_str)
            .filter(|it| supported.contains(it))
            .collect();
        if order.is_empty() {
            return;
        }
        if let Err(error) = session.method_pref(kind, &order.join(",")) {
            tracing::debug!(%error, ?order, "algorithms");
        }
    };
    prefer(MethodType::Kex, &algorithms.kex);
    for kind in [MethodType::CryptCs, MethodType::CryptSc] {
        prefer(kind, &algorithms.ciphers);
    }
    for kind in [MethodType::MacCs, MethodType::MacSc] {
        prefer(kind, &algorithms.macs);
    }
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
    let allowed = |it: &str| {
        algorithms.host_keys.is_empty() || algorithms.host_keys.iter().any(|other| other == it)
    };
    let usable = supported
        .iter()
        .copied()
        .filter(|it| !it.contains("-cert-") && allowed(it));
    let (first, rest): (Vec<&str>, Vec<&str>) = usable.partition(|it| is_known(it));
    let order: Vec<String> = [first, rest]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
    prefer(MethodType::HostKey, &order);
}
