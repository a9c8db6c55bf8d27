//! AWS SDKs: standard mode 2.0 and 2.1, its timing tables, its token bucket.

use serde_json::{Map, Value};

use super::{Probe, answered, backoff, numbers_of, probe, thousand};
use crate::{BackoffSpec, BudgetSpec, FieldSpec, HintSpec, JitterSpec, PolicySpec, vector::Script};

const MODEL: BudgetSpec = BudgetSpec {
    capacity: 500_000,
    on_failure: 0,
    retry: 5_000,
    throttled: 5_000,
    timed_out: 10_000,
    success: 1_000,
    threshold: 0,
    refund: true,
};

/// A wait that `x-amz-retry-after` asks for, over a backoff that was computed.
pub(super) fn hint(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let base = input["t_i_ms"].as_u64().ok_or("a case without a computed backoff")?;
    let header = match (&input["header"], input["hint_ms"].as_u64()) {
        (Value::String(header), _) => header.clone(),
        (_, Some(ms)) => ms.to_string(),
        _ => return Err("a case without a hint".into()),
    };
    let delay = expected["delay_ms"].as_u64().ok_or("a case that expects no delay")?;
    if header.parse().is_ok_and(|asked: u64| asked > delay) {
        return Err("it comes back before the server asked (promise 1)".into());
    }
    let field = FieldSpec {
        name: "x-amz-retry-after".to_owned(),
        unit: Some("milliseconds".to_owned()),
        bad_value: Some("backoff".to_owned()),
        ..FieldSpec::default()
    };
    let policy = PolicySpec {
        backoff: Some(BackoffSpec { base, multiplier: 2_000, ..BackoffSpec::default() }),
        hint: Some(HintSpec { fields: Some(vec![field]), ..HintSpec::default() }),
        ..PolicySpec::default()
    };
    let mut script = answered(&[500, 200]);
    if let Some(response) = script.answers.first_mut().and_then(|answer| answer.response.as_mut()) {
        response.fields.insert("x-amz-retry-after".to_owned(), header);
    }
    let judge = move |seen: &Map<String, Value>| match numbers_of(seen, "delays")[..] {
        [found] if found == delay => Ok(()),
        _ => Err(format!("one wait of {delay} ms")),
    };
    Ok(vec![probe(case, policy, script, Box::new(judge))])
}

pub(super) fn standard_mode(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    if input["attempts"].is_array() || input["retries"].is_u64() {
        let numbers = if input["policy"].is_object() { &input["policy"] } else { input };
        return backoff::series(case, numbers, input, expected);
    }
    let numbers = &input["policy"];
    let answers = input["responses"].as_array().ok_or("a case without responses")?;
    let statuses = answers.iter().map(status).collect::<Result<Vec<_>, _>>()?;
    let base = numbers["base_ms"].as_u64();
    let cap = numbers["max_backoff_ms"].as_u64();
    let cost = thousand(&numbers["cost"]).unwrap_or(MODEL.retry);
    let transient = BackoffSpec {
        base: base.unwrap_or(1_000),
        multiplier: if base.is_some() { 2_000 } else { 1_000 },
        cap,
        ceiling: None,
        jitter: JitterSpec::Full,
    };
    let throttled =
        BackoffSpec { base: numbers["throttling_base_ms"].as_u64().unwrap_or(transient.base), ..transient.clone() };
    let policy = PolicySpec {
        max_attempts: Some(numbers["max_attempts"].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(3)),
        throttle: Some(vec![429]),
        backoff: Some(transient),
        throttled: Some(throttled),
        budget: Some(BudgetSpec {
            retry: cost,
            throttled: thousand(&numbers["throttling_cost"]).unwrap_or(cost),
            capacity: thousand(&numbers["max_tokens"]).unwrap_or(MODEL.capacity),
            ..MODEL
        }),
        ..PolicySpec::default()
    };
    let want = Want::of(expected);
    let script = Script {
        calls: want.calls.max(1),
        tokens: thousand(&numbers["initial_tokens"]),
        sample: u32::MAX,
        ..answered(&statuses)
    };
    Ok(vec![probe(case, policy, script, Box::new(move |seen| want.judge(seen)))])
}

/// What a table of steps, or a summary, asks for.
struct Want {
    delays: Vec<u64>,
    quota: Vec<u64>,
    end: Option<&'static str>,
    calls: u32,
}

impl Want {
    fn of(expected: &Value) -> Self {
        let steps: Vec<&Value> = expected["steps"].as_array().into_iter().flatten().collect();
        let list = |value: &Value| value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let last = steps.last().map_or(&expected["end"], |step| &step["outcome"]);
        let last = if last.is_null() { &expected["outcome"] } else { last };
        let named = |step: &&&Value| step["outcome"] != "retry_request";
        Self {
            delays: if steps.is_empty() {
                list(&expected["delays_ms"])
            } else {
                steps.iter().filter_map(|step| step["delay_ms"].as_u64()).collect()
            },
            quota: match expected["quota"].as_array() {
                Some(_) => list(&expected["quota"]),
                None if steps.is_empty() => list(&expected["quota_after_each"]),
                None => steps.iter().filter_map(|step| step["retry_quota"].as_u64()).collect(),
            },
            end: match last.as_str() {
                Some("success") => Some("success"),
                Some("max_attempts_exceeded") => Some("attempts-used"),
                Some("retry_quota_exceeded") => Some("budget-empty"),
                _ => None,
            },
            calls: u32::try_from(steps.iter().filter(named).count()).unwrap_or(1),
        }
    }

    fn judge(&self, seen: &Map<String, Value>) -> Result<(), String> {
        let tokens = numbers_of(seen, "tokens_after");
        let quota = tokens.iter().zip(&self.quota).all(|(tokens, quota)| *tokens == quota * 1_000);
        let end = self.end.is_none_or(|end| seen.get("end").and_then(Value::as_str) == Some(end));
        if numbers_of(seen, "delays") == self.delays && quota && tokens.len() >= self.quota.len() && end {
            return Ok(());
        }
        Err(format!("delays {:?}, tokens {:?}, end {:?}", self.delays, self.quota, self.end))
    }
}

fn status(answer: &Value) -> Result<u16, String> {
    match (answer["status"].as_u64(), answer.as_str()) {
        (Some(status), _) => u16::try_from(status).map_err(|_| "a status that is none".into()),
        (_, Some("retryable" | "server-error" | "transient")) => Ok(500),
        (_, Some("throttling")) => Ok(429),
        (_, Some("success" | "ok")) => Ok(200),
        _ => Err("a response that is no status".into()),
    }
}

pub(super) fn timing_table(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let newer = input["spec"] == "2.1";
    let (transient, throttled, cost) = if newer { (50, 1_000, 14_000) } else { (100, 500, 10_000) };
    let backoff =
        |base| BackoffSpec { base, multiplier: 2_000, cap: Some(20_000), ceiling: None, jitter: JitterSpec::None };
    let errors = input["error_types"].as_array().ok_or("a table without errors")?;
    let mut statuses: Vec<u16> = errors.iter().map(|kind| if kind == "THROTTLING" { 429 } else { 500 }).collect();
    statuses.push(404);
    let policy = PolicySpec {
        max_attempts: Some(u32::try_from(statuses.len()).unwrap_or(u32::MAX)),
        throttle: Some(vec![429]),
        backoff: Some(backoff(transient)),
        throttled: Some(backoff(throttled)),
        budget: Some(BudgetSpec { retry: cost, throttled: 5_000, ..MODEL }),
        ..PolicySpec::default()
    };
    let (delays, left) = (expected["delays_ms"].clone(), expected["capacity_left"].as_u64());
    let judge = move |seen: &Map<String, Value>| {
        let tokens = numbers_of(seen, "tokens").first().map(|tokens| tokens / 1_000);
        if seen.get("delays") == Some(&delays) && tokens == left {
            return Ok(());
        }
        Err(format!("delays {delays}, {left:?} tokens left"))
    };
    Ok(vec![probe(case, policy, answered(&statuses), Box::new(judge))])
}

/// Some acquisitions of one size, then perhaps the release of the last: a request that is retried, then succeeds.
pub(super) fn quota(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let other = || "an order of operations that no request brings about".to_owned();
    let mut cost = None;
    let mut statuses = Vec::new();
    for op in input["ops"].as_array().ok_or_else(other)? {
        match (op[0].as_str(), statuses.last()) {
            (Some("acquire"), None | Some(500)) if cost.is_none() || cost == thousand(&op[1]) => {
                cost = thousand(&op[1]);
                statuses.push(500);
            }
            (Some("release"), last) if last.is_none() || (last == Some(&500) && cost == thousand(&op[1])) => {
                statuses.push(200);
            }
            _ => return Err(other()),
        }
    }
    let acquired = statuses.iter().filter(|status| **status == 500).count();
    if statuses.last() == Some(&500) {
        statuses.push(404);
    }
    let capacity = thousand(&input["capacity"]).ok_or_else(other)?;
    let policy = PolicySpec {
        max_attempts: Some(u32::try_from(acquired + 1).unwrap_or(u32::MAX)),
        budget: Some(BudgetSpec { capacity, retry: cost.unwrap_or(0), ..MODEL }),
        ..PolicySpec::default()
    };
    let want: Vec<Option<u64>> =
        expected["results"].as_array().into_iter().flatten().map(|result| result[1].as_u64()).collect();
    let refused: Vec<bool> =
        expected["results"].as_array().into_iter().flatten().map(|result| result[0] == false).collect();
    let judge = move |seen: &Map<String, Value>| {
        let tokens = numbers_of(seen, "tokens_after");
        let agree = want.iter().zip(&tokens).all(|(want, tokens)| want.map(|n| n * 1_000) == Some(*tokens));
        let stopped = seen.get("end").and_then(Value::as_str) == Some("budget-empty");
        if agree && tokens.len() >= want.len() && stopped == refused.contains(&true) {
            return Ok(());
        }
        Err(format!("{want:?} tokens after each operation"))
    };
    Ok(vec![probe(case, policy, answered(&statuses), Box::new(judge))])
}
