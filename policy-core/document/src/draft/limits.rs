//! How often, how long.

use policy_core::{DeadlineScope, Millis, Rules};

use crate::{
    table::{At, Table},
    value::{integer, limit, word},
};

/// Most attempts that a document may ask for: one logical request that is sent more often is a loop.
pub(crate) const ATTEMPTS_MAX: u32 = 10_000;

/// What the deadline bounds, by its word.
pub(crate) const DEADLINE_BOUNDS: [(&str, DeadlineScope); 2] =
    [("waits", DeadlineScope::Waits), ("attempts", DeadlineScope::Attempts)];

pub(crate) struct Limits {
    pub(crate) max_attempts: At<u32>,
    pub(crate) deadline: At<Option<Millis>>,
    pub(crate) deadline_bounds: At<DeadlineScope>,
    pub(crate) attempt_timeout: At<Option<Millis>>,
    pub(crate) max_wait: At<Option<Millis>>,
}

impl Limits {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let rules = Rules::DEFAULT;
        let deadline = table.get_or("deadline", rules.deadline, limit);
        // A default gives way to what is written.
        let max_wait = rules.max_wait.map(|wait| deadline.value.map_or(wait, |deadline| wait.min(deadline)));
        Self {
            max_attempts: table.get_or("max_attempts", rules.max_attempts, |node| integer(node, 1..=ATTEMPTS_MAX)),
            deadline_bounds: table.get_or("deadline_bounds", rules.deadline_scope, |node| word(node, &DEADLINE_BOUNDS)),
            attempt_timeout: table.get_or("attempt_timeout", rules.attempt_timeout, limit),
            max_wait: table.get_or("max_wait", max_wait, limit),
            deadline,
        }
    }
}
