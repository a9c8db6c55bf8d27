//! How vector files are laid out: one line for each vector, so that a change to one reads as one.

use serde::Serialize;

use crate::vector::{Skip, VectorFile};

/// The text of a vector file.
#[must_use]
pub fn vector_file(file: &VectorFile) -> String {
    let about = serde_json::Value::from(file.about.as_str());
    lines(&format!("{{\"about\": {about}, \"vectors\": ["), &file.vectors, "]}\n")
}

/// The text of the skip file.
#[must_use]
pub fn skip_file(skips: &[Skip]) -> String {
    lines("[", skips, "]\n")
}

fn lines<T: Serialize>(opening: &str, all: &[T], closing: &str) -> String {
    // Nothing here has keys that are no strings, the one thing that JSON cannot express.
    let line = |one| serde_json::to_string(one).unwrap_or_default();
    let all: Vec<String> = all.iter().map(line).collect();
    format!("{opening}\n{}\n{closing}", all.join(",\n"))
}
