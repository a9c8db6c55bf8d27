//! Makes an engine for the policy of a vector.

use std::sync::Arc;

use policy_core::slot::Slot;
use refrain::{DirectEngine, Engine};

/// Makes engines of one kind.
pub trait Maker {
    /// An engine that decides by the policy of `slot`.
    ///
    /// # Errors
    /// In words.
    fn make(&mut self, slot: &Slot) -> Result<Arc<dyn Engine>, String>;
}

/// The core, linked in.
#[derive(Debug, Default)]
pub struct Native;

impl Maker for Native {
    fn make(&mut self, slot: &Slot) -> Result<Arc<dyn Engine>, String> {
        Ok(Arc::new(DirectEngine::from_slot(slot)))
    }
}
