//! Every way to sign in, with a person and without one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rollcall_collect::PromptKind;
use rollcall_converge::{Caller, Failure, FailureCode};
use rollcall_testkit::sshd::{PASSPHRASE, SshdOptions};

use crate::ground::{Ground, until};
use crate::person::Person;

fn lines(config: &[&str]) -> SshdOptions {
    SshdOptions {
        config: config.iter().map(|line| (*line).to_owned()).collect(),
        ..SshdOptions::default()
    }
}

fn asking(config: &[&str], questions: &[(bool, &'static str, &'static str)]) -> Ground {
    Ground::ssh_with(&SshdOptions {
        questions: questions.to_vec(),
        ..lines(config)
    })
}

const BY_QUESTIONS: [&str; 4] = [
    "UsePAM yes",
    "KbdInteractiveAuthentication yes",
    "PubkeyAuthentication no",
    "LogLevel VERBOSE",
];

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

async fn let_in(ground: &Ground, caller: Caller) {
    ground.collector.check(&ground.host, caller).await.unwrap();
}

/// How many connections the server has met since it was started.
fn connections(ground: &Ground) -> usize {
    let log = ground.sshd.as_ref().unwrap().log().unwrap();
    log.matches("Connection from").count()
}

/// An agent that ends with this value.
struct Agent {
    child: Child,
    socket: PathBuf,
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Agent {
    async fn start(ground: &Ground) -> Self {
        let socket = ground.play.at("agent");
        let child = Command::new("ssh-agent")
            .args(["-D", "-a"])
            .arg(&socket)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until("the agent listens", || socket.exists()).await;
        Self { child, socket }
    }

    fn add(&self, file: &Path) {
        let added = Command::new("ssh-add")
            .arg("-q")
            .arg(file)
            .env("SSH_AUTH_SOCK", &self.socket)
            .output()
            .unwrap();
        assert!(added.status.success(), "{added:?}");
    }
}

fn key(ground: &Ground, name: &str) -> PathBuf {
    let file = ground.play.at(name);
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(&file)
        .status();
    assert!(made.unwrap().success());
    file
}

/// Another configuration for the server, whose lines replace those that name a key.
fn configure(ground: &Ground, lines: &str) {
    let sshd = ground.sshd.as_ref().unwrap();
    let text: String = sshd
        .config_text("private")
        .lines()
        .filter(|line| !line.contains("Identit"))
        .flat_map(|line| [line, "\n"])
        .collect();
    fs::write(sshd.config_path(), format!("{text}{lines}\n")).unwrap();
}

#[tokio::test]
async fn b6_a_passphrase_is_asked_for_until_it_is_right_and_held_for_as_long_as_this_runs() {
    let mut ground = Ground::ssh_with(&SshdOptions {
        encrypted_client_key: true,
        ..SshdOptions::default()
    });
    let person = Person::says([Some(vec!["wrong"]), Some(vec![PASSPHRASE])]);
    ground.anew(Some(&person), |_| {});
    let_in(&ground, Caller::Person).await;
    let asked = person.asked();
    assert_eq!(
        asked.iter().map(|it| it.again).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(
        matches!(&asked[0].kind, PromptKind::Passphrase { file } if file.ends_with("client_key")),
        "{asked:?}"
    );
    assert!(!asked[0].fields[0].echo && asked[0].asker == "there");
    ground.remember();
    assert!(ground.host.sign_in.as_ref().unwrap().attended);

    // The same process signs in again by itself, and asks nobody.
    ground.collector.forget(ground.host.id);
    let_in(&ground, Caller::Schedule).await;
    assert_eq!(person.asked().len(), 2);

    // After a restart nothing is held: it waits for a person, and says so.
    ground.anew(Some(&person), |_| {});
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
    assert_eq!(person.asked().len(), 2);
}

#[tokio::test]
async fn b6_a_passphrase_that_stays_wrong_is_said_to_be() {
    let mut ground = Ground::ssh_with(&SshdOptions {
        encrypted_client_key: true,
        ..SshdOptions::default()
    });
    let person = Person::says(["a", "b", "c", "d"].map(|it| Some(vec![it])));
    ground.anew(Some(&person), |_| {});
    let failure = refused(&ground, Caller::Person).await;
    assert_eq!(failure.code, FailureCode::PassphraseWrong, "{failure:?}");
    assert_eq!(person.asked().len(), 3);
}

#[tokio::test]
async fn b8_a_question_that_is_cancelled_ends_the_sign_in_and_is_not_asked_again() {
    for config in [&[][..], &BY_QUESTIONS] {
        let mut ground = if config.is_empty() {
            Ground::ssh_with(&SshdOptions {
                encrypted_client_key: true,
                ..SshdOptions::default()
            })
        } else {
            asking(config, &[(false, "Password: ", "right")])
        };
        let person = Person::says([None]);
        ground.anew(Some(&person), |_| {});
        let failure = refused(&ground, Caller::Person).await;
        assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
        assert!(failure.code.needs_person());
        assert_eq!(person.asked().len(), 1);
    }
}

#[tokio::test]
async fn b6_rb18_keys_of_every_type_and_form_are_accepted_with_sha_2_only() {
    let ground = Ground::ssh_with(&lines(&["PubkeyAcceptedAlgorithms -ssh-rsa"]));
    let sshd = ground.sshd.as_ref().unwrap();
    let forms: [(&str, &[&str], &str); 11] = [
        ("ed25519", &["-t", "ed25519"], ""),
        ("ed25519-locked", &["-t", "ed25519"], PASSPHRASE),
        ("rsa", &["-t", "rsa"], ""),
        ("rsa-locked", &["-t", "rsa"], PASSPHRASE),
        ("rsa-pem", &["-t", "rsa", "-m", "PEM"], ""),
        ("rsa-pem-locked", &["-t", "rsa", "-m", "PEM"], PASSPHRASE),
        ("ecdsa-256", &["-t", "ecdsa", "-b", "256"], ""),
        ("ecdsa-384", &["-t", "ecdsa", "-b", "384"], ""),
        ("ecdsa-521", &["-t", "ecdsa", "-b", "521"], PASSPHRASE),
        ("ecdsa-pem", &["-t", "ecdsa", "-m", "PEM"], ""),
        ("rsa-pkcs8", &["-t", "rsa", "-m", "PKCS8"], ""),
    ];
    let mut tried = Ground::ssh();
    for (name, arguments, passphrase) in forms {
        fs::write(sshd.folder().join("authorized_keys"), "").unwrap();
        let file = sshd.admit_key(name, arguments, passphrase).unwrap();
        configure(
            &ground,
            &format!(
                "  IdentityFile {}\n  IdentitiesOnly yes\n  IdentityAgent none",
                file.display()
            ),
        );
        // A key that others may read is used all the same: it is not ours to be strict about.
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        fs::set_permissions(&file, mode).unwrap();
        let person = Person::says([Some(vec!["wrong"]), Some(vec![PASSPHRASE])]);
        tried.anew(Some(&person), |it| it.config = Some(sshd.config_path()));
        let checked = tried.collector.check(&tried.host, Caller::Person).await;
        assert!(checked.is_ok(), "{name}: {checked:?}");
        let questions = if passphrase.is_empty() { 0 } else { 2 };
        assert_eq!(person.asked().len(), questions, "{name}");
    }
}

#[tokio::test]
async fn b6_rb18_an_rsa_key_of_the_agent_signs_with_sha_2() {
    let mut ground = Ground::ssh_with(&lines(&["PubkeyAcceptedAlgorithms -ssh-rsa"]));
    let agent = Agent::start(&ground).await;
    let sshd = ground.sshd.as_ref().unwrap();
    fs::write(sshd.folder().join("authorized_keys"), "").unwrap();
    agent.add(&sshd.admit_key("rsa", &["-t", "rsa"], "").unwrap());
    configure(&ground, "");
    ground.anew(None, |it| it.agent_socket = Some(agent.socket.clone()));
    let_in(&ground, Caller::Person).await;
}

#[tokio::test]
async fn b8_an_agents_key_is_used_in_the_background_only_after_a_person_saw_it_sign() {
    let mut ground = Ground::ssh();
    let agent = Agent::start(&ground).await;
    agent.add(&ground.sshd.as_ref().unwrap().client_key());
    configure(&ground, "");
    let person = Person::says([]);
    let socket = agent.socket.clone();
    ground.anew(Some(&person), |it| it.agent_socket = Some(socket.clone()));
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
    let_in(&ground, Caller::Person).await;
    ground.remember();
    let sign_in = ground.host.sign_in.clone().unwrap();
    assert!(!sign_in.attended && sign_in.identity.unwrap().starts_with("SHA256:"));
    // Also after a restart.
    ground.anew(Some(&person), |it| it.agent_socket = Some(socket.clone()));
    let_in(&ground, Caller::Schedule).await;
    assert!(person.asked().is_empty());
}

#[tokio::test]
async fn b5_rb19_a_key_in_the_agent_and_in_a_file_is_offered_once() {
    // Two tries: one for the wrong key, one for the right.
    let mut ground = Ground::ssh_with(&lines(&["MaxAuthTries 2"]));
    let agent = Agent::start(&ground).await;
    let wrong = key(&ground, "wrong");
    agent.add(&wrong);
    let right = ground.sshd.as_ref().unwrap().client_key();
    configure(
        &ground,
        &format!(
            "  IdentityFile {}\n  IdentityFile {}",
            wrong.display(),
            right.display()
        ),
    );
    ground.anew(None, |it| it.agent_socket = Some(agent.socket.clone()));
    let_in(&ground, Caller::Person).await;
}

#[tokio::test]
async fn b5_an_agent_is_asked_as_the_configuration_says() {
    let mut ground = Ground::ssh();
    let agent = Agent::start(&ground).await;
    let sshd = ground.sshd.as_ref().unwrap();
    let file = sshd.client_key();
    agent.add(&file);
    let moved = ground.play.at("moved");
    fs::rename(&file, &moved).unwrap();
    let socket = agent.socket.display();
    for (lines, works) in [
        (format!("  IdentityAgent {socket}"), true),
        ("  IdentityAgent none".to_owned(), false),
        // Only named keys, and this one is not.
        (
            format!("  IdentityAgent {socket}\n  IdentitiesOnly yes\n  IdentityFile /none"),
            false,
        ),
        // Named by its public half.
        (
            format!(
                "  IdentityAgent {socket}\n  IdentitiesOnly yes\n  IdentityFile {}",
                file.display()
            ),
            true,
        ),
        (format!("  IdentityAgent {socket}.gone"), false),
    ] {
        configure(&ground, &lines);
        ground.anew(None, |_| {});
        let checked = ground.collector.check(&ground.host, Caller::Person).await;
        assert_eq!(checked.is_ok(), works, "{lines}: {checked:?}");
        if lines.contains("agent.gone") {
            assert_eq!(checked.unwrap_err().code, FailureCode::AgentUnavailable);
        }
    }
}

#[tokio::test]
async fn b7_questions_are_put_in_the_servers_words_and_its_connection_is_kept() {
    let mut ground = asking(
        &BY_QUESTIONS,
        &[
            (false, "Password: ", "pass wörd"),
            (true, "One-time code: ", "123456"),
        ],
    );
    let person = Person::says([
        Some(vec!["pass wörd"]),
        Some(vec!["000000"]),
        Some(vec!["pass wörd"]),
        Some(vec!["123456"]),
    ]);
    ground.anew(Some(&person), |it| {
        it.limits.idle = std::time::Duration::ZERO;
    });
    let_in(&ground, Caller::Person).await;
    let asked = person.asked();
    let texts: Vec<&str> = asked.iter().map(|it| it.fields[0].text.as_str()).collect();
    assert_eq!(
        texts,
        ["Password:", "One-time code:", "Password:", "One-time code:"]
    );
    assert!(matches!(asked[0].kind, PromptKind::Password { .. }));
    assert!(matches!(asked[1].kind, PromptKind::Challenge { .. }) && asked[1].kind.by_others());
    assert_eq!(
        asked.iter().map(|it| it.again).collect::<Vec<_>>(),
        [false, false, true, true]
    );
    assert!(asked[1].fields[0].echo && !asked[0].fields[0].echo);
    ground.remember();
    assert!(ground.host.sign_in.as_ref().unwrap().attended);

    // A code is good for once, so the connection is not let go when it is idle.
    let met = connections(&ground);
    let_in(&ground, Caller::Schedule).await;
    assert_eq!(connections(&ground), met);
    // Once it is gone, nobody is asked in the background, and the host is not even knocked at.
    ground.collector.forget(ground.host.id);
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
    assert_eq!(connections(&ground), met);
    assert_eq!(person.asked().len(), 4);
}

#[tokio::test]
async fn b7_a_password_with_spaces_and_accents_is_asked_for_once_and_held() {
    for config in [
        // By the method of that name, and as a question of the server's own.
        &[
            "UsePAM yes",
            "PasswordAuthentication yes",
            "KbdInteractiveAuthentication no",
            "PubkeyAuthentication no",
        ],
        &BY_QUESTIONS,
    ] {
        let mut ground = asking(config, &[(false, "Password: ", "zwölf große Boxkämpfer ✓")]);
        let failure = refused(&ground, Caller::Schedule).await;
        assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
        let person = Person::says([Some(vec!["wrong"]), Some(vec!["zwölf große Boxkämpfer ✓"])]);
        ground.anew(Some(&person), |_| {});
        let_in(&ground, Caller::Person).await;
        ground.remember();
        ground.collector.forget(ground.host.id);
        let_in(&ground, Caller::Schedule).await;
        assert_eq!(person.asked().len(), 2);

        // One that is right no more is forgotten, and nobody is asked in the background.
        let questions = ground.sshd.as_ref().unwrap().folder().join("questions");
        fs::write(questions, "0Password: \tchanged\n").unwrap();
        ground.collector.forget(ground.host.id);
        let failure = refused(&ground, Caller::Schedule).await;
        assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
        assert_eq!(person.asked().len(), 2);
    }
}

#[tokio::test]
async fn b7_a_password_that_is_refused_is_said_to_be() {
    let config = [
        "UsePAM yes",
        "PasswordAuthentication yes",
        "PubkeyAuthentication no",
    ];
    let mut ground = asking(&config, &[(false, "Password: ", "right")]);
    let person = Person::says([Some(vec!["a"]), Some(vec!["b"]), Some(vec!["c"])]);
    ground.anew(Some(&person), |_| {});
    let failure = refused(&ground, Caller::Person).await;
    assert_eq!(failure.code, FailureCode::NotAuthenticated, "{failure:?}");
    assert!(
        failure.message.contains("password was refused"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn rb22_partial_success_goes_on_with_what_is_wanted_next() {
    let config = [
        "AuthenticationMethods publickey,keyboard-interactive",
        "UsePAM yes",
        "KbdInteractiveAuthentication yes",
    ];
    let mut ground = asking(&config, &[(true, "Code: ", "42")]);
    let failure = refused(&ground, Caller::Schedule).await;
    assert_eq!(failure.code, FailureCode::SignInNeeded, "{failure:?}");
    let person = Person::says([Some(vec!["42"])]);
    ground.anew(Some(&person), |_| {});
    let_in(&ground, Caller::Person).await;
    assert_eq!(person.asked().len(), 1);

    // Two keys, one after the other.
    let mut ground = Ground::ssh_with(&lines(&["AuthenticationMethods publickey,publickey"]));
    let sshd = ground.sshd.as_ref().unwrap();
    let second = sshd.admit_key("second", &["-t", "ed25519"], "").unwrap();
    configure(
        &ground,
        &format!(
            "  IdentitiesOnly yes\n  IdentityAgent none\n  IdentityFile {}\n  IdentityFile {}",
            sshd.client_key().display(),
            second.display()
        ),
    );
    ground.anew(None, |_| {});
    let_in(&ground, Caller::Schedule).await;
}

#[tokio::test]
async fn rb22_a_server_that_wants_nothing_is_asked_for_nothing() {
    // Such a server takes an empty password for an answer; a round without questions is answered with nothing.
    let config = [
        "UsePAM yes",
        "KbdInteractiveAuthentication yes",
        "PubkeyAuthentication no",
    ];
    let mut ground = asking(&config, &[(true, "Only this: ", "")]);
    fs::write(ground.sshd.as_ref().unwrap().folder().join("questions"), "").unwrap();
    let person = Person::says([]);
    ground.anew(Some(&person), |_| {});
    let_in(&ground, Caller::Person).await;
    assert!(person.asked().is_empty());
}

#[tokio::test]
async fn b2_rb03_a_banner_of_many_lines_is_told_to_a_person_and_never_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("banner");
    let text = format!(
        "Be good.\u{1b}[31m\n{}",
        "All that is done here is watched.\n".repeat(800)
    );
    fs::write(&file, &text).unwrap();
    let mut ground = Ground::ssh_with(&lines(&[&format!("Banner {}", file.display())]));
    let person = Person::says([]);
    ground.anew(Some(&person), |_| {});
    let_in(&ground, Caller::Schedule).await;
    assert!(person.banners().is_empty());
    ground.collector.forget(ground.host.id);
    let_in(&ground, Caller::Person).await;
    let banners = person.banners();
    assert_eq!(banners.len(), 1);
    assert!(banners[0].starts_with("Be good.") && !banners[0].contains('\u{1b}'));
    assert_eq!(banners[0].lines().count(), 801);

    // The library reads no message of twice that size; the system's ssh does, and is offered.
    fs::write(&file, text.repeat(3)).unwrap();
    ground.collector.forget(ground.host.id);
    let failure = refused(&ground, Caller::Schedule).await;
    assert!(
        failure.openssh && failure.code == FailureCode::Unsupported,
        "{failure:?}"
    );
    ground.by_openssh();
    let_in(&ground, Caller::Schedule).await;
}

#[tokio::test]
async fn no_secret_is_told_in_a_failure_or_a_trace() {
    let config = [
        "UsePAM yes",
        "PasswordAuthentication yes",
        "PubkeyAuthentication no",
    ];
    let mut ground = asking(&config, &[(false, "Password: ", "hunter2")]);
    let person = Person::says([Some(vec!["hunter1"]), Some(vec!["hunter2"])]);
    ground.anew(Some(&person), |_| {});
    let_in(&ground, Caller::Person).await;
    let contact = ground.collector.contact(ground.host.id);
    assert!(contact.trace.iter().all(|line| line.well), "{contact:?}");
    assert!(!format!("{contact:?}").contains("hunter"));
    let person = Person::says(["hunter3"; 3].map(|it| Some(vec![it])));
    ground.anew(Some(&person), |_| {});
    let failure = refused(&ground, Caller::Person).await;
    let contact = ground.collector.contact(ground.host.id);
    assert!(!format!("{failure:?}{contact:?}").contains("hunter"));
}
