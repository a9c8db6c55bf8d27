//! Values of fields, as JavaScript hands them over.

use js_sys::Array;
use policy_core::{FIELD_MAX, FIELDS_MAX, Field};
use wasm_bindgen::JsValue;

/// The values of the fields of a response that are there, with their positions.
pub(crate) fn fields(values: &Array) -> Vec<(u8, Vec<u8>)> {
    let values = values.iter().take(FIELDS_MAX).zip(0..);
    let there = values.filter_map(|(value, index): (JsValue, u8)| Some((index, bytes_of(&value.as_string()?))));
    there.collect()
}

pub(crate) fn lent(values: &[(u8, Vec<u8>)]) -> Vec<Field<'_>> {
    values.iter().map(|(index, value)| Field { index: *index, value }).collect()
}

/// The characters of a value, each of which is a byte, cut to what is handed over; one that is none becomes a byte that no
/// hint is written with.
pub(crate) fn bytes_of(value: &str) -> Vec<u8> {
    value.encode_utf16().take(FIELD_MAX).map(|unit| u8::try_from(unit).unwrap_or(u8::MAX)).collect()
}
