//! The policy component again, with bindings by `wit-bindgen`: a second opinion on the shipped guest, for tests only.
//!
//! The shipped guest reads and writes the canonical ABI with types of its own. This one has the same world, core and
//! slot, and nothing else in common: owned types, an allocator, and code that moves every value across the boundary.
//! `tests/tests/reference.rs` demands the same answers from both.
//!
//! Only `wasm32-unknown-unknown` links it; `cargo xtask test` builds it. Elsewhere the crate is empty.
#![cfg(target_family = "wasm")]
#![no_std]

extern crate alloc;

mod convert;
// What the slot holds is not in question, only how values cross the boundary.
#[path = "../../src/slot.rs"]
mod slot;

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use bindings::exports::refrain::policy::policy as wit;
use policy_core::{Execution, UnixMillis, retry_after};
use talc::wasm::WasmArenaTalc;

#[allow(missing_docs, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ path: "../../wit", world: "refrain" });
}

struct Component;

bindings::export!(Component with_types_in bindings);

impl wit::Guest for Component {
    fn describe() -> wit::Description {
        convert::description(slot::policy(), slot::bytes())
    }

    fn parse(value: Vec<u8>, now: Option<wit::UnixMillis>) -> Result<wit::RetryAfter, wit::HintCode> {
        let dates = slot::policy().dates();
        convert::parsed(retry_after::parse(&value, dates, now.map(UnixMillis::new)))
    }

    fn start(request: wit::Request, now: wit::Now) -> wit::Step {
        Execution::start(slot::policy(), &request.into(), &now.into()).into()
    }

    fn handle(execution: wit::Execution, event: wit::Event, now: wit::Now) -> wit::Step {
        let now = now.into();
        let execution = Execution::from_words(execution.into());
        convert::with_event(&event, |event| execution.handle(slot::policy(), event, &now)).into()
    }
}

/// Room for what crosses the boundary: a host grants one page, so the heap stands in it and cannot grow.
const HEAP: usize = 40 * 1024;

#[global_allocator]
static ALLOCATOR: WasmArenaTalc = {
    static mut MEMORY: [MaybeUninit<u8>; HEAP] = [MaybeUninit::uninit(); HEAP];
    // SAFETY: nothing else refers to it.
    unsafe { talc::wasm::new_wasm_arena_allocator(&raw mut MEMORY) }
};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
