//! Random numbers that do not depend on what was drawn before.
//!
//! Each number is a function of the seed, what it is for, whose it is and which of theirs it is. So two policies under the
//! same seed meet the same arrivals, the same service times and the same luck, however differently their fleets behave; and
//! no generator's state is kept for a client.
//!
//! Each purpose is a SplitMix64 sequence (Steele, Lea and Flood, 2014) of its own that is entered at any place: its n-th
//! number is `mix(start + n · γ)`. Integers only, so every machine draws the same.

use crate::micros::Micros;

/// What a number is drawn for.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Purpose {
    Arrival = 1,
    Way,
    WayBack,
    SecondWay,
    Service,
    Fault,
    Jitter,
    Hint,
    Skew,
}

/// All random numbers of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws(u64);

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl Draws {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(mix(seed.wrapping_add(GAMMA)))
    }

    /// 64 random bits.
    pub(crate) const fn bits(self, purpose: Purpose, whose: u32, which: u32) -> u64 {
        let start = mix(self.0 ^ (purpose as u64).wrapping_mul(GAMMA));
        let place = (whose as u64) << 32 | which as u64;
        mix(start.wrapping_add(place.wrapping_mul(GAMMA)))
    }
}

const fn mix(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// A whole number from 0 to `span`, both ends reachable.
pub(crate) const fn up_to(bits: u64, span: u64) -> u64 {
    ((bits as u128 * (span as u128 + 1)) >> 64) as u64
}

/// A length of time that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Fixed(Micros),
    /// Exponential, by its mean.
    Exponential(Micros),
    /// Normal, cut at zero: the sum of twelve uniform numbers, so no draw is further than six deviations from the mean.
    Normal {
        mean: Micros,
        deviation: Micros,
    },
}

impl Length {
    pub(crate) const fn draw(self, bits: u64) -> Micros {
        match self {
            Self::Fixed(length) => length,
            Self::Exponential(mean) => Micros::new(exponential(mean.get(), bits)),
            Self::Normal { mean, deviation } => Micros::new(normal(mean.get(), deviation.get(), bits)),
        }
    }
}

/// `−ln(u) · mean`, with `u` from 2^−64 to 1.
const fn exponential(mean: u64, bits: u64) -> u64 {
    const LN_2: u128 = 0xb172_17f8;
    let bits = bits | 1;
    let minus_log2 = (64_u64 << FRACTION) - log2(bits);
    ((minus_log2 as u128 * LN_2 * mean as u128) >> (FRACTION + 32)) as u64
}

/// Binary places of [`log2`].
const FRACTION: u32 = 20;

/// The logarithm to base 2 of a number that is not 0, cut after [`FRACTION`] binary places: one for each squaring.
const fn log2(number: u64) -> u64 {
    let zeros = number.leading_zeros();
    let (mut mantissa, mut log, mut place) = (number << zeros, 63 - zeros as u64, 0);
    while place < FRACTION {
        let square = (mantissa as u128 * mantissa as u128) >> 63;
        let bit = (square >> 64) as u64;
        mantissa = (square >> bit) as u64;
        log = log << 1 | bit;
        place += 1;
    }
    log
}

const fn normal(mean: u64, deviation: u64, bits: u64) -> u64 {
    // Twelve uniform numbers below 2^16 have a mean of 6 · (2^16 − 1), and a deviation of 2^16.
    let (mut sum, mut word) = (0_i128, 0);
    while word < 3 {
        let drawn = mix(bits.wrapping_add(GAMMA.wrapping_mul(word)));
        sum += (drawn & 0xffff) as i128 + (drawn >> 16 & 0xffff) as i128;
        sum += (drawn >> 32 & 0xffff) as i128 + (drawn >> 48) as i128;
        word += 1;
    }
    let length = mean as i128 + (((sum - 6 * 0xffff) * deviation as i128) >> 16);
    if length < 0 { 0 } else { length as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_generator() {
        // SplitMix64 seeded with 1234567: its first outputs are `mix` at multiples of gamma.
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        for (place, expected) in (1_u64..).zip(published) {
            assert_eq!(mix(1_234_567_u64.wrapping_add(place.wrapping_mul(GAMMA))), expected);
        }
    }

    #[test]
    fn what_differs_in_one_place_is_another_number() {
        let draws = Draws::new(1);
        let one = draws.bits(Purpose::Way, 7, 3);
        let others = [
            Draws::new(2).bits(Purpose::Way, 7, 3),
            draws.bits(Purpose::WayBack, 7, 3),
            draws.bits(Purpose::Way, 8, 3),
            draws.bits(Purpose::Way, 7, 4),
        ];
        assert!(!others.contains(&one));
        assert_eq!(one, Draws::new(1).bits(Purpose::Way, 7, 3));
    }

    #[test]
    fn both_ends_of_a_range_are_reached_and_nothing_beyond() {
        assert_eq!((up_to(0, 9), up_to(u64::MAX, 9), up_to(u64::MAX, u64::MAX)), (0, 9, u64::MAX));
    }

    #[test]
    fn lengths_have_the_mean_and_deviation_that_they_are_named_for() {
        let count = 200_000_u32;
        let moments = |length: Length| {
            let draws = Draws::new(3);
            let drawn = (0..count).map(|n| length.draw(draws.bits(Purpose::Service, n, 0)).get() as f64);
            let (sum, squares) = drawn.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
            let mean = sum / f64::from(count);
            (mean, (squares / f64::from(count) - mean * mean).sqrt())
        };
        let (mean, deviation) = moments(Length::Exponential(Micros::new(10_000)));
        assert!((mean - 10_000.0).abs() < 100.0 && (deviation - 10_000.0).abs() < 150.0, "{mean} {deviation}");
        let (mean, deviation) = moments(Length::Normal { mean: Micros::new(10_000), deviation: Micros::new(2_000) });
        assert!((mean - 10_000.0).abs() < 20.0 && (deviation - 2_000.0).abs() < 20.0, "{mean} {deviation}");
    }

    #[test]
    fn the_smallest_number_gives_the_longest_wait_and_the_largest_none() {
        // −ln(2^−64) = 44.36…
        assert_eq!(exponential(1_000_000, 0), 44_361_419);
        assert_eq!(exponential(1_000_000, u64::MAX), 0);
    }
}
