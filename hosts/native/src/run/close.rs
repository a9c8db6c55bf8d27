//! What is told of a request that the engine did not end itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use policy_core::{Event, Network, Now, Sample, Tokens};

use super::{Asked, Run};
use crate::{engine::Engine, entropy::Entropy, time::Time};

/// A request that is dropped, or that the driver ended itself, tells the engine, so that a token taken for a retry that is
/// not sent goes back. An engine that fails here too keeps it: there is nobody else to ask.
impl<E: Engine, T: Time, X: Entropy> Drop for Run<'_, E, T, X> {
    fn drop(&mut self) {
        // Out of a drop, a panic of the engine or of an observer could end the process.
        let _ = catch_unwind(AssertUnwindSafe(|| self.close()));
        if let Some(watch) = &mut self.watch {
            let _ = catch_unwind(AssertUnwindSafe(|| watch.dropped(self.at, self.attempts)));
        }
    }
}

impl<E: Engine, T: Time, X: Entropy> Run<'_, E, T, X> {
    fn close(&mut self) {
        if !self.open {
            return;
        }
        // The core ends a cancelled request before it looks at clocks or sample, so none is read that could fail.
        let mut now = Now {
            mark: self.at,
            wall: None,
            session: self.session,
            cancelled: true,
            network: Network::default(),
            sample: Sample::ZERO,
            tokens: Tokens::ZERO,
            hold: None,
        };
        let asked = Asked::Handle(Event::Wake);
        let step = self.budget().apply(|tokens| {
            now.tokens = tokens;
            asked.put(self.driver.engine(), &self.state, &now)
        });
        if let Some(watch) = &mut self.watch {
            watch.called(self.driver.engine(), &self.state, &asked, &now, step.as_ref());
        }
    }
}
