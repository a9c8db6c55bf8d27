//! Makes an engine for the policy of a vector.

use std::{collections::HashMap, env, fs, path::Path, sync::Arc};

use policy_core::slot::{self, SLOT_LEN, Slot};
use refrain::{DirectEngine, Engine};
use refrain_wasmtime::{Artifact, WasmtimeEngine};

/// Makes engines of one kind.
pub trait Maker {
    /// An engine that decides by the policy of `slot`.
    ///
    /// # Errors
    /// In words.
    fn make(&mut self, slot: &Slot) -> Result<Arc<dyn Engine>, String>;
}

/// The core, linked in.
#[derive(Debug, Default)]
pub struct Native;

impl Maker for Native {
    fn make(&mut self, slot: &Slot) -> Result<Arc<dyn Engine>, String> {
        Ok(Arc::new(DirectEngine::from_slot(slot)))
    }
}

/// The core as a component in wasmtime, each policy baked into it.
pub struct Component {
    bytes: Vec<u8>,
    /// Many vectors share a policy, and compiling costs far more than a decision.
    engines: HashMap<[u8; SLOT_LEN], Arc<dyn Engine>>,
}

impl Component {
    /// Reads the component: the file that `REFRAIN_COMPONENT` names, else `refrain/refrain.wasm` in the target folder.
    ///
    /// # Errors
    /// A file that cannot be read; the message says how it is made.
    pub fn find() -> Result<Self, String> {
        let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let path = match env::var_os("REFRAIN_COMPONENT") {
            Some(path) => path.into(),
            None => workspace.join(target).join("refrain/refrain.wasm"),
        };
        let bytes = fs::read(&path).map_err(|error| {
            format!("cannot read the component `{}` ({error}); `cargo xtask guest` builds it", path.display())
        })?;
        Ok(Self { bytes, engines: HashMap::new() })
    }

    /// The core module in the component.
    ///
    /// # Errors
    /// In words, if the component is refused.
    pub fn core_module(&self) -> Result<Vec<u8>, String> {
        let artifact = Artifact::load(&*self.bytes).map_err(|error| error.to_string())?;
        Ok(artifact.core_module().to_vec())
    }

    fn load(&self, slot: &Slot) -> Result<Arc<dyn Engine>, String> {
        let mut bytes = self.bytes.clone();
        slot::bake(&mut bytes, slot).map_err(|error| error.to_string())?;
        let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
        Ok(Arc::new(WasmtimeEngine::new(&artifact).map_err(|error| error.to_string())?))
    }
}

impl Maker for Component {
    fn make(&mut self, slot: &Slot) -> Result<Arc<dyn Engine>, String> {
        let key = slot.to_bytes();
        if let Some(engine) = self.engines.get(&key) {
            return Ok(Arc::clone(engine));
        }
        let engine = self.load(slot)?;
        self.engines.insert(key, Arc::clone(&engine));
        Ok(engine)
    }
}
