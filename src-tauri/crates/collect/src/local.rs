//! The collector through a child process in a process group of its own: a shell of this machine, or `ssh`.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout, timeout_at};

use crate::script::READER;
use crate::transport::{Ended, Output, Report, TimeLimits};

/// How long a command may take to end once its output has.
const WIND_UP: Duration = Duration::from_secs(5);

/// How long output may still come after the command has ended.
const DRAIN: Duration = Duration::from_secs(1);

/// Ends the whole process group of a child that has not been waited for, whenever it goes out of scope.
struct Group {
    child: Child,
    /// Whether it ends by itself once nobody holds its lease, as far as it may.
    is_verb: bool,
}

impl Group {
    fn end(&self) {
        // While the child has not been waited for, its number names no other group.
        #[cfg(unix)]
        if let Some(group) = self
            .child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(rustix::process::Pid::from_raw)
            && let Err(error) =
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
        {
            tracing::debug!(%error, "process group of the collector");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_verb {
            self.end();
        }
    }
}

/// The shell of this machine that reads the collector.
pub(crate) fn shell(shell: &[String]) -> Command {
    let (program, arguments) = shell
        .split_first()
        .map_or(("sh", [].as_slice()), |(program, rest)| {
            (program.as_str(), rest)
        });
    let mut command = Command::new(program);
    command.args(arguments).args(["-c", READER]);
    command
}

/// How a command that did not answer ended, and what it said.
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub(crate) ended: Ended,
    pub(crate) output: Output,
}

/// Gives `input` to a command and gives the bytes of its whole answer, which ends in `end`. Dropping the future ends every
/// process it started; those of a verb end by themselves, because it may have begun what nobody may cut off.
///
/// # Errors
/// If it cannot be started; how it ended if that was before its answer did.
pub(crate) async fn run(
    mut command: Command,
    input: &[u8],
    end: Vec<u8>,
    report: Option<Report>,
    is_verb: bool,
    limits: &TimeLimits,
) -> Result<Result<Vec<u8>, Unanswered>, io::Error> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(!is_verb);
    #[cfg(unix)]
    command.process_group(0);
    let mut group = Group {
        child: command.spawn()?,
        is_verb,
    };
    let pipes = (
        group.child.stdin.take(),
        group.child.stdout.take(),
        group.child.stderr.take(),
    );
    let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = pipes else {
        return Err(io::Error::other("it has no pipes"));
    };

    let deadline = Instant::now() + limits.total;
    let mut output = Output::until(end, report);
    let exchange = exchange(
        &mut group.child,
        &mut stdout,
        &mut stderr,
        &mut output,
        limits,
    );
    let send = async {
        // A child that ends early says why by its exit.
        if let Err(error) = stdin.write_all(input).await {
            tracing::debug!(%error, "collector took no input");
        }
        std::future::pending::<()>().await;
    };
    let outcome = tokio::select! {
        outcome = timeout_at(deadline, exchange) => outcome.unwrap_or(Err(Some(Ended::Late(limits.total)))),
        () = send => Err(None),
    };
    let ended = match outcome {
        Ok(()) => {
            if !is_verb {
                group.end();
            }
            reap(&mut group).await;
            return Ok(Ok(output.stdout));
        }
        Err(Some(ended)) => ended,
        Err(None) => how_it_ended(&mut group).await,
    };
    // The lease ends here, if the child has not.
    drop(stdin);
    Ok(Err(Unanswered { ended, output }))
}

async fn reap(group: &mut Group) {
    if timeout(WIND_UP, group.child.wait()).await.is_err() {
        tracing::warn!("the collector does not end");
    }
}

/// Reads until the answer has ended. `Err(None)`: the output ended first.
async fn exchange(
    child: &mut Child,
    stdout: &mut (impl AsyncRead + Unpin),
    stderr: &mut (impl AsyncRead + Unpin),
    output: &mut Output,
    limits: &TimeLimits,
) -> Result<(), Option<Ended>> {
    let mut heard = Instant::now();
    let (mut more, mut ended) = (true, false);
    let mut last = heard;
    let (mut answer, mut words) = (vec![0; 64 << 10], vec![0; 4 << 10]);
    loop {
        tokio::select! {
            read = stdout.read(&mut answer) => match read {
                Ok(0) | Err(_) => return Err(None),
                Ok(n) => {
                    heard = Instant::now();
                    if output.stdout.len() + n > limits.answer {
                        return Err(Some(Ended::TooLarge(limits.answer)));
                    }
                    if output.take(answer.get(..n).unwrap_or_default()) {
                        return Ok(());
                    }
                }
            },
            read = stderr.read(&mut words), if more => match read {
                Ok(0) | Err(_) => more = false,
                Ok(n) => {
                    heard = Instant::now();
                    output.hear(words.get(..n).unwrap_or_default());
                }
            },
            // What it started may hold the pipes open after it.
            _ = child.wait(), if !ended => {
                ended = true;
                last = Instant::now() + DRAIN;
            }
            () = tokio::time::sleep_until(last), if ended => return Err(None),
            () = tokio::time::sleep_until(heard + limits.silence) => {
                return Err(Some(Ended::Silent(limits.silence)));
            }
        }
    }
}

async fn how_it_ended(group: &mut Group) -> Ended {
    match timeout(WIND_UP, group.child.wait()).await {
        Ok(Ok(status)) => {
            #[cfg(unix)]
            if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
                return Ended::Killed(format!("signal {signal}"));
            }
            Ended::Exited(status.code().unwrap_or(-1))
        }
        Ok(Err(error)) => Ended::Cut(error.to_string()),
        Err(_) => Ended::Cut("it closed its output".to_owned()),
    }
}
