//! Budgets that never allow a retry, or never again.

use policy_core::{Cost, Tokens};

use super::warn;
use crate::{
    draft::{Draft, budget::Budget},
    problem::Problem,
    table::At,
};

pub(super) fn check(draft: &Draft) -> Vec<Problem> {
    let Some(budget) = &draft.budget else { return Vec::new() };
    let (any_throttled, any_failure) =
        (!draft.retry.throttled.value.set.is_empty(), !draft.retry.failures.value.is_empty());
    closed(budget, Cost::Retry, &budget.retry, "a retry")
        .or_else(|| closed(budget, Cost::Throttled, &budget.throttled, "a throttled retry").filter(|_| any_throttled))
        .or_else(|| {
            closed(budget, Cost::TimedOut, &budget.timed_out, "a retry after a time-out").filter(|_| any_failure)
        })
        .or_else(|| stays_empty(budget))
        .into_iter()
        .collect()
}

/// A full budget that does not pay for a retry.
fn closed(budget: &Budget, cost: Cost, price: &At<Tokens>, what: &str) -> Option<Problem> {
    let rules = budget.rules().compile();
    if rules.charge(rules.failed(budget.capacity.value), cost).is_some() {
        return None;
    }
    let parts = [
        (&budget.capacity, "what it holds"),
        (price, "what the retry takes"),
        (&budget.threshold, "what has to be left"),
        (&budget.on_failure, "what each failure takes"),
    ];
    let mut written = parts.into_iter().filter_map(|(at, label)| Some((at.place.clone()?, label)));
    let (place, label) = written.next()?;
    let problem = Problem::error(place, format!("even the full budget never allows {what}")).label(label);
    Some(written.fold(problem, |problem, (place, label)| problem.also(Some(place), label)))
}

fn stays_empty(budget: &Budget) -> Option<Problem> {
    let costs = [&budget.retry, &budget.throttled, &budget.timed_out, &budget.on_failure];
    let takes = costs.iter().any(|cost| cost.value > Tokens::ZERO);
    let message = "a success without a retry gives nothing back, so that an empty budget stays empty";
    (takes && budget.success.value == Tokens::ZERO).then(|| warn(&budget.success, message)).flatten()
}
