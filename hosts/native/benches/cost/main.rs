//! What a request costs beside what it costs without retries, and beside other retry layers: time of the processor,
//! allocations, memory.
//!
//! Contenders take turns within one run and are compared turn by turn, so that a noisy machine disturbs all of them alike.
//! The first of a group is the bare request; what the others add to it is what they cost.
//!
//! `cargo bench -p refrain --bench cost --features middleware,tower [-- --quick]`; with `REFRAIN_MEASURES` set to a file, the
//! measures are written there too, a line of JSON each.

mod contenders;
mod loopback;
mod measure;
mod memory;
mod server;
mod waiting;

use std::error::Error;

use measure::{Measures, Turns};

fn main() -> Result<(), Box<dyn Error>> {
    let quick = std::env::args().any(|arg| arg == "--quick");
    let turns = if quick { Turns { count: 10, requests: 20 } } else { Turns { count: 400, requests: 100 } };
    let mut measures = Measures::default();
    memory::compare(turns, &mut measures)?;
    loopback::compare(turns, &mut measures)?;
    waiting::measure(if quick { 10_000 } else { 1_000_000 }, &mut measures)?;
    measures.write()
}
