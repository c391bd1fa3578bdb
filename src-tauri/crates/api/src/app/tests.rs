use super::*;

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
    let settings = Settings {
        folder: folder.path().to_owned(),
        ssh_config: None,
    };
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
