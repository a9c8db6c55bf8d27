//! Layers that retry on top of one another: their sends are one count, and what one gave up on no other begins again.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use http::{HeaderMap, HeaderName, HeaderValue};
use policy_core::{FailureKind, Mark, Request};

use crate::{
    network::HeldUntil,
    transport::{Attempt, Attempted},
};

/// Tells a layer that another one above it retries too.
///
/// *Within a process* it travels in the request's extensions: the [`tower`](crate::tower) layer and the
/// [`middleware`](crate::middleware) put it there and look for it. The layers then share one count of sends and the lowest
/// of their limits, and what the lower gave up on the upper does not begin again: three layers with four attempts each
/// send four times. What the server asked of one holds for all, on the clock that they wait on: an upper layer whose attempt
/// timed out, while the lower waited as it was told, does not send before.
///
/// *Across processes* it travels in the request field [`Nesting::FIELD`], where the caller's settings say so. A server that
/// calls others in turn reads it with [`Nesting::from_headers`] and puts it into the
/// [`Options`](crate::Options) of those calls: each is then sent once, and ends with
/// [`End::Nested`](policy_core::End::Nested) where it would be retried, since the layer above will do that.
///
/// ```
/// use http::{HeaderMap, HeaderValue};
/// use refrain::{Nesting, Options};
/// let mut headers = HeaderMap::new();
/// headers.insert(Nesting::FIELD, HeaderValue::from_static("2;max=4"));
/// let options = Options { nesting: Nesting::from_headers(&headers), ..Options::default() };
/// assert!(options.nesting.is_some());
/// ```
#[derive(Clone)]
pub struct Nesting {
    /// `None` for what a caller in another process said, which is true of many requests.
    shared: Option<Arc<Shared>>,
    /// The lowest limit of the layers above.
    max: Option<u32>,
    above: Option<Announced>,
}

/// What layers in one process share.
#[derive(Debug, Default)]
struct Shared {
    /// All sends of the logical request.
    sends: AtomicU32,
    /// A layer below gave up.
    gave_up: AtomicBool,
    /// How long the server asked to stay away.
    held: HeldUntil,
}

impl Shared {
    fn sends(&self) -> u32 {
        self.sends.load(Ordering::Relaxed)
    }
}

/// What a caller in another process says of its own attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Announced {
    attempt: u32,
    max: u32,
}

impl Nesting {
    /// The request field that carries the attempt and the most sends of the layer above, such as `2;max=4`.
    pub const FIELD: HeaderName = HeaderName::from_static("refrain-attempt");

    /// What the caller of a server says of its own retries; `None` if it says nothing, will not retry, or cannot be
    /// understood.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let above = Announced::read(headers.get(Self::FIELD)?).filter(|above| above.max > 1)?;
        Some(Self { shared: None, max: None, above: Some(above) })
    }

    /// Of a layer that has none above it. The same goes into the [`Options`](crate::Options) of its request and, by
    /// [`Nesting::below`], to the layers below.
    #[must_use]
    pub fn outermost() -> Self {
        Self { shared: Some(Arc::default()), max: None, above: None }
    }

    /// Of one logical request, whose layers are to share a count.
    #[cfg(any(feature = "middleware", feature = "tower"))]
    pub(crate) fn of_request(above: Option<&Self>) -> Self {
        let Some(above) = above else { return Self::outermost() };
        Self { shared: Some(above.shared.clone().unwrap_or_default()), ..above.clone() }
    }

    /// For the layers below this attempt: a [`Transport`](crate::Transport) passes it on, for example in the request's
    /// extensions.
    ///
    /// ```
    /// use refrain::{Attempt, Nesting};
    ///
    /// /// What the layers below find in the request.
    /// fn message(above: &Nesting, attempt: Attempt) -> http::Request<()> {
    ///     let mut message = http::Request::new(());
    ///     message.extensions_mut().insert(above.below(attempt));
    ///     message
    /// }
    /// let message = message(&Nesting::outermost(), Attempt { number: 1, timeout: None, max: Some(4) });
    /// assert!(message.extensions().get::<Nesting>().is_some());
    /// ```
    #[must_use]
    pub fn below(&self, attempt: Attempt) -> Self {
        let max = self.max.into_iter().chain(attempt.max).min();
        Self { shared: self.shared.clone(), max, above: self.above }
    }

    /// What this request knows of the layers above it: how many sends there were, and how many there may be.
    pub(crate) fn join(&self, request: &Request) -> Request {
        let before = request.attempts_used;
        let sends = |shared: &Arc<Shared>| shared.sends.fetch_max(before, Ordering::Relaxed).max(before);
        let mut joined = Request { attempts_used: self.shared.as_ref().map_or(before, sends), ..*request };
        joined.limits.max_attempts = request.limits.max_attempts.into_iter().chain(self.max).min();
        joined
    }

    /// The value of [`Nesting::FIELD`] that tells a server of this attempt; that of a caller in another process, if there is
    /// one, since it is the one that retries.
    ///
    /// ```
    /// use refrain::{Attempt, Nesting};
    /// let second = Attempt { number: 2, timeout: None, max: Some(4) };
    /// let told = Nesting::outermost().announced(second).expect("a limit is known");
    /// assert_eq!(told, "2;max=4");
    /// ```
    #[must_use]
    pub fn announced(&self, attempt: Attempt) -> Option<HeaderValue> {
        let max = self.max.into_iter().chain(attempt.max).min();
        let told = self.above.or(max.map(|max| Announced { attempt: attempt.number, max }))?;
        HeaderValue::try_from(format!("{};max={}", told.attempt, told.max)).ok()
    }

    /// A caller in another process retries what fails here.
    pub(crate) fn is_retried_above(&self) -> bool {
        self.above.is_some()
    }

    pub(crate) fn give_up(&self) {
        if let Some(shared) = &self.shared {
            shared.gave_up.store(true, Ordering::Relaxed);
        }
    }

    /// The mark before which a layer was asked not to send.
    pub(crate) fn held_until(&self) -> Option<Mark> {
        self.shared.as_ref().and_then(|shared| shared.held.mark())
    }

    pub(crate) fn hold_until(&self, mark: Mark) {
        if let Some(shared) = &self.shared {
            shared.held.extend_to(mark);
        }
    }

    /// Begins an attempt, and returns the sends so far.
    pub(crate) fn begin(&self) -> u32 {
        let Some(shared) = &self.shared else { return 0 };
        shared.gave_up.store(false, Ordering::Relaxed);
        shared.sends()
    }

    /// Ends an attempt: nothing was sent without a network, or by a transport that refused.
    pub(crate) fn end<R, E>(&self, before: u32, attempted: &Attempted<R, E>) {
        let unsent = |kind, refused| refused || kind == FailureKind::Offline;
        let sends = match &attempted.result {
            Err(failure) if unsent(failure.kind, failure.refused) => 0,
            _ => attempted.sends,
        };
        self.count(before, sends);
    }

    /// Counts the sends of an attempt, unless a layer below has done so: its attempt is over first.
    pub(crate) fn count(&self, before: u32, sends: u32) {
        let uncounted = self.shared.as_ref().filter(|_| self.sends_since(before) == 0);
        if let Some(shared) = uncounted {
            shared.sends.fetch_add(sends, Ordering::Relaxed);
        }
    }

    /// Sends since an attempt was begun, those of the layers below included.
    pub(crate) fn sends_since(&self, before: u32) -> u32 {
        self.shared.as_deref().map_or(0, Shared::sends).saturating_sub(before)
    }

    /// Whether a layer below gave up.
    pub(crate) fn has_given_up(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.gave_up.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for Nesting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nesting").field("max", &self.max).field("above", &self.above).finish_non_exhaustive()
    }
}

impl Announced {
    fn read(value: &HeaderValue) -> Option<Self> {
        let (attempt, max) = value.to_str().ok()?.split_once(";max=")?;
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        Some(Self { attempt: number(attempt)?, max: number(max)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_caller_that_says_clearly_that_it_retries_is_believed() {
        let read = |value: &str| {
            let field = (Nesting::FIELD, HeaderValue::from_str(value).expect("a legal value"));
            Nesting::from_headers(&HeaderMap::from_iter([field])).and_then(|nesting| nesting.above)
        };
        assert_eq!(read("2;max=4"), Some(Announced { attempt: 2, max: 4 }));
        for value in ["", "2", "2;max=1", "2;max=", ";max=4", "+2;max=4", "2; max=4", "2;max=4;x", "2;max=4294967296"] {
            assert_eq!(read(value), None, "{value}");
        }
        assert!(Nesting::from_headers(&HeaderMap::new()).is_none());
    }

    #[test]
    fn an_attempt_is_counted_by_the_lowest_layer_alone() {
        let upper = Nesting::outermost();
        let attempt = Attempt { number: 1, timeout: None, max: Some(4) };
        let upper_before = upper.begin();
        let middle = upper.below(attempt);
        for _ in 0..2 {
            let middle_before = middle.begin();
            let lower = middle.below(attempt);
            for _ in 0..3 {
                lower.count(lower.begin(), 1);
            }
            middle.count(middle_before, 1);
        }
        upper.count(upper_before, 1);
        assert_eq!(upper.sends_since(upper_before), 6);
    }
}
