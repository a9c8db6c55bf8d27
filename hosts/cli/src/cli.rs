//! The command line.

use clap::{Parser, Subcommand};

use crate::{
    decide::DecideArgs,
    engine::{EngineArgs, VERSION},
    exit::CODES,
    fetch::FetchArgs,
    parse::ParseArgs,
};

/// One HTTP retry policy that gives the same answer everywhere: see it, use it, ask it.
#[derive(Debug, Parser)]
#[command(name = "refrain", version = VERSION.as_str(), max_term_width = 110)]
#[command(arg_required_else_help = true, propagate_version = true)]
#[command(after_help = "Run `refrain demo` first; `refrain help COMMAND` shows examples.")]
#[command(after_long_help = CODES)]
pub(crate) struct Cli {
    /// Write JSON: one object a line for `demo` and `fetch`, one object for `decide` and `parse`
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch real requests to a scripted server being retried, cancelled, deferred and withheld (about 5 s)
    Demo,
    Fetch(FetchArgs),
    Decide(DecideArgs),
    Parse(ParseArgs),
}
