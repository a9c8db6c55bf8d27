//! Retry policies as documents, and the artifacts that they are baked into.
