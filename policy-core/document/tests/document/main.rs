//! Documents as their users meet them.

mod canonical;
mod explain;
mod problems;
mod ready;
mod run;
mod schema;
