//! One line of a recording: a step of a conformance vector, and which request it is of.

use std::collections::BTreeMap;

use policy_core::{
    Attempt, Command, HandOver, IdempotencyKey, Mark, Millis, Network, Now, Outcome, Request, Tokens, UnixMillis,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    Hints,
    stand_in::{self, StandIns},
};
use crate::{
    engine::{Description, EngineError},
    observer::{Call, Input},
};

/// The version of the format.
pub const VERSION: u32 = 1;

#[derive(Serialize)]
pub(super) struct Line<'a> {
    #[serde(flatten)]
    begun: Option<Begun<'a>>,
    request: u64,
    call: Value,
    now: NowLine,
    #[serde(flatten)]
    answer: Answer,
    #[serde(skip_serializing_if = "is_false")]
    inexact: bool,
}

/// What stands on the first line of a request.
#[derive(Serialize)]
struct Begun<'a> {
    refrain_record: u32,
    policy: PolicyLine<'a>,
    hints: &'static str,
    of: Value,
}

#[derive(Serialize)]
struct PolicyLine<'a> {
    name: &'a str,
    version: &'a str,
    sha256: String,
}

/// The wall clock is -1 where there is none, as in a vector.
#[derive(Serialize)]
struct NowLine {
    mark: u64,
    wall: Value,
    session: u64,
    cancelled: bool,
    network: &'static str,
    sample: u32,
    tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    hold: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Expect(Map<String, Value>),
    Failed(&'static str),
}

impl<'a> Line<'a> {
    pub(super) fn of(call: &Call<'a>, hints: Hints) -> Self {
        let description = call.inner.engine.description();
        let begun = match call.input {
            Input::Start(request) => Some(Begun::of(&request, description, hints)),
            _ => None,
        };
        let fields = match hints {
            Hints::Read => stand_in::of(call),
            Hints::Sent => StandIns { texts: stand_in::sent(call), exact: true },
        };
        Self {
            begun,
            request: call.request,
            inexact: !fields.exact,
            call: call_of(&call.input, fields.texts),
            now: NowLine::of(&call.now),
            answer: match call.answer {
                Ok((command, tokens)) => Answer::Expect(answer(&command, tokens)),
                Err(error) => Answer::Failed(failed(error)),
            },
        }
    }

    pub(super) fn to_text(&self) -> String {
        // Nothing here has keys that are no strings, the one thing that JSON cannot express.
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl<'a> Begun<'a> {
    fn of(request: &Request, description: &'a Description, hints: Hints) -> Self {
        let Description { name, version, policy, .. } = description;
        let sha256 = Sha256::digest(policy).iter().map(|byte| format!("{byte:02x}")).collect();
        let hints = if hints == Hints::Sent { "sent" } else { "read" };
        Self { refrain_record: VERSION, policy: PolicyLine { name, version, sha256 }, hints, of: request_of(request) }
    }
}

impl NowLine {
    fn of(now: &Now) -> Self {
        Self {
            mark: now.mark.get(),
            wall: now.wall.map_or(json!(-1), |wall| wall.get().into()),
            session: now.session.get(),
            cancelled: now.cancelled,
            network: match now.network {
                Network::Unknown => "unknown",
                Network::Up => "up",
                Network::Down => "down",
            },
            sample: now.sample.get(),
            tokens: now.tokens.thousandths(),
            hold: now.hold.map(Mark::get),
        }
    }
}

fn request_of(request: &Request) -> Value {
    let Request { method, key, replayable, limits, attempts_used, not_before } = *request;
    json!({
        "method": method.name(),
        "key": match key {
            IdempotencyKey::Absent => "absent",
            IdempotencyKey::Sent => "sent",
            IdempotencyKey::Honoured => "honoured",
        },
        "replayable": replayable,
        "max_attempts": limits.max_attempts,
        "deadline": limits.deadline.map(Millis::get),
        "max_wait": limits.max_wait.map(Millis::get),
        "attempts_used": attempts_used,
        "not_before": not_before.map(Mark::get),
    })
}

fn call_of(input: &Input, fields: BTreeMap<&str, String>) -> Value {
    match *input {
        Input::Start(_) => json!("start"),
        Input::Wake => json!("wake"),
        Input::Response { of: Attempt { number, sends, exhausted }, status } => json!({"response": {
            "attempt": number, "status": status, "fields": fields, "sends": sends, "exhausted": exhausted,
        }}),
        Input::Failure { of: Attempt { number, sends, exhausted }, kind, timed_out } => json!({"failure": {
            "attempt": number, "kind": kind.name(), "timed_out": timed_out, "sends": sends, "exhausted": exhausted,
        }}),
    }
}

/// What an engine said, as the members that the `expect` of a conformance vector's step may have.
///
/// ```
/// use refrain::core::{Command, Tokens};
/// let said = refrain::record::answer(&Command::Send { attempt: 2, timeout: None }, Tokens::new(495));
/// assert_eq!(said["command"], "send");
/// assert_eq!(said["tokens"], 495_000); // thousandths
/// ```
#[must_use]
pub fn answer(command: &Command, tokens: Tokens) -> Map<String, Value> {
    let mut said = match command {
        Command::Keep => object(json!({"command": "keep"})),
        Command::Send { attempt, timeout } => object(json!({
            "command": "send",
            "attempt": attempt,
            "timeout": timeout.map(Millis::get),
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
        Command::Finish(ended) => {
            let mut said = object(json!({"command": "finish"}));
            said.extend(outcome(ended));
            said
        }
    };
    said.insert("tokens".into(), tokens.thousandths().into());
    said
}

/// How a request ended, as the members that the `expect` of a conformance vector may have.
///
/// ```
/// use refrain::core::{Bound, End, HandOver, HintReport, Outcome};
/// let ended = Outcome {
///     end: End::AttemptsUsed, bound: Bound::Attempts, hint: HintReport::Absent, attempts: 4, maybe_applied: false,
///     hand_over: HandOver::This, resume: None,
/// };
/// assert_eq!(refrain::record::outcome(&ended)["end"], "attempts-used");
/// ```
#[must_use]
pub fn outcome(outcome: &Outcome) -> Map<String, Value> {
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
            "not_before": resume.not_before.map(UnixMillis::get),
            "attempts_used": resume.attempts_used,
        })),
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

const fn failed(error: &EngineError) -> &'static str {
    match error {
        EngineError::Trapped(_) => "trapped",
        EngineError::LimitReached(_) => "limit-reached",
        EngineError::Unknown(_) => "unknown",
        EngineError::Unavailable(_) => "unavailable",
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}
