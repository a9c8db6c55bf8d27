//! One tree for both formats, in which everything knows its place.

mod json;
mod toml;

use std::fmt;

use crate::{
    format::Format,
    problem::{Place, Problem},
};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    /// As it was written, so that no rounding stands between the document and the policy.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// A date or time, which only TOML has.
    Date,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: Place,
    pub(crate) value: Node,
}

/// Reads `text` as far as its format goes; a document has a table at its root.
pub(crate) fn read(text: &str, format: Format) -> Result<Node, Vec<Problem>> {
    match format {
        Format::Toml => toml::read(text),
        Format::Json => json::read(text),
    }
}

/// What it is, for the end of a sentence "expected …, found".
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::Null => f.write_str("`null`"),
            Value::Boolean(value) => write!(f, "`{value}`"),
            Value::Number(text) => write!(f, "`{text}`"),
            Value::Text(text) if reads_as_another_kind(text) => write!(f, "the text `{text}`"),
            Value::Text(text) => write!(f, "`{}`", text.escape_debug()),
            Value::List(_) => f.write_str("a list"),
            Value::Table(_) => f.write_str("a table"),
            Value::Date => f.write_str("a date"),
        }
    }
}

/// Whether without its quotes it would be something else.
fn reads_as_another_kind(text: &str) -> bool {
    text.parse::<f64>().is_ok() || ["true", "false", "null"].contains(&text)
}
