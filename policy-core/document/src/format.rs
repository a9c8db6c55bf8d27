//! The two ways to write a document.

use std::path::Path;

/// How a document is written.
///
/// ```
/// use refrain_document::{Document, Format};
/// let toml = Document::parse("schema = 1\nname = \"a\"\nversion = \"1.0.0\"", Format::Toml);
/// let json = Document::parse(r#"{"schema": 1, "name": "a", "version": "1.0.0"}"#, Format::Json);
/// assert_eq!(toml, json);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// TOML, for people.
    Toml,
    /// JSON (RFC 8259: no comments, no trailing commas), for programs.
    Json,
}

impl Format {
    /// The format that a file's name says, by its ending; `None` for any other.
    ///
    /// ```
    /// use refrain_document::Format;
    /// assert_eq!(Format::of_path("policies/polite.toml"), Some(Format::Toml));
    /// assert_eq!(Format::of_path("polite.JSON"), Some(Format::Json));
    /// assert_eq!(Format::of_path("polite.wasm"), None);
    /// ```
    #[must_use]
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let ending = path.as_ref().extension()?.to_str()?;
        match () {
            () if ending.eq_ignore_ascii_case("toml") => Some(Self::Toml),
            () if ending.eq_ignore_ascii_case("json") => Some(Self::Json),
            () => None,
        }
    }
}
