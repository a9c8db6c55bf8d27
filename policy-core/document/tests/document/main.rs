//! Documents as their users meet them.

mod canonical;
mod problems;
mod schema;
