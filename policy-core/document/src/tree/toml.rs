//! TOML into the tree.

use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

use super::{Entry, Node, Value};
use crate::problem::Problem;

pub(super) fn read(text: &str) -> Result<Node, Vec<Problem>> {
    // Only the first: what follows a broken line is mostly made up.
    let table = DeTable::parse(text).map_err(|error| problem(&error, text))?;
    Ok(Node { place: table.span(), value: Value::Table(entries(table.into_inner())) })
}

fn problem(error: &toml::de::Error, text: &str) -> Problem {
    let place = error.span().unwrap_or(text.len()..text.len());
    Problem::error(place, format!("this is no TOML: {}", error.message()))
}

fn entries(table: DeTable<'_>) -> Vec<Entry> {
    let entry = |(key, value): (Spanned<_>, _)| Entry {
        key_place: key.span(),
        key: std::borrow::Cow::into_owned(key.into_inner()),
        value: node(value),
    };
    table.into_iter().map(entry).collect()
}

fn node(spanned: Spanned<DeValue<'_>>) -> Node {
    let place = spanned.span();
    let value = match spanned.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Number(integer(&number)),
        DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
        DeValue::Boolean(value) => Value::Boolean(value),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect()),
        DeValue::Table(table) => Value::Table(entries(table)),
    };
    Node { place, value }
}

/// In decimal digits, whatever the radix that it is written in.
fn integer(number: &DeInteger<'_>) -> String {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(value) => value.to_string(),
        // Out of every range that a document has.
        Err(_) => number.to_string(),
    }
}
