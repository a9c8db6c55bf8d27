//! The timeline for programs: one object a line, the event's name in `event`, times in milliseconds.

use policy_core::{Bound, HintReport, Millis, Resume, UnixMillis, Wait};
use refrain::TraceEvent;
use serde::Serialize;

use super::Summary;
use crate::exit::Exit;

/// An object as one line.
pub(crate) fn line(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

pub(super) fn event(scene: Option<u32>, at: Millis, event: &TraceEvent, wait: Option<&Wait>) -> String {
    record(event, wait).map(|event| line(&Line { scene, at_ms: at.get(), event })).unwrap_or_default()
}

pub(super) fn remark(scene: Option<u32>, at: Millis, what: &str) -> String {
    line(&Line { scene, at_ms: at.get(), event: Event::Remark { what } })
}

pub(super) fn ended(scene: Option<u32>, at: Millis, bound: Bound, hint: HintReport, summary: &Summary) -> String {
    let event = Event::Ended {
        reason: summary.reason.name(),
        bound: bound.name(),
        hint: hint.name(),
        attempts: summary.attempts,
        maybe_applied: summary.maybe_applied,
        status: summary.status,
        resume: summary.resume.as_ref().map(ResumeRecord::from),
        exit_code: Exit::of(&summary.reason) as u8,
    };
    line(&Line { scene, at_ms: at.get(), event })
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    scene: Option<u32>,
    /// Since the request's first event.
    at_ms: u64,
    #[serde(flatten)]
    event: Event<'a>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    Sent {
        attempt: u32,
        timeout_ms: Option<u64>,
    },
    Answered {
        attempt: u32,
        status: u16,
    },
    Failed {
        attempt: u32,
        kind: &'static str,
        timed_out: bool,
    },
    WaitPlanned {
        retry_index: u32,
        delay_ms: u64,
        bound: &'static str,
        hint: &'static str,
    },
    NetworkAwaited,
    Remark {
        what: &'a str,
    },
    WaitOver {
        waited_ms: u64,
        planned_ms: Option<u64>,
    },
    Ended {
        reason: &'a str,
        bound: &'static str,
        hint: &'static str,
        attempts: u32,
        maybe_applied: bool,
        status: Option<u16>,
        resume: Option<ResumeRecord>,
        exit_code: u8,
    },
}

fn record<'a>(event: &TraceEvent, wait: Option<&Wait>) -> Option<Event<'a>> {
    Some(match event {
        TraceEvent::Sent { attempt, timeout } => {
            Event::Sent { attempt: *attempt, timeout_ms: timeout.map(Millis::get) }
        }
        TraceEvent::Answered { attempt, status } => Event::Answered { attempt: *attempt, status: *status },
        TraceEvent::Failed { attempt, kind, timed_out } => {
            Event::Failed { attempt: *attempt, kind: kind.name(), timed_out: *timed_out }
        }
        TraceEvent::WaitPlanned(Wait { delay, retry_index, bound, hint, .. }) => Event::WaitPlanned {
            retry_index: *retry_index,
            delay_ms: delay.get(),
            bound: bound.name(),
            hint: hint.name(),
        },
        TraceEvent::NetworkAwaited { .. } => Event::NetworkAwaited,
        TraceEvent::WaitOver { waited } => {
            Event::WaitOver { waited_ms: waited.get(), planned_ms: wait.map(|wait| wait.delay.get()) }
        }
        _ => return None,
    })
}

/// When a request may go on.
#[derive(Serialize)]
pub(crate) struct ResumeRecord {
    delay_ms: u64,
    not_before_unix_ms: Option<u64>,
    attempts_used: u32,
}

impl From<&Resume> for ResumeRecord {
    fn from(resume: &Resume) -> Self {
        Self {
            delay_ms: resume.delay.get(),
            not_before_unix_ms: resume.not_before.map(UnixMillis::get),
            attempts_used: resume.attempts_used,
        }
    }
}
