//! The recording of a request.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use clap::Args;
use refrain::{Observer, observer::Call, record::Recording};

use crate::exit::Error;

/// Whether the calls of the policy are written down.
#[derive(Args, Debug)]
#[command(next_help_heading = "Recording (for `refrain replay`)")]
pub(super) struct RecordArgs {
    /// Write each call of the policy to this new file, as numbers: from it the request can be
    /// run again
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Record the server's hint fields as they were sent, too, in the place of what was read out
    /// of them; they may hold anything
    #[arg(long, requires = "record")]
    record_hints: bool,
}

/// A recording, and where it goes.
pub(super) struct Record {
    recording: Recording<File>,
    path: PathBuf,
}

impl RecordArgs {
    /// Opens the file, before anything is sent.
    pub(super) fn open(&self) -> Result<Option<Record>, Error> {
        let Some(path) = &self.record else { return Ok(None) };
        let recording = Recording::new(open(path)?);
        let recording = if self.record_hints { recording.with_hints() } else { recording };
        Ok(Some(Record { recording, path: path.clone() }))
    }
}

/// A report is made once: one that is there is not written over. What is no regular file, such as a pipe, is written to.
fn open(path: &Path) -> Result<File, Error> {
    let name = path.display();
    let opened = match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > 0 => {
            return Err(Error::usage(format!(
                "`--record` expects a new file, found `{name}`: remove it, or name another"
            )));
        }
        Ok(_) => File::options().write(true).open(path),
        Err(_) => File::create_new(path),
    };
    opened.map_err(|error| Error::usage(format!("`--record`: cannot write `{name}`: {error}")))
}

impl Record {
    /// Whether all of it was written.
    pub(super) fn check(&self) -> Result<(), Error> {
        let name = self.path.display();
        self.recording
            .check()
            .map_err(|error| Error::incomplete(format!("the recording `{name}` could not be written whole: {error}")))
    }
}

impl Observer for Record {
    fn called(&self, call: &Call<'_>) {
        self.recording.called(call);
    }
}
