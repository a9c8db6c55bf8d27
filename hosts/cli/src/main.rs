//! `refrain`: one HTTP retry policy, shown (`demo`), used (`fetch`), asked (`decide`) and read with (`parse`); baked into an
//! artifact (`pin`), which is looked into (`inspect`), proved (`verify`), held to (`lock`) and written for the web (`bundle`); written (`policies`, `schema`),
//! judged (`check`) and put into words (`explain`) before; held to what it once decided (`replay`); and run by many clients at
//! once (`simulate`).

mod bundle;
mod check;
mod checklist;
mod cli;
mod decide;
mod demo;
mod diff;
mod engine;
mod exit;
mod explain;
mod fetch;
mod inspect;
mod limits;
mod lock;
mod moment;
mod parse;
mod pin;
mod policies;
mod policy;
mod replay;
mod report;
mod simulate;
mod style;
mod timeline;
mod verify;
mod words;

use std::process::ExitCode;

use refrain_document::{decimal, duration};

use crate::{
    cli::{Cli, Command},
    exit::{Error, Exit},
    timeline::Format,
};

fn main() -> ExitCode {
    let exit = run(Cli::read()).unwrap_or_else(|error| {
        anstream::eprintln!("{error}");
        error.exit
    });
    ExitCode::from(exit as u8)
}

fn run(cli: Cli) -> Result<Exit, Error> {
    let format = if cli.json { Format::Json } else { Format::Text };
    let engine = &cli.engine;
    match cli.command {
        Command::Demo => runtime()?.block_on(demo::run(&engine.load()?, format)),
        Command::Fetch(args) => runtime()?.block_on(fetch::run(&args, &engine.load()?, format)),
        Command::Decide(args) => decide::run(&args, &engine.load()?, format),
        Command::Parse(args) => parse::run(&args, &engine.load()?, format),
        Command::Check(args) => check::run(&args, engine, format),
        Command::Explain(args) => explain::run(&args, engine, format),
        Command::Policies(args) => policies::run(&args, engine, format),
        Command::Schema => policies::schema(engine),
        Command::Pin(args) => pin::run(&args, engine, format),
        Command::Inspect(args) => inspect::run(&args, engine, format),
        Command::Verify(args) => verify::run(&args, engine, format),
        Command::Bundle(args) => bundle::run(&args, engine, format),
        Command::Lock(args) => lock::run(&args, engine, format),
        Command::Diff(args) => diff::run(&args, engine, format),
        Command::Replay(args) => replay::run(&args, &engine.load()?, format),
        Command::Simulate(args) => simulate::run(&args, engine, format),
    }
}

/// Two workers, so that Ctrl-C is heard while the main thread writes to a pipe that nobody reads.
fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Error::incomplete(format!("cannot start the runtime: {error}")))
}
