use std::fmt;

use serde::{Serialize, Serializer};

/// A ratio in thousandths, rounded to the nearest. Nothing of nothing is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(u64);

impl Ratio {
    /// The ratio `part / whole`.
    #[must_use]
    pub fn of(part: u64, whole: u64) -> Self {
        match u128::from(whole) {
            0 => Self(0),
            whole => Self(u64::try_from((u128::from(part) * 1_000 + whole / 2) / whole).unwrap_or(u64::MAX)),
        }
    }

    /// The number of thousandths.
    #[must_use]
    pub const fn thousandths(self) -> u64 {
        self.0
    }

    /// In percent, with one decimal.
    pub(super) fn percent(self) -> String {
        format!("{}.{} %", self.0 / 10, self.0 % 10)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The quotient of two numbers is rounded alike everywhere.
        serializer.serialize_f64(self.0 as f64 / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_rounded_to_the_nearest_thousandth() {
        assert_eq!(Ratio::of(2, 3).to_string(), "0.667");
        assert_eq!(Ratio::of(1, 3).percent(), "33.3 %");
        assert_eq!(Ratio::of(5, 0), Ratio::default());
        assert_eq!(serde_json::to_string(&Ratio::of(4, 3)).expect("a number"), "1.333");
    }
}
