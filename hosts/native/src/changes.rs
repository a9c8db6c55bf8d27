//! Wakes a request when something outside has changed. What has changed is of no interest: the policy compares it all.

use std::{
    future::pending,
    task::{Context, Poll},
};

use policy_core::Session;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, ReusableBoxFuture};

use crate::{options::Options, race::race};

/// The sources that one request listens to. Each change wakes once, so that an engine that does not care is not called
/// in a tight loop.
pub(crate) struct Changes<'a> {
    options: &'a Options,
    /// Completes at the next change. In a box, made once a request: most have nothing to listen to, and what listens is
    /// several times as large as all else that a request keeps while it waits.
    next: Option<ReusableBoxFuture<'a, ()>>,
}

impl<'a> Changes<'a> {
    /// Hears nothing before it is settled.
    pub(crate) const fn of(options: &'a Options) -> Self {
        Self { options, next: None }
    }

    /// Forgets the changes so far; to be called right before the levels are looked at, so that none is told that was seen.
    pub(crate) fn settle(&mut self) {
        let Options { cancel, session, network, .. } = self.options;
        if cancel.is_none() && session.is_none() && network.is_none() {
            return;
        }
        // What was cancelled stays so: it wakes once.
        let cancel = cancel.as_ref().filter(|cancel| !cancel.is_cancelled());
        let mut session = session.as_ref().map(|session| session.subscribe());
        let network = network.as_ref().map(|network| (network, network.current()));
        let next = async move {
            let network = async {
                match network {
                    Some((network, known)) => network.changed(known).await,
                    None => pending().await,
                }
            };
            race(cancelled(cancel), race(changed(&mut session), network)).await;
        };
        match &mut self.next {
            Some(reused) => reused.set(next),
            none => *none = Some(ReusableBoxFuture::new(next)),
        }
    }

    /// Ready at the next change, once; then it has to be settled.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.next.as_mut().map_or(Poll::Pending, |next| next.poll(cx))
    }
}

async fn cancelled(cancel: Option<&CancellationToken>) {
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
