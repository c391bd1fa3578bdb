//! The application is killed while its host carries out a deletion. The other process of the test is the application.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rollcall_api::wire::BranchFate;
use rollcall_api::{App, Settings};
use rollcall_testkit::repo::Playground;
use rollcall_testkit::sshd::SshdOptions;
use rollcall_tests::stage::{Stage, row, settled, until};
use tokio::runtime::Handle;

use crate::deleting::{checked, enrolled, form, full, gone, trash};

/// Tells the other process where its data is, where its ssh configuration is, and what to delete.
const TOLD: [&str; 3] = [
    "ROLLCALL_OTHER_DATA",
    "ROLLCALL_OTHER_SSH_CONFIG",
    "ROLLCALL_OTHER_DELETES",
];

/// Killed when it is dropped.
struct Other(Child);

impl Other {
    fn kill(&mut self) {
        self.0.kill().unwrap_or_default();
        self.0.wait().map(drop).unwrap_or_default();
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What the other process does until it is killed.
async fn delete_and_wait([data, config, name]: [String; 3]) {
    let mut settings = Settings::new(PathBuf::from(data));
    settings.ssh_config = Some(PathBuf::from(config));
    let (app, _events) = App::open(settings, Handle::current()).await.unwrap();
    settled(&app).await;
    let shown = checked(&app, row(&app, &name).await.id).await;
    let mut form = form(&shown);
    form.branch = BranchFate::Delete;
    app.delete(vec![form]).await.unwrap();
    std::future::pending::<()>().await;
}

/// A git for the server that stops once, where its arguments have what a file says, until another file is gone. Of several
/// lines, each but the last one has to come by first.
fn gate(stage: &Path, real: &str) -> PathBuf {
    let folder = stage.join("gate");
    fs::create_dir(&folder).unwrap();
    let program = folder.join("git");
    let at = folder.display();
    let script = format!(
        "#!/bin/sh\nif [ -f '{at}/wanted' ]; then\n  read -r wanted <'{at}/wanted'\n  case \" $* \" in\n  *\"$wanted\"*)\n    \
         sed 1d '{at}/wanted' >'{at}/left'\n    if [ -s '{at}/left' ]; then\n      mv '{at}/left' '{at}/wanted'\n    \
         elif mv '{at}/wanted' '{at}/reached' 2>/dev/null; then\n      while [ -e '{at}/reached' ]; do sleep 0.02; done\n    fi\n    ;;\n  \
         esac\nfi\nexec {real} \"$@\"\n"
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[tokio::test]
async fn c10_e9_the_application_is_killed_between_two_steps_and_nothing_is_lost() {
    let told = TOLD.map(|it| env::var(it).unwrap_or_default());
    if !told[0].is_empty() {
        return delete_and_wait(told).await;
    }
    let real = Command::new("sh").args(["-c", "command -v git"]).output();
    let real = String::from_utf8(real.unwrap().stdout).unwrap();
    let gates = Playground::new().unwrap();
    let folder = gate(gates.path(), real.trim());
    let path = format!("{}:{}", folder.display(), env::var("PATH").unwrap());
    let stage = Stage::with(&SshdOptions {
        config: vec![format!("SetEnv PATH={path}")],
        ..SshdOptions::default()
    });
    let quay = stage.play.repo("srv/quay").unwrap();
    let steps = [
        // Something that is asked before anything is done.
        ("guards", "config --get-regexp remote"),
        ("refs", "update-ref --stdin"),
        ("detach", "update-ref --no-deref HEAD"),
        ("move", "worktree move"),
        ("lock", "worktree lock"),
        ("branch", "update-ref --no-deref -d refs/heads/"),
        // It is all done, and the roll call that is to confirm it has begun.
        (
            "confirm",
            "update-ref --no-deref -d refs/heads/\nworktree list",
        ),
    ];
    for (name, _) in steps {
        full(&quay, name);
    }
    let (app, events, there) = enrolled(&stage).await;
    app.shutdown().await;
    drop((app, events));

    for (name, wanted) in steps {
        let tree = stage.play.at(format!("srv/{name}"));
        let tip = quay.line(["rev-parse", name]).unwrap();
        let mut other = Other(
            Command::new(env::current_exe().unwrap())
                .args([
                    "--exact",
                    "killed::c10_e9_the_application_is_killed_between_two_steps_and_nothing_is_lost",
                    "--nocapture",
                ])
                .env(TOLD[0], stage.data())
                .env(TOLD[1], stage.ssh_config())
                .env(TOLD[2], name)
                .stdout(Stdio::null())
                .spawn()
                .unwrap(),
        );
        let reached = folder.join("reached");
        fs::write(folder.join("wanted"), wanted).unwrap();
        until("the step", || async { reached.exists().then_some(()) }).await;
        other.kill();
        fs::remove_file(&reached).unwrap();

        let (app, events) = stage.app().await;
        settled(&app).await;
        gone(&app, name).await;
        assert!(!tree.exists(), "{name}");
        let resting = trash(&app).await;
        let it = resting.iter().find(|it| it.name == name).unwrap();
        assert!(it.whole && it.branch_gone, "{it:?}");
        app.restore(there, it.id.clone(), None).await.unwrap();
        assert_eq!(
            fs::read_to_string(tree.join("unknown")).unwrap(),
            "nobody knows\n"
        );
        assert_eq!(quay.line(["rev-parse", name]).unwrap(), tip, "{name}");
        let back = stage.play.existing(format!("srv/{name}"));
        assert_eq!(back.line(["status", "--porcelain"]).unwrap(), "?? unknown");
        assert_eq!(
            back.line(["symbolic-ref", "HEAD"]).unwrap(),
            format!("refs/heads/{name}")
        );
        app.shutdown().await;
        drop((app, events));
    }
    quay.git(["fsck", "--strict"]).unwrap();
}
