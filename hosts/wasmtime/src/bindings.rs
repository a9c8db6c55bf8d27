//! What `wit/policy.wit` is in Rust; nothing else.
#![allow(missing_docs, unreachable_pub, clippy::all)]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "refrain",
    ownership: Borrowing { duplicate_if_necessary: false },
});
