//! Whether an artifact is what it says: by its bytes, and by what it answers when it runs.

use std::path::{Path, PathBuf};

use clap::Args;
use refrain::Engine;
use refrain_document::{
    Artifact, ArtifactError, Digest, Lock,
    artifact::{Contents, INTERFACE, Section},
    lock::Entry,
};
use refrain_wasmtime::WasmtimeEngine;
use serde::Serialize;

use crate::{
    checklist::Check,
    engine::{EngineArgs, Trust},
    exit::{Error, Exit},
    policy, report,
    style::{BAD, BOLD, GOOD, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain verify api-client.wasm
  refrain verify api-client.wasm --locked
  refrain verify api-client.wasm --sha256 DIGEST --json

\x1b[1;4mExit codes:\x1b[0m 0 every check passed; 2 bad usage; 5 one did not";

/// Prove that an artifact is what it says: its document, its policy and the running component agree, and it imports nothing
#[derive(Args, Debug)]
#[command(after_help = "`refrain verify --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// The artifact
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,
}

/// Makes every check and says how it went.
pub(crate) fn run(args: &VerifyArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse("verify")?;
    let bytes = policy::bytes(&args.artifact)?;
    let report = Report::of(&args.artifact, &bytes, &engine.trust)?;
    report::show(format, &report, Report::text)?;
    Ok(if report.sound { Exit::Success } else { Exit::Broken })
}

/// How it went.
#[derive(Serialize)]
struct Report {
    artifact: PathBuf,
    sha256: String,
    sound: bool,
    checks: Vec<Check>,
}

/// The checks in their order.
const NAMES: [&str; 10] = [
    "digest",
    "component",
    "imports",
    "exports",
    "core module",
    "slot",
    "section",
    "document",
    "lock file",
    "running component",
];

impl Report {
    fn of(path: &Path, bytes: &[u8], trust: &Trust) -> Result<Self, Error> {
        let lock = trust.lock()?;
        let mut checks = Vec::new();
        checks.push(digest(bytes, trust, lock.as_ref()));
        if checks.iter().all(|check| check.passed != Some(false)) {
            match Contents::read(bytes) {
                Ok(contents) => by_bytes(&mut checks, &contents),
                Err(error) => checks.push(Check::of("component", Err(error))),
            }
        }
        if checks.iter().all(|check| check.passed != Some(false)) {
            by_running(&mut checks, bytes, lock.as_ref());
        }
        let sound = checks.iter().all(|check| check.passed != Some(false));
        checks.extend(NAMES.iter().skip(checks.len()).map(|name| Check::not_asked(name)));
        Ok(Self { artifact: path.to_owned(), sha256: Digest::of(bytes).to_string(), sound, checks })
    }

    fn text(&self) -> String {
        let verdict = if self.sound { paint(GOOD, "sound") } else { paint(BAD, "refused") };
        let mut lines = vec![format!("{verdict}: {}", paint(BOLD, format_args!("`{}`", self.artifact.display())))];
        lines.extend(self.checks.iter().map(Check::text));
        lines.join("\n")
    }
}

/// Whether these are the bytes that they have to be; nothing has read them yet.
fn digest(bytes: &[u8], trust: &Trust, lock: Option<&Lock>) -> Check {
    if trust.sha256.is_none() && lock.is_none() {
        return Check::not_asked("digest");
    }
    Check::of("digest", trust.compare(bytes, lock).map(|()| format!("sha256 {}", Digest::of(bytes))))
}

fn by_bytes(checks: &mut Vec<Check>, contents: &Contents<'_>) {
    let slot = contents.slot();
    let section = contents.section();
    let said = |section: &Option<Section>| match section {
        Some(section) => format!("conformance suite sha256 {}", section.suite()),
        None => "none: the component says nothing of itself".to_owned(),
    };
    let agrees = |slot| {
        let section = contents.documented_section(slot)?;
        Ok(match section.as_ref().and_then(Section::document) {
            Some(document) => format!("compiles to the policy in the slot: {} {}", document.name(), document.version()),
            None => "none: the policy is the default of a template".to_owned(),
        })
    };
    let document = match (&slot, &section) {
        (Ok(slot), Ok(_)) => Check::of("document", agrees(slot).map_err(|error: ArtifactError| error)),
        _ => Check::not_asked("document"),
    };
    let valid = contents.core_is_valid().and_then(|()| contents.core_module());
    checks.extend([
        Check::of("component", Ok::<_, String>("it can be read".to_owned())),
        Check::of("imports", contents.imports_nothing().map(|()| "none".to_owned())),
        Check::of("exports", contents.exports_the_interface().map(|()| INTERFACE.to_owned())),
        Check::of(
            "core module",
            valid.map(|core| format!("valid by itself, {} bytes, sha256 {}", core.len(), Digest::of(core))),
        ),
        Check::of("slot", slot.map(|slot| format!("{} {}", slot.name(), slot.version()))),
        Check::of("section", section.map(|section| said(&section))),
        document,
    ]);
}

/// What needs a sound artifact: its name in the lock file, and what it answers.
fn by_running(checks: &mut Vec<Check>, bytes: &[u8], lock: Option<&Lock>) {
    let artifact = match Artifact::load(bytes) {
        Ok(artifact) => artifact,
        Err(error) => return checks.push(Check::of("component", Err(error))),
    };
    checks.push(match lock {
        Some(lock) => {
            let said = |entry: &Entry| format!("lists {} {} and its core module", entry.name, entry.version);
            Check::of("lock file", lock.lists(&artifact).map(said))
        }
        None => Check::not_asked("lock file"),
    });
    let answered = WasmtimeEngine::new(&artifact).map(|engine| {
        let description = engine.description();
        format!("`describe` says what the slot does: {} {}", description.name, description.version)
    });
    checks.push(Check::of("running component", answered));
}
