//! The lock file: which artifacts may run.
//!
//! `refrain.lock` is TOML, written by `refrain pin` and `refrain lock`, sorted, and the same bytes for the same artifacts:
//!
//! ```toml
//! version = 1
//!
//! [[policy]]
//! name = "api-client"
//! version = "1.0.0"
//! file = "policies/api-client.wasm"
//! sha256 = "…"
//! core_sha256 = "…"
//! ```
//!
//! `sha256` is that of the artifact, `core_sha256` that of its core module, for hosts that run this alone. `file` is
//! relative to the folder of the lock file, not of a link to it, with `/` between the names; it is absent where the artifact lies elsewhere.

mod entry;
mod file;
mod text;

use std::{collections::BTreeMap, fmt};

use semver::Version;

pub use self::{
    entry::{Entry, RelativePath, RelativePathError},
    file::{LockFile, LockFileError, resolved, write_atomically},
};
use crate::{Artifact, Digest};

/// The artifacts that may run: each name and version once, with one digest.
///
/// ```
/// use refrain_document::{Digest, Lock};
/// let text = format!(
///     "version = 1\n\n[[policy]]\nname = \"polite\"\nversion = \"1.2.0\"\nsha256 = \"{0}\"\ncore_sha256 = \"{0}\"\n",
///     Digest::of(b"polite")
/// );
/// let lock = Lock::parse(&text)?;
/// assert!(lock.check("polite", "1.2.0", Digest::of(b"polite")).is_ok());
/// assert!(lock.check("polite", "1.2.0", Digest::of(b"another")).is_err());
/// assert!(lock.check("polite", "1.2.1", Digest::of(b"polite")).is_err());
/// assert!(lock.to_string().ends_with(&text));
/// # Ok::<(), refrain_document::Problems>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    entries: BTreeMap<(String, Version), Entry>,
}

/// What became of an artifact that was put into a lock.
///
/// ```
/// # use refrain_document::Digest;
/// use refrain_document::{Lock, lock::Locked};
/// # let text = format!(
/// #     "version = 1\n\n[[policy]]\nname = \"polite\"\nversion = \"1.2.0\"\nsha256 = \"{0}\"\ncore_sha256 = \"{0}\"\n",
/// #     Digest::of(b"polite")
/// # );
/// let entry = Lock::parse(&text)?.entries().next().unwrap().clone();
/// let mut lock = Lock::default();
/// assert_eq!(lock.add(entry.clone()), Ok(Locked::Added));
/// assert_eq!(lock.add(entry), Ok(Locked::Unchanged));
/// # Ok::<(), refrain_document::Problems>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    /// Its name and version are new.
    Added,
    /// It was there, as it is.
    Unchanged,
    /// It was there, and lies elsewhere.
    Moved,
    /// Another artifact of that name and version was there.
    Replaced,
}

impl Lock {
    /// All artifacts, by name and version.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.entries.values()
    }

    /// The artifact with this digest.
    ///
    /// # Errors
    /// [`NotLocked::Digest`].
    pub fn find(&self, sha256: Digest) -> Result<&Entry, NotLocked> {
        self.entries().find(|entry| entry.sha256 == sha256).ok_or(NotLocked::Digest(sha256))
    }

    /// The artifact of this name and version, which has to have this digest.
    ///
    /// # Errors
    /// [`NotLocked::Name`] or [`NotLocked::Other`].
    pub fn check(&self, name: &str, version: &str, sha256: Digest) -> Result<&Entry, NotLocked> {
        let known = Version::parse(version).ok().and_then(|parsed| self.entries.get(&(name.to_owned(), parsed)));
        let artifact = || (name.to_owned(), version.to_owned());
        match known {
            Some(entry) if entry.sha256 == sha256 => Ok(entry),
            Some(entry) => Err(NotLocked::Other { artifact: artifact(), locked: entry.sha256, found: sha256 }),
            None => Err(NotLocked::Name { artifact: artifact() }),
        }
    }

    /// As [`check`](Self::check) for an artifact that was read; its core module too has to be the locked one.
    ///
    /// # Errors
    /// [`NotLocked::Core`], else as [`check`](Self::check).
    pub fn lists(&self, artifact: &Artifact) -> Result<&Entry, NotLocked> {
        let entry = self.check(artifact.slot().name(), artifact.slot().version(), artifact.digest())?;
        entry.has_core(artifact.core_digest()).map(|()| entry)
    }

    /// Puts an artifact in. The file of an older one is forgotten if the new one lies there.
    ///
    /// # Errors
    /// [`NotLocked::Other`] or [`NotLocked::Core`] if another artifact of that name and version is there: a released version
    /// does not change.
    pub fn add(&mut self, entry: Entry) -> Result<Locked, NotLocked> {
        if let Some(known) = self.entries.get(&entry.key()) {
            if known.sha256 != entry.sha256 {
                let artifact = (entry.name, entry.version.to_string());
                return Err(NotLocked::Other { artifact, locked: known.sha256, found: entry.sha256 });
            }
            known.has_core(entry.core_sha256)?;
        }
        Ok(self.replace(entry))
    }

    /// As [`add`](Self::add), but another artifact of that name and version gives way.
    pub fn replace(&mut self, entry: Entry) -> Locked {
        for other in self.entries.values_mut().filter(|other| other.file == entry.file && other.key() != entry.key()) {
            other.file = None;
        }
        let new = entry.clone();
        match self.entries.insert(entry.key(), entry) {
            None => Locked::Added,
            Some(old) if old == new => Locked::Unchanged,
            Some(old) if Entry { file: old.file.clone(), ..new } == old => Locked::Moved,
            Some(_) => Locked::Replaced,
        }
    }
}

/// Why an artifact is not the locked one.
///
/// ```
/// use refrain_document::{Digest, Lock, NotLocked};
/// let (lock, digest) = (Lock::default(), Digest::of(b"some file"));
/// assert_eq!(lock.find(digest), Err(NotLocked::Digest(digest)));
/// assert!(matches!(lock.check("polite", "1.0.0", digest), Err(NotLocked::Name { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotLocked {
    /// No artifact has this digest.
    Digest(Digest),
    /// The lock has no artifact of this name and version.
    Name {
        /// Name and version.
        artifact: (String, String),
    },
    /// The lock has another artifact of this name and version.
    Other {
        /// Name and version.
        artifact: (String, String),
        /// The digest in the lock.
        locked: Digest,
        /// The digest of the artifact at hand.
        found: Digest,
    },
    /// The lock has the artifact, but with another core module.
    Core {
        /// Name and version.
        artifact: (String, String),
        /// The digest in the lock.
        locked: Digest,
        /// The digest of the core module at hand.
        found: Digest,
    },
}

impl fmt::Display for NotLocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digest(found) => write!(f, "expected an artifact that is locked, found the SHA-256 `{found}`"),
            Self::Name { artifact: (name, version) } => {
                write!(f, "expected an artifact that is locked, found `{name}` {version}")
            }
            Self::Other { artifact: (name, version), locked, found } => {
                write!(f, "`{name}` {version} is locked with the SHA-256 `{locked}`, found `{found}`")
            }
            Self::Core { artifact: (name, version), locked, found } => {
                write!(f, "`{name}` {version} is locked with a core module of the SHA-256 `{locked}`, found `{found}`")
            }
        }
    }
}

impl std::error::Error for NotLocked {}
