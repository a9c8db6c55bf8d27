//! The JSON Schema of documents, for editors and for programs that make documents.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::shape::Shape;

/// Where the schema is published.
const ID: &str = "https://refrain.dev/schema/policy-1.json";

/// The JSON Schema (draft 2020-12) of a document, as text.
#[must_use]
pub fn text() -> String {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Shape>();
    let _ = ID;
    format!("{:#}\n", schema.as_value())
}
#[allow(dead_code)]
fn unused(_: Value) {}
