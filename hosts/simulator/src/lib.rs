//! A fleet of HTTP clients on virtual time: what a retry policy does to a server.
//!
//! The clients are hosts like any other: each logical request is carried through the core, [`policy_core::Execution`],
//! which decides every wait and every end. What is simulated is what lies around it: arrivals, a network, a server with
//! workers, a queue and troubles, and clocks. So what is seen here is what the policy does elsewhere.
//!
//! ```
//! use refrain_simulator::{SCENARIOS, Scenario, simulate};
//! let (_, outage) = SCENARIOS[0];
//! let scenario = Scenario::parse(outage)?.with_clients(200)?;
//! let report = simulate(&scenario, scenario.seed(), &|_| ());
//! assert!(report.runs.iter().all(|run| run.requests == 200));
//! # Ok::<(), refrain_simulator::ScenarioError>(())
//! ```
#![forbid(unsafe_code)]

mod contender;
mod draw;
mod fleet;
mod limiter;
mod micros;
#[cfg(feature = "plot")]
mod plot;
mod queue;
mod report;
mod run;
mod scenario;
mod server;
mod simulation;
mod stage;
mod tally;

#[cfg(feature = "plot")]
pub use self::plot::{Chart, Line, PlotError, Scale};
pub use self::{
    contender::{Contender, Nesting},
    report::{Ended, Load, Ratio, Report, Run, Waiting},
    run::{Progress, simulate},
    scenario::{SCENARIOS, Scenario, ScenarioError},
    simulation::{Simulation, SoFar},
};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
