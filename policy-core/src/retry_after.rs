//! Retry-After (RFC 9110 §10.2.3): what it says, before anyone asks what it means for a wait.
//!
//! ```text
//! Retry-After   = HTTP-date / delay-seconds
//! delay-seconds = 1*DIGIT
//! ```
//!
//! SP and HTAB around a value are no part of it (RFC 9110 §5.5); nothing else is trimmed. ASCII digits only: no sign,
//! no fraction, no unit, no other script's digits. Lines of one name arrive joined with a comma, and a date has a comma
//! of its own, so nothing is split before it is read; equal repeated values count as one.

use crate::{
    http_date::{self, DateRules, HttpDateError},
    outcome::HintReport,
    time::{UnixMillis, saturating_mul},
};

/// What a Retry-After value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// Seconds, as sent.
    DelaySeconds(u64),
    /// A date, in seconds since 1970; negative before.
    At(i64),
}

/// Why a Retry-After value was refused, and what it proves all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetryAfterError {
    /// Why; never [`HintReport::Absent`], `Used` or `NotAsked`.
    pub reason: HintReport,
    /// What it proves.
    pub proof: Proof,
}

/// What a refused value proves about the wait that was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// Nothing.
    Nothing,
    /// It is no shorter than each of these. `u64::MAX` seconds stand for anything longer, too.
    AtLeast {
        /// The largest number of seconds.
        seconds: Option<u64>,
        /// The latest date.
        date: Option<i64>,
    },
    /// There is one, but nobody can say how long it is.
    Unknown,
}

/// A value of this many bytes or more is refused as too long; a host cuts a longer one there.
pub const FIELD_MAX: usize = 1_024;

/// Reads the value of Retry-After, all lines joined with a comma. `now` is for two-digit years.
///
/// ```
/// use policy_core::{DateRules, HintReport, retry_after::{self, Proof, RetryAfter}};
/// let any = DateRules { obsolete: true, strict: false };
/// assert_eq!(retry_after::parse(b" 120 ", any, None), Ok(RetryAfter::DelaySeconds(120)));
/// assert_eq!(retry_after::parse(b"1.5", any, None).unwrap_err().reason, HintReport::Fractional);
/// let conflict = retry_after::parse(b"10, 20", any, None).unwrap_err();
/// assert_eq!(conflict.proof, Proof::AtLeast { seconds: Some(20), date: None });
/// ```
///
/// # Errors
/// The reason, and the lower bound that the value proves.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub fn parse(value: &[u8], dates: DateRules, now: Option<UnixMillis>) -> Result<RetryAfter, RetryAfterError> {
    if value.len() >= FIELD_MAX {
        return Err(HintReport::TooLong.into());
    }
    let value = trim(value);
    match one(value, dates, now) {
        Err(HintReport::Malformed) => many(value, dates, now),
        result => result.map_err(RetryAfterError::from),
    }
}

/// One value: digits or a date.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn one(value: &[u8], dates: DateRules, now: Option<UnixMillis>) -> Result<RetryAfter, HintReport> {
    match value {
        [] => Err(HintReport::Empty),
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => match number(value) {
            (HintReport::Used, seconds, _) => Ok(RetryAfter::DelaySeconds(seconds)),
            (reason, ..) => Err(reason),
        },
        _ => http_date::parse(value, dates, now).map(RetryAfter::At).map_err(HttpDateError::report),
    }
}

/// A number with a decimal fraction, for fields that may have one: `1*DIGIT "." 1*DIGIT`, as its whole part, which
/// saturates, and the thousandths that are begun.
#[cold]
pub(crate) fn decimal(value: &[u8]) -> Option<(u64, u16)> {
    match (trim(value), number(trim(value))) {
        ([b'0'..=b'9', .., b'0'..=b'9'], (HintReport::Fractional, whole, thousandths)) => Some((whole, thousandths)),
        _ => None,
    }
}

/// Digits, or what else a number was meant to be: [`HintReport::Used`] or the reason, the whole part, and the thousandths
/// that are begun.
#[cfg_attr(target_family = "wasm", inline(never))]
fn number(value: &[u8]) -> (HintReport, u64, u16) {
    let (mut whole, mut digits, mut overflow) = (0_u64, false, false);
    let (mut thousandths, mut place, mut more) = (0_u16, 100_u16, false);
    let mut report = HintReport::Used;
    for (at, byte) in value.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits = true;
                let digit = byte.wrapping_sub(b'0');
                if report == HintReport::Fractional {
                    thousandths = thousandths.wrapping_add(place.wrapping_mul(digit.into()));
                    more |= place == 0 && digit != 0;
                    place /= 10;
                    continue;
                }
                // No multiple of ten is `u64::MAX`: that one was saturated.
                let tens = saturating_mul(whole, 10);
                match tens.checked_add(digit.into()) {
                    Some(sum) if tens != u64::MAX => whole = sum,
                    _ => overflow = true,
                }
            }
            b'+' | b'-' if at == 0 => report = HintReport::Signed,
            b'.' if report != HintReport::Fractional => report = HintReport::Fractional,
            _ => return (HintReport::Malformed, 0, 0),
        }
    }
    let report = match report {
        _ if !digits => HintReport::Malformed,
        HintReport::Used if overflow => HintReport::Overflow,
        report => report,
    };
    (report, if overflow { u64::MAX } else { whole }, thousandths.wrapping_add(more.into()))
}

/// Several values joined with commas.
#[cold]
fn many(value: &[u8], dates: DateRules, now: Option<UnixMillis>) -> Result<RetryAfter, RetryAfterError> {
    let (mut first, mut differ) = (None, false);
    let (mut seconds, mut date, mut unknown) = (None, None, false);
    let mut rest = Some(value);
    while let Some(elements) = rest {
        // The comma in a date follows a day's name; the one after an element does not.
        let mut last = 0_u8;
        let end = elements.iter().position(|byte| {
            let ends = *byte == b',' && !last.is_ascii_lowercase();
            last = *byte;
            ends
        });
        let (head, tail) = elements.split_at_checked(end.unwrap_or(elements.len())).unwrap_or_default();
        rest = tail.get(1..);
        let element = one(trim(head), dates, now);
        match element {
            Ok(RetryAfter::DelaySeconds(more)) => seconds = seconds.max(Some(more)),
            Ok(RetryAfter::At(later)) => date = date.max(Some(later)),
            Err(HintReport::Overflow) => seconds = Some(u64::MAX),
            Err(HintReport::NoWallClock) => unknown = true,
            Err(_) => return Err(HintReport::Malformed.into()),
        }
        differ |= *first.get_or_insert(element) != element;
    }
    match first {
        Some(element) if !differ => element.map_err(RetryAfterError::from),
        _ => {
            let proof = if unknown { Proof::Unknown } else { Proof::AtLeast { seconds, date } };
            Err(RetryAfterError { reason: HintReport::Conflicting, proof })
        }
    }
}

pub(crate) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

impl From<HintReport> for RetryAfterError {
    /// Of a single value.
    fn from(reason: HintReport) -> Self {
        let proof = match reason {
            HintReport::Overflow => Proof::AtLeast { seconds: Some(u64::MAX), date: None },
            HintReport::NoWallClock => Proof::Unknown,
            _ => Proof::Nothing,
        };
        Self { reason, proof }
    }
}

impl core::fmt::Display for RetryAfterError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self.reason {
            HintReport::Empty => "expected a value, found only white space",
            HintReport::Overflow => "expected no more than 2^64 - 1 seconds",
            HintReport::Conflicting => "expected one value, found several that disagree",
            HintReport::TooLong => "expected fewer than 1,024 bytes",
            HintReport::NoWallClock => HttpDateError::NoClock.message(),
            HintReport::Signed => "expected digits without a sign",
            HintReport::Fractional => "expected whole seconds",
            HintReport::ObsoleteDate => HttpDateError::Obsolete.message(),
            HintReport::NoSuchTime => HttpDateError::NoSuchTime.message(),
            HintReport::WrongWeekday => HttpDateError::WrongWeekday.message(),
            HintReport::LeapSecond => HttpDateError::LeapSecond.message(),
            HintReport::YearBefore1900 => HttpDateError::YearBefore1900.message(),
            _ => "expected digits or an HTTP-date",
        })
    }
}

impl core::error::Error for RetryAfterError {}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: DateRules = DateRules { obsolete: true, strict: false };

    fn reason(value: &[u8]) -> HintReport {
        parse(value, ANY, None).unwrap_err().reason
    }

    #[test]
    fn equal_values_count_as_one_and_unequal_ones_conflict() {
        assert_eq!(parse(b"60, 60,60", ANY, None), Ok(RetryAfter::DelaySeconds(60)));
        let date = b"Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(parse(date, ANY, None), Ok(RetryAfter::At(784_111_777)));
        let mixed = parse(b"Sun, 06 Nov 1994 08:49:37 GMT, 45", ANY, None).unwrap_err();
        assert_eq!(mixed.proof, Proof::AtLeast { seconds: Some(45), date: Some(784_111_777) });
        let huge = parse(b"5, 99999999999999999999", ANY, None).unwrap_err();
        assert_eq!(huge.proof, Proof::AtLeast { seconds: Some(u64::MAX), date: None });
    }

    #[test]
    fn one_bad_element_spoils_the_list() {
        for value in [&b"5123,"[..], b", 120", b"120;q=1", b"10, soon", b"10,, 20"] {
            assert_eq!(parse(value, ANY, None), Err(HintReport::Malformed.into()), "{value:?}");
        }
    }

    #[test]
    fn a_decimal_is_rounded_up_to_the_thousandth() {
        assert_eq!(decimal(b" 1.5 "), Some((1, 500)));
        assert_eq!(decimal(b"0.0001"), Some((0, 1)));
        assert_eq!(decimal(b"64.57"), Some((64, 570)));
        assert_eq!(decimal(b"2.9991"), Some((2, 1_000)));
        assert_eq!(decimal(b"7.0000"), Some((7, 0)));
        assert_eq!(decimal(b"99999999999999999999.5"), Some((u64::MAX, 500)));
        for bad in [&b".5"[..], b"5.", b"-1.5", b"+1.5", b"1.5.", b"1.5e3", b"1..5", b"1.-5", b"1. 5", b"1.0001x"] {
            assert_eq!(decimal(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn each_refusal_has_its_reason() {
        assert_eq!(reason(b""), HintReport::Empty);
        assert_eq!(reason(b"-5"), HintReport::Signed);
        assert_eq!(reason(b"+.5"), HintReport::Fractional);
        assert_eq!(reason(b"1.2.3"), HintReport::Malformed);
        assert_eq!(reason(b"-"), HintReport::Malformed);
        assert_eq!(reason(b"18446744073709551616"), HintReport::Overflow);
        assert_eq!(reason(&[b'0'; FIELD_MAX]), HintReport::TooLong);
        assert_eq!(reason(b"Sunday, 06-Nov-94 08:49:37 GMT"), HintReport::NoWallClock);
    }
}
