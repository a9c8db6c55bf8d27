//! Spans of time as people write and read them.

use policy_core::Millis;

use crate::decimal;

/// The units, from the longest, and their milliseconds.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Reads a span such as `250ms`, `1.5s`, `2m`, `1h` or `7d`; it has to be whole milliseconds.
pub(crate) fn parse(text: &str) -> Result<Millis, String> {
    let expected = || "expected a number and a unit, such as `250ms`, `30s`, `2m`, `1h` or `7d`".to_owned();
    let at = text.find(|letter: char| letter.is_ascii_alphabetic()).ok_or_else(expected)?;
    let (number, unit) = text.split_at(at);
    let (_, length) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or_else(expected)?;
    let millionths = decimal::scaled(number, 6).ok_or_else(expected)?;
    let product = millionths.saturating_mul(length.into());
    match u64::try_from(product / 1_000_000) {
        Ok(millis) if millis <= Millis::MAX.get() => match product % 1_000_000 {
            0 => Ok(Millis::new(millis)),
            _ => Err("expected whole milliseconds".to_owned()),
        },
        _ => Err(format!("expected at most {} ms", Millis::MAX.get())),
    }
}

/// Writes a span for people: exact below an hour, to the second above.
pub(crate) fn text(span: Millis) -> String {
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
    use super::*;

    #[test]
    fn every_unit_is_read() {
        for (text, ms) in
            [("0ms", 0), ("250ms", 250), ("1.5s", 1_500), ("2m", 120_000), ("1h", 3_600_000), ("7d", 604_800_000)]
        {
            assert_eq!(parse(text), Ok(Millis::new(ms)), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_of_whole_milliseconds_is_refused() {
        for text in ["", "5", "s", "-1s", "1.s", "1 s", "1S", "1sec", "infs", "0.5ms", "1.0001s"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_span_of_the_policy_is_read_and_a_longer_one_is_told_the_limit() {
        assert_eq!(parse("999999999999999ms"), Ok(Millis::new(999_999_999_999_999)));
        assert_eq!(parse("9007199254740991ms"), Ok(Millis::MAX));
        assert_eq!(parse("9007199254740.991s"), Ok(Millis::MAX));
        let endless = format!("{}d", "9".repeat(99));
        for text in ["9007199254740992ms", "9007199254740.992s", "99999999999d", &endless] {
            assert_eq!(parse(text), Err("expected at most 9007199254740991 ms".to_owned()), "{text}");
        }
    }

    #[test]
    fn a_span_is_written_in_the_units_of_its_size() {
        let texts = [(0, "0 ms"), (999, "999 ms"), (2_000, "2 s"), (1_043, "1.043 s"), (90_500, "1 min 30.500 s")];
        let longer = [(3_600_000, "1 h"), (86_400_000, "1 d"), (95_400_000, "1 d 2 h")];
        for (ms, expected) in texts.into_iter().chain(longer) {
            assert_eq!(text(Millis::new(ms)), expected);
        }
    }
}
