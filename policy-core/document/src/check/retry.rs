//! What is retried that should not be, or cannot be.

use std::ops::RangeInclusive;

use policy_core::Unit;

use super::{clash, side, warn};
use crate::{
    draft::{
        Draft,
        retry::{Retry, codes},
    },
    problem::Problem,
    table::At,
};

pub(super) fn check(draft: &Draft) -> Vec<Problem> {
    let retry = &draft.retry;
    let items = retry.statuses.value.items.iter();
    let mut problems: Vec<_> = items.flat_map(doubtful).collect();
    problems.extend(not_retried(retry));
    let has_verdicts = draft.hints.fields.value.iter().any(|field| field.value.unit == Unit::Verdict);
    let nothing = retry.statuses.value.set.is_empty() && retry.failures.value.is_empty() && !has_verdicts;
    problems.extend(nothing.then(|| warn(&retry.statuses, "nothing is retried: no status and no failure")).flatten());
    problems
}

/// Throttled statuses that are not retried.
fn not_retried(retry: &Retry) -> impl Iterator<Item = Problem> {
    let retried = retry.statuses.value.set;
    let missing = move |item: &&At<RangeInclusive<u16>>| item.value.clone().any(|code| !retried.contains(code));
    let label = match retry.statuses.place {
        Some(_) => "these are retried".to_owned(),
        None => codes(retried).map(|code| code.to_string()).collect::<Vec<_>>().join(", "),
    };
    retry.throttled.value.items.iter().filter(missing).map(move |item| {
        let message = "a throttled status has to be one of the statuses that are retried";
        clash(message, side(item, "this is not"), side(&retry.statuses, &label))
    })
}

/// Each class of statuses in an item that is retried in vain or by mistake.
fn doubtful(item: &At<RangeInclusive<u16>>) -> impl Iterator<Item = Problem> {
    let classes = [
        (100..=199, "a status below 200 is no final answer, and clients do not report it"),
        (200..=299, "a success is sent again: this is for polling, such as on a 202"),
        (401..=401, "a 401 comes again: signing in is the caller's business, and then the request is another one"),
    ];
    let has = |class: &RangeInclusive<u16>| item.value.start() <= class.end() && class.start() <= item.value.end();
    classes.into_iter().filter(move |(class, _)| has(class)).filter_map(|(_, message)| warn(item, message))
}
