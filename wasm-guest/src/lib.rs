//! The policy core as a WebAssembly component: four exports, no import.
//!
//! `bindings` is generated from `wit/`, `convert` turns its types into the core's and back, which `alike` proves to lie
//! in memory alike, `slot` holds the baked policy, `arena` is the memory for lists, `rt` is what the bindings and the
//! canonical ABI ask of a module.
//!
//! Only `wasm32-unknown-unknown` links it; `cargo xtask guest` builds it. Elsewhere the crate is empty.
#![cfg(target_family = "wasm")]
#![no_std]

mod alike;
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

    fn start(request: &mut wit::Request, now: &mut wit::Now) -> Given<wit::Step> {
        let (policy, now) = (slot::policy(), convert::now(now));
        convert::step(&Execution::new(policy, convert::request(request), now), None, policy, now)
    }

    fn handle(execution: &mut wit::Execution, event: &mut wit::Event, now: &mut wit::Now) -> Given<wit::Step> {
        let (policy, now) = (slot::policy(), convert::now(now));
        convert::step(convert::execution(execution), Some(convert::event(event)), policy, now)
    }
}
