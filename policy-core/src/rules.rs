//! What a person decides about retries: every number and set that a decision is made from.

use core::fmt;

use crate::{
    backoff::{Backoff, Jitter, Thousandths},
    budget::{BudgetRules, Tokens},
    failure::FailureSet,
    field_list::HintFields,
    http_date::DateRules,
    request::{Method, MethodSet},
    status::StatusSet,
    time::Millis,
};

/// What a person decides about retries.
///
/// ```
/// use policy_core::{Millis, Policy, Rules, StatusSet};
/// let quick = Rules { max_attempts: 2, max_wait: Some(Millis::from_secs(5)), ..Rules::DEFAULT };
/// assert_eq!(Policy::new(quick).map(|policy| policy.rules()), Ok(quick));
/// let contradiction = Rules { retry: StatusSet::of(&[503]), ..Rules::DEFAULT };
/// assert!(Policy::new(contradiction).is_err(), "429 is throttled, but not retried");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// All sends of one logical request, the first included. At least 1.
    pub max_attempts: u32,
    /// Time over all attempts, from the start; `None` for no limit.
    pub deadline: Option<Millis>,
    /// What the deadline bounds.
    pub deadline_scope: DeadlineScope,
    /// Length of one attempt up to the response head; `None` for no limit.
    pub attempt_timeout: Option<Millis>,
    /// Longest wait in this process; what asks for more is deferred. `None` for no limit.
    pub max_wait: Option<Millis>,
    /// Statuses that are retried.
    pub retry: StatusSet,
    /// Those of them that say "too much": they use `throttled` and its token price.
    pub throttle: StatusSet,
    /// Failures that are retried.
    pub failures: FailureSet,
    /// Methods that may be repeated as they are.
    pub methods: MethodSet,
    /// Methods that may be repeated with a key that the server honours.
    pub keyed_methods: MethodSet,
    /// Backoff after a fault that passes.
    pub transient: Backoff,
    /// Backoff after a status of `throttle`.
    pub throttled: Backoff,
    /// What the server's hints do.
    pub hint: HintRules,
    /// What is done without a network.
    pub offline: Offline,
    /// The shared retry budget.
    pub budget: Option<BudgetRules>,
}

impl Rules {
    /// Sound for most clients: four attempts within two minutes, full jitter, the server's hint and backoff both
    /// respected, writes only with an honoured key, a retry budget.
    pub const DEFAULT: Self = Self {
        max_attempts: 4,
        deadline: Some(Millis::from_secs(120)),
        deadline_scope: DeadlineScope::Waits,
        attempt_timeout: None,
        max_wait: Some(Millis::from_secs(60)),
        retry: StatusSet::of(&[408, 429, 500, 502, 503, 504]),
        throttle: StatusSet::of(&[429]),
        failures: FailureSet::ALL,
        methods: MethodSet::of(&[
            Method::Get,
            Method::Head,
            Method::Options,
            Method::Trace,
            Method::Query,
            Method::Put,
            Method::Delete,
        ]),
        keyed_methods: MethodSet::of(&[Method::Post, Method::Patch]),
        transient: Backoff { cap: Millis::from_secs(20), jitter: Jitter::Full, ..Backoff::doubling(Millis::new(500)) },
        throttled: Backoff {
            cap: Millis::from_secs(20),
            jitter: Jitter::Full,
            ..Backoff::doubling(Millis::new(1_000))
        },
        hint: HintRules::DEFAULT,
        offline: Offline::Await,
        budget: Some(BudgetRules::aws_standard()),
    };

    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        let budget_is_open =
            self.budget.is_none_or(|budget| budget.capacity == Tokens::ZERO || budget.threshold < budget.capacity);
        let decorrelated = |backoff: &Backoff| backoff.jitter == Jitter::Decorrelated;
        match () {
            () if self.max_attempts == 0 => Err(PolicyError::NoAttempt),
            () if !self.retry.includes(&self.throttle) => Err(PolicyError::ThrottleNotRetried),
            () if !self.hint.fields.are_names() => Err(PolicyError::FieldName),
            () if decorrelated(&self.transient) != decorrelated(&self.throttled) => Err(PolicyError::MixedJitter),
            () if !budget_is_open => Err(PolicyError::BudgetNeverOpen),
            () => check_backoff(&self.transient).and_then(|()| check_backoff(&self.throttled)),
        }
    }
}

fn check_backoff(backoff: &Backoff) -> Result<(), PolicyError> {
    match (backoff.multiplier.get(), backoff.jitter) {
        (1_000 | 1_100..=100_000, Jitter::Scaled { low, high }) if low > high => Err(PolicyError::JitterReversed),
        (1_000 | 1_100..=100_000, _) => Ok(()),
        _ => Err(PolicyError::Multiplier),
    }
}

/// What the deadline bounds.
///
/// ```
/// use policy_core::*;
/// let rules = Rules { deadline_scope: DeadlineScope::Attempts, ..Rules::DEFAULT };
/// let policy = Policy::new(rules).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let step = Execution::start(&policy, &Request::new(Method::Get), &now);
/// assert_eq!(step.command, Command::Send { attempt: 1, timeout: Some(Millis::from_secs(120)) });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DeadlineScope {
    /// Waits only: no wait is begun that would reach it, but a running attempt may outlast it.
    #[default]
    Waits = 0,
    /// Attempts too: each is given no more than the time that is left.
    Attempts = 1,
}

/// What is done when an attempt ends [`Offline`](crate::FailureKind::Offline) and the network is reported down.
///
/// ```
/// use policy_core::{Class, Disposition, FailureKind, Network, Offline, Policy, Rules};
/// let of = |offline| {
///     let policy = Policy::new(Rules { offline, ..Rules::DEFAULT }).unwrap();
///     Disposition::of_failure(&policy, FailureKind::Offline, false, Network::Down)
/// };
/// assert_eq!(of(Offline::Await), Disposition::Offline);
/// assert_eq!(of(Offline::CountAsConnectFailed), Disposition::Retryable(Class::Transient));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Offline {
    /// It counts as a failed connection.
    #[default]
    CountAsConnectFailed = 0,
    /// The attempt gives its number back, and the request waits for the network.
    Await = 1,
}

/// What the server's hints do.
///
/// ```
/// use policy_core::{HintRules, Policy, Rules, StatusSet};
/// // What a 500 says of when to come back is not believed.
/// let hint = HintRules { statuses: StatusSet::of(&[429, 503]), ..HintRules::DEFAULT };
/// assert!(Policy::new(Rules { hint, ..Rules::DEFAULT }).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintRules {
    /// Fields that are read, the most trusted first. Empty: the server is not listened to.
    pub fields: HintFields,
    /// Statuses on which they are read. Empty: on none, which is the same as no field.
    pub statuses: StatusSet,
    /// How a hint and the local backoff go together.
    pub mode: HintMode,
    /// A random share of the hint that is added to it, so that clients that were told the same do not return together.
    pub spread: Thousandths,
    /// Which dates are read.
    pub dates: DateRules,
    /// What a hint does that cannot be read but still proves something.
    pub unreadable: Unreadable,
    /// A date is measured against the response's own `Date` where that is readable and there is no `Age`.
    pub skew_from_date: bool,
    /// After a wait that a hint fixed, the local backoff begins again at its base (gRPC's pushback; gRFC A6).
    pub resets_backoff: bool,
}

impl HintRules {
    /// Retry-After, on every status, all date forms, never shorter than the local backoff, spread by a tenth.
    pub const DEFAULT: Self = Self {
        fields: HintFields::RETRY_AFTER,
        statuses: StatusSet::ALL,
        mode: HintMode::AtLeast,
        spread: Thousandths::new(100),
        dates: DateRules { obsolete: true, strict: false },
        unreadable: Unreadable::LowerBound,
        skew_from_date: false,
        resets_backoff: false,
    };
}

/// How a hint and the local backoff go together.
///
/// ```
/// use policy_core::*;
/// let delay = |mode| {
///     let hint = HintRules { mode, spread: Thousandths::new(0), ..HintRules::DEFAULT };
///     let policy = Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
/// #   let now = Now {
/// #       mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #       sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// #   };
///     let begun = Execution::start(&policy, &Request::new(Method::Get), &now).execution;
///     let fields = &[Field { index: 0, value: b"0" }];
///     let busy = Event::Response { of: Attempt::single(1), status: 503, fields };
///     match begun.handle(&policy, busy, &now).command { Command::Wait(wait) => Some(wait.delay), _ => None }
/// };
/// assert_eq!(delay(HintMode::AtLeast), Some(Millis::new(500)));
/// assert_eq!(delay(HintMode::Instead { zero_at_once: true }), Some(Millis::ZERO));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HintMode {
    /// The longer of the two.
    AtLeast,
    /// The hint alone.
    Instead {
        /// A hint of zero (`0`, or a date that has passed) means at once; else it means the local backoff.
        zero_at_once: bool,
    },
}

/// What a hint does that cannot be read but still proves a lower bound: a number too large, values that disagree (the
/// largest), a date without a wall clock.
///
/// ```
/// use policy_core::{Field, HintRules, Millis, Policy, Rules, Unreadable, hint::Hint};
/// let delay = |unreadable| {
///     let hint = HintRules { unreadable, ..HintRules::DEFAULT };
///     let policy = Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
///     Hint::read(&policy, 503, &[Field { index: 0, value: b"10, 20" }], None).delay
/// };
/// assert_eq!(delay(Unreadable::LowerBound), Millis::from_secs(20));
/// assert_eq!(delay(Unreadable::Backoff), Millis::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Unreadable {
    /// The bound holds; what is unknown or longer than the longest wait is deferred.
    #[default]
    LowerBound = 0,
    /// Local backoff.
    Backoff = 1,
}

/// Why rules are refused.
///
/// ```
/// use policy_core::{Policy, PolicyError, Rules, StatusSet};
/// let error = Policy::new(Rules { retry: StatusSet::of(&[503]), ..Rules::DEFAULT }).unwrap_err();
/// assert_eq!(error, PolicyError::ThrottleNotRetried);
/// assert_eq!(error.to_string(), "every status in `throttle` must be in `retry` too");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyError {
    /// `max_attempts` is 0.
    NoAttempt,
    /// A status is in `throttle` but not in `retry`.
    ThrottleNotRetried,
    /// A multiplier is neither 1.000 nor within 1.100 to 100.000.
    Multiplier,
    /// A scaled jitter has `low` above `high`.
    JitterReversed,
    /// One backoff is decorrelated and the other is not; they share one series.
    MixedJitter,
    /// The budget's threshold is not below its capacity, so that it would never allow a retry.
    BudgetNeverOpen,
    /// A hint field has a name that no response field has in lower case, or one that another has too.
    FieldName,
    /// Bytes that are no compiled policy.
    Malformed,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoAttempt => "`max_attempts` must be at least 1",
            Self::ThrottleNotRetried => "every status in `throttle` must be in `retry` too",
            Self::Multiplier => "a multiplier must be 1.0, or from 1.1 to 100.0",
            Self::JitterReversed => "a scaled jitter needs `low` no greater than `high`",
            Self::MixedJitter => "either both backoffs are decorrelated or neither",
            Self::BudgetNeverOpen => "the budget's threshold must be below its capacity",
            Self::FieldName => "hint fields need lower-case names, each its own",
            Self::Malformed => "expected a compiled policy of this format version",
        })
    }
}

impl core::error::Error for PolicyError {}
