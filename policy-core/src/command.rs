//! What the host must do now.

use crate::{
    outcome::{Bound, HintReport, Outcome},
    time::{Mark, Millis},
};

/// What the host does now.
///
/// ```
/// use policy_core::*;
/// # let policy = Policy::new(Rules::DEFAULT).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let step = Execution::start(&policy, &Request::new(Method::Get), &now);
/// let next = match step.command {
///     Command::Keep => "go on with what was commanded last",
///     Command::Send { .. } => "send, and report what comes of it",
///     Command::Wait(_) | Command::AwaitNetwork { .. } => "wait, then wake",
///     Command::Finish(_) => "return",
/// };
/// assert_eq!(next, "send, and report what comes of it");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, u8)]
pub enum Command {
    /// Nothing changed: go on with what was commanded last. Discard a response that came with this call.
    Keep,
    /// Make an attempt.
    Send {
        /// Its number among all sends of the logical request; the first is 1.
        attempt: u32,
        /// Time until the response head must be here; already limited by a deadline that cuts attempts short. Report
        /// [`Ambiguous`](crate::FailureKind::Ambiguous) with `timed_out` (or `ConnectFailed`, if still connecting) when
        /// it is over. It does not limit the reading of the body.
        timeout: Option<Millis>,
    },
    /// Discard the body of the response that came with this call, wait, then call with [`Event::Wake`](crate::Event::Wake).
    Wait(Wait),
    /// Wait for the network, at the latest until this mark, then call with [`Event::Wake`](crate::Event::Wake).
    AwaitNetwork {
        /// [`Mark::MAX`] if nothing limits the wait.
        until: Mark,
    },
    /// Return.
    Finish(Outcome),
}

impl Command {
    /// What became of the server's hint, as far as this command tells: what was asked of one layer, a host tells the others.
    ///
    /// ```
    /// use policy_core::{Command, HintReport};
    /// assert_eq!(Command::Keep.hint(), HintReport::Absent);
    /// ```
    #[must_use]
    pub const fn hint(&self) -> HintReport {
        match self {
            Self::Wait(Wait { hint, .. }) | Self::Finish(Outcome { hint, .. }) => *hint,
            Self::Keep | Self::Send { .. } | Self::AwaitNetwork { .. } => HintReport::Absent,
        }
    }
}

/// A wait. The host may wake in pieces of any length: an early wake gives the same wait again.
///
/// ```
/// use policy_core::{Bound, HintReport, Mark, Millis, Wait};
/// let (until, delay) = (Mark::new(1_500), Millis::new(500));
/// let wait = Wait { until, delay, retry_index: 0, bound: Bound::Backoff, hint: HintReport::Absent };
/// // A timer that fired early: this much is left.
/// assert_eq!(Mark::new(1_400).until(wait.until), Millis::new(100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Wait {
    /// Not before this mark.
    pub until: Mark,
    /// The planned delay from now, for logs.
    pub delay: Millis,
    /// Which retry this leads to, from 0; 0 too for a wait before the first send.
    pub retry_index: u32,
    /// The bound that fixed the delay; [`Bound::None`] when an early wake repeats the wait.
    pub bound: Bound,
    /// What became of the hint. Where it was refused, the local backoff stands in for it, or the lower bound that it still
    /// proves, if `bound` says so.
    pub hint: HintReport,
}
