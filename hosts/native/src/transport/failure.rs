//! What an error of hyper, h2, rustls or the operating system proves about processing. Where nothing is proven, anything may
//! have happened.

use std::{error::Error, fmt, io, iter};

use hyper_util::client::legacy;
use policy_core::FailureKind;

/// What is known about processing, from an error and all that caused it: of a client over hyper, with or without TLS by
/// rustls and HTTP/2.
///
/// | what happened | kind |
/// |---|---|
/// | the name was not found, as far as the client's resolver tells | `dns-failed` |
/// | connection refused, unreachable, connect timeout; the request was never taken by its connection | `connect-failed` |
/// | the TLS handshake broke | `tls-failed` |
/// | REFUSED_STREAM; a stream above the last of a GOAWAY (RFC 9113 §8.7) | `unprocessed` |
/// | no network | `offline` |
/// | the certificate was refused; the answer is not HTTP | `permanent` |
/// | all else: reset or closed after sending, timeouts | `ambiguous` |
///
/// ```
/// use refrain::{core::FailureKind, transport::kind_of};
/// let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
/// assert_eq!(kind_of(&refused), FailureKind::ConnectFailed);
/// let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
/// assert_eq!(kind_of(&reset), FailureKind::Ambiguous);
/// ```
#[must_use]
pub fn kind_of(error: &(dyn Error + 'static)) -> FailureKind {
    #[cfg(feature = "http2")]
    if any(error, is_unprocessed) {
        return FailureKind::Unprocessed;
    }
    match () {
        () if any(error, legacy::Error::is_connect) => of_connect(error),
        () if any(error, |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused) => of_connect(error),
        () if any(error, hyper::Error::is_canceled) => FailureKind::ConnectFailed,
        () if any(error, hyper::Error::is_parse) => FailureKind::Permanent,
        () => FailureKind::Ambiguous,
    }
}

/// Of an error that is known to have come before anything was sent.
pub(super) fn of_connect(error: &(dyn Error + 'static)) -> FailureKind {
    causes(error).find_map(unsent).unwrap_or(FailureKind::ConnectFailed)
}

/// The server says that it did nothing (RFC 9113 §8.7). Of a GOAWAY, `h2` says so of the streams above its last alone;
/// those that it covers end with the end of their connection.
#[cfg(feature = "http2")]
fn is_unprocessed(error: &h2::Error) -> bool {
    let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    error.is_remote() && (is_refused || error.is_go_away())
}

/// Why a connection was not made, as far as this one cause tells.
fn unsent(cause: &(dyn Error + 'static)) -> Option<FailureKind> {
    if cause.is::<NameNotFound>() {
        return Some(FailureKind::DnsFailed);
    }
    #[cfg(feature = "rustls-tls")]
    if let Some(error) = cause.downcast_ref::<rustls::Error>() {
        let refused = matches!(error, rustls::Error::InvalidCertificate(_));
        return Some(if refused { FailureKind::Permanent } else { FailureKind::TlsFailed });
    }
    match cause.downcast_ref::<io::Error>()?.kind() {
        io::ErrorKind::NetworkDown | io::ErrorKind::NetworkUnreachable => Some(FailureKind::Offline),
        // A connection that was made and ends before anything was sent ends in the handshake.
        #[cfg(feature = "rustls-tls")]
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => Some(FailureKind::TlsFailed),
        _ => None,
    }
}

fn any<T: Error + 'static>(error: &(dyn Error + 'static), is: impl Fn(&T) -> bool) -> bool {
    causes(error).filter_map(|cause| cause.downcast_ref()).any(is)
}

/// The error and all that caused it. An [`io::Error`] skips the error that it wraps, so that is looked up.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    })
}

/// The name of a server could not be resolved.
#[derive(Debug)]
pub(super) struct NameNotFound(pub(super) io::Error);

impl fmt::Display for NameNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name could not be resolved")
    }
}

impl Error for NameNotFound {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::Empty;
    use hyper::body::Bytes;
    use hyper_util::rt::TokioIo;

    use super::*;

    /// As on a kept-alive connection that the server closes in the moment in which it is used again.
    #[tokio::test]
    async fn a_request_that_its_connection_never_took_was_not_sent() {
        let (client, server) = tokio::io::duplex(64);
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake::<_, Empty<Bytes>>(TokioIo::new(client)).await.expect("a connection");
        let sending = sender.send_request(http::Request::new(Empty::new()));
        drop((server, connection));
        let error = sending.await.expect_err("a closed connection");
        assert!(error.is_canceled(), "{error:?}");
        assert_eq!(kind_of(&error), FailureKind::ConnectFailed);
    }
}
