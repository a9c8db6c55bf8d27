//! Reading a body to its end, within limits.

use std::{future::poll_fn, mem, pin::pin};

use bytes::{Bytes, BytesMut};
use policy_core::{Bound, End, FailureKind, Mark, Session};

use super::{SendError, Settings, call::Data};
use crate::{
    changes::Changes,
    options::Options,
    outcome::{Ended, Last, Reason},
    race::{Either, race},
    time::{Rounding, Time, sleep},
    transport::Failure,
};

/// An answer with all of its body.
pub(super) type Whole = http::Response<Bytes>;

/// How a request ended, with the body of the answer that is handed over although it is no success: `data`, if it was read.
pub(super) async fn with_body<T: Time>(
    mut ended: Ended<::reqwest::Response, SendError>,
    data: Data,
    settings: &Settings,
    time: &T,
    asker: (&Options, Session),
) -> Ended<Whole, SendError> {
    let last = match mem::replace(&mut ended.last, Last::Nothing) {
        Last::Response(mut head) => {
            let status = head.status().as_u16();
            let read = match data {
                Some(body) => Ok(Some(body)),
                None => rest(&mut head, settings, time, asker).await,
            };
            match read {
                Ok(Some(body)) => Last::Response(whole(&mut head, body)),
                Ok(None) => Last::Status(status),
                Err(end) => {
                    (ended.reason, ended.bound) = (Reason::Policy(end), Bound::None);
                    if end == End::SessionChanged { Last::Nothing } else { Last::Status(status) }
                }
            }
        }
        Last::Failure(failure) => Last::Failure(failure),
        Last::Status(status) => Last::Status(status),
        Last::Nothing => Last::Nothing,
    };
    ended.with_last(last)
}

/// The answer with all of its body, which takes from `response` what it has. Put together by hand: reqwest's own conversion
/// moves the body into a box.
pub(super) fn whole(response: &mut ::reqwest::Response, body: Bytes) -> Whole {
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
async fn rest<T: Time>(
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
