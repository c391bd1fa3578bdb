//! What the ssh configuration says about a host. `ssh -G` is the authority.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rollcall_converge::{Failure, FailureCode, SshTarget};

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
    pub(crate) connect_timeout: Option<Duration>,
    /// `Some(true)` for IPv6 only, `Some(false)` for IPv4 only.
    pub(crate) ipv6: Option<bool>,
}

impl Resolved {
    /// The name and port that keys are known by.
    pub(crate) fn key_name(&self) -> (&str, Option<u16>) {
        match &self.key_alias {
            Some(alias) => (alias, None),
            None => (&self.host, Some(self.port)),
        }
    }
}

/// Asks `ssh -G`. Blocks for at most 10 s.
pub(crate) fn resolve(
    label: &str,
    config: Option<&Path>,
    target: &SshTarget,
) -> Result<Resolved, Failure> {
    let unsupported = |why: String| Failure::new(FailureCode::Unsupported, why);
    let shady = |text: &str| {
        text.is_empty()
            || text.starts_with('-')
            || text.contains(|it: char| it.is_whitespace() || it.is_control())
    };
    if shady(&target.destination) || target.user.as_deref().is_some_and(shady) {
        return Err(unsupported(format!(
            "`{}` is not a name that `{label}` can be reached by.",
            target.destination
        ))
        .hint("Use an alias of the ssh configuration, a host name or an address."));
    }
    let mut command = Command::new("ssh");
    command.arg("-G");
    if let Some(config) = config {
        command.arg("-F").arg(config);
    }
    if let Some(user) = &target.user {
        command.arg("-l").arg(user);
    }
    if let Some(port) = target.port {
        command.arg("-p").arg(port.to_string());
    }
    command.arg("--").arg(&target.destination);
    let text = match bounded(command) {
        Ok((true, text, _)) => text,
        Ok((false, _, words)) => {
            let words = words.lines().next().unwrap_or("no reason given").to_owned();
            return Err(unsupported(format!(
                "The ssh configuration for `{label}` cannot be read: {words}."
            ))
            .hint(format!(
                "Run `ssh -G {}` and mend what it complains about.",
                target.destination
            )));
        }
        // Without OpenSSH there is no configuration to honour.
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
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
    let local_user = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .unwrap_or_default();
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
        connect_timeout: None,
        ipv6: None,
    };
    let (mut files, mut relayed) = (Vec::new(), None);
    for line in text.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key.to_ascii_lowercase().as_str() {
            "hostname" => value.clone_into(&mut resolved.host),
            "user" => value.clone_into(&mut resolved.user),
            "port" => resolved.port = value.parse().unwrap_or(resolved.port),
            "hostkeyalias" if value != "none" => resolved.key_alias = Some(value.to_owned()),
            "identityfile" if value != "none" => files.push(value.to_owned()),
            "identitiesonly" => resolved.identities_only = value == "yes",
            "identityagent" => resolved.agent = agent(value, home.as_deref()),
            "userknownhostsfile" | "globalknownhostsfile" => {
                resolved.known_hosts.extend(
                    value
                        .split(' ')
                        .filter(|file| !file.is_empty() && *file != "none")
                        .map(|file| expand(file, home.as_deref())),
                );
            }
            "connecttimeout" => {
                resolved.connect_timeout = value.parse().ok().map(Duration::from_secs);
            }
            "addressfamily" => {
                resolved.ipv6 = match value {
                    "inet" => Some(false),
                    "inet6" => Some(true),
                    _ => None,
                };
            }
            key @ ("proxyjump" | "proxycommand") if value != "none" => {
                relayed = Some(if key == "proxyjump" {
                    "ProxyJump"
                } else {
                    "ProxyCommand"
                });
            }
            _ => {}
        }
    }
    if let Some(directive) = relayed {
        return Err(Failure::new(
            FailureCode::Unsupported,
            format!("The ssh configuration reaches `{label}` through {directive}, which Rollcall cannot do yet."),
        )
        .hint("Add the host by an address that can be reached directly."));
    }
    if text.is_empty() {
        files.extend(["~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"].map(str::to_owned));
        resolved.known_hosts = vec![
            expand("~/.ssh/known_hosts", home.as_deref()),
            PathBuf::from("/etc/ssh/ssh_known_hosts"),
        ];
    }
    if resolved.host.is_empty()
        || resolved.user.is_empty()
        || resolved
            .host
            .contains(|it: char| it.is_whitespace() || it.is_control())
    {
        return Err(Failure::new(
            FailureCode::Unsupported,
            format!("The ssh configuration gives `{label}` no usable host name and user."),
        )
        .hint("Set `HostName` and `User` for it."));
    }
    let tokens = |file: &str| {
        let here = home
            .as_deref()
            .map(|home| home.display().to_string())
            .unwrap_or_default();
        let filled = file
            .replace("%%", "\0")
            .replace("%d", &here)
            .replace("%h", &resolved.host)
            .replace("%r", &resolved.user)
            .replace("%p", &resolved.port.to_string())
            .replace("%u", &local_user)
            .replace('\0', "%");
        expand(&filled, home.as_deref())
    };
    let identities = files.iter().map(|file| tokens(file)).collect();
    let own_identity = target
        .identity_file
        .as_deref()
        .map(|file| expand(file, home.as_deref()));
    Ok(Resolved {
        own_identity,
        identities,
        ..resolved
    })
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
        resolve("box", Some(&file), target)
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
    fn rb23_a_host_behind_a_jump_is_never_dialled_directly() {
        for line in ["ProxyJump other", "ProxyCommand nc %h %p"] {
            let failure = with(&format!("Host box\n {line}\n"), &target("box")).unwrap_err();
            assert_eq!(failure.code, FailureCode::Unsupported);
            assert!(failure.message.contains("Proxy") && !failure.hints.is_empty());
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
