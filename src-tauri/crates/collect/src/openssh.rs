//! Hosts over the system's `ssh`, for what Rollcall's own connections cannot do. A master of ours, or the person's own,
//! carries the commands, so that nobody has to sign in for each of them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rollcall_converge::{Caller, Failure, FailureCode, Host, HostId, SignIn, SshTarget, inert};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, sleep, timeout};

use crate::askpass::{Asker, VARIABLE};
use crate::collector::SshEnvironment;
use crate::local;
use crate::prompt::{PATIENCE, Secrets};
use crate::script::{COMMAND, Tokens};
use crate::ssh::config::{self, Resolved, Strict};
use crate::ssh::{Asking, Notes, Reach, TraceStep, waits_for_its_person};
use crate::transport::{Ended, unfinished};

/// How long a master may take to say whether it is there.
const CHECK: Duration = Duration::from_secs(3);
/// How often it is looked whether a master is ready.
const LOOK: Duration = Duration::from_millis(20);
/// Exit code of `ssh` for troubles of its own.
const TROUBLE: i32 = 255;
/// Runs a command until it ends or this shell's input does, which is when the application has ended.
const LEASE: &str = "exec 3<&0; \"$@\" </dev/null 3<&- & p=$!; { cat <&3 >/dev/null; kill \"$p\"; } 2>/dev/null & w=$!; \
     wait \"$p\"; s=$?; kill \"$w\" 2>/dev/null; exit \"$s\"";

/// What carries the commands of a host.
enum Carrier {
    /// A master of ours, its lease, and how it is reached.
    Ours {
        child: Box<Child>,
        _lease: Option<ChildStdin>,
        socket: PathBuf,
    },
    /// The person's own master.
    Theirs(PathBuf),
    /// None: systems without masters connect for each command.
    None,
}

impl Carrier {
    fn socket(&self) -> Option<&Path> {
        match self {
            Self::Ours { socket, .. } | Self::Theirs(socket) => Some(socket),
            Self::None => None,
        }
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        let Self::Ours { child, .. } = self else {
            return;
        };
        #[cfg(unix)]
        if let Some(group) = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(rustix::process::Pid::from_raw)
            && let Err(error) =
                rustix::process::kill_process_group(group, rustix::process::Signal::TERM)
        {
            tracing::debug!(%error, "process group of ssh");
        }
        #[cfg(not(unix))]
        drop(child.start_kill());
    }
}

struct Kept {
    target: SshTarget,
    resolved: Resolved,
    carrier: Carrier,
}

type Slot = Arc<tokio::sync::Mutex<Option<Kept>>>;

/// The masters that are kept.
pub(crate) struct OpenSsh {
    environment: Arc<SshEnvironment>,
    secrets: Arc<Secrets>,
    /// Where masters listen; its name has to be short.
    folder: Mutex<Option<Arc<TempDir>>>,
    slots: Mutex<HashMap<HostId, Slot>>,
}

impl OpenSsh {
    pub(crate) fn new(environment: Arc<SshEnvironment>, secrets: Arc<Secrets>) -> Self {
        Self {
            environment,
            secrets,
            folder: Mutex::default(),
            slots: Mutex::default(),
        }
    }

    fn slot(&self, host: HostId) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(host).or_default())
    }

    fn folder(&self) -> io::Result<Arc<TempDir>> {
        let mut folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &*folder {
            return Ok(Arc::clone(folder));
        }
        // Readable by its owner only, as all of these are.
        let made = Arc::new(tempfile::Builder::new().prefix("rc-").tempdir()?);
        *folder = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Lets a host go. What runs over it ends with its own future.
    pub(crate) fn forget(&self, host: HostId) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.remove(&host);
    }

    /// Ends every master that may be dead.
    pub(crate) async fn doubt(&self) {
        let slots: Vec<Slot> = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.values().cloned().collect()
        };
        for slot in slots {
            // One that is being used is found out by who uses it.
            let Ok(mut kept) = slot.try_lock() else {
                continue;
            };
            if let Some(it) = &*kept
                && let Some(socket) = it.carrier.socket()
                && !self.is_there(&it.target, socket).await
            {
                *kept = None;
            }
        }
    }

    /// Gives the answer of a host to an input. Dropping the future ends what runs there.
    pub(crate) async fn run(
        &self,
        asking: &Asking<'_>,
        input: &[u8],
        tokens: &Tokens,
    ) -> Result<Vec<u8>, Failure> {
        let Asking { host, target, .. } = *asking;
        config::check(&host.label, target)?;
        let slot = self.slot(host.id);
        let mut again = true;
        loop {
            let (command, socket) = {
                let mut kept = slot.lock().await;
                let usable = kept.as_mut().is_some_and(|it| it.is_usable(target));
                if !usable {
                    *kept = None;
                    again = false;
                    *kept = Some(self.connect(asking).await?);
                }
                let Some(it) = &*kept else { continue };
                let socket = it.carrier.socket().map(Path::to_path_buf);
                let mut command = self.ssh(target, &it.resolved, asking.prompter.is_none());
                if let Some(socket) = &socket {
                    // Without its master it is to fail, and not to connect anew by itself.
                    command.arg("-S").arg(socket).args([
                        "-o",
                        "ControlMaster=no",
                        "-o",
                        "ProxyCommand=false",
                    ]);
                }
                command.args(["-T", "--", &target.destination, COMMAND]);
                (command, socket)
            };
            let limits = &self.environment.limits;
            // Ending `ssh` ends no verb on the host.
            let report = asking.report.clone();
            let ran = local::run(command, input, tokens.end(), report, false, limits)
                .await
                .map_err(|error| self.not_started(host, &error))?;
            let unanswered = match ran {
                Ok(answer) => return Ok(answer),
                Err(unanswered) => unanswered,
            };
            let mut trouble = unanswered.ended == Ended::Exited(TROUBLE);
            let mut ended = unanswered.ended.clone();
            if trouble
                && let Some(socket) = &socket
                && self.is_there(target, socket).await
            {
                // The connection is well, so it is the command that ended without an exit code.
                trouble = false;
                ended = Ended::Killed("a signal".to_owned());
            }
            if trouble || matches!(ended, Ended::Silent(_)) {
                // Whatever it was, it is not gone on with.
                *slot.lock().await = None;
                if trouble && again && unanswered.output.stdout.is_empty() && socket.is_some() {
                    again = false;
                    continue;
                }
            }
            if trouble {
                let words = unanswered.output.excerpt();
                if socket.is_none() {
                    return Err(self.explain(asking, &words).await);
                }
                let words = if words.is_empty() {
                    "ssh gave up"
                } else {
                    &words
                };
                ended = Ended::Cut(words.to_owned());
            }
            return Err(unfinished(
                &host.label,
                &ended,
                &unanswered.output,
                &tokens.opening(),
            ));
        }
    }

    fn not_started(&self, host: &Host, error: &io::Error) -> Failure {
        Failure::new(
            FailureCode::Unsupported,
            format!(
                "`{}` for `{}` cannot be started: {error}.",
                self.environment.ssh.display(),
                host.label
            ),
        )
        .hint("Install the OpenSSH client, or have Rollcall's own connection carry this host.")
    }

    /// `ssh` with everything that is said about the host, and nothing about what it is to do.
    fn ssh(&self, target: &SshTarget, resolved: &Resolved, background: bool) -> Command {
        let mut command = Command::new(&self.environment.ssh);
        command.args(self.options(target, resolved, background));
        command.env("LC_ALL", "C");
        command
    }

    fn options(&self, target: &SshTarget, resolved: &Resolved, background: bool) -> Vec<OsString> {
        let mut words = config::arguments(self.environment.config.as_deref(), target);
        if let Some(file) = &resolved.own_identity {
            words.extend(["-i".into(), file.into()]);
        }
        let yes = |it: bool| if it { "yes" } else { "no" };
        // Ours first: what `accept-new` adds goes there and into no file of the person's own.
        let files: Vec<String> = std::iter::once(&self.environment.known_hosts)
            .chain(&resolved.known_hosts)
            .map(|file| format!("\"{}\"", file.display()))
            .collect();
        let strict = match resolved.strict {
            Strict::AcceptNew => "accept-new",
            Strict::Ask | Strict::Yes => "yes",
        };
        let connect = resolved.connect_limit(&self.environment.limits);
        for option in [
            format!("BatchMode={}", yes(background)),
            format!("StrictHostKeyChecking={strict}"),
            format!("UserKnownHostsFile={}", files.join(" ")),
            format!("ConnectTimeout={}", connect.as_secs().max(1)),
            "UpdateHostKeys=no".to_owned(),
            "ServerAliveInterval=10".to_owned(),
            "ServerAliveCountMax=2".to_owned(),
            "ClearAllForwardings=yes".to_owned(),
            "ForwardAgent=no".to_owned(),
            "ForwardX11=no".to_owned(),
            "PermitLocalCommand=no".to_owned(),
            "RemoteCommand=none".to_owned(),
            "LogLevel=ERROR".to_owned(),
        ] {
            words.extend(["-o".into(), option.into()]);
        }
        words
    }

    async fn is_there(&self, target: &SshTarget, socket: &Path) -> bool {
        let mut command = Command::new(&self.environment.ssh);
        command
            .args(config::arguments(
                self.environment.config.as_deref(),
                target,
            ))
            .args(["-O", "check", "-S"])
            .arg(socket)
            .args(["--", &target.destination])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        matches!(timeout(CHECK, command.status()).await, Ok(Ok(status)) if status.success())
    }

    /// Finds the person's own master, or makes one.
    async fn connect(&self, asking: &Asking<'_>) -> Result<Kept, Failure> {
        let Asking {
            host,
            target,
            notes,
            caller,
            ..
        } = *asking;
        let prompter = asking.prompter.as_ref();
        notes.clear();
        let label = host.label.clone();
        let (environment, wanted) = (Arc::clone(&self.environment), target.clone());
        let resolved = blocking(move || config::resolve(&label, &environment, &wanted))
            .await?
            .inspect_err(|failure| {
                notes.failed(TraceStep::Configuration, &host.label, failure);
            })?;
        notes.say(
            TraceStep::Configuration,
            &host.label,
            format!(
                "leads to {}@{}, by the system's ssh",
                resolved.user,
                resolved.place()
            ),
        );
        let kept = |carrier| Kept {
            target: target.clone(),
            resolved: resolved.clone(),
            carrier,
        };
        if let Some(theirs) = &resolved.control_path
            && theirs.exists()
            && self.is_there(target, theirs).await
        {
            notes.say(
                TraceStep::SignIn,
                &host.label,
                "your own ssh master is used",
            );
            notes.signed_in(host.sign_in.clone().unwrap_or_default(), None);
            return Ok(kept(Carrier::Theirs(theirs.clone())));
        }
        let attended = host.sign_in.as_ref().is_some_and(|it| it.attended);
        if caller == Caller::Schedule && attended {
            let failure = waits_for_its_person(&host.label);
            notes.failed(TraceStep::SignIn, &host.label, &failure);
            return Err(failure);
        }
        if cfg!(windows) {
            return Ok(kept(Carrier::None));
        }
        let asker = match (prompter, &self.environment.askpass) {
            (Some(prompter), Some(_)) => Some(
                Asker::start(host.id, &host.label, Arc::clone(prompter))
                    .map_err(|error| self.not_started(host, &error))?,
            ),
            _ => None,
        };
        let carrier = match self.master(target, &resolved, asker.as_ref()).await {
            Ok(carrier) => carrier,
            Err(Unready::NotStarted(error)) => return Err(self.not_started(host, &error)),
            Err(Unready::Ended(words)) => {
                return Err(self.explain(asking, &words).await);
            }
            Err(Unready::Late(limit)) => {
                let failure = Failure::new(
                    FailureCode::TimedOut,
                    format!(
                        "`ssh` did not reach `{}` within {} seconds.",
                        host.label,
                        limit.as_secs()
                    ),
                )
                .hint("Check that the host is up and the network reaches it.");
                notes.failed(TraceStep::Connection, &host.label, &failure);
                return Err(failure);
            }
        };
        notes.say(TraceStep::SignIn, &host.label, "the system's ssh signed in");
        let sign_in = SignIn {
            identity: None,
            attended: asker.is_some_and(|it| it.has_asked()),
        };
        notes.signed_in(sign_in, None);
        Ok(kept(carrier))
    }

    async fn master(
        &self,
        target: &SshTarget,
        resolved: &Resolved,
        asker: Option<&Asker>,
    ) -> Result<Carrier, Unready> {
        let folder = self.folder().map_err(Unready::NotStarted)?;
        let name = Tokens::random()
            .map(|it| it.word())
            .and_then(|word| word.get(..12).map(str::to_owned))
            .ok_or_else(|| Unready::NotStarted(io::Error::other("there are no random numbers")))?;
        let socket = folder.path().join(name);
        let mut command = Command::new("sh");
        command
            .args(["-c", LEASE, "sh"])
            .arg(&self.environment.ssh)
            .args(self.options(target, resolved, asker.is_none()))
            .args(["-N", "-T", "-M", "-S"])
            .arg(&socket)
            .args(["-o", "ControlPersist=no", "--", &target.destination])
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let limits = &self.environment.limits;
        let mut limit = limits.reach();
        if let (Some(asker), Some(program)) = (asker, &self.environment.askpass) {
            limit += 3 * PATIENCE;
            command
                .env("SSH_ASKPASS", program)
                .env("SSH_ASKPASS_REQUIRE", "force")
                .env(VARIABLE, asker.place());
            // Older ones ask this way only where there is a display.
            if std::env::var_os("DISPLAY").is_none() {
                command.env("DISPLAY", ":0");
            }
        }
        let mut child = command.spawn().map_err(Unready::NotStarted)?;
        let lease = child.stdin.take();
        let mut stderr = child.stderr.take();
        let mut carrier = Carrier::Ours {
            child: Box::new(child),
            _lease: lease,
            socket: socket.clone(),
        };
        let deadline = Instant::now() + limit;
        loop {
            if socket.exists() {
                return Ok(carrier);
            }
            let Carrier::Ours { child, .. } = &mut carrier else {
                return Ok(carrier);
            };
            let ended = child.try_wait().map_err(Unready::NotStarted)?;
            if ended.is_some_and(|status| status.code() == Some(127)) {
                return Err(Unready::NotStarted(io::ErrorKind::NotFound.into()));
            }
            if ended.is_some() {
                let mut words = Vec::new();
                if let Some(stderr) = &mut stderr {
                    let mut some = stderr.take(8192);
                    // What it started may hold its standard error open.
                    drop(timeout(Duration::from_secs(1), some.read_to_end(&mut words)).await);
                }
                return Err(Unready::Ended(String::from_utf8_lossy(&words).into_owned()));
            }
            if Instant::now() > deadline {
                return Err(Unready::Late(limit));
            }
            sleep(LOOK).await;
        }
    }

    /// What the words of `ssh` mean. They decide on nothing but what a person is told and whether trying again is of
    /// any use.
    async fn explain(&self, asking: &Asking<'_>, words: &str) -> Failure {
        let Asking {
            host,
            target,
            notes,
            caller,
            ..
        } = *asking;
        let label = &host.label;
        let (code, hint) = meaning(words, caller);
        if matches!(
            code,
            FailureCode::HostKeyUnknown | FailureCode::HostKeyChanged
        ) {
            // `ssh` has no way to tell which key it was shown.
            let (environment, secrets) = (Arc::clone(&self.environment), Arc::clone(&self.secrets));
            let (host, target) = (host.clone(), target.clone());
            let looked = blocking(move || {
                let (notes, nobody) = (Notes::default(), AtomicBool::new(false));
                let reach = Reach {
                    host: &host,
                    environment: &environment,
                    secrets: &secrets,
                    caller: Caller::Schedule,
                    prompter: None,
                    silent: &[],
                    notes: &notes,
                    given_up: &nobody,
                    dialled: &|_| {},
                };
                reach.look(&target)
            })
            .await;
            if let Ok(Err(failure)) = looked
                && failure.key.is_some()
            {
                notes.failed(TraceStep::HostKey, label, &failure);
                return failure;
            }
        }
        let line = words
            .lines()
            .map(str::trim)
            .rfind(|line| !line.is_empty())
            .map_or_else(
                || "it gave no reason".to_owned(),
                |line| inert(line.as_bytes()),
            );
        let failure =
            Failure::new(code, format!("`ssh` cannot reach `{label}`: {line}.")).hint(hint);
        let step = if matches!(
            code,
            FailureCode::NotAuthenticated | FailureCode::SignInNeeded
        ) {
            TraceStep::SignIn
        } else {
            TraceStep::Connection
        };
        notes.failed(step, label, &failure);
        failure
    }
}

/// Why a master did not become one.
enum Unready {
    NotStarted(io::Error),
    Ended(String),
    Late(Duration),
}

impl Kept {
    fn is_usable(&mut self, target: &SshTarget) -> bool {
        if self.target != *target {
            return false;
        }
        match &mut self.carrier {
            Carrier::Ours { child, socket, .. } => {
                matches!(child.try_wait(), Ok(None)) && socket.exists()
            }
            Carrier::Theirs(socket) => socket.exists(),
            Carrier::None => true,
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        Failure::new(
            FailureCode::CommandFailed,
            format!("A thread ended by a defect: {error}."),
        )
    })
}

/// What kind of trouble `ssh` tells of, and what to try.
fn meaning(words: &str, caller: Caller) -> (FailureCode, &'static str) {
    let says = |any: &[&str]| any.iter().any(|it| words.contains(it));
    if says(&["Could not resolve hostname"]) {
        let hint = "Check the spelling, the network and whether a VPN is needed.";
        (FailureCode::NameNotFound, hint)
    } else if says(&[
        "IDENTIFICATION HAS CHANGED",
        "REVOKED HOST KEY",
        "marked as revoked",
    ]) {
        let hint = "Ask the host's owner whether its key was replaced.";
        (FailureCode::HostKeyChanged, hint)
    } else if says(&["Host key verification failed", "host key is known for"]) {
        let hint = "Compare the fingerprint with one from the host's owner, then trust it.";
        (FailureCode::HostKeyUnknown, hint)
    } else if says(&["stdio forwarding failed", "UNKNOWN port", "open failed"]) {
        let hint = "Check the hosts that `ProxyJump` and `ProxyCommand` name.";
        (FailureCode::JumpFailed, hint)
    } else if says(&[
        "Permission denied",
        "Too many authentication failures",
        "authentication failed",
    ]) {
        if caller == Caller::Person {
            let hint = "Check the account, its keys and what you entered.";
            (FailureCode::NotAuthenticated, hint)
        } else {
            (
                FailureCode::SignInNeeded,
                "Sign in to be asked for what it takes.",
            )
        }
    } else if says(&[
        "Connection refused",
        "No route to host",
        "Network is unreachable",
    ]) {
        let hint = "Check that the host is up, its SSH server runs, and the port is right.";
        (FailureCode::Refused, hint)
    } else if says(&["timed out"]) {
        let hint = "Check that the host is up and the network reaches it.";
        (FailureCode::TimedOut, hint)
    } else if says(&[
        "Bad configuration option",
        "terminating, ",
        "no matching",
        "Bad owner or permissions",
    ]) {
        let hint = "Mend the ssh configuration; `ssh` in a terminal says the same.";
        (FailureCode::Unsupported, hint)
    } else {
        (
            FailureCode::Cut,
            "Check that the host is up, then sync again.",
        )
    }
}
