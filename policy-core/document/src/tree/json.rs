//! JSON into the tree.

use std::collections::HashMap;

use jsonc_parser::{CollectOptions, ParseOptions, ast, common::Ranged, errors::ParseError, parse_to_ast};

use super::{Entry, Node, Value};
use crate::problem::{Place, Problem};

/// What `serde_json` takes; the parser that knows places is laxer about white space and control characters.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn read(text: &str) -> Result<Node, Vec<Problem>> {
    check(text)?;
    let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT).map_err(|error| problem(&error))?;
    let root = parsed.value.ok_or_else(|| Problem::error(0..text.len(), "expected a JSON object, found nothing"))?;
    let mut twice = Vec::new();
    let root = node(root, &mut twice);
    if twice.is_empty() { Ok(root) } else { Err(twice) }
}

/// Refuses whatever RFC 8259 does not allow. Nothing at all is left to the caller.
fn check(text: &str) -> Result<(), Problem> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Err(error) if !text.is_empty() => {
            let (message, place) = (error.to_string(), offset(text, error.line(), error.column()));
            let what = message.rsplit_once(" at line ").map_or(&*message, |(what, _)| what);
            Err(Problem::error(place, format!("this is no JSON: {what}")))
        }
        _ => Ok(()),
    }
}

/// The letter at a line and a byte in it, both from 1 (byte 0: the end of the line before); the end of the text, if it is
/// behind that.
fn offset(text: &str, line: usize, column: usize) -> Place {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = text.floor_char_boundary((line_start + column).saturating_sub(1));
    let letter = text[at..].chars().next().map_or(0, char::len_utf8);
    at..at + letter
}

fn problem(error: &ParseError) -> Problem {
    let what = error.kind().to_string();
    let mut letters = what.chars();
    let what: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    Problem::error(place(error.range()), format!("this is no JSON: {what}"))
}

fn place(range: jsonc_parser::common::Range) -> Place {
    range.start..range.end
}

fn node(value: ast::Value<'_>, twice: &mut Vec<Problem>) -> Node {
    let place = place(value.range());
    let value = match value {
        ast::Value::StringLit(text) => Value::Text(text.value.into_owned()),
        ast::Value::NumberLit(number) => Value::Number(number.value.to_owned()),
        ast::Value::BooleanLit(boolean) => Value::Boolean(boolean.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(items) => Value::List(items.elements.into_iter().map(|item| node(item, twice)).collect()),
        ast::Value::Object(object) => Value::Table(entries(object, twice)),
    };
    Node { place, value }
}

fn entries(object: ast::Object<'_>, twice: &mut Vec<Problem>) -> Vec<Entry> {
    let (mut entries, mut places) = (Vec::new(), HashMap::new());
    for property in object.properties {
        let key_place = place(property.name.range());
        let key = property.name.into_string();
        if let Some(first) = places.get(&key) {
            let problem =
                Problem::error(key_place.clone(), format!("the key `{}` stands here twice", key.escape_debug()));
            twice.push(problem.also(Some(Place::clone(first)), "here first"));
        } else {
            places.insert(key.clone(), key_place.clone());
        }
        entries.push(Entry { key, key_place, value: node(property.value, twice) });
    }
    entries
}
