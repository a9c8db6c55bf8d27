//! `cargo xtask`: every step of building, checking and showing Refrain, for people and CI alike.

mod check_guest;
mod generate;
mod guest;
mod layout;
mod shell;
mod wit;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Every step of building, checking and showing Refrain.
///
/// Each command installs what it needs, says what it does, and does not repeat work that is done.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the policy component and its core module, with the default policy baked in.
    ///
    /// Writes `refrain/refrain.wasm` and `refrain/refrain.core.wasm` in the target folder and prints their sizes and
    /// SHA-256. The same sources give the same bytes in every folder.
    Guest,
    /// Check the component: no imports, the right exports, one memory page, size, reproducibility.
    CheckGuest(check_guest::Options),
    /// Write the guest's bindings, `wasm-guest/src/bindings.rs`, from `wit/`.
    Generate(Check),
    /// Write the memory layout of the component's interface, `wit/LAYOUT.md`, from `wit/`.
    Layout(Check),
}

/// Write a generated file, or compare it.
#[derive(clap::Args)]
struct Check {
    /// Write nothing; fail if the committed file differs from what would be written.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Guest => guest::run(),
        Command::CheckGuest(options) => check_guest::run(&options),
        Command::Generate(Check { check }) => generate::run(check),
        Command::Layout(Check { check }) => layout::run(check),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
