//! What is sent to a host: one constant command, and a script with its arguments on standard input.

use std::fmt::Write as _;
use std::time::Duration;

use jiff::Timestamp;
use rollcall_converge::{
    Act, AdminName, Checkout, Generation, Head, HostPath, Linked, Mode, Origin, RefName, Removal,
    Repository, RollCall, RootKind, Search, Subject, Tier, Trashed, WorkspaceKind,
};
use uuid::Uuid;

use crate::transport::TimeLimits;

/// What every question begins with, and how it is run.
const COMMON: &str = include_str!("scripts/common.sh");
const MAIN: &str = include_str!("scripts/main.sh");

/// What `sh` runs: it reads a length, so many bytes, and evaluates them. The rest of the input is the lease.
pub(crate) const READER: &str =
    r#"PATH=$PATH:/usr/bin:/bin; IFS= read -r n; s=$(head -c "$n"); eval "$s""#;

/// The one command that goes over SSH. It means the same to sh, bash, zsh, fish, tcsh and nushell.
pub(crate) const COMMAND: &str =
    r#"exec /bin/sh -c 'PATH=$PATH:/usr/bin:/bin; IFS= read -r n; s=$(head -c "$n"); eval "$s"'"#;

/// Two random words that frame one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tokens {
    first: String,
    second: String,
}

impl Tokens {
    /// Fresh ones; `None` where the system has no randomness to give.
    pub(crate) fn random() -> Option<Self> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).ok()?;
        let word = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut word, byte| {
                // Writing to a string cannot fail.
                write!(word, "{byte:02x}").unwrap_or_default();
                word
            })
        };
        let (first, second) = bytes.split_at(16);
        Some(Self {
            first: word(first),
            second: word(second),
        })
    }

    /// One random word of 32 hexadecimal digits.
    pub(crate) fn word(&self) -> String {
        self.first.clone()
    }

    /// What opens the answer.
    pub(crate) fn opening(&self) -> Vec<u8> {
        format!("{}{}\0", self.first, self.second).into_bytes()
    }

    /// What closes roots, raw blocks and the answer. It stands nowhere in the script.
    pub(crate) fn closing(&self) -> Vec<u8> {
        format!("{}{}", self.second, self.first).into_bytes()
    }

    /// The last bytes of a whole answer.
    pub(crate) fn end(&self) -> Vec<u8> {
        format!("\0Z\0{}{}\0", self.second, self.first).into_bytes()
    }
}

/// Appends `bytes` as one word of a POSIX shell, whatever they are. NUL has no such word and is left out.
pub(crate) fn quote(bytes: &[u8], into: &mut Vec<u8>) {
    into.push(b'\'');
    for &byte in bytes {
        match byte {
            b'\'' => into.extend_from_slice(br"'\''"),
            0 => {}
            byte => into.push(byte),
        }
    }
    into.push(b'\'');
}

/// What a host is asked.
pub(crate) enum Question<'a> {
    /// To call the roll.
    Roll(&'a RollCall),
    /// To look at one path.
    Inspect(&'a HostPath),
    /// To look at some workspaces in depth.
    Deep(&'a [Subject]),
    /// To show what is in a workspace.
    Details(WorkspaceKind, &'a HostPath),
    /// To measure a folder.
    Measure(&'a HostPath),
    /// To look for repositories.
    Search(&'a Search),
    /// To move a workspace to the trash, or by way of it to remove it.
    Remove(&'a Removal),
    /// To take that back, if it began.
    Undo(&'a Removal),
    /// To bring something back from the trash, to another path if one is given.
    Restore(&'a Trashed, Option<&'a HostPath>),
    /// To remove something in the trash for good; if `true`, only if its days are over.
    Empty(&'a Trashed, bool),
    /// To do something with a linked worktree.
    Act(Uuid, &'a Linked, &'a Act),
    /// To make a linked worktree at a path.
    Create(Uuid, &'a Repository, &'a HostPath, &'a Checkout),
    /// To fetch from every remote of a repository.
    Fetch(Uuid, &'a Repository),
    /// To say which branches a repository has.
    Branches(&'a HostPath),
}

impl Question<'_> {
    /// The functions that answer it.
    fn functions(&self) -> &'static str {
        match self {
            Self::Roll(_) => include_str!("scripts/roll.sh"),
            Self::Inspect(_) => include_str!("scripts/inspect.sh"),
            Self::Deep(_) => include_str!("scripts/deep.sh"),
            Self::Details(..) => include_str!("scripts/details.sh"),
            Self::Measure(_) => include_str!("scripts/measure.sh"),
            Self::Search(_) => include_str!("scripts/search.sh"),
            Self::Branches(_) => include_str!("scripts/branches.sh"),
            Self::Act(..) | Self::Create(..) | Self::Fetch(..) => concat!(
                include_str!("scripts/deep.sh"),
                include_str!("scripts/trash.sh"),
                include_str!("scripts/remove.sh"),
                include_str!("scripts/verbs.sh")
            ),
            Self::Remove(_) | Self::Undo(_) | Self::Restore(..) | Self::Empty(..) => concat!(
                include_str!("scripts/deep.sh"),
                include_str!("scripts/trash.sh"),
                include_str!("scripts/remove.sh")
            ),
        }
    }

    /// Whether it changes something on the host. What has begun to do so is not ended by who asked for it, except for a
    /// fetch, which leaves nothing half done.
    pub(crate) fn is_verb(&self) -> bool {
        matches!(
            self,
            Self::Remove(_)
                | Self::Undo(_)
                | Self::Restore(..)
                | Self::Empty(..)
                | Self::Act(..)
                | Self::Create(..)
        )
    }

    /// The name of the one that begins.
    fn name(&self) -> &'static str {
        match self {
            Self::Roll(_) => "roll",
            Self::Inspect(_) => "inspect",
            Self::Deep(_) => "deep",
            Self::Details(..) => "details",
            Self::Measure(_) => "measure",
            Self::Search(_) => "search",
            Self::Remove(_) => "remove",
            Self::Undo(_) => "undo",
            Self::Restore(..) => "restore",
            Self::Empty(..) => "empty",
            Self::Act(_, _, Act::Lock(_)) => "lock",
            Self::Act(_, _, Act::Unlock) => "unlock",
            Self::Act(_, _, Act::Move(_)) => "move",
            Self::Act(_, _, Act::Repair(_)) => "repair",
            Self::Act(_, _, Act::Prune) => "prune",
            Self::Create(..) => "create",
            Self::Fetch(..) => "fetch",
            Self::Branches(_) => "branches",
        }
    }

    /// How long any one program of it may run. A walk may take as long as there is something to see.
    fn program_limit(&self, limits: &TimeLimits) -> Duration {
        match self {
            Self::Roll(_) | Self::Inspect(_) | Self::Details(..) | Self::Branches(_) => {
                limits.program
            }
            Self::Deep(_) | Self::Measure(_) | Self::Search(_) => limits.facts,
            Self::Fetch(..) => limits.total,
            // A file system may take as long as it wants to remove what is large.
            Self::Remove(_)
            | Self::Undo(_)
            | Self::Restore(..)
            | Self::Empty(..)
            | Self::Act(..)
            | Self::Create(..) => VERB,
        }
    }
}

/// How long any program of a verb may run.
const VERB: Duration = Duration::from_hours(24);

/// The words by which hosts may know a generation: those of GNU's `stat`, of BSD's, and of hosts that keep no birth times.
fn words_of(generation: Generation) -> [String; 3] {
    let Generation { inode, origin } = generation;
    let (seconds, nanos) = match origin {
        Origin::WrittenOnce(seconds) => {
            return [
                String::new(),
                String::new(),
                format!("{inode} once {seconds}"),
            ];
        }
        Origin::BirthSecond(seconds) => (seconds, 0),
        Origin::Birth { seconds, nanos } => (seconds, nanos),
    };
    let nanoseconds = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let gnu = Timestamp::from_nanosecond(nanoseconds).map_or_else(
        |_| String::new(),
        |at| format!("{inode} {}", at.strftime("%Y-%m-%d %H:%M:%S.%9f +0000")),
    );
    [gnu, format!("{inode} {seconds}.{nanos:09}"), String::new()]
}

/// The words of a removal that both it and its undoing begin with.
fn words_of_removal(removal: &Removal, word: &mut impl FnMut(&[u8])) {
    let consent = &removal.consent;
    word(called(consent.kind));
    word(consent.path.as_bytes());
    let common = consent.existence.common_dir.as_ref();
    word(common.map(HostPath::as_bytes).unwrap_or_default());
}

/// What every verb begins with: what it is about, and the epoch of the decision behind it.
fn words_of_verb(id: Uuid, epoch: u64, limits: &TimeLimits, word: &mut impl FnMut(&[u8])) {
    word(id.to_string().as_bytes());
    word(epoch.to_string().as_bytes());
    word(limits.fail_at.as_bytes());
}

fn words_of_repository(repository: &Repository, word: &mut impl FnMut(&[u8])) {
    word(repository.common_dir.as_bytes());
    for known in words_of(repository.generation) {
        word(known.as_bytes());
    }
}

fn words_of_linked(linked: &Linked, word: &mut impl FnMut(&[u8])) {
    word(linked.common_dir.as_bytes());
    word(linked.admin_name.as_bytes());
    word(linked.path.as_bytes());
    for known in words_of(linked.generation) {
        word(known.as_bytes());
    }
}

/// What the scripts call a kind.
fn called(kind: WorkspaceKind) -> &'static [u8] {
    match kind {
        WorkspaceKind::Repository => b"repository",
        WorkspaceKind::Worktree => b"worktree",
        WorkspaceKind::Directory => b"directory",
    }
}

/// The whole input for [`READER`]: length line, the functions of the collector, and the call of its `main`.
pub(crate) fn input(tokens: &Tokens, question: &Question<'_>, limits: &TimeLimits) -> Vec<u8> {
    let mut script = [COMMON, question.functions(), MAIN, "main"]
        .concat()
        .into_bytes();
    let mut word = |bytes: &[u8]| {
        script.push(b' ');
        quote(bytes, &mut script);
    };
    word(tokens.first.as_bytes());
    word(tokens.second.as_bytes());
    word(question.name().as_bytes());
    word(limits.facts.as_secs().to_string().as_bytes());
    word(
        question
            .program_limit(limits)
            .as_secs()
            .to_string()
            .as_bytes(),
    );
    match question {
        Question::Roll(call) => {
            word(match call.tier {
                Tier::Existence => b"existence",
                Tier::Facts => b"facts",
            });
            word(call.roots.len().to_string().as_bytes());
            for request in &call.roots {
                word(match request.root.kind {
                    RootKind::Repository => b"repository",
                    RootKind::Directory => b"directory",
                });
                word(request.root.path.as_bytes());
                let base = request.base.as_ref().map(RefName::as_bytes);
                word(base.unwrap_or_default());
                word(request.known.len().to_string().as_bytes());
                for path in &request.known {
                    word(path.as_bytes());
                }
            }
            word(call.trash.len().to_string().as_bytes());
            for (place, _) in &call.trash {
                word(place.as_bytes());
            }
        }
        Question::Inspect(path) | Question::Measure(path) | Question::Branches(path) => {
            word(path.as_bytes());
        }
        Question::Details(kind, path) => {
            word(called(*kind));
            word(path.as_bytes());
        }
        Question::Deep(subjects) => {
            word(subjects.len().to_string().as_bytes());
            for subject in *subjects {
                word(called(subject.kind));
                word(subject.path.as_bytes());
                let base = subject.base.as_ref().map(RefName::as_bytes);
                word(base.unwrap_or_default());
                let known = subject.known.as_ref();
                let commits =
                    known.and_then(|it| it.base_commit.as_ref().zip(it.head_commit.as_ref()));
                let commits = commits.map(|(base, head)| format!("{base} {head}"));
                word(commits.unwrap_or_default().as_bytes());
            }
        }
        Question::Remove(removal) => {
            let consent = &removal.consent;
            words_of_verb(consent.id, removal.epoch, limits, &mut word);
            words_of_removal(removal, &mut word);
            let existence = &consent.existence;
            let look = consent.look.as_ref();
            let name = existence.admin_name.as_ref();
            word(name.map(AdminName::as_bytes).unwrap_or_default());
            word(
                consent
                    .mount
                    .as_ref()
                    .map(HostPath::as_bytes)
                    .unwrap_or_default(),
            );
            let mount = removal.repository_mount.as_ref();
            word(mount.map(HostPath::as_bytes).unwrap_or_default());
            for known in words_of(consent.generation) {
                word(known.as_bytes());
            }
            word(match consent.mode {
                Mode::Trash => b"trash",
                Mode::DeleteNow => b"delete_now",
            });
            let goes = consent.branch_to_delete();
            word(
                goes.map(|(_, commit)| commit.as_bytes())
                    .unwrap_or_default(),
            );
            let branch = match &existence.head {
                Head::Branch { name, .. } | Head::Unborn { name: Some(name) } => name.as_bytes(),
                Head::Detached { .. } | Head::Unborn { name: None } | Head::None => b"",
            };
            word(branch);
            word(existence.head.commit().unwrap_or_default().as_bytes());
            let digest = look.and_then(|it| it.deep.digest.as_ref().ok());
            // The words of it are told apart by the blanks between them; the last has one, too.
            let digest = match digest {
                Some(digest) => format!("{} ", digest.trim()),
                None if consent.unseen && consent.mode == Mode::Trash => "*".to_owned(),
                None => String::new(),
            };
            word(digest.as_bytes());
            word(consent.days.to_string().as_bytes());
            let known: Vec<String> = consent.restored.iter().map(Uuid::to_string).collect();
            word(known.join(" ").as_bytes());
            let only = look.map(|it| it.deep.unheld_commits.join(" "));
            word(only.unwrap_or_default().as_bytes());
        }
        Question::Undo(removal) => {
            words_of_verb(removal.consent.id, removal.epoch, limits, &mut word);
            words_of_removal(removal, &mut word);
        }
        Question::Restore(trashed, path) => {
            words_of_verb(trashed.id, 0, limits, &mut word);
            word(trashed.place.as_bytes());
            word(path.map(HostPath::as_bytes).unwrap_or_default());
        }
        Question::Empty(trashed, expired) => {
            words_of_verb(trashed.id, 0, limits, &mut word);
            word(trashed.place.as_bytes());
            word(trashed.manifest.as_bytes());
            word(if *expired { b"y" } else { b"" });
        }
        Question::Act(id, linked, act) => {
            words_of_verb(*id, 0, limits, &mut word);
            words_of_linked(linked, &mut word);
            match act {
                Act::Lock(reason) => word(reason.as_bytes()),
                Act::Unlock => {}
                Act::Move(path) | Act::Repair(path) => word(path.as_bytes()),
                Act::Prune => {
                    let mount = linked.mount.as_ref().map(HostPath::as_bytes);
                    word(mount.unwrap_or_default());
                    word(linked.head.as_deref().unwrap_or_default().as_bytes());
                }
            }
        }
        Question::Create(id, repository, path, checkout) => {
            words_of_verb(*id, 0, limits, &mut word);
            words_of_repository(repository, &mut word);
            word(path.as_bytes());
            let (how, start): (&[u8], &[u8]) = match checkout {
                Checkout::New { start, .. } => (b"new", start.as_bytes()),
                Checkout::Existing { .. } => (b"existing", b""),
                Checkout::Remote { follows, .. } => (b"remote", follows.as_bytes()),
            };
            word(how);
            word(checkout.branch().as_bytes());
            word(start);
        }
        Question::Fetch(id, repository) => {
            words_of_verb(*id, 0, limits, &mut word);
            words_of_repository(repository, &mut word);
        }
        Question::Search(search) => {
            word(search.folder.as_bytes());
            word(search.depth.to_string().as_bytes());
            word(if search.hidden { b"y" } else { b"n" });
        }
    }
    word(tokens.first.as_bytes());
    script.push(b'\n');
    let mut input = format!("{}\n", script.len()).into_bytes();
    input.append(&mut script);
    input
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;

    /// The shells of this machine that may stand behind `sh` on a host.
    fn shells() -> Vec<Vec<&'static str>> {
        let all = vec![
            vec!["sh"],
            vec!["dash"],
            vec!["bash"],
            vec!["busybox", "sh"],
            vec!["mksh"],
            vec!["zsh", "--emulate", "sh"],
        ];
        let found: Vec<_> = all
            .into_iter()
            .filter(|shell| {
                Command::new(shell[0])
                    .args(&shell[1..])
                    .args(["-c", ":"])
                    .output()
                    .is_ok_and(|out| out.status.success())
            })
            .collect();
        assert!(!found.is_empty(), "no shell at all");
        found
    }

    /// What a shell makes of the words, sent as the collector is: counted, and evaluated.
    fn through(shell: &[&str], words: &[Vec<u8>]) -> Vec<u8> {
        let mut script =
            b"LC_ALL=C; export LC_ALL; show() { printf '%s\\000' \"$@\"; }; show".to_vec();
        for word in words {
            script.push(b' ');
            quote(word, &mut script);
        }
        script.push(b'\n');
        let mut child = Command::new(shell[0])
            .args(&shell[1..])
            .args(["-c", READER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin
            .write_all(format!("{}\n", script.len()).as_bytes())
            .unwrap();
        stdin.write_all(&script).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap().stdout
    }

    fn joined(words: &[Vec<u8>]) -> Vec<u8> {
        words
            .iter()
            .flat_map(|word| word.iter().copied().chain([0]))
            .collect()
    }

    #[test]
    fn i18_every_byte_but_nul_reaches_every_shell_as_itself() {
        let mut words: Vec<Vec<u8>> = (1..=255_u8).map(|byte| vec![byte]).collect();
        words.push((0x80..=0x88_u8).collect());
        words.push((1..=255_u8).collect());
        words.push(b"$(touch x)`id`\\\n'\"!~ -rf *\n\n".to_vec());
        words.push(Vec::new());
        for shell in shells() {
            assert_eq!(through(&shell, &words), joined(&words), "{shell:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn i18_quoted_bytes_stay_one_word(
            words in prop::collection::vec(prop::collection::vec(1..=255_u8, 0..40), 1..6)
        ) {
            for shell in shells() {
                prop_assert_eq!(through(&shell, &words), joined(&words));
            }
        }
    }

    #[test]
    fn e8_rb27_an_input_cut_anywhere_runs_nothing() {
        let tokens = Tokens::random().unwrap();
        let path = HostPath::new("/");
        let whole = input(&tokens, &Question::Inspect(&path), &TimeLimits::default());
        let start = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let script = &whole[start..];
        // Without its last byte, a newline, nothing is missing.
        let missing = script.len() - 1;
        let cuts = (0..missing - 1000)
            .step_by(397)
            .chain(missing - 1000..missing);
        for shell in shells() {
            for at in cuts.clone() {
                let said = evaluated(&shell, &script[..at]);
                assert!(said.is_empty(), "{shell:?} cut at {at} of {missing}");
            }
            // What would be said is heard.
            assert!(evaluated(&shell, script).ends_with(&tokens.end()));
        }
    }

    /// What a shell says that got this much of a script. Its lease goes on, so it says all it has to.
    fn evaluated(shell: &[&str], script: &[u8]) -> Vec<u8> {
        let mut child = Command::new(shell[0])
            .args(&shell[1..])
            .args(["-c", READER])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lease = child.stdin.take().unwrap();
        lease
            .write_all(format!("{}\n", script.len()).as_bytes())
            .unwrap();
        lease.write_all(script).unwrap();
        let mut said = Vec::new();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_to_end(&mut said).unwrap();
        drop(lease);
        child.wait().unwrap();
        said
    }

    #[test]
    fn a_loop_does_the_last_share_although_another_got_the_end_of_its_line() {
        let roll = include_str!("scripts/roll.sh");
        let script = format!(
            "{roll}\nunit() {{ echo \"did $1\"; }}\nhand_in() {{ :; }}\nletters='a b' S72=0 E72=1 S73=1 E73=3\n\
             printf 'b\\na' | {{ exec 5<&0; worker; }}\n"
        );
        for shell in shells() {
            let out = Command::new(shell[0])
                .args(&shell[1..])
                .args(["-c", &script])
                .output()
                .unwrap();
            let said = String::from_utf8(out.stdout).unwrap();
            assert_eq!(said, "did 1\ndid 2\ndid 3\n", "{shell:?}");
        }
    }

    #[test]
    fn the_script_does_not_contain_its_own_close() {
        let tokens = Tokens::random().unwrap();
        let path = HostPath::new("/x");
        let sent = input(&tokens, &Question::Inspect(&path), &TimeLimits::default());
        let close = tokens.closing();
        assert!(!sent.windows(close.len()).any(|window| window == close));
        let opening = tokens.opening();
        assert!(
            !sent
                .windows(opening.len() - 1)
                .any(|window| window == &opening[..opening.len() - 1])
        );
    }

    #[test]
    fn the_remote_command_is_the_reader_and_nothing_that_needs_quoting_twice() {
        assert_eq!(COMMAND, format!("exec /bin/sh -c '{READER}'"));
        assert!(!READER.contains(['\'', '!', '\n', '\\']));
    }
}
