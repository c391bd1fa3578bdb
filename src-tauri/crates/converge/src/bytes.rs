//! Bytes a host calls things by. They are compared as bytes and shown inert.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Shows bytes of a host so that nothing in them acts: bytes that are no UTF-8 become `\xNN`, control
/// characters their picture (`␊`), and characters that reorder or hide text `‹U+NNNN›`.
pub fn inert(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            push_inert(&mut shown, character);
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            write!(shown, "\\x{byte:02x}").unwrap_or_default();
        }
    }
    shown
}

fn push_inert(shown: &mut String, character: char) {
    match character {
        '\u{0}'..='\u{1f}' => {
            shown.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'));
        }
        '\u{7f}' => shown.push('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => {
            write!(shown, "‹U+{:04X}›", u32::from(character)).unwrap_or_default();
        }
        _ => shown.push(character),
    }
}

/// Writes bytes as printable ASCII: everything else, and `%`, becomes `%NN`.
fn percent_encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if (byte.is_ascii_graphic() || byte == b' ') && byte != b'%' {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").unwrap_or_default();
        }
    }
    text
}

fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

macro_rules! host_bytes {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Vec<u8>);

        impl $name {
            /// Takes the bytes as the host gave them.
            pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
                Self(bytes.into())
            }

            /// The bytes, for comparison and for handing back to the host.
            pub fn as_bytes(&self) -> &[u8] {
                &self.0
            }

            /// The bytes as text for people, inert; see [`inert`]. Never an identity.
            pub fn display(&self) -> String {
                inert(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), percent_encode(&self.0))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&percent_encode(&self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                percent_decode(&text)
                    .map(Self)
                    .ok_or_else(|| de::Error::custom("a percent sign without two hexadecimal digits"))
            }
        }
    };
}

host_bytes!(
    /// An absolute path on a host: bytes, canonical there, never compared after folding or normalising.
    HostPath
);
host_bytes!(
    /// A full ref name on a host, such as `refs/heads/main`.
    RefName
);
host_bytes!(
    /// The name of a linked worktree's administrative directory, below `<common>/worktrees/`.
    AdminName
);

impl HostPath {
    /// The last component, or the whole path where there is none.
    pub fn file_name(&self) -> &[u8] {
        self.0
            .rsplit(|byte| *byte == b'/')
            .find(|component| !component.is_empty())
            .unwrap_or(&self.0)
    }
}

impl RefName {
    /// The name as people say it: without `refs/heads/` or `refs/remotes/`.
    pub fn short(&self) -> String {
        let bytes = [b"refs/heads/".as_slice(), b"refs/remotes/"]
            .iter()
            .find_map(|prefix| self.0.strip_prefix(*prefix))
            .unwrap_or(&self.0);
        inert(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_and_bidirectional_characters_are_shown_not_obeyed() {
        assert_eq!(inert(b"a\nb\tc\x1b[0m\xff"), "a␊b␉c␛[0m\\xff");
        assert_eq!(inert("x\u{202e}y".as_bytes()), "x‹U+202E›y");
    }

    #[test]
    fn file_name_is_the_last_component() {
        assert_eq!(HostPath::new("/a/b/").file_name(), b"b");
        assert_eq!(HostPath::new("/").file_name(), b"/");
    }

    #[test]
    fn short_ref_names_drop_only_the_prefix() {
        assert_eq!(RefName::new("refs/heads/feature/a").short(), "feature/a");
        assert_eq!(RefName::new("refs/tags/v1").short(), "refs/tags/v1");
    }

    proptest! {
        #[test]
        fn any_bytes_survive_storage(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let text = percent_encode(&bytes);
            prop_assert!(text.is_ascii());
            prop_assert_eq!(percent_decode(&text), Some(bytes));
        }
    }
}
