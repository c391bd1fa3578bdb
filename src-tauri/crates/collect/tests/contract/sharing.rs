//! One connection for many commands, connections that may be dead, and many hosts at once.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use rollcall_collect::{Collector, SshEnvironment};
use rollcall_converge::{
    Address, Caller, FailureCode, Host, HostId, HostPath, RootKind, SshTarget, Tier,
};
use rollcall_testkit::proxy::FaultProxy;
use rollcall_testkit::repo::Playground;
use rollcall_testkit::sshd::{Sshd, SshdOptions};
use uuid::Uuid;

use crate::cases;
use crate::ground::{Ground, until};

fn options(lines: &[&str]) -> SshdOptions {
    let mut config = vec!["LogLevel VERBOSE".to_owned()];
    config.extend(lines.iter().map(|line| (*line).to_owned()));
    SshdOptions {
        config,
        ..SshdOptions::default()
    }
}

fn signed_in(ground: &Ground) -> usize {
    let log = ground.sshd.as_ref().unwrap().log().unwrap();
    log.matches("Accepted publickey").count()
}

/// The roll call of a repository that takes three seconds: its git waits for a pipe that nobody fills.
fn slow(ground: &mut Ground) -> rollcall_converge::RollCall {
    ground.anew(None, |it| it.limits.facts = Duration::from_secs(3));
    let repo = ground.play.repo("slow").unwrap();
    let pipe = ground.play.at("slow-pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let words = ["config", "core.excludesFile"].map(std::ffi::OsStr::new);
    repo.git([words[0], words[1], pipe.as_os_str()]).unwrap();
    ground.call(Tier::Facts, &[(RootKind::Repository, repo.path().into())])
}

#[tokio::test]
async fn a_verb_does_not_wait_behind_a_long_roll_call_on_the_same_connection() {
    let mut ground = Ground::ssh_with(&options(&[]));
    let call = slow(&mut ground);
    let quick = ground.play.repo("quick").unwrap();
    let long = ground
        .collector
        .roll_call(&ground.host, &call, Caller::Schedule);
    let mut long = std::pin::pin!(long);
    let path = HostPath::new(quick.path().to_str().unwrap());
    for _ in 0..3 {
        tokio::select! {
            ended = &mut long => unreachable!("{ended:?}"),
            inspected = ground.collector.inspect(&ground.host, &path) => { inspected.unwrap(); }
        }
    }
    long.await.unwrap();
    assert_eq!(signed_in(&ground), 1);
}

#[tokio::test]
async fn b12_rb24_commands_that_a_server_refuses_wait_for_their_turn_and_nothing_is_cut() {
    for most in 1..=2 {
        let mut ground = Ground::ssh_with(&options(&[&format!("MaxSessions {most}")]));
        let call = slow(&mut ground);
        ground
            .collector
            .check(&ground.host, Caller::Schedule)
            .await
            .unwrap();
        let long = ground
            .collector
            .roll_call(&ground.host, &call, Caller::Schedule);
        let checks = async {
            let one = || ground.collector.check(&ground.host, Caller::Schedule);
            let (a, b, c, d) = tokio::join!(one(), one(), one(), one());
            a.and(b).and(c).and(d)
        };
        let (long, checks) = tokio::join!(long, checks);
        long.unwrap();
        checks.unwrap();
        let connections = signed_in(&ground);
        assert_eq!(connections, 1, "{most}");
    }
}

#[tokio::test]
async fn b12_a_server_that_opens_no_channel_says_so() {
    let ground = Ground::ssh_with(&options(&["MaxSessions 0"]));
    let failure = ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::ChannelRefused, "{failure:?}");
    assert!(failure.hints[0].contains("MaxSessions"));
}

#[tokio::test]
async fn b12_rb10_accounts_that_cannot_run_sh_say_so() {
    // As a login shell, or a chroot without one, would have it.
    for (command, code) in [
        (
            "echo bash: /bin/sh: No such file or directory >&2; exit 127",
            FailureCode::NoShell,
        ),
        ("internal-sftp", FailureCode::CommandRefused),
        ("/usr/sbin/nologin", FailureCode::CommandRefused),
        (
            "rbash -c \"$SSH_ORIGINAL_COMMAND\"",
            FailureCode::CommandRefused,
        ),
        ("false", FailureCode::CommandRefused),
    ] {
        let mut ground = Ground::ssh_with(&SshdOptions {
            force_command: Some(command.to_owned()),
            ..SshdOptions::default()
        });
        ground.anew(None, |it| it.limits.silence = Duration::from_secs(3));
        let failure = ground
            .collector
            .check(&ground.host, Caller::Schedule)
            .await
            .unwrap_err();
        assert_eq!(failure.code, code, "{command}: {failure:?}");
        assert!(!failure.hints.is_empty());
    }
}

#[tokio::test]
async fn b12_a_server_that_drops_connections_at_random_is_reached_in_the_end() {
    let ground = Ground::ssh_with(&options(&["MaxStartups 1"]));
    let mut hosts = Vec::new();
    for n in 0..3_u128 {
        hosts.push(Host {
            id: HostId::new(Uuid::from_u128(100 + n)),
            ..ground.host.clone()
        });
    }
    let reach = async |host: &Host| {
        // What the supervisor does: a connection that is dropped is tried again.
        for _ in 0..20 {
            match ground.collector.check(host, Caller::Person).await {
                Ok(_) => return,
                Err(failure) => assert!(!failure.code.needs_person(), "{failure:?}"),
            }
        }
        unreachable!("never reached");
    };
    tokio::join!(reach(&hosts[0]), reach(&hosts[1]), reach(&hosts[2]));
}

#[tokio::test]
async fn rb25_keys_are_exchanged_anew_in_the_middle_of_a_long_answer() {
    let mut ground = Ground::ssh_with(&options(&["RekeyLimit 256K"]));
    ground.anew(None, |_| {});
    cases::rb28_a_long_answer_comes_whole(&ground).await;
    let log = ground.sshd.as_ref().unwrap().log().unwrap();
    assert!(!log.is_empty());
    // And between two commands, on a connection that is idle meanwhile.
    let ground = Ground::ssh_with(&options(&["RekeyLimit default 1"]));
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    let late = Instant::now() + Duration::from_millis(2500);
    until("the time to exchange keys anew has come", || {
        Instant::now() > late
    })
    .await;
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    assert_eq!(signed_in(&ground), 1);
}

#[tokio::test]
async fn rb27_a_killed_command_disturbs_no_other_on_the_same_connection() {
    let mut ground = Ground::ssh_with(&options(&[]));
    let call = slow(&mut ground);
    let long = ground
        .collector
        .roll_call(&ground.host, &call, Caller::Schedule);
    let (long, ()) = tokio::join!(long, cases::b13_killed_command_is_a_failure(&ground));
    long.unwrap();
    assert_eq!(signed_in(&ground), 1);
}

#[tokio::test]
async fn rb30_an_answer_is_whole_at_its_end_even_if_a_child_keeps_the_stream() {
    let command = "sh -c \"$SSH_ORIGINAL_COMMAND\"; sleep 60 & echo later";
    let ground = Ground::ssh_with(&SshdOptions {
        force_command: Some(command.to_owned()),
        ..SshdOptions::default()
    });
    let begun = Instant::now();
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
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn rb29_what_is_no_ssh_server_or_silent_is_told_apart() {
    let mut ground = Ground::local();
    ground.anew(None, |it| {
        it.limits.handshake = Duration::from_secs(1);
        it.limits.connect = Duration::from_secs(1);
    });
    let ftp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ports = [&ftp, &silent].map(|it| it.local_addr().unwrap().port());
    let served = std::thread::spawn(move || {
        use std::io::Write as _;
        let (mut stream, _) = ftp.accept().unwrap();
        stream
            .write_all("220 Welcome to the FTP service\r\n".repeat(100).as_bytes())
            .unwrap();
        stream
    });
    let check = async |port| {
        let mut host = ground.host.clone();
        host.address = Address::Ssh(SshTarget {
            destination: "127.0.0.1".to_owned(),
            port: Some(port),
            ..SshTarget::default()
        });
        host.id = HostId::new(Uuid::from_u128(port.into()));
        ground
            .collector
            .check(&host, Caller::Schedule)
            .await
            .unwrap_err()
    };
    let failure = check(ports[0]).await;
    assert!(
        matches!(failure.code, FailureCode::Refused | FailureCode::TimedOut),
        "{failure:?}"
    );
    drop(served.join().unwrap());
    let failure = check(ports[1]).await;
    assert_eq!(failure.code, FailureCode::TimedOut, "{failure:?}");
    assert!(failure.message.contains("exchange keys"), "{failure:?}");
}

#[tokio::test]
async fn b14_a_name_with_a_dead_address_first_and_a_literal_of_ipv6_connect() {
    // `localhost` has both families here; the server listens on one of them.
    let ground = Ground::ssh_with(&options(&["ListenAddress ::1"]));
    let sshd = ground.sshd.as_ref().unwrap();
    for (name, family) in [
        ("localhost", "any"),
        ("::1", "inet6"),
        ("127.0.0.1", "inet"),
    ] {
        let text = sshd
            .config_text("private")
            .replace("HostName 127.0.0.1", &format!("HostName {name}"));
        let alias = format!(
            "  HostKeyAlias [127.0.0.1]:{}\n  AddressFamily {family}\n",
            sshd.port()
        );
        fs::write(sshd.config_path(), text + &alias).unwrap();
        ground.collector.forget(ground.host.id);
        let checked = ground.collector.check(&ground.host, Caller::Schedule).await;
        assert!(checked.is_ok(), "{name}: {checked:?}");
    }
    let text = sshd.config_text("private").replace(
        "HostName 127.0.0.1",
        "HostName 127.0.0.1\n  AddressFamily inet6",
    );
    fs::write(sshd.config_path(), text).unwrap();
    ground.collector.forget(ground.host.id);
    let failure = ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::NameNotFound, "{failure:?}");
}

#[tokio::test]
async fn b11_rb26_a_doubtful_connection_is_probed_and_a_dead_one_found_out_early() {
    let mut ground = Ground::ssh_with(&options(&[]));
    let proxy = crate::connection::through_proxy(&mut ground);
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    // It was healthy after all: the same connection goes on.
    ground.collector.doubt().await;
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    assert_eq!(signed_in(&ground), 1);
    // The other side is gone and nothing says so, as after a long sleep; a new connection would work.
    proxy.stall_open();
    ground.collector.doubt().await;
    let begun = Instant::now();
    let checked = ground.collector.check(&ground.host, Caller::Schedule).await;
    let took = begun.elapsed();
    assert!(checked.is_ok(), "{checked:?}");
    // The silence that is allowed otherwise is eight seconds here.
    assert!(took < Duration::from_secs(7), "{took:?}");
    assert_eq!(signed_in(&ground), 2);
}

/// So many hosts that are all the same server, each with a collector's connection of its own.
fn fleet(ground: &Ground, count: u128) -> Vec<Host> {
    (0..count)
        .map(|n| Host {
            id: HostId::new(Uuid::from_u128(1000 + n)),
            label: format!("host-{n}"),
            ..ground.host.clone()
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i16_hosts_that_never_answer_hold_up_no_other() {
    let ground = Ground::ssh_with(&options(&[]));
    // Listeners that take connections and say nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let mut dead = tokio::task::JoinSet::new();
    for mut host in fleet(&ground, 8) {
        host.address = Address::Ssh(SshTarget {
            destination: "private".to_owned(),
            port: Some(port),
            ..SshTarget::default()
        });
        let collector = ground.collector.clone();
        dead.spawn(async move { collector.check(&host, Caller::Schedule).await });
    }
    let _held = silent.accept().unwrap();
    // All eight are tried before the one that answers, and none has been given up when it has.
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    assert!(dead.try_join_next().is_none());
    dead.shutdown().await;
}

#[tokio::test]
async fn cancelling_while_a_connection_is_made_closes_it_at_once() {
    let ground = Ground::ssh();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut host = ground.host.clone();
    host.address = Address::Ssh(SshTarget {
        destination: "private".to_owned(),
        port: Some(silent.local_addr().unwrap().port()),
        ..SshTarget::default()
    });
    let collector = ground.collector.clone();
    let asked = tokio::spawn(async move { collector.check(&host, Caller::Schedule).await });
    let (mut stream, _) = tokio::task::spawn_blocking(move || silent.accept().unwrap())
        .await
        .unwrap();
    asked.abort();
    let closed = tokio::task::spawn_blocking(move || {
        use std::io::Read as _;
        stream
            .set_read_timeout(Some(Duration::from_secs(8)))
            .unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest)
    });
    closed.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_host_is_its_own_whatever_it_is_called() {
    let play = Playground::new().unwrap();
    let (one, two) = (
        Sshd::start(&options(&[])).unwrap(),
        Sshd::start(&options(&[])).unwrap(),
    );
    let config = play.at("config");
    fs::write(
        &config,
        format!("{}{}", one.config_text("one"), two.config_text("two")),
    )
    .unwrap();
    let mut environment = SshEnvironment::new(play.at("known_hosts"));
    environment.config = Some(config);
    let collector = Collector::new(environment);
    let mut keys = Vec::new();
    for (n, name) in ["one", "two", "one"].into_iter().enumerate() {
        let host = Host {
            id: HostId::new(Uuid::from_u128(n as u128)),
            label: format!("label-{n}"),
            address: Address::Ssh(SshTarget {
                destination: name.to_owned(),
                ..SshTarget::default()
            }),
            suspended: false,
            sign_in: None,
        };
        collector.check(&host, Caller::Schedule).await.unwrap();
        keys.push(collector.contact(host.id).host_key.unwrap());
    }
    assert!(keys[0] == keys[2] && keys[0] != keys[1], "{keys:?}");
    drop(FaultProxy::start(one.address()));
}
