//! HTTP-dates: one value, read or refused.

use serde_json::{Map, Value};

use super::{Probe, blank, encodings, hex};
use crate::vector::Parse;

/// The longest HTTP-date, `Wednesday, 06-Nov-94 08:49:37 GMT`.
const LONGEST: usize = 33;

pub(super) fn convert(case: &Value) -> Result<Vec<Probe>, String> {
    let input = case["input"].as_str().ok_or("expected `input` to be a string")?;
    let now = case["now_unix"].as_u64().ok_or("expected `now_unix` to be a number")?;
    // A field value has no white space around it: what is judged is the text that is left.
    let expected = case.get("expected_after_ows_trim").unwrap_or(&case["expected"]);
    let acceptable = acceptable(case, expected);
    let probe = |(part, bytes): (&str, Vec<u8>)| {
        let mut vector = blank(case, part);
        vector.parse = Some(Parse { wall: Some(now * 1_000), ..value(&bytes) });
        let (length, acceptable) = (bytes.trim_ascii().len(), acceptable.clone());
        let judge = move |seen: &Map<String, Value>| {
            // Several equal dates in one value are a Retry-After, but no date.
            let date = seen.get("at").and_then(Value::as_i64).filter(|_| length <= LONGEST);
            if acceptable.contains(&date) { Ok(()) } else { Err(describe(&acceptable)) }
        };
        Probe { vector, records: &["at", "refused", "delay_seconds"], judge: Box::new(judge) }
    };
    Ok(encodings(input).into_iter().map(probe).collect())
}

/// `None` stands for refused.
fn acceptable(case: &Value, expected: &Value) -> Vec<Option<i64>> {
    let mut all = match expected["valid"].as_bool() {
        Some(true) => vec![expected["unix"].as_i64()],
        _ => vec![None],
    };
    // What the grammar excludes, a lenient parser might still accept; ours is strict.
    if case["strength"] == "policy" {
        all.extend(case["if_accepted_unix"].as_i64().map(Some));
    }
    all.extend(case["also_acceptable_unix"].as_array().into_iter().flatten().map(Value::as_i64));
    all
}

fn describe(acceptable: &[Option<i64>]) -> String {
    let one = |answer: &Option<i64>| answer.map_or("refused".to_owned(), |unix| format!("the date {unix}"));
    acceptable.iter().map(one).collect::<Vec<_>>().join(" or ")
}

pub(super) fn value(bytes: &[u8]) -> Parse {
    let printable = bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let text = || String::from_utf8_lossy(bytes).into_owned();
    Parse { value: printable.then(text), value_hex: (!printable).then(|| hex(bytes)), wall: None }
}
