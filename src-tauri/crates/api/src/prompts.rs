//! Questions that only a person can answer, in one queue for all hosts, and how the window answers them.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rollcall_collect::{PATIENCE, Prompt, PromptField, PromptKind, Prompter, Reply, Unanswered};
use rollcall_converge::HostId;
use secrecy::SecretString;
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

use crate::announce::Event;
use crate::error::{ApiError, ErrorCode};
use crate::wire::{Banner, Notice, PromptFieldRow, PromptRow, PromptSubject};

/// How often it is looked whether a question is still wanted.
const LOOK: Duration = Duration::from_millis(100);

struct Open {
    id: Uuid,
    prompt: Prompt,
    reply: mpsc::Sender<Option<Reply>>,
}

/// Where questions lie until somebody answers them.
pub(crate) struct Desk {
    events: UnboundedSender<Event>,
    /// How long a question waits.
    patience: Duration,
    open: Mutex<Vec<Open>>,
    /// Banners that were shown; each is shown once.
    banners: Mutex<HashSet<(HostId, String)>>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    pub(crate) fn new(events: UnboundedSender<Event>) -> Arc<Self> {
        Self::with_patience(events, PATIENCE)
    }

    fn with_patience(events: UnboundedSender<Event>, patience: Duration) -> Arc<Self> {
        Arc::new(Self {
            events,
            patience,
            open: Mutex::default(),
            banners: Mutex::default(),
        })
    }

    fn open(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions that wait, in the order they came.
    pub(crate) fn rows(&self) -> Vec<PromptRow> {
        self.open().iter().map(row).collect()
    }

    fn announce(&self) {
        if self
            .events
            .send(Event::PromptsChanged(self.rows()))
            .is_err()
        {
            tracing::debug!("nobody listens to the application any more");
        }
    }

    /// Answers a question, or says that nobody will.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if it does not wait any more.
    pub(crate) fn answer(&self, id: Uuid, reply: Option<Reply>) -> Result<(), ApiError> {
        let answered = {
            let mut open = self.open();
            let at = open.iter().position(|it| it.id == id);
            at.map(|at| open.remove(at))
        };
        let answered = answered.ok_or_else(|| {
            ApiError::new(ErrorCode::NotFound, "This question does not wait any more.")
        })?;
        // Whoever asked may have gone a moment ago.
        drop(answered.reply.send(reply));
        self.announce();
        Ok(())
    }

    fn wait(
        &self,
        answers: &mpsc::Receiver<Option<Reply>>,
        given_up: &AtomicBool,
    ) -> Result<Reply, Unanswered> {
        let deadline = Instant::now() + self.patience;
        loop {
            match answers.recv_timeout(LOOK) {
                Ok(Some(reply)) => return Ok(reply),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(Unanswered::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) if given_up.load(Ordering::SeqCst) => {
                    return Err(Unanswered::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > deadline => {
                    return Err(Unanswered::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Prompter for Desk {
    fn ask(&self, prompt: &Prompt, given_up: &AtomicBool) -> Result<Reply, Unanswered> {
        let (reply, answers) = mpsc::channel();
        let id = Uuid::now_v7();
        self.open().push(Open {
            id,
            prompt: prompt.clone(),
            reply,
        });
        self.announce();
        let answer = self.wait(&answers, given_up);
        // One that was answered is gone already.
        let gave_up = {
            let mut open = self.open();
            let before = open.len();
            open.retain(|it| it.id != id);
            open.len() != before
        };
        if gave_up {
            self.announce();
        }
        answer
    }

    fn banner(&self, host: HostId, text: &str) {
        let mut banners = self.banners.lock().unwrap_or_else(PoisonError::into_inner);
        if text.is_empty() || !banners.insert((host, text.to_owned())) {
            return;
        }
        let notice = Notice::Banner(Banner {
            host: host.into(),
            text: text.to_owned(),
        });
        if self.events.send(Event::Notice(notice)).is_err() {
            tracing::debug!("nobody listens to the application any more");
        }
    }
}

fn row(open: &Open) -> PromptRow {
    let prompt = &open.prompt;
    PromptRow {
        id: open.id.to_string(),
        host: prompt.host.into(),
        asker: prompt.asker.clone(),
        subject: match &prompt.kind {
            PromptKind::Passphrase { file } => PromptSubject::Passphrase { file: file.clone() },
            PromptKind::Password { user } => PromptSubject::Password { user: user.clone() },
            PromptKind::Challenge { instructions } => PromptSubject::Challenge {
                instructions: instructions.clone(),
            },
            PromptKind::OpenSsh { text } => PromptSubject::OpenSsh { text: text.clone() },
        },
        fields: prompt.fields.iter().map(field).collect(),
        again: prompt.again,
        keepable: prompt.keepable,
    }
}

fn field(field: &PromptField) -> PromptFieldRow {
    PromptFieldRow {
        text: field.text.clone(),
        echo: field.echo,
    }
}

/// What the window sent as an answer. Its text is wiped from memory once it has been used.
pub(crate) fn reply(answers: Vec<String>, keep: bool) -> Reply {
    Reply {
        answers: answers.into_iter().map(SecretString::from).collect(),
        keep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(host: u128) -> Prompt {
        Prompt {
            host: HostId::new(Uuid::from_u128(host)),
            asker: format!("box-{host}"),
            kind: PromptKind::Password {
                user: "ada".to_owned(),
            },
            fields: vec![PromptField {
                text: "Password".to_owned(),
                echo: false,
            }],
            again: false,
            keepable: false,
        }
    }

    /// Asks on a thread of its own and waits until the question lies on the desk.
    fn asked(
        desk: &Arc<Desk>,
        events: &mut tokio::sync::mpsc::UnboundedReceiver<Event>,
        host: u128,
        given_up: &Arc<AtomicBool>,
    ) -> std::thread::JoinHandle<Result<Reply, Unanswered>> {
        let (desk, given_up) = (Arc::clone(desk), Arc::clone(given_up));
        let asking = std::thread::spawn(move || desk.ask(&prompt(host), &given_up));
        let wanted = format!("box-{host}");
        loop {
            if let Some(Event::PromptsChanged(rows)) = events.blocking_recv()
                && rows.iter().any(|row| row.asker == wanted)
            {
                return asking;
            }
        }
    }

    #[test]
    fn questions_of_all_hosts_stand_in_one_queue_and_each_gets_its_own_answer() {
        use secrecy::ExposeSecret as _;
        let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
        let desk = Desk::new(sender);
        let never = Arc::new(AtomicBool::new(false));
        let first = asked(&desk, &mut events, 1, &never);
        let second = asked(&desk, &mut events, 2, &never);
        let rows = desk.rows();
        assert_eq!(
            rows.iter().map(|it| it.asker.as_str()).collect::<Vec<_>>(),
            ["box-1", "box-2"]
        );
        let id = |at: usize| rows[at].id.parse().unwrap();
        desk.answer(id(1), Some(reply(vec!["two".into()], false)))
            .unwrap();
        let answer = second.join().unwrap().unwrap();
        assert_eq!(answer.answers[0].expose_secret(), "two");
        desk.answer(id(0), None).unwrap();
        assert_eq!(first.join().unwrap().unwrap_err(), Unanswered::Cancelled);
        assert!(desk.rows().is_empty());
        let error = desk.answer(id(0), None).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
    }

    #[test]
    fn a_question_that_is_given_up_goes_from_the_desk() {
        let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
        let desk = Desk::new(sender);
        let given_up = Arc::new(AtomicBool::new(false));
        let asking = asked(&desk, &mut events, 1, &given_up);
        given_up.store(true, Ordering::SeqCst);
        assert_eq!(asking.join().unwrap().unwrap_err(), Unanswered::Cancelled);
        assert!(desk.rows().is_empty());
    }

    #[test]
    fn a_question_that_nobody_answers_goes_after_its_time() {
        let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
        let desk = Desk::with_patience(sender, Duration::from_millis(300));
        let never = Arc::new(AtomicBool::new(false));
        let asking = asked(&desk, &mut events, 1, &never);
        assert_eq!(asking.join().unwrap().unwrap_err(), Unanswered::TimedOut);
        assert!(desk.rows().is_empty());
    }

    #[test]
    fn a_banner_is_shown_once() {
        let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
        let desk = Desk::new(sender);
        let host = HostId::new(Uuid::from_u128(1));
        desk.banner(host, "Be good.");
        desk.banner(host, "Be good.");
        desk.banner(host, "");
        desk.banner(host, "Be better.");
        let mut texts = Vec::new();
        while let Ok(Event::Notice(Notice::Banner(banner))) = events.try_recv() {
            texts.push(banner.text);
        }
        assert_eq!(texts, ["Be good.", "Be better."]);
    }
}
