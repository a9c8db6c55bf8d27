//! Makes artifacts.

use std::fmt;

use policy_core::slot;

use super::{Artifact, ArtifactError, Contents, Section, SectionError};
use crate::{Digest, Document};

/// Bakes the policy of `document` into a copy of `template`: a template, or an artifact, whose policy it replaces.
///
/// The same document and template give the same bytes everywhere. Nothing but slot and section differs from the template.
///
/// ```
/// use refrain_document::{Artifact, Document, artifact};
///
/// fn made(template: &str, document: &Document) -> Result<Artifact, Box<dyn std::error::Error>> {
///     let bytes = artifact::pin(&artifact::read(template)?, document)?;
///     Ok(Artifact::load(bytes)?)
/// }
/// ```
///
/// # Errors
/// [`PinError`].
pub fn pin(template: &[u8], document: &Document) -> Result<Vec<u8>, PinError> {
    let suite = Artifact::load(template).map_err(PinError::Template)?.section().map(Section::suite);
    let section = Section::new(Some(document.clone()), suite.ok_or(PinError::NoSection)?);
    let section = section.encode().map_err(PinError::Section)?;
    let mut bytes = Contents::read(template).map_err(PinError::Template)?.without_section().to_vec();
    slot::bake(&mut bytes, &document.slot()).map_err(|error| PinError::Template(ArtifactError::Slot(error)))?;
    bytes.extend(section);
    Ok(bytes)
}

/// Makes a template of a component: one whose section says which conformance suite it was built beside, and has no
/// document.
///
/// ```
/// use refrain_document::{Digest, artifact::{self, PinError}};
/// let suite = Digest::of(b"the vectors");
/// assert!(matches!(artifact::template(b"no component", suite), Err(PinError::Template(_))));
/// ```
///
/// # Errors
/// [`PinError::Template`].
pub fn template(component: &[u8], suite: Digest) -> Result<Vec<u8>, PinError> {
    let section = Section::new(None, suite).encode().map_err(PinError::Section)?;
    let contents = Contents::read(component).map_err(PinError::Template)?;
    contents.section().map_err(PinError::Template)?;
    Ok([contents.without_section(), &section].concat())
}

/// Why no artifact is made.
///
/// ```
/// use refrain_document::{ArtifactError, artifact::{self, PinError}, ready};
/// let document = ready::find("stripe").unwrap().document();
/// let refused = artifact::pin(b"", &document).unwrap_err();
/// assert!(matches!(refused, PinError::Template(ArtifactError::NotComponent(_))));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum PinError {
    /// What is to be the template is none.
    Template(ArtifactError),
    /// The template has no section that could be replaced.
    NoSection,
    /// The document is too long for the section.
    Section(SectionError),
}

impl fmt::Display for PinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template(error) => write!(f, "the template is refused: {error}"),
            Self::NoSection => f.write_str(
                "expected a template with a section `refrain`, as `cargo xtask guest` builds it, found none",
            ),
            Self::Section(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PinError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Template(error) => Some(error),
            Self::Section(error) => Some(error),
            Self::NoSection => None,
        }
    }
}
