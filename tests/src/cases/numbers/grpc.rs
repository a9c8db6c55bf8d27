//! gRPC: retry throttling and the number of attempts (proposal A6).

use serde_json::{Map, Value};

use super::{Probe, answered, numbers_of, probe, thousand};
use crate::{BudgetSpec, FieldSpec, HintSpec, PolicySpec, vector::Script};

/// Each operation is a call; whether a retry is allowed shows in what follows a failure.
pub(super) fn throttle(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let capacity = thousand(&input["max_tokens"]).ok_or("a throttle without `max_tokens`")?;
    let success = thousand(&input["token_ratio"]).ok_or("a throttle without `token_ratio`")?;
    let steps: Vec<&Value> = expected["steps"].as_array().into_iter().flatten().collect();
    let calls: Vec<&Value> = steps.into_iter().filter(|step| step["op"] != "check").collect();
    let status = |step: &&Value| if step["op"] == "ok" { 200 } else { 503 };
    let policy = PolicySpec {
        max_attempts: Some(1),
        budget: Some(BudgetSpec {
            capacity,
            on_failure: 1_000,
            success,
            threshold: capacity / 2,
            ..BudgetSpec::default()
        }),
        ..PolicySpec::default()
    };
    let script = Script {
        calls: u32::try_from(calls.len()).unwrap_or(u32::MAX),
        ..answered(&calls.iter().map(status).collect::<Vec<_>>())
    };
    let want: Vec<Option<u32>> = calls.iter().map(|step| thousand(&step["tokens"])).collect();
    let above = calls.iter().all(|step| {
        let tokens = thousand(&step["tokens"]).unwrap_or(0);
        step["above_threshold"].as_bool() == Some(tokens > capacity / 2)
    });
    let judge = move |seen: &Map<String, Value>| {
        let tokens = numbers_of(seen, "tokens");
        let agree = want.iter().zip(&tokens).all(|(want, tokens)| want.map(u64::from) == Some(*tokens));
        if above && agree && tokens.len() == want.len() { Ok(()) } else { Err(format!("tokens {want:?}")) }
    };
    Ok(vec![probe(case, policy, script, Box::new(judge))])
}

/// UNAVAILABLE with as many pushbacks, then OK.
fn pushed_back(case: &Value, pushback: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let lines: Vec<&str> = pushback.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let sends = expected["sends"].as_u64().ok_or("a case that expects no number of sends")?;
    let delay = expected["delay_ms"].as_u64();
    let policy = PolicySpec { hint: Some(pushback_alone()), ..PolicySpec::default() };
    let mut script = answered(&[503, 200]);
    if let Some(response) = script.answers.first_mut().and_then(|answer| answer.response.as_mut()) {
        response.fields.insert(PUSHBACK.to_owned(), lines.join(", "));
    }
    let judge = move |seen: &Map<String, Value>| {
        let agrees = seen.get("sends").and_then(Value::as_u64) == Some(sends);
        let waited = delay.is_none_or(|delay| numbers_of(seen, "delays") == [delay]);
        if agrees && waited { Ok(()) } else { Err(format!("{sends} sends and a wait of {delay:?} ms")) }
    };
    Ok(vec![probe(case, policy, script, Box::new(judge))])
}

const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// Hint rules as gRPC has them: the server's pushback and nothing else.
pub(in crate::cases) fn pushback_alone() -> HintSpec {
    let field = FieldSpec {
        name: PUSHBACK.to_owned(),
        unit: Some("pushback-milliseconds".to_owned()),
        bad_value: Some("stop".to_owned()),
        ..FieldSpec::default()
    };
    HintSpec {
        fields: Some(vec![field]),
        mode: Some("instead-zero-at-once".to_owned()),
        resets_backoff: Some(true),
        ..HintSpec::default()
    }
}

pub(super) fn attempts(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    if let Some(pushback) = input.get("pushback") {
        return pushed_back(case, pushback, expected);
    }
    let number = |name: &str| input[name].as_i64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let service = number("service_max_attempts").ok_or("a policy without a number of attempts")?;
    let client = number("client_max_attempts").or(number("default_client_max"));
    let sends = expected["sends"].as_u64().ok_or("a case that expects no number of sends")?;
    let policy = PolicySpec { max_attempts: Some(service), ..PolicySpec::default() };
    let mut script = answered(&vec![503; usize::try_from(service).unwrap_or(usize::MAX)]);
    script.request.max_attempts = client;
    let judge = move |seen: &Map<String, Value>| {
        let agrees = seen.get("sends").and_then(Value::as_u64) == Some(sends);
        if agrees { Ok(()) } else { Err(format!("{sends} sends")) }
    };
    Ok(vec![probe(case, policy, script, Box::new(judge))])
}
