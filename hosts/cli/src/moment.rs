//! Moments as people write and read them.

use std::time::{Duration, UNIX_EPOCH};

use policy_core::{DateRules, Mark, UnixMillis, http_date};
use refrain::{SystemTime, Time};

use crate::decimal;

/// What `--now` says: a moment, or that there is no wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock(pub(crate) Option<UnixMillis>);

impl Clock {
    /// What `given` says, else the machine's clock.
    pub(crate) fn or_system(given: Option<Self>) -> Option<UnixMillis> {
        given.map_or_else(|| SystemTime.wall(), |Self(clock)| clock)
    }
}

/// Reads an HTTP-date, seconds since 1970, an RFC 3339 date and time, or `none`.
pub(crate) fn parse(text: &str) -> Result<Clock, String> {
    if text == "none" {
        return Ok(Clock(None));
    }
    let plain = decimal::scaled(text, 3).map(|millis| u64::try_from(millis).unwrap_or(u64::MAX));
    match plain.or_else(|| http_date(text)).or_else(|| rfc3339(text)) {
        Some(millis) if millis <= Mark::MAX.get() => Ok(Clock(Some(UnixMillis::new(millis)))),
        _ => Err("expected a moment from 1970 on: `Sun, 06 Nov 1994 08:49:37 GMT`, `784111777`, \
                  `1994-11-06T08:49:37Z`, or `none` for no wall clock"
            .to_owned()),
    }
}

/// Writes a second since 1970 as an HTTP-date, or as the number where no such date exists.
pub(crate) fn text(second: i64) -> String {
    // The last second of the year 9999, after which an HTTP-date has no room.
    const LAST: u64 = 253_402_300_799;
    match u64::try_from(second) {
        Ok(second) if second <= LAST => httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(second)),
        _ => format!("second {second} since 1970"),
    }
}

/// Writes a moment to the second, rounded up, so that nobody comes too early.
pub(crate) fn text_of(moment: UnixMillis) -> String {
    text(i64::try_from(moment.get().div_ceil(1_000)).unwrap_or(i64::MAX))
}

fn http_date(text: &str) -> Option<u64> {
    let second = http_date::parse(text.as_bytes(), DateRules::default(), None).ok()?;
    u64::try_from(second).ok()?.checked_mul(1_000)
}

/// Reads `1994-11-06T08:49:37Z`, with or without a fraction, with `Z` or an offset such as `+01:00`.
fn rfc3339(text: &str) -> Option<u64> {
    let (date, rest) = text.split_at_checked(10)?;
    let (time, rest) = rest.strip_prefix(['T', 't', ' '])?.split_at_checked(8)?;
    let at = rest.find(['Z', 'z', '+', '-'])?;
    let (fraction, zone) = rest.split_at_checked(at)?;
    let fraction = if fraction.is_empty() { 0 } else { decimal::scaled(&format!("0{fraction}"), 3)? };
    let local = calendar(date, time)?.checked_mul(1_000)?.checked_add(i64::try_from(fraction).ok()?)?;
    u64::try_from(local.checked_sub(offset(zone)?)?).ok()
}

/// The second of a day and a time in UTC. The calendar is that of HTTP-dates; as they name the weekday, each is tried.
fn calendar(date: &str, time: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (year, month_day) = date.split_once('-')?;
    let (month, day) = month_day.split_once('-')?;
    let (_, month) = (1..).zip(MONTHS).find(|(number, _)| month == format!("{number:02}"))?;
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].into_iter().find_map(|weekday| {
        let date = format!("{weekday}, {day} {month} {year} {time} GMT");
        http_date::parse(date.as_bytes(), DateRules::default(), None).ok()
    })
}

/// The milliseconds by which a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, clock) = zone.split_at_checked(1)?;
    let (hours, minutes) = clock.split_once(':')?;
    let number = |digits: &str| (digits.len() == 2).then(|| decimal::scaled(digits, 0)).flatten();
    let (hours, minutes) =
        (number(hours).filter(|hours| *hours < 24)?, number(minutes).filter(|minutes| *minutes < 60)?);
    let ahead = i64::try_from((hours * 60 + minutes) * 60_000).ok()?;
    Some(if sign == "-" { -ahead } else { ahead })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<u64> {
        parse(text).ok()?.0.map(UnixMillis::get)
    }

    #[test]
    fn the_three_ways_to_write_a_moment_agree() {
        for text in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "784111777", "1994-11-06T08:49:37Z", "1994-11-06 09:49:37.000+01:00"]
        {
            assert_eq!(millis(text), Some(784_111_777_000), "{text}");
        }
        assert_eq!(millis("1970-01-01T00:00:00.25-00:00"), Some(250));
        assert_eq!(parse("none"), Ok(Clock(None)));
    }

    #[test]
    fn a_moment_that_does_not_exist_is_refused() {
        let texts = ["", "now", "-1", "1e9", "2025-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-1-01T00:00:00Z"];
        let more = ["2024-01-01", "2024-01-01T25:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00+24:00"];
        let before_1970 = ["1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT", "1970-01-01T00:00:00+00:01"];
        for text in texts.into_iter().chain(more).chain(before_1970) {
            assert_eq!(millis(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_is_written_without_coming_too_early() {
        assert_eq!(text_of(UnixMillis::new(784_111_776_001)), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(text(-1), "second -1 since 1970");
    }
}
