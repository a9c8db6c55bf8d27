//! Retry-After lines: what the value says, and how long a request then waits.

use serde_json::{Map, Value};

use super::{Probe, blank, dates, encodings, latin1};
use crate::{
    HintSpec, PolicySpec,
    vector::{Answer, Parse, Response, Script},
};

pub(super) fn convert(case: &Value) -> Result<Vec<Probe>, String> {
    let input = &case["input"];
    let lines = input["field_lines"].as_array().ok_or("expected `field_lines` to be a list")?;
    let lines: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap_or_default()).collect();
    let wall = input["now_unix"].as_u64().map(|now| now * 1_000);
    let mut probes = Vec::new();
    if lines.is_empty() {
        probes.push(wait(case, "", None, wall, None, vec![Wait::Local]));
        return Ok(probes);
    }
    let expected = all_expected(case);
    for (part, bytes) in encodings(&lines.join(", ")) {
        let mut vector = blank(case, part);
        vector.parse = Some(Parse { wall, ..dates::value(&bytes) });
        let acceptable = expected.clone();
        let judge = move |seen: &Map<String, Value>| match acceptable.iter().any(|expected| says(expected, seen)) {
            true => Ok(()),
            false => Err(acceptable.iter().map(Value::to_string).collect::<Vec<_>>().join(" or ")),
        };
        probes.push(Probe { vector, records: &["at", "refused", "delay_seconds"], judge: Box::new(judge) });
        if part.is_empty() {
            let waits = |name: &str| expected.iter().map(|expected| Wait::of(expected, name)).collect();
            let local = waits("delay_from_local_clock");
            probes.push(wait(case, "wait", Some(latin1(&bytes)), wall, None, local));
            if let Some(date) = input["date_header"].as_str() {
                let by_date = case["expected"].get("delay_from_date_header").is_some();
                let name = if by_date { "delay_from_date_header" } else { "delay_from_local_clock" };
                probes.push(wait(case, "skew", Some(latin1(&bytes)), wall, Some(date), waits(name)));
            }
        }
    }
    Ok(probes)
}

fn all_expected(case: &Value) -> Vec<Value> {
    let mut all = vec![case["expected"].clone()];
    for other in case["acceptable"].as_array().into_iter().flatten() {
        all.push(other.clone());
    }
    for unix in case["also_acceptable_unix"].as_array().into_iter().flatten() {
        let mut other = case["expected"].clone();
        let delay = unix.as_i64().zip(case["input"]["now_unix"].as_i64()).map(|(unix, now)| (unix - now).max(0));
        other["unix"] = unix.clone();
        other["delay_from_local_clock"] = delay.into();
        all.push(other);
    }
    all
}

/// Whether a value that was read says what one expectation says.
fn says(expected: &Value, seen: &Map<String, Value>) -> bool {
    match expected["kind"].as_str() {
        Some("delay") => {
            match (expected["delay_seconds"].as_str(), seen.get("delay_seconds").and_then(Value::as_str)) {
                (Some(text), Some(seen)) if text.starts_with("saturated") => {
                    seen.parse::<u64>().is_ok_and(|n| n >= 1 << 31)
                }
                (Some(text), Some(seen)) => text == seen,
                _ => false,
            }
        }
        Some("date") => seen.get("at") == Some(&expected["unix"]),
        Some("invalid") => seen.contains_key("refused"),
        _ => false,
    }
}

/// How long a request waits that was answered with the value.
#[derive(Clone, Copy, PartialEq)]
enum Wait {
    /// The local backoff.
    Local,
    /// This long: seconds, or at least that.
    Seconds(u64),
}

impl Wait {
    fn of(expected: &Value, delay: &str) -> Self {
        match expected["kind"].as_str() {
            Some("delay") => Self::Seconds(
                expected["delay_seconds"].as_str().map_or(u64::MAX, |text| text.parse().unwrap_or(u64::MAX)),
            ),
            Some("date") => Self::Seconds(expected[delay].as_u64().unwrap_or(0)),
            _ => Self::Local,
        }
    }

    fn holds(self, seen: &Map<String, Value>) -> bool {
        let delay = seen.get("delays").and_then(|delays| delays[0].as_u64());
        let deferred = seen.get("resume").and_then(|resume| resume["delay"].as_u64());
        match (self, delay, deferred) {
            (Self::Local, Some(delay), _) => delay == LOCAL,
            (Self::Seconds(seconds), Some(delay), _) => seconds.checked_mul(1_000) == Some(delay),
            (Self::Seconds(seconds), None, Some(deferred)) => {
                deferred >= seconds.saturating_mul(1_000).min((1 << 53) - 1)
            }
            // A value that cannot be read, but proves that a long wait was meant.
            (Self::Local, None, Some(_)) => true,
            _ => false,
        }
    }
}

/// The local backoff of the probes: shorter than any hint in whole seconds but 0.
const LOCAL: u64 = 7;

fn wait(
    case: &Value,
    part: &str,
    value: Option<String>,
    wall: Option<u64>,
    date: Option<&str>,
    acceptable: Vec<Wait>,
) -> Probe {
    let mut vector = blank(case, part);
    vector.policy = PolicySpec {
        max_attempts: Some(2),
        backoff: Some(crate::BackoffSpec { base: LOCAL, multiplier: 2_000, ..Default::default() }),
        hint: Some(HintSpec {
            mode: Some("instead-zero-at-once".into()),
            skew_from_date: date.map(|_| true),
            ..HintSpec::default()
        }),
        ..PolicySpec::default()
    };
    let mut busy = Response { status: 503, sends: 1, ..Response::default() };
    busy.fields.extend(value.map(|value| ("retry-after".to_owned(), value)));
    busy.fields.extend(date.map(|date| ("date".to_owned(), date.to_owned())));
    let done = Response { status: 200, sends: 1, ..Response::default() };
    let answer = |response| Answer { response: Some(response), failure: None, cancel: false, took: 0, times: 1 };
    let answers = vec![answer(busy), answer(done)];
    vector.run = Some(Box::new(Script { answers, wall, calls: 1, ..Script::default() }));
    let conflicting = acceptable.contains(&Wait::Local);
    let judge = move |seen: &Map<String, Value>| {
        // Values that disagree are refused, but the largest of them is respected as a lower bound.
        let longer =
            conflicting && seen.get("delays").and_then(|delays| delays[0].as_u64()).is_some_and(|ms| ms > LOCAL);
        if longer || acceptable.iter().any(|wait| wait.holds(seen)) { Ok(()) } else { Err(describe(&acceptable)) }
    };
    Probe { vector, records: &["sends", "delays", "end", "resume"], judge: Box::new(judge) }
}

fn describe(acceptable: &[Wait]) -> String {
    let one = |wait: &Wait| match wait {
        Wait::Local => format!("a local wait of {LOCAL} ms"),
        Wait::Seconds(seconds) => format!("a wait or deferral of {seconds} s"),
    };
    acceptable.iter().map(one).collect::<Vec<_>>().join(" or ")
}
