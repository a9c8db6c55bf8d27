//! The interface, as `wit/` defines it.

use std::path::Path;

use anyhow::{Context, Result};
use wit_parser::{Resolve, WorldId};

/// Reads the package in `wit/` of a workspace.
pub(crate) fn load(workspace: &Path) -> Result<(Resolve, WorldId)> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(workspace.join("wit")).context("cannot read the interface in `wit/`")?;
    let world = resolve.select_world(&[package], None).context("expected one world in `wit/`")?;
    Ok((resolve, world))
}
