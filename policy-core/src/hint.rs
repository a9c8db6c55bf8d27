//! From what the server said to whether and when it asks us to come back.

#[cfg(not(target_family = "wasm"))]
use crate::imf_fixdate;
use crate::{
    event::Field,
    field::{BadValue, How},
    outcome::HintReport,
    policy::Policy,
    retry_after,
    rules::Unreadable,
    time::{Millis, UnixMillis},
};

/// The timing hint of one response.
///
/// ```
/// use policy_core::{Field, HintReport, Millis, Policy, Rules, hint::Hint};
/// let policy = Policy::new(Rules::DEFAULT).unwrap();
/// let hint = Hint::read(&policy, 503, &[Field { index: 0, value: b"99999999999999999999" }], None);
/// assert_eq!((hint.report, hint.delay, hint.exact), (HintReport::Overflow, Millis::MAX, false));
/// ```
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
        match fields {
            [] if cfg!(not(target_family = "wasm")) => Self::ABSENT,
            [only] if cfg!(not(target_family = "wasm")) => match policy.fields.how(only.index) {
                Some(how) if how.is_timing() => Self::of(policy, how, status, only, clock(policy, fields, wall)),
                _ => Self::ABSENT,
            },
            _ => Self::first(policy, status, fields, wall),
        }
    }

    #[cfg_attr(not(target_family = "wasm"), cold)]
    fn first(policy: &Policy, status: u16, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Self {
        let (mut said, clock) = (Self::ABSENT, clock(policy, fields, wall));
        for (index, how) in policy.fields.rows() {
            if !how.is_timing() {
                continue;
            }
            let Some(field) = find(fields, index) else { continue };
            let hint = Self::of(policy, how, status, field, clock);
            let decides = how.bad_value() != BadValue::Next || hint.holds();
            // Of those that cannot be read, one that names a wait nobody can measure outweighs one that names none.
            if decides || said.report == HintReport::Absent || hint.delay > said.delay {
                said = hint;
            }
            if decides {
                break;
            }
        }
        said
    }

    /// Not asked, or what proves a lower bound: that holds. What only a missing clock makes unreadable may be said below in
    /// other words.
    fn holds(&self) -> bool {
        let Self { report, exact, delay, .. } = *self;
        exact || report == HintReport::NotAsked || (delay != Millis::ZERO && report != HintReport::NoWallClock)
    }

    /// One field that is present.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn of(policy: &Policy, how: How, status: u16, field: &Field<'_>, clock: Option<UnixMillis>) -> Self {
        if !policy.hint_statuses.contains(status) {
            return Self::none(HintReport::NotAsked);
        }
        #[cfg(not(target_family = "wasm"))]
        if how.is_seconds()
            && let Some(now) = clock
            && let Some(moment) = imf_fixdate::read(field.value)
        {
            // What nearly every date comes to below.
            let delay = now.until(moment);
            return Self { report: HintReport::Used, delay, exact: true, moment: None, forbids: false };
        }
        let hint = Self::said(policy, how, field.value, clock);
        Self { forbids: how.bad_value() == BadValue::Stop && !hint.exact, ..hint }
    }

    /// The value of one field.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn said(policy: &Policy, how: How, value: &[u8], clock: Option<UnixMillis>) -> Self {
        let dates = policy.calendar(clock);
        let reading = match retry_after::read(value, &dates, how.reads_decimals()) {
            Ok(reading) => reading,
            Err(report) => return Self::none(report),
        };
        let (mut report, mut delay) = (reading.report, how.span(reading.number, reading.thousandths));
        let mut moment = reading.date().map(UnixMillis::at_second);
        if report == HintReport::Used {
            if how.is_pushback() && reading.number > i32::MAX.unsigned_abs().into() {
                (report, delay) = (HintReport::Overflow, Millis::MAX);
            }
            if moment.is_some() && !how.is_seconds() {
                return Self::none(HintReport::Malformed);
            }
        }
        let mut exact = report == HintReport::Used;
        if how.is_moment() {
            let latest = delay.max(moment.map_or(Millis::ZERO, |moment| Millis::from_bits(moment.get())));
            // Where there is no number, and at the epoch, nothing is left to be waited for.
            let is_moment = (exact && moment.is_some()) || (latest != Millis::ZERO && latest != Millis::MAX);
            moment = is_moment.then_some(UnixMillis::from_bits(latest.get()));
            delay = if is_moment { Millis::ZERO } else { latest };
        }
        if let Some(moment) = moment {
            delay = delay.max(clock.map_or(Millis::MAX, |clock| clock.until(moment)));
        }
        let unmeasured = moment.filter(|_| exact && clock.is_none());
        if unmeasured.is_some() {
            (report, exact) = (HintReport::NoWallClock, false);
        }
        let hint = Self { report, delay, exact, moment: unmeasured, forbids: false };
        if !exact && policy.unreadable() == Unreadable::Backoff { Self::none(report) } else { hint }
    }
}

/// A verdict hint: whether the server says that a retry makes sense. Nothing, unless a field of the policy's list says
/// exactly `true` or `false`.
///
/// Only results of 400 and above can be judged: what succeeded or was redirected is not sent again.
///
/// ```
/// use policy_core::{Field, HintField, HintFields, HintRules, Policy, Rules, Unit, hint};
/// let field = HintField { name: "x-should-retry", unit: Unit::Verdict, ..HintField::RETRY_AFTER };
/// let hint = HintRules { fields: HintFields::EMPTY.with(field).unwrap(), ..HintRules::DEFAULT };
/// let policy = Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
/// let says = |value| hint::verdict(&policy, 503, &[Field { index: 0, value }]);
/// assert_eq!((says(b"false"), says(b"False")), (Some(false), None));
/// ```
#[must_use]
#[cfg_attr(not(target_family = "wasm"), cold)]
pub fn verdict(policy: &Policy, status: u16, fields: &[Field<'_>]) -> Option<bool> {
    if status < 400 || !policy.hint_statuses.contains(status) {
        return None;
    }
    policy
        .fields
        .rows()
        .filter(|(_, how)| how.is_verdict())
        .find_map(|(index, _)| yes_or_no(find(fields, index)?.value))
}

/// What each of the lines says: they arrive joined, and equal ones count as one.
fn yes_or_no(value: &[u8]) -> Option<bool> {
    let (mut all, mut rest) = (None, value);
    loop {
        let (line, tail) = retry_after::split_at_comma(rest, |_| true);
        let line = retry_after::trim(line);
        let yes = line == b"true";
        if !(yes || line == b"false") || all == Some(!yes) {
            return None;
        }
        all = Some(yes);
        match tail {
            [_, more @ ..] => rest = more,
            [] => return all,
        }
    }
}

/// The clock that dates are measured by.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn clock(policy: &Policy, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Option<UnixMillis> {
    if policy.measures_skew() { server_clock(policy, fields, wall).or(wall) } else { wall }
}

/// The moment at which the response was made, by the server's own clock: its `Date`, unless a cache kept it for a while.
#[cfg_attr(not(target_family = "wasm"), cold)]
fn server_clock(policy: &Policy, fields: &[Field<'_>], wall: Option<UnixMillis>) -> Option<UnixMillis> {
    let (date, age) = policy.fields.clock();
    let dates = policy.calendar(wall);
    let date = find(fields, date).filter(|_| find(fields, age).is_none())?;
    let said = retry_after::read(date.value, &dates, false).ok()?;
    said.date().filter(|_| said.report == HintReport::Used).map(UnixMillis::at_second)
}

#[cfg_attr(target_family = "wasm", inline(never))]
fn find<'a>(fields: &'a [Field<'a>], index: u32) -> Option<&'a Field<'a>> {
    fields.iter().find(|field| u32::from(field.index) == index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        field::{HintField, Unit},
        field_list::HintFields,
        rules::{HintRules, Rules},
    };

    #[test]
    fn a_pushback_keeps_its_limit_with_a_fraction_too() {
        let field = HintField { unit: Unit::PushbackMilliseconds, decimals: true, ..HintField::RETRY_AFTER };
        let hint = HintRules { fields: HintFields::EMPTY.with(field).unwrap(), ..HintRules::DEFAULT };
        let policy = Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
        let read = |value: &[u8]| {
            let hint = Hint::read(&policy, 503, &[Field { index: 0, value }], None);
            (hint.report, hint.delay)
        };
        assert_eq!(read(b"2147483647"), (HintReport::Used, Millis::new(2_147_483_647)));
        assert_eq!(read(b"2147483646.5"), (HintReport::Used, Millis::new(2_147_483_647)));
        for longer in [&b"2147483648"[..], b"2147483648.0"] {
            assert_eq!(read(longer), (HintReport::Overflow, Millis::MAX));
        }
    }
}
