//! Which policy decides, and which engine runs it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use clap::{Args, ValueEnum};
use policy_core::{Policy, Rules};
use refrain::{DirectEngine, Engine};
use refrain_wasmtime::{Artifact, Digest, WasmtimeEngine};

use crate::exit::Error;

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
    /// Who decides: the policy component in wasmtime, or the same core linked into this program
    #[arg(long, global = true, value_enum, value_name = "ENGINE", default_value_t = Kind::Wasm)]
    engine: Kind,

    /// A policy component to use in place of the one in this program
    #[arg(long, global = true, value_name = "FILE")]
    component: Option<PathBuf>,

    /// Refuse a component whose SHA-256 is not this
    #[arg(long, global = true, value_name = "DIGEST", value_parser = digest)]
    sha256: Option<Digest>,
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The component, in wasmtime
    Wasm,
    /// The core, linked in; it takes its policy from the component, if there is one
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
    /// Absent if the native engine runs the default policy, for want of a component.
    pub(crate) artifact: Option<Artifact>,
}

impl EngineArgs {
    /// Loads the policy and makes the engine.
    pub(crate) fn load(&self) -> Result<Chosen, Error> {
        let artifact = self.artifact()?;
        let (engine, policy): (Arc<dyn Engine>, Policy) = match (self.engine, &artifact) {
            (Kind::Wasm, Some(artifact)) => {
                let engine = WasmtimeEngine::new(artifact).map_err(Error::broken)?;
                (Arc::new(engine), *artifact.slot().policy())
            }
            (Kind::Wasm, None) => {
                return Err(Error::usage(
                    "expected a policy component, found none in this program: `cargo xtask demo` builds one in; \
                     else pass `--component FILE` or `--engine native`",
                ));
            }
            (Kind::Native, Some(artifact)) => {
                (Arc::new(DirectEngine::from_slot(artifact.slot())), *artifact.slot().policy())
            }
            (Kind::Native, None) => {
                let policy = Policy::new(Rules::DEFAULT).map_err(Error::broken)?;
                let engine = DirectEngine::new("refrain-default", env!("CARGO_PKG_VERSION"), policy);
                (Arc::new(engine.map_err(Error::broken)?), policy)
            }
        };
        Ok(Chosen { kind: self.engine, engine, policy, artifact })
    }

    fn artifact(&self) -> Result<Option<Artifact>, Error> {
        let bytes = match &self.component {
            Some(path) => read(path)?,
            None if EMBEDDED.is_empty() && self.sha256.is_some() => {
                return Err(Error::usage("`--sha256` needs a component to check: pass `--component FILE`"));
            }
            None if EMBEDDED.is_empty() => return Ok(None),
            None => EMBEDDED.to_vec(),
        };
        let artifact = match self.sha256 {
            Some(expected) => Artifact::load_pinned(bytes, expected),
            None => Artifact::load(bytes),
        };
        artifact.map(Some).map_err(|error| match &self.component {
            Some(path) => Error::broken(format!("the component `{}` is refused: {error}", path.display())),
            None => Error::broken(format!("the component in this program is refused: {error}")),
        })
    }
}

/// Its error does not repeat `text`: whether that may be shown depends on the subcommand.
fn digest(text: &str) -> Result<Digest, &'static str> {
    text.parse().map_err(|_| "expected a SHA-256 of 64 hexadecimal digits")
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path)
        .map_err(|error| Error::usage(format!("cannot read `{}`, the file of `--component`: {error}", path.display())))
}
