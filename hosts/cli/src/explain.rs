//! A policy, in words and numbers.

use std::ffi::OsString;

use clap::Args;
use refrain_document::{explain::Explanation, visible};

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
    report::show(format, &Explanation::of(&document), text)?;
    Ok(Exit::Success)
}

fn text(explanation: &Explanation) -> String {
    let title = paint(BOLD, format_args!("{} {}", explanation.name, explanation.version));
    let sentences: Vec<_> =
        explanation.sentences.iter().map(|sentence| format!("  {}", visible::text(sentence))).collect();
    let description = visible::text(&explanation.description);
    let parts = [format!("{title}\n{description}"), sentences.join("\n"), explanation.worst_case.to_string()];
    parts.map(|part| part.trim_end().to_owned()).join("\n\n")
}
