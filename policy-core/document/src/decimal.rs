//! Decimal fractions, read exactly: no floating point stands between what a person writes and what the policy gets.

/// `text` times ten to the power of `places`; `None` unless it is digits, with or without a fraction, of which no more
/// than `places` digits count. Saturates, so that a number that is too large is told apart from one that is none.
///
/// ```
/// use refrain_document::decimal::scaled;
/// assert_eq!(scaled("0.25", 3), Some(250));
/// assert_eq!(scaled("0.2500", 3), Some(250));
/// assert_eq!(scaled("0.0001", 3), None);
/// ```
#[must_use]
pub fn scaled(text: &str, places: usize) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if whole.is_empty() || fraction.is_empty() {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let padding = places.checked_sub(fraction.len())?;
    let digits = whole.bytes().chain(fraction.bytes()).chain(std::iter::repeat_n(b'0', padding));
    digits.into_iter().try_fold(0_u128, |value, digit| {
        let digit = char::from(digit).to_digit(10)?;
        Some(value.saturating_mul(10).saturating_add(digit.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_read_exactly() {
        assert_eq!(scaled("1", 3), Some(1_000));
        assert_eq!(scaled("0.1", 9), Some(100_000_000));
        assert_eq!(scaled("2.5000", 1), Some(25));
        assert_eq!(scaled("18446744073709551616", 0), Some(1 << 64));
        assert_eq!(scaled(&"9".repeat(99), 3), Some(u128::MAX));
    }

    #[test]
    fn whatever_is_no_plain_decimal_is_refused() {
        let texts = ["", ".", ".5", "5.", "-1", "+1", "1e3", "nan", "inf", "0x10", "1,5", " 1", "1.2.3", "٣", "0.1234"];
        for text in texts {
            assert_eq!(scaled(text, 3), None, "{text}");
        }
    }
}
