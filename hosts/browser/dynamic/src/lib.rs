//! The dynamic engine of the browser host: the policy core, and what compiles documents at run time.
//!
//! `cargo xtask browser` turns it into the module and the glue in `src/generated` of the npm package; `src/dynamic.ts`
//! there makes the package's interface of it. Objects of that interface are read and written where they are, member by
//! member: `input` and `output` name those.

mod compiled;
mod input;
mod number;
mod output;
mod problems;

pub use compiled::Compiled;
