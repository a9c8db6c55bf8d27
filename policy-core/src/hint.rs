//! From what the server said to whether and when it asks us to come back.

use crate::{
    event::Field,
    field::{BadValue, How},
    http_date::{self, DateRules},
    outcome::HintReport,
    policy::Policy,
    retry_after::{self, Proof, RetryAfter},
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
        let said = Said::read(how, value, policy.dates(), clock);
        let exact = said.report == HintReport::Used;
        let hint = Self { report: said.report, delay: said.span, exact, moment: None, forbids: false };
        let hint = match (said.moment, clock) {
            (None, _) => hint,
            (Some(moment), Some(clock)) => Self { delay: hint.delay.max(clock.until(moment)), ..hint },
            (Some(moment), None) => {
                let report = if exact { HintReport::NoWallClock } else { hint.report };
                Self { report, delay: Millis::MAX, exact: false, moment: exact.then_some(moment), ..hint }
            }
        };
        if !hint.exact && policy.unreadable() == Unreadable::Backoff { Self::none(hint.report) } else { hint }
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
        // Lines of one name arrive joined; equal ones count as one.
        let says = |word: &[u8]| value.split(|byte| *byte == b',').all(|element| retry_after::trim(element) == word);
        match () {
            () if says(b"true") => Some(true),
            () if says(b"false") => Some(false),
            () => None,
        }
    })
}

/// What one value says, in milliseconds.
struct Said {
    report: HintReport,
    /// From the response on.
    span: Millis,
    moment: Option<UnixMillis>,
}

impl Said {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn read(how: How, value: &[u8], dates: DateRules, clock: Option<UnixMillis>) -> Self {
        let nothing = |report| Self { report, span: Millis::ZERO, moment: None };
        match retry_after::parse(value, dates, clock) {
            Ok(RetryAfter::DelaySeconds(number)) => Self::number(how, number, 0),
            Ok(RetryAfter::At(date)) if how.is_seconds() => {
                Self { report: HintReport::Used, span: Millis::ZERO, moment: Some(UnixMillis::at_second(date)) }
            }
            Ok(RetryAfter::At(_)) => nothing(HintReport::Malformed),
            Err(error) => match error.proof {
                _ if error.reason == HintReport::Fractional && how.reads_decimals() => {
                    match retry_after::decimal(value) {
                        Some((number, thousandths)) => Self::number(how, number, thousandths),
                        None => nothing(error.reason),
                    }
                }
                Proof::Nothing => nothing(error.reason),
                Proof::Unknown => Self { report: error.reason, span: Millis::MAX, moment: None },
                Proof::AtLeast { seconds, date } => {
                    let number = Self::number(how, seconds.unwrap_or(0), 0);
                    let date = date.map(UnixMillis::at_second);
                    Self { report: error.reason, span: number.span, moment: number.moment.max(date) }
                }
            },
        }
    }

    /// A number in the field's unit; a fraction of one is rounded up to the millisecond.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn number(how: How, number: u64, thousandths: u16) -> Self {
        let report = if how.is_pushback() && number > i32::MAX.unsigned_abs().into() {
            HintReport::Overflow
        } else {
            HintReport::Used
        };
        let span = if how.is_seconds() {
            Millis::from_secs(number).plus(Millis::new(thousandths.into()))
        } else {
            Millis::new(number).plus(Millis::new(thousandths.min(1).into()))
        };
        match how.is_moment() && span != Millis::MAX {
            true => Self { report, span: Millis::ZERO, moment: Some(UnixMillis::new(span.get())) },
            false => Self { report, span, moment: None },
        }
    }
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

fn find<'a>(fields: &[Field<'a>], index: u8) -> Option<&'a [u8]> {
    fields.iter().find(|field| field.index == index).map(|field| field.value)
}
