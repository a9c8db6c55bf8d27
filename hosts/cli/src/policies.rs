//! The ready-made policies, and the schema of documents of one's own.

use clap::Args;
use refrain_document::{Document, ready, schema, visible};
use serde::Serialize;

use crate::{
    engine::EngineArgs,
    exit::{Error, Exit},
    report,
    style::{BOLD, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain policies
  refrain policies stripe > payments.toml          the beginning of a policy of your own

\x1b[1;4mExit codes:\x1b[0m 0 success; 2 there is no policy of this name";

/// List the ready-made policies, or write the document of one
#[derive(Args, Debug)]
#[command(after_help = "`refrain policies --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct PoliciesArgs {
    /// Write the document of this one: TOML, or canonical JSON with --json
    name: Option<String>,
}

/// Lists the policies, or writes one.
pub(crate) fn run(args: &PoliciesArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse_all("policies")?;
    match &args.name {
        None => report::show(format, &List::all(), List::text)?,
        Some(name) => {
            let ready = ready::find(name).ok_or_else(|| unknown(name))?;
            match format {
                Format::Text => report::write(ready.toml.trim_end())?,
                Format::Json => report::write(&ready.document().to_canonical_json())?,
            }
        }
    }
    Ok(Exit::Success)
}

fn unknown(name: &str) -> Error {
    let names: Vec<_> = ready::names().collect();
    Error::usage(format!("expected the name of a ready-made policy ({}), found `{name}`", names.join(", ")))
}

/// Writes the JSON Schema.
pub(crate) fn schema(engine: &EngineArgs) -> Result<Exit, Error> {
    engine.refuse_all("schema")?;
    report::write(schema::text().trim_end())?;
    Ok(Exit::Success)
}

#[derive(Serialize)]
struct List {
    policies: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    name: String,
    version: String,
    description: String,
}

impl List {
    fn all() -> Self {
        Self { policies: ready::names().filter_map(ready::find).map(|ready| Listed::of(&ready.document())).collect() }
    }

    fn text(&self) -> String {
        let listed: Vec<_> = self.policies.iter().map(Listed::text).collect();
        listed.join("\n\n")
    }
}

impl Listed {
    fn of(document: &Document) -> Self {
        Self {
            name: document.name().to_owned(),
            version: document.version().to_string(),
            description: document.description().to_owned(),
        }
    }

    fn text(&self) -> String {
        format!("{}\n{}", paint(BOLD, format_args!("{} {}", self.name, self.version)), visible::text(&self.description))
    }
}
