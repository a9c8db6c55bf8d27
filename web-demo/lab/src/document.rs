//! What is said of documents.

use refrain_document::{Document, Format, explain::Explanation, ready as ready_made, schema};
use serde::Serialize;
use wasm_bindgen::{JsError, prelude::wasm_bindgen};

use crate::view;

/// Reads a document: JSON if it begins as JSON has to, else TOML.
pub(crate) fn read(text: &str) -> Result<Document, JsError> {
    let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
    Document::parse(text, format).map_err(|problems| JsError::new(problems.render(false).trim_end()))
}

/// The names of the ready-made policies.
#[wasm_bindgen(js_name = readyNames)]
#[must_use]
pub fn ready_names() -> Vec<String> {
    ready_made::names().map(str::to_owned).collect()
}

/// The document of a ready-made policy, in TOML.
#[wasm_bindgen]
#[must_use]
pub fn ready(name: &str) -> Option<String> {
    ready_made::find(name).map(|ready| ready.toml.to_owned())
}

/// A document explained: JSON of an `Explained` in `lab.ts`.
///
/// # Errors
/// What is wrong with the document.
#[wasm_bindgen]
pub fn explain(text: &str) -> Result<String, JsError> {
    let document = read(text)?;
    let Explanation { sentences, worst_case, .. } = Explanation::of(&document);
    view::json(&Explained {
        canonical: document.to_canonical_json(),
        sentences,
        cells: worst_case.to_cells(),
        note: worst_case.note(),
        summary: worst_case.summary(),
    })
}

#[derive(Serialize)]
struct Explained {
    canonical: String,
    sentences: Vec<String>,
    cells: Vec<Vec<String>>,
    note: Option<String>,
    summary: String,
}

/// What the schema says of the key at a place of a TOML text, counted in UTF-16 units as JavaScript does: JSON of a `Help` in
/// `lab.ts`.
///
/// # Errors
/// None that a text could cause.
#[wasm_bindgen]
pub fn help(text: &str, at: usize) -> Result<String, JsError> {
    view::json(&schema::help(text, bytes(text, at)))
}

/// The bytes that so many UTF-16 units take.
fn bytes(text: &str, units: usize) -> usize {
    let mut left = units;
    let before = text.chars().take_while(|character| {
        let fits = character.len_utf16() <= left;
        left -= if fits { character.len_utf16() } else { left };
        fits
    });
    before.map(char::len_utf8).sum()
}
