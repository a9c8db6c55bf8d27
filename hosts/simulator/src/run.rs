//! Runs a scenario: a fleet for each number of clients and each policy.

use std::{
    num::NonZero,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crate::{report::Report, scenario::Scenario, stage::Stage};

/// Events between two reports of progress.
const STRIDE: u64 = 1 << 16;

/// How far a simulation has come, in logical requests of all its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// That have ended.
    pub ended: u64,
    /// That there are.
    pub total: u64,
}

/// Runs the scenario with this seed. The same scenario and seed give the same report on every machine, however many threads
/// there are: each policy meets the same arrivals, service times and luck.
///
/// Runs go on beside one another, as many as the machine has processors. `progress` is called now and then, from any of them.
#[must_use]
pub fn simulate(scenario: &Scenario, seed: u64, progress: &(dyn Fn(Progress) + Sync)) -> Report {
    let stages = Stage::all(&Arc::new(scenario.clone()), seed);
    let total = stages.iter().map(Stage::total).sum();
    let ended = AtomicU64::new(0);
    let run = |mut stage: Stage| {
        let mut before = 0;
        loop {
            let goes_on = stage.advance(STRIDE);
            let more = stage.ended() - before;
            before += more;
            progress(Progress { ended: ended.fetch_add(more, Ordering::Relaxed) + more, total });
            if !goes_on {
                return stage.finish();
            }
        }
    };
    Report::new(scenario, seed, in_parallel(stages, run))
}

/// What `run` makes of each job, in the order of the jobs.
fn in_parallel<J: Send, R: Send>(jobs: Vec<J>, run: impl Fn(J) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    if threads <= 1 {
        return jobs.into_iter().map(run).collect();
    }
    let (jobs, results) = (Mutex::new(jobs.into_iter().enumerate()), Mutex::new(Vec::new()));
    let take = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, job)) = take() {
                    let result = run(job);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
