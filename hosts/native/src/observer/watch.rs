//! What a watched request keeps: who watches, and how far it has been told.

use std::{
    future::Future,
    pin::Pin,
    sync::atomic::{AtomicU64, Ordering},
    task::{Context, Poll},
};

use policy_core::{Mark, Now, Session};

use super::{Call, Input, Observer, Scope, Trace, TraceEvent};
use crate::{
    engine::{Engine, EngineError, State, Step},
    run::Asked,
};

/// One request that is watched.
pub(crate) struct Watch<'a> {
    observer: &'a dyn Observer,
    scope: Option<Box<dyn Scope>>,
    request: u64,
    /// The clock as last told to the engine.
    pub(crate) at: Mark,
    /// When the last wait began.
    paused: Mark,
    /// The session that the engine took for that of the request.
    session: Option<Session>,
    /// The attempt that was begun and not ended.
    in_flight: Option<u32>,
    /// A call failed, or was taken back: no further one goes on from those that were told.
    broken: bool,
    /// The end was told.
    over: bool,
}

impl<'a> Watch<'a> {
    /// Of the next request that is watched in this process.
    pub(crate) fn begin(observer: &'a dyn Observer) -> Self {
        static REQUESTS: AtomicU64 = AtomicU64::new(1);
        let request = REQUESTS.fetch_add(1, Ordering::Relaxed);
        let scope = observer.scope(request);
        Self {
            observer,
            scope,
            request,
            at: Mark::default(),
            paused: Mark::default(),
            session: None,
            in_flight: None,
            broken: false,
            over: false,
        }
    }

    /// Tells of an event.
    pub(crate) fn event(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::WaitPlanned(_) | TraceEvent::NetworkAwaited { .. } => self.paused = self.at,
            TraceEvent::Sent { attempt, .. } => self.in_flight = Some(attempt),
            TraceEvent::Answered { .. } | TraceEvent::Failed { .. } | TraceEvent::Aborted { .. } => {
                self.in_flight = None;
            }
            TraceEvent::Refused { .. } => (self.in_flight, self.broken) = (None, true),
            TraceEvent::Ended { .. } | TraceEvent::Dropped { .. } => self.over = true,
            _ => {}
        }
        let trace = Trace { request: self.request, at: self.at, event };
        self.observer.event(&trace);
        if let Some(scope) = &mut self.scope {
            scope.event(&trace);
        }
    }

    /// Tells of the end of a wait.
    pub(crate) fn wait_over(&mut self) {
        self.event(TraceEvent::WaitOver { waited: self.paused.until(self.at) });
    }

    /// Tells of a call.
    pub(crate) fn called(
        &mut self,
        engine: &dyn Engine,
        state: &State,
        asked: &Asked<'_>,
        now: &Now,
        result: Result<&Step, &EngineError>,
    ) {
        self.at = now.mark;
        if self.broken {
            return;
        }
        #[cfg(not(feature = "record"))]
        let _ = (engine, state);
        let begun = *self.session.get_or_insert(now.session);
        let session = Session::new(if now.session == begun { 1 } else { 2 });
        self.observer.called(&Call {
            request: self.request,
            input: match asked {
                Asked::Start(request) => Input::Start(**request),
                Asked::Handle(event) => event.into(),
            },
            now: Now { session, ..*now },
            answer: result.map(|step| (step.command, step.tokens)),
            #[cfg(feature = "record")]
            inner: super::call::Inner { engine, state, event: asked.event(), now, step: result.ok() },
        });
        self.broken = result.is_err();
    }

    /// Polls an attempt within the scope.
    pub(crate) fn poll<F: Future>(&mut self, mut part: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Some(scope) = &mut self.scope else { return part.poll(cx) };
        let mut polled = Poll::Pending;
        scope.enter(&mut || polled = part.as_mut().poll(cx));
        polled
    }

    /// Tells of a request that is dropped, unless it has ended.
    pub(crate) fn dropped(&mut self, attempts: u32) {
        if self.over {
            return;
        }
        if let Some(attempt) = self.in_flight {
            self.event(TraceEvent::Aborted { attempt });
        }
        self.event(TraceEvent::Dropped { attempts });
    }
}
