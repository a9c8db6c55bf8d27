//! Retry policies as documents, and the artifacts that they are baked into.
#![forbid(unsafe_code)]

pub mod artifact;
mod check;
pub mod decimal;
pub mod diff;
mod digest;
mod document;
mod draft;
pub mod duration;
pub mod explain;
mod format;
mod host;
pub mod lock;
mod problem;
pub mod ready;
mod render;
pub mod schema;
mod shape;
mod suggest;
mod table;
mod tree;
mod value;
pub mod visible;

pub use artifact::{Artifact, ArtifactError};
pub use digest::{Digest, DigestError};
pub use document::{DOCUMENT_MAX, Document, read};
pub use format::Format;
pub use host::{HostSettings, KeyField};
pub use lock::{Lock, NotLocked};
pub use policy_core::{BudgetScope, KeyForm};
pub use problem::{Place, Position, Problem, Problems, Severity};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
