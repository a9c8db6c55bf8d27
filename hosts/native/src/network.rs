//! Whether there is a network, and whether a sibling was told to wait: levels that many requests share.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use policy_core::{Mark, Network};
use tokio::sync::watch;

/// A source of what is known about connectivity, such as the platform's reachability service.
///
/// What a request does about it is the policy's: without a network it may wait, and back online it waits once more, by a
/// random share of its backoff, so that all who waited do not come back as one.
///
/// ```
/// use std::{future, pin::Pin, sync::Arc};
/// use refrain::{Connectivity, Options, core::Network};
///
/// /// A machine that never leaves its network.
/// struct Wired;
///
/// impl Connectivity for Wired {
///     fn current(&self) -> Network {
///         Network::Up
///     }
///
///     fn changed<'a>(&'a self, known: Network) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
///         if known == Network::Up { Box::pin(future::pending()) } else { Box::pin(future::ready(())) }
///     }
/// }
/// let options = Options { network: Some(Arc::new(Wired)), ..Options::default() };
/// # let _ = options;
/// ```
pub trait Connectivity: Send + Sync {
    /// What is known.
    fn current(&self) -> Network;

    /// Completes when [`Connectivity::current`] is another than `known`, at once if it already is. It may complete early.
    fn changed<'a>(&'a self, known: Network) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

/// Connectivity as it is told by hand; clones share it.
///
/// ```
/// use refrain::{Connectivity, ManualConnectivity, core::Network};
/// let network = ManualConnectivity::default();
/// assert_eq!(network.current(), Network::Unknown);
/// network.set(Network::Down);
/// assert_eq!(network.current(), Network::Down);
/// ```
#[derive(Clone, Debug)]
pub struct ManualConnectivity(watch::Sender<Network>);

impl Default for ManualConnectivity {
    fn default() -> Self {
        Self(watch::Sender::new(Network::Unknown))
    }
}

impl ManualConnectivity {
    /// Tells what is known, and wakes the requests that wait.
    pub fn set(&self, network: Network) {
        self.0.send_if_modified(|known| std::mem::replace(known, network) != network);
    }
}

impl Connectivity for ManualConnectivity {
    fn current(&self) -> Network {
        *self.0.borrow()
    }

    fn changed<'a>(&'a self, known: Network) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let mut level = self.0.subscribe();
        Box::pin(async move {
            // The sender is this one, so it is there.
            let _ = level.wait_for(|current| *current != known).await;
        })
    }
}

/// A mark before which nothing is sent to an origin, because one request was told so; clones share it.
///
/// The driver moves it when an answer that the policy would retry says how long to stay away: by what was said, not by the
/// local backoff.
///
/// ```
/// use refrain::{Hold, core::Mark};
/// let hold = Hold::default();
/// hold.extend_to(Mark::new(5_000));
/// hold.extend_to(Mark::new(3_000));
/// assert_eq!(hold.until(), Some(Mark::new(5_000)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Hold(Arc<HeldUntil>);

impl Hold {
    /// The mark; `None` while nobody was told to wait.
    #[must_use]
    pub fn until(&self) -> Option<Mark> {
        self.0.mark()
    }

    /// Nobody else has this hold.
    pub(crate) fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Moves the mark to `until`, on the clock that the driver waits on; never back. [`Mark::MAX`] and above mean never:
    /// requests are deferred.
    pub fn extend_to(&self, until: Mark) {
        self.0.extend_to(until);
    }
}

/// A mark before which nothing is sent; 0 while nobody was told to wait.
#[derive(Debug, Default)]
pub(crate) struct HeldUntil(AtomicU64);

impl HeldUntil {
    pub(crate) fn mark(&self) -> Option<Mark> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            until => Some(Mark::new(until)),
        }
    }

    pub(crate) fn extend_to(&self, until: Mark) {
        // A mark is never moved back, so one that the policy refuses as invalid would refuse every request for ever.
        self.0.fetch_max(until.min(Mark::MAX).get(), Ordering::Relaxed);
    }
}
