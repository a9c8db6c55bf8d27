//! Lock files on disk.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::Lock;
use crate::Problems;

impl Lock {
    /// Reads a lock file.
    ///
    /// # Errors
    /// [`LockFileError::Read`] or [`LockFileError::Text`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, LockFileError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|error| LockFileError::Read { path: path.to_owned(), error })?;
        Self::parse(&text).map_err(|problems| text_error(path, problems))
    }
}

/// A lock file that is open for a change. On Unix, another process that opens one in the same folder waits meanwhile, so
/// that of two changes at once none is lost.
///
/// ```
/// # use refrain_document::{Digest, Lock};
/// use refrain_document::lock::LockFile;
/// # let text = format!(
/// #     "version = 1\n\n[[policy]]\nname = \"polite\"\nversion = \"1.2.0\"\nsha256 = \"{0}\"\ncore_sha256 = \"{0}\"\n",
/// #     Digest::of(b"polite")
/// # );
/// let folder = tempfile::tempdir()?;
/// let mut file = LockFile::open(folder.path().join("refrain.lock"))?;
/// file.lock.replace(Lock::parse(&text)?.entries().next().unwrap().clone());
/// assert!(file.is_changed());
/// file.save()?;
/// assert!(Lock::read(folder.path().join("refrain.lock"))?.find(Digest::of(b"polite")).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LockFile {
    /// The lock, to be changed.
    pub lock: Lock,
    path: PathBuf,
    /// What the file says; nothing if there is none.
    found: Lock,
    _folder: Option<File>,
}

impl LockFile {
    /// Opens a lock file; where there is none, an empty one.
    ///
    /// # Errors
    /// [`LockFileError::Read`] or [`LockFileError::Text`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, LockFileError> {
        let path = resolved(path.into());
        let read_error = |error| LockFileError::Read { path: path.clone(), error };
        let folder = lock_folder(folder(&path)).map_err(read_error)?;
        let found = match fs::read_to_string(&path) {
            Ok(text) => Lock::parse(&text).map_err(|problems| text_error(&path, problems))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Lock::default(),
            Err(error) => return Err(read_error(error)),
        };
        Ok(Self { lock: found.clone(), path, found, _folder: folder })
    }

    /// Whether the lock says anything else than the file. How the file is written, with comments of its own for example,
    /// is no matter; and an empty lock needs no file.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.lock != self.found
    }

    /// Writes the lock as [`write_atomically`] does; a file that says the same is left as it stands.
    ///
    /// # Errors
    /// [`LockFileError::Write`].
    pub fn save(self) -> Result<(), LockFileError> {
        if !self.is_changed() {
            return Ok(());
        }
        let Self { lock, path, .. } = self;
        write_atomically(&path, lock.to_string().as_bytes()).map_err(|error| LockFileError::Write { path, error })
    }
}

/// The file that a link leads to, through however many links; a path that is no link stays as it is. The folder of a lock
/// file is that of the file itself, so that all who change it wait for each other.
///
/// ```
/// use refrain_document::lock::resolved;
/// assert_eq!(resolved("no/such/refrain.lock".into()), std::path::Path::new("no/such/refrain.lock"));
/// ```
#[must_use]
pub fn resolved(path: PathBuf) -> PathBuf {
    if path.is_symlink() { fs::canonicalize(&path).unwrap_or(path) } else { path }
}

/// Writes a file so that, whenever the process or the machine stops, the old bytes or the new ones are there: to a new
/// file in the same folder, which then takes the name. What is no regular file, such as a device, is written to directly.
///
/// ```
/// use refrain_document::lock::write_atomically;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("polite.wasm");
/// write_atomically(&path, b"one")?;
/// write_atomically(&path, b"another")?;
/// assert_eq!(std::fs::read(&path)?, b"another");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of the file system; the old file is as it was.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays one, and what it leads to is written.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let folder = folder(path);
    let mut draft = new_file(folder)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    draft.persist(path)?;
    // The name too has to reach the disk.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// A new file with the permissions that any new file gets, not only for its owner.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".refrain-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn text_error(path: &Path, problems: Problems) -> LockFileError {
    LockFileError::Text(problems.in_file(path.display().to_string()))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Waits until no other process holds the folder; the lock goes with the file that is returned.
fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    if !cfg!(unix) {
        return Ok(None);
    }
    let folder = File::open(folder)?;
    match folder.lock() {
        // Some network file systems cannot.
        Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
        _ => Ok(Some(folder)),
    }
}

/// Why a lock file cannot be used.
///
/// ```
/// use refrain_document::{Lock, lock::LockFileError};
/// assert!(matches!(Lock::read("no/such/refrain.lock"), Err(LockFileError::Read { .. })));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum LockFileError {
    /// It cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// It is no lock file: all that is wrong with it, under its name.
    Text(Problems),
    /// It cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl fmt::Display for LockFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, error } => {
                write!(f, "cannot read the lock file `{}`: {error}", path.display())?;
                match error.kind() {
                    io::ErrorKind::NotFound => f.write_str("; `refrain pin` and `refrain lock` write one"),
                    _ => Ok(()),
                }
            }
            Self::Text(problems) => problems.fmt(f),
            Self::Write { path, error } => write!(f, "cannot write the lock file `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for LockFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { error, .. } | Self::Write { error, .. } => Some(error),
            Self::Text(problems) => Some(problems),
        }
    }
}
