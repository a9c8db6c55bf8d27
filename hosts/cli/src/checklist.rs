//! Checks, each with the facts that it looks at.

use serde::Serialize;

use crate::{
    report::indented,
    style::{BAD, BOLD, DIM, GOOD, paint},
};

/// One check.
#[derive(Serialize)]
pub(crate) struct Check {
    pub(crate) check: &'static str,
    /// Absent if it was not asked.
    pub(crate) passed: Option<bool>,
    pub(crate) facts: String,
}

impl Check {
    /// A check that passed with these facts, or failed for this reason.
    pub(crate) fn of(check: &'static str, result: Result<String, impl ToString>) -> Self {
        match result {
            Ok(facts) => Self { check, passed: Some(true), facts },
            Err(error) => Self { check, passed: Some(false), facts: error.to_string() },
        }
    }

    /// A check that was not asked.
    pub(crate) fn not_asked(check: &'static str) -> Self {
        Self { check, passed: None, facts: String::new() }
    }

    /// A line for people.
    pub(crate) fn text(&self) -> String {
        let line = format!("{:<24} {}", self.check, indented(&self.facts));
        match self.passed {
            Some(true) => format!("  {} {line}", paint(GOOD, "✓")),
            Some(false) => format!("  {} {}", paint(BAD, "✗"), paint(BOLD, line)),
            None => format!("  {}", paint(DIM, format_args!("· {:<24} not asked", self.check))),
        }
    }
}
