//! What the schema says of a key, for people who write a document.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::Value;

use super::cursor;

static SCHEMA: LazyLock<Value> = LazyLock::new(super::schema);

/// What may stand at a place of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Help {
    /// The key with its tables, such as `limits.deadline`; empty for the document itself.
    pub key: String,
    /// What it means.
    pub description: String,
    /// What its values are: one word or phrase for each kind, values in backticks.
    pub values: Vec<String>,
    /// Its value where it is left out, as it is written in TOML; `None` if there is none, or if the description says it.
    pub default: Option<String>,
    /// The keys of a table, in alphabetical order.
    pub keys: Vec<String>,
}

/// What the schema says of the key at a byte of a TOML text, or of the innermost table around it that it knows. The text
/// need not be sound: it may be half written.
///
/// ```
/// use refrain_document::schema;
/// let help = schema::help("[limits]\nmax_att", 12);
/// assert_eq!((help.key.as_str(), help.keys.contains(&"max_attempts".to_owned())), ("limits", true));
/// let help = schema::help("[limits]\ndeadline = ", 20);
/// assert_eq!((help.key.as_str(), help.default.as_deref()), ("limits.deadline", Some("\"2m\"")));
/// ```
#[must_use]
pub fn help(text: &str, offset: usize) -> Help {
    let (mut node, mut known) = (&*SCHEMA, Vec::new());
    for key in cursor::path(text, offset) {
        let Some(below) = property(node, &key) else { break };
        node = below;
        known.push(key);
    }
    let kinds = kinds(node);
    let of_kind = || kinds.iter().find_map(|kind| string(kind, "description"));
    Help {
        key: known.join("."),
        description: string(node, "description").or_else(of_kind).unwrap_or_default(),
        values: values(node),
        default: node.get("default").map(written),
        keys: kinds
            .iter()
            .filter_map(|kind| kind["properties"].as_object())
            .flat_map(|keys| keys.keys().cloned())
            .collect(),
    }
}

/// What stands under a key of a table, or of the tables in a list.
fn property<'a>(node: &'a Value, key: &str) -> Option<&'a Value> {
    kinds(node).into_iter().find_map(|kind| match kind.get("items") {
        Some(items) => property(items, key),
        None => kind.get("properties")?.get(key),
    })
}

/// What a value can be: the node itself, what it refers to, and each of its alternatives.
fn kinds(node: &Value) -> Vec<&Value> {
    if let Some(name) = node["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        return kinds(&SCHEMA["$defs"][name]);
    }
    match node["anyOf"].as_array() {
        Some(alternatives) => alternatives.iter().flat_map(kinds).collect(),
        None => vec![node],
    }
}

/// The kinds of values of a key, and of those that are written by a pattern examples.
fn values(node: &Value) -> Vec<String> {
    // Alternatives that differ in their range alone have their type from what they are alternatives of.
    let mut values: Vec<_> = kinds(node).into_iter().filter_map(|kind| value(kind, &node["type"])).collect();
    let referred = node["$ref"].as_str().and_then(|name| SCHEMA["$defs"].get(name.rsplit('/').next()?));
    let examples = [Some(node), referred].into_iter().flatten().find_map(|node| node["examples"].as_array());
    if let Some(examples) = examples {
        let examples: Vec<_> = examples.iter().map(quoted).collect();
        values.push(format!("for example {}", examples.join(", ")));
    }
    values
}

/// `None` for a text that is written by a pattern, of which no reader learns anything.
fn value(kind: &Value, of_all: &Value) -> Option<String> {
    if let Some(only) = kind.get("const") {
        return Some(quoted(only));
    }
    if let Some(words) = kind["enum"].as_array() {
        return Some(words.iter().map(quoted).collect::<Vec<_>>().join(", "));
    }
    match kind["type"].as_str().or(of_all.as_str())? {
        "boolean" => Some("`true`, `false`".to_owned()),
        "integer" => Some(format!("a whole number{}", range(kind))),
        "number" => Some(format!("a number{}", range(kind))),
        "array" => Some(format!("a list of: {}", values(&kind["items"]).join("; "))),
        "object" => Some("a table".to_owned()),
        _ => (kind.get("pattern").is_none()).then(|| "a text".to_owned()),
    }
}

/// The range of a number, unless it is as large as numbers are.
fn range(kind: &Value) -> String {
    const LARGE: u64 = 1 << 40;
    match (&kind["minimum"], &kind["maximum"]) {
        (Value::Number(least), Value::Number(most)) if most.as_u64().is_none_or(|most| most < LARGE) => {
            format!(" from {least} to {most}")
        }
        _ => String::new(),
    }
}

/// A value as TOML has it: words, numbers and lists are written as in JSON.
fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn quoted(value: &Value) -> String {
    format!("`{}`", written(value))
}

fn string(node: &Value, key: &str) -> Option<String> {
    node[key].as_str().map(str::to_owned)
}
