//! Spans and events.

use ::tracing::{Span, debug, field, info, info_span};
use policy_core::{End, HintReport, Wait};

use super::{DROPPED, Observer, Scope, Trace, TraceEvent, unread};
use crate::outcome::Reason;

/// Emits a span for each request and each attempt, and a few events; their names and fields stand in a table of the
/// [module](super).
///
/// What the client underneath emits during an attempt happens in that attempt's span: so a middleware below that passes a
/// trace on to the server passes on the right one. The span of a request begins in the one that is current when the request
/// is polled first.
///
/// ```
/// use std::sync::Arc;
/// use refrain::{Options, observer::TracingObserver};
/// let options = Options { observer: Some(Arc::new(TracingObserver)), ..Options::default() };
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingObserver;

impl Observer for TracingObserver {
    fn scope(&self, request: u64) -> Option<Box<dyn Scope>> {
        let span = info_span!(target: TARGET, "request", request);
        Some(Box::new(Spans { request, span, attempt: Span::none() }))
    }
}

/// Part of the interface, like the names of spans and fields.
const TARGET: &str = "refrain";

struct Spans {
    request: u64,
    span: Span,
    attempt: Span,
}

impl Scope for Spans {
    fn event(&mut self, trace: &Trace) {
        let Self { request, span, .. } = self;
        match &trace.event {
            TraceEvent::Sent { attempt, .. } => self.attempt = self.begin(*attempt),
            TraceEvent::Answered { status, .. } => self.answered(*status),
            TraceEvent::Failed { .. } => self.failed(),
            TraceEvent::Aborted { .. } | TraceEvent::Refused { .. } => self.attempt = Span::none(),
            TraceEvent::WaitPlanned(wait) => span.in_scope(|| waiting(*request, wait)),
            TraceEvent::NetworkAwaited { .. } => {
                span.in_scope(|| info!(target: TARGET, request, "waiting for the network"));
            }
            TraceEvent::Ended { reason, hint, .. } => span.in_scope(|| ended(*request, reason, *hint)),
            TraceEvent::Dropped { .. } => {
                span.in_scope(|| info!(target: TARGET, request, end = DROPPED, "ended"));
            }
            TraceEvent::Begun { .. } | TraceEvent::WaitOver { .. } => {}
        }
    }

    fn enter(&mut self, poll: &mut dyn FnMut()) {
        self.attempt.in_scope(poll);
    }
}

impl Spans {
    fn begin(&self, attempt: u32) -> Span {
        let span = self.span.in_scope(|| {
            info_span!(
                target: TARGET,
                "attempt",
                request = self.request,
                http.request.resend_count = field::Empty,
                http.response.status_code = field::Empty,
            )
        });
        if let Some(resends) = attempt.checked_sub(1).filter(|resends| *resends > 0) {
            span.record("http.request.resend_count", resends);
        }
        span
    }

    fn answered(&mut self, status: u16) {
        let Self { request, attempt, .. } = self;
        attempt.record("http.response.status_code", status);
        attempt.in_scope(|| debug!(target: TARGET, request, http.response.status_code = status, "answered"));
        self.attempt = Span::none();
    }

    fn failed(&mut self) {
        let Self { request, attempt, .. } = self;
        attempt.in_scope(|| debug!(target: TARGET, request, "failed"));
        self.attempt = Span::none();
    }
}

fn waiting(request: u64, wait: &Wait) {
    let Wait { retry_index, delay, hint, .. } = *wait;
    info!(
        target: TARGET,
        request,
        retry_index,
        planned_delay_ms = delay.get(),
        hint = unread(hint),
        "waiting"
    );
}

fn ended(request: u64, reason: &Reason, hint: HintReport) {
    let (end, hint) = (reason.name(), unread(hint));
    match reason {
        Reason::Policy(End::Success) => debug!(target: TARGET, request, end, hint, "ended"),
        _ => info!(target: TARGET, request, end, hint, "ended"),
    }
}
