//! A disk that is full, and a folder that may not be written.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use jiff::Timestamp;
use rollcall_registry::{Registry, RegistryCode};

use crate::{again, as_the_other, is_root, note, place, start};

const FULL: &str = "disk::d1_a_full_disk_is_named_and_costs_nothing_that_was_saved";
const CLOSED: &str = "disk::d1_a_registry_that_may_not_be_written_is_refused_and_left_as_it_is";

#[tokio::test]
async fn d1_a_full_disk_is_named_and_costs_nothing_that_was_saved() {
    if let Some(folder) = as_the_other() {
        fill(&folder).await;
        println!("all is well");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // A disk of its own, in a view of the file system of its own, so that it is gone with the process.
    let inside =
        "mount -t tmpfs -o size=3m tmpfs \"$ROLLCALL_OTHER_PROCESS_FOLDER\" && exec \"$@\"";
    let mut before = vec!["unshare", "--mount"];
    if !is_root() {
        before.push("--map-root-user");
    }
    before.extend(["sh", "-c", inside, "sh"]);
    let program = env::current_exe().unwrap();
    let (_other, lines) = start(again(&before, &program, FULL, folder.path()));
    let said: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(said.iter().any(|line| line == "all is well"), "{said:#?}");
}

async fn fill(folder: &Path) {
    let data = folder.join("data");
    let place = place(&data).await;
    let now = Timestamp::now();
    let filler = folder.join("filler");
    fs::write(&filler, vec![0; 1 << 20]).unwrap();
    let mut saved = String::new();
    let mut full = None;
    for turn in 0..2_000 {
        let text = format!("{turn} {}", "x".repeat(60_000));
        match place
            .registry
            .annotate(place.row, &note(text.as_str()), now)
            .await
        {
            Ok(_) => saved = text,
            Err(error) => {
                full = Some(error);
                break;
            }
        }
    }
    let full = full.unwrap();
    assert_eq!(full.code(), RegistryCode::DiskFull, "{full}");
    assert!(full.to_string().contains("full") && !full.hints().is_empty());
    let row = place.registry.workspace(place.row).await.unwrap().unwrap();
    assert_eq!(row.note, saved);
    // A copy that does not fit leaves nothing that takes more room.
    let error = place.registry.back_up_daily(now).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::DiskFull, "{error}");
    assert_eq!(
        fs::read_dir(data.join("backups")).map_or(0, Iterator::count),
        0
    );
    // Another registry cannot be made, and is not half made.
    let error = Registry::open(&folder.join("second")).await.unwrap_err();
    assert_eq!(error.code(), RegistryCode::DiskFull, "{error}");
    assert!(!folder.join("second/registry.sqlite3").exists());

    // With room again everything goes on.
    fs::remove_file(filler).unwrap();
    place
        .registry
        .annotate(place.row, &note("There is room."), now)
        .await
        .unwrap();
    place.registry.close().await;
    let registry = Registry::open(&data).await.unwrap();
    let row = registry.workspace(place.row).await.unwrap().unwrap();
    assert_eq!(row.note, "There is room.");
    assert!(Registry::open(&folder.join("second")).await.is_ok());
}

#[tokio::test]
async fn d1_a_registry_that_may_not_be_written_is_refused_and_left_as_it_is() {
    if let Some(folder) = as_the_other() {
        let error = Registry::open(&folder).await.unwrap_err();
        assert_eq!(error.code(), RegistryCode::ReadOnly, "{error}");
        assert!(
            error.to_string().contains(folder.to_str().unwrap()),
            "{error}"
        );
        assert!(!error.hints().is_empty());
        println!("all is well");
        return;
    }
    let ground = tempfile::tempdir().unwrap();
    let open_to =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    open_to(ground.path(), 0o755);
    // Whoever it is that may not write has to be able to start this.
    let program = ground.path().join("program");
    fs::copy(env::current_exe().unwrap(), &program).unwrap();
    open_to(&program, 0o755);
    let other_user = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
    ];
    let before: &[&str] = if is_root() { &other_user } else { &[] };

    // A registry that may be read and not written, a folder in which none can be made, and one that is closed.
    for (case, file, mode) in [
        ("file", true, 0o555),
        ("empty", false, 0o555),
        ("closed", true, 0o000),
    ] {
        let folder = ground.path().join(case);
        fs::create_dir(&folder).unwrap();
        if file {
            place(&folder).await.registry.close().await;
            open_to(&folder.join("registry.sqlite3"), 0o444);
            open_to(&folder.join("registry.lock"), 0o444);
        }
        let content = |name: &str| fs::read(folder.join(name)).ok();
        let was = content("registry.sqlite3");
        open_to(&folder, mode);
        let (_other, lines) = start(again(before, &program, CLOSED, &folder));
        let said: Vec<String> = lines.map_while(Result::ok).collect();
        open_to(&folder, 0o755);
        assert!(
            said.iter().any(|line| line == "all is well"),
            "{case}: {said:#?}"
        );
        assert_eq!(content("registry.sqlite3"), was, "{case}");
    }
}
