//! Vendor and IETF timing headers: each case is judged under a policy that names the fields of its vendor, in the unit
//! that the case says its vendor means.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Judge, Probe, blank};
use crate::{
    BackoffSpec, FieldSpec, HintSpec, PolicySpec,
    vector::{Answer, Response, Script},
};

/// The longest wait of the OpenAI and Anthropic SDKs, which give up above it: our deferral.
const CEILING: u64 = 120_000;

pub(super) fn convert(case: &Value) -> Result<Vec<Probe>, String> {
    let input = &case["input"];
    let headers = joined(&input["headers"]);
    let fields = headers.keys().filter_map(|name| field(name, case)).collect::<Vec<_>>();
    applies(case, &headers, &fields)?;
    // gRPC has no HTTP status; UNAVAILABLE is mapped from this one.
    let status = input["status"].as_u64().map_or(Ok(503), u16::try_from).map_err(|_| "no HTTP status")?;
    let mut vector = blank(case, "");
    vector.policy = policy(case, &headers, fields, status);
    let backoff = vector.policy.backoff.as_ref().map_or(1_000, |backoff| backoff.base);
    let answer = |status, fields| Answer {
        response: Some(Response { status, fields, sends: 1, ..Response::default() }),
        failure: None,
        cancel: false,
        took: 0,
        times: 1,
    };
    let wall = input["now_unix"].as_u64().map(|now| now * 1_000);
    let answers = vec![answer(status, headers), answer(200, BTreeMap::new())];
    vector.run = Some(Box::new(Script { answers, wall, calls: 1, ..Script::default() }));
    Ok(vec![Probe { vector, records: &["sends", "delays", "end"], judge: judge(case, backoff, status) }])
}

/// All lines of a name joined with a comma, as a host joins them.
fn joined(headers: &Value) -> BTreeMap<String, String> {
    let mut joined: BTreeMap<String, String> = BTreeMap::new();
    for pair in headers.as_array().into_iter().flatten() {
        let (name, value) = (pair[0].as_str().unwrap_or_default(), pair[1].as_str().unwrap_or_default());
        let lines = joined.entry(name.to_ascii_lowercase()).or_default();
        *lines = if lines.is_empty() { value.to_owned() } else { format!("{lines}, {value}") };
    }
    joined
}

/// How a policy for the case's vendor reads the field; nothing for one that says nothing about when to come back.
fn field(name: &str, case: &Value) -> Option<FieldSpec> {
    let (theme, semantic) = (text(&case["theme"]), text(&case["expected"]["semantic"]));
    let unit = match name {
        "retry-after" => "seconds",
        "x-ratelimit-reset-after" => "seconds",
        "grpc-retry-pushback-ms" => "pushback-milliseconds",
        "x-amz-retry-after" => "milliseconds",
        "x-should-retry" | "stripe-should-retry" => "verdict",
        _ if name.ends_with("-ms") => "milliseconds",
        _ if is_reset(name) => match () {
            () if semantic.contains("delta") || semantic.contains("HTTP-date") => "seconds",
            () if semantic.contains("epoch milli") || semantic.contains("epoch ms") => "epoch-milliseconds",
            () if semantic.contains("epoch") || theme.contains("epoch-seconds") || theme == "discord" => {
                "epoch-seconds"
            }
            () if theme.contains("epoch") => "epoch-milliseconds",
            () if ["precedence", "ietf-older-drafts"].contains(&theme) => "seconds",
            // The largest reading, which brings nobody back early.
            () => "epoch-seconds",
        },
        _ => return None,
    };
    let strict = name == "x-amz-retry-after" || theme == "precedence";
    Some(FieldSpec {
        name: name.to_owned(),
        unit: Some(unit.to_owned()),
        decimals: unit != "pushback-milliseconds" && unit != "verdict",
        bad_value: match name {
            "grpc-retry-pushback-ms" => Some("stop".to_owned()),
            _ if strict => Some("backoff".to_owned()),
            _ => None,
        },
    })
}

/// `x-ratelimit-reset` and its spellings.
fn is_reset(name: &str) -> bool {
    let name = name.strip_prefix("x-").unwrap_or(name);
    name == "ratelimit-reset" || name == "rate-limit-reset"
}

/// Says why a case asks for what is not read here.
fn applies(case: &Value, headers: &BTreeMap<String, String>, fields: &[FieldSpec]) -> Result<(), String> {
    let (semantic, expected) = (text(&case["expected"]["semantic"]), &case["expected"]);
    if case["input"].get("body_json").is_some() {
        return Err("a hint outside the response fields is not read".into());
    }
    if fields.is_empty() {
        let names: Vec<&str> = headers.keys().map(String::as_str).collect();
        return Err(format!("no field that is read: `{}`", names.join("`, `")));
    }
    if semantic.contains("clamped") && numbers(headers) > expected["delay_ms"].as_u64() {
        return Err("it comes back before the server asked (promise 1)".into());
    }
    let is_blank = headers.iter().any(|(name, value)| name == "retry-after" && value.trim().is_empty());
    if is_blank && expected["delay_ms"].as_u64().is_some() && fields.len() == 1 {
        return Err("a blank field means local backoff here, not one vendor's minute".into());
    }
    Ok(())
}

/// The number in the only field.
fn numbers(headers: &BTreeMap<String, String>) -> Option<u64> {
    headers.values().find_map(|value| value.parse().ok())
}

fn policy(case: &Value, headers: &BTreeMap<String, String>, mut fields: Vec<FieldSpec>, status: u16) -> PolicySpec {
    let expected = &case["expected"];
    // What needs no clock and what is finer comes first, as vendors rank them.
    fields.sort_by_key(|field| {
        let unit = field.unit.as_deref().unwrap_or_default();
        let is_retry_after = field.name == "retry-after";
        (unit.starts_with("epoch"), !unit.contains("milliseconds"), is_reset(&field.name), is_retry_after)
    });
    let over_ceiling =
        [&expected["verdict"], &expected["semantic"]].iter().any(|words| text(words).contains("ceiling"));
    let ignored = text(&expected["verdict"]) == "ignore";
    let verdict = fields.iter().any(|field| field.unit.as_deref() == Some("verdict"));
    let mut retry = vec![408, 429, 500, 502, 503, 504];
    if status >= 400 && !verdict && !retry.contains(&status) {
        retry.push(status);
    }
    let amazon = headers.contains_key("x-amz-retry-after");
    PolicySpec {
        retry: Some(retry),
        max_wait: over_ceiling.then_some(CEILING),
        backoff: amazon.then(|| BackoffSpec { base: 50, multiplier: 2_000, ..BackoffSpec::default() }),
        hint: Some(HintSpec {
            fields: Some(fields),
            mode: match () {
                () if amazon => None,
                () if ignored => Some("instead".into()),
                () => Some("instead-zero-at-once".into()),
            },
            skew_from_date: headers.contains_key("date").then_some(true),
            ..HintSpec::default()
        }),
        ..PolicySpec::default()
    }
}

/// What must come out: a first wait of so long, the local backoff, or no second send.
fn judge(case: &Value, backoff: u64, status: u16) -> Judge {
    let expected = &case["expected"];
    let over = case["acceptable"].as_array().into_iter().flatten();
    let all: Vec<Option<u64>> =
        std::iter::once(expected).chain(over).map(|expected| wait(expected, backoff, status)).collect();
    Box::new(move |seen: &Map<String, Value>| {
        let delays = seen.get("delays").and_then(Value::as_array);
        let found = delays.and_then(|delays| delays.first()).and_then(Value::as_u64);
        if all.contains(&found) {
            return Ok(());
        }
        let words = |wait: &Option<u64>| wait.map_or("no second send".to_owned(), |ms| format!("a wait of {ms} ms"));
        Err(all.iter().map(words).collect::<Vec<_>>().join(" or "))
    })
}

/// The first wait; none if there must be no second send.
fn wait(expected: &Value, backoff: u64, status: u16) -> Option<u64> {
    let verdict = text(&expected["verdict"]);
    // A number whose unit nobody knows must not bring anyone back early.
    let refused = expected["retry"] == false || verdict.starts_with("stop") || verdict.starts_with("unknown");
    if refused || (200..300).contains(&status) {
        return None;
    }
    Some(expected["delay_ms"].as_u64().unwrap_or(backoff))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
