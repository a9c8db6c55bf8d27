//! Quantities of time: spans, readings of the wait clock, readings of the wall clock.
//!
//! Three types, so that a span cannot be taken for a moment, nor one clock for the other. All are whole milliseconds;
//! a host that measures finer rounds as each type says.

/// A span of time in milliseconds, `0..=2^53 - 1`, so that every value is exact in a JavaScript `number`.
///
/// ```
/// use policy_core::Millis;
/// assert_eq!(Millis::new(1_500).get(), 1_500);
/// assert_eq!(Millis::new(u64::MAX), Millis::MAX);
/// assert_eq!(Millis::from_secs(u64::MAX), Millis::MAX);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Millis(u64);

impl Millis {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// 2^53 − 1 ms, about 285,000 years: where larger spans saturate.
    pub const MAX: Self = Self((1 << 53) - 1);

    /// A span of `ms` milliseconds; saturates at [`Millis::MAX`].
    #[must_use]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub const fn new(ms: u64) -> Self {
        if ms > Self::MAX.0 { Self::MAX } else { Self(ms) }
    }

    /// The span of these bits, which may be none: who reads it checks it.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// A span of whole seconds; saturates at [`Millis::MAX`].
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        if secs > Self::MAX.0 / 1_000 { Self::MAX } else { Self(secs.wrapping_mul(1_000)) }
    }

    /// The number of milliseconds.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum; saturates at [`Millis::MAX`].
    #[must_use]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub const fn plus(self, more: Self) -> Self {
        Self::new(self.0.saturating_add(more.0))
    }
}

/// A reading of the host's wait clock: milliseconds from an origin that is fixed within one process.
///
/// The clock is continuous: a correction of the system time does not move it, and it counts on while the machine
/// sleeps, where the platform has such a clock. A host rounds a reading *up* when it reports a response or a failure,
/// and *down* otherwise, so that no rounding makes a send early.
///
/// A reading above [`Mark::MAX`] is refused as invalid input: a wait could no longer be added to it.
///
/// ```
/// use policy_core::{Mark, Millis};
/// let sent = Mark::new(1_000);
/// assert_eq!(sent.after(Millis::new(500)), Mark::new(1_500));
/// assert_eq!(sent.until(Mark::new(1_500)), Millis::new(500));
/// assert_eq!(Mark::new(1_500).until(sent), Millis::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(u64);

impl Mark {
    /// The last reading that is accepted; as a limit it means "never".
    pub const MAX: Self = Self(Millis::MAX.0);

    /// The reading `ms`, taken as it is.
    #[must_use]
    pub const fn new(ms: u64) -> Self {
        Self(ms)
    }

    /// Milliseconds from the clock's origin.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The mark `wait` later; saturates at [`Mark::MAX`].
    #[must_use]
    pub const fn after(self, wait: Millis) -> Self {
        Self(Millis(self.0).plus(wait).0)
    }

    /// The span from here to `later`; zero when that has passed.
    #[must_use]
    pub const fn until(self, later: Self) -> Millis {
        remaining(self.0, later.0)
    }

    /// Whether a wait can be added to this reading.
    pub(crate) const fn is_valid(self) -> bool {
        self.0 <= Self::MAX.0
    }
}

/// A reading of the wall clock: milliseconds since 1970-01-01T00:00:00Z, without leap seconds, rounded down.
///
/// Used for one thing: to turn an HTTP-date into a remaining time, once, on arrival (and back, for a deferral).
///
/// ```
/// use policy_core::{Millis, UnixMillis};
/// let now = UnixMillis::new(1_700_000_000_000);
/// assert_eq!(now.until(UnixMillis::at_second(1_700_000_020)), Millis::new(20_000));
/// assert_eq!(now.until(UnixMillis::at_second(-1)), Millis::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(u64);

impl UnixMillis {
    /// `ms` milliseconds since 1970; saturates at 2^53 − 1.
    #[must_use]
    pub const fn new(ms: u64) -> Self {
        Self(Millis::new(ms).0)
    }

    /// The reading of these bits, which must be no more than 2^53 − 1.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The time that remains until `later`; zero when that has passed.
    #[must_use]
    pub const fn until(self, later: Self) -> Millis {
        remaining(self.0, later.0)
    }

    /// The moment `wait` later; saturates at 2^53 − 1.
    #[must_use]
    pub const fn after(self, wait: Millis) -> Self {
        Self(Millis(self.0).plus(wait).0)
    }

    /// The start of `second`, in seconds since 1970; a second before 1970 becomes 0.
    #[must_use]
    pub const fn at_second(second: i64) -> Self {
        Self(Millis::from_secs(if second < 0 { 0 } else { second.unsigned_abs() }).0)
    }
}

/// Who is signed in. Opaque: compared for equality only, never used twice, also not across restarts.
///
/// Raised by the host at every sign-in, sign-out and account switch; a token refresh does not raise it.
///
/// ```
/// use policy_core::Session;
/// let (before, after_a_switch) = (Session::new(41), Session::new(42));
/// assert_ne!(before, after_a_switch);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Session(u64);

impl Session {
    /// The session with this number.
    #[must_use]
    pub const fn new(generation: u64) -> Self {
        Self(generation)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The span between two readings of one clock; zero when the later one has passed.
#[cfg_attr(target_family = "wasm", inline(never))]
const fn remaining(now: u64, later: u64) -> Millis {
    Millis::new(later.saturating_sub(now))
}

/// `value · factor`, saturating. `u64::saturating_mul` goes by a 128-bit product, which pulls library code into the wasm
/// module.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(crate) const fn saturating_mul(value: u64, factor: u32) -> u64 {
    let (high, low) = (value >> 32, value & 0xffff_ffff);
    let (high, low) = (high.wrapping_mul(factor as u64), low.wrapping_mul(factor as u64));
    if high >> 32 == 0 { (high << 32).saturating_add(low) } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_saturates_where_that_of_the_standard_library_does() {
        let edges = [0, 1, 2, 3, 5, 6, 10, 999, 1_000, 0x7fff_ffff, 0xffff_ffff];
        for value in edges.into_iter().flat_map(|low: u64| edges.map(|high| high << 32 | low)) {
            for factor in edges.map(|factor| factor as u32) {
                let expected = value.saturating_mul(factor.into());
                assert_eq!(saturating_mul(value, factor), expected, "{value} · {factor}");
                let limit = u64::MAX.checked_div(factor.into()).unwrap_or(u64::MAX);
                assert_eq!(saturating_mul(limit, factor), limit.saturating_mul(factor.into()));
            }
        }
    }
}
