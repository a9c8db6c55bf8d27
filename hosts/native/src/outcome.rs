//! What the caller of the driver gets.

use std::{error::Error, fmt};

use policy_core::{Bound, End, HintReport, Millis, Resume};

use crate::{
    engine::EngineError,
    entropy::EntropyError,
    session::SessionTag,
    transport::{Failure, Head},
};

/// A response that is delivered, its body unread.
///
/// ```
/// use refrain::Delivered;
/// fn text(delivered: Delivered<http::Response<String>>) -> Option<String> {
///     let text = delivered.response.into_body();
///     delivered.session.is_current().then_some(text)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Delivered<R> {
    /// The response.
    pub response: R,
    /// The session that it was asked for in.
    pub session: SessionTag,
    /// All sends of the logical request.
    pub attempts: u32,
    /// An earlier attempt may have been applied too: a 404 after a repeated DELETE can mean success.
    pub maybe_applied: bool,
}

impl<R> Delivered<R> {
    /// Whether the session that asked is still signed in; see [`SessionTag::is_current`].
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.session.is_current()
    }

    /// The same of another response.
    pub(crate) fn with<S>(self, response: S) -> Delivered<S> {
        let Self { response: _, session, attempts, maybe_applied } = self;
        Delivered { response, session, attempts, maybe_applied }
    }

    /// As an end without a success, because the policy cannot be believed.
    #[cfg(feature = "client")]
    pub(crate) fn into_ended<E>(self, reason: Reason) -> Ended<R, E> {
        let Self { response, session, attempts, maybe_applied } = self;
        let (bound, hint, last) = (Bound::None, HintReport::Absent, Last::Response(response));
        Ended { reason, bound, hint, asked: None, attempts, maybe_applied, resume: None, last, session }
    }
}

/// A logical request that ended without a success.
///
/// ```
/// use refrain::core::{End, Method, Millis, Policy, Request, Rules, Sample};
/// use refrain::testing::{ScriptedEntropy, ScriptedTransport, TestTime};
/// use refrain::{DirectEngine, Driver, Options};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let time = TestTime::default();
/// let server = ScriptedTransport::new(&time);
/// server.respond(503, &[("retry-after", "3600")]);
/// let driver = Driver::new(engine, time, ScriptedEntropy::new(Sample::ONE));
/// let result = driver.run(&Request::new(Method::Get), server, &Options::default()).await;
/// let ended = result.expect_err("an hour is more than this policy waits");
/// assert_eq!((ended.end(), ended.asked), (Some(End::Deferred), Some(Millis::from_secs(3_600))));
/// assert_eq!(ended.resume.map(|resume| resume.attempts_used), Some(1));
/// assert_eq!(ended.last.status(), Some(503));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Ended<R, E> {
    /// Why.
    pub reason: Reason,
    /// The bound that decided.
    pub bound: Bound,
    /// What became of the server's hint.
    pub hint: HintReport,
    /// How long the last answer asked to stay away, as the policy read it: uncapped, from its arrival on. `None` if it did
    /// not ask, if the policy had no reason to look, or if it could not be read.
    pub asked: Option<Millis>,
    /// All sends of the logical request.
    pub attempts: u32,
    /// An attempt ended without an answer, or was aborted, and may have been applied all the same.
    pub maybe_applied: bool,
    /// What is needed to go on later, if that is worth it.
    pub resume: Option<Resume>,
    /// What is left of the last attempt.
    pub last: Last<R, E>,
    /// The session that the request was made in.
    pub session: SessionTag,
}

impl<R, E> Ended<R, E> {
    /// Why the policy ended the request; `None` if it could not be asked.
    #[must_use]
    pub const fn end(&self) -> Option<End> {
        match self.reason {
            Reason::Policy(end) => Some(end),
            Reason::Engine(_) | Reason::Entropy(_) | Reason::Refused => None,
        }
    }

    /// The response that the server gave, whatever its status; for callers to whom a 404 is an answer.
    ///
    /// ```
    /// use refrain::{Delivered, Ended};
    /// fn any_answer<R, E>(result: Result<Delivered<R>, Ended<R, E>>) -> Result<Delivered<R>, Ended<R, E>> {
    ///     result.or_else(Ended::into_response)
    /// }
    /// ```
    ///
    /// # Errors
    /// The request itself, if there is no response to hand over.
    pub fn into_response(self) -> Result<Delivered<R>, Self> {
        match self.last {
            Last::Response(response) => Ok(Delivered {
                response,
                session: self.session,
                attempts: self.attempts,
                maybe_applied: self.maybe_applied,
            }),
            last => Err(Self { last, ..self }),
        }
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_last<S, F>(self, last: Last<S, F>) -> Ended<S, F> {
        let Self { reason, bound, hint, asked, attempts, maybe_applied, resume, last: _, session } = self;
        Ended { reason, bound, hint, asked, attempts, maybe_applied, resume, last, session }
    }
}

impl<R, E> fmt::Display for Ended<R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the request ended: {}; attempts: {}", self.reason, self.attempts)
    }
}

impl<R: fmt::Debug, E: Error + 'static> Error for Ended<R, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match (&self.reason, &self.last) {
            (Reason::Engine(error), _) => Some(error),
            (Reason::Entropy(error), _) => Some(error),
            (Reason::Policy(_) | Reason::Refused, Last::Failure(failure)) => Some(failure),
            (Reason::Policy(_) | Reason::Refused, _) => None,
        }
    }
}

/// Why a logical request ended.
///
/// ```
/// use refrain::{Reason, core::End};
/// fn is_worth_another_day(reason: &Reason) -> bool {
///     matches!(reason, Reason::Policy(End::Deferred | End::Offline))
/// }
/// assert!(!is_worth_another_day(&Reason::Refused));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The policy says so.
    Policy(End),
    /// The policy could not be asked, so nothing more was sent.
    Engine(EngineError),
    /// There was no randomness to be had, so nothing more was sent.
    Entropy(EntropyError),
    /// The transport refused to make the attempt that was due, so it was not made and does not count; see
    /// [`Failure::refused`].
    Refused,
}

impl Reason {
    /// The names of those that are not the policy's.
    #[cfg(feature = "metrics")]
    pub(crate) const OTHERS: [&'static str; 3] = ["engine-failed", "no-entropy", "refused"];

    /// The name in logs: that of the [`End`], `engine-failed`, `no-entropy` or `refused`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Policy(end) => end.name(),
            Self::Engine(_) => "engine-failed",
            Self::Entropy(_) => "no-entropy",
            Self::Refused => "refused",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<EngineError> for Reason {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<EntropyError> for Reason {
    fn from(error: EntropyError) -> Self {
        Self::Entropy(error)
    }
}

/// What is left of the last attempt of a request that ended.
///
/// ```
/// use refrain::{Last, testing::ScriptedError};
/// let answered = Last::<_, ScriptedError>::Response(http::Response::new("hello"));
/// assert_eq!(answered.status(), Some(200));
/// let withheld = Last::<http::Response<()>, ScriptedError>::Nothing;
/// assert_eq!(withheld.status(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Last<R, E> {
    /// Its response, the body unread; for example a 404, or the 503 of the attempt that was the last one allowed.
    Response(R),
    /// Its failure.
    Failure(Failure<E>),
    /// The status of a response that was given up, because a wait had begun or the policy could not be asked about it.
    Status(u16),
    /// Nothing: no attempt was made, it was aborted, or it is withheld.
    Nothing,
}

impl<R: Head, E> Last<R, E> {
    /// The status of the last response, if there was one and it is not withheld.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Response(response) => Some(response.status()),
            Self::Status(status) => Some(*status),
            Self::Failure(_) | Self::Nothing => None,
        }
    }
}

impl<R, E> From<Result<R, Failure<E>>> for Last<R, E> {
    fn from(result: Result<R, Failure<E>>) -> Self {
        match result {
            Ok(response) => Self::Response(response),
            Err(failure) => Self::Failure(failure),
        }
    }
}
