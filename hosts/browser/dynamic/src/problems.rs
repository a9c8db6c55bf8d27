//! The problems of a document, for JavaScript.

use refrain_document::Problems;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

use crate::output::object;

#[wasm_bindgen]
extern "C" {
    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "Problem")]
    pub type Problem;
}

/// All problems, in the order of their places. Line and column count from 1.
pub(crate) fn list(problems: &Problems) -> Vec<Problem> {
    let shown = problems.iter().map(|problem| {
        let position = problems.position(&problem.place);
        let members = object([
            ("severity", problem.severity.name().into()),
            ("line", count(position.line)),
            ("column", count(position.column)),
            ("message", problem.message.as_str().into()),
            ("help", problem.help.as_deref().map_or(JsValue::NULL, JsValue::from)),
        ]);
        members.unchecked_into()
    });
    shown.collect()
}

#[expect(clippy::cast_precision_loss, reason = "a document has 64 KiB at most")]
fn count(count: usize) -> JsValue {
    (count as f64).into()
}
