//! What a scenario expects, with everything that would do as well.

use serde_json::{Map, Value};

/// Compares an answer with `expected` and with each of `acceptable` laid over it.
pub(super) fn judge(expected: &Value, acceptable: &Value, seen: &Map<String, Value>) -> Result<(), String> {
    let over = |other: &Value| {
        let mut merged = expected.clone();
        if let (Some(merged), Some(other)) = (merged.as_object_mut(), other.as_object()) {
            // Another number of sends has other delays; where it does not list them, they are open.
            if other.contains_key("sends") || other.contains_key("end") {
                merged.remove("delays_ms");
            }
            merged.extend(other.clone());
        }
        merged
    };
    let all = std::iter::once(expected.clone()).chain(acceptable.as_array().into_iter().flatten().map(over));
    let all: Vec<Value> = all.collect();
    if all.iter().any(|expected| matches(expected, seen)) {
        return Ok(());
    }
    Err(all.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "))
}

fn matches(expected: &Value, seen: &Map<String, Value>) -> bool {
    let number = |name: &str| seen.get(name).and_then(Value::as_u64);
    let holds = |(name, value): (&String, &Value)| match name.as_str() {
        "sends" => value.as_u64() == number("sends"),
        "end" => value.as_str().is_none_or(|expected| ended(expected, seen)),
        "delays_ms" => delays(value, seen),
        "elapsed_ms" => value.as_u64() == number("elapsed"),
        "elapsed_ms_max" => number("elapsed") <= value.as_u64(),
        "sends_per_call" => seen.get("sends_per_call") == Some(value),
        "outer_runs" => seen.get("outer_runs") == Some(value),
        "budget_after" => tokens(value, seen),
        "keeps_last_error" => {
            let kept = |hand_over: &Value| hand_over == "this" || hand_over.as_u64().is_some_and(|status| status != 0);
            value != &Value::Bool(true) || seen.get("hand_over").is_some_and(kept)
        }
        // What a host does beyond carrying out commands is tested with that host: bodies, keys, timers, listeners.
        _ => true,
    };
    expected.as_object().is_some_and(|expected| expected.iter().all(holds))
}

fn ended(expected: &str, seen: &Map<String, Value>) -> bool {
    let end = seen.get("end").and_then(Value::as_str).unwrap_or_default();
    match expected {
        // An outer layer whose inner one used up its attempts ends by another name.
        "exhausted" => end == "attempts-used" || (end == "nested" && seen.contains_key("outer_runs")),
        "hint-over-cap" => end == "deferred",
        "budget" => end == "budget-empty",
        other => end == other,
    }
}

fn tokens(expected: &Value, seen: &Map<String, Value>) -> bool {
    let thousandths = |value: &Value| value.as_f64().map(|tokens| (tokens * 1_000.0).round() as u64);
    let expected: Vec<_> = expected.as_array().into_iter().flatten().map(thousandths).collect();
    let seen: Vec<_> = seen.get("tokens").and_then(Value::as_array).into_iter().flatten().map(Value::as_u64).collect();
    expected == seen
}

/// Delays as a list, a summary of a long list, or words.
fn delays(expected: &Value, seen: &Map<String, Value>) -> bool {
    let seen: Vec<u64> =
        seen.get("delays").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_u64).collect();
    match expected {
        Value::Array(list) => list.iter().map(Value::as_u64).eq(seen.iter().copied().map(Some)),
        Value::Object(summary) => {
            let first = summary.get("first").and_then(Value::as_array).into_iter().flatten().map(Value::as_u64);
            let count = summary.get("count").and_then(Value::as_u64);
            let last = summary.get("last").and_then(Value::as_u64);
            let sum = summary.get("sum").and_then(Value::as_u64);
            first.zip(&seen).all(|(expected, seen)| expected == Some(*seen))
                && count.is_none_or(|count| count == seen.len() as u64)
                && last.is_none_or(|last| Some(&last) == seen.last())
                && sum.is_none_or(|sum| sum == seen.iter().sum::<u64>())
        }
        Value::String(words) => in_words(words, &seen),
        _ => false,
    }
}

/// `>= 1000`, `any in [0,100]`, or a series that ends in `then at least N`; other words say nothing that can be compared.
fn in_words(words: &str, seen: &[u64]) -> bool {
    if let Some(least) = words.strip_prefix(">=").and_then(|rest| rest.trim().parse::<u64>().ok()) {
        return seen.iter().all(|delay| *delay >= least);
    }
    if let Some((low, high)) =
        words.strip_prefix("any in [").and_then(|rest| rest.trim_end_matches(']').split_once(','))
    {
        let (Ok(low), Ok(high)) = (low.trim().parse::<u64>(), high.trim().parse::<u64>()) else { return false };
        return seen.iter().all(|delay| (low..=high).contains(delay));
    }
    let power = |term: &str| match term.split_once('^') {
        Some((base, exponent)) => base.parse::<u64>().ok()?.checked_pow(exponent.parse().ok()?),
        None => term.parse().ok(),
    };
    let exact: Vec<u64> = words.split(',').map_while(|term| power(term.trim())).collect();
    let least = words.split_once("at least ").and_then(|(_, rest)| rest.trim().parse::<u64>().ok());
    match (exact.is_empty(), least) {
        (true, _) => true,
        (false, None) => seen.starts_with(&exact),
        (false, Some(least)) => seen.starts_with(&exact) && seen[exact.len()..].iter().all(|delay| *delay >= least),
    }
}
