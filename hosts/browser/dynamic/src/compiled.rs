//! A policy, ready to decide.

use js_sys::Array;
use policy_core::{
    Execution, UnixMillis,
    retry_after::{self, RetryAfter},
    slot::{SLOT_LEN, Slot},
};
use refrain_document::{Document, Format};
use wasm_bindgen::{JsError, JsValue, prelude::wasm_bindgen};

use crate::{
    block::{Answer, Given, NOW_OF_HANDLE, NOW_OF_START},
    input,
    number::whole,
    output,
    problems::{self, Problem},
};

/// A policy, ready to decide.
#[wasm_bindgen]
pub struct Compiled {
    slot: Slot,
    document: Option<Document>,
}

#[wasm_bindgen]
impl Compiled {
    /// Compiles a document.
    ///
    /// # Errors
    /// All its problems, as a list.
    pub fn compile(text: &str, is_json: bool) -> Result<Compiled, JsValue> {
        let format = if is_json { Format::Json } else { Format::Toml };
        let document = Document::parse(text, format).map_err(|found| problems::list(&found))?;
        Ok(Self { slot: document.slot(), document: Some(document) })
    }

    /// Takes the policy of an artifact's slot.
    ///
    /// # Errors
    /// What of it is no slot.
    #[wasm_bindgen(js_name = fromSlot)]
    pub fn from_slot(bytes: &[u8]) -> Result<Compiled, JsError> {
        let length = || JsError::new(&format!("expected a slot of {SLOT_LEN} bytes, found {}", bytes.len()));
        let slot = Slot::from_bytes(bytes.try_into().map_err(|_| length())?);
        Ok(Self { slot: slot.map_err(|error| JsError::new(&error.to_string()))?, document: None })
    }

    /// Name of the policy.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.slot.name().to_owned()
    }

    /// Version of the policy.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.slot.version().to_owned()
    }

    /// The response fields that a host hands over, in lower case.
    #[wasm_bindgen(getter)]
    pub fn fields(&self) -> Vec<String> {
        self.slot.policy().fields().map(str::to_owned).collect()
    }

    /// Tokens that a new budget begins with, in thousandths.
    #[wasm_bindgen(getter)]
    pub fn budget(&self) -> Option<u32> {
        self.slot.policy().budget().map(|budget| budget.capacity.thousandths())
    }

    /// The most sends of one logical request.
    #[wasm_bindgen(getter, js_name = maxAttempts)]
    pub fn max_attempts(&self) -> u32 {
        self.slot.policy().rules().max_attempts
    }

    /// The compiled policy.
    #[wasm_bindgen(getter)]
    pub fn policy(&self) -> Vec<u8> {
        self.slot.policy().to_bytes().to_vec()
    }

    /// The document in canonical JSON; absent for the policy of a slot.
    #[wasm_bindgen(getter)]
    pub fn json(&self) -> Option<String> {
        self.document.as_ref().map(Document::to_canonical_json)
    }

    /// What only hosts need to know; absent for the policy of a slot.
    #[wasm_bindgen(getter)]
    pub fn host(&self) -> Option<output::HostSettings> {
        self.document.as_ref().map(Document::host).map(output::host)
    }

    /// What is accepted but probably not meant.
    #[wasm_bindgen(getter)]
    pub fn warnings(&self) -> Vec<Problem> {
        self.document.as_ref().map(|document| problems::list(document.warnings())).unwrap_or_default()
    }

    /// Reads a Retry-After value.
    pub fn parse(&self, value: &str, wall: Option<f64>) -> output::RetryAfter {
        let value = input::bytes_of(value);
        let wall = wall.and_then(whole).map(UnixMillis::new);
        match retry_after::parse(&value, self.slot.policy().dates(), wall) {
            Ok(RetryAfter::DelaySeconds(seconds)) => output::delay_seconds(seconds),
            Ok(RetryAfter::At(second)) => output::at(second),
            Err(error) => output::refused(error.reason.code()),
        }
    }

    /// Begins, joins or resumes a logical request.
    pub fn start(&self, block: &mut [u8]) {
        let given = Given(block);
        let step = Execution::start(self.slot.policy(), &given.request(), &given.now(NOW_OF_START));
        Answer(block).step(&step);
    }

    /// Goes on. `values` are those of the fields, at their positions.
    pub fn handle(&self, block: &mut [u8], values: &Array) {
        let values = input::fields(values);
        let fields = input::lent(&values);
        let given = Given(block);
        let now = given.now(NOW_OF_HANDLE);
        let step = given.execution().handle(self.slot.policy(), given.event(&fields), &now);
        Answer(block).step(&step);
    }
}
