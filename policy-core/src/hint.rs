//! From what the server said to how long it asks us to stay away.

use crate::{
    event::Field,
    http_date,
    outcome::HintReport,
    policy::Policy,
    retry_after::{self, Proof, RetryAfter},
    rules::Unreadable,
    time::{Millis, UnixMillis},
};

/// The hint of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What became of it.
    pub report: HintReport,
    /// What it asks for.
    pub ask: Ask,
}

/// How long a server asks us to stay away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// It does not.
    Nothing,
    /// This long; zero for `0` and for a date that has passed.
    For(Millis),
    /// At least this long; the value could not be read whole.
    AtLeast(Millis),
    /// Some time, but nobody can say how long; the date, where there is one.
    Unknown(Option<UnixMillis>),
}

/// Position of each field in [`Policy::fields`](crate::Policy::fields).
const RETRY_AFTER: u8 = 0;
const DATE: u8 = 1;
const AGE: u8 = 2;

impl Hint {
    /// No hint: a failure has none.
    pub const ABSENT: Self = Self { report: HintReport::Absent, ask: Ask::Nothing };

    /// Reads the hint of a response.
    #[must_use]
    #[inline]
    pub fn read(policy: &Policy, status: u16, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Self {
        let Some(value) = find(fields, RETRY_AFTER) else { return Self::ABSENT };
        if !policy.hint_statuses.contains(status) {
            return Self { report: HintReport::NotAsked, ask: Ask::Nothing };
        }
        let clock = server_clock(policy, fields, wall).or(wall);
        let (report, ask) = match retry_after::parse(value, policy.dates(), clock) {
            Ok(RetryAfter::DelaySeconds(seconds)) => (HintReport::Used, Ask::For(Millis::from_secs(seconds))),
            Ok(RetryAfter::At(date)) => match clock {
                Some(clock) => (HintReport::Used, Ask::For(clock.until_second(date))),
                None => (HintReport::NoWallClock, Ask::Unknown(Some(UnixMillis::at_second(date)))),
            },
            Err(error) => (error.reason, proven(error.proof, clock)),
        };
        let ignored = report != HintReport::Used && policy.unreadable() == Unreadable::Backoff;
        Self { report, ask: if ignored { Ask::Nothing } else { ask } }
    }
}

/// The moment at which the response was made, by the server's own clock: its `Date`, unless a cache kept it for a while.
fn server_clock(policy: &Policy, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Option<UnixMillis> {
    if !policy.measures_skew() || find(fields, AGE).is_some() {
        return None;
    }
    http_date::parse(find(fields, DATE)?, policy.dates(), wall).ok().map(UnixMillis::at_second)
}

fn proven(proof: Proof, clock: Option<UnixMillis>) -> Ask {
    match proof {
        Proof::Nothing => Ask::Nothing,
        Proof::Unknown => Ask::Unknown(None),
        Proof::AtLeast { seconds, date } => {
            let delay = seconds.map_or(Millis::ZERO, Millis::from_secs);
            match (date, clock) {
                (None, _) => Ask::AtLeast(delay),
                (Some(date), Some(clock)) => Ask::AtLeast(delay.max(clock.until_second(date))),
                (Some(_), None) => Ask::Unknown(None),
            }
        }
    }
}

#[cfg_attr(target_family = "wasm", inline(never))]
fn find<'a>(fields: &[Field<'a>], index: u8) -> Option<&'a [u8]> {
    fields.iter().find(|field| field.index == index).map(|field| field.value)
}
