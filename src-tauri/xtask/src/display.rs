//! A display that nobody looks at, with a bus of its own.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::Failed;
use crate::leash::Leash;
use crate::project::{target, undisturbed};

/// Whether a person can see a window.
pub(crate) fn is_there() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// A virtual display. It ends with this value.
pub(crate) struct VirtualDisplay {
    server: Child,
    name: String,
    leash: Leash,
}

impl VirtualDisplay {
    /// Starts one and waits until it takes connections.
    ///
    /// # Errors
    /// If Xvfb cannot be started.
    pub(crate) fn start() -> Result<Self, Failed> {
        let leash = Leash::new()?;
        let mut server = Command::new("Xvfb");
        let mut server = leash
            .on(&mut server)
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1600x1200x24",
                "-nolisten",
                "tcp",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("Xvfb could not be started: {error}."))?;
        // It says its number once it is ready.
        let mut number = String::new();
        let said = server
            .stdout
            .take()
            .map(|output| BufReader::new(output).read_line(&mut number));
        let display = Self {
            server,
            name: format!(":{}", number.trim()),
            leash,
        };
        match said {
            Some(Ok(read)) if read > 0 => {
                // What an earlier window remembered is not there for the next.
                if let Err(error) = fs::remove_dir_all(home())
                    && error.kind() != ErrorKind::NotFound
                {
                    return Err(format!("`{}`: {error}.", home().display()));
                }
                Ok(display)
            }
            _ => Err("Xvfb ended before it was ready.".to_owned()),
        }
    }

    /// A program on this display, on a bus of its own and with folders of its own in place of the person's.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("dbus-run-session");
        command.arg("--").arg(program);
        undisturbed(self.leash.on(&mut command));
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
            command.env(name, home().join(name));
        }
        command
            .env("DISPLAY", &self.name)
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1");
        command
    }
}

impl Drop for VirtualDisplay {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.server.kill().unwrap_or_default();
        self.server.wait().map(drop).unwrap_or_default();
    }
}

fn home() -> PathBuf {
    target().join("window-home")
}
