//! Policies as vectors write them: what is left out is [`plain`].

mod hint;
mod spec;

use policy_core::{
    Backoff, BudgetRules, DeadlineScope, FailureKind, FailureSet, HintRules, Jitter, Method, MethodSet, Millis,
    Offline, Policy, Rules, StatusSet, Thousandths, Tokens, slot::Slot,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::hint::{FieldSpec, HintSpec};
use crate::schema::{failure_kinds, methods, one_of};

/// A policy in a vector. Spans are milliseconds; factors, ratios and tokens are thousandths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "named as in `policy_core::Rules`, where each is documented")]
pub struct PolicySpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["waits", "attempts"]))]
    pub deadline_scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt_timeout: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wait: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<Vec<u16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Vec<u16>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("items" = one_of(&failure_kinds())))]
    pub failures: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("items" = one_of(&methods())))]
    pub methods: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("items" = one_of(&methods())))]
    pub keyed_methods: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff: Option<BackoffSpec>,
    /// As `backoff` where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled: Option<BackoffSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<HintSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["await", "connect-failed"]))]
    pub offline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetSpec>,
}

/// A backoff in a vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "named as in `policy_core::Backoff`")]
pub struct BackoffSpec {
    pub base: u64,
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub multiplier: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<u64>,
    #[serde(default, skip_serializing_if = "is_none")]
    pub jitter: JitterSpec,
}

/// A jitter in a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs, reason = "named as in `policy_core::Jitter`")]
pub enum JitterSpec {
    #[default]
    None,
    Full,
    Equal,
    Scaled {
        low: u32,
        high: u32,
    },
    Decorrelated,
}

/// A retry budget in a vector, in thousandths of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "named as in `policy_core::BudgetRules`")]
pub struct BudgetSpec {
    pub capacity: u32,
    pub on_failure: u32,
    pub retry: u32,
    pub throttled: u32,
    pub timed_out: u32,
    pub success: u32,
    pub threshold: u32,
    pub refund: bool,
}

impl PolicySpec {
    /// The policy as it is baked for a run, named `vector` 1.0.0.
    ///
    /// # Errors
    /// What of it is no policy, in words.
    pub fn slot(&self) -> Result<Slot, String> {
        let policy = Policy::new(self.rules()?).map_err(|error| error.to_string())?;
        Slot::new("vector", "1.0.0", policy).map_err(|error| error.to_string())
    }

    fn rules(&self) -> Result<Rules, String> {
        let plain = plain();
        let backoff = self.backoff.as_ref().map_or(plain.transient, BackoffSpec::backoff);
        let methods = |names: &[String]| -> Result<MethodSet, String> {
            let known = |name: &String| match Method::from_name(name) {
                Method::Other => Err(format!("expected the name of a method, found `{name}`")),
                method => Ok(method),
            };
            Ok(MethodSet::of(&names.iter().map(known).collect::<Result<Vec<_>, _>>()?))
        };
        Ok(Rules {
            max_attempts: self.max_attempts.unwrap_or(plain.max_attempts),
            deadline: self.deadline.map(Millis::new),
            deadline_scope: match self.deadline_scope.as_deref() {
                None | Some("waits") => DeadlineScope::Waits,
                Some("attempts") => DeadlineScope::Attempts,
                Some(other) => return Err(format!("expected `waits` or `attempts`, found `{other}`")),
            },
            attempt_timeout: self.attempt_timeout.map(Millis::new),
            max_wait: self.max_wait.map(Millis::new),
            retry: self.retry.as_deref().map_or(plain.retry, StatusSet::of),
            throttle: self.throttle.as_deref().map_or(plain.throttle, StatusSet::of),
            failures: self.failures.as_deref().map_or(Ok(plain.failures), failures)?,
            methods: self.methods.as_deref().map_or(Ok(plain.methods), methods)?,
            keyed_methods: self.keyed_methods.as_deref().map_or(Ok(plain.keyed_methods), methods)?,
            transient: backoff,
            throttled: self.throttled.as_ref().map_or(backoff, BackoffSpec::backoff),
            hint: self.hint.as_ref().map_or(Ok(plain.hint), HintSpec::rules)?,
            offline: match self.offline.as_deref() {
                None | Some("await") => Offline::Await,
                Some("connect-failed") => Offline::CountAsConnectFailed,
                Some(other) => return Err(format!("expected `await` or `connect-failed`, found `{other}`")),
            },
            budget: self.budget.map(BudgetSpec::rules),
        })
    }
}

/// What a vector's policy is where it says nothing: no randomness, no limits but four attempts.
fn plain() -> Rules {
    Rules {
        deadline: None,
        max_wait: None,
        throttle: StatusSet::EMPTY,
        transient: Backoff::doubling(Millis::from_secs(1)),
        throttled: Backoff::doubling(Millis::from_secs(1)),
        hint: HintRules { spread: Thousandths::new(0), ..HintRules::DEFAULT },
        budget: None,
        ..Rules::DEFAULT
    }
}

fn failures(names: &[String]) -> Result<FailureSet, String> {
    let known = |name: &String| {
        let kind = FailureKind::ALL.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| format!("expected a kind of failure, found `{name}`"))
    };
    Ok(FailureSet::of(&names.iter().map(known).collect::<Result<Vec<_>, _>>()?))
}

impl BackoffSpec {
    fn backoff(&self) -> Backoff {
        Backoff {
            base: Millis::new(self.base),
            multiplier: Thousandths::new(self.multiplier),
            cap: self.cap.map_or(Millis::MAX, Millis::new),
            ceiling: self.ceiling.map_or(Millis::MAX, Millis::new),
            jitter: match self.jitter {
                JitterSpec::None => Jitter::None,
                JitterSpec::Full => Jitter::Full,
                JitterSpec::Equal => Jitter::Equal,
                JitterSpec::Scaled { low, high } => {
                    Jitter::Scaled { low: Thousandths::new(low), high: Thousandths::new(high) }
                }
                JitterSpec::Decorrelated => Jitter::Decorrelated,
            },
        }
    }
}

impl BudgetSpec {
    fn rules(self) -> BudgetRules {
        BudgetRules {
            capacity: Tokens::from_thousandths(self.capacity),
            on_failure: Tokens::from_thousandths(self.on_failure),
            retry: Tokens::from_thousandths(self.retry),
            throttled: Tokens::from_thousandths(self.throttled),
            timed_out: Tokens::from_thousandths(self.timed_out),
            success: Tokens::from_thousandths(self.success),
            threshold: Tokens::from_thousandths(self.threshold),
            refund: self.refund,
        }
    }
}

fn two() -> u32 {
    2_000
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_two(multiplier: &u32) -> bool {
    *multiplier == two()
}

fn is_none(jitter: &JitterSpec) -> bool {
    *jitter == JitterSpec::None
}
