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
    http_date::{self, Calendar, DateRules, HttpDateError},
    outcome::HintReport,
    time::UnixMillis,
};

/// What a Retry-After value says.
///
/// ```
/// use policy_core::{DateRules, retry_after::{self, RetryAfter}};
/// let any = DateRules { obsolete: true, strict: false };
/// let date = retry_after::parse(b"Sun, 06 Nov 1994 08:49:37 GMT", any, None);
/// assert_eq!(date, Ok(RetryAfter::At(784_111_777)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// Seconds, as sent.
    DelaySeconds(u64),
    /// A date, in seconds since 1970; negative before.
    At(i64),
}

/// Why a Retry-After value was refused, and what it proves all the same.
///
/// ```
/// use policy_core::{DateRules, HintReport, retry_after::{self, Proof}};
/// let any = DateRules { obsolete: true, strict: false };
/// let error = retry_after::parse(b"120s", any, None).unwrap_err();
/// assert_eq!((error.reason, error.proof), (HintReport::Malformed, Proof::Nothing));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetryAfterError {
    /// Why; never [`HintReport::Absent`], `Used` or `NotAsked`.
    pub reason: HintReport,
    /// What it proves.
    pub proof: Proof,
}

/// What a refused value proves about the wait that was meant.
///
/// ```
/// use policy_core::{DateRules, retry_after::{self, Proof}};
/// let any = DateRules { obsolete: true, strict: false };
/// let too_large = retry_after::parse(b"99999999999999999999", any, None).unwrap_err();
/// assert_eq!(too_large.proof, Proof::AtLeast { seconds: Some(u64::MAX), date: None });
/// ```
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
    let reading = read(value, &Calendar::new(dates, now), false)
        .map_err(|reason| RetryAfterError { reason, proof: Proof::Nothing })?;
    match (reading.report, reading.date()) {
        (HintReport::Used, Some(date)) => Ok(RetryAfter::At(date)),
        (HintReport::Used, None) => Ok(RetryAfter::DelaySeconds(reading.number)),
        (reason, _) => Err(RetryAfterError { reason, proof: reading.proof() }),
    }
}

/// As [`parse`], for a field of any unit; with `decimals`, its number may have a fraction: `1*DIGIT "." 1*DIGIT`.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn read(value: &[u8], dates: &Calendar, decimals: bool) -> Result<Reading, HintReport> {
    if value.len() >= FIELD_MAX {
        return Err(HintReport::TooLong);
    }
    // A single value is a list as well; where code may be larger, it is read without looking for commas.
    if cfg!(not(target_family = "wasm")) {
        let reading = one(value, dates, decimals);
        if !matches!(reading, Err(HintReport::Malformed)) {
            return reading;
        }
    }
    many(value, dates, decimals)
}

/// What a value says, or proves though it was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// [`HintReport::Used`], or why it was refused.
    pub(crate) report: HintReport,
    /// Of what it was read: at least one.
    parts: u16,
    /// The thousandths that are begun after the whole number.
    pub(crate) thousandths: u32,
    /// The largest number; `u64::MAX` for anything longer, and where nobody can say how long. Zero where there is none.
    pub(crate) number: u64,
    /// The latest date, in seconds since 1970; [`Reading::BEFORE_1900`] where there is none.
    date: i64,
}

impl Reading {
    const NUMBER: u16 = 1 << 0;
    const DATE: u16 = 1 << 1;
    /// A date that nobody can measure.
    const UNKNOWN: u16 = 1 << 2;
    /// The second before the first date that is read.
    const BEFORE_1900: i64 = -2_208_988_801;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn of_date(result: Result<i64, HttpDateError>) -> Result<Self, HintReport> {
        let (report, parts, number, date) = match result {
            Ok(date) => (HintReport::Used, Self::DATE, 0, date),
            Err(HttpDateError::NoClock) => (HintReport::NoWallClock, Self::UNKNOWN, u64::MAX, Self::BEFORE_1900),
            Err(error) => return Err(error.report()),
        };
        Ok(Self { report, parts, thousandths: 0, number, date })
    }

    const fn span(&self) -> (u64, u32) {
        (self.number, self.thousandths)
    }

    pub(crate) fn date(&self) -> Option<i64> {
        (self.date != Self::BEFORE_1900).then_some(self.date)
    }

    fn proof(&self) -> Proof {
        match self.parts {
            parts if parts & Self::UNKNOWN != 0 => Proof::Unknown,
            parts => {
                let seconds = (parts & Self::NUMBER != 0).then_some(self.number);
                Proof::AtLeast { seconds, date: self.date() }
            }
        }
    }
}

/// One value: digits or a date.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn one(value: &[u8], dates: &Calendar, decimals: bool) -> Result<Reading, HintReport> {
    match trim(value) {
        [] => Err(HintReport::Empty),
        value @ [first, ..] if matches!(char::from(*first), '0'..='9' | '+' | '-' | '.') => number(value, decimals),
        value => Reading::of_date(http_date::read(value, dates)),
    }
}

/// Digits, or what else a number was meant to be.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn number(value: &[u8], decimals: bool) -> Result<Reading, HintReport> {
    let (mut whole, mut overflow, mut is_fractional) = (0_u64, false, false);
    let (mut thousandths, mut place, mut more) = (0_u32, 100_u32, 0_u32);
    let unsigned = match value {
        [b'+' | b'-', unsigned @ ..] => unsigned,
        _ => value,
    };
    for byte in unsigned {
        match char::from(*byte).to_digit(10) {
            Some(digit) if is_fractional => {
                thousandths = thousandths.wrapping_add(place.wrapping_mul(digit));
                more |= if place == 0 { digit } else { 0 };
                place /= 10;
            }
            Some(digit) => {
                let next = whole.wrapping_mul(10).wrapping_add(digit.into());
                overflow |= next / 10 != whole;
                whole = next;
            }
            None if *byte == b'.' && !is_fractional => is_fractional = true,
            None => return Err(HintReport::Malformed),
        }
    }
    let is_decimal = decimals && place < 100 && matches!(value, [b'0'..=b'9', ..]);
    let report = match () {
        () if unsigned.len() == is_fractional.into() => return Err(HintReport::Malformed),
        () if is_fractional && !is_decimal => return Err(HintReport::Fractional),
        () if unsigned.len() != value.len() => return Err(HintReport::Signed),
        () if overflow && !is_fractional => HintReport::Overflow,
        () => HintReport::Used,
    };
    let number = if overflow { u64::MAX } else { whole };
    let thousandths = thousandths.wrapping_add((more != 0).into());
    Ok(Reading { report, parts: Reading::NUMBER, thousandths, number, date: Reading::BEFORE_1900 })
}

/// Values joined with commas.
#[cold]
fn many(value: &[u8], dates: &Calendar, decimals: bool) -> Result<Reading, HintReport> {
    let (mut all, mut rest) = (None, value);
    loop {
        // The comma in a date follows a day's name; the one after an element does not.
        let (head, tail) = split_at_comma(rest, |before| !before.is_ascii_lowercase());
        let is_list = rest.len() != value.len() || !tail.is_empty();
        let element =
            one(head, dates, decimals).map_err(|report| if is_list { HintReport::Malformed } else { report })?;
        let all: &mut Reading = all.get_or_insert(element);
        // An element never says so of itself, so this holds to the end.
        if all.report != element.report || all.span() != element.span() || all.date != element.date {
            all.report = HintReport::Conflicting;
        }
        all.parts |= element.parts;
        (all.number, all.thousandths) = all.span().max(element.span());
        all.date = all.date.max(element.date);
        match tail {
            [_, more @ ..] => rest = more,
            [] => return Ok(*all),
        }
    }
}

/// A list up to the first comma that ends an element, and from that on. `ends` is given the byte before a comma, 0 if there
/// is none.
pub(crate) fn split_at_comma(list: &[u8], ends: impl Fn(char) -> bool) -> (&[u8], &[u8]) {
    let mut before = '\0';
    let comma = list.iter().position(|byte| {
        let before = core::mem::replace(&mut before, char::from(*byte));
        *byte == b',' && ends(before)
    });
    list.split_at_checked(comma.unwrap_or(list.len())).unwrap_or_default()
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
            HintReport::NoWallClock => "this date needs a wall clock",
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
    const BY: Calendar = Calendar::new(ANY, None);

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
        let decimal = |value| {
            let reading = read(value, &BY, true).ok()?;
            (reading.report == HintReport::Used).then_some((reading.number, reading.thousandths))
        };
        assert_eq!(decimal(b" 1.5 "), Some((1, 500)));
        assert_eq!(decimal(b"0.0001"), Some((0, 1)));
        assert_eq!(decimal(b"64.57"), Some((64, 570)));
        assert_eq!(decimal(b"2.9991"), Some((2, 1_000)));
        assert_eq!(decimal(b"7.0000"), Some((7, 0)));
        assert_eq!(decimal(b"99999999999999999999.5"), Some((u64::MAX, 500)));
        assert_eq!(decimal(b"7"), Some((7, 0)));
        for bad in [&b".5"[..], b"5.", b"-1.5", b"+1.5", b"1.5.", b"1.5e3", b"1..5", b"1.-5", b"1. 5", b"1.0001x"] {
            assert_eq!(decimal(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_single_value_is_a_list_of_one() {
        let values = [
            "",
            " ",
            "0",
            " 120\t",
            "1.5",
            "0.0001",
            "-5",
            "+.5",
            "-",
            "18446744073709551615",
            "18446744073709551616",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            " Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994 ",
            "Mon, 01 Jan 1900 00:00:00 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Dec 1899 23:59:59 GMT",
        ];
        for (value, decimals) in values.into_iter().flat_map(|value| [(value, false), (value, true)]) {
            let value = value.as_bytes();
            assert_eq!(many(value, &BY, decimals), one(value, &BY, decimals), "{value:?}");
        }
    }

    #[test]
    fn decimals_are_compared_to_the_thousandth() {
        let said = |value| {
            let reading = read(value, &BY, true).unwrap();
            (reading.report, reading.number, reading.thousandths)
        };
        assert_eq!(said(b"1.5, 1.50"), (HintReport::Used, 1, 500));
        assert_eq!(said(b"120.0, 120"), (HintReport::Used, 120, 0));
        assert_eq!(said(b"120.5, 60.75"), (HintReport::Conflicting, 120, 500));
        assert_eq!(said(b"60, 60.001, 59.9"), (HintReport::Conflicting, 60, 1));
        assert_eq!(read(b"1.5, 1.5", &BY, false), Err(HintReport::Malformed));
    }

    #[test]
    fn the_first_date_that_there_can_be_is_told_from_none() {
        assert_eq!(parse(b"Mon, 01 Jan 1900 00:00:00 GMT", ANY, None), Ok(RetryAfter::At(-2_208_988_800)));
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
