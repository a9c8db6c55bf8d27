//! The scalars of the written form.

use std::borrow::Cow;

use policy_core::{Millis, Thousandths, Tokens};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::Spelling;
use crate::{draft::replay::named, duration, value::NONE};

/// A span of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Span {
    Text(String),
    Millis(u64),
}

/// A span of time, or none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Limit(Span);

/// A number with at most three decimals, kept as thousandths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(u32);

impl Span {
    pub(super) fn new(span: Millis, spelling: Spelling) -> Self {
        match spelling {
            Spelling::Canonical => Self::Millis(span.get()),
            Spelling::People => Self::Text(duration::written(span)),
        }
    }
}

impl Limit {
    pub(super) fn new(limit: Option<Millis>, spelling: Spelling) -> Self {
        Self(limit.map_or_else(|| Span::Text(NONE.to_owned()), |span| Span::new(span, spelling)))
    }
}

impl From<Thousandths> for Number {
    fn from(factor: Thousandths) -> Self {
        Self(factor.get())
    }
}

impl From<Tokens> for Number {
    fn from(tokens: Tokens) -> Self {
        Self(tokens.thousandths())
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % 1_000 {
            0 => serializer.serialize_u32(self.0 / 1_000),
            // The shortest decimal that means this double is the number of thousandths itself.
            _ => serializer.serialize_f64(f64::from(self.0) / 1_000.0),
        }
    }
}

/// What [`duration::parse`] reads: whole numbers from the longest unit to the shortest, of which the last may have a
/// fraction.
const SPAN_PATTERN: &str = r"^(([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?|[0-9]+\.[0-9]+d|([0-9]+d)?[0-9]+\.[0-9]+h|([0-9]+d)?([0-9]+h)?[0-9]+\.[0-9]+m|([0-9]+d)?([0-9]+h)?([0-9]+m)?[0-9]+\.[0-9]+s|([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?[0-9]+\.0+ms)$";

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A span of time: numbers and units, or whole milliseconds.",
            "anyOf": [written_span(), millis()],
            "examples": ["250ms", "1.5s", "2m", "1h30m", 500],
        })
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A span of time, as numbers and units or as whole milliseconds; \"none\" for no limit.",
            "anyOf": [{ "type": "string", "const": NONE }, written_span(), millis()],
            "examples": ["none", "30s", "1h30m", 500],
        })
    }
}

fn written_span() -> Schema {
    json_schema!({ "type": "string", "minLength": 2, "pattern": SPAN_PATTERN })
}

fn millis() -> Schema {
    json_schema!({ "type": "integer", "minimum": 0, "maximum": Millis::MAX.get() - 1 })
}

impl JsonSchema for Number {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

pub(super) fn multiplier(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "number",
        "anyOf": [{ "const": 1 }, { "minimum": 1.1, "maximum": 100 }],
        "default": 2,
    })
}

/// The words of a table of words.
pub(super) fn words<T, const N: usize>(table: &[(&'static str, T); N]) -> [&'static str; N] {
    std::array::from_fn(|at| table[at].0)
}

pub(super) fn one_of<const N: usize>(names: [&str; N]) -> serde_json::Value {
    serde_json::json!({ "type": "string", "enum": names.as_slice() })
}

pub(super) fn methods() -> serde_json::Value {
    let names: Vec<_> = named().into_iter().map(|(name, _)| name).collect();
    serde_json::json!({ "type": "string", "enum": names })
}

/// The word that has this meaning.
pub(super) fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], meaning: T) -> &'static str {
    words.iter().find(|(_, has)| *has == meaning).map_or("", |(word, _)| word)
}
