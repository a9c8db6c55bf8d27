//! Documents, read and judged.

use std::path::{Path, PathBuf};

use clap::Args;
use refrain_document::{Document, Format as Written, Place, Problem, Problems};
use serde::{Serialize, Serializer};

use crate::{
    engine::EngineArgs,
    exit::{Error, Exit},
    report,
    style::{GOOD, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain check api-client.toml
  refrain check policies/*.toml policies/*.json
  refrain check api-client.toml --json             places and messages, for editors and scripts

\x1b[1;4mExit codes:\x1b[0m 0 every document is accepted, warnings or not; 2 one is refused, or cannot be read";

/// Say what is wrong with policy documents, and where
#[derive(Args, Debug)]
#[command(after_help = "`refrain check --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Documents (`.toml`, `.json`)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Checks every file, and says of each what is wrong with it.
pub(crate) fn run(args: &CheckArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse_all("check")?;
    let documents: Vec<_> = args.files.iter().map(|file| Checked::of(file)).collect();
    for error in documents.iter().filter_map(|checked| checked.unread.as_ref()) {
        anstream::eprintln!("{error}");
    }
    let report = Report { accepted: documents.iter().all(|checked| checked.accepted), documents };
    let is_any_read = report.documents.iter().any(|checked| checked.unread.is_none());
    if is_any_read || format == Format::Json {
        report::show(format, &report, Report::text)?;
    }
    Ok(if report.accepted { Exit::Success } else { Exit::Usage })
}

#[derive(Serialize)]
struct Report {
    /// Whether every document is accepted.
    accepted: bool,
    documents: Vec<Checked>,
}

/// What became of one document.
#[derive(Serialize)]
struct Checked {
    file: PathBuf,
    accepted: bool,
    /// Why it could not be read; absent if it was.
    #[serde(serialize_with = "message")]
    unread: Option<Error>,
    /// Absent if it is refused.
    name: Option<String>,
    version: Option<String>,
    problems: Vec<Shown>,
    /// For people.
    #[serde(skip)]
    rendered: String,
}

/// One problem; lines and columns count from 1, columns in characters, and the end is behind the last character.
#[derive(Serialize)]
struct Shown {
    severity: &'static str,
    message: String,
    help: Option<String>,
    #[serde(flatten)]
    span: Span,
    label: String,
    also: Vec<Also>,
}

#[derive(Serialize)]
struct Also {
    #[serde(flatten)]
    span: Span,
    label: String,
}

#[derive(Serialize)]
struct Span {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl Checked {
    fn of(file: &Path) -> Self {
        match read(file) {
            Ok((text, format)) => Self::parsed(file, &text, format),
            Err(error) => Self {
                file: file.to_owned(),
                accepted: false,
                unread: Some(error),
                name: None,
                version: None,
                problems: Vec::new(),
                rendered: String::new(),
            },
        }
    }

    fn parsed(file: &Path, text: &str, format: Written) -> Self {
        let parsed = Document::parse(text, format);
        let (document, problems) = match &parsed {
            Ok(document) => (Some(document), document.warnings()),
            Err(problems) => (None, problems),
        };
        Self {
            file: file.to_owned(),
            accepted: document.is_some(),
            unread: None,
            name: document.map(|document| document.name().to_owned()),
            version: document.map(|document| document.version().to_string()),
            problems: problems.iter().map(|problem| Shown::of(problem, problems)).collect(),
            rendered: problems.clone().in_file(file.display().to_string()).render(true),
        }
    }

    fn text(&self) -> String {
        let name =
            self.name.iter().zip(&self.version).map(|(name, version)| {
                format!("{} `{}`: {name} {version}", paint(GOOD, "accepted"), self.file.display())
            });
        let rendered = (!self.rendered.is_empty()).then(|| format!("{}\n", self.rendered));
        rendered.into_iter().chain(name).collect::<Vec<_>>().join("\n")
    }
}

fn read(file: &Path) -> Result<(String, Written), Error> {
    let shown = file.display();
    let format = Written::of_path(file).ok_or_else(|| {
        Error::usage(format!("expected a document whose name ends in `.toml` or `.json`, found `{shown}`"))
    })?;
    let text = refrain_document::read(file)
        .map_err(|error| Error::usage(format!("cannot read the document `{shown}`: {error}")))?;
    Ok((text, format))
}

fn message<S: Serializer>(error: &Option<Error>, serializer: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(Error::message).serialize(serializer)
}

impl Report {
    fn text(&self) -> String {
        self.documents
            .iter()
            .filter(|checked| checked.unread.is_none())
            .map(Checked::text)
            .collect::<Vec<_>>()
            .join("\n")
            .trim_end()
            .to_owned()
    }
}

impl Shown {
    fn of(problem: &Problem, problems: &Problems) -> Self {
        let also = |(place, label): &(Place, String)| Also { span: Span::of(place, problems), label: label.clone() };
        Self {
            severity: problem.severity.name(),
            message: problem.message.clone(),
            help: problem.help.clone(),
            span: Span::of(&problem.place, problems),
            label: problem.label.clone(),
            also: problem.also.iter().map(also).collect(),
        }
    }
}

impl Span {
    fn of(place: &Place, problems: &Problems) -> Self {
        let (start, end) = (problems.position(place), problems.position(&(place.end..place.end)));
        Self { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}
