//! Wakes a request when something outside has changed. What has changed is of no interest: the policy compares it all.

use std::{
    future::{Future, pending, poll_fn},
    pin::pin,
    sync::Arc,
    task::Poll,
};

use policy_core::{Network, Session};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{network::Connectivity, options::Options};

/// The sources that one request listens to. Each change wakes once, so that an engine that does not care is not called
/// in a tight loop.
pub(crate) struct Changes {
    /// Taken when it has fired.
    cancel: Option<CancellationToken>,
    session: Option<watch::Receiver<Session>>,
    network: Option<(Arc<dyn Connectivity>, Network)>,
}

impl Changes {
    /// Listens from here on.
    pub(crate) fn of(options: &Options) -> Self {
        Self {
            cancel: options.cancel.clone(),
            session: options.session.as_ref().map(|session| session.subscribe()),
            network: options.network.clone().map(|network| (network.clone(), network.current())),
        }
    }

    /// Forgets the changes so far; to be called right before the levels are looked at, so that none is told that was seen.
    pub(crate) fn settle(&mut self) {
        if let Some(session) = &mut self.session {
            session.mark_unchanged();
        }
        if let Some((network, known)) = &mut self.network {
            *known = network.current();
        }
    }

    /// Completes at the next change. Dropping it before loses none.
    pub(crate) async fn next(&mut self) {
        let others = race(changed(&mut self.session), reconnected(&self.network));
        let first = race(cancelled(&self.cancel), others).await;
        if let Either::Left(()) = first {
            self.cancel = None;
        }
    }
}

async fn cancelled(cancel: &Option<CancellationToken>) {
    match cancel {
        Some(cancel) => cancel.cancelled().await,
        None => pending().await,
    }
}

pub(crate) async fn changed(level: &mut Option<watch::Receiver<Session>>) {
    let told = match level {
        Some(level) => level.changed().await.is_ok(),
        None => false,
    };
    if !told {
        pending().await
    }
}

async fn reconnected(network: &Option<(Arc<dyn Connectivity>, Network)>) {
    match network {
        Some((network, known)) => network.changed(*known).await,
        None => pending().await,
    }
}

/// Which of two futures was first.
pub(crate) enum Either<A, B> {
    Left(A),
    Right(B),
}

/// Runs two futures until one completes; the left one if both do.
pub(crate) async fn race<A, B>(left: impl Future<Output = A>, right: impl Future<Output = B>) -> Either<A, B> {
    let (mut left, mut right) = (pin!(left), pin!(right));
    poll_fn(|cx| match left.as_mut().poll(cx) {
        Poll::Ready(left) => Poll::Ready(Either::Left(left)),
        Poll::Pending => right.as_mut().poll(cx).map(Either::Right),
    })
    .await
}
