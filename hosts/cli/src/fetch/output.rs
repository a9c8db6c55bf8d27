//! Where the body goes.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use crate::exit::Error;

/// Stdout, or a file that gets its name when it is whole.
pub(super) enum Output {
    Stdout,
    File(NewFile),
}

/// A file that is being written; it is removed unless it is finished.
pub(super) struct NewFile {
    file: File,
    /// Where it will be.
    path: PathBuf,
    /// Where it is until then; absent if the path is no regular file, such as a device, and is written to directly.
    draft: Option<PathBuf>,
}

impl Output {
    /// Opens what is to be written to, before anything is sent.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else { return Ok(Self::Stdout) };
        let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let (draft, opened) = if is_special {
            (None, File::options().write(true).open(path))
        } else {
            let draft = draft(path);
            let opened = File::create_new(&draft);
            (Some(draft), opened)
        };
        let file =
            opened.map_err(|error| Error::usage(format!("`--output`: cannot write `{}`: {error}", path.display())))?;
        Ok(Self::File(NewFile { file, path: path.to_owned(), draft }))
    }

    /// Whether a file was asked for.
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// The file that has to be gone if this is neither finished nor dropped.
    pub(super) fn draft(&self) -> Option<PathBuf> {
        match self {
            Self::Stdout => None,
            Self::File(new) => new.draft.clone(),
        }
    }

    /// Writes the next piece.
    pub(super) fn write(&mut self, piece: &[u8]) -> Result<(), Error> {
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                // Each piece as it comes: a body may arrive slowly, with somebody watching.
                stdout.write_all(piece).and_then(|()| stdout.flush()).map_err(|error| stdout_error(&error))
            }
            Self::File(new) => new.file.write_all(piece).map_err(|error| new.error(&error)),
        }
    }

    /// Everything is written.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(mut new) => {
                let Some(draft) = new.draft.take() else { return Ok(()) };
                fs::rename(&draft, &new.path).map_err(|error| {
                    let _ = fs::remove_file(&draft);
                    new.error(&error)
                })
            }
        }
    }
}

impl NewFile {
    fn error(&self, error: &io::Error) -> Error {
        Error::incomplete(format!("cannot write `{}`: {error}", self.path.display()))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(draft) = &self.draft {
            let _ = fs::remove_file(draft);
        }
    }
}

fn stdout_error(error: &io::Error) -> Error {
    Error::incomplete(format!("cannot write to stdout: {error}"))
}

/// A name in the same folder that nobody else uses.
fn draft(path: &Path) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".refrain-{}", process::id()));
    path.with_file_name(name)
}
