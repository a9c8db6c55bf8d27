//! What one call into the state machine comes to.

use crate::{budget::Tokens, command::Command, event::Now, state::Execution};

/// The result of one call into the state machine.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use policy_core::{Step, Tokens};
///
/// /// Whether the tokens are still those of the call, and were stored; if not, the call is made again.
/// fn store(budget: &AtomicU32, read: Tokens, step: &Step) -> bool {
///     budget.compare_exchange(read.thousandths(), step.tokens.thousandths(), Relaxed, Relaxed).is_ok()
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a step that is not carried out is a request that stands still"]
#[repr(C)]
pub struct Step {
    /// Pass to the next call.
    pub execution: Execution,
    /// The retry budget after this call. The host stores it with compare-and-swap against [`Now::tokens`]; if another
    /// request was faster, it discards this step and calls again with the same input and the new tokens.
    ///
    /// [`Now::tokens`]: crate::Now::tokens
    pub tokens: Tokens,
    /// What to do now.
    pub command: Command,
}

impl Step {
    /// Before anything happened in this call.
    #[doc(hidden)]
    pub const fn new(execution: Execution, now: &Now) -> Self {
        Self { execution, tokens: now.tokens, command: Command::Keep }
    }
}
