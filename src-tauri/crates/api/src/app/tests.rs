use rollcall_supervise::Ports as _;
use rollcall_testkit::repo::Playground;

use super::hosts::target;
use super::*;
use crate::wire::{NewHost, Preferences};

fn new(destination: &str) -> NewHost {
    NewHost {
        destination: destination.to_owned(),
        ..NewHost::default()
    }
}

#[test]
fn a_user_may_stand_before_the_destination() {
    let it = target(&new(" ada@build-box "));
    assert_eq!(it.destination, "build-box");
    assert_eq!(it.user.as_deref(), Some("ada"));
    let user = Some("grace".to_owned());
    let it = target(&NewHost {
        user,
        ..new("ada@build-box")
    });
    assert_eq!(
        it.user.as_deref(),
        Some("grace"),
        "what is entered as the user comes first"
    );
}

#[tokio::test]
async fn b10_a_destination_that_looks_like_an_option_or_holds_a_space_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::new(folder.path().to_owned());
    let (app, _events) = App::open(settings, Handle::current()).await.unwrap();
    let no_port = NewHost {
        port: Some(0),
        ..new("box")
    };
    let bad = [
        "",
        "  ",
        "-oProxyCommand=id",
        "a b",
        "a\nb",
        "ada@",
        "ada@-x",
        "-x@box",
        "@box",
    ];
    for host in bad.iter().map(|it| new(it)).chain([no_port]) {
        let error = app.add_host(host.clone()).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput, "{host:?}");
        assert!(!error.hints.is_empty());
    }
    assert_eq!(app.overview().await.unwrap().hosts.len(), 1);
    app.shutdown().await;
}

/// An application on an empty folder.
async fn opened(folder: &std::path::Path) -> (App, Events) {
    let settings = Settings::new(folder.to_owned());
    App::open(settings, Handle::current()).await.unwrap()
}

#[tokio::test]
async fn annotations_leave_as_a_file_that_is_never_overwritten_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let (app, _events) = opened(&folder.path().join("data")).await;
    let file = folder.path().join("mine.json");
    let named = file.to_str().unwrap().to_owned();
    for bad in ["", "mine.json", "/", "~"] {
        let error = app
            .export_annotations(bad.to_owned(), true)
            .await
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput, "{bad}");
    }
    let written = app.export_annotations(named.clone(), false).await.unwrap();
    assert_eq!(written, named);
    std::fs::write(&file, "mine").unwrap();
    let error = app
        .export_annotations(named.clone(), false)
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::FileExists);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    app.export_annotations(named.clone(), true).await.unwrap();
    let report = app
        .import_annotations(named, ImportMode::Merge, false)
        .await
        .unwrap();
    assert_eq!((report.changed, report.unknown), (0, 0));
    // Nothing half written lies beside it, and only its owner may read what somebody wrote.
    let entries: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(entries.len(), 2, "{entries:?}");
    let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    app.shutdown().await;
}

#[tokio::test]
async fn the_file_of_the_registry_is_nobodys_once_the_application_is_shut_down() {
    let folder = tempfile::tempdir().unwrap();
    let (app, _events) = opened(folder.path()).await;
    // SQLite takes its log away when the last of all connections is closed, and not before.
    let log = folder.path().join("registry.sqlite3-wal");
    assert!(log.exists());
    app.shutdown().await;
    assert!(!log.exists());
    assert!(app.overview().await.is_err());
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (app, _events) = opened(&folder.path().join("data")).await;
    let inside = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(folder.path().join("plain"), "no annotations").unwrap();
    for (name, code) in [
        ("nowhere.json", ErrorCode::PathNotFound),
        ("plain", ErrorCode::InvalidInput),
        ("plain/inside.json", ErrorCode::FileUnusable),
        ("data", ErrorCode::FileUnusable),
    ] {
        let error = app
            .import_annotations(inside(name), ImportMode::Replace, true)
            .await
            .unwrap_err();
        assert_eq!(error.code, code, "{name}: {error}");
        assert!(!error.hints.is_empty(), "{name}");
    }
    let error = app
        .export_annotations(inside("no/folder.json"), false)
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::PathNotFound);
    app.shutdown().await;
}

#[tokio::test]
async fn rd05_a_registry_that_cannot_be_opened_is_opened_again_once_it_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_owned();
    std::fs::write(data.join("registry.sqlite3"), "").unwrap();
    let settings = Settings {
        folder: data.clone(),
        ssh_config: None,
        ..Settings::new(folder.path().to_owned())
    };
    let application = crate::Application::start(settings, Handle::current(), |_| {}).await;
    let damaged = |error: ApiError| error.code == ErrorCode::RegistryDamaged;
    assert!(application.app().is_err_and(damaged));
    assert!(application.reopen().await.is_err_and(damaged));
    assert_eq!(application.backups().await.unwrap(), []);
    let error = application
        .restore_backup("registry-1-schema-1.sqlite3".to_owned())
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    application.start_anew().await.unwrap();
    let app = application.app().unwrap();
    assert_eq!(app.overview().await.unwrap().hosts.len(), 1);
    // What is open is never replaced.
    for refused in [
        application.start_anew().await,
        application.restore_backup(String::new()).await,
    ] {
        assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidInput);
    }
    application.reopen().await.unwrap();
    app.shutdown().await;
}

#[tokio::test]
async fn nothing_is_looked_at_closely_by_itself_while_a_person_wants_none_of_that() {
    let play = Playground::new().unwrap();
    let clean = play.repo("clean").unwrap();
    let (app, _events) = opened(&play.at("data")).await;
    let here = app.local_host().await.unwrap();
    let path = clean.path().to_str().unwrap().to_owned();
    app.register(here.into(), path).await.unwrap();
    app.wiring
        .roll_call(here, rollcall_converge::Tier::Facts, Caller::Person)
        .await
        .unwrap();
    let looked_at = async || {
        let rows = app.registry.workspaces().await.unwrap();
        let seen = app.registry.seen(&rows[0]).await.unwrap();
        seen.look.is_some()
    };
    for looks in [false, true] {
        let preferences = Preferences {
            looks,
            ..Preferences::default()
        };
        app.set_preferences(preferences).await.unwrap();
        app.wiring.idle(here).await;
        assert_eq!(looked_at().await, looks);
    }
    app.shutdown().await;
}
