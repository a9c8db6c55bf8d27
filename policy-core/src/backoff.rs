//! Local backoff: a bound that grows with each retry, a cap on the bound, jitter, and an optional ceiling on the draw.
//!
//! `bound = min(cap, base × multiplier^i)`; then jitter; then the ceiling. The cap comes *before* jitter: jitter first
//! and then a cut brings all clients that reached the cap back in the same instant. The names of the jitters are those
//! of "Exponential Backoff And Jitter" (Amazon, 2015); *scaled* is gRPC's (A6: 0.8 to 1.2).

use crate::{
    random::{Sample, mul_div_ceil},
    time::{Millis, saturating_mul},
};

/// How long to wait before a retry when the server does not say.
///
/// ```
/// use policy_core::{Backoff, Jitter, Millis, Sample, Thousandths};
/// let backoff = Backoff { cap: Millis::new(3_000), jitter: Jitter::Equal, ..Backoff::doubling(Millis::new(1_000)) };
/// assert_eq!(backoff.bound(1), Millis::new(2_000));
/// assert_eq!(backoff.bound(u32::MAX.into()), Millis::new(3_000));
/// assert_eq!(backoff.draw(0, Sample::ZERO).delay, Millis::new(500));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The bound of retry 0.
    pub base: Millis,
    /// What each further retry multiplies the bound by: 1.000, or 1.100 to 100.000.
    pub multiplier: Thousandths,
    /// Limits the bound, before jitter.
    pub cap: Millis,
    /// What is random about it.
    pub jitter: Jitter,
    /// Limits the draw, after jitter; [`Millis::MAX`] where a scaled jitter may pass the cap.
    pub ceiling: Millis,
}

/// What is random about a backoff, given its bound `b`.
///
/// ```
/// use policy_core::{Backoff, Jitter, Millis, Sample, Thousandths};
/// let jitter = Jitter::Scaled { low: Thousandths::new(800), high: Thousandths::new(1_200) };
/// let grpc = Backoff { jitter, ..Backoff::doubling(Millis::new(1_000)) };
/// assert_eq!(grpc.draw(0, Sample::ZERO).delay, Millis::new(800));
/// assert_eq!(grpc.draw(0, Sample::ONE).delay, Millis::new(1_200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Nothing: `b`. All clients that failed together come back together.
    None,
    /// `0` to `b`.
    Full,
    /// `⌈b/2⌉` to `b`.
    Equal,
    /// `⌈b·low⌉` to `⌈b·high⌉`.
    Scaled {
        /// The lower factor.
        low: Thousandths,
        /// The upper factor.
        high: Thousandths,
    },
    /// `base` to `min(cap, 3 × previous draw)`; the first previous draw is `base`. Ignores the multiplier.
    Decorrelated,
}

/// A factor in thousandths: `1500` is times 1.5.
///
/// ```
/// use policy_core::{Millis, Thousandths};
/// assert_eq!(Thousandths::new(1_500).of(Millis::new(1_000)), Millis::new(1_500));
/// assert_eq!(Thousandths::new(1).of(Millis::new(1)), Millis::new(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Thousandths(u32);

impl Thousandths {
    /// Times one.
    pub const ONE: Self = Self(1_000);

    /// The factor `n / 1000`.
    #[must_use]
    pub const fn new(n: u32) -> Self {
        Self(n)
    }

    /// The number of thousandths.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// `⌈span × factor⌉`, saturating.
    #[must_use]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub const fn of(self, span: Millis) -> Millis {
        // Where code may be larger, the factors of most jitters are not computed with.
        match self.0 {
            0 if cfg!(not(target_family = "wasm")) => Millis::ZERO,
            1_000 if cfg!(not(target_family = "wasm")) => span,
            _ => Millis::new(self.share_of(span)),
        }
    }

    /// As [`Thousandths::of`], beyond [`Millis::MAX`] too.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) const fn share_of(self, span: Millis) -> u64 {
        mul_div_ceil(span.get(), self.0, 1_000)
    }
}

/// One drawn backoff.
///
/// ```
/// use policy_core::{Backoff, Millis, Sample};
/// let backoff = Backoff::doubling(Millis::new(500));
/// let first = backoff.draw(0, Sample::ONE);
/// let second = backoff.draw(first.series, Sample::ONE);
/// assert_eq!((first.delay, second.delay), (Millis::new(500), Millis::new(1_000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Draw {
    /// The wait.
    pub delay: Millis,
    /// What the next draw of this logical request starts from.
    pub series: u64,
}

impl Backoff {
    /// Doubles from `base`: no cap, no jitter, no ceiling.
    #[must_use]
    pub const fn doubling(base: Millis) -> Self {
        Self { base, multiplier: Thousandths::new(2_000), cap: Millis::MAX, jitter: Jitter::None, ceiling: Millis::MAX }
    }

    /// `min(cap, base × multiplier^exponent)`, rounded up; exact to a thousandth of a millisecond.
    #[must_use]
    pub const fn bound(&self, exponent: u64) -> Millis {
        Series::new(self).bound(exponent)
    }

    /// Draws the wait. `series` is the count of draws made so far, or for [`Jitter::Decorrelated`] the previous draw
    /// in milliseconds (0 before the first); [`Draw::series`] is either, for the next call.
    pub const fn draw(&self, series: u64, sample: Sample) -> Draw {
        Series::new(self).draw(series, sample)
    }
}

/// A compiled backoff. Every jitter but the decorrelated one is a span around the bound: none 1 to 1, full 0 to 1, equal
/// a half to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Series {
    pub(crate) base: Millis,
    pub(crate) cap: Millis,
    pub(crate) ceiling: Millis,
    pub(crate) multiplier: Thousandths,
    pub(crate) low: Thousandths,
    pub(crate) high: Thousandths,
    /// The jitter's number; [`Series::DECORRELATED`] alone is read here.
    pub(crate) jitter: u32,
}

impl Series {
    pub(crate) const DECORRELATED: u32 = 4;

    pub(crate) const fn new(backoff: &Backoff) -> Self {
        let Backoff { base, multiplier, cap, jitter, ceiling } = *backoff;
        let (jitter, low, high) = match jitter {
            Jitter::None => (0, Thousandths::ONE, Thousandths::ONE),
            Jitter::Full => (1, Thousandths::new(0), Thousandths::ONE),
            Jitter::Equal => (2, Thousandths::new(500), Thousandths::ONE),
            Jitter::Scaled { low, high } => (3, low, high),
            Jitter::Decorrelated => (Self::DECORRELATED, Thousandths::ONE, Thousandths::ONE),
        };
        Self { base, cap, ceiling, multiplier, low, high, jitter }
    }

    pub(crate) const fn backoff(&self) -> Backoff {
        let Self { base, cap, ceiling, multiplier, low, high, jitter } = *self;
        let jitter = match jitter {
            1 => Jitter::Full,
            2 => Jitter::Equal,
            3 => Jitter::Scaled { low, high },
            Self::DECORRELATED => Jitter::Decorrelated,
            _ => Jitter::None,
        };
        Backoff { base, multiplier, cap, jitter, ceiling }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    const fn bound(&self, exponent: u64) -> Millis {
        if (exponent == 0) | (self.base.get() == 0) | (self.multiplier.get() <= 1_000) {
            return shorter(self.base, self.cap);
        }
        // A thousand times the longest span still fits.
        let cap = self.cap.get().wrapping_mul(1_000);
        let (mut micros, mut left) = (self.base.get().wrapping_mul(1_000), exponent);
        while left > 0 && micros < cap {
            micros = mul_div_ceil(micros, self.multiplier.get(), 1_000);
            left = left.wrapping_sub(1);
        }
        shorter(Millis::new(micros.div_ceil(1_000)), self.cap)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) const fn draw(&self, series: u64, sample: Sample) -> Draw {
        let drawn = self.drawn(series, sample);
        let series = if self.jitter == Self::DECORRELATED { drawn.get() } else { series.saturating_add(1) };
        Draw { delay: shorter(drawn, self.ceiling), series }
    }

    /// Before the ceiling.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    const fn drawn(&self, series: u64, sample: Sample) -> Millis {
        let (low, high) = if self.jitter == Self::DECORRELATED {
            let previous = if series > self.base.get() { series } else { self.base.get() };
            (shorter(self.base, self.cap), shorter(self.cap, Millis::new(saturating_mul(previous, 3))))
        } else {
            let bound = self.bound(series);
            (self.low.of(bound), self.high.of(bound))
        };
        sample.between(low, high)
    }
}

const fn shorter(one: Millis, other: Millis) -> Millis {
    if one.get() < other.get() { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_beyond_all_numbers_is_the_cap() {
        let base = Millis::new(Millis::MAX.get() - 1);
        let steep = Backoff { multiplier: Thousandths::new(100_000), ..Backoff::doubling(base) };
        assert_eq!(
            [0, 1, 2, u64::MAX].map(|exponent| steep.bound(exponent)),
            [base, Millis::MAX, Millis::MAX, Millis::MAX]
        );
    }
}
