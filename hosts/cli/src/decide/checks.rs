//! The checks behind a decision, in their order, each with the facts that it looks at.
//!
//! Nothing is decided here. The order is part of the core's interface, so the end that the engine gave says which check
//! failed: all before it passed, none after it was reached.

use std::cmp::Ordering;

use policy_core::{
    Class, Command, Disposition, End, IdempotencyKey, Limits, Millis, Policy, Tokens,
    hint::{self, Hint},
};

use super::ask::{Answer, Asked};
use crate::{checklist::Check, duration, moment, words};

/// The checks in their order.
const NAMES: [&str; 12] = [
    "session",
    "cancel",
    "result",
    "deadline",
    "nested layers",
    "attempts",
    "body",
    "method and key",
    "wait",
    "max-wait",
    "room before the deadline",
    "budget",
];

/// All checks, as far as they went.
pub(super) fn of(asked: &Asked<'_>, policy: &Policy, answer: &Answer, local: Option<Millis>) -> Vec<Check> {
    let (last, passed) = last_check(answer);
    let last = NAMES.iter().position(|name| *name == last);
    let verdict = |at| match last.map(|last| last.cmp(&at)) {
        Some(Ordering::Greater) => Some(true),
        Some(Ordering::Equal) => Some(passed),
        Some(Ordering::Less) | None => None,
    };
    let checks = NAMES.into_iter().zip(facts(asked, policy, answer, local)).enumerate();
    checks.map(|(at, (check, facts))| Check { check, passed: verdict(at), facts }).collect()
}

/// The check that settled it, and whether it passed; no name if none was made.
fn last_check(answer: &Answer) -> (&'static str, bool) {
    let outcome = match &answer.command {
        Command::AwaitNetwork { .. } => return ("method and key", true),
        Command::Finish(outcome) => outcome,
        _ => return ("budget", true),
    };
    match outcome.end {
        End::Success => ("result", true),
        End::SessionChanged => ("session", false),
        End::Cancelled => ("cancel", false),
        End::NotRetryable => ("result", false),
        End::Deadline if outcome.resume.is_some() => ("room before the deadline", false),
        End::Deadline => ("deadline", false),
        End::Nested => ("nested layers", false),
        End::AttemptsUsed => ("attempts", false),
        End::BodyNotReplayable => ("body", false),
        End::NotIdempotent => ("method and key", false),
        End::Deferred => ("max-wait", false),
        End::BudgetEmpty => ("budget", false),
        _ => ("", false),
    }
}

/// What each check looks at.
fn facts(asked: &Asked<'_>, policy: &Policy, answer: &Answer, local: Option<Millis>) -> [String; NAMES.len()] {
    let (args, rules) = (asked.args, policy.rules());
    let limits = Limits::from(args.limits);
    let made = answer.attempt.unwrap_or(args.request.retry_index);
    let yes_no = |holds: bool, yes: &'static str, no: &'static str| if holds { yes } else { no }.to_owned();
    let key = match IdempotencyKey::from(args.request.key) {
        IdempotencyKey::Absent => "no key",
        IdempotencyKey::Sent => "a key that the server may ignore",
        IdempotencyKey::Honoured => "a key that the server honours",
    };
    [
        yes_no(args.now.session_changed, "somebody else is signed in", "the same as at the start"),
        yes_no(args.now.cancelled, "the caller has cancelled", "not cancelled"),
        result(asked, policy),
        format!("{} passed; {}", duration::text(args.now.elapsed), limit("limit", rules.deadline, limits.deadline)),
        yes_no(args.result.nested_gave_up, "a layer below gave up", "none gave up"),
        format!("{made} made; {}", allowed(rules.max_attempts, limits.max_attempts)),
        yes_no(args.request.one_shot_body, "it can be sent only once", "it can be sent again"),
        format!("{}, {key}", args.request.method),
        wait(asked, policy, local),
        limit("longest wait", rules.max_wait, limits.max_wait),
        limit("deadline", rules.deadline, limits.deadline),
        match rules.budget {
            Some(budget) => format!("{} of {} tokens", tokens(asked.tokens), tokens(budget.capacity)),
            None => "the policy has none".to_owned(),
        },
    ]
}

fn result(asked: &Asked<'_>, policy: &Policy) -> String {
    let result = &asked.args.result;
    let (what, disposition) = match (result.kind.failure, result.kind.status) {
        (Some(kind), _) => {
            let network = asked.args.now.network.into();
            (kind.name().to_owned(), Disposition::of_failure(policy, kind, result.timed_out, network))
        }
        (None, status) => {
            let status = status.unwrap_or_default();
            (status.to_string(), Disposition::of_status(policy, status))
        }
    };
    let verdict = hint::verdict(policy, result.kind.status.unwrap_or_default(), &asked.fields());
    let verdict = match verdict {
        Some(true) => ", the server says that a retry makes sense",
        Some(false) => ", the server says not to retry",
        None => "",
    };
    let is = match disposition {
        Disposition::Success => "a success",
        Disposition::Retryable(Class::Transient) => "worth another send, a fault that passes",
        Disposition::Retryable(Class::Throttled) => "worth another send, the server asks for less",
        Disposition::Retryable(Class::TimedOut) => "worth another send, the attempt timed out",
        Disposition::Offline => "no network, worth waiting for it",
        Disposition::NotRetryable => "not among those that the policy retries",
    };
    format!("{what}: {is}{verdict}")
}

/// The hint and the local backoff, before they are put together.
fn wait(asked: &Asked<'_>, policy: &Policy, local: Option<Millis>) -> String {
    let hint = match asked.args.result.kind.status {
        Some(status) => Hint::read(policy, status, &asked.fields(), asked.wall),
        None => Hint::ABSENT,
    };
    let ask = match (hint.moment, hint.delay, hint.exact) {
        (Some(moment), ..) => format!(", asks to wait until {}", moment::text_of(moment)),
        (None, wait, true) => format!(", asks for {}", duration::text(wait)),
        (None, Millis::ZERO, false) => String::new(),
        (None, Millis::MAX, false) => ", asks for a time that nobody can tell".to_owned(),
        (None, wait, false) => format!(", still asks for at least {}", duration::text(wait)),
    };
    let refused = if hint.report.code() >= 16 { format!(" ({})", words::refused(hint.report)) } else { String::new() };
    let local = local.map(|local| format!("; local backoff {}", duration::text(local)));
    format!("hint {}{refused}{ask}{}", hint.report.name(), local.unwrap_or_default())
}

fn limit(what: &str, policy: Option<Millis>, request: Option<Millis>) -> String {
    let text = |limit: Option<Millis>| limit.map_or_else(|| "none".to_owned(), duration::text);
    let request = request.map(|request| format!(", of this request {}", duration::text(request)));
    format!("{what} {}{}", text(policy), request.unwrap_or_default())
}

fn allowed(policy: u32, request: Option<u32>) -> String {
    let request = request.map(|request| format!(", this request {request}"));
    format!("the policy allows {policy}{}", request.unwrap_or_default())
}

/// A number of tokens, as people write it.
pub(super) fn tokens(tokens: Tokens) -> String {
    let n = tokens.thousandths();
    match n % 1_000 {
        0 => (n / 1_000).to_string(),
        rest => format!("{}.{rest:03}", n / 1_000),
    }
}
