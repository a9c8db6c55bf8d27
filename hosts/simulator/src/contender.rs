//! One of the policies that are compared, or one for each tier.

use std::{collections::BTreeMap, fmt};

use policy_core::{Backoff, Bound, Jitter, Limits, Millis, Policy};
use refrain_document::{Document, Format, ready};
use serde::{Deserialize, Serialize};

use crate::scenario::ScenarioError;

/// What a fleet runs: a policy, or several on top of one another.
#[derive(Clone, Debug)]
pub struct Contender {
    pub(crate) label: String,
    /// From the outermost.
    pub(crate) tiers: Vec<Tier>,
    pub(crate) nesting: Nesting,
    /// Cuts the previous draw of a decorrelated jitter at its ceiling, as Amazon's simulator does.
    pub(crate) cut_draw: Option<Millis>,
}

/// One layer that retries.
#[derive(Clone, Debug)]
pub(crate) struct Tier {
    pub(crate) policy: Policy,
    /// Where the policy asks for these fields, if it does.
    pub(crate) retry_after: Option<u8>,
    pub(crate) date: Option<u8>,
    /// What a request of this tier may be told by the tiers above.
    pub(crate) limits: Limits,
    /// The longest backoff that the policy draws.
    pub(crate) longest: Millis,
}

/// Whether tiers know of one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Nesting {
    /// They share one count of sends, and what one gave up on no other begins again, as the layers of one process do.
    #[default]
    Counted,
    /// Each retries for itself.
    Ignored,
}

impl fmt::Display for Nesting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Counted => "counted",
            Self::Ignored => "ignored",
        })
    }
}

impl Contender {
    /// The most tiers there can be.
    pub const TIERS_MAX: usize = 8;

    /// Policies on top of one another, the outermost first; `label` names them in results.
    ///
    /// # Errors
    /// No policy, or more than [`Contender::TIERS_MAX`].
    pub fn new(label: impl Into<String>, policies: Vec<Policy>, nesting: Nesting) -> Result<Self, ScenarioError> {
        let label = label.into();
        if policies.is_empty() || policies.len() > Self::TIERS_MAX {
            return Err(ScenarioError::value("tiers", format!("from 1 to {} policies", Self::TIERS_MAX)));
        }
        let mut max_attempts = None;
        let mut tier = |policy: Policy| {
            let tier = Tier::new(policy, Limits { max_attempts, ..Limits::NONE });
            if nesting == Nesting::Counted {
                let ours = policy.rules().max_attempts;
                max_attempts = Some(max_attempts.map_or(ours, |above: u32| above.min(ours)));
            }
            tier
        };
        let tiers = policies.into_iter().map(&mut tier).collect();
        Ok(Self { label, tiers, nesting, cut_draw: None })
    }

    /// The name in results.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// How many layers retry.
    #[must_use]
    pub fn tiers(&self) -> usize {
        self.tiers.len()
    }

    /// Whether the layers know of one another.
    #[must_use]
    pub const fn nesting(&self) -> Nesting {
        self.nesting
    }

    /// Amazon's simulator cuts a decorrelated draw at the cap *after* it was drawn, and draws the next from what is left. Here
    /// such a policy has no cap and a ceiling, and its previous draw is cut between two calls into the core.
    pub(crate) fn cut_previous_draw(self) -> Result<Self, ScenarioError> {
        let decorrelated = |backoff: &Backoff| backoff.jitter == Jitter::Decorrelated && backoff.ceiling != Millis::MAX;
        let ceiling = match self.tiers.as_slice() {
            [tier] => Some(tier.policy.rules().transient).filter(decorrelated).map(|backoff| backoff.ceiling),
            _ => None,
        };
        let expected = "one decorrelated policy with a ceiling where a previous draw is cut";
        let ceiling = ceiling.ok_or_else(|| ScenarioError::value("previous_draw_is_cut", expected))?;
        Ok(Self { cut_draw: Some(ceiling), ..self })
    }
}

impl Tier {
    fn new(policy: Policy, limits: Limits) -> Self {
        let place = |wanted: &str| policy.fields().position(|name| name == wanted).and_then(|at| u8::try_from(at).ok());
        let Backoff { cap, ceiling, .. } = policy.rules().transient;
        Self { retry_after: place("retry-after"), date: place("date"), policy, limits, longest: cap.min(ceiling) }
    }

    /// Whether a wait is the longest that the policy draws.
    pub(crate) fn is_longest(&self, bound: Bound, delay: Millis) -> bool {
        bound == Bound::Backoff && delay == self.longest
    }
}

/// Each policy in each arrangement of tiers that there is among `contenders`.
pub(crate) fn in_the_shapes_of(
    contenders: &[Contender],
    documents: &[Document],
) -> Result<Vec<Contender>, ScenarioError> {
    let mut shapes = Vec::new();
    for contender in contenders {
        let shape = (contender.tiers(), contender.nesting());
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    let each = documents.iter().flat_map(|document| shapes.iter().map(move |shape| (document, *shape)));
    let contender = |(document, (tiers, nesting)): (&Document, _)| {
        let label = match tiers {
            1 => document.name().to_owned(),
            _ => format!("{}, {tiers} tiers, nesting {nesting}", document.name()),
        };
        Contender::new(label, vec![*document.policy(); tiers], nesting)
    };
    each.map(contender).collect()
}

/// The policy of this name: one that the scenario brings, or a ready-made one.
pub(crate) fn policy(name: &str, written: &BTreeMap<String, toml::Table>) -> Result<Policy, ScenarioError> {
    let problem = |problem: String| ScenarioError::Policy { name: name.to_owned(), problem };
    let document = match written.get(name) {
        Some(table) => {
            let text = toml::to_string(table).map_err(|error| problem(error.to_string()))?;
            Document::parse(&text, Format::Toml)
                .map_err(|problems| problem(problems.in_file(format!("policies.{name}")).render(false)))?
        }
        None => ready::find(name).map(ready::Ready::document).ok_or_else(|| {
            let names = ready::names().collect::<Vec<_>>().join(", ");
            problem(format!("expected a table `policies.{name}` or a ready-made policy ({names})"))
        })?,
    };
    Ok(*document.policy())
}
