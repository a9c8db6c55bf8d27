//! The retry budget that requests share.

use policy_core::{BudgetRules, BudgetScope};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    defaults,
    scalar::{Number, word, words},
};
use crate::draft::budget::SCOPES;

/// Tokens that requests share, so that retries stay a small share of all traffic. At most three decimals.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Budget {
    /// The most there can be, and what a new budget begins with.
    #[schemars(range(min = 0, max = 1000000))]
    capacity: Number,
    /// What every retryable result takes, whether or not a retry follows.
    #[schemars(range(min = 0, max = 1000000))]
    on_failure: Number,
    /// What a retry takes.
    #[schemars(range(min = 0, max = 1000000))]
    retry: Number,
    /// What a retry after a throttling status takes.
    #[schemars(range(min = 0, max = 1000000))]
    throttled: Number,
    /// What a retry after a time-out takes.
    #[schemars(range(min = 0, max = 1000000))]
    timed_out: Number,
    /// What a success gives back if no retry of its request was paid for, or if there is no refund.
    #[schemars(range(min = 0, max = 1000000))]
    success: Number,
    /// A retry needs more than this.
    #[schemars(range(min = 0, max = 1000000))]
    threshold: Number,
    /// A success gives back what the last retry of its request took.
    refund: bool,
    /// Who shares the tokens: all requests under this policy, all to one host, or all for which the caller names one key.
    #[schemars(extend("enum" = words(&SCOPES)))]
    per: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema is used; the two are written at different places of a TOML document")]
pub(super) enum BudgetOrNone {
    /// Every retry is free.
    None(#[schemars(extend("const" = "none"))] &'static str),
    Budget(Budget),
}

impl Budget {
    pub(super) fn of(budget: &BudgetRules, per: BudgetScope) -> Self {
        Self {
            capacity: budget.capacity.into(),
            on_failure: budget.on_failure.into(),
            retry: budget.retry.into(),
            throttled: budget.throttled.into(),
            timed_out: budget.timed_out.into(),
            success: budget.success.into(),
            threshold: budget.threshold.into(),
            refund: budget.refund,
            per: word(&SCOPES, per),
        }
    }
}

impl Default for Budget {
    fn default() -> Self {
        defaults().budget.expect("the default policy has a budget")
    }
}
