//! What carries one attempt.

#[cfg(feature = "hyper")]
mod failure;
#[cfg(feature = "reqwest")]
pub mod reqwest;

use std::{
    convert::Infallible,
    error::Error,
    fmt,
    future::{Future, ready},
};

use http::HeaderMap;
use policy_core::{FailureKind, Millis};

#[cfg(feature = "hyper")]
pub use failure::kind_of;

/// One logical request, able to be sent: the driver calls it once an attempt. Dropping the future aborts the attempt.
pub trait Transport: Send {
    /// The head of a response, with its body unread.
    type Response: Head + Send;
    /// What the client underneath reports.
    type Error: Send;

    /// Makes one attempt: one call of the inner client, whose own retries are off.
    fn attempt(&mut self, attempt: Attempt) -> impl Future<Output = Attempted<Self::Response, Self::Error>> + Send;

    /// Reads what belongs to the answer beyond its head, before the policy is told of it: a failure here is the attempt's,
    /// and may be retried. The attempt's timeout does not limit it, but a deadline that cuts attempts short does. Dropping
    /// the future aborts the attempt.
    ///
    /// As it is, nothing is read: the attempt ends with the head.
    fn complete(
        &mut self,
        head: Self::Response,
    ) -> impl Future<Output = Result<Self::Response, Failure<Self::Error>>> + Send {
        ready(Ok(head))
    }
}

impl<T: Transport> Transport for &mut T {
    type Response = T::Response;
    type Error = T::Error;

    fn attempt(&mut self, attempt: Attempt) -> impl Future<Output = Attempted<T::Response, T::Error>> + Send {
        (**self).attempt(attempt)
    }

    fn complete(&mut self, head: T::Response) -> impl Future<Output = Result<T::Response, Failure<T::Error>>> + Send {
        (**self).complete(head)
    }
}

/// An attempt that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its number among all sends of the logical request; the first is 1.
    pub number: u32,
    /// Time until the response head must be here. The driver keeps this limit, by its own clock; a transport may pass it
    /// on.
    pub timeout: Option<Millis>,
    /// The most sends that the policy and the request allow; `None` if the engine has a policy of another format.
    pub max: Option<u32>,
}

/// What came of one attempt.
#[derive(Clone, Debug)]
pub struct Attempted<R, E> {
    /// The head of a response, or why there is none.
    pub result: Result<R, Failure<E>>,
    /// Sends that it cost: 1, or what a nested layer reports.
    pub sends: u32,
    /// A nested layer retried this and gave up, so nobody above it starts again.
    pub exhausted: bool,
}

impl<R, E> From<Result<R, Failure<E>>> for Attempted<R, E> {
    /// One send, no nested layer.
    fn from(result: Result<R, Failure<E>>) -> Self {
        Self { result, sends: 1, exhausted: false }
    }
}

/// The head of a response.
pub trait Head {
    /// The status code.
    fn status(&self) -> u16;

    /// The fields. Only those that the policy asked for are read.
    fn headers(&self) -> &HeaderMap;
}

impl<B> Head for http::Response<B> {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }
}

/// Of an end that has no response to hand over.
impl Head for Infallible {
    fn status(&self) -> u16 {
        match *self {}
    }

    fn headers(&self) -> &HeaderMap {
        match *self {}
    }
}

/// An attempt without a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure<E> {
    /// What is known about processing.
    pub kind: FailureKind,
    /// It ran into the attempt's timeout.
    pub timed_out: bool,
    /// The transport did not make the attempt at all, and will not make another.
    pub refused: bool,
    /// What the client underneath reported; `None` if the driver cut the attempt short.
    pub source: Option<E>,
}

impl<E> Failure<E> {
    /// A failure that is no time-out.
    #[must_use]
    pub const fn new(kind: FailureKind, source: E) -> Self {
        Self { kind, timed_out: false, refused: false, source: Some(source) }
    }

    /// The transport will not make this attempt, nor another: a body that is used up, a header that cannot be had. Nothing
    /// was sent, so it does not count, and the request ends with [`Reason::Refused`](crate::Reason::Refused).
    #[must_use]
    pub const fn refused(source: E) -> Self {
        Self { kind: FailureKind::Permanent, timed_out: false, refused: true, source: Some(source) }
    }

    #[cfg(any(feature = "client", feature = "middleware"))]
    pub(crate) fn map<F>(self, wrap: impl FnOnce(E) -> F) -> Failure<F> {
        let Self { kind, timed_out, refused, source } = self;
        Failure { kind, timed_out, refused, source: source.map(wrap) }
    }

    /// The driver dropped an attempt that took too long; anything may have happened.
    pub(crate) const fn timed_out() -> Self {
        Self { kind: FailureKind::Ambiguous, timed_out: true, refused: false, source: None }
    }
}

impl<E> fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.refused, self.timed_out) {
            (true, _) => f.write_str("the attempt was not made"),
            (false, true) => write!(f, "the attempt timed out: {}", self.kind.name()),
            (false, false) => write!(f, "the attempt failed: {}", self.kind.name()),
        }
    }
}

impl<E: Error + 'static> Error for Failure<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// A transport from a function that makes an attempt without nested layers.
///
/// ```
/// use refrain::{Failure, transport};
/// let ok = transport::from_fn(|_attempt| async { Ok::<_, Failure<std::io::Error>>(http::Response::new("hello")) });
/// # let _ = ok;
/// ```
pub fn from_fn<F, Fut, R, E>(attempt: F) -> FromFn<F>
where
    F: FnMut(Attempt) -> Fut + Send,
    Fut: Future<Output = Result<R, Failure<E>>> + Send,
{
    FromFn(attempt)
}

/// See [`from_fn`].
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F>(F);

impl<F, Fut, R, E> Transport for FromFn<F>
where
    F: FnMut(Attempt) -> Fut + Send,
    Fut: Future<Output = Result<R, Failure<E>>> + Send,
    R: Head + Send,
    E: Send,
{
    type Response = R;
    type Error = E;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<R, E> {
        (self.0)(attempt).await.into()
    }
}
