//! How long to wait when the server does not say.

use policy_core::{Millis, Rules};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Spelling, defaults,
    scalar::{self, Limit, Number, Span, word, words},
};
use crate::draft::backoff::{JITTERS, limited};

/// How long to wait when the server does not say: min(cap, base × multiplier^i) before retry i, from 0; then jitter; then
/// the ceiling. These keys hold for every class of results; the tables `transient` and `throttled` hold for one.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Backoff {
    /// The bound of the first retry. Left out, it is 500 ms, and 1 s for throttled results, or as much as a cap or a
    /// ceiling leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Span")]
    base: Option<Span>,
    /// What each further retry multiplies the bound by: 1, or 1.1 to 100, at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "scalar::multiplier")]
    multiplier: Option<Number>,
    /// Limits the bound, before jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    cap: Option<Limit>,
    /// Limits what was drawn, after jitter; for jitters that pass the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    ceiling: Option<Limit>,
    /// What is random about it: "full" is anything from 0 to the bound, "equal" from half of it, "decorrelated" from the
    /// base to three times the last wait; { low, high } is from `low` times to `high` times the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Jitter")]
    jitter: Option<Jitter>,
    /// After a fault that passes, such as 503 or a lost connection; what is left out is as for every class.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Class")]
    transient: Option<Class>,
    /// After a status of `retry.throttled`; what is left out is as for every class.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Class")]
    throttled: Option<Class>,
}

/// The backoff of one class of results.
#[derive(Default, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Class {
    /// The bound of the first retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Span")]
    base: Option<Span>,
    /// What each further retry multiplies the bound by.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "scalar::multiplier")]
    multiplier: Option<Number>,
    /// Limits the bound, before jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    cap: Option<Limit>,
    /// Limits what was drawn, after jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    ceiling: Option<Limit>,
    /// What is random about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Jitter")]
    jitter: Option<Jitter>,
}

/// What is random about a backoff.
#[derive(PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Jitter {
    Word(#[schemars(extend("enum" = words(&JITTERS)))] &'static str),
    Scaled(Scaled),
}

/// From `low` times to `high` times the bound.
#[derive(PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Scaled {
    /// The lower factor, with at most three decimals.
    #[schemars(range(min = 0, max = 100))]
    low: Number,
    /// The upper factor, with at most three decimals.
    #[schemars(range(min = 0, max = 100))]
    high: Number,
}

impl Backoff {
    /// What is said of the transient class holds for every class; the other one is written whole, or for people as far
    /// as it differs.
    pub(super) fn of(rules: &Rules, spelling: Spelling) -> Self {
        let Class { base, multiplier, cap, ceiling, jitter } = Class::of(&rules.transient, spelling);
        let throttled = Class::of(&rules.throttled, spelling);
        let common = Class::of(&rules.transient, spelling);
        let throttled = match spelling {
            Spelling::Canonical => throttled,
            Spelling::People => throttled.without(&common),
        };
        let throttled = Some(throttled).filter(|class| *class != Class::default());
        Self { base, multiplier, cap, ceiling, jitter, transient: None, throttled }
    }
}

impl Class {
    pub(super) fn of(backoff: &policy_core::Backoff, spelling: Spelling) -> Self {
        let limit = |span: Millis| Some(Limit::new(limited(span), spelling));
        Self {
            base: Some(Span::new(backoff.base, spelling)),
            multiplier: Some(backoff.multiplier.into()),
            cap: limit(backoff.cap),
            ceiling: limit(backoff.ceiling),
            jitter: Some(Jitter::of(backoff.jitter)),
        }
    }

    fn without(self, common: &Self) -> Self {
        fn differing<T: PartialEq>(own: Option<T>, common: &Option<T>) -> Option<T> {
            if own == *common { None } else { own }
        }
        Self {
            base: differing(self.base, &common.base),
            multiplier: differing(self.multiplier, &common.multiplier),
            cap: differing(self.cap, &common.cap),
            ceiling: differing(self.ceiling, &common.ceiling),
            jitter: differing(self.jitter, &common.jitter),
        }
    }
}

impl Jitter {
    pub(super) fn of(jitter: policy_core::Jitter) -> Self {
        match jitter {
            policy_core::Jitter::Scaled { low, high } => Self::Scaled(Scaled { low: low.into(), high: high.into() }),
            plain => Self::Word(word(&JITTERS, plain)),
        }
    }
}

impl Default for Backoff {
    fn default() -> Self {
        defaults().backoff
    }
}
