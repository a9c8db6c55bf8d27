//! Who is signed in, and whether a response still belongs to them.

use policy_core::Session;
use tokio::sync::watch;

use crate::entropy::EntropyError;

/// Who is signed in; clones share one generation.
///
/// Raise it at every sign-in, sign-out and account switch, also when the same user signs in again, and never for a token
/// refresh. Requests of an older generation then end with
/// [`End::SessionChanged`](policy_core::End::SessionChanged), and nothing of theirs is delivered.
///
/// ```
/// use refrain::SessionHandle;
/// let session = SessionHandle::new()?;
/// let before = session.current();
/// session.raise();
/// assert_ne!(session.current(), before);
/// # Ok::<(), refrain::EntropyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SessionHandle(watch::Sender<Session>);

impl SessionHandle {
    /// A handle whose first generation is a random 64-bit number.
    ///
    /// Generations count up from there, so none comes twice in a process; two processes of n and m sign-ins share one
    /// with a probability of (n + m) / 2^64.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn new() -> Result<Self, EntropyError> {
        getrandom::u64().map(|first| Self::starting_at(Session::new(first))).map_err(EntropyError::new)
    }

    /// A handle for a host that keeps count of its generations itself.
    ///
    /// ```
    /// use refrain::{SessionHandle, core::Session};
    /// let stored = 41;
    /// let session = SessionHandle::starting_at(Session::new(stored));
    /// assert_eq!(session.raise(), Session::new(42));
    /// ```
    #[must_use]
    pub fn starting_at(first: Session) -> Self {
        Self(watch::Sender::new(first))
    }

    /// The generation of whoever is signed in.
    #[must_use]
    pub fn current(&self) -> Session {
        *self.0.borrow()
    }

    /// Begins a new generation, wakes the requests of the old one, and returns the new.
    pub fn raise(&self) -> Session {
        let mut raised = self.current();
        self.0.send_modify(|session| {
            *session = Session::new(session.get().wrapping_add(1));
            raised = *session;
        });
        raised
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Session> {
        self.0.subscribe()
    }
}

/// The session that a response was asked for in.
///
/// ```
/// use refrain::core::{Method, Request, Sample};
/// use refrain::testing::{ScriptedEntropy, ScriptedTransport, TestTime};
/// use refrain::{Driver, Options, SessionHandle};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// # let time = TestTime::default();
/// # let server = ScriptedTransport::new(&time);
/// # server.respond(200, &[]);
/// # let driver = Driver::new(engine, time, ScriptedEntropy::new(Sample::ONE));
/// let session = SessionHandle::new()?;
/// let options = Options { session: Some(session.clone()), ..Options::default() };
/// let delivered = driver.run(&Request::new(Method::Get), server, &options).await?;
/// assert!(delivered.session.is_current());
/// session.raise();
/// assert!(!delivered.session.is_current());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SessionTag {
    session: Session,
    handle: Option<SessionHandle>,
}

impl SessionTag {
    pub(crate) fn new(session: Session, handle: Option<SessionHandle>) -> Self {
        Self { session, handle }
    }

    /// Whether that session is still signed in. Ask after the body was read, before a screen or a cache is changed:
    /// the answer can be outdated a moment later.
    ///
    /// Always true for a request that was run without a [`SessionHandle`].
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.handle.as_ref().is_none_or(|handle| handle.current() == self.session)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::{Arc, Mutex},
        task::{Context, Wake, Waker},
    };

    use super::*;

    /// Raises again as soon as it hears of a raise, and keeps the number.
    struct Overtaking(SessionHandle, Mutex<Vec<Session>>);

    impl Wake for Overtaking {
        fn wake(self: Arc<Self>) {
            let raised = self.0.raise();
            self.1.lock().expect("no panic").push(raised);
        }
    }

    #[test]
    fn a_raise_that_another_overtakes_returns_its_own_generation() {
        let session = SessionHandle::starting_at(Session::new(5));
        let overtaking = Arc::new(Overtaking(session.clone(), Mutex::default()));
        let waker = Waker::from(overtaking.clone());
        let mut told = session.subscribe();
        let changed = pin!(told.changed());
        assert!(changed.poll(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(session.raise(), Session::new(6));
        assert_eq!(*overtaking.1.lock().expect("no panic"), [Session::new(7)]);
    }
}
