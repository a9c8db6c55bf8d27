//! What happens to a request, line by line, for people or for programs.
//!
//! It is told what may be logged and nothing else: no header value, URL or body ever comes here.

mod json;
mod progress;
mod text;

use std::{
    io::Write,
    sync::{Mutex, MutexGuard, PoisonError},
};

use policy_core::{Bound, End, HintReport, Mark, Millis, Resume, Wait};
use refrain::{Head, Last, Observer, Reason, Rounding, RunResult, Time, Trace, TraceEvent};
use serde::Serialize;

use self::progress::Progress;
pub(crate) use self::{json::ResumeRecord, text::aside};

/// How a timeline is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people; the writer drops the colours if nobody would see them.
    Text,
    /// One JSON object a line.
    Json,
}

/// Writes what happens to requests, one after another.
pub(crate) struct Timeline(Mutex<State>);

struct State {
    out: Box<dyn Write + Send>,
    format: Format,
    /// Whether a line that moves may be shown during a wait.
    live: bool,
    scene: Option<u32>,
    /// The mark of the request's first event.
    origin: Option<Mark>,
    /// The wait under way.
    wait: Option<Wait>,
    progress: Option<Progress>,
    ended: Option<(Millis, Bound, HintReport)>,
}

impl Timeline {
    /// Writes to `out`; what cannot be written is lost, since a request must not end for it.
    pub(crate) fn new(out: impl Write + Send + 'static, format: Format) -> Self {
        let out = Box::new(out);
        let (scene, origin, wait, progress, ended) = (None, None, None, None, None);
        Self(Mutex::new(State { out, format, live: false, scene, origin, wait, progress, ended }))
    }

    /// Shows a line that moves during a wait; the terminal is that of stderr.
    pub(crate) fn live(self) -> Self {
        self.state().live = true;
        self
    }

    /// The next request is that of scene `number`.
    pub(crate) fn begin(&self, number: u32) {
        let mut state = self.state();
        state.scene = Some(number);
        (state.origin, state.wait, state.ended) = (None, None, None);
    }

    /// Writes what stands outside the request: `text` for people, `record` for programs.
    pub(crate) fn say(&self, text: &str, record: &impl Serialize) {
        let mut state = self.state();
        let line = match state.format {
            Format::Text => text.to_owned(),
            Format::Json => json::line(record),
        };
        state.print(&line);
    }

    /// Writes what happens beside the request, now.
    pub(crate) fn remark(&self, time: &impl Time, what: &str) {
        let mut state = self.state();
        let at = state.origin.unwrap_or_default().until(time.mark(Rounding::Down));
        let line = match state.format {
            Format::Text => text::remark(at, what),
            Format::Json => json::remark(state.scene, at, what),
        };
        state.print(&line);
    }

    /// Writes how the request ended.
    pub(crate) fn finish(&self, summary: &Summary) {
        let mut state = self.state();
        let (at, bound, hint) = state.ended.take().unwrap_or((Millis::ZERO, Bound::None, HintReport::Absent));
        let line = match state.format {
            Format::Text => text::ended(at, bound, hint, summary),
            Format::Json => json::ended(state.scene, at, bound, hint, summary),
        };
        state.print(&line);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Timeline {
    fn event(&self, trace: &Trace) {
        let mut state = self.state();
        let at = state.origin.get_or_insert(trace.at).until(trace.at);
        match &trace.event {
            TraceEvent::WaitPlanned(wait) => state.wait = Some(*wait),
            TraceEvent::NetworkAwaited { .. } => state.wait = None,
            TraceEvent::WaitOver { .. } => state.progress = None,
            TraceEvent::Ended { bound, hint, .. } => {
                state.progress = None;
                state.ended = Some((at, *bound, *hint));
                return;
            }
            _ => {}
        }
        let line = match state.format {
            Format::Text => text::event(at, &trace.event, state.wait.as_ref()),
            Format::Json => json::event(state.scene, at, &trace.event, state.wait.as_ref()),
        };
        state.print(&line);
        if let (true, TraceEvent::WaitPlanned(wait)) = (state.live, &trace.event) {
            state.progress = Some(Progress::begin(wait));
        }
    }
}

impl State {
    fn print(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        let mut write = || {
            let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        };
        match &self.progress {
            Some(progress) => progress.suspend(write),
            None => write(),
        }
    }
}

/// How a request ended, as far as it may be logged.
pub(crate) struct Summary {
    pub(crate) reason: Reason,
    pub(crate) attempts: u32,
    pub(crate) maybe_applied: bool,
    pub(crate) status: Option<u16>,
    pub(crate) resume: Option<Resume>,
    /// What was under way when the request ended is withheld or was broken off.
    pub(crate) nothing_left: bool,
}

impl Summary {
    /// Of what the driver returned.
    pub(crate) fn of<R: Head, E>(result: &RunResult<R, E>) -> Self {
        match result {
            Ok(delivered) => Self {
                reason: Reason::Policy(End::Success),
                attempts: delivered.attempts,
                maybe_applied: delivered.maybe_applied,
                status: Some(delivered.response.status()),
                resume: None,
                nothing_left: false,
            },
            Err(ended) => Self {
                reason: ended.reason.clone(),
                attempts: ended.attempts,
                maybe_applied: ended.maybe_applied,
                status: ended.last.status(),
                resume: ended.resume,
                nothing_left: matches!(ended.last, Last::Nothing),
            },
        }
    }
}
