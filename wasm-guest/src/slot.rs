//! The slot of the baked policy, as the running module sees it.

use core::{
    cell::{Cell, UnsafeCell},
    mem::MaybeUninit,
};

use policy_core::slot::{MAGIC, SLOT_LEN, Slot};

/// The magic, and a filling that the linker cannot leave out of the file as it would zeros.
static PLACE: [u8; SLOT_LEN] = {
    let mut bytes = [0xff; SLOT_LEN];
    let (magic, _) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(&MAGIC);
    bytes
};

/// Read volatile, so that the compiler cannot take the bytes above for the ones that will stand there.
static PLACE_AT: &[u8; SLOT_LEN] = &PLACE;

/// A slot that was read.
pub(crate) struct Baked {
    /// The bytes.
    pub(crate) bytes: &'static [u8; SLOT_LEN],
    /// What they say.
    pub(crate) slot: Slot,
}

struct Cache {
    filled: Cell<bool>,
    baked: UnsafeCell<MaybeUninit<Baked>>,
}

// SAFETY: a component's instance runs one call at a time, and the target has no threads.
unsafe impl Sync for Cache {}

static CACHE: Cache = Cache { filled: Cell::new(false), baked: UnsafeCell::new(MaybeUninit::uninit()) };

/// The baked policy, decoded and checked at the first call of an instance. Traps if there is none.
pub(crate) fn read() -> &'static Baked {
    if !CACHE.filled.get() {
        fill();
    }
    // SAFETY: it is filled, and nothing writes to it from then on.
    unsafe { (*CACHE.baked.get()).assume_init_ref() }
}

#[cold]
fn fill() {
    // SAFETY: the static is a valid reference.
    let bytes = unsafe { (&raw const PLACE_AT).read_volatile() };
    let Ok(slot) = Slot::after_magic(bytes) else { core::arch::wasm32::unreachable() };
    // SAFETY: no reference to it exists before it is filled.
    unsafe { (*CACHE.baked.get()).write(Baked { bytes, slot }) };
    CACHE.filled.set(true);
}
