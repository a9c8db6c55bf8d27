//! The wasmtime host, with components made by hand and with the real one.

mod adapters;
mod artifact;
mod decisions;
mod driver;
mod faults;
mod hostile;
mod made;
mod pinned;
mod random;
mod real;

use policy_core::{Mark, Network, Now, Sample, Session, Tokens};

/// A moment at which nothing is in the way.
const NOW: Now = Now {
    mark: Mark::new(1_000),
    wall: None,
    session: Session::new(1),
    cancelled: false,
    network: Network::Unknown,
    sample: Sample::ONE,
    tokens: Tokens::ZERO,
    hold: None,
};
