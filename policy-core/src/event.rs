//! What a host tells the state machine: why it calls, and everything that may have changed outside.

use crate::{
    budget::Tokens,
    failure::FailureKind,
    random::Sample,
    time::{Mark, Session, UnixMillis},
};

/// Everything that may have changed outside, read right before each call.
///
/// All of it is compared on every call, so a host has nothing to re-check after a wait.
///
/// ```
/// use policy_core::{Mark, Network, Now, Sample, Session, Tokens};
///
/// /// For a host without a wall clock, sessions, a budget and holds.
/// fn now(uptime_ms: u64, random: u32, cancelled: bool) -> Now {
///     Now {
///         mark: Mark::new(uptime_ms), wall: None, session: Session::new(0), cancelled, network: Network::Unknown,
///         sample: Sample::new(random), tokens: Tokens::ZERO, hold: None,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Now {
    /// The wait clock.
    pub mark: Mark,
    /// The wall clock, if there is one. Used only to turn an HTTP-date into a wait, and for a deferral's not-before. Read
    /// before `mark`, so that no pause between the two readings makes a send early.
    pub wall: Option<UnixMillis>,
    /// Who is signed in.
    pub session: Session,
    /// The caller has cancelled. Once true it stays true.
    pub cancelled: bool,
    /// Connectivity.
    pub network: Network,
    /// A fresh random number.
    pub sample: Sample,
    /// The shared retry budget as read; ignored if the policy has none.
    pub tokens: Tokens,
    /// No send to this origin before this mark, because a sibling request was told so.
    pub hold: Option<Mark>,
}

/// What is known about connectivity.
///
/// ```
/// use policy_core::Network;
/// assert_eq!(Network::default(), Network::Unknown);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Network {
    /// The host cannot tell. Treated as up.
    #[default]
    Unknown = 0,
    /// A network is there. It proves nothing about the server.
    Up = 1,
    /// There is no network.
    Down = 2,
}

/// Why the host calls.
///
/// ```
/// use policy_core::*;
/// # let policy = Policy::new(Rules::DEFAULT).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let begun = Execution::start(&policy, &Request::new(Method::Post), &now).execution;
/// let reset = Event::Failure { of: Attempt::single(1), kind: FailureKind::Ambiguous, timed_out: false };
/// let Command::Finish(outcome) = begun.handle(&policy, reset, &now).command else { panic!() };
/// assert_eq!((outcome.end, outcome.maybe_applied), (End::NotIdempotent, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, u8)]
pub enum Event<'a> {
    /// A response head arrived.
    Response {
        /// The attempt that it answers.
        of: Attempt,
        /// The status code.
        status: u16,
        /// The fields that the policy asked for, as far as they are present and readable; at most [`FIELDS_MAX`], each
        /// index once.
        fields: &'a [Field<'a>],
    },
    /// The attempt failed.
    Failure {
        /// The attempt that ended.
        of: Attempt,
        /// What is known.
        kind: FailureKind,
        /// The attempt ran into [`Command::Send`](crate::Command::Send)'s timeout.
        timed_out: bool,
    },
    /// Anything else: a timer (early ones are harmless), a cancel, a session change, the network.
    Wake,
}

/// Which attempt ended, and what a nested layer did below it.
///
/// ```
/// use policy_core::*;
/// # let policy = Policy::new(Rules::DEFAULT).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let begun = Execution::start(&policy, &Request::new(Method::Get), &now).execution;
/// let nested = Attempt { number: 1, sends: 3, exhausted: false };
/// let busy = Event::Response { of: nested, status: 503, fields: &[] };
/// assert_eq!(begun.handle(&policy, busy, &now).execution.attempts(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Attempt {
    /// Echo of the number in [`Command::Send`](crate::Command::Send). A result with another number is ignored.
    pub number: u32,
    /// Sends that it cost: 1, or what a nested layer reports. They all count; 0 counts as 1.
    pub sends: u32,
    /// A nested layer retried this and gave up: the request ends, nobody above it starts again.
    pub exhausted: bool,
}

impl Attempt {
    /// One send, no nested layer.
    #[must_use]
    pub const fn single(number: u32) -> Self {
        Self { number, sends: 1, exhausted: false }
    }
}

/// Most fields in one [`Event::Response`].
pub const FIELDS_MAX: usize = 16;

/// One response field that the policy asked for.
///
/// ```
/// use policy_core::{Field, Millis, Policy, Rules, hint::Hint};
/// let policy = Policy::new(Rules::DEFAULT).unwrap();
/// let both_lines = ["10", "20"].join(", ");
/// let hint = Hint::read(&policy, 503, &[Field { index: 0, value: both_lines.as_bytes() }], None);
/// assert_eq!((hint.delay, hint.exact), (Millis::from_secs(20), false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Field<'a> {
    /// Position in [`Policy::fields`](crate::Policy::fields).
    pub index: u8,
    /// The bytes of all lines of that name, in order, joined with a comma and a space.
    pub value: &'a [u8],
}
