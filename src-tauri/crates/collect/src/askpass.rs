//! How the system's `ssh` asks a person: it runs our own program, which asks the running application.

use std::env;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use rollcall_converge::{HostId, inert};
use secrecy::ExposeSecret as _;

use crate::prompt::{Prompt, PromptField, PromptKind, Prompter};
use crate::script::Tokens;

/// Where the application listens, and the word it wants to hear.
pub(crate) const VARIABLE: &str = "ROLLCALL_ASKPASS";
/// Bytes of a question.
const QUESTION: u64 = 8192;
/// Questions of one sign-in.
const QUESTIONS: u32 = 20;

/// Does what `ssh` wants of a program that asks for a passphrase, if this process was started for that: asks the
/// application that started `ssh`, and prints the answer. `None` if it was not.
pub fn askpass() -> Option<ExitCode> {
    let place = env::var(VARIABLE).ok()?;
    let question = env::args().nth(1).unwrap_or_default();
    let hint = env::var("SSH_ASKPASS_PROMPT").unwrap_or_default();
    Some(match answer(&place, &hint, &question) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

fn answer(place: &str, hint: &str, question: &str) -> io::Result<()> {
    let (address, word) = place
        .split_once(' ')
        .ok_or_else(|| io::Error::other("no address"))?;
    let address: SocketAddr = address.parse().map_err(io::Error::other)?;
    let mut stream = TcpStream::connect(address)?;
    let hint = hint.replace('\n', " ");
    stream.write_all(format!("{word}\n{hint}\n{}\n{question}", question.len()).as_bytes())?;
    let mut said = Vec::new();
    stream.read_to_end(&mut said)?;
    // An answer may be empty; that there is one is said by its first byte.
    match said.split_first() {
        Some((b'+', answer)) => {
            let mut out = io::stdout().lock();
            out.write_all(answer)?;
            out.write_all(b"\n")?;
            out.flush()
        }
        _ => Err(io::Error::other("no answer")),
    }
}

/// Listens for the questions of one `ssh`. Stops with this value.
pub(crate) struct Asker {
    address: SocketAddr,
    word: String,
    stop: Arc<AtomicBool>,
    asked: Arc<AtomicU32>,
}

impl Drop for Asker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // It waits for a connection.
        drop(TcpStream::connect_timeout(
            &self.address,
            Duration::from_secs(1),
        ));
    }
}

impl Asker {
    pub(crate) fn start(
        host: HostId,
        label: &str,
        prompter: Arc<dyn Prompter>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let word = Tokens::random()
            .ok_or_else(|| io::Error::other("there are no random numbers"))?
            .word();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::new(AtomicU32::new(0));
        let (heard, told, counted) = (word.clone(), Arc::clone(&stop), Arc::clone(&asked));
        let label = label.to_owned();
        thread::Builder::new()
            .name("askpass".to_owned())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    if told.load(Ordering::SeqCst) {
                        return;
                    }
                    if let Err(error) = serve(stream, &heard, &told, &counted, |prompt, gone| {
                        let prompt = Prompt {
                            host,
                            asker: label.clone(),
                            ..prompt
                        };
                        let reply = prompter.ask(&prompt, gone).ok()?;
                        let first = reply.answers.first();
                        Some(
                            first
                                .map(|it| it.expose_secret().to_owned())
                                .unwrap_or_default(),
                        )
                    }) {
                        tracing::debug!(%error, "askpass");
                    }
                }
            })?;
        Ok(Self {
            address,
            word,
            stop,
            asked,
        })
    }

    /// What the variable has to hold.
    pub(crate) fn place(&self) -> String {
        format!("{} {}", self.address, self.word)
    }

    /// Whether a person was asked for anything.
    pub(crate) fn has_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst) > 0
    }
}

fn serve(
    mut stream: TcpStream,
    word: &str,
    stop: &Arc<AtomicBool>,
    asked: &AtomicU32,
    ask: impl FnOnce(Prompt, &AtomicBool) -> Option<String>,
) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(QUESTION));
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        io::Result::Ok(line.trim_end_matches('\n').to_owned())
    };
    if line()? != word {
        return Err(io::Error::other("somebody else asks"));
    }
    let (hint, length) = (line()?, line()?);
    let length: u64 = length.parse().map_err(io::Error::other)?;
    let mut question = Vec::new();
    reader.take(length).read_to_end(&mut question)?;
    if asked.fetch_add(1, Ordering::SeqCst) >= QUESTIONS {
        return Err(io::Error::other("it asks too often"));
    }
    let text = String::from_utf8_lossy(&question);
    let text = text
        .lines()
        .map(|line| inert(line.trim().as_bytes()))
        .collect::<Vec<_>>()
        .join(" ");
    let only = matches!(hint.as_str(), "confirm" | "none");
    let prompt = Prompt {
        host: HostId::new(uuid::Uuid::nil()),
        asker: String::new(),
        kind: PromptKind::OpenSsh { text: text.clone() },
        fields: if only {
            Vec::new()
        } else {
            vec![PromptField { text, echo: false }]
        },
        again: false,
        keepable: false,
    };
    // `ssh` ends its helper when it needs no answer any more, such as after a touch.
    let gone = Arc::new(AtomicBool::new(false));
    let (watched, over) = (stream.try_clone()?, Arc::clone(&gone));
    let told = Arc::clone(stop);
    thread::Builder::new()
        .name("askpass".to_owned())
        .spawn(move || {
            let mut watched = watched;
            while !over.load(Ordering::SeqCst) && !told.load(Ordering::SeqCst) {
                match watched.read(&mut [0]) {
                    Err(error)
                        if matches!(
                            error.kind(),
                            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                        ) => {}
                    _ => break,
                }
            }
            over.store(true, Ordering::SeqCst);
        })?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let reply = ask(prompt, &gone);
    gone.store(true, Ordering::SeqCst);
    if let Some(reply) = reply {
        stream.write_all(b"+")?;
        stream.write_all(reply.as_bytes())?;
    }
    stream.shutdown(std::net::Shutdown::Both)
}
