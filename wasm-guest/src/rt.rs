//! What the bindings are made of, and what the canonical ABI and rustc ask of a module.

use core::{cell::UnsafeCell, mem::MaybeUninit, ptr::NonNull, slice};

use policy_core::FIELD_ROWS;

use crate::arena;

/// WIT's `option`.
#[repr(C, u8)]
pub(crate) enum Optional<T> {
    None,
    Some(T),
}

impl<T: Copy> Optional<T> {
    pub(crate) fn get(&self) -> Option<T> {
        match self {
            Self::None => None,
            Self::Some(value) => Some(*value),
        }
    }
}

impl<T: Copy + From<bool>> Optional<T> {
    /// Gives the tag the length that rustc's own option has, of which the host wrote one byte.
    pub(crate) fn settle(&mut self) {
        const { assert!(size_of::<Self>() == 2 * size_of::<T>()) };
        let tag = T::from(matches!(self, Self::Some(_)));
        // SAFETY: tag and padding are of the length of `T`, a number; all other bytes of `tag` are zero.
        unsafe { (&raw mut *self).cast::<T>().write(tag) }
    }
}

impl<T> From<Option<T>> for Optional<T> {
    fn from(option: Option<T>) -> Self {
        option.map_or(Self::None, Self::Some)
    }
}

/// WIT's `result`.
#[repr(C, u8)]
pub(crate) enum Fallible<T, E> {
    Ok(T),
    Err(E),
}

/// WIT's `list`. It lies in the arena, or in memory that stays as it is.
#[repr(C)]
pub(crate) struct List<T> {
    first: *const T,
    len: usize,
}

// SAFETY: a list is read only, and the target has no threads.
unsafe impl<T> Sync for List<T> {}

/// WIT's `string`.
pub(crate) type Text = List<u8>;

impl<T> List<T> {
    /// `len` elements from `first` on.
    pub(crate) const fn new(first: *const T, len: usize) -> Self {
        Self { first, len }
    }

    pub(crate) const fn of(elements: &'static [T]) -> Self {
        Self { first: elements.as_ptr(), len: elements.len() }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the host lowered that many elements there, and nothing writes to them before the call is over.
        unsafe { slice::from_raw_parts(self.first, self.len) }
    }

    /// Gives an empty list an address that a slice can have; the host may have written any. Then lends the elements.
    pub(crate) fn settle(&mut self) -> &mut [T] {
        if self.len == 0 {
            self.first = NonNull::dangling().as_ptr();
        }
        // SAFETY: the host lowered that many elements there, into memory that is this module's while a function runs.
        unsafe { slice::from_raw_parts_mut(self.first.cast_mut(), self.len) }
    }
}

/// Where a result, or a part of it, stands until the next call.
struct Place<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: an instance runs one call at a time, and the target has no threads.
unsafe impl<T> Sync for Place<T> {}

/// The largest result is a step, of 144 bytes.
type Result = [u64; 18];

static RESULT: Place<Result> = Place(UnsafeCell::new(MaybeUninit::uninit()));

/// A result, at the place where the host reads it.
#[repr(transparent)]
pub(crate) struct Given<T>(*const T);

/// Ends a call: its lists are dead, and the host reads the result.
pub(crate) fn give<T>(result: T) -> Given<T> {
    // SAFETY: the place is for a `T`.
    give_as(|place: *mut T| unsafe { place.write(result) })
}

/// As [`give`], for what is made where the host reads it. It must lie there as a `T` does, or become one.
///
/// The place is large enough and aligned for both, and nothing else refers to it: the host has read the result before it
/// calls again.
pub(crate) fn give_as<M, T>(make: impl FnOnce(*mut M)) -> Given<T> {
    const { assert!(size_of::<M>() <= size_of::<Result>() && align_of::<M>() <= align_of::<Result>()) };
    const { assert!(size_of::<T>() <= size_of::<Result>() && align_of::<T>() <= align_of::<Result>()) };
    arena::end_call();
    let place = RESULT.0.get();
    make(place.cast());
    Given(place.cast())
}

static LIST: Place<[Text; FIELD_ROWS]> = Place(UnsafeCell::new(MaybeUninit::uninit()));

/// A list in a result.
pub(crate) fn give_list(elements: impl Iterator<Item = Text>) -> List<Text> {
    let first = LIST.0.get().cast::<Text>();
    let mut len = 0;
    for element in elements.take(FIELD_ROWS) {
        // SAFETY: there is room for as many, and nothing refers to them: the host has read the result before it calls
        // again.
        unsafe { first.add(len).write(element) }
        len += 1;
    }
    List::new(first, len)
}

/// Where the host puts a list or parameters that do not fit the flat signature, before any function here runs.
///
/// The host writes to whatever address comes back. A null pointer is a valid address to it: a value that does not fit
/// would overwrite stack, data and slot. The last aligned address lies outside the one page that there is, so the host
/// refuses the call before it writes a byte.
#[unsafe(no_mangle)]
extern "C" fn cabi_realloc(_old: *mut u8, old_len: usize, align: usize, len: usize) -> *mut u8 {
    // Only a string whose length is not known beforehand grows, and no parameter is a string.
    let place = if old_len == 0 { arena::lower(len) } else { None };
    place.unwrap_or(core::ptr::without_provenance_mut(usize::MAX & !align.wrapping_sub(1)))
}

/// No message: it would bring text and its formatting into the module, and nobody could read it from outside.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
