//! The reader of IMF-fixdate against `httpdate`: the same second for every day, and no date that only one of them reads,
//! but for what is documented to differ.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use policy_core::{
    DateRules,
    http_date::{self, HttpDateError},
};

const STRICT: DateRules = DateRules { obsolete: false, strict: true };
const DAY: u64 = 86_400;
/// Days from 1970-01-01 to 9999-12-31, both included.
const DAYS: u64 = 2_932_897;

#[test]
fn every_day_from_1970_to_9999_is_read_as_the_second_that_was_written() {
    for day in 0..DAYS {
        // The first second of a day, its last, and one that moves on from day to day.
        let time = [0, DAY - 1, day * 7_919 % DAY][(day % 3) as usize];
        let second = day * DAY + time;
        let text = written(second);
        let read = http_date::parse(text.as_bytes(), STRICT, None);
        assert_eq!(read, Ok(second.cast_signed()), "{text}");
    }
    assert!(written(DAYS * DAY - 1).starts_with("Fri, 31 Dec 9999"), "these are all days there are");
}

#[test]
fn every_second_of_a_day_is_read_as_it_was_written() {
    for second in 784_080_000..784_080_000 + DAY {
        let text = written(second);
        assert_eq!(http_date::parse(text.as_bytes(), STRICT, None), Ok(second.cast_signed()), "{text}");
    }
}

#[test]
fn a_changed_byte_is_read_alike_or_refused_for_the_weekday() {
    // Leap days, ends of months and years, and days between them.
    for day in (0..DAYS).step_by(8_191).chain([59, 789, 11_016, 11_322, 47_540, DAYS - 1]) {
        let text = written(day * DAY + day * 7_919 % DAY);
        for (at, byte) in (0..text.len()).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
            let mut changed = text.clone().into_bytes();
            changed[at] = byte;
            let ours = http_date::parse(&changed, STRICT, None);
            let theirs = str::from_utf8(&changed).ok().and_then(read_by_httpdate);
            let agree = match (ours, theirs) {
                // It reads no year before 1970.
                (Ok(second), None) => second < 0,
                (Ok(second), Some(other)) => second == other,
                // It does not compare the weekday with the date.
                (Err(HttpDateError::WrongWeekday), _) => true,
                (Err(_), other) => other.is_none(),
            };
            assert!(agree, "`{}`: {ours:?}, httpdate: {theirs:?}", changed.escape_ascii());
        }
    }
}

fn written(second: u64) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(second))
}

fn read_by_httpdate(text: &str) -> Option<i64> {
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).expect("it reads no date before 1970");
    httpdate::parse_http_date(text).ok().map(|time| since(time).as_secs().cast_signed())
}
