//! A recording run again.

mod report;

use std::{collections::BTreeSet, fs, path::PathBuf};

use clap::Args;
use conformance::{
    Vector,
    recorded::{NoVector, Recorded, Request, replay},
};

use self::report::Report;
use crate::{
    engine::Chosen,
    exit::{Error, Exit},
    report::{show, write},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain fetch http://localhost:8080/ --policy api-client.wasm --record report.jsonl
  refrain replay report.jsonl --policy api-client.wasm
  refrain replay report.jsonl --policy api-client-2.toml --json
  refrain replay report.jsonl --policy api-client.wasm --as-vector

A recording without `--record-hints` has, in the place of the hints that a server sent, what was read out of them. Where
the policy decides otherwise by that, the request is run again up to there, which is said, and ends with 2.

\x1b[1;4mExit codes:\x1b[0m 0 every call gives what it gave; 1 one does not; 2 bad usage, no recording, or one that can be
run again only in part; 5 the policy was refused";

/// Run a recording again, and say where it comes out otherwise
#[derive(Args, Debug)]
#[command(after_help = "`refrain replay --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// A recording: from `refrain fetch --record`, or from the observer of the crate `refrain`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write each request as a conformance vector that expects what was recorded, a line each
    #[arg(long)]
    as_vector: bool,
}

/// Runs it again, and shows the first difference, or the vectors.
pub(crate) fn run(args: &ReplayArgs, chosen: &Chosen, format: Format) -> Result<Exit, Error> {
    let recorded = read(args)?;
    let outcome = replay(&recorded, &*chosen.engine).map_err(|error| args.refuse(error))?;
    let report = Report::of(&recorded, &outcome, chosen);
    if args.as_vector {
        write(&vectors(args, &recorded, chosen)?)?;
        anstream::eprint!("{}", report.remarks());
    } else {
        show(format, &report, Report::text)?;
    }
    Ok(match (&outcome.difference, outcome.inexact.as_slice()) {
        (Some(_), _) => Exit::NoSuccess,
        (None, []) => Exit::Success,
        (None, _) => Exit::Usage,
    })
}

fn read(args: &ReplayArgs) -> Result<Recorded, Error> {
    let bytes = fs::read(&args.file)
        .map_err(|error| Error::usage(format!("cannot read the recording `{}`: {error}", args.file.display())))?;
    let recorded = Recorded::read(&bytes).map_err(|error| args.refuse(error))?;
    if recorded.requests.is_empty() {
        let cut = if recorded.cut_off.is_some() { " but a line that is cut off" } else { "" };
        return Err(args.refuse(format!("expected a call at least, found nothing{cut}")));
    }
    Ok(recorded)
}

/// One for each request, each once.
fn vectors(args: &ReplayArgs, recorded: &Recorded, chosen: &Chosen) -> Result<String, Error> {
    let vector = |request: &Request| {
        request.to_vector(&chosen.policy).map_err(|why| {
            let help = match why {
                NoVector::OtherPolicy => {
                    let (policy, found) = (&request.policy, chosen.engine.description());
                    format!(
                        ", {} {} of sha256 {}, found {} {}: name it with `--policy`",
                        policy.name, policy.version, policy.sha256, found.name, found.version
                    )
                }
                _ => String::new(),
            };
            args.refuse(format!("request {}: {why}{help}", request.number))
        })
    };
    let vectors = recorded.requests.iter().map(vector).collect::<Result<Vec<Vector>, Error>>()?;
    let mut seen = BTreeSet::new();
    let lines = vectors.iter().filter(|vector| seen.insert(&vector.id)).map(serde_json::to_string);
    Ok(lines.collect::<Result<Vec<_>, _>>().map_err(Error::broken)?.join("\n"))
}

impl ReplayArgs {
    fn refuse(&self, why: impl std::fmt::Display) -> Error {
        Error::usage(format!("the recording `{}`: {why}", self.file.display()))
    }
}
