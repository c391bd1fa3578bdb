//! Somebody who works in a folder.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A process whose working directory is a folder. It ends with this value.
#[derive(Debug)]
pub struct Resident(Child);

impl Resident {
    /// A person's.
    ///
    /// # Errors
    /// If there is no `sleep`, or no such folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        Self::with(folder, &[])
    }

    /// One with variables of its own in its environment.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with(folder: &Path, variables: &[(&str, &str)]) -> io::Result<Self> {
        // Whoever waits for the end of what the test prints does not wait for it.
        let mut command = Command::new("sleep");
        command
            .arg("600")
            .envs(variables.iter().copied())
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().map(Self)
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.0.kill().unwrap_or_default();
        self.0.wait().map(drop).unwrap_or_default();
    }
}
