use std::time::Duration;

use policy_core::{FailureKind, Millis};
use refrain::{Attempt, Attempted, Failure, Transport};

/// A transport whose attempts are cut short after a time of their own, if the policy does not do so before.
pub(super) struct Limited<T> {
    inner: T,
    limit: Option<Duration>,
}

impl<T> Limited<T> {
    pub(super) fn new(inner: T, limit: Option<Millis>) -> Self {
        Self { inner, limit: limit.map(|limit| Duration::from_millis(limit.get())) }
    }
}

impl<T: Transport> Transport for Limited<T> {
    type Response = T::Response;
    type Error = T::Error;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<T::Response, T::Error> {
        let sending = self.inner.attempt(attempt);
        match self.limit {
            None => sending.await,
            Some(limit) => tokio::time::timeout(limit, sending).await.unwrap_or_else(|_| {
                Err(Failure { kind: FailureKind::Ambiguous, timed_out: true, refused: false, source: None }).into()
            }),
        }
    }
}
