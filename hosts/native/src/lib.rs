//! Retries for HTTP clients in Rust: one policy that gives the same answer everywhere.

mod engine;

pub use engine::{Description, DirectEngine, Engine, EngineError, State, Step};
pub use policy_core as core;
