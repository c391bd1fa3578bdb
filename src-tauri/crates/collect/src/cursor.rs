//! The fields of an answer, before anybody knows what they mean.

use rollcall_converge::{BadAnswer, Unobserved, inert};
use thiserror::Error;

use crate::script::Tokens;

/// Why bytes are no answer.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum Unreadable {
    /// The opening word is not there.
    #[error("nothing in it is an answer of the collector")]
    NotOpened,
    /// It ends too early.
    #[error("it ends before its close")]
    Short,
    /// A record is none that the collector writes.
    #[error("it has a record that is none (`{0}`)")]
    Record(String),
    /// Its parts do not fit together.
    #[error(transparent)]
    Bad(#[from] BadAnswer),
}

/// Reads an answer from its opening on, field by field.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn after_opening(bytes: &'a [u8], tokens: &Tokens) -> Result<Self, Unreadable> {
        let opening = tokens.opening();
        let at = find(bytes, &opening).ok_or(Unreadable::NotOpened)?;
        Ok(Self {
            bytes: bytes.get(at + opening.len()..).unwrap_or_default(),
        })
    }

    pub(crate) fn field(&mut self) -> Result<&'a [u8], Unreadable> {
        let end = self
            .bytes
            .iter()
            .position(|byte| *byte == 0)
            .ok_or(Unreadable::Short)?;
        let field = self.bytes.get(..end).unwrap_or_default();
        self.bytes = self.bytes.get(end + 1..).unwrap_or_default();
        Ok(field)
    }

    pub(crate) fn text(&mut self) -> Result<String, Unreadable> {
        self.field().map(inert)
    }

    /// Passes over some fields.
    pub(crate) fn skip(&mut self, fields: usize) -> Result<(), Unreadable> {
        for _ in 0..fields {
            self.field()?;
        }
        Ok(())
    }

    /// A block of bytes up to NUL, the closing word, NUL; then the exit code and words of what printed it. What did not
    /// end well is not observed.
    pub(crate) fn block(
        &mut self,
        close: &[u8],
    ) -> Result<Result<&'a [u8], Unobserved>, Unreadable> {
        let mut mark = vec![0];
        mark.extend_from_slice(close);
        mark.push(0);
        let end = find(self.bytes, &mark).ok_or(Unreadable::Short)?;
        let bytes = self.bytes.get(..end).unwrap_or_default();
        self.bytes = self.bytes.get(end + mark.len()..).unwrap_or_default();
        let (code, reason) = (self.number()?, self.text()?);
        Ok(if code == 0 {
            Ok(bytes)
        } else {
            Err(Unobserved { reason })
        })
    }

    pub(crate) fn number(&mut self) -> Result<usize, Unreadable> {
        let field = self.field()?;
        digits(field).ok_or_else(|| Unreadable::Record(inert(field)))
    }
}

/// Where `needle` first stands in `hay`.
pub(crate) fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(at) = hay.get(from..)?.iter().position(|byte| *byte == first) {
        if hay.get(from + at..)?.starts_with(needle) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

pub(crate) fn digits<N: std::str::FromStr>(field: &[u8]) -> Option<N> {
    if field.is_empty() || !field.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(field).ok()?.parse().ok()
}
