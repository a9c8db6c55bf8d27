//! Turns of contenders, and what is learnt from them.

use std::{error::Error, fs};

use allocation_counter::AllocationInfo;
use rustix::time::{ClockId, Timespec, clock_gettime};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::server::Answers;

/// How often each contender has its turn, and how many requests it makes in one.
#[derive(Clone, Copy)]
pub(crate) struct Turns {
    pub(crate) count: u32,
    pub(crate) requests: u32,
}

impl Turns {
    /// Fewer where each request waits for a timer, whose milliseconds are most of what is measured.
    pub(crate) fn of(self, answers: Answers) -> Self {
        match answers {
            Answers::Success => self,
            Answers::BusyThenSuccess => Self { count: (self.count / 20).max(1), ..self },
        }
    }
}

/// Someone who makes requests.
pub(crate) struct Contender<'a> {
    name: &'static str,
    /// Makes the requests of a turn, by its number and theirs.
    turn: Box<dyn Fn(usize, u32) + 'a>,
}

impl<'a> Contender<'a> {
    /// `request` makes one in the turn of this number, and returns its status.
    pub(crate) fn new(name: &'static str, runtime: &'a Runtime, request: impl AsyncFn(usize) -> u16 + 'a) -> Self {
        let turn = move |turn, requests| {
            runtime.block_on(async {
                for _ in 0..requests {
                    assert_eq!(request(turn).await, 200, "a contender that fails is not measured");
                }
            });
        };
        Self { name, turn: Box::new(turn) }
    }

    /// Nanoseconds of this thread for one request, as a mean over a turn. Not those of the clock on the wall: what a network
    /// and timers take, and how much that scatters, is many times what is looked for.
    fn nanos(&self, turn: usize, requests: u32) -> f64 {
        let begun = thread_nanos();
        (self.turn)(turn, requests);
        (thread_nanos() - begun) / f64::from(requests)
    }

    /// Allocations of one request, on this thread.
    fn allocations(&self, requests: u32) -> f64 {
        let count = |requests| allocation_counter::measure(|| (self.turn)(0, requests)).count_total as f64;
        // What a turn costs by itself is in both.
        (count(2 * requests) - count(requests)) / f64::from(requests)
    }
}

/// How long this thread has run.
fn thread_nanos() -> f64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    tv_sec as f64 * 1e9 + tv_nsec as f64
}

/// All that was measured.
#[derive(Default)]
pub(crate) struct Measures(Vec<Value>);

impl Measures {
    /// Lets all contenders take turns; the first is the bare request. With words on the command line, only in groups that
    /// have one of them in their name.
    pub(crate) fn compare(&mut self, group: &str, turns: Turns, contenders: &[Contender<'_>]) {
        let mut wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).peekable();
        if wanted.peek().is_some() && !wanted.any(|part| group.contains(&part)) {
            return;
        }
        println!("\n{group}: {} turns of {} requests", turns.count, turns.requests);
        println!("{:<32} {:>11} {:>11} {:>12} {:>9}", "", "ns", "added, ns", "allocations", "added");
        let times = times(turns, contenders);
        let (bare, others) = contenders.split_first().expect("a group has a bare request");
        let bare_allocations = bare.allocations(turns.requests);
        for (contender, nanos) in contenders.iter().zip(&times) {
            let allocations = contender.allocations(turns.requests);
            let added = median(nanos.iter().zip(&times[0]).map(|(nanos, bare)| nanos - bare));
            let (name, more) = (contender.name, allocations - bare_allocations);
            println!(
                "{name:<32} {:>11.0} {added:>11.0} {allocations:>12.2} {more:>9.2}",
                median(nanos.iter().copied())
            );
            if others.iter().any(|other| other.name == name) {
                let compared = format!("{group}: {}", bare.name);
                self.add(&format!("{group}: {name}, added time"), added, "ns", Some(&compared));
                self.add(&format!("{group}: {name}, added allocations"), more, "allocations", Some(&compared));
            }
        }
    }

    pub(crate) fn add(&mut self, name: &str, value: f64, unit: &str, compared_with: Option<&str>) {
        self.0.push(json!({ "name": name, "value": value, "unit": unit, "compared_with": compared_with }));
    }

    /// Writes them where the environment says, if it says so.
    pub(crate) fn write(self) -> Result<(), Box<dyn Error>> {
        if let Some(file) = std::env::var_os("REFRAIN_MEASURES") {
            let lines: String = self.0.iter().map(|measure| format!("{measure}\n")).collect();
            fs::write(file, lines)?;
        }
        Ok(())
    }
}

/// For each contender, the nanoseconds of a request in each turn.
fn times(turns: Turns, contenders: &[Contender<'_>]) -> Vec<Vec<f64>> {
    for contender in contenders {
        (contender.turn)(0, turns.requests);
    }
    let mut times = vec![Vec::new(); contenders.len()];
    for turn in 0..turns.count as usize {
        // Each begins as often as the others: who follows whom makes a difference too.
        for at in (0..contenders.len()).map(|at| (at + turn) % contenders.len()) {
            times[at].push(contenders[at].nanos(turn, turns.requests));
        }
    }
    times
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Bytes that are allocated and not yet freed after `work`, on this thread.
pub(crate) fn bytes_kept(work: impl FnOnce()) -> i64 {
    let AllocationInfo { bytes_current, .. } = allocation_counter::measure(work);
    bytes_current
}
