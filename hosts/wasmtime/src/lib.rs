//! Retries decided by a WebAssembly component, in wasmtime.
//!
//! A policy artifact is a component with a policy in it. It imports nothing, so it reaches no clock, network, file or
//! random source; what it may use of the processor and of memory is limited here. [`Artifact`] checks the file,
//! [`WasmtimeEngine`] runs it, and as it is a [`refrain::Engine`], the driver of [`refrain`] works with it unchanged.
//!
//! ```no_run
//! use refrain::{Engine, core::{Command, Mark, Method, Network, Now, Request, Sample, Session, Tokens}};
//! use refrain_wasmtime::{Artifact, WasmtimeEngine};
//!
//! let artifact = Artifact::from_file("target/refrain/refrain.wasm")?;
//! let engine = WasmtimeEngine::new(&artifact)?;
//! println!("{} {}, SHA-256 {}", engine.description().name, engine.description().version, artifact.digest());
//!
//! let now = Now {
//!     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
//!     sample: Sample::ONE, tokens: Tokens::ZERO, hold: None,
//! };
//! let step = engine.start(&Request::new(Method::Get), &now)?;
//! assert!(matches!(step.command, Command::Send { attempt: 1, .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is refused, and what it costs
//!
//! Before anything reads it: a file that is not the pinned one ([`Artifact::load_pinned`]), or not in the lock file
//! ([`Artifact::load_locked`]). Before anything is compiled: what is no component, imports something, exports another
//! version of the interface or more than that, has no sound policy slot, or has a document that does not compile to that
//! slot. After that: a component that says of itself something else than its slot.
//!
//! One call may use a million units of fuel (some hundred times what a decision needs), one page of memory and 64 KiB of
//! stack. A call that wants more, traps, or breaks the canonical ABI is an [`EngineError`](refrain::EngineError); its
//! instance is thrown away, and the engine goes on.
#![forbid(unsafe_code)]

mod bindings;
mod convert;
mod engine;
mod limits;
#[cfg(test)]
#[path = "../tests/wasmtime/made.rs"]
mod made;
mod pool;

pub use engine::{StartError, WasmtimeEngine};
pub use refrain_document::{Artifact, ArtifactError, Digest, DigestError, Lock};
