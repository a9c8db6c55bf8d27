//! A fleet of clients on virtual time.

mod output;
mod progress;

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use clap::{ArgAction, Args, builder::RangedU64ValueParser};
use refrain_document::visible;
use refrain_simulator::{Report, SCENARIOS, Scenario, ScenarioError, simulate};

use self::progress::Bar;
use crate::{
    engine::{EngineArgs, Trust},
    exit::{Error, Exit},
    policy, report,
    style::{BOLD, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain simulate                                 the scenarios that come with this program
  refrain simulate outage                          one of them, with the policies that it names
  refrain simulate outage --policy polite-default --policy my-client.toml --clients 1000000
  refrain simulate rate-limit --out figures        and its charts, as SVG and PNG
  refrain simulate outage --print > mine.toml      the beginning of a scenario of your own
  refrain simulate mine.toml --json

Every wait and every end is decided by the same core that decides for real requests. All policies meet the same arrivals,
service times and luck, which depend on the seed alone: the same seed gives the same numbers on every machine.

\x1b[1;4mExit codes:\x1b[0m 0 it was simulated; 2 bad usage, or a scenario or policy that is refused; 5 an artifact is refused; 6 the
  results could not be written";

/// Show what policies do to a server when many clients run them, on virtual time
#[derive(Args, Debug)]
#[command(after_help = "`refrain simulate --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// A scenario (`.toml`), or the name of one that comes with this program; without it, these are listed
    scenario: Option<OsString>,

    /// A policy to run in place of those of the scenario, in every tier: a document (`.toml`, `.json`), an artifact (`.wasm`)
    /// or the name of a ready-made one; may be repeated
    // The name of the global flag, which it stands for here.
    #[arg(id = "by_policy", long = "policy", value_name = "POLICY", action = ArgAction::Append)]
    policies: Vec<OsString>,

    /// The seed of all random numbers [default: that of the scenario]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// So many clients, whatever the scenario says; its server does not grow with them
    #[arg(long, value_name = "NUMBER", value_parser = RangedU64ValueParser::<u32>::new().range(1..))]
    clients: Option<u32>,

    /// Write charts (SVG and PNG), `report.json`, `runs.csv` and `load.csv` into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write one line of comma-separated values for each run
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Write the scenario instead of simulating it
    #[arg(long, requires = "scenario", conflicts_with_all = ["json", "csv", "out", "seed", "clients", "by_policy"])]
    print: bool,
}

/// Simulates the scenario and shows what came of it.
pub(crate) fn run(args: &SimulateArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse_engine("simulate")?;
    let Some(name) = &args.scenario else {
        report::write(&listed())?;
        return Ok(Exit::Success);
    };
    let text = text_of(name)?;
    if args.print {
        report::write(text.trim_end())?;
        return Ok(Exit::Success);
    }
    let scenario = scenario(args, &text, &engine.trust)?;
    let bar = Bar::begin();
    let report = simulate(&scenario, args.seed.unwrap_or(scenario.seed()), &|progress| bar.show(progress));
    drop(bar);
    if let Some(folder) = &args.out {
        output::write(folder, &report)?;
    }
    match args.csv {
        true => report::write(report.to_csv().trim_end())?,
        false => report::show(format, &report, |report| shown(report, args.clients))?,
    }
    Ok(Exit::Success)
}

fn scenario(args: &SimulateArgs, text: &str, trust: &Trust) -> Result<Scenario, Error> {
    let scenario = Scenario::parse(text).map_err(refused)?;
    let scenario = match args.clients {
        Some(clients) => scenario.with_clients(clients).map_err(refused)?,
        None => scenario,
    };
    if args.policies.is_empty() {
        return Ok(scenario);
    }
    let documents =
        args.policies.iter().map(|policy| policy::document(policy, trust)).collect::<Result<Vec<_>, _>>()?;
    scenario.with_policies(&documents).map_err(refused)
}

fn text_of(name: &OsStr) -> Result<String, Error> {
    let known = SCENARIOS.into_iter().find(|(known, _)| name == *known);
    let path = Path::new(name);
    match known {
        Some((_, text)) => Ok(text.to_owned()),
        None if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) => {
            refrain_document::read(path)
                .map_err(|error| Error::usage(format!("cannot read the scenario `{}`: {error}", path.display())))
        }
        None => {
            let names = SCENARIOS.map(|(name, _)| name).join(", ");
            let found = path.display();
            Err(Error::usage(format!("expected a scenario (`.toml`), or one of {names}, found `{found}`")))
        }
    }
}

fn refused(error: ScenarioError) -> Error {
    Error::usage(format!("the scenario is refused: {error}"))
}

fn listed() -> String {
    let scenario = |(name, text): (&str, &str)| {
        let description = Scenario::parse(text).map(|scenario| scenario.description().to_owned()).unwrap_or_default();
        format!("{}\n{description}", paint(BOLD, name))
    };
    SCENARIOS.map(scenario).join("\n\n")
}

/// With the number of clients if it is not that of the scenario, whose description may tell of its own.
fn shown(report: &Report, clients: Option<u32>) -> String {
    let title = paint(BOLD, visible::text(&report.scenario));
    let size =
        clients.map(|clients| format!("\nHere with {clients} clients, and the same server.")).unwrap_or_default();
    let description = visible::text(&report.description);
    format!("{title}, seed {}\n{description}{size}\n\n{}", report.seed, report.to_table())
}
