//! What the ssh configuration says about a host. `ssh -G` is the authority.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rollcall_converge::{Failure, FailureCode, SshTarget, inert};

use super::written;
use crate::collector::SshEnvironment;
use crate::transport::TimeLimits;

/// How long `ssh -G` may take: it runs what `Match exec` says.
const TIME: Duration = Duration::from_secs(10);
/// Bytes it may print.
const BYTES: u64 = 256 << 10;

/// Which agent to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    /// None.
    None,
    /// The one `SSH_AUTH_SOCK` names.
    Environment,
    /// The one at this socket.
    Socket(PathBuf),
}

/// How the first byte gets to a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// By a connection of its own.
    Direct,
    /// Through other hosts, the first one first, each as `[user@]host[:port]` or as a URI.
    Jumps(Vec<String>),
    /// Through what a command reads and writes. All tokens are filled in.
    Command(String),
}

/// What to do with a key that no file knows. A key that differs from a known one always blocks (I19).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strict {
    /// Ask a person.
    Ask,
    /// Take it for known.
    AcceptNew,
    /// Refuse, and let nobody add it from here.
    Yes,
}

/// Algorithms to offer in place of the library's own choice, most preferred first. Empty where the configuration
/// says nothing of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Algorithms {
    pub(crate) kex: Vec<String>,
    pub(crate) ciphers: Vec<String>,
    pub(crate) macs: Vec<String>,
    pub(crate) host_keys: Vec<String>,
}

/// Everything needed to reach a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    /// The name its keys are known by, in place of host and port.
    pub(crate) key_alias: Option<String>,
    /// What the person named, tried first.
    pub(crate) own_identity: Option<PathBuf>,
    pub(crate) identities: Vec<PathBuf>,
    pub(crate) identities_only: bool,
    pub(crate) agent: Agent,
    pub(crate) known_hosts: Vec<PathBuf>,
    pub(crate) strict: Strict,
    pub(crate) hash_known_hosts: bool,
    pub(crate) connect_timeout: Option<Duration>,
    /// How often an idle connection is kept alive.
    pub(crate) alive_interval: Option<Duration>,
    /// `Some(true)` for IPv6 only, `Some(false)` for IPv4 only.
    pub(crate) ipv6: Option<bool>,
    pub(crate) route: Route,
    pub(crate) algorithms: Algorithms,
    /// Where a master of the person's own listens, if there is one.
    pub(crate) control_path: Option<PathBuf>,
    /// What the configuration asks for that only the system's `ssh` can do, as it says it.
    pub(crate) beyond: Vec<&'static str>,
}

impl Resolved {
    /// The name and port that keys are known by.
    pub(crate) fn key_name(&self) -> (&str, Option<u16>) {
        match &self.key_alias {
            Some(alias) => (alias, None),
            None => (&self.host, Some(self.port)),
        }
    }

    /// How long connecting may take: what the configuration says, and never longer than usual.
    pub(crate) fn connect_limit(&self, limits: &TimeLimits) -> Duration {
        self.connect_timeout
            .map_or(limits.connect, |it| it.min(limits.connect))
    }

    /// Host and port, for people.
    pub(crate) fn place(&self) -> String {
        let bare = !self.host.contains(':');
        let (open, close) = if bare { ("", "") } else { ("[", "]") };
        format!("{open}{}{close}:{}", self.host, self.port)
    }
}

fn unsupported(why: String) -> Failure {
    Failure::new(FailureCode::Unsupported, why)
}

/// Refuses what would be taken for an option, or for more than one word (I18).
pub(crate) fn check(label: &str, target: &SshTarget) -> Result<(), Failure> {
    let shady = |text: &str| {
        text.is_empty()
            || text.starts_with('-')
            || text.contains(|it: char| it.is_whitespace() || it.is_control())
    };
    if shady(&target.destination) || target.user.as_deref().is_some_and(shady) {
        return Err(unsupported(format!(
            "`{}` is not a name that `{label}` can be reached by.",
            inert(target.destination.as_bytes())
        ))
        .hint("Use an alias of the ssh configuration, a host name or an address."));
    }
    Ok(())
}

/// The arguments of `ssh` that say which configuration to read and what a person said about a host.
pub(crate) fn arguments(config: Option<&Path>, target: &SshTarget) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    if let Some(config) = config {
        arguments.extend(["-F".into(), config.into()]);
    }
    if let Some(user) = &target.user {
        arguments.extend(["-l".into(), user.into()]);
    }
    if let Some(port) = target.port {
        arguments.extend(["-p".into(), port.to_string().into()]);
    }
    arguments
}

/// Asks `ssh -G`, or reads the configuration where there is no `ssh`. Blocks for at most 10 s.
pub(crate) fn resolve(
    label: &str,
    environment: &SshEnvironment,
    target: &SshTarget,
) -> Result<Resolved, Failure> {
    check(label, target)?;
    let config = environment.config.as_deref();
    let mut command = Command::new(&environment.ssh);
    command
        .arg("-G")
        .args(arguments(config, target))
        .arg("--")
        .arg(&target.destination);
    let text = match bounded(command) {
        Ok((true, text, _)) => text,
        Ok((false, _, words)) => {
            let words = words.lines().next().unwrap_or("no reason given").to_owned();
            return Err(unsupported(format!(
                "The ssh configuration for `{label}` cannot be read: {}.",
                inert(words.as_bytes())
            ))
            .hint(format!(
                "Run `ssh -G {}` and mend what it complains about.",
                target.destination
            )));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            written::read(label, config, target)?
        }
        Err(error) => {
            return Err(unsupported(format!(
                "The ssh configuration for `{label}` cannot be read: {error}."
            ))
            .hint("Check `Match exec` lines of the configuration."));
        }
    };
    interpret(label, &text, target)
}

fn interpret(label: &str, text: &str, target: &SshTarget) -> Result<Resolved, Failure> {
    let home = std::env::home_dir();
    let local_user = local_user();
    let (named, bare) = match target.destination.rsplit_once('@') {
        Some((user, host)) => (Some(user.to_owned()), host),
        None => (None, target.destination.as_str()),
    };
    let mut resolved = Resolved {
        host: bare.to_owned(),
        port: target.port.unwrap_or(22),
        user: target
            .user
            .clone()
            .or(named)
            .unwrap_or_else(|| local_user.clone()),
        key_alias: None,
        own_identity: None,
        identities: Vec::new(),
        identities_only: false,
        agent: Agent::Environment,
        known_hosts: Vec::new(),
        strict: Strict::Ask,
        hash_known_hosts: false,
        connect_timeout: None,
        alive_interval: None,
        ipv6: None,
        route: Route::Direct,
        algorithms: Algorithms::default(),
        control_path: None,
        beyond: Vec::new(),
    };
    let (mut files, mut agent_at, mut command) = (Vec::new(), None, None);
    for line in text.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let yes = matches!(value, "yes" | "true");
        let list = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match key.to_ascii_lowercase().as_str() {
            "hostname" => value.clone_into(&mut resolved.host),
            "user" => value.clone_into(&mut resolved.user),
            "port" => resolved.port = value.parse().unwrap_or(resolved.port),
            "hostkeyalias" if value != "none" => resolved.key_alias = Some(value.to_owned()),
            "identityfile" if value != "none" => files.push(value.to_owned()),
            "identitiesonly" => resolved.identities_only = yes,
            "identityagent" => agent_at = Some(value.to_owned()),
            "userknownhostsfile" | "globalknownhostsfile" => {
                resolved.known_hosts.extend(
                    value
                        .split(' ')
                        .filter(|file| !file.is_empty() && *file != "none")
                        .map(|file| expand(file, home.as_deref())),
                );
            }
            "stricthostkeychecking" => {
                resolved.strict = match value {
                    "yes" | "true" => Strict::Yes,
                    // What OpenSSH does beyond that with `no`, going on with a changed key, is not for us.
                    "accept-new" | "no" | "off" | "false" => Strict::AcceptNew,
                    _ => Strict::Ask,
                };
            }
            "hashknownhosts" => resolved.hash_known_hosts = yes,
            "connecttimeout" => {
                resolved.connect_timeout = value.parse().ok().map(Duration::from_secs);
            }
            "serveraliveinterval" => {
                resolved.alive_interval = value
                    .parse()
                    .ok()
                    .filter(|seconds| *seconds > 0)
                    .map(Duration::from_secs);
            }
            "addressfamily" => {
                resolved.ipv6 = match value {
                    "inet" => Some(false),
                    "inet6" => Some(true),
                    _ => None,
                };
            }
            "proxyjump" if value != "none" => {
                resolved.route = Route::Jumps(value.split(',').map(str::to_owned).collect());
            }
            "proxycommand" if value != "none" => command = Some(value.to_owned()),
            "kexalgorithms" => resolved.algorithms.kex = list(),
            "ciphers" => resolved.algorithms.ciphers = list(),
            "macs" => resolved.algorithms.macs = list(),
            "hostkeyalgorithms" => resolved.algorithms.host_keys = list(),
            "controlpath" if value != "none" => {
                resolved.control_path = Some(expand(value, home.as_deref()));
            }
            "proxyusefdpass" if yes => resolved.beyond.push("ProxyUseFdpass"),
            "certificatefile" if value != "none" => resolved.beyond.push("CertificateFile"),
            "gssapiauthentication" if yes => resolved.beyond.push("GSSAPIAuthentication"),
            "pkcs11provider" if value != "none" => resolved.beyond.push("PKCS11Provider"),
            _ => {}
        }
    }
    if text.is_empty() {
        files.extend(["~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"].map(str::to_owned));
    }
    if resolved.known_hosts.is_empty() && !text.contains("knownhostsfile") {
        resolved.known_hosts = vec![
            expand("~/.ssh/known_hosts", home.as_deref()),
            PathBuf::from("/etc/ssh/ssh_known_hosts"),
        ];
    }
    if resolved.host.is_empty()
        || resolved.user.is_empty()
        || resolved.host.starts_with('-')
        || resolved
            .host
            .contains(|it: char| it.is_whitespace() || it.is_control())
    {
        return Err(unsupported(format!(
            "The ssh configuration gives `{label}` no usable host name and user."
        ))
        .hint("Set `HostName` and `User` for it."));
    }
    let home_text = home
        .as_deref()
        .map(|home| home.display().to_string())
        .unwrap_or_default();
    let known_as = resolved.key_alias.as_deref().unwrap_or(bare);
    let tokens = [
        ('d', home_text.as_str()),
        ('h', resolved.host.as_str()),
        ('n', bare),
        ('p', &resolved.port.to_string()),
        ('r', resolved.user.as_str()),
        ('u', local_user.as_str()),
        ('k', known_as),
    ];
    if let Some(command) = command {
        resolved.route = Route::Command(fill(&command, &tokens));
    }
    let identities = files
        .iter()
        .map(|file| expand(&fill(file, &tokens), home.as_deref()))
        .collect();
    let agent_at = agent_at.map(|socket| agent(&fill(&socket, &tokens), home.as_deref()));
    let own_identity = target
        .identity_file
        .as_deref()
        .map(|file| expand(file, home.as_deref()));
    Ok(Resolved {
        own_identity,
        identities,
        agent: agent_at.unwrap_or(Agent::Environment),
        ..resolved
    })
}

/// What the system calls the person's own account; empty where it cannot be told.
fn local_user() -> String {
    let named = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|name| !name.is_empty());
    // A process that no login started may have none of these.
    named.unwrap_or_else(|| {
        let mut command = Command::new("id");
        command.arg("-un");
        match bounded(command) {
            Ok((true, text, _)) => text.trim().to_owned(),
            _ => String::new(),
        }
    })
}

/// Fills in the tokens of the ssh configuration. One that is not known stays as it is.
fn fill(text: &str, tokens: &[(char, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(it) = rest.next() {
        if it != '%' {
            filled.push(it);
            continue;
        }
        match rest.next() {
            Some('%') | None => filled.push('%'),
            Some(token) => match tokens.iter().find(|(name, _)| *name == token) {
                Some((_, value)) => filled.push_str(value),
                None => filled.extend(['%', token]),
            },
        }
    }
    filled
}

fn agent(value: &str, home: Option<&Path>) -> Agent {
    match value {
        "none" => Agent::None,
        "SSH_AUTH_SOCK" => Agent::Environment,
        value => match value.strip_prefix('$') {
            Some(name) => {
                let name = name.trim_start_matches('{').trim_end_matches('}');
                std::env::var_os(name).map_or(Agent::None, |socket| Agent::Socket(socket.into()))
            }
            None => Agent::Socket(expand(value, home)),
        },
    }
}

fn expand(file: &str, home: Option<&Path>) -> PathBuf {
    let file = file.trim_matches('"');
    match (file.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(file),
    }
}

/// The target that a jump names, as `[user@]host[:port]` or `ssh://[user@]host[:port]`.
pub(crate) fn jump(label: &str, text: &str) -> Result<SshTarget, Failure> {
    let bad = || {
        unsupported(format!(
            "The jump `{}` on the way to `{label}` cannot be read.",
            inert(text.as_bytes())
        ))
        .hint("Write it as `[user@]host[:port]` in `ProxyJump`.")
    };
    let bare = text.strip_prefix("ssh://").unwrap_or(text);
    let bare = bare.strip_suffix('/').unwrap_or(bare);
    let (user, place) = match bare.rsplit_once('@') {
        Some((user, place)) => (Some(user.to_owned()), place),
        None => (None, bare),
    };
    let (host, port) = match place.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((host, after)) => (host, after.strip_prefix(':')),
        None => match place.rsplit_once(':') {
            // More than one colon is an address without a port.
            Some((host, port)) if !host.contains(':') => (host, Some(port)),
            _ => (place, None),
        },
    };
    let port = match port {
        Some(port) => Some(port.parse().map_err(|_| bad())?),
        None => None,
    };
    let target = SshTarget {
        destination: host.to_owned(),
        user,
        port,
        ..SshTarget::default()
    };
    check(label, &target).map_err(|_| bad())?;
    Ok(target)
}

/// Runs a command without input: whether it succeeded, what it printed and what it complained about.
fn bounded(mut command: Command) -> io::Result<(bool, String, String)> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let (sender, receiver) = mpsc::channel();
    let pipes = (child.stdout.take(), child.stderr.take());
    let (Some(stdout), Some(stderr)) = pipes else {
        return Err(io::Error::other("it has no pipes"));
    };
    thread::spawn(move || {
        let mut words = Vec::new();
        let heard = thread::spawn(move || {
            let read = stderr.take(4096).read_to_end(&mut words);
            read.map(|_| words)
        });
        let mut text = Vec::new();
        let read = stdout.take(BYTES + 1).read_to_end(&mut text);
        let words = heard.join().unwrap_or_else(|_| Ok(Vec::new()));
        // Nobody listens any more once the time is up.
        drop(sender.send(read.and(words).map(|words| (text, words))));
    });
    let Ok(read) = receiver.recv_timeout(TIME) else {
        end(&mut child);
        return Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "ssh -G takes longer than 10 seconds",
        ));
    };
    let (text, words) = read?;
    if text.len() as u64 > BYTES {
        end(&mut child);
        return Err(io::Error::other("it prints more than 256 KiB"));
    }
    let status = child.wait()?;
    let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((status.success(), lossy(text), lossy(words)))
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        && let Err(error) =
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
    {
        tracing::debug!(%error, "process group of ssh -G");
    }
    if let Err(error) = child.kill().and_then(|()| child.wait().map(drop)) {
        tracing::debug!(%error, "ssh -G");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(destination: &str) -> SshTarget {
        SshTarget {
            destination: destination.into(),
            ..SshTarget::default()
        }
    }

    fn with(config: &str, target: &SshTarget) -> Result<Resolved, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, config).unwrap();
        let mut environment = SshEnvironment::new(folder.path().join("known_hosts"));
        environment.config = Some(file);
        resolve("box", &environment, target)
    }

    #[test]
    fn what_the_configuration_says_is_honoured() {
        let resolved = with(
            "Host box\n HostName 192.0.2.7\n Port 2200\n User ada\n IdentityFile /k/%r@%h\n IdentityFile ~/two\n \
             IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile /a /b\n GlobalKnownHostsFile /c\n \
             HostKeyAlias name\n ConnectTimeout 3\n AddressFamily inet6\n",
            &target("box"),
        )
        .unwrap();
        assert_eq!((resolved.host.as_str(), resolved.port), ("192.0.2.7", 2200));
        assert_eq!(resolved.user, "ada");
        assert_eq!(resolved.identities[0], Path::new("/k/ada@192.0.2.7"));
        assert!(!resolved.identities[1].starts_with("~"));
        assert!(resolved.identities_only);
        assert_eq!(resolved.agent, Agent::None);
        let mut files = resolved.known_hosts.clone();
        files.sort();
        assert_eq!(files, ["/a", "/b", "/c"].map(PathBuf::from));
        assert_eq!(resolved.key_name(), ("name", None));
        assert_eq!(resolved.connect_timeout, Some(Duration::from_secs(3)));
        assert_eq!(resolved.ipv6, Some(true));
    }

    #[test]
    fn what_a_person_said_comes_first() {
        let said = SshTarget {
            user: Some("eve".into()),
            port: Some(99),
            identity_file: Some("/mine".into()),
            ..target("box")
        };
        let resolved = with("Host box\n Port 1\n User ada\n", &said).unwrap();
        assert_eq!((resolved.user.as_str(), resolved.port), ("eve", 99));
        assert_eq!(resolved.own_identity.as_deref(), Some(Path::new("/mine")));
    }

    #[test]
    fn b10_a_destination_that_looks_like_an_option_is_refused() {
        for destination in ["-oProxyCommand=touch /tmp/x", "", "a b", "a\nb"] {
            let failure = with("", &target(destination)).unwrap_err();
            assert_eq!(failure.code, FailureCode::Unsupported);
        }
    }

    #[test]
    fn b9_rb23_jumps_and_commands_are_the_way_to_a_host() {
        let jumps = with("Host box\n ProxyJump ada@one:2200,two\n", &target("box")).unwrap();
        assert_eq!(
            jumps.route,
            Route::Jumps(vec!["ada@one:2200".into(), "two".into()])
        );
        let config =
            "Host box\n HostName far\n Port 7\n User eve\n ProxyCommand nc -x %% %h %n %p %r\n";
        let command = with(config, &target("box")).unwrap();
        assert_eq!(
            command.route,
            Route::Command("nc -x % far box 7 eve".into())
        );
        let none = with("Host box\n ProxyJump none\n", &target("box")).unwrap();
        assert_eq!(none.route, Route::Direct);
    }

    #[test]
    fn b9_every_way_to_write_a_jump_is_read() {
        let read = |text| {
            let target = jump("box", text).unwrap();
            (target.user, target.destination, target.port)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("one"), (None, "one".into(), None));
        assert_eq!(read("ada@one:7"), (some("ada"), "one".into(), Some(7)));
        assert_eq!(
            read("ssh://a@b@one:7/"),
            (some("a@b"), "one".into(), Some(7))
        );
        assert_eq!(read("[::1]:7"), (None, "::1".into(), Some(7)));
        assert_eq!(read("ada@[fe80::1]"), (some("ada"), "fe80::1".into(), None));
        assert_eq!(read("2001:db8::1"), (None, "2001:db8::1".into(), None));
        for text in [
            "",
            "-oProxyCommand=x",
            "a b",
            "one:",
            "one:x",
            "one:70000",
            "@",
        ] {
            let failure = jump("box", text).unwrap_err();
            assert_eq!(failure.code, FailureCode::Unsupported, "{text}");
        }
    }

    #[test]
    fn how_keys_are_taken_and_connections_kept_is_honoured() {
        let resolved = with(
            "Host box\n StrictHostKeyChecking accept-new\n HashKnownHosts yes\n ServerAliveInterval 7\n \
             KexAlgorithms curve25519-sha256\n Ciphers aes256-ctr\n MACs hmac-sha2-256\n \
             HostKeyAlgorithms ssh-ed25519\n ControlPath /run/%r\n",
            &SshTarget {
                user: Some("ada".into()),
                ..target("box")
            },
        )
        .unwrap();
        assert_eq!(resolved.strict, Strict::AcceptNew);
        assert!(resolved.hash_known_hosts);
        assert_eq!(resolved.alive_interval, Some(Duration::from_secs(7)));
        assert_eq!(resolved.algorithms.kex, ["curve25519-sha256"]);
        assert_eq!(resolved.algorithms.ciphers, ["aes256-ctr"]);
        assert_eq!(resolved.algorithms.macs, ["hmac-sha2-256"]);
        assert_eq!(resolved.algorithms.host_keys, ["ssh-ed25519"]);
        assert_eq!(resolved.control_path, Some("/run/ada".into()));
        for (value, strict) in [
            ("yes", Strict::Yes),
            ("ask", Strict::Ask),
            ("no", Strict::AcceptNew),
            ("off", Strict::AcceptNew),
        ] {
            let config = format!("Host box\n StrictHostKeyChecking {value}\n");
            assert_eq!(with(&config, &target("box")).unwrap().strict, strict);
        }
    }

    #[test]
    fn what_only_openssh_can_do_is_listed() {
        let resolved = with(
            "Host box\n ProxyUseFdpass yes\n CertificateFile /c\n GSSAPIAuthentication yes\n PKCS11Provider /p\n",
            &target("box"),
        )
        .unwrap();
        let mut beyond = resolved.beyond;
        beyond.sort_unstable();
        assert_eq!(
            beyond,
            [
                "CertificateFile",
                "GSSAPIAuthentication",
                "PKCS11Provider",
                "ProxyUseFdpass"
            ]
        );
    }

    #[test]
    fn b10_match_exec_that_hangs_and_includes_in_a_circle_are_bounded() {
        let begun = std::time::Instant::now();
        let failure = with("Match exec \"sleep 100\"\n User ada\n", &target("box")).unwrap_err();
        assert_eq!(failure.code, FailureCode::Unsupported);
        assert!(failure.message.contains("10 seconds"), "{failure:?}");
        assert!(begun.elapsed() < 2 * TIME);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(
            &file,
            format!("Include {}\nHost box\n User ada\n", file.display()),
        )
        .unwrap();
        let mut environment = SshEnvironment::new(folder.path().join("known_hosts"));
        environment.config = Some(file);
        let failure = resolve("box", &environment, &target("box")).unwrap_err();
        assert_eq!(failure.code, FailureCode::Unsupported);
        // Without `ssh`, the same.
        environment.ssh = folder.path().join("no-ssh");
        let failure = resolve("box", &environment, &target("box")).unwrap_err();
        assert_eq!(failure.code, FailureCode::Unsupported, "{failure:?}");
    }

    #[test]
    fn b10_a_host_name_with_a_space_or_a_dash_is_refused() {
        for name in ["\"a b\"", "-oProxyCommand=x"] {
            let failure =
                with(&format!("Host box\n HostName {name}\n"), &target("box")).unwrap_err();
            assert_eq!(failure.code, FailureCode::Unsupported, "{name}");
        }
    }

    #[test]
    fn a_broken_configuration_is_said_with_the_words_of_ssh() {
        let failure = with("Host box\n NoSuchDirective yes\n", &target("box")).unwrap_err();
        assert_eq!(failure.code, FailureCode::Unsupported);
        assert!(
            failure.message.contains("nosuchdirective")
                || failure.message.contains("NoSuchDirective"),
            "{failure:?}"
        );
    }
}
