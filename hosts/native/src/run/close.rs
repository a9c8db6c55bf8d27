//! What is told to the engine about a request that it did not end itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use policy_core::{Event, Network, Now, Sample, Tokens};

use super::Run;
use crate::{engine::Engine, entropy::Entropy, time::Time};

/// A request that is dropped, or that the driver ended itself, tells the engine, so that a token taken for a retry that is
/// not sent goes back. An engine that fails here too keeps it: there is nobody else to ask.
impl<E: Engine, T: Time, X: Entropy> Drop for Run<'_, E, T, X> {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        // The core ends a cancelled request before it looks at clocks or sample, so none is read that could fail.
        let now = Now {
            mark: self.at,
            wall: None,
            session: self.session,
            cancelled: true,
            network: Network::default(),
            sample: Sample::ZERO,
            tokens: Tokens::ZERO,
            hold: None,
        };
        let end = |tokens| self.driver.engine().handle(&self.state, Event::Wake, &Now { tokens, ..now });
        // Out of a drop, a panic of the engine could end the process.
        let _ = catch_unwind(AssertUnwindSafe(|| self.budget().apply(end)));
    }
}
