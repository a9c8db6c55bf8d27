//! Spans of time as people write and read them.

use std::fmt;

use policy_core::Millis;

use crate::decimal;

/// The units, from the longest, and their milliseconds.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Reads a span such as `250ms`, `1.5s`, `2m`, `1h30m` or `7d`, of at most 2^53 − 1 ms. Units come from the longest to
/// the shortest, each once; the last number may have a fraction. It has to be whole milliseconds.
///
/// ```
/// use policy_core::Millis;
/// use refrain_document::duration;
/// assert_eq!(duration::parse("1h30m"), Ok(Millis::from_secs(5_400)));
/// assert_eq!(duration::parse("1.5s"), Ok(Millis::new(1_500)));
/// assert!(duration::parse("5").is_err());
/// ```
///
/// # Errors
/// What of it is no such span.
pub fn parse(text: &str) -> Result<Millis, DurationError> {
    let (mut rest, mut units, mut millionths) = (text, UNITS.as_slice(), 0_u128);
    while !rest.is_empty() || units.len() == UNITS.len() {
        let (number, after) = split(rest, |letter| letter.is_ascii_alphabetic())?;
        let (unit, after) = split(after, |letter| !letter.is_ascii_alphabetic()).unwrap_or((after, ""));
        let at = units.iter().position(|(name, _)| *name == unit).ok_or(DurationError::Malformed)?;
        let number = decimal::scaled(number, 6).filter(|_| after.is_empty() || !number.contains('.'));
        let span = number.ok_or(DurationError::Malformed)?.saturating_mul(units[at].1.into());
        millionths = millionths.saturating_add(span);
        (rest, units) = (after, &units[at + 1..]);
    }
    match u64::try_from(millionths / 1_000_000) {
        Ok(_) if millionths / 1_000_000 > Millis::MAX.get().into() => Err(DurationError::TooLong),
        Ok(_) if millionths % 1_000_000 > 0 => Err(DurationError::NotWhole),
        Ok(millis) => Ok(Millis::new(millis)),
        Err(_) => Err(DurationError::TooLong),
    }
}

/// Before and from the first character that `ends`; both parts have something.
fn split(text: &str, ends: impl Fn(char) -> bool) -> Result<(&str, &str), DurationError> {
    let at = text.find(ends).filter(|at| *at > 0).ok_or(DurationError::Malformed)?;
    Ok(text.split_at(at))
}

/// Why a text is no span.
///
/// ```
/// use refrain_document::duration::{self, DurationError};
/// assert_eq!(duration::parse("30"), Err(DurationError::Malformed));
/// assert_eq!(duration::parse("0.5ms"), Err(DurationError::NotWhole));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DurationError {
    /// It is not numbers and units.
    Malformed,
    /// It has a fraction of a millisecond.
    NotWhole,
    /// It is longer than 2^53 − 1 ms.
    TooLong,
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => {
                f.write_str("expected numbers and units, such as `250ms`, `1.5s`, `30s`, `1h30m` or `7d`")
            }
            Self::NotWhole => f.write_str("expected whole milliseconds"),
            Self::TooLong => write!(f, "expected at most {} ms", Millis::MAX.get()),
        }
    }
}

impl std::error::Error for DurationError {}

/// Writes a span as [`parse`] reads it.
///
/// ```
/// use policy_core::Millis;
/// use refrain_document::duration;
/// assert_eq!(duration::written(Millis::new(5_400_000)), "1h30m");
/// assert_eq!(duration::written(Millis::new(61_500)), "1m1.5s");
/// ```
#[must_use]
pub fn written(span: Millis) -> String {
    let ms = span.get();
    match ms {
        0 => "0s".to_owned(),
        1..1_000 => format!("{ms}ms"),
        _ => {
            let [(_, day), (_, hour), (_, minute), ..] = UNITS;
            let part = |count: u64, unit: &str| if count == 0 { String::new() } else { format!("{count}{unit}") };
            let seconds = match (ms % minute, ms % 1_000) {
                (0, _) => String::new(),
                (rest, 0) => format!("{}s", rest / 1_000),
                (rest, fraction) => format!("{}.{}s", rest / 1_000, format!("{fraction:03}").trim_end_matches('0')),
            };
            [part(ms / day, "d"), part(ms % day / hour, "h"), part(ms % hour / minute, "m"), seconds].concat()
        }
    }
}

/// Says a span to people: exact below an hour, to the second above.
///
/// ```
/// use policy_core::Millis;
/// use refrain_document::duration;
/// assert_eq!(duration::text(Millis::new(90_500)), "1 min 30.500 s");
/// ```
#[must_use]
pub fn text(span: Millis) -> String {
    let ms = span.get();
    match ms {
        _ if span == Millis::MAX => "an unknown or endless time".to_owned(),
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => seconds(ms),
        60_000..3_600_000 => joined(ms / 60_000, "min", ms % 60_000, seconds),
        3_600_000..86_400_000 => joined(ms / 3_600_000, "h", ms % 3_600_000, |rest| format!("{} min", rest / 60_000)),
        _ => joined(ms / 86_400_000, "d", ms % 86_400_000, |rest| format!("{} h", rest / 3_600_000)),
    }
}

fn seconds(ms: u64) -> String {
    match ms % 1_000 {
        0 => format!("{} s", ms / 1_000),
        rest => format!("{}.{rest:03} s", ms / 1_000),
    }
}

fn joined(whole: u64, unit: &str, rest: u64, smaller: impl Fn(u64) -> String) -> String {
    if rest == 0 { format!("{whole} {unit}") } else { format!("{whole} {unit} {}", smaller(rest)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_unit_is_read_alone_and_with_smaller_ones() {
        let alone =
            [("0ms", 0), ("250ms", 250), ("1.5s", 1_500), ("2m", 120_000), ("1h", 3_600_000), ("7d", 604_800_000)];
        let joined = [("1h30m", 5_400_000), ("1m1.5s", 61_500), ("1d1h1m1s1ms", 90_061_001), ("1s500ms", 1_500)];
        for (text, ms) in alone.into_iter().chain(joined) {
            assert_eq!(parse(text), Ok(Millis::new(ms)), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused() {
        let texts = [
            "", "5", "s", "-1s", "1.s", "1 s", "1S", "1sec", "infs", "1s30", "30m1h", "1m1m", "1.5h30m", "1.0h30m",
            "1h 30m", "1ms1s",
        ];
        for text in texts {
            assert_eq!(parse(text), Err(DurationError::Malformed), "{text}");
        }
    }

    #[test]
    fn a_fraction_of_a_millisecond_is_refused() {
        for text in ["0.5ms", "1.0001s", "1m0.0001s"] {
            assert_eq!(parse(text), Err(DurationError::NotWhole), "{text}");
        }
    }

    #[test]
    fn every_span_of_the_policy_is_read_and_a_longer_one_is_told_the_limit() {
        assert_eq!(parse("999999999999999ms"), Ok(Millis::new(999_999_999_999_999)));
        assert_eq!(parse("9007199254740991ms"), Ok(Millis::MAX));
        assert_eq!(parse("9007199254740.991s"), Ok(Millis::MAX));
        let endless = format!("{}d", "9".repeat(99));
        for text in ["9007199254740992ms", "9007199254740.992s", "99999999999d", &endless, "9007199254740s992ms"] {
            assert_eq!(parse(text), Err(DurationError::TooLong), "{text}");
        }
    }

    #[test]
    fn a_span_is_said_in_the_units_of_its_size() {
        let texts = [(0, "0 ms"), (999, "999 ms"), (2_000, "2 s"), (1_043, "1.043 s"), (90_500, "1 min 30.500 s")];
        let longer = [(3_600_000, "1 h"), (86_400_000, "1 d"), (95_400_000, "1 d 2 h")];
        for (ms, expected) in texts.into_iter().chain(longer) {
            assert_eq!(text(Millis::new(ms)), expected);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same_span(ms in prop_oneof![0..200_000_u64, 0..=Millis::MAX.get()]) {
            prop_assert_eq!(parse(&written(Millis::new(ms))), Ok(Millis::new(ms)));
        }
    }
}
