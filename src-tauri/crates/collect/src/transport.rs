//! What the ways to reach a host have in common.

use std::sync::Arc;
use std::time::Duration;

use rollcall_converge::{Failure, FailureCode, inert};

use crate::cursor::{digits, find};

/// How long each part of reaching a host may take, and how much it may say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// To resolve a name.
    pub resolve: Duration,
    /// To connect, for all addresses together.
    pub connect: Duration,
    /// To exchange keys.
    pub handshake: Duration,
    /// To sign in.
    pub authenticate: Duration,
    /// Without a byte of answer or heartbeat; hosts give a heartbeat every 5 s.
    pub silence: Duration,
    /// From the question to the end of the answer.
    pub total: Duration,
    /// For facts. What is not there then is unknown, and the answer is closed without it.
    pub facts: Duration,
    /// For any one program on a host, such as a `git status`, in whole seconds. What it would have told is unknown
    /// then, and the rest goes on (A20).
    pub program: Duration,
    /// That an unused connection is kept.
    pub idle: Duration,
    /// Bytes of one answer.
    pub answer: usize,
    /// How often a verb waits half a second for another one in its repository.
    pub turns: u32,
    /// The step of a verb before which it is killed on the host, or, after `hold `, stopped until it is told to go on.
    /// For tests; empty.
    pub fail_at: String,
}

impl TimeLimits {
    /// For everything that comes before a question can be asked.
    pub(crate) fn reach(&self) -> Duration {
        self.resolve + self.connect + self.handshake + self.authenticate
    }
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            resolve: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            handshake: Duration::from_secs(15),
            authenticate: Duration::from_secs(20),
            silence: Duration::from_secs(20),
            total: Duration::from_mins(10),
            facts: Duration::from_mins(3),
            program: Duration::from_mins(1),
            idle: Duration::from_mins(1),
            answer: 64 << 20,
            turns: 10,
            fail_at: String::new(),
        }
    }
}

/// Bytes of standard error that are kept.
const WORDS: usize = 8192;

/// Hears how far a question is: two numbers whose meaning the question knows.
pub type Report = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Bytes of a report of progress at most.
const REPORT: usize = 64;

/// What comes from a running command: everything on standard output, the beginning of standard error, and reports of
/// progress among that.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    stderr: Vec<u8>,
    end: Vec<u8>,
    report: Option<Report>,
    /// What has come of a report that has not ended.
    half: Option<Vec<u8>>,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("stdout", &self.stdout.len())
            .field("stderr", &self.stderr.len())
            .finish_non_exhaustive()
    }
}

impl Output {
    /// Waits for an answer that ends in `end`, and hands on reports of progress.
    pub(crate) fn until(end: Vec<u8>, report: Option<Report>) -> Self {
        Self {
            end,
            report,
            ..Self::default()
        }
    }

    /// Takes bytes of standard output; `true` once the answer has ended.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> bool {
        let from = self.stdout.len().saturating_sub(self.end.len());
        self.stdout.extend_from_slice(bytes);
        find(self.stdout.get(from..).unwrap_or_default(), &self.end).is_some()
    }

    /// Takes bytes of standard error. NUL is a heartbeat and no word; a byte 1 begins a report, which NUL ends.
    pub(crate) fn hear(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match (&mut self.half, byte) {
                (half, 1) => *half = Some(Vec::new()),
                (half @ Some(_), 0) => {
                    let told = half.take().unwrap_or_default();
                    self.hand_on(&told);
                }
                (Some(half), byte) if half.len() < REPORT => half.push(byte),
                (half @ Some(_), _) => *half = None,
                (None, 0) => {}
                (None, byte) if self.stderr.len() < WORDS => self.stderr.push(byte),
                (None, _) => {}
            }
        }
    }

    fn hand_on(&self, told: &[u8]) {
        let mut numbers = told.split(|byte| *byte == b' ').map(digits::<u64>);
        if let (Some(report), Some(Some(one)), Some(Some(other))) =
            (&self.report, numbers.next(), numbers.next())
        {
            report(one, other);
        }
    }

    /// What a host said that is no answer, in one line of at most 200 characters.
    pub(crate) fn excerpt(&self) -> String {
        let said = if self.stderr.iter().any(|byte| !byte.is_ascii_whitespace()) {
            &self.stderr
        } else {
            &self.stdout
        };
        let line = said
            .split(|byte| matches!(byte, b'\n' | b'\r' | 0))
            .map(<[u8]>::trim_ascii)
            .find(|line| !line.is_empty())
            .unwrap_or_default();
        inert(line).chars().take(200).collect()
    }
}

/// How a command ended whose answer did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With an exit code.
    Exited(i32),
    /// By a signal, named or numbered.
    Killed(String),
    /// With its connection.
    Cut(String),
    /// It said nothing for so long.
    Silent(Duration),
    /// It took so long.
    Late(Duration),
    /// It said more than this.
    TooLarge(usize),
}

/// The failure of a host whose answer did not end. `opening` is the word that opens an answer.
pub(crate) fn unfinished(label: &str, ended: &Ended, output: &Output, opening: &[u8]) -> Failure {
    let begun = find(&output.stdout, opening).is_some();
    let excerpt = output.excerpt();
    let said = if excerpt.is_empty() {
        String::new()
    } else {
        format!(": {excerpt}")
    };
    match ended {
        Ended::Exited(0) if !begun && excerpt.is_empty() => Failure::new(
            FailureCode::CommandRefused,
            format!("`{label}` ran nothing and said nothing."),
        )
        .hint("Check that the account may run commands: ssh to it and run `sh -c 'echo yes'`."),
        Ended::Exited(126 | 127) if !begun => Failure::new(
            FailureCode::NoShell,
            format!("`{label}` has no `sh` that can be run{said}."),
        )
        .hint("Rollcall needs `/bin/sh` and git on a host. Windows as a host comes later."),
        Ended::Exited(_) if !begun => Failure::new(
            FailureCode::CommandRefused,
            format!("`{label}` did not run the collector{said}."),
        )
        .hint("Check that the account may run commands: ssh to it and run `sh -c 'echo yes'`."),
        Ended::Exited(code) => Failure::new(
            FailureCode::Malformed,
            format!("The answer of `{label}` ended before its close, with exit code {code}{said}."),
        )
        .hint("Sync again."),
        Ended::Killed(signal) => Failure::new(
            FailureCode::CommandFailed,
            format!("The collector on `{label}` was ended by {signal}."),
        )
        .hint("Check whether the host is short of memory, then sync again."),
        Ended::Cut(why) => Failure::new(
            FailureCode::Cut,
            format!("The connection to `{label}` ended before its answer did ({why})."),
        )
        .hint("Sync again once the host is reachable."),
        // A command that only gives back what it is told has to wait for more of it.
        Ended::Silent(_) if !begun && !output.stdout.is_empty() => Failure::new(
            FailureCode::CommandRefused,
            format!("`{label}` did not run the collector and said something else{said}."),
        )
        .hint("Check that the account may run commands: ssh to it and run `sh -c 'echo yes'`."),
        Ended::Silent(limit) => Failure::new(
            FailureCode::Cut,
            format!(
                "`{label}` has said nothing for {} seconds.",
                limit.as_secs()
            ),
        )
        .hint("Check the network, and whether a disk of the host hangs."),
        Ended::Late(limit) => Failure::new(
            FailureCode::TimedOut,
            format!(
                "`{label}` did not finish within {} seconds.",
                limit.as_secs()
            ),
        )
        .hint("Check whether a disk of the host hangs, or a repository is very large."),
        Ended::TooLarge(limit) => Failure::new(
            FailureCode::TooLarge,
            format!(
                "The answer of `{label}` is larger than {} MiB.",
                limit / (1 << 20)
            ),
        )
        .hint("Register fewer repositories of this host."),
    }
}
