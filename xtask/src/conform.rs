//! Judges an engine by a folder of cases, and turns cases into vectors.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::ValueEnum;

use crate::{guest, shell};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder of cases: `*.json`, in the format of `dates.json`, `retry_after.json`, `scenarios.json` and `vectors.json`.
    folder: PathBuf,
    /// Which engine answers.
    #[arg(long, value_enum, default_value_t = Engine::Native)]
    engine: Engine,
}

/// Which engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The core, linked in.
    Native,
    /// The component, in wasmtime.
    Wasm,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    judge(&options.folder, options.engine)
}

pub(crate) fn judge(folder: &Path, engine: Engine) -> Result<()> {
    let name = engine.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    println!("cases of {} through the {name} engine", folder.display());
    conformance("conform", [folder.as_os_str(), "--engine".as_ref(), name.as_ref()])
}

#[derive(clap::Args)]
pub(crate) struct Import {
    /// A folder of cases.
    folder: PathBuf,
}

pub(crate) fn import(options: &Import) -> Result<()> {
    ensure!(options.folder.is_dir(), "expected a folder of cases, found none at `{}`", options.folder.display());
    let vectors = shell::workspace().join("tests/vectors");
    conformance("import", [options.folder.as_os_str(), vectors.as_os_str()])
}

/// Builds and runs a program of the package `conformance`, as it ships.
fn conformance<'a>(program: &str, arguments: impl IntoIterator<Item = &'a std::ffi::OsStr>) -> Result<()> {
    guest::build_here()?;
    let mut command = shell::cargo();
    command.args(["run", "--quiet", "--release", "--package", "conformance", "--bin", program, "--"]).args(arguments);
    shell::pass_on(command.env(guest::COMPONENT, guest::Artifact::component_path()))
}
