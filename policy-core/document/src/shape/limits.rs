//! How often, how long.

use policy_core::Rules;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Spelling, defaults,
    scalar::{Limit, word, words},
};
use crate::draft::limits::DEADLINE_BOUNDS;

/// How often, how long.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Limits {
    /// All sends of one logical request, the first included: three retries are 4.
    #[schemars(range(min = 1, max = 10000))]
    max_attempts: u32,
    /// Time over all attempts, from the start.
    deadline: Limit,
    /// What the deadline bounds: "waits" begins no wait that would reach it; "attempts" also gives each attempt no more
    /// than the time that is left.
    #[schemars(extend("enum" = words(&DEADLINE_BOUNDS)))]
    deadline_bounds: &'static str,
    /// Length of one attempt, up to the head of the response.
    attempt_timeout: Limit,
    /// Longest wait in one process. What asks for more is deferred: handed back with the whole wait, never shortened.
    /// Left out, it is 60 s, or the deadline if that is shorter.
    max_wait: Limit,
}

impl Limits {
    pub(super) fn of(rules: &Rules, spelling: Spelling) -> Self {
        Self {
            max_attempts: rules.max_attempts,
            deadline: Limit::new(rules.deadline, spelling),
            deadline_bounds: word(&DEADLINE_BOUNDS, rules.deadline_scope),
            attempt_timeout: Limit::new(rules.attempt_timeout, spelling),
            max_wait: Limit::new(rules.max_wait, spelling),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        defaults().limits
    }
}
