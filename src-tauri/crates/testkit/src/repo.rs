//! Real git repositories in temporary folders, whatever the machine's own git configuration says.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder for repositories that is removed with this value, and the isolated git that works in it.
#[derive(Debug)]
pub struct Playground {
    folder: TempDir,
    root: PathBuf,
}

impl Playground {
    /// An empty one, below the system's folder for temporary files.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("rollcall-").tempdir()?;
        let root = folder.path().canonicalize()?;
        fs::create_dir(root.join("home"))?;
        Ok(Self { folder, root })
    }

    /// Its canonical path.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// A path in it.
    pub fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// A git command with an identity of its own that reads no configuration but the repository's.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(folder)
            .env("HOME", self.root.join("home"))
            .env("XDG_CONFIG_HOME", self.root.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "Ada Author")
            .env("GIT_AUTHOR_EMAIL", "ada@example.org")
            .env("GIT_COMMITTER_NAME", "Cy Committer")
            .env("GIT_COMMITTER_EMAIL", "cy@example.org")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        command
    }

    /// Runs git in a folder; a failing git is an error with its words.
    ///
    /// # Errors
    /// If git cannot be run or fails.
    pub fn git<I, S>(&self, folder: &Path, arguments: I) -> io::Result<Output>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let output = self.command(folder).args(arguments).output()?;
        if output.status.success() {
            return Ok(output);
        }
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(io::Error::other(format!(
            "git in {}: {words}",
            folder.display()
        )))
    }

    /// A new repository on branch `main` with one commit of one file, `file`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn repo(&self, name: impl AsRef<Path>) -> io::Result<Repo<'_>> {
        let repo = self.empty_repo(name)?;
        repo.commit("file", "one\n", "First commit")?;
        Ok(repo)
    }

    /// A new repository on branch `main` without commits.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn empty_repo(&self, name: impl AsRef<Path>) -> io::Result<Repo<'_>> {
        let path = self.at(name);
        fs::create_dir_all(&path)?;
        self.git(&path, ["init", "--quiet", "--initial-branch=main"])?;
        Ok(Repo {
            playground: self,
            path,
        })
    }

    /// A working tree or bare repository that is already there, at a path of the playground.
    pub fn existing(&self, name: impl AsRef<Path>) -> Repo<'_> {
        Repo {
            playground: self,
            path: self.at(name),
        }
    }

    /// A bare clone of a repository.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn bare_clone(&self, of: &Repo<'_>, name: impl AsRef<Path>) -> io::Result<Repo<'_>> {
        let path = self.at(name);
        self.git(
            &self.root,
            [
                OsStr::new("clone"),
                OsStr::new("--quiet"),
                OsStr::new("--bare"),
                of.path.as_os_str(),
                path.as_os_str(),
            ],
        )?;
        Ok(Repo {
            playground: self,
            path,
        })
    }

    /// Removes it, and says if that fails.
    ///
    /// # Errors
    /// If something in it cannot be removed.
    pub fn close(self) -> io::Result<()> {
        self.folder.close()
    }
}

/// A working tree, main or linked, or a bare repository.
#[derive(Debug)]
pub struct Repo<'a> {
    playground: &'a Playground,
    path: PathBuf,
}

impl<'a> Repo<'a> {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs git in it.
    ///
    /// # Errors
    /// If git cannot be run or fails.
    pub fn git<I, S>(&self, arguments: I) -> io::Result<Output>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.playground.git(&self.path, arguments)
    }

    /// What a git command prints, without the newline at its end.
    ///
    /// # Errors
    /// If git cannot be run or fails.
    pub fn line<I, S>(&self, arguments: I) -> io::Result<String>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let output = self.git(arguments)?;
        Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned())
    }

    /// Writes a file in it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> io::Result<()> {
        let path = self.path.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, content)
    }

    /// Writes a file and commits it.
    ///
    /// # Errors
    /// If that fails.
    pub fn commit(&self, name: &str, content: &str, message: &str) -> io::Result<()> {
        self.write(name, content)?;
        self.git(["add", "--", name])?;
        self.git(["commit", "--quiet", "-m", message])?;
        Ok(())
    }

    /// Adds a linked worktree with a new branch at a path of the playground.
    ///
    /// # Errors
    /// If git cannot.
    pub fn worktree(&self, name: impl AsRef<Path>, branch: &str) -> io::Result<Repo<'a>> {
        let path = self.playground.at(name);
        self.git([
            OsStr::new("worktree"),
            OsStr::new("add"),
            OsStr::new("--quiet"),
            OsStr::new("-b"),
            OsStr::new(branch),
            OsStr::new("--"),
            path.as_os_str(),
        ])?;
        Ok(Repo {
            playground: self.playground,
            path,
        })
    }

    /// Gives it a remote called `origin`, a bare repository of its own, and pushes the current branch there.
    ///
    /// # Errors
    /// If that fails.
    pub fn publish(&self, remote: impl AsRef<Path>) -> io::Result<()> {
        self.publish_as(remote, &[])
    }

    /// The same, with more arguments for the `git init` of the remote.
    ///
    /// # Errors
    /// If that fails.
    pub fn publish_as(&self, remote: impl AsRef<Path>, arguments: &[&str]) -> io::Result<()> {
        let remote = self.playground.at(remote);
        fs::create_dir_all(&remote)?;
        let mut init = vec!["init", "--quiet", "--bare", "--initial-branch=main"];
        init.extend(arguments);
        self.playground.git(&remote, init)?;
        self.git([
            OsStr::new("remote"),
            OsStr::new("add"),
            OsStr::new("origin"),
            remote.as_os_str(),
        ])?;
        self.git(["push", "--quiet", "--set-upstream", "origin", "HEAD"])?;
        Ok(())
    }
}
