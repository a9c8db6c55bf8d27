//! One retry policy that gives the same answer everywhere.
//!
//! This crate parses what a server said (Retry-After), decides (retry, defer, stop), and runs the state machine of one
//! logical request. It never sleeps, reads no clock, draws no random number, sees no URL, body or credential; it does not
//! allocate, uses no floating point, and does not panic. What it knows is in its arguments; a host supplies clock,
//! randomness, sleep and transport and carries out the [`Command`] that comes back.
//!
//! ```text
//! field values ──▶ RetryAfter ──▶ Hint ──▶ Decision ──▶ Command ──▶ host action
//! ```
//!
//! Nothing points back: a parser never sees a policy, a decision never sees a command, the state machine never parses.
//!
//! Start at [`Execution`]; [`Rules`] is what can be chosen.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::float_arithmetic,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

mod backoff;
mod budget;
mod call;
mod classify;
mod command;
mod compiled;
mod days;
mod decision;
mod event;
mod execution;
mod failure;
mod field;
mod field_list;
pub mod hint;
mod host;
pub mod http_date;
#[cfg(not(target_family = "wasm"))]
mod imf_fixdate;
mod interruption;
mod outcome;
mod pause;
mod policy;
mod random;
mod request;
#[cfg(not(target_family = "wasm"))]
mod retry;
pub mod retry_after;
mod rules;
pub mod slot;
mod state;
mod status;
mod step;
mod time;
#[cfg(not(target_family = "wasm"))]
mod word;

// What goes into and out of the state machine is `repr(C)`, its parts in the order of `wit/policy.wit`: the component takes
// it as a host wrote it. The guest's `alike.rs` refuses to compile where they differ.
pub use backoff::{Backoff, Draw, Jitter, Thousandths};
pub use budget::{Budget, BudgetRules, Cost, Tokens};
pub use classify::{Class, Disposition};
pub use command::{Command, Wait};
pub use compiled::BODY_LEN;
pub use decision::{Decision, Situation, decide};
pub use event::{Attempt, Event, FIELDS_MAX, Field, Network, Now};
pub use failure::{FailureKind, FailureSet};
pub use field::{BadValue, HintField, Unit};
pub use field_list::{HINT_FIELDS_MAX, HintFields, ROWS as FIELD_ROWS};
pub use host::{BudgetScope, KeyForm};
pub use http_date::DateRules;
pub use outcome::{Bound, End, HandOver, HintReport, Outcome, Resume};
pub use policy::Policy;
pub use random::Sample;
pub use request::{IdempotencyKey, Limits, Method, MethodSet, Request};
pub use retry_after::FIELD_MAX;
pub use rules::{DeadlineScope, HintMode, HintRules, Offline, PolicyError, Rules, Unreadable};
pub use state::Execution;
pub use status::StatusSet;
pub use step::Step;
pub use time::{Mark, Millis, Session, UnixMillis};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
