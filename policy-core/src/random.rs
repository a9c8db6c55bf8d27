//! Randomness: injected, never drawn. One arithmetic for every use of it.
//!
//! A draw between two bounds is `low + ceil((high − low) · n / (2^32 − 1))`, so both bounds are reachable, the result
//! is never below `low`, and the same sample gives the same delay on every machine.

use crate::time::{Millis, saturating_mul};

/// A uniform random number given by the host; `n` stands for the fraction `n / (2^32 − 1)`, so 0 and 1 both occur.
///
/// ```
/// use policy_core::Sample;
/// assert_eq!(Sample::from_ratio(1, 1), Some(Sample::ONE));
/// assert_eq!(Sample::from_ratio(3, 2), None);
/// assert_eq!(Sample::from_ratio(0, 0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample(u32);

impl Sample {
    /// The fraction 0.
    pub const ZERO: Self = Self(0);
    /// The fraction 1.
    pub const ONE: Self = Self(u32::MAX);

    /// The sample `n / (2^32 − 1)`.
    #[must_use]
    pub const fn new(n: u32) -> Self {
        Self(n)
    }

    /// The sample nearest below `numerator / denominator`; `None` unless that lies in `0..=1`.
    ///
    /// For people and documents; a host draws [`Sample::new`] from its entropy source.
    #[must_use]
    pub const fn from_ratio(numerator: u32, denominator: u32) -> Option<Self> {
        if numerator > denominator {
            return None;
        }
        match (numerator as u64).saturating_mul(u32::MAX as u64).checked_div(denominator as u64) {
            Some(n) => Some(Self(n as u32)),
            None => None,
        }
    }

    /// The number `n`.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// A span between `low` and `high`, rounded up to the millisecond; `low` when the bounds are the wrong way round.
    ///
    /// ```
    /// use policy_core::{Millis, Sample};
    /// let (low, high) = (Millis::new(500), Millis::new(1_000));
    /// assert_eq!(Sample::ZERO.between(low, high), low);
    /// assert_eq!(Sample::ONE.between(low, high), high);
    /// assert_eq!(Sample::new(1).between(low, high), Millis::new(501));
    /// ```
    #[must_use]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub const fn between(self, low: Millis, high: Millis) -> Millis {
        // No more than the larger of the two.
        self.add(low, high.get().saturating_sub(low.get()))
    }

    /// `low` and a share of a span that ends at [`Millis::MAX`] at the latest, rounded up to the millisecond.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) const fn above(self, low: Millis, span: u64) -> Millis {
        let room = Millis::MAX.get().wrapping_sub(low.get());
        self.add(low, if span < room { span } else { room })
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    const fn add(self, low: Millis, span: u64) -> Millis {
        Millis::from_bits(low.get().wrapping_add(mul_div_ceil(span, self.0, u32::MAX)))
    }
}

/// `⌈value · factor / divisor⌉`, saturating; a divisor of 0 counts as 1.
///
/// Most values are below 2^32 and their product fits 64 bits. That of others does once they are split: with
/// `value = q · divisor + r`, the product of `r` and `factor`. A 128-bit product would pull library code into the wasm
/// module.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) const fn mul_div_ceil(value: u64, factor: u32, divisor: u32) -> u64 {
    let divisor = if divisor == 0 { 1 } else { divisor as u64 };
    if value >> 32 == 0 {
        return share(value, factor, divisor);
    }
    split(value, factor, divisor)
}

#[cfg_attr(not(target_family = "wasm"), cold)]
const fn split(value: u64, factor: u32, divisor: u64) -> u64 {
    match (value.checked_div(divisor), value.checked_rem(divisor)) {
        (Some(quotient), Some(rest)) => saturating_mul(quotient, factor).saturating_add(share(rest, factor, divisor)),
        _ => u64::MAX,
    }
}

/// `⌈part · factor / divisor⌉` of a part below 2^32.
const fn share(part: u64, factor: u32, divisor: u64) -> u64 {
    match part.wrapping_mul(factor as u64).wrapping_add(divisor.wrapping_sub(1)).checked_div(divisor) {
        Some(share) => share,
        None => u64::MAX,
    }
}
