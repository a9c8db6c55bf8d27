//! What is simulated: clients, a server, what goes wrong with it, and the policies that are compared.

mod error;
mod text;

use policy_core::Millis;
use refrain_document::Document;

pub use self::error::ScenarioError;
use crate::{
    contender::{self, Contender},
    draw::Length,
    micros::Micros,
};

/// A scenario that was read and makes sense.
///
/// ```
/// let text = r#"
///     name = "short-outage"
///     clients = 100
///     [arrivals]
///     process = "poisson"
///     per_second = 50
///     [server]
///     workers = 10
///     service = { mean = "20ms", distribution = "exponential" }
///     [outage]
///     from = "500ms"
///     until = "1.5s"
///     answer = 503
///     [[contender]]
///     policy = "polite-default"
/// "#;
/// let scenario = refrain_simulator::Scenario::parse(text)?;
/// assert_eq!((scenario.name(), scenario.contenders().len()), ("short-outage", 1));
/// # Ok::<(), refrain_simulator::ScenarioError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scenario {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) seed: u64,
    pub(crate) clients: u32,
    pub(crate) requests: u32,
    pub(crate) sweep: Vec<u32>,
    pub(crate) repeats: u32,
    pub(crate) horizon: Micros,
    pub(crate) arrivals: Arrivals,
    pub(crate) give_up: Option<Micros>,
    /// The wall clock of a client is off by no more than this, in either direction.
    pub(crate) skew: Millis,
    pub(crate) budget: Sharing,
    pub(crate) network: Length,
    pub(crate) server: ServerSpec,
    pub(crate) contenders: Vec<Contender>,
}

/// When logical requests begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrivals {
    AtOnce,
    /// With a fixed gap.
    Fixed(Micros),
    /// With an exponential gap.
    Poisson(Micros),
}

/// Who shares a retry budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// The requests of one client.
    Client,
    /// All.
    Fleet,
}

/// A server, and what goes wrong with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerSpec {
    pub(crate) workers: u32,
    pub(crate) queue: u32,
    pub(crate) service: Length,
    pub(crate) busy_status: u16,
    pub(crate) outage: Option<Outage>,
    pub(crate) brown_out: Option<BrownOut>,
    pub(crate) limit: Option<Limit>,
    pub(crate) contention: Option<Contention>,
    pub(crate) retry_after: Option<RetryAfter>,
}

/// From one moment until, and without, another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: Micros,
    pub(crate) until: Micros,
}

impl Window {
    pub(crate) fn contains(self, moment: Micros) -> bool {
        self.from <= moment && moment < self.until
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outage {
    pub(crate) window: Window,
    pub(crate) answer: OutageAnswer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutageAnswer {
    Status(u16),
    /// The connection is refused.
    Refused,
    /// No answer ever comes.
    Silence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrownOut {
    pub(crate) window: Window,
    /// Of the requests that are worked on, in thousandths.
    pub(crate) share: u32,
    /// How many times as long the work takes.
    pub(crate) slowdown: u32,
    pub(crate) status: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) kind: LimitKind,
    pub(crate) status: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitKind {
    /// So many in each window.
    FixedWindow { requests: u32, window: Micros },
    /// One in each interval, and so many more at once after a quiet time.
    TokenBucket { interval: Micros, burst: u32 },
}

/// Optimistic concurrency: an attempt reads a version, and writes if nobody did so meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contention {
    pub(crate) status: u16,
}

/// What the server asks for when it turns a request away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RetryAfter {
    pub(crate) date: bool,
    /// `None`: until the limit or the outage is over.
    pub(crate) after: Option<Micros>,
    /// Up to so much more for each.
    pub(crate) spread: Micros,
}

impl Scenario {
    /// Reads a scenario; `README.md` of this crate describes the format.
    ///
    /// # Errors
    /// What of it cannot be read, or makes no sense.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        text::read(text)
    }

    /// Reads a scenario with changes to it: a text of the same format, whose values take the place of those in `text`.
    ///
    /// ```
    /// use refrain_simulator::{SCENARIOS, Scenario};
    /// let (_, outage) = SCENARIOS[0];
    /// let changed = Scenario::parse_with(outage, "clients = 500\noutage.until = '20s'")?;
    /// assert_eq!(changed.client_counts(), [500]);
    /// # Ok::<(), refrain_simulator::ScenarioError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Scenario::parse`].
    pub fn parse_with(text: &str, changes: &str) -> Result<Self, ScenarioError> {
        text::read_with(text, changes)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it shows.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The seed that it names; 1 if it names none.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The numbers of clients that it is run with, one after another.
    #[must_use]
    pub fn client_counts(&self) -> &[u32] {
        if self.sweep.is_empty() { std::slice::from_ref(&self.clients) } else { &self.sweep }
    }

    /// The policies that are compared.
    #[must_use]
    pub fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// The same with this many clients, and only with these: the server does not grow with them.
    ///
    /// # Errors
    /// None, or more requests than fit: see [`Scenario::REQUESTS_MAX`].
    pub fn with_clients(self, clients: u32) -> Result<Self, ScenarioError> {
        let scenario = Self { clients, sweep: Vec::new(), ..self };
        text::check_size(&scenario)?;
        Ok(scenario)
    }

    /// The same with other contenders.
    #[must_use]
    pub fn with_contenders(self, contenders: Vec<Contender>) -> Self {
        Self { contenders, ..self }
    }

    /// The same with these policies as its contenders, each in each arrangement of tiers that the scenario has.
    ///
    /// ```
    /// use refrain_document::ready;
    /// use refrain_simulator::{SCENARIOS, Scenario};
    /// let stripe = ready::find("stripe").map(ready::Ready::document);
    /// let scenario = Scenario::parse(SCENARIOS[0].1)?.with_policies(stripe.as_slice())?;
    /// assert_eq!(scenario.contenders()[0].label(), "stripe");
    /// # Ok::<(), refrain_simulator::ScenarioError>(())
    /// ```
    ///
    /// # Errors
    /// No policy.
    pub fn with_policies(self, documents: &[Document]) -> Result<Self, ScenarioError> {
        if documents.is_empty() {
            return Err(ScenarioError::value("contender", "at least one"));
        }
        let contenders = contender::in_the_shapes_of(&self.contenders, documents)?;
        Ok(self.with_contenders(contenders))
    }

    /// Writes a scenario with changes to it and with these policies, so that it can be run elsewhere: it gives what
    /// [`Scenario::parse_with`] and [`Scenario::with_policies`] give.
    ///
    /// ```
    /// use refrain_document::ready;
    /// use refrain_simulator::{SCENARIOS, Scenario};
    /// let stripe = ready::find("stripe").map(ready::Ready::document);
    /// let text = Scenario::write(SCENARIOS[0].1, "clients = 500", stripe.as_slice())?;
    /// assert!(text.contains("clients = 500") && Scenario::parse(&text)?.contenders()[0].label() == "stripe");
    /// # Ok::<(), refrain_simulator::ScenarioError>(())
    /// ```
    ///
    /// # Errors
    /// As for those.
    pub fn write(text: &str, changes: &str, policies: &[Document]) -> Result<String, ScenarioError> {
        text::write(text, changes, policies)
    }

    /// The most logical requests that one run can have.
    pub const REQUESTS_MAX: u32 = 50_000_000;

    /// When what goes wrong is over, if anything does for a time.
    pub(crate) fn disturbance(&self) -> Option<Window> {
        let brown_out = self.server.brown_out.map(|brown_out| brown_out.window);
        self.server.outage.map(|outage| outage.window).or(brown_out)
    }
}

/// The scenarios that come with this crate, by name and text.
pub const SCENARIOS: [(&str, &str); 7] = [
    ("outage", include_str!("../scenarios/outage.toml")),
    ("rate-limit", include_str!("../scenarios/rate-limit.toml")),
    ("rate-limit-spread", include_str!("../scenarios/rate-limit-spread.toml")),
    ("brown-out", include_str!("../scenarios/brown-out.toml")),
    ("tiers", include_str!("../scenarios/tiers.toml")),
    ("contention", include_str!("../scenarios/contention.toml")),
    ("cut-draws", include_str!("../scenarios/cut-draws.toml")),
];
