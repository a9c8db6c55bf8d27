//! What the server has to say, in sentences.

use policy_core::{BadValue, DateRules, HintField, HintMode, HintRules, Rules, StatusSet, Unit, Unreadable};

use super::phrases::{fields, percent, statuses};

pub(super) fn sentences(rules: &Rules) -> Vec<String> {
    let hint = &rules.hint;
    if hint.fields.is_empty() {
        return vec!["What the server says about when to come back is not read.".to_owned()];
    }
    let (verdicts, timing): (Vec<_>, Vec<_>) = hint.fields.iter().partition(|field| field.unit == Unit::Verdict);
    let mut sentences = Vec::new();
    sentences.extend((!verdicts.is_empty()).then(|| verdict(hint, &verdicts)));
    if !timing.is_empty() {
        sentences.extend([heard(hint, &timing), together(hint)]);
        sentences.extend(timing.iter().any(|field| reads_dates(field.unit)).then(|| dates(hint.dates)));
        sentences.extend(proofs(hint, &timing));
        sentences.extend(BadValue::ALL.into_iter().filter_map(|action| bad_values(hint, &timing, action)));
        sentences.extend(hint.resets_backoff.then(|| "After such a wait the local one begins anew.".to_owned()));
    }
    sentences
}

fn verdict(hint: &HintRules, verdicts: &[HintField<'_>]) -> String {
    let names: Vec<_> = verdicts.iter().map(|field| format!("`{}`", field.name)).collect();
    let names = names.join(", else in ");
    let on = if hint.statuses == StatusSet::ALL { String::new() } else { format!(", read{}", on(hint)) };
    format!(
        "The server may forbid a retry (`false`), or ask for one after any status from 400 (`true`), in {names}{on}."
    )
}

fn heard(hint: &HintRules, timing: &[HintField<'_>]) -> String {
    let names: Vec<_> = timing.iter().map(|field| format!("`{}` ({})", field.name, meaning(field))).collect();
    let clock = if hint.skew_from_date { "; dates are measured by the server's own clock" } else { "" };
    format!("The server names a time in {}{}{clock}.", names.join(", else in "), on(hint))
}

/// On which responses the fields are read.
fn on(hint: &HintRules) -> String {
    if hint.statuses == StatusSet::ALL { String::new() } else { format!(" with status {}", statuses(hint.statuses)) }
}

/// What a value says.
fn meaning(field: &HintField<'_>) -> String {
    let unit = match field.unit {
        Unit::Seconds => "seconds or a date",
        Unit::Milliseconds => "milliseconds",
        Unit::PushbackMilliseconds => "milliseconds below 2^31",
        Unit::EpochSeconds => "seconds since 1970 or a date",
        Unit::EpochMilliseconds => "milliseconds since 1970",
        Unit::Verdict => "`true` or `false`",
    };
    format!("{unit}{}", if field.decimals { ", decimals too" } else { "" })
}

fn reads_dates(unit: Unit) -> bool {
    matches!(unit, Unit::Seconds | Unit::EpochSeconds)
}

fn together(hint: &HintRules) -> String {
    let spread = match hint.spread {
        spread if spread.get() == 0 => String::new(),
        spread => format!(", plus up to {} of it at random", percent(spread)),
    };
    match hint.mode {
        HintMode::AtLeast => format!("It waits for that time{spread}, or for the local one, if that is longer."),
        HintMode::Instead { zero_at_once: true } => {
            format!("It waits for that time{spread}, in the place of the local one; a time of 0 means at once.")
        }
        HintMode::Instead { zero_at_once: false } => {
            format!("It waits for that time{spread}, in the place of the local one; a time of 0 means the local one.")
        }
    }
}

fn dates(rules: DateRules) -> String {
    let forms = if rules.obsolete { "may have any of the three forms" } else { "has to have the preferred form" };
    let leap = if rules.strict { "cannot be read" } else { "means the next second" };
    format!("A date {forms} of RFC 9110; one with a leap second {leap}.")
}

/// What counts of a value that cannot be read; nothing is to be said where each of them forbids the retry.
fn proofs(hint: &HintRules, timing: &[HintField<'_>]) -> Option<String> {
    let sentence = match hint.unreadable {
        Unreadable::LowerBound => {
            "A value that cannot be read but proves a shortest wait, such as a number too large, counts as that wait."
        }
        Unreadable::Backoff => {
            "Of a value that cannot be read nothing counts, even if it proves a shortest wait, such as a number too large."
        }
    };
    timing.iter().any(|field| field.bad_value != BadValue::Stop).then(|| sentence.to_owned())
}

/// What the fields with this action do when their value cannot be read.
fn bad_values(hint: &HintRules, timing: &[HintField<'_>], action: BadValue) -> Option<String> {
    let mut names = timing.iter().filter(|field| field.bad_value == action).map(|field| field.name).peekable();
    names.peek()?;
    let (names, proves) = (fields(names), hint.unreadable == Unreadable::LowerBound);
    let unread = if proves { "cannot be read and proves nothing" } else { "cannot be read" };
    Some(match action {
        BadValue::Next => {
            format!("A value of {names} that {unread} leaves it to the next field, or without one to the local wait.")
        }
        BadValue::Backoff => {
            format!("A value of {names} that {unread} means the local wait, whatever the next field says.")
        }
        BadValue::Stop => format!("A value of {names} that cannot be read, or is negative, forbids the retry."),
    })
}
