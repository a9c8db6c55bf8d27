//! What changes for callers from one policy to another.

mod vectors;

use std::ffi::OsString;

use clap::Args;
use refrain_document::{Document, diff, visible};
use serde::Serialize;

use self::vectors::Vectors;
use crate::{
    engine::{Chosen, EngineArgs},
    exit::{Error, Exit},
    report,
    style::{BAD, BOLD, DIM, GOOD, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain diff api-client.toml api-client-2.toml
  refrain diff released.wasm api-client.toml --all
  refrain diff aws-standard-2-0 aws-standard-2-1 --json

Every conformance vector is put to both policies, whatever policy it was written for.

\x1b[1;4mExit codes:\x1b[0m 0 nothing changes for callers; 1 something does; 2 bad usage; 5 a policy was refused";

/// Say what changes for callers from one policy to another, and which conformance vectors decide differently
#[derive(Args, Debug)]
#[command(after_help = "`refrain diff --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct DiffArgs {
    /// The one: a document (`.toml`, `.json`), an artifact (`.wasm`), or the name of a ready-made policy
    #[arg(value_name = "FROM")]
    from: OsString,

    /// The other
    #[arg(value_name = "TO")]
    to: OsString,

    /// Name every vector that decides differently
    #[arg(long)]
    all: bool,
}

/// Compares the two and shows what differs.
pub(crate) fn run(args: &DiffArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    let (from, to) = (engine.by(&args.from)?.load()?, engine.by(&args.to)?.load()?);
    let report = Report::of(&from, &to)?;
    report::show(format, &report, |report| report.text(args.all))?;
    Ok(if report.same { Exit::Success } else { Exit::NoSuccess })
}

/// What differs.
#[derive(Serialize)]
struct Report {
    from: Side,
    to: Side,
    /// Nothing changes for callers.
    same: bool,
    settings: Vec<Setting>,
    /// Sentences about the one that do not hold for the other.
    before: Vec<String>,
    /// Sentences about the other that do not hold for the one.
    after: Vec<String>,
    vectors: Vectors,
}

/// A policy, as it was named by its artifact or document.
#[derive(Serialize)]
struct Side {
    name: String,
    version: String,
    sha256: Option<String>,
}

#[derive(Serialize)]
struct Setting {
    path: String,
    from: Option<String>,
    to: Option<String>,
}

impl Report {
    fn of(from: &Chosen, to: &Chosen) -> Result<Self, Error> {
        let changes = diff::between(document(from)?, document(to)?);
        let vectors = Vectors::of(&*from.engine, &*to.engine);
        Ok(Self {
            same: changes.are_none() && vectors.different.is_empty(),
            settings: changes.settings.into_iter().map(|s| Setting { path: s.path, from: s.from, to: s.to }).collect(),
            before: changes.before,
            after: changes.after,
            from: Side::of(from),
            to: Side::of(to),
            vectors,
        })
    }

    fn text(&self, all: bool) -> String {
        let mut lines = vec![format!("{} → {}", self.from.text(), self.to.text())];
        if !self.settings.is_empty() {
            lines.push(format!("\n{}", paint(BOLD, "Settings")));
            let width = self.settings.iter().map(|setting| setting.path.len()).max().unwrap_or(0);
            lines.extend(self.settings.iter().map(|setting| setting.text(width)));
        }
        if self.before != self.after {
            lines.push(format!("\n{}", paint(BOLD, "For callers")));
            lines.extend(
                self.before.iter().map(|sentence| format!("  {} {}", paint(BAD, "-"), visible::text(sentence))),
            );
            lines.extend(
                self.after.iter().map(|sentence| format!("  {} {}", paint(GOOD, "+"), visible::text(sentence))),
            );
        }
        lines.push(format!("\n{}", paint(BOLD, "Conformance vectors")));
        lines.extend(self.vectors.lines(all));
        if self.same {
            lines.push("\nNothing changes for callers.".to_owned());
        }
        lines.join("\n")
    }
}

fn document(chosen: &Chosen) -> Result<&Document, Error> {
    chosen.document().ok_or_else(|| {
        let name = &chosen.engine.description().name;
        Error::usage(format!(
            "expected an artifact with a document, found none in that of `{name}`: `refrain pin` bakes one"
        ))
    })
}

impl Side {
    fn of(chosen: &Chosen) -> Self {
        let description = chosen.engine.description();
        Self {
            name: description.name.clone(),
            version: description.version.clone(),
            sha256: chosen.artifact.as_ref().map(|artifact| artifact.digest().to_string()),
        }
    }

    fn text(&self) -> String {
        format!("{} {}", paint(BOLD, &self.name), self.version)
    }
}

impl Setting {
    fn text(&self, width: usize) -> String {
        let value = |value: &Option<String>| {
            value.as_ref().map_or_else(|| paint(DIM, "(none)"), |value| visible::text(value).into_owned())
        };
        match self.path.as_str() {
            "description" => format!("  {:width$}  {}", self.path, paint(DIM, "another text")),
            path => format!("  {path:width$}  {} → {}", value(&self.from), value(&self.to)),
        }
    }
}
