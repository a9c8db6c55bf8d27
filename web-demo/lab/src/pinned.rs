//! Artifacts.

use refrain_document::{Artifact, artifact};
use wasm_bindgen::{JsError, prelude::wasm_bindgen};

use crate::document;

/// A policy baked into the policy component: what `refrain pin` writes, byte for byte.
#[wasm_bindgen]
pub struct Pinned(Artifact);

#[wasm_bindgen]
impl Pinned {
    /// Bakes a document into a template, the bytes that `cargo xtask guest` builds.
    ///
    /// # Errors
    /// What is wrong with the document, or with the template.
    pub fn bake(template: &[u8], document: &str) -> Result<Pinned, JsError> {
        let document = document::read(document)?;
        let bytes = artifact::pin(template, &document)?;
        Ok(Self(Artifact::load(bytes)?))
    }

    /// Name of the policy.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.0.slot().name().to_owned()
    }

    /// Version of the policy.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.0.slot().version().to_owned()
    }

    /// The file.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.bytes().to_vec()
    }

    /// SHA-256 of the file, in hexadecimal digits.
    #[wasm_bindgen(getter)]
    pub fn digest(&self) -> String {
        self.0.digest().to_string()
    }

    /// SHA-256 of the core module in it, in hexadecimal digits.
    #[wasm_bindgen(getter, js_name = coreDigest)]
    pub fn core_digest(&self) -> String {
        self.0.core_digest().to_string()
    }
}
