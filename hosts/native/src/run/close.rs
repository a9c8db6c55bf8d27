//! What is told of a request that the engine did not end itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use policy_core::{Event, Network, Now, Sample, Tokens};

use super::{Asked, Progress, Run};
use crate::{engine::Engine, entropy::Entropy, time::Time};

/// A request that is dropped, or that the driver ended itself, tells the engine, so that a token taken for a retry that is
/// not sent goes back. An engine that fails here too keeps it: there is nobody else to ask.
impl<E: Engine, T: Time, X: Entropy> Drop for Run<'_, E, T, X> {
    fn drop(&mut self) {
        // Out of a drop, a panic of the engine or of an observer could end the process.
        let _ = catch_unwind(AssertUnwindSafe(|| self.close(Event::Wake)));
        self.count_aborted();
        let attempts = self.attempts;
        if let Some(watch) = self.watch() {
            let _ = catch_unwind(AssertUnwindSafe(|| watch.dropped(attempts)));
        }
    }
}

impl<E: Engine, T: Time, X: Entropy> Run<'_, E, T, X> {
    /// Ends the request for the engine with what became of it last.
    pub(super) fn close(&mut self, event: Event<'_>) {
        let Progress::Open(_) = self.progress else { return };
        let mark = self.watch().map(|watch| watch.at).unwrap_or_default();
        // The core ends a cancelled request before it looks at clocks or sample, so none is read that could fail.
        let mut now = Now {
            mark,
            wall: None,
            session: self.session(),
            cancelled: true,
            network: Network::default(),
            sample: Sample::ZERO,
            tokens: Tokens::ZERO,
            hold: None,
        };
        let _ = self.step(&Asked::Handle(event), &mut now);
        self.progress = Progress::Over;
    }
}
