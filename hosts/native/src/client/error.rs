//! What a client returns when there is no data.

use std::{error::Error, fmt};

use bytes::Bytes;
use policy_core::{Millis, Resume};

use crate::{
    fresh::{BoxError, Refusal},
    outcome::{Ended, Reason},
    transport::Head,
};

/// Why there is no success. `R` is the answer, if the server gave one.
///
/// ```
/// # use refrain::ClientError;
/// fn explain(error: &ClientError) -> String {
///     match (error.status(), error.maybe_applied()) {
///         (Some(404), false) => "there is no such thing".to_owned(),
///         (Some(404), true) => "gone, perhaps by an attempt of ours".to_owned(),
///         (_, _) => format!("{} sends; asked to stay away for {:?}", error.attempts(), error.delay()),
///     }
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError<R = http::Response<Bytes>> {
    /// The request is none, so nothing was sent.
    Invalid(Invalid),
    /// The request was run and ended without a success.
    Ended(Box<Ended<R, SendError>>),
}

impl<R: Head> ClientError<R> {
    /// How the request ended; `None` if it was invalid.
    #[must_use]
    pub fn ended(&self) -> Option<&Ended<R, SendError>> {
        match self {
            Self::Ended(ended) => Some(ended),
            Self::Invalid(_) => None,
        }
    }

    /// Why it ended; `None` if it was invalid.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        self.ended().map(|ended| &ended.reason)
    }

    /// The status of the last answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.ended().and_then(|ended| ended.last.status())
    }

    /// How long the last answer asked to stay away, uncapped; see [`Ended::asked`].
    #[must_use]
    pub fn delay(&self) -> Option<Millis> {
        self.ended().and_then(|ended| ended.asked)
    }

    /// All sends of the request.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.ended().map_or(0, |ended| ended.attempts)
    }

    /// Whether an attempt may have been applied although it brought no success.
    #[must_use]
    pub fn maybe_applied(&self) -> bool {
        self.ended().is_some_and(|ended| ended.maybe_applied)
    }

    /// What is needed to go on later, if that is worth it.
    ///
    /// ```
    /// use refrain::{ClientError, Saved};
    ///
    /// fn to_be_kept(error: &ClientError, url: &str) -> Option<Saved<String>> {
    ///     error.resume().map(|resume| Saved { resume, key: None, payload: url.to_owned() })
    /// }
    /// ```
    #[must_use]
    pub fn resume(&self) -> Option<Resume> {
        self.ended().and_then(|ended| ended.resume)
    }
}

impl<R> fmt::Display for ClientError<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::Ended(ended) => ended.fmt(f),
        }
    }
}

impl<R: fmt::Debug> Error for ClientError<R> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Invalid(invalid) => invalid.source(),
            Self::Ended(ended) => ended.source(),
        }
    }
}

/// Why a request is none. What the caller wrote is not repeated: URLs and headers carry credentials.
///
/// ```
/// use refrain::{Client, ClientError, Invalid};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let client = Client::new(engine)?;
/// let error = client.get("/orders").send().await.expect_err("a path is no URL");
/// assert!(matches!(error, ClientError::Invalid(Invalid::Url(_))));
/// let error = client.get("http://localhost/").header("x-id", "1\n2").send().await.expect_err("two lines");
/// assert!(matches!(error, ClientError::Invalid(Invalid::Header(_))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Invalid {
    /// The URL cannot be read.
    Url(BoxError),
    /// A header has a name or a value that HTTP does not allow.
    Header(http::Error),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Url(_) => "expected an absolute URL, such as `https://example.com/`",
            Self::Header(_) => "expected a header name and value that HTTP allows",
        })
    }
}

impl Error for Invalid {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Url(error) => Some(error.as_ref()),
            Self::Header(error) => Some(error),
        }
    }
}

/// Why an attempt brought no data.
///
/// ```
/// use http::HeaderMap;
/// use refrain::{BoxError, Client, Last, Outgoing, Reason, Refusal, SendError};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// fn signed_out(_: &Outgoing<'_>) -> Result<HeaderMap, BoxError> {
///     Err("nobody is signed in".into())
/// }
/// let client = Client::builder(engine).fresh_headers(signed_out).build()?;
/// let error = client.get("http://localhost/").send().await.expect_err("no token, no attempt");
/// assert_eq!((error.reason(), error.attempts()), (Some(&Reason::Refused), 0));
///
/// let Some(Last::Failure(failure)) = error.ended().map(|ended| &ended.last) else { panic!("{error}") };
/// assert!(matches!(failure.source, Some(SendError::Refused(Refusal::NoHeaders(_)))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum SendError {
    /// What reqwest reports, without the URL.
    Http(::reqwest::Error),
    /// The attempt was not made.
    Refused(Refusal),
    /// The body is longer than [`ClientBuilder::max_body`](crate::ClientBuilder::max_body) allows.
    BodyTooLong,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::BodyTooLong => f.write_str("the body is longer than the client's `max_body`"),
        }
    }
}

impl Error for SendError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Http(error) => error.source(),
            Self::Refused(refusal) => refusal.source(),
            Self::BodyTooLong => None,
        }
    }
}
