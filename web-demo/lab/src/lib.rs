//! What the web demo computes: the simulator, and what is said of policy documents and baked of them.
//!
//! `cargo xtask web` turns it into the module and the glue in `src/generated` of the web demo. What has many members crosses
//! as JSON; `src/lab.ts` there names them. Nothing is computed here: every number comes from `refrain-simulator`, every word
//! and byte from `refrain-document`.

mod document;
mod pinned;
mod simulation;
mod view;

pub use document::{explain, help, ready, ready_names};
pub use pinned::Pinned;
pub use simulation::{Finished, Simulation, scenarios, written};
