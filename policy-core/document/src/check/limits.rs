//! Limits that leave nothing to happen.

use policy_core::{DeadlineScope, Millis, Offline, Unit};

use super::{clash, side, warn};
use crate::{
    draft::{Draft, limits::Limits},
    duration::written,
    problem::Problem,
    table::At,
};

pub(super) fn check(draft: &Draft) -> Vec<Problem> {
    let limits = &draft.limits;
    let zero = [
        nothing(&limits.deadline, "a deadline of 0 is over before anything is sent"),
        nothing(&limits.attempt_timeout, "an attempt with a time-out of 0 is over before it begins"),
    ];
    let others = [longest_wait(limits), idle_timeout(limits), idle_scope(limits), endless(draft)];
    zero.into_iter().chain(others).flatten().collect()
}

fn nothing(limit: &At<Option<Millis>>, message: &str) -> Option<Problem> {
    let place = limit.place.clone().filter(|_| limit.value == Some(Millis::ZERO))?;
    Some(Problem::error(place, message).help("write \"none\" for no limit"))
}

fn longest_wait(limits: &Limits) -> Option<Problem> {
    let (wait, deadline) = (limits.max_wait.value?, limits.deadline.value?);
    (wait > deadline).then(|| {
        let message = "the longest wait is above the deadline, which no wait may reach";
        let labels = [format!("a wait of up to {}", written(wait)), format!("a deadline of {}", written(deadline))];
        let [wait, deadline] = labels;
        clash(message, side(&limits.max_wait, wait), side(&limits.deadline, deadline))
    })
}

fn idle_timeout(limits: &Limits) -> Option<Problem> {
    let (timeout, deadline) = (limits.attempt_timeout.value?, limits.deadline.value?);
    (limits.deadline_bounds.value == DeadlineScope::Attempts && timeout > deadline).then(|| {
        let message = "the attempt time-out is above the deadline, which ends every attempt before";
        let labels = [format!("a time-out of {}", written(timeout)), format!("a deadline of {}", written(deadline))];
        let [timeout, deadline] = labels;
        clash(message, side(&limits.attempt_timeout, timeout), side(&limits.deadline, deadline))
    })
}

fn idle_scope(limits: &Limits) -> Option<Problem> {
    let idle = limits.deadline_bounds.value == DeadlineScope::Attempts && limits.deadline.value.is_none();
    idle.then(|| warn(&limits.deadline_bounds, "there is no deadline that could bound attempts")).flatten()
}

/// What can hold a request without end: what the server names, or a missing network.
fn endless(draft: &Draft) -> Option<Problem> {
    let limits = &draft.limits;
    let hint = draft.hints.fields.value.iter().any(|field| field.value.unit != Unit::Verdict);
    let cause = match (hint, draft.offline == Offline::Await) {
        (true, true) => "the server, or a missing network,",
        (true, false) => "the server",
        (false, true) => "a missing network",
        (false, false) => return None,
    };
    let endless = limits.max_wait.value.is_none() && limits.deadline.value.is_none();
    let message = format!("nothing limits a wait: {cause} can hold a request for ever");
    endless.then(|| warn(&limits.max_wait, message)).flatten()
}
