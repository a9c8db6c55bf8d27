//! What takes the place of a server's text: what was read out of it, written anew.

use std::{
    collections::BTreeMap,
    time::{Duration, UNIX_EPOCH},
};

use httpdate::fmt_http_date;
use policy_core::{
    DateRules, Event, Field, HintReport, Policy, UnixMillis,
    retry_after::{self, Proof, RetryAfter, RetryAfterError},
};

use crate::{engine::Engine, observer::Call};

/// What is written down of an answer's fields.
pub(super) struct StandIns<'a> {
    /// By the fields' names.
    pub(super) texts: BTreeMap<&'a str, String>,
    /// The policy decides by them as it decided.
    pub(super) exact: bool,
}

/// What can take the place of the fields of this call, and whether the engine decides the same by it.
pub(super) fn of<'a>(call: &Call<'a>) -> StandIns<'a> {
    let (engine, now) = (call.inner.engine, call.inner.now);
    let Some(Event::Response { of, status, fields }) = call.inner.event else {
        return StandIns { texts: BTreeMap::new(), exact: true };
    };
    let dates = dates(engine);
    let texts: Vec<String> = fields.iter().map(|field| stand_in(field.value, dates, now.wall)).collect();
    let stood_in: Vec<_> =
        fields.iter().zip(&texts).map(|(field, text)| Field { index: field.index, value: text.as_bytes() }).collect();
    let again = Event::Response { of, status, fields: &stood_in };
    let exact = fields.is_empty()
        || call.inner.step.is_none_or(|step| engine.handle(call.inner.state, again, now).as_ref() == Ok(step));
    StandIns { texts: named(engine, fields).zip(texts).map(|((name, _), text)| (name, text)).collect(), exact }
}

/// The fields of this call as they were sent, each byte a character.
pub(super) fn sent<'a>(call: &Call<'a>) -> BTreeMap<&'a str, String> {
    let Some(Event::Response { fields, .. }) = call.inner.event else { return BTreeMap::new() };
    named(call.inner.engine, fields)
        .map(|(name, value)| (name, value.iter().copied().map(char::from).collect()))
        .collect()
}

fn named<'a>(engine: &'a dyn Engine, fields: &'a [Field<'a>]) -> impl Iterator<Item = (&'a str, &'a [u8])> {
    let name = |index: u8| engine.description().fields.get(usize::from(index)).map_or("", String::as_str);
    fields.iter().map(move |field| (name(field.index), field.value))
}

/// The dates that the policy reads; all of them, if it is of another format.
fn dates(engine: &dyn Engine) -> DateRules {
    let policy = engine.description().policy.as_slice().try_into().ok();
    let policy = policy.and_then(|bytes| Policy::from_bytes(bytes).ok());
    policy.map_or(DateRules { obsolete: true, strict: false }, |policy| policy.dates())
}

/// A text of ours from which the same is read as from this one.
fn stand_in(value: &[u8], dates: DateRules, now: Option<UnixMillis>) -> String {
    if let Some(text) = verdict(value).map(str::to_owned).or_else(|| decimals(value)) {
        return text;
    }
    match retry_after::parse(value, dates, now) {
        Ok(RetryAfter::DelaySeconds(seconds)) => seconds.to_string(),
        Ok(RetryAfter::At(second)) => date(second),
        Err(RetryAfterError { reason: HintReport::Conflicting, proof }) => conflict(proof),
        Err(RetryAfterError { reason: HintReport::TooLong, .. }) => "1".repeat(policy_core::FIELD_MAX),
        Err(RetryAfterError { reason, .. }) => specimen(reason).to_owned(),
    }
}

/// What a verdict says, in however many lines.
fn verdict(value: &[u8]) -> Option<&'static str> {
    let mut lines = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let first = lines.next()?;
    let word = ["true", "false"].into_iter().find(|word| word.as_bytes() == first)?;
    lines.all(|line| line == first).then_some(word)
}

/// Numbers of which one has a fraction: one if they are equal, else the smallest and the largest.
fn decimals(value: &[u8]) -> Option<String> {
    let text = str::from_utf8(value).ok().filter(|text| text.contains('.'))?;
    let numbers = text.split(',').map(number).collect::<Option<Vec<_>>>()?;
    let written = |(whole, thousandths): &(u64, u64)| format!("{whole}.{thousandths:03}");
    let (least, most) = (numbers.iter().min()?, numbers.iter().max()?);
    Some(if least == most { written(most) } else { format!("{}, {}", written(least), written(most)) })
}

/// A number, and the thousandths that are begun after it, as they are read.
fn number(text: &str) -> Option<(u64, u64)> {
    let text = text.trim_matches([' ', '\t']);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let (kept, more) = fraction.split_at(fraction.len().min(3));
    let more = more.bytes().any(|digit| digit != b'0');
    let thousandths = format!("{kept:0<3}").parse::<u64>().ok()? + u64::from(more);
    let whole = whole.parse::<u64>().unwrap_or(u64::MAX).saturating_add(thousandths / 1_000);
    Some((whole, thousandths % 1_000))
}

/// Several values that disagree, of which the largest are these.
fn conflict(proof: Proof) -> String {
    match proof {
        Proof::AtLeast { seconds: Some(seconds), date: None } => format!("0, {seconds}"),
        Proof::AtLeast { seconds: None, date: Some(second) } => format!("{}, {}", date(second - 1), date(second)),
        Proof::AtLeast { seconds: Some(seconds), date: Some(second) } => format!("{seconds}, {}", date(second)),
        Proof::Unknown => format!("0, {}", specimen(HintReport::NoWallClock)),
        Proof::AtLeast { seconds: None, date: None } | Proof::Nothing => specimen(HintReport::Malformed).to_owned(),
    }
}

/// A moment as HTTP writes it. All before 1970 is past, however long.
fn date(second: i64) -> String {
    // The last second of the year 9999, after which an HTTP-date has no room; a leap second may lie behind it.
    const LAST: u64 = 253_402_300_799;
    fmt_http_date(UNIX_EPOCH + Duration::from_secs(u64::try_from(second).unwrap_or(0).min(LAST)))
}

/// A value that is refused for this reason.
const fn specimen(reason: HintReport) -> &'static str {
    match reason {
        HintReport::Empty => " ",
        HintReport::Overflow => "18446744073709551616",
        HintReport::Signed => "-1",
        HintReport::Fractional => ".5",
        HintReport::NoWallClock => "Sunday, 06-Nov-94 08:49:37 GMT",
        HintReport::ObsoleteDate => "Sun Nov  6 08:49:37 1994",
        HintReport::NoSuchTime => "Sun, 06 Nov 1994 24:00:00 GMT",
        HintReport::WrongWeekday => "Mon, 06 Nov 1994 08:49:37 GMT",
        HintReport::LeapSecond => "Sun, 06 Nov 1994 08:49:60 GMT",
        HintReport::YearBefore1900 => "Sun, 31 Dec 1899 08:49:37 GMT",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: DateRules = DateRules { obsolete: true, strict: false };
    const NARROW: DateRules = DateRules { obsolete: false, strict: true };
    const NOW: Option<UnixMillis> = Some(UnixMillis::new(1_700_000_000_000));

    #[test]
    fn what_stands_in_is_read_as_what_was_sent() {
        for (value, expected) in [
            (" 00120\t", "120"),
            ("60, 060", "60"),
            ("Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("Tuesday, 14-Nov-23 22:13:21 GMT", "Tue, 14 Nov 2023 22:13:21 GMT"),
            ("s3cr3t", "?"),
            ("", " "),
            ("99999999999999999999999", "18446744073709551616"),
            ("-4711", "-1"),
            ("+4711", "-1"),
            ("30, 4711, 60", "0, 4711"),
            ("4711, 99999999999999999999999", "0, 18446744073709551615"),
            ("7, Sun, 06 Nov 1994 08:49:37 GMT", "7, Sun, 06 Nov 1994 08:49:37 GMT"),
            (
                "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:00:00 GMT",
                "Sun, 06 Nov 1994 08:49:36 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
            ),
            ("Wed, 06 Nov 1994 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT"),
            ("Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT"),
            ("Sun, 06 Nov 1994 07:00:60 GMT", "Sun, 06 Nov 1994 08:49:60 GMT"),
            ("Sat, 06 Nov 1897 08:49:37 GMT", "Sun, 31 Dec 1899 08:49:37 GMT"),
        ] {
            let stands_in = stand_in(value.as_bytes(), ANY, NOW);
            assert_eq!(stands_in, expected, "`{value}`");
            let read = |text: &str| retry_after::parse(text.as_bytes(), ANY, NOW);
            assert_eq!(read(&stands_in), read(value), "`{value}`");
        }
    }

    #[test]
    fn each_reason_has_a_specimen_that_is_refused_for_it() {
        let of_value = [HintReport::Absent, HintReport::Used, HintReport::NotAsked];
        // Made of what they prove, and as long as they must be.
        let made = [HintReport::Conflicting, HintReport::TooLong];
        for reason in HintReport::ALL.into_iter().filter(|reason| !of_value.contains(reason) && !made.contains(reason))
        {
            let (dates, now) = match reason {
                HintReport::NoWallClock => (ANY, None),
                HintReport::ObsoleteDate => (NARROW, NOW),
                _ => (ANY, NOW),
            };
            let refused = retry_after::parse(specimen(reason).as_bytes(), dates, now).map_err(|error| error.reason);
            assert_eq!(refused, Err(reason));
        }
        let long = stand_in(&[b'x'; 2_000], ANY, NOW);
        let refused = retry_after::parse(long.as_bytes(), ANY, NOW).map_err(|error| error.reason);
        assert_eq!(refused, Err(HintReport::TooLong));
    }

    #[test]
    fn a_fraction_keeps_what_can_be_waited_for() {
        for (value, expected) in [
            ("1.5", "1.500"),
            ("0.1001", "0.101"),
            ("9.9999", "10.000"),
            (" 7.0 ", "7.000"),
            ("1.5, 01.50", "1.500"),
            ("1.5, 3, 2.75", "1.500, 3.000"),
            ("99999999999999999999.5", "18446744073709551615.500"),
            ("1.", ".5"),
        ] {
            assert_eq!(stand_in(value.as_bytes(), ANY, NOW), expected, "`{value}`");
        }
    }

    #[test]
    fn the_last_second_that_a_date_can_name_has_no_successor() {
        let stands_in = stand_in(b"Fri, 31 Dec 9999 23:59:60 GMT", ANY, NOW);
        assert_eq!(stands_in, "Fri, 31 Dec 9999 23:59:59 GMT");
    }

    #[test]
    fn a_verdict_is_one_of_two_words() {
        assert_eq!(stand_in(b"true, true", ANY, NOW), "true");
        assert_eq!(stand_in(b" false", ANY, NOW), "false");
        assert_eq!(stand_in(b"true, false", ANY, NOW), "?");
        assert_eq!(stand_in(b"True", ANY, NOW), "?");
    }
}
