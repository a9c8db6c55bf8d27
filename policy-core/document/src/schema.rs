//! The JSON Schema of documents, for editors and for programs that make documents.

mod cursor;
mod help;

use schemars::generate::SchemaSettings;
use serde_json::Value;

pub use self::help::{Help, help};
use crate::shape::Shape;

/// The identity of the schema; editors are given its place by `$schema` in JSON or `#:schema` in TOML.
const ID: &str = "urn:refrain:policy-document:1";

/// The JSON Schema (draft 2020-12) of a document, as text. It knows every key, every word and every range, but no
/// contradiction: those are found by [`Document::parse`](crate::Document::parse).
///
/// ```
/// let schema: serde_json::Value = serde_json::from_str(&refrain_document::schema::text())?;
/// assert_eq!(schema["$id"], "urn:refrain:policy-document:1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn text() -> String {
    format!("{:#}\n", schema())
}

fn schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Shape>().to_value();
    tidy(&mut schema);
    if let Value::Object(members) = &mut schema {
        members.insert("$id".to_owned(), ID.into());
    }
    schema
}

/// Joins the lines of descriptions, and drops defaults of whole tables: editors show those of their keys.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if members.get("default").is_some_and(Value::is_object) {
                members.remove("default");
            }
            members.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}
