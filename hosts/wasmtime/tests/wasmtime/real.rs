//! The policy component as it is built, beside the core that it was built from.

use std::{env, fs, path::Path};

use policy_core::{Policy, Rules, slot::Slot};
use refrain::DirectEngine;
use refrain_wasmtime::{Artifact, WasmtimeEngine};

/// The component with these rules in its slot, and the same rules linked in.
pub(crate) fn engines(rules: Rules) -> (WasmtimeEngine, DirectEngine) {
    let slot = Slot::new("tested", "1.0.0", Policy::new(rules).unwrap()).unwrap();
    let mut bytes = component();
    policy_core::slot::bake(&mut bytes, &slot).unwrap();
    let engine = WasmtimeEngine::new(&Artifact::load(bytes).unwrap()).unwrap();
    (engine, DirectEngine::from_slot(&slot))
}

/// The file that `REFRAIN_COMPONENT` names, else the one in the target folder.
pub(crate) fn component() -> Vec<u8> {
    let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let path = match env::var_os("REFRAIN_COMPONENT") {
        Some(path) => path.into(),
        None => workspace.join(target).join("refrain/refrain.wasm"),
    };
    fs::read(&path).unwrap_or_else(|error| {
        panic!("cannot read the component `{}` ({error}); `cargo xtask guest` builds it", path.display())
    })
}
