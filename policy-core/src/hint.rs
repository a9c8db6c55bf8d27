//! From what the server said to whether and when it asks us to come back.

use crate::{
    event::Field,
    field::{BadValue, How},
    http_date,
    outcome::HintReport,
    policy::Policy,
    retry_after::{self, Proof, RetryAfter, RetryAfterError},
    rules::Unreadable,
    time::{Millis, UnixMillis},
};

/// The timing hint of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What became of it.
    pub report: HintReport,
    /// How long the server asks us to stay away: zero for `0`, for a moment that has passed, and where it does not ask;
    /// [`Millis::MAX`] where nobody can say how long.
    pub delay: Millis,
    /// It was read whole; else `delay` is a lower bound, which may be zero.
    pub exact: bool,
    /// The moment that the server named, where there was no clock to measure it.
    pub moment: Option<UnixMillis>,
    /// The server forbids the retry, or what it said of it cannot be read and the policy takes that for no.
    pub forbids: bool,
}

impl Hint {
    /// No hint: a failure has none.
    pub const ABSENT: Self = Self::none(HintReport::Absent);

    const fn none(report: HintReport) -> Self {
        Self { report, delay: Millis::ZERO, exact: false, moment: None, forbids: false }
    }

    /// Reads the timing hints of a response: the first field of the policy's list that is present decides. One that
    /// cannot be read leaves that to the next, if the policy says so.
    ///
    /// ```
    /// use policy_core::{Field, HintReport, Millis, Policy, Rules, hint::Hint};
    /// let policy = Policy::new(Rules::DEFAULT).unwrap();
    /// let hint = Hint::read(&policy, 503, &[Field { index: 0, value: b"120" }], None);
    /// assert_eq!((hint.report, hint.delay), (HintReport::Used, Millis::from_secs(120)));
    /// ```
    #[must_use]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub fn read(policy: &Policy, status: u16, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Self {
        let mut unread = Self::ABSENT;
        for (index, how) in policy.fields.rows().filter(|(_, how)| how.is_timing()) {
            let Some(value) = find(fields, index) else { continue };
            if !policy.hint_statuses.contains(status) {
                return Self::none(HintReport::NotAsked);
            }
            let clock = if policy.measures_skew() { server_clock(policy, fields, wall).or(wall) } else { wall };
            let hint = Self::of(policy, how, value, clock);
            // What proves a lower bound holds; what only a missing clock makes unreadable may be said below in other
            // words.
            let holds = hint.exact || (hint.delay != Millis::ZERO && hint.report != HintReport::NoWallClock);
            match how.bad_value() {
                BadValue::Stop if !hint.exact => return Self { forbids: true, ..hint },
                BadValue::Next if !holds => {}
                _ => return hint,
            }
            if unread.report == HintReport::Absent {
                unread = hint;
            }
        }
        unread
    }

    /// The value of one field.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn of(policy: &Policy, how: How, value: &[u8], clock: Option<UnixMillis>) -> Self {
        let (report, span, date) = match retry_after::parse(value, policy.dates(), clock) {
            Ok(RetryAfter::DelaySeconds(number)) if how.is_pushback() && number > i32::MAX.unsigned_abs().into() => {
                (HintReport::Overflow, Millis::MAX, None)
            }
            Ok(RetryAfter::DelaySeconds(number)) => (HintReport::Used, span(how, number, 0), None),
            Ok(RetryAfter::At(date)) if how.is_seconds() => (HintReport::Used, Millis::ZERO, Some(date)),
            Ok(RetryAfter::At(_)) => (HintReport::Malformed, Millis::ZERO, None),
            Err(error) => refused(how, value, error),
        };
        let exact = report == HintReport::Used;
        // Where there is no number, and at the epoch, nothing is left to be waited for.
        let is_moment = how.is_moment() && span != Millis::ZERO && span != Millis::MAX;
        let (delay, moment) = match date {
            None if is_moment => (Millis::ZERO, Some(UnixMillis::new(span.get()))),
            date => (span, date.map(UnixMillis::at_second)),
        };
        let hint = Self { report, delay, exact, moment: None, forbids: false };
        let hint = match (moment, clock) {
            (None, _) => hint,
            (Some(moment), Some(clock)) => Self { delay: delay.max(clock.until(moment)), ..hint },
            (Some(moment), None) => {
                let report = if exact { HintReport::NoWallClock } else { report };
                Self { report, delay: Millis::MAX, exact: false, moment: exact.then_some(moment), ..hint }
            }
        };
        if !hint.exact && policy.unreadable() == Unreadable::Backoff { Self::none(hint.report) } else { hint }
    }
}

/// A number in the field's unit; a fraction of a millisecond counts as a whole one.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn span(how: How, number: u64, thousandths: u16) -> Millis {
    if how.is_seconds() {
        Millis::from_secs(number).plus(Millis::new(thousandths.into()))
    } else {
        Millis::new(number).plus(Millis::new(thousandths.min(1).into()))
    }
}

/// What a value that was refused still says.
#[cfg_attr(not(target_family = "wasm"), cold)]
fn refused(how: How, value: &[u8], error: RetryAfterError) -> (HintReport, Millis, Option<i64>) {
    let RetryAfterError { reason, proof } = error;
    match proof {
        Proof::Nothing if reason == HintReport::Fractional && how.reads_decimals() => match retry_after::decimal(value)
        {
            Some((number, thousandths)) => (HintReport::Used, span(how, number, thousandths), None),
            None => (reason, Millis::ZERO, None),
        },
        Proof::Nothing => (reason, Millis::ZERO, None),
        Proof::AtLeast { seconds, date: Some(date) } if how.is_moment() => {
            let later = Millis::new(UnixMillis::at_second(date).get());
            (reason, span(how, seconds.unwrap_or(0), 0).max(later), None)
        }
        Proof::AtLeast { seconds, date } => (reason, span(how, seconds.unwrap_or(0), 0), date),
        Proof::Unknown => (reason, Millis::MAX, None),
    }
}

/// A verdict hint: whether the server says that a retry makes sense. Nothing, unless a field of the policy's list says
/// exactly `true` or `false`.
///
/// Only results of 400 and above can be judged: what succeeded or was redirected is not sent again.
#[must_use]
#[cfg_attr(not(target_family = "wasm"), cold)]
pub fn verdict(policy: &Policy, status: u16, fields: &[Field<'_>]) -> Option<bool> {
    if status < 400 || !policy.hint_statuses.contains(status) {
        return None;
    }
    policy.fields.rows().filter(|(_, how)| how.is_verdict()).find_map(|(index, _)| {
        let value = find(fields, index)?;
        if says(value, b"true") { Some(true) } else { says(value, b"false").then_some(false) }
    })
}

/// Whether `value` is `word`, in each of its lines: they arrive joined, and equal ones count as one.
#[cfg_attr(target_family = "wasm", inline(never))]
fn says(value: &[u8], word: &[u8]) -> bool {
    value.split(|byte| *byte == b',').all(|line| retry_after::trim(line) == word)
}

/// The moment at which the response was made, by the server's own clock: its `Date`, unless a cache kept it for a while.
#[cfg_attr(not(target_family = "wasm"), cold)]
fn server_clock(policy: &Policy, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Option<UnixMillis> {
    let (date, age) = policy.fields.clock();
    if find(fields, age).is_some() {
        return None;
    }
    http_date::parse(find(fields, date)?, policy.dates(), wall).ok().map(UnixMillis::at_second)
}

#[cfg_attr(target_family = "wasm", inline(never))]
fn find<'a>(fields: &[Field<'a>], index: u8) -> Option<&'a [u8]> {
    fields.iter().find(|field| field.index == index).map(|field| field.value)
}
