//! Input that cannot be: a clear error, and nothing lost.

use std::fs;

use rollcall_api::wire::{AnnotationPatch, HostRef};
use rollcall_api::{ApiError, App, ErrorCode, Settings};
use rollcall_tests::stage::{Bench, local, rows, settled, text};
use tokio::runtime::Handle;

/// An error a person can act on: it names the thing and says what to try.
fn clear(error: &ApiError, names: &str) {
    assert!(error.message.contains(names), "{error:?}");
    assert!(!error.hints.is_empty(), "{error:?}");
}

/// Tries to register a path, and checks that nothing came of it.
async fn refused(app: &App, host: HostRef, path: &str) -> ApiError {
    let (roots, before) = (app.overview().await.unwrap().roots, rows(app).await);
    let error = app.register(host, path.to_owned()).await.unwrap_err();
    assert_eq!(app.overview().await.unwrap().roots, roots);
    assert_eq!(rows(app).await, before);
    error
}

#[tokio::test]
async fn paths_that_cannot_be_registered_are_refused_by_name() {
    let bench = Bench::new();
    let harbor = bench.play.repo("code/harbor").unwrap();
    let (app, _events) = bench.app().await;
    let here = local(&app).await;
    app.register(here, text(harbor.path())).await.unwrap();
    settled(&app).await;

    let none = text(&bench.play.at("none"));
    let error = refused(&app, here, &none).await;
    assert_eq!(error.code, ErrorCode::PathNotFound);
    clear(&error, &none);

    let file = text(&harbor.path().join("file"));
    let error = refused(&app, here, &file).await;
    assert_eq!(error.code, ErrorCode::NotAFolder);
    clear(&error, &file);

    for relative in ["code", "./code", ""] {
        let error = refused(&app, here, relative).await;
        assert_eq!(error.code, ErrorCode::InvalidInput);
        clear(&error, relative);
    }
    app.shutdown().await;
}

#[tokio::test]
async fn a_folder_registered_twice_stays_one_root_whatever_its_spelling() {
    let bench = Bench::new();
    let harbor = bench.play.repo("code/harbor").unwrap();
    let link = bench.play.at("link");
    std::os::unix::fs::symlink(harbor.path(), &link).unwrap();
    let (app, _events) = bench.app().await;
    let here = local(&app).await;
    let path = harbor.path().to_str().unwrap();
    let first = app.register(here, path.to_owned()).await.unwrap();
    for again in [
        path.to_owned(),
        format!("{path}/"),
        format!("{path}/../harbor"),
        text(&link),
    ] {
        let second = app.register(here, again.clone()).await.unwrap();
        assert!(second.already, "{again}");
        assert_eq!(second.root.id, first.root.id, "{again}");
    }
    assert_eq!(app.overview().await.unwrap().roots.len(), 1);
    settled(&app).await;
    assert_eq!(rows(&app).await.len(), 1);
    app.shutdown().await;
}

#[tokio::test]
async fn d1_a_registry_made_by_a_newer_version_is_refused_and_left_as_it_is() {
    let newer = include_bytes!("newer.sqlite3");
    let bench = Bench::new();
    let folder = bench.play.at("data");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("registry.sqlite3");
    fs::write(&file, newer).unwrap();
    let settings = Settings::new(folder);
    let Err(error) = App::open(settings, Handle::current()).await else {
        panic!("it was opened");
    };
    assert_eq!(error.code, ErrorCode::RegistryNewer);
    clear(&error, "registry.sqlite3");
    assert_eq!(fs::read(&file).unwrap(), newer);
}

#[tokio::test]
async fn what_is_gone_from_the_registry_is_said_to_be() {
    let bench = Bench::new();
    let harbor = bench.play.repo("code/harbor").unwrap();
    let (app, _events) = bench.app().await;
    let here = local(&app).await;
    let root = app
        .register(here, text(harbor.path()))
        .await
        .unwrap()
        .root
        .id;
    settled(&app).await;
    let id = rows(&app).await[0].id;
    app.release_root(root, true).await.unwrap();
    assert!(rows(&app).await.is_empty());
    assert_eq!(
        app.workspace(id).await.unwrap_err().code,
        ErrorCode::NotFound
    );
    assert_eq!(
        app.untrack_all(vec![id]).await.unwrap_err().code,
        ErrorCode::NotFound
    );
    assert_eq!(
        app.annotate(id, AnnotationPatch::default())
            .await
            .unwrap_err()
            .code,
        ErrorCode::NotFound
    );
    assert_eq!(
        app.release_root(root, true).await.unwrap_err().code,
        ErrorCode::NotFound
    );
    assert_eq!(
        app.forget_host(here).await.unwrap_err().code,
        ErrorCode::InvalidInput
    );
    app.shutdown().await;
}
