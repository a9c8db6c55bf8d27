//! Instances of one component, so that many threads call at once.
//!
//! An instance lies in a slot, whose lock a call holds for as long as it runs. A thread begins at a slot of its own, so
//! threads seldom meet, and goes on to the next where another thread is at work. Nobody waits: an empty slot is filled
//! with a new instance (a few microseconds), and where all slots are taken, a call gets an instance that lives no longer.
//!
//! An instance whose call failed is dropped, since nobody knows what it left in its memory, and a trap has killed it
//! anyway.

use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, MutexGuard, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use refrain::EngineError;
use wasmtime::{
    Engine, Store,
    component::{Component, Linker},
};

use crate::{
    bindings::{Refrain, RefrainPre, exports::refrain::policy::policy::Guest},
    limits::{self, Limits},
};

/// Slots for each thread that the machine runs at once; a thread that was interrupted keeps its slot meanwhile.
const SLOTS_PER_CPU: usize = 2;

pub(crate) struct Pool {
    component: RefrainPre<Limits>,
    slots: Vec<Mutex<Option<Instance>>>,
}

impl Pool {
    /// Compiles the component and links it, with nothing.
    pub(crate) fn new(component: &[u8]) -> wasmtime::Result<Self> {
        let engine = Engine::new(&limits::config())?;
        let component = Component::new(&engine, component)?;
        let component = RefrainPre::new(Linker::new(&engine).instantiate_pre(&component)?)?;
        let slots = SLOTS_PER_CPU * thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Self { component, slots: (0..slots).map(|_| Mutex::default()).collect() })
    }

    /// Calls `function`, whose name is for the error, on an instance that nobody else uses meanwhile.
    pub(crate) fn call<R>(
        &self,
        function: &str,
        call: impl FnOnce(&Guest, &mut Store<Limits>) -> wasmtime::Result<R>,
    ) -> Result<R, EngineError> {
        let mut slot = self.free_slot();
        let mut instance = match slot.as_mut().and_then(|slot| slot.take()) {
            Some(instance) => instance,
            None => Instance::new(&self.component).map_err(|error| limits::instance_error(&error))?,
        };
        let result = instance.call(call).map_err(|error| limits::call_error(function, &error))?;
        if let Some(slot) = &mut slot {
            **slot = Some(instance);
        }
        Ok(result)
    }

    fn free_slot(&self) -> Option<MutexGuard<'_, Option<Instance>>> {
        let (others, own) = self.slots.split_at(thread_number() % self.slots.len());
        own.iter().chain(others).find_map(|slot| match slot.try_lock() {
            Ok(slot) => Some(slot),
            // A panic during a call has left the slot empty.
            Err(TryLockError::Poisoned(slot)) => Some(slot.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        })
    }
}

/// Numbers the threads that call, from 0.
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}

struct Instance {
    store: Store<Limits>,
    exports: Refrain,
}

impl Instance {
    /// An instance without fuel: code that would run before the first call is refused.
    fn new(component: &RefrainPre<Limits>) -> wasmtime::Result<Self> {
        let mut store = Store::new(component.engine(), Limits);
        store.limiter(|limits| limits);
        store.set_hostcall_fuel(limits::RETURNED);
        let exports = component.instantiate(&mut store)?;
        Ok(Self { store, exports })
    }

    fn call<R>(&mut self, call: impl FnOnce(&Guest, &mut Store<Limits>) -> wasmtime::Result<R>) -> wasmtime::Result<R> {
        self.store.set_fuel(limits::FUEL)?;
        call(self.exports.refrain_policy_policy(), &mut self.store)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::made::KEEP;

    /// Makes `calls` calls, each while the one before it runs.
    fn nest(pool: &Pool, calls: usize) -> Result<(), EngineError> {
        pool.call("describe", |guest, store| {
            guest.call_describe(store)?;
            if calls > 1 { nest(pool, calls - 1).map_err(Into::into) } else { Ok(()) }
        })
    }

    fn instances(pool: &Pool) -> usize {
        pool.slots.iter().filter(|slot| slot.lock().is_ok_and(|slot| slot.is_some())).count()
    }

    #[test]
    fn more_calls_at_once_than_slots_are_answered_and_no_more_instances_are_kept_than_slots() {
        let pool = Pool::new(&KEEP.encode()).unwrap();
        nest(&pool, 1).unwrap();
        assert_eq!(instances(&pool), 1);
        nest(&pool, pool.slots.len() + 2).unwrap();
        assert_eq!(instances(&pool), pool.slots.len());
    }

    #[test]
    fn a_panic_during_a_call_leaves_the_slot_usable() {
        let mut pool = Pool::new(&KEEP.encode()).unwrap();
        pool.slots.truncate(1);
        let panicking = AssertUnwindSafe(|| pool.call::<()>("describe", |_, _| panic!("as the test wants it")));
        assert!(catch_unwind(panicking).is_err());
        nest(&pool, 1).unwrap();
        assert!(pool.free_slot().is_some_and(|slot| slot.is_some()), "the instance of the second call is kept");
    }
}
