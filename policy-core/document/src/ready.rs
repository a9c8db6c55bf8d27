//! Ready-made policies.

use crate::{document::Document, format::Format};

/// A ready-made policy.
///
/// ```
/// use refrain_document::ready;
/// let stripe = ready::find("stripe").unwrap();
/// assert!(stripe.toml.contains("key_field = \"Idempotency-Key\""));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ready {
    /// Its name, as in its document.
    pub name: &'static str,
    /// Its document.
    pub toml: &'static str,
}

macro_rules! ready {
    ($($name:literal),* $(,)?) => {
        [$(Ready { name: $name, toml: include_str!(concat!("../policies/", $name, ".toml")) }),*]
    };
}

/// The most general first, then those after a model.
const ALL: &[Ready] = &ready![
    "polite-default",
    "browser-interactive",
    "background-sync",
    "api-client",
    "read-only-strict",
    "aws-standard-2-0",
    "aws-standard-2-1",
    "envoy-rate-limited",
    "grpc-a6",
    "openai-anthropic",
    "stripe",
];

/// The names of all ready-made policies.
///
/// ```
/// use refrain_document::ready;
/// assert!(ready::names().any(|name| name == "grpc-a6"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|ready| ready.name)
}

/// The ready-made policy of this name.
///
/// ```
/// use refrain_document::ready;
/// assert!(ready::names().all(|name| ready::find(name).unwrap().document().name() == name));
/// assert_eq!(ready::find("polite"), None);
/// ```
#[must_use]
pub fn find(name: &str) -> Option<&'static Ready> {
    ALL.iter().find(|ready| ready.name == name)
}

impl Ready {
    /// Its document, read and checked.
    #[must_use]
    pub fn document(&self) -> Document {
        Document::parse(self.toml, Format::Toml).expect("every ready-made policy is tested")
    }
}
