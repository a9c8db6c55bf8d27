//! A scenario that runs piece by piece, for who shows it meanwhile or may stop it.

use std::sync::Arc;

use serde::Serialize;

use crate::{
    report::{Load, Report},
    run::Progress,
    scenario::Scenario,
    stage::Stage,
};

/// Events of one run before another goes on.
const TURN: u64 = 1 << 14;

/// A scenario under way, on one thread: it goes on when it is told to, and who drops it stops it.
///
/// All policies go forward in time together, so that what they have done so far can be compared. In the end the report is
/// that of [`simulate`](crate::simulate), byte for byte.
///
/// ```
/// use refrain_simulator::{SCENARIOS, Scenario, Simulation};
/// let scenario = Scenario::parse(SCENARIOS[0].1)?.with_clients(200)?;
/// let mut simulation = Simulation::new(scenario, 1);
/// while simulation.advance(1_000) {
///     println!("{} attempts so far", simulation.so_far().iter().map(|run| run.sends).sum::<u64>());
/// }
/// assert_eq!(simulation.finish().runs.len(), 3);
/// # Ok::<(), refrain_simulator::ScenarioError>(())
/// ```
pub struct Simulation {
    scenario: Arc<Scenario>,
    seed: u64,
    stages: Vec<Stage>,
}

/// What a run has come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SoFar {
    /// The policy's label.
    pub policy: String,
    /// Clients.
    pub clients: u32,
    /// How far the fleet has come, in milliseconds of virtual time; 0 if it has not begun or has come to its end.
    pub now_ms: u64,
    /// Logical requests that have ended.
    pub ended: u64,
    /// Logical requests that there are.
    pub total: u64,
    /// Attempts that clients sent.
    pub sends: u64,
    /// Load over time.
    pub load: Load,
}

impl Simulation {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(scenario: Scenario, seed: u64) -> Self {
        let scenario = Arc::new(scenario);
        let stages = Stage::all(&scenario, seed);
        Self { scenario, seed, stages }
    }

    /// Lets about this many events happen, a quarter of a microsecond each on a fast machine. Whether there are more.
    pub fn advance(&mut self, events: u64) -> bool {
        for _ in 0..events.div_ceil(TURN) {
            // Who lags behind goes on.
            let Some(stage) = self.stages.iter_mut().filter(|stage| !stage.is_done()).min_by_key(|stage| stage.now())
            else {
                return false;
            };
            stage.advance(TURN.min(events));
        }
        self.stages.iter().any(|stage| !stage.is_done())
    }

    /// How many requests of all runs have ended.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let sum = |count: fn(&Stage) -> u64| self.stages.iter().map(count).sum();
        Progress { ended: sum(Stage::ended), total: sum(Stage::total) }
    }

    /// What the runs have come to, in the order of the report.
    #[must_use]
    pub fn so_far(&self) -> Vec<SoFar> {
        self.stages.iter().map(Stage::so_far).collect()
    }

    /// Lets all that is left happen, and reports.
    #[must_use]
    pub fn finish(self) -> Report {
        let runs = self.stages.into_iter().map(Stage::finish).collect();
        Report::new(&self.scenario, self.seed, runs)
    }
}
