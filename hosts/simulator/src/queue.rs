//! What happens next: a timing wheel of wheels.
//!
//! Time only goes forward, so an event need not be sorted among all others. Read a moment as digits to the base 256: an event
//! lies in the wheel of the highest digit in which it differs from the present, in the slot of that digit. When the present
//! reaches a slot, its events are dealt out to lower wheels, so an event is moved at most once for each digit of the time
//! that it lies ahead, whatever the number of events. (Varghese and Lauck, "Hashed and hierarchical timing wheels", 1987.)
//!
//! Events of the same moment lie in the same slot in the order in which they came, and come out in it.

use std::mem;

use crate::micros::Micros;

/// A slot that held more than this gives its memory back.
const KEPT: usize = 1 << 10;

/// How many events of one moment come near at once.
const BATCH: usize = 32;
/// A slot with more than this is not near yet: what is fetched for its first events would be gone.
const NEAR: usize = 512;

const BITS: u32 = 8;
const SLOTS: usize = 1 << BITS;

pub(crate) struct Queue<T> {
    now: u64,
    /// Of the present moment; those before `taken` are over.
    due: Vec<(u64, T)>,
    taken: usize,
    wheels: [Wheel<T>; (u64::BITS / BITS) as usize],
}

struct Wheel<T> {
    slots: Vec<Vec<(u64, T)>>,
    /// One bit for each slot that has something.
    filled: [u64; SLOTS / 64],
}

impl<T: Copy> Queue<T> {
    pub(crate) fn new() -> Self {
        Self { now: 0, due: Vec::new(), taken: 0, wheels: std::array::from_fn(|_| Wheel::new()) }
    }

    /// Adds an event; one in the past happens now.
    pub(crate) fn push(&mut self, at: Micros, event: T) {
        let at = at.get().max(self.now);
        match (at ^ self.now).checked_ilog2() {
            None => self.due.push((at, event)),
            Some(bit) => self.wheels[(bit / BITS) as usize].push(digit(at, bit / BITS), (at, event)),
        }
    }

    /// The next event and its moment; those of one moment in the order in which they were added. `soon` hears of each event
    /// that comes near, together with others, so that what it needs can be fetched from memory all at once.
    pub(crate) fn pop(&mut self, soon: impl Fn(&T)) -> Option<(Micros, T)> {
        while self.taken == self.due.len() {
            self.advance(&soon)?;
        }
        if self.taken.is_multiple_of(BATCH) && self.due.len() > BATCH {
            self.due[self.taken..].iter().take(BATCH).for_each(|(_, event)| soon(event));
        }
        let (at, event) = self.due[self.taken];
        self.taken += 1;
        Some((Micros::new(at), event))
    }

    /// Goes on to the beginning of the next slot that has something.
    fn advance(&mut self, soon: impl Fn(&T)) -> Option<()> {
        let (level, slot) = (0_u32..).zip(&self.wheels).find_map(|(level, wheel)| Some((level, wheel.first()?)))?;
        let place = level * BITS;
        // The digit and all below it.
        let below = u64::MAX >> (u64::BITS - BITS - place);
        self.now = self.now & !below | (slot as u64) << place;
        let wheel = &mut self.wheels[level as usize];
        wheel.filled[slot / 64] &= !(1 << (slot % 64));
        let mut events = mem::take(&mut wheel.slots[slot]);
        if level == 0 {
            mem::swap(&mut self.due, &mut events);
            self.taken = 0;
        } else {
            if level == 1 && events.len() <= NEAR {
                events.iter().for_each(|(_, event)| soon(event));
            }
            for &(at, event) in &events {
                self.push(Micros::new(at), event);
            }
        }
        events.clear();
        if events.capacity() <= KEPT {
            self.wheels[level as usize].slots[slot] = events;
        }
        Some(())
    }
}

fn digit(at: u64, level: u32) -> usize {
    (at >> (level * BITS)) as usize % SLOTS
}

impl<T> Wheel<T> {
    fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| Vec::new()).collect(), filled: [0; SLOTS / 64] }
    }

    fn push(&mut self, slot: usize, event: (u64, T)) {
        self.filled[slot / 64] |= 1 << (slot % 64);
        self.slots[slot].push(event);
    }

    /// The first slot that has something.
    fn first(&self) -> Option<usize> {
        let (word, bits) = self.filled.iter().enumerate().find(|(_, bits)| **bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn events_come_out_by_time_and_those_of_one_moment_as_they_went_in(
            steps in proptest::collection::vec((0..3_u8, prop_oneof![0..4_u64, 0..100_000_u64, Just(1 << 40)]), 0..200)
        ) {
            let (mut queue, mut model, mut now) = (Queue::new(), Vec::new(), 0);
            for (number, (kind, ahead)) in steps.into_iter().enumerate() {
                if kind == 0 {
                    let next = model.iter().copied().min();
                    prop_assert_eq!(queue.pop(|_| ()), next.map(|(at, number)| (Micros::new(at), number)));
                    model.retain(|event| Some(*event) != next);
                    now = next.map_or(now, |(at, _)| at);
                } else {
                    queue.push(Micros::new(now + ahead), number);
                    model.push((now + ahead, number));
                }
            }
            model.sort_unstable();
            for (at, number) in model {
                prop_assert_eq!(queue.pop(|_| ()), Some((Micros::new(at), number)));
            }
            prop_assert_eq!(queue.pop(|_| ()), None);
        }
    }
}
