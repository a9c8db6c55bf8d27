//! The slot of the baked policy, as the running module sees it.

use core::cell::Cell;

use policy_core::{
    Policy,
    slot::{self, MAGIC, SLOT_LEN},
};

/// Aligned as the policy in it asks.
#[repr(C, align(8))]
struct Place([u8; SLOT_LEN]);

/// The magic, and a filling that the linker cannot leave out of the file as it would zeros.
static PLACE: Place = {
    let mut bytes = [0xff; SLOT_LEN];
    let (magic, _) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(&MAGIC);
    Place(bytes)
};

/// Read volatile, so that the compiler cannot take the bytes above for the ones that will stand there.
static PLACE_AT: &Place = &PLACE;

/// Whether the slot was found whole, once for an instance.
struct Verified(Cell<bool>);

// SAFETY: an instance runs one call at a time, and the target has no threads.
unsafe impl Sync for Verified {}

static VERIFIED: Verified = Verified(Cell::new(false));

/// The bytes of the slot.
pub(crate) fn bytes() -> &'static [u8; SLOT_LEN] {
    // SAFETY: the static is a valid reference.
    let place: &'static Place = unsafe { (&raw const PLACE_AT).read_volatile() };
    &place.0
}

/// The baked policy, where it lies. Traps if there is none, or if it is damaged.
pub(crate) fn policy() -> &'static Policy {
    let bytes = bytes();
    if !VERIFIED.0.get() {
        if slot::verify(bytes).is_err() {
            core::arch::wasm32::unreachable()
        }
        VERIFIED.0.set(true);
    }
    let policy = slot::policy_bytes(bytes);
    // SAFETY: there are `size_of::<Policy>()` bytes, aligned since place and offset are, never written to, and any bytes
    // are a policy: all its parts are integers, which this target keeps little end first as the slot does.
    unsafe { &*policy.as_ptr().cast::<Policy>() }
}
