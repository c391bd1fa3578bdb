//! Folders dropped from a file manager: a real drop of the X protocol, from a client of our own.
//! The messages are those of the XDND specification, version 5.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rollcall_tests::PATIENCE;
use rollcall_tests::stage::{Stage, text};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, MapState,
    PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent,
    Window as XWindow, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

#[tokio::test]
async fn a_folder_dropped_on_the_window_is_registered() {
    let stage = Stage::new();
    let harbor = stage.play.repo("code/harbor and quay ü").unwrap();
    harbor.worktree("code/harbor-tree", "tree").unwrap();
    let window = super::window(&stage).await;
    window.shows("Nothing is under roll call yet").await;

    let path = harbor.path().to_owned();
    tokio::task::spawn_blocking(move || drop_onto_window(&[path]))
        .await
        .unwrap();
    window.row("harbor and quay ü").await;
    window.row("harbor-tree").await;

    // What cannot be registered is answered by itself, and the rest is.
    let (none, quay) = (
        stage.play.at("code/none"),
        stage.play.repo("code/quay").unwrap(),
    );
    let paths = [none.clone(), quay.path().to_owned()];
    tokio::task::spawn_blocking(move || drop_onto_window(&paths))
        .await
        .unwrap();
    window.shows("Some folders were not registered").await;
    window.shows(&text(&none)).await;
    window.press("Close").await;
    window.row("quay").await;
    window.close().await;
}

/// Someone who drags paths.
struct Source {
    connection: RustConnection,
    window: XWindow,
    target: XWindow,
    uris: Vec<u8>,
}

fn drop_onto_window(paths: &[PathBuf]) {
    let (connection, screen) = x11rb::connect(None).unwrap();
    let root = connection
        .setup()
        .roots
        .get(screen)
        .expect("the screen exists")
        .root;
    let window = connection.generate_id().unwrap();
    let look = CreateWindowAux::new().override_redirect(1);
    connection
        .create_window(
            0,
            window,
            root,
            -10,
            -10,
            1,
            1,
            0,
            WindowClass::INPUT_ONLY,
            0,
            &look,
        )
        .unwrap();
    let target = aware(&connection, root);
    let uris = paths
        .iter()
        .map(|path| uri(path))
        .collect::<String>()
        .into_bytes();
    let source = Source {
        connection,
        window,
        target,
        uris,
    };
    let connection = &source.connection;
    connection
        .set_selection_owner(window, source.atom("XdndSelection"), x11rb::CURRENT_TIME)
        .unwrap();

    let place = connection.get_geometry(target).unwrap().reply().unwrap();
    let at = connection
        .translate_coordinates(
            target,
            root,
            i16::try_from(place.width / 2).unwrap(),
            i16::try_from(place.height / 2).unwrap(),
        )
        .unwrap()
        .reply()
        .unwrap();
    let at = (u32::try_from(at.dst_x).unwrap() << 16) | u32::try_from(at.dst_y).unwrap();
    let deadline = Instant::now() + PATIENCE;
    source.send("XdndEnter", [5 << 24, source.atom("text/uri-list"), 0, 0]);
    let mut asked = None::<Instant>;
    loop {
        // The target may first want to see what is dragged; it is asked again until it takes it.
        if asked.is_none_or(|asked| asked.elapsed() > Duration::from_millis(100)) {
            source.send(
                "XdndPosition",
                [0, at, x11rb::CURRENT_TIME, source.atom("XdndActionCopy")],
            );
            asked = Some(Instant::now());
        }
        if let Some(message) = source.heard("XdndStatus", deadline)
            && message[1] & 1 == 1
        {
            break;
        }
    }
    source.send("XdndDrop", [0, x11rb::CURRENT_TIME, 0, 0]);
    while source.heard("XdndFinished", deadline).is_none() {}
}

/// The window that takes drops and can be seen: there is only one application on the display of the test.
fn aware(connection: &RustConnection, root: XWindow) -> XWindow {
    let property = connection
        .intern_atom(false, b"XdndAware")
        .unwrap()
        .reply()
        .unwrap()
        .atom;
    let takes = |window: XWindow| {
        let place = connection.get_geometry(window).unwrap().reply();
        let shown = connection.get_window_attributes(window).unwrap().reply();
        let value = connection
            .get_property(false, window, property, AtomEnum::ANY, 0, 1)
            .unwrap();
        place.is_ok_and(|place| place.width > 1 && place.height > 1)
            && shown.is_ok_and(|shown| shown.map_state == MapState::VIEWABLE)
            && value.reply().is_ok_and(|value| value.type_ != x11rb::NONE)
    };
    let mut windows = vec![root];
    while let Some(window) = windows.pop() {
        if takes(window) {
            return window;
        }
        let tree = connection.query_tree(window).unwrap().reply();
        windows.extend(tree.map(|tree| tree.children).unwrap_or_default());
    }
    unreachable!("the application takes drops")
}

fn uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes().iter();
    let escaped: String = bytes
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' => {
                char::from(*byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("file://{escaped}\r\n")
}

impl Source {
    fn atom(&self, name: &str) -> Atom {
        self.connection
            .intern_atom(false, name.as_bytes())
            .unwrap()
            .reply()
            .unwrap()
            .atom
    }

    fn send(&self, kind: &str, rest: [u32; 4]) {
        let data = [self.window, rest[0], rest[1], rest[2], rest[3]];
        let message = ClientMessageEvent::new(32, self.target, self.atom(kind), data);
        self.connection
            .send_event(false, self.target, EventMask::NO_EVENT, message)
            .unwrap();
        self.connection.flush().unwrap();
    }

    /// The next message of a kind, if one is there; what is dragged is handed out meanwhile.
    fn heard(&self, kind: &str, deadline: Instant) -> Option<[u32; 5]> {
        assert!(Instant::now() < deadline, "the window never sent {kind}");
        let kind = self.atom(kind);
        match self.connection.poll_for_event().unwrap() {
            Some(Event::ClientMessage(message)) if message.type_ == kind => {
                Some(message.data.as_data32())
            }
            Some(Event::SelectionRequest(request)) => {
                self.answer(request);
                None
            }
            Some(_) => None,
            None => {
                std::thread::sleep(Duration::from_millis(5));
                None
            }
        }
    }

    fn answer(&self, request: SelectionRequestEvent) {
        let connection = &self.connection;
        connection
            .change_property8(
                PropMode::REPLACE,
                request.requestor,
                request.property,
                request.target,
                &self.uris,
            )
            .unwrap();
        let notice = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: request.property,
        };
        connection
            .send_event(false, request.requestor, EventMask::NO_EVENT, notice)
            .unwrap();
        connection.flush().unwrap();
    }
}
