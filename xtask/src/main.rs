//! `cargo xtask`: every step of building, checking and showing Refrain, for people and CI alike.

mod bindgen;
mod browser;
mod check_guest;
mod compact;
mod conform;
mod demo;
mod generate;
mod guest;
mod lab;
mod layout;
mod measure;
mod node;
mod pages;
mod ratchet;
mod released;
mod shell;
mod suite;
mod test;
mod toolchain;
mod web;
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
    /// Do the main job: a real request to a real server, retried by the policy component in wasmtime.
    ///
    /// Builds the component and the command line, then runs `refrain demo`; what follows is passed on to it.
    Demo(demo::Options),
    /// Check everything that CI checks, or only the steps that are named.
    Test(test::Options),
    /// Run every benchmark and write `measures.json` in the target folder.
    Measure(measure::Options),
    /// Judge an engine by any folder of cases, without writing code.
    ///
    /// Prints for each file how many cases passed, failed and do not apply (each with its reason), then each failure with
    /// its id, what was expected and what came. Exits with 1 if any failed.
    Conform(conform::Options),
    /// Turn a folder of cases into vectors, `tests/vectors/imported-*.json`, and `tests/skip.json`.
    ImportCases(conform::Import),
    /// Build the policy component and its core module, with the default policy baked in.
    ///
    /// Writes `refrain/refrain.wasm` and `refrain/refrain.core.wasm` in the target folder and prints their sizes and
    /// SHA-256. The same sources give the same bytes in every folder.
    Guest,
    /// Build what the web demo computes, `web-demo/lab`, and the component that it bakes into.
    Lab,
    /// Build the browser host's npm package, `hosts/browser`, with its dynamic engine.
    Browser(browser::Options),
    /// Build the web demo, a page on which a person sees what a policy does, and serve it on this machine.
    ///
    /// Prints the address to open. The page works without a network once it was opened, and can be put on any web server:
    /// it is `web-demo/dist`.
    Web(web::Options),
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
        Command::Demo(options) => demo::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Measure(options) => measure::run(&options),
        Command::Conform(options) => conform::run(&options),
        Command::ImportCases(options) => conform::import(&options),
        Command::Guest => guest::run(),
        Command::Lab => lab::build(),
        Command::Browser(options) => browser::run(&options),
        Command::Web(options) => web::run(&options),
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
