//! What contradicts itself in a document that can be read. Whether a number has an effect is asked of the core, so that no
//! rule stands here a second time.

mod backoff;
mod budget;
mod hints;
mod limits;
mod replay;
mod retry;

use std::fmt;

use crate::{
    draft::Draft,
    problem::{Place, Problem},
    table::At,
};

/// All that is found, errors and warnings. Of a document whose settings are all defaults, nothing is.
pub(crate) fn all(draft: &Draft) -> Vec<Problem> {
    let checks = [limits::check, backoff::check, retry::check, replay::check, hints::check, budget::check];
    let mut problems: Vec<Problem> = Vec::new();
    for problem in checks.into_iter().flat_map(|check| check(draft)) {
        // What is wrong with a setting of every class is found once for each.
        let is_same = |other: &Problem| other.place == problem.place && other.message == problem.message;
        if !problems.iter().any(is_same) {
            problems.push(problem);
        }
    }
    problems
}

/// One side of a contradiction: where it was written, and what is to be seen there.
type Side = (Option<Place>, String);

/// A setting as one side of a contradiction.
fn side<T>(at: &At<T>, label: impl fmt::Display) -> Side {
    (at.place.clone(), label.to_string())
}

/// Two settings that contradict each other. Shown at the first that was written; one that was not is a default.
fn clash(message: impl Into<String>, one: Side, other: Side) -> Problem {
    let (at, by) = if one.0.is_some() { (one, other) } else { (other, one) };
    let problem = Problem::error(at.0.unwrap_or_default(), message).label(at.1);
    match by {
        (Some(place), label) => problem.also(Some(place), label),
        (None, label) => problem.help(format!("by default: {label}")),
    }
}

/// A warning about a setting, if it was written.
fn warn<T>(at: &At<T>, message: impl Into<String>) -> Option<Problem> {
    at.place.clone().map(|place| Problem::warning(place, message))
}
