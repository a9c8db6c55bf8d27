//! The SHA-256 by which an artifact is pinned.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

/// A SHA-256, written as 64 hexadecimal digits.
///
/// ```
/// use refrain_document::Digest;
/// let empty = Digest::of(b"");
/// assert_eq!(empty.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
/// assert_eq!(empty.to_string().parse(), Ok(empty));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    /// Reads 64 hexadecimal digits, of either case.
    fn from_str(text: &str) -> Result<Self, DigestError> {
        let error = || DigestError(text.to_owned());
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(error()) };
        let bytes = pairs.iter().map(|pair| byte(*pair)).collect::<Option<Vec<u8>>>().ok_or_else(error)?;
        bytes.try_into().map(Self).map_err(|_| error())
    }
}

fn byte(pair: [u8; 2]) -> Option<u8> {
    let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

/// A text that is no digest.
///
/// ```
/// use refrain_document::Digest;
/// assert!("e3b0c442".parse::<Digest>().is_err(), "8 digits of 64");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestError(String);

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a SHA-256 of 64 hexadecimal digits, found `{}`", self.0)
    }
}

impl std::error::Error for DigestError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_64_hexadecimal_digits_is_refused() {
        for text in ["", "e3", &"e3".repeat(33), &"g3".repeat(32), &"+3".repeat(32), &"é".repeat(32)] {
            assert_eq!(text.parse::<Digest>(), Err(DigestError(text.to_owned())));
        }
    }
}
