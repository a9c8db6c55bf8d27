//! The vectors, for programs that run where their files are not.

use crate::vector::{Vector, VectorFile};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../vectors/", $name)))),*]
    };
}

/// Name and text of each file of vectors.
pub const FILES: &[(&str, &str)] = &files![
    "backoff.json",
    "budget.json",
    "cancel-and-session.json",
    "deadline.json",
    "execution.json",
    "fields.json",
    "gate.json",
    "hints.json",
    "imported-dates.json",
    "imported-hints.json",
    "imported-retry_after.json",
    "imported-scenarios.json",
    "imported-vectors.json",
    "invalid.json",
    "network.json",
    "parser.json",
    "ready-made.json",
    "sources.json",
    "statuses.json",
];

/// All vectors.
///
/// # Panics
/// Never: the linter reads every file.
#[must_use]
pub fn vectors() -> Vec<Vector> {
    let read = |(name, text): &(&str, &str)| -> Vec<Vector> {
        let file: VectorFile =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("`{name}` is no file of vectors: {error}"));
        file.vectors
    };
    FILES.iter().flat_map(read).collect()
}
