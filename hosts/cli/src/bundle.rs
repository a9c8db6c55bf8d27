//! The core module of an artifact, as an ES module for `@refrain/fetch`.

mod module;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use refrain_document::{Artifact, Lock, lock::write_atomically};
use refrain_wasmtime::WasmtimeEngine;
use serde::Serialize;

use crate::{
    engine::{EngineArgs, Trust},
    exit::{Error, Exit},
    policy, report,
    style::{BOLD, DIM, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain bundle api-client.wasm --out src/policies
  refrain bundle api-client.wasm --out src/policies --inline
  refrain bundle vendor/payments.wasm --out src/policies --sha256 DIGEST --no-lock

\x1b[1;4mForms:\x1b[0m
  inline    NAME.inline.js: the module stands in the source and is ready at once. Every bundler takes it as it is.
  separate  NAME.js beside NAME.core.wasm: the module is downloaded by itself, and the browser compares its digest. Vite and
            webpack carry the file along; for esbuild and Rollup, copy it to where their output lies.

Both import `@refrain/fetch/pinned`, and a page's Content-Security-Policy has to allow `wasm-unsafe-eval`.

\x1b[1;4mExit codes:\x1b[0m 0 it is written; 2 bad usage; 5 the artifact is refused; 6 it could not be written";

/// Write an artifact's core module as an ES module with types, for a web page or Node with `@refrain/fetch`
///
/// The artifact is compared with the lock file, if there is one.
#[derive(Args, Debug)]
#[command(after_help = "`refrain bundle --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct BundleArgs {
    /// The artifact
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,

    /// The folder to write to; made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Only the form that stands in one file
    #[arg(long)]
    inline: bool,

    /// Only the form whose module is a file of its own
    #[arg(long, conflicts_with = "inline")]
    separate: bool,

    /// Compare with no lock file
    #[arg(long)]
    no_lock: bool,
}

/// Writes the forms and says what they are.
pub(crate) fn run(args: &BundleArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse("bundle")?;
    if args.no_lock && engine.trust.locked {
        return Err(Error::usage("`--no-lock` and `--locked` contradict each other: pass one of them"));
    }
    let locked = !args.no_lock && engine.trust.has_lock();
    let artifact = load(&args.artifact, &engine.trust, locked)?;
    let name = artifact.slot().name();
    let mut files = Vec::new();
    if !args.separate {
        files.extend(module::inline(&artifact));
    }
    if !args.inline {
        files.extend(module::separate(&artifact));
    }
    fs::create_dir_all(&args.out)
        .map_err(|error| Error::incomplete(format!("cannot make the folder `{}`: {error}", args.out.display())))?;
    let written: Vec<_> = files.iter().map(|file| args.out.join(&file.name)).collect();
    keeps_artifact(&args.artifact, &written)?;
    for (path, file) in written.iter().zip(&files) {
        write(path, &file.bytes)?;
    }
    let bundled = Bundled {
        name: name.to_owned(),
        version: artifact.slot().version().to_owned(),
        sha256: artifact.digest().to_string(),
        core_sha256: artifact.core_digest().to_string(),
        core_bytes: artifact.core_module().len(),
        lock: locked.then(|| engine.trust.lock_file().to_owned()),
        files: written,
    };
    report::show(format, &bundled, Bundled::text)?;
    Ok(Exit::Success)
}

/// Loads an artifact that is what it has to be, and that answers.
fn load(path: &Path, trust: &Trust, locked: bool) -> Result<Artifact, Error> {
    let refused =
        |error: &dyn std::fmt::Display| Error::broken(format!("the artifact `{}` is refused: {error}", path.display()));
    let bytes = policy::bytes(path)?;
    let lock = locked.then(|| Lock::read(trust.lock_file()).map_err(Error::broken)).transpose()?;
    trust.compare(&bytes, lock.as_ref()).map_err(|error| refused(&error))?;
    let artifact = match &lock {
        Some(lock) => Artifact::load_locked(bytes, lock),
        None => Artifact::load(bytes),
    };
    let artifact = artifact.map_err(|error| refused(&error))?;
    WasmtimeEngine::new(&artifact).map_err(|error| refused(&error))?;
    Ok(artifact)
}

/// Whether the artifact is none of the files that are written.
fn keeps_artifact(artifact: &Path, written: &[PathBuf]) -> Result<(), Error> {
    let place = |path: &Path| fs::canonicalize(path).ok();
    match written.iter().find(|path| place(path).is_some_and(|path| Some(path) == place(artifact))) {
        Some(path) => Err(Error::usage(format!(
            "expected a folder in which nothing is written over the artifact, found `{}`: pass another with `--out DIR`",
            path.display()
        ))),
        None => Ok(()),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_atomically(path, bytes)
        .map_err(|error| Error::incomplete(format!("cannot write `{}`: {error}", path.display())))
}

/// What was written.
#[derive(Serialize)]
struct Bundled {
    name: String,
    version: String,
    sha256: String,
    core_sha256: String,
    core_bytes: usize,
    /// The lock file that lists the artifact, if it was compared with one.
    lock: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Bundled {
    fn text(&self) -> String {
        let Self { name, version, sha256, core_sha256, core_bytes, lock, files } = self;
        let mut lines = vec![format!("bundled {}", paint(BOLD, format_args!("{name} {version}")))];
        let mut row =
            |name: &str, value: String| lines.push(format!("  {} {value}", paint(DIM, format_args!("{name:12}"))));
        row("artifact", format!("sha256 {sha256}"));
        row("core module", format!("{core_bytes} bytes, sha256 {core_sha256}"));
        row(
            "lock file",
            match lock {
                Some(lock) => format!("`{}` lists it", lock.display()),
                None => "not compared".to_owned(),
            },
        );
        for file in files {
            row("file", format!("`{}`", file.display()));
        }
        lines.join("\n")
    }
}
