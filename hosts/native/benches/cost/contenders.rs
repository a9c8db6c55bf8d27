//! What contenders have in common.

use std::{error::Error, future::ready, time::SystemTime as WallClock};

use http::Response;
use refrain::{
    DirectEngine,
    core::{Backoff, Millis, Policy, Rules},
};
use reqwest_retry::{RetryDecision, RetryPolicy};
use tokio::runtime::{self, Runtime};
use tower::retry;

use crate::server::Answers;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub(crate) const KINDS: [(Answers, &str); 2] =
    [(Answers::Success, "success"), (Answers::BusyThenSuccess, "retried once")];

pub(crate) fn runtime() -> Result<Runtime> {
    Ok(runtime::Builder::new_current_thread().enable_all().build()?)
}

/// Retries at once, so that no wait is measured.
pub(crate) fn engine() -> Result<DirectEngine> {
    let rules = Rules { transient: Backoff::doubling(Millis::ZERO), ..Rules::DEFAULT };
    Ok(DirectEngine::new("cost", "1.0.0", Policy::new(rules)?)?)
}

/// What a caller without a retry layer writes: at most one send more.
pub(crate) async fn until_success(send: impl AsyncFn() -> u16) -> u16 {
    match send().await {
        503 => send().await,
        status => status,
    }
}

/// The policy of the others: what is busy is asked again at once.
#[derive(Clone)]
pub(crate) struct AtOnce;

impl<Q: Clone, R, E> retry::Policy<Q, Response<R>, E> for AtOnce {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut Q, result: &mut std::result::Result<Response<R>, E>) -> Option<std::future::Ready<()>> {
        matches!(result, Ok(answer) if answer.status().is_server_error()).then(|| ready(()))
    }

    fn clone_request(&mut self, request: &Q) -> Option<Q> {
        Some(request.clone())
    }
}

impl RetryPolicy for AtOnce {
    fn should_retry(&self, now: WallClock, past: u32) -> RetryDecision {
        match past {
            0..3 => RetryDecision::Retry { execute_after: now },
            _ => RetryDecision::DoNotRetry,
        }
    }
}
