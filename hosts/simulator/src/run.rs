//! Runs a scenario: a fleet for each number of clients and each policy.

use std::{
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use crate::{
    contender::Contender,
    fleet::Fleet,
    report::{Report, Run},
    scenario::Scenario,
};

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
    let jobs: Vec<_> = scenario
        .client_counts()
        .iter()
        .flat_map(|clients| scenario.contenders().iter().map(move |contender| (*clients, contender)))
        .collect();
    let each = u64::from(scenario.requests) * u64::from(scenario.repeats);
    let total = jobs.iter().map(|(clients, _)| u64::from(*clients) * each).sum();
    let ended = AtomicU64::new(0);
    let run = |&(clients, contender): &(u32, &Contender)| {
        let fleet = |repeat: u32| {
            let mut before = 0;
            let mut report = |so_far: u64| {
                let more = so_far - before;
                before = so_far;
                progress(Progress { ended: ended.fetch_add(more, Ordering::Relaxed) + more, total });
            };
            Fleet::new(scenario, clients, contender, seed.wrapping_add(repeat.into())).run(&mut report)
        };
        let first = fleet(0);
        let tally = (1..scenario.repeats).fold(first, |mut tally, repeat| {
            tally.add(fleet(repeat));
            tally
        });
        Run::new(contender, clients, scenario.repeats, tally)
    };
    Report {
        scenario: scenario.name().to_owned(),
        description: scenario.description().to_owned(),
        seed,
        runs: in_parallel(&jobs, run),
    }
}

/// What `run` makes of each job, in the order of the jobs.
fn in_parallel<J: Sync, R: Send>(jobs: &[J], run: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    if threads <= 1 {
        return jobs.iter().map(run).collect();
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, job)) = take(jobs, &next) {
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

fn take<'a, J>(jobs: &'a [J], next: &AtomicUsize) -> Option<(usize, &'a J)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(at).map(|job| (at, job))
}
