//! Backoff series and jitter formulas.

use serde_json::{Map, Value};

use super::{Probe, answered, numbers_of, probe};
use crate::{
    BackoffSpec, HintSpec, JitterSpec, PolicySpec,
    vector::{Answer, Response, Script},
};

pub(super) fn convert(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let has = |name: &str| !input[name].is_null();
    match () {
        () if expected["error"] == true => Err("bounds are checked where a document is read, not in the core".into()),
        () if has("total_s") && has("elapsed_s") => total_time(case, input, expected),
        () if has("total_s") => retries_that_fit(case, input, expected),
        () if has("status") => by_status(case, input, expected),
        () if expected["max_n"].is_number() => Err("a limit on the exponent; ours limits the delay".into()),
        () if has("events") || has("failures") || has("jitter_s") => {
            Err("a series that restarts, or a jitter of a fixed length, has no counterpart".into())
        }
        () => series(case, input, input, expected),
    }
}

/// A series of delays, one for each exponent.
pub(super) fn series(case: &Value, numbers: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let want = wanted(expected)?;
    let attempts: Option<Vec<u64>> = list(&input["attempts"])
        .or_else(|| list(&input["attempt"]))
        .or_else(|| input["attempt"].as_u64().map(|n| vec![n]));
    let floor = |attempts: &Vec<u64>| numbers["min_s"].is_number() && !attempts.contains(&0);
    if attempts.as_ref().is_some_and(floor) {
        return Err("a floor under the backoff has no counterpart".into());
    }
    let upper = expected["upper_bounds_s"].is_array();
    let mut probes = Vec::new();
    for (at, (kind, jitter)) in kinds(input)?.into_iter().enumerate() {
        let mut backoff = backoff(numbers, &kind)?;
        let sample = match (upper, jitter, input["draw"].as_f64(), input["randomization"].as_f64()) {
            (true, ..) => {
                backoff.jitter = JitterSpec::Full;
                u32::MAX
            }
            (_, _, _, Some(part)) => {
                let part = (part * 1_000.0).round() as u32;
                backoff.jitter = JitterSpec::Scaled { low: 1_000 - part, high: 1_000 + part };
                u32::MAX / 2
            }
            (_, true, draw, _) => {
                backoff.jitter = JitterSpec::Scaled { low: 750, high: 1_250 };
                backoff.ceiling = backoff.cap;
                (draw.unwrap_or(0.0) * f64::from(u32::MAX)) as u32
            }
            _ => 0,
        };
        let policy = PolicySpec { backoff: Some(backoff), ..PolicySpec::default() };
        match &attempts {
            None => probes.push(in_a_row(case, policy, sample, want.clone(), at)?),
            Some(attempts) => {
                // Counted from 0 where 0 is among them, else from 1.
                let first = u64::from(!attempts.contains(&0) && !input["attempt"].is_number());
                for (which, attempt) in attempts.iter().enumerate() {
                    let want = want.at(which);
                    probes.push(single(case, policy.clone(), sample, attempt - first, want, at * 1_000 + which)?);
                }
            }
        }
    }
    Ok(probes)
}

/// What the delays must be.
#[derive(Clone)]
enum Want {
    These(Vec<u64>),
    First(Vec<u64>, usize),
    Within(u64),
}

impl Want {
    fn at(&self, which: usize) -> Self {
        match self {
            Self::These(all) => Self::These(all.get(which).or(all.last()).copied().into_iter().collect()),
            other => other.clone(),
        }
    }

    fn judge(&self, seen: &Map<String, Value>) -> Result<(), String> {
        let delays = numbers_of(seen, "delays");
        let holds = match self {
            Self::These(all) => delays == *all,
            Self::First(some, count) => delays.starts_with(some) && delays.len() == *count,
            Self::Within(limit) => !delays.is_empty() && delays.iter().all(|delay| (1..=*limit).contains(delay)),
        };
        let words = || match self {
            Self::These(all) => format!("delays {all:?}"),
            Self::First(some, count) => format!("{count} delays, first {some:?}"),
            Self::Within(limit) => format!("every delay from 1 to {limit}"),
        };
        if holds { Ok(()) } else { Err(words()) }
    }

    fn len(&self) -> usize {
        match self {
            Self::These(all) => all.len(),
            Self::First(_, count) => *count,
            Self::Within(_) => 1,
        }
    }
}

fn wanted(expected: &Value) -> Result<Want, String> {
    let scaled = |name: &str, unit: f64| {
        let all = expected[name].as_array().cloned().or_else(|| expected[name].as_f64().map(|one| vec![one.into()]))?;
        all.iter().map(|value| whole(value, unit)).collect::<Option<Vec<u64>>>()
    };
    if let Some(limit) = expected["each"].as_str().and_then(|words| words.strip_prefix("0 < delay <= ")) {
        return limit
            .parse::<u64>()
            .map(|limit| Want::Within(limit * 1_000))
            .map_err(|_| "words without a limit".into());
    }
    let count = expected["count"].as_u64().and_then(|count| usize::try_from(count).ok());
    let first = scaled("delays_ms_first", 1.0);
    if let Some(count) = count {
        return Ok(Want::First(first.unwrap_or_default(), count));
    }
    let known = [
        ("delays_ms", 1.0),
        ("delay_ms", 1.0),
        ("intervals_ms", 1.0),
        ("delays_s", 1_000.0),
        ("delay_s", 1_000.0),
        ("upper_bounds_s", 1_000.0),
        ("delays_ns", 1.0),
        ("delay_ns", 1.0),
    ];
    let found = known.into_iter().find_map(|(name, unit)| scaled(name, unit));
    found.map(Want::These).ok_or_else(|| "delays that are no whole milliseconds".into())
}

/// The kinds of series that a case names, and whether they are jittered; those without a counterpart are left out.
fn kinds(input: &Value) -> Result<Vec<(String, bool)>, String> {
    let names =
        list_of_names(&input["types"]).or_else(|| list_of_names(&input["type"])).unwrap_or(vec!["exponential".into()]);
    let jitters = match &input["jitter"] {
        Value::Array(all) => all.iter().map(|jitter| jitter == true).collect(),
        jitter => vec![jitter == true],
    };
    let said: Vec<String> = names.into_iter().filter(|name| name == "constant" || name == "exponential").collect();
    if said.is_empty() || input["name"].as_str().is_some_and(|name| name.contains("linear")) {
        return Err("a backoff that is not exponential".into());
    }
    Ok(said.iter().flat_map(|name| jitters.iter().map(|jitter| (name.clone(), *jitter))).collect())
}

fn backoff(numbers: &Value, kind: &str) -> Result<BackoffSpec, String> {
    let base = span(numbers, &["base", "initial", "min", "factor"], Some(1_000))?;
    let cap = span(numbers, &["max", "max_backoff"], None)?;
    let multiplier = ["multiplier", "factor", "scaling", "base"].iter().find_map(|name| numbers[name].as_f64());
    let multiplier = if kind == "constant" { 1.0 } else { multiplier.unwrap_or(2.0) };
    if !(multiplier == 1.0 || (1.1..=100.0).contains(&multiplier)) {
        return Err("a multiplier that is neither 1 nor within 1.1 to 100".into());
    }
    Ok(BackoffSpec {
        base: base.unwrap_or(1_000),
        multiplier: (multiplier * 1_000.0).round() as u32,
        cap,
        ceiling: None,
        jitter: JitterSpec::None,
    })
}

/// The first of these spans that is there, in milliseconds. A series in nanoseconds has the same shape: it is taken as
/// if it were in milliseconds, as far as they reach.
fn span(numbers: &Value, names: &[&str], otherwise: Option<u64>) -> Result<Option<u64>, String> {
    for name in names {
        for (unit, factor) in [("ms", 1.0), ("s", 1_000.0), ("ns", 1.0)] {
            let value = &numbers[format!("{name}_{unit}")];
            if value.is_number() {
                return whole(value, factor)
                    .map(Some)
                    .ok_or_else(|| "a span that is no whole number of milliseconds".into());
            }
        }
    }
    Ok(otherwise)
}

fn whole(value: &Value, factor: f64) -> Option<u64> {
    let scaled = value.as_f64()? * factor;
    let rounded = scaled.round();
    ((scaled - rounded).abs() < 1e-6 && (0.0..9.0e15).contains(&rounded)).then_some(rounded as u64)
}

fn in_a_row(case: &Value, policy: PolicySpec, sample: u32, want: Want, at: usize) -> Result<Probe, String> {
    let retries = u32::try_from(want.len()).map_err(|_| "too many delays")?;
    let policy = PolicySpec { max_attempts: Some(retries + 1), ..policy };
    let script = Script { sample, ..answered(&vec![503; want.len() + 1]) };
    Ok(named(case, policy, script, want, at))
}

/// One delay at one exponent: a request of which as many sends were made before.
fn single(
    case: &Value,
    policy: PolicySpec,
    sample: u32,
    exponent: u64,
    want: Want,
    at: usize,
) -> Result<Probe, String> {
    let used = u32::try_from(exponent).map_err(|_| "an exponent beyond 2^32")?;
    let policy = PolicySpec { max_attempts: Some(used.saturating_add(2)), ..policy };
    let mut script = Script { sample, ..answered(&[503, 200]) };
    script.request.attempts_used = used;
    Ok(named(case, policy, script, want, at))
}

fn named(case: &Value, policy: PolicySpec, script: Script, want: Want, at: usize) -> Probe {
    let mut probe = probe(case, policy, script, Box::new(move |seen| want.judge(seen)));
    if at > 0 {
        probe.vector.id = format!("{}/{at}", probe.vector.id);
    }
    probe
}

/// Jitter formulas: a span around the bound, or one of the named ones.
pub(super) fn jittered(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let draw = input["draw"].as_f64().ok_or("randomness that no integer can stand for")?;
    let formula = input["formula"].as_str().unwrap_or_default();
    let jitter = match input["type"].as_str() {
        Some("full") => JitterSpec::Full,
        Some("equal") => JitterSpec::Equal,
        Some("decorrelated") => JitterSpec::Decorrelated,
        Some("constant" | "exponential") if formula.contains("0.75+0.5*draw") => {
            JitterSpec::Scaled { low: 750, high: 1_250 }
        }
        _ => return Err("a jitter formula without a counterpart".into()),
    };
    let kind = if input["type"] == "constant" { "constant" } else { "exponential" };
    let backoff = BackoffSpec { jitter, ..backoff(input, kind)? };
    let policy = PolicySpec { backoff: Some(backoff), ..PolicySpec::default() };
    let sample = (draw * f64::from(u32::MAX)) as u32;
    Ok(vec![single(case, policy, sample, input["attempt"].as_u64().unwrap_or(0), wanted(expected)?, 0)?])
}

/// A client that reads the field on some statuses only.
fn by_status(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let status = input["status"].as_u64().and_then(|status| u16::try_from(status).ok()).ok_or("no status")?;
    if input["min_ms"] != input["max_ms"] {
        return Err("a jitter formula without a counterpart".into());
    }
    let policy = PolicySpec {
        backoff: Some(backoff(input, "constant")?),
        hint: Some(HintSpec {
            statuses: Some(vec![429, 503]),
            mode: Some("instead-zero-at-once".into()),
            ..HintSpec::default()
        }),
        ..PolicySpec::default()
    };
    let mut probe = single(case, policy, 0, input["attempt"].as_u64().unwrap_or(0), wanted(expected)?, 0)?;
    let fields = input["retry_after"].as_str().map(|value| ("retry-after".to_owned(), value.to_owned()));
    let response = Response { status, fields: fields.into_iter().collect(), sends: 1, ..Response::default() };
    if let Some(first) = probe.vector.run.as_mut().and_then(|run| run.answers.first_mut()) {
        *first = Answer { response: Some(response), failure: None, cancel: false, took: 0, times: 1 };
    }
    Ok(vec![probe])
}

/// How many waits end before a total time.
fn retries_that_fit(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let retries =
        expected["max_retries"].as_u64().and_then(|n| usize::try_from(n).ok()).ok_or("no number of retries")?;
    let policy = PolicySpec {
        max_attempts: Some(u32::MAX),
        deadline: span(input, &["total"], None)?,
        backoff: Some(backoff(input, "exponential")?),
        ..PolicySpec::default()
    };
    let script = answered(&vec![503; retries + 1]);
    Ok(vec![probe(case, policy, script, Box::new(move |seen| Want::First(Vec::new(), retries).judge(seen)))])
}

/// Whether a retry follows after a time has passed.
fn total_time(case: &Value, input: &Value, expected: &Value) -> Result<Vec<Probe>, String> {
    let elapsed = list(&input["elapsed_s"]).ok_or("no elapsed times")?;
    let retry: Vec<bool> = expected["retry"].as_array().into_iter().flatten().map(|retry| retry == true).collect();
    let deadline = span(input, &["total"], None)?;
    let probe = |(at, (elapsed, retry)): (usize, (&u64, bool))| {
        let policy = PolicySpec {
            deadline,
            backoff: Some(BackoffSpec { multiplier: 2_000, ..BackoffSpec::default() }),
            ..PolicySpec::default()
        };
        let mut script = answered(&[503, 200]);
        if let Some(first) = script.answers.first_mut() {
            first.took = elapsed * 1_000;
        }
        named(case, policy, script, Want::First(Vec::new(), usize::from(retry)), at)
    };
    Ok(elapsed.iter().zip(retry).enumerate().map(probe).collect())
}

fn list(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

fn list_of_names(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(all) => all.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
        Value::String(name) => Some(vec![name.clone()]),
        _ => None,
    }
}
