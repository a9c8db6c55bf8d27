//! One artifact of a lock.

use std::{fmt, path::Path, str::FromStr};

use semver::Version;

use crate::{Artifact, Digest, NotLocked, visible::is_hidden};

/// One artifact of a lock.
///
/// ```
/// # use refrain_document::Digest;
/// use refrain_document::Lock;
/// # let text = format!(
/// #     "version = 1\n\n[[policy]]\nname = \"polite\"\nversion = \"1.2.0\"\nsha256 = \"{0}\"\ncore_sha256 = \"{0}\"\n",
/// #     Digest::of(b"polite")
/// # );
/// let lock = Lock::parse(&text)?;
/// let entry = lock.find(Digest::of(b"polite")).unwrap();
/// assert_eq!((entry.name.as_str(), entry.version.major, &entry.file), ("polite", 1, &None));
/// # Ok::<(), refrain_document::Problems>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Name of the policy.
    pub name: String,
    /// Version of the policy.
    pub version: Version,
    /// Where the artifact lies; absent if nobody said, or if it lies outside the folder of the lock.
    pub file: Option<RelativePath>,
    /// SHA-256 of the artifact.
    pub sha256: Digest,
    /// SHA-256 of its core module.
    pub core_sha256: Digest,
}

impl Entry {
    /// The entry of an artifact that lies at `file`.
    ///
    /// # Errors
    /// A version that is no semantic one, which only an artifact that was not made from a document can have.
    pub fn of(artifact: &Artifact, file: Option<RelativePath>) -> Result<Self, semver::Error> {
        Ok(Self {
            name: artifact.slot().name().to_owned(),
            version: artifact.slot().version().parse()?,
            file,
            sha256: artifact.digest(),
            core_sha256: artifact.core_digest(),
        })
    }

    /// Whether its core module has this digest.
    pub(super) fn has_core(&self, found: Digest) -> Result<(), NotLocked> {
        if found == self.core_sha256 {
            return Ok(());
        }
        let artifact = (self.name.clone(), self.version.to_string());
        Err(NotLocked::Core { artifact, locked: self.core_sha256, found })
    }

    pub(super) fn key(&self) -> (String, Version) {
        (self.name.clone(), self.version.clone())
    }
}

/// A path below the folder of a lock: names with `/` between them, none of them empty, `.` or `..`, and no character
/// that is not seen ([`is_hidden`]).
///
/// ```
/// use std::path::Path;
/// use refrain_document::lock::RelativePath;
/// let file = RelativePath::from_folder(Path::new("/srv/app"), Path::new("/srv/app/policies/a.wasm"));
/// assert_eq!(file.unwrap().as_str(), "policies/a.wasm");
/// assert_eq!(RelativePath::from_folder(Path::new("/srv/app"), Path::new("/srv/a.wasm")), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelativePath(String);

impl RelativePath {
    /// The way from `folder` to `path`, if `path` lies below it. Both have to be written alike: canonical, say.
    #[must_use]
    pub fn from_folder(folder: &Path, path: &Path) -> Option<Self> {
        let names = path.strip_prefix(folder).ok()?.iter().map(|name| name.to_str()).collect::<Option<Vec<_>>>()?;
        names.join("/").parse().ok()
    }

    /// The path, as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RelativePath {
    type Err = RelativePathError;

    fn from_str(text: &str) -> Result<Self, RelativePathError> {
        let is_name =
            |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\\', ':']) && !name.contains(is_hidden);
        if text.split('/').all(is_name) { Ok(Self(text.to_owned())) } else { Err(RelativePathError(text.to_owned())) }
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no path below a folder.
///
/// ```
/// use refrain_document::lock::RelativePath;
/// let error = "../a.wasm".parse::<RelativePath>().unwrap_err();
/// assert!(error.to_string().ends_with("found `../a.wasm`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelativePathError(String);

impl fmt::Display for RelativePathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a path below the folder of the lock file, such as `policies/a.wasm`, found `{}`", self.0)
    }
}

impl std::error::Error for RelativePathError {}
