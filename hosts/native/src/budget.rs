//! The retry budget's tokens, shared by many requests without a lock.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use policy_core::Tokens;

use crate::engine::{Description, EngineError, Step};

/// Shared retry tokens; clones share them. How they move is the policy's.
///
/// ```
/// use refrain::{RetryBudget, core::Tokens};
/// let budget = RetryBudget::new(Tokens::new(500));
/// assert_eq!(budget.tokens(), Tokens::new(500));
/// ```
#[derive(Clone, Debug)]
pub struct RetryBudget(Arc<AtomicU32>);

impl RetryBudget {
    /// A budget that holds `tokens`.
    #[must_use]
    pub fn new(tokens: Tokens) -> Self {
        Self(Arc::new(AtomicU32::new(tokens.thousandths())))
    }

    /// A full budget for this policy; an empty one, which is never asked, if it has none.
    #[must_use]
    pub fn for_policy(description: &Description) -> Self {
        Self::new(description.budget.unwrap_or_default())
    }

    /// What there is.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        Tokens::from_thousandths(self.0.load(Ordering::Relaxed))
    }

    /// Makes `call` with the tokens that there are, until what it returns could be stored. A step that another request
    /// overtook is dropped: it decided about tokens that are gone.
    ///
    /// The tokens guard no other memory, so no ordering is needed. An unchanged value is not written, which keeps the
    /// success path of many threads off one another's cache line; it counts as stored when it was read.
    pub(crate) fn apply(&self, mut call: impl FnMut(Tokens) -> Result<Step, EngineError>) -> Result<Step, EngineError> {
        let mut tokens = self.0.load(Ordering::Relaxed);
        loop {
            let step = call(Tokens::from_thousandths(tokens))?;
            let after = step.tokens.thousandths();
            if after == tokens {
                return Ok(step);
            }
            match self.0.compare_exchange_weak(tokens, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(step),
                Err(current) => tokens = current,
            }
        }
    }
}
