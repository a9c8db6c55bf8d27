//! One answer on stdout, for people or for programs.

use std::io::Write;

use serde::Serialize;

use crate::{exit::Error, timeline::Format};

/// Writes `record` as JSON, or what `text` makes of it.
pub(crate) fn show<R: Serialize>(format: Format, record: &R, text: impl FnOnce(&R) -> String) -> Result<(), Error> {
    let line = match format {
        Format::Text => text(record),
        Format::Json => serde_json::to_string(record).map_err(Error::broken)?,
    };
    writeln!(anstream::stdout(), "{line}")
        .map_err(|error| Error::incomplete(format!("cannot write to stdout: {error}")))
}
