//! Public reports: a small policy and what happened to a request under it.

use serde_json::{Map, Value, json};

use super::{Probe, blank, expected, numbers::grpc};
use crate::{
    BackoffSpec, BudgetSpec, HintSpec, JitterSpec, PolicySpec,
    vector::{Answer, Failure, RequestSpec, Response, Script, WallJump},
};

/// The wall clock where a scenario names none.
const SOME_TIME: u64 = 1_700_000_000;

pub(super) fn convert(case: &Value) -> Result<Vec<Probe>, String> {
    let input = &case["input"];
    let policy = &input["policy"];
    members(policy, &KNOWN_POLICY, "a policy with")?;
    members(&input["request"], &KNOWN_REQUEST, "a request with")?;
    let (jitter, sample) = jitter(&policy["jitter"])?;
    let mut script = script(input)?;
    script.sample = sample;
    script.calls = ["sends_per_call", "budget_after"]
        .iter()
        .filter_map(|name| case["expected"][name].as_array())
        .map(|list| u32::try_from(list.len()).unwrap_or(1))
        .max()
        .unwrap_or(1);
    let (budget, tokens) = budget(&policy["budget"])?;
    script.tokens = tokens;
    let wait_cap = policy["retry_after_cap_ms"].as_u64();
    let mut vector = blank(case, "");
    vector.policy = PolicySpec {
        max_attempts: Some(count(&policy["max_attempts"])?),
        deadline: policy["total_deadline_ms"].as_u64(),
        attempt_timeout: policy["per_try_timeout_ms"].as_u64(),
        max_wait: wait_cap,
        retry: policy["retry_statuses"]
            .as_array()
            .map(|list| list.iter().filter_map(|status| u16::try_from(status.as_u64()?).ok()).collect()),
        backoff: Some(backoff(policy, jitter)?),
        hint: Some(hint(policy)?),
        budget,
        ..PolicySpec::default()
    };
    let expected = match policy["retry_after_over_cap"].as_str() {
        Some("clip") => deferred_instead(&case["expected"], wait_cap, &script),
        None | Some("stop") => case["expected"].clone(),
        Some(other) => return Err(format!("a long hint is never answered with `{other}`")),
    };
    let acceptable = case["acceptable"].clone();
    vector.run = Some(Box::new(script));
    let judge = move |seen: &Map<String, Value>| expected::judge(&expected, &acceptable, seen);
    let records = &["sends", "delays", "end", "elapsed", "tokens", "hand_over", "outer_runs", "policy_error"];
    Ok(vec![Probe { vector, records, judge: Box::new(judge) }])
}

/// Members that are carried over, or that change nothing here: a delay of the caller's own, timers that are cut into
/// pieces, a client's hidden resend.
const KNOWN_POLICY: [&str; 22] = [
    "base_delay_ms",
    "budget",
    "custom_delay_ms",
    "inner_layer_marks_attempts",
    "jitter",
    "max_attempts",
    "max_delay_ms",
    "multiplier",
    "note",
    "now_unix",
    "outer_attempts",
    "per_try_timeout_ms",
    "pushback_resets_backoff",
    "retry_after",
    "retry_after_cap_ms",
    "retry_after_over_cap",
    "retry_post_on",
    "retry_stale_connection_once",
    "retry_statuses",
    "timer_max_ms",
    "total_deadline_ms",
    "use_date_header",
];
const KNOWN_REQUEST: [&str; 4] = ["method", "body", "idempotency_key", "bytes_sent"];
const KNOWN_EVENT: [&str; 11] = [
    "response",
    "error",
    "times",
    "took_ms",
    "cancel_at_ms",
    "late_decision",
    "session_change_at_ms",
    "after_request_sent",
    "before_any_response",
    "note",
    "bytes_sent",
];

fn members(value: &Value, known: &[&str], what: &str) -> Result<(), String> {
    let unknown = |name: &&String| !known.contains(&name.as_str()) && *name != "wall_clock_jump";
    match value.as_object().into_iter().flat_map(|object| object.keys()).find(unknown) {
        Some(name) => Err(format!("{what} `{name}` has no counterpart")),
        None => Ok(()),
    }
}

fn count(value: &Value) -> Result<u32, String> {
    match value.as_u64() {
        Some(count) => Ok(u32::try_from(count).unwrap_or(u32::MAX)),
        None if value == "infinity" => Ok(u32::MAX),
        None => Err("a number of attempts that is no whole number".into()),
    }
}

/// A jitter, and the sample that stands for the scenario's draw.
fn jitter(value: &Value) -> Result<(JitterSpec, u32), String> {
    let draw = value["draw"].as_f64().unwrap_or(0.0);
    let sample = |fraction: f64| (fraction * f64::from(u32::MAX)) as u32;
    let ratio = (value["ratio"].as_f64().unwrap_or(0.0) * 1_000.0).round() as u32;
    let kind = value.as_str().or_else(|| value["kind"].as_str()).unwrap_or("none");
    if ratio > 1_000 && kind != "additive" {
        return Err("a jitter that could go below zero cannot be said".into());
    }
    Ok(match kind {
        "none" => (JitterSpec::None, 0),
        "full" => (JitterSpec::Full, sample(draw)),
        "equal" => (JitterSpec::Equal, sample(draw)),
        "symmetric" | "additive-symmetric" => {
            (JitterSpec::Scaled { low: 1_000 - ratio, high: 1_000 + ratio }, sample(draw))
        }
        "additive" => (JitterSpec::Scaled { low: 1_000, high: 1_000 + ratio }, sample(draw)),
        "subtractive" => (JitterSpec::Scaled { low: 1_000 - ratio, high: 1_000 }, sample(1.0 - draw)),
        other => return Err(format!("a jitter `{other}` has no counterpart")),
    })
}

fn backoff(policy: &Value, jitter: JitterSpec) -> Result<BackoffSpec, String> {
    let multiplier = policy["multiplier"].as_f64().ok_or("a backoff that is not exponential")? * 1_000.0;
    let whole = multiplier.round();
    if (multiplier - whole).abs() > 1e-6 || !(whole == 1_000.0 || (1_100.0..=100_000.0).contains(&whole)) {
        return Err("a multiplier that is neither 1 nor within 1.1 to 100".into());
    }
    let limit = match &policy["max_delay_ms"] {
        Value::String(infinity) if infinity == "infinity" => None,
        limit => Some(limit.as_u64().ok_or("a longest delay that is no whole number of milliseconds")?),
    };
    let base = policy["base_delay_ms"].as_u64().ok_or("a base that is no whole number of milliseconds")?;
    Ok(BackoffSpec { base, multiplier: whole as u32, cap: limit, ceiling: limit, jitter })
}

fn hint(policy: &Value) -> Result<HintSpec, String> {
    if policy["pushback_resets_backoff"] == true {
        return Ok(grpc::pushback_alone());
    }
    let skew = (policy["use_date_header"] == true).then_some(true);
    match policy["retry_after"].as_str() {
        Some("ignore") => Ok(HintSpec { statuses: Some(Vec::new()), ..HintSpec::default() }),
        None | Some("honour") => {
            Ok(HintSpec { mode: Some("instead-zero-at-once".into()), skew_from_date: skew, ..HintSpec::default() })
        }
        Some(other) => Err(format!("`retry_after` as `{other}` has no counterpart")),
    }
}

/// The rules, and the tokens to begin with.
fn budget(budget: &Value) -> Result<(Option<BudgetSpec>, Option<u32>), String> {
    let Some(members) = budget.as_object() else { return Ok((None, None)) };
    let tokens = |name: &str| members.get(name).and_then(Value::as_f64).map(|tokens| (tokens * 1_000.0).round() as u32);
    let known = [
        "max_tokens",
        "token_ratio",
        "fail_cost",
        "no_retry_at_or_below",
        "capacity",
        "cost",
        "refund_on_success",
        "success_reward",
        "start",
    ];
    if let Some(other) = members.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("a budget with `{other}` has no counterpart"));
    }
    let capacity = tokens("max_tokens").or(tokens("capacity")).ok_or("a budget without a capacity")?;
    let cost = tokens("cost").unwrap_or(0);
    let refund = tokens("refund_on_success");
    if refund.is_some_and(|refund| refund != cost) {
        return Err("a refund that is not what the retry cost".into());
    }
    let spec = BudgetSpec {
        capacity,
        on_failure: tokens("fail_cost").unwrap_or(0),
        retry: cost,
        throttled: cost,
        timed_out: cost,
        success: tokens("token_ratio").or(tokens("success_reward")).unwrap_or(0),
        threshold: tokens("no_retry_at_or_below").unwrap_or(0),
        refund: refund.is_some(),
    };
    Ok((Some(spec), tokens("start")))
}

fn script(input: &Value) -> Result<Script, String> {
    let (request, policy) = (&input["request"], &input["policy"]);
    let keyed = !request["idempotency_key"].is_null();
    let one_shot = request["body"].as_str().is_some_and(|body| body.contains("one-shot") || body.contains("stream"));
    let mut script = Script {
        request: RequestSpec {
            method: request["method"].as_str().map(str::to_owned),
            key: keyed.then(|| "honoured".into()),
            replayable: one_shot.then_some(false),
            ..RequestSpec::default()
        },
        calls: 1,
        wall: Some(policy["now_unix"].as_u64().unwrap_or(SOME_TIME) * 1_000),
        outer_attempts: policy["outer_attempts"].as_u64().and_then(|attempts| u32::try_from(attempts).ok()),
        ..Script::default()
    };
    let jump = &policy["wall_clock_jump"];
    script.wall_jump = jump["at_ms"].as_u64().zip(jump["by_ms"].as_i64()).map(|(at, by)| WallJump { at, by });
    for event in input["events"].as_array().ok_or("expected `events` to be a list")? {
        members(event, &KNOWN_EVENT, "an event with")?;
        script.cancel_at = script.cancel_at.or(event["cancel_at_ms"].as_i64());
        script.session_at = script.session_at.or(event["session_change_at_ms"].as_i64());
        script.answers.extend(answer(event)?);
    }
    Ok(script)
}

fn answer(event: &Value) -> Result<Option<Answer>, String> {
    let times = u32::try_from(event["times"].as_u64().unwrap_or(1)).unwrap_or(u32::MAX);
    let blank =
        Answer { response: None, failure: None, cancel: false, took: event["took_ms"].as_u64().unwrap_or(0), times };
    if let Some(status) = event["response"]["status"].as_u64() {
        let headers = event["response"]["headers"].as_object().into_iter().flatten();
        let text =
            |(name, value): (&String, &Value)| (name.to_ascii_lowercase(), value.as_str().unwrap_or("").to_owned());
        let status = u16::try_from(status).map_err(|_| "a status that is none")?;
        let response = Response { status, fields: headers.map(text).collect(), sends: 1, ..Response::default() };
        return Ok(Some(Answer { response: Some(response), ..blank }));
    }
    let Some(error) = event["error"].as_str() else { return Ok(None) };
    Ok(Some(match failure(error)? {
        Some((kind, timed_out)) => {
            let failure = Failure { kind: kind.into(), timed_out, sends: 1, ..Failure::default() };
            Answer { failure: Some(failure), ..blank }
        }
        None => Answer { cancel: true, ..blank },
    }))
}

/// The kind of a failure, and whether it is a time-out; `None` for the caller's own abort.
fn failure(error: &str) -> Result<Option<(&'static str, bool)>, String> {
    let error = error.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| error.contains(word));
    Ok(Some(match () {
        () if has(&["abort", "cancel"]) => return Ok(None),
        () if has(&["refused_stream", "goaway", "unprocessed"]) => ("unprocessed", false),
        () if has(&["dns", "enotfound", "eai_again", "name-not", "host-not-found"]) => ("dns-failed", false),
        () if has(&["connect-timeout", "connection-timeout", "connect_timeout"]) => ("connect-failed", true),
        () if has(&["refused", "unreachable", "cannot-connect"]) => ("connect-failed", false),
        () if has(&["certificate", "cert-", "invalid-url", "unsupported", "not-http", "malformed"]) => {
            ("permanent", false)
        }
        () if has(&["tls", "ssl", "handshake"]) => ("tls-failed", false),
        () if has(&["offline"]) => ("offline", false),
        () if has(&["timeout", "timed-out", "timed_out", "etimedout"]) => ("ambiguous", true),
        () if has(&["reset", "closed", "eof", "network", "broken", "pipe", "lost", "socket", "truncated", "hang"]) => {
            ("ambiguous", false)
        }
        () => return Err(format!("a failure `{error}` that no kind is known for")),
    }))
}

/// What we do where others clip: defer at the first hint above the longest wait.
fn deferred_instead(expected: &Value, cap: Option<u64>, script: &Script) -> Value {
    let wall = script.wall.unwrap_or(0);
    let hint = |answer: &Answer| -> Option<u64> {
        let value = answer.response.as_ref()?.fields.get("retry-after")?.trim().to_owned();
        match value.parse::<u64>() {
            Ok(seconds) => Some(seconds.saturating_mul(1_000)),
            Err(_) => {
                let any = policy_core::DateRules { obsolete: true, strict: false };
                let date = policy_core::http_date::parse(value.as_bytes(), any, None).ok()?;
                Some(u64::try_from(date).ok()?.saturating_mul(1_000).saturating_sub(wall))
            }
        }
    };
    let sends = script.answers.iter().flat_map(|answer| (0..answer.times).map(move |_| answer));
    let Some(at) = sends.into_iter().position(|answer| hint(answer) > cap) else { return expected.clone() };
    let delays: Vec<Value> = expected["delays_ms"].as_array().into_iter().flatten().take(at).cloned().collect();
    json!({"sends": at + 1, "delays_ms": delays, "end": "hint-over-cap"})
}
