//! Signing in, other ways to a host, and machines that come back: what a person does, with a real server.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rollcall_api::wire::{
    AnnotationPatch, HostRef, HostState, Notice, PromptRow, PromptSubject, TransportKind,
};
use rollcall_api::{App, ErrorCode, Event, Events, Settings};
use rollcall_testkit::proxy::FaultProxy;
use rollcall_testkit::sshd::{PASSPHRASE, SshdOptions};
use rollcall_tests::stage::{Stage, row, rows, server, settled, text, until};
use tokio::runtime::Handle;

use crate::{host, needs_you};

/// The next questions that wait.
async fn asked(app: &App) -> PromptRow {
    until("a question", || async {
        app.prompts().await.unwrap().pop()
    })
    .await
}

async fn idle(app: &App, id: HostRef) {
    until("a host that has answered", || async {
        let row = host(app, id).await;
        (row.state == HostState::Idle && row.answered_at.is_some()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn b8_a_host_that_takes_a_person_asks_one_only_when_one_is_there() {
    let stage = Stage::locked();
    let (app, events) = stage.app().await;
    let there = app.add_host(server()).await.unwrap().id;
    // Who adds a host is there, and is asked.
    let question = asked(&app).await;
    assert!(
        matches!(question.subject, PromptSubject::Passphrase { .. }),
        "{question:?}"
    );
    assert_eq!(
        (question.host, question.asker.as_str()),
        (there, "buildbox")
    );
    app.cancel_prompt(question.id.clone()).await.unwrap();
    let reason = needs_you(&app, there).await;
    assert_eq!(reason.code, ErrorCode::SignInNeeded, "{reason:?}");
    assert!(app.prompts().await.unwrap().is_empty());
    let error = app.cancel_prompt(question.id).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);

    app.sync_now(Some(there)).await.unwrap();
    let question = asked(&app).await;
    app.answer_prompt(question.id, vec![PASSPHRASE.to_owned()], false)
        .await
        .unwrap();
    idle(&app, there).await;
    app.shutdown().await;
    drop((app, events));

    // Nobody is there at the next start: nobody is asked, and it says so.
    let (app, _events) = stage.app().await;
    let reason = needs_you(&app, there).await;
    assert_eq!(reason.code, ErrorCode::SignInNeeded, "{reason:?}");
    assert!(app.prompts().await.unwrap().is_empty());
    app.sync_now(None).await.unwrap();
    needs_you(&app, there).await;
    assert!(app.prompts().await.unwrap().is_empty());
    // No secret is in the data folder.
    app.shutdown().await;
    for file in walk(&stage.data()) {
        let bytes = fs::read(&file).unwrap();
        let found = bytes
            .windows(PASSPHRASE.len())
            .any(|it| it == PASSPHRASE.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[tokio::test]
async fn suspending_a_host_takes_its_question_away() {
    let stage = Stage::locked();
    let (app, _events) = stage.app().await;
    let there = app.add_host(server()).await.unwrap().id;
    asked(&app).await;
    app.set_suspended(there, true).await.unwrap();
    until("no question", || async {
        app.prompts().await.unwrap().is_empty().then_some(())
    })
    .await;
    app.shutdown().await;
}

/// The back end whose `ssh` asks through a program of the tests.
async fn with_askpass(stage: &Stage) -> (App, Events) {
    let settings = Settings {
        ssh_config: Some(stage.ssh_config()),
        askpass: Some(env!("CARGO_BIN_EXE_demo").into()),
        ..Settings::new(stage.data())
    };
    App::open(settings, Handle::current()).await.unwrap()
}

#[tokio::test]
async fn the_systems_ssh_asks_through_the_window_and_its_connection_is_kept() {
    let stage = Stage::locked();
    let quay = stage.play.repo("srv/quay").unwrap();
    let (app, _events) = with_askpass(&stage).await;
    let mut form = server();
    form.transport = TransportKind::OpenSsh;
    let there = app.add_host(form).await.unwrap().id;
    let question = asked(&app).await;
    let PromptSubject::OpenSsh { text: words } = &question.subject else {
        unreachable!("{question:?}");
    };
    assert!(
        words.contains("passphrase") && words.contains("client_key"),
        "{words}"
    );
    app.answer_prompt(question.id, vec!["wrong".to_owned()], false)
        .await
        .unwrap();
    let question = asked(&app).await;
    app.answer_prompt(question.id, vec![PASSPHRASE.to_owned()], false)
        .await
        .unwrap();
    idle(&app, there).await;
    // What follows needs nobody, as long as the connection is there.
    app.register(there, text(quay.path())).await.unwrap();
    app.sync_now(None).await.unwrap();
    settled(&app).await;
    assert_eq!(rows(&app).await.len(), 1);
    assert!(app.prompts().await.unwrap().is_empty());
    let row = host(&app, there).await;
    assert_eq!(row.ssh.unwrap().transport, TransportKind::OpenSsh);

    // Cut, it waits for a person instead of asking.
    app.set_suspended(there, true).await.unwrap();
    app.shutdown().await;
}

#[tokio::test]
async fn a_connection_can_be_tried_before_it_is_kept() {
    let mut stage = Stage::locked();
    let (app, _events) = stage.app().await;
    let trying = app.test_host(server());
    let answering = async {
        let question = asked(&app).await;
        app.answer_prompt(question.id, vec![PASSPHRASE.to_owned()], false)
            .await
            .unwrap();
    };
    let (test, ()) = tokio::join!(trying, answering);
    let test = test.unwrap();
    assert_eq!(test.reason, None);
    assert!(
        test.trace.iter().all(|line| line.well) && test.trace.len() >= 5,
        "{test:?}"
    );
    stage.sshd.stop();
    let test = app.test_host(server()).await.unwrap();
    assert_eq!(test.reason.unwrap().code, ErrorCode::Refused);
    assert!(!test.trace.last().unwrap().well);
    // Nothing of it is kept.
    assert_eq!(app.overview().await.unwrap().hosts.len(), 1);
    app.shutdown().await;
}

#[tokio::test]
async fn a_host_reached_in_another_way_is_called_at_once() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let (app, _events, there) = stage.enrolled(quay.path()).await;
    let mut form = server();
    form.label = "far".to_owned();
    form.every = Some(60);
    form.transport = TransportKind::OpenSsh;
    let before = host(&app, there).await.answered_at;
    let row = app.edit_host(there, form.clone()).await.unwrap();
    assert_eq!((row.label.as_str(), row.every), ("far", Some(60)));
    until("an answer by the other way", || async {
        let row = host(&app, there).await;
        (row.answered_at > before && row.state == HostState::Idle).then_some(())
    })
    .await;
    let trace = app.host_trace(there).await.unwrap();
    assert!(trace[0].words.contains("by the system's ssh"), "{trace:?}");
    form.every = Some(5);
    let error = app.edit_host(there, form).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    app.shutdown().await;
}

#[tokio::test]
async fn i19_a_changed_key_is_replaced_only_by_who_names_the_host() {
    let mut stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap().path().to_owned();
    let (app, _events, there) = stage.enrolled(&quay).await;
    let before = rows(&app).await;
    stage.sshd.change_host_key().unwrap();
    stage.sshd.restart().unwrap();
    app.sync_now(Some(there)).await.unwrap();
    let key = needs_you(&app, there).await.key.unwrap();
    let print = key.fingerprint;
    let error = app
        .replace_host_key(there, print.clone(), "buildbo".to_owned())
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    let error = app
        .replace_host_key(there, key.known[0].clone(), "buildbox".to_owned())
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::HostKeyChanged);
    app.replace_host_key(there, print, "buildbox".to_owned())
        .await
        .unwrap();
    idle(&app, there).await;
    assert_eq!(rows(&app).await, before);
    // The old one is refused from then on, and so is the new one's absence from the person's own files no matter.
    let own = fs::read_to_string(stage.data().join("known_hosts")).unwrap();
    assert_eq!(own.matches("@revoked").count(), 1, "{own}");
    app.shutdown().await;
}

#[tokio::test]
async fn rd10_b15_b16_a_machine_is_known_again_under_another_label() {
    let stage = Stage::new();
    let quay = stage.play.repo("srv/quay").unwrap();
    let (app, _events, there) = stage.enrolled(quay.path()).await;
    // The private server is this very machine.
    assert_eq!(host(&app, there).await.twins, ["This machine"]);
    let id = row(&app, "quay").await.id;
    let patch = AnnotationPatch {
        note: Some("Mine.".to_owned()),
        ..AnnotationPatch::default()
    };
    app.annotate(id, patch).await.unwrap();
    app.forget_host(there).await.unwrap();
    assert!(rows(&app).await.is_empty());

    let mut form = server();
    form.label = "again".to_owned();
    let again = app.add_host(form).await.unwrap().id;
    idle(&app, again).await;
    let offered = host(&app, again).await.forgotten.unwrap();
    assert_eq!(
        (
            offered.label.as_str(),
            offered.workspaces,
            offered.annotated
        ),
        ("buildbox", 1, 1)
    );
    // This machine is not offered what another host had.
    let hosts = app.overview().await.unwrap().hosts;
    assert!(
        hosts
            .iter()
            .all(|it| it.id == again || it.forgotten.is_none())
    );
    app.reclaim_host(again, offered.id).await.unwrap();
    settled(&app).await;
    assert_eq!(app.workspace(id).await.unwrap().note, "Mine.");
    assert_eq!(row(&app, "quay").await.host, again);
    assert!(host(&app, again).await.forgotten.is_none());
    let error = app.reclaim_host(again, offered.id).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    app.shutdown().await;
}

#[tokio::test]
async fn b2_rb03_a_banner_reaches_the_person_who_signs_in_once() {
    let folder = tempfile();
    let stage = Stage::with(&SshdOptions {
        config: vec![format!("Banner {}", folder.display())],
        ..SshdOptions::default()
    });
    stage.know_server();
    let (app, mut events) = stage.app().await;
    let there = app.add_host(server()).await.unwrap().id;
    idle(&app, there).await;
    app.set_suspended(there, true).await.unwrap();
    app.set_suspended(there, false).await.unwrap();
    idle(&app, there).await;
    app.shutdown().await;
    let mut texts = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::Notice(Notice::Banner(banner)) = event {
            texts.push(banner.text);
        }
    }
    assert_eq!(texts, ["Be good."]);
    fs::remove_file(folder).unwrap();
}

fn tempfile() -> PathBuf {
    let file = std::env::temp_dir().join(format!("rollcall-banner-{}", std::process::id()));
    fs::write(&file, "Be good.\n").unwrap();
    file
}

#[tokio::test]
async fn b11_rb26_after_sleep_a_dead_connection_is_noticed_without_waiting_for_its_silence() {
    let stage = Stage::new();
    let proxy = FaultProxy::start(stage.sshd.address()).unwrap();
    stage.configure(proxy.port());
    let (app, _events) = stage.app().await;
    let there = stage.meet(&app).await;
    idle(&app, there).await;
    let before = host(&app, there).await.answered_at;
    proxy.stall_open();
    let begun = Instant::now();
    app.network_changed().await;
    until("an answer over another connection", || async {
        let row = host(&app, there).await;
        (row.answered_at > before && row.state == HostState::Idle).then_some(())
    })
    .await;
    assert!(
        begun.elapsed() < Duration::from_secs(15),
        "{:?}",
        begun.elapsed()
    );
    app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i16_two_hundred_hosts_at_once_are_all_called_within_the_caps() {
    const HOSTS: usize = 200;
    // The server itself counts: a sixth connection that has not signed in yet is dropped.
    let mut stage = Stage::with(&SshdOptions {
        config: vec!["MaxStartups 6".to_owned(), "LogLevel VERBOSE".to_owned()],
        ..SshdOptions::default()
    });
    stage.know_server();
    let name = |n: usize| format!("box-{n:03}");
    let text: String = (0..HOSTS)
        .map(|n| stage.sshd.config_text(&name(n)))
        .collect();
    fs::write(stage.ssh_config(), text).unwrap();
    stage.sshd.stop();
    let (app, events) = stage.app().await;
    for n in 0..HOSTS {
        let mut form = server();
        form.destination = name(n);
        app.add_host(form).await.unwrap();
    }
    app.shutdown().await;
    drop((app, events));

    // All of them at the start, with nobody there.
    stage.sshd.restart().unwrap();
    let (app, _events) = stage.app().await;
    let deadline = Instant::now() + Duration::from_mins(2);
    loop {
        let overview = app.overview().await.unwrap();
        let answered = overview
            .hosts
            .iter()
            .filter(|it| it.answered_at.is_some())
            .count();
        if answered == HOSTS + 1 {
            break;
        }
        let trouble = overview
            .hosts
            .iter()
            .find(|it| matches!(it.state, HostState::NeedsYou { .. }));
        assert!(
            trouble.is_none() && Instant::now() < deadline,
            "{answered} {trouble:?}"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let log = stage.sshd.log().unwrap();
    assert!(
        !log.contains("MaxStartups") && !log.contains("drop connection"),
        "{log}"
    );
    app.shutdown().await;
}
