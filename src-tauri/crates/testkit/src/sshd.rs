//! A private OpenSSH server on a free port of loopback, with keys of its own.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long the server may take to greet.
const START: Duration = Duration::from_secs(20);

/// What a private server does differently.
#[derive(Clone, Debug, Default)]
pub struct SshdOptions {
    /// Lines of its configuration that come before all others.
    pub config: Vec<String>,
    /// What runs in place of the command asked for, which it finds in `SSH_ORIGINAL_COMMAND`.
    pub force_command: Option<String>,
    /// Type of the host key, as `ssh-keygen -t` names it; `ed25519` if none is given.
    pub host_key_type: Option<String>,
    /// Whether the client's key is protected by the passphrase [`PASSPHRASE`].
    pub encrypted_client_key: bool,
    /// What it asks whoever signs in by keyboard-interactive or password: whether the answer may be seen, the question
    /// and the right answer. Takes PAM, a C compiler and root.
    pub questions: Vec<(bool, &'static str, &'static str)>,
}

/// What opens an encrypted client key.
pub const PASSPHRASE: &str = "secret";

/// A running server. It ends with this value, and with it every session it holds.
#[derive(Debug)]
pub struct Sshd {
    folder: TempDir,
    port: u16,
    user: String,
    /// The program that is started, by its whole path.
    program: PathBuf,
    /// A PAM service of its own; its file ends with the server.
    service: Option<PathBuf>,
    server: Option<Child>,
}

impl Sshd {
    /// Starts a server and waits until it greets.
    ///
    /// # Errors
    /// If there is no `sshd` or `ssh-keygen`, or it does not greet within 20 seconds; with its own words.
    pub fn start(options: &SshdOptions) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("rollcall-sshd-")
            .tempdir()?;
        // The server wants this folder and does not make it.
        if !Path::new("/run/sshd").exists() && rustix::process::geteuid().is_root() {
            fs::create_dir_all("/run/sshd")?;
        }
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let user = whoami()?;
        let mut sshd = Self {
            folder,
            port,
            user,
            program: program("sshd")?,
            service: None,
            server: None,
        };
        let kind = options.host_key_type.as_deref().unwrap_or("ed25519");
        keygen(&sshd.at("host_key"), kind, "")?;
        let secret = if options.encrypted_client_key {
            PASSPHRASE
        } else {
            ""
        };
        if !options.questions.is_empty() {
            sshd.prepare_questions(&options.questions)?;
        }
        keygen(&sshd.client_key(), "ed25519", secret)?;
        fs::copy(sshd.at("client_key.pub"), sshd.at("authorized_keys"))?;
        sshd.write_server_config(options)?;
        sshd.trust_host_key()?;
        fs::write(sshd.config_path(), sshd.config_text("private"))?;
        sshd.restart()?;
        Ok(sshd)
    }

    /// Makes a PAM service that asks these questions. The server asks the service that is called as its program.
    fn prepare_questions(&mut self, questions: &[(bool, &str, &str)]) -> io::Result<()> {
        let mut lines = String::new();
        for (echo, text, answer) in questions {
            line_to(
                &mut lines,
                format_args!("{}{text}\t{answer}", u8::from(*echo)),
            );
        }
        fs::write(self.at("questions"), lines)?;
        fs::write(self.at("questions.c"), include_str!("questions.c"))?;
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(self.at("questions.so"))
            .arg(self.at("questions.c"))
            .output()?;
        if !made.status.success() {
            let words = String::from_utf8_lossy(&made.stderr).into_owned();
            return Err(io::Error::other(words));
        }
        let name = format!("rollcall-{}", self.port);
        fs::copy(&self.program, self.at(&name))?;
        self.program = self.at(&name);
        let service = Path::new("/etc/pam.d").join(&name);
        fs::write(
            &service,
            format!(
                "auth required {} {}\naccount required pam_permit.so\nsession required pam_permit.so\n",
                self.at("questions.so").display(),
                self.at("questions").display()
            ),
        )?;
        self.service = Some(service);
        Ok(())
    }

    /// Generates a key of a type as `ssh-keygen` names it, in its folder, and lets whoever has it in.
    ///
    /// # Errors
    /// If it cannot be made; `arguments` are those of `ssh-keygen`.
    pub fn admit_key(
        &self,
        name: &str,
        arguments: &[&str],
        passphrase: &str,
    ) -> io::Result<PathBuf> {
        let path = self.at(name);
        let output = Command::new("ssh-keygen")
            .args(["-q", "-N", passphrase, "-C", ""])
            .args(arguments)
            .arg("-f")
            .arg(&path)
            .output()?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(words));
        }
        let admitted = fs::read_to_string(self.at("authorized_keys"))?;
        let public = fs::read_to_string(path.with_file_name(format!("{name}.pub")))?;
        fs::write(self.at("authorized_keys"), format!("{admitted}{public}"))?;
        Ok(path)
    }

    fn write_server_config(&self, options: &SshdOptions) -> io::Result<()> {
        let mut config = String::new();
        for line in &options.config {
            line_to(&mut config, format_args!("{line}"));
        }
        line_to(&mut config, format_args!("Port {}", self.port));
        line_to(&mut config, format_args!("ListenAddress 127.0.0.1"));
        line_to(
            &mut config,
            format_args!("HostKey {}", self.at("host_key").display()),
        );
        line_to(
            &mut config,
            format_args!(
                "AuthorizedKeysFile {}",
                self.at("authorized_keys").display()
            ),
        );
        line_to(
            &mut config,
            format_args!("PidFile {}", self.at("pid").display()),
        );
        // The login files of whoever runs the tests are not theirs to wait for, nor to be killed in.
        let home = self.at("home");
        fs::create_dir_all(&home)?;
        line_to(&mut config, format_args!("SetEnv HOME={}", home.display()));
        for line in [
            "StrictModes no",
            "UsePAM no",
            "PermitRootLogin yes",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PrintMotd no",
            "MaxStartups 200",
            "LogLevel ERROR",
        ] {
            line_to(&mut config, format_args!("{line}"));
        }
        if let Some(command) = &options.force_command {
            line_to(&mut config, format_args!("ForceCommand {command}"));
        }
        fs::write(self.at("sshd_config"), config)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Its port on `127.0.0.1`.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// The user it lets in.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Folder of its files, which ends with it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The private key it lets in.
    pub fn client_key(&self) -> PathBuf {
        self.at("client_key")
    }

    /// The known-hosts file of [`Sshd::config_text`]. It holds the server's key from the start.
    pub fn known_hosts(&self) -> PathBuf {
        self.at("known_hosts")
    }

    /// An ssh configuration in which the alias `private` is this server.
    pub fn config_path(&self) -> PathBuf {
        self.at("ssh_config")
    }

    /// A section of an ssh configuration in which `alias` is this server. It reads nothing of the person's own.
    pub fn config_text(&self, alias: &str) -> String {
        self.config_text_on(alias, self.port)
    }

    /// The same through another port, such as a proxy's.
    pub fn config_text_on(&self, alias: &str, port: u16) -> String {
        format!(
            "Host {alias}\n  HostName 127.0.0.1\n  Port {port}\n  User {}\n  IdentityFile {}\n  IdentitiesOnly yes\n  \
             IdentityAgent none\n  UserKnownHostsFile {}\n  GlobalKnownHostsFile /dev/null\n",
            self.user,
            self.client_key().display(),
            self.known_hosts().display(),
        )
    }

    /// The server's public key, as a file of host keys holds it: type and key.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn host_key(&self) -> io::Result<String> {
        let text = fs::read_to_string(self.at("host_key.pub"))?;
        Ok(text.split(' ').take(2).collect::<Vec<_>>().join(" "))
    }

    /// Replaces the server's key by a new one of the same type, which a restart then uses.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn change_host_key(&self) -> io::Result<()> {
        fs::remove_file(self.at("host_key"))?;
        fs::remove_file(self.at("host_key.pub"))?;
        keygen(&self.at("host_key"), "ed25519", "")
    }

    /// Writes the server's key into its known-hosts file, in place of what is there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn trust_host_key(&self) -> io::Result<()> {
        let line = format!("[127.0.0.1]:{} {}\n", self.port, self.host_key()?);
        fs::write(self.known_hosts(), line)
    }

    /// Empties its known-hosts file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn forget_host_key(&self) -> io::Result<()> {
        fs::write(self.known_hosts(), "")
    }

    /// Ends the server and every session it holds.
    pub fn stop(&mut self) {
        let Some(mut server) = self.server.take() else {
            return;
        };
        let mut family = descendants(server.id());
        family.push(server.id());
        for id in family {
            if let Some(id) = i32::try_from(id)
                .ok()
                .and_then(rustix::process::Pid::from_raw)
            {
                // It may have ended meanwhile.
                let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
            }
        }
        drop(server.wait());
    }

    /// Ends the server and starts it again on the same port.
    ///
    /// # Errors
    /// If it does not greet within 20 seconds.
    pub fn restart(&mut self) -> io::Result<()> {
        self.stop();
        let log = fs::File::create(self.at("log"))?;
        let server = Command::new(&self.program)
            .args(["-D", "-e", "-f"])
            .arg(self.at("sshd_config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        self.server = Some(server);
        let deadline = Instant::now() + START;
        loop {
            match greeting(self.address()) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    let ended = match &mut self.server {
                        Some(server) => server.try_wait()?.is_some(),
                        None => true,
                    };
                    if ended || Instant::now() > deadline {
                        let log = fs::read_to_string(self.at("log"))?;
                        return Err(io::Error::other(format!("sshd: {error}: {log}")));
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }

    /// The server's own words since its last start.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn log(&self) -> io::Result<String> {
        fs::read_to_string(self.at("log"))
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.stop();
        if let Some(service) = &self.service {
            drop(fs::remove_file(service));
        }
    }
}

fn line_to(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    text.write_fmt(line).unwrap_or_default();
    text.push('\n');
}

fn greeting(address: SocketAddr) -> io::Result<()> {
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    if line.starts_with("SSH-2.0-") {
        return Ok(());
    }
    Err(io::Error::other(format!("it greets with {line:?}")))
}

fn keygen(path: &Path, kind: &str, passphrase: &str) -> io::Result<()> {
    let output = Command::new("ssh-keygen")
        .args(["-q", "-t", kind, "-N", passphrase, "-C", "", "-f"])
        .arg(path)
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}

/// The server has to be called by its whole path.
fn program(name: &str) -> io::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/usr/local/sbin".into()])
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("there is no {name}")))
}

fn whoami() -> io::Result<String> {
    let output = Command::new("id").arg("-un").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Every process that descends from one, deepest first, as far as the system tells.
fn descendants(of: u32) -> Vec<u32> {
    let Ok(output) = Command::new("ps").args(["-eo", "pid=,ppid="]).output() else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pairs: Vec<(u32, u32)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        })
        .collect();
    let mut found = vec![of];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let children = pairs.iter().filter(|(_, it)| *it == parent);
        found.extend(children.map(|(child, _)| *child));
        at += 1;
    }
    found.remove(0);
    found.reverse();
    found
}
