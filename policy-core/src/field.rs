//! One response field that says whether or when to come back, and how it is read.
//!
//! Vendors write the same wish in many ways: seconds, milliseconds, a moment, a bare yes or no. What a value does that
//! cannot be read is chosen for each.

use crate::time::Millis;

/// One response field and how it is read.
///
/// ```
/// use policy_core::{Field, HintField, HintFields, HintRules, Millis, Policy, Rules, hint::Hint};
/// let field = HintField { name: "x-retry-in", decimals: true, ..HintField::RETRY_AFTER };
/// let hint = HintRules { fields: HintFields::EMPTY.with(field).unwrap(), ..HintRules::DEFAULT };
/// let policy = Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
/// let hint = Hint::read(&policy, 503, &[Field { index: 0, value: b"0.1" }], None);
/// assert_eq!(hint.delay, Millis::new(100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintField<'a> {
    /// Its name, in lower case.
    pub name: &'a str,
    /// What its value means.
    pub unit: Unit,
    /// A decimal fraction is read too, and rounded up to the millisecond: `0.1` seconds are 100 ms.
    pub decimals: bool,
    /// What a value does that cannot be read.
    pub bad_value: BadValue,
}

impl HintField<'static> {
    /// RFC 9110 §10.2.3: seconds or an HTTP-date; an unreadable one leaves the wait to the next field, or to the local
    /// backoff.
    pub const RETRY_AFTER: Self =
        Self { name: "retry-after", unit: Unit::Seconds, decimals: false, bad_value: BadValue::Next };
}

/// What the value of a field means.
///
/// ```
/// use policy_core::{Field, HintField, HintFields, HintRules, Millis, Policy, Rules, Unit, UnixMillis, hint::Hint};
/// let reset = HintField { name: "x-ratelimit-reset", unit: Unit::EpochSeconds, ..HintField::RETRY_AFTER };
/// let hint = HintRules { fields: HintFields::EMPTY.with(reset).unwrap(), ..HintRules::DEFAULT };
/// let policy = Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
/// let now = Some(UnixMillis::at_second(1_700_000_000));
/// let hint = Hint::read(&policy, 429, &[Field { index: 0, value: b"1700000030" }], now);
/// assert_eq!(hint.delay, Millis::from_secs(30));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Unit {
    /// Seconds from the response on, or an HTTP-date.
    Seconds = 0,
    /// Milliseconds from the response on.
    Milliseconds = 1,
    /// Milliseconds from the response on, at most 2^31 − 1 (`grpc-retry-pushback-ms`; gRFC A6).
    PushbackMilliseconds = 2,
    /// Seconds since 1970, or an HTTP-date.
    EpochSeconds = 3,
    /// Milliseconds since 1970.
    EpochMilliseconds = 4,
    /// A verdict: `true` makes a result of 400 and above retryable, `false` forbids the retry, anything else is ignored.
    /// Case-sensitive. It opens neither the replay gate nor a limit.
    Verdict = 5,
}

impl Unit {
    /// Every unit, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Seconds,
        Self::Milliseconds,
        Self::PushbackMilliseconds,
        Self::EpochSeconds,
        Self::EpochMilliseconds,
        Self::Verdict,
    ];

    /// The name in documents and vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
            Self::PushbackMilliseconds => "pushback-milliseconds",
            Self::EpochSeconds => "epoch-seconds",
            Self::EpochMilliseconds => "epoch-milliseconds",
            Self::Verdict => "verdict",
        }
    }
}

/// What a value does that cannot be read. One that still proves a lower bound does not get here, unless
/// [`BadValue::Stop`] or [`Unreadable::Backoff`](crate::Unreadable) is chosen.
///
/// ```
/// use policy_core::{BadValue, Field, HintField, HintFields, HintRules, Policy, Rules, hint::Hint};
/// let strict = HintField { bad_value: BadValue::Stop, ..HintField::RETRY_AFTER };
/// let hint = HintRules { fields: HintFields::EMPTY.with(strict).unwrap(), ..HintRules::DEFAULT };
/// let policy = Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
/// assert!(Hint::read(&policy, 503, &[Field { index: 0, value: b"soon" }], None).forbids);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BadValue {
    /// The next field is asked; without one, the local backoff applies.
    #[default]
    Next = 0,
    /// The local backoff applies, whatever the fields below say.
    Backoff = 1,
    /// The retry is forbidden.
    Stop = 2,
}

impl BadValue {
    /// Every action, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Next, Self::Backoff, Self::Stop];

    /// The name in documents and vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Backoff => "backoff",
            Self::Stop => "stop",
        }
    }
}

/// Unit (bits 0–2), decimals (bit 3) and bad-value action (bits 4–5) of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct How(pub(crate) u8);

impl How {
    pub(crate) const fn new(field: &HintField<'_>) -> Self {
        Self(field.unit as u8 | (field.decimals as u8) << 3 | (field.bad_value as u8) << 4)
    }

    pub(crate) fn field(self, name: &str) -> Option<HintField<'_>> {
        let unit = Unit::ALL.into_iter().find(|unit| *unit as u8 == self.0 & 7)?;
        Some(HintField { name, unit, decimals: self.reads_decimals(), bad_value: self.bad_value() })
    }

    pub(crate) const fn is_timing(self) -> bool {
        self.0 & 7 < Unit::Verdict as u8
    }

    pub(crate) const fn is_verdict(self) -> bool {
        self.0 & 7 == Unit::Verdict as u8
    }

    pub(crate) const fn is_pushback(self) -> bool {
        self.0 & 7 == Unit::PushbackMilliseconds as u8
    }

    pub(crate) const fn is_moment(self) -> bool {
        self.0 & 7 >= Unit::EpochSeconds as u8
    }

    /// Seconds, and so HTTP-dates too; else milliseconds.
    pub(crate) const fn is_seconds(self) -> bool {
        const SECONDS: u8 = 1 << Unit::Seconds as u8 | 1 << Unit::EpochSeconds as u8;
        SECONDS >> (self.0 & 7) & 1 == 1
    }

    /// A number in the unit; a fraction of a millisecond counts as a whole one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) const fn span(self, number: u64, thousandths: u32) -> Millis {
        let (whole, part) = if self.is_seconds() {
            (Millis::from_secs(number), thousandths as u64)
        } else {
            (Millis::new(number), (thousandths != 0) as u64)
        };
        whole.plus(Millis::from_bits(part))
    }

    pub(crate) const fn reads_decimals(self) -> bool {
        self.0 & 8 != 0
    }

    pub(crate) const fn bad_value(self) -> BadValue {
        match self.0 >> 4 {
            0 => BadValue::Next,
            1 => BadValue::Backoff,
            _ => BadValue::Stop,
        }
    }
}
