//! Memory for what the host lowers: a stretch of bytes that is filled from its start in every call.
//!
//! A call goes: the host lowers parameters and lists (`cabi_realloc`, any number of times), calls the function, reads
//! the result. Nothing is freed: at the end of a call the whole stretch is free again.
//!
//! No call can poison the next one:
//! - A refusal ends the call that it belongs to before any function runs, so it empties the arena itself.
//! - A host that gives up in the middle of lowering, without a refusal, leaves its lists behind. The next call's lists
//!   come after them; if these do not fit, they are refused and the call after that finds the arena empty.
//! - A trap ends the instance.

use core::cell::{Cell, UnsafeCell};

/// Sixteen fields of 1,024 bytes, their list and the parameters, and a fifth more. A longer value is the core's to
/// refuse as long as it fits here.
const SIZE: usize = 20 * 1024;

/// No type of the interface is aligned to more.
const ALIGN: usize = align_of::<u64>();

#[repr(C)]
struct Arena {
    // First, since the code names its address often, and low ones are short.
    used: Cell<usize>,
    words: UnsafeCell<[u64; SIZE / ALIGN]>,
}

// SAFETY: an instance runs one call at a time, and the target has no threads.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena { used: Cell::new(0), words: UnsafeCell::new([0; SIZE / ALIGN]) };

/// A function has run: what was lowered for it is dead.
pub(crate) fn end_call() {
    ARENA.used.set(0);
}

/// Room for what the host lowers; `None` if there is not enough.
pub(crate) fn lower(len: usize) -> Option<*mut u8> {
    let at = ARENA.used.get();
    let end = at.checked_add(len).filter(|end| *end <= SIZE);
    ARENA.used.set(end.unwrap_or(0).next_multiple_of(ALIGN));
    // SAFETY: `at <= end <= SIZE`.
    end.map(|_| unsafe { ARENA.words.get().cast::<u8>().add(at) })
}
