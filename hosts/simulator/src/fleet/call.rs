//! What is kept of a logical request.

use policy_core::{Execution, Millis};

use crate::micros::Micros;

/// A logical request and its first tier, where one reading of the memory brings both: 128 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub(super) struct Record {
    pub(super) call: Call,
    pub(super) first: Layer,
}

const _: () = assert!(size_of::<Record>() == 128 && size_of::<Layer>() == 80);

impl Record {
    /// Reads a word of each line of the memory that it lies in.
    pub(super) const fn touch(&self) -> u64 {
        let Layer { execution: [first, .., last], .. } = self.first;
        first ^ last ^ self.call.arrived.get()
    }
}

/// A logical request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) arrived: Micros,
    /// No send before, says the last answer that was read.
    pub(super) asked: Micros,
    /// The same, where a policy has listened to it.
    pub(super) held: Micros,
    pub(super) sends: u32,
    /// The last slot in which it came back, and one more.
    returned: u32,
    /// The lowest tier that has begun.
    pub(super) level: u8,
    pub(super) phase: Phase,
    /// The last wait was the longest local backoff.
    pub(super) waited_longest: bool,
}

/// What the lowest tier does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    InFlight,
    Waiting,
    Ended,
}

impl Call {
    pub(super) const fn new(arrived: Micros) -> Self {
        Self {
            arrived,
            asked: Micros::ZERO,
            held: Micros::ZERO,
            sends: 0,
            returned: 0,
            level: 0,
            phase: Phase::Waiting,
            waited_longest: false,
        }
    }

    pub(super) fn is_under_way(&self, send: u32) -> bool {
        self.phase == Phase::InFlight && self.sends == send
    }

    pub(super) fn is_in_flight(&self, level: u8) -> bool {
        self.phase == Phase::InFlight && self.level == level
    }

    pub(super) fn waits(&self, level: u8) -> bool {
        self.phase == Phase::Waiting && self.level == level
    }

    /// Whether it has not yet come back in this slot.
    pub(super) fn returns_in(&mut self, slot: u32) -> bool {
        let is_new = self.returned != slot + 1;
        self.returned = slot + 1;
        is_new
    }
}

/// A tier of a logical request: 80 bytes, of which the core's state is 64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    execution: Words,
    /// When the wait or the attempt under way is over.
    pub(super) due: Micros,
    /// Sends before the attempt under way.
    pub(super) sends_before: u32,
}

/// The words of an execution; all zero before it begins.
type Words = [u64; 8];

impl Layer {
    pub(super) const EMPTY: Self = Self { execution: [0; 8], due: Micros::MAX, sends_before: 0 };

    pub(super) fn execution(&self) -> Execution {
        Execution::from_words(self.execution)
    }

    pub(super) fn set(&mut self, execution: Execution) {
        self.execution = execution.to_words();
    }
}

/// The state with its previous draw no longer than `longest`, which is a word of its own: see `wit/LAYOUT.md`.
pub(super) fn with_series_cut(execution: &Execution, longest: Millis) -> Execution {
    let [not_before, give_up, deadline, session, max_wait, series, counts, rest] = execution.to_words();
    let series = series.min(longest.get());
    Execution::from_words([not_before, give_up, deadline, session, max_wait, series, counts, rest])
}
