//! The slot of the baked policy, as the running module sees it.

use core::{
    cell::{Cell, UnsafeCell},
    mem::MaybeUninit,
};

use policy_core::{
    Policy,
    slot::{self, MAGIC, SLOT_LEN},
};

/// The magic, and a filling that the linker cannot leave out of the file as it would zeros.
static PLACE: [u8; SLOT_LEN] = {
    let mut bytes = [0xff; SLOT_LEN];
    let (magic, _) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(&MAGIC);
    bytes
};

/// Read volatile, so that the compiler cannot take the bytes above for the ones that will stand there.
static PLACE_AT: &[u8; SLOT_LEN] = &PLACE;

struct Cache {
    filled: Cell<bool>,
    policy: UnsafeCell<MaybeUninit<Policy>>,
}

// SAFETY: an instance runs one call at a time, and the target has no threads.
unsafe impl Sync for Cache {}

static CACHE: Cache = Cache { filled: Cell::new(false), policy: UnsafeCell::new(MaybeUninit::uninit()) };

/// The bytes of the slot.
pub(crate) fn bytes() -> &'static [u8; SLOT_LEN] {
    // SAFETY: the static is a valid reference.
    unsafe { (&raw const PLACE_AT).read_volatile() }
}

/// The baked policy, decoded and checked at the first call of an instance. Traps if there is none.
pub(crate) fn policy() -> &'static Policy {
    if !CACHE.filled.get() {
        fill();
    }
    // SAFETY: it is filled, and nothing writes to it from then on.
    unsafe { (*CACHE.policy.get()).assume_init_ref() }
}

#[cold]
fn fill() {
    let Ok(policy) = slot::policy(bytes()) else { core::arch::wasm32::unreachable() };
    // SAFETY: no reference to it exists before it is filled.
    unsafe { (*CACHE.policy.get()).write(policy) };
    CACHE.filled.set(true);
}
