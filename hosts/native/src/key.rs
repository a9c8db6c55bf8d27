//! The idempotency key of one logical request: made or brought once, the same on every attempt.

use std::{fmt, str::FromStr};

use http::{HeaderName, HeaderValue};
use policy_core::KeyForm;

use crate::entropy::EntropyError;

/// Under one key a server does a thing once, however often it is asked.
///
/// Make one for each thing that is to happen once, keep it with that thing, and use it again when the same thing is tried
/// later. It is never logged: `Debug` does not show it.
///
/// ```
/// use refrain::Key;
/// let key: Key = "order-4711".parse()?;
/// assert_eq!((key.as_str(), format!("{key:?}").as_str()), ("order-4711", "Key(..)"));
/// # Ok::<(), refrain::KeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key(Box<str>);

impl Key {
    /// The longest key, in bytes: what the strictest of the known servers takes.
    pub const MAX_LEN: usize = 255;

    /// A key that nobody else has: 122 random bits in the form of a UUID (RFC 9562, version 4).
    ///
    /// ```
    /// use refrain::Key;
    /// let order = Key::random()?;
    /// assert_eq!(order.as_str().len(), 36);
    /// assert_ne!(order, Key::random()?);
    /// # Ok::<(), refrain::EntropyError>(())
    /// ```
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn random() -> Result<Self, EntropyError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(EntropyError::new)?;
        Ok(Self::from_random(u128::from_be_bytes(bytes)))
    }

    fn from_random(bits: u128) -> Self {
        let bits = bits & !(0xf << 76) & !(0b11 << 62) | 4 << 76 | 0b10 << 62;
        let part = |shift: u32, digits: u32| bits >> shift & ((1 << (4 * digits)) - 1);
        let (a, b, c, d, e) = (part(96, 8), part(80, 4), part(64, 4), part(48, 4), part(0, 12));
        Self(format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}").into())
    }

    /// The key, without quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let is_legal = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
        match text.len() {
            0 => Err(KeyError::Empty),
            1..=Self::MAX_LEN if text.as_bytes().iter().all(is_legal) => Ok(Self(text.into())),
            1..=Self::MAX_LEN => Err(KeyError::Character),
            _ => Err(KeyError::TooLong),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Why a text is no key. The text is not repeated: a key is nobody else's business.
///
/// ```
/// use refrain::{Key, KeyError};
/// assert_eq!("order 4711".parse::<Key>(), Err(KeyError::Character));
/// assert_eq!("4".repeat(Key::MAX_LEN + 1).parse::<Key>(), Err(KeyError::TooLong));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// It has no character.
    Empty,
    /// It has more than [`Key::MAX_LEN`] bytes.
    TooLong,
    /// It has a character that does not go onto the wire the same way in every form.
    Character,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("expected an idempotency key, found an empty text"),
            Self::TooLong => write!(f, "expected an idempotency key of at most {} bytes", Key::MAX_LEN),
            Self::Character => f.write_str(
                "expected an idempotency key of visible ASCII characters, without blanks, quotes and backslashes",
            ),
        }
    }
}

impl std::error::Error for KeyError {}

/// The request field that carries the key, and how the key is written there.
///
/// ```
/// use refrain::{KeyField, KeyForm};
/// let stripe = KeyField::default();
/// assert_eq!((stripe.name.as_str(), stripe.form), ("idempotency-key", KeyForm::Bare));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyField {
    /// Its name.
    pub name: HeaderName,
    /// How the key is written.
    pub form: KeyForm,
}

impl Default for KeyField {
    /// `Idempotency-Key`, bare.
    fn default() -> Self {
        Self { name: HeaderName::from_static("idempotency-key"), form: KeyForm::Bare }
    }
}

impl KeyField {
    /// The key as it stands in the field. Marked as sensitive, so that no client logs it.
    ///
    /// ```
    /// use refrain::{Key, KeyField, KeyForm};
    /// let field = KeyField { form: KeyForm::Quoted, ..KeyField::default() };
    /// assert_eq!(field.value(&"order-4711".parse::<Key>()?), "\"order-4711\"");
    /// # Ok::<(), refrain::KeyError>(())
    /// ```
    #[must_use]
    pub fn value(&self, key: &Key) -> HeaderValue {
        let written = match self.form {
            KeyForm::Bare => HeaderValue::from_str(key.as_str()),
            KeyForm::Quoted => HeaderValue::from_str(&format!("\"{}\"", key.as_str())),
        };
        let mut value = written.expect("a key has only characters that a field value may have");
        value.set_sensitive(true);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_key_is_a_version_4_uuid() {
        assert_eq!(Key::from_random(0).as_str(), "00000000-0000-4000-8000-000000000000");
        assert_eq!(Key::from_random(u128::MAX).as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        let bits = 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef;
        assert_eq!(Key::from_random(bits).as_str(), "01234567-89ab-4def-8123-456789abcdef");
        assert_ne!(Key::random(), Key::random());
    }

    #[test]
    fn only_what_is_the_same_in_every_form_is_a_key() {
        let longest = "k".repeat(Key::MAX_LEN);
        assert!(longest.parse::<Key>().is_ok() && "~!#Az09".parse::<Key>().is_ok());
        let refused = ["", &(longest + "k"), "a b", "a\"b", "a\\b", "a\tb", "ä", "a\u{7f}"];
        let errors: Vec<_> = refused.map(|text| text.parse::<Key>().err()).into_iter().flatten().collect();
        use KeyError::{Character, Empty, TooLong};
        assert_eq!(errors, [Empty, TooLong, Character, Character, Character, Character, Character, Character]);
    }

    #[test]
    fn the_value_is_written_in_its_form_and_hidden_from_logs() {
        let key: Key = "k-1".parse().expect("a key");
        let quoted = KeyField { form: KeyForm::Quoted, ..KeyField::default() };
        assert_eq!(KeyField::default().value(&key), "k-1");
        assert_eq!(quoted.value(&key), "\"k-1\"");
        assert_eq!(format!("{:?}", quoted.value(&key)), "Sensitive");
    }
}
