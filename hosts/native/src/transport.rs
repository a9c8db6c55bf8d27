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
///
/// ```
/// use std::convert::Infallible;
/// use refrain::{Attempt, Attempted, Transport};
///
/// /// A server in memory.
/// struct Numbers;
///
/// impl Transport for Numbers {
///     type Response = http::Response<u32>;
///     type Error = Infallible;
///
///     async fn attempt(&mut self, attempt: Attempt) -> Attempted<http::Response<u32>, Infallible> {
///         Ok(http::Response::new(attempt.number)).into()
///     }
/// }
/// ```
pub trait Transport: Send {
    /// The head of a response, with its body unread.
    type Response: Head + Send;
    /// What the client underneath reports.
    type Error: Send;

    /// Makes one attempt: one call of the inner client, whose own retries are off.
    fn attempt(&mut self, attempt: Attempt) -> impl Future<Output = Attempted<Self::Response, Self::Error>> + Send;

    /// Reads what belongs to an answer beyond its head into it, before the policy is told of it: a failure here is the attempt's,
    /// and may be retried. The attempt's timeout does not limit it, but a deadline that cuts attempts short does, and
    /// [`Transport::completion_timeout`]. Dropping the future aborts the attempt.
    ///
    /// As it is, nothing is read: the attempt ends with the head.
    ///
    /// ```
    /// use refrain::core::FailureKind;
    /// use refrain::{Attempt, Attempted, Failure, Transport};
    ///
    /// /// A server whose answers are told whole by their last character.
    /// struct Braces;
    ///
    /// impl Transport for Braces {
    ///     type Response = http::Response<String>;
    ///     type Error = &'static str;
    ///
    ///     async fn attempt(&mut self, _: Attempt) -> Attempted<Self::Response, &'static str> {
    ///         Ok(http::Response::new("{".to_owned())).into()
    ///     }
    ///
    ///     async fn complete(&mut self, answer: &mut Self::Response) -> Result<(), Failure<&'static str>> {
    ///         let is_whole = answer.body().ends_with('}');
    ///         if is_whole { Ok(()) } else { Err(Failure::new(FailureKind::Ambiguous, "the body was cut off")) }
    ///     }
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// assert!(Braces.complete(&mut http::Response::new("{".to_owned())).await.is_err());
    /// # Ok(())
    /// # }
    /// ```
    fn complete(
        &mut self,
        answer: &mut Self::Response,
    ) -> impl Future<Output = Result<(), Failure<Self::Error>>> + Send {
        let _ = answer;
        ready(Ok(()))
    }

    /// The longest time that [`Transport::complete`] may take: as long as it needs, unless this says otherwise.
    fn completion_timeout(&self) -> Option<Millis> {
        None
    }
}

impl<T: Transport> Transport for &mut T {
    type Response = T::Response;
    type Error = T::Error;

    fn attempt(&mut self, attempt: Attempt) -> impl Future<Output = Attempted<T::Response, T::Error>> + Send {
        (**self).attempt(attempt)
    }

    fn complete(&mut self, answer: &mut T::Response) -> impl Future<Output = Result<(), Failure<T::Error>>> + Send {
        (**self).complete(answer)
    }

    fn completion_timeout(&self) -> Option<Millis> {
        (**self).completion_timeout()
    }
}

/// An attempt that is to be made.
///
/// ```
/// use std::time::Duration;
/// use refrain::{Attempt, core::Millis};
///
/// /// For a client that takes a limit of its own.
/// fn limit(attempt: &Attempt) -> Option<Duration> {
///     attempt.timeout.map(|left| Duration::from_millis(left.get()))
/// }
/// let attempt = Attempt { number: 1, timeout: Some(Millis::from_secs(2)), max: Some(4) };
/// assert_eq!(limit(&attempt), Some(Duration::from_secs(2)));
/// ```
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
///
/// ```
/// use std::io::Error;
/// use refrain::Attempted;
/// let attempted = Attempted::<_, Error>::from(Ok(http::Response::new("hello")));
/// assert_eq!((attempted.sends, attempted.exhausted), (1, false));
/// ```
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
///
/// ```
/// use http::HeaderMap;
/// use refrain::Head;
///
/// /// What another client answers with.
/// struct Reply {
///     code: u16,
///     fields: HeaderMap,
/// }
///
/// impl Head for Reply {
///     fn status(&self) -> u16 {
///         self.code
///     }
///
///     fn headers(&self) -> &HeaderMap {
///         &self.fields
///     }
/// }
/// ```
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
///
/// ```
/// use std::io;
/// use refrain::{Failure, core::FailureKind};
///
/// /// A client that reports only what happened before it sent anything.
/// fn unsent(error: io::Error) -> Failure<io::Error> {
///     Failure::new(FailureKind::ConnectFailed, error)
/// }
/// assert_eq!(unsent(io::ErrorKind::Other.into()).to_string(), "the attempt failed: connect-failed");
/// ```
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
    ///
    /// ```
    /// use refrain::Failure;
    /// let failure = Failure::refused("the file to be sent is gone");
    /// assert!(failure.refused);
    /// assert_eq!(failure.to_string(), "the attempt was not made");
    /// ```
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
///
/// ```
/// use std::{future::{Ready, ready}, io};
/// use refrain::{Attempt, Failure, Transport, transport::{FromFn, from_fn}};
///
/// fn hello(_: Attempt) -> Ready<Result<http::Response<&'static str>, Failure<io::Error>>> {
///     ready(Ok(http::Response::new("hello")))
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut transport: FromFn<_> = from_fn(hello);
/// let attempted = transport.attempt(Attempt { number: 1, timeout: None, max: None }).await;
/// assert_eq!(attempted.result?.into_body(), "hello");
/// # Ok(())
/// # }
/// ```
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
