//! What a policy component may use, and how it is told when it wanted more.

use std::fmt;

use refrain::EngineError;
use wasmtime::{Config, Inlining, ResourceLimiter, Trap};

/// Fuel for one call, in wasmtime's units (about one an instruction). A usual decision takes some 2,000, one on the
/// slowest field value some 140,000.
pub(crate) const FUEL: u64 = 1_000_000;

/// Bytes of linear memory: one page.
const MEMORY: usize = 64 * 1_024;

/// Bytes of native stack; threads with a small stack of their own can call.
const STACK: usize = 64 * 1_024;

/// Entries of one table, for a guest that calls indirectly.
const TABLE: usize = 64;

/// Bytes that the host allocates for what one call returns. Lists that overlap in the guest are counted one by one, so
/// this is no consequence of [`MEMORY`].
pub(crate) const RETURNED: usize = 64 * 1_024;

/// How components are compiled and run.
pub(crate) fn config() -> Config {
    let mut config = Config::new();
    config
        .concurrency_support(false)
        // The guest is built for size; what it left as calls is inlined here, which makes a decision a tenth faster.
        .compiler_inlining(Inlining::Yes)
        .consume_fuel(true)
        .max_wasm_stack(STACK)
        .wasm_backtrace_max_frames(None)
        .wasm_relaxed_simd(false)
        .wasm_simd(false)
        .wasm_tail_call(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false);
    config
}

/// The data of every store: holds the component to one memory of one page.
pub(crate) struct Limits;

impl ResourceLimiter for Limits {
    fn memory_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        within(desired, MEMORY, "bytes of memory")
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        within(desired, TABLE, "table entries")
    }

    fn instances(&self) -> usize {
        4
    }

    fn tables(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }
}

/// An error ends the call; `false` would let the guest go on without what it asked for.
fn within(desired: usize, limit: usize, unit: &'static str) -> wasmtime::Result<bool> {
    if desired <= limit { Ok(true) } else { Err(Exceeded { limit, unit }.into()) }
}

#[derive(Debug)]
struct Exceeded {
    limit: usize,
    unit: &'static str,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} {}", self.limit, self.unit)
    }
}

impl std::error::Error for Exceeded {}

/// Why a call of `function` failed.
#[cold]
pub(crate) fn call_error(function: &str, error: &wasmtime::Error) -> EngineError {
    match error.downcast_ref() {
        Some(Trap::OutOfFuel) => EngineError::LimitReached(format!("`{function}` used more than {FUEL} units of fuel")),
        Some(Trap::StackOverflow) => {
            EngineError::LimitReached(format!("`{function}` used more than {STACK} bytes of stack"))
        }
        Some(trap) => EngineError::Trapped(format!("`{function}`: {trap}")),
        None if error.is::<Exceeded>() => EngineError::LimitReached(format!("`{function}` asked for {error}")),
        None => EngineError::Trapped(format!("`{function}`: {error:#}")),
    }
}

/// Why no instance could be made.
#[cold]
pub(crate) fn instance_error(error: &wasmtime::Error) -> EngineError {
    if error.is::<Exceeded>() {
        EngineError::LimitReached(format!("an instance asked for {error}"))
    } else {
        EngineError::Unavailable(format!("{error:#}"))
    }
}
