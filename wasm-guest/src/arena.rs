//! Memory for what the host lowers: a stretch of bytes that is filled from its start in every call.
//!
//! A call goes: the host lowers parameters and lists (`cabi_realloc`, any number of times), calls the function, reads
//! the result. Nothing is freed: the end of a call is noted, and the first `cabi_realloc` after it begins at the start
//! again.
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

#[repr(C, align(8))]
struct Arena {
    bytes: UnsafeCell<[u8; SIZE]>,
    used: Cell<usize>,
    /// No call is under way: what was lowered is dead.
    ended: Cell<bool>,
}

// SAFETY: an instance runs one call at a time, and the target has no threads.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena { bytes: UnsafeCell::new([0; SIZE]), used: Cell::new(0), ended: Cell::new(false) };

/// Notes that a function has run.
pub(crate) fn end_call() {
    ARENA.ended.set(true);
}

/// Room for what the host lowers; `None` if there is not enough.
pub(crate) fn lower(len: usize) -> Option<*mut u8> {
    let at = if ARENA.ended.replace(false) { 0 } else { ARENA.used.get() };
    let end = at.checked_add(len).filter(|end| *end <= SIZE);
    ARENA.used.set(end.unwrap_or(0).next_multiple_of(ALIGN));
    // SAFETY: `at <= end <= SIZE`.
    end.map(|_| unsafe { ARENA.bytes.get().cast::<u8>().add(at) })
}
