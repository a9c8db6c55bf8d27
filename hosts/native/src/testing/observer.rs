use std::sync::{Arc, Mutex, PoisonError};

use crate::observer::{Observer, Trace};

/// An observer that keeps everything it was told; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<Vec<Trace>>>);

impl Recorder {
    /// Everything so far, in order.
    #[must_use]
    pub fn traces(&self) -> Vec<Trace> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Recorder {
    fn event(&self, trace: &Trace) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(trace.clone());
    }
}
