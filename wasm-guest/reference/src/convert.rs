//! The interface's types into the core's, and back.

use alloc::{borrow::ToOwned, vec::Vec};

use policy_core::{
    Attempt, Command, Event, FailureKind, Field, HandOver, IdempotencyKey, Limits, Mark, Method, Millis, Network, Now,
    Outcome, Policy, Request, Resume, Sample, Session, Step, Tokens, UnixMillis, Wait,
    retry_after::{RetryAfter, RetryAfterError},
    slot::{self, SLOT_LEN},
};

use crate::wit;

pub(crate) fn description(policy: &Policy, slot: &[u8; SLOT_LEN]) -> wit::Description {
    let (name, version) = slot::texts(slot);
    wit::Description {
        name: str::from_utf8(name).unwrap_or_default().to_owned(),
        version: str::from_utf8(version).unwrap_or_default().to_owned(),
        fields: policy.fields().map(str::to_owned).collect(),
        budget: policy.budget().map(|budget| budget.capacity.thousandths()),
        policy: slot::policy_bytes(slot).to_owned(),
    }
}

pub(crate) fn parsed(result: Result<RetryAfter, RetryAfterError>) -> Result<wit::RetryAfter, wit::HintCode> {
    match result {
        Ok(RetryAfter::DelaySeconds(seconds)) => Ok(wit::RetryAfter::DelaySeconds(seconds)),
        Ok(RetryAfter::At(second)) => Ok(wit::RetryAfter::At(second)),
        Err(error) => Err(error.reason.code()),
    }
}

/// Hands `event` over in the core's form, which borrows.
pub(crate) fn with_event(event: &wit::Event, handle: impl FnOnce(Event<'_>) -> Step) -> Step {
    match event {
        wit::Event::Response(response) => {
            let fields: Vec<_> = response.fields.iter().map(field).collect();
            handle(Event::Response { of: response.of.into(), status: response.status, fields: &fields })
        }
        wit::Event::Failure(failure) => {
            handle(Event::Failure { of: failure.of.into(), kind: failure.kind.into(), timed_out: failure.timed_out })
        }
        wit::Event::Wake => handle(Event::Wake),
    }
}

fn field(field: &wit::Field) -> Field<'_> {
    Field { index: field.index, value: &field.value }
}

impl From<wit::Request> for Request {
    fn from(request: wit::Request) -> Self {
        Self {
            method: request.method.into(),
            key: match request.key {
                wit::IdempotencyKey::Absent => IdempotencyKey::Absent,
                wit::IdempotencyKey::Sent => IdempotencyKey::Sent,
                wit::IdempotencyKey::Honoured => IdempotencyKey::Honoured,
            },
            replayable: request.replayable,
            limits: Limits {
                max_attempts: request.limits.max_attempts,
                deadline: request.limits.deadline.map(Millis::new),
                max_wait: request.limits.max_wait.map(Millis::new),
            },
            attempts_used: request.attempts_used,
            not_before: request.not_before.map(Mark::new),
        }
    }
}

impl From<wit::Method> for Method {
    fn from(method: wit::Method) -> Self {
        match method {
            wit::Method::Get => Self::Get,
            wit::Method::Head => Self::Head,
            wit::Method::Options => Self::Options,
            wit::Method::Trace => Self::Trace,
            wit::Method::Query => Self::Query,
            wit::Method::Put => Self::Put,
            wit::Method::Delete => Self::Delete,
            wit::Method::Post => Self::Post,
            wit::Method::Patch => Self::Patch,
            wit::Method::Connect => Self::Connect,
            wit::Method::Other => Self::Other,
        }
    }
}

impl From<wit::Now> for Now {
    fn from(now: wit::Now) -> Self {
        Self {
            mark: Mark::new(now.mark),
            wall: now.wall.map(UnixMillis::new),
            session: Session::new(now.session),
            cancelled: now.cancelled,
            network: match now.network {
                wit::Network::Unknown => Network::Unknown,
                wit::Network::Up => Network::Up,
                wit::Network::Down => Network::Down,
            },
            sample: Sample::new(now.sample),
            tokens: Tokens::from_thousandths(now.tokens),
            hold: now.hold.map(Mark::new),
        }
    }
}

impl From<wit::Attempt> for Attempt {
    fn from(of: wit::Attempt) -> Self {
        Self { number: of.number, sends: of.sends, exhausted: of.exhausted }
    }
}

impl From<wit::FailureKind> for FailureKind {
    fn from(kind: wit::FailureKind) -> Self {
        match kind {
            wit::FailureKind::DnsFailed => Self::DnsFailed,
            wit::FailureKind::ConnectFailed => Self::ConnectFailed,
            wit::FailureKind::TlsFailed => Self::TlsFailed,
            wit::FailureKind::Unprocessed => Self::Unprocessed,
            wit::FailureKind::Ambiguous => Self::Ambiguous,
            wit::FailureKind::Permanent => Self::Permanent,
            wit::FailureKind::Offline => Self::Offline,
        }
    }
}

impl From<wit::Execution> for [u64; 8] {
    fn from(wit::Execution { a, b, c, d, e, f, g, h }: wit::Execution) -> Self {
        [a, b, c, d, e, f, g, h]
    }
}

impl From<Step> for wit::Step {
    fn from(step: Step) -> Self {
        let [a, b, c, d, e, f, g, h] = step.execution.to_words();
        Self {
            execution: wit::Execution { a, b, c, d, e, f, g, h },
            tokens: step.tokens.thousandths(),
            command: match step.command {
                Command::Keep => wit::Command::Keep,
                Command::Send { attempt, timeout } => {
                    wit::Command::Send(wit::Send { attempt, timeout: timeout.map(Millis::get) })
                }
                Command::Wait(wait) => wit::Command::Wait(wait.into()),
                Command::AwaitNetwork { until } => wit::Command::AwaitNetwork(until.get()),
                Command::Finish(outcome) => wit::Command::Finish(outcome.into()),
            },
        }
    }
}

impl From<Wait> for wit::Wait {
    fn from(wait: Wait) -> Self {
        Self {
            until: wait.until.get(),
            delay: wait.delay.get(),
            retry_index: wait.retry_index,
            bound: wait.bound.code(),
            hint: wait.hint.code(),
        }
    }
}

impl From<Outcome> for wit::Outcome {
    fn from(outcome: Outcome) -> Self {
        Self {
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
            resume: outcome.resume.map(|Resume { delay, not_before, attempts_used }| wit::Resume {
                delay: delay.get(),
                not_before: not_before.map(UnixMillis::get),
                attempts_used,
            }),
        }
    }
}
