//! Runs the calls of a vector, one after the other.

use policy_core::{
    Attempt, Command, Event, FailureKind, Field, IdempotencyKey, Limits, Mark, Method, Millis, Network, Now, Request,
    Sample, Session, Tokens, UnixMillis,
};
use refrain::{Engine, EngineError, State, record::answer};
use serde_json::{Map, Value, json};

use crate::{
    check::unhex,
    observe::object,
    vector::{Call, Failure, NowSpec, RequestSpec, Response, Step, Steps},
};

/// What each call gave.
pub(crate) fn run(engine: &dyn Engine, steps: &Steps) -> Result<Vec<Map<String, Value>>, String> {
    let mut answers = Answers::new(engine, &steps.request)?;
    steps.calls.iter().map(|step| answers.next(step)?.map_err(|error| error.to_string())).collect()
}

/// Makes one call after the other.
pub(crate) struct Answers<'a> {
    engine: &'a dyn Engine,
    request: Request,
    now: Now,
    state: State,
    attempt: u32,
    finished: bool,
}

/// What an engine gave.
pub(crate) type Answer = Result<Map<String, Value>, EngineError>;

impl<'a> Answers<'a> {
    /// Of a request that is not begun.
    pub(crate) fn new(engine: &'a dyn Engine, spec: &RequestSpec) -> Result<Self, String> {
        let budget = engine.description().budget.unwrap_or_default();
        let (request, now) = (request(spec)?, first_now(budget));
        Ok(Self { engine, request, now, state: State([0; 8]), attempt: 0, finished: false })
    }

    /// What the next call gives; `Err` if there is no such call.
    pub(crate) fn next(&mut self, step: &Step) -> Result<Answer, String> {
        if let Some(execution) = &step.execution {
            self.state = State(words(execution)?);
        }
        if self.finished {
            return Ok(Ok(object(json!({"command": "keep"}))));
        }
        // A number that is none: a host has to refuse it before anything is decided, and sends nothing any more.
        if !apply(&mut self.now, &step.now)? {
            self.finished = true;
            return Ok(Ok(object(json!({"command": "finish", "end": "invalid-input"}))));
        }
        Ok(self.call(&step.call)?.map(|step| {
            if let Command::Send { attempt, .. } = step.command {
                self.attempt = attempt;
            }
            (self.state, self.now.tokens) = (step.state, step.tokens);
            answer(&step.command, step.tokens)
        }))
    }

    fn call(&self, call: &Call) -> Result<Result<refrain::Step, EngineError>, String> {
        Ok(match call {
            Call::Start => self.engine.start(&self.request, &self.now),
            Call::Wake => self.engine.handle(&self.state, Event::Wake, &self.now),
            Call::Failure(failure) => {
                let event = failure_event(failure, self.attempt)?;
                self.engine.handle(&self.state, event, &self.now)
            }
            Call::Response(response) => {
                let values = bytes_of(response);
                let fields = fields(self.engine, &values);
                let event = response_event(response, self.attempt, &fields);
                self.engine.handle(&self.state, event, &self.now)
            }
        })
    }
}

/// The eight words of an execution, each with its least significant byte first.
fn words(hex: &str) -> Result<[u64; 8], String> {
    let bytes = unhex(hex)?;
    let (words, []) = bytes.as_chunks::<8>() else { return Err(format!("expected 128 digits, found `{hex}`")) };
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    words.try_into().map_err(|_| format!("expected 128 digits, found `{hex}`"))
}

pub(crate) fn first_now(tokens: Tokens) -> Now {
    Now {
        mark: Mark::new(0),
        wall: None,
        session: Session::new(1),
        cancelled: false,
        network: Network::Unknown,
        sample: Sample::ZERO,
        tokens,
        hold: None,
    }
}

pub(crate) fn request(spec: &RequestSpec) -> Result<Request, String> {
    Ok(Request {
        method: Method::from_name(spec.method.as_deref().unwrap_or("GET")),
        key: match spec.key.as_deref() {
            None | Some("absent") => IdempotencyKey::Absent,
            Some("sent") => IdempotencyKey::Sent,
            Some("honoured") => IdempotencyKey::Honoured,
            Some(other) => return Err(format!("expected `absent`, `sent` or `honoured`, found `{other}`")),
        },
        replayable: spec.replayable.unwrap_or(true),
        limits: Limits {
            max_attempts: spec.max_attempts,
            deadline: spec.deadline.map(Millis::new),
            max_wait: spec.max_wait.map(Millis::new),
        },
        attempts_used: spec.attempts_used,
        not_before: spec.not_before.map(Mark::new),
    })
}

pub(crate) fn failure_event<'a>(failure: &Failure, attempt: u32) -> Result<Event<'a>, String> {
    let kind = FailureKind::ALL.into_iter().find(|kind| kind.name() == failure.kind);
    Ok(Event::Failure {
        of: Attempt { number: failure.attempt.unwrap_or(attempt), sends: failure.sends, exhausted: failure.exhausted },
        kind: kind.ok_or_else(|| format!("expected a kind of failure, found `{}`", failure.kind))?,
        timed_out: failure.timed_out,
    })
}

pub(crate) fn response_event<'a>(response: &Response, attempt: u32, fields: &'a [Field<'a>]) -> Event<'a> {
    let number = response.attempt.unwrap_or(attempt);
    let of = Attempt { number, sends: response.sends, exhausted: response.exhausted };
    Event::Response { of, status: response.status, fields }
}

/// The fields' values as bytes: each character of a vector is one.
pub(crate) fn bytes_of(response: &Response) -> Vec<(String, Vec<u8>)> {
    let bytes = |text: &String| text.chars().map(|character| character as u8).collect();
    response.fields.iter().map(|(name, value)| (name.to_ascii_lowercase(), bytes(value))).collect()
}

/// Those of `values` that the policy asks for.
pub(crate) fn fields<'a>(engine: &dyn Engine, values: &'a [(String, Vec<u8>)]) -> Vec<Field<'a>> {
    let wanted = engine.description().fields.iter().zip(0_u8..);
    let found = wanted.filter_map(|(wanted, index)| {
        let (_, value) = values.iter().find(|(name, _)| name == wanted)?;
        Some(Field { index, value: &value[..value.len().min(policy_core::FIELD_MAX)] })
    });
    found.collect()
}

/// Applies what has changed; false if a number is none that a host could hand over.
fn apply(now: &mut Now, changes: &NowSpec) -> Result<bool, String> {
    if let Some(mark) = &changes.mark {
        let Some(mark) = mark.as_u64() else { return Ok(false) };
        now.mark = Mark::new(mark);
    }
    if let Some(wall) = &changes.wall {
        now.wall = match wall.as_u64() {
            Some(wall) => Some(UnixMillis::new(wall)),
            None if wall.as_i64() == Some(-1) => None,
            None => return Ok(false),
        };
    }
    if let Some(sample) = &changes.sample {
        let Some(sample) = sample.as_u64().and_then(|sample| u32::try_from(sample).ok()) else { return Ok(false) };
        now.sample = Sample::new(sample);
    }
    now.session = changes.session.map_or(now.session, Session::new);
    now.cancelled = changes.cancelled.unwrap_or(now.cancelled);
    now.tokens = changes.tokens.map_or(now.tokens, Tokens::from_thousandths);
    now.hold = changes.hold.map_or(now.hold, |hold| Some(Mark::new(hold)));
    now.network = match changes.network.as_deref() {
        None => now.network,
        Some("unknown") => Network::Unknown,
        Some("up") => Network::Up,
        Some("down") => Network::Down,
        Some(other) => return Err(format!("expected `unknown`, `up` or `down`, found `{other}`")),
    };
    Ok(true)
}
