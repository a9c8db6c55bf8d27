//! Two observers as one; more of them as tuples of tuples.

use std::sync::Arc;

use super::{Call, Observer, Scope, Trace};

impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn event(&self, trace: &Trace) {
        (**self).event(trace);
    }

    fn called(&self, call: &Call<'_>) {
        (**self).called(call);
    }

    fn scope(&self, request: u64) -> Option<Box<dyn Scope>> {
        (**self).scope(request)
    }
}

/// Nobody, if it is `None`.
impl<O: Observer> Observer for Option<O> {
    fn event(&self, trace: &Trace) {
        if let Some(observer) = self {
            observer.event(trace);
        }
    }

    fn called(&self, call: &Call<'_>) {
        if let Some(observer) = self {
            observer.called(call);
        }
    }

    fn scope(&self, request: u64) -> Option<Box<dyn Scope>> {
        self.as_ref()?.scope(request)
    }
}

/// Both, the first before the second. Their scopes lie in one another, that of the second inside.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn event(&self, trace: &Trace) {
        self.0.event(trace);
        self.1.event(trace);
    }

    fn called(&self, call: &Call<'_>) {
        self.0.called(call);
        self.1.called(call);
    }

    fn scope(&self, request: u64) -> Option<Box<dyn Scope>> {
        match (self.0.scope(request), self.1.scope(request)) {
            (Some(outer), Some(inner)) => Some(Box::new(Both { outer, inner })),
            (one, other) => one.or(other),
        }
    }
}

struct Both {
    outer: Box<dyn Scope>,
    inner: Box<dyn Scope>,
}

impl Scope for Both {
    fn event(&mut self, trace: &Trace) {
        self.outer.event(trace);
        self.inner.event(trace);
    }

    fn enter(&mut self, poll: &mut dyn FnMut()) {
        let Self { outer, inner } = self;
        outer.enter(&mut || inner.enter(poll));
    }
}
