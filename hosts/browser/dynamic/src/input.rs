//! What JavaScript hands over: the members of the package's `engine.ts`, and what the core makes of them.

use js_sys::{Array, Int32Array};
use policy_core::{
    Attempt, FIELD_MAX, FIELDS_MAX, FailureKind, Field, IdempotencyKey, Limits, Mark, Method, Millis, Network, Sample,
    Session, Tokens, UnixMillis,
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::number::Numbers;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"import type {
  Event,
  Execution,
  HostSettings,
  Now,
  Problem,
  Request,
  RetryAfter,
  StepBuffer,
} from "../engine.js";
"#;

#[wasm_bindgen]
extern "C" {
    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "Request")]
    pub type Request;
    #[wasm_bindgen(method, getter, structural)]
    fn method(this: &Request) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn key(this: &Request) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn replayable(this: &Request) -> bool;
    #[wasm_bindgen(method, getter, structural, js_name = maxAttempts)]
    fn max_attempts(this: &Request) -> Option<f64>;
    #[wasm_bindgen(method, getter, structural)]
    fn deadline(this: &Request) -> Option<f64>;
    #[wasm_bindgen(method, getter, structural, js_name = maxWait)]
    fn max_wait(this: &Request) -> Option<f64>;
    #[wasm_bindgen(method, getter, structural, js_name = attemptsUsed)]
    fn attempts_used(this: &Request) -> f64;
    #[wasm_bindgen(method, getter, structural, js_name = notBefore)]
    fn not_before(this: &Request) -> Option<f64>;

    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "Now")]
    pub type Now;
    #[wasm_bindgen(method, getter, structural)]
    fn mark(this: &Now) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn wall(this: &Now) -> Option<f64>;
    #[wasm_bindgen(method, getter, structural)]
    fn session(this: &Now) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn cancelled(this: &Now) -> bool;
    #[wasm_bindgen(method, getter, structural)]
    fn network(this: &Now) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn sample(this: &Now) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn tokens(this: &Now) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn hold(this: &Now) -> Option<f64>;

    /// See `engine.ts`.
    #[wasm_bindgen(typescript_type = "Event")]
    pub type Event;
    #[wasm_bindgen(method, getter, structural)]
    fn event(this: &Event) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn attempt(this: &Event) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn sends(this: &Event) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn exhausted(this: &Event) -> bool;
    #[wasm_bindgen(method, getter, structural)]
    fn status(this: &Event) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn fields(this: &Event) -> Array;
    #[wasm_bindgen(method, getter, structural)]
    fn kind(this: &Event) -> f64;
    #[wasm_bindgen(method, getter, structural, js_name = timedOut)]
    fn timed_out(this: &Event) -> bool;
}

/// The numbers of `Event.event`.
const RESPONSE: f64 = 0.0;
const FAILURE: f64 = 1.0;

pub(crate) fn request(request: &Request, numbers: &mut Numbers) -> policy_core::Request {
    policy_core::Request {
        method: nth(&Method::ALL, request.method()).unwrap_or(Method::Other),
        key: nth(&KEYS, request.key()).unwrap_or_default(),
        replayable: request.replayable(),
        limits: Limits {
            max_attempts: request.max_attempts().map(|attempts| numbers.u32(attempts)),
            deadline: request.deadline().map(|span| Millis::new(numbers.u64(span))),
            max_wait: request.max_wait().map(|span| Millis::new(numbers.u64(span))),
        },
        attempts_used: numbers.u32(request.attempts_used()),
        not_before: request.not_before().map(|mark| Mark::new(numbers.u64(mark))),
    }
}

/// Reads *now*, the last of what a call is handed. If any of its numbers is none, the mark is one that the core refuses, so
/// that no such number is taken for another.
pub(crate) fn now(now: &Now, mut numbers: Numbers) -> policy_core::Now {
    let read = policy_core::Now {
        mark: Mark::new(numbers.u64(now.mark())),
        wall: now.wall().map(|wall| UnixMillis::new(numbers.u64(wall))),
        session: Session::new(numbers.u64(now.session())),
        cancelled: now.cancelled(),
        network: nth(&NETWORKS, now.network()).unwrap_or_default(),
        sample: Sample::new(numbers.u32(now.sample())),
        tokens: Tokens::from_thousandths(numbers.u32(now.tokens())),
        hold: now.hold().map(|mark| Mark::new(numbers.u64(mark))),
    };
    if numbers.are_sound() { read } else { policy_core::Now { mark: Mark::new(u64::MAX), ..read } }
}

/// The values of the fields of a response that are there, with their positions.
pub(crate) fn fields(event: &Event) -> Vec<(u8, Vec<u8>)> {
    if event.event() != RESPONSE {
        return Vec::new();
    }
    let values = event.fields().into_iter().take(FIELDS_MAX).zip(0..);
    let there = values.filter_map(|(value, index): (JsValue, u8)| Some((index, bytes_of(&value.as_string()?))));
    there.collect()
}

pub(crate) fn lent(values: &[(u8, Vec<u8>)]) -> Vec<Field<'_>> {
    values.iter().map(|(index, value)| Field { index: *index, value }).collect()
}

pub(crate) fn event<'a>(event: &Event, fields: &'a [Field<'a>], numbers: &mut Numbers) -> policy_core::Event<'a> {
    let of = |numbers: &mut Numbers| Attempt {
        number: numbers.u32(event.attempt()),
        sends: numbers.u32(event.sends()),
        exhausted: event.exhausted(),
    };
    match event.event() {
        RESPONSE => policy_core::Event::Response { of: of(numbers), status: numbers.u16(event.status()), fields },
        FAILURE => policy_core::Event::Failure {
            of: of(numbers),
            // Of one that is not known, anything may be true.
            kind: nth(&FailureKind::ALL, event.kind()).unwrap_or(FailureKind::Ambiguous),
            timed_out: event.timed_out(),
        },
        _ => policy_core::Event::Wake,
    }
}

/// The eight words of an execution, each with its lower half first.
pub(crate) fn words(execution: &Int32Array) -> [u64; 8] {
    let mut halves = [0; 16];
    if execution.length() == 16 {
        execution.copy_to(&mut halves);
    }
    let mut words = [0; 8];
    for (word, half) in words.iter_mut().zip(halves.chunks_exact(2)) {
        let [low, high] = [half[0], half[1]].map(|half: i32| u64::from(half.cast_unsigned()));
        *word = high << 32 | low;
    }
    words
}

/// The characters of a value, each of which is a byte, cut to what is handed over; one that is none becomes a byte that no
/// hint is written with.
pub(crate) fn bytes_of(value: &str) -> Vec<u8> {
    value.encode_utf16().take(FIELD_MAX).map(|unit| u8::try_from(unit).unwrap_or(u8::MAX)).collect()
}

const KEYS: [IdempotencyKey; 3] = [IdempotencyKey::Absent, IdempotencyKey::Sent, IdempotencyKey::Honoured];
const NETWORKS: [Network; 3] = [Network::Unknown, Network::Up, Network::Down];

/// What has this number.
fn nth<T: Copy>(all: &[T], number: f64) -> Option<T> {
    let mut numbers = Numbers::new();
    let at = usize::from(numbers.u16(number));
    all.get(at).copied().filter(|_| numbers.are_sound())
}
