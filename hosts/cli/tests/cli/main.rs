//! The binary as people run it: real processes, real sockets, both engines.

mod artifact;
mod bundle;
mod decide;
mod diff;
mod documents;
mod fetch;
mod input;
mod interrupt;
mod parse;
mod replay;
mod secrets;
mod server;
mod simulate;
mod support;
