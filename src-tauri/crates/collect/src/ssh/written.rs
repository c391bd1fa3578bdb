//! The ssh configuration as it is written, for a machine that has no `ssh` to ask. A library reads it.

use std::fmt::Write as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use rollcall_converge::{Failure, FailureCode, SshTarget};
use ssh2_config::{DefaultAlgorithms, HostParams, ParseRule, SshConfig};

use super::aliases;

/// What the configuration says about a host, in the words of `ssh -G`; empty where there is none.
///
/// # Errors
/// If it cannot be read, or says things that only `ssh` can tell: then nothing is dialled in its place.
pub(crate) fn read(
    label: &str,
    config: Option<&Path>,
    target: &SshTarget,
) -> Result<String, Failure> {
    let refused = |why: String| {
        Failure::new(
            FailureCode::Unsupported,
            format!("The ssh configuration for `{label}` cannot be read without `ssh`: {why}."),
        )
        .hint("Install the OpenSSH client, or add the host by its address.")
    };
    let file = match config {
        Some(config) => config.to_path_buf(),
        None => match std::env::home_dir() {
            Some(home) => home.join(".ssh/config"),
            None => return Ok(String::new()),
        },
    };
    match std::fs::metadata(&file) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(refused(format!("`{}`: {error}", file.display()))),
    }
    if let Some(why) = aliases::odd(&file) {
        return Err(refused(why));
    }
    let opened = std::fs::File::open(&file)
        .map_err(|error| refused(format!("`{}`: {error}", file.display())))?;
    let parsed = SshConfig::default()
        .default_algorithms(DefaultAlgorithms::empty())
        .parse(
            &mut BufReader::new(opened),
            ParseRule::ALLOW_UNKNOWN_FIELDS | ParseRule::ALLOW_UNSUPPORTED_FIELDS,
        )
        .map_err(|error| refused(error.to_string()))?;
    let bare = target
        .destination
        .rsplit_once('@')
        .map_or(target.destination.as_str(), |(_, host)| host);
    Ok(lines(&parsed.query(bare), target, bare))
}

fn lines(params: &HostParams, target: &SshTarget, bare: &str) -> String {
    let mut text = String::new();
    let mut say = |key: &str, value: &str| {
        // Writing to a string cannot fail.
        writeln!(text, "{key} {value}").unwrap_or_default();
    };
    let named = target.destination.rsplit_once('@').map(|(user, _)| user);
    let user = target.user.as_deref().or(named).or(params.user.as_deref());
    let host = params.host_name.as_deref().unwrap_or(bare);
    say("hostname", &host.replace("%h", bare));
    if let Some(user) = user {
        say("user", user);
    }
    if let Some(port) = target.port.or(params.port) {
        say("port", &port.to_string());
    }
    let defaults = ["~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"].map(PathBuf::from);
    let files = params.identity_file.as_deref().unwrap_or(&defaults);
    for file in files {
        say("identityfile", &file.display().to_string());
    }
    if let Some(jumps) = params.proxy_jump.as_ref().filter(|it| !it.is_empty()) {
        say("proxyjump", &jumps.join(","));
    }
    if let Some(file) = &params.certificate_file {
        say("certificatefile", &file.display().to_string());
    }
    for (key, time) in [
        ("connecttimeout", params.connect_timeout),
        ("serveraliveinterval", params.server_alive_interval),
    ] {
        if let Some(time) = time {
            say(key, &time.as_secs().to_string());
        }
    }
    for (key, list) in [
        ("kexalgorithms", &params.kex_algorithms),
        ("ciphers", &params.ciphers),
        ("macs", &params.mac),
        ("hostkeyalgorithms", &params.host_key_algorithms),
    ] {
        if !list.algorithms().is_empty() {
            say(key, &list.algorithms().join(","));
        }
    }
    let others = params
        .unsupported_fields
        .iter()
        .chain(&params.ignored_fields);
    for (key, values) in others {
        say(&key.to_ascii_lowercase(), &values.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collector::SshEnvironment;
    use crate::ssh::config::{Agent, Resolved, Route, Strict, resolve};

    /// The same configuration read by `ssh` and without it.
    fn both(
        config: &str,
        target: &SshTarget,
    ) -> (Result<Resolved, Failure>, Result<Resolved, Failure>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config"), config).unwrap();
        let mut environment = SshEnvironment::new(folder.path().join("known_hosts"));
        environment.config = Some(folder.path().join("config"));
        let asked = resolve("box", &environment, target);
        environment.ssh = folder.path().join("no-ssh");
        (asked, resolve("box", &environment, target))
    }

    fn target(destination: &str) -> SshTarget {
        SshTarget {
            destination: destination.into(),
            ..SshTarget::default()
        }
    }

    #[test]
    fn without_ssh_the_configuration_means_the_same() {
        let config = "# the first value wins\nHost box other\n  HostName 192.0.2.7\n  Port 2200\n  User ada\n\
             \x20 IdentityFile /k/one\n  IdentityFile /k/%r@%h\n  IdentitiesOnly yes\n  IdentityAgent none\n\
             \x20 UserKnownHostsFile /a /b\n  GlobalKnownHostsFile /c\n  HostKeyAlias name\n  ConnectTimeout 3\n\
             \x20 AddressFamily inet6\n  StrictHostKeyChecking yes\n  ProxyJump eve@one:7,two\n\
             Host *\n  User nobody\n  Port 9\n  ServerAliveInterval 5\n";
        let (asked, read) = both(config, &target("box"));
        let (asked, read) = (asked.unwrap(), read.unwrap());
        assert_eq!(
            (&read.host, read.port, &read.user),
            (&asked.host, asked.port, &asked.user)
        );
        assert_eq!(read.identities, asked.identities);
        assert_eq!(read.route, asked.route);
        assert_eq!(
            read.route,
            Route::Jumps(vec!["eve@one:7".into(), "two".into()])
        );
        assert_eq!(read.key_name(), asked.key_name());
        assert!(read.identities_only && read.agent == Agent::None);
        let sorted = |resolved: &Resolved| {
            let mut files = resolved.known_hosts.clone();
            files.sort();
            files
        };
        assert_eq!(sorted(&read), sorted(&asked));
        assert_eq!(read.connect_timeout, asked.connect_timeout);
        assert_eq!(read.ipv6, asked.ipv6);
        assert_eq!((read.strict, Strict::Yes), (asked.strict, read.strict));
        assert_eq!(read.alive_interval, asked.alive_interval);
    }

    #[test]
    fn without_ssh_a_command_stays_the_way_to_a_host() {
        let (asked, read) = both("Host box\n ProxyCommand nc %h %p\n", &target("box"));
        assert_eq!(asked.unwrap().route, read.unwrap().route);
    }

    #[test]
    fn rb23_what_only_ssh_can_tell_is_refused_and_never_dialled_past() {
        for config in [
            "Match host box\n ProxyJump other\n",
            "Host a\n User x\nMatch exec \"true\"\n ProxyJump other\n",
        ] {
            let (_, read) = both(config, &target("box"));
            let failure = read.unwrap_err();
            assert_eq!(failure.code, FailureCode::Unsupported);
            assert!(failure.message.contains("Match"), "{failure:?}");
        }
    }
}
