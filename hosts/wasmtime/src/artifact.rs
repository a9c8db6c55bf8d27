//! A policy artifact: its bytes, checked without running or compiling anything.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use policy_core::slot::{self, Slot, SlotError};
use refrain::EngineError;
use refrain_document::Digest;
use wasmparser::{Encoding, Parser, Payload};

/// The one export of a policy component.
const EXPORT: &str = "refrain:policy/policy@1.0.0";

/// A policy component with its policy, checked: it imports nothing, exports this version of the interface and nothing
/// else, and has one sound policy slot.
#[derive(Clone)]
pub struct Artifact {
    bytes: Vec<u8>,
    digest: Digest,
    slot: Slot,
}

impl Artifact {
    /// Checks the bytes of an artifact.
    ///
    /// # Errors
    /// The first thing that is not as expected.
    pub fn load(bytes: impl Into<Vec<u8>>) -> Result<Self, ArtifactError> {
        let bytes = bytes.into();
        let digest = Digest::of(&bytes);
        Self::check(bytes, digest)
    }

    /// Checks the bytes of an artifact that is known: bytes with another digest are refused before anything reads them.
    ///
    /// ```
    /// use refrain_wasmtime::{Artifact, ArtifactError, Digest};
    /// let pin: Digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse()?;
    /// let refused = Artifact::load_pinned(*b"another file", pin).unwrap_err();
    /// assert!(matches!(refused, ArtifactError::Digest { expected, .. } if expected == pin));
    /// # Ok::<(), refrain_wasmtime::DigestError>(())
    /// ```
    ///
    /// # Errors
    /// [`ArtifactError::Digest`], else as [`Artifact::load`].
    pub fn load_pinned(bytes: impl Into<Vec<u8>>, expected: Digest) -> Result<Self, ArtifactError> {
        let bytes = bytes.into();
        let found = Digest::of(&bytes);
        if found == expected { Self::check(bytes, found) } else { Err(ArtifactError::Digest { expected, found }) }
    }

    /// Reads a file and checks it as [`Artifact::load`] does.
    ///
    /// # Errors
    /// [`ArtifactError::Read`], else as [`Artifact::load`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ArtifactError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| ArtifactError::Read { path: path.to_owned(), error })?;
        Self::load(bytes)
    }

    /// The file, byte for byte.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// SHA-256 of the file.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Name, version and policy, as they stand in the file.
    #[must_use]
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    fn check(bytes: Vec<u8>, digest: Digest) -> Result<Self, ArtifactError> {
        check_world(&bytes)?;
        let slot = slot::find(&bytes).map_err(ArtifactError::Slot)?;
        Ok(Self { bytes, digest, slot })
    }
}

impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Artifact")
            .field("name", &self.slot.name())
            .field("version", &self.slot.version())
            .field("digest", &format_args!("{}", self.digest))
            .finish_non_exhaustive()
    }
}

/// Reads imports and exports of the outermost component; what stands inside it can only be wired within it.
fn check_world(bytes: &[u8]) -> Result<(), ArtifactError> {
    let (mut depth, mut exports) = (0_usize, Vec::new());
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(malformed)? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => {
                return Err(ArtifactError::NotComponent("a core module".to_owned()));
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(imports) if depth == 0 => {
                if let Some(import) = imports.into_iter().next() {
                    return Err(ArtifactError::Import(import.map_err(malformed)?.name.name.to_owned()));
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    exports.push(export.map_err(malformed)?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    if exports == [EXPORT] { Ok(()) } else { Err(ArtifactError::Exports(exports)) }
}

fn malformed(error: wasmparser::BinaryReaderError) -> ArtifactError {
    ArtifactError::NotComponent(format!("{} at byte {}", error.message(), error.offset()))
}

/// Why an artifact is refused.
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
    /// It is not the file that was pinned.
    Digest {
        /// The pin.
        expected: Digest,
        /// The digest of these bytes.
        found: Digest,
    },
    /// It is not a component; the text says what it is.
    NotComponent(String),
    /// It imports something: the name of its first import.
    Import(String),
    /// It does not export this version of the interface, or something else too: the names of all its exports.
    Exports(Vec<String>),
    /// It has no slot, several, or a damaged one.
    Slot(SlotError),
    /// It cannot be compiled, or its functions have other types.
    Compile(String),
    /// It does not run.
    Engine(EngineError),
    /// It says of itself something else than its slot: the name of what differs.
    Description(&'static str),
}

impl fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, error } => write!(f, "cannot read the artifact `{}`: {error}", path.display()),
            Self::Digest { expected, found } => {
                write!(f, "expected an artifact with the SHA-256 `{expected}`, found `{found}`")
            }
            Self::NotComponent(found) => write!(f, "expected a component, found {found}"),
            Self::Import(name) => write!(f, "expected a component without imports, found the import `{name}`"),
            Self::Exports(names) if names.is_empty() => write!(f, "expected the export `{EXPORT}`, found none"),
            Self::Exports(names) => {
                write!(f, "expected the export `{EXPORT}` and no other, found `{}`", names.join("`, `"))
            }
            Self::Slot(error) => error.fmt(f),
            Self::Compile(why) => write!(f, "expected a component of the world `refrain:policy/refrain`: {why}"),
            Self::Engine(error) => error.fmt(f),
            Self::Description(what) => write!(f, "expected `describe` to agree with the slot, found another {what}"),
        }
    }
}

impl std::error::Error for ArtifactError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { error, .. } => Some(error),
            Self::Slot(error) => Some(error),
            Self::Engine(error) => Some(error),
            _ => None,
        }
    }
}
