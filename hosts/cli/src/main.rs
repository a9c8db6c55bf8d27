//! `refrain`: one HTTP retry policy, shown (`demo`), used (`fetch`), asked (`decide`) and read with (`parse`).

mod cli;
mod decide;
mod decimal;
mod demo;
mod duration;
mod engine;
mod exit;
mod fetch;
mod limits;
mod moment;
mod parse;
mod report;
mod style;
mod timeline;
mod words;

use std::process::ExitCode;

use crate::{
    cli::{Cli, Command},
    exit::{Error, Exit},
    style::{BAD, paint},
    timeline::Format,
};

fn main() -> ExitCode {
    let exit = run(Cli::read()).unwrap_or_else(|error| {
        anstream::eprintln!("{} {}", paint(BAD, "error:"), error.message);
        error.exit
    });
    ExitCode::from(exit as u8)
}

fn run(cli: Cli) -> Result<Exit, Error> {
    let format = if cli.json { Format::Json } else { Format::Text };
    let chosen = cli.engine.load()?;
    match cli.command {
        Command::Demo => runtime()?.block_on(demo::run(&chosen, format)),
        Command::Fetch(args) => runtime()?.block_on(fetch::run(&args, &chosen, format)),
        Command::Decide(args) => decide::run(&args, &chosen, format),
        Command::Parse(args) => parse::run(&args, &chosen, format),
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
