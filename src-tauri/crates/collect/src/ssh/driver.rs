//! Running commands over one connection, several at a time. One thread does everything, and nothing it does blocks.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rollcall_converge::{Caller, Failure, FailureCode, Host, SshTarget, inert};
use ssh2::{Channel, ErrorCode, Session};
use tokio::sync::oneshot;

use super::meet::Live;
use super::socket::Interest;
use crate::prompt::Prompter;
use crate::script::COMMAND;
use crate::transport::{Ended, Output, Report, TimeLimits, unfinished};

/// libssh2: the call would have to wait.
const AGAIN: ErrorCode = ErrorCode::Session(-37);
/// How long a finished command may take to leave.
const LEAVE: Duration = Duration::from_secs(3);
/// How long a host may take to open a channel on a connection that may be dead.
pub(crate) const PROBE: Duration = Duration::from_secs(5);
/// How long a server may take to free a session that has ended, before another connection is made for it.
const FREEING: Duration = Duration::from_secs(2);
/// How often it is asked meanwhile.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// Bytes that are taken from one command before the others have their turn.
const TURN: usize = 256 << 10;

/// What is to be run, and who waits for its answer.
pub(crate) struct Question {
    pub(crate) host: Host,
    pub(crate) target: SshTarget,
    pub(crate) caller: Caller,
    /// Asks the person who wants the answer; none in the background.
    pub(crate) prompter: Option<Arc<dyn Prompter>>,
    pub(crate) input: Vec<u8>,
    pub(crate) opening: Vec<u8>,
    pub(crate) end: Vec<u8>,
    /// Hears how far it is.
    pub(crate) report: Option<Report>,
    /// Set when nobody waits any more.
    pub(crate) cancelled: Arc<AtomicBool>,
    pub(crate) reply: oneshot::Sender<Result<Vec<u8>, Failure>>,
    /// How often it was begun on a connection that turned out to be dead.
    pub(crate) begun: u32,
}

impl Question {
    pub(crate) fn is_wanted(&self) -> bool {
        !self.cancelled.load(Ordering::SeqCst)
    }

    pub(crate) fn answer(self, answer: Result<Vec<u8>, Failure>) {
        // Nobody may be waiting any more.
        drop(self.reply.send(answer));
    }
}

enum Stage {
    /// No channel is there for it yet.
    Waiting,
    /// A channel is being opened. Only one at a time can be.
    Opening,
    Starting(Channel),
    Sending(Channel, usize),
    Listening(Channel),
    /// Its output has ended; how it ended comes last.
    Parting(Channel, Instant),
    /// It has been answered or is not wanted; its channel is being closed.
    Leaving(Channel, Instant),
    Gone,
}

/// Whether a step got anywhere.
enum Step {
    Moved,
    /// Nothing to do until the socket is ready.
    Idle,
    /// Half a packet is sent; nothing else may be before the rest of it is.
    Half,
}

/// Why a connection is of no more use.
pub(crate) enum Broken {
    Dead(String),
    /// A command was cancelled in the middle of a packet.
    Abandoned,
}

struct Command {
    question: Option<Question>,
    stage: Stage,
    output: Output,
    started: Instant,
    heard: Instant,
    /// When the server refused it a channel with no other open, first and last.
    refused: Option<(Instant, Instant)>,
}

/// One connection and the commands on it.
pub(crate) struct Driver {
    pub(crate) live: Live,
    commands: Vec<Command>,
    /// Channels that the server allows at once, as far as it has told by refusing more.
    most: usize,
    /// Where what comes is read to.
    buffer: Vec<u8>,
    /// The command that has sent half a packet.
    half: Option<usize>,
    /// Since when nothing has been running.
    pub(crate) idle_since: Instant,
    kept_alive: Instant,
    /// Whether the connection may be dead: it is given less time to open a channel then.
    doubtful: bool,
}

impl Driver {
    pub(crate) fn new(live: Live) -> Self {
        live.session.set_blocking(false);
        Self {
            live,
            commands: Vec::new(),
            most: usize::MAX,
            buffer: vec![0; 64 << 10],
            half: None,
            idle_since: Instant::now(),
            kept_alive: Instant::now(),
            doubtful: false,
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.commands.is_empty()
    }

    pub(crate) fn take(&mut self, question: Question) {
        let now = Instant::now();
        self.commands.push(Command {
            output: Output::until(question.end.clone(), question.report.clone()),
            question: Some(question),
            stage: Stage::Waiting,
            started: now,
            heard: now,
            refused: None,
        });
    }

    /// Takes the connection for one that may be dead until the host has opened a channel on it.
    pub(crate) fn doubt(&mut self) {
        self.doubtful = true;
    }

    /// Says something on an idle connection, so that nothing on the way forgets it.
    pub(crate) fn keep_alive(&mut self, interval: Duration) {
        if self.kept_alive.elapsed() < interval || self.half.is_some() {
            return;
        }
        self.kept_alive = Instant::now();
        self.live.session.set_keepalive(true, 1);
        if let Err(error) = self.live.session.keepalive_send() {
            tracing::debug!(%error, "keep alive");
        }
    }

    /// How long to wait for the socket at most.
    pub(crate) fn patience(&self) -> Duration {
        let asks_again = self
            .commands
            .iter()
            .any(|command| command.refused.is_some() && matches!(command.stage, Stage::Waiting));
        if asks_again {
            ASK_AGAIN
        } else {
            Duration::from_millis(500)
        }
    }

    /// What the socket is waited for now.
    pub(crate) fn interest(&self) -> Interest {
        if self.is_idle() {
            return Interest::default();
        }
        Interest::of(&self.live.session)
    }

    /// Does what can be done without waiting. `true` if anything was.
    pub(crate) fn step(&mut self, limits: &TimeLimits) -> Result<bool, Broken> {
        let mut moved = false;
        if let Some(at) = self.half {
            match self.advance(at, limits)? {
                Step::Half => return Ok(false),
                Step::Moved => moved = true,
                Step::Idle => {}
            }
            self.half = None;
        }
        for at in 0..self.commands.len() {
            match self.advance(at, limits)? {
                Step::Moved => moved = true,
                Step::Idle => {}
                Step::Half => {
                    self.half = Some(at);
                    return Ok(moved);
                }
            }
        }
        self.commands
            .retain(|command| !matches!(command.stage, Stage::Gone));
        if self.commands.is_empty() && moved {
            self.idle_since = Instant::now();
            self.kept_alive = self.idle_since;
        }
        Ok(moved)
    }

    /// Ends every command whose connection is gone; gives back those that may be begun once more on another one.
    pub(crate) fn bury(self, why: &Broken) -> Vec<Question> {
        let mut again = Vec::new();
        let words = match why {
            Broken::Dead(words) => words.clone(),
            Broken::Abandoned => "it was closed in the middle of a message".to_owned(),
        };
        for mut command in self.commands {
            let Some(mut question) = command.question.take() else {
                continue;
            };
            if !question.is_wanted() {
                let failure = cancelled_failure(&question.host.label);
                question.answer(Err(failure));
            } else if question.begun == 0 && command.output.stdout.is_empty() {
                question.begun += 1;
                again.push(question);
            } else {
                let ended = Ended::Cut(words.clone());
                let failure = unfinished(
                    &question.host.label,
                    &ended,
                    &command.output,
                    &question.opening,
                );
                question.answer(Err(failure));
            }
        }
        again
    }

    fn running(&self) -> usize {
        let has_channel =
            |command: &&Command| !matches!(command.stage, Stage::Waiting | Stage::Gone);
        self.commands.iter().filter(has_channel).count()
    }

    fn advance(&mut self, at: usize, limits: &TimeLimits) -> Result<Step, Broken> {
        let running = self.running();
        let opening = self
            .commands
            .iter()
            .any(|command| matches!(command.stage, Stage::Opening));
        let may_open = !opening && running < self.most;
        let half = self.half == Some(at);
        let Some(command) = self.commands.get_mut(at) else {
            return Ok(Step::Idle);
        };
        if let Some(question) = command.question.as_ref()
            && !question.is_wanted()
        {
            if half || matches!(command.stage, Stage::Opening) {
                return Err(Broken::Abandoned);
            }
            command.fail(cancelled_failure(&question.host.label.clone()));
            return Ok(Step::Moved);
        }
        let session = &self.live.session;
        let waited = command.started.elapsed();
        match std::mem::replace(&mut command.stage, Stage::Gone) {
            Stage::Waiting
                if !may_open
                    || command
                        .refused
                        .is_some_and(|(_, last)| last.elapsed() < ASK_AGAIN) =>
            {
                command.stage = Stage::Waiting;
                // It begins when it has a channel; until then it waits for those before it.
                if waited > limits.total {
                    command.end(&Ended::Late(limits.total));
                    return Ok(Step::Moved);
                }
                Ok(Step::Idle)
            }
            Stage::Waiting => {
                command.started = Instant::now();
                command.stage = Stage::Opening;
                Ok(Step::Moved)
            }
            Stage::Opening => match session.channel_session() {
                Ok(channel) => {
                    self.doubtful = false;
                    command.stage = Stage::Starting(channel);
                    Ok(Step::Moved)
                }
                Err(error) if error.code() == AGAIN => {
                    let limit = if self.doubtful { PROBE } else { limits.silence };
                    if waited > limit {
                        return Err(Broken::Dead("it does not answer".to_owned()));
                    }
                    command.stage = Stage::Opening;
                    Ok(waits(session))
                }
                Err(error) if error.code() == ErrorCode::Session(-21) => {
                    let others = running.saturating_sub(1);
                    if others > 0 {
                        // The server allows no more than there are; this one waits for its turn.
                        self.most = others;
                        command.stage = Stage::Waiting;
                        return Ok(Step::Moved);
                    }
                    let now = Instant::now();
                    let (first, _) = command.refused.unwrap_or((now, now));
                    if first.elapsed() < FREEING {
                        command.refused = Some((first, now));
                        command.stage = Stage::Waiting;
                        return Ok(Step::Idle);
                    }
                    let words = error.message().to_owned();
                    match command.question.as_mut() {
                        // It may not have let go of the one before yet: once more, on another connection.
                        Some(question) if question.begun == 0 => Err(Broken::Dead(words)),
                        _ => {
                            command.refuse(&words);
                            Ok(Step::Moved)
                        }
                    }
                }
                Err(error) => Err(Broken::Dead(error.message().to_owned())),
            },
            Stage::Starting(mut channel) => match channel.exec(COMMAND) {
                Ok(()) => {
                    command.stage = Stage::Sending(channel, 0);
                    Ok(Step::Moved)
                }
                Err(error) if error.code() == AGAIN => {
                    if waited > limits.silence {
                        return Err(Broken::Dead("it does not answer".to_owned()));
                    }
                    command.stage = Stage::Starting(channel);
                    Ok(waits(session))
                }
                Err(error) if error.code() == ErrorCode::Session(-22) => {
                    command.refuse(error.message());
                    command.stage = Stage::Leaving(channel, Instant::now());
                    Ok(Step::Moved)
                }
                Err(error) => Err(Broken::Dead(error.message().to_owned())),
            },
            Stage::Sending(mut channel, mut sent) => {
                let input = command
                    .question
                    .as_ref()
                    .map_or(&[][..], |question| question.input.as_slice());
                let rest = input.get(sent..).unwrap_or_default();
                if rest.is_empty() {
                    command.heard = Instant::now();
                    command.stage = Stage::Listening(channel);
                    return Ok(Step::Moved);
                }
                match channel.write(rest) {
                    Ok(0) => Err(Broken::Dead("it takes no input".to_owned())),
                    Ok(n) => {
                        sent += n;
                        command.heard = Instant::now();
                        command.stage = Stage::Sending(channel, sent);
                        Ok(Step::Moved)
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if command.heard.elapsed() > limits.silence {
                            return Err(Broken::Dead("it takes no input".to_owned()));
                        }
                        // A command that ends early takes no more input and says why.
                        command.stage = if channel.eof() {
                            Stage::Listening(channel)
                        } else {
                            Stage::Sending(channel, sent)
                        };
                        Ok(waits(session))
                    }
                    Err(_) if channel.eof() => {
                        command.stage = Stage::Listening(channel);
                        Ok(Step::Moved)
                    }
                    Err(error) => Err(Broken::Dead(error.to_string())),
                }
            }
            Stage::Listening(channel) => command.listen(channel, session, limits, &mut self.buffer),
            Stage::Parting(mut channel, since) => match channel.wait_close() {
                Err(error) if error.code() == AGAIN && since.elapsed() < LEAVE => {
                    command.stage = Stage::Parting(channel, since);
                    Ok(waits(session))
                }
                Err(error) if error.code() != AGAIN => {
                    Err(Broken::Dead(error.message().to_owned()))
                }
                _ => {
                    let ended = match killed_by(&channel) {
                        Some(signal) => Ended::Killed(signal),
                        None => Ended::Exited(channel.exit_status().unwrap_or(-1)),
                    };
                    command.end(&ended);
                    command.stage = Stage::Leaving(channel, Instant::now());
                    Ok(Step::Moved)
                }
            },
            Stage::Leaving(mut channel, since) => match channel.close() {
                Ok(()) => Ok(Step::Moved),
                Err(error) if error.code() == AGAIN => {
                    if since.elapsed() > LEAVE {
                        return Err(Broken::Dead("it does not let a command go".to_owned()));
                    }
                    command.stage = Stage::Leaving(channel, since);
                    Ok(waits(session))
                }
                Err(error) => Err(Broken::Dead(error.message().to_owned())),
            },
            Stage::Gone => Ok(Step::Idle),
        }
    }
}

/// What it means that a call has to wait.
fn waits(session: &Session) -> Step {
    if Interest::of(session).writable {
        Step::Half
    } else {
        Step::Idle
    }
}

impl Command {
    fn answer(&mut self, answer: Result<Vec<u8>, Failure>) {
        if let Some(question) = self.question.take() {
            question.answer(answer);
        }
    }

    fn end(&mut self, ended: &Ended) {
        if let Some(question) = self.question.take() {
            let failure = unfinished(&question.host.label, ended, &self.output, &question.opening);
            question.answer(Err(failure));
        }
    }

    fn refuse(&mut self, why: &str) {
        let label = self
            .question
            .as_ref()
            .map(|question| question.host.label.clone())
            .unwrap_or_default();
        self.answer(Err(Failure::new(
            FailureCode::ChannelRefused,
            format!(
                "`{label}` lets Rollcall sign in and run nothing: {}.",
                inert(why.as_bytes())
            ),
        )
        .hint(
            "Check the account's shell, and `MaxSessions` and `ForceCommand` of the host.",
        )));
    }

    /// Ends what is not to be gone on with.
    fn fail(&mut self, failure: Failure) {
        self.answer(Err(failure));
        self.stage = match std::mem::replace(&mut self.stage, Stage::Gone) {
            Stage::Starting(channel)
            | Stage::Sending(channel, _)
            | Stage::Listening(channel)
            | Stage::Parting(channel, _) => Stage::Leaving(channel, Instant::now()),
            Stage::Leaving(channel, since) => Stage::Leaving(channel, since),
            Stage::Waiting | Stage::Opening | Stage::Gone => Stage::Gone,
        };
    }

    fn listen(
        &mut self,
        mut channel: Channel,
        session: &Session,
        limits: &TimeLimits,
        buffer: &mut [u8],
    ) -> Result<Step, Broken> {
        let mut taken = 0;
        let mut half = false;
        let ended = loop {
            let mut idle = true;
            match channel.read(buffer) {
                // Closed for good, or only this stream: the end is looked for below.
                Ok(0) => {}
                Ok(n) => {
                    idle = false;
                    taken += n;
                    if self.output.stdout.len() + n > limits.answer {
                        break Some(Ended::TooLarge(limits.answer));
                    }
                    if self.output.take(buffer.get(..n).unwrap_or_default()) {
                        let answer = std::mem::take(&mut self.output.stdout);
                        self.answer(Ok(answer));
                        self.stage = Stage::Leaving(channel, Instant::now());
                        return Ok(Step::Moved);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    half = Interest::of(session).writable;
                }
                Err(error) => return Err(Broken::Dead(error.to_string())),
            }
            if !half {
                match channel.stderr().read(buffer) {
                    Ok(0) => {}
                    Ok(n) => {
                        idle = false;
                        taken += n;
                        self.output.hear(buffer.get(..n).unwrap_or_default());
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        half = Interest::of(session).writable;
                    }
                    Err(error) => return Err(Broken::Dead(error.to_string())),
                }
            }
            // However much it says, it is listened to no longer than this.
            if self.started.elapsed() > limits.total {
                break Some(Ended::Late(limits.total));
            }
            if !idle && taken < TURN && !half {
                self.heard = Instant::now();
                continue;
            }
            if !idle {
                self.heard = Instant::now();
                break None;
            }
            if let Some(signal) = killed_by(&channel) {
                break Some(Ended::Killed(signal));
            }
            if channel.eof() {
                self.stage = Stage::Parting(channel, Instant::now());
                return Ok(Step::Moved);
            }
            if self.heard.elapsed() > limits.silence {
                // Whatever hangs, the host or the way to it: another connection is made next time.
                self.end(&Ended::Silent(limits.silence));
                return Err(Broken::Dead("it says nothing".to_owned()));
            }
            break None;
        };
        if let Some(ended) = ended {
            self.end(&ended);
            self.stage = Stage::Leaving(channel, Instant::now());
            return Ok(Step::Moved);
        }
        self.stage = Stage::Listening(channel);
        Ok(if half {
            Step::Half
        } else if taken > 0 {
            Step::Moved
        } else {
            Step::Idle
        })
    }
}

pub(crate) fn cancelled_failure(label: &str) -> Failure {
    Failure::new(
        FailureCode::Cancelled,
        format!("What was asked of `{label}` was cancelled."),
    )
}

fn killed_by(channel: &Channel) -> Option<String> {
    let signal = channel.exit_signal().ok()?.exit_signal?;
    (!signal.is_empty()).then(|| format!("signal {}", inert(signal.as_bytes())))
}
