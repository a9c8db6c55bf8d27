//! The main job: a real request against a real server, retried by the policy component.

use std::ffi::OsString;

use anyhow::Result;

use crate::{guest, shell};

#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Passed on to `refrain demo`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    refrain("demo", &options.arguments)
}

/// Builds the command line with the component in it, and runs it.
fn refrain(subcommand: &str, arguments: &[OsString]) -> Result<()> {
    guest::build_here()?;
    println!("building the command line (the first time takes a few minutes: wasmtime is among what it needs)");
    let mut command = shell::cargo();
    command.args(["run", "--package", "refrain-cli", "--bin", "refrain", "--", subcommand]).args(arguments);
    shell::pass_on(command.env(guest::COMPONENT, guest::Artifact::component_path()))
}
