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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Field<'a> {
    /// Position in [`Policy::fields`](crate::Policy::fields).
    pub index: u8,
    /// The bytes of all lines of that name, in order, joined with a comma and a space.
    pub value: &'a [u8],
}
