//! The ways to a host: through others, through a command, by the system's `ssh`; and what is said when one fails.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rollcall_collect::TraceStep;
use rollcall_converge::{Address, Caller, Failure, FailureCode, SshTarget, Transport};
use rollcall_testkit::sshd::{PASSPHRASE, Sshd, SshdOptions};

use crate::cases;
use crate::ground::{Ground, until};
use crate::person::Person;

/// A ground whose host is behind two others, and those.
fn chain(first: &SshdOptions, second: &SshdOptions) -> (Ground, Sshd, Sshd) {
    let ground = Ground::ssh();
    let (first, second) = (Sshd::start(first).unwrap(), Sshd::start(second).unwrap());
    jumps(&ground, &first, &second, "first,second");
    (ground, first, second)
}

/// Has the configuration lead through these.
fn jumps(ground: &Ground, first: &Sshd, second: &Sshd, by: &str) {
    let sshd = ground.sshd.as_ref().unwrap();
    let text = format!(
        "{}  ProxyJump {by}\n{}{}",
        sshd.config_text("private"),
        first.config_text("first"),
        second.config_text("second")
    );
    fs::write(sshd.config_path(), text).unwrap();
}

async fn refused(ground: &Ground, caller: Caller) -> Failure {
    let failure = ground
        .collector
        .check(&ground.host, caller)
        .await
        .unwrap_err();
    assert!(
        failure.message.contains("there") && !failure.hints.is_empty(),
        "{failure:?}"
    );
    failure
}

fn met(sshd: &Sshd) -> usize {
    sshd.log().unwrap().matches("Accepted publickey").count()
}

fn talkative() -> SshdOptions {
    SshdOptions {
        config: vec!["LogLevel VERBOSE".to_owned()],
        ..SshdOptions::default()
    }
}

#[tokio::test]
async fn b9_a_chain_of_two_jumps_leads_to_the_same_answer() {
    let (ground, first, second) = chain(&talkative(), &talkative());
    cases::two_worktrees_one_dirty_one_unpushed_have_the_right_facts(&ground).await;
    cases::a2_ra03_any_bytes_make_a_root_and_a_worktree(&ground).await;
    // Each was signed in to once, and the way is kept with the connection.
    assert_eq!((met(&first), met(&second)), (1, 1));
    ground.collector.forget(ground.host.id);
    // Which words a server has for it depends on what it notices first.
    let ends = [
        "Closing connection to",
        "Disconnected from",
        "Connection closed by",
    ];
    let is_over = |sshd: &Sshd| {
        let log = sshd.log().unwrap();
        ends.iter().any(|words| log.contains(words))
    };
    until("the way is let go", || is_over(&first) && is_over(&second)).await;
}

#[tokio::test]
async fn b9_a_hop_may_have_a_jump_of_its_own() {
    let (ground, first, second) = chain(&talkative(), &talkative());
    let sshd = ground.sshd.as_ref().unwrap();
    let text = format!(
        "{}  ProxyJump second\n{}{}  ProxyJump first\n",
        sshd.config_text("private"),
        first.config_text("first"),
        second.config_text("second"),
    );
    fs::write(sshd.config_path(), text).unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    assert_eq!((met(&first), met(&second)), (1, 1));
}

#[tokio::test]
async fn b9_a_long_answer_comes_whole_through_a_chain() {
    let (ground, _first, _second) = chain(&SshdOptions::default(), &SshdOptions::default());
    cases::rb28_a_long_answer_comes_whole(&ground).await;
}

#[tokio::test]
async fn b9_a_hop_that_is_down_is_named() {
    let (mut ground, mut first, mut second) =
        chain(&SshdOptions::default(), &SshdOptions::default());
    second.stop();
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::JumpFailed, "{failure:?}");
    assert!(
        failure
            .message
            .contains("`first` cannot connect to `second`"),
        "{failure:?}"
    );
    first.stop();
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::JumpFailed, "{failure:?}");
    assert!(failure.message.contains("through `first`") && !failure.message.contains("second"));
    // A passing trouble of the network, which is tried again by itself.
    assert!(!failure.code.needs_person());
    first.restart().unwrap();
    second.restart().unwrap();
    ground.sshd.as_mut().unwrap().stop();
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::JumpFailed, "{failure:?}");
    assert!(
        failure
            .message
            .contains("`second` cannot connect to `there`"),
        "{failure:?}"
    );
    ground.sshd.as_mut().unwrap().restart().unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
}

#[tokio::test]
async fn b9_a_hop_that_forwards_nothing_is_named() {
    let closed = SshdOptions {
        config: vec!["AllowTcpForwarding no".to_owned()],
        ..SshdOptions::default()
    };
    let (ground, _first, _second) = chain(&SshdOptions::default(), &closed);
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::JumpFailed, "{failure:?}");
    assert!(
        failure.message.contains("`second`") && failure.hints[0].contains("AllowTcpForwarding")
    );
}

#[tokio::test]
async fn i19_b9_the_key_of_a_hop_is_checked_and_trusted_like_any_other() {
    let (ground, _first, second) = chain(&SshdOptions::default(), &SshdOptions::default());
    second.forget_host_key().unwrap();
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::HostKeyUnknown, "{failure:?}");
    let key = failure.key.unwrap();
    assert_eq!(key.hop.as_deref(), Some("second"));
    ground
        .collector
        .trust(&ground.host, &key.fingerprint, false)
        .await
        .unwrap();
    let file = fs::read_to_string(ground.play.at("known_hosts")).unwrap();
    assert_eq!(
        file,
        format!(
            "[127.0.0.1]:{} {}\n",
            second.port(),
            second.host_key().unwrap()
        )
    );
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
}

#[tokio::test]
async fn b9_a_hop_that_takes_a_person_asks_under_its_own_name() {
    let locked = SshdOptions {
        encrypted_client_key: true,
        ..SshdOptions::default()
    };
    let (mut ground, _first, _second) = chain(&locked, &SshdOptions::default());
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
    assert!(failure.message.contains("`first`"), "{failure:?}");
    let person = Person::says([Some(vec![PASSPHRASE])]);
    ground.anew(Some(&person), |_| {});
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    assert_eq!(person.asked()[0].asker, "first");
}

#[tokio::test]
async fn b9_a_way_that_leads_in_a_circle_is_refused() {
    let (ground, first, second) = chain(&talkative(), &talkative());
    let sshd = ground.sshd.as_ref().unwrap();
    let text = format!(
        "{}  ProxyJump second\n{}  ProxyJump second\n{}  ProxyJump first\n",
        sshd.config_text("private"),
        first.config_text("first"),
        second.config_text("second"),
    );
    fs::write(sshd.config_path(), text).unwrap();
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::JumpFailed, "{failure:?}");
    assert!(failure.message.contains("too many hosts"), "{failure:?}");
}

/// Leads through a command.
fn command(ground: &Ground, command: &str) {
    let sshd = ground.sshd.as_ref().unwrap();
    let text = format!("{}  ProxyCommand {command}\n", sshd.config_text("private"));
    fs::write(sshd.config_path(), text).unwrap();
}

#[tokio::test]
async fn b9_a_command_with_every_token_is_the_way_and_ends_with_the_connection() {
    let ground = Ground::ssh();
    let other = Sshd::start(&SshdOptions::default()).unwrap();
    let sshd = ground.sshd.as_ref().unwrap();
    let said = ground.play.at("said");
    let config = ground.play.at("other_config");
    fs::write(&config, other.config_text("other")).unwrap();
    command(
        &ground,
        &format!(
            "sh -c 'echo \"%% %h %n %p %r\" $$ > {}; exec ssh -F {} -W %h:%p other'",
            said.display(),
            config.display()
        ),
    );
    cases::two_worktrees_one_dirty_one_unpushed_have_the_right_facts(&ground).await;
    let text = fs::read_to_string(&said).unwrap();
    let (tokens, process) = text.trim().rsplit_once(' ').unwrap();
    assert_eq!(
        tokens,
        format!("% 127.0.0.1 private {} {}", sshd.port(), sshd.user())
    );
    let process = format!("/proc/{process}");
    assert!(std::path::Path::new(&process).exists());
    ground.collector.forget(ground.host.id);
    until("the command has ended", || {
        !std::path::Path::new(&process).exists()
    })
    .await;
}

#[tokio::test]
async fn b9_a_command_that_carries_nothing_is_told_in_its_own_words() {
    let mut ground = Ground::ssh();
    ground.anew(None, |it| it.limits.handshake = Duration::from_secs(3));
    for (line, words) in [
        (
            "sh -c 'echo no route to the relay >&2; exit 1'",
            "no route to the relay",
        ),
        ("/no/such/program", "not found"),
        ("true", "said nothing"),
    ] {
        command(&ground, line);
        let failure = refused(&ground, Caller::Schedule).await;
        assert_eq!(failure.code, FailureCode::JumpFailed, "{line}: {failure:?}");
        assert!(failure.message.contains(words), "{line}: {failure:?}");
    }
    // One that says nothing at all is a host that does not answer.
    command(&ground, "sleep 100");
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::TimedOut, "{failure:?}");
}

#[tokio::test]
async fn what_was_done_to_reach_a_host_can_be_read() {
    let (ground, _first, second) = chain(&SshdOptions::default(), &SshdOptions::default());
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    let contact = ground.collector.contact(ground.host.id);
    assert!(contact.trace.iter().all(|line| line.well), "{contact:?}");
    let told: Vec<(TraceStep, &str)> = contact
        .trace
        .iter()
        .map(|line| (line.step, line.about.as_str()))
        .collect();
    let of = |about| {
        [
            (TraceStep::Connection, about),
            (TraceStep::HostKey, about),
            (TraceStep::SignIn, about),
        ]
    };
    let wanted: Vec<(TraceStep, &str)> = [
        vec![
            (TraceStep::Configuration, "there"),
            (TraceStep::Configuration, "first"),
        ],
        of("first").to_vec(),
        vec![(TraceStep::Configuration, "second")],
        of("second").to_vec(),
        of("there").to_vec(),
        vec![(TraceStep::Collector, "there")],
    ]
    .concat();
    assert_eq!(told, wanted);

    second.forget_host_key().unwrap();
    ground.collector.forget(ground.host.id);
    refused(&ground, Caller::Person).await;
    let contact = ground.collector.contact(ground.host.id);
    let last = contact.trace.last().unwrap();
    assert!(
        !last.well && last.step == TraceStep::HostKey && last.about == "second",
        "{contact:?}"
    );
}

/// A master of the person's own, which ends with this value.
struct Master(Child);

impl Drop for Master {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn rb34_a_master_of_the_persons_own_is_used_and_a_dead_one_is_not_waited_for() {
    let mut ground = Ground::ssh_with(&talkative());
    ground.by_openssh();
    let socket = ground.play.at("master");
    let sshd = ground.sshd.as_ref().unwrap();
    let text = format!(
        "{}  ControlPath {}\n",
        sshd.config_text("private"),
        socket.display()
    );
    fs::write(sshd.config_path(), text).unwrap();
    let master = Command::new("ssh")
        .arg("-F")
        .arg(sshd.config_path())
        .args(["-N", "-M", "private"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let master = Master(master);
    until("the master listens", || socket.exists()).await;
    cases::two_worktrees_one_dirty_one_unpushed_have_the_right_facts(&ground).await;
    assert_eq!(met(ground.sshd.as_ref().unwrap()), 1);

    // It dies and leaves its socket behind.
    drop(master);
    assert!(socket.exists());
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    // Ours took its place, and the person's path is left alone.
    assert_eq!(met(ground.sshd.as_ref().unwrap()), 2);
    assert!(socket.exists());
}

#[tokio::test]
async fn by_openssh_one_connection_carries_every_command_and_ends_with_the_host() {
    let mut ground = Ground::ssh_with(&talkative());
    ground.by_openssh();
    let (a, b, c) = tokio::join!(
        ground.collector.check(&ground.host, Caller::Schedule),
        ground.collector.check(&ground.host, Caller::Schedule),
        ground.collector.check(&ground.host, Caller::Schedule),
    );
    a.and(b).and(c).unwrap();
    let sshd = ground.sshd.as_ref().unwrap();
    assert_eq!(met(sshd), 1);
    ground.collector.forget(ground.host.id);
    let gone = || sshd.log().unwrap().contains("Disconnected from");
    until("the master has ended", gone).await;
    ground.sshd.as_mut().unwrap().restart().unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
}

#[tokio::test]
async fn by_openssh_a_server_that_was_restarted_is_reached_again_at_once() {
    let mut ground = Ground::openssh();
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    ground.sshd.as_mut().unwrap().restart().unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    ground.sshd.as_mut().unwrap().stop();
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::Refused, "{failure:?}");
}

#[tokio::test]
async fn by_openssh_each_failure_has_the_code_it_has_without() {
    let mut ground = Ground::openssh();
    let sshd = ground.sshd.as_ref().unwrap();
    // I19: nothing is added to any file unasked, and the key that was shown can be trusted.
    let known = fs::read(sshd.known_hosts()).unwrap();
    sshd.forget_host_key().unwrap();
    let failure = refused(&ground, Caller::Person).await;
    assert_eq!(failure.code, FailureCode::HostKeyUnknown, "{failure:?}");
    let key = failure.key.unwrap();
    assert!(fs::read(sshd.known_hosts()).unwrap().is_empty());
    ground
        .collector
        .trust(&ground.host, &key.fingerprint, false)
        .await
        .unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    ground.collector.forget(ground.host.id);
    fs::remove_file(ground.play.at("known_hosts")).unwrap();
    fs::write(sshd.known_hosts(), &known).unwrap();

    sshd.change_host_key().unwrap();
    ground.sshd.as_mut().unwrap().restart().unwrap();
    let failure = refused(&ground, Caller::Person).await;
    assert_eq!(failure.code, FailureCode::HostKeyChanged, "{failure:?}");
    assert_eq!(failure.key.unwrap().known.len(), 1);
    let sshd = ground.sshd.as_ref().unwrap();
    assert_eq!(fs::read(sshd.known_hosts()).unwrap(), known);
    sshd.trust_host_key().unwrap();

    fs::write(sshd.folder().join("authorized_keys"), "").unwrap();
    let failure = refused(&ground, Caller::Person).await;
    assert_eq!(failure.code, FailureCode::NotAuthenticated, "{failure:?}");
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");

    let mut other = ground.host.clone();
    let mut reach = async |target: SshTarget| {
        other.address = Address::Ssh(SshTarget {
            transport: Transport::OpenSsh,
            ..target
        });
        let failure = ground
            .collector
            .check(&other, Caller::Schedule)
            .await
            .unwrap_err();
        assert!(!failure.hints.is_empty(), "{failure:?}");
        failure.code
    };
    let named = |destination: &str| SshTarget {
        destination: destination.to_owned(),
        ..SshTarget::default()
    };
    assert_eq!(
        reach(named("no-such-host.invalid")).await,
        FailureCode::NameNotFound
    );
    assert_eq!(
        reach(named("-oProxyCommand=true")).await,
        FailureCode::Unsupported
    );
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let port = SshTarget {
        port: Some(free),
        ..named("127.0.0.1")
    };
    assert_eq!(reach(port).await, FailureCode::Refused);
    ground.anew(None, |it| it.ssh = "/no/such/ssh".into());
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::Unsupported, "{failure:?}");
}

#[tokio::test]
async fn b6_a_certificate_of_a_user_is_for_the_systems_ssh_and_that_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca");
    let keygen = |arguments: &[&std::ffi::OsStr]| {
        let made = Command::new("ssh-keygen")
            .arg("-q")
            .args(arguments)
            .status();
        assert!(made.unwrap().success());
    };
    let words = |text: &[&'static str]| -> Vec<&'static std::ffi::OsStr> {
        text.iter().map(|it| std::ffi::OsStr::new(*it)).collect()
    };
    keygen(
        &[
            words(&["-t", "ed25519", "-N", "", "-f"]),
            vec![authority.as_os_str()],
        ]
        .concat(),
    );
    let mut ground = Ground::ssh_with(&SshdOptions {
        config: vec![format!("TrustedUserCAKeys {}.pub", authority.display())],
        ..SshdOptions::default()
    });
    let sshd = ground.sshd.as_ref().unwrap();
    fs::write(sshd.folder().join("authorized_keys"), "").unwrap();
    let public = sshd.folder().join("client_key.pub");
    let user = std::ffi::OsString::from(sshd.user());
    keygen(
        &[
            words(&["-s"]),
            vec![authority.as_os_str()],
            words(&["-I", "me", "-n"]),
            vec![user.as_os_str(), public.as_os_str()],
        ]
        .concat(),
    );
    let failure = refused(&ground, Caller::Person).await;
    assert_eq!(failure.code, FailureCode::NotAuthenticated, "{failure:?}");
    assert!(failure.openssh, "{failure:?}");
    ground.by_openssh();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}
