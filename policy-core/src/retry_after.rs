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
#[cfg_attr(not(target_family = "wasm"), inline)]
#[cfg_attr(target_family = "wasm", inline(never))]
pub fn parse(value: &[u8], dates: DateRules, now: Option<UnixMillis>) -> Result<RetryAfter, RetryAfterError> {
    if value.len() >= FIELD_MAX {
        return Err(nothing(HintReport::TooLong));
    }
    let value = trim(value);
    match one(value, dates, now) {
        Err(error) if error.reason == HintReport::Malformed => many(value, dates, now),
        result => result,
    }
}

/// One value: digits or a date.
#[inline]
fn one(value: &[u8], dates: DateRules, now: Option<UnixMillis>) -> Result<RetryAfter, RetryAfterError> {
    match value {
        [] => Err(nothing(HintReport::Empty)),
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => delay_seconds(value).map(RetryAfter::DelaySeconds),
        _ => http_date::parse(value, dates, now).map(RetryAfter::At).map_err(|error| RetryAfterError {
            reason: error.report(),
            proof: if error == HttpDateError::NoClock { Proof::Unknown } else { Proof::Nothing },
        }),
    }
}

fn delay_seconds(value: &[u8]) -> Result<u64, RetryAfterError> {
    let (mut seconds, mut overflow) = (0_u64, false);
    for byte in value {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(nothing(no_digits(value)));
        }
        // No multiple of ten is `u64::MAX`: that one was saturated.
        let tens = saturating_mul(seconds, 10);
        match tens.checked_add(digit.into()) {
            Some(sum) if tens != u64::MAX => seconds = sum,
            _ => overflow = true,
        }
    }
    if overflow {
        let proof = Proof::AtLeast { seconds: Some(u64::MAX), date: None };
        return Err(RetryAfterError { reason: HintReport::Overflow, proof });
    }
    Ok(seconds)
}

/// Names what else a number was meant to be.
#[cold]
fn no_digits(value: &[u8]) -> HintReport {
    let (signed, number) = match value {
        [b'+' | b'-', number @ ..] => (true, number),
        number => (false, number),
    };
    let (mut digits, mut points) = (false, 0_usize);
    for byte in number {
        match byte {
            b'0'..=b'9' => digits = true,
            b'.' => points = points.saturating_add(1),
            _ => return HintReport::Malformed,
        }
    }
    match (digits, points) {
        (true, 0) if signed => HintReport::Signed,
        (true, 1) => HintReport::Fractional,
        _ => HintReport::Malformed,
    }
}

/// Several values joined with commas. Each is what stands before the next comma, or, for a date, before the next but
/// one.
#[cold]
fn many(value: &[u8], dates: DateRules, now: Option<UnixMillis>) -> Result<RetryAfter, RetryAfterError> {
    let (mut first, mut differ) = (None, false);
    let (mut seconds, mut date, mut unknown) = (None, None, false);
    let mut rest = Some(value);
    while let Some(elements) = rest {
        let (element, after) = split(elements, dates, now)?;
        rest = after;
        match element {
            Ok(value) => {
                differ |= *first.get_or_insert(value) != value;
                match value {
                    RetryAfter::DelaySeconds(more) => seconds = seconds.max(Some(more)),
                    RetryAfter::At(later) => date = date.max(Some(later)),
                }
            }
            Err(Proof::Unknown) => (differ, unknown) = (true, true),
            Err(_) => (differ, seconds) = (true, Some(u64::MAX)),
        }
    }
    match first {
        Some(value) if !differ => Ok(value),
        _ => {
            let proof = if unknown { Proof::Unknown } else { Proof::AtLeast { seconds, date } };
            Err(RetryAfterError { reason: HintReport::Conflicting, proof })
        }
    }
}

/// A value that was read, or what one proves that is well-formed but cannot be read.
type Element = Result<RetryAfter, Proof>;

/// The first element and what follows its comma. An element that is neither digits nor a date spoils the whole.
fn split(rest: &[u8], dates: DateRules, now: Option<UnixMillis>) -> Result<(Element, Option<&[u8]>), RetryAfterError> {
    for commas in [1_usize, 2] {
        let mut seen = 0_usize;
        let comma = rest.iter().position(|byte| {
            seen = seen.wrapping_add((*byte == b',').into());
            seen == commas
        });
        let (head, after) = match comma.and_then(|at| rest.split_at_checked(at)) {
            Some((head, tail)) => (head, tail.get(1..)),
            None => (rest, None),
        };
        match one(trim(head), dates, now) {
            Ok(value) => return Ok((Ok(value), after)),
            Err(RetryAfterError { proof: Proof::Nothing, .. }) => {}
            Err(error) => return Ok((Err(error.proof), after)),
        }
    }
    Err(nothing(HintReport::Malformed))
}

fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

const fn nothing(reason: HintReport) -> RetryAfterError {
    RetryAfterError { reason, proof: Proof::Nothing }
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
            assert_eq!(parse(value, ANY, None), Err(nothing(HintReport::Malformed)), "{value:?}");
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
