//! Where decisions come from: the core linked in, or the same core as a component.

use std::fmt;

use policy_core::{
    Command, Event, Execution, HintReport, Now, Policy, Request, Tokens, UnixMillis,
    retry_after::{self, RetryAfter},
    slot::{Slot, SlotError},
};

/// Something that decides. The driver is written against this, so that every engine runs under it unchanged.
///
/// All functions are pure: the same input gives the same result. An `Err` means that no decision was made; the driver
/// then makes no further send.
///
/// ```
/// use refrain::{DirectEngine, Engine, EngineError, core::{Policy, Rules}};
/// /// Whether the policy takes this for a Retry-After value.
/// fn reads(engine: &impl Engine, value: &str) -> Result<bool, EngineError> {
///     Ok(engine.parse(value.as_bytes(), None)?.is_ok())
/// }
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// assert!(reads(&engine, "120")? && !reads(&engine, "1.5")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Engine: Send + Sync {
    /// Who the policy is, and what it wants to be handed.
    fn description(&self) -> &Description;

    /// Reads a Retry-After value under the policy's date rules, for people and tests; `now` is for two-digit years.
    ///
    /// # Errors
    /// When the engine itself failed. A refused value is the inner `Err`.
    fn parse(&self, value: &[u8], now: Option<UnixMillis>) -> Result<Result<RetryAfter, HintReport>, EngineError>;

    /// Begins, joins or resumes a logical request.
    ///
    /// # Errors
    /// When the engine itself failed.
    fn start(&self, request: &Request, now: &Now) -> Result<Step, EngineError>;

    /// Goes on.
    ///
    /// # Errors
    /// When the engine itself failed.
    fn handle(&self, state: &State, event: Event<'_>, now: &Now) -> Result<Step, EngineError>;
}

impl<E: Engine + ?Sized> Engine for std::sync::Arc<E> {
    fn description(&self) -> &Description {
        (**self).description()
    }

    fn parse(&self, value: &[u8], now: Option<UnixMillis>) -> Result<Result<RetryAfter, HintReport>, EngineError> {
        (**self).parse(value, now)
    }

    fn start(&self, request: &Request, now: &Now) -> Result<Step, EngineError> {
        (**self).start(request, now)
    }

    fn handle(&self, state: &State, event: Event<'_>, now: &Now) -> Result<Step, EngineError> {
        (**self).handle(state, event, now)
    }
}

/// The state of one logical request: 64 opaque bytes, valid within one process and for the engine that made it.
///
/// ```
/// use refrain::core::{Command, End, Event, Now, Request};
/// use refrain::{DirectEngine, Engine, EngineError};
/// /// A request that `one` began cannot go on with `other`: there its number of sends may be a lie.
/// fn mixed_up(one: &DirectEngine, other: &DirectEngine, request: &Request, now: &Now) -> Result<bool, EngineError> {
///     let begun = one.start(request, now)?;
///     let step = other.handle(&begun.state, Event::Wake, now)?;
///     Ok(matches!(step.command, Command::Finish(outcome) if outcome.end == End::ForeignExecution))
/// }
/// # use refrain::core::{Mark, Method, Network, Policy, Rules, Sample, Session, Tokens};
/// # let policy = |max_attempts| Policy::new(Rules { max_attempts, ..Rules::DEFAULT }).unwrap();
/// # let engine = |max_attempts| DirectEngine::new("polite", "1.0.0", policy(max_attempts)).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// # assert!(mixed_up(&engine(4), &engine(5), &Request::new(Method::Get), &now)?);
/// # Ok::<(), EngineError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State(pub [u64; 8]);

/// The result of one call into an engine.
///
/// ```
/// use refrain::core::{Attempt, Command, End, Event, Now, Request};
/// use refrain::{Engine, EngineError};
/// fn one_success(engine: &impl Engine, request: &Request, now: &Now) -> Result<(), EngineError> {
///     let step = engine.start(request, now)?;
///     assert_eq!(step.command, Command::Send { attempt: 1, timeout: None });
///     let arrived = Event::Response { of: Attempt::single(1), status: 200, fields: &[] };
///     let step = engine.handle(&step.state, arrived, now)?;
///     assert!(matches!(step.command, Command::Finish(outcome) if outcome.end == End::Success));
///     Ok(())
/// }
/// # use refrain::{DirectEngine, core::{Mark, Method, Network, Policy, Rules, Sample, Session, Tokens}};
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// # one_success(&DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?, &Request::new(Method::Get), &now)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a step that is not carried out is a request that stands still"]
pub struct Step {
    /// Pass to the next call.
    pub state: State,
    /// The retry budget after this call, to be stored by compare-and-swap.
    pub tokens: Tokens,
    /// What to do now.
    pub command: Command,
}

/// Who a policy is, and what it wants to be handed.
///
/// ```
/// use refrain::{DirectEngine, Engine, core::{Policy, Rules, Tokens}};
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let policy = engine.description();
/// assert_eq!((policy.name.as_str(), policy.version.as_str()), ("polite", "1.0.0"));
/// assert_eq!(policy.budget, Some(Tokens::new(500)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Name of the policy.
    pub name: String,
    /// Version of the policy, semver.
    pub version: String,
    /// The response fields that the host hands over, in lower case; nothing else crosses.
    pub fields: Vec<String>,
    /// Tokens that a new budget begins with; `None` if the policy has no budget.
    pub budget: Option<Tokens>,
    /// The compiled policy, byte for byte as in the slot.
    pub policy: Vec<u8>,
}

/// Why an engine made no decision.
///
/// ```
/// use refrain::{EngineError, Reason};
/// let error = EngineError::LimitReached("fuel".to_owned());
/// assert_eq!(error.to_string(), "the policy component reached a limit: fuel");
/// assert_eq!(Reason::from(error).name(), "engine-failed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineError {
    /// The component trapped; the text says where.
    Trapped(String),
    /// The component ran into a limit on fuel, memory or stack.
    LimitReached(String),
    /// The component answered with something that this host does not know.
    Unknown(String),
    /// No instance could be made.
    Unavailable(String),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trapped(what) => write!(f, "the policy component trapped: {what}"),
            Self::LimitReached(what) => write!(f, "the policy component reached a limit: {what}"),
            Self::Unknown(what) => {
                write!(f, "the policy component answered with {what}, which this host does not know")
            }
            Self::Unavailable(what) => write!(f, "the policy component could not be instantiated: {what}"),
        }
    }
}

impl std::error::Error for EngineError {}

/// The core, linked in. Never fails.
///
/// ```
/// use refrain::{DirectEngine, Engine, core::{Policy, Rules}};
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// assert_eq!(engine.description().fields, ["retry-after"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DirectEngine {
    policy: Policy,
    description: Description,
}

impl DirectEngine {
    /// An engine for this policy.
    ///
    /// # Errors
    /// When name or version could not be baked into an artifact.
    pub fn new(name: &str, version: &str, policy: Policy) -> Result<Self, SlotError> {
        Ok(Self::from_slot(&Slot::new(name, version, policy)?))
    }

    /// An engine for the policy of an artifact's slot.
    #[must_use]
    pub fn from_slot(slot: &Slot) -> Self {
        let policy = *slot.policy();
        let description = Description {
            name: slot.name().to_owned(),
            version: slot.version().to_owned(),
            fields: policy.fields().map(str::to_owned).collect(),
            budget: policy.budget().map(|budget| budget.capacity),
            policy: policy.to_bytes().to_vec(),
        };
        Self { policy, description }
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }
}

impl Engine for DirectEngine {
    fn description(&self) -> &Description {
        &self.description
    }

    fn parse(&self, value: &[u8], now: Option<UnixMillis>) -> Result<Result<RetryAfter, HintReport>, EngineError> {
        let dates = self.policy.dates();
        Ok(retry_after::parse(value, dates, now).map_err(|error| error.reason))
    }

    #[inline]
    fn start(&self, request: &Request, now: &Now) -> Result<Step, EngineError> {
        Ok(Execution::start(&self.policy, request, now).into())
    }

    #[inline]
    fn handle(&self, state: &State, event: Event<'_>, now: &Now) -> Result<Step, EngineError> {
        Ok(Execution::from_words(state.0).handle(&self.policy, event, now).into())
    }
}

impl From<policy_core::Step> for Step {
    fn from(step: policy_core::Step) -> Self {
        Self { state: State(step.execution.to_words()), tokens: step.tokens, command: step.command }
    }
}
