//! What `wit/policy.wit` is in Rust; nothing else.
#![allow(unreachable_pub)]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "refrain",
    ownership: Borrowing { duplicate_if_necessary: false },
});
