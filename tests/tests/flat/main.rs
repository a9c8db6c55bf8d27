//! Every vector through the core module alone, called as `wit/LAYOUT.md` says, without a component runtime.

mod glue;
mod layout;
#[path = "../vectors/mod.rs"]
mod vectors;

use std::{collections::HashMap, sync::Arc};

use conformance::{Component, Maker};
use policy_core::{
    Policy, Rules,
    slot::{self, SLOT_LEN, Slot},
};
use refrain::{DirectEngine, Engine};

use crate::glue::{Flat, Running};

#[test]
fn every_vector_holds_in_the_core_module() {
    vectors::check_all(&mut Cores::find());
}

#[test]
fn the_module_describes_its_policy() {
    let slot = slot();
    let engine = Cores::find().make(&slot).unwrap();
    assert_eq!(engine.description(), DirectEngine::from_slot(&slot).description());
}

#[test]
fn memory_that_there_is_not_is_refused_by_an_address_outside_and_the_next_call_is_answered() {
    let core = Cores::find().baked(&slot());
    let mut running = Running::new(&core);
    for align in [1, 2, 4, 8] {
        for len in [20 * 1024 + 1, 65_536, 1_000_000] {
            assert_eq!(running.place(&vec![b'1'; len], align), None, "{len} bytes, aligned to {align}");
        }
    }
    let engine = Flat::new(&core);
    let direct = DirectEngine::from_slot(&slot());
    assert!(engine.parse(&[b'1'; 30_000], None).is_err());
    for value in [&b"120"[..], b"", &[b'1'; 1_024], &[b'1'; 20_000]] {
        assert_eq!(engine.parse(value, None), direct.parse(value, None), "{} bytes", value.len());
    }
}

fn slot() -> Slot {
    Slot::new("tested", "1.0.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap()
}

/// The core module of the component, each policy baked into it.
struct Cores {
    core: Vec<u8>,
    engines: HashMap<[u8; SLOT_LEN], Arc<dyn Engine>>,
}

impl Cores {
    fn find() -> Self {
        let component = Component::find().unwrap_or_else(|error| panic!("{error}"));
        Self { core: component.core_module().unwrap(), engines: HashMap::new() }
    }

    fn baked(&self, slot: &Slot) -> Vec<u8> {
        let mut core = self.core.clone();
        slot::bake(&mut core, slot).unwrap();
        core
    }
}

impl Maker for Cores {
    fn make(&mut self, slot: &Slot) -> Result<Arc<dyn Engine>, String> {
        if !self.engines.contains_key(&slot.to_bytes()) {
            self.engines.insert(slot.to_bytes(), Arc::new(Flat::new(&self.baked(slot))));
        }
        Ok(Arc::clone(&self.engines[&slot.to_bytes()]))
    }
}
