//! All that is said of a document, for programs.

use serde::Serialize;

use super::{WorstCase, sentences, table};
use crate::Document;

/// A document explained. Serialised, it is the JSON that `refrain explain --json` writes. Spans are milliseconds; `null`
/// stands for no limit.
///
/// ```
/// use refrain_document::{explain::Explanation, ready};
/// let stripe = Explanation::of(&ready::find("stripe").unwrap().document());
/// assert_eq!((stripe.name.as_str(), stripe.worst_case.sends), ("stripe", 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// Name of the policy.
    pub name: String,
    /// Version of the policy.
    pub version: String,
    /// What it is for; may be empty.
    pub description: String,
    /// What a caller experiences, one thought each.
    pub sentences: Vec<String>,
    /// The longest waits.
    pub worst_case: WorstCase,
}

impl Explanation {
    /// Explains a document.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        Self {
            name: document.name().to_owned(),
            version: document.version().to_string(),
            description: document.description().to_owned(),
            sentences: sentences(document),
            worst_case: table(document),
        }
    }
}
