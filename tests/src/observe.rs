//! What an engine answered, as JSON: the members that a vector's `expect` may name.

use policy_core::{Command, HandOver, HintReport, Outcome, Tokens, retry_after::RetryAfter};
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

/// Of one step.
pub(crate) fn step(command: &Command, tokens: Tokens) -> Map<String, Value> {
    let mut seen = match command {
        Command::Keep => object(json!({"command": "keep"})),
        Command::Send { attempt, timeout } => object(json!({
            "command": "send",
            "attempt": attempt,
            "timeout": timeout.map(|timeout| timeout.get()),
        })),
        Command::Wait(wait) => object(json!({
            "command": "wait",
            "until": wait.until.get(),
            "delay": wait.delay.get(),
            "retry_index": wait.retry_index,
            "bound": wait.bound.name(),
            "hint": wait.hint.name(),
        })),
        Command::AwaitNetwork { until } => object(json!({"command": "await-network", "until": until.get()})),
        Command::Finish(outcome) => {
            let mut seen = object(json!({"command": "finish"}));
            seen.extend(ended(outcome));
            seen
        }
    };
    seen.insert("tokens".into(), tokens.thousandths().into());
    seen
}

/// Of an outcome.
pub(crate) fn ended(outcome: &Outcome) -> Map<String, Value> {
    object(json!({
        "end": outcome.end.name(),
        "bound": outcome.bound.name(),
        "hint": outcome.hint.name(),
        "attempts": outcome.attempts,
        "maybe_applied": outcome.maybe_applied,
        "hand_over": match outcome.hand_over {
            HandOver::This => json!("this"),
            HandOver::Abort => json!("abort"),
            HandOver::LastStatus(status) => json!(status),
        },
        "resume": outcome.resume.map(|resume| json!({
            "delay": resume.delay.get(),
            "not_before": resume.not_before.map(|moment| moment.get()),
            "attempts_used": resume.attempts_used,
        })),
    }))
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
