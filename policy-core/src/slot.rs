//! The slot: where a policy and its name stand inside an artifact, and how they are put there.
//!
//! A fixed-size stretch of bytes in a data segment of the component. It is patched in place, the same edit on component
//! and core module: no compiler, no re-encoding, the same bytes on every machine.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 16 | [`MAGIC`] |
//! | 16 | 2 | format version, [`FORMAT`] |
//! | 18 | 2 | length of the compiled policy |
//! | 20 | 4 | FNV-1a of all that follows |
//! | 24 | 1 + 39 | length and bytes of the name, zero-padded |
//! | 64 | 1 + 23 | length and bytes of the version, zero-padded |
//! | 88 | 552 | the compiled policy |

use core::fmt;

use crate::{
    compiled::{BODY_LEN, Reader, Writer, fnv1a},
    policy::Policy,
    rules::PolicyError,
};

/// How a slot begins. Stands exactly once in an artifact.
pub const MAGIC: [u8; 16] = *b"refrain.policy\0\x01";

/// The format version that is written and read here.
pub const FORMAT: u16 = 1;

/// Length of a slot.
pub const SLOT_LEN: usize = 640;

const NAME_MAX: usize = 39;
const VERSION_MAX: usize = 23;
const CHECKED_FROM: usize = 24;
const NAME_FROM: usize = 24;
const VERSION_FROM: usize = 64;
const POLICY_FROM: usize = 88;
const LENGTH: u16 = BODY_LEN as u16;
const _: () = assert!(POLICY_FROM.is_multiple_of(align_of::<Policy>()));

/// What stands in a slot.
///
/// ```
/// use policy_core::{Policy, Rules, slot::{Slot, bake, find}};
/// let slot = Slot::new("polite", "1.2.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap();
/// assert_eq!(Slot::from_bytes(&slot.to_bytes()).unwrap(), slot);
///
/// let mut artifact = [&b"before"[..], &slot.to_bytes(), b"after"].concat();
/// let other = Slot::new("strict", "1.0.0", Policy::new(Rules { max_attempts: 1, ..Rules::DEFAULT }).unwrap()).unwrap();
/// bake(&mut artifact, &other).unwrap();
/// assert_eq!(find(&artifact).unwrap(), other);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    name: Text<NAME_MAX>,
    version: Text<VERSION_MAX>,
    policy: Policy,
}

impl Slot {
    /// A policy under a name (lower-case letters, digits, `-`; at most 39) and a version (letters, digits, `.`, `-`,
    /// `+`; at most 23).
    ///
    /// # Errors
    /// [`SlotError::Name`] or [`SlotError::Version`].
    pub fn new(name: &str, version: &str, policy: Policy) -> Result<Self, SlotError> {
        Self::of(name.as_bytes(), version.as_bytes(), policy)
    }

    /// Name of the policy.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Version of the policy.
    #[must_use]
    pub fn version(&self) -> &str {
        self.version.as_str()
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The slot's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; SLOT_LEN] {
        let mut bytes = [0; SLOT_LEN];
        if let Some((_, checked)) = bytes.split_at_mut_checked(CHECKED_FROM) {
            let mut out = Writer(checked);
            out.put([self.name.len]);
            out.put(self.name.bytes);
            out.put([self.version.len]);
            out.put(self.version.bytes);
            out.put(self.policy.to_bytes());
        }
        let sum = checksum(&bytes);
        let mut out = Writer(&mut bytes);
        out.put(MAGIC);
        out.put(HEADER.to_le_bytes());
        out.put(sum.to_le_bytes());
        bytes
    }

    /// Reads a slot.
    ///
    /// # Errors
    /// What of it is not as [`Slot::to_bytes`] writes it.
    pub fn from_bytes(bytes: &[u8; SLOT_LEN]) -> Result<Self, SlotError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(SlotError::NoSlot);
        }
        verify(bytes)?;
        let body = policy_bytes(bytes).first_chunk().ok_or(SlotError::Format)?;
        let policy = Policy::from_bytes(body).map_err(SlotError::Policy)?;
        let (name, version) = texts(bytes);
        let slot = Self::of(name, version, policy)?;
        // The padding of the texts is zeros.
        if slot.to_bytes() == *bytes { Ok(slot) } else { Err(SlotError::Format) }
    }

    fn of(name: &[u8], version: &[u8], policy: Policy) -> Result<Self, SlotError> {
        Ok(Self {
            name: Text::new(name).filter(|_| is_name(name)).ok_or(SlotError::Name)?,
            version: Text::new(version).filter(|_| is_version(version)).ok_or(SlotError::Version)?,
            policy,
        })
    }
}

/// Whether format, length and checksum are as [`Slot::to_bytes`] writes them. This is all that the component asks: code
/// that compares the magic would bring a second copy of it into the file, and whether the policy itself holds together
/// is checked where it is baked and where an artifact is loaded.
///
/// # Errors
/// [`SlotError::Format`] or [`SlotError::Checksum`].
#[doc(hidden)]
pub fn verify(slot: &[u8; SLOT_LEN]) -> Result<(), SlotError> {
    let mut from = Reader(slot);
    let _: Option<[u8; MAGIC.len()]> = from.take();
    match (from.u32(), from.u32()) {
        (Some(HEADER), Some(sum)) if sum == checksum(slot) => Ok(()),
        (Some(HEADER), _) => Err(SlotError::Checksum),
        _ => Err(SlotError::Format),
    }
}

/// Format version and length as one number.
const HEADER: u32 = FORMAT as u32 | (LENGTH as u32) << 16;

/// Name and version in the bytes of a slot, unchecked.
#[doc(hidden)]
#[must_use]
pub fn texts(slot: &[u8; SLOT_LEN]) -> (&[u8], &[u8]) {
    (text(slot, NAME_FROM), text(slot, VERSION_FROM))
}

/// A length and as many bytes. One that is too long runs into what follows it, which no text is made of.
fn text(slot: &[u8; SLOT_LEN], from: usize) -> &[u8] {
    match slot.split_at_checked(from) {
        Some((_, [len, rest @ ..])) => rest.get(..usize::from(*len)).unwrap_or(&[]),
        _ => &[],
    }
}

/// The compiled policy in the bytes of a slot, unchecked.
#[doc(hidden)]
#[must_use]
pub fn policy_bytes(slot: &[u8; SLOT_LEN]) -> &[u8] {
    slot.get(POLICY_FROM..POLICY_FROM + BODY_LEN).unwrap_or(&[])
}

fn is_name(text: &[u8]) -> bool {
    (1..=NAME_MAX).contains(&text.len()) && text.iter().all(|byte| name_byte(*byte))
}

fn is_version(text: &[u8]) -> bool {
    (1..=VERSION_MAX).contains(&text.len()) && text.iter().all(|byte| version_byte(*byte))
}

const fn name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}

const fn version_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+')
}

/// Puts `slot` into an artifact, or into its core module, in place.
///
/// # Errors
/// [`SlotError::NoSlot`] or [`SlotError::ManySlots`]; nothing is changed then.
pub fn bake(artifact: &mut [u8], slot: &Slot) -> Result<(), SlotError> {
    let at = position(artifact)?;
    let place = artifact.split_at_mut_checked(at).and_then(|(_, from)| from.first_chunk_mut::<SLOT_LEN>());
    *place.ok_or(SlotError::NoSlot)? = slot.to_bytes();
    Ok(())
}

/// Reads the slot of an artifact, or of its core module, without running anything.
///
/// # Errors
/// [`SlotError::NoSlot`], [`SlotError::ManySlots`], or what is wrong with the slot.
pub fn find(artifact: &[u8]) -> Result<Slot, SlotError> {
    let at = position(artifact)?;
    let bytes = artifact.split_at_checked(at).and_then(|(_, from)| from.first_chunk::<SLOT_LEN>());
    Slot::from_bytes(bytes.ok_or(SlotError::NoSlot)?)
}

fn position(artifact: &[u8]) -> Result<usize, SlotError> {
    let mut places = artifact.windows(MAGIC.len()).enumerate().filter(|(_, window)| *window == MAGIC);
    match (places.next(), places.next()) {
        (Some((at, _)), None) => Ok(at),
        (None, _) => Err(SlotError::NoSlot),
        (Some(_), Some(_)) => Err(SlotError::ManySlots),
    }
}

fn checksum(bytes: &[u8; SLOT_LEN]) -> u32 {
    bytes.split_at_checked(CHECKED_FROM).map_or(0, |(_, checked)| fnv1a(checked))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Text<const N: usize> {
    len: u8,
    bytes: [u8; N],
}

impl<const N: usize> Text<N> {
    fn new(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; N];
        let (place, _) = bytes.split_at_mut_checked(text.len())?;
        place.copy_from_slice(text);
        Some(Self { len: u8::try_from(text.len()).ok()?, bytes })
    }

    fn as_str(&self) -> &str {
        let text = self.bytes.split_at_checked(self.len.into()).map_or(&[][..], |(text, _)| text);
        core::str::from_utf8(text).unwrap_or("")
    }
}

/// Why a slot is refused.
///
/// ```
/// use policy_core::{Policy, Rules, slot::{self, Slot, SlotError}};
/// assert_eq!(slot::find(b"no artifact"), Err(SlotError::NoSlot));
/// let named = Slot::new("Polite!", "1.0.0", Policy::new(Rules::DEFAULT).unwrap());
/// assert_eq!(named, Err(SlotError::Name));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SlotError {
    /// There is no whole slot in these bytes.
    NoSlot,
    /// There is more than one.
    ManySlots,
    /// Another format version or length.
    Format,
    /// The checksum does not match.
    Checksum,
    /// The name is empty, too long, or has other characters.
    Name,
    /// The version is empty, too long, or has other characters.
    Version,
    /// The compiled policy is refused.
    Policy(PolicyError),
}

impl fmt::Display for SlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSlot => f.write_str("expected one policy slot, found none"),
            Self::ManySlots => f.write_str("expected one policy slot, found several"),
            Self::Format => write!(f, "expected a policy slot of format {FORMAT}"),
            Self::Checksum => f.write_str("the policy slot is damaged: its checksum does not match"),
            Self::Name => f.write_str("expected a name of 1 to 39 lower-case letters, digits and `-`"),
            Self::Version => f.write_str("expected a version of 1 to 23 letters, digits, `.`, `-` and `+`"),
            Self::Policy(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SlotError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn every_damaged_byte_is_noticed() {
        let slot = Slot::new("polite", "1.0.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap();
        for at in 0..SLOT_LEN {
            let mut bytes = slot.to_bytes();
            bytes[at] ^= 1;
            assert!(Slot::from_bytes(&bytes).is_err(), "byte {at}");
        }
    }

    #[test]
    fn bytes_behind_a_text_are_zeros() {
        let mut bytes = Slot::new("polite", "1.0.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap().to_bytes();
        bytes[VERSION_FROM - 1] = b'x';
        let sum = checksum(&bytes).to_le_bytes();
        bytes[20..24].copy_from_slice(&sum);
        assert_eq!(Slot::from_bytes(&bytes), Err(SlotError::Format));
    }

    #[test]
    fn the_policy_is_found_in_the_bytes_of_a_slot() {
        let slot = Slot::new("polite", "1.0.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap();
        assert_eq!(policy_bytes(&slot.to_bytes()), slot.policy().to_bytes());
    }

    #[test]
    fn a_second_magic_is_refused_and_nothing_is_changed() {
        let slot = Slot::new("polite", "1.0.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap();
        let mut artifact = [&slot.to_bytes()[..], &MAGIC].concat();
        let before = artifact.clone();
        assert_eq!(bake(&mut artifact, &slot), Err(SlotError::ManySlots));
        assert_eq!(artifact, before);
    }
}
