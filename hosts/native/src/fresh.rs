//! Headers that are made anew for each attempt.

use std::{error::Error, fmt, future::Future, pin::Pin};

use http::{HeaderMap, Method};

use crate::transport::Attempt;

/// Any error.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The headers that one attempt needs anew, or why they cannot be had.
///
/// ```
/// use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
/// use refrain::{BoxError, FreshHeaders, FreshHeadersFuture, Outgoing};
///
/// struct Bearer;
///
/// impl FreshHeaders for Bearer {
///     fn fresh<'a>(&'a self, outgoing: Outgoing<'a>) -> FreshHeadersFuture<'a> {
///         Box::pin(async move {
///             let token = token_for(outgoing.url).await?;
///             Ok(HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::try_from(format!("Bearer {token}"))?)]))
///         })
///     }
/// }
/// # async fn token_for(_: &str) -> Result<String, BoxError> { Err("nobody is signed in".into()) }
/// ```
pub type FreshHeadersFuture<'a> = Pin<Box<dyn Future<Output = Result<HeaderMap, BoxError>> + Send + 'a>>;

/// Makes the headers that must be fresh on every attempt: a bearer that expires, a signature over the date.
///
/// It sees the attempt as it will go out, and gives the fields to be set; a field that is there already is replaced. The
/// idempotency key is not its to set: if it gives that field, the request ends. An error ends the request too, with
/// [`Reason::Refused`](crate::Reason::Refused), and the attempt is not made.
///
/// A function that does not wait is one:
///
/// ```
/// use http::{HeaderMap, HeaderValue};
/// use refrain::{BoxError, FreshHeaders, Outgoing};
///
/// fn signed(outgoing: &Outgoing<'_>) -> Result<HeaderMap, BoxError> {
///     let signature = format!("{} {} {}", outgoing.method, outgoing.url, outgoing.attempt.number);
///     Ok(HeaderMap::from_iter([(http::header::AUTHORIZATION, HeaderValue::try_from(signature)?)]))
/// }
/// fn takes(_: impl FreshHeaders) {}
/// takes(signed);
/// ```
pub trait FreshHeaders: Send + Sync {
    /// The headers of this attempt.
    ///
    /// # Errors
    /// The future gives one when there are no headers to be had. The attempt is then not made, and the request ends.
    fn fresh<'a>(&'a self, outgoing: Outgoing<'a>) -> FreshHeadersFuture<'a>;
}

impl<F: Fn(&Outgoing<'_>) -> Result<HeaderMap, BoxError> + Send + Sync> FreshHeaders for F {
    fn fresh<'a>(&'a self, outgoing: Outgoing<'a>) -> FreshHeadersFuture<'a> {
        let made = self(&outgoing);
        Box::pin(std::future::ready(made))
    }
}

/// An attempt as it will go out.
///
/// ```
/// use http::{HeaderMap, HeaderValue};
/// use refrain::{BoxError, Outgoing};
///
/// fn marked(outgoing: &Outgoing<'_>) -> Result<HeaderMap, BoxError> {
///     let mut made = HeaderMap::new();
///     if outgoing.attempt.number > 1 {
///         made.insert("x-resend", HeaderValue::from_static("1"));
///     }
///     Ok(made)
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Outgoing<'a> {
    /// Which one, and how much time it has.
    pub attempt: Attempt,
    /// The method.
    pub method: &'a Method,
    /// The URL, as the client underneath has it.
    pub url: &'a str,
    /// The headers so far, the idempotency key among them.
    pub headers: &'a HeaderMap,
}

/// Why an attempt was not made.
///
/// ```
/// use refrain::{ClientError, Last, Refusal, SendError};
///
/// fn needs_sign_in(error: &ClientError) -> bool {
///     let Some(Last::Failure(failure)) = error.ended().map(|ended| &ended.last) else { return false };
///     matches!(failure.source, Some(SendError::Refused(Refusal::NoHeaders(_))))
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// A body that can be sent only once was sent.
    BodySpent,
    /// The fresh headers have the field of the idempotency key, which stays the same on every attempt.
    KeyChanged,
    /// The fresh headers could not be had.
    NoHeaders(BoxError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BodySpent => "a body that can be sent only once was sent",
            Self::KeyChanged => {
                "expected the same idempotency key on every attempt: fresh headers must leave its field alone"
            }
            Self::NoHeaders(_) => "the headers of this attempt could not be made",
        })
    }
}

impl Error for Refusal {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoHeaders(error) => Some(error.as_ref()),
            Self::BodySpent | Self::KeyChanged => None,
        }
    }
}
