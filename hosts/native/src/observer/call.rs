//! One call into the engine, as an observer may see it.

use policy_core::{Attempt, Command, Event, FailureKind, Now, Request, Tokens};

use crate::engine::EngineError;
#[cfg(feature = "record")]
use crate::engine::{Engine, State, Step};

/// One call into the engine: what the policy was told, and what it said.
///
/// Its numbers are those that the policy saw, but for the session: it is 1 as long as it is that in which the request began,
/// and 2 in any other, so that its number stays in the host. Of an answer's fields nothing is told.
///
/// ```
/// use refrain::core::Command;
/// use refrain::observer::Call;
/// fn is_deferred(call: &Call<'_>) -> bool {
///     matches!(call.answer, Ok((Command::Finish(outcome), _)) if outcome.resume.is_some())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// Which request, as in [`Trace::request`](super::Trace::request).
    pub request: u64,
    /// Why the engine was called.
    pub input: Input,
    /// Everything else that it was told.
    pub now: Now,
    /// What to do now, and the retry budget afterwards; or why there was no decision.
    pub answer: Result<(Command, Tokens), &'a EngineError>,
    #[cfg(feature = "record")]
    pub(crate) inner: Inner<'a>,
}

/// Why the engine was called: [`policy_core::Event`] without the fields of an answer.
///
/// ```
/// use refrain::core::{Attempt, Event, Field};
/// use refrain::observer::Input;
/// let fields = [Field { index: 0, value: b"120" }];
/// let event = Event::Response { of: Attempt::single(1), status: 503, fields: &fields };
/// assert_eq!(Input::from(&event), Input::Response { of: Attempt::single(1), status: 503 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// The request begins. Always the first call.
    Start(Request),
    /// A response head arrived.
    Response {
        /// The attempt that it answers.
        of: Attempt,
        /// The status code.
        status: u16,
    },
    /// An attempt failed.
    Failure {
        /// The attempt that ended.
        of: Attempt,
        /// What is known.
        kind: FailureKind,
        /// It ran into its timeout.
        timed_out: bool,
    },
    /// Anything else.
    Wake,
}

impl From<&Event<'_>> for Input {
    fn from(event: &Event<'_>) -> Self {
        match *event {
            Event::Response { of, status, .. } => Self::Response { of, status },
            Event::Failure { of, kind, timed_out } => Self::Failure { of, kind, timed_out },
            Event::Wake => Self::Wake,
        }
    }
}

/// What a recording needs beyond that to prove that the call can be made again.
#[cfg(feature = "record")]
#[derive(Clone, Copy)]
pub(crate) struct Inner<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) state: &'a State,
    pub(crate) event: Option<Event<'a>>,
    pub(crate) now: &'a Now,
    pub(crate) step: Option<&'a Step>,
}

/// Shows nothing: there are texts of a server in it.
#[cfg(feature = "record")]
impl std::fmt::Debug for Inner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(..)")
    }
}
