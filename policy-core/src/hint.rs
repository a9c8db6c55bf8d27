//! From what the server said to how long it asks us to stay away.

use crate::{
    event::Field,
    http_date,
    outcome::HintReport,
    policy::Policy,
    retry_after::{self, Proof, RetryAfter, RetryAfterError},
    rules::Unreadable,
    time::{Millis, UnixMillis},
};

/// The hint of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What became of it.
    pub report: HintReport,
    /// How long the server asks us to stay away: zero for `0`, for a date that has passed, and where it does not ask;
    /// [`Millis::MAX`] where nobody can say how long.
    pub delay: Millis,
    /// It was read whole; else `delay` is a lower bound, which may be zero.
    pub exact: bool,
    /// The moment that the server named, where there was no clock to measure it.
    pub moment: Option<UnixMillis>,
}

/// Position of each field in [`Policy::fields`](crate::Policy::fields).
const RETRY_AFTER: u8 = 0;
const DATE: u8 = 1;
const AGE: u8 = 2;

impl Hint {
    /// No hint: a failure has none.
    pub const ABSENT: Self = Self::none(HintReport::Absent);

    const fn none(report: HintReport) -> Self {
        Self { report, delay: Millis::ZERO, exact: false, moment: None }
    }

    /// Reads the hint of a response.
    #[must_use]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub fn read(policy: &Policy, status: u16, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Self {
        let Some(value) = find(fields, RETRY_AFTER) else { return Self::ABSENT };
        if !policy.hint_statuses.contains(status) {
            return Self::none(HintReport::NotAsked);
        }
        let clock = if policy.measures_skew() { server_clock(policy, fields, wall).or(wall) } else { wall };
        let (report, seconds, date) = match retry_after::parse(value, policy.dates(), clock) {
            Ok(RetryAfter::DelaySeconds(seconds)) => (HintReport::Used, seconds, None),
            Ok(RetryAfter::At(date)) => (HintReport::Used, 0, Some(date)),
            Err(RetryAfterError { reason, proof: Proof::AtLeast { seconds, date } }) => {
                (reason, seconds.unwrap_or(0), date)
            }
            Err(RetryAfterError { reason, proof: Proof::Nothing }) => (reason, 0, None),
            Err(RetryAfterError { reason, proof: Proof::Unknown }) => (reason, u64::MAX, None),
        };
        let delay = Millis::from_secs(seconds);
        let exact = report == HintReport::Used;
        let hint = match (date, clock) {
            (None, _) => Self { report, delay, exact, moment: None },
            (Some(date), Some(clock)) => {
                Self { report, delay: delay.max(clock.until_second(date)), exact, moment: None }
            }
            (Some(date), None) => {
                let report = if exact { HintReport::NoWallClock } else { report };
                let moment = exact.then_some(UnixMillis::at_second(date));
                Self { report, delay: Millis::MAX, exact: false, moment }
            }
        };
        if !hint.exact && policy.unreadable() == Unreadable::Backoff { Self::none(hint.report) } else { hint }
    }
}

/// The moment at which the response was made, by the server's own clock: its `Date`, unless a cache kept it for a while.
#[cfg_attr(not(target_family = "wasm"), cold)]
fn server_clock(policy: &Policy, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Option<UnixMillis> {
    if find(fields, AGE).is_some() {
        return None;
    }
    http_date::parse(find(fields, DATE)?, policy.dates(), wall).ok().map(UnixMillis::at_second)
}

fn find<'a>(fields: &[Field<'a>], index: u8) -> Option<&'a [u8]> {
    fields.iter().find(|field| field.index == index).map(|field| field.value)
}
