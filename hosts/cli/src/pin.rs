//! A policy, baked into an artifact.

mod paths;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::Args;
use refrain_document::{
    Artifact,
    lock::{Entry, LockFile, Locked, RelativePath, write_atomically},
};
use serde::Serialize;

pub(crate) use self::paths::relative;
use crate::{
    engine::{self, EngineArgs, Trust},
    exit::{Error, Exit},
    policy::{self, Source},
    report,
    style::{BOLD, DIM, paint},
    timeline::Format,
};

const EXAMPLES: &str = "\
\x1b[1;4mExamples:\x1b[0m
  refrain pin api-client.toml                      writes api-client.wasm, and its digest to refrain.lock
  refrain pin polite-default -o policies/default.wasm --core
  refrain pin api-client.toml --locked             in CI: fails unless the committed lock file says just this
  refrain fetch http://example.com/ --policy api-client.wasm --locked

The same document gives the same bytes on every machine. A released version does not change: pin other rules under another
version.

\x1b[1;4mExit codes:\x1b[0m 0 it is pinned; 2 bad usage, or a document that is refused; 5 the lock file has another
artifact of this name and version; 6 it could not be written";

/// Bake a policy into an artifact: a component that decides by this policy and can do nothing else
#[derive(Args, Debug)]
#[command(after_help = "`refrain pin --help` shows examples.", after_long_help = EXAMPLES)]
pub(crate) struct PinArgs {
    /// A document (`.toml`, `.json`), the name of a ready-made policy, or an artifact whose document is baked anew
    policy: OsString,

    /// Where the artifact goes [default: NAME.wasm, after the policy's name]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the core module too, as FILE.core.wasm, for hosts without components (`wit/LAYOUT.md`)
    #[arg(long)]
    core: bool,

    /// Leave the lock file alone
    #[arg(long)]
    no_lock: bool,

    /// Let it replace another artifact of its name and version in the lock file
    #[arg(long, conflicts_with = "no_lock")]
    update: bool,

    /// The component to bake into [default: the one in this program]
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
}

/// Pins the policy and says who the artifact is.
pub(crate) fn run(args: &PinArgs, engine: &EngineArgs, format: Format) -> Result<Exit, Error> {
    engine.refuse("pin")?;
    let trust = &engine.trust;
    if args.no_lock && trust.locked {
        return Err(Error::usage("`--no-lock` and `--locked` contradict each other: pass one of them"));
    }
    let load =
        |bytes, what: &str| Artifact::load(bytes).map_err(|error| Error::broken(format!("{what} is refused: {error}")));
    let document = Source::read(&args.policy)?.into_document(load)?;
    policy::warn(&args.policy, &document);
    let output = paths::output(args, &document)?;
    let core = args.core.then(|| output.with_extension("core.wasm"));
    paths::keeps_inputs(args, trust, [Some(&*output), core.as_deref()])?;
    let bytes = engine::pin(args.template.as_deref(), &document)?;
    let artifact = Artifact::load(bytes).map_err(Error::broken)?;
    trust.compare(artifact.bytes(), None).map_err(Error::broken)?;
    let files = Files { artifact: &artifact, output: &output, core: core.as_deref() };
    let locked = if args.no_lock { files.write().map(|()| None) } else { files.lock(trust, args.update).map(Some) }?;
    report::show(format, &Pinned::of(&files, trust, locked), Pinned::text)?;
    Ok(Exit::Success)
}

/// What is written, and where.
struct Files<'a> {
    artifact: &'a Artifact,
    output: &'a Path,
    core: Option<&'a Path>,
}

impl Files<'_> {
    fn write(&self) -> Result<(), Error> {
        write(self.output, self.artifact.bytes())?;
        self.core.map_or(Ok(()), |path| write(path, self.artifact.core_module()))
    }

    /// Writes, and puts the artifact into the lock file. The lock comes last: what stands in it is there.
    fn lock(&self, trust: &Trust, update: bool) -> Result<Locked, Error> {
        let mut file = LockFile::open(trust.lock_file()).map_err(Error::broken)?;
        let locked = add(&mut file, self.artifact, relative(trust.lock_file(), self.output)?, update)?;
        keeps(trust, &file, self.artifact, locked)?;
        self.write()?;
        file.save().map_err(|error| Error::incomplete(error.to_string()))?;
        Ok(locked)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_atomically(path, bytes)
        .map_err(|error| Error::incomplete(format!("cannot write `{}`: {error}", path.display())))
}

/// Puts an artifact into a lock file that is open.
pub(crate) fn add(
    file: &mut LockFile,
    artifact: &Artifact,
    path: Option<RelativePath>,
    update: bool,
) -> Result<Locked, Error> {
    let entry = Entry::of(artifact, path).map_err(|error| {
        Error::broken(format!("expected a semantic version, found `{}`: {error}", artifact.slot().version()))
    })?;
    if update {
        return Ok(file.lock.replace(entry));
    }
    file.lock.add(entry).map_err(|error| {
        Error::broken(format!(
            "{error}; a released version does not change: raise the version, or pass `--update` if nobody uses it yet"
        ))
    })
}

/// Under `--locked`, whether the lock file stays what it is once the artifact is in.
pub(crate) fn keeps(trust: &Trust, file: &LockFile, artifact: &Artifact, locked: Locked) -> Result<(), Error> {
    if !trust.locked || !file.is_changed() {
        return Ok(());
    }
    let why = match locked {
        Locked::Added => "does not list",
        Locked::Moved => "has another file for",
        Locked::Replaced => "lists another artifact as",
        Locked::Unchanged => "lists another artifact in the file of",
    };
    let (lock, slot) = (trust.lock_file().display(), artifact.slot());
    Err(Error::broken(format!(
        "the lock file `{lock}` {why} `{}` {}, and `--locked` forbids to change it",
        slot.name(),
        slot.version()
    )))
}

/// What was made.
#[derive(Serialize)]
struct Pinned {
    name: String,
    version: String,
    file: PathBuf,
    bytes: usize,
    sha256: String,
    /// Where the core module was written to, if it was.
    core_file: Option<PathBuf>,
    core_bytes: usize,
    core_sha256: String,
    lock: Option<InLock>,
}

#[derive(Serialize)]
struct InLock {
    file: PathBuf,
    artifact: &'static str,
}

impl Pinned {
    fn of(files: &Files<'_>, trust: &Trust, locked: Option<Locked>) -> Self {
        let artifact = files.artifact;
        Self {
            name: artifact.slot().name().to_owned(),
            version: artifact.slot().version().to_owned(),
            file: files.output.to_owned(),
            bytes: artifact.bytes().len(),
            sha256: artifact.digest().to_string(),
            core_file: files.core.map(Path::to_owned),
            core_bytes: artifact.core_module().len(),
            core_sha256: artifact.core_digest().to_string(),
            lock: locked.map(|locked| InLock { file: trust.lock_file().to_owned(), artifact: word(locked) }),
        }
    }

    fn text(&self) -> String {
        let Self { name, version, file, bytes, sha256, core_file, core_bytes, core_sha256, lock } = self;
        let mut lines =
            vec![format!("pinned {} to `{}`", paint(BOLD, format_args!("{name} {version}")), file.display())];
        let mut row = |name: &str, value: String| {
            lines.push(format!("  {} {value}", paint(DIM, format_args!("{name:<12}"))));
        };
        row("file", format!("{bytes:>6} bytes  sha256 {sha256}"));
        row("core module", format!("{core_bytes:>6} bytes  sha256 {core_sha256}"));
        if let Some(core) = core_file {
            row("", format!("written to `{}`", core.display()));
        }
        if let Some(lock) = lock {
            row("lock", format!("{} in `{}`", lock.artifact, lock.file.display()));
        }
        lines.join("\n")
    }
}

/// What became of an artifact that was put into a lock, in a word.
pub(crate) const fn word(locked: Locked) -> &'static str {
    match locked {
        Locked::Added => "added",
        Locked::Unchanged => "unchanged",
        Locked::Moved => "moved",
        Locked::Replaced => "replaced",
    }
}
