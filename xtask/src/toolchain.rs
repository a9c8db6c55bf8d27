//! What rustup has to bring: asked first, installed only where it is missing.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};

use crate::shell;

/// Installs a compilation target, unless it is there.
pub(crate) fn target(triple: &str) -> Result<()> {
    let lib = shell::output(Command::new("rustc").args(["--print", "target-libdir", "--target", triple]))?;
    if Path::new(&lib).is_dir() {
        return Ok(());
    }
    println!("installing the compilation target {triple}: rustup target add {triple}");
    shell::run(Command::new("rustup").args(["target", "add", triple]))
        .with_context(|| format!("the compilation target `{triple}` is needed"))
}

/// Installs a component such as `clippy`, unless `cargo NAME` works.
pub(crate) fn component(name: &str, subcommand: &str) -> Result<()> {
    if shell::output(shell::cargo().args([subcommand, "--version"])).is_ok() {
        return Ok(());
    }
    println!("installing {name}: rustup component add {name}");
    shell::run(Command::new("rustup").args(["component", "add", name])).with_context(|| format!("`{name}` is needed"))
}
