//! The policy core as a WebAssembly component: four exports, no import.
//!
//! `bindings` is generated from `wit/`, `convert` turns its types into the core's and back, `slot` holds the baked
//! policy, `arena` is the memory for lists, `rt` is what the canonical ABI asks of a module.
//!
//! Only `wasm32-unknown-unknown` links it; `cargo xtask guest` builds it. Elsewhere the crate is empty.
#![cfg(target_family = "wasm")]
#![no_std]

#[allow(missing_docs, unreachable_pub)]
#[rustfmt::skip]
mod bindings;

mod arena;
mod convert;
mod rt;
mod slot;

use bindings::exports::refrain::policy::policy as wit;
use policy_core::{Execution, retry_after};

struct Component;

bindings::export!(Component with_types_in bindings);

impl wit::Guest for Component {
    fn describe() -> wit::Description {
        arena::enter_without_lists();
        convert::description(slot::read())
    }

    fn parse(value: rt::Vec<u8>, now: Option<wit::UnixMillis>) -> Result<wit::RetryAfter, wit::HintCode> {
        arena::enter();
        let dates = slot::read().slot.policy().rules().hint.dates;
        convert::parsed(retry_after::parse(&value, dates, convert::wall(now)))
    }

    fn start(request: wit::Request, now: wit::Now) -> wit::Step {
        arena::enter();
        let policy = slot::read().slot.policy();
        convert::step(Execution::start(policy, &convert::request(&request), &convert::now(&now)))
    }

    fn handle(execution: wit::Execution, event: wit::Event, now: wit::Now) -> wit::Step {
        arena::enter();
        let policy = slot::read().slot.policy();
        let now = convert::now(&now);
        convert::step(match Execution::from_words(convert::words(&execution)) {
            Some(execution) => convert::with_event(&event, |event| execution.handle(policy, event, &now)),
            None => Execution::malformed(&now),
        })
    }
}
