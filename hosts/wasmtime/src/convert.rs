//! Between the core's types and the component's: the one file that names both.
//!
//! What the host hands over always has a form in the component's types. What comes back may not: a code that this host
//! does not know is an error, and so no further send.

use policy_core::{
    Attempt, Bound, Command, End, Event, FIELDS_MAX, FailureKind, Field, HandOver, HintReport, IdempotencyKey, Limits,
    Mark, Method, Millis, Network, Now, Outcome, Request, Resume, Tokens, UnixMillis, Wait, retry_after::RetryAfter,
};
use refrain::{Description, EngineError, State, Step};

use crate::bindings::exports::refrain::policy::policy as wit;

impl From<&Request> for wit::Request {
    fn from(request: &Request) -> Self {
        Self {
            method: request.method.into(),
            key: request.key.into(),
            replayable: request.replayable,
            limits: request.limits.into(),
            attempts_used: request.attempts_used,
            not_before: request.not_before.map(Mark::get),
        }
    }
}

impl From<Limits> for wit::Limits {
    fn from(limits: Limits) -> Self {
        Self {
            max_attempts: limits.max_attempts,
            deadline: limits.deadline.map(Millis::get),
            max_wait: limits.max_wait.map(Millis::get),
        }
    }
}

impl From<Method> for wit::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Get => Self::Get,
            Method::Head => Self::Head,
            Method::Options => Self::Options,
            Method::Trace => Self::Trace,
            Method::Query => Self::Query,
            Method::Put => Self::Put,
            Method::Delete => Self::Delete,
            Method::Post => Self::Post,
            Method::Patch => Self::Patch,
            Method::Connect => Self::Connect,
            Method::Other => Self::Other,
        }
    }
}

impl From<IdempotencyKey> for wit::IdempotencyKey {
    fn from(key: IdempotencyKey) -> Self {
        match key {
            IdempotencyKey::Absent => Self::Absent,
            IdempotencyKey::Sent => Self::Sent,
            IdempotencyKey::Honoured => Self::Honoured,
        }
    }
}

impl From<&Now> for wit::Now {
    fn from(now: &Now) -> Self {
        Self {
            mark: now.mark.get(),
            wall: now.wall.map(UnixMillis::get),
            session: now.session.get(),
            cancelled: now.cancelled,
            network: now.network.into(),
            sample: now.sample.get(),
            tokens: now.tokens.thousandths(),
            hold: now.hold.map(Mark::get),
        }
    }
}

impl From<Network> for wit::Network {
    fn from(network: Network) -> Self {
        match network {
            Network::Unknown => Self::Unknown,
            Network::Up => Self::Up,
            Network::Down => Self::Down,
        }
    }
}

impl From<&State> for wit::Execution {
    fn from(state: &State) -> Self {
        let [a, b, c, d, e, f, g, h] = state.0;
        Self { a, b, c, d, e, f, g, h }
    }
}

impl From<wit::Execution> for State {
    fn from(wit::Execution { a, b, c, d, e, f, g, h }: wit::Execution) -> Self {
        Self([a, b, c, d, e, f, g, h])
    }
}

/// Lends the event to `call`: a list of fields has its place only until then. The list is on the stack unless it is
/// longer than any that a policy accepts.
pub(crate) fn with_event<R>(event: Event<'_>, call: impl FnOnce(wit::Event<'_>) -> R) -> R {
    let (of, status, fields) = match event {
        Event::Response { of, status, fields } => (of.into(), status, fields),
        Event::Failure { of, kind, timed_out } => {
            return call(wit::Event::Failure(wit::Failure { of: of.into(), kind: kind.into(), timed_out }));
        }
        Event::Wake => return call(wit::Event::Wake),
    };
    let mut few = [const { wit::Field { index: 0, value: &[] } }; FIELDS_MAX];
    let many: Vec<_>;
    let fields = match few.get_mut(..fields.len()) {
        Some(few) => {
            few.iter_mut().zip(fields).for_each(|(to, from)| *to = from.into());
            &*few
        }
        None => {
            many = fields.iter().map(wit::Field::from).collect();
            &many
        }
    };
    call(wit::Event::Response(wit::Response { of, status, fields }))
}

impl<'a> From<&Field<'a>> for wit::Field<'a> {
    fn from(field: &Field<'a>) -> Self {
        Self { index: field.index, value: field.value }
    }
}

impl From<Attempt> for wit::Attempt {
    fn from(Attempt { number, sends, exhausted }: Attempt) -> Self {
        Self { number, sends, exhausted }
    }
}

impl From<FailureKind> for wit::FailureKind {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::DnsFailed => Self::DnsFailed,
            FailureKind::ConnectFailed => Self::ConnectFailed,
            FailureKind::TlsFailed => Self::TlsFailed,
            FailureKind::Unprocessed => Self::Unprocessed,
            FailureKind::Ambiguous => Self::Ambiguous,
            FailureKind::Permanent => Self::Permanent,
            FailureKind::Offline => Self::Offline,
        }
    }
}

impl TryFrom<wit::Step> for Step {
    type Error = EngineError;

    fn try_from(step: wit::Step) -> Result<Self, EngineError> {
        let command = match step.command {
            wit::Command::Keep => Command::Keep,
            wit::Command::Send(send) => Command::Send { attempt: send.attempt, timeout: send.timeout.map(Millis::new) },
            wit::Command::Wait(wait) => Command::Wait(wait.try_into()?),
            wit::Command::AwaitNetwork(until) => Command::AwaitNetwork { until: Mark::new(until) },
            wit::Command::Finish(outcome) => Command::Finish(outcome.try_into()?),
        };
        Ok(Self { state: step.execution.into(), tokens: Tokens::from_thousandths(step.tokens), command })
    }
}

impl TryFrom<wit::Wait> for Wait {
    type Error = EngineError;

    fn try_from(wait: wit::Wait) -> Result<Self, EngineError> {
        Ok(Self {
            until: Mark::new(wait.until),
            delay: Millis::new(wait.delay),
            retry_index: wait.retry_index,
            bound: bound(wait.bound)?,
            hint: hint(wait.hint)?,
        })
    }
}

impl TryFrom<wit::Outcome> for Outcome {
    type Error = EngineError;

    fn try_from(outcome: wit::Outcome) -> Result<Self, EngineError> {
        Ok(Self {
            end: End::from_code(outcome.end).ok_or_else(|| unknown("end", outcome.end))?,
            bound: bound(outcome.bound)?,
            hint: hint(outcome.hint)?,
            attempts: outcome.attempts,
            maybe_applied: outcome.maybe_applied,
            hand_over: match outcome.hand_over {
                wit::HandOver::This => HandOver::This,
                wit::HandOver::Abort => HandOver::Abort,
                wit::HandOver::LastStatus(status) => HandOver::LastStatus(status),
            },
            resume: outcome.resume.map(|resume| Resume {
                delay: Millis::new(resume.delay),
                not_before: resume.not_before.map(UnixMillis::new),
                attempts_used: resume.attempts_used,
            }),
        })
    }
}

/// What `parse` returned.
pub(crate) fn parsed(
    result: Result<wit::RetryAfter, wit::HintCode>,
) -> Result<Result<RetryAfter, HintReport>, EngineError> {
    match result {
        Ok(wit::RetryAfter::DelaySeconds(seconds)) => Ok(Ok(RetryAfter::DelaySeconds(seconds))),
        Ok(wit::RetryAfter::At(second)) => Ok(Ok(RetryAfter::At(second))),
        Err(code) => hint(code).map(Err),
    }
}

impl From<wit::Description> for Description {
    fn from(description: wit::Description) -> Self {
        Self {
            name: description.name,
            version: description.version,
            fields: description.fields,
            budget: description.budget.map(Tokens::from_thousandths),
            policy: description.policy,
        }
    }
}

fn bound(code: wit::BoundCode) -> Result<Bound, EngineError> {
    Bound::from_code(code).ok_or_else(|| unknown("bound", code))
}

fn hint(code: wit::HintCode) -> Result<HintReport, EngineError> {
    HintReport::from_code(code).ok_or_else(|| unknown("hint", code))
}

#[cold]
fn unknown(what: &str, code: u16) -> EngineError {
    EngineError::Unknown(format!("the {what} code {code}"))
}
