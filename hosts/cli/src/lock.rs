//! The lock file: artifacts are put in, or those that are in it are checked.

use std::path::{Path, PathBuf};

use clap::Args;
use refrain_document::{
    Artifact, Lock, artifact,
    lock::{Entry, LockFile, resolved},
};
use serde::Serialize;

use crate::{
    engine::{EngineArgs, Trust},
    exit::{Error, Exit},
    pin, policy, report,
    style::{BAD, BOLD, DIM, GOOD, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain lock                        check every file that refrain.lock names
  refrain lock vendor/payments.wasm   put an artifact in that somebody else pinned
  refrain lock --lock ci/refrain.lock

\x1b[1;4mExit codes:\x1b[0m 0 everything is as it is locked; 2 bad usage; 5 a file is missing or another one, or the lock
file has another artifact of this name and version; 6 it could not be written";

/// Check every artifact that the lock file names, or put artifacts into it
#[derive(Args, Debug)]
#[command(after_help = "`refrain lock --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct LockArgs {
    /// Artifacts to put in
    #[arg(value_name = "ARTIFACT")]
    artifacts: Vec<PathBuf>,

    /// Let them replace others of their names and versions
    #[arg(long, requires = "artifacts")]
    update: bool,
}

/// Puts the artifacts in, or checks those that are there.
pub(crate) fn run(args: &LockArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse("lock")?;
    let trust = &engine.trust;
    if trust.sha256.is_some() {
        return Err(Error::usage("`--sha256` has no meaning for `refrain lock`: the lock file has the digests"));
    }
    let report = if args.artifacts.is_empty() { check(trust.lock_file()) } else { add(args, trust) }?;
    report::show(format, &report, Report::text)?;
    Ok(if report.artifacts.iter().all(|line| line.holds != Some(false)) { Exit::Success } else { Exit::Broken })
}

fn add(args: &LockArgs, trust: &Trust) -> Result<Report, Error> {
    let mut file = LockFile::open(trust.lock_file()).map_err(Error::broken)?;
    let mut report = Report::new(trust.lock_file());
    for path in &args.artifacts {
        let artifact = Artifact::load(policy::bytes(path)?)
            .map_err(|error| Error::broken(format!("the artifact `{}` is refused: {error}", path.display())))?;
        let locked = pin::add(&mut file, &artifact, pin::relative(trust.lock_file(), path)?, args.update)?;
        pin::keeps(trust, &file, &artifact, locked)?;
        let (name, version) = (artifact.slot().name(), artifact.slot().version());
        report.push(name, version, Some(path.display().to_string()), Some(true), pin::word(locked));
    }
    file.save().map_err(|error| Error::incomplete(error.to_string()))?;
    Ok(report)
}

fn check(path: &Path) -> Result<Report, Error> {
    let lock = Lock::read(path).map_err(|error| Error::usage(error.to_string()))?;
    let (mut report, beside) = (Report::new(path), resolved(path.to_owned()));
    for entry in lock.entries() {
        let (holds, state) = match &entry.file {
            Some(file) => match check_file(&beside.with_file_name(file.as_str()), entry) {
                Ok(()) => (Some(true), "as it is locked".to_owned()),
                Err(error) => (Some(false), error),
            },
            None => (None, "not checked: the lock file names no file".to_owned()),
        };
        let file = entry.file.as_ref().map(ToString::to_string);
        report.push(&entry.name, &entry.version.to_string(), file, holds, state);
    }
    Ok(report)
}

/// Whether the file is the artifact of the entry.
fn check_file(path: &Path, entry: &Entry) -> Result<(), String> {
    let bytes = artifact::read(path).map_err(|error| error.to_string())?;
    let artifact = Artifact::load_pinned(bytes, entry.sha256).map_err(|error| error.to_string())?;
    let found = Entry::of(&artifact, entry.file.clone()).map_err(|error| error.to_string())?;
    if found == *entry {
        return Ok(());
    }
    Err(format!("the artifact is `{}` {}, with the core module `{}`", found.name, found.version, found.core_sha256))
}

/// What was done, or found.
#[derive(Serialize)]
struct Report {
    lock: PathBuf,
    artifacts: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    version: String,
    file: Option<String>,
    /// Absent if it was not checked.
    holds: Option<bool>,
    state: String,
}

impl Report {
    fn new(lock: &Path) -> Self {
        Self { lock: lock.to_owned(), artifacts: Vec::new() }
    }

    fn push(&mut self, name: &str, version: &str, file: Option<String>, holds: Option<bool>, state: impl Into<String>) {
        let (name, version) = (name.to_owned(), version.to_owned());
        self.artifacts.push(Line { name, version, file, holds, state: state.into() });
    }

    fn text(&self) -> String {
        let count = self.artifacts.len();
        let plural = if count == 1 { "" } else { "s" };
        let mut lines = vec![format!("`{}`: {count} artifact{plural}", self.lock.display())];
        lines.extend(self.artifacts.iter().map(Line::text));
        lines.join("\n")
    }
}

impl Line {
    fn text(&self) -> String {
        let mark = match self.holds {
            Some(true) => paint(GOOD, "✓"),
            Some(false) => paint(BAD, "✗"),
            None => paint(DIM, "·"),
        };
        let file = self.file.as_ref().map(|file| format!("`{}` ", report::indented(file))).unwrap_or_default();
        let artifact = paint(BOLD, format_args!("{} {}", self.name, self.version));
        format!("  {mark} {artifact} {file}{}", paint(DIM, report::indented(&self.state)))
    }
}
