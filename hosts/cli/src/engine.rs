//! Which policy decides, which engine runs it, and what it takes to be trusted.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use clap::{Args, ValueEnum};
use policy_core::Policy;
use refrain::{DirectEngine, Engine};
use refrain_document::{Artifact, ArtifactError, Digest, Document, Lock, NotLocked, artifact};
use refrain_wasmtime::WasmtimeEngine;

use crate::{exit::Error, policy::Source};

/// The component that stands in this binary; empty if it was built without one.
const EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/component.wasm"));

/// The version of this program and of its component.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let component = match EMBEDDED {
        [] => "no component embedded".to_owned(),
        bytes => format!("component of {} bytes, sha256 {}", bytes.len(), Digest::of(bytes)),
    };
    format!("{}\n{component}", env!("CARGO_PKG_VERSION"))
});

/// Which policy decides, and which engine runs it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Policy")]
pub(crate) struct EngineArgs {
    /// Who decides: the policy component in wasmtime, or the same core linked into this program [default: wasm]
    #[arg(long, global = true, value_enum, value_name = "ENGINE")]
    engine: Option<Kind>,

    /// By which policy: a document (`.toml`, `.json`), an artifact (`.wasm`), or the name of a ready-made policy [default:
    /// that of the component in this program]
    // Named otherwise than the argument of a command that takes a policy.
    #[arg(id = "by_policy", long = "policy", global = true, value_name = "POLICY")]
    policy: Option<OsString>,

    #[command(flatten)]
    pub(crate) trust: Trust,
}

/// What an artifact has to be. Only what stands here decides whether it is compared with anything, never the artifact.
#[derive(Args, Clone, Debug)]
pub(crate) struct Trust {
    /// Refuse an artifact whose SHA-256 is not this; a document is baked first
    #[arg(long, global = true, value_name = "DIGEST", value_parser = digest)]
    pub(crate) sha256: Option<Digest>,

    /// Refuse an artifact that the lock file does not list with its name, version and SHA-256, and any change of that file
    #[arg(long, global = true)]
    pub(crate) locked: bool,

    /// The lock file [default: refrain.lock]
    #[arg(long, global = true, value_name = "FILE")]
    lock: Option<PathBuf>,
}

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The component, in wasmtime
    #[default]
    Wasm,
    /// The core, linked in; it takes its policy from the artifact or document
    Native,
}

impl Kind {
    /// As on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wasm => "wasm",
            Self::Native => "native",
        }
    }
}

/// An engine that is ready, and what it runs.
pub(crate) struct Chosen {
    pub(crate) kind: Kind,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) policy: Policy,
    /// Absent if the native engine runs without a component.
    pub(crate) artifact: Option<Artifact>,
    /// The document that was named, if it was one.
    document: Option<Document>,
}

impl Chosen {
    /// The document that the policy comes from; the component in this program has none until something is baked into it.
    pub(crate) fn document(&self) -> Option<&Document> {
        self.document.as_ref().or_else(|| self.artifact.as_ref().and_then(Artifact::document))
    }
}

impl EngineArgs {
    /// Loads the policy and makes the engine.
    pub(crate) fn load(&self) -> Result<Chosen, Error> {
        let kind = self.engine.unwrap_or_default();
        let source = self.policy.as_deref().map(Source::read).transpose()?;
        let artifact = self.artifact(source.as_ref())?;
        let slot = match (&artifact, &source) {
            (Some(artifact), _) => *artifact.slot(),
            (None, Some(Source::Document(document))) => document.slot(),
            (None, _) => artifact::default_slot(env!("CARGO_PKG_VERSION")).map_err(Error::broken)?,
        };
        let engine: Arc<dyn Engine> = match (kind, &artifact) {
            (Kind::Native, _) => Arc::new(DirectEngine::from_slot(&slot)),
            (Kind::Wasm, Some(artifact)) => Arc::new(WasmtimeEngine::new(artifact).map_err(Error::broken)?),
            (Kind::Wasm, None) => {
                return Err(Error::usage(
                    "expected a policy component, found none in this program: `cargo xtask demo` builds one in; \
                     else pass `--policy FILE.wasm` or `--engine native`",
                ));
            }
        };
        let document = match source {
            Some(Source::Document(document)) => Some(*document),
            Some(Source::Artifact(..)) | None => None,
        };
        Ok(Chosen { kind, engine, policy: *slot.policy(), artifact, document })
    }

    /// The same, by a policy that a command takes as its argument.
    pub(crate) fn by(&self, policy: &OsStr) -> Result<Self, Error> {
        match self.policy {
            Some(_) => Err(Error::usage("`--policy` has no meaning where a policy is an argument")),
            None => Ok(Self { policy: Some(policy.to_owned()), ..self.clone() }),
        }
    }

    /// For a command that runs no policy of the caller's choice: refuses what has no meaning for it.
    pub(crate) fn refuse(&self, command: &str) -> Result<(), Error> {
        meaningless(command, [("--engine", self.engine.is_some()), ("--policy", self.policy.is_some())])
    }

    /// For a command that runs the core that is linked in.
    pub(crate) fn refuse_engine(&self, command: &str) -> Result<(), Error> {
        meaningless(command, [("--engine", self.engine.is_some())])
    }

    /// For a command that reads no artifact either.
    pub(crate) fn refuse_all(&self, command: &str) -> Result<(), Error> {
        let Trust { sha256, locked, lock } = &self.trust;
        self.refuse(command)?;
        meaningless(command, [("--sha256", sha256.is_some()), ("--locked", *locked), ("--lock", lock.is_some())])
    }

    fn artifact(&self, source: Option<&Source>) -> Result<Option<Artifact>, Error> {
        let (bytes, what) = match source {
            Some(Source::Artifact(path, bytes)) => (bytes.clone(), format!("the artifact `{}`", path.display())),
            Some(Source::Document(_)) | None if EMBEDDED.is_empty() => return self.trust.nothing(),
            Some(Source::Document(document)) => {
                (pin(None, document)?, format!("the artifact of `{}` {}", document.name(), document.version()))
            }
            None => (EMBEDDED.to_vec(), "the component in this program".to_owned()),
        };
        self.trust.load(bytes, &what).map(Some)
    }
}

impl Trust {
    /// The lock file, whether it is there or not.
    pub(crate) fn lock_file(&self) -> &Path {
        self.lock.as_deref().unwrap_or(Path::new("refrain.lock"))
    }

    /// Whether there has to be a lock file, or the default one is there.
    pub(crate) fn has_lock(&self) -> bool {
        self.locked || self.lock.is_some() || self.lock_file().exists()
    }

    /// Whether an artifact is compared with anything.
    pub(crate) const fn compares(&self) -> bool {
        self.sha256.is_some() || self.locked
    }

    /// Loads an artifact, compared first with what it has to be; `what` is for the error.
    pub(crate) fn load(&self, bytes: Vec<u8>, what: &str) -> Result<Artifact, Error> {
        let lock = self.lock()?;
        self.compare(&bytes, lock.as_ref())
            .and_then(|()| match lock {
                Some(lock) => Artifact::load_locked(bytes, &lock),
                None => Artifact::load(bytes),
            })
            .map_err(|error| self.refused(what, &error))
    }

    /// An artifact that is not what it has to be; `what` names it.
    pub(crate) fn refused(&self, what: &str, error: &ArtifactError) -> Error {
        let remedy = match error {
            ArtifactError::NotLocked(NotLocked::Digest(_) | NotLocked::Name { .. }) => {
                format!(
                    "; looked for in `{}`, into which `refrain lock ARTIFACT` writes it",
                    self.lock_file().display()
                )
            }
            ArtifactError::NotLocked(_) => format!("; see `{}`", self.lock_file().display()),
            _ => String::new(),
        };
        Error::broken(format!("{what} is refused: {error}{remedy}"))
    }

    /// The lock file, if artifacts have to be in it.
    pub(crate) fn lock(&self) -> Result<Option<Lock>, Error> {
        self.locked.then(|| Lock::read(self.lock_file()).map_err(Error::broken)).transpose()
    }

    /// Compares bytes that nothing has read yet.
    pub(crate) fn compare(&self, bytes: &[u8], lock: Option<&Lock>) -> Result<(), ArtifactError> {
        let found = Digest::of(bytes);
        match self.sha256 {
            Some(expected) if expected != found => Err(ArtifactError::Digest { expected, found }),
            _ => lock.map_or(Ok(()), |lock| lock.find(found).map(drop).map_err(ArtifactError::NotLocked)),
        }
    }

    /// There is no artifact: nothing to compare, which must not pass for equal.
    fn nothing(&self) -> Result<Option<Artifact>, Error> {
        let flag = match self {
            Self { sha256: Some(_), .. } => "--sha256",
            Self { locked: true, .. } => "--locked",
            _ => return Ok(None),
        };
        Err(Error::usage(format!("`{flag}` needs an artifact to compare: pass `--policy FILE.wasm`")))
    }
}

/// Bakes a document into a template, the one in this program if no other is given.
pub(crate) fn pin(template: Option<&Path>, document: &Document) -> Result<Vec<u8>, Error> {
    let read = template.map(crate::policy::bytes).transpose()?;
    let template = match &read {
        Some(bytes) => bytes,
        None if EMBEDDED.is_empty() => {
            return Err(Error::usage(
                "expected a component to bake into, found none in this program: `cargo xtask guest` builds one; \
                 pass it with `--template FILE`",
            ));
        }
        None => EMBEDDED,
    };
    artifact::pin(template, document).map_err(Error::broken)
}

/// Refuses the first of these flags that was given.
fn meaningless<const N: usize>(command: &str, flags: [(&str, bool); N]) -> Result<(), Error> {
    match flags.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Error::usage(format!("`{flag}` has no meaning for `refrain {command}`"))),
        None => Ok(()),
    }
}

/// Its error does not repeat `text`: whether that may be shown depends on the subcommand.
fn digest(text: &str) -> Result<Digest, &'static str> {
    text.parse().map_err(|_| "expected a SHA-256 of 64 hexadecimal digits")
}
