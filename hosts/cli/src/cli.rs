//! The command line.

use std::env;

use clap::{
    Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    bundle::BundleArgs,
    check::CheckArgs,
    decide::DecideArgs,
    diff::DiffArgs,
    engine::{EngineArgs, VERSION},
    exit::CODES,
    explain::ExplainArgs,
    fetch::FetchArgs,
    inspect::InspectArgs,
    lock::LockArgs,
    parse::ParseArgs,
    pin::PinArgs,
    policies::PoliciesArgs,
    replay::ReplayArgs,
    simulate::SimulateArgs,
    verify::VerifyArgs,
};

/// One HTTP retry policy that gives the same answer everywhere: see it, use it, ask it.
#[derive(Debug, Parser)]
#[command(name = "refrain", version = VERSION.as_str(), max_term_width = 110)]
#[command(arg_required_else_help = true, propagate_version = true)]
#[command(after_help = "Run `refrain demo` first; `refrain help COMMAND` shows examples.")]
#[command(after_long_help = CODES)]
pub(crate) struct Cli {
    /// Write JSON: one object a line for `demo` and `fetch`, one object for every other command
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
    Check(CheckArgs),
    Explain(ExplainArgs),
    Policies(PoliciesArgs),
    /// Write the JSON Schema of policy documents, for editors
    Schema,
    Pin(PinArgs),
    Inspect(InspectArgs),
    Verify(VerifyArgs),
    Bundle(BundleArgs),
    Lock(LockArgs),
    Diff(DiffArgs),
    Replay(ReplayArgs),
    Simulate(SimulateArgs),
}

impl Cli {
    /// Reads this process's arguments; ends it when they ask for help or cannot be understood.
    pub(crate) fn read() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            // A URL without a subcommand was meant for `fetch`, too.
            let is_fetch = error.kind() == ErrorKind::InvalidSubcommand || env::args_os().any(|arg| arg == "fetch");
            if is_fetch { without_values(error) } else { error }.exit()
        })
    }
}

/// The error without what the caller wrote: in the arguments of a request, that may be a secret.
fn without_values(mut error: clap::Error) -> clap::Error {
    const HINT: &str = "quote a value that has spaces, as in `refrain fetch URL -H 'Name: value'`";
    // In every other error, the invalid argument is a flag of ours.
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    let written = [ContextKind::InvalidValue, ContextKind::InvalidSubcommand];
    for kind in written.into_iter().chain(is_unknown.then_some(ContextKind::InvalidArg)) {
        // An empty one says that there was none.
        if error.get(kind).is_some_and(|value| *value != ContextValue::String(String::new())) {
            error.insert(kind, ContextValue::String("(not shown)".to_owned()));
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![HINT.into()]));
        }
    }
    error
}
