//! Hints that are never read, or never mean anything.

use policy_core::{StatusSet, Unit};

use super::{clash, side, warn};
use crate::{
    draft::{
        Draft,
        hints::{Field, Hints},
        retry::{codes, runs},
    },
    problem::Problem,
};

pub(super) fn check(draft: &Draft) -> Vec<Problem> {
    let hints = &draft.hints;
    let mut problems: Vec<_> = [unread(hints), idle_zero(hints), no_dates(hints)].into_iter().flatten().collect();
    problems.extend(other_statuses(hints, draft.retry.statuses.value.set));
    problems.extend(unheard(hints, draft.retry.statuses.value.set));
    problems.extend(unusual_units(hints));
    problems
}

fn unread(hints: &Hints) -> Option<Problem> {
    (hints.statuses.value.set.is_empty() && !hints.fields.value.is_empty()).then(|| {
        let message = "the fields are read on no status";
        let label = side(&hints.fields, "fields to read");
        clash(message, side(&hints.statuses, "no status"), label).help("to ignore the server, write `fields = []`")
    })
}

fn idle_zero(hints: &Hints) -> Option<Problem> {
    let zero = hints.zero_at_once.as_ref().filter(|_| !hints.instead.value)?;
    let message = "`zero` needs `mode = \"instead\"`: else a hint of 0 is shorter than the local backoff, which holds";
    Some(clash(message, side(zero, "has no effect"), side(&hints.instead, "`mode = \"at-least\"`")))
}

fn no_dates(hints: &Hints) -> Option<Problem> {
    let reads_dates =
        |field: &Field| matches!(field.unit, Unit::Seconds | Unit::EpochSeconds | Unit::EpochMilliseconds);
    let any = hints.fields.value.iter().any(|field| reads_dates(&field.value));
    (hints.server_date.value && !any).then(|| {
        let message = "no field is read that names a moment, so there is nothing to measure by the server's clock";
        clash(message, side(&hints.server_date, "needs a field"), side(&hints.fields, "none of these"))
    })
}

fn other_statuses(hints: &Hints, retried: StatusSet) -> Option<Problem> {
    let reads = |code| hints.statuses.value.set.contains(code);
    let asks = !hints.fields.value.is_empty() && !hints.statuses.value.set.is_empty();
    let is_idle = asks && !retried.is_empty() && !codes(retried).any(reads);
    let has_verdicts = hints.fields.value.iter().any(|field| field.value.unit == Unit::Verdict);
    let message = "hints are read on none of the statuses that are retried";
    (is_idle && !has_verdicts).then(|| warn(&hints.statuses, message)).flatten()
}

/// Retried statuses on which no hint is read, although it is on others.
fn unheard(hints: &Hints, retried: StatusSet) -> Option<Problem> {
    let reads = |code: &u16| hints.statuses.value.set.contains(*code);
    let (heard, unheard): (Vec<_>, Vec<_>) = codes(retried).partition(reads);
    let has_times = hints.fields.value.iter().any(|field| field.value.unit != Unit::Verdict);
    if !has_times || heard.is_empty() || unheard.is_empty() {
        return None;
    }
    let unheard = runs(unheard.into_iter().fold(StatusSet::EMPTY, StatusSet::with)).into_iter();
    let shown = unheard.map(|(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let message = format!("no hint is read on {shown}, retried all the same: the server may be asked again too early");
    warn(&hints.statuses, message)
}

fn unusual_units(hints: &Hints) -> impl Iterator<Item = Problem> {
    hints.fields.value.iter().filter_map(|field| {
        let usual = Field::usual(&field.value.name).filter(|usual| usual.unit != field.value.unit)?;
        let message = format!("`{}` is usually in another unit, `{}`", usual.name, usual.unit.name());
        warn(field, message)
    })
}
