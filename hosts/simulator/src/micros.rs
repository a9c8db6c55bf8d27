//! Virtual time.

use policy_core::{Mark, Millis};

/// Microseconds: a span, or a moment of the simulation counted from its beginning. Finer than the clients' clocks, so that
/// their rounding matters here as it does outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Micros(u64);

impl Micros {
    pub(crate) const ZERO: Self = Self(0);
    /// Never.
    pub(crate) const MAX: Self = Self(u64::MAX);

    pub(crate) const fn new(micros: u64) -> Self {
        Self(micros)
    }

    pub(crate) const fn from_millis(millis: Millis) -> Self {
        Self(millis.get().saturating_mul(1_000))
    }

    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    pub(crate) const fn plus(self, more: Self) -> Self {
        Self(self.0.saturating_add(more.0))
    }

    pub(crate) const fn minus(self, less: Self) -> Self {
        Self(self.0.saturating_sub(less.0))
    }

    pub(crate) const fn times(self, factor: u32) -> Self {
        Self(self.0.saturating_mul(factor as u64))
    }

    /// Whole milliseconds, rounded down.
    pub(crate) const fn millis(self) -> u64 {
        self.0 / 1_000
    }

    /// Whole milliseconds, rounded up.
    pub(crate) const fn millis_up(self) -> u64 {
        self.0.div_ceil(1_000)
    }

    /// Whole seconds, rounded up.
    pub(crate) const fn seconds_up(self) -> u64 {
        self.0.div_ceil(1_000_000)
    }
}

/// The clients' wait clock does not begin at 0, so that a mark that is taken for a span is noticed.
pub(crate) const EPOCH_MS: u64 = 1_000_000;

/// The moment of a reading of the clients' wait clock.
pub(crate) const fn moment(mark: Mark) -> Micros {
    Micros::from_millis(Millis::new(mark.get().saturating_sub(EPOCH_MS)))
}
