//! The conformance vectors of Refrain and what runs them.
//!
//! A vector is data: a policy, an input, and what must come out. [`check`] runs one against any
//! [`Engine`](refrain::Engine), so every host passes the same vectors unchanged; `README.md` beside this crate is the
//! contract that a runner in another language follows. [`cases`] reads cases in the format of public collections and
//! judges an engine by them without writing code.

pub mod cases;
mod check;
pub mod embedded;
mod engines;
mod host;
pub mod layout;
mod observe;
mod policy;
pub mod recorded;
pub mod schema;
mod steps;
mod vector;

pub use check::{Mismatch, check, observe, observe_by};
pub use engines::{Component, Maker, Native};
pub use policy::{BackoffSpec, BudgetSpec, FieldSpec, HintSpec, JitterSpec, PolicySpec};
pub use vector::{
    Answer, Baked, Call, Failure, NowSpec, Parse, RequestSpec, Response, Script, Skip, Step, Steps, Vector, VectorFile,
    WallJump, load_all,
};
