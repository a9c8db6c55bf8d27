//! What the canonical ABI and rustc ask of a module, and the generated bindings of their runtime.

extern crate alloc;

pub(crate) use alloc::{string::String, vec::Vec};
use core::alloc::Layout;

use crate::arena;

/// Where the host puts a list or parameters that do not fit the flat signature, before any function here runs.
///
/// The host writes to whatever address comes back. A null pointer is a valid address to it: a value that does not fit
/// would overwrite stack, data and slot. The last aligned address lies outside the one page that there is, so the host
/// refuses the call before it writes a byte.
///
/// # Safety
/// None is needed of the caller; the signature is the canonical ABI's.
#[unsafe(no_mangle)]
unsafe extern "C" fn cabi_realloc(_old: *mut u8, old_len: usize, align: usize, len: usize) -> *mut u8 {
    // Only a string whose length is not known beforehand grows, and no parameter is a string.
    let place = if old_len == 0 { arena::lower(len, align) } else { None };
    place.unwrap_or(core::ptr::without_provenance_mut(usize::MAX & !align.wrapping_sub(1)))
}

/// Room for a list that is being returned; the bindings want it with a guard that frees it unless it is forgotten.
pub(crate) struct Cleanup;

impl Cleanup {
    /// Without a guard: nothing is ever freed.
    pub(crate) fn new(layout: Layout) -> (*mut u8, Option<Self>) {
        (arena::allocate(layout), None)
    }

    pub(crate) fn forget(self) {}
}

/// No message: its text would be a fifth of the module, and nobody could read it from outside.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
