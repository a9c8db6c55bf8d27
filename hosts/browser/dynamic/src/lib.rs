//! The dynamic engine of the browser host: the policy core, and what compiles documents at run time.
//!
//! `cargo xtask browser` turns it into the module and the glue in `src/generated` of the npm package; `src/dynamic.ts`
//! there makes the package's interface of it. A call is made with a block of bytes, as into the core module of an artifact:
//! `block` reads and writes it.

mod block;
mod compiled;
mod input;
mod number;
mod output;
mod problems;

pub use compiled::Compiled;
