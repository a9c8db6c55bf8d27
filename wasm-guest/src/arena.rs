//! Memory for lists: a stretch of bytes that is filled from its start in every call.
//!
//! A call goes: the host lowers lists (`cabi_realloc`, any number of times), calls the function, reads the result. Then
//! everything that was allocated is dead. So nothing is ever freed; instead [`enter`] notes that the function runs, and
//! the first `cabi_realloc` after that belongs to the next call and begins at the start again.
//!
//! No call can poison the next one:
//! - A refusal ends the call that it belongs to before any function runs, so it empties the arena itself.
//! - A host that gives up in the middle of lowering, without a refusal, leaves its lists behind. The next call's lists
//!   come after them; if these do not fit, they are refused and the call after that finds the arena empty.
//! - A trap ends the instance.

use core::{
    alloc::{GlobalAlloc, Layout},
    cell::{Cell, UnsafeCell},
    mem::MaybeUninit,
};

/// What the host may fill: 16 fields of 1,024 bytes, their list, and the parameters themselves.
const FOR_HOST: usize = 20 * 1024;

/// The bindings turn each field of 12 bytes into one of 16, so a third more than the host filled is enough: no list
/// that the host was allowed to lower can make an allocation in here fail.
const SIZE: usize = FOR_HOST + FOR_HOST / 3 * 4 + 1024;

struct Arena {
    bytes: UnsafeCell<[MaybeUninit<u8>; SIZE]>,
    used: Cell<usize>,
    /// A function ran since the last list was lowered.
    entered: Cell<bool>,
}

// SAFETY: a component's instance runs one call at a time, and the target has no threads.
unsafe impl Sync for Arena {}

#[global_allocator]
static ARENA: Arena =
    Arena { bytes: UnsafeCell::new([MaybeUninit::uninit(); SIZE]), used: Cell::new(0), entered: Cell::new(false) };

/// Says that a function with lists among its parameters runs.
pub(crate) fn enter() {
    ARENA.entered.set(true);
}

/// Says that a function runs for which nothing was lowered, so that all of the arena is free.
pub(crate) fn enter_without_lists() {
    ARENA.used.set(0);
    enter();
}

/// Room for what the host lowers; `None` if there is not enough.
pub(crate) fn lower(len: usize, align: usize) -> Option<*mut u8> {
    if ARENA.entered.replace(false) {
        ARENA.used.set(0);
    }
    let place = ARENA.take(len, align, FOR_HOST);
    if place.is_none() {
        ARENA.used.set(0);
    }
    place
}

/// Room for what a function makes.
pub(crate) fn allocate(layout: Layout) -> *mut u8 {
    // Trapping here keeps the standard library's message about it out of the module.
    ARENA.take(layout.size(), layout.align(), SIZE).unwrap_or_else(|| core::arch::wasm32::unreachable())
}

impl Arena {
    fn take(&self, len: usize, align: usize, limit: usize) -> Option<*mut u8> {
        let start = self.bytes.get() as usize;
        let at = (start + self.used.get()).next_multiple_of(align) - start;
        let end = at.checked_add(len)?;
        if end > limit {
            return None;
        }
        self.used.set(end);
        // SAFETY: `at <= end <= limit <= SIZE`.
        Some(unsafe { self.bytes.get().cast::<u8>().add(at) })
    }
}

// SAFETY: places are aligned, inside `bytes` and disjoint until the next call begins, when none is in use.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocate(layout)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
