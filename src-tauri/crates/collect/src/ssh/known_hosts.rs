//! Which keys of a host are known (I19). Lines are parsed one by one by a library and matched here: a bad line
//! hides no other, hashed names, ports, wildcards, negation and markers count as they do for OpenSSH.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use rollcall_converge::OfferedKey;
use sha1::Sha1;
use ssh_key::known_hosts::{Entry, HostPatterns, Marker};
use ssh_key::{HashAlg, PublicKey};

/// Bytes of one file that are read at most.
const BYTES: u64 = 32 << 20;

/// What is known about the key a host shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is one of the host's keys.
    Known,
    /// No key of this type is known for the host; keys of other types may be.
    Unknown(OfferedKey),
    /// Another key of the same type is known.
    Changed(OfferedKey),
    /// This very key is marked as revoked.
    Revoked(OfferedKey),
}

/// The keys known for one host.
#[derive(Debug, Default)]
pub(crate) struct KnownKeys {
    keys: Vec<PublicKey>,
    revoked: Vec<PublicKey>,
    /// Whether certificates of some authority would be accepted, which this transport cannot check.
    pub(crate) authority: bool,
}

impl KnownKeys {
    /// Reads files of host keys for a host. A file that is not there holds none.
    ///
    /// # Errors
    /// If a file is there and cannot be read: then nothing can be said about any key.
    pub(crate) fn read<'a>(
        files: impl Iterator<Item = &'a Path>,
        name: &str,
        port: Option<u16>,
    ) -> Result<Self, (&'a Path, io::Error)> {
        let mut entries = Vec::new();
        for file in files {
            match fs::metadata(file) {
                Ok(meta) if meta.len() > BYTES => {
                    return Err((file, io::Error::other("it is larger than 32 MiB")));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err((file, error)),
                // A device such as `/dev/null` reads as what it holds.
                Ok(_) => {}
            }
            let bytes = fs::read(file).map_err(|error| (file, error))?;
            entries.extend(parse(&String::from_utf8_lossy(&bytes)));
        }
        Ok(Self::of(&entries, name, port))
    }

    fn of(entries: &[Entry], name: &str, port: Option<u16>) -> Self {
        let name = name.to_ascii_lowercase();
        let full = match port {
            Some(port) if port != 22 => format!("[{name}]:{port}"),
            _ => name.clone(),
        };
        let found = Self::under(entries, &full);
        // As OpenSSH does: a name without port speaks for every port that has no entry of its own.
        if found.keys.is_empty() && full != name {
            let mut plain = Self::under(entries, &name);
            plain.revoked.extend(found.revoked);
            plain.authority |= found.authority;
            return plain;
        }
        found
    }

    fn under(entries: &[Entry], name: &str) -> Self {
        let mut known = Self::default();
        for entry in entries
            .iter()
            .filter(|it| matches(it.host_patterns(), name))
        {
            let key = entry.public_key().clone();
            match entry.marker() {
                None => known.keys.push(key),
                Some(Marker::Revoked) => known.revoked.push(key),
                Some(Marker::CertAuthority) => known.authority = true,
            }
        }
        known
    }

    /// The types of the keys, as OpenSSH names them.
    pub(crate) fn types(&self) -> Vec<String> {
        self.keys
            .iter()
            .map(|key| key.algorithm().to_string())
            .collect()
    }

    /// Judges the key a host shows, given as it comes over the wire. `None` if it is no key at all.
    pub(crate) fn judge(&self, blob: &[u8]) -> Option<Verdict> {
        let shown = PublicKey::from_bytes(blob).ok()?;
        let mut offered = OfferedKey {
            algorithm: shown.algorithm().to_string(),
            fingerprint: shown.fingerprint(HashAlg::Sha256).to_string(),
            known: Vec::new(),
            hop: None,
        };
        let same = |key: &&PublicKey| key.key_data() == shown.key_data();
        if self.revoked.iter().any(|key| same(&key)) {
            return Some(Verdict::Revoked(offered));
        }
        if self.keys.iter().any(|key| same(&key)) {
            return Some(Verdict::Known);
        }
        let alike = self
            .keys
            .iter()
            .any(|key| key.algorithm() == shown.algorithm());
        offered.known = self
            .keys
            .iter()
            .filter(|key| !alike || key.algorithm() == shown.algorithm())
            .map(|key| key.fingerprint(HashAlg::Sha256).to_string())
            .collect();
        offered.known.sort();
        offered.known.dedup();
        Some(if alike {
            Verdict::Changed(offered)
        } else {
            Verdict::Unknown(offered)
        })
    }

    /// The known keys of the type of one, as files write them.
    pub(crate) fn same_type(&self, blob: &[u8]) -> Vec<String> {
        let Ok(shown) = PublicKey::from_bytes(blob) else {
            return Vec::new();
        };
        let alike = |key: &&PublicKey| key.algorithm() == shown.algorithm();
        let text = |key: &PublicKey| Some(key.to_openssh().ok()?.trim().to_owned());
        self.keys.iter().filter(alike).filter_map(text).collect()
    }
}

/// The `SHA256:…` fingerprint of a key. `None` if the bytes are no key.
pub(crate) fn fingerprint(blob: &[u8]) -> Option<String> {
    let key = PublicKey::from_bytes(blob).ok()?;
    Some(key.fingerprint(HashAlg::Sha256).to_string())
}

/// The lines that make a key known and others, written as files do, revoked for this host. `None` if the bytes are
/// no key.
pub(crate) fn lines(
    name: &str,
    port: Option<u16>,
    blob: &[u8],
    superseded: &[String],
    hashed: bool,
) -> Option<String> {
    let key = PublicKey::from_bytes(blob).ok()?.to_openssh().ok()?;
    let name = name.to_ascii_lowercase();
    let name = match port {
        Some(port) if port != 22 => format!("[{name}]:{port}"),
        _ => name,
    };
    let name = if hashed { hide(&name)? } else { name };
    let mut lines = format!("{name} {}\n", key.trim());
    for old in superseded {
        // Writing to a string cannot fail.
        writeln!(lines, "@revoked {name} {old}").unwrap_or_default();
    }
    Some(lines)
}

/// A name as `HashKnownHosts` has it written.
fn hide(name: &str) -> Option<String> {
    let mut salt = [0_u8; 20];
    getrandom::fill(&mut salt).ok()?;
    let mac = Hmac::<Sha1>::new_from_slice(&salt).ok()?.chain_update(name);
    let hashed = HostPatterns::HashedName {
        salt: salt.to_vec(),
        hash: mac.finalize().into_bytes().into(),
    };
    Some(hashed.to_string())
}

fn parse(text: &str) -> Vec<Entry> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| {
            // Marker, names, type, key; what follows is a comment.
            let fields = if line.starts_with('@') { 4 } else { 3 };
            let words: Vec<&str> = line.split_ascii_whitespace().take(fields).collect();
            Entry::from_str(&words.join(" ")).ok()
        })
        .collect()
}

fn matches(patterns: &HostPatterns, name: &str) -> bool {
    match patterns {
        HostPatterns::HashedName { salt, hash } => Hmac::<Sha1>::new_from_slice(salt)
            .is_ok_and(|mac| mac.chain_update(name).verify_slice(hash).is_ok()),
        HostPatterns::Patterns(patterns) => {
            let mut found = false;
            for pattern in patterns {
                let pattern = pattern.to_ascii_lowercase();
                match pattern.strip_prefix('!') {
                    Some(never) if glob(never, name) => return false,
                    Some(_) => {}
                    None => found |= glob(&pattern, name),
                }
            }
            found
        }
    }
}

/// Whether a pattern of `*` and `?` matches a whole text. Linear in both for each star.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(it) if *it == '?' || Some(it) == text.get(t) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|it| *it == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const TWO: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB3xKtPhVVYAOcRAyO4KMPMa+XLRvcN8hdpwZPYxlXgS";

    fn judge(file: &str, name: &str, port: u16) -> Verdict {
        let key = PublicKey::from_openssh(ONE).unwrap().to_bytes().unwrap();
        KnownKeys::of(&parse(file), name, Some(port))
            .judge(&key)
            .unwrap()
    }

    fn unknown(verdict: &Verdict) -> bool {
        matches!(verdict, Verdict::Unknown(_))
    }

    #[test]
    fn b4_rb15_names_match_with_port_wildcard_negation_and_case() {
        assert_eq!(judge(&format!("h {ONE}"), "H", 22), Verdict::Known);
        assert_eq!(judge(&format!("[h]:2222 {ONE}"), "h", 2222), Verdict::Known);
        assert_eq!(judge(&format!("h {ONE}"), "h", 2222), Verdict::Known);
        assert!(unknown(&judge(&format!("[h]:2222 {ONE}"), "h", 22)));
        assert_eq!(
            judge(&format!("a,*.corp {ONE}"), "x.corp", 22),
            Verdict::Known
        );
        assert!(unknown(&judge(
            &format!("*.corp,!x.corp {ONE}"),
            "x.corp",
            22
        )));
        let other = judge(&format!("[h]:2222 {TWO}\nh {ONE}"), "h", 2222);
        assert!(matches!(&other, Verdict::Changed(key) if key.known.len() == 1));
    }

    #[test]
    fn b4_hashed_names_match() {
        // As `ssh-keygen -H` writes it, made here with a salt of our own.
        let salt = [7_u8; 20];
        let mac = Hmac::<Sha1>::new_from_slice(&salt)
            .unwrap()
            .chain_update("[h]:2222");
        let hash: [u8; 20] = mac.finalize().into_bytes().into();
        let hashed = HostPatterns::HashedName {
            salt: salt.to_vec(),
            hash,
        };
        assert!(matches(&hashed, "[h]:2222"));
        assert!(!matches(&hashed, "h"));
    }

    #[test]
    fn rb16_a_revoked_key_stays_revoked_beside_a_good_line() {
        let file = format!("h {ONE}\n@revoked * {ONE}\n");
        assert!(matches!(judge(&file, "h", 22), Verdict::Revoked(_)));
        let file = format!("h {ONE}\n@revoked * {ONE}\n");
        assert!(matches!(judge(&file, "h", 2222), Verdict::Revoked(_)));
    }

    #[test]
    fn rb16_an_authority_is_no_key_of_the_host() {
        let entries = parse(&format!("@cert-authority * {ONE}"));
        let known = KnownKeys::of(&entries, "h", None);
        assert!(known.authority && known.keys.is_empty());
    }

    #[test]
    fn rb17_bad_lines_tabs_line_ends_and_comments_hide_nothing() {
        let long = "x".repeat(5000);
        let file = format!(
            "garbage\n\u{fffd} \n# h {TWO}\nh ssh-wrong AAAA\nh\t{} {long} # more\r\n",
            ONE.replace(' ', "\t")
        );
        assert_eq!(judge(&file, "h", 22), Verdict::Known);
    }

    #[test]
    fn rb17_a_file_that_cannot_be_read_is_an_error_and_not_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert!(KnownKeys::read([folder.path()].into_iter(), "h", None).is_err());
        let missing = folder.path().join("missing");
        assert!(KnownKeys::read([missing.as_path()].into_iter(), "h", None).is_ok());
    }

    #[test]
    fn rb14_the_line_that_is_written_is_read_back() {
        let key = PublicKey::from_openssh(ONE).unwrap().to_bytes().unwrap();
        for port in [22, 2222] {
            for hashed in [false, true] {
                let lines = lines("Host.Example", Some(port), &key, &[], hashed).unwrap();
                assert_eq!(judge(&lines, "host.example", port), Verdict::Known);
                assert_eq!(lines.contains("host.example"), !hashed);
            }
        }
    }

    #[test]
    fn b4_a_key_that_takes_the_place_of_others_is_known_and_they_are_revoked() {
        let key = PublicKey::from_openssh(ONE).unwrap().to_bytes().unwrap();
        let old = PublicKey::from_openssh(TWO).unwrap().to_bytes().unwrap();
        let before = format!("h {TWO}");
        let superseded = KnownKeys::of(&parse(&before), "h", None).same_type(&key);
        for hashed in [false, true] {
            let lines = lines("h", None, &key, &superseded, hashed).unwrap();
            let after = format!("{before}\n{lines}");
            assert_eq!(judge(&after, "h", 22), Verdict::Known);
            let known = KnownKeys::of(&parse(&after), "h", None);
            assert!(matches!(known.judge(&old), Some(Verdict::Revoked(_))));
        }
    }

    #[test]
    fn rb13_a_key_of_another_type_is_unknown_and_no_change() {
        let ecdsa = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHwf2HMM5TRXvo2SQJjsNkiDD5KqiiNjrGVv3UUh+mMT5RHxiRtOnlqvjhQtBq0VpmpCV/PwUdhOig4vkbqAcEc=";
        let verdict = judge(&format!("h {ecdsa}"), "h", 22);
        assert!(
            matches!(&verdict, Verdict::Unknown(key) if key.known.len() == 1),
            "{verdict:?}"
        );
        let both = judge(&format!("h {ecdsa}\nh {TWO}"), "h", 22);
        assert!(
            matches!(&both, Verdict::Changed(key) if key.known.len() == 1),
            "{both:?}"
        );
    }
}
