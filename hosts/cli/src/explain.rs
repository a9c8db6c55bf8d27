//! A policy, in words and numbers.

use std::ffi::OsString;

use clap::Args;
use policy_core::Millis;
use refrain_document::{
    Document,
    explain::{self, Waits, WorstCase},
    visible,
};
use serde::Serialize;

use crate::{
    engine::EngineArgs,
    exit::{Error, Exit},
    policy, report,
    style::{BOLD, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain explain polite-default
  refrain explain api-client.toml
  refrain explain api-client.wasm                  the document in the artifact, which is not run

\x1b[1;4mExit codes:\x1b[0m 0 it is explained; 2 bad usage, or a document that is refused; 5 the artifact is refused";

/// Say what a policy means for who calls under it, and its longest waits
#[derive(Args, Debug)]
#[command(after_help = "`refrain explain --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// A document (`.toml`, `.json`), an artifact (`.wasm`), or the name of a ready-made policy
    policy: OsString,
}

/// Explains the policy.
pub(crate) fn run(args: &ExplainArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse("explain")?;
    let document = policy::document(&args.policy, &engine.trust)?;
    report::show(format, &Explained::of(&document), Explained::text)?;
    Ok(Exit::Success)
}

#[derive(Serialize)]
struct Explained {
    name: String,
    version: String,
    description: String,
    sentences: Vec<String>,
    worst_case: Worst,
    #[serde(skip)]
    table: WorstCase,
}

/// Spans are milliseconds; `null` stands for no limit.
#[derive(Serialize)]
struct Worst {
    sends: u32,
    retries: Vec<Retry>,
    local_ms: u64,
    with_hints_ms: Option<u64>,
}

#[derive(Serialize)]
struct Retry {
    index: u32,
    transient: Range,
    /// `null` if no status is throttled.
    throttled: Option<Range>,
    total_ms: u64,
}

#[derive(Serialize)]
struct Range {
    shortest_ms: u64,
    longest_ms: u64,
}

impl Explained {
    fn of(document: &Document) -> Self {
        let table = explain::table(document);
        Self {
            name: document.name().to_owned(),
            version: document.version().to_string(),
            description: document.description().to_owned(),
            sentences: explain::sentences(document),
            worst_case: Worst::of(&table),
            table,
        }
    }

    fn text(&self) -> String {
        let title = paint(BOLD, format_args!("{} {}", self.name, self.version));
        let sentences: Vec<_> =
            self.sentences.iter().map(|sentence| format!("  {}", visible::text(sentence))).collect();
        let parts =
            [format!("{title}\n{}", visible::text(&self.description)), sentences.join("\n"), self.table.to_string()];
        parts.map(|part| part.trim_end().to_owned()).join("\n\n")
    }
}

impl Worst {
    fn of(table: &WorstCase) -> Self {
        let retry = |retry: &explain::Retry| Retry {
            index: retry.index,
            transient: retry.transient.into(),
            throttled: retry.throttled.map(Range::from),
            total_ms: retry.total.get(),
        };
        Self {
            sends: table.sends,
            retries: table.retries.iter().map(retry).collect(),
            local_ms: table.local.get(),
            with_hints_ms: table.with_hints.map(Millis::get),
        }
    }
}

impl From<Waits> for Range {
    fn from(waits: Waits) -> Self {
        Self { shortest_ms: waits.shortest.get(), longest_ms: waits.longest.get() }
    }
}
