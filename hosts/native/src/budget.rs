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
    ///
    /// ```
    /// use refrain::{Engine, Options, RetryBudget, core::Tokens};
    /// # use refrain::{DirectEngine, core::{Policy, Rules}};
    /// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
    /// let of_this_server = RetryBudget::for_policy(engine.description());
    /// assert_eq!(of_this_server.tokens(), Tokens::new(500));
    /// let options = Options { budget: Some(of_this_server), ..Options::default() };
    /// # let _ = options;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn for_policy(description: &Description) -> Self {
        Self::new(description.budget.unwrap_or_default())
    }

    /// What there is.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        Tokens::from_thousandths(self.0.load(Ordering::Relaxed))
    }

    /// Nobody else has this budget.
    pub(crate) fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Makes `call` with the tokens that there are, until what it returns could be stored. A step that another request
    /// overtook is dropped: it decided about tokens that are gone.
    ///
    /// The tokens guard no other memory, so no ordering is needed. An unchanged value is not written, which keeps the
    /// success path of many threads off one another's cache line; it counts as stored when it was read.
    #[inline]
    pub(crate) fn apply(&self, mut call: impl FnMut(Tokens) -> Result<Step, EngineError>) -> Result<Step, EngineError> {
        let mut tokens = self.0.load(Ordering::Relaxed);
        loop {
            let step = call(Tokens::from_thousandths(tokens));
            let after = step.as_ref().map_or(tokens, |step| step.tokens.thousandths());
            if after == tokens {
                return step;
            }
            match self.0.compare_exchange_weak(tokens, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return step,
                Err(current) => tokens = current,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use policy_core::Command;

    use super::*;
    use crate::engine::State;

    fn spend_one(tokens: Tokens) -> Result<Step, EngineError> {
        let tokens = Tokens::from_thousandths(tokens.thousandths() - 1_000);
        Ok(Step { state: State([0; 8]), tokens, command: Command::Keep })
    }

    #[test]
    fn a_step_that_was_overtaken_is_dropped_and_made_again_with_the_new_tokens() {
        let budget = RetryBudget::new(Tokens::new(10));
        let sibling = budget.clone();
        let mut seen = Vec::new();
        let step = budget.apply(|tokens| {
            if seen.is_empty() {
                let _overtaking = sibling.apply(spend_one)?;
            }
            seen.push(tokens);
            spend_one(tokens)
        });
        assert_eq!(seen, [Tokens::new(10), Tokens::new(9)]);
        assert_eq!(step.map(|step| step.tokens), Ok(Tokens::new(8)));
        assert_eq!(sibling.tokens(), Tokens::new(8));
    }

    #[test]
    fn a_step_that_failed_moves_no_token() {
        let budget = RetryBudget::new(Tokens::new(10));
        let failed = EngineError::Trapped("unreachable".to_owned());
        assert_eq!(budget.apply(|_| Err(failed.clone())), Err(failed));
        assert_eq!(budget.tokens(), Tokens::new(10));
    }
}
