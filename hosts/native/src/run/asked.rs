//! What the engine is called with, beside everything that may have changed.

use policy_core::{Event, Now, Request};

use crate::engine::{Engine, EngineError, State, Step};

/// One call into the engine.
pub(crate) enum Asked<'a> {
    Start(&'a Request),
    Handle(Event<'a>),
}

impl<'a> Asked<'a> {
    pub(super) fn put(&self, engine: &impl Engine, state: &State, now: &Now) -> Result<Step, EngineError> {
        match self {
            Self::Start(request) => engine.start(request, now),
            Self::Handle(event) => engine.handle(state, *event, now),
        }
    }

    #[cfg(feature = "record")]
    pub(crate) const fn event(&self) -> Option<Event<'a>> {
        match self {
            Self::Start(_) => None,
            Self::Handle(event) => Some(*event),
        }
    }
}
