//! How a logical request ended, and with which numbers that is told to hosts in other languages.

use crate::time::{Mark, Millis, UnixMillis};

/// How a logical request ended.
///
/// ```
/// use policy_core::*;
/// # let policy = Policy::new(Rules::DEFAULT).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let cancelled = Now { cancelled: true, ..now };
/// let step = Execution::start(&policy, &Request::new(Method::Get), &cancelled);
/// let Command::Finish(outcome) = step.command else { panic!() };
/// assert_eq!((outcome.end, outcome.attempts, outcome.maybe_applied), (End::Cancelled, 0, false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Outcome {
    /// Why.
    pub end: End,
    /// The bound that decided.
    pub bound: Bound,
    /// What became of the server's hint.
    pub hint: HintReport,
    /// All sends of the logical request so far.
    pub attempts: u32,
    /// An attempt ended without an answer, or was aborted, and may have been applied all the same: a 404 after a
    /// repeated DELETE can mean success.
    pub maybe_applied: bool,
    /// What the caller gets.
    pub hand_over: HandOver,
    /// Present for [`End::Deferred`], [`End::Offline`], and for [`End::Deadline`] when a wait did not fit.
    pub resume: Option<Resume>,
}

/// What the host does with the result of the last attempt.
///
/// ```
/// use policy_core::HandOver;
///
/// /// What the caller gets of this event's result.
/// fn given<R>(hand_over: HandOver, result: R) -> Option<R> {
///     match hand_over {
///         HandOver::This => Some(result),
///         HandOver::Abort | HandOver::LastStatus(_) => None,
///     }
/// }
/// assert_eq!(given(HandOver::Abort, "a response"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, u8)]
pub enum HandOver {
    /// Give the caller this event's response, its body unread, or this event's failure.
    This,
    /// Abort the attempt in flight, or discard the response that came with this call; give the caller nothing.
    Abort,
    /// The last result was given up when the wait began. Its status, or 0 if it had none or nothing was sent yet.
    LastStatus(u16),
}

/// What is needed to go on later.
///
/// ```
/// use policy_core::{Mark, Method, Millis, Request, Resume};
/// let resume = Resume { delay: Millis::from_secs(90), not_before: None, attempts_used: 1 };
/// let not_before = Some(resume.mark(Mark::new(0), None));
/// let again = Request { attempts_used: resume.attempts_used, not_before, ..Request::new(Method::Get) };
/// assert_eq!(again.not_before, Some(Mark::new(90_001)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Resume {
    /// The whole wait that was asked for: not capped, not spread. [`Millis::MAX`] if it is that long or its length is
    /// unknown (a number too large; a date without a wall clock, which then stands in `not_before`).
    pub delay: Millis,
    /// The same as a wall-clock moment, if there is a wall clock, or the server gave one that there was no clock to measure;
    /// `None` too for a wait that nobody can tell the end of. As exact as the wall clock, which is rounded down: who turns
    /// it into a mark again adds a millisecond.
    pub not_before: Option<UnixMillis>,
    /// Pass on as [`Request::attempts_used`](crate::Request::attempts_used).
    pub attempts_used: u32,
}

impl Resume {
    /// The mark before which the resumed request is not sent, in whatever process it is resumed: for
    /// [`Request::not_before`](crate::Request::not_before). To be asked once, when the resume is loaded.
    ///
    /// The wall clock says how much is left, and never more than was asked for, so one that was set back makes no wait longer;
    /// without one the whole delay is waited again. Both clocks round down, so a millisecond is added.
    ///
    /// ```
    /// use policy_core::{Mark, Millis, Resume, UnixMillis};
    /// let saved = Resume { delay: Millis::new(90_000), not_before: Some(UnixMillis::new(100_000)), attempts_used: 1 };
    /// let now = Mark::new(5_000);
    /// assert_eq!(saved.mark(now, Some(UnixMillis::new(70_000))), Mark::new(5_000 + 30_001));
    /// assert_eq!(saved.mark(now, Some(UnixMillis::new(200_000))), now);
    /// assert_eq!(saved.mark(now, Some(UnixMillis::new(0))), Mark::new(5_000 + 90_001));
    /// assert_eq!(saved.mark(now, None), Mark::new(5_000 + 90_001));
    /// ```
    #[must_use]
    pub const fn mark(&self, now: Mark, wall: Option<UnixMillis>) -> Mark {
        let whole = self.delay.plus(Self::ROUNDING);
        let left = match (self.not_before, wall) {
            (Some(moment), Some(wall)) if wall.get() > moment.get() => Millis::ZERO,
            (Some(moment), Some(wall)) => wall.until(moment).plus(Self::ROUNDING),
            _ => whole,
        };
        now.after(if left.get() < whole.get() { left } else { whole })
    }

    const ROUNDING: Millis = Millis::new(1);
}

/// Why a logical request ended. 0–15 are no faults, 16–63 mean "no further send", 64 and above are misuse.
///
/// ```
/// use policy_core::End;
/// assert_eq!(End::Deferred.code(), 1);
/// assert_eq!(End::from_code(17), Some(End::AttemptsUsed));
/// assert_eq!(End::from_code(9_999), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum End {
    /// A response that needs no retry: 200–299.
    Success = 0,
    /// Worth retrying, but later than a wait in this process may be: see [`Outcome::resume`].
    Deferred = 1,
    /// The caller cancelled.
    Cancelled = 2,
    /// Another session is signed in; nothing of the old one is delivered.
    SessionChanged = 3,
    /// The policy retries neither this status nor this failure.
    NotRetryable = 16,
    /// `max_attempts` sends were made.
    AttemptsUsed = 17,
    /// The body cannot be sent again from its start.
    BodyNotReplayable = 18,
    /// A write without a key that this server honours, and nothing proves that it was not processed.
    NotIdempotent = 19,
    /// The shared retry budget has no token left for this retry.
    BudgetEmpty = 20,
    /// The deadline has passed, or the wait would reach it.
    Deadline = 21,
    /// The network did not come back in time.
    Offline = 22,
    /// A nested layer retried this and gave up.
    Nested = 23,
    /// The execution belongs to another policy.
    ForeignExecution = 64,
    /// The execution is not one that this policy can have made.
    MalformedExecution = 65,
    /// A number outside its range: a mark above [`Mark::MAX`](crate::Mark::MAX), too many fields, a field twice.
    InvalidInput = 66,
}

impl End {
    /// Every end, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::Success,
        Self::Deferred,
        Self::Cancelled,
        Self::SessionChanged,
        Self::NotRetryable,
        Self::AttemptsUsed,
        Self::BodyNotReplayable,
        Self::NotIdempotent,
        Self::BudgetEmpty,
        Self::Deadline,
        Self::Offline,
        Self::Nested,
        Self::ForeignExecution,
        Self::MalformedExecution,
        Self::InvalidInput,
    ];

    /// Whether a layer above, which could begin again, must not: it was tried here as often as it may be, or must not be
    /// tried again. Pass on as [`Attempt::exhausted`](crate::Attempt::exhausted) of the layer above.
    ///
    /// ```
    /// use policy_core::End;
    /// assert!(End::AttemptsUsed.gave_up() && End::Deferred.gave_up());
    /// assert!(!End::Success.gave_up() && !End::NotRetryable.gave_up(), "a layer above may retry other statuses");
    /// ```
    #[must_use]
    pub const fn gave_up(self) -> bool {
        !matches!(self, Self::Success | Self::NotRetryable)
    }

    /// The number in the component's interface.
    #[must_use]
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The end with this number; `None` for one that is not known here, which a host takes as "no further send".
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.code() == code)
    }

    /// The name in documents, vectors and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Deferred => "deferred",
            Self::Cancelled => "cancelled",
            Self::SessionChanged => "session-changed",
            Self::NotRetryable => "not-retryable",
            Self::AttemptsUsed => "attempts-used",
            Self::BodyNotReplayable => "body-not-replayable",
            Self::NotIdempotent => "not-idempotent",
            Self::BudgetEmpty => "budget-empty",
            Self::Deadline => "deadline",
            Self::Offline => "offline",
            Self::Nested => "nested",
            Self::ForeignExecution => "foreign-execution",
            Self::MalformedExecution => "malformed-execution",
            Self::InvalidInput => "invalid-input",
        }
    }
}

/// The bound that fixed a delay or ended a request.
///
/// ```
/// use policy_core::Bound;
/// assert_eq!((Bound::Hint.code(), Bound::Hint.name()), (2, "hint"));
/// assert_eq!(Bound::from_code(9_999), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum Bound {
    /// None: nothing was bounded, or an early wake repeats a wait.
    None = 0,
    /// The local backoff.
    Backoff = 1,
    /// The server's hint.
    Hint = 2,
    /// The longest wait in one process.
    MaxWait = 3,
    /// The deadline.
    Deadline = 4,
    /// The number of attempts.
    Attempts = 5,
    /// The replay gate: method, key, body.
    Gate = 6,
    /// The shared retry budget.
    Budget = 7,
    /// A sibling of the same origin was told to wait.
    Hold = 8,
    /// The not-before of a resumed request.
    Resume = 9,
}

impl Bound {
    /// Every bound, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::None,
        Self::Backoff,
        Self::Hint,
        Self::MaxWait,
        Self::Deadline,
        Self::Attempts,
        Self::Gate,
        Self::Budget,
        Self::Hold,
        Self::Resume,
    ];

    /// The number in the component's interface.
    #[must_use]
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The bound with this number.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|bound| bound.code() == code)
    }

    /// The name in documents, vectors and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Backoff => "backoff",
            Self::Hint => "hint",
            Self::MaxWait => "max-wait",
            Self::Deadline => "deadline",
            Self::Attempts => "attempts",
            Self::Gate => "gate",
            Self::Budget => "budget",
            Self::Hold => "hold",
            Self::Resume => "resume",
        }
    }
}

/// What became of the server's hint. From 16 on, why it was refused; the grammar is in [`retry_after`](crate::retry_after).
///
/// ```
/// use policy_core::HintReport;
/// assert!(HintReport::NotAsked.code() < 16, "not refused");
/// assert_eq!(HintReport::from_code(19), Some(HintReport::Conflicting));
/// assert_eq!(HintReport::Conflicting.name(), "conflicting");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum HintReport {
    /// The server gave none, or it was not looked for, because the result is not retried.
    Absent = 0,
    /// It was read.
    Used = 1,
    /// There is one, but the policy does not ask for it, or not on this status.
    NotAsked = 2,
    /// Nothing but white space.
    Empty = 16,
    /// Neither `1*DIGIT` nor an HTTP-date.
    Malformed = 17,
    /// Digits beyond 2^64 − 1.
    Overflow = 18,
    /// Several values that disagree.
    Conflicting = 19,
    /// [`FIELD_MAX`](crate::FIELD_MAX) bytes or more.
    TooLong = 20,
    /// A date, but no wall clock to measure it against.
    NoWallClock = 21,
    /// Digits with a sign.
    Signed = 22,
    /// Digits with a fraction.
    Fractional = 23,
    /// An RFC 850 or asctime date, which the policy does not accept.
    ObsoleteDate = 24,
    /// A date whose day, hour, minute or second does not exist.
    NoSuchTime = 25,
    /// A date whose weekday is another day.
    WrongWeekday = 26,
    /// A second of 60 that is not at 23:59, or that the policy does not accept.
    LeapSecond = 27,
    /// A year before 1900 (RFC 5322 §3.3).
    YearBefore1900 = 28,
}

impl HintReport {
    /// Every report, in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::Absent,
        Self::Used,
        Self::NotAsked,
        Self::Empty,
        Self::Malformed,
        Self::Overflow,
        Self::Conflicting,
        Self::TooLong,
        Self::NoWallClock,
        Self::Signed,
        Self::Fractional,
        Self::ObsoleteDate,
        Self::NoSuchTime,
        Self::WrongWeekday,
        Self::LeapSecond,
        Self::YearBefore1900,
    ];

    /// Whether the hint may have a delay, which holds back others too, siblings and layers: it is what the server said, the
    /// longest of values that disagree, or without an end for what is longer than any number or cannot be measured.
    ///
    /// ```
    /// use policy_core::HintReport;
    /// assert!(HintReport::Used.holds() && HintReport::Conflicting.holds() && HintReport::Overflow.holds());
    /// assert!(!HintReport::Malformed.holds());
    /// ```
    #[must_use]
    pub const fn holds(self) -> bool {
        matches!(self, Self::Used | Self::Overflow | Self::Conflicting | Self::NoWallClock)
    }

    /// The number in the component's interface.
    #[must_use]
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The report with this number.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|report| report.code() == code)
    }

    /// The name in documents, vectors and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Used => "used",
            Self::NotAsked => "not-asked",
            Self::Empty => "empty",
            Self::Malformed => "malformed",
            Self::Overflow => "overflow",
            Self::Conflicting => "conflicting",
            Self::TooLong => "too-long",
            Self::NoWallClock => "no-wall-clock",
            Self::Signed => "signed",
            Self::Fractional => "fractional",
            Self::ObsoleteDate => "obsolete-date",
            Self::NoSuchTime => "no-such-time",
            Self::WrongWeekday => "wrong-weekday",
            Self::LeapSecond => "leap-second",
            Self::YearBefore1900 => "year-before-1900",
        }
    }
}
