//! The JSON Schema of vector files, made from the types that read them.

use policy_core::{BadValue, Bound, End, FailureKind, HintReport, Method, Unit};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::vector::VectorFile;

/// The text of `schema.json` (draft 2020-12).
#[must_use]
pub fn text() -> String {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<VectorFile>();
    format!("{:#}\n", schema.as_value())
}

/// Looks for members of an `expect` that no engine answers, or of another type.
///
/// # Errors
/// The first one, in words.
pub fn check_expect(expect: &Map<String, Value>) -> Result<(), String> {
    Expect::deserialize(expect).map(drop).map_err(|error| error.to_string())
}

/// What an engine may have answered. Each vector names the members that matter to it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "an answer is compared as JSON; this says what may stand in it")]
pub(crate) struct Expect {
    /// Of `parse`: the whole seconds, in decimal digits.
    delay_seconds: Option<String>,
    /// Of `parse`: the date, in seconds since 1970.
    at: Option<i64>,
    /// Of `parse`: why the value was refused.
    #[schemars(extend("enum" = hint_reports()))]
    refused: Option<String>,
    /// Of a call: what to do now.
    #[schemars(extend("enum" = ["keep", "send", "wait", "await-network", "finish"]))]
    command: Option<String>,
    /// Of `send`: its number.
    attempt: Option<u32>,
    /// Of `send`: milliseconds until the response head must be here; `null` for no limit.
    timeout: Option<u64>,
    /// Of `wait` and `await-network`: the mark.
    until: Option<u64>,
    /// Of `wait`: milliseconds from now.
    delay: Option<u64>,
    /// Of `wait`: which retry it leads to, from 0.
    retry_index: Option<u32>,
    /// Of `wait` and of an end: the bound that decided.
    #[schemars(extend("enum" = bounds()))]
    bound: Option<String>,
    /// Of `wait` and of an end: what became of the hint.
    #[schemars(extend("enum" = hint_reports()))]
    hint: Option<String>,
    /// Of a call: the retry budget afterwards. Of `run`: the budget after each logical request. Thousandths.
    tokens: Option<TokensOrList>,
    /// How a logical request ended; of `run`, the last one. `config-error`: the policy was refused.
    #[schemars(extend("enum" = ends()))]
    end: Option<String>,
    /// Of an end: all sends of the logical request.
    attempts: Option<u32>,
    /// Of an end: an attempt may have been applied without an answer.
    maybe_applied: Option<bool>,
    /// Of an end: `this`, `abort`, or the status of the last result (0 if it had none).
    hand_over: Option<HandOver>,
    /// Of an end: what is needed to go on later.
    resume: Option<Resume>,
    /// Of `run`: sends of all its logical requests.
    sends: Option<u64>,
    /// Of `run`: the planned delay of each wait, early wakes left out.
    delays: Option<Vec<u64>>,
    /// Of `run`: milliseconds from the first call to the last.
    elapsed: Option<u64>,
    /// Of `run`: the sends of each logical request.
    sends_per_call: Option<Vec<u64>>,
    /// Of `run`: the budget after each send.
    tokens_after: Option<Vec<u32>>,
    /// Of `run` with `outer_attempts`: how often the outer layer began the inner one.
    outer_runs: Option<u32>,
    /// Of a policy that is refused: why.
    policy_error: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "as `Expect`")]
enum TokensOrList {
    Tokens(u32),
    List(Vec<u32>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "as `Expect`")]
enum HandOver {
    Word(String),
    LastStatus(u16),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "as `Expect`")]
struct Resume {
    /// The whole wait that was asked for, in milliseconds.
    delay: Option<u64>,
    /// The same as a wall-clock moment, in milliseconds since 1970; `null` if nobody can tell.
    not_before: Option<u64>,
    /// All sends so far.
    attempts_used: Option<u32>,
}

pub(crate) fn one_input() -> Value {
    ["parse", "steps", "run"].map(|input| json!({"required": [input]})).into_iter().collect()
}

pub(crate) fn one_of(names: &[&str]) -> Value {
    json!({"type": "string", "enum": names})
}

pub(crate) fn failure_kinds() -> Vec<&'static str> {
    FailureKind::ALL.map(FailureKind::name).to_vec()
}

pub(crate) fn ready_made() -> Vec<&'static str> {
    refrain_document::ready::names().collect()
}

pub(crate) fn units() -> Vec<&'static str> {
    Unit::ALL.map(Unit::name).to_vec()
}

pub(crate) fn bad_values() -> Vec<&'static str> {
    BadValue::ALL.map(BadValue::name).to_vec()
}

pub(crate) fn methods() -> Vec<&'static str> {
    Method::ALL.into_iter().map(Method::name).filter(|name| !name.is_empty()).collect()
}

fn hint_reports() -> Vec<&'static str> {
    HintReport::ALL.map(HintReport::name).to_vec()
}

fn bounds() -> Vec<&'static str> {
    Bound::ALL.map(Bound::name).to_vec()
}

fn ends() -> Vec<&'static str> {
    End::ALL.map(End::name).into_iter().chain(["config-error"]).collect()
}
