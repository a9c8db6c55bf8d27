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
    pub(crate) turned_away: u64,
    pub(crate) returned: u64,
    pub(crate) waits: u64,
    pub(crate) longest_waits: u64,
    pub(crate) after_longest: u64,
    pub(crate) longest_again: u64,
    /// Still open at the horizon.
    pub(crate) unfinished: u64,
    last_end: Micros,
    /// The last request that was turned away after what goes wrong was over.
    last_refusal: Option<Micros>,
    over: Option<Micros>,
    /// Sums over repeated fleets: the most that came back in one slot, and how long it took.
    pub(crate) peaks: u64,
    pub(crate) completed: Micros,
    pub(crate) recovered: Option<Micros>,
    pub(crate) events: u64,
}

/// What happened in a slot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    /// Attempts that reached the server.
    pub(crate) offered: u64,
    /// Attempts that it answered with success.
    pub(crate) served: u64,
    /// Logical requests that ended with success.
    pub(crate) delivered: u64,
    /// Logical requests that came back, each counted once.
    pub(crate) returned: u64,
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
            turned_away: 0,
            returned: 0,
            waits: 0,
            longest_waits: 0,
            after_longest: 0,
            longest_again: 0,
            unfinished: 0,
            last_end: Micros::ZERO,
            last_refusal: None,
            over,
            peaks: 0,
            completed: Micros::ZERO,
            recovered: None,
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
        slot.returned += u64::from(returns);
    }

    pub(crate) fn turned_away(&mut self, now: Micros) {
        self.turned_away += 1;
        if self.over.is_some_and(|over| now >= over) {
            self.last_refusal = Some(now);
        }
    }

    pub(crate) fn served(&mut self, now: Micros) {
        self.served += 1;
        self.at(now).served += 1;
    }

    /// A wait begins, after one that was the longest backoff or not.
    pub(crate) const fn waited(&mut self, was_longest: bool, is_longest: bool) {
        self.waits += 1;
        self.longest_waits += is_longest as u64;
        self.after_longest += was_longest as u64;
        self.longest_again += (was_longest && is_longest) as u64;
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

    /// The fleet has come to its end.
    pub(crate) fn close(&mut self) {
        self.peaks = self.slots.iter().map(|slot| slot.returned).max().unwrap_or(0);
        self.completed = self.last_end;
        self.recovered = self.over.map(|over| self.last_refusal.unwrap_or(over).minus(over));
    }

    /// Adds another fleet of the same scenario and policy.
    pub(crate) fn add(&mut self, other: Self) {
        Slot::add_all(&mut self.slots, &other.slots);
        self.ends.iter_mut().zip(other.ends).for_each(|(end, other)| *end += other);
        self.times.extend(other.times);
        self.sends += other.sends;
        self.early += other.early;
        self.received += other.received;
        self.served += other.served;
        self.turned_away += other.turned_away;
        self.returned += other.returned;
        self.waits += other.waits;
        self.longest_waits += other.longest_waits;
        self.after_longest += other.after_longest;
        self.longest_again += other.longest_again;
        self.unfinished += other.unfinished;
        self.peaks += other.peaks;
        self.completed = self.completed.plus(other.completed);
        self.recovered = self.recovered.zip(other.recovered).map(|(one, other)| one.plus(other));
        self.events += other.events;
    }

    fn at(&mut self, now: Micros) -> &mut Slot {
        let slot = Self::slot(now) as usize;
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Slot::default());
        }
        &mut self.slots[slot]
    }
}

impl Slot {
    /// Adds, slot by slot.
    pub(crate) fn add_all(slots: &mut Vec<Self>, others: &[Self]) {
        slots.resize(slots.len().max(others.len()), Self::default());
        slots.iter_mut().zip(others).for_each(|(slot, other)| slot.add(other));
    }

    const fn add(&mut self, other: &Self) {
        self.offered += other.offered;
        self.served += other.served;
        self.delivered += other.delivered;
        self.returned += other.returned;
    }
}
