//! One answer on stdout, for people or for programs.

use std::io::Write;

use refrain_document::visible;
use serde::Serialize;

use crate::{exit::Error, timeline::Format};

/// Writes `record` as JSON, or what `text` makes of it.
pub(crate) fn show<R: Serialize>(format: Format, record: &R, text: impl FnOnce(&R) -> String) -> Result<(), Error> {
    match format {
        Format::Text => write(&text(record)),
        Format::Json => write(&serde_json::to_string(record).map_err(Error::broken)?),
    }
}

/// Text from elsewhere, in whose lines nothing passes for a line of ours.
pub(crate) fn indented(text: &str) -> String {
    visible::text(text).replace('\n', "\n      ")
}

/// Writes lines.
pub(crate) fn write(lines: &str) -> Result<(), Error> {
    writeln!(anstream::stdout(), "{lines}")
        .map_err(|error| Error::incomplete(format!("cannot write to stdout: {error}")))
}
