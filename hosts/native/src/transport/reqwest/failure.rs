//! What a reqwest error proves about processing. Where nothing is proven, anything may have happened.

use std::{error::Error, fmt, io, iter};

use policy_core::FailureKind;

use crate::transport::Failure;

/// The failure that `error` is.
pub(crate) fn of(error: ::reqwest::Error) -> Failure<::reqwest::Error> {
    let timed_out = error.is_timeout() && !error.is_connect();
    Failure { timed_out, ..Failure::new(kind(&error), error) }
}

fn kind(error: &::reqwest::Error) -> FailureKind {
    let is_not_http = |error: &hyper::Error| error.is_parse();
    #[cfg(feature = "http2")]
    if causes(error).filter_map(|cause| cause.downcast_ref()).any(is_refused_stream) {
        return FailureKind::Unprocessed;
    }
    match () {
        () if error.is_builder() || error.is_redirect() => FailureKind::Permanent,
        () if error.is_connect() => causes(error).find_map(unsent).unwrap_or(FailureKind::ConnectFailed),
        () if causes(error).filter_map(|cause| cause.downcast_ref()).any(is_not_http) => FailureKind::Permanent,
        () => FailureKind::Ambiguous,
    }
}

/// The server says that it did nothing (RFC 9113 §8.7). A GOAWAY says so too, of the streams above its last; but `h2`
/// reports it alike for those below, when their connection then breaks, so it proves nothing here.
#[cfg(feature = "http2")]
fn is_refused_stream(error: &h2::Error) -> bool {
    error.is_reset() && error.is_remote() && error.reason() == Some(h2::Reason::REFUSED_STREAM)
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
        _ => None,
    }
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
