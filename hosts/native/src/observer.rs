//! Who may watch. An event holds the fields that may be logged and times; never a field value, a URL or a body.

use policy_core::{Bound, FailureKind, HintReport, Mark, Millis, Wait};

use crate::outcome::Reason;

/// Watches requests. Called between two steps of a request, so it must not block.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn event(&self, trace: &Trace);
}

impl<F: Fn(&Trace) + Send + Sync> Observer for F {
    fn event(&self, trace: &Trace) {
        self(trace);
    }
}

/// Something that happened to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Which request; unique within its driver.
    pub request: u64,
    /// When, as it was told to the policy.
    pub at: Mark,
    /// What.
    pub event: TraceEvent,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceEvent {
    /// An attempt begins.
    Sent {
        /// Its number; the first is 1.
        attempt: u32,
        /// Time until the response head must be here.
        timeout: Option<Millis>,
    },
    /// The head of a response is here.
    Answered {
        /// The attempt that it answers.
        attempt: u32,
        /// Its status code.
        status: u16,
    },
    /// An attempt brought no response.
    Failed {
        /// The attempt that failed.
        attempt: u32,
        /// What is known about processing.
        kind: FailureKind,
        /// It ran into the attempt's timeout.
        timed_out: bool,
    },
    /// A wait begins: how long, until when, for which retry, and why.
    WaitPlanned(Wait),
    /// A wait for the network begins.
    NetworkAwaited {
        /// At the latest until here.
        until: Mark,
    },
    /// A wait is over, or was broken off.
    WaitOver {
        /// How long it was.
        waited: Millis,
    },
    /// The request has ended.
    Ended {
        /// Why.
        reason: Reason,
        /// The bound that decided.
        bound: Bound,
        /// What became of the server's hint.
        hint: HintReport,
        /// All sends.
        attempts: u32,
    },
}
