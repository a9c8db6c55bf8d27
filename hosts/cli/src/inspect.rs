//! What an artifact is, read without running it.

use std::path::PathBuf;

use clap::Args;
use policy_core::slot::Slot;
use refrain_document::{
    Artifact, ArtifactError, Digest,
    artifact::{Contents, Section, WORLD},
    visible,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    engine::EngineArgs,
    exit::{Error, Exit},
    policy, report,
    style::{BAD, BOLD, DIM, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain inspect api-client.wasm
  refrain inspect api-client.wasm --json

Nothing of the artifact is run; `refrain verify` runs it.

\x1b[1;4mExit codes:\x1b[0m 0 it is sound; 2 bad usage; 5 it is not, or another one than it has to be";

/// Show what an artifact is, without running it: policy, identity, world, imports, sizes and digests
#[derive(Args, Debug)]
#[command(after_help = "`refrain inspect --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct InspectArgs {
    /// The artifact
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,
}

/// Reads the artifact and shows what stands in it.
pub(crate) fn run(args: &InspectArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse("inspect")?;
    let bytes = policy::bytes(&args.artifact)?;
    let what = format!("the artifact `{}`", args.artifact.display());
    let refused = |error: ArtifactError| engine.trust.refused(&what, &error);
    let lock = engine.trust.lock()?;
    engine.trust.compare(&bytes, lock.as_ref()).map_err(refused)?;
    let mut report = Report::of(&bytes, &Contents::read(&bytes).map_err(refused)?)?;
    if let (Some(lock), Ok(artifact)) = (&lock, Artifact::load(&*bytes)) {
        report.faults.extend(lock.lists(&artifact).err().map(|error| error.to_string()));
    }
    report::show(format, &report, Report::text)?;
    Ok(if report.faults.is_empty() { Exit::Success } else { Exit::Broken })
}

/// What stands in an artifact. What cannot be read is absent, and named among the faults.
#[derive(Serialize)]
struct Report {
    name: Option<String>,
    version: Option<String>,
    document: Option<Box<RawValue>>,
    #[serde(skip)]
    toml: Option<String>,
    /// Absent if it imports or exports anything else.
    world: Option<&'static str>,
    imports: Vec<String>,
    exports: Vec<String>,
    bytes: usize,
    sha256: String,
    core_bytes: Option<usize>,
    core_sha256: Option<String>,
    section_bytes: usize,
    suite_sha256: Option<String>,
    faults: Vec<String>,
}

impl Report {
    fn of(bytes: &[u8], contents: &Contents<'_>) -> Result<Self, Error> {
        let mut faults = Faults(Vec::new());
        let alone = faults.note(contents.imports_nothing());
        let exports = faults.note(contents.exports_the_interface());
        let core = faults.note(contents.core_module());
        let slot = faults.note(contents.slot());
        let section = faults.note(contents.section()).flatten();
        let agrees = slot.is_none_or(|slot| faults.note(contents.documented_section(&slot)).is_some());
        let document = section.as_ref().filter(|_| agrees).and_then(Section::document);
        let raw = document.map(|document| RawValue::from_string(document.to_canonical_json())).transpose();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Ok(Self {
            name: slot.as_ref().map(|slot| slot.name().to_owned()),
            version: slot.as_ref().map(|slot| Slot::version(slot).to_owned()),
            document: raw.map_err(Error::broken)?,
            toml: document.map(|document| document.to_toml()),
            world: alone.and(exports).map(|()| WORLD),
            imports: names(contents.imports()),
            exports: names(contents.exports()),
            bytes: bytes.len(),
            sha256: Digest::of(bytes).to_string(),
            core_bytes: core.map(<[u8]>::len),
            core_sha256: core.map(|core| Digest::of(core).to_string()),
            section_bytes: contents.section_len(),
            suite_sha256: section.as_ref().map(|section| section.suite().to_string()),
            faults: faults.0,
        })
    }

    fn text(&self) -> String {
        let unknown = || "unknown".to_owned();
        let name = self.name.clone().unwrap_or_else(unknown);
        let version = self.version.as_deref().unwrap_or_default();
        let mut lines = vec![paint(BOLD, format!("{name} {version}").trim_end())];
        let mut row = |name: &str, value: String| {
            lines.push(format!("  {} {value}", paint(DIM, format_args!("{name:<12}"))));
        };
        let listed =
            |names: &[String]| if names.is_empty() { "none".to_owned() } else { report::indented(&names.join(", ")) };
        row("world", self.world.map_or_else(unknown, str::to_owned));
        row("imports", listed(&self.imports));
        row("exports", listed(&self.exports));
        row("file", sized(self.bytes, Some(&self.sha256)));
        if let Some(core) = self.core_bytes {
            row("core module", sized(core, self.core_sha256.as_deref()));
        }
        row("section", sized(self.section_bytes, None));
        row("suite", self.suite_sha256.as_ref().map_or_else(unknown, |digest| format!("sha256 {digest}")));
        lines.extend(self.faults.iter().map(|fault| format!("  {} {}", paint(BAD, "✗"), report::indented(fault))));
        lines.push(match &self.toml {
            Some(toml) => format!("\n{}", visible::text(toml.trim_end())),
            None => format!("\n{}", paint(DIM, "no document: a component whose policy nobody has written down")),
        });
        lines.join("\n")
    }
}

fn sized(bytes: usize, sha256: Option<&str>) -> String {
    let digest = sha256.map(|digest| format!("  sha256 {digest}"));
    format!("{bytes:>6} bytes{}", digest.unwrap_or_default())
}

/// What is not as it has to be.
struct Faults(Vec<String>);

impl Faults {
    fn note<T>(&mut self, result: Result<T, ArtifactError>) -> Option<T> {
        match result {
            Ok(found) => Some(found),
            Err(error) => {
                let fault = error.to_string();
                if !self.0.contains(&fault) {
                    self.0.push(fault);
                }
                None
            }
        }
    }
}
