//! What JavaScript gets: the members of the package's `engine.ts`, as the core gives them.

use js_sys::{BigInt, Int32Array, Object, Reflect};
use policy_core::{Bound, Command, HandOver, HintReport, Millis, Outcome, Resume, Step, UnixMillis, Wait};
use refrain_document::{BudgetScope, KeyForm};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "StepBuffer")]
    pub type StepBuffer;
    #[wasm_bindgen(method, getter, structural)]
    fn execution(this: &StepBuffer) -> Int32Array;
    #[wasm_bindgen(method, setter, structural)]
    fn set_tokens(this: &StepBuffer, value: u32);
    #[wasm_bindgen(method, setter, structural)]
    fn set_command(this: &StepBuffer, value: u8);
    #[wasm_bindgen(method, setter, structural)]
    fn set_attempt(this: &StepBuffer, value: u32);
    #[wasm_bindgen(method, setter, structural)]
    fn set_timeout(this: &StepBuffer, value: JsValue);
    #[wasm_bindgen(method, setter, structural)]
    fn set_until(this: &StepBuffer, value: f64);
    #[wasm_bindgen(method, setter, structural)]
    fn set_delay(this: &StepBuffer, value: f64);
    #[wasm_bindgen(method, setter, structural, js_name = retryIndex)]
    fn set_retry_index(this: &StepBuffer, value: u32);
    #[wasm_bindgen(method, setter, structural)]
    fn set_bound(this: &StepBuffer, value: u16);
    #[wasm_bindgen(method, setter, structural)]
    fn set_hint(this: &StepBuffer, value: u16);
    #[wasm_bindgen(method, setter, structural)]
    fn set_end(this: &StepBuffer, value: u16);
    #[wasm_bindgen(method, setter, structural)]
    fn set_attempts(this: &StepBuffer, value: u32);
    #[wasm_bindgen(method, setter, structural, js_name = maybeApplied)]
    fn set_maybe_applied(this: &StepBuffer, value: bool);
    #[wasm_bindgen(method, setter, structural, js_name = handOver)]
    fn set_hand_over(this: &StepBuffer, value: u8);
    #[wasm_bindgen(method, setter, structural, js_name = lastStatus)]
    fn set_last_status(this: &StepBuffer, value: u16);
    #[wasm_bindgen(method, setter, structural)]
    fn set_resume(this: &StepBuffer, value: JsValue);

    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "RetryAfter")]
    pub type RetryAfter;

    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "HostSettings")]
    pub type HostSettings;
}

/// Writes a step; the numbers are those of the component's interface.
pub(crate) fn step(step: &Step, into: &StepBuffer) {
    into.execution().copy_from(&halves(step.execution.to_words()));
    into.set_tokens(step.tokens.thousandths());
    match step.command {
        Command::Keep => into.set_command(0),
        Command::Send { attempt, timeout } => {
            into.set_command(1);
            into.set_attempt(attempt);
            into.set_timeout(or_null(timeout.map(Millis::get)));
        }
        Command::Wait(Wait { until, delay, retry_index, bound, hint }) => {
            into.set_command(2);
            into.set_until(exact(until.get()));
            into.set_delay(exact(delay.get()));
            into.set_retry_index(retry_index);
            reasons(bound, hint, into);
        }
        Command::AwaitNetwork { until } => {
            into.set_command(3);
            into.set_until(exact(until.get()));
        }
        Command::Finish(outcome) => {
            into.set_command(4);
            self::outcome(&outcome, into);
        }
    }
}

fn outcome(outcome: &Outcome, into: &StepBuffer) {
    into.set_end(outcome.end.code());
    reasons(outcome.bound, outcome.hint, into);
    into.set_attempts(outcome.attempts);
    into.set_maybe_applied(outcome.maybe_applied);
    let (hand_over, last_status) = match outcome.hand_over {
        HandOver::This => (0, 0),
        HandOver::Abort => (1, 0),
        HandOver::LastStatus(status) => (2, status),
    };
    into.set_hand_over(hand_over);
    into.set_last_status(last_status);
    into.set_resume(outcome.resume.as_ref().map_or(JsValue::NULL, resume));
}

fn reasons(bound: Bound, hint: HintReport, into: &StepBuffer) {
    into.set_bound(bound.code());
    into.set_hint(hint.code());
}

fn resume(resume: &Resume) -> JsValue {
    object([
        ("delay", exact(resume.delay.get()).into()),
        ("notBefore", or_null(resume.not_before.map(UnixMillis::get))),
        ("attemptsUsed", resume.attempts_used.into()),
    ])
}

pub(crate) fn delay_seconds(seconds: u64) -> RetryAfter {
    object([("delaySeconds", BigInt::from(seconds).into())]).unchecked_into()
}

pub(crate) fn at(second: i64) -> RetryAfter {
    object([("at", BigInt::from(second).into())]).unchecked_into()
}

pub(crate) fn refused(code: u16) -> RetryAfter {
    object([("refused", code.into())]).unchecked_into()
}

pub(crate) fn host(settings: &refrain_document::HostSettings) -> HostSettings {
    let key = settings
        .key
        .as_ref()
        .map(|key| object([("name", key.name.as_str().into()), ("quoted", (key.form == KeyForm::Quoted).into())]));
    let budget = match settings.budget {
        BudgetScope::Policy => "policy",
        BudgetScope::Host => "host",
        BudgetScope::Key => "key",
    };
    let settings = object([
        ("key", key.unwrap_or(JsValue::NULL)),
        ("budget", budget.into()),
        ("sessionRequired", settings.session_required.into()),
    ]);
    settings.unchecked_into()
}

/// The words of an execution, each as its lower and its upper half.
#[expect(clippy::cast_possible_truncation, reason = "each half is cut to its bits")]
fn halves(words: [u64; 8]) -> [i32; 16] {
    let mut halves = [0; 16];
    for (pair, word) in halves.chunks_exact_mut(2).zip(words) {
        pair.copy_from_slice(&[word as i32, (word >> 32) as i32]);
    }
    halves
}

/// An object with these members.
pub(crate) fn object<const N: usize>(members: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // A plain object takes every member.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}

/// Null for nothing, which the interface has in every such place.
fn or_null(value: Option<u64>) -> JsValue {
    value.map_or(JsValue::NULL, |value| exact(value).into())
}

/// A span, mark or moment: at most 2^53 − 1, so a number of JavaScript holds it.
#[expect(clippy::cast_precision_loss, reason = "none is larger")]
const fn exact(value: u64) -> f64 {
    value as f64
}
