//! The policy core as a WebAssembly component: four exports, no import.
//!
//! `bindings` is generated from `wit/`, `convert` turns its types into the core's and back, `slot` holds the baked
//! policy, `arena` is the memory for lists, `rt` is what the bindings and the canonical ABI ask of a module.
//!
//! Only `wasm32-unknown-unknown` links it; `cargo xtask guest` builds it. Elsewhere the crate is empty.
#![cfg(target_family = "wasm")]
#![no_std]

mod arena;
#[rustfmt::skip]
mod bindings;
mod convert;
mod rt;
mod slot;

use bindings as wit;
use policy_core::{Execution, retry_after};
use rt::{Fallible, Given, List, Optional};

struct Component;

impl wit::Guest for Component {
    fn describe() -> Given<wit::Description> {
        convert::description(slot::policy(), slot::bytes())
    }

    fn parse(value: &List<u8>, now: &Optional<wit::UnixMillis>) -> Given<Fallible<wit::RetryAfter, wit::HintCode>> {
        let dates = slot::policy().dates();
        convert::parsed(retry_after::parse(value.as_slice(), dates, convert::wall(now)))
    }

    fn start(request: &wit::Request, now: &wit::Now) -> Given<wit::Step> {
        convert::step(&Execution::start(slot::policy(), &convert::request(request), &convert::now(now)))
    }

    fn handle(execution: &wit::Execution, event: &wit::Event, now: &wit::Now) -> Given<wit::Step> {
        let now = convert::now(now);
        let execution = convert::execution(execution);
        let step = convert::with_event(event, |event| execution.handle(slot::policy(), event, &now));
        convert::step(&step)
    }
}
