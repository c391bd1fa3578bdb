//! The real window, driven over WebDriver.

use std::env;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

/// How long anything in the window may take before a test gives up on it.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// From one look to the next.
const GLANCE: Duration = Duration::from_millis(50);

/// Where the window's parts are.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The built shell.
    pub shell: PathBuf,
    /// `tauri-driver`.
    pub driver: PathBuf,
}

impl Paths {
    /// Looks where `cargo xtask` puts them: in the target folder this program was built into.
    pub fn find() -> Self {
        let target = env::current_exe()
            .expect("a running program has a path")
            .ancestors()
            .find(|folder| folder.join("CACHEDIR.TAG").exists())
            .expect("this program lies in a target folder")
            .to_owned();
        Self {
            shell: target.join("debug/rollcall"),
            driver: target.join("tools/bin/tauri-driver"),
        }
    }
}

/// A process with its whole group, ended when dropped.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.0);
        // A group that has ended already is what is wanted.
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        self.0.wait().ok();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// A running window.
pub struct Window {
    client: Client,
    _driver: Group,
}

impl Window {
    /// Starts the application on a data folder and waits until its page is there.
    pub async fn start(paths: &Paths, data: &Path, ssh_config: &Path) -> Self {
        assert!(
            paths.shell.exists(),
            "`{}` is not built; run `cargo xtask test`",
            paths.shell.display()
        );
        assert!(
            paths.driver.exists(),
            "`{}` is missing; run `cargo xtask test`",
            paths.driver.display()
        );
        let (port, native) = (free_port(), free_port());
        let driver = Command::new(&paths.driver)
            .args([
                "--port",
                &port.to_string(),
                "--native-port",
                &native.to_string(),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("tauri-driver should start");
        let driver = Group(driver);
        let options = json!({
            "application": paths.shell,
            "args": ["--data", data, "--ssh-config", ssh_config],
        });
        let capabilities = json!({ "tauri:options": options });
        let Value::Object(capabilities) = capabilities else {
            unreachable!("an object was written")
        };
        let url = format!("http://127.0.0.1:{port}");
        let deadline = Instant::now() + PATIENCE;
        let client = loop {
            let session = ClientBuilder::new(HttpConnector::new())
                .capabilities(capabilities.clone())
                .connect(&url)
                .await;
            match session {
                Ok(client) => break client,
                // The driver has not opened its port yet.
                Err(error) if Instant::now() < deadline => {
                    drop(error);
                    sleep(GLANCE).await;
                }
                Err(error) => panic!("the window did not start: {error}"),
            }
        };
        let window = Self {
            client,
            _driver: driver,
        };
        window
            .until(
                "the page",
                "return document.querySelector('#root')?.childElementCount > 0",
            )
            .await;
        window
    }

    /// Closes the window as a person does, and waits until the application has ended.
    pub async fn close(self) {
        self.client
            .clone()
            .close()
            .await
            .expect("the session should close");
    }

    /// Runs a script in the page.
    pub async fn script(&self, script: &str) -> Value {
        self.client
            .execute(script, Vec::new())
            .await
            .unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until a script of the page gives something true, and gives it.
    pub async fn until(&self, what: &str, script: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let value = self.client.execute(script, Vec::new()).await;
            match value {
                Ok(value) if !matches!(value, Value::Null | Value::Bool(false)) => return value,
                _ if Instant::now() < deadline => sleep(GLANCE).await,
                other => panic!("{what} did not come: {other:?}\n{}", self.text().await),
            }
        }
    }

    /// Everything the page shows, as text.
    pub async fn text(&self) -> String {
        self.script("return document.body.innerText")
            .await
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Waits until the page shows a text.
    pub async fn shows(&self, text: &str) {
        let wanted = json!(text);
        self.until(
            &format!("`{text}`"),
            &format!("return document.body.innerText.includes({wanted})"),
        )
        .await;
    }

    /// Waits for an element by XPath.
    pub async fn find(&self, xpath: &str) -> Element {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.client.find(Locator::XPath(xpath)).await {
                Ok(element) if element.is_displayed().await.unwrap_or(false) => return element,
                _ if Instant::now() < deadline => sleep(GLANCE).await,
                _ => panic!("`{xpath}` is not shown:\n{}", self.text().await),
            }
        }
    }

    /// Presses the button with an accessible name.
    pub async fn press(&self, name: &str) {
        let button = format!(
            "//*[self::button or @role='button' or @role='menuitem' or @role='switch'][@aria-label='{name}' \
             or normalize-space(.)='{name}']"
        );
        let deadline = Instant::now() + PATIENCE;
        loop {
            // What covers a button, or moves it, passes.
            match self.find(&button).await.click().await {
                Ok(()) => return,
                Err(_) if Instant::now() < deadline => sleep(GLANCE).await,
                Err(error) => panic!("`{name}` cannot be pressed: {error}"),
            }
        }
    }

    /// Writes into the field with an accessible name, in place of what is there.
    pub async fn write(&self, label: &str, text: &str) {
        let field = format!(
            "//*[self::input or self::textarea][@aria-label='{label}' \
             or @id=//label[normalize-space(.)='{label}']/@for \
             or ancestor::label[starts-with(normalize-space(.), '{label}')]]"
        );
        let field = self.find(&field).await;
        field.click().await.unwrap();
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Makes the page so large, in CSS pixels.
    pub async fn resize(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).await.unwrap();
        self.until(
            "the new size",
            &format!("return innerWidth === {width} && innerHeight === {height}"),
        )
        .await;
    }

    /// Takes a picture of the page.
    pub async fn picture(&self) -> Vec<u8> {
        self.client.screenshot().await.unwrap()
    }
}
