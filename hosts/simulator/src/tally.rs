//! What is counted while a fleet runs.

use policy_core::End;

use crate::micros::Micros;

/// Length of a slot: the shortest time in which load is told apart.
pub(crate) const SLOT_MS: u64 = 100;

#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) slots: Vec<Slot>,
    /// By the place in [`End::ALL`].
    pub(crate) ends: [u64; End::ALL.len()],
    /// Milliseconds from the beginning of each request that ended with success, rounded up.
    pub(crate) times: Vec<u32>,
    pub(crate) sends: u64,
    pub(crate) early: u64,
    pub(crate) received: u64,
    pub(crate) served: u64,
    pub(crate) wasted: u64,
    pub(crate) turned_away: u64,
    pub(crate) returned: u64,
    pub(crate) waits: u64,
    pub(crate) longest_waits: u64,
    /// Still open at the horizon.
    pub(crate) unfinished: u64,
    pub(crate) last_end: Micros,
    /// The last request that was turned away after what goes wrong was over.
    pub(crate) last_refusal: Option<Micros>,
    pub(crate) over: Option<Micros>,
    pub(crate) events: u64,
}

/// What happened in a slot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    /// Attempts that reached the server.
    pub(crate) offered: u32,
    /// Attempts that it answered with success.
    pub(crate) served: u32,
    /// Logical requests that ended with success.
    pub(crate) delivered: u32,
    /// Logical requests that came back, each counted once.
    pub(crate) returned: u32,
}

impl Tally {
    pub(crate) fn new(requests: u32, over: Option<Micros>) -> Self {
        Self {
            slots: Vec::new(),
            ends: [0; End::ALL.len()],
            times: Vec::with_capacity(requests as usize),
            sends: 0,
            early: 0,
            received: 0,
            served: 0,
            wasted: 0,
            turned_away: 0,
            returned: 0,
            waits: 0,
            longest_waits: 0,
            unfinished: 0,
            last_end: Micros::ZERO,
            last_refusal: None,
            over,
            events: 0,
        }
    }

    pub(crate) const fn slot(now: Micros) -> u32 {
        (now.millis() / SLOT_MS) as u32
    }

    pub(crate) fn ended(&self) -> u64 {
        self.ends.iter().sum()
    }

    pub(crate) fn sent(&mut self, is_early: bool) {
        self.sends += 1;
        self.early += u64::from(is_early);
    }

    /// An attempt reaches the server: of a request that comes back for the first time in this slot, or at all.
    pub(crate) fn received(&mut self, now: Micros, returns: bool, is_first_return: bool) {
        self.received += 1;
        self.returned += u64::from(is_first_return);
        let slot = self.at(now);
        slot.offered += 1;
        slot.returned += u32::from(returns);
    }

    pub(crate) fn turned_away(&mut self, now: Micros) {
        self.turned_away += 1;
        if self.over.is_some_and(|over| now >= over) {
            self.last_refusal = Some(now);
        }
    }

    /// The work is done; `is_awaited` if anybody still waits for it.
    pub(crate) fn served(&mut self, now: Micros, is_awaited: bool) {
        self.served += 1;
        self.wasted += u64::from(!is_awaited);
        self.at(now).served += 1;
    }

    pub(crate) const fn waited(&mut self, is_longest: bool) {
        self.waits += 1;
        self.longest_waits += is_longest as u64;
    }

    pub(crate) fn ended_with(&mut self, end: End, arrived: Micros, now: Micros) {
        let place = End::ALL.iter().position(|known| *known == end);
        self.ends[place.unwrap_or(End::ALL.len() - 1)] += 1;
        self.last_end = now;
        if end == End::Success {
            self.at(now).delivered += 1;
            self.times.push(u32::try_from(now.minus(arrived).millis_up()).unwrap_or(u32::MAX));
        }
    }

    fn at(&mut self, now: Micros) -> &mut Slot {
        let slot = Self::slot(now) as usize;
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Slot::default());
        }
        &mut self.slots[slot]
    }
}
