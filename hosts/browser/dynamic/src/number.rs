//! Numbers of JavaScript, which may be none that the interface means.

/// A whole number below 2^64; nothing for one that is negative, a fraction, NaN or too large.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
pub(crate) fn whole(value: f64) -> Option<u64> {
    ((0.0..TWO_TO_64).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
