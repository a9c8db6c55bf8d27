//! Why an artifact is refused.

use std::{fmt, io, path::PathBuf};

use policy_core::slot::SlotError;

use super::{ARTIFACT_MAX, INTERFACE, SectionError};
use crate::{Digest, NotLocked};

/// Why an artifact is refused.
///
/// ```
/// use refrain_document::{Artifact, ArtifactError};
/// let core_module = *b"\0asm\x01\0\0\0";
/// assert!(matches!(Artifact::load(core_module), Err(ArtifactError::NotComponent(what)) if what == "a core module"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ArtifactError {
    /// The file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// It has more than [`ARTIFACT_MAX`] bytes.
    TooLong,
    /// It is not the file that was pinned.
    Digest {
        /// The pin.
        expected: Digest,
        /// The digest of these bytes.
        found: Digest,
    },
    /// The lock file does not list it.
    NotLocked(NotLocked),
    /// It is not a component; the text says what it is.
    NotComponent(String),
    /// It imports something: the name of its first import.
    Import(String),
    /// It does not export this version of the interface, or something else too: the names of all its exports.
    Exports(Vec<String>),
    /// It does not hold exactly one core module: how many it holds.
    CoreModules(usize),
    /// Its core module by itself is not valid; the text says why.
    InvalidCore(String),
    /// It has no slot, several, or a damaged one.
    Slot(SlotError),
    /// Its section `refrain` is not as it is written here.
    Section(SectionError),
    /// The document in its section does not compile to its slot: what differs.
    Disagrees(&'static str),
    /// Its policy is not that of a template, and no section says what it was compiled from.
    NoDocument,
}

impl fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, error } => write!(f, "cannot read the artifact `{}`: {error}", path.display()),
            Self::TooLong => write!(f, "expected an artifact of at most {ARTIFACT_MAX} bytes"),
            Self::Digest { expected, found } => {
                write!(f, "expected an artifact with the SHA-256 `{expected}`, found `{found}`")
            }
            Self::NotLocked(error) => error.fmt(f),
            Self::NotComponent(found) => write!(f, "expected a component, found {found}"),
            Self::Import(name) => write!(f, "expected a component without imports, found the import `{name}`"),
            Self::Exports(names) if names.is_empty() => write!(f, "expected the export `{INTERFACE}`, found none"),
            Self::Exports(names) => {
                write!(f, "expected the export `{INTERFACE}` and no other, found `{}`", names.join("`, `"))
            }
            Self::CoreModules(count) => write!(f, "expected one core module in the component, found {count}"),
            Self::InvalidCore(why) => write!(f, "expected a valid core module: {why}"),
            Self::Slot(error) => error.fmt(f),
            Self::Section(error) => error.fmt(f),
            Self::Disagrees(what) => {
                write!(f, "expected the document in the section `refrain` to be that of the slot, found another {what}")
            }
            Self::NoDocument => f.write_str(
                "expected a section `refrain` with the document of the policy in the slot, found none; only the default \
                 policy of a template has no document",
            ),
        }
    }
}

impl std::error::Error for ArtifactError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { error, .. } => Some(error),
            Self::NotLocked(error) => Some(error),
            Self::Slot(error) => Some(error),
            Self::Section(error) => Some(error),
            _ => None,
        }
    }
}
