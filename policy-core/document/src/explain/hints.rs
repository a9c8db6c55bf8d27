//! What the server has to say, in sentences.

use policy_core::{HintMode, HintRules, Rules, StatusSet, Unit, Unreadable};

use super::phrases::{fields, percent, statuses};

pub(super) fn sentences(rules: &Rules) -> Vec<String> {
    let hint = &rules.hint;
    if hint.fields.is_empty() {
        return vec!["What the server says about when to come back is not read.".to_owned()];
    }
    let timing = hint.fields.iter().any(|field| field.unit != Unit::Verdict);
    let verdicts: Vec<_> = hint.fields.iter().filter(|field| field.unit == Unit::Verdict).collect();
    let mut sentences = Vec::new();
    if !verdicts.is_empty() {
        let names = fields(verdicts.iter().map(|field| field.name));
        sentences.push(format!(
            "The server may forbid a retry (`false`), or ask for one after any status from 400 (`true`), in {names}."
        ));
    }
    if timing {
        sentences.extend([heard(hint), together(hint), unreadable(hint)]);
        sentences.extend(hint.resets_backoff.then(|| "After such a wait the local one begins anew.".to_owned()));
    }
    sentences
}

fn heard(hint: &HintRules) -> String {
    let timing: Vec<_> = hint.fields.iter().filter(|field| field.unit != Unit::Verdict).collect();
    let names = fields(timing.iter().map(|field| field.name));
    let first = if timing.len() > 1 { ", the first that is there" } else { "" };
    let on = if hint.statuses == StatusSet::ALL {
        String::new()
    } else {
        format!(" with status {}", statuses(hint.statuses))
    };
    let clock = if hint.skew_from_date { "; dates are measured by the server's own clock" } else { "" };
    format!("The server names a time in {names}{first}{on}{clock}.")
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

fn unreadable(hint: &HintRules) -> String {
    match hint.unreadable {
        Unreadable::LowerBound => {
            "A value that cannot be read but proves a shortest wait, such as a number too large, counts as that wait."
        }
        Unreadable::Backoff => "A value that cannot be read means the local wait, whatever it proves.",
    }
    .to_owned()
}
