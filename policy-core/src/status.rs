//! Sets of status codes.

/// A set of status codes from 100 to 599.
///
/// ```
/// use policy_core::StatusSet;
/// const BUSY: StatusSet = StatusSet::of(&[429, 503, 999]);
/// assert!(BUSY.contains(429) && !BUSY.contains(500) && !BUSY.contains(999));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct StatusSet([u64; 8]);

impl StatusSet {
    /// No status.
    pub const EMPTY: Self = Self([0; 8]);
    /// Every status from 100 to 599.
    pub const ALL: Self = Self([u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, (1 << 52) - 1]);

    /// The set of those of `codes` that lie in 100–599.
    #[must_use]
    pub const fn of(codes: &[u16]) -> Self {
        let (mut set, mut rest) = (Self::EMPTY, codes);
        while let Some((code, more)) = rest.split_first() {
            set = set.with(*code);
            rest = more;
        }
        set
    }

    /// The set with `code` added, if it lies in 100–599.
    #[must_use]
    pub const fn with(self, code: u16) -> Self {
        let [a, b, c, d, e, f, g, h] = self.0;
        let mut words = [a, b, c, d, e, f, g, h];
        if let Some((word, bit)) = Self::place(code as u32)
            && let Some((_, rest)) = words.split_at_mut_checked(word)
            && let Some(word) = rest.first_mut()
        {
            *word |= 1 << bit;
        }
        Self(words)
    }

    /// Whether `code` is in the set.
    #[must_use]
    pub const fn contains(&self, code: u16) -> bool {
        self.holds(code as u32)
    }

    /// As [`contains`](Self::contains). In wasm a function cuts each argument that is shorter than 32 bits to its length.
    #[cfg_attr(target_family = "wasm", inline(never))]
    const fn holds(&self, code: u32) -> bool {
        if let Some((word, bit)) = Self::place(code)
            && let Some((_, rest)) = self.0.split_at_checked(word)
            && let Some(word) = rest.first()
        {
            return *word & 1 << bit != 0;
        }
        false
    }

    /// Whether no code is in the set.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Whether every code of `other` is in the set.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(ours, theirs)| theirs & !ours == 0)
    }

    /// One bit a code: code `c` is bit `(c − 100) % 64` of word `(c − 100) / 64`.
    #[must_use]
    pub const fn words(self) -> [u64; 8] {
        self.0
    }

    /// The set with these bits; `None` if a bit stands for a code above 599.
    #[must_use]
    pub const fn from_words(words: [u64; 8]) -> Option<Self> {
        let [.., last] = words;
        if last >> 52 == 0 { Some(Self(words)) } else { None }
    }

    const fn place(code: u32) -> Option<(usize, u32)> {
        let bit = code.wrapping_sub(100);
        if bit < 500 { Some(((bit >> 6) as usize, bit & 63)) } else { None }
    }
}
