//! One logical request through the core, without a host.

use policy_core::{
    Attempt, Command, End, Event, Execution, FailureKind, Field, Mark, Millis, Network, Now, Outcome, Policy, Request,
    Sample, Session, Tokens,
};
use refrain_document::Document;

/// What comes of one attempt.
#[derive(Clone, Copy)]
pub(crate) enum Reply<'a> {
    Status(u16),
    /// A status with one field.
    Says(u16, &'a str, &'a str),
    Fails(FailureKind),
    TimesOut,
}

/// What became of a request.
#[derive(Debug, PartialEq)]
pub(crate) struct Story {
    pub(crate) sends: u32,
    /// In milliseconds.
    pub(crate) waits: Vec<u64>,
    /// The budget after each result.
    pub(crate) tokens: Vec<Tokens>,
    pub(crate) end: End,
    /// The whole wait that a deferral asks for, in milliseconds.
    pub(crate) resume: Option<u64>,
}

/// The moment at which every request begins: 2023-11-14T22:13:20Z.
pub(crate) const BEGIN: u64 = 1_700_000_000_000;

/// A request under `document` whose replies take no time, with the last one for all that follow.
pub(crate) fn run(document: &Document, request: &Request, sample: Sample, replies: &[Reply<'_>]) -> Story {
    let policy = document.policy();
    let full = policy.budget().map_or(Tokens::ZERO, |budget| budget.capacity);
    run_with(policy, request, sample, full, replies)
}

pub(crate) fn run_with(
    policy: &Policy,
    request: &Request,
    sample: Sample,
    tokens: Tokens,
    replies: &[Reply<'_>],
) -> Story {
    let mut now = Now {
        mark: Mark::new(0),
        wall: Some(policy_core::UnixMillis::new(BEGIN)),
        session: Session::new(1),
        cancelled: false,
        network: Network::Unknown,
        sample,
        tokens,
        hold: None,
    };
    let mut step = Execution::start(policy, request, &now);
    let (mut waits, mut after) = (Vec::new(), Vec::new());
    loop {
        now.tokens = step.tokens;
        step = match step.command {
            Command::Send { attempt, .. } => {
                let reply = replies[(attempt as usize - 1).min(replies.len() - 1)];
                let next = answer(policy, step.execution, reply, attempt, &now);
                after.push(next.tokens);
                next
            }
            Command::Wait(wait) => {
                waits.push(wait.delay.get());
                now.mark = wait.until;
                now.wall = Some(policy_core::UnixMillis::new(BEGIN + wait.until.get()));
                step.execution.handle(policy, Event::Wake, &now)
            }
            Command::Finish(Outcome { end, attempts, resume, .. }) => {
                let resume = resume.map(|resume| resume.delay).map(Millis::get);
                return Story { sends: attempts, waits, tokens: after, end, resume };
            }
            other => panic!("{other:?}"),
        };
    }
}

fn answer(policy: &Policy, execution: Execution, reply: Reply<'_>, attempt: u32, now: &Now) -> policy_core::Step {
    let of = Attempt::single(attempt);
    match reply {
        Reply::Status(status) => execution.handle(policy, Event::Response { of, status, fields: &[] }, now),
        Reply::Says(status, name, value) => {
            let index = policy.fields().position(|field| field == name).expect("the policy asks for this field");
            let field = Field { index: u8::try_from(index).unwrap(), value: value.as_bytes() };
            execution.handle(policy, Event::Response { of, status, fields: &[field] }, now)
        }
        Reply::Fails(kind) => execution.handle(policy, Event::Failure { of, kind, timed_out: false }, now),
        Reply::TimesOut => {
            execution.handle(policy, Event::Failure { of, kind: FailureKind::Ambiguous, timed_out: true }, now)
        }
    }
}
