//! What only SSH can do wrong: keys, sign-in, login shells, cuts.

use std::fs;
use std::process::Command;
use std::time::Duration;

use rollcall_collect::{Collector, SshEnvironment};
use rollcall_converge::{Address, Caller, FailureCode, SshTarget, Tier};
use rollcall_testkit::proxy::FaultProxy;
use rollcall_testkit::sshd::SshdOptions;

use crate::cases;
use crate::ground::Ground;

fn forced(command: &str) -> Ground {
    Ground::ssh_with(&SshdOptions {
        force_command: Some(command.to_owned()),
        ..SshdOptions::default()
    })
}

fn has(program: &str) -> bool {
    Command::new(program)
        .args(["-c", "true"])
        .output()
        .is_ok_and(|out| out.status.success())
}

#[tokio::test]
async fn b1_rb05_rb06_login_shells_make_no_difference() {
    let mut tried = 0;
    for shell in ["bash", "zsh", "fish", "tcsh", "mksh"] {
        if has(shell) {
            tried += 1;
            let ground = forced(&format!("{shell} -c \"$SSH_ORIGINAL_COMMAND\""));
            cases::a2_ra03_any_bytes_make_a_root_and_a_worktree(&ground).await;
        }
    }
    assert!(tried > 0, "no login shell to try");
}

#[tokio::test]
async fn b2_rb01_rb02_noise_of_login_files_and_proxies_is_ignored() {
    let noise = "printf 'Last login\\0: \\033[1mnow\\n'; echo 'Welcome \"{\" 12%%'; echo words >&2; \
                 sh -c \"$SSH_ORIGINAL_COMMAND\"; echo bye";
    cases::a9_repository_without_remote_says_so(&forced(noise)).await;
}

#[tokio::test]
async fn rb08_rb10_rb11_a_host_that_answers_something_else_is_refused() {
    for command in [
        "cat",
        "true",
        "exit 7",
        "echo you-may-not",
        "echo This account is closed. >&2; exit 1",
    ] {
        let ground = forced(command);
        let failure = ground
            .collector
            .check(&ground.host, Caller::Person)
            .await
            .unwrap_err();
        assert_eq!(
            failure.code,
            FailureCode::CommandRefused,
            "{command}: {failure:?}"
        );
        assert!(!failure.hints.is_empty());
    }
}

#[tokio::test]
async fn i19_b4_an_unknown_key_blocks_until_it_is_trusted() {
    let ground = Ground::ssh();
    let sshd = ground.sshd.as_ref().unwrap();
    sshd.forget_host_key().unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::HostKeyUnknown);
    let key = failure.key.unwrap();
    assert_eq!(key.algorithm, "ssh-ed25519");
    assert!(key.fingerprint.starts_with("SHA256:") && key.known.is_empty());

    let wrong = ground
        .collector
        .trust(&ground.host, "SHA256:another", false)
        .await
        .unwrap_err();
    assert_eq!(wrong.code, FailureCode::HostKeyUnknown);
    assert!(!ground.play.at("known_hosts").exists());
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
    let file = fs::read_to_string(ground.play.at("known_hosts")).unwrap();
    assert_eq!(
        file,
        format!("[127.0.0.1]:{} {}\n", sshd.port(), sshd.host_key().unwrap())
    );
    // The person's own file is not ours to write.
    assert_eq!(fs::read(sshd.known_hosts()).unwrap(), b"");
}

#[tokio::test]
async fn i19_b4_a_changed_key_blocks_and_is_never_replaced() {
    let mut ground = Ground::ssh();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    let sshd = ground.sshd.as_mut().unwrap();
    let before = fs::read(sshd.known_hosts()).unwrap();
    sshd.change_host_key().unwrap();
    sshd.restart().unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::HostKeyChanged, "{failure:?}");
    let key = failure.key.unwrap();
    assert_eq!(key.known.len(), 1);
    assert_ne!(key.known[0], key.fingerprint);
    let refused = ground
        .collector
        .trust(&ground.host, &key.fingerprint, false)
        .await
        .unwrap_err();
    assert_eq!(refused.code, FailureCode::HostKeyChanged);
    assert!(!ground.play.at("known_hosts").exists());
    assert_eq!(
        fs::read(ground.sshd.as_ref().unwrap().known_hosts()).unwrap(),
        before
    );
}

#[tokio::test]
async fn rb13_the_key_type_that_is_known_is_asked_for() {
    for kind in ["rsa", "ecdsa", "ed25519"] {
        // The server has two keys; only one of them is known.
        let extra = tempfile::tempdir().unwrap();
        let other = if kind == "ed25519" { "rsa" } else { "ed25519" };
        let file = extra.path().join("other");
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", other, "-N", "", "-f"])
            .arg(&file)
            .status()
            .unwrap();
        assert!(made.success());
        let ground = Ground::ssh_with(&SshdOptions {
            config: vec![format!("HostKey {}", file.display())],
            host_key_type: Some(kind.to_owned()),
            ..SshdOptions::default()
        });
        ground
            .collector
            .check(&ground.host, Caller::Person)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn b6_a_key_with_a_passphrase_is_named_and_nobody_is_asked() {
    let ground = Ground::ssh_with(&SshdOptions {
        encrypted_client_key: true,
        ..SshdOptions::default()
    });
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
    assert!(failure.message.contains("passphrase"));
}

#[tokio::test]
async fn a_refused_key_says_what_was_tried() {
    let ground = Ground::ssh();
    fs::write(
        ground
            .sshd
            .as_ref()
            .unwrap()
            .folder()
            .join("authorized_keys"),
        "",
    )
    .unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::NotAuthenticated);
    assert!(failure.message.contains("client_key") && failure.message.contains("publickey"));
}

/// An agent that ends with this value.
struct Agent(std::process::Child);

impl Drop for Agent {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn b5_rb20_the_agents_right_key_comes_before_many_wrong_ones() {
    let mut ground = Ground::ssh_with(&SshdOptions {
        config: vec!["MaxAuthTries 3".to_owned()],
        ..SshdOptions::default()
    });
    let socket = ground.play.at("agent");
    let child = Command::new("ssh-agent")
        .args(["-D", "-a"])
        .arg(&socket)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let _agent = Agent(child);
    crate::ground::until("the agent listens", || socket.exists()).await;
    let sshd = ground.sshd.as_ref().unwrap();
    let add = |file: &std::path::Path| {
        let added = Command::new("ssh-add")
            .arg("-q")
            .arg(file)
            .env("SSH_AUTH_SOCK", &socket)
            .output()
            .unwrap();
        assert!(added.status.success(), "{added:?}");
    };
    for n in 0..7 {
        let file = ground.play.at(format!("wrong{n}"));
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(&file)
            .status();
        assert!(made.unwrap().success());
        add(&file);
    }
    add(&sshd.client_key());
    // Only the public half is left to be found as a file.
    fs::remove_file(sshd.client_key()).unwrap();
    let mut environment = SshEnvironment::new(ground.play.at("known_hosts"));
    environment.config = Some(sshd.config_path());
    environment.agent_socket = Some(socket);
    ground.collector = Collector::new(environment);
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_kept_connection_that_died_is_made_again_once() {
    let mut ground = Ground::ssh();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    ground.sshd.as_mut().unwrap().restart().unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    ground.sshd.as_mut().unwrap().stop();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::Refused, "{failure:?}");
    ground.sshd.as_mut().unwrap().restart().unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}

#[tokio::test]
async fn b12_one_session_at_a_time_is_enough() {
    let ground = Ground::ssh_with(&SshdOptions {
        config: vec!["MaxSessions 1".to_owned()],
        ..SshdOptions::default()
    });
    let checks = [0; 4].map(|_| ground.collector.check(&ground.host, Caller::Person));
    let [a, b, c, d] = checks;
    let (a, b, c, d) = tokio::join!(a, b, c, d);
    for outcome in [a, b, c, d] {
        outcome.unwrap();
    }
}

/// A ground whose host is reached through a proxy, with short limits.
pub(crate) fn through_proxy(ground: &mut Ground) -> FaultProxy {
    let sshd = ground.sshd.as_ref().unwrap();
    let proxy = FaultProxy::start(sshd.address()).unwrap();
    let config = ground.play.at("proxied");
    // The key is known by the server's own port.
    let text = sshd.config_text_on("private", proxy.port());
    fs::write(
        &config,
        format!("{text}  HostKeyAlias [127.0.0.1]:{}\n", sshd.port()),
    )
    .unwrap();
    let mut environment = SshEnvironment::new(ground.play.at("known_hosts"));
    environment.config = Some(config);
    environment.limits.silence = Duration::from_secs(8);
    environment.limits.facts = Duration::from_secs(10);
    environment.limits.handshake = Duration::from_secs(2);
    environment.limits.authenticate = Duration::from_secs(2);
    ground.collector = Collector::new(environment);
    proxy
}

#[tokio::test]
async fn i1_b11_rb31_a_connection_cut_anywhere_gives_no_snapshot() {
    let mut ground = Ground::ssh();
    let proxy = through_proxy(&mut ground);
    let repo = ground.play.repo("repo").unwrap();
    let call = ground.call(
        Tier::Facts,
        &[(rollcall_converge::RootKind::Repository, repo.path().into())],
    );
    ground.roll(&call).await;
    // A whole call on a new connection; how many bytes that is differs by a few each time.
    ground.collector.forget(ground.host.id);
    proxy.heal();
    ground.roll(&call).await;
    let whole = proxy.passed();
    for part in 0..40 {
        ground.collector.forget(ground.host.id);
        proxy.cut_after(whole * part / 45);
        let failure = ground
            .collector
            .roll_call(&ground.host, &call, Caller::Person)
            .await
            .unwrap_err();
        assert!(
            matches!(
                failure.code,
                FailureCode::Cut | FailureCode::TimedOut | FailureCode::Refused
            ),
            "{failure:?}"
        );
    }
    proxy.heal();
    ground.roll(&call).await;
}

#[tokio::test]
async fn b11_rb26_a_stalled_connection_is_noticed() {
    let mut ground = Ground::ssh();
    let proxy = through_proxy(&mut ground);
    proxy.stall_after(0);
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::TimedOut, "{failure:?}");
    proxy.heal();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_silent_command_is_cut_and_a_slow_one_is_not() {
    let mut ground = forced("sleep 100");
    let _proxy = through_proxy(&mut ground);
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::Cut, "{failure:?}");
    // Heartbeats keep a call alive for longer than the silence that is allowed, up to the time for facts.
    let mut ground = Ground::ssh();
    let _proxy = through_proxy(&mut ground);
    let repo = ground.play.repo("slow").unwrap();
    let pipe = ground.play.at("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    repo.git([
        std::ffi::OsStr::new("config"),
        std::ffi::OsStr::new("core.excludesFile"),
        pipe.as_os_str(),
    ])
    .unwrap();
    let call = ground.call(
        Tier::Facts,
        &[(rollcall_converge::RootKind::Repository, repo.path().into())],
    );
    let snapshot = ground.roll(&call).await;
    let rollcall_converge::RootOutcome::Complete(all) = &snapshot.roots()[0].1 else {
        panic!("{snapshot:?}")
    };
    // I13: what took too long is unknown, and the rest was told.
    assert!(matches!(
        all.assertions()[0].facts,
        rollcall_converge::FactsOutcome::Unknown { .. }
    ));
}

#[tokio::test]
async fn bad_addresses_each_say_what_is_wrong() {
    let ground = Ground::local();
    let check = async |destination: &str, port: Option<u16>| {
        let mut host = ground.host.clone();
        host.label = "far".to_owned();
        host.address = Address::Ssh(SshTarget {
            destination: destination.to_owned(),
            port,
            ..SshTarget::default()
        });
        let failure = ground
            .collector
            .check(&host, Caller::Person)
            .await
            .unwrap_err();
        assert!(
            failure.message.contains("far") && !failure.hints.is_empty(),
            "{failure:?}"
        );
        failure.code
    };
    assert_eq!(
        check("no-such-host.invalid", None).await,
        FailureCode::NameNotFound
    );
    assert_eq!(
        check("-oProxyCommand=true", None).await,
        FailureCode::Unsupported
    );
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    assert_eq!(check("127.0.0.1", Some(free)).await, FailureCode::Refused);
}

/// Login files that each say something, shadow what the collector uses, and leave settings of git behind.
fn noisy_home(home: &std::path::Path) {
    let sh = "echo 'Welcome back'; printf 'A\\0B\\0\\n'; echo words >&2\n\
              alias git='echo aliased'; alias ls='echo aliased'; alias cd='echo aliased'\n\
              export GIT_DIR=/nowhere GIT_WORK_TREE=/nowhere CDPATH=/usr GREP_OPTIONS=--color=always\n";
    let functions = "git() { echo shadowed; }; ls() { echo shadowed; }; stat() { echo shadowed; }\n\
                     export -f git ls stat\n";
    let csh = "echo 'Welcome back'\nalias git 'echo aliased'\nalias ls 'echo aliased'\nsetenv GIT_DIR /nowhere\n";
    let fish =
        "echo 'Welcome back'; echo words >&2\nalias git 'echo aliased'\nset -gx GIT_DIR /nowhere\n";
    fs::write(home.join(".bashrc"), format!("{sh}{functions}")).unwrap();
    fs::write(home.join(".zshenv"), sh).unwrap();
    fs::write(home.join(".mkshrc"), sh).unwrap();
    fs::write(home.join(".tcshrc"), csh).unwrap();
    fs::create_dir_all(home.join(".config/fish")).unwrap();
    fs::write(home.join(".config/fish/config.fish"), fish).unwrap();
}

#[tokio::test]
async fn b1_b2_rb01_login_files_that_talk_and_shadow_make_no_difference() {
    let mut tried = 0;
    for shell in ["bash", "zsh", "fish", "tcsh", "mksh"] {
        if !has(shell) {
            continue;
        }
        tried += 1;
        let home = tempfile::tempdir().unwrap();
        noisy_home(home.path());
        let home = home.path().display();
        // A shell that sshd started reads `.bashrc` only at the first level.
        let ground = forced(&format!(
            "unset SHLVL; HOME='{home}' XDG_CONFIG_HOME='{home}/.config' ENV='{home}/.mkshrc' \
             exec {shell} -c \"$SSH_ORIGINAL_COMMAND\""
        ));
        cases::two_worktrees_one_dirty_one_unpushed_have_the_right_facts(&ground).await;
    }
    assert!(tried > 0, "no login shell to try");
}

#[tokio::test]
async fn i19_rb16_a_revoked_key_blocks_beside_a_good_line() {
    let ground = Ground::ssh();
    let sshd = ground.sshd.as_ref().unwrap();
    let good = fs::read_to_string(sshd.known_hosts()).unwrap();
    let revoked = format!("{good}@revoked * {}\n", sshd.host_key().unwrap());
    fs::write(sshd.known_hosts(), &revoked).unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::HostKeyChanged, "{failure:?}");
    assert!(failure.message.contains("revoked"));
    let key = failure.key.unwrap();
    let refused = ground
        .collector
        .trust(&ground.host, &key.fingerprint, false)
        .await
        .unwrap_err();
    assert_eq!(refused.code, FailureCode::HostKeyChanged);
    assert!(!ground.play.at("known_hosts").exists());
    assert_eq!(fs::read_to_string(sshd.known_hosts()).unwrap(), revoked);
}

#[tokio::test]
async fn a_user_that_the_host_does_not_know_is_not_let_in_and_named() {
    let ground = Ground::ssh();
    let mut host = ground.host.clone();
    host.address = Address::Ssh(SshTarget {
        destination: "private".to_owned(),
        user: Some("no-such-user".to_owned()),
        ..SshTarget::default()
    });
    let failure = ground
        .collector
        .check(&host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::NotAuthenticated, "{failure:?}");
    assert!(failure.message.contains("no-such-user"), "{failure:?}");
}

#[tokio::test]
async fn b6_a_key_file_that_cannot_be_used_is_named() {
    let ground = Ground::ssh();
    let key = ground.sshd.as_ref().unwrap().client_key();
    let good = fs::read(&key).unwrap();
    let check = async || {
        let failure = ground
            .collector
            .check(&ground.host, Caller::Person)
            .await
            .unwrap_err();
        assert_eq!(failure.code, FailureCode::KeyUnreadable, "{failure:?}");
        assert!(failure.message.contains("client_key"), "{failure:?}");
    };
    // Root can read every file, but nobody reads a folder.
    fs::remove_file(&key).unwrap();
    fs::create_dir(&key).unwrap();
    check().await;
    fs::remove_dir(&key).unwrap();
    fs::write(&key, good.get(..good.len() / 2).unwrap()).unwrap();
    check().await;
    fs::write(&key, "").unwrap();
    check().await;
    fs::write(&key, good).unwrap();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}

#[tokio::test]
async fn b5_an_agent_that_is_gone_is_said_and_files_still_count() {
    let mut ground = Ground::ssh();
    let sshd = ground.sshd.as_ref().unwrap();
    let mut environment = SshEnvironment::new(ground.play.at("known_hosts"));
    environment.config = Some(sshd.config_path());
    environment.agent_socket = Some(ground.play.at("no-agent"));
    ground.collector = Collector::new(environment);
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    ground.collector.forget(ground.host.id);
    fs::write(
        ground
            .sshd
            .as_ref()
            .unwrap()
            .folder()
            .join("authorized_keys"),
        "",
    )
    .unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::NotAuthenticated);
    assert!(failure.message.contains("no-agent"), "{failure:?}");
}

#[tokio::test]
async fn i1_b11_an_answer_that_stalls_is_noticed_within_the_silence() {
    let mut ground = Ground::ssh();
    let proxy = through_proxy(&mut ground);
    let repo = ground.play.repo("repo").unwrap();
    let call = ground.call(
        Tier::Facts,
        &[(rollcall_converge::RootKind::Repository, repo.path().into())],
    );
    ground.roll(&call).await;
    proxy.heal();
    ground.roll(&call).await;
    // The connection is kept, so this is the answer and little else.
    let whole = proxy.passed();
    for part in [1, 3] {
        ground
            .collector
            .check(&ground.host, Caller::Person)
            .await
            .unwrap();
        proxy.stall_after(whole * part / 4);
        let begun = std::time::Instant::now();
        let failure = ground
            .collector
            .roll_call(&ground.host, &call, Caller::Person)
            .await
            .unwrap_err();
        assert_eq!(failure.code, FailureCode::Cut, "{failure:?}");
        assert!(begun.elapsed() < Duration::from_secs(30));
        proxy.heal();
    }
    ground.roll(&call).await;
}

#[tokio::test]
async fn b11_a_cut_leaves_no_process_on_the_host() {
    let mut ground = Ground::ssh();
    let proxy = through_proxy(&mut ground);
    let (outcome, group) = cases::while_git_waits(&ground, |_| proxy.cut_now()).await;
    let failure = outcome.unwrap_err();
    assert_eq!(failure.code, FailureCode::Cut, "{failure:?}");
    crate::ground::until("nothing of the group is left", || {
        cases::members(group) == 0
    })
    .await;
}

#[tokio::test]
async fn b3_rb09_git_is_found_where_the_login_shell_does_not_look() {
    // The login shell knows no folder at all but that of the shells.
    let ground = forced("PATH=/nowhere exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"");
    cases::a9_repository_without_remote_says_so(&ground).await;
}

#[tokio::test]
async fn b3_rb09_a_host_without_git_says_so_and_plain_folders_are_listed_all_the_same() {
    // Of this machine, a host sees everything but git.
    let hidden = "unshare -m sh -c 'for it in git; do for at in $(which -a $it); do mount --bind /dev/null $at; done; done; \
                  exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"'";
    let ground = forced(hidden);
    let facts = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
    assert_eq!(facts.git_version, "");
    let repo = ground.play.repo("repo").unwrap();
    let plain = ground.play.at("plain");
    fs::create_dir(&plain).unwrap();
    let call = ground.call(
        Tier::Facts,
        &[
            (rollcall_converge::RootKind::Repository, repo.path().into()),
            (rollcall_converge::RootKind::Directory, plain),
        ],
    );
    let snapshot = ground.roll(&call).await;
    let rollcall_converge::RootOutcome::Failed(failure) = &snapshot.roots()[0].1 else {
        panic!("{snapshot:?}")
    };
    assert_eq!(failure.code, FailureCode::NoGit, "{failure:?}");
    assert!(!failure.hints.is_empty());
    assert!(matches!(
        snapshot.roots()[1].1,
        rollcall_converge::RootOutcome::Complete(_)
    ));
}

#[tokio::test]
async fn rb33_the_language_of_the_host_changes_nothing() {
    for language in ["es_ES.UTF-8", "xx_XX.not-installed", "C.UTF-8"] {
        let ground = forced(&format!(
            "export LC_ALL={language} LANG={language} LANGUAGE=es; bash -c \"$SSH_ORIGINAL_COMMAND\""
        ));
        cases::two_worktrees_one_dirty_one_unpushed_have_the_right_facts(&ground).await;
    }
}

/// A ground whose configuration has these lines, and whose server's key is in no file.
fn unmet(lines: &str) -> Ground {
    let ground = Ground::ssh();
    let sshd = ground.sshd.as_ref().unwrap();
    sshd.forget_host_key().unwrap();
    fs::write(
        sshd.config_path(),
        format!("{}{lines}", sshd.config_text("private")),
    )
    .unwrap();
    ground
}

#[tokio::test]
async fn i19_b4_how_strict_the_configuration_is_counts_for_keys_nobody_has_seen() {
    // Taken for known, and nowhere but in Rollcall's own file.
    let mut ground = unmet("  StrictHostKeyChecking accept-new\n  HashKnownHosts yes\n");
    ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap();
    let own = fs::read_to_string(ground.play.at("known_hosts")).unwrap();
    assert!(
        own.starts_with("|1|") && !own.contains("127.0.0.1"),
        "{own}"
    );
    let sshd = ground.sshd.as_mut().unwrap();
    assert_eq!(fs::read(sshd.known_hosts()).unwrap(), b"");
    // It is known by its hashed name from then on, and a changed one blocks all the same.
    sshd.change_host_key().unwrap();
    sshd.restart().unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Schedule)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::HostKeyChanged, "{failure:?}");

    // Nobody adds it from here.
    let ground = unmet("  StrictHostKeyChecking yes\n");
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::HostKeyUnknown, "{failure:?}");
    let print = failure.key.unwrap().fingerprint;
    let refused = ground
        .collector
        .trust(&ground.host, &print, false)
        .await
        .unwrap_err();
    assert!(
        refused.hints[0].contains("StrictHostKeyChecking yes"),
        "{refused:?}"
    );
    assert!(!ground.play.at("known_hosts").exists());
}

#[tokio::test]
async fn i19_rb13_a_host_that_shows_only_a_key_of_another_type_is_asked_about() {
    let mut ground = Ground::ssh();
    let other = tempfile::tempdir().unwrap();
    let file = other.path().join("rsa");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "rsa", "-N", "", "-f"])
        .arg(&file)
        .status();
    assert!(made.unwrap().success());
    let sshd = ground.sshd.as_mut().unwrap();
    let key = fs::read_to_string(other.path().join("rsa.pub")).unwrap();
    fs::write(
        sshd.known_hosts(),
        format!("[127.0.0.1]:{} {key}", sshd.port()),
    )
    .unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::HostKeyUnknown, "{failure:?}");
    let key = failure.key.unwrap();
    assert_eq!(
        (key.algorithm.as_str(), key.known.len()),
        ("ssh-ed25519", 1)
    );
    assert!(failure.hints.iter().any(|it| it.contains("other types")));
}

#[tokio::test]
async fn i19_rb14_keys_of_every_curve_are_trusted_and_known_again() {
    for bits in ["256", "384", "521"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ecdsa", "-b", bits, "-N", "", "-f"])
            .arg(&file)
            .status();
        assert!(made.unwrap().success());
        let ground = Ground::ssh_with(&SshdOptions {
            config: vec![
                format!("HostKey {}", file.display()),
                "HostKeyAlgorithms ecdsa-sha2-*".to_owned(),
            ],
            ..SshdOptions::default()
        });
        let sshd = ground.sshd.as_ref().unwrap();
        sshd.forget_host_key().unwrap();
        let failure = ground
            .collector
            .check(&ground.host, Caller::Person)
            .await
            .unwrap_err();
        let print = failure.key.unwrap().fingerprint;
        ground
            .collector
            .trust(&ground.host, &print, false)
            .await
            .unwrap();
        ground
            .collector
            .check(&ground.host, Caller::Schedule)
            .await
            .unwrap();
        let own = fs::read_to_string(ground.play.at("known_hosts")).unwrap();
        assert!(own.contains(&format!("ecdsa-sha2-nistp{bits}")), "{own}");
    }
}

#[tokio::test]
async fn b4_rb16_a_host_with_a_certificate_is_for_the_systems_ssh_and_that_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let keygen = |arguments: &[&std::ffi::OsStr]| {
        let made = Command::new("ssh-keygen")
            .current_dir(folder.path())
            .arg("-q")
            .args(arguments)
            .status();
        assert!(made.unwrap().success());
    };
    let words = |text: &[&'static str]| -> Vec<&'static std::ffi::OsStr> {
        text.iter().map(|it| std::ffi::OsStr::new(*it)).collect()
    };
    keygen(&words(&["-t", "ed25519", "-N", "", "-f", "ca"]));
    keygen(&words(&["-t", "ed25519", "-N", "", "-f", "host"]));
    keygen(&words(&[
        "-s",
        "ca",
        "-I",
        "host",
        "-h",
        "-n",
        "127.0.0.1",
        "host.pub",
    ]));
    let at = |name: &str| folder.path().join(name);
    let mut ground = Ground::ssh_with(&SshdOptions {
        config: vec![
            format!("HostKey {}", at("host").display()),
            format!("HostCertificate {}", at("host-cert.pub").display()),
        ],
        ..SshdOptions::default()
    });
    let authority = fs::read_to_string(at("ca.pub")).unwrap();
    let sshd = ground.sshd.as_ref().unwrap();
    fs::write(sshd.known_hosts(), format!("@cert-authority * {authority}")).unwrap();
    let failure = ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap_err();
    assert_eq!(failure.code, FailureCode::HostKeyUnknown, "{failure:?}");
    assert!(failure.openssh && failure.hints.iter().any(|it| it.contains("authority")));
    ground.by_openssh();
    ground
        .collector
        .check(&ground.host, Caller::Person)
        .await
        .unwrap();
}
