//! What an engine made of a value, as JSON: the members that a vector's `expect` may name. Of a step, recordings have the
//! same, and so it is `refrain` that says it.

use policy_core::{HintReport, retry_after::RetryAfter};
use serde_json::{Map, Value, json};

/// Of a value that was read or refused.
pub(crate) fn parsed(result: Result<RetryAfter, HintReport>) -> Map<String, Value> {
    match result {
        // As text: a JSON number beyond 2^53 is not the same everywhere.
        Ok(RetryAfter::DelaySeconds(seconds)) => object(json!({"delay_seconds": seconds.to_string()})),
        Ok(RetryAfter::At(unix)) => object(json!({"at": unix})),
        Err(report) => object(json!({"refused": report.name()})),
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
