//! What may change outside while a request runs, and who may watch.

use std::{fmt, sync::Arc};

use policy_core::{Mark, Session};
use tokio_util::sync::CancellationToken;

use crate::{
    budget::RetryBudget,
    nesting::Nesting,
    network::{Connectivity, Hold},
    observer::Observer,
    session::SessionHandle,
};

/// What may change outside while a request runs, and who may watch. All of it is optional; all are handles that are
/// cheap to clone and may be shared by many requests.
///
/// ```
/// use refrain::{CancellationToken, Options};
/// let cancel = CancellationToken::new();
/// let options = Options { cancel: Some(cancel.clone()), ..Options::default() };
/// cancel.cancel();
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
pub struct Options {
    /// Ends the request at once, in every state, until the head of the response is delivered.
    pub cancel: Option<CancellationToken>,
    /// Who is signed in. Without it no session ever changes.
    pub session: Option<SessionHandle>,
    /// What is known about connectivity. Without it nothing is, which counts as up.
    pub network: Option<Arc<dyn Connectivity>>,
    /// The tokens that this request shares with others, such as those of the same server; else the driver's own.
    pub budget: Option<RetryBudget>,
    /// A mark before which nothing is sent to this request's origin.
    pub hold: Option<Hold>,
    /// The layers above that retry too.
    pub nesting: Option<Nesting>,
    /// Who watches.
    pub observer: Option<Arc<dyn Observer>>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").finish_non_exhaustive()
    }
}

impl Options {
    /// Whether something is to be listened to, or someone listens.
    pub(crate) fn are_any(&self) -> bool {
        self.cancel.is_some() || self.session.is_some() || self.network.is_some() || self.observer.is_some()
    }

    /// Without a handle every request is of one session, whose number does not matter.
    pub(crate) fn session(&self) -> Session {
        self.session.as_ref().map_or(Session::new(0), SessionHandle::current)
    }

    /// The mark before which nothing is sent: what siblings of this request were told, and what other layers of it were.
    pub(crate) fn held_until(&self) -> Option<Mark> {
        let siblings = self.hold.as_ref().and_then(Hold::until);
        siblings.max(self.nesting.as_ref().and_then(Nesting::held_until))
    }

    /// Nothing is sent before this mark, neither by other layers nor by siblings. Those are not held where there is no end,
    /// which would be as long as the process runs.
    pub(crate) fn hold_until(&self, mark: Mark) {
        if let Some(nesting) = &self.nesting {
            nesting.hold_until(mark);
        }
        if let Some(hold) = self.hold.as_ref().filter(|_| mark != Mark::MAX) {
            hold.extend_to(mark);
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(CancellationToken::is_cancelled)
    }
}
