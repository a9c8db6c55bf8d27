//! The interface's types into the core's, and back. The only file that names both.

use policy_core::{
    Attempt, Command, Event, Execution, FIELD_ROWS, FailureKind, Field, HandOver, IdempotencyKey, Limits, Mark, Method,
    Millis, Network, Now, Outcome, Policy, Request, Resume, Sample, Session, Step, Tokens, UnixMillis, Wait,
    retry_after::{RetryAfter, RetryAfterError},
    slot::{self, SLOT_LEN},
};

use crate::{
    bindings as wit,
    rt::{self, Fallible, Given, List, Optional, Text},
};

pub(crate) fn description(policy: &'static Policy, slot: &'static [u8; SLOT_LEN]) -> Given<wit::Description> {
    let (name, version) = slot::texts(slot);
    rt::give(wit::Description {
        name: Text::of(name),
        version: Text::of(version),
        fields: rt::give_list(policy.field_bytes().map(Text::of)),
        budget: policy.budget().map(|budget| budget.capacity.thousandths()).into(),
        policy: List::of(slot::policy_bytes(slot)),
    })
}

pub(crate) fn parsed(result: Result<RetryAfter, RetryAfterError>) -> Given<Fallible<wit::RetryAfter, wit::HintCode>> {
    rt::give(match result {
        Ok(RetryAfter::DelaySeconds(seconds)) => Fallible::Ok(wit::RetryAfter::DelaySeconds(seconds)),
        Ok(RetryAfter::At(second)) => Fallible::Ok(wit::RetryAfter::At(second)),
        Err(error) => Fallible::Err(error.reason.code()),
    })
}

pub(crate) fn wall(wall: &Optional<wit::UnixMillis>) -> Option<UnixMillis> {
    wall.get().map(UnixMillis::new)
}

pub(crate) fn request(request: &wit::Request) -> Request {
    Request {
        method: method(request.method),
        key: match request.key {
            wit::IdempotencyKey::Absent => IdempotencyKey::Absent,
            wit::IdempotencyKey::Sent => IdempotencyKey::Sent,
            wit::IdempotencyKey::Honoured => IdempotencyKey::Honoured,
        },
        replayable: request.replayable,
        limits: Limits {
            max_attempts: request.limits.max_attempts.get(),
            deadline: request.limits.deadline.get().map(Millis::new),
            max_wait: request.limits.max_wait.get().map(Millis::new),
        },
        attempts_used: request.attempts_used,
        not_before: request.not_before.get().map(Mark::new),
    }
}

fn method(method: wit::Method) -> Method {
    match method {
        wit::Method::Get => Method::Get,
        wit::Method::Head => Method::Head,
        wit::Method::Options => Method::Options,
        wit::Method::Trace => Method::Trace,
        wit::Method::Query => Method::Query,
        wit::Method::Put => Method::Put,
        wit::Method::Delete => Method::Delete,
        wit::Method::Post => Method::Post,
        wit::Method::Patch => Method::Patch,
        wit::Method::Connect => Method::Connect,
        wit::Method::Other => Method::Other,
    }
}

pub(crate) fn now(now: &wit::Now) -> Now {
    Now {
        mark: Mark::new(now.mark),
        wall: wall(&now.wall),
        session: Session::new(now.session),
        cancelled: now.cancelled,
        network: match now.network {
            wit::Network::Unknown => Network::Unknown,
            wit::Network::Up => Network::Up,
            wit::Network::Down => Network::Down,
        },
        sample: Sample::new(now.sample),
        tokens: Tokens::from_thousandths(now.tokens),
        hold: now.hold.get().map(Mark::new),
    }
}

pub(crate) fn execution(execution: &wit::Execution) -> Execution {
    let wit::Execution { a, b, c, d, e, f, g, h } = *execution;
    Execution::from_words([a, b, c, d, e, f, g, h])
}

/// One field more than any policy asks for: where there are as many, one comes twice or is unknown, and the core refuses
/// them all.
const FIELDS_READ: usize = FIELD_ROWS + 1;

/// Hands `event` over in the core's form, which borrows.
pub(crate) fn with_event(event: &wit::Event, handle: impl FnOnce(Event<'_>) -> Step) -> Step {
    let mut fields = [Field { index: 0, value: &[] }; FIELDS_READ];
    handle(match event {
        wit::Event::Response(response) => {
            let given = response.fields.as_slice();
            for (place, field) in fields.iter_mut().zip(given) {
                *place = Field { index: field.index, value: field.value.as_slice() };
            }
            let fields = fields.get(..given.len()).unwrap_or(&fields);
            Event::Response { of: attempt(&response.of), status: response.status, fields }
        }
        wit::Event::Failure(failure) => Event::Failure {
            of: attempt(&failure.of),
            kind: match failure.kind {
                wit::FailureKind::DnsFailed => FailureKind::DnsFailed,
                wit::FailureKind::ConnectFailed => FailureKind::ConnectFailed,
                wit::FailureKind::TlsFailed => FailureKind::TlsFailed,
                wit::FailureKind::Unprocessed => FailureKind::Unprocessed,
                wit::FailureKind::Ambiguous => FailureKind::Ambiguous,
                wit::FailureKind::Permanent => FailureKind::Permanent,
                wit::FailureKind::Offline => FailureKind::Offline,
            },
            timed_out: failure.timed_out,
        },
        wit::Event::Wake => Event::Wake,
    })
}

fn attempt(of: &wit::Attempt) -> Attempt {
    Attempt { number: of.number, sends: of.sends, exhausted: of.exhausted }
}

pub(crate) fn step(step: &Step) -> Given<wit::Step> {
    let [a, b, c, d, e, f, g, h] = step.execution.to_words();
    let execution = wit::Execution { a, b, c, d, e, f, g, h };
    let tokens = step.tokens.thousandths();
    rt::give_filled(wit::Step { execution, tokens, command: wit::Command::Keep }, |given| match &step.command {
        Command::Keep => {}
        &Command::Send { attempt, timeout } => {
            given.command = wit::Command::Send(wit::Send { attempt, timeout: timeout.map(Millis::get).into() });
        }
        Command::Wait(wait) => given.command = wit::Command::Wait(self::wait(wait)),
        Command::AwaitNetwork { until } => given.command = wit::Command::AwaitNetwork(until.get()),
        Command::Finish(outcome) => given.command = wit::Command::Finish(self::outcome(outcome)),
    })
}

fn wait(wait: &Wait) -> wit::Wait {
    wit::Wait {
        until: wait.until.get(),
        delay: wait.delay.get(),
        retry_index: wait.retry_index,
        bound: wait.bound.code(),
        hint: wait.hint.code(),
    }
}

fn outcome(outcome: &Outcome) -> wit::Outcome {
    wit::Outcome {
        end: outcome.end.code(),
        bound: outcome.bound.code(),
        hint: outcome.hint.code(),
        attempts: outcome.attempts,
        maybe_applied: outcome.maybe_applied,
        hand_over: match outcome.hand_over {
            HandOver::This => wit::HandOver::This,
            HandOver::Abort => wit::HandOver::Abort,
            HandOver::LastStatus(status) => wit::HandOver::LastStatus(status),
        },
        resume: outcome
            .resume
            .map(|Resume { delay, not_before, attempts_used }| wit::Resume {
                delay: delay.get(),
                not_before: not_before.map(UnixMillis::get).into(),
                attempts_used,
            })
            .into(),
    }
}
