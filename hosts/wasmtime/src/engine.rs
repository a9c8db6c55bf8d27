//! The engine: a policy component that decides.

use std::{fmt, sync::Arc};

use policy_core::{Event, HintReport, Now, Request, UnixMillis, retry_after::RetryAfter};
use refrain::{Description, DirectEngine, Engine, EngineError, State, Step};
use refrain_document::Artifact;

use crate::{convert, pool::Pool};

/// An engine that asks a policy component. A clone is the same engine.
///
/// Any number of threads may ask at once. A call that traps, runs into a limit or answers with what this host does not
/// know is an [`EngineError`], on which a driver makes no further send; the next call runs on a fresh instance.
///
/// An engine keeps the policy that it was made with. To change it, make another engine: if the new artifact is refused,
/// the old engine is as good as it was, and requests that began under it end under it.
///
/// ```
/// use refrain_wasmtime::{Artifact, Digest, WasmtimeEngine};
///
/// fn reload(engine: &mut WasmtimeEngine, bytes: Vec<u8>, pin: Digest) -> Result<(), Box<dyn std::error::Error>> {
///     let artifact = Artifact::load_pinned(bytes, pin)?;
///     *engine = WasmtimeEngine::new(&artifact)?;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct WasmtimeEngine(Arc<Inner>);

struct Inner {
    pool: Pool,
    description: Description,
}

impl WasmtimeEngine {
    /// Compiles an artifact, and asks it once who it is.
    ///
    /// # Errors
    /// [`StartError::Compile`]; [`StartError::Engine`] if it cannot be instantiated or cannot say who it is;
    /// [`StartError::Description`] if it says something else than its slot.
    pub fn new(artifact: &Artifact) -> Result<Self, StartError> {
        let pool = Pool::new(artifact.bytes()).map_err(|error| StartError::Compile(format!("{error:#}")))?;
        let description: Description =
            pool.call("describe", |guest, store| guest.call_describe(store)).map_err(StartError::Engine)?.into();
        let expected = DirectEngine::from_slot(artifact.slot());
        match difference(expected.description(), &description) {
            Some(what) => Err(StartError::Description(what)),
            None => Ok(Self(Arc::new(Inner { pool, description }))),
        }
    }
}

fn difference(expected: &Description, found: &Description) -> Option<&'static str> {
    [
        ("name", expected.name == found.name),
        ("version", expected.version == found.version),
        ("policy", expected.policy == found.policy),
        ("list of fields", expected.fields == found.fields),
        ("budget", expected.budget == found.budget),
    ]
    .into_iter()
    .find_map(|(what, equal)| (!equal).then_some(what))
}

impl Engine for WasmtimeEngine {
    fn description(&self) -> &Description {
        &self.0.description
    }

    fn parse(&self, value: &[u8], now: Option<UnixMillis>) -> Result<Result<RetryAfter, HintReport>, EngineError> {
        let now = now.map(UnixMillis::get);
        convert::parsed(self.0.pool.call("parse", |guest, store| guest.call_parse(store, value, now))?)
    }

    fn start(&self, request: &Request, now: &Now) -> Result<Step, EngineError> {
        self.0.pool.call("start", |guest, store| guest.call_start(store, request.into(), now.into()))?.try_into()
    }

    fn handle(&self, state: &State, event: Event<'_>, now: &Now) -> Result<Step, EngineError> {
        convert::with_event(event, |event| {
            self.0.pool.call("handle", |guest, store| guest.call_handle(store, state.into(), event, now.into()))
        })?
        .try_into()
    }
}

impl fmt::Debug for WasmtimeEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WasmtimeEngine")
            .field("name", &self.0.description.name)
            .field("version", &self.0.description.version)
            .finish_non_exhaustive()
    }
}

/// Why an artifact, though sound, does not run.
///
/// ```
/// use refrain_wasmtime::StartError;
///
/// /// Whether the artifact is at fault, so that trying again is of no use.
/// fn is_final(error: &StartError) -> bool {
///     matches!(error, StartError::Compile(_) | StartError::Description(_))
/// }
/// assert!(is_final(&StartError::Description("version")));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// It cannot be compiled, or its functions have other types.
    Compile(String),
    /// It does not run.
    Engine(EngineError),
    /// It says of itself something else than its slot: the name of what differs.
    Description(&'static str),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compile(why) => write!(f, "expected a component of the world `refrain:policy/refrain`: {why}"),
            Self::Engine(error) => error.fmt(f),
            Self::Description(what) => write!(f, "expected `describe` to agree with the slot, found another {what}"),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Engine(error) => Some(error),
            _ => None,
        }
    }
}
