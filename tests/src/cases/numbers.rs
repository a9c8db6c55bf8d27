//! Published numbers: backoff, jitter, token buckets. Each becomes requests under a policy with those numbers.

mod aws;
mod backoff;
pub(super) mod grpc;

use serde_json::{Map, Value};

use super::{Judge, Probe, blank};
use crate::{
    PolicySpec,
    vector::{Answer, RequestSpec, Response, Script},
};

pub(super) fn convert(case: &Value) -> Result<Vec<Probe>, String> {
    let (input, expected) = (&case["input"], &case["expected"]);
    match case["theme"].as_str().unwrap_or_default() {
        theme if theme.starts_with("aws-sep") => aws::standard_mode(case, input, expected),
        "aws-timing-tables" => aws::timing_table(case, input, expected),
        "aws-hint" => aws::hint(case, input, expected),
        "quota" => aws::quota(case, input, expected),
        "grpc-throttle" => grpc::throttle(case, input, expected),
        "grpc-attempts" => grpc::attempts(case, input, expected),
        "backoff" => backoff::convert(case, input, expected),
        "jitter" => backoff::jittered(case, input, expected),
        "window-budget" => Err("a budget over a time window is another model; ours holds tokens".into()),
        "throttler" => Err("a throttle before the first send is a circuit breaker, a non-goal".into()),
        "adaptive-cubic" => Err("limiting the rate of first sends is another duty".into()),
        theme => Err(format!("a theme `{theme}` that is not known")),
    }
}

/// A request that is answered with these statuses in turn.
fn answered(statuses: &[u16]) -> Script {
    let answer = |status: &u16| Answer {
        response: Some(Response { status: *status, sends: 1, ..Response::default() }),
        failure: None,
        cancel: false,
        took: 0,
        times: 1,
    };
    Script {
        answers: statuses.iter().map(answer).collect(),
        calls: 1,
        request: RequestSpec::default(),
        ..Script::default()
    }
}

fn probe(case: &Value, policy: PolicySpec, script: Script, judge: Judge) -> Probe {
    let mut vector = blank(case, "");
    vector.policy = policy;
    vector.run = Some(Box::new(script));
    Probe { vector, records: &["sends", "delays", "end", "tokens", "tokens_after"], judge }
}

fn numbers_of(seen: &Map<String, Value>, name: &str) -> Vec<u64> {
    seen.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_u64).collect()
}

/// A number of tokens, in thousandths.
fn thousand(value: &Value) -> Option<u32> {
    value.as_f64().filter(|tokens| *tokens >= 0.0).map(|tokens| (tokens * 1_000.0).round() as u32)
}
