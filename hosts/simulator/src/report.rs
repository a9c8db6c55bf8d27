//! What came of a scenario, for programs and for people.

mod csv;
mod ratio;
mod table;

use policy_core::End;
use serde::Serialize;

pub use self::ratio::Ratio;
use crate::{
    contender::{Contender, Nesting},
    micros::Micros,
    scenario::Scenario,
    tally::{SLOT_MS, Slot, Tally},
};

/// What came of a scenario: one run for each number of clients and each policy. Serialised, it is the JSON that
/// `refrain simulate --json` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The scenario's name.
    pub scenario: String,
    /// What it shows.
    pub description: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// By number of clients, and then in the order of the contenders.
    pub runs: Vec<Run>,
}

/// One fleet under one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// The policy's label.
    pub policy: String,
    /// How many layers retry.
    pub tiers: usize,
    /// Whether the layers know of one another; `null` if there is one.
    pub nesting: Option<Nesting>,
    /// Clients.
    pub clients: u32,
    /// Fleets that were run one after another, each under its own seed. All counts are their sums, `recovery_ms` and
    /// `completed_ms` their means.
    pub repeats: u32,
    /// Logical requests that began.
    pub requests: u64,
    /// How they ended, by name; each once.
    pub ends: Vec<Ended>,
    /// Of them, those that were still open when the simulation was cut off at its horizon, and were cancelled there.
    pub unfinished: u64,
    /// The share of logical requests that ended with success.
    pub goodput: Ratio,
    /// Attempts that clients sent.
    pub sends: u64,
    /// Attempts that reached the server.
    pub received: u64,
    /// Attempts that the server answered with success.
    pub served: u64,
    /// Of them, those whose answer nobody waited for any more.
    pub wasted: u64,
    /// Attempts that the server refused, or failed at.
    pub turned_away: u64,
    /// Sends for each logical request.
    pub amplification: Ratio,
    /// Sends before the moment that the last answer had asked for.
    pub early: u64,
    /// Logical requests that came back at least once.
    pub returned: u64,
    /// The most logical requests that came back within the same 100 ms.
    pub peak_returned: u64,
    /// Their share of all that came back.
    pub peak_returned_share: Ratio,
    /// The share of waits that are the longest local backoff to the millisecond.
    pub longest_wait_share: Ratio,
    /// Of the waits that follow such a one, the share that are it again.
    pub longest_wait_again_share: Ratio,
    /// From the end of the outage or brown-out until the server turned nobody away any more, in milliseconds; `null` if there
    /// is neither.
    pub recovery_ms: Option<u64>,
    /// Until the last request had ended, in milliseconds.
    pub completed_ms: u64,
    /// From the beginning of a request to its success, in milliseconds.
    pub waiting: Waiting,
    /// Load over time.
    pub load: Load,
    /// Events of the simulation.
    pub events: u64,
}

/// How many requests ended in a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ended {
    /// The name of an [`End`].
    pub end: &'static str,
    /// How many.
    pub requests: u64,
}

/// Percentiles by nearest rank; all 0 if nothing succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Waiting {
    pub p10_ms: u32,
    pub p50_ms: u32,
    pub p90_ms: u32,
    pub p99_ms: u32,
    pub max_ms: u32,
    /// Each percentile from the first to the hundredth; empty if nothing succeeded.
    pub percentiles_ms: Vec<u32>,
}

/// Counts in steps of the same length, from the beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Load {
    /// Length of a step.
    pub step_ms: u64,
    /// Attempts that reached the server.
    pub offered: Vec<u64>,
    /// Attempts that it answered with success.
    pub served: Vec<u64>,
    /// Logical requests that ended with success.
    pub delivered: Vec<u64>,
    /// Logical requests that came back, each counted once in 100 ms.
    pub returned: Vec<u64>,
}

impl Report {
    pub(crate) fn new(scenario: &Scenario, seed: u64, runs: Vec<Run>) -> Self {
        Self { scenario: scenario.name().to_owned(), description: scenario.description().to_owned(), seed, runs }
    }
}

impl Run {
    pub(crate) fn new(contender: &Contender, clients: u32, repeats: u32, mut tally: Tally) -> Self {
        let requests = tally.ended();
        let ends = End::ALL.iter().zip(tally.ends).filter(|(_, requests)| *requests > 0);
        let mean = |sum: Micros| sum.millis_up().div_ceil(repeats.into());
        let succeeded = tally.times.len() as u64;
        Self {
            policy: contender.label().to_owned(),
            tiers: contender.tiers(),
            nesting: (contender.tiers() > 1).then_some(contender.nesting()),
            clients,
            repeats,
            requests,
            ends: ends.map(|(end, requests)| Ended { end: end.name(), requests }).collect(),
            unfinished: tally.unfinished,
            goodput: Ratio::of(succeeded, requests),
            sends: tally.sends,
            received: tally.received,
            served: tally.served,
            wasted: tally.served.saturating_sub(succeeded),
            turned_away: tally.turned_away,
            amplification: Ratio::of(tally.sends, requests),
            early: tally.early,
            returned: tally.returned,
            peak_returned: tally.peaks,
            peak_returned_share: Ratio::of(tally.peaks, tally.returned),
            longest_wait_share: Ratio::of(tally.longest_waits, tally.waits),
            longest_wait_again_share: Ratio::of(tally.longest_again, tally.after_longest),
            recovery_ms: tally.recovered.map(mean),
            completed_ms: mean(tally.completed),
            waiting: Waiting::of(&mut tally.times),
            load: Load::of(&tally.slots),
            events: tally.events,
        }
    }

    /// Sends of one fleet: the mean over the repeats, rounded to the nearest.
    #[must_use]
    pub fn mean_sends(&self) -> u64 {
        let repeats = u64::from(self.repeats);
        (self.sends + repeats / 2) / repeats
    }

    /// Which share of all requests, in percent, had ended with success within so many seconds of their beginning: a point for
    /// each percentile, times ascending.
    #[must_use]
    pub fn succeeded_within(&self) -> Vec<(f64, f64)> {
        let reached = self.goodput.thousandths() as f64 / 1_000.0;
        let percentiles = (1_u32..).zip(&self.waiting.percentiles_ms);
        percentiles.map(|(percent, ms)| (f64::from(*ms) / 1_000.0, f64::from(percent) * reached)).collect()
    }

    /// How many requests ended in this way.
    #[must_use]
    pub fn ended(&self, end: End) -> u64 {
        self.ends.iter().find(|ended| ended.end == end.name()).map_or(0, |ended| ended.requests)
    }
}

impl Waiting {
    fn of(times: &mut [u32]) -> Self {
        times.sort_unstable();
        let rank = |percent: usize| {
            let place = (times.len() * percent).div_ceil(100).saturating_sub(1);
            times.get(place).copied().unwrap_or(0)
        };
        Self {
            p10_ms: rank(10),
            p50_ms: rank(50),
            p90_ms: rank(90),
            p99_ms: rank(99),
            max_ms: rank(100),
            percentiles_ms: if times.is_empty() { Vec::new() } else { (1..=100).map(rank).collect() },
        }
    }
}

impl Load {
    /// Counts of this load in each second: a point for the beginning of each second, in seconds, or of each step where those
    /// are longer.
    ///
    /// ```
    /// use refrain_simulator::{SCENARIOS, Scenario, simulate};
    /// let scenario = Scenario::parse(SCENARIOS[0].1)?.with_clients(200)?;
    /// let load = &simulate(&scenario, 1, &|_| ()).runs[0].load;
    /// let [first, ..] = load.per_second(&load.offered)[..] else { panic!("nobody came") };
    /// assert_eq!(first, (0.0, 400.0), "all at once, and without jitter all of them again after 500 ms");
    /// # Ok::<(), refrain_simulator::ScenarioError>(())
    /// ```
    #[must_use]
    pub fn per_second(&self, counts: &[u64]) -> Vec<(f64, f64)> {
        let steps = (1_000 / self.step_ms).max(1);
        let seconds = (steps * self.step_ms) as f64 / 1_000.0;
        let sums = counts.chunks(steps as usize).map(|counts| counts.iter().sum::<u64>() as f64);
        sums.enumerate().map(|(at, sum)| (at as f64 * seconds, sum / seconds)).collect()
    }

    /// Steps that make up a picture.
    const STEPS: usize = 400;

    pub(crate) fn of(slots: &[Slot]) -> Self {
        let fits = |slots_each: &usize| slots.len().div_ceil(*slots_each) <= Self::STEPS;
        let each = [1, 2, 5, 10, 50, 100, 600, 3_000].into_iter().find(fits).unwrap_or(36_000);
        let sums = |count: fn(&Slot) -> u64| slots.chunks(each).map(|step| step.iter().map(count).sum()).collect();
        Self {
            step_ms: SLOT_MS * each as u64,
            offered: sums(|slot| slot.offered),
            served: sums(|slot| slot.served),
            delivered: sums(|slot| slot.delivered),
            returned: sums(|slot| slot.returned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let mut times: Vec<u32> = (1..=200).rev().collect();
        let waiting = Waiting::of(&mut times);
        assert_eq!(
            [waiting.p10_ms, waiting.p50_ms, waiting.p90_ms, waiting.p99_ms, waiting.max_ms],
            [20, 100, 180, 198, 200]
        );
        assert_eq!(waiting.percentiles_ms, (1..=100).map(|percent| 2 * percent).collect::<Vec<_>>());
        assert_eq!(Waiting::of(&mut [7]).percentiles_ms, [7; 100]);
        assert_eq!(Waiting::of(&mut []), Waiting::default());
    }

    #[test]
    fn longer_steps_lose_nothing() {
        let slots = vec![Slot { offered: 3, served: 2, delivered: 1, returned: 1 }; 1_001];
        let load = Load::of(&slots);
        assert_eq!((load.step_ms, load.offered.len()), (500, 201));
        assert_eq!((load.offered.iter().sum::<u64>(), load.served.iter().sum()), (3_003, 2_002));
    }
}
