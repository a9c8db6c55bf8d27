//! HTTP-dates (RFC 9110 §5.6.7), read from bytes under no locale at all.
//!
//! ```text
//! IMF-fixdate  = day-name "," SP 2DIGIT SP month SP 4DIGIT SP time SP GMT      Sun, 06 Nov 1994 08:49:37 GMT
//! rfc850-date  = day-name-l "," SP 2DIGIT "-" month "-" 2DIGIT SP time SP GMT  Sunday, 06-Nov-94 08:49:37 GMT
//! asctime-date = day-name SP month SP ( 2DIGIT / SP DIGIT ) SP time SP 4DIGIT  Sun Nov  6 08:49:37 1994
//! ```
//!
//! Case-sensitive, every byte accounted for. Beyond the grammar: the day exists, the weekday is that of the date, the
//! year is 1900 or later (RFC 5322 §3.3), and `:60` stands only at 23:59, where it means the next second.

#[cfg(not(target_family = "wasm"))]
use crate::imf_fixdate;
use crate::{
    days::{EPOCH, MONTHS, SHORT_NAME, WEEKDAY_OF_DAY_0, WEEKDAYS, century_of, days_before, month_length, word},
    outcome::HintReport,
    time::UnixMillis,
};

/// Reads an HTTP-date; the result is in seconds since 1970, negative before.
///
/// `now` is for two-digit years only: such a year is of the current century, unless that lies more than 50 years
/// ahead, and then of the one before.
///
/// ```
/// use policy_core::{DateRules, http_date, http_date::HttpDateError};
/// let any = DateRules { obsolete: true, strict: false };
/// assert_eq!(http_date::parse(b"Sun, 06 Nov 1994 08:49:37 GMT", any, None), Ok(784_111_777));
/// assert_eq!(http_date::parse(b"Sun Nov  6 08:49:37 1994", any, None), Ok(784_111_777));
/// assert_eq!(http_date::parse(b"Mon, 06 Nov 1994 08:49:37 GMT", any, None), Err(HttpDateError::WrongWeekday));
/// ```
///
/// # Errors
/// What of it is no date that `rules` accept.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub fn parse(text: &[u8], rules: DateRules, now: Option<UnixMillis>) -> Result<i64, HttpDateError> {
    #[cfg(not(target_family = "wasm"))]
    if let Some(moment) = imf_fixdate::read(text) {
        return Ok((moment.get() / 1_000).cast_signed());
    }
    read(text, &Calendar::new(rules, now))
}

/// What dates are read by: the arguments of [`parse`].
pub(crate) struct Calendar {
    /// The rules, one bit each, at the places that they have in a compiled policy; all other bits are of no concern here.
    pub(crate) switches: u16,
    pub(crate) now: Option<UnixMillis>,
}

// [`Calendar::switches`]
pub(crate) const OBSOLETE: u16 = 1 << 1;
pub(crate) const STRICT: u16 = 1 << 2;

impl Calendar {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) const fn new(rules: DateRules, now: Option<UnixMillis>) -> Self {
        let obsolete = if rules.obsolete { OBSOLETE } else { 0 };
        let strict = if rules.strict { STRICT } else { 0 };
        Self { switches: obsolete | strict, now }
    }
}

/// As [`parse`], by the form alone.
pub(crate) fn read(text: &[u8], by: &Calendar) -> Result<i64, HttpDateError> {
    // The three forms differ in length, whatever the day.
    let form = match text.len() {
        29 => IMF_FIXDATE.as_slice(),
        24 => ASCTIME_DATE.as_slice(),
        _ => RFC850_DATE.as_slice(),
    };
    let (name, rest) = text.split_at_checked(text.len().wrapping_sub(form.len())).ok_or(HttpDateError::Malformed)?;
    let is_long = text.len() > 29;
    let weekday = weekday(name, is_long).ok_or(HttpDateError::Malformed)?;
    let mut date = scan(rest, form).ok_or(HttpDateError::Malformed)?;
    if text.len() != 29 && by.switches & OBSOLETE == 0 {
        return Err(HttpDateError::Obsolete);
    }
    if is_long {
        date.year = date.year_near(by.now.ok_or(HttpDateError::NoClock)?);
    }
    date.check(weekday, by.switches & STRICT != 0)
}

// What follows the name of the day.
const IMF_FIXDATE: &[u8; 26] = b", 11 NNN 0000 22:33:44 GMT";
const ASCTIME_DATE: &[u8; 21] = b" NNN _1 22:33:44 0000";
const RFC850_DATE: &[u8; 27] = b"day, 11-NNN-00 22:33:44 GMT";

/// Its number from Monday, 0. A long name comes without the three letters that all of them end with.
fn weekday(name: &[u8], is_long: bool) -> Option<u32> {
    if name.len() > 6 {
        return None;
    }
    let (name, compared) = (word(name), if is_long { u64::MAX } else { SHORT_NAME });
    (0..).zip(&WEEKDAYS).find(|(_, other)| (**other ^ name) & compared == 0).map(|(number, _)| number)
}

/// Reads what follows the weekday by a form of the same length. In it, `0` to `4` stand for a digit of year, day, hour,
/// minute and second, `_` for a digit of the day or a space, `N` for a letter of the month, all else for itself.
fn scan(text: &[u8], form: &[u8]) -> Option<Date> {
    let (mut numbers, mut name) = ([0_u32; 5], 0_u32);
    for (byte, place) in text.iter().zip(form) {
        let (byte, place) = (char::from(*byte), char::from(*place));
        let place = if place == '_' && byte != ' ' { '1' } else { place };
        if let Some(number) = place.to_digit(5).and_then(|number| numbers.get_mut(number as usize)) {
            *number = number.wrapping_mul(10).wrapping_add(byte.to_digit(10)?);
        } else if place == 'N' {
            name = name >> 8 | u32::from(byte) << 16;
        } else if place != byte && place != '_' {
            return None;
        }
    }
    let [year, day, hour, minute, second] = numbers;
    let (month, _) = (1..).zip(&MONTHS).find(|(_, other)| **other == name)?;
    Some(Date { day, month, year, hour, minute, second })
}

/// A date that matches a production; nothing is checked but digits and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    day: u32,
    /// From January, 1.
    month: u32,
    year: u32,
    hour: u32,
    minute: u32,
    second: u32,
}

impl Date {
    fn check(&self, weekday: u32, strict: bool) -> Result<i64, HttpDateError> {
        let Self { day, month, year, hour, minute, second } = *self;
        if day.wrapping_sub(1) >= month_length(year, month) || hour > 23 || minute > 59 || second > 60 {
            return Err(HttpDateError::NoSuchTime);
        }
        if second == 60 && (strict || hour != 23 || minute != 59) {
            return Err(HttpDateError::LeapSecond);
        }
        if year < 1900 {
            return Err(HttpDateError::YearBefore1900);
        }
        let days = days_before(year, month).wrapping_add(day);
        if days.wrapping_add(WEEKDAY_OF_DAY_0) % 7 != weekday {
            return Err(HttpDateError::WrongWeekday);
        }
        Ok(self.unix(days))
    }

    /// Seconds since 1970, given the days since 1 March of year 0.
    const fn unix(&self, days: u32) -> i64 {
        let Self { hour, minute, second, .. } = *self;
        let seconds = hour.wrapping_mul(60).wrapping_add(minute).wrapping_mul(60).wrapping_add(second);
        (days.wrapping_sub(EPOCH).cast_signed() as i64).wrapping_mul(86_400).wrapping_add(seconds as i64)
    }

    /// The year that a two-digit year stands for.
    fn year_near(&self, now: UnixMillis) -> u32 {
        let now = now.get() / 1_000;
        let year = century_of(now / 86_400).wrapping_mul(100).wrapping_add(self.year);
        // "More than 50 years in the future" is counted in calendar years: the same day 50 years before is yet to come.
        let days = days_before(year.wrapping_sub(50), self.month).wrapping_add(self.day);
        if self.unix(days) > now.cast_signed() { year.wrapping_sub(100) } else { year }
    }
}

/// Which HTTP-dates are read (RFC 9110 §5.6.7).
///
/// ```
/// use policy_core::{DateRules, http_date};
/// let fixdate_only = DateRules { obsolete: false, strict: false };
/// assert!(http_date::parse(b"Sun, 06 Nov 1994 08:49:37 GMT", fixdate_only, None).is_ok());
/// assert!(http_date::parse(b"Sun Nov  6 08:49:37 1994", fixdate_only, None).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DateRules {
    /// RFC 850 and asctime dates too, as the RFC obliges recipients.
    pub obsolete: bool,
    /// A second of 60 is refused; formatting what was read gives the text back.
    pub strict: bool,
}

/// Why bytes are no HTTP-date.
///
/// ```
/// use policy_core::{DateRules, http_date, http_date::HttpDateError};
/// let any = DateRules { obsolete: true, strict: false };
/// let error = http_date::parse(b"Thu, 30 Feb 2023 00:00:00 GMT", any, None).unwrap_err();
/// assert_eq!(error, HttpDateError::NoSuchTime);
/// assert_eq!(error.to_string(), "expected a day and a time that exist");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum HttpDateError {
    /// None of the three productions.
    Malformed = HintReport::Malformed.code(),
    /// An RFC 850 or asctime date, which the rules do not accept.
    Obsolete = HintReport::ObsoleteDate.code(),
    /// A two-digit year, but no clock to tell its century.
    NoClock = HintReport::NoWallClock.code(),
    /// The day, hour, minute or second does not exist.
    NoSuchTime = HintReport::NoSuchTime.code(),
    /// The weekday is that of another date.
    WrongWeekday = HintReport::WrongWeekday.code(),
    /// A second of 60 that is not at 23:59, or that the rules do not accept.
    LeapSecond = HintReport::LeapSecond.code(),
    /// A year before 1900.
    YearBefore1900 = HintReport::YearBefore1900.code(),
}

impl HttpDateError {
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Malformed => "expected an HTTP-date",
            Self::Obsolete => "expected an HTTP-date of the form IMF-fixdate",
            Self::NoClock => "a two-digit year needs a wall clock",
            Self::NoSuchTime => "expected a day and a time that exist",
            Self::WrongWeekday => "expected the weekday of the date",
            Self::LeapSecond => "a second of 60 is not accepted here",
            Self::YearBefore1900 => "expected a year from 1900 on",
        }
    }

    /// The same as a report on a hint.
    pub(crate) const fn report(self) -> HintReport {
        match self {
            Self::Malformed => HintReport::Malformed,
            Self::Obsolete => HintReport::ObsoleteDate,
            Self::NoClock => HintReport::NoWallClock,
            Self::NoSuchTime => HintReport::NoSuchTime,
            Self::WrongWeekday => HintReport::WrongWeekday,
            Self::LeapSecond => HintReport::LeapSecond,
            Self::YearBefore1900 => HintReport::YearBefore1900,
        }
    }
}

impl core::fmt::Display for HttpDateError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for HttpDateError {}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{borrow::ToOwned, format};

    use super::*;

    const ANY: DateRules = DateRules { obsolete: true, strict: false };

    #[test]
    fn every_long_weekday_is_read_and_no_other() {
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
        for (name, day) in days.into_iter().zip(6..) {
            let date = |name: &str| format!("{name}, {day:02}-Nov-94 08:49:37 GMT");
            let now = Some(UnixMillis::new(784_111_777_000));
            assert!(parse(date(name).as_bytes(), ANY, now).is_ok(), "{name}");
            let padded = [name.replace("day", "\0day"), format!("\0{name}"), name.replace("day", "        day")];
            let others = [name.to_lowercase(), name[..3].to_owned(), format!("{name}s")];
            for other in others.into_iter().chain(padded) {
                assert_eq!(parse(date(&other).as_bytes(), ANY, now), Err(HttpDateError::Malformed), "{other}");
            }
        }
    }

    #[test]
    fn a_leap_second_is_the_next_second_unless_strict() {
        let text = b"Sat, 31 Dec 2016 23:59:60 GMT";
        assert_eq!(parse(text, ANY, None), Ok(1_483_228_800));
        assert_eq!(parse(text, DateRules { strict: true, ..ANY }, None), Err(HttpDateError::LeapSecond));
    }

    #[test]
    fn obsolete_forms_are_named_when_they_are_refused() {
        let imf_only = DateRules::default();
        for text in [&b"Sunday, 06-Nov-94 08:49:37 GMT"[..], b"Sun Nov  6 08:49:37 1994"] {
            assert_eq!(parse(text, imf_only, None), Err(HttpDateError::Obsolete));
        }
        assert_eq!(parse(b"Sunday, 06-Nov-94 08:49:37 GMT", ANY, None), Err(HttpDateError::NoClock));
    }
}
