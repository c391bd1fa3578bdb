//! A person who answers what was agreed on, and remembers what was asked.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use rollcall_collect::{Collector, Prompt, Prompter, Reply, SshEnvironment, Unanswered};
use rollcall_converge::HostId;

use crate::ground::Ground;

/// Answers in their order; `None` does not want to answer.
#[derive(Debug, Default)]
pub(crate) struct Person {
    answers: Mutex<VecDeque<Option<Vec<&'static str>>>>,
    asked: Mutex<Vec<Prompt>>,
    banners: Mutex<Vec<String>>,
}

impl Prompter for Person {
    fn ask(&self, prompt: &Prompt, _: &AtomicBool) -> Result<Reply, Unanswered> {
        self.asked.lock().unwrap().push(prompt.clone());
        match self.answers.lock().unwrap().pop_front() {
            Some(Some(answers)) => Ok(Reply {
                answers: answers.into_iter().map(Into::into).collect(),
                keep: false,
            }),
            _ => Err(Unanswered::Cancelled),
        }
    }

    fn banner(&self, _: HostId, text: &str) {
        self.banners.lock().unwrap().push(text.to_owned());
    }
}

impl Person {
    pub(crate) fn says(answers: impl IntoIterator<Item = Option<Vec<&'static str>>>) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            ..Self::default()
        })
    }

    pub(crate) fn asked(&self) -> Vec<Prompt> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn banners(&self) -> Vec<String> {
        self.banners.lock().unwrap().clone()
    }
}

impl Ground {
    /// Has another collector, as after a restart, whose person this is; changes its environment first.
    pub(crate) fn anew(
        &mut self,
        person: Option<&Arc<Person>>,
        change: impl FnOnce(&mut SshEnvironment),
    ) {
        let mut environment = SshEnvironment::new(self.play.at("known_hosts"));
        environment.config = self
            .sshd
            .as_ref()
            .map(rollcall_testkit::sshd::Sshd::config_path);
        environment.prompter = person.map(|it| Arc::clone(it) as Arc<dyn Prompter>);
        change(&mut environment);
        self.collector = Collector::new(environment);
    }

    /// As the registry does, remembers how the host was signed in to.
    pub(crate) fn remember(&mut self) {
        self.host.sign_in = self.collector.contact(self.host.id).sign_in;
    }
}
