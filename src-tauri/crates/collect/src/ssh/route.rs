//! The way to a host: directly, through other hosts, or through a command. Blocks.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rollcall_converge::{Failure, FailureCode, inert};
use ssh2::Channel;

use super::config::Resolved;
use super::meet::{Live, lost, milliseconds, slow};
use super::socket::{Interest, Local, Socket, pair, wait};
use crate::transport::TimeLimits;

/// Bytes of a command's complaints that are kept.
const WORDS: u64 = 4096;
/// How long a command that carries a connection may take to end once that has.
const LEAVE: Duration = Duration::from_secs(2);

/// What carries a connection besides its socket. Ends when it is dropped.
pub(crate) enum Way {
    Command(Carrier),
    Jump { _relay: Relay },
}

impl Way {
    /// Why a command carries nothing any more, in its own words.
    pub(crate) fn words(&self) -> Option<String> {
        match self {
            Self::Command(carrier) => carrier.words(),
            Self::Jump { .. } => None,
        }
    }
}

/// Connects over TCP, to the first address that answers.
pub(crate) fn dial(
    label: &str,
    resolved: &Resolved,
    limits: &TimeLimits,
) -> Result<TcpStream, Failure> {
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
        Failure::new(
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
    let limit = resolved.connect_limit(limits);
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
    Err(match last {
        None => unknown(" to an address that can be used"),
        Some(error) if error.kind() == io::ErrorKind::TimedOut => slow(label, "answer", limit),
        Some(error) => Failure::new(
            FailureCode::Refused,
            format!(
                "`{label}` does not take connections at {}: {error}.",
                resolved.place()
            ),
        )
        .hint("Check that the host is up, its SSH server runs, and the port is right."),
    })
}

/// A command whose input and output are a connection. Its whole process group ends with it.
pub(crate) struct Carrier {
    child: Child,
    words: Arc<Mutex<Vec<u8>>>,
    /// Whether it has closed its standard error.
    ended: Arc<AtomicBool>,
}

impl Carrier {
    fn words(&self) -> Option<String> {
        // What it says last comes before its end, and both a moment after the connection's.
        let deadline = Instant::now() + LEAVE / 4;
        while !self.ended.load(Ordering::SeqCst) {
            if Instant::now() > deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let said = words
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .map(<[u8]>::trim_ascii)
            .rfind(|line| !line.is_empty())
            .map(|line| inert(line).chars().take(200).collect());
        Some(said.unwrap_or_else(|| "it ended and said nothing".to_owned()))
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        // It has lost its connection and should end by itself; not everything does.
        let deadline = Instant::now() + LEAVE;
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                _ => return,
            }
        }
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
            && let Err(error) =
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
        {
            tracing::debug!(%error, "process group of a proxy command");
        }
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait().map(drop)) {
            tracing::debug!(%error, "proxy command");
        }
    }
}

/// Starts the command of `ProxyCommand`, as OpenSSH does, through the shell.
pub(crate) fn carry(label: &str, command: &str) -> Result<(Socket, Option<Way>), Failure> {
    let failed = |error: &io::Error| {
        Failure::new(
            FailureCode::JumpFailed,
            format!("The `ProxyCommand` that leads to `{label}` cannot be started: {error}."),
        )
        .hint("Check `ProxyCommand` in the ssh configuration.")
    };
    let (ours, theirs) = pair().map_err(|error| failed(&error))?;
    let mut shell = if cfg!(windows) {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    } else {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec {command}"));
        shell
    };
    #[cfg(unix)]
    {
        let (input, output) = (theirs.try_clone().map_err(|error| failed(&error))?, theirs);
        shell
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(input)))
            .stdout(Stdio::from(std::os::fd::OwnedFd::from(output)));
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::OwnedSocket;
        drop(OwnedSocket::from(theirs));
        return Err(failed(&io::Error::other(
            "this system has no socket for it",
        )));
    }
    let mut child = shell
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error))?;
    let words = Arc::new(Mutex::new(Vec::new()));
    let ended = Arc::new(AtomicBool::new(false));
    if let Some(mut stderr) = child.stderr.take() {
        let heard = Arc::clone(&words);
        let over = Arc::clone(&ended);
        thread::spawn(move || {
            let mut chunk = [0; 512];
            while let Ok(n) = stderr.read(&mut chunk) {
                if n == 0 {
                    break;
                }
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                if (heard.len() as u64) < WORDS {
                    heard.extend_from_slice(chunk.get(..n).unwrap_or_default());
                }
            }
            over.store(true, Ordering::SeqCst);
        });
    }
    Ok((
        Socket::from(ours),
        Some(Way::Command(Carrier {
            child,
            words,
            ended,
        })),
    ))
}

/// A channel of one connection that is the socket of the next. The connection it goes through ends with it.
pub(crate) struct Relay {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
    end: Socket,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.end.close();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of a jump ended by a defect");
        }
    }
}

/// Opens the way from one host to the next.
pub(crate) fn relay(
    hop: Live,
    hop_label: &str,
    label: &str,
    resolved: &Resolved,
    limits: &TimeLimits,
) -> Result<(Socket, Option<Way>), Failure> {
    hop.session.set_timeout(milliseconds(limits.connect));
    let channel = hop
        .session
        .channel_direct_tcpip(&resolved.host, resolved.port, None)
        .map_err(|error| {
            if hop.socket.has_ended() {
                return lost(hop_label, error.message());
            }
            Failure::new(
                FailureCode::JumpFailed,
                format!(
                    "`{hop_label}` cannot connect to `{label}` at {}: {}.",
                    resolved.place(),
                    inert(error.message().as_bytes())
                ),
            )
            .hint(format!(
                "Check that `{label}` is up and that `{hop_label}` may forward connections (`AllowTcpForwarding`)."
            ))
        })?;
    let failed = |error: io::Error| lost(label, &error.to_string());
    let (near, far) = pair().map_err(failed)?;
    far.set_nonblocking(true).map_err(failed)?;
    let end = Socket::from(far.try_clone().map_err(failed)?);
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let thread = thread::Builder::new()
        .name("ssh-jump".to_owned())
        .spawn(move || pump(&hop, channel, far, &told))
        .map_err(failed)?;
    let relay = Relay {
        stop,
        thread: Some(thread),
        end,
    };
    Ok((Socket::from(near), Some(Way::Jump { _relay: relay })))
}

/// Bytes on their way in one direction.
#[derive(Default)]
struct Flow {
    bytes: Vec<u8>,
    sent: usize,
}

impl Flow {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.sent..).unwrap_or_default()
    }

    fn is_empty(&self) -> bool {
        self.sent == self.bytes.len()
    }

    fn fill(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.sent = 0;
    }
}

/// Carries bytes between a channel and a socket until either ends. A send that has to wait is tried again with the
/// same bytes before anything else is done with the channel.
fn pump(hop: &Live, mut channel: Channel, mut far: Local, stop: &AtomicBool) {
    hop.session.set_blocking(false);
    let Ok(socket) = far.try_clone().map(Socket::from) else {
        return;
    };
    let (mut out, mut back) = (Flow::default(), Flow::default());
    let mut buffer = vec![0; 32 << 10];
    loop {
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let mut moved = false;
        let mut blocked = false;
        if out.is_empty() {
            match far.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => {
                    out.fill(buffer.get(..n).unwrap_or_default());
                    moved = true;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
        if !out.is_empty() {
            match channel.write(out.rest()) {
                Ok(0) => return,
                Ok(n) => {
                    out.sent += n;
                    moved = true;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    blocked = Interest::of(&hop.session).writable;
                }
                Err(_) => return,
            }
        }
        if back.is_empty() && !blocked {
            match channel.read(&mut buffer) {
                Ok(0) if channel.eof() => return,
                Ok(n) => {
                    back.fill(buffer.get(..n).unwrap_or_default());
                    moved |= n > 0;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
        if !back.is_empty() {
            match far.write(back.rest()) {
                Ok(0) => return,
                Ok(n) => {
                    back.sent += n;
                    moved = true;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // The other end reads before long; there is nothing else to wait for.
                    thread::sleep(Duration::from_millis(1));
                }
                Err(_) => return,
            }
        }
        if !moved {
            let interest = Interest {
                readable: true,
                writable: blocked,
            };
            let other = out.is_empty().then_some(&socket);
            wait(
                &hop.socket,
                interest,
                other,
                None,
                Duration::from_millis(500),
            );
        }
    }
}
