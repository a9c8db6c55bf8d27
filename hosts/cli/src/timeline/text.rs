//! The timeline for people: when, what, and why.

use policy_core::{Bound, End, HintReport, Millis, Wait};
use refrain::{Reason, TraceEvent};

use super::Summary;
use crate::{
    duration,
    style::{BAD, BOLD, DIM, GOOD, SENT, WAITING, paint},
    words,
};

pub(super) fn event(at: Millis, event: &TraceEvent, wait: Option<&Wait>) -> String {
    let what = match event {
        TraceEvent::Sent { attempt, timeout } => {
            let limit = timeout.map(|timeout| format!(", {} for the answer to begin", duration::text(timeout)));
            format!("{} attempt {attempt}{}", paint(SENT, "→"), limit.unwrap_or_default())
        }
        TraceEvent::Answered { status, .. } => {
            let style = if (200..300).contains(status) { GOOD } else { WAITING };
            format!("{} {}", paint(style, "←"), paint(style, status))
        }
        TraceEvent::Failed { kind, timed_out, .. } => {
            let timed_out = if *timed_out { ", timed out" } else { "" };
            format!("{} {}{timed_out}", paint(BAD, "×"), paint(BAD, kind.name()))
        }
        TraceEvent::WaitPlanned(wait) => planned(wait),
        TraceEvent::NetworkAwaited { .. } => format!("{} wait for the network", paint(WAITING, "…")),
        TraceEvent::WaitOver { waited } => over(*waited, wait),
        _ => return String::new(),
    };
    format!("{}  {what}", clock(at))
}

pub(super) fn remark(at: Millis, what: &str) -> String {
    format!("{}  {}", clock(at), paint(BOLD, format_args!("! {what}")))
}

pub(super) fn ended(at: Millis, bound: Bound, hint: HintReport, summary: &Summary) -> String {
    let Summary { reason, attempts, maybe_applied, status, resume, nothing_left } = summary;
    let attempts = if *attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") };
    let (sign, style) = match reason {
        Reason::Policy(End::Success) => ("✓", GOOD),
        Reason::Policy(End::Deferred | End::Cancelled | End::SessionChanged) => ("■", BOLD),
        _ => ("✗", BAD),
    };
    let why = match reason {
        Reason::Policy(end) => words::ended(*end, bound).to_owned(),
        Reason::Engine(error) => error.to_string(),
        Reason::Entropy(error) => error.to_string(),
        _ => String::new(),
    };
    let mut lines =
        vec![format!("{}  {} after {attempts}: {why}", clock(at), paint(style, format_args!("{sign} {reason}")))];
    let mut add = |line: String| lines.push(format!("{:INDENT$}{}", "", paint(DIM, line)));
    if bound != Bound::None {
        add(format!("bound: {}; hint: {}", bound.name(), hint.name()));
    }
    if let Some(resume) = resume {
        add(format!("go on {}", words::resume(resume)));
    }
    if let (Some(status), false) = (status, matches!(reason, Reason::Policy(End::Success | End::SessionChanged))) {
        add(format!("the last answer was {status}"));
    }
    if *maybe_applied {
        add("an attempt without an answer may have been applied all the same".to_owned());
    }
    if *nothing_left && matches!(reason, Reason::Policy(End::SessionChanged)) {
        add("what came for the old session is withheld".to_owned());
    }
    lines.join("\n")
}

/// Columns before what happened.
const INDENT: usize = 13;

/// A line beside the events, at no time of its own.
pub(crate) fn aside(what: &str) -> String {
    format!("{:INDENT$}{}", "", paint(DIM, what))
}

fn clock(at: Millis) -> String {
    let text = format!("{}.{:03} s", at.get() / 1_000, at.get() % 1_000);
    paint(DIM, format_args!("{text:>11}"))
}

fn planned(wait: &Wait) -> String {
    let Wait { delay, retry_index, bound, hint, .. } = *wait;
    let delay = paint(WAITING, format_args!("… wait {}", duration::text(delay)));
    format!("{delay} before retry {retry_index}; bound: {} ({})", bound.name(), words::why(bound, hint))
}

fn over(waited: Millis, wait: Option<&Wait>) -> String {
    let actual = duration::text(waited);
    match wait {
        Some(wait) if waited < wait.delay => {
            format!("{} after {actual} of {}", paint(WAITING, "broken off"), duration::text(wait.delay))
        }
        Some(wait) => paint(DIM, format_args!("waited {actual}, planned {}", duration::text(wait.delay))),
        None => paint(DIM, format_args!("waited {actual}")),
    }
}
