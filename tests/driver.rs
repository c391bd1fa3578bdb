//! The real window, driven over WebDriver.

use std::env;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::actions::{
    InputSource as _, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::PATIENCE;
use crate::stage::text;

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
        // A program that was built to be fast measures a window that was.
        let profile = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        Self {
            shell: target.join(profile).join("rollcall"),
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

/// A key by its name, as WebDriver writes it.
fn key_code(name: &str) -> char {
    match name {
        "Ctrl" => '\u{E009}',
        "Shift" => '\u{E008}',
        "Alt" => '\u{E00A}',
        "Enter" => '\u{E007}',
        "Escape" => '\u{E00C}',
        "Tab" => '\u{E004}',
        "ArrowUp" => '\u{E013}',
        "ArrowDown" => '\u{E015}',
        "ArrowLeft" => '\u{E012}',
        "ArrowRight" => '\u{E014}',
        "Home" => '\u{E011}',
        "Delete" => '\u{E017}',
        "F1" => '\u{E031}',
        "F10" => '\u{E03A}',
        "F6" => '\u{E036}',
        "Space" => ' ',
        _ => {
            let mut letters = name.chars();
            let (Some(letter), None) = (letters.next(), letters.next()) else {
                panic!("`{name}` is no key");
            };
            letter
        }
    }
}

/// The middle of an element, in CSS pixels of the page.
async fn middle(element: &Element) -> (f64, f64) {
    let (x, y, width, height) = element.rectangle().await.unwrap();
    (x + width / 2.0, y + height / 2.0)
}

/// A running window.
pub struct Window {
    client: Client,
    _driver: Group,
}

impl Window {
    /// Starts the application with a command line and waits until its page is there.
    pub async fn start(paths: &Paths, arguments: &[String]) -> Self {
        Self::start_with(paths, arguments, &[]).await
    }

    /// As [`Window::start`], with variables of the environment in place of those of the tests.
    pub async fn start_with(
        paths: &Paths,
        arguments: &[String],
        variables: &[(&str, &Path)],
    ) -> Self {
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
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("tauri-driver should start");
        let driver = Group(driver);
        let options = json!({
            "application": paths.shell,
            "args": arguments,
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

    /// Ends the session, and with it the application.
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

    /// Runs a script in the page that answers later, by calling its last argument.
    pub async fn script_later(&self, script: &str) -> Value {
        self.client
            .execute_async(script, Vec::new())
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
             or normalize-space(.)='{name}' or text()[normalize-space(.)='{name}']]"
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

    /// Presses what has a role and a text, such as an entry of a menu that is one of several.
    pub async fn press_role(&self, role: &str, name: &str) {
        let wanted = format!("//*[@role='{role}'][normalize-space(.)='{name}']");
        self.find(&wanted).await.click().await.unwrap();
    }

    /// Presses the first button or choice below `within` whose text has a part.
    pub async fn press_part(&self, within: &str, part: &str) {
        let wanted = format!(
            "{within}//*[self::button or self::label][contains(normalize-space(.), '{part}')]"
        );
        self.find(&wanted).await.click().await.unwrap();
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
        // As a person does it; what WebDriver clears, the page does not hear of.
        self.keys(&["Ctrl+a"]).await;
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

    /// Waits until the list is there and no host is being called.
    pub async fn settled(&self) {
        self.until(
            "the answers of all hosts",
            "return document.querySelector('[data-testid^=host-]') \
             && !document.querySelector('[data-testid^=host-][data-state=calling]')",
        )
        .await;
    }

    /// Waits for the row of a workspace.
    pub async fn row(&self, name: &str) -> Element {
        self.find(&format!(
            "//*[@data-testid='workspace'][@data-name='{name}']"
        ))
        .await
    }

    /// Selects the row of a workspace, and gives its facts once the inspector shows it.
    pub async fn select(&self, name: &str) -> Value {
        self.row(name).await.click().await.unwrap();
        self.facts(name).await
    }

    /// The note in the inspector.
    pub async fn note(&self) -> Value {
        self.script("return document.querySelector('textarea[aria-label=Note]').value")
            .await
    }

    /// Enters a path into the open dialog that registers one.
    pub async fn register(&self, path: &Path) {
        self.write("Path", &text(path)).await;
        self.press("Register").await;
    }

    /// Has the chosen workspace, which nobody looked into before, shown, looked at and measured.
    pub async fn look_into(&self) {
        self.press("Show").await;
        self.shows("Last commits").await;
        self.press("Look closer").await;
        self.shows("In use by").await;
        self.press_part("//aside", "Measure").await;
        self.shows("measured ").await;
    }

    /// Has the open dialog that registers a path search below it.
    pub async fn search_in(&self, path: &Path) {
        self.write("Path", &text(path)).await;
        self.press("Search in it…").await;
        self.press("Search").await;
        self.shows("repositories in").await;
    }

    /// Shows the page light or dark, whatever the desktop prefers.
    pub async fn theme(&self, theme: &str) {
        self.script(&format!(
            "document.documentElement.dataset.theme = '{theme}'"
        ))
        .await;
    }

    /// Looks at a place of the side bar.
    pub async fn go(&self, place: &str) {
        let button = format!("//nav//button[starts-with(normalize-space(.), '{place}')]");
        self.find(&button).await.click().await.unwrap();
    }

    /// Presses keys one after another, such as `Ctrl+K`, `Shift+ArrowDown` or `a`, wherever the focus is.
    pub async fn keys(&self, keys: &[&str]) {
        for key in keys {
            let parts: Vec<char> = key.split('+').map(key_code).collect();
            let down = parts.iter().map(|value| KeyAction::Down { value: *value });
            let up = parts
                .iter()
                .rev()
                .map(|value| KeyAction::Up { value: *value });
            let actions = down
                .chain(up)
                .fold(KeyActions::new("keys".to_owned()), KeyActions::then);
            self.client.perform_actions(actions).await.unwrap();
        }
    }

    /// Types a text wherever the focus is, key by key.
    pub async fn type_text(&self, text: &str) {
        let actions = text
            .chars()
            .flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }])
            .fold(KeyActions::new("keys".to_owned()), KeyActions::then);
        self.client.perform_actions(actions).await.unwrap();
    }

    /// Takes something up with the pointer and holds it over something else.
    pub async fn hold(&self, from: &Element, over: &Element) {
        let ((x, y), (to_x, to_y)) = (middle(from).await, middle(over).await);
        let at = |x, y, milliseconds| PointerAction::MoveTo {
            duration: Some(Duration::from_millis(milliseconds)),
            x,
            y,
        };
        let actions = MouseActions::new("mouse".to_owned())
            .then(at(x, y, 0))
            .then(PointerAction::Down {
                button: MOUSE_BUTTON_LEFT,
            })
            .then(at(x + 12.0, y + 6.0, 40))
            .then(at(to_x - 4.0, to_y, 80))
            .then(at(to_x, to_y, 40));
        self.client.perform_actions(actions).await.unwrap();
    }

    /// Lets go what the pointer holds.
    pub async fn let_go(&self) {
        let actions = MouseActions::new("mouse".to_owned()).then(PointerAction::Up {
            button: MOUSE_BUTTON_LEFT,
        });
        self.client.perform_actions(actions).await.unwrap();
    }

    /// A place of the side bar.
    pub async fn place(&self, name: &str) -> Element {
        self.find(&format!("//*[@data-testid='place-{name}']"))
            .await
    }

    /// Presses the Escape key wherever the focus is.
    pub async fn escape(&self) {
        self.client
            .active_element()
            .await
            .unwrap()
            .send_keys("\u{E00C}")
            .await
            .unwrap();
    }

    /// Chooses an option of the list with an accessible name.
    pub async fn choose(&self, label: &str, option: &str) {
        let option = format!(
            "//select[@aria-label='{label}' or @id=//label[normalize-space(.)='{label}']/@for]\
             /option[normalize-space(.)='{option}']"
        );
        self.find(&option).await.click().await.unwrap();
    }

    /// The facts of the inspector by their names, once it shows a workspace with that name.
    pub async fn facts(&self, name: &str) -> Value {
        let wanted = json!(name);
        let script = format!(
            "const aside = document.querySelector('aside[aria-label=Inspector]'); \
             if (aside?.querySelector('h2')?.textContent !== {wanted}) return null; \
             const facts = [...aside.querySelectorAll('dt')].map((dt) => [dt.textContent, dt.nextElementSibling.textContent]); \
             return facts.length > 0 && Object.fromEntries(facts)"
        );
        self.until(&format!("the facts of `{name}`"), &script).await
    }

    /// The names of all rows that the page holds.
    pub async fn names(&self) -> Vec<String> {
        let names = self
            .script("return [...document.querySelectorAll('[data-testid=workspace]')].map((row) => row.dataset.name)")
            .await;
        serde_json::from_value(names).unwrap()
    }

    /// Waits until a host is in a state.
    pub async fn host_is(&self, label: &str, state: &str) {
        let script = format!(
            "return document.querySelector('[data-testid=\"host-{label}\"][data-state={state}]') !== null"
        );
        self.until(&format!("`{label}` {state}"), &script).await;
    }

    /// Takes a picture of the page, once it has painted what it knows.
    pub async fn picture(&self) -> Vec<u8> {
        let painted = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))";
        self.script_later(painted).await;
        self.client.screenshot().await.unwrap()
    }
}
