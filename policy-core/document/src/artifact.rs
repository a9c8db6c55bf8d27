//! Artifacts: the policy component with a policy baked into it.
//!
//! An artifact is the template that `cargo xtask guest` builds, with two edits and nothing re-encoded: the policy's
//! bytes in their slot ([`policy_core::slot`]), and one custom section `refrain` at the end, which says in compact JSON
//! what the policy was compiled from:
//!
//! ```json
//! {"document":{…},"suite":"<SHA-256 of the conformance suite>","wit":"refrain:policy@1.0.0"}
//! ```
//!
//! The core module stands in the component byte for byte, so the same edit makes both, and pinning the same document to
//! the same template gives the same bytes on every machine. An artifact is identified by its name, its version and the
//! SHA-256 of the file and of the core module. Nothing can change its policy while it runs: it exports no function that
//! would.
//!
//! [`pin`] makes one, [`Artifact`] is one that passed every check that needs no execution, and [`Contents`] reads what is
//! there without judging it, for tools that show and explain.

mod contents;
mod error;
mod pin;
mod section;

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    ops::Range,
    path::Path,
};

use policy_core::{
    Policy, Rules,
    slot::{Slot, SlotError},
};

pub use self::{
    contents::Contents,
    error::ArtifactError,
    pin::{PinError, pin, template},
    section::{SECTION_MAX, Section, SectionError},
};
use crate::{Digest, Document, Lock};

/// The package of the interface that is known here, as a section names it.
pub const WIT: &str = "refrain:policy@1.0.0";

/// The world of a policy component: it exports [`INTERFACE`] and nothing else, and imports nothing.
pub const WORLD: &str = "refrain:policy/refrain@1.0.0";

/// The one export of a policy component.
pub const INTERFACE: &str = "refrain:policy/policy@1.0.0";

/// The name of the policy in a template.
const DEFAULT_NAME: &str = "refrain-default";

/// Most bytes of an artifact; some fifty times what one has.
pub const ARTIFACT_MAX: usize = 1024 * 1024;

/// A policy component with its policy, checked without running or compiling anything: it imports nothing, exports this
/// version of the interface and nothing else, holds one core module with one sound policy slot, and if its section has a
/// document, that compiles to what stands in the slot. Without a document, its policy may be any: hosts bake slots of
/// their own. [`Contents::documented_section`] asks for more.
///
/// Whether it must be a certain file is said by who loads it, never by the file: [`load_pinned`](Self::load_pinned) and
/// [`load_locked`](Self::load_locked) compare the digest before anything reads the bytes.
///
/// ```no_run
/// use refrain_document::{Artifact, Lock};
/// let lock = Lock::read("refrain.lock")?;
/// let artifact = Artifact::load_locked(std::fs::read("api-client.wasm")?, &lock)?;
/// println!("{} {}, SHA-256 {}", artifact.slot().name(), artifact.slot().version(), artifact.digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Artifact {
    bytes: Vec<u8>,
    digest: Digest,
    core: Range<usize>,
    slot: Slot,
    section: Option<Section>,
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
    /// use refrain_document::{Artifact, ArtifactError, Digest};
    /// let pin: Digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse()?;
    /// let refused = Artifact::load_pinned(*b"another file", pin).unwrap_err();
    /// assert!(matches!(refused, ArtifactError::Digest { expected, .. } if expected == pin));
    /// # Ok::<(), refrain_document::DigestError>(())
    /// ```
    ///
    /// # Errors
    /// [`ArtifactError::Digest`], else as [`Artifact::load`].
    pub fn load_pinned(bytes: impl Into<Vec<u8>>, expected: Digest) -> Result<Self, ArtifactError> {
        let bytes = bytes.into();
        let found = Digest::of(&bytes);
        if found == expected { Self::check(bytes, found) } else { Err(ArtifactError::Digest { expected, found }) }
    }

    /// Checks the bytes of an artifact that a lock file lists: bytes with a digest that it does not have are refused
    /// before anything reads them. An artifact that calls itself otherwise than the lock file does is refused too, and one
    /// with another core module.
    ///
    /// # Errors
    /// [`ArtifactError::NotLocked`], else as [`Artifact::load`].
    pub fn load_locked(bytes: impl Into<Vec<u8>>, lock: &Lock) -> Result<Self, ArtifactError> {
        let bytes = bytes.into();
        let digest = Digest::of(&bytes);
        lock.find(digest).map_err(ArtifactError::NotLocked)?;
        let artifact = Self::check(bytes, digest)?;
        lock.lists(&artifact).map_err(ArtifactError::NotLocked)?;
        Ok(artifact)
    }

    /// Reads a file and checks it as [`Artifact::load`] does.
    ///
    /// # Errors
    /// [`ArtifactError::Read`] or [`ArtifactError::TooLong`], else as [`Artifact::load`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ArtifactError> {
        Self::load(read(path)?)
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

    /// The core module, which stands in the file byte for byte and has the policy too: for hosts without components.
    #[must_use]
    pub fn core_module(&self) -> &[u8] {
        self.bytes.get(self.core.clone()).unwrap_or_default()
    }

    /// SHA-256 of the core module: the same in every host, whatever it wraps the module in.
    #[must_use]
    pub fn core_digest(&self) -> Digest {
        Digest::of(self.core_module())
    }

    /// Name, version and policy, as they stand in the file.
    #[must_use]
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// What the policy was compiled from; absent from a component that has no section.
    #[must_use]
    pub fn section(&self) -> Option<&Section> {
        self.section.as_ref()
    }

    /// The document of the section; absent from a template, whose policy is a default.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        self.section.as_ref()?.document()
    }

    fn check(bytes: Vec<u8>, digest: Digest) -> Result<Self, ArtifactError> {
        let contents = Contents::read(&bytes)?;
        contents.imports_nothing()?;
        contents.exports_the_interface()?;
        let slot = contents.slot()?;
        let section = contents.agreeing_section(&slot)?;
        let core = contents.core()?;
        Ok(Self { bytes, digest, core, slot, section })
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

/// The policy of a template of this version: the default one, under a name that says so.
///
/// ```
/// use refrain_document::artifact;
/// assert_eq!(artifact::default_slot("1.0.0").unwrap().name(), "refrain-default");
/// assert!(artifact::default_slot("one").is_ok_and(|slot| slot.version() == "one"), "as in any slot");
/// ```
///
/// # Errors
/// [`SlotError::Version`] if no slot can have this version.
pub fn default_slot(version: &str) -> Result<Slot, SlotError> {
    let policy = Policy::new(Rules::DEFAULT).map_err(SlotError::Policy)?;
    Slot::new(DEFAULT_NAME, version, policy)
}

/// Reads the file of an artifact, and no more than one can have.
///
/// ```
/// use refrain_document::{ArtifactError, artifact};
/// assert!(matches!(artifact::read("no/such/file.wasm"), Err(ArtifactError::Read { .. })));
/// ```
///
/// # Errors
/// [`ArtifactError::Read`] or [`ArtifactError::TooLong`].
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>, ArtifactError> {
    let path = path.as_ref();
    let bytes = read_bounded(path).map_err(|error| ArtifactError::Read { path: path.to_owned(), error })?;
    if bytes.len() > ARTIFACT_MAX { Err(ArtifactError::TooLong) } else { Ok(bytes) }
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(ARTIFACT_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
