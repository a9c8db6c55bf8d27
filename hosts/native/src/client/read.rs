//! Reading a body to its end, within limits.

use std::{future::poll_fn, mem, pin::pin};

use bytes::{Bytes, BytesMut};
use policy_core::{End, FailureKind, Mark, Session};

use super::{SendError, Settings};
use crate::{
    changes::Changes,
    options::Options,
    race::{Either, race},
    time::{Rounding, Time, sleep},
    transport::Failure,
};

/// The answer with all of its body, which takes from `response` what it has. Put together by hand: reqwest's own conversion
/// moves the body into a box.
pub(super) fn whole(response: &mut ::reqwest::Response, body: Bytes) -> http::Response<Bytes> {
    let mut whole = http::Response::new(body);
    *whole.status_mut() = response.status();
    *whole.version_mut() = response.version();
    mem::swap(whole.headers_mut(), response.headers_mut());
    mem::swap(whole.extensions_mut(), response.extensions_mut());
    whole
}

/// A body to its end. One of one piece is not copied.
pub(super) async fn body(response: &mut ::reqwest::Response, max: Option<usize>) -> Result<Bytes, Failure<SendError>> {
    let max = max.unwrap_or(usize::MAX);
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(data) = response.chunk().await.map_err(broken)? {
        if first.len().max(joined.len()).saturating_add(data.len()) > max {
            return Err(Failure::new(FailureKind::Permanent, SendError::BodyTooLong));
        }
        match (first.is_empty(), joined.is_empty()) {
            (true, true) => first = data,
            (false, true) => {
                joined.extend_from_slice(&first);
                joined.extend_from_slice(&data);
            }
            (_, false) => joined.extend_from_slice(&data),
        }
    }
    Ok(if joined.is_empty() { first } else { joined.freeze() })
}

/// The server has answered, so whatever broke the body off, it proves nothing.
fn broken(error: ::reqwest::Error) -> Failure<SendError> {
    let timed_out = error.is_timeout();
    Failure { timed_out, ..Failure::new(FailureKind::Ambiguous, SendError::Http(error.without_url())) }
}

/// The body of an answer to a request that the policy has ended, unless the caller cancels or another session is signed in
/// first; `None` if it cannot be read.
pub(super) async fn rest<T: Time>(
    response: &mut ::reqwest::Response,
    settings: &Settings,
    time: &T,
    (options, session): (&Options, Session),
) -> Result<Option<Bytes>, End> {
    let limit = settings.body_timeout.map_or(Mark::MAX, |timeout| time.mark(Rounding::Up).after(timeout));
    let mut part = pin!(race(body(response, settings.max_body), sleep(time, limit)));
    let mut changes = Changes::of(options);
    loop {
        changes.settle();
        if session != options.session() {
            return Err(End::SessionChanged);
        }
        if options.is_cancelled() {
            return Err(End::Cancelled);
        }
        match race(poll_fn(|cx| changes.poll(cx)), part.as_mut()).await {
            Either::Left(()) => {}
            Either::Right(over) if session == options.session() => {
                return Ok(match over {
                    Either::Left(read) => read.ok(),
                    Either::Right(()) => None,
                });
            }
            Either::Right(_) => return Err(End::SessionChanged),
        }
    }
}
