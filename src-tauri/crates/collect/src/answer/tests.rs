//! What an answer may be, and what it may never be taken for.

use std::os::unix::ffi::OsStrExt as _;

use proptest::prelude::*;
use rollcall_converge::{HostId, Root, RootId, RootOutcome, RootRequest, Tier};
use rollcall_testkit::repo::Playground;
use uuid::Uuid;

use super::*;
use crate::cursor::find;
use crate::script::{Question, input};
use crate::transport::TimeLimits;

fn call_of(paths: &[&std::path::Path]) -> RollCall {
    let host = HostId::new(Uuid::from_u128(1));
    let roots = paths
        .iter()
        .enumerate()
        .map(|(at, path)| RootRequest {
            root: Root {
                id: RootId::new(Uuid::from_u128(at as u128)),
                host,
                kind: RootKind::Repository,
                path: HostPath::new(path.as_os_str().as_bytes()),
                mount: None,
            },
            known: vec![HostPath::new("/no/such")],
            base: None,
        })
        .collect();
    RollCall {
        host,
        tier: Tier::Facts,
        revision: 0,
        trash: Vec::new(),
        roots,
    }
}

#[test]
fn only_what_can_name_a_machine_does() {
    for (said, name) in [
        (
            "0123456789abcdef0123456789ABCDEF",
            "0123456789abcdef0123456789abcdef",
        ),
        (
            "564D1A2B-0000-4000-8000-001122334455",
            "564d1a2b-0000-4000-8000-001122334455",
        ),
        ("", ""),
        ("uninitialized", ""),
        ("00000000-0000-0000-0000-000000000000", ""),
        ("cat: no", ""),
        (&"a".repeat(65), ""),
    ] {
        assert_eq!(machine_name(said), name, "{said}");
    }
}

/// A real answer about two repositories and one that is not there.
fn real() -> (Vec<u8>, Tokens, RollCall) {
    let play = Playground::new().unwrap();
    let one = play.repo("one").unwrap();
    one.worktree("tree", "tree").unwrap();
    let two = play.empty_repo("two").unwrap();
    let none = play.at("none");
    let call = call_of(&[one.path(), two.path(), &none]);
    let tokens = Tokens::random().unwrap();
    let sent = input(&tokens, &Question::Roll(&call), &TimeLimits::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let bytes = runtime
        .block_on(async {
            let shell = crate::local::shell(&[]);
            crate::local::run(
                shell,
                &sent,
                tokens.end(),
                None,
                false,
                &TimeLimits::default(),
            )
            .await
        })
        .unwrap()
        .unwrap();
    (bytes, tokens, call)
}

#[test]
fn i1_b11_an_answer_cut_at_any_byte_is_no_snapshot() {
    let (bytes, tokens, call) = real();
    let now = Timestamp::now();
    assert!(snapshot(&bytes, &tokens, &call, now).is_ok());
    for end in 0..bytes.len() {
        let cut = bytes.get(..end).unwrap();
        assert!(snapshot(cut, &tokens, &call, now).is_err(), "cut at {end}");
    }
}

#[test]
fn i1_a_missing_field_anywhere_is_no_snapshot_of_the_same_roots() {
    let (bytes, tokens, call) = real();
    let now = Timestamp::now();
    let whole = snapshot(&bytes, &tokens, &call, now).unwrap();
    let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    for skip in 0..fields.len() - 1 {
        let mut rest = fields.clone();
        rest.remove(skip);
        let joined = rest.join(&0);
        // What can still be read says no more workspaces gone than the whole answer did.
        if let Ok(read) = snapshot(&joined, &tokens, &call, now) {
            for ((_, before), (_, after)) in whole.roots().iter().zip(read.roots()) {
                if let (RootOutcome::Complete(before), RootOutcome::Complete(after)) =
                    (before, after)
                {
                    assert_eq!(
                        before.assertions().len() + before.unread().len(),
                        after.assertions().len() + after.unread().len(),
                        "without field {skip}"
                    );
                }
            }
        }
    }
}

#[test]
fn b2_rb02_noise_before_and_after_changes_nothing() {
    let (bytes, tokens, call) = real();
    let now = Timestamp::now();
    let whole = snapshot(&bytes, &tokens, &call, now).unwrap();
    let mut noisy = b"Last login: \x1b[1mtoday\0\r\nWelcome \"{\" 12%\n".to_vec();
    noisy.extend_from_slice(&bytes);
    noisy.extend_from_slice(b"logout\n\0Z\0");
    assert_eq!(snapshot(&noisy, &tokens, &call, now).unwrap(), whole);
}

#[test]
fn rb08_the_script_echoed_back_is_no_answer() {
    let (_, tokens, call) = real();
    let sent = input(&tokens, &Question::Roll(&call), &TimeLimits::default());
    let read = snapshot(&sent, &tokens, &call, Timestamp::now());
    assert_eq!(read, Err(Unreadable::NotOpened));
}

#[test]
fn generations_are_read_from_both_kinds_of_stat() {
    let gnu = generation(b"7 2026-12-01 06:47:18.574274199 +0000").unwrap();
    let bsd = generation(b"7 1796107638.574274199").unwrap();
    assert_eq!(gnu, bsd);
    assert!(gnu.is_strong());
    let whole = generation(b"7 1796107638.000000000").unwrap();
    assert_eq!(whole.origin, Origin::BirthSecond(1_796_107_638));
    for nothing in [b"7 -".as_slice(), b"7 0", b"w m", b"", b"7 1.xyz"] {
        assert_eq!(generation(nothing), None);
    }
}

fn tokens() -> Tokens {
    Tokens::random().unwrap()
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let tokens = tokens();
        let call = call_of(&[std::path::Path::new("/a")]);
        let mut answer = tokens.opening();
        answer.extend_from_slice(&bytes);
        prop_assert!(snapshot(&answer, &tokens, &call, Timestamp::UNIX_EPOCH).is_err());
    }

    #[test]
    fn any_records_are_read_without_panic(
        fields in prop::collection::vec(prop_oneof![
            prop::sample::select(vec!["S", "R", "E", "X", "I", "G", "O", "M", "F", "T", "U", "C", "D", "L", "B",
                "W", "K", "Z", "0", "1", "2", "", "z", "/a", "there", "gone", "refs/heads/m x"]),
            Just("CLOSE"),
        ], 0..60)
    ) {
        let tokens = tokens();
        let call = call_of(&[std::path::Path::new("/a")]);
        let close = String::from_utf8(tokens.closing()).unwrap();
        let mut answer = tokens.opening();
        for field in fields {
            answer.extend_from_slice(if field == "CLOSE" { close.as_bytes() } else { field.as_bytes() });
            answer.push(0);
        }
        // Whatever comes out, it came out.
        drop(snapshot(&answer, &tokens, &call, Timestamp::UNIX_EPOCH));
        drop(inspection(&answer, &tokens, &HostPath::new("/a")));
    }
}

/// What a host that lies, or a line that damages, may make of an answer.
#[derive(Clone, Debug)]
enum Damage {
    Flip(usize, u8),
    Cut(usize, usize),
    Again(usize, usize),
    Swap(usize, usize),
}

impl Damage {
    fn of(&self, answer: &mut Vec<u8>, opening: usize) {
        let body = answer.len() - opening;
        let at = |n: usize| opening + n % body;
        match *self {
            Self::Flip(n, by) => {
                let n = at(n);
                answer[n] ^= by;
            }
            Self::Cut(from, long) => {
                let from = at(from);
                let to = (from + long).min(answer.len());
                answer.drain(from..to);
            }
            Self::Again(from, long) => {
                let from = at(from);
                let to = (from + long).min(answer.len());
                let part = answer[from..to].to_vec();
                answer.splice(from..from, part);
            }
            Self::Swap(one, other) => answer.swap(at(one), at(other)),
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = 0..100_000_usize;
    prop_oneof![
        (place.clone(), 1..=255_u8).prop_map(|(n, by)| Damage::Flip(n, by)),
        (place.clone(), 1..80_usize).prop_map(|(n, long)| Damage::Cut(n, long)),
        (place.clone(), 1..80_usize).prop_map(|(n, long)| Damage::Again(n, long)),
        (place.clone(), place).prop_map(|(one, other)| Damage::Swap(one, other)),
    ]
}

#[test]
fn i1_no_damage_to_an_answer_makes_a_workspace_absent() {
    let (bytes, tokens, call) = real();
    let now = Timestamp::now();
    let opening = find(&bytes, &tokens.opening()).unwrap() + tokens.opening().len();
    let whole = snapshot(&bytes, &tokens, &call, now).unwrap();
    let told = |outcome: &RootOutcome| match outcome {
        RootOutcome::Complete(all) => Some(all.assertions().len() + all.unread().len()),
        RootOutcome::NoSuchFile { .. } | RootOutcome::Failed(_) => None,
    };
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(4_000)
    };
    proptest!(config, |(damages in prop::collection::vec(damage(), 1..4))| {
        let mut answer = bytes.clone();
        for damage in &damages {
            damage.of(&mut answer, opening);
        }
        if let Ok(read) = snapshot(&answer, &tokens, &call, now) {
            for ((_, before), (_, after)) in whole.roots().iter().zip(read.roots()) {
                if let Some(after) = told(after) {
                    prop_assert_eq!(told(before), Some(after));
                }
                let invented = matches!(after, RootOutcome::NoSuchFile { .. });
                prop_assert!(!invented || told(before).is_none());
            }
        }
    });
}
