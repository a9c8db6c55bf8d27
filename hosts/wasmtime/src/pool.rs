//! Instances of one component, so that many threads call at once.
//!
//! A call takes an instance, holds it for as long as it runs, and puts it back; there are never more instances at work
//! than threads that call. Nobody waits for an instance: where none is idle, one is made (a few microseconds). An
//! instance whose call failed is dropped, since nobody knows what it left in its memory, and a trap has killed it anyway.
//!
//! Idle instances lie in shards. A thread always uses the same shard, so threads seldom meet at a lock; a shard keeps a
//! few instances, for threads that share it, and drops the rest.

use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, MutexGuard, PoisonError,
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

/// Idle instances that a shard keeps.
const IDLE_MAX: usize = 4;

pub(crate) struct Pool {
    component: RefrainPre<Limits>,
    shards: Vec<Mutex<Vec<Instance>>>,
}

impl Pool {
    /// Compiles the component and links it, with nothing.
    pub(crate) fn new(component: &[u8]) -> wasmtime::Result<Self> {
        let engine = Engine::new(&limits::config())?;
        let component = Component::new(&engine, component)?;
        let component = RefrainPre::new(Linker::new(&engine).instantiate_pre(&component)?)?;
        let shards = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Self { component, shards: (0..shards).map(|_| Mutex::default()).collect() })
    }

    /// Calls `function`, whose name is for the error, on an instance of its own.
    pub(crate) fn call<R>(
        &self,
        function: &str,
        call: impl FnOnce(&Guest, &mut Store<Limits>) -> wasmtime::Result<R>,
    ) -> Result<R, EngineError> {
        let idle = self.shard().pop();
        let mut instance = match idle {
            Some(instance) => instance,
            None => Instance::new(&self.component).map_err(|error| limits::instance_error(&error))?,
        };
        let result = instance.call(call).map_err(|error| limits::call_error(function, &error))?;
        self.keep(instance);
        Ok(result)
    }

    /// Instances that are not at work.
    pub(crate) fn idle(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    fn keep(&self, instance: Instance) {
        let mut shard = self.shard();
        if shard.len() < IDLE_MAX {
            shard.push(instance);
        }
    }

    /// The shard of this thread.
    fn shard(&self) -> MutexGuard<'_, Vec<Instance>> {
        lock(&self.shards[thread_number() % self.shards.len()])
    }
}

/// Nothing that holds the lock can leave the list half changed.
fn lock(shard: &Mutex<Vec<Instance>>) -> MutexGuard<'_, Vec<Instance>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers the threads that call, from 0.
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}

pub(crate) struct Instance {
    store: Store<Limits>,
    exports: Refrain,
}

impl Instance {
    /// An instance without fuel: code that would run before the first call is refused.
    pub(crate) fn new(component: &RefrainPre<Limits>) -> wasmtime::Result<Self> {
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
