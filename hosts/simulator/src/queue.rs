//! What happens next: a radix heap.
//!
//! Time only goes forward, so an event need not be sorted among all others: it lies in the bucket of the highest bit in
//! which its time differs from the present. When the present reaches a bucket, its events are dealt out to lower ones. An
//! event is moved at most once for each bit of the time that it lies ahead, whatever the number of events, and buckets are
//! read from one end to the other. (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path problem",
//! 1990.)
//!
//! Events of the same moment lie in the same bucket in the order in which they came, and come out in it.

use std::mem;

use crate::micros::Micros;

/// A bucket that held more than this gives its memory back.
const KEPT: usize = 1 << 12;

pub(crate) struct Queue<T> {
    now: u64,
    /// Of the present moment; those before `taken` are over.
    due: Vec<T>,
    taken: usize,
    /// Bucket `b` differs from now in bit `b`, and in no higher one.
    later: Vec<Vec<(u64, T)>>,
    /// One bit for each bucket that has something.
    filled: u64,
}

impl<T: Copy> Queue<T> {
    pub(crate) fn new() -> Self {
        Self { now: 0, due: Vec::new(), taken: 0, later: (0..64).map(|_| Vec::new()).collect(), filled: 0 }
    }

    /// Adds an event; one in the past happens now.
    pub(crate) fn push(&mut self, at: Micros, event: T) {
        let at = at.get().max(self.now);
        match (at ^ self.now).checked_ilog2() {
            None => self.due.push(event),
            Some(bucket) => {
                self.filled |= 1 << bucket;
                self.later[bucket as usize].push((at, event));
            }
        }
    }

    /// The next event and its moment; those of one moment in the order in which they were added.
    pub(crate) fn pop(&mut self) -> Option<(Micros, T)> {
        if self.taken == self.due.len() {
            self.advance()?;
        }
        let event = self.due[self.taken];
        self.taken += 1;
        Some((Micros::new(self.now), event))
    }

    /// Goes on to the next moment at which there is something.
    fn advance(&mut self) -> Option<()> {
        self.due.clear();
        self.taken = 0;
        let bucket = self.filled.trailing_zeros();
        if bucket == u64::BITS {
            return None;
        }
        self.filled &= !(1 << bucket);
        let mut events = mem::take(&mut self.later[bucket as usize]);
        self.now = events.iter().map(|(at, _)| *at).min()?;
        for &(at, event) in &events {
            self.push(Micros::new(at), event);
        }
        if events.capacity() <= KEPT {
            events.clear();
            self.later[bucket as usize] = events;
        }
        Some(())
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
                    prop_assert_eq!(queue.pop(), next.map(|(at, number)| (Micros::new(at), number)));
                    model.retain(|event| Some(*event) != next);
                    now = next.map_or(now, |(at, _)| at);
                } else {
                    queue.push(Micros::new(now + ahead), number);
                    model.push((now + ahead, number));
                }
            }
            model.sort_unstable();
            for (at, number) in model {
                prop_assert_eq!(queue.pop(), Some((Micros::new(at), number)));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
