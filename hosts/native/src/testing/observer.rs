use std::sync::{Arc, Mutex, PoisonError};

use crate::observer::{Observer, Trace};

/// An observer that keeps everything it was told; clones share it.
///
/// ```
/// use std::sync::Arc;
/// use refrain::core::Mark;
/// use refrain::observer::{Observer, Trace, TraceEvent};
/// use refrain::{Options, testing::Recorder};
///
/// let recorder = Recorder::default();
/// let options = Options { observer: Some(Arc::new(recorder.clone())), ..Options::default() };
/// # recorder.event(&Trace { request: 1, at: Mark::new(0), event: TraceEvent::Sent { attempt: 1, timeout: None } });
/// // After a request was run with these options:
/// assert!(matches!(recorder.traces()[0].event, TraceEvent::Sent { attempt: 1, .. }));
/// # drop(options);
/// ```
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
